#ifdef CUFUSE_EVICT_LAST
/// Loads the block's row, `length` elements from `first` on, with L2's priority evict_last.
#else
/// Loads the block's row, `length` elements from `first` on.
#endif
template <typename Element>
__device__ __forceinline__ void cufuseLoadRow(const CufuseRow row, Element *registers,
                                              const Element *__restrict__ first, long long length) {
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
template <typename Element> struct CufuseRowLoad {
  const CufuseRow row;
  const Element *registers, *memory;
  __device__ __forceinline__ const Element operator[](long long index) const {
    return row.turns > 0 ? registers[row.turn] : memory[index];
  }
  __device__ __forceinline__ const Element operator*() const { return (*this)[0]; }
  __device__ __forceinline__ CufuseRowLoad operator+(long long by) const { return {row, registers, memory + by}; }
  __device__ __forceinline__ CufuseRowLoad operator-(long long by) const { return {row, registers, memory - by}; }
};

/// Where a kernel stores a row: to registers, if they hold it, and otherwise, or if it is `Live`, to memory.
template <typename Element, bool Live> struct CufuseRowStore {
  struct Place {
    const CufuseRowStore &to;
    const long long index;
    __device__ __forceinline__ Element operator=(const Element value) const {
      if (to.row.turns > 0)
        to.registers[to.row.turn] = value;
      if (Live || to.row.turns == 0)
        to.memory[index] = value;
      return value;
    }
    /// What else a class assigns by an operator of its own, as a half a float.
    template <typename Value, typename Type = Element,
              typename = decltype(static_cast<Type &(Type::*)(Value)>(&Type::operator=))>
    __device__ __forceinline__ Element operator=(const Value value) const {
      Type element;
      element = value;
      return *this = element;
    }
  };
  const CufuseRow row;
  Element *registers, *memory;
  __device__ __forceinline__ Place operator[](long long index) const { return {*this, index}; }
  __device__ __forceinline__ Place operator*() const { return {*this, 0}; }
  __device__ __forceinline__ CufuseRowStore operator+(long long by) const { return {row, registers, memory + by}; }
  __device__ __forceinline__ CufuseRowStore operator-(long long by) const { return {row, registers, memory - by}; }
};
