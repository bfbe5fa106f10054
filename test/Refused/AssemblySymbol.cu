// Assembly that names a variable of the program is refused: in the output, the variable has another symbol, or none. What it
// declares itself, or other assembly does, is no symbol.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse %s:counts --block 64 -o %t/out.cu -- -rdc=true 2>&1 | \
// RUN:   FileCheck %s '--implicit-check-not={{(error|refused):}}'
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse %s:declares --block 64 -o %t/out.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -cubin -o %t/out.cubin %t/out.cu
__device__ int total;
namespace kept {
__device__ int table[4];
}

__global__ void counts(int *data) {
  int x = data[threadIdx.x];
  // CHECK: {{[^ ]*}}:[[#@LINE+4]]:3: error: counts: inline assembly names what it does not declare, by a symbol that the fused
  // CHECK-SAME: file does not have: total in counts [AssemblySymbol]
  // CHECK: note: hand the address over as an operand: asm("… [%0] …" :: "l"(&variable))
  // CHECK: {{[^ ]*}}:[[#@LINE+2]]:3: error: counts: {{.*}}: _ZN4kept5tableE in counts [AssemblySymbol]
  asm volatile("red.global.add.s32 [total], %[x];" ::[x] "r"(x) : "memory");
  asm volatile("ld.global.s32 %0, [_ZN4kept5tableE+4];" : "=r"(x));
  data[threadIdx.x] = x;
}

__global__ void declares(unsigned *data) {
  unsigned x = data[threadIdx.x], y;
  asm volatile("{ .reg .pred p, q; .reg .b32 t<4>; .reg.b16 lo, hi; .local .b32 mine[4];\n"
               "  mov.b32 {lo, hi}, %1; mov.b32 {_, hi}, %1; mov.b32 t1, {hi, lo}; mov.u32 t2, WARP_SZ;\n"
               "  setp.lt.and.u32 p|q, t1, t2, !p; @p bra DONE_%=; st.local.b32 [mine+4], t1; mov.f32 t3, 0f3F800000;\n"
               "DONE_%=: add.u32 %0, t1, t2; }"
               : "=r"(y)
               : "r"(x));
  asm volatile(".reg .u32 outside; mov.u32 outside, %0;" ::"r"(y));
  asm volatile("add.u32 %0, %1, outside;" : "=r"(x) : "r"(y));
  data[threadIdx.x] = x;
}
