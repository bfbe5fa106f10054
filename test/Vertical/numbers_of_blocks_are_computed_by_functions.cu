// How many blocks a launch has may be computed by functions that do no more than to return a number, and by min and max:
// here one, so that the sums of blocks are summed by the last block, and go on to all others by the first.
// RUN: %cufuse fuse --vertical %s:sums %s:scan --name fused -o %t.cu 2>&1 | FileCheck %s --check-prefix=LAST
// LAST: by the last block, since
// RUN: %cufuse fuse --vertical %s:scan %s:add --name fused -o %t.cu 2>&1 | FileCheck %s --check-prefix=FIRST
// FIRST: by the first block, since
// Not with two blocks, or where a variable or what a function takes may change.
// RUN: %exits 1 %cufuse fuse --vertical %s:sums %s:two -o %t.cu 2>&1 | FileCheck %s --check-prefix=NO
// RUN: %exits 1 %cufuse fuse --vertical %s:sums %s:changed -o %t.cu 2>&1 | FileCheck %s --check-prefix=NO
// RUN: %exits 1 %cufuse fuse --vertical %s:sums %s:counted -o %t.cu 2>&1 | FileCheck %s --check-prefix=NO
// NO: error: the launches at {{.*}} are not seen to have one grid
static unsigned divideUp(unsigned all, unsigned part) { return all % part == 0 ? all / part : all / part + 1; }
static int countUp(int &all) { return ++all; }

__global__ void sums(float *sum, const float *in) {
  __shared__ float part[256];
  part[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (threadIdx.x < half)
      part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    sum[blockIdx.x] = part[0];
}
#define SCAN(NAME)                                                                                                     \
  __global__ void NAME(float *sum) {                                                                                   \
    __shared__ float part[256];                                                                                        \
    part[threadIdx.x] = sum[blockIdx.x * 256 + threadIdx.x];                                                           \
    __syncthreads();                                                                                                   \
    float all = 0;                                                                                                     \
    for (int i = 0; i <= threadIdx.x; ++i)                                                                             \
      all += part[i];                                                                                                  \
    sum[blockIdx.x * 256 + threadIdx.x] = all;                                                                         \
  }
SCAN(scan)
SCAN(two)
SCAN(changed)
SCAN(counted)
__global__ void add(float *out, const float *sum) { out[blockIdx.x * blockDim.x + threadIdx.x] += sum[blockIdx.x]; }

void run(float *out, float *sum, const float *in) {
  const int elements = 65536;
  int block = 256, blocks = elements / block, least = min(blocks, block);
  int again = divideUp(blocks, least);
  sums<<<blocks, block>>>(sum, in);
  scan<<<again, least>>>(sum);
  add<<<blocks, block>>>(out, sum);
}
void runTwo(float *sum, const float *in) {
  const int blocks = 65536 / 256;
  sums<<<blocks, 256>>>(sum, in);
  two<<<divideUp(blocks + 1, 256), 256>>>(sum);
}
void runChanged(float *sum, const float *in) {
  int blocks = 65536 / 256;
  sums<<<blocks, 256>>>(sum, in);
  ++blocks;
  changed<<<divideUp(blocks, 256), 256>>>(sum);
}
void runCounted(float *sum, const float *in) {
  int blocks = 0;
  const int counts = countUp(blocks);
  sums<<<256, 256>>>(sum, in);
  counted<<<counts, 256>>>(sum);
}
