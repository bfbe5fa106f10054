// What stands in an arm of a condition is not between two launches of which the second is in the other arm; its condition
// is, and so is what an earlier turn of a loop may do.
// RUN: %cufuse fuse --vertical %s:scale %s:shift --distinct --name fused --dry-run -o %t.cu 2>&1 | FileCheck %s
// RUN: %exits 1 %cufuse fuse --vertical %s:scale %s:inCondition --distinct --name fused -o %t.cu 2>&1 | FileCheck %s --check-prefix=BETWEEN
// RUN: %exits 1 %cufuse fuse --vertical %s:scale %s:inEarlierTurn --distinct --name fused -o %t.cu 2>&1 | FileCheck %s --check-prefix=LOOP
// CHECK: linked as launched at {{.*}}: --link scale.out=shift.in --link scale.n=shift.n
// BETWEEN: stands what may use the kernels' memory
// LOOP: error: no function of these files launches the kernels one after the other
__global__ void scale(const float *in, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = 2 * in[i];
}
#define NEXT(name)                                                                                                     \
  __global__ void name(const float *in, float *out, int n) {                                                           \
    const int i = blockIdx.x * blockDim.x + threadIdx.x;                                                               \
    if (i < n)                                                                                                         \
      out[i] = in[i] + 1;                                                                                              \
  }
NEXT(shift)
NEXT(inCondition)
NEXT(inEarlierTurn)

void other(const float *x, float *t, float *y, int n) {
  scale<<<n, 64>>>(x, t, n);
  if (n > 4)
    t[0] = 1;
  else
    shift<<<n, 64>>>(t, y, n);
}
void condition(const float *x, float *t, float *y, int n) {
  scale<<<n, 64>>>(x, t, n);
  if ((t[0] = 1) > 4)
    n = 1;
  else
    inCondition<<<n, 64>>>(t, y, n);
}
void turns(const float *x, float *t, float *y, int n) {
  scale<<<n, 64>>>(x, t, n);
  for (int i = 0; i < 2; ++i)
    if (i == 0)
      t[0] = 1;
    else
      inEarlierTurn<<<n, 64>>>(t, y, n);
}
