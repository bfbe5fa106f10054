#ifdef CUFUSE_PARTED
/// All kernels, one after the other, on the `Width` elements from `first` on; where they are `whole`, all of them
/// exist.
template <int Width, bool whole>
#else
/// All kernels, one after the other, on the `Width` elements from `first` on.
template <int Width>
#endif
__device__ __forceinline__ void cufuseTurn(CUFUSE_HEAD) {
  CUFUSE_REGISTERS;
  CUFUSE_LOADS;
#ifdef CUFUSE_SEVERAL
  ::__syncwarp(::__activemask()); // waits for nobody; all loads are under way before anything is computed
#endif
  CUFUSE_CALLS;
  CUFUSE_STORES;
}
