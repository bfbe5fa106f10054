// The #includes of an output.
#pragma once

#include "Writer.h"

#include "cufuse/Emit/Emit.h"

namespace cufuse {

/// Those of all constituents, in order, but for lines already `Seen`.
void includeLines(Writer &To, llvm::ArrayRef<Constituent> Constituents, std::vector<IncludeLine> KernelText::*List,
                  bool ForArgumentsOnly, std::set<std::string> &Seen);

} // namespace cufuse
