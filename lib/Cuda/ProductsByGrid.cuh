/// One of two products in a row, C = f(A B) or E = g(C D): tiles of 64 x `Columns` of the result, whose `Inner` inner
/// columns are divided among `Parts` blocks of a cluster of `Blocks`. Each of two groups of four warps has half of a
/// tile's columns. In shared memory, columns of both factors are in panels of 64; the second one has its columns as
/// rows.
template <int Width, int Inner, int Columns, int Parts, int Blocks, int RowTiles>
struct CufuseTurn : CufuseExchange, CufuseWarpgroups {
  static constexpr int AllPanels = (Inner + 63) / 64, Panels = AllPanels / Parts, Half = Columns / 2, Eights = Half / 8;
  static constexpr int Each = (Eights + Parts - 1) / Parts, Tiles = (Width + Columns - 1) / Columns * RowTiles;
  static constexpr int Bytes = 8192 + Columns * 128, BytesOfParts = (Parts - 1) * Each * 4096;
  static_assert(Columns % 16 == 0 && Half <= 64 && AllPanels % Parts == 0, "halves, and whole panels");

  int part = blockIdx.x % Parts, tile = blockIdx.x / Parts;
  int row = tile % RowTiles * 64, column = tile / RowTiles * Columns;

  /// Of the part's panel `i`, the first inner column.
  __device__ __forceinline__ int inner(int i) const { return (part * Panels + i) * 64; }

  /// Do the other parts send this one anything, which it awaits?
  __device__ __forceinline__ bool isSentTo() const { return Parts > 1 && part < Eights; }
  __device__ __forceinline__ int bytesSent() const { return (Eights - part + Parts - 1) / Parts * (Parts - 1) * 4096; }

  /// Sums of 64 rows and the group's columns, over the part; behind `Half`, of anything. `await` gives a panel's place
  /// when it has come.
  template <typename Await, typename Release>
  __device__ __forceinline__ void multiply(float (&sums)[32], Await await, Release release) const {
    const int group = threadIdx.x / 128, warp = threadIdx.x / 32 % 4, lane = threadIdx.x % 32;
    for (int i = 0; i < Panels; ++i) {
      const unsigned at = await(i);
      unsigned operand[4][4];
#pragma unroll
      for (int s = 0; s < 4; ++s)
        cufuseLoadMatrices(operand[s], at + cufusePlace<64>(warp * 16 + lane % 16, s * 2 + lane / 16));
      keep(sums);
      begin();
#pragma unroll
      for (int s = 0; s < 4; ++s)
        add<false>(sums, operand[s], descriptor<16>(at + 8192 + group * (Half * 128) + s * 32), i + s > 0);
      commit();
      CufuseWarpgroups::await<0>();
      keep(sums);
      release(i);
    }
  }

  /// Adds up the parts, whose eights of columns go round the blocks: each thread has the same place in all of them, and
  /// `store` gets four sums of every eight columns that are its own.
  template <typename Store>
  __device__ __forceinline__ void addUp(const float (&sums)[32], unsigned others, unsigned came, int odd,
                                        Store store) const {
    float own[Each][4];
    const int first = blockIdx.x % Blocks / Parts * Parts;
#pragma unroll
    for (int q = 0; q < Eights; ++q)
      if (q % Parts == part) {
#pragma unroll
        for (int i = 0; i < 4; ++i)
          own[q / Parts][i] = sums[q * 4 + i];
      } else {
        const int from = part < q % Parts ? part : part - 1;
        send(others + ((from * Each + q / Parts) * 256 + threadIdx.x) * 16, came, first + q % Parts, sums + q * 4);
      }
    if (isSentTo())
      awaitOthers(came, odd); // so no block ends before all of what is sent to it has come
#pragma unroll
    for (int j = 0; j < Each; ++j)
#pragma unroll
      for (int from = 0; from < Parts - 1; ++from)
        sum(own[j], others + ((from * Each + j) * 256 + threadIdx.x) * 16);
#pragma unroll
    for (int j = 0; j < Each; ++j)
      if (Eights % Parts == 0 || j * Parts + part < Eights)
        store(threadIdx.x / 128 * Half + (j * Parts + part) * 8, own[j]);
  }
};

/// E = g(f(A B) D) of few rows, by the tensor cores' products of four warps (PTX ISA, wgmma) and by the whole grid in
/// two turns, in a cooperative launch: A has `K` columns, B `N`, D `L`. In the first turn, blocks have tiles of f(A B),
/// which they store as C; when all have, tiles of E. `Columns…` and `Parts…`: of a tile in either turn, see CufuseTurn.
/// A further warp loads into a ring of `Slots` places: of the second turn's panels, D's as soon as there is room, C's
/// when it is whole. B is stored as N rows of K, D as L rows of N. `Sum`: the type of the elements of A B.
template <typename T, typename Sum, int N, int K, int L, bool BInRows, bool DInRows, int RowTiles, int ColumnsC,
          int PartsC, int ColumnsE, int PartsE, int Blocks, int Slots>
struct CufuseProducts : CufuseLoads {
  static_assert(!BInRows && !DInRows, "weights are stored with their inner columns next to each other");
  using First = CufuseTurn<N, K, ColumnsC, PartsC, Blocks, RowTiles>;
  using Second = CufuseTurn<L, N, ColumnsE, PartsE, Blocks, RowTiles>;
  static constexpr int Threads = 288, Rows = 64 * RowTiles, Panels = First::Panels + Second::Panels;
  static constexpr int Slot = First::Bytes > Second::Bytes ? First::Bytes : Second::Bytes;
  static constexpr int BytesOfParts =
      First::BytesOfParts > Second::BytesOfParts ? First::BytesOfParts : Second::BytesOfParts;
  /// Products of a group read 64 columns, and thus what is behind the last slot.
  static constexpr int Behind = BytesOfParts > 8192 ? BytesOfParts : 8192, Barriers = 2 * Slots + 2;
  static constexpr int Bytes = Slots * Slot + Behind + Barriers * 8 + 1024;

  template <typename Out, typename Between, typename After>
  static __device__ __forceinline__ void run(const CufuseMaps &maps, T *c, Out *e, int pitchE, int rows,
                                             Between between, After behind) {
#if defined(__CUDA_ARCH__) && !defined(__CUDA_ARCH_FEAT_SM90_ALL)
    __trap(); // nvcc's -arch=sm_90a makes PTX for later GPUs, too, which do not have these instructions
#else
    const unsigned slots = (cufuseShared(cufuse_dynamicShared) + 1023) / 1024 * 1024, others = slots + Slots * Slot;
    const unsigned full = others + Behind, empty = full + Slots * 8, cameC = empty + Slots * 8, cameE = cameC + 8;
    const First first;
    const Second second;
    if (threadIdx.x == 0) {
      for (int i = 0; i < Slots; ++i)
        initialise(full + i * 8, 1), initialise(empty + i * 8, 8);
      initialise(cameC, 1), initialise(cameE, 1);
      asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    const auto grid = cooperative_groups::this_grid();
    int begun = 0, odd = 0; // panels before these rows
    for (int tile = 0; tile < rows; tile += Rows, begun += Panels, odd ^= 1) {
      if (Blocks > 1)
        CufuseExchange::arriveAtCluster();
      if (threadIdx.x >= 256) {
        // Of a panel, the factor that is there from the begin; then what the first turn makes.
        const auto weights = [&](int i) {
          const int slot = (begun + i) % Slots;
          const unsigned at = slots + slot * Slot, barrier = full + slot * 8;
          awaitPhase(empty + slot * 8, (begun + i) / Slots + 1 & 1);
          if (i < First::Panels) {
            expect(barrier, First::Bytes);
            box(at, maps.a, first.inner(i), tile + first.row, barrier);
            box(at + 8192, maps.b, first.inner(i), first.column, barrier);
          } else {
            expect(barrier, Second::Bytes);
            box(at + 8192, maps.d, second.inner(i - First::Panels), second.column, barrier);
          }
        };
        const auto made = [&](int i) {
          const int slot = (begun + i) % Slots;
          box(slots + slot * Slot, maps.c, second.inner(i - First::Panels), tile + second.row, full + slot * 8);
        };
        constexpr int Early = First::Panels + Slots < Panels ? First::Panels + Slots : Panels;
        if (threadIdx.x == 256)
          for (int i = 0; i < Early; ++i)
            weights(i);
        __syncwarp();
        if (Blocks > 1)
          CufuseExchange::awaitCluster();
        grid.sync();
        if (threadIdx.x == 256) {
          asm volatile("fence.proxy.async;" ::: "memory"); // C was stored by the other proxy
          for (int i = First::Panels; i < Early; ++i)
            made(i);
          for (int i = Early; i < Panels; ++i)
            weights(i), made(i);
        }
        __syncwarp();
      } else {
        if (threadIdx.x == 0 && first.isSentTo())
          expect(cameC, first.bytesSent());
        if (threadIdx.x == 0 && second.isSentTo())
          expect(cameE, second.bytesSent());
        int panel = begun;
        const auto await = [&](int) {
          const int slot = panel % Slots;
          awaitPhase(full + slot * 8, panel / Slots & 1);
          return slots + slot * Slot;
        };
        const auto release = [&](int) {
          // What comes next comes by the async proxy, which barriers alone do not keep behind reads by the generic one.
          asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
          __syncwarp();
          if (threadIdx.x % 32 == 0)
            arrive(empty + panel % Slots * 8);
          ++panel;
        };
        const int row = threadIdx.x / 32 % 4 * 16 + threadIdx.x % 32 / 4, pair = threadIdx.x % 4 * 2;
        float sums[32];
        first.multiply(sums, await, release);
        if (Blocks > 1)
          CufuseExchange::awaitCluster();
        first.addUp(sums, others, cameC, odd, [&](int at, const float (&all)[4]) {
          Sum rounded[4];
          cufuseRounded(rounded, all);
#pragma unroll
          for (int h = 0; h < 2; ++h)
            if (const int now = tile + first.row + row + h * 8, in = first.column + at + pair; now < rows && in < N) {
              const long long element = 1ll * now * N + in;
              *reinterpret_cast<unsigned *>(c + element) =
                  cufusePair<T>(between(element, rounded[h * 2]), between(element + 1, rounded[h * 2 + 1]));
            }
        });
        grid.sync();
        __syncwarp(); // one thread has waited alone
        second.multiply(sums, await, release);
        second.addUp(sums, others, cameE, odd, [&](int at, const float (&all)[4]) {
#pragma unroll
          for (int h = 0; h < 2; ++h)
            if (const int now = tile + second.row + row + h * 8, in = second.column + at + pair; now < rows && in < L) {
              struct alignas(sizeof(Out) * 2) Pair {
                Out low, high;
              };
              const long long element = 1ll * now * L + in;
              *reinterpret_cast<Pair *>(e + 1ll * now * pitchE + in) = {behind(element, all[h * 2]),
                                                                        behind(element + 1, all[h * 2 + 1])};
            }
        });
      }
    }
#endif
  }
};
