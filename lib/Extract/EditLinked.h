// Pointers that a kernel derives from linked parameters.
#pragma once

#include "EditText.h"

namespace cufuse {

/// In the kernel's body, what is derived from a parameter that is linked, which becomes an object. `Names` are by
/// position.
///
/// - `const float4 *p = …` is declared `const auto p`;
/// - `reinterpret_cast<float4 *>(p)` becomes `cufuse_as<float4>(p)`, so does `(float4 *)p`;
/// - `&p[i]` becomes `(p + (i))`.
///
/// Whatever else is done to them stays as it is; `AccessSite::Direct` says which accesses go well with that.
void editLinkedPointers(TextEdits &Edits, const clang::FunctionDecl &Kernel, llvm::ArrayRef<std::string> Names);

} // namespace cufuse
