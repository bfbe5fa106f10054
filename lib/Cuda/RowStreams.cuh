/// What a kernel loads of a row in memory: as many elements at a time as the thread has next to each other, from
/// `first`, the row's begin, on.
template <typename Value> struct CufuseStreamLoad {
  CufuseRow row;
  Value *pack;
  const Value *first;
  template <typename> __device__ __forceinline__ const Value at(long long) const {
    const unsigned turn = *row.turn;
    if (row.wide == 1)
      return first[row.at(turn)];
    if (turn % CufuseRow::most == 0)
      cufuseLoad<CufuseRow::most>(pack, first + row.at(turn));
    return pack[turn % CufuseRow::most];
  }
  template <typename> __device__ __forceinline__ CufuseStreamLoad moved(long long) const { return *this; }
};

/// What it stores there.
template <typename Value> struct CufuseStreamStore {
  CufuseRow row;
  Value *pack, *first;
  __device__ __forceinline__ void store(long long, const Value value) const {
    constexpr unsigned last = CufuseRow::most - 1;
    const unsigned turn = *row.turn;
    if (row.wide == 1)
      first[row.at(turn)] = value;
    else
      pack[turn % CufuseRow::most] = value;
    if (row.wide > 1 && turn % CufuseRow::most == last)
      cufuseStore<CufuseRow::most>(pack, first + (row.at(turn) - last));
  }
  template <typename T> __device__ __forceinline__ CufusePlace<T, CufuseStreamStore> at(long long index) const {
    return {*this, index};
  }
  template <typename> __device__ __forceinline__ CufuseStreamStore moved(long long) const { return *this; }
};
