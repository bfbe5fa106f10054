// A kernel whose threads have places in two or three dimensions is called for an element by its number, where no form
// takes it as it is: for a reduction that counts in one dimension, or for neighbours, again for each.
// RUN: split-file %s %t
// RUN: %cufuse fuse --vertical %t/kernels.cu:laplace %t/kernels.cu:dot --distinct --block 64 --name live -o %t/live.cu
// RUN: %cufuse fuse --vertical %t/kernels.cu:inside %t/kernels.cu:sum --distinct --block 64 --name part -o %t/part.cu
// RUN: %cufuse fuse --vertical %t/kernels.cu:blurX %t/kernels.cu:blurY %t/kernels.cu:sharpen --distinct --block 16x4 \
// RUN:   --recompute any --dead blurX.out --dead blurY.out --name blur -o %t/blur.cu
// RUN: %cufuse fuse --vertical %t/kernels.cu:grey %t/kernels.cu:edges %t/kernels.cu:limit --distinct --block 8x8 \
// RUN:   --recompute any --dead grey.out --dead edges.out --name edge -o %t/edge.cu
// RUN: FileCheck %s --input-file=%t/live.cu
// RUN: FileCheck %s --check-prefix=PART --input-file=%t/part.cu
// RUN: FileCheck %s --check-prefix=BLUR --input-file=%t/blur.cu
// RUN: FileCheck %s --check-prefix=EDGE --input-file=%t/edge.cu
// RUN: %execute -I %t %t/main.cu %t/kernels.cu %t/live.cu %t/part.cu %t/blur.cu %t/edge.cu
// CHECK: uint3{static_cast<unsigned>(element) % static_cast<unsigned>(laplace_nx), static_cast<unsigned>(element) / static_cast<unsigned>(laplace_nx), 0}
// CHECK: nx < 0 ||
// What threads load of their neighbours is computed once for the block:
// BLUR: __shared__ float cufuse_tile_in[128];
// BLUR: CufuseAt_blurY_in cufuse_source_in{{.*}}cufuse_tile_in,
// BLUR: __syncthreads();
// What the clamps ask of sizes, the kernel's own conditions say: the launch asks for nothing.
// BLUR-NOT: 1ll - 1ll * h
// EDGE: CufuseTile<unsigned char, 8, 8, 1, 1> tile;
// What a border keeps is what was there:
// PART: double made_inside_q = memory_inside_q[element];
// RUN: not %cufuse fuse %t/kernels.cu:shifted %t/kernels.cu:sum --link shifted.q=sum.x --link 'shifted.nx*ny=sum.n' --distinct \
// RUN:   --block 64 -o %t/n.cu 2> %t/n
// RUN: FileCheck %s --check-prefix=SHIFTED --input-file=%t/n
// SHIFTED: shifted is not pointwise
// RUN: not %cufuse fuse %t/kernels.cu:open %t/kernels.cu:sum --link open.q=sum.x --link 'open.nx*ny=sum.n' --distinct \
// RUN:   --block 64 -o %t/n.cu 2> %t/n
// RUN: FileCheck %s --check-prefix=OPEN --input-file=%t/n
// OPEN: open is not pointwise
// RUN: not %cufuse fuse %t/kernels.cu:inside %t/kernels.cu:twice --link inside.q=twice.x --link 'inside.nx*ny=twice.n' \
// RUN:   --distinct --block 16x4 --in-registers -o %t/n.cu 2> %t/n
// RUN: FileCheck %s --check-prefix=SOMETIMES --input-file=%t/n
// SOMETIMES: [StoredSometimes]
// What is missing to being functions of an element's number is said, where that is nearer:
// RUN: not %cufuse fuse %t/kernels.cu:gathered %t/kernels.cu:sum --link gathered.q=sum.x --link 'gathered.nx*ny=sum.n' \
// RUN:   --block 64 --in-registers -o %t/n.cu 2> %t/n
// RUN: FileCheck %s --check-prefix=NEARER --input-file=%t/n --implicit-check-not=NotPointwise
// NEARER: no form fits: at loads: two pointers may lead to the same memory
// NEARER: note: which elements of gathered.p are used is not known at the launch; if they never do, say --distinct
// What some threads leave is not in a row's registers either, but where the kernel loads the row before.
// RUN: not %cufuse fuse --vertical %t/kernels.cu:mask %t/kernels.cu:centre --distinct --block 64 --in-registers \
// RUN:   -o %t/n.cu 2> %t/n
// RUN: FileCheck %s --check-prefix=ROW --input-file=%t/n
// ROW: mask: q[y * nx + x] at {{.*}}; centre takes it as x [NotByRow]
// RUN: %cufuse fuse --vertical %t/kernels.cu:masked %t/kernels.cu:centre --distinct --block 64 --in-registers \
// RUN:   -o %t/changed.cu

//--- kernels.cu
__global__ void laplace(const double *p, double *q, int nx, int ny, double scale) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny)
    return;
  int i = y * nx + x;
  double c = 4 * p[i];
  if (x > 0)
    c -= p[i - 1];
  if (x < nx - 1)
    c -= p[i + 1];
  if (y > 0)
    c -= p[i - nx];
  if (y < ny - 1)
    c -= p[i + nx];
  q[i] = c * scale;
}
__global__ void dot(const double *a, const double *b, double *partial, int n) {
  __shared__ double all[64];
  double mine = 0;
  for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += blockDim.x * gridDim.x)
    mine += a[i] * b[i];
  all[threadIdx.x] = mine;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int k = 1; k < blockDim.x; ++k)
      all[0] += all[k];
    partial[blockIdx.x] = all[0];
  }
}
void step(const double *p, double *q, double *partial, int nx, int ny) {
  laplace<<<dim3((nx + 15) / 16, (ny + 3) / 4), dim3(16, 4)>>>(p, q, nx, ny, 0.25);
  dot<<<3, 64>>>(p, q, partial, nx * ny);
}

// The border of a box keeps what it is.
__global__ void inside(const double *p, double *q, int nx, int ny, int nz) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
      z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1 && z > 0 && z < nz - 1) {
    int i = (z * ny + y) * nx + x;
    q[i] = p[i - 1] + p[i + 1] + p[i - nx] + p[i + nx] + p[i - nx * ny] + p[i + nx * ny];
  }
}
__global__ void shifted(const double *p, double *q, int nx, int ny) {
  int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
  if (x < nx - 1 && y < ny - 1)
    q[y * nx + x] = p[y * nx + x];
}
__global__ void gathered(const double *p, const int *order, double *q, int nx, int ny) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y < ny)
    q[y * nx + x] = p[order[y * nx + x]];
}
__global__ void open(const double *p, double *q, int nx, int ny) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (y < ny)
    q[y * nx + x] = p[y * nx + x];
}
__global__ void mask(const double *p, double *q, int nx, int ny) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y < ny && p[y * nx + x] > 0)
    q[y * nx + x] = 1;
}
__global__ void masked(const double *p, double *q, int nx, int ny) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y < ny && p[y * nx + x] > 0)
    q[y * nx + x] += 1;
}
__global__ void centre(const double *x, double *out, int n) {
  __shared__ double all[64];
  double mine = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    mine += x[(long long)blockIdx.x * n + i];
  all[threadIdx.x] = mine;
  __syncthreads();
  for (int k = 32; k > 0; k /= 2) {
    if (threadIdx.x < k)
      all[threadIdx.x] += all[threadIdx.x + k];
    __syncthreads();
  }
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    out[(long long)blockIdx.x * n + i] = x[(long long)blockIdx.x * n + i] - all[0] / n;
}
void rows(const double *p, double *q, double *out, int nx, int ny) {
  mask<<<dim3((nx + 15) / 16, (ny + 3) / 4), dim3(16, 4)>>>(p, q, nx, ny);
  centre<<<ny, 64>>>(q, out, nx);
}
void changed(const double *p, double *q, double *out, int nx, int ny) {
  masked<<<dim3((nx + 15) / 16, (ny + 3) / 4), dim3(16, 4)>>>(p, q, nx, ny);
  centre<<<ny, 64>>>(q, out, nx);
}
__global__ void sum(const double *x, double *partial, int n) {
  __shared__ double all[64];
  double mine = 0;
  for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += blockDim.x * gridDim.x)
    mine += x[i];
  all[threadIdx.x] = mine;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int k = 1; k < blockDim.x; ++k)
      all[0] += all[k];
    partial[blockIdx.x] = all[0];
  }
}
__global__ void twice(const double *x, double *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = 2 * x[i];
}
void box(const double *p, double *q, double *partial, int nx, int ny, int nz) {
  inside<<<dim3((nx + 7) / 8, (ny + 3) / 4, (nz + 1) / 2), dim3(8, 4, 2)>>>(p, q, nx, ny, nz);
  sum<<<3, 64>>>(q, partial, nx * ny * nz);
}

__device__ int clamped(int v, int most) { return min(max(v, 0), most); }
__global__ void blurX(const float *in, float *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h)
    return;
  float s = 0;
  for (int k = -2; k <= 2; ++k)
    s += (3 - abs(k)) * in[y * w + clamped(x + k, w - 1)];
  out[y * w + x] = s / 9;
}
__global__ void blurY(const float *in, float *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h)
    return;
  float s = 0;
  for (int k = -2; k <= 2; ++k)
    s += (3 - abs(k)) * in[clamped(y + k, h - 1) * w + x];
  out[y * w + x] = s / 9;
}
__global__ void sharpen(const float *in, const float *blurred, float *out, float amount, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h)
    out[y * w + x] = in[y * w + x] + amount * (in[y * w + x] - blurred[y * w + x]);
}
void blurAll(const float *in, float *rows, float *both, float *out, int w, int h) {
  const dim3 block(16, 4), grid((w + 15) / 16, (h + 3) / 4);
  blurX<<<grid, block>>>(in, rows, w, h);
  blurY<<<grid, block>>>(rows, both, w, h);
  sharpen<<<grid, block>>>(in, both, out, 0.5f, w, h);
}

__global__ void grey(const uchar3 *in, unsigned char *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h)
    out[y * w + x] = (in[y * w + x].x * 77 + in[y * w + x].y * 150 + in[y * w + x].z * 29) >> 8;
}
__global__ void edges(const unsigned char *in, float *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x > 0 && y > 0 && x < w - 1 && y < h - 1) {
    const float dx = in[y * w + x + 1] - in[y * w + x - 1], dy = in[(y + 1) * w + x] - in[(y - 1) * w + x];
    out[y * w + x] = dx * dx + dy * dy;
  } else if (x < w && y < h)
    out[y * w + x] = -1;
}
__global__ void limit(const float *in, int *out, float most, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h)
    out[y * w + x] = in[y * w + x] < 0 ? -1 : in[y * w + x] > most;
}
void edgeAll(const uchar3 *in, unsigned char *one, float *two, int *out, int w, int h) {
  const dim3 block(8, 8), grid((w + 7) / 8, (h + 7) / 8);
  grey<<<grid, block>>>(in, one, w, h);
  edges<<<grid, block>>>(one, two, w, h);
  limit<<<grid, block>>>(two, out, 900, w, h);
}

//--- main.cu
#include "blur.h"
#include "edge.h"
#include "live.h"
#include "part.h"
#include <cstdio>
#include <cstring>
#include <vector>
void step(const double *, double *, double *, int, int);
void box(const double *, double *, double *, int, int, int);
void blurAll(const float *, float *, float *, float *, int, int);
void edgeAll(const uchar3 *, unsigned char *, float *, int *, int, int);
template <typename T> struct Array {
  explicit Array(size_t n, int seed = 0) : bytes(n * sizeof(T)) {
    std::vector<T> host(n);
    for (size_t i = 0; i < n; ++i)
      if constexpr (sizeof(T) % 4 == 0)
        host[i] = T(double((i * 7919 + seed) % 1000) / 100);
      else
        for (size_t k = 0; k < sizeof(T); ++k)
          reinterpret_cast<unsigned char *>(&host[i])[k] = (i * 7919 + k * 31 + seed) >> 3;
    cudaMalloc(&at, bytes);
    cudaMemcpy(at, host.data(), bytes, cudaMemcpyHostToDevice);
  }
  bool is(const Array &other) const {
    std::vector<char> a(bytes), b(bytes);
    cudaMemcpy(a.data(), at, bytes, cudaMemcpyDeviceToHost);
    cudaMemcpy(b.data(), other.at, bytes, cudaMemcpyDeviceToHost);
    return a == b;
  }
  T *at;
  size_t bytes;
};
#define REQUIRE(condition)                                                                                             \
  if (!(condition)) {                                                                                                  \
    std::printf("%d x %d: %s\n", w, h, #condition);                                                                    \
    return 1;                                                                                                          \
  }
int main() {
  const int sizes[][2] = {{1, 1}, {5, 3}, {16, 4}, {37, 23}, {64, 2}, {3, 70}};
  for (const auto &[w, h] : sizes) {
    const int d = 4;
    Array<double> p(w * h * d, 1), q(w * h * d, 2), r(w * h * d, 2), s(3), t(3);
    step(p.at, q.at, s.at, w, h);
    REQUIRE(live::laplace_dot::launch(dim3(3), p.at, r.at, w, h, 0.25, t.at, 0) == cudaSuccess);
    REQUIRE(q.is(r) && s.is(t));
    box(p.at, q.at, s.at, w, h, d);
    REQUIRE(part::inside_sum::launch(dim3(3), p.at, r.at, w, h, d, t.at, 0) == cudaSuccess);
    REQUIRE(q.is(r) && s.is(t));
    Array<float> in(w * h, 3), one(w * h), two(w * h), a(w * h), b(w * h, 5);
    blurAll(in.at, one.at, two.at, a.at, w, h);
    REQUIRE(blur::blurX_blurY_sharpen::launch(dim3((w + 15) / 16, (h + 3) / 4), in.at, one.at, w, h, b.at, 0.5f, 0) == cudaSuccess);
    REQUIRE(a.is(b));
    Array<uchar3> image(w * h, 7);
    Array<unsigned char> grey(w * h);
    Array<int> c(w * h), e(w * h, 5);
    edgeAll(image.at, grey.at, one.at, c.at, w, h);
    const dim3 grid((w + 7) / 8, (h + 7) / 8);
    REQUIRE(edge::grey_edges_limit::launch(grid, image.at, grey.at, w, h, e.at, 900, 0) == cudaSuccess);
    REQUIRE(c.is(e));
  }
  // Twice negative is no number of elements.
  const int w = -4, h = -4;
  REQUIRE(live::laplace_dot::launch(dim3(3), nullptr, nullptr, w, h, 0.25, nullptr, 0) == cudaErrorInvalidConfiguration);
}
