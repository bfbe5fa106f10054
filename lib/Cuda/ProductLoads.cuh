/// Matrices for the tensor memory accelerator: what a box of them has outside is zero.
struct CufuseMaps {
  CUtensorMap a, b, d;
#ifdef CUFUSE_BETWEEN
  CUtensorMap c;
  unsigned place; ///< Of the grid's barrier.
#endif
#ifdef CUFUSE_GATED
  CUtensorMap gate;
#endif
};

/// Loads by tensor maps, and the mbarriers by which they are awaited.
struct CufuseLoads {
  static __device__ __forceinline__ void initialise(unsigned barrier, int count) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(barrier), "r"(count) : "memory");
  }
  static __device__ __forceinline__ void expect(unsigned barrier, int bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
  }
  static __device__ __forceinline__ void arrive(unsigned barrier) {
    asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(barrier) : "memory");
  }
  static __device__ __forceinline__ void awaitPhase(unsigned barrier, int odd) {
    unsigned done;
    do
      asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
                   : "=r"(done)
                   : "r"(barrier), "r"(odd)
                   : "memory");
    while (!done);
  }
  /// So that the first box of it need not wait for the map, which is in memory.
  static __device__ __forceinline__ void prefetch(const CUtensorMap &map) {
    asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
  }
  /// Of the matrix `of`, where a map is of several.
  static __device__ __forceinline__ void box(unsigned to, const CUtensorMap &map, int column, int row, unsigned barrier,
                                             int of = 0) {
    asm volatile(
        "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %5}], [%4];" ::
            "r"(to),
        "l"(&map), "r"(column), "r"(row), "r"(barrier), "r"(of)
        : "memory");
  }
#ifdef CUFUSE_WINDOWS
  /// 64 columns of rows that are windows, see `ImageWindows`, where the box of the map has as many pixels.
  template <int Height, int Width, int Size, int Channels>
  static __device__ __forceinline__ void windows(unsigned to, const CUtensorMap &map, int column, int row,
                                                 unsigned barrier) {
    const int pixel = column / Channels, y = row / Width % Height - Size / 2, x = row % Width - Size / 2;
    asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0], [%1, {%2, "
                 "%3, %4, %5}], [%6], {%7, %8};" ::"r"(to),
                 "l"(&map), "r"(column % Channels), "r"(x), "r"(y), "r"(row / (Height * Width)), "r"(barrier),
                 "h"(static_cast<short>(pixel % Size)), "h"(static_cast<short>(pixel / Size))
                 : "memory");
  }
#endif
  /// Of A, which has a map of its own kind if its rows are windows.
  static __device__ __forceinline__ void boxOfA(unsigned to, const CUtensorMap &map, int column, int row,
                                                unsigned barrier) {
#ifdef CUFUSE_WINDOWS
    windows<CUFUSE_WINDOWS>(to, map, column, row, barrier);
#else
    box(to, map, column, row, barrier);
#endif
  }
};
