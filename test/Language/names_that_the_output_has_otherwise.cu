// What the output cannot say as the kernel's file does is found when it is read again: dynamic shared memory or assembly
// that is not written plainly. Parts of built-ins may have names.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse %s:by_macro --block 64 -o %t/out.cu 2>&1 | grep "of by_macro, .tile. is not the partition's part of the memory"
// RUN: %exits 1 %cufuse fuse %s:two_at_once --block 64 -o %t/out.cu 2>&1 | grep -F "definition of variable with array type"
// RUN: %exits 1 %cufuse fuse %s:of_namespace --block 64 -o %t/out.cu 2>&1 | grep -F "use of undeclared identifier 'memory'"
// RUN: %exits 1 %cufuse fuse %s:with_parameter --block 64 -o %t/out.cu 2>&1 | grep -F "use of undeclared identifier 'cufuse_shared_tile'"
// RUN: %exits 1 %cufuse fuse %s:by_qualified --block 64 -o %t/out.cu 2>&1 | grep -F "no member named 'round_up' in the global namespace"
// RUN: %exits 1 %cufuse fuse %s:specialised --block 64 -o %t/out.cu 2>&1 | grep -F "class template specialization of 'is_arithmetic'"
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse %s:parts %s:reverse --block 64 --block 64 -o %t/parts.cu
// What is of the text's own is found (test/Running/built_ins_lend_their_names_to_others.cu).
// RUN: %cufuse fuse %s:member %s:reverse --block 64 --block 64 -o %t/out.cu
// RUN: %cufuse fuse %s:local %s:reverse --block 64 --block 64 -o %t/out.cu
// RUN: %cufuse fuse %s:index --block 64 -o %t/out.cu
// What is qualified is rebound, too.
// RUN: %cufuse fuse %s:index %s:reverse --block 64 --block 64 -o %t/out.cu
// RUN: %cufuse fuse %s:barrier %s:library --block 64 --block 64 -o %t/out.cu
// RUN: %cufuse fuse %s:not_beside %s:library %s:other::written --block 64 --block 64 --block 64 -o %t/out.cu
// RUN: %cufuse fuse %s:plain %s:by_plain_macro %s:reverse %s:clear_own --block 64 --block 64 --block 64 --block 64 -o %t/out.cu
#include <type_traits>

struct Sizes {
  dim3 gridDim, blockDim;
};

__global__ void member(float *data, Sizes sizes) {
  data[blockIdx.x * blockDim.x + threadIdx.x] = sizes.blockDim.x;
}
__global__ void not_beside(float *data, Sizes sizes) { data[threadIdx.x] = sizes.blockDim.x; }

__global__ void parts(float *data) {
  auto [x, y, z] = threadIdx;
  data[x] = y + z;
}

__global__ void local(float *data, int size) {
  const int i = threadIdx.x;
  for (int part = 0; part < 2; ++part) {
    const int threadIdx = part * size + i;
    data[threadIdx] = 0;
  }
}

__global__ void index(float *data) { data[::threadIdx.x] = 0; }

__global__ void barrier(float *data) {
  data[threadIdx.x] += 1;
  ::__syncthreads();
  data[threadIdx.x] *= data[63 - threadIdx.x];
}
__global__ void library(float *data) { data[threadIdx.x] = ::sqrtf(data[threadIdx.x]); }

#define DYNAMIC(type, name) extern __shared__ type name[]; const int number = __COUNTER__
#define PLAIN(type, name, ...) extern __shared__ __VA_OPT__(alignas(__VA_ARGS__)) type name[]
__global__ void by_macro(float *data) {
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
  extern __shared__ float tile[], same[];
  tile[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = same[blockDim.x - 1 - threadIdx.x];
}
__global__ void plain(float *data) {
  extern __shared__ __align__(16) unsigned char bytes[];
  float *tile = reinterpret_cast<float *>(bytes);
  tile[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

namespace memory {
extern __shared__ float cells[];
}
extern __shared__ float tile[];
__global__ void of_namespace(float *data) {
  memory::cells[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = memory::cells[blockDim.x - 1 - threadIdx.x];
}
#define MINE tile[threadIdx.x]
__device__ void swapped(float *tile) { MINE += 1; }
__global__ void with_parameter(float *data) {
  swapped(tile);
  MINE -= 1;
  __syncthreads();
  data[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}
__global__ void reverse(float *data) {
  tile[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

__device__ float round_up(float x) { return ceilf(x); }
#define ROUND(x) ::round_up(x)
__global__ void by_qualified(float *data) { data[threadIdx.x] = ROUND(data[threadIdx.x]); }
namespace other {
__device__ float round_up(float x) { return x; }
__global__ void written(float *data) { data[threadIdx.x] = ::round_up(data[threadIdx.x]); }
} // namespace other

struct Fixed {
  int bits;
};
template <> struct std::is_arithmetic<Fixed> : std::true_type {};
template <typename T> struct Zero {
  static constexpr int value = 1;
};
template <> struct Zero<Fixed> {
  static constexpr int value = 0;
};
__global__ void specialised(Fixed *data) {
  if (std::is_arithmetic<Fixed>::value)
    data[threadIdx.x].bits = 0;
}
__global__ void clear_own(Fixed *data) { data[threadIdx.x].bits = Zero<Fixed>::value; }
