// CUDA's vector types, with its alignments, and what makes them.
#pragma once

#define EMULATED_VECTORS(T, NAME, A1, A2, A3, A4)                                                                      \
  struct __attribute__((aligned(A1))) NAME##1 { T x; };                                                                \
  struct __attribute__((aligned(A2))) NAME##2 { T x, y; };                                                             \
  struct __attribute__((aligned(A3))) NAME##3 { T x, y, z; };                                                          \
  struct __attribute__((aligned(A4))) NAME##4 { T x, y, z, w; };                                                       \
  inline NAME##1 make_##NAME##1(T x) { return {x}; }                                                                   \
  inline NAME##2 make_##NAME##2(T x, T y) { return {x, y}; }                                                           \
  inline NAME##3 make_##NAME##3(T x, T y, T z) { return {x, y, z}; }                                                   \
  inline NAME##4 make_##NAME##4(T x, T y, T z, T w) { return {x, y, z, w}; }

EMULATED_VECTORS(signed char, char, 1, 2, 1, 4)
EMULATED_VECTORS(unsigned char, uchar, 1, 2, 1, 4)
EMULATED_VECTORS(short, short, 2, 4, 2, 8)
EMULATED_VECTORS(unsigned short, ushort, 2, 4, 2, 8)
EMULATED_VECTORS(int, int, 4, 8, 4, 16)
EMULATED_VECTORS(unsigned int, uint, 4, 8, 4, 16)
EMULATED_VECTORS(long, long, 8, 16, 8, 16)
EMULATED_VECTORS(unsigned long, ulong, 8, 16, 8, 16)
EMULATED_VECTORS(long long, longlong, 8, 16, 8, 16)
EMULATED_VECTORS(unsigned long long, ulonglong, 8, 16, 8, 16)
EMULATED_VECTORS(float, float, 4, 8, 4, 16)
EMULATED_VECTORS(double, double, 8, 16, 8, 16)
#undef EMULATED_VECTORS

struct dim3 {
  unsigned int x = 1, y = 1, z = 1;
  constexpr dim3(unsigned int x = 1, unsigned int y = 1, unsigned int z = 1) : x(x), y(y), z(z) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  constexpr operator uint3() const { return uint3{x, y, z}; }
};
