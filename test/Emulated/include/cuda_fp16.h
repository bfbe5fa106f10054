// Stands in for the CUDA toolkit's header of this name.
#pragma once

#include "cuda_runtime.h"

#include "emulated/small_float.h"

struct __half : cuda_emulated::SmallFloat<cuda_emulated::toHalfBits, cuda_emulated::fromHalfBits> {
  using SmallFloat::SmallFloat;
  __half() = default;
  __half(SmallFloat value) : SmallFloat(value) {}
};
using half = __half;
struct __half2 : cuda_emulated::SmallPair<__half> {
  __half2() = default;
  __half2(SmallPair pair) : SmallPair(pair) {}
  __half2(__half a, __half b) : SmallPair{a, b} {}
};
using half2 = __half2;

EMULATED_SMALL_ARITHMETIC(__half, __half2)
inline __half __float2half(float a) { return __half(a); }
inline __half __float2half_rn(float a) { return __half(a); }
inline __half __double2half(double a) { return __half(a); }
inline __half __int2half_rn(int a) { return __half(a); }
inline float __half2float(__half a) { return float(a); }
inline __half __ushort_as_half(unsigned short bits) {
  __half a;
  a.bits = bits;
  return a;
}
inline unsigned short __half_as_ushort(__half a) { return a.bits; }
inline __half2 __halves2half2(__half a, __half b) { return {a, b}; }
inline __half2 make_half2(__half a, __half b) { return {a, b}; }
inline __half2 __half2half2(__half a) { return {a, a}; }
inline __half2 __float2half2_rn(float a) { return {__half(a), __half(a)}; }
inline __half2 __floats2half2_rn(float a, float b) { return {__half(a), __half(b)}; }
inline __half2 __float22half2_rn(float2 a) { return {__half(a.x), __half(a.y)}; }
inline float2 __half22float2(__half2 a) { return {float(a.x), float(a.y)}; }
inline __half htanh_approx(__half a) { return __half(std::tanh(float(a))); }
inline __half2 h2tanh_approx(__half2 a) { return {htanh_approx(a.x), htanh_approx(a.y)}; }
inline __half __low2half(__half2 a) { return a.x; }
inline __half __high2half(__half2 a) { return a.y; }
inline float __low2float(__half2 a) { return float(a.x); }
inline float __high2float(__half2 a) { return float(a.y); }
