// Variables that a compiled output defines itself.
#pragma once

#include "PtxModule.h"
#include "cufuse/Ptx/CheckPtx.h"
#include "cufuse/Support/Error.h"

#include <string>
#include <vector>

namespace cufuse {

/// A copied variable must be a table of the plan, and nothing may change what the output defines: else it is the
/// program's, and the output has another one. Addresses are followed in the registers of one function.
void checkVariables(const PtxModule &Module, llvm::ArrayRef<const PtxItem *> Reached, const PtxExpectation &Expected,
                    const std::string &File, PtxSummary &Seen, std::vector<Message> &Messages);

} // namespace cufuse
