// A launch copies an argument once, and its kernel gets the bytes of the copy. So does the launcher, whatever the
// constructor does; on the device none runs, and each block of a kernel has an object of its own.
// RUN: rm -rf %t && split-file %s %t
// RUN: %cufuse fuse %t/kernels.cu:scaled %t/kernels.cu:moved %t/kernels.cu:'generic<float>' %t/kernels.cu:constant \
// RUN:   %t/kernels.cu:counted %t/kernels.cu:viewed %t/kernels.cu:halves %t/kernels.cu:complex %t/kernels.cu:paired \
// RUN:   --block 32 --block 32 --block 32 --block 32 --block 32 --block 32 --block 32 --block 32 --block 32 \
// RUN:   --grid-policy stride --name f -o %t/f.cu
// RUN: FileCheck %s --input-file=%t/f.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -I%t -o %t/host %t/host.cu %t/f.cu
// RUN: %execute -I %t %t/host.cu %t/f.cu
// RUN: not %nvcc -DMISTAKES -arch=sm_90a -I%t -c -o %t/host.o %t/host.cu 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: this is no Tensor of the kernel's file
// CHECK: void moved({{.*}}Tensor<float> &t, int by)
// CHECK: void constant(const Tensor<float> &t)

//--- types.h
#pragma once
#include <cuda_fp16.h>
template <typename T> struct Tensor {
  __host__ __device__ Tensor(T *data, int n) : data(data) { sizes[0] = n, sizes[1] = 2; }
  __host__ __device__ Tensor(const Tensor &other) : data(other.data) {
    for (int i = 0; i < 2; ++i)
      sizes[i] = other.sizes[i];
  }
  __host__ __device__ ~Tensor() {}
  __host__ __device__ T &operator[](int i) const { return data[i]; }
  T *data;
  int sizes[2];
};
struct Count {
  int copies;
  Count() : copies(0) {}
  Count(const Count &other) : copies(other.copies + 1) {}
};
struct View {
  float *data;
  __host__ __device__ View(float *data) : data(data) {}
  View(View &) = default;
  View(View &&) = default;
};
struct Pair {
  half2 h;
  float f;
};

//--- kernels.cu
#include "types.h"

#include <utility>
__global__ void scaled(Tensor<float> t, float by) { t[threadIdx.x] *= by; }
__global__ void moved(Tensor<float> t = Tensor<float>(nullptr, 0), int by = 1) {
  t.data += by * blockIdx.x; // its own
  t[threadIdx.x] += t.sizes[0];
}
template <typename T> __global__ void generic(Tensor<T> t, Tensor<T>) { t[threadIdx.x] += t.sizes[1]; }
template __global__ void generic(Tensor<float>, Tensor<float>);
__global__ void constant(const Tensor<float> t) { t[threadIdx.x] += 1; }
__global__ void counted(float *out, Count count, const __grid_constant__ Count same) {
  out[threadIdx.x] = count.copies * 10 + same.copies;
}
struct Viewed {
  View view;
  int n;
};
__global__ void viewed(View view, Viewed other) { view.data[threadIdx.x] = other.n + (other.view.data == view.data); }
struct Halves {
  half2 h;
  int n;
};
__global__ void halves(float *out, Pair pair, Halves own) {
  out[threadIdx.x] = __low2float(pair.h) + pair.f + __high2float(own.h) + own.n;
}
class Complex {
  float re, im;

public:
  __host__ __device__ Complex(float re, float im) : re(re), im(im) {}
  __host__ __device__ Complex(const Complex &other) : re(other.re), im(other.im) {}
  __device__ float sum() const { return re + im; }
};
__global__ void complex(float *out, Complex z) { out[threadIdx.x] = z.sum(); }
__global__ void paired(float *out, std::pair<int, Halves> pair) { out[threadIdx.x] = pair.first + pair.second.n; }

//--- host.cu
#include "kernels.cu"

#include "f.h"

#include <cstdio>
constexpr int Kernels = 9, Threads = 32;
float *column(float *all, int i) { return all + i * 4 * Threads; }
void alone(float *all) {
  scaled<<<2, Threads>>>(Tensor<float>(column(all, 0), 5), 3);
  moved<<<3, Threads>>>(Tensor<float>(column(all, 1), 6), Threads);
  generic<<<2, Threads>>>(Tensor<float>(column(all, 2), 7), Tensor<float>(nullptr, 7));
  constant<<<1, Threads>>>(Tensor<float>(column(all, 3), 8));
  View view(column(all, 5));
  Viewed other{View(column(all, 5)), 3};
  viewed<<<1, Threads>>>(view, other);
  halves<<<1, Threads>>>(column(all, 6), Pair{__floats2half2_rn(1, 2), 3}, Halves{__floats2half2_rn(4, 5), 6});
  const Complex z(1, 2);
  complex<<<1, Threads>>>(column(all, 7), z);
  paired<<<1, Threads>>>(column(all, 8), std::pair<int, Halves>(1, {__floats2half2_rn(4, 5), 6}));
}
cudaError_t fused(float *all) {
  f::scaled::Launch a{2, {Tensor<float>(column(all, 0), 5), 3}};
  f::moved::Launch b{3};
  b.arguments.t = Tensor<float>(column(all, 1), 6), b.arguments.by = Threads;
#ifdef MISTAKES
  b.arguments.t = Tensor<int>(nullptr, 6);
#endif
  f::generic::Launch c{2};
  c.arguments.t = Tensor<float>(column(all, 2), 7);
  f::constant::Launch d{1, {Tensor<float>(column(all, 3), 8)}};
  const Count none;
  f::counted::Launch e{1, {column(all, 4), none, none}};
  f::viewed::Launch g{1};
  View view(column(all, 5));
  Viewed other{View(column(all, 5)), 3};
  g.arguments.view = view, g.arguments.other = other;
  f::halves::Launch h{1, {column(all, 6), Pair{__floats2half2_rn(1, 2), 3}, {__floats2half2_rn(4, 5), 6}}};
  f::complex::Launch i{1, {column(all, 7), Complex(1, 2)}};
  f::paired::Launch j{1};
  j.arguments.out = column(all, 8), j.arguments.pair = std::pair<int, Halves>(1, {__floats2half2_rn(4, 5), 6});
  return f::launch(a, b, c, d, e, g, h, i, j, nullptr);
}
int main() {
  constexpr int Size = Kernels * 4 * Threads;
  float *all[2], values[2][Size];
  for (int k = 0; k < 2; ++k) {
    for (int i = 0; i < Size; ++i)
      values[k][i] = i;
    cudaMalloc(&all[k], sizeof(values[k]));
    cudaMemcpy(all[k], values[k], sizeof(values[k]), cudaMemcpyHostToDevice);
  }
  alone(all[0]);
  const cudaError_t error = fused(all[1]);
  int different = error != cudaSuccess;
  for (int k = 0; k < 2; ++k)
    cudaMemcpy(values[k], all[k], sizeof(values[k]), cudaMemcpyDeviceToHost);
  for (int i = 0; i < Threads; ++i)
    column(values[0], 4)[i] = 11; // as after nvcc's launches, which make one copy
  for (int i = 0; i < Size; ++i)
    if (values[0][i] != values[1][i] && !different++)
      std::printf("%d: %g is %g\n", i, values[0][i], values[1][i]);
  return different != 0;
}
