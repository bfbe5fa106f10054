/// Where all elements of a turn are `whole`, below the bound, the kernels' conditions on that are known.
struct CufuseTurn {
#ifdef CUFUSE_ONCE
  bool whole = true, begun = false;
#else
  bool whole = true;
#endif
#ifdef CUFUSE_HOLDS
  __device__ __forceinline__ bool inside(bool written) const { return whole || written; }
#endif
#ifdef CUFUSE_FAILS
  __device__ __forceinline__ bool beyond(bool written) const { return !whole && written; }
#endif
#ifdef CUFUSE_ONCE
  __device__ __forceinline__ bool once(bool written) {
    const bool first = !begun;
    begun = true;
    return whole ? first : written;
  }
#endif
};
