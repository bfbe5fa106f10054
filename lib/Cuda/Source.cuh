#ifdef CUFUSE_TILED
/// Where CUFUSE_NODE loads CUFUSE_PARAMETER: its block has computed the element.
#else
/// Where CUFUSE_NODE loads CUFUSE_PARAMETER: the element is computed.
#endif
struct CUFUSE_TYPE {
#ifdef CUFUSE_MADE_ONCE
  CUFUSE_MAKER *maker;
#else
  CUFUSE_FIELDS;
#endif
  const CUFUSE_ELEMENT *memory;
#ifdef CUFUSE_TILED
  CUFUSE_TILE tile;
#else
#ifndef CUFUSE_MADE_ONCE
  long long elements;
#endif
#endif
  long long offset = 0;
#ifndef CUFUSE_MADE_ONCE
#ifdef CUFUSE_TILED
  __device__ __forceinline__ CUFUSE_ELEMENT made(const unsigned x, const unsigned y) const {
    [[maybe_unused]] const long long element = static_cast<long long>(y) * tile.width + x;
#else
  __device__ __forceinline__ CUFUSE_ELEMENT computed(const long long element) const {
    if (element < 0 || element >= elements)
      return memory[element];
#endif
    CUFUSE_CALLS;
    return CUFUSE_MADE;
  }
#endif
#ifdef CUFUSE_WIDE
  /// Several elements in one.
  template <typename T> static constexpr long long wide = sizeof(T) / sizeof(CUFUSE_ELEMENT);
  template <typename T> __device__ __forceinline__ typename CufuseTarget<T>::Type at(long long index) const {
    CUFUSE_ELEMENT parts[wide<T>];
#pragma unroll
    for (int k = 0; k < static_cast<int>(wide<T>); ++k)
      parts[k] = computed(offset + index * wide<T> + k);
    typename CufuseTarget<T>::Type value;
    memcpy(&value, parts, sizeof(value));
    return value;
  }
  template <typename> __device__ __forceinline__ CUFUSE_TYPE as() const { return *this; }
#else
  template <typename> static constexpr long long wide = 1;
  template <typename> __device__ __forceinline__ CUFUSE_ELEMENT at(long long index) const {
    const long long element = offset + index;
#ifdef CUFUSE_MADE_ONCE
#ifdef CUFUSE_LOADED_AGAIN
    if (element != maker->last) {
      if (element < 0 || element >= maker->elements)
        maker->CUFUSE_MADE = memory[element];
      else
        maker->make(element);
    }
    maker->last = element; // whatever it was: the compiler sees that the next load finds it
#else
    if (element < 0 || element >= maker->elements)
      return memory[element];
    maker->make(element);
#endif
    return maker->CUFUSE_MADE;
#else
#ifdef CUFUSE_TILED
    return tile.at(element);
#else
    return computed(element);
#endif
#endif
  }
#endif
  template <typename T> __device__ __forceinline__ CUFUSE_TYPE moved(long long by) const {
    CUFUSE_TYPE moved = *this;
    moved.offset += by * wide<T>;
    return moved;
  }
};
