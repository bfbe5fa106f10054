/// The turns that a thread makes over its row, one element each.
struct CufuseRow {
  static constexpr unsigned block = CUFUSE_BLOCK;
  unsigned turns; ///< At most, where the elements stay in registers; 0 where they do not.
  unsigned full;  ///< So many turns have an element for every thread.
  unsigned *turn; ///< The present one.
  /// Is there an element at `index`? `inside` is what the loop asks; with constant numbers of turns it can be unrolled.
  template <typename Index> __device__ __forceinline__ bool next(Index index, bool inside) const {
    const unsigned distance = static_cast<unsigned>(index) - threadIdx.x;
    *turn = distance / block;
    if (turns == 0)
      return inside;
    if (distance >= turns * block)
      return false;
    return distance < full * block || inside;
  }
};

#pragma push_macro("blockDim")
#undef blockDim
/// The block's size as a constant, so that loops over the row have constant numbers of turns.
struct CufuseRowPartition : cufuse_partition {
  static __device__ __forceinline__ dim3 blockDim() { return dim3(CUFUSE_BLOCK, 1, 1); }
};
#pragma pop_macro("blockDim")
