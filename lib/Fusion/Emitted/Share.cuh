/// Which blocks of a launch play one kernel and which the others: an evenly spread share of them, not one too many.
struct CufuseShare {
  unsigned long long slope, extra; // of the share per block, times 2^32: the extra is for blocks before the turn
  unsigned turn;
  __device__ __forceinline__ unsigned before(unsigned block) const {
    return static_cast<unsigned>((block * slope + (block < turn ? block : turn) * extra) >> 32);
  }
  /// Is the block in the share? `block` becomes its number among those that are, or among those that are not.
  __device__ __forceinline__ bool takes(unsigned &block) const {
    const unsigned own = before(block);
    const bool taken = before(block + 1) > own;
    block = taken ? own : block - own;
    return taken;
  }
};
