// The built-in indices that the forms over elements and over rows speak of.
#pragma once

#include "cufuse/Kernel/Accesses.h"

namespace cufuse {

inline const std::string ThreadX = builtinAtom(Builtin::ThreadIdx, 0), BlockX = builtinAtom(Builtin::BlockIdx, 0),
                         BlockDimX = builtinAtom(Builtin::BlockDim, 0), GridDimX = builtinAtom(Builtin::GridDim, 0);

} // namespace cufuse
