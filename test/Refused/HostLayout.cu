// For nvcc, long double is a double in the device's code, and has 16 bytes in the host's: the bytes that a launch hands over
// are others than those that the kernel reads. Behind a pointer, it is the program's affair.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse %s:scaled %s:wide %s:listed --block 64 -o %t/out.cu 2>&1 | FileCheck %s
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse %s:pointed --block 64 -o %t/out.cu
// CHECK: {{[^ ]*}}:[[#@LINE+3]]:{{[0-9]+}}: error: scaled: a parameter has another layout for the host than for the device: by
// CHECK-SAME: has a long double [HostLayout]
// CHECK: note: use double
__global__ void scaled(float *data, long double by) { data[threadIdx.x] *= by; }
struct Wide {
  long double by[2];
};
struct Derived : Wide {
  int n;
};
// CHECK: error: wide: {{.*}}: derived has a long double [HostLayout]
__global__ void wide(float *data, Derived derived) { data[threadIdx.x] *= derived.n; }
template <typename T> struct List {
  T at[3];
};
template <typename T> __global__ void listed(float *data, List<T> list) { data[threadIdx.x] *= list.at[0]; }
// CHECK: error: listed: {{.*}}: list has a long double [HostLayout]
// CHECK-NOT: error:
template __global__ void listed(float *, List<long double>);
__global__ void pointed(float *data, const Wide *wide) { data[threadIdx.x] *= wide != nullptr; }
