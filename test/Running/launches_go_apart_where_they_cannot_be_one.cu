// With --apart the caller's own launches run where arrays meet, elements are too few or CUFUSE_DISABLE says so, and the launch
// says which way it went. Arguments may have the names that it has for that.
// A negative number of elements goes there before CUDA knows of an error.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %cufuse fuse kernels.cu:plus kernels.cu:twice --link plus.out=twice.in --link plus.n=twice.n --dead plus.out --block 64 \
// RUN:   --apart --apart-below 100 --name one -o one.cu
// RUN: %cufuse fuse kernels.cu:plus kernels.cu:twice --link plus.out=twice.in --link plus.n=twice.n --dead plus.out --block 64 \
// RUN:   --apart --name off -o off.cu
// RUN: %cufuse fuse kernels.cu:plus kernels.cu:own --block 64 --block 32 --apart --name beside -o beside.cu
// RUN: %execute -I %S/Inputs -I . main.cu one.cu off.cu beside.cu
// RUN: %exits 2 %cufuse fuse kernels.cu:plus kernels.cu:own --block 64 --block 32 --apart --apart-below 9 -o no.cu 2>&1 \
// RUN:   | FileCheck %s --check-prefix=GRID
// GRID: --apart-below is a number of elements, and this launch has a grid
// RUN: %exits 2 %cufuse fuse kernels.cu:plus kernels.cu:own --apart-below 9 -o no.cu 2>&1 | FileCheck %s --check-prefix=ALONE
// ALONE: --apart-below needs --apart

//--- kernels.cu
__global__ void plus(const int *in, int *out, int way, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] + way;
}
__global__ void twice(const int *in, int *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = 2 * in[i];
}
__global__ void own(int *apart) { apart[threadIdx.x] = 7 * threadIdx.x; }

//--- main.cu
#include "both.h"
#include "kernels.cu"

#include "beside.h"
#include "off.h"
#include "one.h"

#include <cstdlib>

int main() {
  setenv("CUFUSE_DISABLE", "other,off", 1);
  Array<int> memory(3000), middle(3000), few(32);
  bool good = true;
  int calls = 0;
  auto check = [&](const char *what, bool holds) {
    if (!holds)
      std::printf("%s is wrong\n", what);
    good &= holds;
  };
  // Out lies `by` elements behind in.
  auto both = [&](auto launch, auto fused, int n, int by) {
    for (int i = 0; i < 3000; ++i)
      memory.host[i] = i;
    require(cudaMemcpy(memory, memory.host.data(), 3000 * sizeof(int), cudaMemcpyHostToDevice), "cudaMemcpy");
    calls = 0;
    auto way = fused;
    require(launch(memory.data, 5, n, memory.data + by, nullptr, [&](cudaStream_t stream) {
      ++calls;
      plus<<<n / 64 + 1, 64, 0, stream>>>(memory.data, middle, 5, n);
      twice<<<n / 64 + 1, 64, 0, stream>>>(middle, memory.data + by, n);
      return cudaGetLastError();
    }, &way), "launch");
    require(cudaMemcpy(memory.host.data(), memory, 3000 * sizeof(int), cudaMemcpyDeviceToHost), "cudaMemcpy");
    for (int i = 0; i < n; ++i)
      check("an element", memory.host[by + i] == 2 * (i + 5));
    check("the number of calls", calls == (way == fused ? 0 : 1));
    return way == fused;
  };
  auto one = [](auto... arguments) { return one::plus_twice::launch(arguments...); };
  auto off = [](auto... arguments) { return off::plus_twice::launch(arguments...); };
  check("many elements, apart from each other", both(one, one::Way::Fused, 1000, 1000));
  check("arrays that meet", !both(one, one::Way::Fused, 1000, 999));
  check("few elements", !both(one, one::Way::Fused, 99, 1000));
  check("as many as fusing is for", both(one, one::Way::Fused, 100, 1000));
  check("fewer than no elements", !both(one, one::Way::Fused, -1, 1000));
  check("a fusion that is switched off", !both(off, off::Way::Fused, 1000, 1000));

  beside::Way way;
  auto apart = [&](cudaStream_t stream) {
    ++calls;
    return cudaSuccess;
  };
  calls = 0;
  require(beside::launch({1, {memory, middle, 1, 64}}, {1, {few}}, nullptr, apart, &way), "beside");
  require(cudaMemcpy(few.host.data(), few, 32 * sizeof(int), cudaMemcpyDeviceToHost), "cudaMemcpy");
  check("kernels side by side", way == beside::Way::Fused && calls == 0 && few.host[31] == 7 * 31);
  require(beside::launch({0, {memory, middle, 1, 64}}, {1, {few}}, nullptr, apart), "beside");
  check("an empty grid", calls == 1);
  return good ? 0 : 1;
}
