// A return that a macro spells, or that returns an expression, says that its thread leaves, as any other does.
// RUN: split-file %s %t
// RUN: cd %t && %cufuse fuse kernels.cu:checked kernels.cu:'wrapped<int>' kernels.cu:reporting --block 64 --block 96 --block 64 \
// RUN:   --name match -o match.cu
// RUN: cd %t && %cufuse fuse kernels.cu:checked kernels.cu:'wrapped<int>' kernels.cu:reporting --block 64 --block 96 --block 64 \
// RUN:   --grid-policy stride --name stride -o stride.cu
// RUN: FileCheck %s --input-file=%t/match.cu
// RUN: %execute -I %S/Inputs -I %t %t/main.cu %t/match.cu %t/stride.cu

// CHECK: if ((i) >= (n)) return cufuse_partition::leave();
// CHECK: do { if (in[i] % 5 == 0 || in[i] % 7 == 0) { atomicAdd(out + n, 13); return cufuse_partition::leave(); } } while (0);
// What a lambda returns is its own, and stays in the macro. All lines keep their numbers.
// CHECK: RETURN_IF(value > 500
// CHECK: if (i + 1 >= n) return cufuse_partition::leave();
// CHECK-NEXT: if (in[i] > 900) { out[i] = (5); return cufuse_partition::leave(); }
// CHECK-NEXT: if (in[i] > 800) { return cufuse_partition::leave(); }
// CHECK: out[i] = tile[95 - threadIdx.x] + __LINE__;
// CHECK: return report(out + i, in[i]), cufuse_partition::leave();
// CHECK: return (void)(out[i] = 4), cufuse_partition::leave();

//--- kernels.cu
#define CHECK_BOUNDS(i, n) if ((i) >= (n)) return
#define RETURN_IF(condition, ...) do { if (condition) { __VA_ARGS__; return; } } while (0)
#define LEAVE_IF(condition, ...) if (condition) { __VA_OPT__(out[i] = (__VA_ARGS__);) return; }
#define GIVEN(...) __VA_ARGS__
#define LAST(i) GIVEN(CHECK_LAST(i))
#define CHECK_LAST(i) if (i + 1 >= n) return;

__global__ void checked(const int *in, int *out, int n) {
  __shared__ int tile[64];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  CHECK_BOUNDS(i, n);
  tile[threadIdx.x] = in[i];
  __syncthreads();
  out[i] = tile[threadIdx.x] + tile[0];
}

template <typename T> __global__ void wrapped(const T *in, T *out, int n) {
  __shared__ T tile[96];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = 0;
  __syncthreads();
  RETURN_IF(in[i] % 5 == 0 || // some
                in[i] % 7 == 0,
            atomicAdd(out + n, 13));
  auto store = [&](T value) {
    RETURN_IF(value > 500, tile[threadIdx.x] = 3);
    tile[threadIdx.x] = value;
  };
  store(in[i]);
  __syncthreads();
  LAST(i)
  LEAVE_IF(in[i] > 900, 5)
  LEAVE_IF(in[i] > 800)
  __syncthreads();
  out[i] = tile[95 - threadIdx.x] + __LINE__;
}

__device__ void report(int *out, int value) { *out = value * 3; }
__global__ void reporting(const int *in, int *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (in[i] % 3 == 0)
    return report(out + i, in[i]);
  int sum = __syncthreads_count(in[i] > 500);
  if (in[i] % 3 == 1)
    return (void)(out[i] = 4);
  out[i] = sum + __syncthreads_count(in[i] > 300);
}

//--- main.cu
#include "both.h"
#include "kernels.cu"

#include "match.h"
#include "stride.h"

int main() {
  Array<int> in(4096), a(4096), b(4097), c(4096);
  Both both;
  both.output("a", a), both.output("b", b), both.output("c", c);
  bool good = true;
  auto unfused = [&] {
    checked<<<11, 64>>>(in, a, 650);
    wrapped<int><<<7, 96>>>(in, b, 600);
    reporting<<<9, 64>>>(in, c, 500);
  };
  good &= both.same("match", unfused, [&] {
    require(match::launch({11, {in, a, 650}}, {7, {in, b, 600}}, {9, {in, c, 500}}), "match");
  });
  good &= both.same("stride", unfused, [&] {
    require(stride::launch({11, {in, a, 650}}, {7, {in, b, 600}}, {9, {in, c, 500}}), "stride");
  });
  return good ? 0 : 1;
}
