// What a thrust::device_vector says of its memory is where that is, and changes nothing: all views of its first element are one,
// and other views of the same vector are not seen to be apart from it. Members are.
// RUN: %cufuse inspect --chains %s | FileCheck %s
// RUN: %cufuse fuse --vertical %s:'fill<0>' %s:'turn<0>' --distinct --name fused --dry-run -o %t.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=LINKS
// LINKS: linked as launched at {{.*}}: --link fill.x=turn.in --link fill.n=turn.n{{$}}
// RUN: %exits 1 %cufuse fuse --vertical %s:'fill<4>' %s:'turn<4>' --distinct --name fused -o %t.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=UNSEEN
// UNSEEN: error: it is not seen whether the launches at {{.*}} share an array that one of them stores
#include <thrust/device_vector.h>
#include <vector>
template <int> __global__ void fill(float *x, float value, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] = value;
}
template <int> __global__ void turn(const float *in, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = -in[i];
}
struct Arrays {
  float *begin, *end;
  float *first() const { return begin; }
  float *last() const { return end; }
  float *moved() const { return begin + 1; }
};

#define CASE(NUMBER, FIRST, SECOND)                                                                                    \
  void of##NUMBER(thrust::device_vector<float> &x, std::vector<float *> &several, Arrays &a, float *y, int n) {        \
    fill<NUMBER><<<(n + 255) / 256, 256>>>(FIRST, 1, n);                                                               \
    turn<NUMBER><<<(n + 255) / 256, 256>>>(SECOND, y, n);                                                              \
  }
// CHECK: [[#@LINE+1]]:{{.*}}: one after the other{{$}}
CASE(0, thrust::raw_pointer_cast(x.data()), thrust::raw_pointer_cast(x.data()))
// CHECK: [[#@LINE+1]]:{{.*}}: one after the other{{$}}
CASE(1, thrust::raw_pointer_cast(x.data()), thrust::raw_pointer_cast(&x[0]))
// CHECK: [[#@LINE+1]]:{{.*}}: one after the other{{$}}
CASE(2, thrust::raw_pointer_cast(&x[n]), thrust::raw_pointer_cast(&x[n]))
// CHECK: [[#@LINE+1]]:{{.*}}: one after the other{{$}}
CASE(3, a.first(), a.begin)
// CHECK: [[#@LINE+1]]:{{.*}}: it is not seen whether they share memory
CASE(4, thrust::raw_pointer_cast(x.data()), thrust::raw_pointer_cast(&x[n]))
// CHECK: [[#@LINE+1]]:{{.*}}: it is not seen whether they share memory
CASE(5, several.front(), several.back())
// CHECK: [[#@LINE+1]]:{{.*}}: it is not seen whether they share memory
CASE(6, a.first(), a.moved())
// CHECK: [[#@LINE+1]]:{{.*}}: side by side, if their memory is distinct
CASE(7, a.first(), a.last())
// CHECK: [[#@LINE+1]]:{{.*}}: one after the other{{$}}
CASE(8, x.data().get(), thrust::raw_pointer_cast(x.data()))
// What is assigned on some way may be any.
template <int N> void assigned(float *x, float *y, bool swap, int n) {
  float *from = x;
  if (swap)
    from = y;
  fill<N><<<(n + 255) / 256, 256>>>(x, 1, n);
  // CHECK: [[#@LINE+1]]:{{.*}}: it is not seen whether they share memory
  turn<N><<<(n + 255) / 256, 256>>>(from, y + n, n);
}
template <int N> void handedOn(float *x, float *y, float *z, int n) {
  float *from = z;
  fill<N><<<(n + 255) / 256, 256>>>(x, 1, n);
  from = x;
  // CHECK: [[#@LINE+1]]:{{.*}}: one after the other{{$}}
  turn<N><<<(n + 255) / 256, 256>>>(from, y, n);
}
template void assigned<9>(float *, float *, bool, int);
template void handedOn<10>(float *, float *, float *, int);
