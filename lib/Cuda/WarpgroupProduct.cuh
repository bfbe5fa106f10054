/// c (+)= a b: 64 x 16 by 16 columns of shared memory, each by its descriptor, b with its columns as rows.
__device__ __forceinline__ void cufuseMultiply(float (&c)[CUFUSE_COUNT], unsigned long long a, unsigned long long b,
                                               int adds) {
  asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, CUFUSE_ADDS, 0;\n"
               "wgmma.mma_async.sync.aligned.CUFUSE_SHAPE.f32.CUFUSE_TYPE.CUFUSE_TYPE "
               "{CUFUSE_REGISTERS}, "
               "CUFUSE_FACTORS, p, 1, 1, 0, 0;\n}"
               : CUFUSE_SUMS
               : "l"(a), "l"(b), "r"(adds));
}
