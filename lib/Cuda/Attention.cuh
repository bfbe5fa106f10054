/// E = g(S D) by the tensor cores' products of a warp (PTX ISA, mma.m16n8k16), where each row of S is the softmax of
/// one of f(A B), which is never in memory: `CufuseSoftmax` takes `Keys` columns at a time. A has `K` columns, B `N`, D
/// `L`; `Each` rows of A share a B and a D, which follow each other; 0: all do. Each warp has 16 * Tiles rows, `Warps`
/// of them a block. `BInRows`: B is stored as K rows of N, else as N rows of K; so D. `C`: the type of the elements of
/// A B.
template <typename T, typename C, int N, int K, int L, bool BInRows, bool DInRows, int Warps, int Tiles, int Keys,
          int Each>
struct CufuseProducts : CufuseWarpProducts, CufuseCopies, CufuseMasks {
  static constexpr int Threads = Warps * 32, Own = 16 * Tiles, Rows = Warps * Own;
  static constexpr int AllK = (K + 63) / 64 * 64, AllL = (L + 63) / 64 * 64;
  /// Columns of A B whose part of B and D is loaded at a time, while those before are in work. Rows in shared memory,
  /// where columns are in panels of 64:
  static constexpr int Stage = 64, RowsB = BInRows ? AllK : Stage, RowsD = DInRows ? Stage : AllL;
  static constexpr int BytesA = Rows * AllK * 2, BytesB = RowsB * (BInRows ? Stage : AllK) * 2;
  static constexpr int BytesD = RowsD * (DInRows ? AllL : Stage) * 2, Bytes = BytesA + 2 * (BytesB + BytesD);
  /// Whether all of a warp's A is in registers.
  static constexpr bool Keeps = Tiles * AllK <= 128;

  template <typename Out, typename Between, typename Behind, typename Masked = CufuseNoMask>
  static __device__ __forceinline__ void run(const T *a, int pitchA, const T *b, int pitchB, const T *d, int pitchD,
                                             Out *e, int pitchE, int rows, Between between, Behind behind,
                                             Masked masked = {}) {
    const unsigned sharedA = cufuseShared(cufuse_dynamicShared);
    CufuseTiles<Rows, Each, Masked>(rows).forEach([&](int group, int first, int last) {
      const T *const ownB = b + 1ll * group * (BInRows ? K : N) * pitchB;
      const T *const ownD = d + 1ll * group * (DInRows ? N : L) * pitchD;
      const auto fetch = [&](int n, unsigned toB) {
        copy<RowsB, (BInRows ? Stage : AllK) / 8>(toB, ownB + (BInRows ? n : 1ll * n * pitchB), pitchB,
                                                  BInRows ? K : N - n, BInRows ? N - n : K, threadIdx.x, Threads);
        copy<RowsD, (DInRows ? AllL : Stage) / 8>(toB + BytesB, ownD + (DInRows ? 1ll * n * pitchD : n), pitchD,
                                                  DInRows ? N - n : L, DInRows ? L : N - n, threadIdx.x, Threads);
      };
      copy<Rows, AllK / 8>(sharedA, a + 1ll * first * pitchA, pitchA, last + 1 - first, K, threadIdx.x, Threads);
      multiply(sharedA, e, pitchE, CufuseColumns<N, Stage, Masked>{masked, first, last}, fetch, between, behind);
      __syncthreads();
    });
  }

private:
  template <typename Out, typename Masked, typename Fetch, typename Between, typename Behind>
  static __device__ __forceinline__ void multiply(unsigned sharedA, Out *e, int pitchE,
                                                  CufuseColumns<N, Stage, Masked> columns, Fetch fetch, Between between,
                                                  Behind behind) {
    const int now = columns.first + static_cast<int>(threadIdx.x) / 32 * Own, end = columns.last + 1;
    float sumsE[Tiles][AllL / 2] = {};
    unsigned operandA[Tiles][Keeps ? AllK / 16 : 1][4];
    CufuseSoftmax<C, N> softmax[Tiles];
    const auto slot = [&](int turn) { return sharedA + BytesA + turn % 2 * (BytesB + BytesD); };
    int n = columns.begin();
    fetch(n, slot(0));
#pragma unroll 1
    for (int next, turn = 0; n < N; n = next, ++turn) {
      const bool shown = columns.hidden == CufuseHolds::Nowhere;
      next = columns.from(n + Stage);
      asm volatile("cp.async.wait_all;" ::: "memory");
      __syncthreads();
      if (next < N)
        fetch(next, slot(turn + 1));
      if (Keeps && turn == 0)
#pragma unroll
        for (int k = 0; k < (K + 15) / 16; ++k)
          rowsOf(operandA, sharedA, k, k);
      const unsigned sharedB = slot(turn), sharedD = sharedB + BytesB;
#pragma unroll
      for (int m = 0; m < Stage && (N % Stage == 0 || n + m < N); m += Keys) {
        float sums[Tiles][Keys / 2] = {}, by[2];
        unsigned pair[4], operand[Tiles][Keys / 16][4];
#pragma unroll
        for (int k = 0; k < (K + 15) / 16; ++k) {
          if (!Keeps)
            rowsOf(operandA, sharedA, k, 0);
#pragma unroll
          for (int j = 0; j < Keys / 16; ++j) {
            operands<BInRows, RowsB>(pair, sharedB, k * 16, m + j * 16);
#pragma unroll
            for (int i = 0; i < Tiles; ++i)
              add(sums[i] + j * 8, operandA[i][Keeps ? k : 0], pair[0], pair[1]),
                  add(sums[i] + j * 8 + 4, operandA[i][Keeps ? k : 0], pair[2], pair[3]);
          }
        }
#pragma unroll
        for (int i = 0; i < Tiles; ++i) {
          const CufuseSums<N> place(now + i * 16, end);
          if (shown)
            softmax[i].take(sums[i], by, place, n + m, CufuseShown<N, Between, Masked>{between, columns.masked});
          else
            softmax[i].take(sums[i], by, place, n + m, between);
          softmax[i].follow(sumsE[i], by);
          cufuseOperands<T>(operand[i], sums[i]);
        }
#pragma unroll
        for (int j = 0; j < Keys / 16; ++j)
#pragma unroll
          for (int l = 0; l < AllL; l += 16) {
            operands<DInRows, RowsD>(pair, sharedD, m + j * 16, l);
#pragma unroll
            for (int i = 0; i < Tiles; ++i)
              add(sumsE[i] + l / 2, operand[i][j], pair[0], pair[1]),
                  add(sumsE[i] + l / 2 + 4, operand[i][j], pair[2], pair[3]);
          }
      }
    }
#pragma unroll
    for (int i = 0; i < Tiles; ++i) {
      const CufuseSums<L> place(now + i * 16, end);
      softmax[i].end(sumsE[i]);
#pragma unroll
      for (int l = 0; l < L; l += 32)
        place.store(e, pitchE, end, sumsE[i] + l / 2, l, behind);
    }
  }

  /// 16 columns of A of all rows of the warp.
  template <int Count>
  static __device__ __forceinline__ void rowsOf(unsigned (&operand)[Tiles][Count][4], unsigned sharedA, int k, int to) {
    const int lane = threadIdx.x % 32, row = threadIdx.x / 32 * Own + lane % 16;
#pragma unroll
    for (int i = 0; i < Tiles; ++i)
      cufuseLoadMatrices(operand[i][to], sharedA + cufusePlace<Rows>(row + i * 16, k * 2 + lane / 16));
  }
};
