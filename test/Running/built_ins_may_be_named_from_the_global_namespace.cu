// `::threadIdx` and `::__syncthreads` are what the partition has, as they are without `::`; in registers, too.
// RUN: rm -rf %t && split-file %s %t
// RUN: %cufuse fuse %t/kernels.cu:reversed %t/kernels.cu:root --block 128 --block 64 --grid-policy stride \
// RUN:   --name fused -o %t/fused.cu
// RUN: %cufuse fuse %t/kernels.cu:root %t/kernels.cu:twice --link root.out=twice.in --link root.n=twice.n \
// RUN:   --in-registers --block 64 --name chained -o %t/chained.cu
// RUN: %execute -I %S/Inputs -I %t %t/main.cu %t/fused.cu %t/chained.cu

//--- kernels.cu
namespace own {
__device__ inline int place() { return ::blockIdx.x * ::blockDim.x + ::threadIdx.x; }
__device__ inline unsigned column() { return::threadIdx.x; }
} // namespace own
__global__ void reversed(const float *in, float *out) {
  __shared__ float values[128];
  values[own::column()] = in[own::place()];
  ::__syncthreads();
  out[own::place()] = values[::blockDim.x - 1 - ::threadIdx.x];
}
__global__ void root(const float *in, float *out, int n) {
  const int i = ::blockIdx.x * ::blockDim.x + ::threadIdx.x;
  if (i < n)
    out[i] = ::sqrtf(in[i]);
}
__global__ void twice(const float *in, float *out, int n) {
  const int i = ::blockIdx.x * ::blockDim.x + ::threadIdx.x;
  if (i < n)
    out[i] = in[i] * 2;
}

//--- main.cu
#include "both.h"
#include "kernels.cu"

#include "chained.h"
#include "fused.h"

int main() {
  Array<float> in(4096), a(4096), b(4096), c(4096);
  Both both;
  both.output("a", a), both.output("b", b), both.output("c", c);
  const bool good = both.same(
      "named", [&] { reversed<<<5, 128>>>(in, a), root<<<6, 64>>>(in, b, 330), twice<<<6, 64>>>(b, c, 330); },
      [&] {
        require(fused::launch({5, {in, a}}, {6, {in, b, 330}}), "fused");
        require(chained::launch({6, {in, b, 330, c}}), "chained");
      });
  return good ? 0 : 1;
}
