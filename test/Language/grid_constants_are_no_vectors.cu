// Alone, a parameter that comes first begins where vectors do. Behind others, it begins where its class does.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse %s:first %s:weighed --block 64 --block 64 -o %t/o.cu 2>&1 | FileCheck %s
// RUN: %cufuse fuse %s:first %s:aligned --block 64 --block 64 -o %t/o.cu
// RUN: %cufuse fuse %s:first %s:pointer --block 64 --block 64 -o %t/o.cu
// RUN: %exits 1 %cufuse fuse %s:first %s:hashed --block 64 --block 64 -o %t/o.cu 2>&1 | FileCheck %s --check-prefix=HASHED
// RUN: %exits 1 %cufuse fuse %s:first %s:rows --block 64 --block 64 -o %t/o.cu 2>&1 | FileCheck %s --check-prefix=ROWS
// RUN: %cufuse fuse %s:first %s:numbers --block 64 --block 64 -o %t/o.cu
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
struct Key {
  unsigned char b[32];
};
// HASHED: error: hashed: {{.*}}: k may be viewed as {{.*}}long{{.*}}, of 8 bytes: declare its class alignas(8) [CopiedParameter]
__global__ void hashed(const __grid_constant__ Key k, unsigned long long *out) {
  out[threadIdx.x] = reinterpret_cast<const unsigned long long *>(k.b)[threadIdx.x % 4];
}
// ROWS: error: rows: {{.*}}: w may be viewed as {{.*}}float4, of 16 bytes: declare its class alignas(16) [CopiedParameter]
__global__ void rows(const __grid_constant__ Weights w, float *out) {
  const float4 (*v)[2] = reinterpret_cast<const float4 (*)[2]>(w.w);
  out[threadIdx.x] = v[threadIdx.x % 2][threadIdx.x / 2 % 2].x;
}
// Of the class's own alignment, a view asks nothing.
__global__ void numbers(const __grid_constant__ Weights w, int *out) {
  out[threadIdx.x] = reinterpret_cast<const int *>(w.w)[threadIdx.x % 16];
}
