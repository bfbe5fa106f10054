/// Integers from `low` to `high`: what an expression of rows and columns of a part of a matrix may be. Not `known`
/// where it does not fit 32 bits: there, its type may have another value.
struct CufuseRange {
  long long low, high;
  bool known;

  __device__ __forceinline__ CufuseRange(long long low, long long high, bool made = true)
      : low(low), high(high), known(made && low >= -0x7fffffff && high <= 0x7fffffff) {
    if (!known)
      this->low = this->high = 0;
  }
  __device__ __forceinline__ CufuseRange(long long value) : CufuseRange(value, value) {}

  __device__ __forceinline__ CufuseRange operator+(const CufuseRange &b) const {
    return {low + b.low, high + b.high, known && b.known};
  }
  __device__ __forceinline__ CufuseRange operator-(const CufuseRange &b) const {
    return {low - b.high, high - b.low, known && b.known};
  }
  __device__ __forceinline__ CufuseRange operator*(const CufuseRange &b) const {
    const long long all[] = {low * b.low, low * b.high, high * b.low, high * b.high};
    return {min(min(all[0], all[1]), min(all[2], all[3])), max(max(all[0], all[1]), max(all[2], all[3])),
            known && b.known};
  }
  /// Of what is not negative, by one positive number.
  __device__ __forceinline__ CufuseRange operator/(const CufuseRange &b) const {
    const bool divides = low >= 0 && b.low > 0 && b.low == b.high;
    const unsigned by = divides ? static_cast<unsigned>(b.low) : 1;
    return {static_cast<unsigned>(low) / by, static_cast<unsigned>(high) / by, known && b.known && divides};
  }
};

/// For how much of a part of a matrix something holds. Unknown: an operation of it does not fit 32 bits.
enum class CufuseHolds { Nowhere, Somewhere, Everywhere, Unknown };

__device__ __forceinline__ CufuseHolds operator!(CufuseHolds a) {
  return a == CufuseHolds::Unknown ? a : static_cast<CufuseHolds>(2 - static_cast<int>(a));
}
__device__ __forceinline__ CufuseHolds operator&(CufuseHolds a, CufuseHolds b) {
  return b != CufuseHolds::Unknown && (a < b || a == CufuseHolds::Unknown) ? a : b;
}
__device__ __forceinline__ CufuseHolds operator|(CufuseHolds a, CufuseHolds b) { return a < b ? b : a; }

/// What masks are made of, for a part of a matrix and for an element.
struct CufuseMasks {
  static __device__ __forceinline__ CufuseHolds less(const CufuseRange &a, const CufuseRange &b) {
    return !a.known || !b.known ? CufuseHolds::Unknown
           : a.high < b.low     ? CufuseHolds::Everywhere
           : a.low >= b.high    ? CufuseHolds::Nowhere
                                : CufuseHolds::Somewhere;
  }
  static __device__ __forceinline__ bool less(int a, int b) { return a < b; }
};

struct CufuseNoMask {
  __device__ __forceinline__ CufuseHolds operator()(const CufuseRange &row, const CufuseRange &column) const {
    return CufuseHolds::Nowhere;
  }
  __device__ __forceinline__ bool operator()(int row, int column) const { return false; }
};
template <typename Masked> constexpr bool cufuseHasMask = true;
template <> constexpr bool cufuseHasMask<CufuseNoMask> = false;

/// `between` for the elements of `N` columns of which none is masked: the compiler leaves out what it does else.
template <int N, typename Between, typename Masked> struct CufuseShown {
  const Between &between;
  const Masked &masked;
  template <typename C> __device__ __forceinline__ auto operator()(long long element, C sum) const {
    const int at = static_cast<int>(element);
    __builtin_assume(!masked(at / N, at % N));
    return between(element, sum);
  }
};

/// The tiles of `Rows` rows of which each block has some, by turns: `Each` rows are those of a matrix, 0: all. Where
/// there is a mask, those that are below each other take turns from the last on, so that all blocks have much and
/// little to do: causal masks leave more of the lower rows.
template <int Rows, int Each, typename Masked> struct CufuseTiles {
  static constexpr bool Masks = cufuseHasMask<Masked>;
  int each, ofEach, all;

  __device__ __forceinline__ CufuseTiles(int rows) {
    each = Each > 0 ? Each : rows, ofEach = (each + Rows - 1) / Rows, all = rows / each * ofEach;
  }
  /// Calls `run` with each matrix, and the first and last of the tile's rows.
  template <typename Run> __device__ __forceinline__ void forEach(Run run) const {
    for (int turn = 0, begin = 0; begin < all; ++turn, begin += gridDim.x) {
      const int tile = begin + (Masks && turn % 2 ? gridDim.x - 1 - blockIdx.x : blockIdx.x);
      if (tile >= all)
        continue;
      const int matrices = all / ofEach, of = Masks ? tile % matrices : tile / ofEach;
      const int first = of * each + (Masks ? ofEach - 1 - tile / matrices : tile % ofEach) * Rows;
      run(of, first, min(first + Rows, (of + 1) * each) - 1);
    }
  }
};

/// The columns of a tile's rows, `Keys` at a time, without those that are masked in all of the rows; if that are all,
/// the first ones stay.
template <int N, int Keys, typename Masked> struct CufuseColumns {
  const Masked &masked;
  int first, last;                           ///< Rows.
  CufuseHolds hidden = CufuseHolds::Nowhere; ///< Of the columns that were given last: masked.

  __device__ __forceinline__ int from(int n) {
    for (; n < N; n += Keys) {
      hidden = masked(CufuseRange(first, last), CufuseRange(n, min(n + Keys, N) - 1));
      if (hidden != CufuseHolds::Everywhere)
        break;
    }
    return n;
  }
  __device__ __forceinline__ int begin() {
    const int n = from(0);
    return n < N ? n : 0;
  }
};
