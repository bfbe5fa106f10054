// The launch bounds that are written last count, on whichever declaration; of a template, only those before the instance.
// nvcc says the same. (It takes bounds behind a definition that has none, too, which Clang drops: there, none are known.)
// RUN: %cufuse inspect --full %s | FileCheck %s
// RUN: %nvcc -arch=sm_90 -ptx -o %t.ptx %s && FileCheck %s --check-prefix=PTX < %t.ptx
// RUN: %cufuse fuse %s:before %s:behind %s:last %s:'named<float>' %s:'given<float>' -o %t.cu
// RUN: FileCheck %s --check-prefix=BLOCKS --input-file=%t.cu
// RUN: %nvcc -arch=sm_90 -cubin -o %t.cubin %t.cu
// BLOCKS: block 128
// BLOCKS: block 64
// BLOCKS: block 32
// BLOCKS: block 40
// BLOCKS: block 48

// CHECK-LABEL: {{^}}before(
// CHECK: launch bounds    128
// PTX-LABEL: .entry _Z6beforePf
// PTX: .maxntid 128,
__global__ void __launch_bounds__(128) before(float *x);
__global__ void before(float *x) { x[threadIdx.x] = 1; }
// CHECK-LABEL: {{^}}behind(
// CHECK: launch bounds    64
// PTX-LABEL: .entry _Z6behindPf
// PTX: .maxntid 64,
__global__ void __launch_bounds__(128) behind(float *x) { x[threadIdx.x] = 2; }
__global__ void __launch_bounds__(64) behind(float *x);
// CHECK-LABEL: {{^}}last(
// CHECK: launch bounds    32
// PTX-LABEL: .entry _Z4lastPf
// PTX: .maxntid 32,
__global__ void __launch_bounds__(64, 1) last(float *x);
__global__ void __launch_bounds__(128, 2) last(float *x) { x[threadIdx.x] = 3; }
__global__ void __launch_bounds__(32) last(float *x);
// CHECK-LABEL: {{^}}local(
// CHECK: launch bounds    96
// PTX-LABEL: .entry _Z5localPf
// PTX: .maxntid 96,
__global__ void __launch_bounds__(256) local(float *x) { x[threadIdx.x] = 4; }
void declares() { __global__ void __launch_bounds__(96) local(float *); }
// CHECK-LABEL: {{^}}named<float>(
// CHECK: launch bounds    40
// PTX-LABEL: .entry _Z5namedIfEvPT_
// PTX: .maxntid 40,
template <typename T> __global__ void __launch_bounds__(256) named(T *x) { x[threadIdx.x] = 5; }
template <typename T> __global__ void __launch_bounds__(40) named(T *x);
template __global__ void named<float>(float *);
template <typename T> __global__ void __launch_bounds__(72) named(T *x);
// CHECK-LABEL: {{^}}given<float>(
// CHECK: launch bounds    48
// PTX-LABEL: .entry _Z5givenIfEvPT_
// PTX: .maxntid 48,
template <typename T> __global__ void __launch_bounds__(256) given(T *x) { x[threadIdx.x] = 6; }
template __global__ void __launch_bounds__(48) given<float>(float *);
// CHECK-LABEL: {{^}}computed<64>(
// CHECK: launch bounds    64
// PTX-LABEL: .entry _Z8computedILi64EEvPf
// PTX: .maxntid 64,
template <int N> __global__ void __launch_bounds__(N) computed(float *x);
template <int N> __global__ void computed(float *x) { x[threadIdx.x] = N; }
template __global__ void computed<64>(float *);
// CHECK-LABEL: {{^}}special<int>(
// CHECK-NOT: launch bounds
// PTX-LABEL: .entry _Z7specialIiEvPT_
// PTX-NOT: .maxntid
// PTX: ret;
template <typename T> __global__ void special(T *x) { x[threadIdx.x] = 1; }
template <> __global__ void special<int>(int *x) { x[threadIdx.x] = 2; }
template <typename T> __global__ void __launch_bounds__(32) special(T *x);
