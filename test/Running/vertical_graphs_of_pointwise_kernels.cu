// Graphs in one loop: siblings that load the same array, a consumer of two producers, an intermediate that is changed in
// place and one that is read before, two kernels that share nothing but their number of elements, and kernels that go
// through pointers into their arrays.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %cufuse fuse --vertical a.cu:sine a.cu:cosine a.cu:rotate a.cu:norm --link sine.x=cosine.x --link sine.n=cosine.n \
// RUN:   --link sine.out=rotate.s --link cosine.out=rotate.c --link sine.n=rotate.n --link rotate.u=norm.u \
// RUN:   --link rotate.v=norm.v --link sine.n=norm.n --dead sine.out --dead rotate.v --block 64 --name joins -o joins.cu
// RUN: %cufuse fuse --vertical a.cu:clamp a.cu:halve a.cu:clamp a.cu:pointers --link clamp_0.x=halve.in \
// RUN:   --link clamp_0.x=clamp_1.x --link clamp_1.x=pointers.in --link clamp_0.n=halve.n --link clamp_0.n=clamp_1.n \
// RUN:   --link clamp_0.n=pointers.n --vectorize 2 --block 32 --name places -o places.cu
// RUN: %cufuse fuse --vertical a.cu:halve a.cu:sometimes --link halve.n=sometimes.n --vectorize 4 --block 32 \
// RUN:   --name siblings -o siblings.cu
// RUN: %execute --nvcc=-fmad=false -I %S/Inputs -I %t %t/main.cu %t/joins.cu %t/places.cu %t/siblings.cu

//--- a.cu
__global__ void sine(const float *__restrict__ x, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = sinf(x[i]);
}
__global__ void cosine(const float *__restrict__ x, float *__restrict__ out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    out[i] = cosf(x[i]);
}
__global__ void rotate(const float *__restrict__ s, const float *__restrict__ c, const float *__restrict__ a,
                       float *__restrict__ u, float *__restrict__ v, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  u[i] = c[i] * a[i] - s[i];
  v[i] = s[i] * a[i] + c[i];
}
__global__ void norm(const float *__restrict__ u, const float *__restrict__ v, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    out[i] = u[i] * u[i];
    out[i] += v[i] * v[i];
  }
}
__global__ void clamp(float *__restrict__ x, float low, float high, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    if (x[i] < low)
      x[i] = low;
    else if (x[i] > high)
      x[i] = high;
  }
}
__global__ void halve(const float *__restrict__ in, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] / 2;
}
__global__ void pointers(const float *__restrict__ in, const float *__restrict__ other, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float *from = in + blockIdx.x * blockDim.x;
  float *const to = &out[i];
  if (i < n)
    *to = __ldg(&from[threadIdx.x]) + *(other + i) * __ldcs(in + i);
}
// There may be no array.
__global__ void sometimes(const float *__restrict__ x, float *__restrict__ y, bool has, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    if (has)
      y[i] = x[i] + 1;
    else if (i % 2)
      y[i] = 3;
  }
}

//--- main.cu
#include "both.h"

#include "a.cu"

#include "joins.h"
#include "places.h"
#include "siblings.h"

int main() {
  constexpr int room = 300;
  bool good = true;
  Array<float> x(room, 7), a(room, 5), s(room), c(room), u(room), v(room), out(room), half(room), sum(room);
  for (int n : {0, 1, 64, 65, 299}) {
    const int grid = n / 64 + 1;
    Both joins;
    joins.output("cosine", c), joins.output("u", u), joins.output("norm", out);
    good &= joins.same(
        "joins",
        [&] {
          sine<<<grid, 64>>>(x, s, n);
          cosine<<<1, 64>>>(x, c, n);
          rotate<<<grid, 64>>>(s, c, a, u, v, n);
          norm<<<grid, 64>>>(u, v, out, n);
        },
        [&] {
          joins::sine_cosine_rotate_norm::Launch launch{};
          launch.grid = 2;
          launch.arguments = {x, n, c, a, u, out};
          require(joins::launch(launch), "joins");
        }, n == 0);
    Both places;
    places.output("clamped", v), places.output("halved", half), places.output("sum", sum);
    good &= places.same(
        "places",
        [&] {
          clamp<<<grid, 64>>>(v, 10, 400, n);
          halve<<<grid, 64>>>(v, half, n);
          clamp<<<grid, 64>>>(v, 100, 300, n);
          pointers<<<grid, 64>>>(v, a, sum, n);
        },
        [&] {
          places::clamp_halve_clamp_pointers::Launch launch{};
          launch.grid = 1;
          launch.arguments = {v, 10, 400, n, half, 100, 300, a, sum};
          require(places::launch(launch), "places");
        }, n == 0);
    Both siblings;
    siblings.output("halved", half), siblings.output("sometimes", out);
    good &= siblings.same(
        "siblings",
        [&] {
          halve<<<grid, 64>>>(x, half, n);
          sometimes<<<grid, 64>>>(n % 2 ? nullptr : a.data, out, n % 2 == 0, n);
        },
        [&] {
          siblings::halve_sometimes::Launch launch{};
          launch.grid = 1;
          launch.arguments = {x, half, n, n % 2 ? nullptr : a.data, out, n % 2 == 0};
          require(siblings::launch(launch), "siblings");
        }, n == 0);
  }
  return good ? 0 : 1;
}
