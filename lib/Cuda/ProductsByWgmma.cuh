/// E = g(f(A B) D) by the tensor cores' products of four warps (PTX ISA, wgmma): A has `K` columns, B `N`, D `L`. Each
/// of two groups of four warps has 64 rows at a time. A further warp loads: A's rows, and 64 columns of B with the rows
/// of D that they meet, into one of `Slots` places. Where these are enough for all of B and D, both stay there.
/// What f makes of the sums of A B is, in registers, the operand of the product with D. `Ahead`: meanwhile, the next 64
/// columns are multiplied. `BInRows`: B is stored as K rows of N, else as N rows of K; so D. `C`: the type of the
/// elements of A B.
template <typename T, typename C, int N, int K, int L, bool BInRows, bool DInRows, int Slots, bool Ahead>
struct CufuseProducts : CufuseLoads, CufuseWarpgroups {
  static constexpr int Groups = 2, Threads = Groups * 128 + 128, Rows = Groups * 64, RowSlots = 2;
  static constexpr int Chunks = (N + 63) / 64, Steps = (K + 15) / 16, Panels = (K + 63) / 64, AllL = (L + 63) / 64 * 64;
  static constexpr int Part = AllL % 128 == 0 ? 128 : 64, Parts = AllL / Part;
  static constexpr int BytesA = Panels * 8192, BytesB = BInRows ? Steps * 2048 : Panels * 8192, BytesD = AllL * 128;
  static constexpr int Bytes = Slots * (BytesB + BytesD) + RowSlots * Groups * BytesA + (Slots + RowSlots) * 16 + 1024;
  static constexpr bool Stays = Chunks <= Slots;

  template <typename Out, typename Between, typename Behind>
  static __device__ __forceinline__ void run(const CufuseMaps &maps, Out *e, int pitchE, int rows, Between between,
                                             Behind behind) {
#if defined(__CUDA_ARCH__) && !defined(__CUDA_ARCH_FEAT_SM90_ALL)
    __trap(); // nvcc's -arch=sm_90a makes PTX for later GPUs, too, which do not have these instructions
#else
    const unsigned base = (cufuseShared(cufuse_dynamicShared) + 1023) / 1024 * 1024;
    const Memory memory = {base, base + Slots * (BytesB + BytesD)};
    if (threadIdx.x == 0) {
      for (int i = 0; i < Slots; ++i)
        initialise(memory.full(i), 1), initialise(memory.empty(i), Groups * 4);
      for (int i = 0; i < RowSlots; ++i)
        initialise(memory.fullRows(i), 1), initialise(memory.emptyRows(i), Groups * 4);
      asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    const int tiles = (rows + Rows - 1) / Rows;
    if (threadIdx.x >= Groups * 128) {
      asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
      if (threadIdx.x == Groups * 128)
        load(maps, memory, tiles);
    } else {
      asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");
      multiply(memory, tiles, e, pitchE, rows, between, behind);
    }
#endif
  }

private:
  /// Where what is in shared memory: `Slots` of B and D, then rows of A, then barriers.
  struct Memory {
    unsigned chunks, rows;
    __device__ __forceinline__ unsigned b(int slot) const { return chunks + slot * (BytesB + BytesD); }
    __device__ __forceinline__ unsigned d(int slot) const { return b(slot) + BytesB; }
    __device__ __forceinline__ unsigned a(int slot, int group) const { return rows + (slot * Groups + group) * BytesA; }
    __device__ __forceinline__ unsigned full(int slot) const { return a(RowSlots, 0) + slot * 16; }
    __device__ __forceinline__ unsigned empty(int slot) const { return full(slot) + 8; }
    __device__ __forceinline__ unsigned fullRows(int slot) const { return full(Slots + slot); }
    __device__ __forceinline__ unsigned emptyRows(int slot) const { return empty(Slots + slot); }
  };

  static __device__ __forceinline__ void load(const CufuseMaps &maps, const Memory &memory, int tiles) {
    Turn<Slots, false> ring;
    Turn<RowSlots, false> rowRing;
    bool loaded = false;
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
      awaitPhase(memory.emptyRows(rowRing.slot), rowRing.odd ^ 1);
      expect(memory.fullRows(rowRing.slot), Groups * BytesA);
      for (int group = 0; group < Groups; ++group)
        for (int p = 0; p < Panels; ++p)
          box(memory.a(rowRing.slot, group) + p * 8192, maps.a, p * 64, tile * Rows + group * 64,
              memory.fullRows(rowRing.slot));
      rowRing.next();
      for (int j = 0; j < Chunks && !(Stays && loaded); ++j) {
        const unsigned full = memory.full(ring.slot);
        awaitPhase(memory.empty(ring.slot), ring.odd ^ 1);
        expect(full, BytesB + BytesD);
        if (BInRows)
          box(memory.b(ring.slot), maps.b, j * 64, 0, full);
        else
          for (int p = 0; p < Panels; ++p)
            box(memory.b(ring.slot) + p * 8192, maps.b, p * 64, j * 64, full);
        if (DInRows)
          for (int p = 0; p < AllL / 64; ++p)
            box(memory.d(ring.slot) + p * 8192, maps.d, p * 64, j * 64, full);
        else
          box(memory.d(ring.slot), maps.d, j * 64, 0, full);
        ring.next();
      }
      loaded = true;
    }
  }

  template <typename Out, typename Between, typename Behind>
  static __device__ __forceinline__ void multiply(const Memory &memory, int tiles, Out *e, int pitchE, int rows,
                                                  Between between, Behind behind) {
    const int group = threadIdx.x / 128, warp = threadIdx.x / 32 % 4, lane = threadIdx.x % 32;
    Turn<Stays ? Chunks : Slots, Stays> ring;
    Turn<RowSlots, false> rowRing;
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
      float sums[Ahead ? 2 : 1][32], sumsE[Parts][Part / 2];
      unsigned operandA[Steps][4];
      const int now = tile * Rows + group * 64 + warp * 16;
      awaitPhase(memory.fullRows(rowRing.slot), rowRing.odd);
#pragma unroll
      for (int s = 0; s < Steps; ++s)
        cufuseLoadMatrices(operandA[s],
                           memory.a(rowRing.slot, group) + cufusePlace<64>(warp * 16 + lane % 16, s * 2 + lane / 16));

      const auto first = [&](float (&c)[32], int slot) {
        keep(c);
        begin();
#pragma unroll
        for (int s = 0; s < Steps; ++s)
          add<BInRows>(c, operandA[s],
                       descriptor<16>(memory.b(slot) + (BInRows ? s * 2048 : s / 4 * 8192 + s % 4 * 32)), s > 0);
        commit();
      };
      const auto second = [&](float (&c)[32], int j, int slot) {
        keep(c);
        // At once, or ptxas 13.0 takes what is done with them for reads while other products are under way.
        C rounded[32];
        cufuseRounded(rounded, c);
        unsigned operand[4][4];
        const CufuseSums<N> place(now, rows);
#pragma unroll
        for (int s = 0; s < 4; ++s)
          place.template between<T>(operand[s], rounded + s * 8, j * 64 + s * 16, between);
        begin();
#pragma unroll
        for (int part = 0; part < Parts; ++part)
#pragma unroll
          for (int s = 0; s < 4; ++s)
            add<DInRows>(sumsE[part], operand[s],
                         descriptor<8192>(memory.d(slot) + part * (Part * 128) + (DInRows ? s * 2048 : s * 32)),
                         j + s > 0);
        commit();
      };
      // The products that read a slot are done when the next chunk's first ones are.
      const auto release = [&](int slot) {
        if (!Stays && lane == 0)
          arrive(memory.empty(slot));
      };
      int before = 0; // the slot of the chunk before
      const auto chunk = [&](float (&c)[32], float (&next)[32], int j) {
        const int slot = ring.slot;
        ring.next();
        awaitPhase(memory.full(ring.slot), ring.odd);
        first(next, ring.slot);
        await<1>();
        if (j > 0)
          release(before);
        second(c, j, slot);
        before = slot;
      };
      const auto last = [&](float (&c)[32], int j) {
        await<0>();
        if (j > 0)
          release(before);
        second(c, j, ring.slot);
        await<0>();
        release(ring.slot);
        ring.next();
      };
      awaitPhase(memory.full(ring.slot), ring.odd);
      first(sums[0], ring.slot);
      // Only now are A's rows in registers for sure: ptxas 13.0 does not wait for ldmatrix before an arrival. And the
      // next rows come by the async proxy, which barriers alone do not keep behind reads by the generic one (PTX ISA).
      asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
      __syncwarp();
      if (lane == 0)
        arrive(memory.emptyRows(rowRing.slot));
      rowRing.next();
      if constexpr (Ahead) {
#pragma unroll
        for (int j = 0; j + 2 < Chunks; j += 2)
          chunk(sums[0], sums[1], j), chunk(sums[1], sums[0], j + 1);
        if constexpr (Chunks % 2 == 0)
          chunk(sums[0], sums[1], Chunks - 2), last(sums[1], Chunks - 1);
        else
          last(sums[0], Chunks - 1);
      } else {
#pragma unroll 1
        for (int j = 0; j + 1 < Chunks; ++j) {
          await<0>();
          if (j > 0)
            release(before);
          second(sums[0], j, ring.slot);
          before = ring.slot;
          ring.next();
          awaitPhase(memory.full(ring.slot), ring.odd);
          first(sums[0], ring.slot);
        }
        last(sums[0], Chunks - 1);
      }

      const CufuseSums<L> place(now, rows);
#pragma unroll
      for (int part = 0; part < Parts; ++part) {
        keep(sumsE[part]);
#pragma unroll
        for (int l = 0; l < Part; l += 32)
          if (part * Part + l < L)
            place.store(e, pitchE, rows, sumsE[part] + l / 2, part * Part + l, behind);
      }
    }
  }
};
