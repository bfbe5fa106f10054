/// Where CUFUSE_NODE loads CUFUSE_PARAMETER: the element is computed.
struct CUFUSE_TYPE {
  CUFUSE_FIELDS;
  const CUFUSE_ELEMENT *memory;
  long long elements;
  long long offset = 0;
  using CufuseValue = CUFUSE_ELEMENT const; // as what the pointer leads to
  __device__ __forceinline__ CufuseValue operator[](long long index) const {
    const long long element = offset + index;
    if (element < 0 || element >= elements)
      return memory[element];
    CUFUSE_CALLS;
    return CUFUSE_MADE;
  }
  __device__ __forceinline__ CufuseValue operator*() const { return (*this)[0]; }
  __device__ __forceinline__ CUFUSE_TYPE operator+(long long by) const {
    CUFUSE_TYPE moved = *this;
    moved.offset += by;
    return moved;
  }
  __device__ __forceinline__ CUFUSE_TYPE operator-(long long by) const { return *this + -by; }
};
