// What the parts of the driver have of each other.
#pragma once

#include "cufuse/Driver/FuseRequest.h"
#include "cufuse/Driver/Pipeline.h"
#include "cufuse/Driver/ReadKernels.h"
#include "cufuse/Frontend/NvccText.h"
#include "cufuse/Kernel/Blocker.h"
#include "cufuse/Launches/LinksOfLaunches.h"

#include <llvm/Support/JSON.h>

namespace cufuse {

/// What nvcc's preprocessor says of an input.
struct NvccAnswer {
  std::vector<NvccStep> Steps; ///< Empty where nvcc is not at hand, or its host compiler cannot be asked.
  std::shared_ptr<const cufuse::Predefined> Predefined; ///< By the first step; null as above.
};

/// Asks for the steps by which nvcc preprocesses the file, those for `Arch` first (see nvccSteps), and for the macros
/// that it predefines there. Fails with ExitCode::BadUsage where nvcc does not compile with the flags.
llvm::Expected<NvccAnswer> askNvcc(const Toolchain &Tools, const std::string &File, const CompileFlags &Flags,
                                   const std::string &Arch);

/// Where nvcc compiles another text than `Users`, for any of its architectures. Where nvcc cannot be asked: where the
/// text depends on what nvcc might define otherwise. Fails with ExitCode::BadInput where nvcc does not preprocess the
/// file.
llvm::Expected<std::vector<Blocker>> otherText(const Toolchain &Tools, const NvccAnswer &Answer,
                                               const UsersText &Users);

/// Gives what the kernels' files include names that mean the same from the folder of each of them. Where another
/// kernel's folder, or one that the flags name, has another file of that name, the name gets as much of the file's path
/// as tells them apart, `../a/common.h`: the output is compiled with the flags' folders and `-I` of all kernels', whose
/// order must not matter.
void nameIncludes(llvm::MutableArrayRef<LoadedKernel> Kernels);
/// `#include "../kA/config.h"` → `#include "/project/kA/config.h"` where it is found beside the kernel's file: a build
/// system compiles the output, and what includes its header, with the folders that it has, which may have another.
void nameWhole(LoadedKernel &Kernel);

/// One output has the text of all: what the command lines say of a macro otherwise is written around each kernel's
/// text, and before the headers that ask for it.
void separateMacros(std::vector<LoadedKernel> &Kernels);

/// What a flag of the command line says something of: a macro, or "" for `-include`.
std::string macroOfFlag(llvm::StringRef Flag);

/// With the names that links have for them.
std::vector<LaunchedKernel> launchedKernels(llvm::ArrayRef<LoadedKernel> Kernels);

/// Adds the links that the launches in the kernels' files say, but for parameters of which it is said already. Returns
/// what was found, for the reader.
llvm::Expected<std::string> linkAsLaunched(llvm::MutableArrayRef<LoadedKernel> Kernels, FuseRequest &Request);

/// Do no options ask for something else than that one block plays all kernels but the first, or the last?
bool mayGoByOneBlock(const FuseRequest &Request);

/// A launch of the kernel's file, where all have blocks that are known, and none has this one; else null.
const LaunchFacts *launchedOtherwise(const KernelFacts &Facts, BlockShape Block);
/// Why it is not the block of a kernel that does not ask how large its block is, and so has that in its text, in
/// numbers; nothing if it may be.
std::string contradicted(const std::string &Name, const KernelFacts &Facts, BlockShape Block);

/// Plans, emits and verifies the result's kernels, as the request says, or as configured.
llvm::Error fuseKernels(const Toolchain &Tools, const FuseRequest &Request, FuseResult &Result,
                        const FusionConfig *Given = nullptr);

/// Kernels that ask for their block's size are another launch with another one than in their file. What works on
/// elements or rows does the same there.
void sayOtherBlocks(const FuseResult &Result, llvm::function_ref<void(const std::string &)> Say);

llvm::json::Value toJSON(const SourcePlace &Where);
/// What vertical fusion reads: label and text of each row; none for a template without arguments.
std::vector<std::pair<std::string, std::string>> accessRows(const LoadedKernel &Kernel);
llvm::json::Object accessJson(const LoadedKernel &Kernel);

} // namespace cufuse
