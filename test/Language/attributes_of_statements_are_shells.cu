// Whatever the statement is: an expression, too.
// RUN: %cufuse fuse %s:likely %s:unlikely --block 64 --block 64 -o %t.cu -- -std=c++20
// RUN: %nvcc -std=c++20 -Werror all-warnings -arch=sm_90a -cubin -o %t.cubin %t.cu
__device__ void put(int *o, int v) { o[threadIdx.x] = v; }
__global__ void likely(int *o, int n) {
  if (n > 3) [[likely]]
    o[n] = 1;
  else
    put(o, 2);
  for (int i = 0; i < n; ++i) [[likely]]
    o[i] += 2;
}
__global__ void unlikely(int *o, int n) {
  if (n > 3) [[unlikely]]
    put(o, 1);
  else [[likely]] if (n > 2) [[unlikely]]
    return;
  switch (n) {
  [[likely]] case 1:
    [[likely]] o[0] = 4;
    break;
  default: [[unlikely]]
    ++o[1];
  }
}
