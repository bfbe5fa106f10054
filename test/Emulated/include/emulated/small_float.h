// What __half and __nv_bfloat16 have in common: stored in 16 bits, computed in float, rounded to nearest even.
#pragma once

namespace cuda_emulated {

/// The bits of `value` with the exponent's and mantissa's widths of binary16.
inline unsigned short toHalfBits(float value) {
  const unsigned bits = __builtin_bit_cast(unsigned, value), sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000)
    return 0x7fff;
  if (magnitude >= 0x477ff000) // rounds to 65536 or more
    return static_cast<unsigned short>(sign | 0x7c00);
  if (magnitude < 0x38800000) { // subnormal: the sum's last bit is 2^-24
    const float sum = __builtin_bit_cast(float, magnitude) + 0.5f;
    return static_cast<unsigned short>(sign | (__builtin_bit_cast(unsigned, sum) - 0x3f000000));
  }
  return static_cast<unsigned short>(sign | (magnitude - 0x38000000 + 0xfff + (magnitude >> 13 & 1)) >> 13);
}
inline float fromHalfBits(unsigned short half) {
  const unsigned sign = (half & 0x8000u) << 16, magnitude = half & 0x7fffu;
  if (magnitude >= 0x7c00)
    return __builtin_bit_cast(float, sign | 0x7f800000 | (magnitude & 0x3ff) << 13);
  if (magnitude < 0x400) {
    const float value = static_cast<float>(magnitude) * 0x1p-24f;
    return sign ? -value : value;
  }
  return __builtin_bit_cast(float, sign | ((magnitude << 13) + 0x38000000));
}
inline unsigned short toBfloat16Bits(float value) {
  const unsigned bits = __builtin_bit_cast(unsigned, value);
  if ((bits & 0x7fffffff) > 0x7f800000)
    return 0x7fff;
  return static_cast<unsigned short>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
inline float fromBfloat16Bits(unsigned short bits) {
  return __builtin_bit_cast(float, static_cast<unsigned>(bits) << 16);
}

template <unsigned short (*To)(float), float (*From)(unsigned short)> struct SmallFloat {
  unsigned short bits;

  SmallFloat() = default;
  SmallFloat(float value) : bits(To(value)) {}
  SmallFloat(double value) : bits(To(static_cast<float>(value))) {}
  SmallFloat(int value) : bits(To(static_cast<float>(value))) {}
  SmallFloat(unsigned value) : bits(To(static_cast<float>(value))) {}
  SmallFloat(long long value) : bits(To(static_cast<float>(value))) {}
  SmallFloat(unsigned long long value) : bits(To(static_cast<float>(value))) {}
  operator float() const { return From(bits); }

  friend SmallFloat operator+(SmallFloat a, SmallFloat b) { return float(a) + float(b); }
  friend SmallFloat operator-(SmallFloat a, SmallFloat b) { return float(a) - float(b); }
  friend SmallFloat operator*(SmallFloat a, SmallFloat b) { return float(a) * float(b); }
  friend SmallFloat operator/(SmallFloat a, SmallFloat b) { return float(a) / float(b); }
  friend SmallFloat operator-(SmallFloat a) { return -float(a); }
  SmallFloat &operator+=(SmallFloat b) { return *this = *this + b; }
  SmallFloat &operator-=(SmallFloat b) { return *this = *this - b; }
  SmallFloat &operator*=(SmallFloat b) { return *this = *this * b; }
  SmallFloat &operator/=(SmallFloat b) { return *this = *this / b; }
  friend bool operator==(SmallFloat a, SmallFloat b) { return float(a) == float(b); }
  friend bool operator!=(SmallFloat a, SmallFloat b) { return float(a) != float(b); }
  friend bool operator<(SmallFloat a, SmallFloat b) { return float(a) < float(b); }
  friend bool operator>(SmallFloat a, SmallFloat b) { return float(a) > float(b); }
  friend bool operator<=(SmallFloat a, SmallFloat b) { return float(a) <= float(b); }
  friend bool operator>=(SmallFloat a, SmallFloat b) { return float(a) >= float(b); }
};

/// A pair, as __half2 and __nv_bfloat162.
template <typename T> struct __attribute__((aligned(4))) SmallPair {
  T x, y;
  friend SmallPair operator+(SmallPair a, SmallPair b) { return {a.x + b.x, a.y + b.y}; }
  friend SmallPair operator-(SmallPair a, SmallPair b) { return {a.x - b.x, a.y - b.y}; }
  friend SmallPair operator*(SmallPair a, SmallPair b) { return {a.x * b.x, a.y * b.y}; }
  SmallPair &operator+=(SmallPair b) { return *this = *this + b; }
  SmallPair &operator-=(SmallPair b) { return *this = *this - b; }
  SmallPair &operator*=(SmallPair b) { return *this = *this * b; }
};

template <typename T> inline T fusedMultiplyAdd(T a, T b, T c) { return T(fmaf(float(a), float(b), float(c))); }

} // namespace cuda_emulated

#define EMULATED_SMALL_ARITHMETIC(T, T2)                                                                               \
  inline T __hadd(T a, T b) { return a + b; }                                                                          \
  inline T __hsub(T a, T b) { return a - b; }                                                                          \
  inline T __hmul(T a, T b) { return a * b; }                                                                          \
  inline T __hdiv(T a, T b) { return a / b; }                                                                          \
  inline T __hneg(T a) { return -a; }                                                                                  \
  inline T __habs(T a) { return T(fabsf(float(a))); }                                                                  \
  inline T __hfma(T a, T b, T c) { return cuda_emulated::fusedMultiplyAdd(a, b, c); }                                  \
  inline T __hmax(T a, T b) { return a < b ? b : a; }                                                                  \
  inline T __hmin(T a, T b) { return b < a ? b : a; }                                                                  \
  inline bool __hlt(T a, T b) { return a < b; }                                                                        \
  inline bool __hgt(T a, T b) { return a > b; }                                                                        \
  inline bool __heq(T a, T b) { return a == b; }                                                                       \
  inline T hexp(T a) { return T(expf(float(a))); }                                                                     \
  inline T hsqrt(T a) { return T(sqrtf(float(a))); }                                                                   \
  inline T hrsqrt(T a) { return T(rsqrtf(float(a))); }                                                                 \
  inline T2 __hadd2(T2 a, T2 b) { return a + b; }                                                                      \
  inline T2 __hsub2(T2 a, T2 b) { return a - b; }                                                                      \
  inline T2 __hmul2(T2 a, T2 b) { return a * b; }                                                                      \
  inline T2 __hfma2(T2 a, T2 b, T2 c) { return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)}; }
