// What a thrust::device_vector says of its memory is where that is, and changes nothing.
// RUN: %cufuse fuse --vertical %s:fill %s:turn --distinct --name fused --dry-run -o %t.cu 2>&1 | FileCheck %s
// CHECK: linked as launched at {{.*}}: --link fill.x=turn.in --link fill.n=turn.n{{$}}
#include <thrust/device_vector.h>
__global__ void fill(float *x, float value, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] = value;
}
__global__ void turn(const float *in, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = -in[i];
}
void ofVectors(thrust::device_vector<float> &x, float *y, int n) {
  fill<<<(n + 255) / 256, 256>>>(thrust::raw_pointer_cast(x.data()), 1, n);
  turn<<<(n + 255) / 256, 256>>>(thrust::raw_pointer_cast(x.data()), y, n);
}
