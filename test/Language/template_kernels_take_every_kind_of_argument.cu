// Types, values, enumerators, templates, packs, defaults, functions; named by the user or by their only instantiation.
// RUN: %cufuse fuse '%s:mapped<float, Square>' '%s:counted<true, -4, 18446744073709551615ull, Mode::Fast>' '%s:wrapped<Box, int>' '%s:packed<float, int, Pair<short>>' %s:defaulted '%s:qualified<const float, float *const>' --block 64 --block 64 --block 64 --block 64 --block 64 --block 64 -o %t.cu
// RUN: %FileCheck %s < %t.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -cubin -o %t.cubin %t.cu

// CHECK: mapped<float, {{.*}}Square>(
// CHECK: counted<true, -4, 18446744073709551615{{.*}}(
// CHECK: wrapped<{{.*}}Box, int>(
// CHECK: packed<float, int, {{.*}}Pair<short>>(
// CHECK: defaulted<double, 4, {{.*}}Square>(
// CHECK: qualified<const float, float *const >(

enum class Mode { Slow, Fast };
struct Square {
  template <typename T> __device__ T operator()(T x) const { return x * x; }
};
template <typename T> struct Box {
  T value;
};
template <typename T> struct Pair {
  T first, second;
};

template <typename T, typename F> __global__ void mapped(T *data) { data[threadIdx.x] = F()(data[threadIdx.x]); }
template <bool Add, int N, unsigned long long Big, Mode M> __global__ void counted(unsigned long long *data) {
  static_assert(Add && N == -4 && Big == ~0ull && M == Mode::Fast, "the arguments");
  data[threadIdx.x] = Add ? Big : 0;
}
template <template <typename> class Holder, typename T> __global__ void wrapped(Holder<T> *data) { data[threadIdx.x].value += T(1); }
template <typename First, typename... Rest> __global__ void packed(First *first, Rest... rest) {
  first[threadIdx.x] = sizeof...(rest) + (sizeof(Rest) + ... + 0u);
}
template <typename T = double, int N = 4, typename F = Square> __global__ void defaulted(T *data) { data[threadIdx.x] = F()(data[threadIdx.x]) + N; }
template <typename In, typename Slot> __global__ void qualified(In *in, Slot *slots) { *slots[threadIdx.x] = in[threadIdx.x]; }

void launch(double *data) { defaulted<><<<1, 64>>>(data); }
