// A parameter whose type is a lambda has no name for the launcher; a named functor has one.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse %s:for_each --block 128 -o %t/out.cu -- --extended-lambda 2>&1 | \
// RUN:   FileCheck %s '--implicit-check-not={{(error|refused):}}'
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse '%s:for_each_named<Half>' --block 128 -o %t/out.cu -- --extended-lambda
template <typename Function>
// CHECK: {{[^ ]*}}:[[#@LINE+5]]:55: error: for_each: a parameter's type cannot be named outside the kernel's file:
// CHECK-SAME: (lambda at {{.+}}) function [UnspellableParameter]
// CHECK: note: give the type a name at namespace scope
// CHECK: {{[^ ]*}}:[[#@LINE+2]]:17: error: for_each: {{.*}}: a template argument of for_each<(lambda at {{.+}})>
// CHECK-SAME: [UnspellableParameter]
__global__ void for_each(float *data, int n, Function function) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    data[i] = function(data[i]);
}

void halve(float *data, int n) {
  for_each<<<1, 128>>>(data, n, [] __device__(float x) { return 0.5f * x; });
}

struct Half {
  __device__ float operator()(float x) const { return 0.5f * x; }
};

template <typename Function> __global__ void for_each_named(float *data, int n, Function function) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    data[i] = function(data[i]);
}
