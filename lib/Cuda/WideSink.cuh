/// Stores of several elements in one: each goes its way.
template <typename Vector, typename Sink> struct CufuseWide {
  struct Slot {
    const Sink to;
    __device__ __forceinline__ const Vector &operator=(const Vector &value) const {
      typename Sink::CufuseValue parts[sizeof(Vector) / sizeof(typename Sink::CufuseValue)];
      memcpy(parts, &value, sizeof(Vector));
#pragma unroll
      for (int k = 0; k < static_cast<int>(sizeof(Vector) / sizeof(parts[0])); ++k)
        to[k] = parts[k];
      return value;
    }
  };
  Sink to;
  static constexpr long long wide = sizeof(Vector) / sizeof(typename Sink::CufuseValue);
  __device__ __forceinline__ Slot operator[](long long index) const { return {to + index * wide}; }
  __device__ __forceinline__ Slot operator*() const { return {to}; }
  __device__ __forceinline__ CufuseWide operator+(long long by) const { return {to + by * wide}; }
  __device__ __forceinline__ CufuseWide operator-(long long by) const { return {to - by * wide}; }
};
template <typename Vector, typename Sink>
__device__ __forceinline__ CufuseWide<Vector, Sink> cufuse_as(const Sink &to) {
  return {to};
}
