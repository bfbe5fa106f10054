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
#ifdef CUFUSE_CHANGED
#define cufuse_change(operation)                                                                                       \
  template <typename By> __device__ __forceinline__ const CufuseSlot &operator operation(By &&by) const {              \
    Vector changed = value();                                                                                          \
    changed operation static_cast<By &&>(by);                                                                          \
    return *this = changed;                                                                                            \
  }
  cufuse_change(+=);
  cufuse_change(-=);
  cufuse_change(*=);
  cufuse_change(/=);
  cufuse_change(%=);
  cufuse_change(&=);
  cufuse_change(|=);
  cufuse_change(^=);
  cufuse_change(<<=);
  cufuse_change(>>=);
#undef cufuse_change
  __device__ __forceinline__ const CufuseSlot &operator++() const { return *this += 1; }
  __device__ __forceinline__ const CufuseSlot &operator--() const { return *this -= 1; }
  __device__ __forceinline__ Vector operator++(int) const {
    const Vector before = value();
    return ++*this, before;
  }
  __device__ __forceinline__ Vector operator--(int) const {
    const Vector before = value();
    return --*this, before;
  }
#endif
};
template <typename Vector, typename Value, int Width, bool ReadOnly> struct CufuseAccess {
  using Type = CufuseSlot<Vector, Value, Width>;
};
template <typename Vector, typename Value, int Width> struct CufuseAccess<Vector, Value, Width, true> {
  using Type = Vector;
};

/// The `Width` elements of an array that a thread works on, from a multiple of `Width` on.
template <typename Value, int Width, bool ReadOnly> struct CufuseElements {
  Value *elements;
  bool whole;
  unsigned offset = 0;
  template <typename T> static constexpr unsigned wide = sizeof(T) / sizeof(Value);
  template <typename T>
  __device__ __forceinline__ typename CufuseAccess<T, Value, Width, ReadOnly>::Type at(long long index) const {
    return CufuseSlot<T, Value, Width>{elements, whole, (offset + static_cast<unsigned>(index) * wide<T>) % Width};
  }
  template <typename T> __device__ __forceinline__ CufuseElements moved(long long by) const {
    return {elements, whole, offset + static_cast<unsigned>(by) * wide<T>};
  }
  template <typename To>
  __device__ __forceinline__ CufuseElements<Value, Width, ReadOnly || CufuseTarget<To>::readOnly> as() const {
    return {elements, whole, offset};
  }
};

/// Elements in memory that are loaded alone, whole vectors at a time.
template <typename Value> struct CufuseInMemory {
  const Value *first;
  template <typename T> __device__ __forceinline__ T at(long long index) const {
    return reinterpret_cast<const T *>(first)[index];
  }
  template <typename T> __device__ __forceinline__ CufuseInMemory moved(long long by) const {
    return {reinterpret_cast<const Value *>(reinterpret_cast<const T *>(first) + by)};
  }
  template <typename> __device__ __forceinline__ CufuseInMemory as() const { return *this; }
};
