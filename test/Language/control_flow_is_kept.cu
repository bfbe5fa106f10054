// switch, goto, loops of every kind, early returns behind which nobody synchronises, warp primitives and atomics.
// RUN: %cufuse fuse %s:jumps %s:warps --block 128 --block 96 -o %t.cu
// RUN: %FileCheck %s < %t.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -cubin -o %t.cubin %t.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_80 -cubin -o %t.80.cubin %t.cu

// CHECK: goto retry;
// CHECK: for (;;) {

__global__ void jumps(int *data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int value = data[i], tries = 0;
retry:
  switch (value & 3) {
  case 0:
    value >>= 2;
    break;
  case 2: ++value;
  case 1:
    value *= 3;
    break;
  default:
    do
      value -= 5;
    while (value > 100);
  }
  if (value > 10 && ++tries < 8)
    goto retry;
  for (;;) {
    if (value <= 0)
      break;
    if (value == 7)
      return;
    --value;
    if (value % 2)
      continue;
    value -= 2;
  }
  data[i] = value;
}

__global__ void warps(const unsigned *in, unsigned *histogram, float *sum) {
  const unsigned lane = threadIdx.x % warpSize;
  const unsigned value = in[blockIdx.x * blockDim.x + threadIdx.x];
  const unsigned same = __match_any_sync(0xffffffffu, value);
  if (__ffs(same) - 1 == (int)lane)
    atomicAdd(&histogram[value], __popc(same));
  float f = value;
  for (int offset = warpSize / 2; offset; offset >>= 1)
    f += __shfl_down_sync(~0u, f, offset);
  __syncwarp();
  if (lane == 0)
    atomicAdd(sum, f);
  if (__any_sync(__activemask(), value > 1000) && __ballot_sync(~0u, value & 1))
    atomicMax(&histogram[0], __reduce_max_sync(~0u, value));
  atomicCAS(&histogram[1], 0u, lane);
  atomicExch_block(&histogram[2], 1u);
}
