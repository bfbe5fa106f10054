// An index that only one way of an expression assigns, or that another name may change, is no element's: what depends on
// it is computed. Vectors may start anywhere in a group. Nothing divides by an argument that is zero.
// RUN: rm -rf %t && split-file %s %t && cd %t
// DEFINE: %{k} =
// DEFINE: %{by} = %cufuse fuse --vertical kernels.cu:twice kernels.cu:%{k} --link twice.y=%{k}.in --link twice.n=%{k}.n \
// DEFINE:   --dead twice.y --block 32 --name by_%{k} -o %t/%{k}.cu
// REDEFINE: %{k} = logical
// RUN: %{by}
// REDEFINE: %{k} = ternary
// RUN: %{by}
// REDEFINE: %{k} = member
// RUN: %{by}
// REDEFINE: %{k} = capture
// RUN: %{by}
// REDEFINE: %{k} = returned
// RUN: %{by}
// RUN: %cufuse fuse --vertical kernels.cu:conjugate kernels.cu:scale --link conjugate.y=scale.in --link conjugate.n=scale.n \
// RUN:   --dead conjugate.y --block 32 --name quaternions -o %t/quaternions.cu
// RUN: %cufuse fuse --distinct --vertical kernels.cu:ones kernels.cu:twos --link ones.n=twos.n --link ones.width=twos.width --block 32 \
// RUN:   --name divided -o %t/divided.cu
// RUN: %execute -I %S/Inputs -I %t %t/main.cu %t/logical.cu %t/ternary.cu %t/member.cu %t/capture.cu %t/returned.cu \
// RUN:   %t/quaternions.cu %t/divided.cu
// RUN: %exits 1 %cufuse fuse --in-registers --vertical kernels.cu:copied kernels.cu:half --link copied.y=half.in \
// RUN:   --link copied.columns=half.columns --dead copied.y --block 64 -o %t/no.cu 2>&1 | FileCheck %s --check-prefix=ROW
// ROW: kernels.cu:{{.*}}: error: {{.*}} half: in[blockIdx.x * columns + i] {{.*}}[NotByRow]
// RUN: %exits 1 %cufuse fuse --in-registers --vertical kernels.cu:large kernels.cu:lifted --link large.y=lifted.mean \
// RUN:   --link large.columns=lifted.columns --dead large.y --block 64 -o %t/no.cu 2>&1 | FileCheck %s --check-prefix=SHARED
// SHARED: refused: {{.*}}49156 bytes [StaticSharedMemory]
// RUN: %cufuse fuse --vertical kernels.cu:twice kernels.cu:telling --link twice.y=telling.in --link twice.n=telling.n \
// RUN:   --in-registers --block 32 -o %t/telling.cu && FileCheck %s --check-prefix=PRINTS < %t/telling.cu
// It prints for threads without an element, so that it is no function of one: the other kernel is computed at its loads.
// PRINTS: Where telling loads in: the element is computed.
// RUN: %cufuse fuse --vertical kernels.cu:kept kernels.cu:keeps --link kept.in=keeps.in --link kept.n=keeps.n --block 32 \
// RUN:   -o %t/kept.cu

//--- kernels.cu
#include <cstdio>

#include "fixed.h"

__global__ void twice(const float *__restrict__ x, float *__restrict__ y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = 2 * x[i];
}

__global__ void logical(const float *__restrict__ in, float *__restrict__ out, bool way, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int j = n;
  (void)(way && (j = i) >= 0);
  float value = in[i];
  if (j < n)
    value += in[i];
  out[i] = value;
}
__global__ void ternary(const float *__restrict__ in, float *__restrict__ out, bool way, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int j = n;
  way ? (j = i) : 0;
  float value = in[i];
  if (j < n)
    value += in[i];
  out[i] = value;
}
struct Reference {
  int &to;
};
__global__ void member(const float *__restrict__ in, float *__restrict__ out, bool way, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int j;
  [[maybe_unused]] Reference reference{j};
  j = i;
  reference.to += way ? 0 : n;
  float value = in[i];
  if (j < n)
    value += in[i];
  out[i] = value;
}
__global__ void capture(const float *__restrict__ in, float *__restrict__ out, bool way, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int j = i;
  auto add = [&to = j](int by) { to += by; };
  add(way ? 0 : n);
  float value = in[i];
  if (j < n)
    value += in[i];
  out[i] = value;
}
__device__ int &same(int &x) { return x; }
__global__ void returned(const float *__restrict__ in, float *__restrict__ out, bool way, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int j;
  int &other = same(j);
  j = i;
  other += way ? 0 : n;
  float value = in[i];
  if (j < n)
    value += in[i];
  out[i] = value;
}

__global__ void conjugate(const float *__restrict__ q, float *__restrict__ y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (4 * i + 3 < n) {
    const float3 v = *reinterpret_cast<const float3 *>(q + 4 * i + 1);
    y[4 * i] = q[4 * i];
    y[4 * i + 1] = -v.x;
    y[4 * i + 2] = -v.y;
    y[4 * i + 3] = -v.z;
  }
}
__global__ void scale(const float *__restrict__ in, float *__restrict__ out, float by, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (4 * i + 3 < n) {
    out[4 * i] = by * in[4 * i];
    const float3 v = *reinterpret_cast<const float3 *>(in + 4 * i + 1);
    *reinterpret_cast<float3 *>(out + 4 * i + 1) = make_float3(by * v.x, by * v.y, by * v.z);
  }
}

__global__ void ones(float *__restrict__ y, int n, int width) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (width > 0) {
    if (i < n / width)
      y[i] = 1;
  }
}
__global__ void twos(float *__restrict__ out, int n, int width) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (width > 0 && i < n / width)
    out[i] = 2;
}

__global__ void copied(const float *__restrict__ x, float *__restrict__ y, int columns) {
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    y[blockIdx.x * columns + i] = x[blockIdx.x * columns + i];
}
__global__ void half(const float *__restrict__ in, float *__restrict__ out, bool way, int columns) {
  int end = columns;
  way ? (end = columns / 2) : (end = columns);
  float sum = 0;
  for (int i = threadIdx.x; i < end; i += blockDim.x)
    if (i < columns)
      sum += in[blockIdx.x * columns + i];
  __shared__ float parts[64];
  parts[threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int k = 1; k < 64; ++k)
      sum += parts[k];
    out[blockIdx.x] = sum;
  }
}

__global__ void large(const float *__restrict__ x, float *__restrict__ y, int columns) {
  __shared__ float all[12288];
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    all[i] = x[blockIdx.x * columns + i];
  __syncthreads();
  if (threadIdx.x == 0)
    y[blockIdx.x] = all[columns - 1];
}
__global__ void lifted(const float *__restrict__ mean, float *__restrict__ out, int columns) {
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    out[blockIdx.x * columns + i] = mean[blockIdx.x];
}

__global__ void telling(const float *__restrict__ in, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) {
    printf("%d is beyond\n", i);
    return;
  }
  out[i] = in[i];
}

__global__ void kept(const Fixed *__restrict__ in, float *__restrict__ y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = in[i].x;
}
__global__ void keeps(const Fixed *__restrict__ in, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i].y;
}

//--- fixed.h
#pragma once
/// Cannot be assigned.
struct Fixed {
  float x, y;
  Fixed() = default;
  Fixed(const Fixed &) = default;
  Fixed &operator=(const Fixed &) = delete;
};

//--- main.cu
#include "both.h"

#include "kernels.cu"

#include "capture.h"
#include "divided.h"
#include "logical.h"
#include "member.h"
#include "quaternions.h"
#include "returned.h"
#include "ternary.h"

int main() {
  constexpr int n = 100, grid = (n + 31) / 32;
  Array<float> x(n), middle(n), y(n);
  bool good = true;
  Both both;
  both.output("y", y);
  auto check = [&](const char *name, auto launch, auto arguments, auto kernel) {
    for (bool way : {false, true}) {
      arguments.grid = grid;
      arguments.arguments.x = x, arguments.arguments.n = n;
      good &= both.same(
          name,
          [&] {
            twice<<<grid, 32>>>(x, middle, n);
            kernel(way);
          },
          [&] { require(launch(arguments, way), name); });
    }
  };
#define CHECK(NAME)                                                                                                    \
  check(                                                                                                               \
      #NAME,                                                                                                           \
      [&](auto &given, bool way) {                                                                                     \
        given.arguments.out = y, given.arguments.way = way;                                              \
        return by_##NAME::launch(given, nullptr);                                                                      \
      },                                                                                                               \
      by_##NAME::twice_##NAME::Launch{}, [&](bool way) { NAME<<<grid, 32>>>(middle, y, way, n); })
  CHECK(logical);
  CHECK(ternary);
  CHECK(member);
  CHECK(capture);
  CHECK(returned);

  quaternions::conjugate_scale::Launch turned{};
  turned.grid = 1;
  turned.arguments.q = x, turned.arguments.n = n;
  turned.arguments.out = y, turned.arguments.scale_by = 3;
  good &= both.same(
      "quaternions",
      [&] {
        conjugate<<<1, 32>>>(x, middle, n);
        scale<<<1, 32>>>(middle, y, 3, n);
      },
      [&] { require(quaternions::launch(turned, nullptr), "quaternions"); });

  divided::ones_twos::Launch divided{};
  divided.grid = 1;
  divided.arguments.y = middle, divided.arguments.n = n, divided.arguments.width = 0;
  divided.arguments.out = y;
  if (divided::launch(divided, nullptr) != cudaErrorInvalidConfiguration) {
    std::printf("a width of 0: not refused\n");
    good = false;
  }
  return good ? 0 : 1;
}
