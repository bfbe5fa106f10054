// A table of the file, which the output has a copy of, may be what a primitive of the warp loads: nobody else sees its address.
// RUN: %cufuse fuse %s:multiplied %s:plain --block 32 --block 64 --name f -o %t.cu
#include <mma.h>
__device__ const __half factors[256] = {};
__global__ void multiplied(float *to) {
  using namespace nvcuda::wmma;
  fragment<matrix_a, 16, 16, 16, __half, row_major> a;
  fragment<matrix_b, 16, 16, 16, __half, row_major> b;
  fragment<accumulator, 16, 16, 16, float> sum;
  fill_fragment(sum, 0);
  load_matrix_sync(a, factors, 16);
  load_matrix_sync(b, factors, 16);
  mma_sync(sum, a, b, sum);
  store_matrix_sync(to, sum, 16, mem_row_major);
}
__global__ void plain(float *to) { to[threadIdx.x] = 1; }
