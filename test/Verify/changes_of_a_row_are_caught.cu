// What a composition by row could do wrong where a thread has several elements next to each other, done to it.
// RUN: %build/test/Verify/cufuse-mutate-output %cufuse %s grow.stream=shares.x --reassociate > %t
// RUN: FileCheck %s < %t --implicit-check-not=missed: --implicit-check-not='not found:' --implicit-check-not='false alarm:'
// CHECK: caught: *: a turn is for another element
// CHECK-NEXT: caught: *: a turn is asked for nothing
// CHECK-NEXT: caught: *: elements begin with the second
// CHECK-NEXT: caught: *: every other element is left out
// CHECK-NEXT: caught: *: the first element is not the first
// CHECK-NEXT: caught: *: the kernel adds another element

__global__ void grow(float *__restrict__ stream, const float *__restrict__ more, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    stream[i] += more[i];
}
__global__ void shares(const float *__restrict__ x, float *__restrict__ sum, int width) {
  __shared__ float parts[64];
  float own = 0;
  for (int j = threadIdx.x; j < width; j += blockDim.x)
    own += x[blockIdx.x * width + j];
  parts[threadIdx.x] = own;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int t = 1; t < blockDim.x; ++t)
      own += parts[t];
    sum[blockIdx.x] = own;
  }
}

// *: a turn is for another element
//- = cufuse_row.element(cufuse_index)
//+ = cufuse_index
// *: a turn is asked for nothing
//- if (cufuse_row.inside(true))
//+ if (true)
// *: elements begin with the second
//- unsigned cufuse_of = 0
//+ unsigned cufuse_of = 1
// *: every other element is left out
//- ++cufuse_of)
//+ cufuse_of += 2)
// *: the first element is not the first
//- cufuse_of == 0
//+ cufuse_of == 1
// *: the kernel adds another element
//- width + j]
//+ width + j + 1]
