// Helpers, and whole families of them, out of macros; X macros; names of built-ins pasted and spelled by macros.
// RUN: %cufuse fuse %s:families %s:pasted --block 64 --block 64 -o %t.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -cubin -o %t.cubin %t.cu

#define DEFINE(name, op) __device__ float name(float x) { return x op 2; }
DEFINE(twice, *)
DEFINE(halved, /)
#define BOTH(n) \
  __device__ int n##1(int x) { return x + threadIdx.x; } \
  __device__ int n##2(int x) { return n##1(x) + blockIdx.x; }
BOTH(quick)
#define OPERATIONS X(1) X(2) X(3)

__global__ void families(float *data) {
#define X(n) data[threadIdx.x] += twice(n);
  OPERATIONS
#undef X
#define X(n) + halved(n)
  data[0] = 0 OPERATIONS;
#undef X
  data[1] = quick2(3);
}

#define TEXT(x) #x
#define THREAD threadIdx.x
#define PASTE(a, b) a##b
__global__ void pasted(float *data) {
  static_assert(sizeof(TEXT(threadIdx.x)) == sizeof("threadIdx.x"), "as written");
  data[THREAD] += PASTE(thread, Idx).x + PASTE(block, Dim).y;
  const char *text = "threadIdx.x __syncthreads()"; // blockIdx in a comment
  data[THREAD] += text[0];
}
