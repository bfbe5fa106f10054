// nvcc takes the best overload, whichever side it is for: where nothing is run, and of constants. Each of these texts says
// what nvcc takes, so that both compilers read it.
// RUN: rm -rf %t && mkdir %t
// RUN: %cufuse fuse %s:asks %s:tries %s:counts --block 32 --block 32 --block 32 -o %t/out.cu -- -std=c++20
// RUN: %nvcc -std=c++20 -arch=sm_90a -c %s -o %t/in.o
// RUN: %nvcc -std=c++20 -arch=sm_90a -c %t/out.cu -o %t/out.o
#include <string>

// Of host code that looks for itself nothing is said, whatever it is for.
struct Image {
  std::string name;
  static Image &last() {
    static Image image;
    return image;
  }
  virtual void write() { throw name; }
};
int main() {
  Image::last().write();
  thread_local int depth = 0;
  return ++depth;
}

// By the scope, a directive, an argument or a friend.
inline char half(int) { return 1; }
__device__ double half(long) { return 2; }
namespace directed {
char far(int);
}
using namespace directed;
__device__ double far(long);
namespace argument {
struct Arg {
  friend char hidden(Arg) { return 1; }
};
char near(Arg);
} // namespace argument
struct Any {
  __device__ Any(argument::Arg);
};
__device__ double near(Any);
__device__ double hidden(Any);
struct Implicit {
  Implicit(int);
};
__device__ char fromInt(Implicit);
__device__ double fromInt(...);
using Outside = decltype(half(1));
__global__ void asks(int *out) {
  static_assert(sizeof(half(1)) == 1 && sizeof(Outside) == 1 && sizeof(far(1)) == 1);
  static_assert(sizeof(near(argument::Arg())) == 1 && sizeof(hidden(argument::Arg())) == 1);
  static_assert(sizeof(fromInt(1)) == 1);
  out[threadIdx.x] = sizeof(half(1));
}

// What a template's head tries.
struct Value {
  Value();
  Value(int);
  Value &operator=(int);
  bool operator==(const Value &) const;
};
void print(const Value &);
template <int N> struct Is {
  static constexpr int value = N;
};
template <typename T> __device__ auto made(T *) -> decltype(T(1), Is<1>()) { return {}; }
__device__ inline Is<2> made(...) { return {}; }
template <typename T> __device__ auto assigned(T *t) -> decltype(*t = 1, Is<1>()) { return {}; }
__device__ inline Is<2> assigned(...) { return {}; }
template <typename T> __device__ auto equal(T *t) -> decltype(*t == *t, Is<1>()) { return {}; }
__device__ inline Is<2> equal(...) { return {}; }
template <typename T> __device__ auto printed(T *t) -> decltype(print(*t), Is<1>()) { return {}; }
__device__ inline Is<2> printed(...) { return {}; }
template <typename T> __device__ auto named(T *) -> decltype(T("name"), Is<1>()) { return {}; }
__device__ inline Is<2> named(...) { return {}; }
template <typename T>
  requires requires(T t) { print(t); }
__device__ Is<1> shown(T *) {
  return {};
}
__device__ inline Is<2> shown(...) { return {}; }
__global__ void tries(int *out) {
  Value *value = nullptr;
  static_assert(decltype(made(value))::value == 1 && decltype(assigned(value))::value == 1);
  static_assert(decltype(equal(value))::value == 1 && decltype(printed(value))::value == 1);
  static_assert(decltype(shown(value))::value == 1 && decltype(named((std::string *)out))::value == 1);
  out[threadIdx.x] = made(value).value + shown(value).value;
}

// Constants, sizes and enumerators.
constexpr int warps(long) { return 3; }
__device__ constexpr int warps(int) { return 4; }
constexpr int Warps = warps(1);
enum { Enumerated = warps(1), Sized = sizeof(half(1)) };
struct Held {
  int values[warps(1)];
};
template <typename T = decltype(half(1)), int N = warps(1)> struct Defaults {
  static constexpr int value = sizeof(T) + N;
};
template <int N> constexpr int Of = warps(N);
__device__ int table[] = {warps(1), sizeof(half(1))};
__global__ void counts(int *out) {
  static_assert(Warps == 4 && Enumerated == 4 && Sized == 1 && sizeof(Held) == 16);
  static_assert(Defaults<>::value == 5 && Of<1> == 4);
  auto twice = [](int n) noexcept(noexcept(half(1))) -> decltype(half(n)) { return n * 2; };
  out[threadIdx.x] = Warps + Enumerated + table[threadIdx.x % 2] + twice(3);
}
