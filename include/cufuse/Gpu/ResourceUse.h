// What a compiled kernel takes of a multiprocessor.
#pragma once

namespace cufuse {

struct ResourceUse {
  unsigned Registers = 0;                   ///< Per thread.
  unsigned SpillStores = 0, SpillLoads = 0; ///< Bytes per thread.
  unsigned StackBytes = 0;                  ///< Per thread.
  unsigned SharedBytes = 0;                 ///< Static, per block.
  unsigned Barriers = 0;
};

} // namespace cufuse
