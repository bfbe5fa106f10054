/// An element of a row that a kernel changes in place: in a register, if they hold the row.
template <typename Value> struct CufuseRowElement {
  CufuseRow row;
  Value *registers, *memory;
  template <typename> __device__ __forceinline__ Value &at(long long index) const {
    return row.turns > 0 ? registers[*row.turn] : memory[index];
  }
  template <typename> __device__ __forceinline__ CufuseRowElement moved(long long by) const {
    return {row, registers, memory + by};
  }
};

/// Stores the block's row, `length` elements from `first` on.
template <typename Element>
__device__ __forceinline__ void cufuseStoreRow(const CufuseRow row, const Element *registers, Element *first,
                                               long long length) {
#ifdef CUFUSE_WIDE
#pragma unroll
  for (unsigned turn = 0; row.wide > 1 && turn < row.turns; turn += CufuseRow::most)
    if (row.has(turn))
      cufuseStore<CufuseRow::most>(registers + turn, first + row.at(turn));
  if (row.wide > 1)
    return;
#endif
#pragma unroll
  for (unsigned turn = 0; turn < row.turns; ++turn) {
    const unsigned index = threadIdx.x + turn * CufuseRow::block;
    if (turn < row.full || index < length)
      first[index] = registers[turn];
  }
}
