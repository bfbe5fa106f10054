// An error counts where the kernel needs the code, and only there.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse %s:needs_it --block 64 -o %t/out.cu 2>&1 | FileCheck %s '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse %s:constructed --block 64 -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=SHARED '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse %s:names_template --block 64 -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=TEMPLATE '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse %s:by_macro --block 64 -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=TEMPLATE '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse %s:counts --block 64 -o %t/out.cu -- -rdc=true 2>&1 | \
// RUN:   FileCheck %s --check-prefix=MANAGED '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse %s:turns --block 64 -o %t/out.cu -- -rdc=true 2>&1 | \
// RUN:   FileCheck %s --check-prefix=BRACKETS '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse %s:looks --block 64 -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=MEMBER
// RUN: %exits 1 %cufuse fuse %s:halves --block 64 -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=HOST
// RUN: %exits 1 %cufuse fuse %s:halved --block 64 -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=CLASS
// RUN: %exits 1 %cufuse fuse %S/Inputs/unknown_attribute.cu:sum --block 64 -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=FIRST
// What everything else follows from comes first.
// FIRST: unknown_attribute.cu:1:{{[0-9]+}}: error: sum: Clang does not accept code that the kernel needs:
// FIRST: no template named 'Pack'
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse %s:asks --block 64 -o %t/out.cu
// RUN: %cufuse fuse %s:does_not --block 64 -o %t/out.cu
// RUN: %cufuse fuse %s:needs_it --block 64 -o %t/out.cu -- -Dgain=2
__device__ float helper(float x) {
  // CHECK: {{[^ ]*}}:[[#@LINE+3]]:14: error: needs_it: Clang does not accept code that the kernel needs: use of
  // CHECK-SAME: undeclared identifier 'gain' [BrokenCode]
  // CHECK: note: correct the error, or pass the missing flags after `--`
  return x * gain;
}

__global__ void needs_it(float *data) { data[threadIdx.x] = helper(data[threadIdx.x]); }

__global__ void does_not(float *data) { data[threadIdx.x] = 1; }

void host() { undeclared(); }

// nvcc makes no variable of the device of a member, be its type that of a template's parameter.
template <typename T> struct Members {
  // MEMBER: {{[^ ]*}}:[[#@LINE+1]]:{{[0-9]+}}: error: looks: {{.*}}nvcc makes no variable of the device of the member 'at' [BrokenCode]
  static __device__ T at[sizeof(T)];
};
template <typename T> __device__ T Members<T>::at[sizeof(T)] = {1, 2};
__global__ void looks(float *data) { data[threadIdx.x] = Members<float>::at[threadIdx.x % 4]; }

struct Filled {
  int value;
  __device__ Filled() : value(3) {}
};
__global__ void constructed(int *data) {
  // SHARED: {{[^ ]*}}:[[#@LINE+2]]:21: error: constructed: Clang does not accept code that the kernel needs: shared memory
  // SHARED-SAME: 'filled' has a constructor or a destructor [BrokenCode]
  __shared__ Filled filled;
  data[threadIdx.x] = filled.value;
}

// Clang drops a statement that names such a template, with the barrier in it, and says nothing: the header keeps it so in the
// output.
// TEMPLATE: {{[^ ]*}}Inputs/later_language.h:3:20: error: {{.*}}: Clang does not accept code that the kernel needs: unknown
// TEMPLATE-SAME: type name 'concept' [BrokenCode]
#include "Inputs/later_language.h"
__global__ void names_template(int *out) { out[threadIdx.x] = Small<char> + meet(); }
#define IS_SMALL Small<char>
__global__ void by_macro(int *out) { out[threadIdx.x] = IS_SMALL + meet(); }

// Clang passes over an attribute that is not CUDA's for it, and a copy would be another variable.
// MANAGED: {{[^ ]*}}:[[#@LINE+2]]:30: error: counts: Clang does not accept code that the kernel needs: 'counter' is no
// MANAGED-SAME: variable of the device [BrokenCode]
__attribute__((managed)) int counter;
__global__ void counts(int *out) { out[threadIdx.x] = counter; }
// nvcc knows its attributes in brackets, too, where Clang knows none, and would take the memory for each thread's own.
// BRACKETS: {{[^ ]*}}:[[#@LINE+5]]:36: error: turns: Clang does not accept code that the kernel needs: only nvcc reads
// BRACKETS-SAME: {{\[\[}}gnu::constant]] as __constant__ [BrokenCode]
// BRACKETS: {{[^ ]*}}:[[#@LINE+4]]:56: error: turns: {{.*}}: only nvcc reads {{\[\[}}gnu::grid_constant]] as __grid_constant__
// BRACKETS: {{[^ ]*}}:[[#@LINE+4]]:25: error: turns: {{.*}}: only nvcc reads {{\[\[}}gnu::shared]] as __shared__ [BrokenCode]
// BRACKETS: {{[^ ]*}}:[[#@LINE+4]]:31: error: turns: {{.*}}: only nvcc reads {{\[\[}}gnu::shared]] as __shared__ [BrokenCode]
[[gnu::constant]] __device__ float scales[2];
__global__ void turns([[gnu::grid_constant]] const int n, float *data) {
  [[gnu::shared]] float values[64];
  [[using gnu: shared]] float others[64];
  others[threadIdx.x] = values[threadIdx.x] = data[threadIdx.x] * scales[n & 1];
  __syncthreads();
  data[threadIdx.x] = values[63 - threadIdx.x] + others[n];
}
// What is constant, or only asked about, may be the host's.
int ofHost;
constexpr int Constant = 3;
const int Table[2] = {1, 2};
__global__ void asks(int *out) { out[threadIdx.x] = Table[threadIdx.x % 2] + Constant + sizeof(ofHost); }

// What is run is not the host's, also where an overload for the device fits.
inline float half(int) { return 1; }
__device__ double half(long) { return 2; }
// HOST: [[#@LINE+1]]:{{[0-9]+}}: error: halves: {{.*}}: nvcc calls no function of the host in halves, as half [BrokenCode]
__global__ void halves(float *data) { data[threadIdx.x] = half(1); }
struct Halved {
  float value;
  Halved(float x) : value(x / 2) {}
};
// CLASS: [[#@LINE+1]]:{{[0-9]+}}: error: halved: {{.*}}: nvcc calls no function of the host in halved, as Halved::Halved [BrokenCode]
__global__ void halved(float *data) { data[threadIdx.x] = Halved(1).value; }
