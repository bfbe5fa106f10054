// Members of a parameter's type, as of a functor, may read the indices: in the output they see the kernel's own, in the
// program the block's. A type that copies of a kernel share cannot; nor may the linker choose among the two.
// RUN: split-file %s %t
// RUN: %cufuse fuse %t/kernels.cu:'each<Scale>' %t/kernels.cu:'each<ops::Shift>' %t/kernels.cu:viewed --block 64 --block 16x4 \
// RUN:   --block 96 --name match -o %t/match.cu
// RUN: %cufuse fuse %t/kernels.cu:'each<Scale>' %t/kernels.cu:'each<ops::Shift>' --block 64 --block 16x4 --geometry blocks \
// RUN:   --grid-policy stride --name stride -o %t/stride.cu
// RUN: %cufuse fuse %t/kernels.cu:'each<Scale>' %t/kernels.cu:viewed --block 64 --block 96 --geometry threads --name turns \
// RUN:   -o %t/turns.cu
// RUN: %cufuse fuse %t/kernels.cu:'each<Scale>' --block 64 --name alone -o %t/alone.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -cubin -o %t/match.cubin %t/match.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -cubin -o %t/alone.cubin %t/alone.cu
// RUN: %cufuse check %t/match.cu && %cufuse check %t/stride.cu
// RUN: %execute -I %S/Inputs -I %t %t/main.cu %t/match.cu %t/stride.cu %t/turns.cu %t/alone.cu
// RUN: FileCheck %s --check-prefix=HEADER --input-file=%t/match.h
// HEADER: namespace match_text { namespace cufuse_each_0 {
// HEADER-NEXT: #ifdef CUFUSE_PARTITIONS_OF_match
// HEADER-NEXT: #define threadIdx cufuse_partition::threadIdx()
// HEADER: #else
// HEADER-NEXT: #define CUFUSE_PARTITIONS_OF_match_NOT
// HEADER-NEXT: #endif
// HEADER: struct Scale {
// HEADER: #undef threadIdx
//
// RUN: %exits 1 %cufuse fuse %t/kernels.cu:'each<Scale>' --block 64 --copies 2 -o %t/none.cu 2>&1 | FileCheck %s
// RUN: %exits 1 %cufuse fuse %t/kernels.cu:'each<Scale>' --block 64 -o %t/none.cu -- -rdc=true 2>&1 | FileCheck %s
// RUN: not %nvcc -rdc=true -arch=sm_90a -cubin -o %t/none.cubin %t/alone.cu 2>&1 | FileCheck %s --check-prefix=LINKED
// LINKED: Compile without -rdc=true
// RUN: printf '#include "alone.h"\n#include "alone.cu"\n' > %t/unity.cu
// RUN: not %nvcc -arch=sm_90a -cubin -o %t/none.cubin %t/unity.cu 2>&1 | FileCheck %s --check-prefix=UNITY
// UNITY: Compile it by itself
// CHECK: error: {{.*}}a parameter's type has members that use the thread block: Scale::operator() [RebindingParameter]
// RUN: %exits 1 %cufuse fuse --vertical %t/kernels.cu:made %t/kernels.cu:taken --link made.out=taken.in --block 64 \
// RUN:   -o %t/none.cu 2>&1 | FileCheck %s --check-prefix=VERTICAL
// VERTICAL: error: {{.*}}a parameter's type has members that use the thread block: Index::operator() [RebindingParameter]

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
};
__global__ void viewed(View view) {
  __shared__ int tile[96];
  tile[threadIdx.x] = view.mine();
  __syncthreads();
  view.mine() = tile[95 - threadIdx.x];
}

struct Index {
  __device__ int operator()() const { return blockIdx.x * blockDim.x + threadIdx.x; }
};
__global__ void made(float *__restrict__ out, int n, Index index) {
  if (index() < n)
    out[index()] = 1;
}
__global__ void taken(const float *__restrict__ in, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] + 1;
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
        second.arguments.out = b, second.arguments.f.by = 5;
        require(match::launch(first, second, {9, 0, {{c}}}), "match");
      });
  good &= both.same("stride", [&] { each<<<11, 64>>>(a, scale), each<<<dim3(3, 4), dim3(16, 4)>>>(b, shift); },
                    [&] {
                      stride::each_0::Launch first{11};
                      first.arguments.out = a, first.arguments.f.by = 3;
                      stride::each_1::Launch second{dim3(3, 4)};
                      second.arguments.out = b, second.arguments.f.by = 5;
                      require(stride::launch(first, second), "stride");
                    });
  good &= both.same("turns", [&] { each<<<11, 64>>>(a, scale), viewed<<<9, 96>>>(View{c}); },
                    [&] { require(turns::launch({11, 0, {a, {3}}}, {9, 0, {{c}}}), "turns"); });
  good &= both.same("alone", [&] { each<<<11, 64>>>(a, scale); },
                    [&] { require(alone::launch({11, 0, {a, {3}}}), "alone"); });
  return good ? 0 : 1;
}
