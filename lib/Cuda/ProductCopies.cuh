/// Copies of matrices to shared memory, in pieces of 8 elements (PTX ISA, cp.async).
struct CufuseCopies {
  /// `All` rows of `Pieces`: zeros behind `rows` and `columns`. Thread `first` of `step` has its part of them.
  template <int All, int Pieces, typename T>
  static __device__ __forceinline__ void copy(unsigned to, const T *from, int pitch, int rows, int columns, int first,
                                              int step) {
#pragma unroll 4
    for (int i = first; i < All * Pieces; i += step) {
      const int row = i / Pieces, piece = i % Pieces, bytes = row < rows && piece * 8 < columns ? 16 : 0;
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to + cufusePlace<All>(row, piece)),
                   "l"(bytes ? from + 1ll * row * pitch + piece * 8 : from), "r"(bytes)
                   : "memory");
    }
  }
};
