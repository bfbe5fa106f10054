// Clang's header of texture fetches is read where something needs it, whatever the file calls their type.
// RUN: %cufuse fuse %s:row %s:plane -o %t.cu 2>&1 | FileCheck %s --allow-empty --implicit-check-not=refused
// RUN: FileCheck %s --check-prefix=TEXT < %t.cu
// TEXT: tex1Dfetch<float>(values, threadIdx.x)
// TEXT: tex2D<float>(values, threadIdx.x, 0.5f)
typedef unsigned long long Values;

__global__ void __launch_bounds__(128) row(float *out, Values values) { out[threadIdx.x] = tex1Dfetch<float>(values, threadIdx.x); }
__global__ void __launch_bounds__(128) plane(float *out, Values values) { out[threadIdx.x] = tex2D<float>(values, threadIdx.x, 0.5f); }
