/// What a block of X x Y threads loads of a kernel of two dimensions, computed once: an element for each thread, so
/// many Beside these on both sides, and Above and below.
template <typename T, int X, int Y, int Beside, int Above> struct CufuseTile {
  static constexpr int wide = X + 2 * Beside, size = wide * (Y + 2 * Above);
  T *values;
  int left, top; // where it begins; may be before the first element
  int width;     // of all rows
  template <typename Of> __device__ __forceinline__ void fill(const Of of, int height) const {
#pragma unroll
    for (unsigned turn = 0; turn < (size + X * Y - 1) / (X * Y); ++turn) {
      const unsigned i = threadIdx.y * X + threadIdx.x + turn * (X * Y);
      const int x = left + static_cast<int>(i % wide), y = top + static_cast<int>(i / wide);
      if (i < size && x >= 0 && x < width && y >= 0 && y < height)
        values[i] = of.made(x, y);
    }
  }
  /// The element, which is near the thread's own: its row follows by comparison with those that may be it.
  __device__ __forceinline__ T at(const unsigned element) const {
    const int behind = element - (top + threadIdx.y) * width;
    int place = behind - left + static_cast<int>(threadIdx.y * wide);
#pragma unroll
    for (int row = 1; row <= 2 * Above; ++row)
      if (behind >= row * width)
        place += wide - width;
    return values[place];
  }
};
