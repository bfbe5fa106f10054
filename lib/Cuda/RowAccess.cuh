#ifdef CUFUSE_EVICT_LAST
/// Loads the block's row, `length` elements from `first` on, with L2's priority evict_last.
#else
/// Loads the block's row, `length` elements from `first` on.
#endif
template <typename Element>
__device__ __forceinline__ void cufuseLoadRow(const CufuseRow row, Element *registers,
                                              const Element *__restrict__ first, long long length) {
#ifdef CUFUSE_WIDE
#pragma unroll
  for (unsigned turn = 0; row.wide > 1 && turn < row.turns; turn += CufuseRow::most)
    if (row.has(turn))
      cufuseLoad<CufuseRow::most>(registers + turn, first + row.at(turn));
  if (row.wide > 1)
    return;
#endif
#pragma unroll
  for (unsigned turn = 0; turn < row.turns; ++turn) {
    const unsigned index = threadIdx.x + turn * CufuseRow::block;
    if (turn < row.full || index < length)
#ifdef CUFUSE_EVICT_LAST
      registers[turn] = *::cuda::associate_access_property(first + index, ::cuda::access_property::persisting{});
#else
      registers[turn] = first[index];
#endif
  }
}

/// What a kernel loads of a row: from registers, if they hold it.
template <typename Value> struct CufuseRowLoad {
  CufuseRow row;
  const Value *registers, *memory;
  template <typename> __device__ __forceinline__ const Value at(long long index) const {
    return row.turns > 0 ? registers[*row.turn] : memory[index];
  }
  template <typename> __device__ __forceinline__ CufuseRowLoad moved(long long by) const {
    return {row, registers, memory + by};
  }
};

/// Where a kernel stores a row: to registers, if they hold it, and otherwise, or if it is `Live`, to memory.
template <typename Value, bool Live> struct CufuseRowStore {
  CufuseRow row;
  Value *registers, *memory;
  __device__ __forceinline__ void store(long long index, const Value value) const {
    if (row.turns > 0)
      registers[*row.turn] = value;
#ifdef CUFUSE_WIDE
    constexpr unsigned last = CufuseRow::most - 1;
    if (row.wide > 1) {
      if (Live && *row.turn % CufuseRow::most == last)
        cufuseStore<CufuseRow::most>(registers + (*row.turn - last), memory + (index - last));
      return;
    }
#endif
    if (Live || row.turns == 0)
      memory[index] = value;
  }
  template <typename T> __device__ __forceinline__ CufusePlace<T, CufuseRowStore> at(long long index) const {
    return {*this, index};
  }
  template <typename> __device__ __forceinline__ CufuseRowStore moved(long long by) const {
    return {row, registers, memory + by};
  }
};
