/// The blocks of a grid; none if no kernel that reads so many of its dimensions can be launched with it.
static unsigned blocksOf(const dim3 &grid, unsigned dimensions) {
  const unsigned long long plane = 1ull * grid.x * grid.y;
  const bool fits = plane <= 0x7fffffff && plane * grid.z <= 0x7fffffff;
  return fits && (grid.y <= 1 || dimensions > 1) && (grid.z <= 1 || dimensions > 2) ? plane * grid.z : 0;
}

/// Do two arrays share memory? What a kernel stores to must not.
static bool meet(const volatile void *a, long long bytesOfA, const volatile void *b, long long bytesOfB) {
  const size_t behind = reinterpret_cast<size_t>(b) - reinterpret_cast<size_t>(a);
  return a && b && bytesOfA > 0 && bytesOfB > 0 &&
         (behind < static_cast<size_t>(bytesOfA) || 0 - behind < static_cast<size_t>(bytesOfB));
}

/// What the kernels use of an array.
struct CufuseBytes {
  const volatile void *begin;
  long long bytes;
  bool areStored;
};
static CufuseBytes loads(const volatile void *array, long long bytes) { return {array, bytes, false}; }
static CufuseBytes stores(const volatile void *array, long long bytes) { return {array, bytes, true}; }
/// Does what is stored to share memory with another?
template <size_t Count> static bool anyMeet(const CufuseBytes (&all)[Count]) {
  for (const CufuseBytes *a = all; a != all + Count; ++a)
    for (const CufuseBytes *b = all; b != a; ++b)
      if ((a->areStored || b->areStored) && meet(a->begin, a->bytes, b->begin, b->bytes))
        return true;
  return false;
}
static long long larger(long long a, long long b) { return a < b ? b : a; }

static CufuseGrid::Divisor divisorOf(unsigned d) {
  unsigned bits = 0;
  while (bits < 32 && (1ull << bits) < d)
    ++bits;
  return {static_cast<unsigned>((1ull << (31 + bits)) / d + 1), bits};
}
static CufuseGrid gridOf(const dim3 &size, unsigned dimensions) {
  const unsigned blocks = blocksOf(size, dimensions);
  return blocks == 0 ? CufuseGrid{} : CufuseGrid{size, blocks, divisorOf(size.x), divisorOf(size.y)};
}

/// Bytes from the dynamic shared memory of one virtual block to that of the next; 2^31 if no block can have so much.
static size_t strideOf(size_t bytes, size_t alignment) {
  return bytes > 0x7fffffff ? 0x80000000 : (bytes + alignment - 1) / alignment * alignment;
}

/// The share of `own` of `left` blocks, 0 < own < left < 2^31, that are left of `all` blocks of the launch. Blocks go
/// round the multiprocessors; the pattern of the share repeats after one block less than some rounds, so that it falls
/// on the next multiprocessor each time and every one gets its part. (In step with the rounds, each would play one
/// kernel only.) A period holds a whole number of own blocks, one more of them before the turn than behind it.
static CufuseShare shareOf(unsigned own, unsigned left, unsigned all, unsigned multiprocessors) {
  const unsigned long long least = own < left - own ? own : left - own, gap = (left + least - 1) / least;
  const unsigned long long round = (1ull * multiprocessors * left + all - 1) / all;
  const unsigned long long period = (gap + round) / round * round - 1, whole = own * period / left;
  const unsigned turn = static_cast<unsigned>(own * period - whole * left);
  const auto slope = [period](unsigned long long part) { return ((part << 32) + period - 1) / period; };
  return {turn * (slope(whole + 1) - slope(whole)), static_cast<unsigned>(slope(whole)),
          static_cast<unsigned>(slope(whole + 1)), turn};
}

/// The fewest blocks that play all of a kernel's in as many rounds as `most` would: the last round is as full as can
/// be.
static unsigned inEvenRounds(unsigned blocks, unsigned most) {
  const unsigned rounds = (blocks + most - 1) / most;
  return (blocks + rounds - 1) / rounds;
}

/// Equal numbers may still differ in sign. What is given may be an enumeration that this file has by its bytes, or
/// volatile.
template <typename Given, typename Value> static bool sameBits(const Given &a, const Value &b) {
  static_assert(sizeof(Given) <= sizeof(Value), "another size");
  for (size_t i = 0; i < sizeof(Given); ++i)
    if (reinterpret_cast<const volatile unsigned char *>(&a)[i] != reinterpret_cast<const unsigned char *>(&b)[i])
      return false;
  return true;
}
