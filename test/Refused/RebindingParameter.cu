// A struct parameter with a member that synchronises is refused; one without is not.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse %s:fill --block 64 -o %t/out.cu 2>&1 | FileCheck %s '--implicit-check-not={{(error|refused):}}'
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse %s:fill_view --block 64 -o %t/out.cu
struct Lane {
  float *data;
  // CHECK: {{[^ ]*}}:[[#@LINE+3]]:21: error: fill: a parameter's type has members that use the thread block:
  // CHECK-SAME: Lane::mine [RebindingParameter]
  // CHECK: note: move those members to free functions
  __device__ float &mine() const { return __syncthreads(), data[threadIdx.x]; }
};

struct View {
  float *data;
  __device__ float &at(int i) const { return data[i]; }
};

__global__ void fill(Lane lane, float value) { lane.mine() = value; }

__global__ void fill_view(View view, float value) { view.at(threadIdx.x) = value; }
