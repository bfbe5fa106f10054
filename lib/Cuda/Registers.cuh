/// All warps of a partition change the registers of their threads from those that the launch gave to those that they
/// need: first some give back, then others take (PTX ISA, setmaxnreg; for -gencode arch=compute_90a,code=sm_90a).
template <unsigned AtLaunch, unsigned Own> __device__ __forceinline__ void cufuseRegisters() {
  if (Own < AtLaunch)
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Own));
  else if (Own > AtLaunch)
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Own));
}
