// The header of an output, and how both files say what text they had when they were written.
#pragma once

#include "Writer.h"

#include "cufuse/Emit/Emit.h"

#include <llvm/ADT/STLFunctionalExtras.h>

namespace cufuse {

std::string emitHeader(llvm::ArrayRef<Constituent> Constituents, const FusionPlan &Plan, const EmitOptions &Options);

/// Its first lines, by which it is known: what it launches, what made it, and the hash.
void writeHead(Writer &To, llvm::ArrayRef<Constituent> Constituents, const EmitOptions &Options);

/// The line with the hash.
void writeAsWritten(Writer &To, const EmitOptions &Options);

/// The name of the inline namespace of what a program links and two outputs of one name may both have. It has the hash:
/// `NAME::launch` is this output's all the same.
OutputText ownSpace();
void inOwnSpace(Writer &To, llvm::function_ref<void()> Emit);

/// Puts the hashes where these have left room.
void writeHashes(FusedSource &Fused);

/// Text with its hash in the places that wait for it.
std::string hashed(llvm::StringRef Text);

} // namespace cufuse
