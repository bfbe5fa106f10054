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
  template <typename> __device__ __forceinline__ CUFUSE_ELEMENT at(long long index) const {
    const long long element = offset + index;
    if (element < 0 || element >= elements)
      return memory[element];
#ifdef CUFUSE_LIVE
    if (element == made->element) // loaded once more
      return made->value;
#endif
    CUFUSE_CALLS;
#ifdef CUFUSE_LIVE
    *made = {CUFUSE_MADE, element};
#endif
    return CUFUSE_MADE;
  }
  template <typename> __device__ __forceinline__ CUFUSE_TYPE moved(long long by) const {
    CUFUSE_TYPE moved = *this;
    moved.offset += by;
    return moved;
  }
};
