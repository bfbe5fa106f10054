// A kernel in a stream waits for the grids that the one before has launched; the barrier of the grid does not. The last
// one may launch some.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse --vertical %s:make %s:take --link make.out=take.in --cooperative --block 64 --block 64 \
// RUN:   -o %t/out.cu -- -rdc=true 2>&1 | FileCheck %s '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse --vertical %s:copy %s:take --link copy.out=take.in --cooperative --block 64 --block 64 \
// RUN:   -o %t/out.cu -- -rdc=true 2>&1 | FileCheck %s --check-prefix=COPY '--implicit-check-not={{(error|refused):}}'
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse --vertical %s:take %s:make --link take.out=make.in --cooperative --block 64 --block 64 -o %t/out.cu \
// RUN:   -- -rdc=true

__global__ void twice(const float *in, float *out) { out[threadIdx.x] = 2 * in[threadIdx.x]; }

// CHECK: {{.*}}GridBarrierLaunch.cu:[[@LINE+4]]:5: error: the kernel launches grids, for whose end the grid barrier does not wait: make [GridBarrierLaunch]
// CHECK: note: make it the last one, or launch it separately
__global__ void make(const float *in, float *out) {
  if (threadIdx.x == 0)
    twice<<<1, 64>>>(in, out);
}

// COPY: {{.*}}GridBarrierLaunch.cu:[[@LINE+3]]:5: error: the kernel launches grids, {{.*}}: copy [GridBarrierLaunch]
__global__ void copy(const float *in, float *out) {
  if (threadIdx.x == 0)
    cudaMemcpyAsync(out, in, 64 * sizeof(float), cudaMemcpyDeviceToDevice, 0);
}

__global__ void take(const float *in, float *out) { out[threadIdx.x] = in[63 - threadIdx.x]; }
