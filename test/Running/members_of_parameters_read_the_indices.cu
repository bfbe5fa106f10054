// Members of a parameter's type, as of a functor, may read the indices: in the output they see the kernel's own, in the
// program the block's. They may synchronise, and copies of a kernel have types of their own.
// RUN: split-file %s %t
// RUN: %cufuse fuse %t/kernels.cu:'each<Scale>' %t/kernels.cu:'each<ops::Shift>' %t/kernels.cu:viewed --block 64 --block 16x4 \
// RUN:   --block 96 --name match -o %t/match.cu
// RUN: %cufuse fuse %t/kernels.cu:'each<Scale>' %t/kernels.cu:'each<ops::Shift>' --block 64 --block 16x4 --geometry blocks \
// RUN:   --grid-policy stride --name stride -o %t/stride.cu
// RUN: %cufuse fuse %t/kernels.cu:'each<Scale>' %t/kernels.cu:viewed --block 64 --block 96 --geometry threads --name turns \
// RUN:   -o %t/turns.cu
// RUN: %cufuse fuse %t/kernels.cu:'each<Scale>' --block 64 --copies 2 --name alone -o %t/alone.cu -- -rdc=true
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -cubin -o %t/match.cubin %t/match.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -cubin -o %t/alone.cubin %t/alone.cu
// RUN: %cufuse check %t/match.cu && %cufuse check %t/stride.cu
// RUN: %execute -I %S/Inputs -I %t %t/main.cu %t/match.cu %t/stride.cu %t/turns.cu %t/alone.cu

//--- kernels.cu
struct Scale {
  int by;
  __device__ void operator()(int *out) const {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = out[i] * by + gridDim.x;
  }
};

namespace ops {
__device__ int row() { return threadIdx.y; }
template <typename T> struct Base {
  T by;
  __device__ T shifted(T x) const { return x + by * row() + blockDim.y; }
};
struct Shift : Base<int> {
  __device__ void operator()(int *out) const {
    const int i = (blockIdx.y * gridDim.x + blockIdx.x) * 64 + row() * 16 + threadIdx.x;
    out[i] = shifted(out[i]);
  }
};
} // namespace ops

template <typename F> __global__ void each(int *out, F f) { f(out); }

struct View {
  int *data;
  __device__ int &mine() const { return data[blockIdx.x * blockDim.x + threadIdx.x]; }
  __device__ void turn() const {
    __shared__ int tile[96];
    tile[threadIdx.x] = mine();
    __syncthreads();
    mine() = tile[95 - threadIdx.x];
  }
};
__global__ void viewed(View view) {
  view.turn();
}

//--- main.cu
#include "both.h"
#include "kernels.cu"

#include "alone.h"
#include "match.h"
#include "stride.h"
#include "turns.h"

int main() {
  Array<int> a(2048), b(2048), c(2048);
  Both both;
  both.output("a", a), both.output("b", b), both.output("c", c);
  const Scale scale{3};
  ops::Shift shift;
  shift.by = 5;
  bool good = true;
  good &= both.same(
      "match", [&] { each<<<11, 64>>>(a, scale), each<<<dim3(3, 4), dim3(16, 4)>>>(b, shift), viewed<<<9, 96>>>(View{c}); },
      [&] {
        match::each_0::Launch first{11};
        first.arguments.out = a, first.arguments.f.by = 3;
        match::each_1::Launch second{dim3(3, 4)};
        second.arguments.out = b, second.arguments.f = shift;
        require(match::launch(first, second, {9, {{c}}}), "match");
      });
  good &= both.same("stride", [&] { each<<<11, 64>>>(a, scale), each<<<dim3(3, 4), dim3(16, 4)>>>(b, shift); },
                    [&] {
                      stride::each_0::Launch first{11};
                      first.arguments.out = a, first.arguments.f.by = 3;
                      stride::each_1::Launch second{dim3(3, 4)};
                      second.arguments.out = b, second.arguments.f = shift;
                      require(stride::launch(first, second), "stride");
                    });
  good &= both.same("turns", [&] { each<<<11, 64>>>(a, scale), viewed<<<9, 96>>>(View{c}); },
                    [&] { require(turns::launch({11, {a, {3}}}, {9, {{c}}}), "turns"); });
  good &= both.same("alone", [&] { each<<<11, 64>>>(a, scale); },
                    [&] { require(alone::launch({11, {a, {3}}}), "alone"); });
  return good ? 0 : 1;
}
