/// Where all elements of a turn are `whole`, below the bound, the kernels' conditions on that are known.
struct CufuseTurn {
  bool whole = true;
#ifdef CUFUSE_ONCE
  unsigned turns = 0;
#endif
#ifdef CUFUSE_HOLDS
  __device__ __forceinline__ bool inside(bool written) const { return whole || written; }
#endif
#ifdef CUFUSE_FAILS
  __device__ __forceinline__ bool beyond(bool written) const { return !whole && written; }
#endif
#ifdef CUFUSE_ONCE
  __device__ __forceinline__ bool once(bool written) { return whole ? turns++ == 0 : written; }
#endif
};
