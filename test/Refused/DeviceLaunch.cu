// A kernel that launches another is refused; the kernel that it launches is not.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse %s:parent --block 64 -o %t/out.cu -- -rdc=true 2>&1 | \
// RUN:   FileCheck %s --implicit-check-not=refused:
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse %s:child --block 32 -o %t/out.cu -- -rdc=true
__global__ void child(float *data) { data[threadIdx.x] *= 2; }

__global__ void parent(float *data, int rows) {
  if (threadIdx.x < rows)
    // CHECK: refused: {{[^ ]*}}:[[#@LINE+2]]:5: parent: the kernel launches another kernel: in parent
    // CHECK-SAME: [DeviceLaunch]; launch it from the host
    child<<<1, 32>>>(data + 32 * threadIdx.x);
}
