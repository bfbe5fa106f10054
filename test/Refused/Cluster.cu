// A kernel with cluster dimensions, or that synchronises its cluster, itself or by a group, is refused.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse %s:with_dimensions %s:with_size %s:of_one %s:by_macro %s:earlier %s:'of_type<float>' \
// RUN:   %s:attribute %s:standard %s:plain_by_macro %s:plain_earlier %s:'plain_of_type<float>' %s:later \
// RUN:   %s:dimensions_later %s:'dimensions_of_template<float>' %s:'dimensions_of_instance<float>' \
// RUN:   %s:'special<float>' %s:in_a_function %s:standard_dimensions %s:'of_instance<float>' %s:through_table \
// RUN:   %s:waits --block 64 --block 64 --block 64 --block 64 --block 64 --block 64 --block 64 --block 64 --block 64 \
// RUN:   --block 64 --block 64 --block 64 --block 64 --block 64 --block 64 --block 64 --block 64 --block 64 \
// RUN:   --block 64 --block 64 --block 64 -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse %s:by_group --block 64 -o %t/out.cu -- -arch=sm_90a 2>&1 | \
// RUN:   FileCheck %s --check-prefix=GROUP '--implicit-check-not={{(error|refused):}}'
// RUN: ls -A %t | count 0
#include <cooperative_groups.h>

// CHECK: {{[^ ]*}}:[[#@LINE+3]]:17: error: with_dimensions: the kernel uses thread-block clusters:
// CHECK-SAME: __cluster_dims__ [Cluster]
// CHECK: note: leave this kernel out: clusters cannot share a block
__global__ void __cluster_dims__(2, 1, 1) with_dimensions(float *data) { data[threadIdx.x] = 0; }

// CHECK: {{[^ ]*}}:[[#@LINE+3]]:17: error: with_size: the kernel uses thread-block clusters: __block_size__, of which
// CHECK-SAME: nvcc makes clusters, be it of one block [Cluster]
// CHECK: note:
__global__ void __block_size__((64, 1, 1), (2, 1, 1)) with_size(float *data) { data[threadIdx.x] = 0; }

// CHECK: {{[^ ]*}}:[[#@LINE+1]]:17: error: of_one: {{.*}} __block_size__, of which nvcc makes clusters, be it of one block [Cluster]
__global__ void __block_size__((64, 1, 1)) of_one(float *data) { data[threadIdx.x] = 0; }

// A macro of the user, another declaration, a template: the attribute is the kernel's wherever it comes from.
#define PAIRS __block_size__((64, 1, 1), (2, 1, 1))
// CHECK: {{[^ ]*}}:[[#@LINE+1]]:17: error: by_macro: {{.*}} __block_size__, of which nvcc makes clusters, {{.*}} [Cluster]
__global__ void PAIRS by_macro(float *data) { data[threadIdx.x] = 0; }
// CHECK: {{[^ ]*}}:[[#@LINE+1]]:17: error: earlier: {{.*}} __block_size__, of which nvcc makes clusters, {{.*}} [Cluster]
__global__ void __block_size__((64, 1, 1), (2, 1, 1)) earlier(float *data);
__global__ void earlier(float *data) { data[threadIdx.x] = 0; }
// CHECK: {{[^ ]*}}:[[#@LINE+2]]:17: error: of_type: {{.*}} __block_size__, of which nvcc makes clusters, {{.*}} [Cluster]
template <typename T>
__global__ void PAIRS of_type(T *data) { data[threadIdx.x] = 0; }
// CHECK: {{[^ ]*}}:[[#@LINE+1]]:32: error: attribute: {{.*}} __block_size__, of which nvcc makes clusters, {{.*}} [Cluster]
__global__ void __attribute__((block_size((64, 1, 1), (2, 1, 1)))) attribute(float *data) { data[threadIdx.x] = 0; }
// CHECK: {{[^ ]*}}:[[#@LINE+1]]:3: error: standard: {{.*}} __block_size__, of which nvcc makes clusters, {{.*}} [Cluster]
[[gnu::block_size((64, 1, 1), (2, 1, 1))]] __global__ void standard(float *data) { data[threadIdx.x] = 0; }
#define PLAIN __attribute__((block_size((64, 1, 1), (2, 1, 1))))
// CHECK: {{[^ ]*}}:[[#@LINE+1]]:17: error: plain_by_macro: {{.*}} __block_size__, of which nvcc makes clusters, {{.*}} [Cluster]
__global__ void PLAIN plain_by_macro(float *data) { data[threadIdx.x] = 0; }
// CHECK: {{[^ ]*}}:[[#@LINE+1]]:32: error: plain_earlier: {{.*}} __block_size__, of which nvcc makes clusters, {{.*}} [Cluster]
__global__ void __attribute__((block_size((64, 1, 1)))) plain_earlier(float *data);
__global__ void plain_earlier(float *data) { data[threadIdx.x] = 0; }
// CHECK: {{[^ ]*}}:[[#@LINE+2]]:17: error: plain_of_type: {{.*}} __block_size__, of which nvcc makes clusters, {{.*}} [Cluster]
template <typename T>
__global__ void PLAIN plain_of_type(T *data);
template <typename T>
__global__ void plain_of_type(T *data) { data[threadIdx.x] = 0; }
// CHECK: {{[^ ]*}}:[[#@LINE+2]]:17: error: later: {{.*}} __block_size__, of which nvcc makes clusters, {{.*}} [Cluster]
__global__ void later(float *data) { data[threadIdx.x] = 0; }
__global__ void __block_size__((64, 1, 1), (2, 1, 1)) later(float *data);

// CHECK: {{[^ ]*}}:[[#@LINE+2]]:17: error: dimensions_later: {{.*}} __cluster_dims__ [Cluster]
__global__ void dimensions_later(float *data) { data[threadIdx.x] = 0; }
__global__ void __cluster_dims__(2, 1, 1) dimensions_later(float *data);
// CHECK: {{[^ ]*}}:[[#@LINE+4]]:17: error: dimensions_of_template: {{.*}} __cluster_dims__ [Cluster]
template <typename T>
__global__ void dimensions_of_template(T *data) { data[threadIdx.x] = 0; }
template <typename T>
__global__ void __cluster_dims__(2, 1, 1) dimensions_of_template(T *data);
// CHECK: {{[^ ]*}}:[[#@LINE+3]]:26: error: dimensions_of_instance: {{.*}} __cluster_dims__ [Cluster]
template <typename T>
__global__ void dimensions_of_instance(T *data) { data[threadIdx.x] = 0; }
template __global__ void __cluster_dims__(2, 1, 1) dimensions_of_instance(float *data);
// CHECK: {{[^ ]*}}:[[#@LINE+4]]:17: error: special: {{.*}} __cluster_dims__ [Cluster]
template <typename T>
__global__ void special(T *data) { data[threadIdx.x] = 0; }
template <typename T>
__global__ void __cluster_dims__(2, 1, 1) special(T *data);
template <>
__global__ void special(float *data) { data[threadIdx.x] = 1; }
// CHECK: {{[^ ]*}}:[[#@LINE+3]]:26: error: in_a_function: {{.*}} __cluster_dims__ [Cluster]
__global__ void in_a_function(float *data) { data[threadIdx.x] = 0; }
void launches(float *data) {
  extern __global__ void __cluster_dims__(2, 1, 1) in_a_function(float *data);
  in_a_function<<<2, 64>>>(data);
}
// CHECK: {{[^ ]*}}:[[#@LINE+1]]:3: error: standard_dimensions: {{.*}} __cluster_dims__ [Cluster]
[[gnu::cluster_dims(2, 1, 1)]] __global__ void standard_dimensions(float *data) { data[threadIdx.x] = 0; }
// CHECK: {{[^ ]*}}:[[#@LINE+3]]:26: error: of_instance: {{.*}} __block_size__, of which nvcc makes clusters, {{.*}} [Cluster]
template <typename T>
__global__ void of_instance(T *data) { data[threadIdx.x] = 0; }
template __global__ void __block_size__((64, 1, 1), (2, 1, 1)) of_instance(float *data);

// The annotation takes the kernel's address, so that its call through a pointer might be one of itself.
__device__ float half_of(float x) { return x / 2; }
__device__ float twice(float x) { return x * 2; }
__device__ float (*const Operations[])(float) = {half_of, twice};
// CHECK: {{[^ ]*}}:[[#@LINE+1]]:17: error: through_table: {{.*}} __block_size__, of which nvcc makes clusters, {{.*}} [Cluster]
__global__ void __block_size__((64, 1, 1), (2, 1, 1)) through_table(float *data, int n) { data[threadIdx.x] = Operations[n](1); }

__global__ void waits(float *data) {
  data[threadIdx.x] = 1;
  // CHECK: {{[^ ]*}}:[[#@LINE+3]]:3: error: waits: the kernel uses thread-block clusters: __cluster_barrier_arrive in
  // CHECK-SAME: waits [Cluster]
  // CHECK: note: leave this kernel out
  __cluster_barrier_arrive();
  // CHECK: {{[^ ]*}}:[[#@LINE+1]]:3: error: waits: {{.*}} __cluster_barrier_wait in waits [Cluster]
  __cluster_barrier_wait();
}

__global__ void by_group(float *data) {
  data[threadIdx.x] = 1;
  // GROUP: {{[^ ]*}}:[[#@LINE+3]]:38: error: by_group: the kernel uses thread-block clusters: cooperative_groups::
  // GROUP-SAME: {{.*}}cluster_group::sync calls __cluster_barrier_arrive [Cluster]
  // GROUP: note: leave this kernel out
  cooperative_groups::this_cluster().sync();
}
