// Only numbers are bound, to literals.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse %s:scale --block 128 --bind scale.data=0 -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse %s:scale --block 128 --bind scale.m=3 -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=NAME '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse %s:scale --block 128 --bind 'scale.n=f()' -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=VALUE '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 2 %cufuse fuse %s:scale --block 128 --bind other.n=3 -o %t/out.cu
// RUN: %exits 2 %cufuse fuse %s:scale --block 128 --bind n=3 -o %t/out.cu
// RUN: %exits 1 %cufuse fuse %s:scale --block 128 --bind scale.n=3-1 -o %t/out.cu
// RUN: %exits 1 %cufuse fuse %s:scale --block 128 --bind scale.n=08 -o %t/out.cu
// RUN: %exits 1 %cufuse fuse %s:scale --block 128 --bind scale.n=3foo -o %t/out.cu
// RUN: %exits 1 %cufuse fuse %s:scale --block 128 --bind scale.n=99999999999999999999 -o %t/out.cu
// What the type has not is none of its values.
// RUN: %exits 1 %cufuse fuse %s:scale --block 128 --bind scale.n=2147483648 -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: %exits 1 %cufuse fuse %s:scale --block 128 --bind scale.n=-2147483649 -o %t/out.cu
// RANGE: error: {{.*}}: 2147483648 for n of scale, which is int and cannot be that [WrongBinding]
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse %s:scale --block 128 --bind scale.n=-2147483648 -o %t/out.cu
// RUN: %cufuse fuse %s:scale --block 128 --bind scale.n=3 --bind scale.factor=0.5f -o %t/out.cu
// RUN: %cufuse fuse %s:scale --block 128 --bind scale.n=-0x1f --bind scale.factor=-0x1.8p+1f -o %t/out.cu
// RUN: %cufuse fuse %s:scale --block 128 --bind scale.factor=1e-5f -o %t/out.cu
// CHECK: error: the argument cannot be fixed: data of scale is of type float * [WrongBinding]
// CHECK: note: name a parameter that is a number, and a literal like 3 or 0.5f
// NAME: error: {{.*}}: scale has no parameter m: it has {{.+}} [WrongBinding]
// VALUE: error: {{.*}}: f() for n of scale [WrongBinding]
__global__ void scale(float *data, int n, float factor) {
  if (threadIdx.x < n)
    data[threadIdx.x] *= factor;
}
