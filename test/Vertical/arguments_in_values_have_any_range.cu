// An argument that is only computed with may be any number, as the seed of a hash. Where a sum with it is widened, divided
// or counts elements, and goes on, the launch asks for one that overflows nothing.
// RUN: rm -rf %t && mkdir %t
// RUN: %cufuse fuse %s:scale %s:drop --link scale.out=drop.in --link scale.n=drop.n --dead scale.out --block 64 -o %t/drop.cu
// RUN: FileCheck %s --check-prefix=DROP '--implicit-check-not={{(seed|drop_stream|threshold).* > }}' < %t/drop.cu
// RUN: %cufuse fuse %s:scale %s:parts --link scale.out=parts.in --link scale.n=parts.n --dead scale.out --block 64 -o %t/parts.cu
// RUN: FileCheck %s --check-prefix=PARTS < %t/parts.cu
// DROP: namespace
// PARTS-DAG: widened > 2147483647u
// PARTS-DAG: divisor > 2147483647u
// PARTS-DAG: parts_offset > 2147483647u

__device__ unsigned hashed(unsigned long long v) {
  v = (v ^ v >> 33) * 0xff51afd7ed558ccdull;
  return static_cast<unsigned>(v ^ v >> 33);
}
__global__ void scale(const float *__restrict__ x, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = 2 * x[i];
}
__global__ void drop(const float *__restrict__ in, float *__restrict__ out, int n, unsigned long long seed,
                     unsigned stream, unsigned threshold) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const unsigned short_ = i * 2654435761u + stream;
  const unsigned long long wide = short_;
  const bool kept = hashed(seed + i) < threshold && hashed(static_cast<unsigned>(seed) + i) != (wide >> 20);
  out[i] = kept && hashed(stream + i) > (short_ >> 16) ? in[i] : 0;
}
__global__ void parts(const float *__restrict__ in, const float *__restrict__ other, float *__restrict__ out, int n,
                      unsigned widened, unsigned divisor, unsigned offset) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] + other[i + offset] + hashed(i / divisor) +
             hashed(static_cast<unsigned long long>(widened + threadIdx.x) +
                    static_cast<unsigned long long>(blockIdx.x) * blockDim.x);
}
