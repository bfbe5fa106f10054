#include "cufuse/Driver/Chains.h"

#include "Parts.h"

#include "cufuse/Facts/FindKernel.h"
#include "cufuse/Support/Error.h"

#include <clang/AST/DeclTemplate.h>
#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/Sequence.h>
#include <llvm/ADT/SmallVectorExtras.h>

namespace cufuse {

namespace {

struct Neighbours {
  std::vector<std::string> Names; ///< As for `cufuse fuse`.
  std::vector<LoadedKernel> Kernels;
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
    Neighbours Each{{}, {}, std::move(Chain.Links)};
    for (const clang::FunctionDecl *Kernel : Chain.Kernels) {
      Each.Kernels.push_back(*Find(Kernel));
      Each.Names.push_back(nameOf(Each.Kernels.back(), Kernels));
    }
    auto IsSame = [&](const Neighbours &Known) {
      return Known.Names == Each.Names && !Known.Links.Between == !Each.Links.Between &&
             (Each.Links.Between || Known.Links.Arrays == Each.Links.Arrays);
    };
    if (llvm::none_of(Result, IsSame))
      Result.push_back(std::move(Each));
  }
  // Kernels that are launched with several arrays are named by their launches.
  const std::vector<Neighbours> All = Result;
  for (auto [I, Each] : llvm::enumerate(Result))
    if (llvm::any_of(llvm::enumerate(All), [&, I = I](const auto &Other) {
          return Other.index() != I && !Other.value().Links.Between && Other.value().Names == All[I].Names;
        }))
      for (auto [Kernel, Name, Place] : llvm::zip(Each.Kernels, Each.Names, Each.Links.Places)) {
        KernelSpec ByLaunch{Kernel.Spec.File, Kernel.Spec.Kernel, Place.Line, Place.Column};
        if (launchesAt(*Kernel.Parsed.Unit, ByLaunch).empty()) // in a header
          continue;
        Name = ByLaunch.str();
        Kernel.Spec = std::move(ByLaunch);
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

/// A block of any size, for a kernel whose launches have none that is a constant.
std::string blockFor(const KernelFacts &Facts) {
  const Dimensions &Threads = Facts.Reads[static_cast<size_t>(Builtin::ThreadIdx)];
  return fmt::format("{}={}", Facts.Name,
                     Threads[1] ? "32x8" : std::to_string(std::min(256u, Facts.MaxThreads.value_or(256))));
}

/// Does each thread store by its number in the grid, or by turns of a loop, whatever the block is?
bool isOfAnyBlock(const LoadedKernel &Kernel) {
  const LaunchedKernel Launched = launchedKernels(Kernel).front();
  if (Launched.FollowsGrid && Launched.IsByThreads) // as many as there are threads
    return false;
  const KernelAccesses &Accesses = Kernel.Accesses;
  return llvm::all_of(Accesses.Sites, [](const AccessSite &Site) {
    return (Site.What == AccessSite::Kind::Load && !Site.Compound) || !Site.Index ||
           llvm::all_of(llvm::seq(3), [&](int D) {
             const auto [PerThread, Others] = Site.Index->split(builtinAtom(Builtin::ThreadIdx, D));
             return PerThread.isZero() || Others.split(builtinAtom(Builtin::BlockIdx, D)).first ==
                                              PerThread * Polynomial::atom(builtinAtom(Builtin::BlockDim, D));
           });
  });
}

/// Why kernels cannot be one so; nothing where they can. Blocks that are to be said are added.
std::optional<Message> refused(const Toolchain &Tools, const Neighbours &Of, FuseRequest Request,
                               std::vector<std::string> &Blocks) {
  for (bool Changed = true; std::exchange(Changed, false);) {
    FuseResult Result;
    llvm::Error Error = fuse(Tools, Request, Of.Kernels, Result, [](const std::string &) {});
    if (!Error)
      return std::nullopt;
    std::vector<Message> All;
    llvm::handleAllErrors(std::move(Error), [&](const Failure &Each) { llvm::append_range(All, Each.Messages); });
    for (const LoadedKernel &Kernel : Of.Kernels)
      for (const Message &M : All)
        if (const std::string Block = blockFor(Kernel.Facts);
            M.Rule == blockerName(BlockerKind::UnknownBlock) && isOfAnyBlock(Kernel) &&
            llvm::StringRef(M.Text).starts_with(Kernel.Facts.Name + ": ") && !llvm::is_contained(Blocks, Block)) {
          Blocks.push_back(Block);
          const auto [Name, Shape] = llvm::StringRef(Block).split('=');
          Request.Blocks.push_back({Name.str(), llvm::cantFail(parseBlockShape(Shape))});
          Changed = true;
        }
    if (!Changed) {
      llvm::erase_if(All, [](const Message &M) { return M.Text.empty(); }); // which forms were tried
      return All.empty() ? Message() : All.front();
    }
  }
  return std::nullopt;
}

} // namespace

std::string describeChains(const Toolchain &Tools, llvm::ArrayRef<LoadedKernel> Kernels,
                           llvm::ArrayRef<std::string> Flags) {
  std::string Text;
  for (const Neighbours &Each : neighboursOf(Kernels)) {
    const LaunchLinks &Of = Each.Links;
    const bool Nameless = llvm::any_of(Each.Names, isNameless),
               AreKnown = Of.AreKnown && (Of.ShareMemory || !Of.HandStructures);
    const bool HaveGrids = Of.ShareMemory && !Of.HaveOneGrid && !Of.EndsInOneBlock && !Of.BeginsInOneBlock;
    Text += fmt::format("{}: {}\n",
                        listed(llvm::map_to_vector(Of.Places, [](const SourcePlace &Place) { return Place.str(); })),
                        Of.Between       ? "between them stands what may use their memory, at " + Of.Between->str()
                        : Nameless       ? "one is for a type that has no name outside of its file"
                        : !AreKnown      ? "it is not seen whether they share memory"
                        : HaveGrids      ? "one after the other, with grids that are not seen to be one"
                        : Of.ShareMemory ? "one after the other"
                                         : "side by side, if their memory is distinct");
    if (Nameless || !AreKnown || Of.Between)
      continue;
    FuseRequest Request;
    Request.StopAfter = Step::Plan;
    Request.Vertical = Request.AutoLink = Of.ShareMemory;
    Request.Composition.Cooperative = HaveGrids;
    std::vector<std::string> Blocks;
    auto Why = refused(Tools, Each, Request, Blocks);
    if (Why && !HaveGrids) { // what fits more kernels
      Request.Composition.Cooperative = Of.ShareMemory;
      Request.Shape = Of.ShareMemory ? Geometry::Warps : Geometry::Blocks;
      Blocks.clear();
      if (!refused(Tools, Each, Request, Blocks))
        Why.reset();
    }
    if (Why) {
      Text += fmt::format("  not as one: {}\n", Why->str());
      continue;
    }
    Text += Of.ShareMemory ? "  cufuse fuse --vertical" : "  cufuse fuse";
    for (const std::string &Kernel : Each.Names)
      Text += " " + quoted(Kernel);
    if (Request.Composition.Cooperative)
      Text += " --cooperative";
    if (Request.Shape == Geometry::Blocks)
      Text += " --geometry blocks";
    for (const std::string &Block : Blocks) // any: no launch has one that is a constant
      Text += " --block " + Block;
    Text += " -o fused.cu";
    for (size_t I = 0; I < Flags.size(); ++I)
      Text += (I == 0 ? " -- " : " ") + quoted(Flags[I]);
    Text += '\n';
  }
  return Text.empty() ? "no two launches of kernels by their names follow each other in a function of this file\n"
                      : Text;
}

std::string describeChainsAsJson(llvm::ArrayRef<LoadedKernel> Kernels) {
  llvm::json::Array All;
  for (const Neighbours &Each : neighboursOf(Kernels))
    if (Each.Names.size() == 2 && !Each.Links.Between)
      All.push_back(
          llvm::json::Object{{"kernels", Each.Names},
                             {"places", llvm::json::Array{Each.Links.Places[0].str(), Each.Links.Places[1].str()}},
                             {"links", Each.Links.Links},
                             {"dependent", Each.Links.areDependent()}});
  return fmt::format("{}\n", llvm::formatv("{0:2}", llvm::json::Value(std::move(All))).str());
}

} // namespace cufuse
