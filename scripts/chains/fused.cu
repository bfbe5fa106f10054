// E = relu(A B) D by the kernel that cufuse has written, against its definition in double precision and beside cuBLAS:
// scripts/bench-chains compiles it for each shape (SIZE_N, SIZE_K, SIZE_L) with the output's HEADER and its LAUNCH.
// GATED: E = (silu(A B1) * (A B2)) D. SIZE_SIDE: A's rows are the windows of 3 x 3 pixels of images of so many rows and
// columns, and images are what is stored.
#include "measure.h"
#include HEADER

#include <cublas_v2.h>

#include <cmath>
#include <type_traits>

#ifdef GATED
constexpr bool Gated = true;
#else
constexpr bool Gated = false;
#endif
constexpr int N = SIZE_N, K = SIZE_K, L = SIZE_L, AllB = (Gated ? 2 : 1) * N * K;
#ifdef SIZE_SIDE
constexpr int Side = SIZE_SIDE, Channels = K / 9, Step = Side * Side;
#else
constexpr int Side = 0, Channels = K, Step = 1;
#endif
static cudaStream_t stream;
static cublasHandle_t library;

__global__ void small(__half *data, size_t count, unsigned seed, int most) {
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < count; i += size_t(blockDim.x) * gridDim.x)
    data[i] = __float2half(float(int((unsigned(i) * 2654435761u + seed) >> 13) % (2 * most + 1) - most));
}
__global__ void between(__half *data, const __half *other, size_t count) {
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < count; i += size_t(blockDim.x) * gridDim.x) {
    const float x = __half2float(data[i]);
    data[i] = __float2half(Gated ? x / (1.0f + __expf(-x)) * __half2float(other[i]) : fmaxf(x, 0.0f));
  }
}
/// A's element.
__device__ __half element(const __half *a, size_t row, int i) {
  if constexpr (Side > 0) {
    constexpr int Rows = Side > 0 ? Side : 1;
    const int at = i / Channels, y = int(row / Rows % Rows) + at / 3 - 1, x = int(row % Rows) + at % 3 - 1;
    return y < 0 || y >= Side || x < 0 || x >= Side ? __half(0.0f)
                                                    : a[((row / Step * Side + y) * Side + x) * Channels + i % Channels];
  }
  return a[row * K + i];
}
__global__ void matrix(__half *all, const __half *a, size_t count) {
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < count; i += size_t(blockDim.x) * gridDim.x)
    all[i] = element(a, i / K, int(i % K));
}
__global__ void byDefinition(const __half *a, const __half *b, const __half *d, double *e) {
  __shared__ double between[N];
  const size_t row = blockIdx.x;
  for (int j = threadIdx.x; j < N; j += blockDim.x) {
    double sum = 0, other = 0;
    for (int i = 0; i < K; ++i) {
      const double here = double(__half2float(element(a, row, i)));
      sum += here * double(__half2float(b[size_t(j) * K + i]));
      if (Gated)
        other += here * double(__half2float(b[size_t(j + N) * K + i]));
    }
    between[j] = Gated ? sum / (1 + exp(-sum)) * other : fmax(sum, 0.0);
  }
  __syncthreads();
  for (int j = threadIdx.x; j < L; j += blockDim.x) {
    double sum = 0;
    for (int i = 0; i < N; ++i)
      sum += between[i] * double(__half2float(d[size_t(j) * N + i]));
    e[row * L + j] = sum;
  }
}
__global__ void furthest(const __half *e, const double *expected, size_t count, float *most, bool rounded) {
  float apart = 0;
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < count; i += size_t(blockDim.x) * gridDim.x) {
    const double here = rounded ? double(__half2float(__double2half(expected[i]))) : expected[i];
    const float difference = float(fabs(double(__half2float(e[i])) - here));
    apart = fmaxf(apart, difference == difference ? difference : 1e30f);
  }
  atomicMax(reinterpret_cast<int *>(most), __float_as_int(apart)); // floats that are not negative order as integers
}

struct Set {
  __half *a, *b, *d, *e;
};

/// A kernel of two turns is given an array for what is between the products.
template <typename Launch>
static cudaError_t launched(Launch launch, const Set &s, int m, __half *between, cudaStream_t on) {
  if constexpr (Gated)
    return launch(s.a, s.b, m, s.b + size_t(N) * K, between, s.d, s.e, on);
  else if constexpr (std::is_invocable_v<Launch, __half *, __half *, int, __half *, __half *, __half *, cudaStream_t>)
    return launch(s.a, s.b, m, between, s.d, s.e, on);
  else
    return launch(s.a, s.b, m, s.d, s.e, on);
}
static cudaError_t fused(const Set &s, int m, __half *between, cudaStream_t on) {
  return launched(LAUNCH, s, m, between, on);
}

static void content(const Set &s, int m, unsigned seed) {
  fill<<<1024, 256>>>(s.a, size_t(m) * Channels, seed, 1);
  fill<<<1024, 256>>>(s.b, AllB, seed + 1, 1 / std::sqrt(float(K)));
  fill<<<1024, 256>>>(s.d, L * N, seed + 2, 1 / std::sqrt(float(N)));
}

static void product(const __half *a, const __half *b, __half *c, int m, int n, int k) {
  const float one = 1, zero = 0;
  if (cublasGemmEx(library, CUBLAS_OP_T, CUBLAS_OP_N, n, m, k, &one, b, CUDA_R_16F, k, a, CUDA_R_16F, k, &zero, c,
                   CUDA_R_16F, n, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT) != CUBLAS_STATUS_SUCCESS)
    throw std::runtime_error("cuBLAS");
}

/// The largest error of the fused kernel (0) or of cuBLAS (1), over all rows; of what is `rounded` as the result is.
static double error(const Set &s, int m, double *expected, __half *between, int way, bool rounded = false) {
  static float *most = allocated<float>(1);
  require(cudaMemset(most, 0, 4), "memset");
  require(cudaMemset(s.e, 0xff, size_t(m) * L * 2), "memset");
  byDefinition<<<m, 128>>>(s.a, s.b, s.d, expected);
  require(cudaDeviceSynchronize(), "definition");
  if (way == 0) {
    require(fused(s, m, between, nullptr), "launch");
  } else {
    static __half *const other = Gated ? allocated<__half>(size_t(m) * N) : nullptr;
    static __half *const windows = Side > 0 ? allocated<__half>(size_t(m) * K) : nullptr;
    if (Side > 0)
      matrix<<<1024, 256>>>(windows, s.a, size_t(m) * K);
    const __half *const a = Side > 0 ? windows : s.a;
    product(a, s.b, between, m, N, K);
    if (Gated)
      product(a, s.b + size_t(N) * K, other, m, N, K);
    ::between<<<1024, 256>>>(between, other, size_t(m) * N);
    product(between, s.d, s.e, m, L, N);
  }
  furthest<<<512, 256>>>(s.e, expected, size_t(m) * L, most, rounded);
  float found;
  require(cudaMemcpy(&found, most, 4, cudaMemcpyDeviceToHost), "compare");
  return found;
}

/// Its case and m; a third argument: to be checked only, as by compute-sanitizer.
int main(int count, char **arguments) {
  const char *const name = arguments[1];
  const int m = std::atoi(arguments[2]);
  const bool timed = count == 3;
  try {
    require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
    cublasCreate(&library);
    const size_t bytes = 2 * (size_t(m) * Channels + AllB + L * N + size_t(m) * L);
    std::vector<Set> sets(std::max<size_t>(2, timed ? (192u << 20) / bytes + 1 : 0));
    for (unsigned i = 0; i < sets.size(); ++i) {
      sets[i] = {allocated<__half>(size_t(m) * Channels), allocated<__half>(AllB), allocated<__half>(L * N),
                 allocated<__half>(size_t(m) * L)};
      content(sets[i], m, 3 * i);
    }
    double *const expected = allocated<double>(size_t(m) * L);
    __half *const between = allocated<__half>(size_t(m) * N);
    const auto run = [&](unsigned i) { require(fused(sets[i], m, between, stream), "launch"); };
    const int passes = int(sets.size()) * std::max(1, 20 / int(sets.size()));
    const int samples = timed ? 15 : 1;
    const Time cold = timeOf(stream, passes, samples, [&] {
      for (int i = 0; i < passes; ++i)
        run(i % sets.size());
    });
    const Time warm = timeOf(stream, 20, samples, [&] {
      for (int i = 0; i < 20; ++i)
        run(0);
    });
    const double own = error(sets[0], m, expected, between, 0), of = error(sets[0], m, expected, between, 1);
    // Sums of small integers are exact until they are rounded to halves, and so is what fewer rows make.
    bool exact = true;
    for (int rows : {m, m - Step, std::min(77, m), Step}) {
      if (rows % Step || rows == 0)
        continue;
      if (Gated) { // exponentials are not exact
        exact &= error(sets[0], rows, expected, between, 0) <= 1.5 * of;
        continue;
      }
      small<<<1024, 256>>>(sets[1].a, size_t(m) * Channels, 1, 1);
      small<<<1024, 256>>>(sets[1].b, AllB, 2, 1);
      small<<<1024, 256>>>(sets[1].d, L * N, 3, 1);
      exact &= error(sets[1], rows, expected, between, 0, true) == 0;
    }
    std::printf(
        "{\"case\": \"%s\", \"way\": \"cufuse\", \"cold\": %s, \"warm\": %s, \"error\": %g, \"library error\": %g, "
        "\"exact\": %s, \"right\": %s}\n",
        name, cold.json().c_str(), warm.json().c_str(), own, of, exact ? "true" : "false",
        exact && own <= 1.5 * of ? "true" : "false");
  } catch (const std::exception &error) {
    std::printf("{\"case\": \"%s\", \"way\": \"cufuse\", \"failed\": \"%s\"}\n", name, error.what());
    return 3;
  }
}
