/// E = g(S D) by the tensor cores' products of a warp (PTX ISA, mma.m16n8k16), where each row of S is the softmax of
/// one of f(A B), which is never in memory: of `Keys` columns at a time, what is added is multiplied by exp(m - m')
/// when the largest so far, m, becomes m', and divided by the sum at the end (Milakov and Gimelshein, arXiv 1805.02867;
/// Dao et al., arXiv 2205.14135). A has `K` columns, B `N`, D `L`; `Each` rows of A share a B and a D, which follow
/// each other; 0: all do. Each warp has 16 * Tiles rows, `Warps` of them a block. `BInRows`: B is stored as K rows of
/// N, else as N rows of K; so D. `C`: the type of the elements of A B.
template <typename T, typename C, int N, int K, int L, bool BInRows, bool DInRows, int Warps, int Tiles, int Keys,
          int Each>
struct CufuseProducts : CufuseWarpProducts, CufuseCopies {
  static constexpr int Threads = Warps * 32, Own = 16 * Tiles, Rows = Warps * Own;
  static constexpr int AllK = (K + 63) / 64 * 64, AllL = (L + 63) / 64 * 64;
  /// Columns of A B whose part of B and D is loaded at a time, while those before are in work. Rows in shared memory,
  /// where columns are in panels of 64:
  static constexpr int Stage = 64, RowsB = BInRows ? AllK : Stage, RowsD = DInRows ? Stage : AllL;
  static constexpr int BytesA = Rows * AllK * 2, BytesB = RowsB * (BInRows ? Stage : AllK) * 2;
  static constexpr int BytesD = RowsD * (DInRows ? AllL : Stage) * 2, Bytes = BytesA + 2 * (BytesB + BytesD);
  /// Whether all of a warp's A is in registers.
  static constexpr bool Keeps = Tiles * AllK <= 128;
  static constexpr float Infinity = __builtin_huge_valf();

  template <typename Out, typename Between, typename Behind>
  static __device__ __forceinline__ void run(const T *a, int pitchA, const T *b, int pitchB, const T *d, int pitchD,
                                             Out *e, int pitchE, int rows, Between between, Behind behind) {
    const int each = Each > 0 ? Each : rows, tilesOfEach = (each + Rows - 1) / Rows;
    const unsigned sharedA = cufuseShared(cufuse_dynamicShared);
    for (int tile = blockIdx.x; tile < rows / each * tilesOfEach; tile += gridDim.x) {
      const int group = tile / tilesOfEach, end = (group + 1) * each, begin = group * each + tile % tilesOfEach * Rows;
      const T *const ownB = b + 1ll * group * (BInRows ? K : N) * pitchB;
      const T *const ownD = d + 1ll * group * (DInRows ? N : L) * pitchD;
      const auto fetch = [&](int n) {
        const unsigned toB = sharedA + BytesA + n / Stage % 2 * (BytesB + BytesD);
        copy<RowsB, (BInRows ? Stage : AllK) / 8>(toB, ownB + (BInRows ? n : 1ll * n * pitchB), pitchB,
                                                  BInRows ? K : N - n, BInRows ? N - n : K, threadIdx.x, Threads);
        copy<RowsD, (DInRows ? AllL : Stage) / 8>(toB + BytesB, ownD + (DInRows ? 1ll * n * pitchD : n), pitchD,
                                                  DInRows ? N - n : L, DInRows ? L : N - n, threadIdx.x, Threads);
      };
      copy<Rows, AllK / 8>(sharedA, a + 1ll * begin * pitchA, pitchA, end - begin, K, threadIdx.x, Threads);
      fetch(0);
      multiply(sharedA, e, pitchE, begin + static_cast<int>(threadIdx.x) / 32 * Own, end, fetch, between, behind);
      __syncthreads();
    }
  }

private:
  /// Of a warp: 2 rows of each 16 are a thread's, and of 3 other threads.
  struct Statistics {
    float most[Tiles][2], sum[Tiles][2];
  };

  template <typename Out, typename Fetch, typename Between, typename Behind>
  static __device__ __forceinline__ void multiply(unsigned sharedA, Out *e, int pitchE, int now, int end, Fetch fetch,
                                                  Between between, Behind behind) {
    float sumsE[Tiles][AllL / 2] = {};
    unsigned operandA[Tiles][Keeps ? AllK / 16 : 1][4];
    Statistics all;
#pragma unroll
    for (int i = 0; i < Tiles; ++i)
      all.most[i][0] = all.most[i][1] = -Infinity, all.sum[i][0] = all.sum[i][1] = 0;
#pragma unroll 1
    for (int n = 0; n < N; n += Stage) {
      asm volatile("cp.async.wait_all;" ::: "memory");
      __syncthreads();
      if (n + Stage < N)
        fetch(n + Stage);
      if (Keeps && n == 0)
#pragma unroll
        for (int k = 0; k < (K + 15) / 16; ++k)
          rowsOf(operandA, sharedA, k, k);
      const unsigned sharedB = sharedA + BytesA + n / Stage % 2 * (BytesB + BytesD), sharedD = sharedB + BytesB;
#pragma unroll
      for (int m = 0; m < Stage; m += Keys) {
        float sums[Tiles][Keys / 16][8] = {};
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
              add(sums[i][j], operandA[i][Keeps ? k : 0], pair[0], pair[1]),
                  add(sums[i][j] + 4, operandA[i][Keeps ? k : 0], pair[2], pair[3]);
          }
        }
#pragma unroll
        for (int i = 0; i < Tiles; ++i)
          softmax(operand[i], sums[i], sumsE[i], all.most[i], all.sum[i], now + i * 16, end, n + m, between);
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
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        const float sum = ofRow(all.sum[i][h], [](float x, float y) { return x + y; });
#pragma unroll
        for (int l = 0; l < AllL / 2; l += 4)
          sumsE[i][l + h * 2] /= sum, sumsE[i][l + h * 2 + 1] /= sum;
      }
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

  /// From sums of 16 rows to what they are multiplied with, by the largest of a row so far.
  template <typename Between>
  static __device__ __forceinline__ void softmax(unsigned (&operand)[Keys / 16][4], float (&sums)[Keys / 16][8],
                                                 float (&sumsE)[AllL / 2], float (&most)[2], float (&sum)[2], int now,
                                                 int end, int n, Between between) {
    const CufuseSums<N> place(now, end);
    constexpr float Log2OfE = 1.44269504f;
    float largest[2] = {most[0], most[1]}, by[2], shift[2];
#pragma unroll
    for (int j = 0; j < Keys / 16; ++j) {
      C rounded[8];
      cufuseRounded(rounded, sums[j]);
#pragma unroll
      for (int i = 0; i < 8; ++i) {
        const int at = n + j * 16 + i / 4 * 8 + place.column + i % 2, h = i / 2 % 2;
        sums[j][i] = N % Stage == 0 || at < N
                         ? static_cast<float>(between((h ? place.second : place.first) + at, rounded[i]))
                         : -Infinity;
        largest[h] = fmaxf(largest[h], sums[j][i]);
      }
    }
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      largest[h] = ofRow(largest[h], [](float x, float y) { return fmaxf(x, y); });
      shift[h] = largest[h] == -Infinity ? 0 : largest[h]; // so far, exp(x) is 0 for all
      by[h] = powerOf2((most[h] - shift[h]) * Log2OfE);
      most[h] = largest[h];
      sum[h] *= by[h];
    }
    if (__any_sync(0xffffffff, by[0] != 1 || by[1] != 1))
#pragma unroll
      for (int l = 0; l < AllL / 2; ++l)
        sumsE[l] *= by[l / 2 % 2];
#pragma unroll
    for (int j = 0; j < Keys / 16; ++j)
#pragma unroll
      for (int i = 0; i < 8; i += 2) {
        const float x = powerOf2((sums[j][i] - shift[i / 2 % 2]) * Log2OfE);
        const float y = powerOf2((sums[j][i + 1] - shift[i / 2 % 2]) * Log2OfE);
        sum[i / 2 % 2] += x + y;
        const auto rounded = CUFUSE_PAIR(x, y);
        operand[j][i / 2] = cufusePair(T(rounded.x), T(rounded.y));
      }
  }

  /// Of the four threads that have a row.
  template <typename Operation> static __device__ __forceinline__ float ofRow(float value, Operation operation) {
    value = operation(value, __shfl_xor_sync(0xffffffff, value, 1));
    return operation(value, __shfl_xor_sync(0xffffffff, value, 2));
  }
  static __device__ __forceinline__ float powerOf2(float x) {
    float power;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(x));
    return power;
  }
};
