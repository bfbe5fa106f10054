// C++20 and 17: literals of one's own, deduction guides, structured bindings, `using enum`, aliases, detection, packs.
// RUN: %cufuse fuse %s:modern %s:a::b::detects --block 64 --block 64 -o %t.cu -- -std=c++20
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -std=c++20 -cubin -o %t.cubin %t.cu

__device__ constexpr unsigned operator""_u(unsigned long long x) { return x; }
enum class Color { Red, Green };
template <typename T> struct Box {
  T v;
  __device__ explicit Box(T v) : v(v) {}
};
template <typename T> Box(T) -> Box<T>;
template <typename T> struct Both {
  T x, y;
};
template <typename T, typename U> Both(T, U) -> Both<U>;
Both(int, int) -> Both<short>;
struct alignas(16) [[maybe_unused]] Vector {
  float x, y;
};
union Bits {
  float f;
  int i;
};

__global__ void modern(float *data) {
  using enum Color;
  Box box(2.0f);
  auto [x, y] = Vector{1, 2};
  Bits bits;
  bits.f = x;
  float list[] = {1, 2};
  for (float item : list)
    data[threadIdx.x] += item;
  if (int z = bits.i; z > 0)
    data[0] = box.v + y + 3_u + int(Green);
  Both both{1.5f, 2.5};
  Both shorts{1, 2};
  static_assert(sizeof(both) == 16 && sizeof(shorts) == 4);
  data[0] += both.y + shorts.x;
}

namespace a::b {
template <typename T> using Same = T;
template <typename T, typename = void> struct HasX {
  static constexpr bool value = false;
};
template <typename T> struct HasX<T, decltype(void(T().x))> {
  static constexpr bool value = true;
};
template <bool> struct EnableIf {};
template <> struct EnableIf<true> {
  using type = int;
};
template <typename T, typename EnableIf<sizeof(T) == 4>::type = 0> __device__ int bytes(T) { return 4; }
template <typename T, typename EnableIf<sizeof(T) == 8>::type = 0> __device__ int bytes(T) { return 8; }
template <typename T> __device__ const T Pi = T(3.14);
template <> __device__ const int Pi<int> = 3;
template <int... I> struct Sequence {};
template <int... I> __device__ int add(Sequence<I...>) { return (I + ... + 0) + threadIdx.x; }

__global__ void detects(Same<float> *data) {
  static_assert(HasX<Vector>::value && !HasX<int>::value, "detected");
  data[threadIdx.x] = bytes(1) + bytes(1.0) + Pi<float> + Pi<int> + add(Sequence<1, 2, 3>{});
}
} // namespace a::b
