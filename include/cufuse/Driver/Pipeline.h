// The spine: from kernels in files to a fused source, step by step.
#pragma once

#include "cufuse/Frontend/Flags.h"
#include "cufuse/Frontend/KernelSpec.h"
#include "cufuse/Frontend/Toolchain.h"
#include "cufuse/Fusion/Emit.h"
#include "cufuse/Fusion/FusionConfig.h"
#include "cufuse/Verify/CompareWithInput.h"
#include "cufuse/Vertical/Links.h"

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/Support/Error.h>

#include <functional>
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

/// A kernel, read and understood.
struct LoadedKernel {
  KernelSpec Spec;
  KernelFacts Facts; ///< All blockers of the kernel and its text among them.
  Closure Text;
  CompileFlags Flags;
  std::string Arch;
  KernelAccesses Accesses; ///< Of kernels that are linked or inspected, as is `Shape`.
  ShapeFacts Shape;
  std::set<std::string> Errors; ///< Of the parse, by key: outside what the kernel needs, unless they block it.
  std::vector<std::string> OtherFolders = {}; ///< Of a composed kernel: where the files of the others lie.
  ParsedKernel Parsed = {};                   ///< Of a composed kernel: nothing, but its parts.
  std::vector<ComposedPart> Parts = {};
  LinkedText Linked = {}; ///< What was changed in its text for other kernels.
  /// What nvcc predefines for its file; null where nvcc was not asked.
  std::shared_ptr<const std::vector<std::string>> Predefined = nullptr;
};

/// What `takeClosure` is to replace, for each kernel, once the facts of all are known.
using Linker = llvm::function_ref<llvm::Expected<std::vector<LinkedText>>(llvm::ArrayRef<LoadedKernel>)>;

/// Parses each distinct file once (or for each set of flags), in parallel, and collects what is known of each kernel.
/// Blockers do not fail it.
llvm::Expected<std::vector<LoadedKernel>> loadKernels(const Toolchain &Tools, llvm::ArrayRef<KernelSpec> Kernels,
                                                      const InputFlags &Flags);

/// The same, where each kernel has flags of its own.
llvm::Expected<std::vector<LoadedKernel>> loadKernels(const Toolchain &Tools, llvm::ArrayRef<KernelSpec> Kernels,
                                                      llvm::ArrayRef<InputFlags> Flags, Linker Link = nullptr);

/// Every kernel of a file, templates by their instantiations (or as they stand, where the file has none).
llvm::Expected<std::vector<LoadedKernel>> loadAllKernels(const Toolchain &Tools, const std::string &File,
                                                         const InputFlags &Flags);

/// Fails with all blockers of all kernels.
llvm::Error checkAll(llvm::ArrayRef<LoadedKernel> Kernels);

/// One set of kernels, any number of configurations.
class Fuser {
public:
  /// `Kernels` and `Tools` must outlive it.
  Fuser(const Toolchain &Tools, llvm::ArrayRef<LoadedKernel> Kernels, EmitOptions Options);

  llvm::Expected<FusionPlan> plan(const FusionConfig &Config) const;
  llvm::Expected<FusedSource> emit(const FusionPlan &Plan) const;
  /// Parses the text again only if no text of the same structure was verified before.
  llvm::Error verify(const FusedSource &Fused, const FusionPlan &Plan);
  /// Planned, emitted and verified.
  llvm::Expected<FusedSource> source(const FusionConfig &Config);
  /// HFUSE's bound for the plan: compiles each kernel alone to learn its registers.
  llvm::Expected<RegisterLimit> registerBound(const FusionConfig &Config, std::vector<std::string> *Explanation);

  llvm::ArrayRef<Constituent> constituents() const { return Constituents; }
  const EmitOptions &options() const { return Options; }
  /// Flags of all inputs and the folders they lie in: what the output is compiled with.
  const CompileFlags &flags() const { return Flags; }
  const std::vector<std::string> &includeFolders() const { return Folders; }

private:
  const Toolchain &Tools;
  llvm::ArrayRef<LoadedKernel> Kernels;
  EmitOptions Options;
  std::vector<Constituent> Constituents;
  CompileFlags Flags;
  std::vector<std::string> Folders;
  std::set<std::string> Verified;
};

/// A choice for one constituent: by its name (or its kernel's), or by position where the name is empty.
template <typename Value> struct Choice {
  std::string Name;
  Value Chosen;
};

enum class Step { Parse, Collect, Check, Plan, Emit, Verify, Write };

/// How dependent kernels become one.
struct VerticalOptions {
  unsigned Vectorize = 1; ///< Elements per thread at least, where all kernels are pointwise; a power of two.
  /// How often an element of an intermediate may be computed at a consumer's loads; nothing: any number of times.
  std::optional<unsigned> Recompute = 1;
  bool EvictLast = false;   ///< Rows that stay in registers are loaded with that priority in L2.
  bool Cooperative = false; ///< One after the other, the whole grid, with a barrier between; all stays in memory.
};

struct FuseRequest {
  std::vector<KernelSpec> Kernels;
  /// Vertically: consumers where their producers store, as these links say.
  bool Vertical = false;
  std::vector<LinkText> Links;
  std::vector<std::string> Dead;
  bool Distinct = false; ///< Pointers are taken for `__restrict__`; the launcher compares them.
  VerticalOptions Composition;
  InputFlags Flags;
  std::vector<Choice<BlockShape>> Blocks;
  std::vector<Choice<unsigned>> Copies;
  std::vector<Choice<unsigned>> Turns;
  std::vector<Choice<unsigned>> Resident; ///< Of each role, for `Blocks`; else one, of fused blocks.
  std::vector<Choice<unsigned>> Unroll;
  std::vector<Choice<std::pair<std::string, std::string>>> Bound; ///< Parameter and value of a named constituent.
  std::vector<unsigned> RegisterBudgets;                          ///< By constituent, for `Split`.
  Geometry Shape = Geometry::Warps;
  ThreadOrder Order = ThreadOrder::Sequence;
  GridPolicy Grid = GridPolicy::Match;
  RegisterLimit Registers;
  std::string Name;                     ///< Empty: the kernels' names, joined.
  std::string Output;                   ///< `OUT.cu`; the header is `OUT.h` beside it.
  std::string Depfile;                  ///< Written, too, where it is not empty.
  std::vector<std::string> OtherInputs; ///< Files besides the kernels' that no output may replace.
  std::string Command;
  bool LineDirectives = true;
  Step StopAfter = Step::Write;
  /// Says the configuration instead of the choices above.
  std::function<llvm::Expected<FusionConfig>(llvm::ArrayRef<LoadedKernel>)> Configure;
};

struct FuseResult {
  std::vector<LoadedKernel> Kernels;
  FusionPlan Plan;
  FusedSource Fused;
  std::string HeaderPath;
  std::vector<std::string> Explanation; ///< Every decision with its fact.
};

/// What the sources of both are compiled with together: the macros of both, the later standard. The files that -include
/// names are the same for all kernels that are fused, and stand in `Into` already.
void mergeSettings(CompileFlags &Into, const CompileFlags &Other);

/// What nvcc predefines where it compiles all of them as one: what it predefines with the latest standard, and what
/// other flags add. Null where one is.
std::shared_ptr<const std::vector<std::string>> mergePredefined(llvm::ArrayRef<LoadedKernel> Kernels);

/// The kernels of a graph as one, to be fused like any other; `Block` is the root's. Refuses what is not proved legal.
llvm::Expected<LoadedKernel> composeKernels(const VerticalGraph &Graph, llvm::ArrayRef<LoadedKernel> Kernels,
                                            BlockShape Block, const VerticalOptions &Options);
/// For `ThreadOrder::Dependent`: linked parameters are those that they are linked to.
llvm::Error linkInMemory(llvm::MutableArrayRef<LoadedKernel> Kernels, const FuseRequest &Request);
/// What the graph's form changes in the kernels' texts; `Block` is the root's.
std::vector<LinkedText> linkedTexts(const VerticalGraph &Graph, BlockShape Block, const VerticalOptions &Options);
/// The graph of the kernels by the request's links.
llvm::Expected<VerticalGraph> graphOf(llvm::ArrayRef<LoadedKernel> Kernels, const FuseRequest &Request);

/// Everything up to the step asked for, writing excluded.
llvm::Expected<FuseResult> fuse(const Toolchain &Tools, const FuseRequest &Request);

} // namespace cufuse
