// An mbarrier that a kernel leaves in its shared memory is initialised once, or was invalidated before: all else is undefined.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse %s:waits --block 128 --grid-policy stride -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse %s:waits %s:plain --block 128 --block 128 --geometry blocks --grid-policy pool -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse %s:waits %s:plain --block 128 --block 128 --geometry threads --turns waits=2 -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse %s:assembled --block 128 --grid-policy stride -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=ASSEMBLED '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse %s:assembled %s:plain --block 128 --block 128 --geometry threads -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=ASSEMBLED '--implicit-check-not={{(error|refused):}}'
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse %s:waits %s:assembled --block 128 --block 128 -o %t/out.cu
// RUN: %cufuse fuse %s:waits %s:plain --block 128 --block 128 --geometry threads -o %t/out.cu
// RUN: %cufuse fuse %s:ends %s:piped --block 128 --block 128 --grid-policy stride -o %t/out.cu
// RUN: %cufuse fuse %s:waits --block 128 --grid-policy stride --arch sm_75 -o %t/out.cu -- -arch=sm_75
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>

using Barrier = cuda::barrier<cuda::thread_scope_block>;

__global__ void waits(float *data) {
  __shared__ Barrier barrier;
  __shared__ float tile[128];
  // CHECK: {{[^ ]*}}:[[#@LINE+4]]:5: error: an mbarrier is still valid where its memory is used again: PTX does not
  // CHECK-SAME: define that: waits [KeptMbarrier]
  // CHECK: note: use --grid-policy match without --geometry threads, or end it: bar.~barrier(), mbarrier.inval
  if (threadIdx.x == 0)
    init(&barrier, blockDim.x);
  __syncthreads();
  tile[threadIdx.x] = data[threadIdx.x];
  barrier.arrive_and_wait();
  data[threadIdx.x] = tile[127 - threadIdx.x];
}

// Where kernels take turns, dynamic shared memory is the next one's.
__global__ void assembled(float *data) {
  extern __shared__ unsigned long long barriers[];
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(barriers));
  if (threadIdx.x == 0)
    // ASSEMBLED: {{[^ ]*}}:[[#@LINE+1]]:5: error: an mbarrier is {{.*}}: assembled [KeptMbarrier]
    asm volatile("mbarrier.init.shared.b64 [%0], 128;" ::"r"(at) : "memory");
  __syncthreads();
  asm volatile("{ .reg .b64 state; mbarrier.arrive.shared.b64 state, [%0]; }" ::"r"(at) : "memory");
  data[threadIdx.x] += 1;
}

__global__ void ends(float *data) {
  __shared__ Barrier barrier;
  if (threadIdx.x == 0)
    init(&barrier, blockDim.x);
  __syncthreads();
  barrier.arrive_and_wait();
  data[threadIdx.x] += 2;
  __syncthreads();
  if (threadIdx.x == 0)
    barrier.~Barrier();
}

// The library's pipeline invalidates its own.
__global__ void piped(const int *in, int *out) {
  __shared__ int tile[128];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  const auto block = cooperative_groups::this_thread_block();
  auto pipeline = cuda::make_pipeline(block, &state);
  pipeline.producer_acquire();
  cuda::memcpy_async(block, tile, in + blockIdx.x * 128, sizeof(tile), pipeline);
  pipeline.producer_commit();
  pipeline.consumer_wait();
  out[threadIdx.x] = tile[127 - threadIdx.x];
  pipeline.consumer_release();
}

__global__ void plain(float *data) { data[threadIdx.x] *= 2; }
