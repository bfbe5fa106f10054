// The fused file and its header, as text. No Clang: a further configuration of the same kernels costs microseconds.
#pragma once

#include "cufuse/Frontend/ParsedKernel.h"
#include "cufuse/Kernel/KernelText.h"
#include "cufuse/Plan/FusionPlan.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/Support/Error.h>

#include <cstdint>
#include <string>
#include <vector>

namespace cufuse {

/// A kernel as one of those to be fused. The same kernel may be several constituents.
struct Constituent {
  std::string Name; ///< Of its namespace: the kernel's, numbered where several have the same.
  const KernelFacts *Facts;
  const KernelText *Text;
  /// As its file was parsed, for the comparison with the output; null where it is made of several, the `Parts`.
  const ParsedKernel *Parsed = nullptr;
  const std::vector<ComposedPart> *Parts = nullptr;
  bool IsAlone = false; ///< Nothing else is in the output.
  /// Names of its text that are macros of other constituents' headers only.
  std::set<std::string> Foreign = {};
};

/// Sets these names, once all constituents are known: they are the same in every configuration.
void findForeignMacros(std::vector<Constituent> &Constituents);

struct EmitOptions {
  std::string Name;       ///< Namespace of everything emitted.
  std::string SourceFile; ///< File name of the output, for #line.
  std::string HeaderFile; ///< File name of the header, as the output includes it.
  std::string Command;    ///< What made it, for the comment at the top.
  bool LineDirectives = true;
  std::string Prelude = {}; ///< File name of what outputs share, beside this one; empty: each has its own.
  /// The caller may hand over what launches the kernels themselves: for less elements than so many, that is done.
  bool Apart = false;
  std::uint64_t ApartBelow = 0;
  /// For a measurement, which compiles faster: no launcher, and where arguments are bound, no general kernel.
  bool KernelOnly = false;
  bool AllIncludes = false; ///< Of the kernels' files, also those that are not seen to be needed.
};

struct FusedSource {
  std::string Source;
  std::string Header;
  /// The source with its constants taken out: configurations with the same structure differ in numbers only, which the
  /// plan's arithmetic and the static assertions in the text check. One parse verifies all of them.
  std::string Structure;
};

/// Names for the constituents' namespaces, by position.
std::vector<std::string> constituentNames(llvm::ArrayRef<const KernelFacts *> Facts);

/// A parameter of the fused kernel: as the kernel's own where that is alone.
std::string parameterName(llvm::ArrayRef<Constituent> Constituents, const Constituent &C, const std::string &Name);

/// The namespace beside `Name`, that of the output, in which the copied text stands. No output's `Name` ends like it:
/// so outputs of one program share no namespace, whatever they are called.
std::string textsNamespace(const std::string &Name);

/// That of a constituent's copied text: `name_text::cufuse_kernel`, or `name_text` of a composed one.
std::string textNamespace(const std::string &Name, const Constituent &C);

/// That of the text in which a partition finds its kernel: its constituent's, or of the copy of it.
std::string partitionNamespace(const std::string &Name, llvm::ArrayRef<Constituent> Constituents,
                               const FusionPlan &Plan, const PartitionPlan &P);

/// Is what calls the kernels of a composition all that the fused kernel does? Then it is no function of its own.
bool isMainAlone(llvm::ArrayRef<Constituent> Constituents, const FusionPlan &Plan);

/// Do headers of libraries have to be included with the built-ins rebound?
bool rebindsLibraries(llvm::ArrayRef<Constituent> Constituents, const FusionPlan &Plan);

/// The same text must not name different files, nor the same header be read in different states.
llvm::Error checkIncludes(llvm::ArrayRef<Constituent> Constituents, const EmitOptions &Options);

/// Whether an output, or its header, still has the text that it says it had; also where it does not say.
bool isAsWritten(llvm::StringRef Text);

/// What outputs share, as a header.
std::string preludeText();
bool isPrelude(llvm::StringRef Text);

/// Whether the text begins as a header that goes with an output.
bool isLaunchersHeader(llvm::StringRef Text);

/// Refuses kernels whose files need the same header in different states, or different headers under the same name.
llvm::Expected<FusedSource> emitFused(llvm::ArrayRef<Constituent> Constituents, const FusionPlan &Plan,
                                      const EmitOptions &Options);

} // namespace cufuse
