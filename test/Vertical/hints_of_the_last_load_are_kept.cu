// A stream is loaded once: as the last kernel that loads it says, with the hint that nobody loads it soon again. Lanes are
// 32 to nvcc, so that loops over them are unrolled.
// RUN: %cufuse fuse %s:shifted %s:added --link shifted.out=added.x --link shifted.n=added.n --dead shifted.out --distinct \
// RUN:   --block 64 --name once -o %t.once.cu
// RUN: FileCheck %s < %t.once.cu
// CHECK-DAG: cufuseLoad<Width>(cufuse_shifted_in, in + first);
// CHECK-DAG: cufuseLoadOnce<Width>(cufuse_added_more, more + first);
// RUN: %cufuse fuse %s:doubled %s:sum --link doubled.out=sum.x --link doubled.n=sum.n --dead doubled.out --distinct --block 64 \
// RUN:   --name lanes -o %t.lanes.cu
// RUN: FileCheck %s --check-prefix=LANES < %t.lanes.cu
// LANES: __global__ void fused(
// LANES: __builtin_assume(warpSize == 32);

__global__ void shifted(const float *in, float *out, float by, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n / 4)
    return;
  float4 v = reinterpret_cast<const float4 *>(in)[i];
  v.x += by, v.y += by, v.z += by, v.w += by;
  reinterpret_cast<float4 *>(out)[i] = v;
}

__global__ void added(const float *x, const float *more, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n / 4)
    return;
  float4 v = reinterpret_cast<const float4 *>(x)[i];
  const float4 w = __ldcs(reinterpret_cast<const float4 *>(more) + i);
  v.x += w.x, v.y += w.y, v.z += w.z, v.w += w.w;
  reinterpret_cast<float4 *>(out)[i] = v;
}

__global__ void doubled(const float *in, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = 2 * in[i];
}

__global__ void sum(const float *x, float *all, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float mine = i < n ? x[i] : 0;
  for (int reach = warpSize / 2; reach > 0; reach /= 2)
    mine += __shfl_xor_sync(0xffffffffu, mine, reach);
  if (threadIdx.x % warpSize == 0)
    atomicAdd(all, mine);
}
