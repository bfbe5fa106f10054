/// The turns that a thread makes over its row, one element each.
struct CufuseRow {
  static constexpr unsigned block = CUFUSE_BLOCK;
#ifdef CUFUSE_WIDE
  static constexpr unsigned most = CUFUSE_WIDE;
  unsigned wide;    ///< Consecutive elements that a thread has: `most` or 1.
  long long length; ///< Of the row.
#endif
  unsigned turns; ///< At most, where the elements stay in registers; 0 where they do not.
  unsigned full;  ///< So many turns have an element for every thread.
  unsigned *turn; ///< The present one.
#ifdef CUFUSE_WIDE
  /// Are there elements at `index`? `inside` is what the loop asks; with constant numbers of turns it can be unrolled.
  /// Of elements next to each other, a turn of the loop is for all, since nvcc unrolls so many lines and no more:
  /// `each` has one after the other.
#else
  /// Is there an element at `index`? `inside` is what the loop asks; with constant numbers of turns it can be unrolled.
#endif
  template <typename Index> __device__ __forceinline__ bool next(Index index, bool inside) const {
    const unsigned distance = static_cast<unsigned>(index) - threadIdx.x;
#ifdef CUFUSE_WIDE
    *turn = distance / block * wide;
#else
    *turn = distance / block;
#endif
    if (turns == 0)
      return inside;
#ifdef CUFUSE_WIDE
    if (distance >= turns / wide * block)
      return false;
#else
    if (distance >= turns * block)
      return false;
#endif
#ifdef CUFUSE_WIDE
    if (wide > 1) // `inside` asks the rest, so that the number of turns is constant
      return true;
#endif
    return distance < full * block || inside;
  }
#ifdef CUFUSE_WIDE
  /// The element of a turn, and whether there is one.
  __device__ __forceinline__ unsigned at(unsigned turn) const {
    return wide * (threadIdx.x + turn / wide * block) + turn % wide;
  }
  __device__ __forceinline__ bool has(unsigned turn) const { return turn < full || at(turn) < length; }
  /// The same of the present one. What is given is what it would be with one element at a time.
  __device__ __forceinline__ bool inside(bool given) const { return wide > 1 ? has(*turn) : given; }
  __device__ __forceinline__ bool each(unsigned of, bool given) const {
    if (wide == 1)
      return given;
    if (of == wide)
      return false;
    *turn = *turn / wide * wide + of;
    return true;
  }
  template <typename Index> __device__ __forceinline__ Index element(Index given) const {
    return wide > 1 ? static_cast<Index>(at(*turn)) : given;
  }
#endif
};
