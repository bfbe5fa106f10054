// The output is for the architectures that were read only where the text that the kernels need may be other text for others:
// not where another kernel of the file asks.
// RUN: rm -rf %t && mkdir %t
// RUN: %cufuse fuse %s:plain %s:scale --block 64 --block 64 -o %t/out.cu
// RUN: FileCheck %s --check-prefix=ANY --input-file=%t/out.cu
// RUN: %nvcc -Werror all-warnings -Wno-deprecated-gpu-targets -gencode arch=compute_80,code=sm_80 \
// RUN:   -gencode arch=compute_90,code=sm_90 -c -o %t/out.o %t/out.cu
// RUN: %cufuse fuse %s:other --block 64 -o %t/one.cu && FileCheck %s --check-prefix=ONE --input-file=%t/one.cu
// RUN: %cufuse fuse %s:called --block 64 -o %t/one.cu && FileCheck %s --check-prefix=ONE --input-file=%t/one.cu
// RUN: %cufuse fuse %s:declared --block 64 -o %t/one.cu && FileCheck %s --check-prefix=ONE --input-file=%t/one.cu
// RUN: %cufuse fuse %s:overloaded --block 64 -o %t/one.cu && FileCheck %s --check-prefix=ONE --input-file=%t/one.cu
// RUN: %cufuse fuse %s:configured --block 64 -o %t/one.cu && FileCheck %s --check-prefix=ONE --input-file=%t/one.cu
// RUN: %cufuse fuse %s:defined --block 64 -o %t/one.cu && FileCheck %s --check-prefix=ONE --input-file=%t/one.cu
// RUN: %cufuse fuse %s:typed --block 64 -o %t/one.cu && FileCheck %s --check-prefix=ONE --input-file=%t/one.cu
// ANY-NOT: #error "the kernels ask for
// ONE: #error "the kernels ask for the architecture, and were fused for sm_90
struct Apart;

__global__ void plain(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] += atomicAdd(x, 1.0f);
}
__global__ void scale(float *x, float f) { x[threadIdx.x] *= f; }

__global__ void other(float *x, int n) {
#if __CUDA_ARCH__ >= 800
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] *= 2;
#else
  if (int i = threadIdx.x; i < n)
    x[i] = x[i] + x[i];
#endif
}
// What was made for old devices says nothing of others.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 600
__device__ double atomicSum(double *at, double x) {
  for (int i = 0; i < 1; ++i)
    *at += x;
  return *at;
}
#endif
__host__ __device__ inline float loaded(const float *x) {
#ifdef __CUDA_ARCH__
  return __ldg(x);
#else
  return *x;
#endif
}

__global__ void called(float *x) { x[threadIdx.x] = loaded(x); }

#if __CUDA_ARCH__ >= 900
__device__ float helped(float x) { return x; }
#else
__device__ float helped(float x) { return 2 * x; }
#endif
__global__ void declared(float *x) { x[threadIdx.x] = helped(x[0]); }

__device__ float picked(double x) { return x; }
#if __CUDA_ARCH__ < 900
__device__ float picked(float x) { return 2 * x; }
#endif
__global__ void overloaded(float *x) { x[threadIdx.x] = picked(x[0]); }

#if __CUDA_ARCH__ >= 900
#define WIDTH 4
#else
#define WIDTH 2
#endif
#define TWICE (2 * WIDTH)
__global__ void configured(float *x) { x[threadIdx.x] = TWICE; }

__device__ constexpr int Wide = TWICE;
__global__ void defined(float *x) { x[threadIdx.x] = Wide; }

template <typename T> struct Traits {
  static constexpr int Value = 1;
};
#if __CUDA_ARCH__ < 900
template <> struct Traits<float> {
  static constexpr int Value = 2;
};
#endif
__global__ void typed(float *x) { x[threadIdx.x] = Traits<float>::Value; }
