// The commands of --chains are right as they stand: with a block where no launch has one that is a constant, with the option
// by which kernels can be one, or with the reason for which they cannot.
// RUN: %cufuse inspect --chains %s | FileCheck %s
// RUN: %cufuse inspect --chains %s | sed -n 's|^  cufuse fuse \(.*\)$|%cufuse fuse --dry-run \1|p' > %t.sh && sh -e %t.sh
// CHECK: : one after the other
// CHECK-NEXT: cufuse fuse --vertical {{.*}}:fill {{.*}}:scale -o fused.cu
// CHECK: : one after the other
// CHECK-NEXT: cufuse fuse --vertical {{.*}}:weights {{.*}}:update --cooperative -o fused.cu
// CHECK: : one after the other
// CHECK-NEXT: cufuse fuse --vertical {{.*}}:copyRows {{.*}}:sumRows --block copyRows=256 -o fused.cu
// CHECK: : one after the other
// CHECK-NEXT: not as one: doubled: the block size is not known: {{.*}} [UnknownBlock]
// CHECK: : side by side, if their memory is distinct
// CHECK-NEXT: cufuse fuse {{.*}}:first {{.*}}:second --geometry blocks -o fused.cu
// CHECK: : side by side, if their memory is distinct
// CHECK-NEXT: not as one: counted: a variable that outlives the launch must stay the same object: counter [HostSharedNeedsRdc]
// CHECK: : between them stands what may use their memory, at {{.*}}.cu:[[# @LINE + 73]]:3
// CHECK: : it is not seen whether they share memory
// CHECK-NOT: cufuse fuse
__global__ void fill(float *x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] = i;
}
__global__ void scale(float *x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] *= 2;
}
__global__ void weights(const float *costs, float *w, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    w[i] = costs[i] / count;
}
__global__ void update(float *out, const float *w, int count, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    for (int k = 0; k < count; ++k)
      out[i] += w[k];
}
__global__ void copyRows(const float *__restrict__ x, float *__restrict__ y, int columns) {
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    y[blockIdx.x * columns + i] = x[blockIdx.x * columns + i];
}
__global__ void sumRows(const float *__restrict__ y, float *__restrict__ s, int columns) {
  __shared__ float all;
  if (threadIdx.x == 0)
    all = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    atomicAdd(&all, y[blockIdx.x * columns + i]);
  __syncthreads();
  if (threadIdx.x == 0)
    s[blockIdx.x] = all;
}
__global__ void first(float *x) { x[threadIdx.x] = 1; }
__global__ void second(float *y) { y[threadIdx.x] = 2; }
extern __device__ int counter;
__global__ void counted(int *x) { x[threadIdx.x] = counter; }
void runFill(float *x, int n) {
  fill<<<(n + 255) / 256, 256>>>(x, n);
  scale<<<(n + 255) / 256, 256>>>(x, n);
}
void runWeights(const float *costs, float *w, float *out, int count, int n) {
  weights<<<(count + 255) / 256, 256>>>(costs, w, count);
  update<<<(n + 255) / 256, 256>>>(out, w, count, n);
}
void runRows(const float *x, float *y, float *s, int rows, int columns, int block) {
  copyRows<<<rows, block>>>(x, y, columns);
  sumRows<<<rows, block>>>(y, s, columns);
}
// As many elements as threads: no block is right by itself.
__global__ void doubled(float *x) { x[threadIdx.x] *= 2; }
__global__ void increased(float *x) { x[threadIdx.x] += 1; }
void runThreads(float *x, int n) {
  doubled<<<1, n>>>(x);
  increased<<<1, n>>>(x);
}
void runBeside(float *x, float *y) {
  first<<<1, 1024>>>(x);
  second<<<1, 1024>>>(y);
}
void runCounted(float *x, int *y) {
  first<<<1, 256>>>(x);
  counted<<<1, 256>>>(y);
}
void log(float *x);
void runParted(float *x, int n) {
  fill<<<(n + 255) / 256, 256>>>(x, n);
  log(x);
  scale<<<(n + 255) / 256, 256>>>(x, n);
}
struct Image {
  float *data;
  int width, height;
};
__global__ void blur(Image to, Image from) { to.data[threadIdx.x] = from.data[threadIdx.x] / 2; }
__global__ void subtract(Image from, Image what) { from.data[threadIdx.x] -= what.data[threadIdx.x]; }
void runImages(Image image, Image temporary) {
  blur<<<1, 256>>>(temporary, image);
  subtract<<<1, 256>>>(image, temporary);
}
