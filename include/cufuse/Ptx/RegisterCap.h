// Candidates that differ in a register cap alone share one PTX: the cap is a directive of the entry function (PTX ISA,
// performance-tuning directives).
#pragma once

#include <llvm/ADT/StringRef.h>
#include <llvm/Support/Error.h>

#include <string>

namespace cufuse {

/// At most one of the two is not zero; both zero: as the PTX has it.
struct RegisterCap {
  unsigned MinBlocks = 0; ///< As `__launch_bounds__(threads, MinBlocks)`; the source has `__launch_bounds__(threads)`.
  unsigned MaxRegisters = 0; ///< As `__maxnreg__(MaxRegisters)` alone.
};

/// The PTX with the cap at the only entry whose name begins with `Entry`: the text that nvcc makes of a source with
/// that attribute. Fails as a defect when there is no such entry or more than one, and for `MinBlocks` without
/// `.maxntid`.
llvm::Expected<std::string> withRegisterCap(llvm::StringRef Ptx, llvm::StringRef Entry, const RegisterCap &Cap);

} // namespace cufuse
