// Launches that share an array by a reference, a copy of a structure, a parameter or a captured variable are not said to be
// independent. Of one such variable, the members are arrays of their own, and what lambdas capture is seen where they run.
// RUN: %exits 1 %cufuse fuse --vertical %s:f %s:g --distinct -o %t.cu -- -DCASE=1 2>&1 | FileCheck %s --check-prefix=REFUSED
// RUN: %cufuse inspect --chains %s -- -DCASE=1 | FileCheck %s --check-prefix=SHARED '--implicit-check-not=side by side'
// RUN: %cufuse inspect --chains %s -- -DCASE=2 | FileCheck %s --check-prefix=CHAIN
// RUN: %cufuse inspect --chains %s -- -DCASE=3 | FileCheck %s --check-prefix=SHARED '--implicit-check-not=side by side'
// RUN: %cufuse inspect --chains %s -- -DCASE=4 | FileCheck %s --check-prefix=SHARED '--implicit-check-not=side by side'
// RUN: %cufuse inspect --chains %s -- -DCASE=5 | FileCheck %s --check-prefix=SHARED '--implicit-check-not=side by side'
// RUN: %cufuse inspect --chains %s -- -DCASE=6 | FileCheck %s --check-prefix=SHARED '--implicit-check-not=side by side'
// RUN: %cufuse inspect --chains %s -- -DCASE=7 | FileCheck %s --check-prefix=SHARED '--implicit-check-not=side by side'
// RUN: %cufuse inspect --chains %s -- -DCASE=8 | FileCheck %s --check-prefix=CHAIN
// REFUSED: error: it is not seen whether the launches at {{.*}} share an array that one of them stores
// SHARED: it is not seen whether they share memory
// CHAIN: one after the other
__global__ void f(const float *x, float *y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[i] + 1;
}
__global__ void g(const float *x, float *y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[i] * 2;
}
struct Arrays {
  float *x, *m, *z;
};
#if CASE == 1
static void first(Arrays a, int n) { f<<<(n + 63) / 64, 64>>>(a.x, a.m, n); }
static void second(Arrays a, int n) { g<<<(n + 63) / 64, 64>>>(a.m, a.z, n); }
void byParameters(Arrays a, int n) {
  first(a, n);
  second(a, n);
}
#elif CASE == 2
template <typename Work> static void timed(Work work) { work(); }
void captured(float *x, float *m, float *z, int n) {
  timed([&] { f<<<(n + 63) / 64, 64>>>(x, m, n); });
  timed([&] { g<<<(n + 63) / 64, 64>>>(m, z, n); });
}
#elif CASE == 3
void referenced(Arrays a, int n) {
  Arrays &b = a;
  f<<<(n + 63) / 64, 64>>>(a.x, a.m, n);
  g<<<(n + 63) / 64, 64>>>(b.m, b.z, n);
}
#elif CASE == 4
void copied(Arrays a, int n) {
  Arrays b = a;
  f<<<(n + 63) / 64, 64>>>(a.x, a.m, n);
  g<<<(n + 63) / 64, 64>>>(b.m, b.z, n);
}
#elif CASE == 5
void listed(float *x, float *m, float *z, int n) {
  Arrays b = {x, m, z};
  f<<<(n + 63) / 64, 64>>>(x, m, n);
  g<<<(n + 63) / 64, 64>>>(b.m, b.z, n);
}
#elif CASE == 6
void assigned(Arrays a, float *x, float *m, int n) {
  a.m = m;
  f<<<(n + 63) / 64, 64>>>(x, m, n);
  g<<<(n + 63) / 64, 64>>>(a.m, a.z, n);
}
#elif CASE == 7
void chosen(float *x, float *m, float *k, float *z, int n) {
  float *d = n > 9 ? m : k;
  f<<<(n + 63) / 64, 64>>>(x, d, n);
  g<<<(n + 63) / 64, 64>>>(m, z, n);
}
#elif CASE == 8
void ofOne(Arrays a, int n) {
  Arrays b = a;
  f<<<(n + 63) / 64, 64>>>(b.x, b.m, n);
  g<<<(n + 63) / 64, 64>>>(b.m, b.z, n);
}
#endif
