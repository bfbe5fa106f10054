/// Of a row of up to `Ahead` elements for a thread, all that it has, where they are `there`. Each access has a
/// condition of its own, and none waits for another.
template <unsigned Bytes> struct CufuseWords {
  struct alignas(Bytes) Type {
    unsigned at[Bytes / 4];
  };
};
template <unsigned Ahead, typename Value>
__device__ __forceinline__ void cufuseLoadAhead(const CufuseRow row, Value *pack, const Value *__restrict__ first,
                                                bool there) {
  using Words = typename CufuseWords<sizeof(Value) * CufuseRow::most>::Type;
#pragma unroll
  for (unsigned turn = 0; turn + CufuseRow::most <= Ahead; turn += CufuseRow::most)
    if (row.wide > 1 && turn < row.turns && row.turns <= Ahead) {
      Words words = {};
      if (there && row.has(turn))
        words = *reinterpret_cast<const Words *>(first + row.at(turn));
      memcpy(pack + turn, &words, sizeof words);
    }
}

/// What a kernel loads of a row in memory: as many elements at a time as the thread has next to each other, from
/// `first`, the row's begin, on. Of up to `Ahead` elements, all are there before.
template <typename Value, unsigned Ahead> struct CufuseStreamLoad {
  CufuseRow row;
  Value *pack;
  const Value *first;
  template <typename> __device__ __forceinline__ const Value at(long long) const {
    const unsigned turn = *row.turn;
    if (row.wide == 1)
      return first[row.at(turn)];
    if (row.turns <= Ahead)
      return pack[turn];
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
