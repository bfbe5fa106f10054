// Warp primitives: the lanes of the mask meet, and the last one to come computes what each of them gets.
#pragma once

namespace cuda_emulated {

template <typename T> unsigned long long toBits(T value) {
  static_assert(sizeof(T) <= 8 && std::is_trivially_copyable_v<T>, "no type of a warp primitive");
  unsigned long long bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  return bits;
}
template <typename T> T fromBits(unsigned long long bits) {
  T value;
  std::memcpy(&value, &bits, sizeof(T));
  return value;
}

inline unsigned lane() { return linearThread() % 32; }

/// Lanes outside of the mask have no value: what is read from them is poison.
inline void shuffle(Exchange &e) {
  for (unsigned lane = 0; lane < 32; ++lane)
    e.result[lane] = e.mask >> e.argument[lane] & 1 ? e.value[e.argument[lane]] : 0xf7f7f7f7f7f7f7f7ull;
}
template <typename T> T shuffled(const char *name, unsigned mask, T value, unsigned source) {
  return fromBits<T>(exchange(name, mask, shuffle, toBits(value), source % 32));
}

template <typename Compute> void forAll(Exchange &e, unsigned long long start, Compute compute) {
  for (unsigned lane = 0; lane < 32; ++lane)
    if (e.mask >> lane & 1)
      start = compute(start, e.value[lane], lane);
  for (unsigned long long &result : e.result)
    result = start;
}
inline void ballot(Exchange &e) {
  forAll(e, 0, [](auto all, auto value, unsigned lane) { return all | (value ? 1ull << lane : 0); });
}
template <typename T, typename Operation> void reduce(Exchange &e) {
  const auto first = e.value[__builtin_ctz(e.mask)];
  bool started = false;
  forAll(e, first, [&](auto all, auto value, unsigned) {
    const T result = started ? Operation()(fromBits<T>(all), fromBits<T>(value)) : fromBits<T>(value);
    started = true;
    return toBits(result);
  });
}
inline void matchAny(Exchange &e) {
  for (unsigned lane = 0; lane < 32; ++lane) {
    e.result[lane] = 0;
    for (unsigned other = 0; other < 32; ++other)
      if (e.mask >> other & 1 && e.value[other] == e.value[lane])
        e.result[lane] |= 1ull << other;
  }
}
inline void nothing(Exchange &) {}
/// For what all lanes of a warp do together.
inline void requireWholeWarp(const Exchange &e, const char *name) {
  if (e.mask != ~0u)
    fail("%s without lanes %08x", name, ~e.mask);
}

struct Min {
  template <typename T> T operator()(T a, T b) const { return b < a ? b : a; }
};
struct Max {
  template <typename T> T operator()(T a, T b) const { return a < b ? b : a; }
};
struct Plus {
  template <typename T> T operator()(T a, T b) const { return static_cast<T>(a + b); }
};
struct BitAnd {
  template <typename T> T operator()(T a, T b) const { return a & b; }
};
struct BitOr {
  template <typename T> T operator()(T a, T b) const { return a | b; }
};
struct BitXor {
  template <typename T> T operator()(T a, T b) const { return a ^ b; }
};

} // namespace cuda_emulated

inline void __syncwarp(unsigned mask = 0xffffffffu) {
  cuda_emulated::exchange("__syncwarp", mask, cuda_emulated::nothing, 0);
}
inline unsigned __activemask() { return cuda_emulated::activeMask(); }

// The source lanes are those of the PTX ISA's shfl.sync: segments of `width` lanes, a source beyond them is the lane
// itself.
template <typename T> T __shfl_sync(unsigned mask, T value, int source, int width = 32) {
  const unsigned lane = cuda_emulated::lane();
  return cuda_emulated::shuffled("__shfl_sync", mask, value, (lane & ~(width - 1u)) + (source & (width - 1)));
}
template <typename T> T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32) {
  const unsigned lane = cuda_emulated::lane(), first = lane & ~(width - 1u);
  return cuda_emulated::shuffled("__shfl_up_sync", mask, value, lane < first + delta ? lane : lane - delta);
}
template <typename T> T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32) {
  const unsigned lane = cuda_emulated::lane(), last = lane | (width - 1u);
  return cuda_emulated::shuffled("__shfl_down_sync", mask, value, lane + delta > last ? lane : lane + delta);
}
template <typename T> T __shfl_xor_sync(unsigned mask, T value, int lanes, int width = 32) {
  const unsigned lane = cuda_emulated::lane(), last = lane | (width - 1u), source = lane ^ static_cast<unsigned>(lanes);
  return cuda_emulated::shuffled("__shfl_xor_sync", mask, value, source > last ? lane : source);
}

inline unsigned __ballot_sync(unsigned mask, int predicate) {
  return static_cast<unsigned>(cuda_emulated::exchange("__ballot_sync", mask, cuda_emulated::ballot, predicate != 0));
}
inline int __any_sync(unsigned mask, int predicate) {
  return cuda_emulated::exchange("__any_sync", mask, cuda_emulated::ballot, predicate != 0) != 0;
}
/// No lane says no: lanes of the mask that do not exist have no say.
inline int __all_sync(unsigned mask, int predicate) {
  return cuda_emulated::exchange("__all_sync", mask, cuda_emulated::ballot, predicate == 0) == 0;
}
template <typename T> unsigned __match_any_sync(unsigned mask, T value) {
  return static_cast<unsigned>(
      cuda_emulated::exchange("__match_any_sync", mask, cuda_emulated::matchAny, cuda_emulated::toBits(value)));
}
template <typename T> unsigned __match_all_sync(unsigned mask, T value, int *equal) {
  const unsigned same = static_cast<unsigned>(
      cuda_emulated::exchange("__match_all_sync", mask, cuda_emulated::matchAny, cuda_emulated::toBits(value)));
  const unsigned all = __ballot_sync(mask, 1);
  *equal = same == all;
  return *equal ? all : 0;
}

#define EMULATED_REDUCE(NAME, OPERATION)                                                                               \
  template <typename T> T NAME(unsigned mask, T value) {                                                               \
    return cuda_emulated::fromBits<T>(cuda_emulated::exchange(                                                         \
        #NAME, mask, cuda_emulated::reduce<T, cuda_emulated::OPERATION>, cuda_emulated::toBits(value)));               \
  }
EMULATED_REDUCE(__reduce_add_sync, Plus)
EMULATED_REDUCE(__reduce_min_sync, Min)
EMULATED_REDUCE(__reduce_max_sync, Max)
EMULATED_REDUCE(__reduce_and_sync, BitAnd)
EMULATED_REDUCE(__reduce_or_sync, BitOr)
EMULATED_REDUCE(__reduce_xor_sync, BitXor)
#undef EMULATED_REDUCE
