/// `Width` elements in one access where it has at most 16 bytes.
template <typename Element, int Width> struct CufusePack {
  static constexpr int bytes = sizeof(Element) * Width;
  struct alignas(Element) alignas(bytes % 16 == 0 ? 16 : bytes & -bytes) Type {
    Element at[Width];
  };
};
template <int Width, typename Element> __device__ __forceinline__ bool cufuseAligned(const Element *p) {
  return reinterpret_cast<unsigned long long>(p) % alignof(typename CufusePack<Element, Width>::Type) == 0;
}
template <int Width, typename Element> __device__ __forceinline__ void cufuseLoad(Element *to, const Element *from) {
  const auto pack = *reinterpret_cast<const typename CufusePack<Element, Width>::Type *>(from);
#pragma unroll
  for (int k = 0; k < Width; ++k)
    to[k] = pack.at[k];
}
#ifdef CUFUSE_ONCE
/// The same where the kernels say that nobody loads it soon again.
template <int Width, typename Element>
__device__ __forceinline__ void cufuseLoadOnce(Element *to, const Element *from) {
#pragma unroll
  for (int j = 0; j < CufusePack<Element, Width>::bytes / 16; ++j) {
    const uint4 part = ::__ldcs(reinterpret_cast<const uint4 *>(from) + j);
    memcpy(to + j * Width / (CufusePack<Element, Width>::bytes / 16), &part, 16);
  }
}
#endif
template <int Width, typename Element> __device__ __forceinline__ void cufuseStore(const Element *of, Element *to) {
  typename CufusePack<Element, Width>::Type pack;
#pragma unroll
  for (int k = 0; k < Width; ++k)
    pack.at[k] = of[k];
  *reinterpret_cast<typename CufusePack<Element, Width>::Type *>(to) = pack;
}
