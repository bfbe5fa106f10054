/// A partition behind which its threads play nothing more: those that leave exit, so that no warp primitive waits for
/// them.
template <unsigned First, unsigned Barrier, unsigned SizeX, unsigned SizeY, unsigned SizeZ>
struct CufuseLastPartition : CufusePartition<First, Barrier, SizeX, SizeY, SizeZ> {
  static __device__ __forceinline__ void leave() { asm volatile("exit;"); }
};
