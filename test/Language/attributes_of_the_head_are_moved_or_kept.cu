// Launch bounds before and after `void` and through macros, restrict, grid constants, linkage, static, forward declarations.
// RUN: %cufuse fuse %s:boundsBefore %s:boundsAfter %s:boundsMacro %s:boundsArguments %s:cLinkage %s:internal %s:constants \
// RUN:   %s:behindGlobal %s:behindBounds %s:old -o %t.cu
// RUN: %FileCheck %s < %t.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -cubin -o %t.cubin %t.cu

// CHECK: block 128
// CHECK: block 96
// CHECK: block 64
// CHECK: block 32
// CHECK: __device__ {{\[\[}}maybe_unused]] {{\[\[}}gnu::hot]] __forceinline__ void behindGlobal
// CHECK: __device__ UNUSED __forceinline__ void behindBounds
// CHECK: const float *__restrict__ boundsBefore_in
// CHECK: const __grid_constant__ {{.*}}::constants::Table constants_table
// CHECK: const __grid_constant__ {{.*}}::constants::Table constants_other
// CHECK-NOT: __launch_bounds__(128)

#define BOUNDS __launch_bounds__(64)
#define BOUNDS_OF(threads, blocks) __launch_bounds__(threads, blocks)
#define GRID_CONSTANT __grid_constant__
#define KERNEL(type) __global__ void
constexpr int Threads = 128;

__launch_bounds__(Threads) __global__ void boundsBefore(const float *__restrict__ in, float *__restrict__ const out) {
  out[threadIdx.x] = in[threadIdx.x];
}
__global__ void __launch_bounds__(96, 2) boundsAfter(float *data);
__global__ void __launch_bounds__(96, 2) boundsAfter(float *data) { data[threadIdx.x] += 1; }
__global__ void BOUNDS boundsMacro(float *data) { data[threadIdx.x] += 2; }
static __global__ __launch_bounds__(32) void internal(float *data);
__global__ BOUNDS_OF(32, 4) void boundsArguments(float *data) { data[threadIdx.x] += 3; }
extern "C" __global__ __launch_bounds__(32) void cLinkage(float *data, int n) {
  if (threadIdx.x < n)
    data[threadIdx.x] += 4;
}
static __global__ __launch_bounds__(32) void internal(float *data) { data[threadIdx.x] += 5; }

struct Table {
  float values[16];
};
__device__ float pick(const Table &table, int i = 3);
__global__ void __launch_bounds__(32) constants(float *data, const __grid_constant__ Table table,
                                                        GRID_CONSTANT Table const other) {
  data[threadIdx.x] += table.values[threadIdx.x % 16] + pick(table) + pick(other);
}
__device__ float pick(const Table &table, int i) { return table.values[i]; }

// nvcc takes attributes in brackets only before `inline`, which __forceinline__ is.
#define UNUSED [[maybe_unused]]
__global__ __launch_bounds__(32) [[maybe_unused]] [[gnu::hot]] void behindGlobal(float *data) { data[threadIdx.x] += 1; }
__global__ __launch_bounds__(32) UNUSED void behindBounds(float *data) { data[threadIdx.x] += 1; }

// Who calls it is warned, which is the launch.
[[deprecated("use another")]] __global__ __launch_bounds__(32) void old(float *data) { data[threadIdx.x] += 1; }

void launch(float *data) { internal<<<1, 32>>>(data); }
