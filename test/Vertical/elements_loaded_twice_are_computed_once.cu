// What stays in memory, and is loaded twice in a turn, is computed once: nvcc's code loads each array once.
// RUN: rm -rf %t && mkdir %t
// RUN: %cufuse fuse %s:axpy %s:squares --link axpy.r=squares.x --link axpy.n=squares.n --block 128 --name step -o %t/step.cu
// RUN: %nvcc -std=c++17 -arch=sm_90a -ptx -o %t/step.ptx %t/step.cu
// RUN: FileCheck %s --input-file %t/step.ptx --implicit-check-not=ld.global --implicit-check-not=st.global
// REQUIRES: nvcc

// CHECK: .entry
// CHECK-DAG: ld.global.f64
// CHECK-DAG: ld.global.f64
// CHECK: st.global.f64
// CHECK: atom.
__global__ void axpy(double *r, const double *q, double alpha, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    r[i] = r[i] - alpha * q[i];
}
__global__ void squares(const double *x, double *sum, int n) {
  double own = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    own += x[i] * x[i];
  atomicAdd(sum, own);
}
