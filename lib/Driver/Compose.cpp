#include "cufuse/Driver/Compose.h"

#include "cufuse/Dependence/Extents.h"
#include "cufuse/Driver/Choose.h"
#include "cufuse/Driver/Fuser.h"
#include "cufuse/Support/Error.h"

#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVectorExtras.h>

namespace cufuse {

static std::vector<std::string> namesOf(llvm::ArrayRef<LoadedKernel> Kernels) {
  return constituentNames(llvm::map_to_vector(Kernels, [](const LoadedKernel &Kernel) { return &Kernel.Facts; }));
}

llvm::Expected<VerticalGraph> graphOf(llvm::ArrayRef<LoadedKernel> Kernels, const FuseRequest &Request,
                                      std::vector<std::string> Names) {
  if (Names.empty())
    Names = namesOf(Kernels);
  std::vector<VerticalNode> Nodes;
  for (size_t I = 0; I < Kernels.size(); ++I)
    Nodes.push_back({Names[I], &Kernels[I].Facts, &Kernels[I].Accesses, &Kernels[I].Shape, Request.Distinct,
                     Kernels[I].Product ? &*Kernels[I].Product : nullptr});
  return linkKernels(std::move(Nodes), Request.Links, Request.Dead, Request.Composition.inMemoryOfAll());
}

/// What a parameter is in the fused kernel, by those of it that are no other kernel's.
static std::string given(const VerticalGraph &Graph, unsigned Node, const std::string &Parameter) {
  if (const Flow *F = Graph.flowTo(Node, Parameter))
    return given(Graph, F->Producer, F->Out);
  const SharedArgument *S = Graph.sharedTo(Node, Parameter);
  if (!S)
    return Graph.Nodes[Node].Name + "_" + Parameter;
  return argumentText(Graph, *S, [&](unsigned Of, const std::string &Factor) { return given(Graph, Of, Factor); });
}

/// The same, as the parameter's type: what an earlier kernel only loads, a later one may store. To a type that is
/// copied with the kernel, the call casts it.
static std::string givenAs(const VerticalGraph &Graph, unsigned Node, const ParameterText &P) {
  std::string Given = given(Graph, Node, P.Name);
  if (!P.Opaque)
    return pointerText(Graph, Node, P.Name, P.Element.written(), Given);
  const auto [Of, Name] = Graph.memory(Node, P.Name);
  const bool IsRead = Graph.Nodes[Of].parameter(Name)->ReadOnly,
             ReadOnly = Graph.Nodes[Node].parameter(P.Name)->ReadOnly;
  if (P.Opaque->IsPointer)
    Given = fmt::format("static_cast<{}void *>({})", IsRead || ReadOnly ? "const " : "", Given);
  return IsRead && !ReadOnly ? "const_cast<void *>(" + Given + ")" : Given;
}

/// A type that is copied with each kernel is another type for each, unless it only has a name of its own there.
static llvm::Error checkCommonType(const VerticalNode &Node, const ParameterText &P) {
  const ParameterAccess &Type = *Node.parameter(P.Name);
  if (!P.Declaration.has(OutputText::Slot::Path) || Type.BuiltinType)
    return llvm::Error::success();
  return refuse({BlockerKind::LinkedTypes, Node.Facts->Where,
                 fmt::format("{}.{} is {}, which stands in the kernel's file itself", Node.Name, P.Name, Type.Type)});
}

/// Linked parameters are those that they are linked to.
static llvm::Error linkInMemory(const VerticalGraph &Graph, llvm::MutableArrayRef<LoadedKernel> Kernels,
                                const char *Option) {
  for (const Flow &F : Graph.Flows) {
    const std::string Out = Graph.Nodes[F.Producer].Name + "." + F.Out;
    if (F.Dead)
      return badUsage(fmt::format("{} is dead, but with {} it is handed on in memory", Out, Option),
                      "leave --dead away");
    if (F.Producer > F.Consumer)
      return badUsage(fmt::format("{} reads {} before it is stored", Graph.Nodes[F.Consumer].Name, Out),
                      fmt::format("with {}, write the kernels in the order in which they run", Option));
  }
  for (unsigned Node = 0; Node < Kernels.size(); ++Node)
    for (ParameterText &P : Kernels[Node].Text.Parameters)
      if (Graph.flowTo(Node, P.Name) || Graph.sharedTo(Node, P.Name)) {
        // Memory is the same, whatever each kernel calls its type, and so are the bytes of one type of their file.
        const auto [Of, Name] = Graph.memory(Node, P.Name);
        const bool AreBytes =
            P.Opaque && !P.Opaque->IsOwn && (P.Opaque->IsPointer || Kernels[Of].Spec.File == Kernels[Node].Spec.File) &&
            !Graph.Nodes[Of].parameter(Name)->Volatile && !Graph.Nodes[Node].parameter(P.Name)->Volatile;
        if (!AreBytes)
          TRY(checkCommonType(Graph.Nodes[Node], P));
        P.Given = givenAs(Graph, Node, P);
      }
  return llvm::Error::success();
}

/// Has each launch an array of its own there, of those that run at once? The first thread's element must not depend on
/// arguments: then two launches that are given the same would both store it, while others load it.
static bool isOfLaunch(const AccessSite &Site, const KernelAccesses &Of) {
  if (Site.What == AccessSite::Kind::Load || !Site.Index)
    return false;
  Polynomial First = *Site.Index;
  for (const LoopAccess &Loop : llvm::reverse(Of.Loops)) // from the inner ones on
    First = First.substitute(Loop.Atom, Loop.Start);
  for (Builtin B : {Builtin::BlockIdx, Builtin::ThreadIdx})
    for (int D : {0, 1, 2})
      First = First.substitute(builtinAtom(B, D), {});
  return llvm::all_of(First.atoms(), isBuiltin);
}

/// For the last block of a launch, or the first: which array says which launch it is. Without one, the stream does.
static llvm::Error countBlocks(const VerticalGraph &Graph, LoadedKernel &First) {
  // What launches may do to one array at once, as to set a flag, tells the least; what has elements of blocks, the
  // most.
  auto IsOwn = [](const AccessSite &Site, unsigned Doubt) {
    const std::set<std::string> Atoms = Site.Index->atoms();
    return Doubt == 2 ? Site.What != AccessSite::Kind::Store
                      : Site.What == AccessSite::Kind::Store &&
                            (Doubt == 1 ||
                             llvm::any_of(Atoms, [](llvm::StringRef Atom) { return Atom.starts_with("blockIdx."); }));
  };
  for (const unsigned Doubt : {0, 1, 2})
    for (const Flow &F : Graph.Flows)
      if (F.Producer == 0 && First.Text.Counted.empty() &&
          llvm::any_of(First.Accesses.Sites, [&](const AccessSite &Site) {
            return Site.Parameter == F.Out && isOfLaunch(Site, First.Accesses) && IsOwn(Site, Doubt);
          }))
        First.Text.Counted = F.Out;
  if (llvm::none_of(Graph.Flows, [](const Flow &F) { return F.Producer == 0; }))
    return refuse({BlockerKind::NotCounted, First.Facts.Where, Graph.Nodes[0].Name});
  First.Text.Includes.push_back({"#include <atomic>", "atomic", {}});
  return llvm::Error::success();
}

/// How many of the reasons are that pointers may lead to the same memory, and how many are others.
static std::pair<unsigned, unsigned> ofAliases(const llvm::Error &Refused) {
  std::pair<unsigned, unsigned> Found;
  llvm::visitErrors(Refused, [&](const llvm::ErrorInfoBase &Each) {
    for (const Message &M : static_cast<const Failure &>(Each).Messages)
      if (!M.Rule.empty())
        ++(M.Rule == blockerName(BlockerKind::MayAlias) ? Found.first : Found.second);
  });
  return Found;
}

/// Whether pointers may lead to one array is the whole reason only if there is none without that question.
static llvm::Error butForAliases(VerticalGraph &Graph, BlockShape Block, const VerticalOptions &Options,
                                 llvm::Error Refused) {
  if (const auto [Aliases, Others] = ofAliases(Refused); Aliases == 0 || Others > 0)
    return Refused;
  const std::vector<VerticalNode> Nodes = Graph.Nodes;
  for (VerticalNode &N : Graph.Nodes)
    N.Distinct = true;
  auto Apart = proveForm(Graph, Block, Options);
  Graph.Nodes = Nodes; // others may be tried
  if (Apart)
    return Refused;
  llvm::consumeError(std::move(Refused));
  return Apart.takeError();
}

/// Where the launcher can tell which arrays share memory, they need not be known to be apart.
static llvm::Expected<FormProof> proveOrMeasure(VerticalGraph &Graph, BlockShape Block,
                                                const VerticalOptions &Options) {
  measureExtents(Graph, Block);
  auto Proof = proveForm(Graph, Block, Options);
  bool IsCompared = false;
  if (!Proof && Graph.NoOther) {
    llvm::Error First = Proof.takeError();
    measureExtents(Graph, Block, IsCompared = true);
    for (size_t I = 0; I < Graph.Nodes.size(); ++I)
      for (const ParameterAccess &P : Graph.Nodes[I].Accesses->Parameters)
        if (Graph.Extents.count(Graph.memory(I, P.Name)))
          Graph.Nodes[I].Compared.insert(P.Name);
    Proof = proveForm(Graph, Block, Options);
    if (!Proof && ofAliases(First).first == 0) { // what was said is right still, but for that
      llvm::consumeError(Proof.takeError());
      return std::move(First);
    }
    llvm::consumeError(std::move(First));
  }
  if (!Proof)
    return butForAliases(Graph, Block, Options, Proof.takeError());
  if (Proof->Nested.empty())
    return Proof;
  std::set<unsigned> OtherGrids;
  for (const auto &[Node, Times] : Proof->Nested)
    OtherGrids.insert(Node);
  measureExtents(Graph, Block, IsCompared, OtherGrids);
  for (VerticalNode &N : Graph.Nodes) // what was known of them may not be now
    N.Compared.clear();
  return proveForm(Graph, Block, Options);
}

/// What stands around the bodies is C++14, and products are C++17.
static llvm::Error checkStandard(llvm::ArrayRef<LoadedKernel> Kernels) {
  CompileFlags Together = Kernels.front().Flags;
  for (const LoadedKernel &Kernel : Kernels)
    mergeSettings(Together, Kernel.Flags);
  const bool HasProducts = llvm::any_of(Kernels, [](const LoadedKernel &Kernel) { return Kernel.Product.has_value(); });
  const std::string Least = HasProducts ? "c++17" : "c++14";
  if (laterStandard(Together.Standard, Least) == Together.Standard)
    return llvm::Error::success();
  return badUsage(fmt::format("kernels with {} become one in {} at least, and -std={} is older",
                              HasProducts ? "products of matrices" : "links", Least, Together.Standard),
                  fmt::format("compile with -std={} or later", Least));
}

/// Where the launch would ask that two arrays do not meet which it is seen to be handed as one, it could never be.
static llvm::Error checkOneArray(const VerticalGraph &Graph, llvm::ArrayRef<LoadedKernel> Kernels,
                                 const KernelText &Text) {
  for (size_t I = 0; I < Kernels.size(); ++I)
    for (const auto &[A, B] : Kernels[I].OneArray)
      for (const auto &Apart : Text.Apart)
        if (std::minmax(Apart.first, Apart.second) == std::minmax(Graph.argumentName(I, A), Graph.argumentName(I, B)))
          return badInput(fmt::format("{} is launched with one array for {} and {}, and the fused kernel needs two",
                                      Graph.Nodes[I].Name, A, B),
                          "use --cooperative, or store to another array", Kernels[I].Facts.Where);
  return llvm::Error::success();
}

llvm::Expected<Composition> composeKernels(VerticalGraph &Graph, llvm::MutableArrayRef<LoadedKernel> Kernels,
                                           BlockShape Block, const VerticalOptions &Options) {
  auto Proof = TRY(proveOrMeasure(Graph, Block, Options));
  for (size_t I = 0; I < Kernels.size(); ++I)
    link(Kernels[I], Proof.Edits[I]);
  TRY(checkAll(Kernels));
  std::vector<const KernelText *> Texts;
  std::vector<Constituent> Constituents;
  for (size_t I = 0; I < Kernels.size(); ++I) {
    Texts.push_back(&Kernels[I].Text);
    Constituents.push_back({Graph.Nodes[I].Name, &Kernels[I].Facts, &Kernels[I].Text});
  }
  TRY(checkIncludes(Constituents, {}));
  TRY(checkStandard(Kernels));
  std::vector<std::pair<unsigned, std::string>> Common = Proof.Shared;
  for (const Flow &F : Graph.Flows)
    Common.push_back({F.Consumer, F.In});
  for (const SharedArgument &S : Graph.Shared)
    Common.push_back({S.To, S.Parameter});
  for (const auto &[Node, Name] : Common)
    for (const ParameterText &P : Kernels[Node].Text.Parameters)
      if (P.Name == Name)
        TRY(checkCommonType(Graph.Nodes[Node], P));
  if (Options.EvictLast && !Proof.LoadsRows)
    return badUsage("--evict-last is for rows that are loaded into registers, and none is here", "leave it away");
  ComposedKernel One = Proof.Compose(Texts);
  TRY(checkOneArray(Graph, Kernels, One.Text));
  One.Facts.PlaysLanes = llvm::all_of(llvm::zip_equal(Proof.Edits, Kernels), [](const auto &Each) {
    const LoadedKernel &Kernel = std::get<1>(Each);
    return std::get<0>(Each).OfLanes && Kernel.Text.SharedOfLanes == Kernel.Facts.StaticShared.size();
  });
  const LoadedKernel &Root = Kernels[Graph.Root];
  LoadedKernel Result{Root.Spec, std::move(One.Facts), std::move(One.Text), Root.Flags, Root.Arch};
  Result.Predefined = mergePredefined(Kernels);
  for (unsigned Node : Graph.Order) {
    const LoadedKernel &Kernel = Kernels[Node];
    if (Kernel.Product)
      continue;
    Result.Parts.push_back({Graph.Nodes[Node].Name, Kernel.Facts, Kernel.Parsed, Kernel.Linked, Kernel.Text.Callee,
                            One.AsElement.count(Node) > 0});
    Result.Errors.insert(Kernel.Errors.begin(), Kernel.Errors.end());
    if (Node == Graph.Root)
      continue;
    Result.OtherFolders.push_back(folderOf(Kernel.Spec.File));
    mergeSettings(Result.Flags, Kernel.Flags);
    Result.OwnMacros.insert(Kernel.OwnMacros.begin(), Kernel.OwnMacros.end());
  }
  return Composition{std::move(Result), std::move(Proof)};
}

const LaunchFacts *launchedOtherwise(const KernelFacts &Facts, BlockShape Block) {
  const bool MayHaveIt =
      llvm::any_of(Facts.Launches, [&](const LaunchFacts &Each) { return !Each.Block || *Each.Block == Block; });
  return MayHaveIt || Facts.Launches.empty() ? nullptr : &Facts.Launches.front();
}

std::string contradicted(const std::string &Name, const KernelFacts &Facts, BlockShape Block) {
  constexpr auto Size = static_cast<size_t>(Builtin::BlockDim);
  const LaunchFacts *Other = launchedOtherwise(Facts, Block);
  if (!Other || Facts.ReadByLibrary[Size] || llvm::is_contained(Facts.Reads[Size], true))
    return {};
  return fmt::format("{} is launched with blocks of {} at {}, not of {}, and does not read blockDim", Name,
                     Other->Block->str(), Other->Where.str(), Block.str());
}

/// Kernels that get the root's block, which nobody has said, must be launched with it; and one that was said must be
/// that of those who do not ask for it.
static llvm::Error checkLaunches(const VerticalGraph &Graph, BlockShape Block,
                                 llvm::ArrayRef<Choice<BlockShape>> Said) {
  const std::vector<const VerticalForm *> Forms = formsFor(Graph);
  const bool ForAll = llvm::any_of(Said, [](const Choice<BlockShape> &Each) { return Each.Name.empty(); });
  for (unsigned Node : Graph.Order) {
    const VerticalNode &N = Graph.Nodes[Node];
    const bool IsSaid = ForAll || (Node == Graph.Root && !Said.empty());
    if ((Node == Graph.Root && !IsSaid) ||
        llvm::none_of(Forms, [&](const VerticalForm *Form) { return Form->HasBlock(Graph, Node); }))
      continue;
    std::string Why = IsSaid ? contradicted(N.Name, *N.Facts, Block) : "";
    for (const LaunchFacts &Each : N.Facts->Launches)
      if (!IsSaid && Why.empty() && Each.Block && !(*Each.Block == Block))
        Why = fmt::format("{} is launched with blocks of {}, {} with {}", N.Name, Each.Block->str(),
                          Graph.Nodes[Graph.Root].Name, Block.str());
    if (!Why.empty())
      return refuse({BlockerKind::RowBlock, N.Facts->Where, Why});
  }
  return llvm::Error::success();
}

/// What the request says of the kernels with these names, which are the group with this number.
static FuseRequest requestOf(const FuseRequest &All, llvm::ArrayRef<std::string> Names, unsigned Group) {
  FuseRequest Own = All;
  llvm::erase_if(Own.Links, [&](const LinkText &Link) { return !llvm::is_contained(Names, Link.From); });
  llvm::erase_if(Own.Dead, [&](const std::string &Dead) {
    return !llvm::is_contained(Names, llvm::StringRef(Dead).rsplit('.').first);
  });
  Own.Blocks.clear();
  unsigned Position = 0;
  for (const Choice<BlockShape> &Block : All.Blocks)
    if (Block.Name.empty() ? Position++ == Group : llvm::is_contained(Names, Block.Name))
      Own.Blocks.push_back(Block);
  return Own;
}

static llvm::Expected<LoadedKernel> composeAsRead(std::vector<LoadedKernel> Kernels, const FuseRequest &Request,
                                                  std::vector<std::string> Names) {
  auto Graph = TRY(graphOf(Kernels, Request, std::move(Names)));
  auto Known = [&](bool AnyWillDo) {
    return rootBlock(Request, Kernels[Graph.Root], Graph.Nodes[Graph.Root].Name, AnyWillDo);
  };
  auto Block = TRY(Known(/*AnyWillDo=*/llvm::all_of(
      Graph.Nodes, [](const VerticalNode &N) { return N.Shape->Shape == KernelShape::Pointwise; })));
  if (const VerticalNode &Root = Graph.Nodes[Graph.Root]; !Block.isValid())
    return refuse({BlockerKind::ImpossibleBlock, {}, fmt::format("{} for {}", Block.str(), Root.Name)});
  VerticalOptions Options = Request.Composition;
  for (const Choice<unsigned> &Copies : Request.Copies)
    Options.Copies = std::max(Options.Copies, Copies.Chosen);
  auto Composed = TRY(composeKernels(Graph, Kernels, Block, Options));
  if (const auto &Elements = Composed.Kernel.Text.Elements; !Elements || !Elements->AnyBlock)
    TRY(Known(/*AnyWillDo=*/false));
  // Another block is no remedy for what does not fit with this one.
  TRY(checkLaunches(Graph, Block, Request.Blocks));
  return std::move(Composed.Kernel);
}

/// How many kinds of reasons stand in the way; that pointers are not said to be distinct is none.
static size_t kindsOfReasons(const llvm::Error &Error) {
  std::set<std::string> Rules;
  bool IsBadInput = true;
  llvm::visitErrors(Error, [&](const llvm::ErrorInfoBase &Each) {
    const auto &Of = static_cast<const Failure &>(Each);
    IsBadInput &= Of.Code == ExitCode::BadInput;
    for (const Message &M : Of.Messages)
      if (!M.Rule.empty() && M.Rule != blockerName(BlockerKind::MayAlias))
        Rules.insert(M.Rule);
  });
  return IsBadInput ? Rules.size() : 1;
}

/// If it cannot be done so, kernels of several dimensions are taken for functions of an element's number: also before
/// they go in turn through memory, unless all have the same places anyway.
static llvm::Expected<LoadedKernel> composeOne(std::vector<LoadedKernel> Kernels, const FuseRequest &Request,
                                               const std::vector<std::string> &Names) {
  if (Request.Composition.InMemory ||
      llvm::none_of(Kernels, [](const LoadedKernel &Each) { return Each.Map.has_value(); }))
    return composeAsRead(std::move(Kernels), Request, Names);
  const bool AreMaps = llvm::all_of(
      Kernels, [](const LoadedKernel &Each) { return Each.Map || Each.Shape.Shape == KernelShape::Pointwise; });
  FuseRequest InRegisters = Request;
  InRegisters.Composition.InRegisters = true;
  auto One = composeAsRead(Kernels, AreMaps ? Request : InRegisters, Names);
  if (One)
    return One;
  std::vector<LoadedKernel> Mapped = Kernels;
  for (LoadedKernel &Each : Mapped)
    if (Each.Map)
      Each.Shape = *Each.Map;
  auto Other = composeAsRead(std::move(Mapped), InRegisters, Names);
  if (!Other && !AreMaps) {
    llvm::consumeError(One.takeError());
    One = composeAsRead(std::move(Kernels), Request, Names);
  }
  if (One || Other) {
    llvm::Expected<LoadedKernel> &Better = Other ? Other : One;
    llvm::consumeError((Other ? One : Other).takeError());
    return std::move(Better);
  }
  // What is nearer to being one kernel says why it is none.
  llvm::Error AsRead = One.takeError(), InPlaces = Other.takeError();
  if (kindsOfReasons(InPlaces) < kindsOfReasons(AsRead))
    std::swap(AsRead, InPlaces);
  llvm::consumeError(std::move(InPlaces));
  return std::move(AsRead);
}

llvm::Expected<std::vector<LoadedKernel>> compose(std::vector<LoadedKernel> Kernels, const FuseRequest &Request) {
  if (Request.Composition.inMemoryOfAll()) {
    const auto Graph = TRY(graphOf(Kernels, Request));
    TRY(linkInMemory(Graph, Kernels, Request.Composition.option()));
    if (!Request.Composition.Cooperative)
      TRY(countBlocks(Graph, Kernels.front()));
    return Kernels;
  }
  const std::vector<std::string> Names = Request.Products.empty() ? namesOf(Kernels) : Request.Names;
  std::vector<LoadedKernel> Result;
  for (size_t I = 0; I < Kernels.size();) {
    const unsigned Group = Request.Groups.empty() ? 0 : Request.Groups[I];
    std::vector<LoadedKernel> Members;
    std::vector<std::string> Own;
    for (; I < Kernels.size() && (Request.Groups.empty() || Request.Groups[I] == Group); ++I) {
      Own.push_back(Names[I]);
      Members.push_back(std::move(Kernels[I]));
    }
    if (Members.size() == 1) {
      Result.push_back(std::move(Members.front()));
      continue;
    }
    auto One =
        TRY(composeOne(std::move(Members), Request.Groups.empty() ? Request : requestOf(Request, Own, Group), Own));
    const TextVariants &Instances = One.Text.Variants;
    const bool IsOther = llvm::any_of(Result, [&](const LoadedKernel &Before) {
      const TextVariants &Others = Before.Text.Variants;
      return !Others.Parameters.empty() &&
             (Others.Parameters != Instances.Parameters || Others.Otherwise != Instances.Otherwise);
    });
    if (!Request.Groups.empty() && !Instances.Parameters.empty() && (Instances.IsAlone || IsOther))
      return badInput(One.Facts.Name + " has instances that another group has not, and cannot run beside others",
                      "fuse it by itself", One.Facts.Where);
    Result.push_back(std::move(One));
  }
  return Result;
}

} // namespace cufuse
