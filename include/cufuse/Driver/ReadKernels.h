// Kernels in files, read and understood: facts, accesses and text.
#pragma once

#include "cufuse/Dependence/Pointwise.h"
#include "cufuse/Frontend/Flags.h"
#include "cufuse/Frontend/ParsedKernel.h"
#include "cufuse/Frontend/Toolchain.h"
#include "cufuse/Kernel/KernelSpec.h"
#include "cufuse/Kernel/KernelText.h"
#include "cufuse/Kernel/Product.h"

#include <llvm/Support/Error.h>

#include <set>
#include <string>
#include <vector>

namespace cufuse {

/// How the inputs are compiled: nvcc's flags as written after `--`, or a folder with a compile_commands.json.
struct InputFlags {
  std::vector<std::string> Written;
  std::string BuildDirectory;
  std::string Arch; ///< From --arch; empty: from the flags, else sm_90a.
  /// Relative folders in `Written` count from here; empty: from the current folder.
  std::string Folder = {};
  friend auto operator<=>(const InputFlags &, const InputFlags &) = default;
};

/// For what is compiled where neither the flags nor --arch say so.
constexpr const char *DefaultArch = "sm_90a";

llvm::Expected<CompileFlags> compileFlags(const std::string &File, const InputFlags &Input);

/// A kernel, read and understood.
struct LoadedKernel {
  KernelSpec Spec;
  KernelFacts Facts; ///< All blockers of the kernel and its text among them.
  KernelText Text;
  CompileFlags Flags;
  std::string Arch;
  /// What vertical fusion wants to know, where the kernel could be read; of a composed kernel, nothing.
  KernelAccesses Accesses = {};
  ShapeFacts Shape = {};
  std::optional<ShapeFacts> Map = {}; ///< What it is instead, if nothing else is known to do.
  std::set<std::string> Errors = {};  ///< Of the parse, by key: outside what the kernel needs, unless they block it.
  std::vector<std::string> OtherFolders = {}; ///< Of a composed kernel: where the files of the others lie.
  ParsedKernel Parsed = {};                   ///< Of a composed kernel: nothing, but its parts.
  std::vector<ComposedPart> Parts = {};
  std::set<std::string> OwnMacros = {};     ///< What its command line says of them is in its text.
  LinkedText Linked = {};                   ///< What was changed in its text for other kernels.
  size_t OtherInstances = 0;                ///< Of its template, of which only this one was read.
  std::optional<ProductFacts> Product = {}; ///< It is no kernel: see `VerticalNode`.
  /// Parameters of it to which the launch hands one array, which it stores to by one of them.
  std::vector<std::pair<std::string, std::string>> OneArray = {};
  /// What nvcc predefines for its file; null where nvcc was not asked.
  std::shared_ptr<const cufuse::Predefined> Predefined = nullptr;
};

/// Parses each distinct file once (or for each set of flags), in parallel, and collects what is known of each kernel.
/// Blockers do not fail it. `Flags`: of each kernel. Without `Accesses`, it is not read which elements they access:
/// kernels side by side need not know.
llvm::Expected<std::vector<LoadedKernel>> readKernels(const Toolchain &Tools, llvm::ArrayRef<KernelSpec> Kernels,
                                                      llvm::ArrayRef<InputFlags> Flags, bool Accesses = true);
llvm::Expected<std::vector<LoadedKernel>> readKernels(const Toolchain &Tools, llvm::ArrayRef<KernelSpec> Kernels,
                                                      const InputFlags &Flags, bool Accesses = true);

enum class Instances { First, All };

/// Every kernel of a file, templates by their instantiations (or as they stand, where the file has none).
llvm::Expected<std::vector<LoadedKernel>> readAllKernels(const Toolchain &Tools, const std::string &File,
                                                         const InputFlags &Flags, Instances Which);

/// Changes the kernel's text for others. What cannot be changed is a blocker of it.
void link(LoadedKernel &Kernel, LinkedText Linked);

bool hasWord(llvm::StringRef Text, llvm::StringRef Word);

/// Fails with all blockers of all kernels.
llvm::Error checkAll(llvm::ArrayRef<LoadedKernel> Kernels);

} // namespace cufuse
