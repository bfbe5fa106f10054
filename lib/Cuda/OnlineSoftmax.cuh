/// The softmax of two rows that a thread and three others have, some of whose columns come at a time: what is added up
/// is multiplied by exp(m - m') when m becomes m', and divided by the sum at the end (Milakov and Gimelshein, arXiv
/// 1805.02867; Dao et al., arXiv 2205.14135). m is the largest so far, or less by `Slack` / log2(e) at most: that is
/// seldom more to multiply, and what is to be added, at most 2^Slack, is as precise.
template <typename C, int N> struct CufuseSoftmax {
  static constexpr float Infinity = __builtin_huge_valf(), Log2OfE = 1.44269504f, Slack = 8;
  float most[2] = {-Infinity, -Infinity}, sum[2] = {};

  /// Of the columns from `n` on: from their sums to exp(f(sum) - m), and what is added up so far is multiplied by.
  template <int Count, typename Between>
  __device__ __forceinline__ void take(float (&sums)[Count], float (&by)[2], const CufuseSums<N> &place, int n,
                                       Between between) {
    float largest[2] = {-Infinity, -Infinity}, shift[2];
    C rounded[Count];
    cufuseRounded(rounded, sums);
#pragma unroll
    for (int i = 0; i < Count; ++i) {
      const int at = n + i / 4 * 8 + place.column + i % 2, h = i / 2 % 2;
      sums[i] =
          N % (Count * 2) == 0 || at < N ? static_cast<float>(between(place.element(h, at), rounded[i])) : -Infinity;
      largest[h] = fmaxf(largest[h], sums[i]);
    }
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      largest[h] = ofRow(largest[h], [](float x, float y) { return fmaxf(x, y); });
      const bool grows = largest[h] - most[h] > Slack / Log2OfE; // not if both are -infinity
      shift[h] = grows ? largest[h] : most[h];
      by[h] = grows ? powerOf2((most[h] - shift[h]) * Log2OfE) : 1;
      most[h] = shift[h];
      if (shift[h] == -Infinity)
        shift[h] = 0; // so far, exp(x) is 0 for all
      sum[h] *= by[h];
    }
    // The product of a large number with log2(e) is rounded by more than a small power of 2: then differences first.
    if (__any_sync(0xffffffff, fmaxf(fabsf(shift[0]), fabsf(shift[1])) > 1e3f))
#pragma unroll
      for (int i = 0; i < Count; ++i)
        sums[i] = (sums[i] - shift[i / 2 % 2]) * Log2OfE;
    else
#pragma unroll
      for (int i = 0; i < Count; ++i)
        sums[i] = fmaf(sums[i], Log2OfE, -shift[i / 2 % 2] * Log2OfE);
#pragma unroll
    for (int i = 0; i < Count; ++i)
      sums[i] = powerOf2(sums[i]), sum[i / 2 % 2] += sums[i];
  }

  /// What is added up so far, by what `take` has given.
  template <int Count> static __device__ __forceinline__ void follow(float (&sumsE)[Count], const float (&by)[2]) {
    if (__any_sync(0xffffffff, by[0] != 1 || by[1] != 1))
#pragma unroll
      for (int l = 0; l < Count; ++l)
        sumsE[l] *= by[l / 2 % 2];
  }

  template <int Count> __device__ __forceinline__ void end(float (&sumsE)[Count]) const {
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      const float part = 1 / ofRow(sum[h], [](float x, float y) { return x + y; });
#pragma unroll
      for (int l = h * 2; l < Count; l += 4)
        sumsE[l] *= part, sumsE[l + 1] *= part;
    }
  }

private:
  /// Of the four threads that have a row.
  template <typename Operation> static __device__ __forceinline__ float ofRow(float value, Operation operation) {
    value = operation(value, __shfl_xor_sync(0xffffffff, value, 1));
    return operation(value, __shfl_xor_sync(0xffffffff, value, 2));
  }
  static __device__ __forceinline__ float powerOf2(float x) {
    float power;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(x));
    return power;
  }
};

/// Sums as an operand of the next product, 16 columns each.
template <typename T, int Count>
__device__ __forceinline__ void cufuseOperands(unsigned (&operand)[Count / 8][4], const float (&sums)[Count]) {
#pragma unroll
  for (int i = 0; i < Count; i += 2) {
    const auto rounded = CUFUSE_PAIR(sums[i], sums[i + 1]);
    operand[i / 8][i / 2 % 4] = cufusePair(T(rounded.x), T(rounded.y));
  }
}
