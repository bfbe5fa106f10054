// A label or a register that assembly declares outside braces is the whole function's: ptxas finds it twice where two
// bodies, or two turns of a loop, become one function.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse %s:jumps --block 40 --copies 2 -o %t/out.cu 2>&1 | FileCheck %s '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse %s:jumps %s:other --block 64 --block 64 -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=OTHER '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse %s:first %s:second --block 64 --block 64 -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=HELPER '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse %s:turns --block 64 --unroll 2 -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=TURNS '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse %s:turns --block 64 --grid-policy stride -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=TURNS '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse %s:turns %s:braces --block 64 --block 64 --geometry threads --turns braces=3 -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=TURNS '--implicit-check-not={{(error|refused):}}'
// RUN: ls -A %t | count 0
//
// Names of its own, or between braces, may stand beside it.
// RUN: %cufuse fuse %s:jumps %s:turns --block 64 --block 64 -o %t/out.cu
// RUN: %nvcc -arch=sm_90a -cubin -o %t/out.cubin %t/out.cu
// RUN: %cufuse fuse %s:braces %s:jumps --block 64 --block 64 --copies braces=3 -o %t/braces.cu
// RUN: %nvcc -arch=sm_90a -cubin -o %t/braces.cubin %t/braces.cu

__global__ void jumps(unsigned *data) {
  unsigned x = data[threadIdx.x];
  // CHECK: {{[^ ]*}}AssemblyNames.cu:[[#@LINE+6]]:{{[0-9]+}}: error: inline assembly declares a label or a register that
  // CHECK-SAME: the fused kernel may have twice: behind [AssemblyNames]
  // CHECK: note: put the assembly in { }, between which its names
  // CHECK-SAME: are its own
  // CHECK: error: {{.*}}: tmp [AssemblyNames]
  // CHECK: error: {{.*}}: wide [AssemblyNames]
  asm volatile(".reg.u32 tmp, wide<4>;\n mov.u32 tmp, %0;\n bra behind;\n add.u32 tmp, tmp, 5;\n"
               "behind: mov.u32 %0, tmp;"
               : "+r"(x));
  data[threadIdx.x] = x;
}

__global__ void other(unsigned *data) {
  unsigned x = data[threadIdx.x];
  // OTHER: {{[^ ]*}}AssemblyNames.cu:[[#@LINE+1]]:{{[0-9]+}}: error: {{.*}}: behind [AssemblyNames]
  asm volatile("{ .reg .u32 tmp; mov.u32 tmp, %0; mov.u32 %0, tmp; } bra behind; behind:" : "+r"(x));
  data[threadIdx.x] = x;
}

__global__ void braces(unsigned *data) {
  unsigned x = data[threadIdx.x];
  asm volatile("{ .reg .u32 tmp; mov.u32 tmp, %0; bra behind; behind: mov.u32 %0, tmp; }" : "+r"(x));
  data[threadIdx.x] = x;
}

__device__ unsigned copied(unsigned x) {
  // HELPER: {{[^ ]*}}AssemblyNames.cu:[[#@LINE+1]]:{{[0-9]+}}: error: {{.*}}: held [AssemblyNames]
  asm volatile(".reg .u32 held; mov.u32 held, %0; mov.u32 %0, held;" : "+r"(x));
  return x;
}
__global__ void first(unsigned *data) { data[threadIdx.x] = copied(data[threadIdx.x]); }
__global__ void second(unsigned *data) { data[threadIdx.x] = copied(data[threadIdx.x] + 1); }

__global__ void turns(unsigned *data, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    unsigned x = data[i];
    // TURNS: {{[^ ]*}}AssemblyNames.cu:[[#@LINE+1]]:{{[0-9]+}}: error: {{.*}}: turn [AssemblyNames]
    asm volatile(".reg .u32 turn; mov.u32 turn, %0; mov.u32 %0, turn;" : "+r"(x));
    data[i] = x;
  }
}
