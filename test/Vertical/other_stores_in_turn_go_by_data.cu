// In turn by threads, the index of a store may not be known: then nothing says where the grid of such stores ends.
// RUN: not %cufuse fuse %s:write %s:check --link write.p=check.p --link write.n=check.n --block 64 --distinct -o %t.cu 2>&1 | FileCheck %s
// CHECK-DAG: error: {{.*}}: write: words at {{.*}} [IntermediateEscapes]
// CHECK-DAG: error: {{.*}}: check: &words[i] [IntermediateEscapes]
__global__ void write(char *p, unsigned long n) {
  unsigned long *words = (unsigned long *)p;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / sizeof(long); i += gridDim.x * blockDim.x)
    words[i] = (unsigned long)(words + i);
}
__global__ void check(const char *p, unsigned long n, unsigned *count, unsigned long *where) {
  unsigned long *words = (unsigned long *)p;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / sizeof(long); i += gridDim.x * blockDim.x)
    if (words[i] != (unsigned long)(words + i)) {
      const unsigned at = atomicAdd(count, 1u) % 10;
      where[at] = (unsigned long)&words[i];
      where[at] = (unsigned long)words[i];
    }
}
