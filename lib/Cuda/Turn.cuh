/// Where all elements of a turn are `whole`, below the bound, the kernels' conditions on that are known.
struct CufuseTurn {
  bool whole, begun = false;
  __device__ __forceinline__ bool inside(bool written) const { return whole || written; }
  __device__ __forceinline__ bool beyond(bool written) const { return !whole && written; }
  __device__ __forceinline__ bool once(bool written) {
    const bool first = !begun;
    begun = true;
    return whole ? first : written;
  }
};
