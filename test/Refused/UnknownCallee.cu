// A function that only the kernel's arguments know was compiled with the built-ins of the whole block.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse %s:mapped --block 64 -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=POINTER '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse %s:visited --block 64 -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=OBJECT '--implicit-check-not={{(error|refused):}}'
// RUN: test ! -e %t/out.cu
// RUN: %cufuse fuse %s:chosen --block 64 -o %t/out.cu

using Function = float (*)(float);
struct Shape {
  __device__ virtual float area() const = 0;
};
struct Scene {
  const Shape *const *shapes;
};
__device__ float twice(float x) { return 2 * x; }
__device__ float half(float x) { return x / 2; }

// POINTER: {{.*}}UnknownCallee.cu:[[@LINE+2]]:{{[0-9]+}}: error: mapped: the kernel may call functions that only its arguments know: f [UnknownCallee]
// POINTER: note: choose among functions of the kernel's file inside the kernel
__global__ void mapped(float *data, Function f) { data[threadIdx.x] = f(data[threadIdx.x]); }

// OBJECT: {{.*}}UnknownCallee.cu:[[@LINE+1]]:{{[0-9]+}}: error: visited: the kernel may call functions that only its arguments know: scene [UnknownCallee]
__global__ void visited(float *data, Scene scene) { data[threadIdx.x] = scene.shapes[blockIdx.x]->area(); }

__global__ void chosen(float *data, bool up) {
  const Function f = up ? twice : half;
  data[threadIdx.x] = f(data[threadIdx.x]);
}
