// A function that synchronises is refused where it is called through a pointer or a virtual table.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse %s:through_pointer --block 64 -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=POINTER '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse %s:through_virtual --block 64 -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=VIRTUAL '--implicit-check-not={{(error|refused):}}'
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse %s:pointer_without_barrier %s:direct --block 64 --block 64 -o %t/out.cu
__device__ void reverse(float *tile) {
  const float mine = tile[blockDim.x - 1 - threadIdx.x];
  __syncthreads();
  tile[threadIdx.x] = mine;
}
__device__ float twice(float x) { return 2 * x; }
__device__ float half(float x) { return x / 2; }

typedef void (*Step)(float *);
typedef float (*Map)(float);

__device__ void nothing(float *) {}

__global__ void through_pointer(float *data, int steps) {
  const Step step = steps ? reverse : nothing;
  for (int i = 0; i < steps; ++i)
    // POINTER: {{[^ ]*}}:[[#@LINE+3]]:5: error: through_pointer: a function that synchronises is called through a
    // POINTER-SAME: pointer: reverse [BarrierThroughPointer]
    // POINTER: note: call it directly
    step(data);
}

struct Stage {
  __device__ virtual void run(float *tile) const = 0;
};
struct Reverse : Stage {
  __device__ void run(float *tile) const override { reverse(tile); }
};
struct Twice : Stage {
  __device__ void run(float *tile) const override { tile[threadIdx.x] *= 2; }
};

__device__ void run(const Stage &stage, float *data) { stage.run(data); }

__global__ void through_virtual(float *data, bool up) {
  Reverse stage;
  Twice other;
  // VIRTUAL: error: through_virtual: a function that synchronises is called through a pointer: virtual
  // VIRTUAL-SAME: {{.*}}[BarrierThroughPointer]
  // VIRTUAL: note: call it directly
  const Stage &chosen = up ? static_cast<const Stage &>(stage) : other;
  run(chosen, data);
}

__global__ void pointer_without_barrier(float *data, bool up) {
  const Map map = up ? twice : half;
  data[threadIdx.x] = map(data[threadIdx.x]);
}

__global__ void direct(float *data) { reverse(data); }
