// Where kernels use the same dynamic shared memory in turns, what one stores is ordered before the bulk copies of the
// next, which go by another proxy.
// RUN: rm -rf %t && mkdir %t
// RUN: %cufuse fuse %s:stores %s:copies --block 128 --block 128 --geometry threads -o %t/out.cu
// RUN: FileCheck %s --input-file=%t/out.cu
// RUN: %nvcc -arch=sm_90a -cubin -o %t/out.cubin %t/out.cu
// RUN: %cufuse check %t/out.cu
// RUN: %cufuse fuse %s:stores %s:copies --block 128 --block 128 --geometry blocks --grid-policy pool -o %t/pool.cu
// RUN: FileCheck %s --check-prefix=POOL --input-file=%t/pool.cu
// RUN: %cufuse fuse %s:stores %s:stores --block 128 --block 128 --geometry threads -o %t/stores.cu
// RUN: FileCheck %s --check-prefix=STORES --input-file=%t/stores.cu
// RUN: %cufuse fuse %s:stores %s:copies --block 128 --block 128 -o %t/apart.cu
// RUN: FileCheck %s --check-prefix=STORES --input-file=%t/apart.cu

__global__ void stores(float *data) {
  extern __shared__ float tile[];
  tile[threadIdx.x] = data[blockIdx.x * blockDim.x + threadIdx.x];
  __syncthreads();
  data[blockIdx.x * blockDim.x + threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

__global__ void copies(const float *in, float *out) {
  extern __shared__ __align__(128) float tile[];
  __shared__ unsigned long long arrived;
  const unsigned bar = static_cast<unsigned>(__cvta_generic_to_shared(&arrived));
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(tile));
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(bar) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 512;" ::"r"(bar) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 512, [%2];" ::"r"(at),
                 "l"(in + blockIdx.x * 128), "r"(bar)
                 : "memory");
  }
  asm volatile("{ .reg .pred done;\n"
               "again: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], 0;\n"
               "@!done bra again; }" ::"r"(bar)
               : "memory");
  out[blockIdx.x * 128 + threadIdx.x] = tile[threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0)
    asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(bar) : "memory");
}

// CHECK: fence.proxy.async
// CHECK: ::finishCopies(); // another kernel's go into what this one has stored
// CHECK: __syncthreads(); // before another kernel uses the same dynamic shared memory
// CHECK: ::finishCopies(); // which would land in what the next block uses
// POOL: ::finishCopies(); // another kernel's go into what this one has stored
// STORES-NOT: finishCopies
