// Types of functions, references, and pointers to members may be template arguments, of classes that nothing else names.
// RUN: rm -rf %t && split-file %s %t
// RUN: %cufuse fuse '%t/kernels.cu:numbered<int Own::*>' '%t/kernels.cu:numbered<int (Own::*)(Other) const>' \
// RUN:   '%t/kernels.cu:numbered<Own (*)(Other)>' '%t/kernels.cu:numbered<void(Third, ...)>' '%t/kernels.cu:numbered<Third &>' \
// RUN:   '%t/kernels.cu:numbered<float (&&)[3]>' --block 32 --block 32 --block 32 --block 32 --block 32 --block 32 --name every \
// RUN:   -o %t/every.cu
// RUN: %execute -I %S/Inputs -I %t %t/main.cu %t/every.cu

//--- kernels.cu
struct Own {
  int value;
};
struct Other {};
struct Third {};
template <typename T> struct Number;
template <typename C, typename T> struct Number<T C::*> {
  static constexpr int value = 1;
};
template <typename C, typename R, typename... A> struct Number<R (C::*)(A...) const> {
  static constexpr int value = 2;
};
template <typename R, typename... A> struct Number<R (*)(A...)> {
  static constexpr int value = 3;
};
template <typename R, typename... A> struct Number<R(A..., ...)> {
  static constexpr int value = 4;
};
template <typename T> struct Number<T &> {
  static constexpr int value = 5;
};
template <typename T> struct Number<T &&> {
  static constexpr int value = 6;
};
template <typename T> __global__ void numbered(const int *in, int *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i] * 10 + Number<T>::value;
}

//--- main.cu
#include "both.h"

#include "every.h"

/// nvcc's own launches of such instances do not find them.
template <int Value> __global__ void apart(const int *in, int *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i] * 10 + Value;
}

int main() {
  Array<int> in(1024), a(1024), b(1024), c(1024), d(1024), e(1024), f(1024);
  Both both;
  both.output("a", a), both.output("b", b), both.output("c", c);
  both.output("d", d), both.output("e", e), both.output("f", f);
  return both.same(
             "every",
             [&] {
               apart<1><<<7, 32>>>(in, a), apart<2><<<5, 32>>>(in, b), apart<3><<<6, 32>>>(in, c);
               apart<4><<<7, 32>>>(in, d), apart<5><<<8, 32>>>(in, e), apart<6><<<9, 32>>>(in, f);
             },
             [&] {
               require(every::launch({7, {in, a}}, {5, {in, b}}, {6, {in, c}}, {7, {in, d}}, {8, {in, e}}, {9, {in, f}}),
                       "every");
             })
             ? 0
             : 1;
}
