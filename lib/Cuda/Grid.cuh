/// The grid of a kernel, and what finds a block's place in it without dividing: floor(n / d) is
/// 2 n * multiplier >> 32 + shift for n < 2^31 (Granlund and Montgomery, Division by Invariant Integers, PLDI 1994).
struct CufuseGrid {
  dim3 size;
  unsigned blocks;
  struct Divisor {
    unsigned multiplier, shift;
    __device__ __forceinline__ unsigned divide(unsigned n) const {
      return static_cast<unsigned>((static_cast<unsigned long long>(2 * n) * multiplier) >> 32) >> shift;
    }
  } x, y;
  __device__ __forceinline__ uint3 inPlane(unsigned block) const {
    const unsigned row = x.divide(block);
    return uint3{block - row * size.x, row, 0};
  }
  __device__ __forceinline__ uint3 inSpace(unsigned block) const {
    const unsigned row = x.divide(block), plane = y.divide(row);
    return uint3{block - row * size.x, row - plane * size.y, plane};
  }
};
