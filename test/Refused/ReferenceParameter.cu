// A kernel with a reference parameter is refused; the same kernel with a value is not.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse %s:clear_by_reference --block 64 -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s '--implicit-check-not={{(error|refused):}}'
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse %s:clear_by_value --block 64 -o %t/out.cu
struct Size {
  int rows, columns;
};

__global__ void clear_by_reference(float *data,
                                   // CHECK: {{[^ ]*}}:[[#@LINE+3]]:48: error: clear_by_reference: a parameter is a
                                   // CHECK-SAME: reference: size [ReferenceParameter]
                                   // CHECK: note: pass the value or a pointer
                                   const Size &size) {
  if (threadIdx.x < size.rows * size.columns)
    data[threadIdx.x] = 0;
}

__global__ void clear_by_value(float *data, const Size size) {
  if (threadIdx.x < size.rows * size.columns)
    data[threadIdx.x] = 0;
}
