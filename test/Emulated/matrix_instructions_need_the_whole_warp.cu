// Products of matrices are those of the host, whichever the shape, the type and the layout; a warp that is not whole has
// none.
// RUN: %emulate -o %t %s
// RUN: %t halves && env EMULATED_SEED=2 %t halves
// RUN: %t others
// RUN: %t assembled && env EMULATED_SEED=2 %t assembled
// RUN: %exits 87 %t halfAWarp 2>&1 | %FileCheck %s --check-prefix=HALF
// RUN: %exits 87 %t leftOut 2>&1 | %FileCheck %s --check-prefix=LEFT
// RUN: %exits 87 %t leading 2>&1 | %FileCheck %s --check-prefix=LEADING

// HALF: emulated: wmma::mma_sync without lanes ffff0000
// LEFT: emulated: mma.sync without lanes 00000020
// LEADING: emulated: wmma: 9 elements from one row to the next are not a multiple of 16 bytes

#include "Inputs/check.h"

#include <mma.h>

using namespace nvcuda;

/// Elements whose products and sums are exact.
template <typename T> __device__ void fill(T *values, int count, int step) {
  for (int i = static_cast<int>(threadIdx.x); i < count; i += 32)
    values[i] = T((i * step % 13 - 6));
  __syncthreads();
}
template <int M, int N, int K, typename T, typename Element, typename Sum, typename LayoutA, typename LayoutB>
__device__ bool multiplies() {
  __shared__ Element a[M * K], b[K * N];
  __shared__ Sum sum[M * N];
  fill(a, M * K, 5), fill(b, K * N, 7), fill(sum, M * N, 3);
  constexpr bool rowsA = std::is_same_v<LayoutA, wmma::row_major>, rowsB = std::is_same_v<LayoutB, wmma::row_major>;
  wmma::fragment<wmma::matrix_a, M, N, K, T, LayoutA> left;
  wmma::fragment<wmma::matrix_b, M, N, K, T, LayoutB> right;
  wmma::fragment<wmma::accumulator, M, N, K, Sum> total, twice;
  wmma::load_matrix_sync(left, a, rowsA ? K : M);
  wmma::load_matrix_sync(right, b, rowsB ? N : K);
  wmma::load_matrix_sync(total, sum, M, wmma::mem_col_major);
  wmma::fill_fragment(twice, Sum(0.0f));
  wmma::mma_sync(total, left, right, total);
  for (int i = 0; i < twice.num_elements; ++i)
    twice.x[i] = total.x[i] + total.x[i];
  __syncthreads();
  __shared__ Sum result[M * N];
  wmma::store_matrix_sync(result, twice, N, wmma::mem_row_major);
  __syncthreads();
  bool good = true;
  for (int row = 0; row < M; ++row)
    for (int column = 0; column < N; ++column) {
      double expected = double(sum[column * M + row]);
      for (int k = 0; k < K; ++k)
        expected += double(a[rowsA ? row * K + k : k * M + row]) * double(b[rowsB ? k * N + column : column * K + k]);
      good &= double(result[row * N + column]) == 2 * expected;
    }
  return good;
}
using Rows = wmma::row_major;
using Columns = wmma::col_major;
__global__ void halves(int *right) {
  bool good = multiplies<16, 16, 16, half, half, float, Rows, Columns>();
  good &= multiplies<16, 16, 16, half, half, float, Columns, Rows>();
  good &= multiplies<32, 8, 16, half, half, float, Rows, Rows>();
  good &= multiplies<8, 32, 16, half, half, half, Columns, Columns>();
  right[threadIdx.x] = good;
}
__global__ void others(int *right) {
  bool good = multiplies<16, 16, 16, nv_bfloat16, nv_bfloat16, float, Rows, Columns>();
  good &= multiplies<16, 16, 16, signed char, signed char, int, Rows, Columns>();
  good &= multiplies<16, 16, 8, wmma::precision::tf32, float, float, Rows, Columns>();
  good &= multiplies<8, 8, 4, double, double, double, Rows, Columns>();
  right[threadIdx.x] = good;
}

/// The lanes' elements as the PTX ISA says (mma.m16n8k16).
__global__ void assembled(int *right) {
  const unsigned group = threadIdx.x / 4, pair = threadIdx.x % 4 * 2;
  const auto a = [](unsigned row, unsigned k) { return int(row * 3 + k * 5) % 11 - 5; };
  const auto b = [](unsigned k, unsigned column) { return int(k * 7 + column) % 9 - 4; };
  const auto pack = [](int low, int high) {
    return unsigned(__half_as_ushort(__half(low))) | unsigned(__half_as_ushort(__half(high))) << 16;
  };
  unsigned left[4], above[2];
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned row = group + i % 2 * 8, k = pair + i / 2 * 8;
    left[i] = pack(a(row, k), a(row, k + 1));
  }
  for (unsigned i = 0; i < 2; ++i)
    above[i] = pack(b(pair + i * 8, group), b(pair + i * 8 + 1, group));
  float d[4] = {1, 2, 3, 4};
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
               "{%0, %1, %2, %3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "r"(above[0]), "r"(above[1]));
  bool good = true;
  for (unsigned i = 0; i < 4; ++i) {
    int sum = int(i) + 1;
    for (unsigned k = 0; k < 16; ++k)
      sum += a(group + i / 2 * 8, k) * b(k, pair + i % 2);
    good &= d[i] == float(sum);
  }
  right[threadIdx.x] = good;
}

__global__ void halfAWarp(int *) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, Rows> left;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, Rows> right;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::mma_sync(sum, left, right, sum);
}
__global__ void leftOut(int *) {
  float d[4];
  if (threadIdx.x != 5)
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %4}, {%4}, {%5, %5, %5, %5};"
                 : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
                 : "r"(0u), "f"(0.0f));
}
__global__ void leading(int *) {
  __shared__ half tile[16 * 16];
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, Rows> left;
  wmma::load_matrix_sync(left, tile, 9);
}

int main(int argc, char **argv) {
  CASE(halves, 32)
  CASE(others, 32)
  CASE(assembled, 32)
  CASE(halfAWarp, 16)
  CASE(leftOut, 32)
  CASE(leading, 32)
  return 2;
}
