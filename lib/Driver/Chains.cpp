#include "cufuse/Driver/Chains.h"

#include "Parts.h"

#include "cufuse/Facts/FindKernel.h"

#include <clang/AST/DeclTemplate.h>
#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVectorExtras.h>

namespace cufuse {

namespace {

struct Neighbours {
  std::vector<std::string> Kernels; ///< As for `cufuse fuse`.
  LaunchLinks Links;
};

/// By which `cufuse fuse` finds it: with its parameters where another kernel has the name, too.
std::string nameOf(const LoadedKernel &Kernel, llvm::ArrayRef<LoadedKernel> All) {
  auto Text = [](const LoadedKernel &Of) -> const clang::Decl * {
    if (const clang::FunctionTemplateDecl *Template = Of.Parsed.Kernel->getPrimaryTemplate())
      return Template->getCanonicalDecl();
    return Of.Parsed.Kernel->getCanonicalDecl();
  };
  const bool Tells = llvm::none_of(All, [&](const LoadedKernel &Other) {
    return Other.Spec.name() == Kernel.Spec.name() && Text(Other) != Text(Kernel);
  });
  return Kernel.Spec.File + ":" + (Tells ? Kernel.Spec.Kernel : signatureOf(*Kernel.Parsed.Kernel));
}

/// Has it an argument that only its file can name?
bool isNameless(const std::string &Kernel) {
  return Kernel.find("(lambda") != std::string::npos || Kernel.find("(unnamed") != std::string::npos;
}

std::vector<Neighbours> neighboursOf(llvm::ArrayRef<LoadedKernel> Kernels) {
  std::vector<Neighbours> Result;
  if (Kernels.empty() || !Kernels.front().Parsed.Unit)
    return Result;
  auto Find = [&](const clang::FunctionDecl *Callee) {
    return llvm::find_if(Kernels, [&](const LoadedKernel &Kernel) {
      return Kernel.Parsed.Kernel->getCanonicalDecl() == Callee->getCanonicalDecl();
    });
  };
  auto FindAll = [&](llvm::ArrayRef<const clang::FunctionDecl *> Callees) {
    std::vector<LoadedKernel> All;
    for (const clang::FunctionDecl *Callee : Callees)
      if (const LoadedKernel *Found = Find(Callee); Found != Kernels.end())
        All.push_back(*Found);
    return launchedKernels(All);
  };
  for (LaunchChain &Chain : launchChains(*Kernels.front().Parsed.Unit, FindAll)) {
    Neighbours Each{{}, std::move(Chain.Links)};
    for (const clang::FunctionDecl *Kernel : Chain.Kernels)
      Each.Kernels.push_back(nameOf(*Find(Kernel), Kernels));
    if (llvm::none_of(Result, [&](const Neighbours &Known) { return Known.Kernels == Each.Kernels; }))
      Result.push_back(std::move(Each));
  }
  return Result;
}

std::string quoted(const std::string &Word) {
  if (Word.find_first_of(" <>&()*'\"$;|\\#~{}[]?!`") == std::string::npos)
    return Word;
  std::string Text = "'";
  for (const char C : Word)
    Text += C == '\'' ? "'\\''" : std::string(1, C);
  return Text + "'";
}

} // namespace

std::string describeChains(llvm::ArrayRef<LoadedKernel> Kernels, llvm::ArrayRef<std::string> Flags) {
  std::string Text;
  for (const Neighbours &Each : neighboursOf(Kernels)) {
    const LaunchLinks &Of = Each.Links;
    const bool Nameless = llvm::any_of(Each.Kernels, isNameless);
    const bool HaveGrids = Of.ShareMemory && !Of.HaveOneGrid && !Of.EndsInOneBlock && !Of.BeginsInOneBlock;
    Text += fmt::format("{}: {}\n",
                        listed(llvm::map_to_vector(Of.Places, [](const SourcePlace &Place) { return Place.str(); })),
                        Nameless         ? "one is for a type that has no name outside of its file"
                        : !Of.AreKnown   ? "it is not seen whether they share memory"
                        : HaveGrids      ? "one after the other, with grids that are not seen to be one"
                        : Of.ShareMemory ? "one after the other"
                                         : "side by side, if their memory is distinct");
    if (Nameless || !Of.AreKnown)
      continue;
    Text += Of.ShareMemory ? "  cufuse fuse --vertical" : "  cufuse fuse";
    for (const std::string &Kernel : Each.Kernels)
      Text += " " + quoted(Kernel);
    if (HaveGrids)
      Text += " --cooperative";
    Text += " -o fused.cu";
    for (size_t I = 0; I < Flags.size(); ++I)
      Text += (I == 0 ? " -- " : " ") + quoted(Flags[I]);
    Text += '\n';
  }
  return Text.empty() ? "no two launches follow each other in a function of this file\n" : Text;
}

std::string describeChainsAsJson(llvm::ArrayRef<LoadedKernel> Kernels) {
  llvm::json::Array All;
  for (const Neighbours &Each : neighboursOf(Kernels))
    if (Each.Kernels.size() == 2)
      All.push_back(
          llvm::json::Object{{"kernels", Each.Kernels},
                             {"places", llvm::json::Array{Each.Links.Places[0].str(), Each.Links.Places[1].str()}},
                             {"links", Each.Links.Links},
                             {"dependent", Each.Links.areDependent()}});
  return fmt::format("{}\n", llvm::formatv("{0:2}", llvm::json::Value(std::move(All))).str());
}

} // namespace cufuse
