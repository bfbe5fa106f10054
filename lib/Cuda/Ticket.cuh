/// Numbers the blocks that come to a multiprocessor (PTX ISA, %smid).
struct CufuseTicket {
  static __device__ __forceinline__ unsigned take(unsigned *tickets) {
    __shared__ unsigned taken;
    if (::threadIdx.x == 0) {
      unsigned multiprocessor;
      asm volatile("mov.u32 %0, %%smid;" : "=r"(multiprocessor));
      taken = atomicAdd(&tickets[multiprocessor % 256], 1u);
    }
    ::__syncthreads();
    return taken;
  }
};
