// Alone, a kernel's first shared array lies at the beginning of the block's, and may be accessed by vectors: beside a kernel
// whose own variables come first, it says so, also where a vector is copied out of it, of which the code has the members alone.
// RUN: %cufuse fuse %s:sums %s:floats '%s:staged<float>' %s:copied --block 64 --block 64 --block 64 --block 64 --name three -o %t.cu
// RUN: FileCheck %s --input-file %t.cu
// RUN: %nvcc -arch=sm_90a -ptx -o %t.ptx %t.cu && FileCheck %s --check-prefix=PTX --input-file %t.ptx
// CHECK: __shared__ float total;
// CHECK: __shared__ int counts[64];
// CHECK: __shared__ float row[256] __attribute__((aligned(16))), other[3] __attribute__((aligned(8)));
// CHECK: __shared__ float2 pairs[64] __attribute__((aligned(16)));
// CHECK: SHARED short few[4] __attribute__((aligned(8)));
// CHECK: __shared__ float4 wide[2];
// CHECK: __shared__ float members[256] __attribute__((aligned(16))), member[4] __attribute__((aligned(16)));
// CHECK: __shared__ T stage[256] __attribute__((aligned(16)));
// CHECK: __shared__ unsigned long long bar;
// CHECK: __shared__ float s[256] __attribute__((aligned(16)));
// PTX-DAG: .shared .align 16 {{.*}}row
// PTX-DAG: .shared .align 16 {{.*}}pairs
// PTX-DAG: .shared .align 8 {{.*}}few
// PTX-DAG: .shared .align 16 {{.*}}stage

// What other memory is viewed as asks nothing of it.
// RUN: %cufuse fuse %s:sums %s:of_others --block 64 --block 64 --name others -o %t3.cu && FileCheck %s --check-prefix=OTHERS --input-file %t3.cu
// OTHERS: {{^}}  ARRAY(own);

// What cannot be said is refused.
// RUN: %exits 1 %cufuse fuse %s:sums %s:of_macro --block 64 --block 64 --name both -o %t2.cu 2>&1 | FileCheck %s --check-prefix=MACRO
// MACRO: aligned_as_it_is_accessed.cu:[[#@LINE+54]]:3: error: of_macro: {{.*}}not written in one piece: all is accessed as if aligned to 16 bytes [UneditableText]
#define SHARED __shared__
#define ARRAY(name) __shared__ float name[256]
#define TEXT ARRAY(all)
__global__ void sums(const float *in, float *out) {
  __shared__ float total;
  __shared__ int counts[64];
  counts[threadIdx.x] = 0;
  if (threadIdx.x == 0)
    total = 0;
  __syncthreads();
  atomicAdd(&total, in[threadIdx.x]);
  atomicAdd(&counts[int(in[threadIdx.x]) & 63], 1);
  __syncthreads();
  if (threadIdx.x == 0)
    out[blockIdx.x] = total + counts[0];
}
__global__ void floats(const float *in, float *out) {
  __shared__ float row[256], other[3];
  __shared__ float2 pairs[64];
  SHARED short few[4];
  __shared__ float4 wide[2];
  __shared__ float members[256], member[4];
  ((float4 *)members)[threadIdx.x].x = 1;
  ((float4 *)member)->y = members[threadIdx.x];
  *(float4 *)(row + threadIdx.x * 4) = *(const float4 *)(in + threadIdx.x * 4);
  if (threadIdx.x < 32)
    *(uint4 *)(pairs + threadIdx.x * 2) = uint4();
  row[0] = other[0] = few[0] = 1;
  *(unsigned long long *)few = 5;
  wide[1] = {1, 2, 3, 4};
  __syncthreads();
  out[threadIdx.x] = row[255 - threadIdx.x] + other[0] + few[0] + wide[1].x + pairs[threadIdx.x].y + member[1];
}
template <class T> __global__ void staged(const T *in, T *out) {
  __shared__ T stage[256];
  __shared__ unsigned long long bar;
  asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"((unsigned)__cvta_generic_to_shared(&bar)));
  const unsigned to = (unsigned)__cvta_generic_to_shared(stage + threadIdx.x * 4);
  asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(to), "l"(in + threadIdx.x * 4));
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"((unsigned)__cvta_generic_to_shared(&bar)));
  out[threadIdx.x] = stage[255 - threadIdx.x];
}
template __global__ void staged<float>(const float *, float *);
__global__ void copied(const float *in, float *out) {
  __shared__ float s[256];
  s[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  float4 v = *(float4 *)&s[4 * threadIdx.x];
  out[threadIdx.x] = v.x + v.y;
}
__global__ void of_macro(const float *in, float *out) {
  TEXT;
  *(float4 *)(all + threadIdx.x * 4) = *(const float4 *)(in + threadIdx.x * 4);
  __syncthreads();
  out[threadIdx.x] = all[255 - threadIdx.x];
}

// However the address was made by which it is accessed: an array of vectors, a reference, a union.
// RUN: %cufuse fuse %s:sums %s:arrays %s:reference %s:byUnion --block 64 --block 64 --block 64 --block 64 --name views -o %t3.cu
// RUN: FileCheck %s --check-prefix=VIEWS --input-file %t3.cu
// VIEWS: __shared__ float ofArrays[256] __attribute__((aligned(16)));
// VIEWS: __shared__ float ofReference[256] __attribute__((aligned(16)));
// VIEWS: __shared__ float ofUnion[256] __attribute__((aligned(16)));
__global__ void arrays(const float *x, float4 *y) {
  __shared__ float ofArrays[256];
  for (int i = threadIdx.x; i < 256; i += 64)
    ofArrays[i] = x[i];
  __syncthreads();
  float4(*view)[8] = reinterpret_cast<float4(*)[8]>(ofArrays);
  y[threadIdx.x] = view[threadIdx.x % 8][threadIdx.x / 8];
}
__global__ void reference(const float *x, float4 *y) {
  __shared__ float ofReference[256];
  for (int i = threadIdx.x; i < 256; i += 64)
    ofReference[i] = x[i];
  __syncthreads();
  y[threadIdx.x] = reinterpret_cast<float4(&)[64]>(ofReference)[63 - threadIdx.x];
}
__device__ float4 &vectorAt(float &first) {
  union {
    float *from;
    float4 *to;
  } both;
  both.from = &first;
  return *both.to;
}
__global__ void byUnion(const float *x, float4 *y) {
  __shared__ float ofUnion[256];
  for (int i = threadIdx.x; i < 256; i += 64)
    ofUnion[i] = x[i];
  __syncthreads();
  y[threadIdx.x] = vectorAt(ofUnion[4 * (63 - threadIdx.x)]);
}
struct Where {
  float *to;
  const float *from;
};
__global__ void of_others(const Where *all) {
  ARRAY(own);
  const Where mine = all[blockIdx.x];
  own[threadIdx.x] = mine.from[threadIdx.x];
  __syncthreads();
  mine.to[threadIdx.x] = own[63 - threadIdx.x];
}
