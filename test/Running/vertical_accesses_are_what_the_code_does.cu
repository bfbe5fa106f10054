// Inputs may be read by helpers, lambdas, views, references, moved pointers and assembly, and loops over the grid may stand in
// helpers: what the code does counts. So do linked pointers, for which objects stand, but for views.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %cufuse fuse --distinct --vertical a.cu:byHelper a.cu:byLambda a.cu:byView a.cu:byAssembly --link byHelper.out=byLambda.in \
// RUN:   --link byLambda.out=byView.in --link byView.out=byAssembly.in --link byHelper.n=byLambda.n \
// RUN:   --link byLambda.n=byView.n --link byView.n=byAssembly.n --dead byHelper.out --dead byLambda.out --dead byView.out \
// RUN:   --vectorize 4 --block 64 --name chain -o chain.cu
// RUN: %cufuse fuse --distinct --vertical a.cu:moved a.cu:sums --link moved.out=sums.in --link moved.columns=sums.columns --dead moved.out \
// RUN:   --block 64 --name rows -o rows.cu
// RUN: %cufuse fuse --distinct --vertical a.cu:scalePacks a.cu:addPacks --link scalePacks.out=addPacks.in --link scalePacks.n=addPacks.n \
// RUN:   --dead scalePacks.out --block 64 --name packs -o packs.cu
// RUN: %execute -I %S/Inputs -I %t %t/main.cu %t/chain.cu %t/rows.cu %t/packs.cu

//--- a.cu
struct View {
  const float *p;
  __device__ float operator[](int i) const { return p[i]; }
};
__device__ int id() {
  const int block = blockIdx.x * blockDim.x;
  return block + threadIdx.x;
}
__device__ float read(const float *p, int i) { return p[i]; }
template <typename T> __device__ void write(T *to, int i, const T &value) {
  to += i;
  *to = value;
}
__global__ void byHelper(const float *__restrict__ x, float *__restrict__ out, int n) {
  const int i = id();
  if (__builtin_expect(i >= n, 0))
    goto end;
  write(out, i, 2 * read(x, i) + read(x + i, 0));
end:;
}
template <typename F> __device__ void each(int n, F f) {
  for (int i = id(); i < n; i += blockDim.x * gridDim.x)
    f(i);
}
__global__ void byLambda(const float *__restrict__ in, const float *__restrict__ by, float *__restrict__ out, int n) {
  float factor = 0;
  if (n > 3)
    each(1, [&](int) { factor = 1; });
  for (int i = id(); i < n; i += blockDim.x * gridDim.x) {
    const auto at = [=](int k) { return by[k] * in[k]; };
    const auto put = [](float *to, float value) { *to++ = value; };
    put(&out[i], at(i) + (n > 3 ? 0 : factor));
  }
}
__global__ void byView(const float *__restrict__ in, const float *__restrict__ other, float *__restrict__ out, int n) {
  const View view{other};
  int i = id();
  if (!(i < n))
    return;
  const float &first = other[i / 2];
  float &element = out[i];
  element = read(in, i) + view[i] - first + 0 * read(other, i / 2);
}
__global__ void byAssembly(const float *__restrict__ in, float *__restrict__ out, int n) {
  for (int i = id(); i < n; i += blockDim.x * gridDim.x) {
    const float *from = in;
    from += i;
    float negative = -*from;
    out[i] = negative;
  }
}
__global__ void moved(const float *__restrict__ x, float *__restrict__ out, int columns) {
  x += blockIdx.x * columns;
  out += (size_t)blockIdx.x * columns;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    out[i] = 2 * x[i];
}
__global__ void sums(const float *__restrict__ in, float *__restrict__ y, int columns) {
  __shared__ float parts[64];
  y += (size_t)blockIdx.x * columns;
  const float *row = in + blockIdx.x * columns;
  float sum = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    sum += row[i];
  parts[threadIdx.x] = sum;
  __syncthreads();
  for (int k = 0; k < 64; ++k)
    sum += parts[k];
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    y[i] = read(row, i) + sum;
}
template <typename Value> struct alignas(16) Pack {
  static constexpr int Count = 16 / sizeof(Value);
  Pack() = default;
  __device__ explicit Pack(const uint4 &all) { memcpy(values, &all, sizeof all); }
  __device__ uint4 all() const {
    uint4 all;
    memcpy(&all, values, sizeof all);
    return all;
  }
  Value values[Count];
};
template <typename Value> __device__ Pack<Value> load128(const Value *from) {
  return Pack<Value>(*reinterpret_cast<const uint4 *>(from));
}
template <typename Value> __device__ Pack<Value> load128once(const Value *from) {
  return Pack<Value>(__ldcs(reinterpret_cast<const uint4 *>(from)));
}
template <typename Value> __device__ void store128(Value *to, const Pack<Value> &pack) {
  *reinterpret_cast<uint4 *>(to) = pack.all();
}
__global__ void scalePacks(const float *__restrict__ in, float *__restrict__ out, int n) {
  const int step = 4 * blockDim.x * gridDim.x;
  for (int first = 4 * id(); first < n; first += step) {
    Pack<float> a = load128(in + first);
    for (int k = 0; k < 4; ++k)
      a.values[k] *= 2;
    store128(out + first, a);
  }
}
__global__ void addPacks(const float *__restrict__ in, const float *__restrict__ shares, float *__restrict__ out, int n) {
  const int first = 4 * id();
  if (first >= n)
    return;
  const Pack<float> a = load128once(in + first), b = load128(shares + first % 64);
  Pack<float> sum;
  for (int k = 0; k < 4; ++k)
    sum.values[k] = a.values[k] + b.values[k];
  store128(out + first, sum);
}

//--- main.cu
#include "both.h"

#include "a.cu"

#include "chain.h"
#include "packs.h"
#include "rows.h"

int main() {
  constexpr int room = 2048;
  bool good = true;
  Array<float> x(room, 7), a(room), b(room), c(room), d(room), e(room, 5);
  for (int n : {1, 3, 63, 64, 65, 1000}) {
    Both chain;
    chain.output("out", d);
    good &= chain.same(
        "chain",
        [&] {
          byHelper<<<n / 64 + 1, 64>>>(x, a, n);
          byLambda<<<2, 64>>>(a, e, b, n);
          byView<<<n / 64 + 1, 64>>>(b, x, c, n);
          byAssembly<<<1, 64>>>(c, d, n);
        },
        [&] {
          chain::byHelper_byLambda_byView_byAssembly::Launch launch{};
          launch.grid = 2;
          launch.arguments.x = x, launch.arguments.n = n;
          launch.arguments.byLambda_by = e, launch.arguments.other = x;
          launch.arguments.out = d;
          require(chain::launch(launch), "chain");
        });
  }
  for (int n : {4, 64, 1000}) {
    Both packs;
    packs.output("packs", d);
    good &= packs.same(
        "packs",
        [&] {
          scalePacks<<<1, 64>>>(x, a, n);
          addPacks<<<n / 256 + 1, 64>>>(a, e, d, n);
        },
        [&] { require(packs::scalePacks_addPacks::launch(x, n, e, d), "packs"); });
  }
  for (const int width : {1, 64, 100}) {
    const int height = 7;
    Both rows;
    rows.output("rows", d);
    good &= rows.same(
        "rows",
        [&] {
          moved<<<height, 64>>>(x, a, width);
          sums<<<height, 64>>>(a, d, width);
        },
        [&] {
          rows::moved_sums::Launch launch{};
          launch.grid = height;
          launch.arguments.x = x, launch.arguments.columns = width;
          launch.arguments.y = d;
          require(rows::launch(launch), "rows");
        });
  }
  return good ? 0 : 1;
}
