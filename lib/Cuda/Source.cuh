/// Where CUFUSE_NODE loads CUFUSE_PARAMETER: the element is computed.
struct CUFUSE_TYPE {
  CUFUSE_FIELDS;
#ifdef CUFUSE_LIVE
  CUFUSE_ELEMENT *memory;
#else
  const CUFUSE_ELEMENT *memory;
#endif
  long long elements;
  long long offset = 0;
  __device__ __forceinline__ CUFUSE_ELEMENT computed(const long long element) const {
    if (element < 0 || element >= elements)
      return memory[element];
    CUFUSE_CALLS;
    return CUFUSE_MADE;
  }
  template <typename> __device__ __forceinline__ CUFUSE_ELEMENT at(long long index) const {
    const long long element = offset + index;
#ifdef CUFUSE_LIVE
    if (element != made->element) // or it is loaded once more
      made->value = computed(element);
    made->element = element; // whatever it was: the compiler sees that the next load finds it
    return made->value;
#else
    return computed(element);
#endif
  }
  template <typename> __device__ __forceinline__ CUFUSE_TYPE moved(long long by) const {
    CUFUSE_TYPE moved = *this;
    moved.offset += by;
    return moved;
  }
};
