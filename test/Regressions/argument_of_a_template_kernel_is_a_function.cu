// The kernel is what is named first; its argument is named with arguments of its own.
// RUN: rm -rf %t && mkdir %t
// RUN: %cufuse fuse '%s:apply<&twice<int>, int>' '%s:apply<&plus, float>' --block 32 --block 32 -o %t/fused.cu
// RUN: %nvcc -std=c++17 -arch=sm_90a -cubin -o %t/fused.cubin %t/fused.cu
// RUN: not %cufuse fuse %s:apply --block 32 -o %t/none.cu 2>&1 | FileCheck %s
// CHECK: choose one by its name: apply<&twice<int>, int>, apply<&twice<float>, float>, apply<&plus, float>
// RUN: %cufuse inspect --full %s | FileCheck %s --check-prefix=INSPECT
// INSPECT: apply<&twice<float>, float>(float *)
template <typename T> __device__ T twice(T x) { return x + x; }
__device__ float plus(float x) { return x + 1; }
template <auto F, typename T> __global__ void apply(T *data) { data[threadIdx.x] = F(data[threadIdx.x]); }
void run(int *i, float *f) {
  apply<&twice<int>><<<1, 32>>>(i);
  apply<&twice<float>><<<1, 32>>>(f);
  apply<&plus><<<1, 32>>>(f);
}
