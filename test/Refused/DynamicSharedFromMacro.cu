// Dynamic shared memory out of a macro that cannot be written out, or two arrays at once, is refused; aligned, written out
// or out of a plain macro it is not.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse %s:by_macro --block 64 -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=MACRO '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse %s:two_at_once --block 64 -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=TWO '--implicit-check-not={{(error|refused):}}'
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse %s:written %s:by_plain_macro --block 64 --block 64 -o %t/out.cu
#define DYNAMIC(type, name) extern __shared__ type name[]; const int number = __COUNTER__
#define PLAIN(type, name, ...) extern __shared__ __VA_OPT__(alignas(__VA_ARGS__)) type name[]

__global__ void by_macro(float *data) {
  // MACRO: {{[^ ]*}}:[[#@LINE+3]]:{{[0-9]+}}: error: by_macro: dynamic shared memory is declared by a macro, or several arrays
  // MACRO-SAME: at once: tile [DynamicSharedFromMacro]
  // MACRO: note: write `extern __shared__ T name[];`, one array each
  DYNAMIC(float, tile);
  tile[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

__global__ void by_plain_macro(float *data) {
  PLAIN(float, tile, 16);
  tile[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

__global__ void two_at_once(float *data) {
  // TWO: {{[^ ]*}}:[[#@LINE+1]]:27: error: two_at_once: {{.*}}: tile [DynamicSharedFromMacro]
  extern __shared__ float tile[], same[];
  tile[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = same[blockDim.x - 1 - threadIdx.x];
}

__global__ void written(float *data) {
  extern __shared__ __align__(16) unsigned char bytes[];
  float *tile = reinterpret_cast<float *>(bytes);
  tile[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}
