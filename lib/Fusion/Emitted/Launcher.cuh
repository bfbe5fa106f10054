namespace {

CufuseGrid::Divisor divisorOf(unsigned d) {
  unsigned bits = 0;
  while (bits < 32 && (1ull << bits) < d)
    ++bits;
  return {static_cast<unsigned>((1ull << (31 + bits)) / d + 1), bits};
}

/// No blocks if no kernel can be launched with this grid.
CufuseGrid gridOf(const dim3 &size, bool readsY, bool readsZ) {
  if (size.x == 0 || size.y == 0 || size.z == 0 || (size.y > 1 && !readsY && !readsZ) || (size.z > 1 && !readsZ))
    return {};
  const unsigned long long plane = 1ull * size.x * size.y;
  if (plane > 0x7fffffff || plane * size.z > 0x7fffffff)
    return {};
  return {size, static_cast<unsigned>(plane * size.z), divisorOf(size.x), divisorOf(size.y)};
}

/// Bytes from the dynamic shared memory of one virtual block to that of the next; 2^31 if no block can have so much.
std::size_t strideOf(std::size_t bytes, std::size_t alignment) {
  return bytes > 0x7fffffff ? 0x80000000 : (bytes + alignment - 1) / alignment * alignment;
}

} // namespace
