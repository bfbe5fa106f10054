// Kernels, their returns, and dynamic shared memory that macros spell, written out, so that all that follows finds
// them as text.
#pragma once

#include "cufuse/Frontend/Parse.h"

namespace cufuse {

/// As `parse`; where a macro spells the head, the ends, a return or all of a kernel in a file of the user, or declares
/// dynamic shared memory, the file is read with the call of that macro written out. Lines keep their numbers; those of
/// a kernel of several lines are counted from the call's. The compiler must get the same tokens as before: otherwise
/// the file stays as it is.
llvm::Expected<std::unique_ptr<ParsedUnit>> parseWrittenOut(const Toolchain &Tools, const ParseRequest &Request);

} // namespace cufuse
