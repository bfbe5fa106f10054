// The neutral reading of an output: device code in which what a fusion adds is what it stands for. A partition's
// `threadIdx()` is the thread's own, its barrier the block's, its part of dynamic shared memory all of it: so the code
// of a body is that of its kernel. A built-in or a barrier that is not read by way of the partition has another name.
#pragma once

#include "cufuse/Emit/Emit.h"
#include "cufuse/Reach/DeviceIr.h"
#include "cufuse/Verify/CompareWithInput.h"

#include <llvm/ADT/StringRef.h>

namespace cufuse {

/// Names in that code.
namespace neutral {
constexpr llvm::StringLiteral DynamicShared = "cufuse.dynamicShared"; ///< Where the dynamic shared memory begins.
constexpr llvm::StringLiteral Rank = "cufuse.rank";                   ///< A call: the thread's number.
constexpr llvm::StringLiteral Barrier = "cufuse.barrier"; ///< A call: the partition's barrier for one that is named.
constexpr llvm::StringLiteral Own = "cufuse.own.";        ///< Before what is read of the fused block.
} // namespace neutral

/// The text in which a composition's objects are the pointers that they stand for, and loops over the grid are as their
/// files have them. It is for the kernels' own text: what a composition calls them with does not fit. Nothing if all is
/// so in the output.
std::optional<std::string> neutralText(llvm::StringRef Source, llvm::ArrayRef<Constituent> Constituents,
                                       const FusionPlan &Plan, const EmitOptions &Options);

/// The code of a kernel in its own file, in a block of which what is planned is known; null where there is none.
std::unique_ptr<DeviceIr> codeOf(const ParsedUnit &Input, const Reached &Reach, const PlayedKernel &Played);
/// That of what plays it in the output. The parameters in front of the kernel's own are not used.
std::unique_ptr<DeviceIr> neutralCode(const ParsedUnit &Output, const Reached &Reach, const PlayedKernel &Played);

/// The namespace that it is declared in, with those around it, but for inline ones, whatever class or function holds
/// it.
std::string namespaceAround(const clang::Decl *D);
/// The call of a member of the kernel's partition, as it is planned.
bool isOfPartition(const clang::FunctionDecl *F, llvm::StringRef Member, const PlayedKernel &Played);

/// Does it ask a turn or a row of a composition for what is known of a condition?
bool asksForTurn(const clang::FunctionDecl &F);

} // namespace cufuse
