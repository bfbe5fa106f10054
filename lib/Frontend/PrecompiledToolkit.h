// What every file is read behind, parsed once for all files.
#pragma once

#include "cufuse/Frontend/Toolchain.h"

#include <clang/AST/ASTConsumer.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <llvm/Support/VirtualFileSystem.h>

#include <memory>
#include <set>
#include <string>

namespace cufuse {

/// Headers of Clang, in its resource folder, of which parses read changed ones: of the built-in variables, and the one
/// that it reads before all others.
constexpr llvm::StringLiteral ClangsWrapper = "/include/__clang_cuda_runtime_wrapper.h";

/// What Clang's own headers, beside its compiler, say otherwise than nvcc's.
struct HeaderChange {
  llvm::StringLiteral Header, From, To;
};
extern const llvm::ArrayRef<HeaderChange> HeaderChanges;

/// Reads the destructors of the toolkit's barriers as nvcc does.
std::unique_ptr<clang::ASTConsumer> knowLibraryBarriers();

/// What the headers of libraries that a file begins with are precompiled from.
constexpr llvm::StringLiteral LeadingHeaders = "/cufuse-virtual/leading.cu";

/// Makes the invocation load the headers that it reads before the file (Clang's wrapper of the toolkit's headers, and
/// nvcc_compat.h) as a precompiled header, which the cache keeps while the flags and the contents of the headers are
/// the same: most of the time of a parse goes into them. And with them those of libraries that `File` includes before
/// all else, if the toolkit's are among them: CUB takes seconds. Leaves the invocation as it was where the cache cannot
/// be written, a header has errors with these flags, or a folder of the user's has a header of such a name. Errors
/// `Accepted` are none, as in the parse itself. Returns which of the file's headers include which, each as `PATH TAB
/// PATH`.
std::set<std::string> loadToolkitPrecompiled(clang::CompilerInvocation &Invocation, const Toolchain &Tools,
                                             llvm::IntrusiveRefCntPtr<llvm::vfs::OverlayFileSystem> Files,
                                             llvm::ArrayRef<unsigned> Accepted, llvm::StringRef File);

} // namespace cufuse
