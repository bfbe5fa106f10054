/// Where a `T` is stored.
template <typename T, typename Kind> struct CufusePlace {
  const Kind of;
  const long long index;
  __device__ __forceinline__ T operator=(const T value) const {
    of.store(index, value);
    return value;
  }
  /// What else a class assigns by an operator of its own, as a half a float.
  template <typename Value, typename Type = T,
            typename = decltype(static_cast<Type &(Type::*)(Value)>(&Type::operator=))>
  __device__ __forceinline__ T operator=(const Value value) const {
    Type element;
    element = value;
    return *this = element;
  }
};
