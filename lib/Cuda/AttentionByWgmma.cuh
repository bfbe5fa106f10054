/// E = g(S D) by the tensor cores' products of four warps (PTX ISA, wgmma), where each row of S is the softmax of one
/// of f(A B), which is never in memory: `CufuseSoftmax` takes `Keys` columns at a time. A has `K` columns, B `N`, D
/// `L`; `Each` rows of A share a B and a D, which follow each other; 0: all do. Each of two groups of four warps has 64
/// rows at a time. A further warp loads A's rows, and `Keys` columns of B and rows of D into one of `Slots` places for
/// each. While a group's exponentials are made, it multiplies those before them by D, and the other group what it has.
/// `BInRows`: B is stored as K rows of N, else as N rows of K; so D. `C`: the type of the elements of A B.
template <typename T, typename C, int N, int K, int L, bool BInRows, bool DInRows, int Slots, int Keys, int Each>
struct CufuseProducts : CufuseLoads, CufuseWarpgroups, CufuseMasks {
  static constexpr int Groups = 2, Threads = Groups * 128 + 128, Rows = Groups * 64, RowSlots = 2;
  static constexpr int Steps = (K + 15) / 16, Panels = (K + 63) / 64;
  static constexpr int AllL = (L + 63) / 64 * 64, Part = AllL % 128 == 0 ? 128 : 64, Parts = AllL / Part;
  /// Columns are in panels of 64.
  static constexpr int PanelB = (BInRows ? Steps * 16 : Keys) * 128, PanelsB = BInRows ? Keys / 64 : Panels;
  static constexpr int PanelD = (DInRows ? Keys : AllL) * 128, PanelsD = (DInRows ? AllL : Keys) / 64;
  static constexpr int BytesA = Panels * 8192, BytesB = PanelsB * PanelB, BytesD = PanelsD * PanelD;
  /// Places, by their number: those of B, of D, of A.
  static constexpr int FirstD = Slots, FirstA = 2 * Slots, Places = FirstA + RowSlots;
  static constexpr int Bytes = Slots * (BytesB + BytesD) + RowSlots * Groups * BytesA + Places * 16 + 1024;

  template <typename Out, typename Between, typename Behind, typename Masked = CufuseNoMask>
  static __device__ __forceinline__ void run(const CufuseMaps &maps, Out *e, int pitchE, int rows, Between between,
                                             Behind behind, Masked masked = {}) {
#if defined(__CUDA_ARCH__) && !defined(__CUDA_ARCH_FEAT_SM90_ALL)
    __trap(); // nvcc's -arch=sm_90a makes PTX for later GPUs, too, which do not have these instructions
#else
    const Memory memory = {(cufuseShared(cufuse_dynamicShared) + 1023) / 1024 * 1024};
    if (threadIdx.x == 0) {
      for (int i = 0; i < Places; ++i)
        initialise(memory.full(i), 1), initialise(memory.empty(i), Groups * 4);
      asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    const CufuseTiles<Rows, Each, Masked> tiles(rows);
    if (threadIdx.x >= Groups * 128) {
      asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
      if (threadIdx.x == Groups * 128)
        load(maps, memory, tiles, masked);
    } else {
      asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");
      multiply(memory, tiles, e, pitchE, masked, between, behind);
    }
#endif
  }

private:
  /// Where what is in shared memory: `Slots` of B and D, then rows of A, then barriers.
  struct Memory {
    unsigned begin;
    __device__ __forceinline__ unsigned b(int slot) const { return begin + slot * (BytesB + BytesD); }
    __device__ __forceinline__ unsigned d(int slot) const { return b(slot) + BytesB; }
    __device__ __forceinline__ unsigned a(int slot, int group) const {
      return b(Slots) + (slot * Groups + group) * BytesA;
    }
    __device__ __forceinline__ unsigned full(int place) const { return a(RowSlots, 0) + place * 16; }
    __device__ __forceinline__ unsigned empty(int place) const { return full(place) + 8; }
  };

  template <typename Masked>
  static __device__ __forceinline__ void load(const CufuseMaps &maps, const Memory &memory,
                                              const CufuseTiles<Rows, Each, Masked> &tiles, const Masked &masked) {
    Turn<Slots, false> ring;
    Turn<RowSlots, false> rowRing;
    const auto awaitEmpty = [&](int place, int odd, int bytes) {
      awaitPhase(memory.empty(place), odd ^ 1);
      expect(memory.full(place), bytes);
      return memory.full(place);
    };
    tiles.forEach([&](int of, int first, int last) {
      const unsigned fullA = awaitEmpty(FirstA + rowRing.slot, rowRing.odd, Groups * BytesA);
      for (int group = 0; group < Groups; ++group)
        for (int p = 0; p < Panels; ++p)
          box(memory.a(rowRing.slot, group) + p * 8192, maps.a, p * 64, first + group * 64, fullA);
      rowRing.next();
      CufuseColumns<N, Keys, Masked> columns = {masked, first, last};
      for (int n = columns.begin(); n < N; n = columns.from(n + Keys)) {
        const unsigned fullB = awaitEmpty(ring.slot, ring.odd, BytesB);
        for (int p = 0; p < PanelsB; ++p)
          box(memory.b(ring.slot) + p * PanelB, maps.b, (BInRows ? n : 0) + p * 64, BInRows ? 0 : n, fullB, of);
        const unsigned fullD = awaitEmpty(FirstD + ring.slot, ring.odd, BytesD);
        for (int p = 0; p < PanelsD; ++p)
          box(memory.d(ring.slot) + p * PanelD, maps.d, (DInRows ? 0 : n) + p * 64, DInRows ? n : 0, fullD, of);
        ring.next();
      }
    });
  }

  template <typename Out, typename Masked, typename Between, typename Behind>
  static __device__ __forceinline__ void multiply(const Memory &memory, const CufuseTiles<Rows, Each, Masked> &tiles,
                                                  Out *e, int pitchE, const Masked &masked, Between between,
                                                  Behind behind) {
    const int group = threadIdx.x / 128, warp = threadIdx.x / 32 % 4, lane = threadIdx.x % 32;
    Turn<Slots, false> ring;
    Turn<RowSlots, false> rowRing;
    tiles.forEach([&](int, int firstRow, int last) {
      float sums[Keys / 2], sumsE[Parts][Part / 2], by[2];
      unsigned operandA[Steps][4], operand[Keys / 16][4];
      CufuseColumns<N, Keys, Masked> columns = {masked, firstRow, last};
      const int now = firstRow + group * 64 + warp * 16, end = last + 1;
      const CufuseSums<N> place(now, end);
      CufuseSoftmax<C, N> softmax;
      const auto release = [&](int place) {
        if (lane == 0)
          arrive(memory.empty(place));
      };
      const auto first = [&] {
        awaitPhase(memory.full(ring.slot), ring.odd);
        keep(sums);
        begin();
#pragma unroll
        for (int s = 0; s < Steps; ++s)
          add<BInRows>(sums, operandA[s],
                       descriptor<PanelB>(memory.b(ring.slot) + (BInRows ? s * 2048 : s / 4 * PanelB + s % 4 * 32)),
                       s > 0);
        commit();
      };
      const auto second = [&](const Turn<Slots, false> &from, bool adds) {
        awaitPhase(memory.full(FirstD + from.slot), from.odd);
        begin();
#pragma unroll
        for (int part = 0; part < Parts; ++part)
#pragma unroll
          for (int s = 0; s < Keys / 16; ++s)
            add<DInRows>(
                sumsE[part], operand[s],
                descriptor<PanelD>(memory.d(from.slot) + (DInRows ? part * (Part / 64 * PanelD) + s * 2048
                                                                  : part * (Part * 128) + s / 4 * PanelD + s % 4 * 32)),
                adds || s > 0);
        commit();
      };
      const auto take = [&](int n) {
        if (columns.hidden == CufuseHolds::Nowhere)
          softmax.take(sums, by, place, n, CufuseShown<N, Between, Masked>{between, masked});
        else
          softmax.take(sums, by, place, n, between);
      };
      int n = columns.begin();
      bool adds = false;
      awaitPhase(memory.full(FirstA + rowRing.slot), rowRing.odd);
#pragma unroll
      for (int s = 0; s < Steps; ++s)
        cufuseLoadMatrices(operandA[s],
                           memory.a(rowRing.slot, group) + cufusePlace<64>(warp * 16 + lane % 16, s * 2 + lane / 16));
      first();
      // Only now are A's rows in registers for sure, and the next ones come by the async proxy: as ProductsByWgmma.cuh.
      asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
      __syncwarp();
      release(FirstA + rowRing.slot);
      rowRing.next();
      await<0>();
      keep(sums);
      release(ring.slot);
      take(n);
      cufuseOperands<T>(operand, sums);
#pragma unroll 1
      for (n = columns.from(n + Keys); n < N; n = columns.from(n + Keys)) {
        const Turn<Slots, false> before = ring;
        ring.next();
        first();
        second(before, adds);
        adds = true;
        await<1>();
        keep(sums);
        release(ring.slot);
        take(n);
        await<0>();
        release(FirstD + before.slot);
#pragma unroll
        for (int part = 0; part < Parts; ++part) {
          keep(sumsE[part]);
          softmax.follow(sumsE[part], by);
        }
        cufuseOperands<T>(operand, sums);
      }
      second(ring, adds);
      await<0>();
      release(FirstD + ring.slot);
      ring.next();
      const CufuseSums<L> results(now, end);
#pragma unroll
      for (int part = 0; part < Parts; ++part) {
        keep(sumsE[part]);
        softmax.end(sumsE[part]);
#pragma unroll
        for (int l = 0; l < Part; l += 32)
          if (part * Part + l < L)
            results.store(e, pitchE, end, sumsE[part] + l / 2, part * Part + l, behind);
      }
    });
  }
};
