// The loop by which a kernel covers more elements than its launch has threads.
#pragma once

namespace clang {
class ForStmt;
class FunctionDecl;
} // namespace clang

namespace cufuse {

/// The first `for` of the kernel's own body, in no other such loop, whose step is made of `gridDim` or `blockDim`:
/// written there or by way of local variables. Null when there is none, and for one that comes out of a macro with
/// other code.
const clang::ForStmt *gridStrideLoop(const clang::FunctionDecl &Kernel);

} // namespace cufuse
