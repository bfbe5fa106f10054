#include "cufuse/Driver/Fuser.h"

#include "Parts.h"

#include "cufuse/Frontend/UsersText.h"
#include "cufuse/Support/Error.h"
#include "cufuse/Verify/VerifyFused.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVectorExtras.h>
#include <llvm/ADT/StringSet.h>

#include <utility>

namespace cufuse {

std::vector<OutputFile> filesOf(const EmitOptions &Emit, FusedSource Fused) {
  std::vector<OutputFile> Files = {{Emit.SourceFile, std::move(Fused.Source)},
                                   {Emit.HeaderFile, std::move(Fused.Header)}};
  if (!Emit.Prelude.empty())
    Files.push_back({Emit.Prelude, preludeText()});
  return Files;
}

void mergeSettings(CompileFlags &Into, const CompileFlags &Other) {
  Into.Relocatable |= Other.Relocatable;
  Into.Standard = laterStandard(Into.Standard, Other.Standard);
  for (const std::string &Macro : Other.Macros)
    if (!llvm::is_contained(Into.Macros, Macro))
      Into.Macros.push_back(Macro);
}

std::shared_ptr<const Predefined> mergePredefined(llvm::ArrayRef<LoadedKernel> Kernels) {
  const LoadedKernel *First = &Kernels.front();
  for (const LoadedKernel &Kernel : Kernels) {
    if (!Kernel.Predefined)
      return nullptr;
    if (laterStandard(First->Flags.Standard, Kernel.Flags.Standard) != First->Flags.Standard)
      First = &Kernel;
  }
  Predefined Result{{}, First->Predefined->Folders};
  llvm::StringSet<> Known;
  auto Add = [&](const LoadedKernel &Kernel) {
    for (const std::string &Text : Kernel.Predefined->Macros) {
      std::string Name;
      if (readDefinition(Text, Name) && Known.insert(Name).second)
        Result.Macros.push_back(Text);
    }
  };
  Add(*First);
  llvm::for_each(Kernels, Add);
  return std::make_shared<Predefined>(std::move(Result));
}

Fuser::Fuser(const Toolchain &Tools, llvm::ArrayRef<LoadedKernel> Kernels, EmitOptions Emit)
    : Tools(Tools), Kernels(Kernels), Options(std::move(Emit)) {
  const auto Facts = llvm::map_to_vector(Kernels, [](const LoadedKernel &Kernel) { return &Kernel.Facts; });
  const std::vector<std::string> Names = constituentNames(Facts);
  if (Options.Name.empty()) {
    for (const KernelFacts *F : Facts)
      Options.Name += (Options.Name.empty() ? Facts.size() == 1 ? "fused_" : "" : "_") + F->Name;
    if (llvm::StringRef(Options.Name).ends_with(textsNamespace("")))
      Options.Name += '_';
  }
  std::set<std::vector<std::string>> Seen;
  std::set<std::string> InText; // macros, each kernel with its own
  for (const LoadedKernel &Kernel : Kernels)
    InText.insert(Kernel.OwnMacros.begin(), Kernel.OwnMacros.end());
  Flags.Macros = Kernels.front().Flags.Macros;
  Flags.Standard = Kernels.front().Flags.Standard;
  for (size_t I = 0; I < Kernels.size(); ++I) {
    const bool IsComposed = !Kernels[I].Parsed.Unit;
    Constituents.push_back({Names[I], &Kernels[I].Facts, &Kernels[I].Text, IsComposed ? nullptr : &Kernels[I].Parsed,
                            IsComposed ? &Kernels[I].Parts : nullptr, Kernels.size() == 1});
    const CompileFlags &Each = Kernels[I].Flags;
    mergeSettings(Flags, Each);
    if (Seen.insert(Each.Nvcc).second) {
      Flags.Clang.insert(Flags.Clang.end(), Each.Clang.begin(), Each.Clang.end());
      Flags.Nvcc.insert(Flags.Nvcc.end(), Each.Nvcc.begin(), Each.Nvcc.end());
    }
    std::vector<std::string> Own = Kernels[I].OtherFolders;
    Own.insert(Own.begin(), folderOf(Kernels[I].Spec.File));
    for (const std::string &Folder : Own)
      if (!llvm::is_contained(Folders, Folder))
        Folders.push_back(Folder);
  }
  for (std::vector<std::string> *Each : {&Flags.Macros, &Flags.Nvcc})
    std::erase_if(*Each, [&](const std::string &Flag) { return InText.count(macroOfFlag(Flag)) > 0; });
  findForeignMacros(Constituents);
}

void Fuser::isCompiledWith(const CompileFlags &OfOutput) {
  Flags.Clang = OfOutput.Clang;
  Flags.Standard = OfOutput.Standard;
}

std::vector<std::string> Fuser::nvccFlags() const {
  std::vector<std::string> All = Flags.Nvcc;
  if (!Flags.Standard.empty())
    All.push_back("-std=" + Flags.Standard);
  for (const std::string &Folder : Folders)
    llvm::append_range(All, besideInput(Folder));
  return All;
}

llvm::Expected<FusionPlan> Fuser::plan(const FusionConfig &Config) const {
  auto Plan = planFusion(llvm::map_to_vector(Constituents, [](const Constituent &C) { return C.Facts; }), Config,
                         Kernels.front().Arch);
  if (Plan)
    for (const PartitionPlan &P : Plan->Partitions)
      if (const Constituent &C = Constituents[P.Constituent];
          C.Text->IsComposed && Plan->Roles[P.Constituent].Copies > P.Beside && !C.Facts->DynamicShared.empty())
        return badInput(C.Facts->QualifiedName +
                            " has dynamic shared memory, and its blocks are not played side by side",
                        "leave out --copies", C.Facts->Where);
  return Plan;
}

llvm::Expected<FusionPlan> Fuser::planWithBound(const FusionConfig &Config,
                                                std::vector<std::string> *Explanation) const {
  auto Plan = plan(Config);
  if (!Plan || Config.Registers.Policy != RegisterPolicy::Bound || Config.Registers.MinBlocks != 0)
    return Plan;
  Plan->Registers = TRY(registerBound(Config, Explanation));
  return Plan;
}

llvm::Error Fuser::chooseIncludes(const FusionPlan &Plan) {
  const bool LeavesOut = llvm::any_of(Constituents, [](const Constituent &C) {
    return llvm::any_of(C.Text->Includes, [](const IncludeLine &Line) { return Line.IsUnneeded; });
  });
  if (std::exchange(KnowsIncludes, true) || Options.AllIncludes || !LeavesOut)
    return llvm::Error::success();
  auto Fused = TRY(emitFused(Constituents, Plan, Options));
  llvm::Error Error = verify(Fused, Plan);
  if (!Error)
    return Error;
  Options.AllIncludes = true;
  auto Whole = emitFused(Constituents, Plan, Options);
  if (!Whole) { // for an include that nothing is seen to need
    llvm::consumeError(Whole.takeError());
    return Error;
  }
  llvm::consumeError(std::move(Error));
  return llvm::Error::success();
}

llvm::Expected<FusedSource> Fuser::emit(const FusionPlan &Plan) {
  TRY(chooseIncludes(Plan));
  return emitFused(Constituents, Plan, Options);
}

llvm::Error Fuser::verify(const FusedSource &Fused, const FusionPlan &Plan) {
  if (Verified.count(Fused.Structure))
    return verifyPlan(Plan);
  ParseRequest Request;
  Request.Flags = Flags;
  Request.Arch = Kernels.front().Arch;
  Request.Predefined = mergePredefined(Kernels);
  Request.ExtraIncludeFolders = Folders;
  std::set<std::string> KnownErrors;
  for (const LoadedKernel &Kernel : Kernels)
    KnownErrors.insert(Kernel.Errors.begin(), Kernel.Errors.end());
  TRY(verifyFused(Tools, Fused, Constituents, Plan, Options, std::move(Request), KnownErrors));
  Verified.insert(Fused.Structure);
  return llvm::Error::success();
}

llvm::Expected<FusedSource> Fuser::source(const FusionConfig &Config) {
  auto Plan = TRY(plan(Config));
  auto Fused = TRY(emit(Plan));
  TRY(verify(Fused, Plan));
  return Fused;
}

} // namespace cufuse
