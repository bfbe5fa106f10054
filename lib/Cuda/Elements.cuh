/// An element of an array, in a register: at every index that the kernel computes, it is this one.
template <typename Value> struct CufuseElement {
  Value *element;
  template <typename> __device__ __forceinline__ Value &at(long long) const { return *element; }
  template <typename> __device__ __forceinline__ CufuseElement moved(long long) const { return *this; }
};
