/// An element of an array, in a register, in place of a pointer: at every index that the kernel computes, it is this
/// one.
template <typename Element> struct CufuseElement {
  Element *at;
  __device__ __forceinline__ Element &operator[](long long) const { return *at; }
  __device__ __forceinline__ Element &operator*() const { return *at; }
  __device__ __forceinline__ CufuseElement operator+(long long) const { return *this; }
  __device__ __forceinline__ CufuseElement operator-(long long) const { return *this; }
};
