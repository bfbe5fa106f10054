/// An element of a row whose parts a kernel takes together, and may change: `first` is where the row begins. The turn
/// says which registers it may be in, one of each part, and its place which one it is: that is constant where the
/// length of the row is.
template <typename Value, unsigned Parts, bool Interleaved> struct CufuseRowPart {
  CufuseRow row; ///< Of a part.
  Value *registers, *memory;
  unsigned first;
  template <typename> __device__ __forceinline__ Value &at(long long index) const {
    if (row.turns == 0)
      return memory[index];
#ifdef CUFUSE_WIDE
    const unsigned own = row.at(*row.turn);
#else
    const unsigned own = threadIdx.x + *row.turn * CufuseRow::block;
#endif
    const unsigned element = static_cast<unsigned>(index) - first;
    return registers[Interleaved ? *row.turn * Parts + (element - own * Parts)
                                 : *row.turn + (element - own) / CufuseRow::block];
  }
  template <typename> __device__ __forceinline__ CufuseRowPart moved(long long by) const {
    return {row, registers, memory + by, first - static_cast<unsigned>(by)};
  }
};
