/// The place of an array's barrier: no two launches that run at once store to one array.
static cudaError_t placeOf(unsigned &place, const void *array) {
  static std::atomic<const void *> arrays[CufusePlaces];
  for (size_t i = 0; i < CufusePlaces; ++i) {
    place = static_cast<unsigned>((reinterpret_cast<size_t>(array) / 256 + i) % CufusePlaces);
    const void *owner = nullptr;
    if (arrays[place].compare_exchange_strong(owner, array) || owner == array)
      return cudaSuccess;
  }
  return cudaErrorMemoryAllocation;
}
