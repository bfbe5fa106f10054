// Alone, a parameter that comes first begins where vectors do. Behind others, it begins where its class does.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse %s:first %s:weighed --block 64 --block 64 -o %t/o.cu 2>&1 | FileCheck %s
// RUN: %cufuse fuse %s:first %s:aligned --block 64 --block 64 -o %t/o.cu
// RUN: %cufuse fuse %s:first %s:pointer --block 64 --block 64 -o %t/o.cu
struct Weights {
  float w[16];
};
struct alignas(16) Aligned {
  float w[16];
};
struct Arguments {
  const float *in;
  float scale;
  int n;
};
__global__ void first(float *y, int n, int m) {
  if (threadIdx.x < n)
    y[threadIdx.x] = m;
}
// CHECK: [[#@LINE+2]]:{{[0-9]+}}: error: weighed: {{.*}}: w may be viewed as {{.*}}float4, of 16 bytes: declare its class alignas(16) [CopiedParameter]
__global__ void weighed(const __grid_constant__ Weights w, float *y) {
  const float4 v = reinterpret_cast<const float4 *>(w.w)[threadIdx.x % 4];
  y[threadIdx.x] = v.x + v.y;
}
__global__ void aligned(const __grid_constant__ Aligned w, float *y) {
  const float4 v = reinterpret_cast<const float4 *>(w.w)[threadIdx.x % 4];
  y[threadIdx.x] = v.x + v.y;
}
__global__ void pointer(const __grid_constant__ Arguments a, float *y) {
  const float4 v = reinterpret_cast<const float4 *>(a.in)[threadIdx.x];
  y[threadIdx.x] = v.x * a.scale;
}
