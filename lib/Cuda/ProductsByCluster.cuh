/// E = g(f(A B) D) of few rows, by the tensor cores' products of a warp (PTX ISA, mma.m16n8k16): A has `K` columns, B
/// `N`, D `L`. A cluster of `Blocks` blocks has 16 * `Tiles` rows at a time, and each of them some columns of A B. What
/// f makes of the sums goes through shared memory; times its rows of D it is a part of all of E, which the blocks send
/// each other through distributed shared memory: each adds and stores some columns. `BInRows`: B is stored as K rows of
/// N, else as N rows of K; so D. `C`: the type of the elements of A B.
template <typename T, typename C, int N, int K, int L, bool BInRows, bool DInRows, int Warps, int Tiles, int Blocks>
struct CufuseProducts : CufuseWarpProducts, CufuseLoads, CufuseExchange {
  using Cluster = CufuseClusterProducts<T, N, L, Warps, Tiles, Blocks>;
  static constexpr int Threads = Warps * 32, Rows = 16 * Tiles, Slice = Cluster::Slice;
  static constexpr int AllN = (Slice + 63) / 64 * 64, AllK = (K + 63) / 64 * 64, AllL = (L + 63) / 64 * 64;
  /// 16 columns of A B are a unit. Warps that have the same one have parts of each panel.
  static constexpr int Units = Slice / 16, WarpsN = Units < Warps ? Units : Warps;
  static constexpr int Parts = Warps / WarpsN < 4 ? Warps / WarpsN : 4;
  static constexpr int Own = (Units + WarpsN - 1) / WarpsN, UnitsL = (L + 15) / 16, OwnL = (UnitsL + Warps - 1) / Warps;
  static constexpr int Eights = Cluster::Eights, Each = Cluster::Each;

  /// In shared memory, columns of loaded matrices are in panels of 64, as `cufusePlace` has them. Rows of a panel:
  static constexpr int RowsB = BInRows ? AllK : Slice, RowsD = DInRows ? Slice : AllL;
  static constexpr int BytesA = Rows * AllK * 2, BytesB = RowsB * (BInRows ? AllN : AllK) * 2;
  static constexpr int BytesD = RowsD * (DInRows ? AllL : AllN) * 2, BoxL = AllL <= 256 ? AllL : 64;
  static constexpr int PitchC = Cluster::PitchC, BytesC = Cluster::BytesC, BytesE = Cluster::BytesE;
  static constexpr int BytesParts = Parts > 1 ? Parts * Rows * Slice * 4 : 0;
  /// Of mbarriers: for each panel of A and B, for D, for the parts of E.
  static constexpr int Barriers = AllK / 64 + 2, BytesBarriers = (Barriers + 1) / 2 * 16;
  /// Parts of E may come where A and B were, if there is no room beside them.
  static constexpr int Least = BytesA + BytesB + BytesD + BytesC + BytesParts + BytesBarriers + 1024;
  static constexpr bool Apart = Least + BytesE <= 227 * 1024;
  static constexpr int Bytes = Least + (Apart ? BytesE : 0);
  static_assert(Apart || BytesE <= BytesA + BytesB, "there is room for E");

  template <typename Out, typename Between, typename Behind>
  static __device__ __forceinline__ void run(const CufuseMaps &maps, Out *e, int pitchE, int rows, Between between,
                                             Behind behind) {
    const unsigned sharedA = (cufuseShared(cufuse_dynamicShared) + 1023) / 1024 * 1024, sharedB = sharedA + BytesA;
    const unsigned sharedD = sharedB + BytesB, sharedC = sharedD + BytesD, parts = sharedC + BytesC;
    const unsigned came = parts + BytesParts, sharedE = Apart ? came + BytesBarriers : sharedA;
    const unsigned cameD = came + AllK / 8, cameE = cameD + 8;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, rank = blockIdx.x % Blocks, n = rank * Slice;
    if (threadIdx.x == 0) {
      for (int i = 0; i < Barriers; ++i)
        initialise(came + i * 8, 1);
      asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    const int step = gridDim.x / Blocks * Rows;
    int odd = 0;
    for (int tile = blockIdx.x / Blocks * Rows; tile < rows; tile += step, odd ^= 1) {
      if (Blocks > 1 && Apart)
        arriveAtCluster(tile < step);
      if (threadIdx.x == 0)
        load(maps, sharedA, sharedB, sharedD, came, tile, rank);
      __syncthreads();

      float sums[Own][Tiles][8] = {};
      if (warp < WarpsN * Parts) {
        multiplyA(sums, sharedA, sharedB, warp % WarpsN, warp / WarpsN, came, odd);
#pragma unroll
        for (int i = 0; i < Own; ++i)
#pragma unroll
          for (int j = 0; j < Tiles * 2; ++j)
            if (const int unit = warp % WarpsN + i * WarpsN; unit < Units) {
              const int at = (unit * Tiles * 2 + j) * 32 + lane;
              if (Parts == 1)
                element(at, sums[i][j / 2] + j % 2 * 4, sharedC, tile, n, rows, between);
              else
                Cluster::put(parts + (warp / WarpsN * Units * Tiles * 64 + at) * 16, sums[i][j / 2] + j % 2 * 4);
            }
      }
      if (Parts > 1) {
        __syncthreads();
        for (int i = threadIdx.x; i < Units * Tiles * 64; i += Threads) {
          float all[4] = {};
#pragma unroll
          for (int part = 0; part < Parts; ++part)
            sum(all, parts + (part * Units * Tiles * 64 + i) * 16);
          element(i, all, sharedC, tile, n, rows, between);
        }
      }
      if (Blocks > 1 && !Apart)
        arriveAtCluster(false);
      __syncthreads();

      float sumsE[OwnL][Tiles][8] = {};
      awaitPhase(cameD, odd);
      multiplyC(sumsE, sharedC, sharedD, warp);
      if (Blocks > 1)
        awaitCluster();
#pragma unroll
      for (int i = 0; i < OwnL; ++i)
#pragma unroll
        for (int h = 0; h < 2; ++h)
          if (const int eight = (warp + i * Warps) * 2 + h; eight < Eights)
#pragma unroll
            for (int t = 0; t < Tiles; ++t)
              if (Blocks == 1)
                Cluster::store(e, pitchE, rows, tile + t * 16, eight * 8, sumsE[i][t] + h * 4, behind);
              else
                send(inBlock(sharedE + (((rank * Each + eight % Each) * Tiles + t) * 32 + lane) * 16, eight / Each),
                     inBlock(cameE, eight / Each), sumsE[i][t] + h * 4);
      if (Blocks > 1)
        awaitOthers(cameE, odd); // so no block ends before all of what is sent to it has come
      if (Blocks > 1)
        Cluster::storeParts(e, pitchE, rows, tile, rank, sharedE, behind);
      asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
      __syncthreads();
    }
  }

private:
  /// First what is needed first.
  static __device__ __forceinline__ void load(const CufuseMaps &maps, unsigned sharedA, unsigned sharedB,
                                              unsigned sharedD, unsigned came, int tile, int rank) {
    const int n = rank * Slice;
    for (int k = 0; k < AllK; k += 64, came += 8) {
      expect(came, (BytesA + BytesB) / (AllK / 64));
      boxOfA(sharedA + k * (Rows * 2), maps.a, k, tile, came);
      for (int j = 0; j < (BInRows ? AllN : 64); j += 64)
        box(sharedB + (BInRows ? j * (AllK * 2) + k * 128 : k * (Slice * 2)), maps.b, BInRows ? n + j : k,
            BInRows ? k : n, came);
    }
    expect(came, BytesD);
    for (int l = 0; l < AllL; l += DInRows ? 64 : BoxL)
      for (int j = 0; j < (DInRows ? 64 : AllN); j += 64)
        box(sharedD + (DInRows ? l * (Slice * 2) : j * (AllL * 2) + l * 128), maps.d, DInRows ? l : n + j,
            DInRows ? n : l, came);
    if (Blocks > 1)
      expect(came + 8, max(0, min(Each, Eights - rank * Each)) * (Blocks * Tiles * 512));
  }

  /// What f makes of four sums, as `i` counts them.
  template <typename Between>
  static __device__ __forceinline__ void element(int i, const float *sums, unsigned sharedC, int tile, int n, int rows,
                                                 Between between) {
    const int row = i / 64 % Tiles * 16, in = i / (Tiles * 64) * 16 + i / 32 % 2 * 8;
    Cluster::template element<C>(row, in, sums, sharedC, tile, n, rows, between);
  }

  static __device__ __forceinline__ void multiplyA(float (&sums)[Own][Tiles][8], unsigned a, unsigned b, int first,
                                                   int part, unsigned came, int odd) {
    const int lane = threadIdx.x % 32;
    for (int panel = 0; panel < AllK; panel += 64) {
      awaitPhase(came + panel / 8, odd);
#pragma unroll
      for (int in = 0; in < 64; in += Parts * 16) {
        const int k = panel + in + part * 16;
        if (K % 64 != 0 && k >= K)
          break;
        unsigned operandA[Tiles][4], pair[4];
#pragma unroll
        for (int t = 0; t < Tiles; ++t)
          cufuseLoadMatrices(operandA[t], a + cufusePlace<Rows>(t * 16 + lane % 16, k / 8 + lane / 16));
#pragma unroll
        for (int i = 0; i < Own; ++i)
          if (Units % WarpsN == 0 || first + i * WarpsN < Units) {
            operands<BInRows, RowsB>(pair, b, k, (first + i * WarpsN) * 16);
#pragma unroll
            for (int t = 0; t < Tiles; ++t)
              add(sums[i][t], operandA[t], pair[0], pair[1]), add(sums[i][t] + 4, operandA[t], pair[2], pair[3]);
          }
      }
    }
  }

  static __device__ __forceinline__ void multiplyC(float (&sums)[OwnL][Tiles][8], unsigned c, unsigned d, int first) {
    const int lane = threadIdx.x % 32;
#pragma unroll 4
    for (int k = 0; k < Slice; k += 16) {
      unsigned operandC[Tiles][4], pair[4];
#pragma unroll
      for (int t = 0; t < Tiles; ++t)
        cufuseLoadMatrices(operandC[t], c + (t * 16 + lane % 16) * PitchC + (k + lane / 16 * 8) * 2);
#pragma unroll
      for (int i = 0; i < OwnL; ++i)
        if (UnitsL % Warps == 0 || first + i * Warps < UnitsL) {
          operands<DInRows, RowsD>(pair, d, k, (first + i * Warps) * 16);
#pragma unroll
          for (int t = 0; t < Tiles; ++t)
            add(sums[i][t], operandC[t], pair[0], pair[1]), add(sums[i][t] + 4, operandC[t], pair[2], pair[3]);
        }
    }
  }
};
