// Stands in for the CUDA toolkit's header of this name.
#pragma once

#include "cuda_runtime.h"

#include "emulated/small_float.h"

struct __nv_bfloat16 : cuda_emulated::SmallFloat<cuda_emulated::toBfloat16Bits, cuda_emulated::fromBfloat16Bits> {
  using SmallFloat::SmallFloat;
  __nv_bfloat16() = default;
  __nv_bfloat16(SmallFloat value) : SmallFloat(value) {}
};
using nv_bfloat16 = __nv_bfloat16;
struct __nv_bfloat162 : cuda_emulated::SmallPair<__nv_bfloat16> {
  __nv_bfloat162() = default;
  __nv_bfloat162(SmallPair pair) : SmallPair(pair) {}
  __nv_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) : SmallPair{a, b} {}
};
using nv_bfloat162 = __nv_bfloat162;

EMULATED_SMALL_ARITHMETIC(__nv_bfloat16, __nv_bfloat162)
inline __nv_bfloat16 __float2bfloat16(float a) { return __nv_bfloat16(a); }
inline __nv_bfloat16 __float2bfloat16_rn(float a) { return __nv_bfloat16(a); }
inline float __bfloat162float(__nv_bfloat16 a) { return float(a); }
inline __nv_bfloat162 __floats2bfloat162_rn(float a, float b) { return {__nv_bfloat16(a), __nv_bfloat16(b)}; }
inline __nv_bfloat162 __float2bfloat162_rn(float a) { return {__nv_bfloat16(a), __nv_bfloat16(a)}; }
inline __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a) { return {a, a}; }
inline float2 __bfloat1622float2(__nv_bfloat162 a) { return {float(a.x), float(a.y)}; }
