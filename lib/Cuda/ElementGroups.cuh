/// One access to as many of the `Width` elements at `at` as a `Vector` has. Where all of them exist, they are in
/// registers, and dynamic indices become selections.
template <typename Vector, typename Element, int Width> struct CufuseSlot {
  Element *at;
  bool whole;
  unsigned first;
  static constexpr unsigned count = sizeof(Vector) / sizeof(Element);
  /// Not of a variable, which would be the element as it is then.
  __device__ __forceinline__ operator Vector() const && { return value(); }
  __device__ __forceinline__ Vector value() const {
    Element parts[count];
#pragma unroll
    for (unsigned j = 0; j + count <= Width; ++j)
#pragma unroll
      for (unsigned k = 0; k < count; ++k)
        if (j == 0 || (whole && first == j))
          parts[k] = at[(whole ? j : first) + k];
    Vector value;
    memcpy(&value, parts, sizeof(Vector));
    return value;
  }
  __device__ __forceinline__ const CufuseSlot &operator=(const Vector &value) const {
    Element parts[count];
    memcpy(parts, &value, sizeof(Vector));
#pragma unroll
    for (unsigned j = 0; j + count <= Width; ++j)
#pragma unroll
      for (unsigned k = 0; k < count; ++k)
        if (whole ? count == Width || first == j : j == 0)
          at[(whole ? j : first) + k] = parts[k];
    return *this;
  }
  /// What else a class assigns by an operator of its own, as a half a float.
  template <typename Value, typename Type = Vector,
            typename = decltype(static_cast<Type &(Type::*)(Value)>(&Type::operator=))>
  __device__ __forceinline__ const CufuseSlot &operator=(const Value value) const {
    Type element;
    element = value;
    return *this = element;
  }
  __device__ __forceinline__ const CufuseSlot &operator=(const CufuseSlot &other) const {
    return *this = other.value();
  }
};
template <typename Vector, typename Element, int Width, bool ReadOnly> struct CufuseAccess {
  using Type = CufuseSlot<Vector, Element, Width>;
};
template <typename Vector, typename Element, int Width> struct CufuseAccess<Vector, Element, Width, true> {
  using Type = Vector;
};
template <typename Vector> struct CufuseTarget {
  using Type = Vector;
  static constexpr bool readOnly = false;
};
template <typename Vector> struct CufuseTarget<const Vector> {
  using Type = Vector;
  static constexpr bool readOnly = true;
};

/// In place of a pointer to `Vector`: the `Width` elements of an array that a thread works on, from a multiple of
/// `Width` on.
template <typename Vector, typename Element, int Width, bool ReadOnly> struct CufuseElements {
  Element *at;
  bool whole;
  unsigned offset = 0;
  using Access = typename CufuseAccess<Vector, Element, Width, ReadOnly>::Type;
  static constexpr unsigned wide = sizeof(Vector) / sizeof(Element);
  __device__ __forceinline__ Access operator[](long long index) const {
    return CufuseSlot<Vector, Element, Width>{at, whole, (offset + static_cast<unsigned>(index) * wide) % Width};
  }
  __device__ __forceinline__ Access operator*() const { return (*this)[0]; }
  __device__ __forceinline__ CufuseElements operator+(long long by) const {
    return {at, whole, offset + static_cast<unsigned>(by) * wide};
  }
  __device__ __forceinline__ CufuseElements operator-(long long by) const {
    return {at, whole, offset - static_cast<unsigned>(by) * wide};
  }
};
template <typename To, typename Vector, typename Element, int Width, bool ReadOnly>
__device__ __forceinline__
    CufuseElements<typename CufuseTarget<To>::Type, Element, Width, ReadOnly || CufuseTarget<To>::readOnly>
    cufuse_as(const CufuseElements<Vector, Element, Width, ReadOnly> &p) {
  return {p.at, p.whole, p.offset};
}
