#include "Parts.h"

#include "cufuse/Dependence/Links.h"
#include "cufuse/Emit/Emit.h"
#include "cufuse/Facts/FindKernel.h"
#include "cufuse/Support/Error.h"

#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/Sequence.h>
#include <llvm/ADT/SmallVectorExtras.h>

namespace cufuse {

/// Do conditions say to which block, or element, it comes in each dimension of the grid that the kernel asks for?
static bool isBounded(const AccessSite &Site, const LoadedKernel &Kernel) {
  auto HasEnd = [&](const std::string &Block) {
    return llvm::any_of(Site.conditions(), [&](const Less &Known) {
      return Known.Left.contains(Block) || llvm::any_of(Kernel.Accesses.Loops, [&](const LoopAccess &Loop) {
               return Known.Left.contains(Loop.Atom) && Loop.Start.contains(Block);
             });
    });
  };
  const Dimensions &Asked = Kernel.Facts.Reads[static_cast<size_t>(Builtin::BlockIdx)];
  return any(Asked) &&
         llvm::all_of(llvm::seq(3), [&](int D) { return !Asked[D] || HasEnd(builtinAtom(Builtin::BlockIdx, D)); });
}

/// The conditions that hold for the elements of lower blocks alone, where its loops begin.
static std::vector<Less> endsOf(const AccessSite &Site, const LoadedKernel &Kernel) {
  std::vector<Less> Ends;
  for (Less Known : Site.conditions()) {
    for (const LoopAccess &Loop : llvm::reverse(Kernel.Accesses.Loops))
      Known.Left = Known.Left.substitute(Loop.Atom, Loop.Start);
    if (llvm::any_of(llvm::seq(3), [&](int D) {
          const Polynomial PerBlock = Known.Left.split(builtinAtom(Builtin::BlockIdx, D)).first;
          return !PerBlock.isZero() && !PerBlock.hasNegative();
        }))
      Ends.push_back(std::move(Known));
  }
  return Ends;
}

/// Do values depend on how many blocks there are: on that number, or, behind a loop over the grid, on which one it is?
static bool storesNumbersOfThreads(const KernelAccesses &Accesses) {
  auto Has = [](const Polynomial &P, Builtin B) {
    return llvm::any_of(llvm::seq(3), [&](int D) { return P.contains(builtinAtom(B, D)); });
  };
  const bool Loops =
      llvm::any_of(Accesses.Loops, [&](const LoopAccess &Loop) { return Has(Loop.Step, Builtin::GridDim); });
  return llvm::any_of(Accesses.Uses, [&](const ThreadUse &Use) {
    return Has(Use.Value, Builtin::GridDim) || (Loops && Has(Use.Value, Builtin::BlockIdx));
  });
}

std::vector<LaunchedKernel> launchedKernels(llvm::ArrayRef<LoadedKernel> Kernels) {
  const std::vector<std::string> Names =
      constituentNames(llvm::map_to_vector(Kernels, [](const LoadedKernel &Kernel) { return &Kernel.Facts; }));
  std::vector<LaunchedKernel> Launched;
  for (size_t I = 0; I < Kernels.size(); ++I) {
    Launched.push_back({Names[I], Kernels[I].Parsed.Kernel, {}});
    Launched.back().IsUnbounded = Kernels[I].Shape.Unbounded;
    for (const auto *Call : launchesAt(*Kernels[I].Parsed.Unit, Kernels[I].Spec))
      Launched.back().Calls.insert(Call);
    if (storesNumbersOfThreads(Kernels[I].Accesses))
      Launched.back().FollowsGrid = Launched.back().IsByThreads = true;
    for (const AccessSite &Site : Kernels[I].Accesses.Sites)
      if (Site.What != AccessSite::Kind::Load || Site.Compound) {
        Launched.back().Stores.insert(Site.Parameter);
        Launched.back().FollowsGrid |= !isBounded(Site, Kernels[I]);
        Launched.back().Ends.push_back(endsOf(Site, Kernels[I]));
        Launched.back().IsByThreads |=
            Site.Index && llvm::any_of(llvm::seq(3), [&](int D) {
              const std::string Block = builtinAtom(Builtin::BlockIdx, D);
              return Site.Index->split(Block).first.contains(builtinAtom(Builtin::BlockDim, D)) &&
                     llvm::none_of(Kernels[I].Accesses.Loops, // over the grid: any has all
                                   [&](const LoopAccess &Loop) { return Loop.Start.contains(Block); });
            });
      }
  }
  return Launched;
}

/// Links by hand name kernels as those of launches do, and say of which kernels the user knows that they run together.
static void takeGiven(llvm::ArrayRef<LoadedKernel> Kernels, llvm::MutableArrayRef<LaunchedKernel> Launched,
                      std::vector<LinkText> &Links) {
  const auto Names = llvm::map_to_vector(Launched, [](const LaunchedKernel &Each) { return Each.Name; });
  const auto Facts = llvm::map_to_vector(Kernels, [](const LoadedKernel &Each) { return &Each.Facts; });
  for (LinkText &Link : Links) {
    const auto From = llvm::expectedToOptional(kernelOfLink(Link.From, Names, Facts)),
               To = llvm::expectedToOptional(kernelOfLink(Link.To, Names, Facts));
    if (!From || !To) // which is said when they are linked
      continue;
    Link.From = Names[*From], Link.To = Names[*To];
    if (llvm::any_of(Kernels[*To].Accesses.Parameters,
                     [&](const ParameterAccess &P) { return P.Name == Link.Parameter && !P.Element.empty(); }))
      Launched[std::max(*From, *To)].Linked.insert(std::min(*From, *To));
  }
}

/// Is the parameter linked, or the other one to it?
static bool isKnown(const LinkText &Link, llvm::ArrayRef<LinkText> Known) {
  return llvm::any_of(Known, [&](const LinkText &Each) {
    return (Each.To == Link.To && Each.Parameter == Link.Parameter) ||
           (Each.From == Link.To && Each.To == Link.From && llvm::is_contained(Each.Factors, Link.Parameter) &&
            llvm::is_contained(Link.Factors, Each.Parameter));
  });
}

/// The link of two parameters to which the launch hands one array, unless others say what they are.
static std::optional<std::string> ofOneArray(const LaunchedKernel &Kernel, const KernelAccesses &Accesses,
                                             std::string A, std::string B, llvm::ArrayRef<LinkText> Known) {
  if (Kernel.Stores.count(B))
    std::swap(A, B);
  const bool AreLinked = llvm::any_of(Known, [&](const LinkText &Each) {
    return Each.To == Kernel.Name && (Each.Parameter == A || Each.Parameter == B);
  });
  if (AreLinked || Kernel.Stores.count(B) || Accesses.parameter(A)->Element != Accesses.parameter(B)->Element)
    return std::nullopt;
  return fmt::format("{0}.{1}={0}.{2}", Kernel.Name, A, B);
}

bool mayGoByOneBlock(const FuseRequest &Request) {
  const VerticalOptions &How = Request.Composition;
  return !How.Cooperative && !How.InRegisters && !How.EvictLast && How.Vectorize == 1 && Request.Groups.empty() &&
         Request.Products.empty() && Request.Shape == Geometry::Warps && Request.Grid == GridPolicy::Match;
}

/// The block that it has is that of its linked launch, whatever others of the kernel have.
static void chooseLaunch(std::vector<LaunchFacts> &All, const SourcePlace &Linked) {
  const auto Own = llvm::find_if(All, [&](const LaunchFacts &Each) { return Each.Where.str() == Linked.str(); });
  if (Own != All.end() && Own->Block)
    All = {LaunchFacts(*Own)};
}

llvm::Expected<std::string> linkAsLaunched(llvm::MutableArrayRef<LoadedKernel> Kernels, FuseRequest &Request) {
  std::vector<LaunchedKernel> Launched = launchedKernels(Kernels);
  takeGiven(Kernels, Launched, Request.Links);
  const bool AreGiven = !Request.Links.empty();
  std::set<const ParsedUnit *> Units;
  for (const LoadedKernel &Kernel : Kernels) {
    if (!Units.insert(Kernel.Parsed.Unit.get()).second)
      continue;
    const auto Found = linksOfLaunches(*Kernel.Parsed.Unit, Launched);
    if (!Found)
      continue;
    if (Found->Between)
      return badInput(fmt::format("between the launches at {} and {} stands what may use the kernels' memory",
                                  Found->Places.front().str(), Found->Places.back().str()),
                      "if the kernels may run together, write --link PRODUCER.out=CONSUMER.in", *Found->Between);
    if (!Found->AreKnown)
      return badInput(
          fmt::format("it is not seen whether the launches at {} and {} share an array that one of them stores",
                      Found->Places.front().str(), Found->Places.back().str()),
          "hand them variables, or write --link PRODUCER.out=CONSUMER.in", Found->Places.back());
    VerticalOptions &How = Request.Composition;
    Request.EndsInOneBlock = Found->EndsInOneBlock;
    Request.BeginsInOneBlock = Found->BeginsInOneBlock && !Found->EndsInOneBlock;
    const bool IsOtherGrid = !Found->HaveOneGrid && mayGoByOneBlock(Request) &&
                             (Request.EndsInOneBlock ? !How.FirstBlock : Request.BeginsInOneBlock && !How.LastBlock);
    How.LastBlock |= IsOtherGrid && Request.EndsInOneBlock;
    How.FirstBlock |= IsOtherGrid && Request.BeginsInOneBlock;
    if (IsOtherGrid) // which hands on in memory what is dead, too
      Request.Dead.clear();
    if (!Found->HaveOneGrid && !How.inMemoryOfAll()) // where each has its own
      return badInput(fmt::format("the launches at {} and {} are not seen to have one grid, which says how much their "
                                  "kernels store",
                                  Found->Places.front().str(), Found->Places.back().str()),
                      "use --cooperative, with which each has its own, or --last-block, if all but the first have one "
                      "block, or launch both with one variable, or, if both have "
                      "the same elements, write --link PRODUCER.out=CONSUMER.in",
                      Found->Places.back());
    // One block goes on with what the many of the other kernel have stored, rather than that they are one block as
    // well.
    const bool IsOneOfMany = Found->EndsInOneBlock != Found->BeginsInOneBlock && mayGoByOneBlock(Request);
    How.InRegisters |= (IsOneOfMany || !Found->MayShareThreads) && !How.inMemoryOfAll();
    std::string Said, Taken;
    auto Made = [](llvm::StringRef Of) {
      Polynomial Product = 1;
      for (llvm::StringRef Factor : llvm::split(Of, '*'))
        if (std::int64_t Number = 0; Factor.getAsInteger(10, Number))
          Product = Product * Polynomial::atom(Factor.str());
        else
          Product = Product * Number;
      return Product;
    };
    for (size_t I = 0; I < Found->Elements.size() && !How.inMemoryOfAll(); ++I)
      if (const std::string &All = Found->Elements[I]; !All.empty()) {
        Kernels[I].Shape.Elements = Made(All);
        Taken += fmt::format("; {} has no bound, and is taken to have the {} elements that its grid is computed for",
                             Launched[I].Name, All);
      }
    for (size_t I = 0; I < Kernels.size() && !AreGiven; ++I)
      if (const auto &Own = Found->Blocks[I]; Own && !Kernels[I].Shape.Elements)
        Kernels[I].Shape.Blocks = {Own->first, Own->second.empty() ? std::nullopt : std::optional(Made(Own->second))};
    for (const std::string &Text : Found->Links) {
      auto Link = TRY(parseLink(Text));
      if (isKnown(Link, Request.Links))
        continue;
      Request.Links.push_back(Link);
      Said += " --link " + Text;
    }
    if (Request.Links.empty())
      return badInput("the launches hand no array and no number to two of the kernels",
                      "write --link PRODUCER.out=CONSUMER.in", Found->Places.back());
    for (size_t I = 0; I < Kernels.size(); ++I)
      for (const auto &[A, B] : Found->OneArray[I])
        if (const auto Own = ofOneArray(Launched[I], Kernels[I].Accesses, A, B, Request.Links)) {
          Request.Links.push_back(TRY(parseLink(*Own)));
          Said += " --link " + *Own;
        }
    for (size_t I = 0; I < Kernels.size(); ++I) {
      chooseLaunch(Kernels[I].Facts.Launches, Found->Places[I]);
      Kernels[I].OneArray = Found->OneArray[I];
    }
    auto Placed = [](llvm::ArrayRef<SourcePlace> Places) {
      return listed(llvm::map_to_vector(Places, [](const SourcePlace &Place) { return Place.str(); }));
    };
    std::string Otherwise;
    if (!Found->Otherwise.empty() && Placed(Found->Otherwise) == Placed(Found->Places))
      Otherwise = "; other calls of these launches have other links, which --link says";
    else if (!Found->Otherwise.empty())
      Otherwise = fmt::format("; at {} they are launched with other links (FILE:@LINE names a kernel by its launch)",
                              Placed(Found->Otherwise));
    for (const std::string &Text : Found->MaybeLinks)
      if (!isKnown(TRY(parseLink(Text)), Request.Links))
        Otherwise += "; equal here, and one number if they always are: --link " + Text;
    return fmt::format(
        "linked as launched at {} and {}:{}{}{}{}{}{}", Found->Places.front().str(), Found->Places.back().str(), Said,
        !IsOtherGrid    ? ""
        : How.LastBlock ? "; by the last block, since the others have one block"
                        : "; by the first block, since all but the last have one block",
        Taken + (Found->IsConditional ? "; not all of them are always launched" : ""),
        Found->HaveOneStream ? "" : "; on streams that are not one, which is taken to wait for the others", Otherwise,
        Found->AreSeenToReach || How.inMemoryOfAll()
            ? ""
            : "; their grids are not seen to be one, and are taken to reach all elements");
  }
  if (AreGiven)
    return "no function of these files launches the kernels one after the other: linked as given alone";
  return badInput("no function of these files launches the kernels one after the other",
                  "name the file that does (or a header with the kernels that it includes), or write --link "
                  "PRODUCER.out=CONSUMER.in");
}

} // namespace cufuse
