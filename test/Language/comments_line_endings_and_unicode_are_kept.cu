// A comment before a kernel comes along; lines may end with carriage returns; comments and strings hold any characters.
// RUN: split-file %s %t
// RUN: sed -e 's/$/\r/' %t/unix.cu > %t/windows.cu
// RUN: %cufuse fuse %t/unix.cu:commented %t/windows.cu:commented --block 64 --block 64 -o %t.cu
// RUN: %FileCheck %s < %t.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -cubin -o %t.cubin %t.cu

// CHECK: // Größe × 2 — naïve
// CHECK: // Größe × 2 — naïve

//--- unix.cu
#define LONG(x) \
  ((x) * \
   2)

// Größe × 2 — naïve
/* and a block
   comment */
__global__ void commented(float *data) {
#ifdef NEVER
  nothing at all
#endif
  extern __shared__ float tile[]; // größer
  tile[threadIdx.x] = LONG(data[threadIdx.x]);
  __syncthreads();
  const char *text = "ä\\"; /* 漢字 */
  data[threadIdx.x] = tile[threadIdx.x ^ 1] + text[0];
}
