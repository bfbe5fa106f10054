// --unroll of a loop that reads memory which does not change: the loads of several turns come before the first turn's work.
// RUN: split-file %s %t
// RUN: %cufuse fuse "%t/kernels.cu:tally<int>" %t/kernels.cu:rows --block 64 --block 32x2 --unroll tally=4 --unroll rows=3 \
// RUN:   --name ahead -o %t/ahead.cu
// RUN: FileCheck %s --input-file=%t/ahead.cu
// RUN: %cufuse fuse "%t/kernels.cu:tally<int>" %t/kernels.cu:rows --block 64 --block 32x2 --name plain -o %t/plain.cu
// RUN: FileCheck %s --check-prefix=PLAIN --input-file=%t/plain.cu
// RUN: %execute -I %S/../Running/Inputs -I %t %t/main.cu %t/ahead.cu
//
// Not the loop that zeroes the counters, although it steps by the block.
// CHECK: {{^ *}}for (int bin = threadIdx.x; bin < 16; bin += blockDim.x)
// CHECK: for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; ) { int cufuse_at[4]; bool cufuse_taken[4]; int cufuse_value0[4];
// CHECK-SAME: cufuse_taken[cufuse_turn] = cufuse_turn == 0 || (cufuse_taken[cufuse_turn - 1] && (i < n));
// CHECK-SAME: if (cufuse_taken[cufuse_turn]) i += stride; }
// CHECK-SAME: { int i = cufuse_at[cufuse_turn]; cufuse_value0[cufuse_turn] = values[i]; }
// CHECK: const T value = cufuse_value0[cufuse_turn];
// CHECK: for (unsigned i = threadIdx.x; i < columns; ) { unsigned int cufuse_at[3];
// CHECK-SAME: cufuse_value0[cufuse_turn] = row[columns - 1 - i]; cufuse_value1[cufuse_turn] = weights[i];
// CHECK: add(sum, cufuse_value0[cufuse_turn] * cufuse_value1[cufuse_turn] + other[i]); } }
// Nobody is told of a variable that is not used.
// RUN: %cufuse fuse %t/kernels.cu:total --block 64 --unroll 2 --name total -o %t/total.cu
// RUN: FileCheck %s --check-prefix=TOTAL --input-file=%t/total.cu
// TOTAL: { int i = cufuse_at[cufuse_turn]; cufuse_value0[cufuse_turn] = values[i]; }
// TOTAL-SAME: if (cufuse_taken[cufuse_turn]) { {{$}}
// TOTAL-NEXT: sum += cufuse_value0[cufuse_turn]; } }
// What is loaded may be converted there.
// RUN: %cufuse fuse %t/kernels.cu:converted --block 64 --unroll 2 --name converted -o %t/converted.cu
// RUN: FileCheck %s --check-prefix=CONVERTED --input-file=%t/converted.cu
// CONVERTED: sum += cufuse_value0[cufuse_turn] + i;
// PLAIN-NOT: {{cufuse_(turn|at|taken|value)|unroll}}
//
// Where a load may see a store, a turn is not the only way on, or a place is not known ahead, the compiler unrolls; likewise
// where the load's text would mean something else at the loop's head.
// RUN: %cufuse fuse %t/others.cu:stores %t/others.cu:stops %t/others.cu:ends %t/others.cu:skips %t/others.cu:follows %t/others.cu:chosen %t/others.cu:shifts %t/others.cu:narrows \
// RUN:   --unroll 2 --unroll 2 --unroll 2 --unroll 2 --unroll 2 --unroll 2 --unroll 2 --unroll 2 -o %t/others_fused.cu
// RUN: FileCheck %s --check-prefix=OTHERS --input-file=%t/others_fused.cu --implicit-check-not=cufuse_turn
// OTHERS-COUNT-8: _Pragma("unroll 2") for (int i =

//--- kernels.cu
__global__ void total(const int *__restrict__ values, int *out, int n) {
  int sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    sum += values[i];
  atomicAdd(out, sum);
}
__global__ void converted(const unsigned char *__restrict__ values, unsigned long long *out, unsigned long long n) {
  unsigned long long sum = 0;
  for (unsigned long long i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    sum += values[i] + i;
  atomicAdd(out, sum);
}
template <typename T>
__global__ void tally(const T *__restrict__ values, unsigned *counts, int n) {
  __shared__ unsigned own[16];
  for (int bin = threadIdx.x; bin < 16; bin += blockDim.x)
    own[bin] = 0;
  __syncthreads();
  const int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
    const T value = values[i];
    if (value % 3 == 0)
      continue;
    atomicAdd(&own[value % 16], i % 5);
  }
  __syncthreads();
  for (int bin = threadIdx.x; bin < 16; bin += blockDim.x)
    atomicAdd(&counts[bin], own[bin]);
}
template __global__ void tally<int>(const int *__restrict__, unsigned *, int);

__device__ void add(float &sum, float value) { sum = sum / 2 + value; }

__global__ void rows(const float *__restrict__ in, const float *__restrict__ weights, const float *other, float *out,
                     unsigned columns) {
  float sum = 0;
  for (int r = threadIdx.y; r < 4; r += blockDim.y) {
    const float *row = in + (blockIdx.x * 4 + r) * columns;
    for (unsigned i = threadIdx.x; i < columns; i += blockDim.x)
      add(sum, row[columns - 1 - i] * weights[i] + other[i]);
  }
  out[(blockIdx.x * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x] = sum;
}

//--- others.cu
#define AWAY 0
typedef int Number;
__global__ void __launch_bounds__(64) shifts(const int *__restrict__ values, int *out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
#undef AWAY
#define AWAY 1
    out[i] = values[i + AWAY];
  }
}
__global__ void __launch_bounds__(64) narrows(const int *__restrict__ values, int *out, int n) {
  const Number first = threadIdx.x;
  for (int i = first; i < n; i += gridDim.x * blockDim.x) {
    typedef unsigned char Number;
    out[i] = values[(Number)i];
  }
}
__global__ void __launch_bounds__(64) stores(const int *in, int *out, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    out[i] = in[i];
}
__global__ void __launch_bounds__(64) stops(const int *__restrict__ in, int *out, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    const int value = in[i];
    if (value == 7)
      break;
    out[i] = value;
  }
}
__global__ void __launch_bounds__(64) ends(const int *__restrict__ in, int *out, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    const int value = in[i];
    if (value == 7)
      return;
    out[i] = value;
  }
}
__global__ void __launch_bounds__(64) skips(const int *__restrict__ in, int *out, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    const int value = in[i];
    if (value == 7)
      i += blockDim.x;
    out[i % n] = value;
  }
}
__global__ void __launch_bounds__(64) follows(const int *__restrict__ in, int *out, int n) {
  int at = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    out[i] = at = in[at];
}
__global__ void __launch_bounds__(64) chosen(const int *__restrict__ in, int *out, int n) {
  for (int i = threadIdx.x; i < 2 * n; i += blockDim.x)
    out[i] = i < n ? in[i] : 0;
}

//--- main.cu
#include "both.h"
#include "kernels.cu"

#include "ahead.h"

int main() {
  Array<int> values(5000);
  Array<unsigned> counts(16);
  Array<float> in(9 * 4 * 200), weights(200), other(200), out(9 * 64);
  Both both;
  both.output("counts", counts), both.output("out", out);
  bool good = true;
  // None, fewer than are taken together, as many, and some more.
  for (int n : {0, 3, 1279, 1280, 1281, 5000})
    for (unsigned columns : {1u, 95u, 96u, 97u, 200u})
      good &= both.same("ahead",
                        [&] {
                          tally<<<5, 64>>>(values.data, counts.data, n);
                          rows<<<9, dim3(32, 2)>>>(in, weights, other, out, columns);
                        },
                        [&] {
                          require(ahead::launch({5, {values, counts, n}}, {9, {in, weights, other, out, columns}}),
                                  "ahead");
                        });
  return good ? 0 : 1;
}
