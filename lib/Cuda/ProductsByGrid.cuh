/// One of two products in a row, C = f(A B, …) or E = g(C D): tiles of 64 x `Columns` of the result, of `Sets` second
/// factors, whose `Inner` inner columns are divided among `Parts` blocks of a cluster of `Blocks`. Each of two groups
/// of four warps has half of a tile's columns. In shared memory, columns of the factors are in panels of 64; the second
/// ones have their columns as rows.
template <int Width, int Inner, int Columns, int Parts, int Sets, int Blocks, int RowTiles>
struct CufuseTurn : CufuseExchange, CufuseWarpgroups {
  static constexpr int AllPanels = (Inner + 63) / 64, Panels = AllPanels / Parts, Half = Columns / 2, Eights = Half / 8;
  static constexpr int Each = (Eights + Parts - 1) / Parts, Tiles = (Width + Columns - 1) / Columns * RowTiles;
  static constexpr int Bytes = 8192 + Sets * Columns * 128, BytesOfParts = Sets * (Parts - 1) * Each * 4096;
  static_assert(Columns % 16 == 0 && Sets * Half <= 128 && AllPanels % Parts == 0, "halves, and whole panels");

  int part = blockIdx.x % Parts, tile = blockIdx.x / Parts;
  int row = tile % RowTiles * 64, column = tile / RowTiles * Columns;

  /// Of the part's panel `i`, the first inner column.
  __device__ __forceinline__ int inner(int i) const { return (part * Panels + i) * 64; }

  /// Of this part's eights of columns, the number, and what others send it, which it awaits.
  __device__ __forceinline__ int eights() const { return max(0, min(Each, Eights - part * Each)); }
  __device__ __forceinline__ int bytesSent() const { return Sets * (Parts - 1) * eights() * 4096; }

  /// Sums of 64 rows and the group's columns, over the part. `await` gives the next panel's place when it has come,
  /// `release` gives the one behind the last back.
  template <typename Await, typename Release>
  __device__ __forceinline__ void multiply(float (&sums)[Sets][Half / 2], Await await, Release release) const {
    const int group = threadIdx.x / 128;
    for (int i = 0; i < Panels; ++i) {
      const unsigned at = await();
      begin();
#pragma unroll
      for (int s = 0; s < 4; ++s)
#pragma unroll
        for (int set = 0; set < Sets; ++set)
          cufuseMultiply(sums[set], descriptor<16>(at + s * 32),
                         descriptor<16>(at + 8192 + (set * 2 + group) * (Half * 128) + s * 32), i + s > 0);
      commit();
      if (i > 0) {
        CufuseWarpgroups::await<1>();
        release();
      }
    }
    CufuseWarpgroups::await<0>();
#pragma unroll
    for (int set = 0; set < Sets; ++set)
      keep(sums[set]);
    release();
  }

  /// Adds up the parts, each of which has some eights of columns: each thread has the same place in all of them, and
  /// `store` gets four sums of every set for every eight columns that are its own.
  template <typename Store>
  __device__ __forceinline__ void addUp(const float (&sums)[Sets][Half / 2], unsigned others, unsigned came, int odd,
                                        Store store) const {
    float own[Each][Sets][4];
    const int first = blockIdx.x % Blocks / Parts * Parts;
#pragma unroll
    for (int p = 0; p < Parts; ++p)
      if (p == part) {
#pragma unroll
        for (int i = 0; i < Sets * Each * 4; ++i)
          if (p * Each + i / 4 / Sets < Eights)
            own[i / 4 / Sets][i / 4 % Sets][i % 4] = sums[i / 4 % Sets][(p * Each + i / 4 / Sets) * 4 + i % 4];
      } else {
        const int from = part < p ? part : part - 1;
        const unsigned there = inBlock(others + (from * (Each * Sets * 256) + threadIdx.x) * 16, first + p);
        const unsigned signalled = inBlock(came, first + p);
#pragma unroll
        for (int i = 0; i < Sets * Each; ++i)
          if (p * Each + i / Sets < Eights)
            send(there + i * 4096, signalled, sums[i % Sets] + (p * Each + i / Sets) * 4);
      }
    if (bytesSent() > 0)
      awaitOthers(came, odd); // so no block ends before all of what is sent to it has come
#pragma unroll
    for (int i = 0; i < Sets * Each; ++i)
#pragma unroll
      for (int from = 0; from < Parts - 1; ++from)
        sum(own[i / Sets][i % Sets], others + ((from * Each * Sets + i) * 256 + threadIdx.x) * 16);
#pragma unroll
    for (int j = 0; j < Each; ++j)
      if (j < eights())
        store(threadIdx.x / 128 * Half + (part * Each + j) * 8, own[j]);
  }
};

/// E = g(f(A B) D) of few rows, by the tensor cores' products of four warps (PTX ISA, wgmma) and by the whole grid in
/// two turns, in a cooperative launch: A has `K` columns, B `N`, D `L`. Of two factors B, f has both sums. In the first
/// turn, blocks have tiles of f(A B), which they store as C; when all have, tiles of E. `Columns…` and `Parts…`: of a
/// tile in either turn, see CufuseTurn. A further warp loads into a ring of `Slots` places: of the second turn's
/// panels, D's as soon as there is room, C's when it is whole, for which it waits alone. B is stored as N rows of K, D
/// as L rows of N. `Sum`: the type of the elements of A B.
template <typename T, typename Sum, int N, int K, int L, bool BInRows, bool DInRows, int Factors, int RowTiles,
          int ColumnsC, int PartsC, int ColumnsE, int PartsE, int Blocks, int Slots>
struct CufuseProducts : CufuseLoads {
  static_assert(!BInRows && !DInRows, "weights are stored with their inner columns next to each other");
  using First = CufuseTurn<N, K, ColumnsC, PartsC, Factors, Blocks, RowTiles>;
  using Second = CufuseTurn<L, N, ColumnsE, PartsE, 1, Blocks, RowTiles>;
  static constexpr int Threads = 288, Rows = 64 * RowTiles, Panels = First::Panels + Second::Panels;
  static constexpr int Slot = First::Bytes > Second::Bytes ? First::Bytes : Second::Bytes;
  static constexpr int BytesOfParts =
      First::BytesOfParts > Second::BytesOfParts ? First::BytesOfParts : Second::BytesOfParts;
  static constexpr int Barriers = 2 * Slots + 3, Bytes = Slots * Slot + BytesOfParts + Barriers * 8 + 1024;

  template <typename Out, typename Between, typename After>
  static __device__ __forceinline__ void run(const CufuseMaps &maps, T *c, Out *e, int pitchE, int rows,
                                             Between between, After behind) {
#if defined(__CUDA_ARCH__) && !defined(__CUDA_ARCH_FEAT_SM90_ALL)
    __trap(); // nvcc's -arch=sm_90a makes PTX for later GPUs, too, which do not have these instructions
#else
    const unsigned slots = (cufuseShared(cufuse_dynamicShared) + 1023) / 1024 * 1024, others = slots + Slots * Slot;
    const unsigned full = others + BytesOfParts, empty = full + Slots * 8, cameC = empty + Slots * 8;
    const unsigned cameE = cameC + 8, stored = cameE + 8;
    const First first;
    const Second second;
    // Of a panel, the factor that is there from the begin; then what the first turn makes. Room: its place is free.
    const auto load = [&](int tile, int begun, int i) {
      const int slot = (begun + i) % Slots;
      const unsigned at = slots + slot * Slot, barrier = full + slot * 8;
      if (i < First::Panels) {
        expect(barrier, First::Bytes);
        boxOfA(at, maps.a, first.inner(i), tile + first.row, barrier);
        box(at + 8192, maps.b, first.inner(i), first.column, barrier);
#ifdef CUFUSE_GATED
        box(at + 8192 + ColumnsC * 128, maps.gate, first.inner(i), first.column, barrier);
#endif
      } else {
        expect(barrier, Second::Bytes);
        box(at + 8192, maps.d, second.inner(i - First::Panels), second.column, barrier);
      }
    };
    const auto room = [&](int begun, int i) {
      awaitPhase(empty + (begun + i) % Slots * 8, (begun + i) / Slots + 1 & 1);
    };
    // The thread that loads begins at once, but not with so much that all others wait until it has begun it.
    constexpr int Most = 8, Ahead = First::Panels * (1 + Factors) <= Most && First::Panels <= Slots ? First::Panels : 0;
    if (threadIdx.x == 0) {
      prefetch(maps.a), prefetch(maps.b), prefetch(maps.d), prefetch(maps.c);
#ifdef CUFUSE_GATED
      prefetch(maps.gate);
#endif
    }
    if (threadIdx.x == 256) {
      for (int i = 0; i < Slots; ++i)
        initialise(full + i * 8, 1), initialise(empty + i * 8, 8);
      initialise(cameC, 1), initialise(cameE, 1), initialise(stored, 8);
      asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
      asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); // loads arrive by the other proxy
      for (int i = 0; i < Ahead; ++i)
        load(0, 0, i);
    }
    __syncthreads();
    int begun = 0, odd = 0; // panels before these rows
    for (int tile = 0; tile < rows; tile += Rows, begun += Panels, odd ^= 1) {
      if (Blocks > 1)
        CufuseExchange::arriveAtCluster(tile == 0);
      if (threadIdx.x >= 256) {
        const auto made = [&](int i) {
          const int slot = (begun + i) % Slots;
          box(slots + slot * Slot, maps.c, second.inner(i - First::Panels), tile + second.row, full + slot * 8);
        };
        constexpr int Early = First::Panels + Slots < Panels ? First::Panels + Slots : Panels;
        if (threadIdx.x == 256) {
          for (int i = tile == 0 ? Ahead : 0; i < Slots; ++i) {
            if (i == First::Panels) // the second turn's panels do not hold up the first ones
              awaitPhase(full + begun % Slots * 8, begun / Slots & 1);
            room(begun, i), load(tile, begun, i);
          }
          CufuseGridBarrier grid(maps.place);
          for (int i = Slots; i < Early; ++i)
            room(begun, i), load(tile, begun, i);
          awaitPhase(stored, odd);
          grid.wait();
          asm volatile("fence.proxy.async.global;" ::: "memory"); // C was stored by the other proxy
          for (int i = First::Panels; i < Early; ++i)
            made(i);
          for (int i = Early; i < Panels; ++i)
            room(begun, i), load(tile, begun, i), made(i);
        }
        __syncwarp();
        if (Blocks > 1)
          CufuseExchange::awaitCluster();
      } else {
        if (threadIdx.x == 0 && first.bytesSent() > 0)
          expect(cameC, first.bytesSent());
        if (threadIdx.x == 0 && second.bytesSent() > 0)
          expect(cameE, second.bytesSent());
        int taken = begun, given = begun;
        const auto await = [&] {
          const int slot = taken % Slots;
          awaitPhase(full + slot * 8, taken++ / Slots & 1);
          return slots + slot * Slot;
        };
        const auto release = [&] {
          if (threadIdx.x % 32 == 0)
            arrive(empty + given % Slots * 8);
          ++given;
        };
        const int row = threadIdx.x / 32 % 4 * 16 + threadIdx.x % 32 / 4, pair = threadIdx.x % 4 * 2;
        float sums[Factors][First::Half / 2];
        first.multiply(sums, await, release);
        if (Blocks > 1)
          CufuseExchange::awaitCluster();
        first.addUp(sums, others, cameC, odd, [&](int at, const float (&all)[Factors][4]) {
          Sum rounded[Factors][4];
#pragma unroll
          for (int factor = 0; factor < Factors; ++factor)
            cufuseRounded(rounded[factor], all[factor]);
#pragma unroll
          for (int h = 0; h < 2; ++h)
            if (const int now = tile + first.row + row + h * 8, in = first.column + at + pair; now < rows && in < N) {
              const long long element = 1ll * now * N + in;
              const auto of = [&](int i) {
#ifdef CUFUSE_GATED
                return between(element + i, rounded[0][h * 2 + i], rounded[1][h * 2 + i]);
#else
                return between(element + i, rounded[0][h * 2 + i]);
#endif
              };
              *reinterpret_cast<unsigned *>(c + element) = cufusePair<T>(of(0), of(1));
            }
        });
        __syncwarp();
        if (threadIdx.x % 32 == 0)
          arrive(stored);
        float products[1][Second::Half / 2];
        second.multiply(products, await, release);
        // No block reads the first turn's parts any more: each has stored what comes of them.
        second.addUp(products, others, cameE, odd, [&](int at, const float (&all)[1][4]) {
#pragma unroll
          for (int h = 0; h < 2; ++h)
            if (const int now = tile + second.row + row + h * 8, in = second.column + at + pair; now < rows && in < L) {
              struct alignas(sizeof(Out) * 2) Pair {
                Out low, high;
              };
              const long long element = 1ll * now * L + in;
              *reinterpret_cast<Pair *>(e + 1ll * now * pitchE + in) = {behind(element, all[0][h * 2]),
                                                                        behind(element + 1, all[0][h * 2 + 1])};
            }
        });
      }
    }
#endif
  }
};
