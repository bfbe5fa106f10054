// From kernels and a configuration to a fused source.
#pragma once

#include "cufuse/Driver/ReadKernels.h"
#include "cufuse/Emit/Emit.h"
#include "cufuse/Plan/FusionConfig.h"
#include "cufuse/Support/FileStore.h"

namespace cufuse {

/// One set of kernels, any number of configurations.
class Fuser {
public:
  /// `Kernels` and `Tools` must outlive it.
  Fuser(const Toolchain &Tools, llvm::ArrayRef<LoadedKernel> Kernels, EmitOptions Options);

  llvm::Expected<FusionPlan> plan(const FusionConfig &Config) const;
  /// The same, with HFUSE's bound of registers where the configuration asks for that.
  llvm::Expected<FusionPlan> planWithBound(const FusionConfig &Config, std::vector<std::string> *Explanation) const;
  /// Whether includes that are not seen to be needed are left out of what is emitted: if what is left is verified.
  llvm::Error chooseIncludes(const FusionPlan &Plan);
  llvm::Expected<FusedSource> emit(const FusionPlan &Plan);
  /// Parses the text again only if no text of the same structure was verified before.
  llvm::Error verify(const FusedSource &Fused, const FusionPlan &Plan);
  /// Planned, emitted and verified.
  llvm::Expected<FusedSource> source(const FusionConfig &Config);
  /// HFUSE's bound for the plan: compiles each kernel alone to learn its registers.
  llvm::Expected<RegisterLimit> registerBound(const FusionConfig &Config, std::vector<std::string> *Explanation) const;

  /// Not as all inputs together: the folders of headers, and all else but macros, are those of the output's own
  /// command.
  void isCompiledWith(const CompileFlags &OfOutput);

  llvm::ArrayRef<Constituent> constituents() const { return Constituents; }
  const EmitOptions &options() const { return Options; }
  /// Flags of all inputs and the folders they lie in: what the output is compiled with.
  const CompileFlags &flags() const { return Flags; }
  const std::vector<std::string> &includeFolders() const { return Folders; }
  /// The same as nvcc takes it.
  std::vector<std::string> nvccFlags() const;

private:
  const Toolchain &Tools;
  llvm::ArrayRef<LoadedKernel> Kernels;
  EmitOptions Options;
  std::vector<Constituent> Constituents;
  CompileFlags Flags;
  std::vector<std::string> Folders;
  std::set<std::string> Verified;
  bool KnowsIncludes = false; ///< Which are needed.
};

/// A fused source and its header, by the names that the options give them.
std::vector<OutputFile> filesOf(const EmitOptions &Emit, FusedSource Fused);

/// What the sources of both are compiled with together: the macros of both, the later standard. The files that -include
/// names are the same for all kernels that are fused, and stand in `Into` already.
void mergeSettings(CompileFlags &Into, const CompileFlags &Other);

/// What nvcc predefines where it compiles all of them as one: what it predefines with the latest standard, and what
/// other flags add; the folders of that one. Null where one is.
std::shared_ptr<const Predefined> mergePredefined(llvm::ArrayRef<LoadedKernel> Kernels);

} // namespace cufuse
