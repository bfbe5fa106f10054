#include "cufuse/Driver/Chains.h"

#include "LinkAsLaunched.h"

#include "cufuse/Support/Names.h"

#include <clang/AST/Decl.h>
#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/JSON.h>

namespace cufuse {

namespace {

struct Neighbours {
  std::vector<std::string> Kernels; ///< As for `cufuse fuse`.
  std::vector<SourcePlace> Places;
  std::vector<std::string> Links;
  bool IsDependent = false; ///< The second takes what the first stores, or stores what it takes.
};

std::vector<Neighbours> neighboursOf(llvm::ArrayRef<LoadedKernel> Kernels) {
  std::vector<Neighbours> Result;
  if (Kernels.empty() || !Kernels.front().Parsed.Unit)
    return Result;
  const ParsedUnit &Unit = *Kernels.front().Parsed.Unit;
  auto Find = [&](const clang::FunctionDecl *Callee) {
    return llvm::find_if(Kernels, [&](const LoadedKernel &Kernel) {
      return Kernel.Parsed.Kernel->getCanonicalDecl() == Callee->getCanonicalDecl();
    });
  };
  for (const LaunchChain &Chain : launchChains(Unit))
    for (size_t I = 1; I < Chain.Kernels.size(); ++I) {
      const LoadedKernel *First = Find(Chain.Kernels[I - 1]), *Second = Find(Chain.Kernels[I]);
      if (First == Kernels.end() || Second == Kernels.end())
        continue;
      const std::vector<LaunchedKernel> Both = launchedKernels({*First, *Second});
      Neighbours Each{{First->Spec.File + ":" + First->Spec.Kernel, Second->Spec.File + ":" + Second->Spec.Kernel},
                      {Chain.Places[I - 1], Chain.Places[I]}};
      if (const auto Found = linksOfLaunches(Unit, Both); Found && !Found->Between)
        for (const std::string &Link : Found->Links) {
          const auto [From, To] = llvm::StringRef(Link).split('=');
          Each.Links.push_back(Link);
          Each.IsDependent |= Both[0].Stores.count(From.rsplit('.').second.str()) > 0 ||
                              Both[1].Stores.count(To.rsplit('.').second.str()) > 0;
        }
      if (llvm::none_of(Result, [&](const Neighbours &Known) { return Known.Kernels == Each.Kernels; }))
        Result.push_back(std::move(Each));
    }
  return Result;
}

std::string quoted(const std::string &Word) {
  return Word.find_first_of(" <>&()*'\"$;|") == std::string::npos ? Word : "'" + Word + "'";
}

} // namespace

std::string describeChains(llvm::ArrayRef<LoadedKernel> Kernels, llvm::ArrayRef<std::string> Flags) {
  std::string Text;
  for (const Neighbours &Each : neighboursOf(Kernels)) {
    Text += fmt::format("{} and {}: {}\n  cufuse fuse{}", Each.Places[0].str(), Each.Places[1].str(),
                        Each.IsDependent ? "one after the other" : "side by side, if their memory is distinct",
                        Each.IsDependent ? " --vertical" : "");
    for (const std::string &Kernel : Each.Kernels)
      Text += " " + quoted(Kernel);
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
    All.push_back(llvm::json::Object{{"kernels", Each.Kernels},
                                     {"places", llvm::json::Array{Each.Places[0].str(), Each.Places[1].str()}},
                                     {"links", Each.Links},
                                     {"dependent", Each.IsDependent}});
  return fmt::format("{}\n", llvm::formatv("{0:2}", llvm::json::Value(std::move(All))).str());
}

} // namespace cufuse
