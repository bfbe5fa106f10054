// What a vertical composition could do wrong with the kernels' own text, done to it: the comparison with the inputs says it.
// RUN: %build/test/Verify/cufuse-mutate-output %cufuse %s first.out=next.in first.n=next.n first.out > %t
// RUN: FileCheck %s < %t --implicit-check-not=missed: --implicit-check-not='not found:' --implicit-check-not='false alarm:'
// CHECK: caught: *: a statement of the producer is lost
// CHECK-NEXT: caught: *: a helper of the producer computes something else
// CHECK-NEXT: caught: *: the producer stores another element
// CHECK-NEXT: caught: *: the producer stores another value
// CHECK-NEXT: caught: *: a guard compares otherwise
// CHECK-NEXT: caught: *: the turn is asked for something else
// CHECK-NEXT: caught: *: the thread is not that of the element
// CHECK-NEXT: caught: *: the element's block is larger
// CHECK-NEXT: caught: *: a function has another block from its caller
// CHECK-NEXT: caught: *: a function reads the block that was launched
// CHECK-NEXT: caught: *: a kernel accesses another element
// CHECK-NEXT: caught: *: the consumer loads from another pointer
// CHECK-NEXT: caught: *: a store that is not linked goes elsewhere
// CHECK-NEXT: caught: *: a constant of the consumer is another
// CHECK-NEXT: caught: *: a statement of the consumer is there twice

__device__ float scaled(float v) { return v * 3; }
__global__ void first(const float *__restrict__ x, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float v = scaled(x[i]);
    v += 1;
    out[i] = v;
  }
}

__device__ int place() { return blockIdx.x * blockDim.x + threadIdx.x; }
__device__ const float factor = 0.5f;
__global__ void next(const float *__restrict__ in, const float *__restrict__ other, float *__restrict__ y, int n) {
  for (int k = place(); k < n; k += blockDim.x * gridDim.x) {
    float w = in[k] * factor;
    w -= other[k];
    y[k] = w;
  }
}

// *: a statement of the producer is lost
//- v += 1;
// *: a helper of the producer computes something else
//- return v * 3
//+ return v * 4
// *: the producer stores another element
//- out[i] = v
//+ out[i + 1] = v
// *: the producer stores another value
//- out[i] = v
//+ out[i] = x[i]
// *: a guard compares otherwise
//- (i < n)
//+ (i <= n)
// *: the turn is asked for something else
//- cufuse_turn.inside(
//+ cufuse_turn.beyond(
// *: the thread is not that of the element
//- uint3{0, 0, 0}
//+ uint3{1, 0, 0}
// *: the element's block is larger
//- dim3(1, 1, 1)
//+ dim3(2, 1, 1)
// *: a function has another block from its caller
//- place(blockIdx
//+ place(uint3{1, 0, 0}
// *: a function reads the block that was launched
//- return blockIdx.x
//+ return ::blockIdx.x
// *: a kernel accesses another element
//- in[k] *
//+ in[k - 1] *
// *: the consumer loads from another pointer
//- in[k] *
//+ other[k] *
// *: a store that is not linked goes elsewhere
//- y[k] = w
//+ y[k + 1] = w
// *: a constant of the consumer is another
//- factor = 0.5f
//+ factor = 0.25f
// *: a statement of the consumer is there twice
//- w -= other[k];
//+ w -= other[k]; w -= other[k];
