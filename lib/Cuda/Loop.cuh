#ifdef CUFUSE_ALWAYS_WHOLE
/// For every so many elements, one.
__device__ __forceinline__ void CUFUSE_NAME(CUFUSE_HEAD) {
  const long long elements = CUFUSE_ELEMENTS;
#pragma unroll 1
  for (long long first = 1ll * blockIdx.x * cufuse_partition::Threads + cufuse_partition::rank(); CUFUSE_GOES_ON;
       first += 1ll * gridDim.x * cufuse_partition::Threads) {
    const unsigned at = static_cast<unsigned>(first);
    CUFUSE_REGISTERS;
    CUFUSE_LOADS;
    CUFUSE_CALLS;
    CUFUSE_STORES;
  }
}
#else
/// All kernels, one after the other, on the `Width` elements from `first` on; where they are `whole`, all of them
/// exist.
template <int Width, bool whole> __device__ __forceinline__ void cufuseTurn(CUFUSE_TURN_HEAD) {
  CUFUSE_REGISTERS;
  CUFUSE_LOADS;
  CUFUSE_CALLS;
  CUFUSE_STORES;
}

/// What a thread does: every so many turns, one.
__device__ __forceinline__ void CUFUSE_NAME(CUFUSE_HEAD) {
  const long long elements = CUFUSE_ELEMENTS;
  constexpr unsigned threads = cufuse_partition::Threads;
#pragma unroll 1
  for (long long first = CUFUSE_STEP * (1ll * blockIdx.x * threads + cufuse_partition::rank()); CUFUSE_GOES_ON;
       first += CUFUSE_STEP * gridDim.x * threads) {
    if (CUFUSE_MAY_BE_WHOLE) {
      cufuseTurn<CUFUSE_WIDTH, true>(first, elements, CUFUSE_ARGUMENTS);
    } else {
#ifdef CUFUSE_BY_PARTS
#pragma unroll 1
      for (long long rest = first; rest < first + CUFUSE_WIDTH && rest < elements; rest += CUFUSE_LEAST)
        cufuseTurn<CUFUSE_LEAST, CUFUSE_EXISTS>(rest, elements, CUFUSE_ARGUMENTS);
#else
      cufuseTurn<CUFUSE_LEAST, CUFUSE_EXISTS>(first, elements, CUFUSE_ARGUMENTS);
#endif
    }
  }
}
#endif
