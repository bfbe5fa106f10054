/// E = g(f(A B) D) by the tensor cores' products of a warp (PTX ISA, mma.m16n8k16): A has `K` columns, B `N`, D `L`.
/// Each warp has 16 * Tiles rows at a time. B and D stay in shared memory, and what f makes of the sums of A B is, in
/// registers, the operand of the product with D. `BInRows`: B is stored as K rows of N, else as N rows of K; so D. `C`:
/// the type of the elements of A B.
template <typename T, typename C, int N, int K, int L, bool BInRows, bool DInRows, int Warps, int Tiles>
struct CufuseProducts : CufuseWarpProducts, CufuseCopies {
  static constexpr int Threads = Warps * 32, AllN = (N + 63) / 64 * 64, AllK = (K + 63) / 64 * 64;
  static constexpr int AllL = (L + 63) / 64 * 64, Rows = 16 * Tiles;
  static constexpr int BytesB = AllN * AllK * 2, BytesD = AllN * AllL * 2, BytesA = Rows * AllK * 2;
  static constexpr int Bytes = BytesB + BytesD + Warps * BytesA;
  /// Rows of them in shared memory, which is not transposed.
  static constexpr int RowsB = BInRows ? AllK : AllN, RowsD = DInRows ? AllN : AllL;

  template <typename Out, typename Between, typename Behind>
  static __device__ __forceinline__ void run(const T *a, int pitchA, const T *b, int pitchB, const T *d, int pitchD,
                                             Out *e, int pitchE, int rows, Between between, Behind behind) {
    const unsigned sharedB = cufuseShared(cufuse_dynamicShared), sharedD = sharedB + BytesB;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const unsigned own = sharedD + BytesD + warp * BytesA;
    copy<RowsB, (BInRows ? AllN : AllK) / 8>(sharedB, b, pitchB, BInRows ? K : N, BInRows ? N : K, threadIdx.x,
                                             Threads);
    copy<RowsD, (DInRows ? AllL : AllN) / 8>(sharedD, d, pitchD, DInRows ? N : L, DInRows ? L : N, threadIdx.x,
                                             Threads);
    const int tiles = (rows + Rows - 1) / Rows;
    const auto fetch = [&](int tile) {
      copy<Rows, AllK / 8>(own, a + 1ll * tile * Rows * pitchA, pitchA, rows - tile * Rows, K, lane, 32);
      asm volatile("cp.async.commit_group;" ::: "memory");
    };
    int tile = blockIdx.x * Warps + warp;
    if (tile < tiles)
      fetch(tile);
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    while (tile < tiles) {
      unsigned operandA[Tiles][AllK / 16][4];
#pragma unroll
      for (int i = 0; i < Tiles; ++i)
#pragma unroll
        for (int k = 0; k < (K + 15) / 16; ++k)
          cufuseLoadMatrices(operandA[i][k], own + cufusePlace<Rows>(i * 16 + lane % 16, k * 2 + lane / 16));
      __syncwarp();
      const int now = tile * Rows;
      tile += gridDim.x * Warps;
      if (tile < tiles)
        fetch(tile);
      multiply(operandA, sharedB, sharedD, e, pitchE, rows, now, between, behind);
      asm volatile("cp.async.wait_all;" ::: "memory");
      __syncwarp();
    }
  }

private:
  template <typename Out, typename Between, typename Behind>
  static __device__ __forceinline__ void multiply(const unsigned (&a)[Tiles][AllK / 16][4], unsigned sharedB,
                                                  unsigned sharedD, Out *e, int pitchE, int rows, int now,
                                                  Between between, Behind behind) {
    float sumsE[Tiles][AllL / 2] = {};
#pragma unroll 1
    for (int n = 0; n < (N + 15) / 16 * 16; n += 16) {
      float sums[Tiles][8] = {};
      unsigned pair[4];
#pragma unroll
      for (int k = 0; k < (K + 15) / 16; ++k) {
        operands<BInRows, RowsB>(pair, sharedB, k * 16, n);
#pragma unroll
        for (int i = 0; i < Tiles; ++i)
          add(sums[i], a[i][k], pair[0], pair[1]), add(sums[i] + 4, a[i][k], pair[2], pair[3]);
      }
      unsigned operand[Tiles][4];
#pragma unroll
      for (int i = 0; i < Tiles; ++i) {
        C rounded[8];
        cufuseRounded(rounded, sums[i]);
        CufuseSums<N>(now + i * 16, rows).template between<T>(operand[i], rounded, n, between);
      }
#pragma unroll
      for (int l = 0; l < AllL; l += 16) {
        operands<DInRows, RowsD>(pair, sharedD, n, l);
#pragma unroll
        for (int i = 0; i < Tiles; ++i)
          add(sumsE[i] + l / 2, operand[i], pair[0], pair[1]), add(sumsE[i] + l / 2 + 4, operand[i], pair[2], pair[3]);
      }
    }
#pragma unroll
    for (int i = 0; i < Tiles; ++i)
#pragma unroll
      for (int l = 0; l < L; l += 32)
        CufuseSums<L>(now + i * 16, rows).store(e, pitchE, rows, sumsE[i] + l / 2, l, behind);
  }
};
