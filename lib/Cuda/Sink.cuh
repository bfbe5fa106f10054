/// Where CUFUSE_NODE stores CUFUSE_PARAMETER: an element goes CUFUSE_WHERE.
struct CUFUSE_TYPE {
  CUFUSE_FIELDS;
  long long offset = 0;
  using CufuseValue = CUFUSE_ELEMENT;
  struct CufusePlace {
    const CUFUSE_TYPE &to;
    const long long index;
    __device__ __forceinline__ CUFUSE_ELEMENT operator=(const CUFUSE_ELEMENT value) const {
      CUFUSE_CALLS;
      return value;
    }
    /// What else a class assigns by an operator of its own, as a half a float.
    template <typename Value, typename Type = CUFUSE_ELEMENT,
              typename = decltype(static_cast<Type &(Type::*)(Value)>(&Type::operator=))>
    __device__ __forceinline__ CUFUSE_ELEMENT operator=(const Value value) const {
      Type element;
      element = value;
      return *this = element;
    }
  };
  __device__ __forceinline__ CufusePlace operator[](long long index) const { return {*this, offset + index}; }
  __device__ __forceinline__ CufusePlace operator*() const { return {*this, offset}; }
  __device__ __forceinline__ CUFUSE_TYPE operator+(long long by) const {
    CUFUSE_TYPE moved = *this;
    moved.offset += by;
    return moved;
  }
  __device__ __forceinline__ CUFUSE_TYPE operator-(long long by) const { return *this + -by; }
};
