/// Where CUFUSE_NODE stores CUFUSE_PARAMETER: an element goes CUFUSE_WHERE.
struct CUFUSE_TYPE {
  CUFUSE_FIELDS;
  long long offset = 0;
  __device__ __forceinline__ void store(long long index, const CUFUSE_ELEMENT value) const {
    // Each of them takes it.
    CUFUSE_CALLS;
  }
#ifdef CUFUSE_WIDE
  /// Several elements in one: each goes its way.
  template <typename Vector> __device__ __forceinline__ void store(long long index, const Vector &value) const {
    CUFUSE_ELEMENT parts[sizeof(Vector) / sizeof(CUFUSE_ELEMENT)];
    memcpy(parts, &value, sizeof(Vector));
#pragma unroll
    for (int k = 0; k < static_cast<int>(sizeof(parts) / sizeof(parts[0])); ++k)
      store(index + k, parts[k]);
  }
  template <typename> __device__ __forceinline__ CUFUSE_TYPE as() const { return *this; }
  template <typename T> static constexpr long long wide = sizeof(T) / sizeof(CUFUSE_ELEMENT);
#else
  template <typename> static constexpr long long wide = 1;
#endif
  template <typename T> __device__ __forceinline__ CufusePlace<T, CUFUSE_TYPE> at(long long index) const {
    return {*this, offset + index * wide<T>};
  }
  template <typename T> __device__ __forceinline__ CUFUSE_TYPE moved(long long by) const {
    CUFUSE_TYPE moved = *this;
    moved.offset += by * wide<T>;
    return moved;
  }
};
