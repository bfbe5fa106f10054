/// As ProductsByCluster.cuh has it, for weights of which a thread has its own elements in registers: it loads them from
/// memory as the tensor cores take them, all at once. 32 inner columns are a chunk: a thread has 8 neighbours of each
/// row, for two products of 16, so that both factors have their inner columns in an order of their own. Warps have
/// parts of the chunks of A B, and some of its columns. B is stored as N rows of K, D as L rows of N.
template <typename T, typename C, int N, int K, int L, bool BInRows, bool DInRows, int Warps, int Tiles, int Blocks>
struct CufuseProducts : CufuseWarpProducts, CufuseMbarriers, CufuseExchange {
  static_assert(!BInRows && !DInRows && Warps == 8, "weights are stored with their inner columns next to each other");
  using Cluster = CufuseClusterProducts<T, N, L, Warps, Tiles, Blocks>;
  static constexpr int Threads = Warps * 32, Rows = 16 * Tiles, Slice = Cluster::Slice, ChunksA = (K + 31) / 32;
  static constexpr int Eights = Cluster::Eights, Each = Cluster::Each, EightsC = Slice / 8, ChunksC = (Slice + 31) / 32;
  static constexpr int Parts = ChunksA < 2 ? 1 : ChunksA < 4 ? 2 : ChunksA < 8 || Slice > 32 ? 4 : 8;
  static constexpr int OwnA = (ChunksA + Parts - 1) / Parts, WarpsC = Warps / Parts;
  static constexpr int OwnC = (EightsC + WarpsC - 1) / WarpsC, OwnE = (Eights + Warps - 1) / Warps;
  static constexpr int PitchC = Cluster::PitchC, BytesC = Cluster::BytesC, BytesE = Cluster::BytesE;
  static constexpr int BytesParts = Parts > 1 ? Parts * Rows * Slice * 4 : 0, Bytes = BytesC + BytesParts + BytesE + 16;

  template <typename Out, typename Between, typename Behind>
  static __device__ __forceinline__ void run(const T *a, int pitchA, const T *b, int pitchB, const T *d, int pitchD,
                                             Out *e, int pitchE, int rows, Between between, Behind behind) {
    const unsigned sharedC = cufuseShared(cufuse_dynamicShared), parts = sharedC + BytesC;
    const unsigned sharedE = parts + BytesParts, cameE = sharedE + BytesE;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, rank = blockIdx.x % Blocks, n = rank * Slice;
    const int part = warp / WarpsC, group = lane / 4, inner = lane % 4 * 8;
    const int step = gridDim.x / Blocks * Rows;
    int odd = 0;
    for (int tile = blockIdx.x / Blocks * Rows; tile < rows; tile += step, odd ^= 1) {
      uint4 ofA[OwnA][Tiles][2], ofB[OwnA][OwnC], ofD[ChunksC][OwnE];
#pragma unroll
      for (int i = 0; i < OwnA; ++i) {
        const int k = (part * OwnA + i) * 32 + inner;
        const bool there = K % (Parts * 32) == 0 || k < K;
#pragma unroll
        for (int j = 0; j < OwnC; ++j) {
          const int in = (warp % WarpsC + j * WarpsC) * 8 + group;
          ofB[i][j] = loaded(b + 1ll * (n + in) * pitchB + k, there && isOfC(n, in, EightsC % WarpsC != 0));
        }
#pragma unroll
        for (int t = 0; t < Tiles * 2; ++t) {
          const int row = tile + t * 8 + group;
          ofA[i][t / 2][t % 2] = loaded(a + 1ll * row * pitchA + k, there && row < rows);
        }
      }
#pragma unroll
      for (int i = 0; i < ChunksC; ++i)
#pragma unroll
        for (int j = 0; j < OwnE; ++j) {
          const int l = (warp + j * Warps) * 8 + group, in = i * 32 + inner;
          ofD[i][j] =
              loaded(d + 1ll * l * pitchD + n + in, (Eights % Warps == 0 || l < L) && isOfC(n, in, Slice % 32 != 0));
        }
      if (Blocks > 1 && threadIdx.x == 0 && tile < step) { // while they are under way
        initialise(cameE, 1);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
      }
      __syncwarp();
      if (Blocks > 1)
        arriveAtCluster(tile < step);
      if (Blocks > 1 && threadIdx.x == 0)
        expect(cameE, max(0, min(Each, Eights - rank * Each)) * (Blocks * Tiles * 512));

      float sums[OwnC][Tiles][4] = {};
#pragma unroll
      for (int i = 0; i < OwnA; ++i)
#pragma unroll
        for (int j = 0; j < OwnC; ++j)
#pragma unroll
          for (int t = 0; t < Tiles; ++t)
            multiply(sums[j][t], ofA[i][t][0], ofA[i][t][1], ofB[i][j]);
#pragma unroll
      for (int j = 0; j < OwnC; ++j)
#pragma unroll
        for (int t = 0; t < Tiles; ++t)
          if (const int eight = warp % WarpsC + j * WarpsC; eight < EightsC) {
            if (Parts == 1)
              Cluster::template element<C>(t * 16, eight * 8, sums[j][t], sharedC, tile, n, rows, between);
            else
              Cluster::put(parts + (((part * EightsC + eight) * Tiles + t) * 32 + lane) * 16, sums[j][t]);
          }
      if (Parts > 1) {
        __syncthreads();
        for (int i = threadIdx.x; i < EightsC * Tiles * 32; i += Threads) {
          float all[4] = {};
#pragma unroll
          for (int from = 0; from < Parts; ++from)
            sum(all, parts + (from * EightsC * Tiles * 32 + i) * 16);
          Cluster::template element<C>(i / 32 % Tiles * 16, i / (Tiles * 32) * 8, all, sharedC, tile, n, rows, between);
        }
      }
      __syncthreads();

      float sumsE[OwnE][Tiles][4] = {};
#pragma unroll
      for (int i = 0; i < ChunksC; ++i)
#pragma unroll
        for (int t = 0; t < Tiles; ++t) {
          const int in = i * 32 + inner;
          const unsigned at = sharedC + (t * 16 + group) * PitchC + in * 2;
          const uint4 low = ofC(at, in < Slice), high = ofC(at + 8 * PitchC, in < Slice);
#pragma unroll
          for (int j = 0; j < OwnE; ++j)
            multiply(sumsE[j][t], low, high, ofD[i][j]);
        }
      if (Blocks > 1)
        awaitCluster();
#pragma unroll
      for (int j = 0; j < OwnE; ++j)
        if (const int eight = warp + j * Warps; eight < Eights)
#pragma unroll
          for (int t = 0; t < Tiles; ++t)
            if (Blocks == 1)
              Cluster::store(e, pitchE, rows, tile + t * 16, eight * 8, sumsE[j][t], behind);
            else
              send(inBlock(sharedE + (((rank * Each + eight % Each) * Tiles + t) * 32 + lane) * 16, eight / Each),
                   inBlock(cameE, eight / Each), sumsE[j][t]);
      if (Blocks > 1)
        awaitOthers(cameE, odd); // so no block ends before all of what is sent to it has come
      if (Blocks > 1)
        Cluster::storeParts(e, pitchE, rows, tile, rank, sharedE, behind);
      __syncthreads();
    }
  }

private:
  /// Is a column of A B the block's?
  static __device__ __forceinline__ bool isOfC(int n, int in, bool mayBeBehind) {
    return (!mayBeBehind || in < Slice) && (N == Blocks * Slice || n + in < N);
  }
  static __device__ __forceinline__ uint4 loaded(const T *from, bool there) {
    return there ? __ldg(reinterpret_cast<const uint4 *>(from)) : uint4{};
  }
  static __device__ __forceinline__ uint4 ofC(unsigned at, bool there) {
    uint4 piece = {};
    if (there)
      asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                   : "=r"(piece.x), "=r"(piece.y), "=r"(piece.z), "=r"(piece.w)
                   : "r"(at)
                   : "memory");
    return piece;
  }
  /// Of a chunk, two rows of 8 and 8 columns.
  static __device__ __forceinline__ void multiply(float *sums, uint4 low, uint4 high, uint4 b) {
    add(sums, {low.x, high.x, low.y, high.y}, b.x, b.y);
    add(sums, {low.z, high.z, low.w, high.w}, b.z, b.w);
  }
};
