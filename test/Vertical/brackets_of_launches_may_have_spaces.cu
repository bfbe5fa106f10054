// nvcc takes `<< <` and `>> >` for the brackets of a launch, as formatters of other languages write them, in macros, too.
// RUN: %cufuse inspect --chains %s | FileCheck %s
// RUN: %cufuse fuse %s:@21 %s:@22 --vertical --dry-run -o %t.cu 2>&1 | FileCheck %s --check-prefix=LINKED
// LINKED: linked as launched at {{.*}}:21:3 and {{.*}}:22:3: --link add.y=twice.x --link add.n=twice.n{{$}}
#define LAUNCH(...) << < __VA_ARGS__ >> >
template <typename T> struct Holds {};
template <typename T> struct Shown;
template <typename T> int operator<<(int, const Shown<T> &);
template <typename T> struct Shown {
  friend int operator<< <>(int, const Shown &); // no launch
};
__global__ void add(float *y, const float *x, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    y[i] = x[i] + 1 + sizeof(Holds<Holds<int> >);
}
__global__ void twice(float *z, const float *x, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    z[i] = x[i] * 2;
}
void run(float *x, float *y, float *z, int n) {
  add << <(n + 255) / 256, 256 >> > (y, x, n);
  twice LAUNCH((n + 255) / 256, 256) (z, y, n);
  // CHECK: 21:3 and {{.*}}:22:3: one after the other
}
