/// What kernels of clusters have in common, see `CufuseProducts`: what comes of both products' sums.
template <typename T, int N, int L, int Warps, int Tiles, int Blocks> struct CufuseClusterProducts : CufuseExchange {
  static constexpr int Rows = 16 * Tiles, Slice = (N + Blocks * 16 - 1) / (Blocks * 16) * 16;
  /// Columns of E, by eights: all, and of a block.
  static constexpr int Eights = L / 8, Each = (Eights + Blocks - 1) / Blocks;
  /// Bytes from a row of C to the next, so that the same piece of eight rows is in all banks.
  static constexpr int PitchC = Slice * 2 + 16, BytesC = Rows * PitchC;
  static constexpr int BytesE = Blocks > 1 ? Blocks * Each * Tiles * 512 : 0;

  /// What f makes of what a thread has of 16 rows and 8 columns of A B: of 2 columns of a row and of the row 8 below
  /// it.
  template <typename Sum, typename Between>
  static __device__ __forceinline__ void element(int row, int in, const float *sums, unsigned sharedC, int tile, int n,
                                                 int rows, Between between) {
    const float all[4] = {sums[0], sums[1], sums[2], sums[3]};
    Sum rounded[4];
    cufuseRounded(rounded, all);
    row += threadIdx.x % 32 / 4, in += threadIdx.x % 4 * 2;
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      T values[2];
#pragma unroll
      for (int k = 0; k < 2; ++k) // rows behind the last are played as the last
        values[k] = n + in < N ? between(1ll * min(tile + row + h * 8, rows - 1) * N + n + in + k, rounded[h * 2 + k])
                               : T(0.0f); // meets zeros, too, but might be no number
      asm volatile("st.shared.b32 [%0], %1;" ::"r"(sharedC + (row + h * 8) * PitchC + in * 2),
                   "r"(cufusePair(values[0], values[1]))
                   : "memory");
    }
  }

  static __device__ __forceinline__ void put(unsigned to, const float *sums) {
    asm volatile("st.shared.v4.f32 [%0], {%1, %2, %3, %4};" ::"r"(to), "f"(sums[0]), "f"(sums[1]), "f"(sums[2]),
                 "f"(sums[3])
                 : "memory");
  }

  /// What a thread has of 16 rows and 8 columns of E.
  template <typename Out, typename Behind>
  static __device__ __forceinline__ void store(Out *e, int pitchE, int rows, int row, int column, const float *sums,
                                               Behind behind) {
    row += threadIdx.x % 32 / 4, column += threadIdx.x % 4 * 2;
#pragma unroll
    for (int h = 0; h < 2; ++h)
      if (const long long first = 1ll * (row + h * 8) * L + column; row + h * 8 < rows) {
        struct alignas(sizeof(Out) * 2) Pair {
          Out low, high;
        };
        *reinterpret_cast<Pair *>(e + 1ll * (row + h * 8) * pitchE + column) = {behind(first, sums[h * 2]),
                                                                                behind(first + 1, sums[h * 2 + 1])};
      }
  }

  /// Adds up what blocks have sent of the block's own columns.
  template <typename Out, typename Behind>
  static __device__ __forceinline__ void storeParts(Out *e, int pitchE, int rows, int tile, int rank, unsigned sharedE,
                                                    Behind behind) {
    for (int i = threadIdx.x; i < Each * Tiles * 32; i += Warps * 32) {
      float all[4] = {};
#pragma unroll
      for (int block = 0; block < Blocks; ++block)
        sum(all, sharedE + (block * Each * Tiles * 32 + i) * 16);
      if (const int eight = rank * Each + i / (Tiles * 32); eight < Eights)
        store(e, pitchE, rows, tile + i / 32 % Tiles * 16, eight * 8, all, behind);
    }
  }
};
