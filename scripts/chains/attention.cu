// Attention by the kernel that cufuse has written, beside two products of cuBLAS with a softmax kernel between them,
// which has scores of halves, and against its definition in double precision: scripts/bench-chains compiles it for each
// shape (SIZE_N rows of keys and queries, SIZE_L columns, with a mask if SIZE_CAUSAL) with the output's HEADER and its
// LAUNCH.
#include "measure.h"
#include "softmax.cu"
#include HEADER

#include <cublas_v2.h>

#include <cmath>

constexpr int N = SIZE_N, L = SIZE_L, Checked = 400;
constexpr bool Causal = SIZE_CAUSAL;
static cudaStream_t stream;
static cublasHandle_t library;

struct Set {
  __half *q, *k, *v, *e;
};

static void threeKernels(const Set &s, __half *scores, __half *parts, int heads) {
  const float by = 1 / std::sqrt(float(L)), one = 1, zero = 0;
  if (cublasGemmStridedBatchedEx(library, CUBLAS_OP_T, CUBLAS_OP_N, N, N, L, &by, s.k, CUDA_R_16F, L, 1ll * N * L, s.q,
                                 CUDA_R_16F, L, 1ll * N * L, &zero, scores, CUDA_R_16F, N, 1ll * N * N, heads,
                                 CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT) != CUBLAS_STATUS_SUCCESS)
    throw std::runtime_error("cuBLAS");
  softmaxOfHalves<<<heads * N, 256, 0, stream>>>(scores, parts, N, Causal);
  if (cublasGemmStridedBatchedEx(library, CUBLAS_OP_N, CUBLAS_OP_N, L, N, N, &one, s.v, CUDA_R_16F, L, 1ll * N * L,
                                 parts, CUDA_R_16F, N, 1ll * N * N, &zero, s.e, CUDA_R_16F, L, 1ll * N * L, heads,
                                 CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT) != CUBLAS_STATUS_SUCCESS)
    throw std::runtime_error("cuBLAS");
}

/// The largest error of some rows, which are spread over all.
__global__ void furthest(Set s, int heads, float *most) {
  __shared__ double scores[N];
  const size_t row = size_t(blockIdx.x) * (size_t(heads) * N - 1) / (Checked - 1), head = row / N;
  for (int j = threadIdx.x; j < N; j += blockDim.x) {
    double sum = 0;
    for (int c = 0; c < L; ++c)
      sum += double(__half2float(s.q[row * L + c])) * double(__half2float(s.k[(head * N + j) * L + c]));
    scores[j] = Causal && j > row % N ? 0 : exp(sum / sqrt(double(L))); // they are small
  }
  __syncthreads();
  double all = 0;
  for (int j = 0; j < N; ++j)
    all += scores[j];
  for (int l = threadIdx.x; l < L; l += blockDim.x) {
    double sum = 0;
    for (int j = 0; j < N; ++j)
      sum += scores[j] * double(__half2float(s.v[(head * N + j) * L + l]));
    const float apart = float(fabs(sum / all - double(__half2float(s.e[row * L + l]))));
    atomicMax(reinterpret_cast<int *>(most), __float_as_int(apart == apart ? apart : 1e30f));
  }
}
static double error(const Set &s, int heads, const std::function<void()> &run) {
  static float *const most = allocated<float>(1);
  require(cudaMemset(most, 0, 4), "memset");
  require(cudaMemset(s.e, 0xff, size_t(heads) * N * L * 2), "memset");
  run();
  require(cudaStreamSynchronize(stream), "run");
  furthest<<<Checked, 128>>>(s, heads, most);
  float found;
  require(cudaMemcpy(&found, most, 4, cudaMemcpyDeviceToHost), "compare");
  return found;
}

/// Its case and how many heads there are in all.
int main(int, char **arguments) {
  const char *const name = arguments[1];
  const int heads = std::atoi(arguments[2]);
  const size_t count = size_t(heads) * N * L;
  try {
    require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
    cublasCreate(&library);
    cublasSetStream(library, stream);
    std::vector<Set> sets(std::max<size_t>(2, (192u << 20) / (8 * count) + 1));
    unsigned seed = 0;
    for (Set &s : sets) {
      s = {allocated<__half>(count), allocated<__half>(count), allocated<__half>(count), allocated<__half>(count)};
      for (__half *each : {s.q, s.k, s.v})
        fill<<<1024, 256>>>(each, count, ++seed, 1.7f); // of about a normal distribution's deviation
    }
    __half *const scores = allocated<__half>(size_t(heads) * N * N), *const parts =
                                                                         allocated<__half>(size_t(heads) * N * N);
    const auto fused = [&](const Set &s) {
#if SIZE_CAUSAL
      require(LAUNCH(s.q, s.k, heads * N, 1 / std::sqrt(float(L)), N, s.v, s.e, stream), "launch");
#else
      require(LAUNCH(s.q, s.k, heads * N, 1 / std::sqrt(float(L)), s.v, s.e, stream), "launch");
#endif
    };
    const auto three = [&](const Set &s) { threeKernels(s, scores, parts, heads); };
    const double own = error(sets[0], heads, [&] { fused(sets[0]); }),
                 of = error(sets[0], heads, [&] { three(sets[0]); });
    const auto line = [&](const char *way, const std::function<void(const Set &)> &run, double error, bool right) {
      const int passes = int(sets.size()) * std::max(1, 8 / int(sets.size()));
      const Time cold = timeOf(stream, passes, 15, [&] {
        for (int i = 0; i < passes; ++i)
          run(sets[i % sets.size()]);
      });
      const Time warm = timeOf(stream, 8, 15, [&] {
        for (int i = 0; i < 8; ++i)
          run(sets[0]);
      });
      std::printf("{\"case\": \"%s\", \"way\": \"%s\", \"cold\": %s, \"warm\": %s, \"error\": %g, \"right\": %s}\n",
                  name, way, cold.json().c_str(), warm.json().c_str(), error, right ? "true" : "false");
      std::fflush(stdout);
    };
    line("three kernels", three, of, of < 2e-2);
    line("cufuse", fused, own, own <= 1.5 * of);
  } catch (const std::exception &error) {
    std::printf("{\"case\": \"%s\", \"way\": \"cufuse\", \"failed\": \"%s\"}\n", name, error.what());
    return 3;
  }
}
