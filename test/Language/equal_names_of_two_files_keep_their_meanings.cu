// Helpers, structures, macros, constants, enumerators and tables of the same name, each with its own meaning.
// RUN: split-file %s %t
// RUN: %cufuse fuse %t/a.cu:run %t/b.cu:run --block 64 --block 64 -o %t.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -cubin -o %t.cubin %t.cu

//--- a.cu
#define N 3
#define APPLY(x) step(x)
constexpr int Size = 10;
enum Mode { Fast, Slow };
struct State {
  float a;
};
__constant__ int Table[N] = {1, 2, 3};
__device__ float step(float x) { return x + N; }
template <typename T> __device__ T twice(T x) { return x * 2; }
namespace detail {
__device__ int level() { return 1; }
} // namespace detail
__global__ void run(float *data, State state, Mode mode) {
  static_assert(N == 3 && Size == 10 && Fast == 0 && sizeof(State) == 4, "of a.cu");
  data[threadIdx.x] = twice(APPLY(state.a)) + Table[mode] + detail::level();
}
//--- b.cu
#define N 5
#define APPLY(x, y) step(x, y)
constexpr long Size = 20;
enum Mode { Slow, Fast };
struct State {
  double a, b;
};
__constant__ double Table[N] = {1, 2, 3, 4, 5};
__device__ double step(double x, int y) { return x * y + N; }
template <typename T> __device__ T twice(T x) { return x + x; }
namespace detail {
__device__ int level() { return 2; }
} // namespace detail
__global__ void run(double *data, State state, Mode mode) {
  static_assert(N == 5 && Size == 20 && Fast == 1 && sizeof(State) == 16, "of b.cu");
  data[threadIdx.x] = twice(APPLY(state.a, 2)) + Table[mode] + detail::level();
}
