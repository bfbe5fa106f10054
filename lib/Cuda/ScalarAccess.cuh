/// What a kernel loads of the block's value.
template <typename Element> struct CufuseScalarLoad {
  const Element *shared;
  __device__ __forceinline__ const Element operator[](long long) const { return *shared; }
  __device__ __forceinline__ const Element operator*() const { return *shared; }
  __device__ __forceinline__ CufuseScalarLoad operator+(long long) const { return *this; }
  __device__ __forceinline__ CufuseScalarLoad operator-(long long) const { return *this; }
};

/// Where a kernel stores it: to shared memory, and if it is `Live`, to memory.
template <typename Element, bool Live> struct CufuseScalarStore {
  struct Place {
    const CufuseScalarStore &to;
    const long long index;
    __device__ __forceinline__ Element operator=(const Element value) const {
      if (Live)
        to.memory[index] = value;
      return *to.shared = value;
    }
  };
  Element *shared, *memory;
  __device__ __forceinline__ Place operator[](long long index) const { return {*this, index}; }
  __device__ __forceinline__ Place operator*() const { return {*this, 0}; }
  __device__ __forceinline__ CufuseScalarStore operator+(long long by) const { return {shared, memory + by}; }
  __device__ __forceinline__ CufuseScalarStore operator-(long long by) const { return {shared, memory - by}; }
};
