// A variable that the host fills is one object with one type, so two kernels cannot each have a copy of that type.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse %s:first %s:second --block 64 --block 64 -o %t/out.cu -- -rdc=true 2>&1 | \
// RUN:   FileCheck %s '--implicit-check-not={{(error|refused):}}'
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse %s:first %s:alone --block 64 --block 64 -o %t/out.cu -- -rdc=true
struct Matrix {
  float m[3];
};
__constant__ Matrix matrix;

__global__ void first(float *data) { data[threadIdx.x] *= matrix.m[0]; }
// CHECK: {{[^ ]*}}:[[#@LINE+4]]:17: error: two kernels read one variable of the program whose type is defined in their
// CHECK-SAME: file: extern __constant__ {{.*}}Matrix matrix; [HostSharedType]
// CHECK: note: move the type to a header that the file
// CHECK-SAME: includes
__global__ void second(float *data) { data[threadIdx.x] += matrix.m[1]; }
__global__ void alone(float *data) { data[threadIdx.x] += 1; }

void fill(const Matrix &value) { cudaMemcpyToSymbol(matrix, &value, sizeof(value)); }
