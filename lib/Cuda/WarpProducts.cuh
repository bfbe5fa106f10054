/// Products of a warp by the tensor cores (PTX ISA, mma.m16n8k16).
struct CufuseWarpProducts {
  /// 16 x 16 of B or D, from row `k` and column `n` on, as operands for twice 8 columns.
  template <bool InRows, int All>
  static __device__ __forceinline__ void operands(unsigned (&pair)[4], unsigned shared, int k, int n) {
    const int lane = threadIdx.x % 32, inner = lane % 8, lower = lane / 8 % 2, upper = lane / 16;
    if constexpr (InRows)
      asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                   : "=r"(pair[0]), "=r"(pair[1]), "=r"(pair[2]), "=r"(pair[3])
                   : "r"(shared + cufusePlace<All>(k + lower * 8 + inner, n / 8 + upper))
                   : "memory");
    else
      cufuseLoadMatrices(pair, shared + cufusePlace<All>(n + upper * 8 + inner, k / 8 + lower));
  }

  static __device__ __forceinline__ void add(float *sums, const unsigned (&a)[4], unsigned low, unsigned high) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.CUFUSE_TYPE.CUFUSE_TYPE.f32 {%0, %1, %2, %3}, "
                 "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(low), "r"(high));
  }
};
