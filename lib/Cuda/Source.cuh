/// Where CUFUSE_NODE loads CUFUSE_PARAMETER: the element is computed.
struct CUFUSE_TYPE {
  CUFUSE_FIELDS;
  const CUFUSE_ELEMENT *memory;
  long long elements;
  long long offset = 0;
  template <typename> __device__ __forceinline__ CUFUSE_ELEMENT at(long long index) const {
    const long long element = offset + index;
    if (element < 0 || element >= elements)
      return memory[element];
    CUFUSE_CALLS;
    return CUFUSE_MADE;
  }
  template <typename> __device__ __forceinline__ CUFUSE_TYPE moved(long long by) const {
    CUFUSE_TYPE moved = *this;
    moved.offset += by;
    return moved;
  }
};
