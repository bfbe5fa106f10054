// The built-in indices that the forms over elements and over rows speak of.
#pragma once

#include "cufuse/Kernel/Accesses.h"
#include "cufuse/Support/BlockShape.h"

namespace cufuse {

inline const std::string ThreadX = builtinAtom(Builtin::ThreadIdx, 0), BlockX = builtinAtom(Builtin::BlockIdx, 0),
                         BlockDimX = builtinAtom(Builtin::BlockDim, 0), GridDimX = builtinAtom(Builtin::GridDim, 0);

/// In a block of that shape, whose only thread in a dimension is the first.
inline Polynomial inShape(Polynomial P, BlockShape Block) {
  const unsigned Sizes[] = {Block.X, Block.Y, Block.Z};
  for (int D = 0; D < 3; ++D) {
    P = P.substitute(builtinAtom(Builtin::BlockDim, D), Sizes[D]);
    if (Sizes[D] == 1)
      P = P.substitute(builtinAtom(Builtin::ThreadIdx, D), {});
  }
  return P;
}

} // namespace cufuse
