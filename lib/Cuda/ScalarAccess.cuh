/// What a kernel loads of the block's value.
template <typename Value> struct CufuseScalarLoad {
  const Value *shared;
  template <typename> __device__ __forceinline__ const Value at(long long) const { return *shared; }
  template <typename> __device__ __forceinline__ CufuseScalarLoad moved(long long) const { return *this; }
};

/// Where a kernel stores it: to shared memory, and if it is `Live`, to memory.
template <typename Value, bool Live> struct CufuseScalarStore {
  Value *shared, *memory;
  __device__ __forceinline__ void store(long long index, const Value value) const {
    if (Live)
      memory[index] = value;
    *shared = value;
  }
  template <typename T> __device__ __forceinline__ CufusePlace<T, CufuseScalarStore> at(long long index) const {
    return {*this, index};
  }
  template <typename> __device__ __forceinline__ CufuseScalarStore moved(long long by) const {
    return {shared, memory + by};
  }
};
