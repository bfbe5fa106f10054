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

/// Loads by tensor maps.
struct CufuseLoads : CufuseMbarriers {
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
