// What a check does where it ends the program stands before nothing: arrays that were allocated by their address are
// the same behind it.
// RUN: %cufuse fuse --vertical %s:fill %s:lift --distinct --dry-run -o %t.cu 2>&1 | FileCheck %s --check-prefix=LINKS
// LINKS: linked as launched at {{.*}}: --link fill.x=lift.in --link fill.n=lift.n{{$}}
// Two launches that store one array have nothing to hand on: that is refused, and is no wrong command.
// RUN: %exits 1 %cufuse fuse --vertical %s:scatter %s:scatter -o %t.cu 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: linked as launched at {{.*}}: --link scatter_0.x=scatter_1.x --link scatter_0.at=scatter_1.at --link scatter_0.n=scatter_1.n{{$}}
// TWICE: error: the kernel is not pointwise
// RUN: %cufuse fuse --vertical %s:scatter %s:scatter --cooperative --block 128 --block 128 --dry-run -o %t.cu
#include <cstdio>
#include <cstdlib>

__global__ void fill(float *x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[n - 1 - i] = i;
}
__global__ void scatter(float *x, const int *at, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[at[i]] = i;
}
__global__ void lift(const float *in, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[n - 1 - i] + 1;
}

const char *nameOf(cudaError_t error);
template <typename T> void check(T result, const char *file) {
  if (result) {
    fprintf(stderr, "%s: %s\n", file, nameOf(result));
    exit(EXIT_FAILURE);
  }
}
#define CHECK(call) check(call, __FILE__)

void launch(int *at, int n) {
  float *x, *y;
  CHECK(cudaMalloc(&x, n * sizeof(float)));
  CHECK(cudaMalloc(&y, n * sizeof(float)));
  scatter<<<n / 128, 128>>>(x, at, n);
  CHECK(cudaGetLastError());
  scatter<<<n / 128, 128>>>(x, at, n);
  CHECK(cudaGetLastError());
  fill<<<n / 128, 128>>>(x, n);
  CHECK(cudaGetLastError());
  lift<<<n / 128, 128>>>(x, y, n);
}
