/// Which blocks of a launch play one kernel and which the others: an evenly spread share of them, not one too many.
struct CufuseShare {
  unsigned long long passed; // (block * slope + passed) / 2^32 blocks of the share are before a block from the turn on,
  unsigned slope, steeper, turn; // block * steeper / 2^32 before one ahead of it
  /// Is the block in the share? `block` becomes its number among those that are, or among those that are not.
  __device__ __forceinline__ bool takes(unsigned &block) const {
    const bool ahead = block < turn;
    const unsigned step = ahead ? steeper : slope;
    const unsigned long long before = 1ull * block * step + (ahead ? 0 : passed);
    const unsigned own = static_cast<unsigned>(before >> 32), rest = static_cast<unsigned>(before);
    const bool taken = rest + step < rest;
    block = taken ? own : block - own;
    return taken;
  }
};
