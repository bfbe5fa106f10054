template <typename T> struct CufuseTarget {
  using Type = T;
  static constexpr bool readOnly = false;
};
template <typename T> struct CufuseTarget<const T> {
  using Type = T;
  static constexpr bool readOnly = true;
};
/// The same place as one of a larger type.
template <typename To, typename T, typename Kind>
__device__ __forceinline__ auto cufuse_as(const cufuse_pointer<T, Kind> &p)
    -> cufuse_pointer<typename CufuseTarget<To>::Type, decltype(p.of.template as<To>())> {
  return {p.of.template as<To>()};
}

/// What a kernel stores to and another loads from is no null pointer, and that alone is asked.
template <typename T, typename Kind> __device__ __forceinline__ const void *cufuse_notNull(cufuse_pointer<T, Kind> p) {
  return reinterpret_cast<const void *>(1);
}
