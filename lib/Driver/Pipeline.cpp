#include "cufuse/Driver/Pipeline.h"

#include "cufuse/Compile/Nvcc.h"
#include "cufuse/Driver/ReadKernels.h"
#include "cufuse/Frontend/UsersText.h"
#include "cufuse/Fusion/RegisterBound.h"
#include "cufuse/Fusion/VerifyFused.h"
#include "cufuse/Support/FileStore.h"
#include "cufuse/Vertical/BlockLocal.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringSet.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Path.h>

#include <map>
#include <thread>

namespace cufuse {

namespace {

bool isNamed(const std::string &Name, const LoadedKernel &Kernel, const Constituent &C) {
  return Name == C.Name || Name == Kernel.Facts.Name || Name == Kernel.Spec.Kernel ||
         Name == Kernel.Facts.QualifiedName;
}

/// The only choice that names this constituent, or that stands at its position.
template <typename Value>
llvm::Expected<std::vector<std::optional<Value>>>
distribute(llvm::ArrayRef<Choice<Value>> Choices, llvm::ArrayRef<LoadedKernel> Kernels,
           llvm::ArrayRef<Constituent> Constituents, const char *Option) {
  std::vector<std::optional<Value>> Result(Kernels.size());
  size_t Position = 0;
  for (const Choice<Value> &C : Choices) {
    bool Used = false;
    for (size_t I = 0; I < Kernels.size(); ++I) {
      if (C.Name.empty() ? I != Position : !isNamed(C.Name, Kernels[I], Constituents[I]))
        continue;
      Result[I] = C.Chosen;
      Used = true;
    }
    if (C.Name.empty())
      ++Position;
    if (!Used)
      return badUsage(C.Name.empty() ? fmt::format("{} is given {} times for {}", Option, Position,
                                                   Kernels.size() == 1 ? "one kernel, or several that share a block"
                                                                       : std::to_string(Kernels.size()) + " kernels")
                                     : fmt::format("{} names '{}', which is none of the kernels", Option, C.Name));
  }
  return Result;
}

/// The block of a kernel that --block leaves open: from the launches in its file if they agree, else from its launch
/// bounds where those can only mean one shape.
llvm::Expected<BlockShape> defaultBlock(const LoadedKernel &Kernel, std::string &Why) {
  const KernelFacts &Facts = Kernel.Facts;
  std::optional<BlockShape> Found;
  bool Unclear = false;
  for (const std::optional<BlockShape> &Launch : Facts.LaunchBlocks) {
    Unclear |= !Launch || (Found && !(*Found == *Launch));
    if (Launch)
      Found = Launch;
  }
  if (Found && !Unclear) {
    Why = "every launch in its file uses it";
    return *Found;
  }
  const Dimensions &Threads = Facts.Reads[static_cast<size_t>(Builtin::ThreadIdx)];
  if (Facts.LaunchBlocks.empty() && Facts.MaxThreads && !Threads[1] && !Threads[2]) {
    Why = "its __launch_bounds__";
    return BlockShape{*Facts.MaxThreads, 1, 1};
  }
  const std::string Fact = Facts.LaunchBlocks.empty()
                               ? "its file does not launch it, and it has no one-dimensional __launch_bounds__"
                           : Found && Unclear ? "the launches in its file differ or are not constant"
                                              : "the launches in its file are not constant";
  Message M = Blocker{BlockerKind::UnknownBlock, Facts.Where, Facts.Name + ": " + Fact}.message();
  M.Remedy = fmt::format("say it with --block {}=256 (or 32x8)", Facts.Name);
  return llvm::make_error<Failure>(ExitCode::BadInput, std::vector<Message>{M});
}

/// The configuration that the request describes. Names need the constituents', which need the facts.
llvm::Expected<FusionConfig> configure(const FuseRequest &Request, llvm::ArrayRef<LoadedKernel> Kernels,
                                       llvm::ArrayRef<Constituent> Constituents,
                                       std::vector<std::string> &Explanation) {
  FusionConfig Config;
  Config.Shape = Request.Shape;
  Config.Order = Request.Order;
  Config.Grid = Request.Grid;
  Config.Registers = Request.Registers;
  if (Request.Composition.Cooperative) {
    Config.Shape = Geometry::Threads;
    Config.Order = ThreadOrder::Dependent;
    Config.Grid = GridPolicy::Stride;
  } else if (Request.Order == ThreadOrder::Dependent)
    return badUsage("--order dependent is what --vertical --cooperative has");
  else if (Request.Order != ThreadOrder::Sequence && Request.Shape != Geometry::Threads)
    return badUsage("--order is for --geometry threads");
  if (!Request.Resident.empty() && Request.Grid == GridPolicy::Match)
    return badUsage("--resident is for --grid-policy stride and pool");
  if (Request.Registers.Policy == RegisterPolicy::Split && Request.RegisterBudgets.size() != Kernels.size())
    return badUsage(
        fmt::format("--registers split has {} budgets for {} kernels", Request.RegisterBudgets.size(), Kernels.size()));
  llvm::ArrayRef<Choice<unsigned>> Roles = Request.Resident;
  if (Request.Shape != Geometry::Blocks && !Roles.empty()) {
    if (Roles.size() > 1 || !Roles[0].Name.empty())
      return badUsage("--resident is said once and without a name, but for --geometry blocks");
    Config.ResidentBlocks = Roles[0].Chosen;
    Roles = {};
  }

  if (llvm::any_of(Request.Resident, [](const Choice<unsigned> &C) { return C.Chosen == 0; }) &&
      (Request.Shape != Geometry::Blocks || Request.Grid != GridPolicy::Stride))
    return badUsage("--resident NAME=0 is for --geometry blocks with --grid-policy stride");

  auto Blocks = distribute<BlockShape>(Request.Blocks, Kernels, Constituents, "--block");
  if (!Blocks)
    return Blocks.takeError();
  auto Copies = distribute<unsigned>(Request.Copies, Kernels, Constituents, "--copies");
  if (!Copies)
    return Copies.takeError();
  auto Turns = distribute<unsigned>(Request.Turns, Kernels, Constituents, "--turns");
  if (!Turns)
    return Turns.takeError();
  auto Resident = distribute<unsigned>(Roles, Kernels, Constituents, "--resident");
  if (!Resident)
    return Resident.takeError();
  auto Unroll = distribute<unsigned>(Request.Unroll, Kernels, Constituents, "--unroll");
  if (!Unroll)
    return Unroll.takeError();
  for (const auto &Choice : Request.Bound)
    if (llvm::none_of(llvm::zip(Kernels, Constituents),
                      [&](const auto &Each) { return isNamed(Choice.Name, std::get<0>(Each), std::get<1>(Each)); }))
      return badUsage(fmt::format("--bind names '{}', which is none of the kernels", Choice.Name));

  llvm::Error Unknown = llvm::Error::success();
  for (size_t I = 0; I < Kernels.size(); ++I) {
    ConstituentConfig Chosen;
    Chosen.Copies = (*Copies)[I].value_or(1);
    Chosen.Turns = (*Turns)[I].value_or(1);
    Chosen.ResidentBlocks = (*Resident)[I].value_or(1);
    Chosen.Unroll = (*Unroll)[I].value_or(0);
    if (Request.Registers.Policy == RegisterPolicy::Split)
      Chosen.RegisterBudget = Request.RegisterBudgets[I];
    for (const auto &Choice : Request.Bound)
      if (isNamed(Choice.Name, Kernels[I], Constituents[I]))
        Chosen.Bound.push_back(Choice.Chosen);
    std::string Why = "--block";
    if ((*Blocks)[I]) {
      Chosen.Block = *(*Blocks)[I];
    } else if (auto Default = defaultBlock(Kernels[I], Why)) {
      Chosen.Block = *Default;
    } else {
      Unknown = llvm::joinErrors(std::move(Unknown), Default.takeError());
      continue;
    }
    Explanation.push_back(fmt::format("{}: block {}: {}", Constituents[I].Name, Chosen.Block.str(), Why));
    Config.Constituents.push_back(Chosen);
  }
  if (Unknown)
    return std::move(Unknown);
  return Config;
}

std::string folderOf(const std::string &File) {
  const llvm::StringRef Folder = llvm::sys::path::parent_path(File);
  return Folder.empty() ? "." : Folder.str();
}

/// `#include "NAME"` finds what lies beside the output before any folder of the inputs.
llvm::Error checkBeside(const FuseRequest &Request, const std::string &HeaderPath, const Fuser &Fuser,
                        const FusedSource &Fused) {
  std::map<llvm::StringRef, llvm::StringRef> Paths;
  for (const Constituent &C : Fuser.constituents())
    for (const auto *Lines : {&C.Text->Includes, &C.Text->Libraries})
      for (const IncludeLine &Include : *Lines)
        Paths.emplace(Include.Text, Include.Path);
  const std::string Header = llvm::sys::path::filename(HeaderPath).str();
  for (const auto &[Text, Path] : Paths)
    if (llvm::StringRef Name = Text;
        (Name.consume_front("#include \"") || Name.consume_front("#include <")) && Name.drop_back() == Header)
      return badUsage(fmt::format("'{}' would be the header of the output, but the inputs include {} by that name",
                                  HeaderPath, Path.str()),
                      "name the output otherwise with -o");
  for (llvm::StringRef Rest : {llvm::StringRef(Fused.Source), llvm::StringRef(Fused.Header)})
    while (!Rest.empty()) {
      llvm::StringRef Line;
      std::tie(Line, Rest) = Rest.split('\n');
      llvm::StringRef Name = Line = Line.trim();
      if (!Name.consume_front("#include \"") || !Name.consume_back("\"") || Name == Header)
        continue;
      llvm::SmallString<256> Beside(folderOf(Request.Output));
      llvm::sys::path::append(Beside, Name);
      if (llvm::sys::path::is_absolute(Name) || !llvm::sys::fs::exists(Beside))
        continue;
      std::string Meant = Paths.count(Line) ? Paths[Line].str() : "";
      for (const std::string &Folder : Fuser.includeFolders())
        if (llvm::SmallString<256> Found(Folder); Meant.empty()) {
          llvm::sys::path::append(Found, Name);
          if (llvm::sys::fs::exists(Found))
            Meant = Found.str().str();
        }
      if (!llvm::sys::fs::equivalent(Beside, Meant))
        return badInput(fmt::format("the output's {} would find {}{}", Line.str(), Beside.str().str(),
                                    Meant.empty() ? "" : ", not " + Meant),
                        "write the output to another folder with -o");
    }
  return llvm::Error::success();
}

/// The block that a composed kernel will have: its root's.
llvm::Expected<BlockShape> rootBlock(const VerticalGraph &Graph, llvm::ArrayRef<LoadedKernel> Kernels,
                                     const FuseRequest &Request) {
  const LoadedKernel &Root = Kernels[Graph.Root];
  auto Blocks = distribute<BlockShape>(Request.Blocks, Root,
                                       Constituent{Graph.Nodes[Graph.Root].Name, &Root.Facts, &Root.Text}, "--block");
  if (!Blocks)
    return Blocks.takeError();
  std::string Why;
  return Blocks->front() ? llvm::Expected<BlockShape>(*Blocks->front()) : defaultBlock(Root, Why);
}

/// The kernels as one, by the request's links.
llvm::Expected<LoadedKernel> composed(llvm::ArrayRef<LoadedKernel> Kernels, const FuseRequest &Request) {
  auto Graph = graphOf(Kernels, Request);
  if (!Graph)
    return Graph.takeError();
  auto Block = rootBlock(*Graph, Kernels, Request);
  if (!Block)
    return Block.takeError();
  return composeKernels(*Graph, Kernels, *Block, Request.Composition);
}

/// Where composed text does not parse, or not as planned, the kernels' files may be such that they cannot stand in one
/// file: then that is said, as it is of the kernels side by side.
llvm::Error refusedBesideEachOther(llvm::Error Error, const Toolchain &Tools, const FuseRequest &Request,
                                   const EmitOptions &Options) {
  auto Kernels =
      loadKernels(Tools, Request.Kernels, std::vector<InputFlags>(Request.Kernels.size(), Request.Flags), nullptr);
  if (!Kernels)
    return llvm::consumeError(Kernels.takeError()), std::move(Error);
  FusionConfig Config;
  Config.Shape = Geometry::Blocks;
  Config.Constituents.assign(Kernels->size(), {BlockShape{WarpSize, 1, 1}});
  Fuser Beside(Tools, *Kernels, Options);
  auto Plan = Beside.plan(Config);
  if (!Plan)
    return llvm::consumeError(Plan.takeError()), std::move(Error);
  auto Fused = Beside.emit(*Plan);
  if (!Fused)
    return llvm::consumeError(Fused.takeError()), std::move(Error);
  bool IsRefused = false;
  llvm::Error Other = llvm::handleErrors(Beside.verify(*Fused, *Plan), [&](std::unique_ptr<Failure> Each) {
    IsRefused = Each->Code == ExitCode::BadInput;
    return llvm::Error(std::move(Each));
  });
  if (!IsRefused)
    return llvm::consumeError(std::move(Other)), std::move(Error);
  llvm::consumeError(std::move(Error));
  return Other;
}

} // namespace

void mergeSettings(CompileFlags &Into, const CompileFlags &Other) {
  Into.Relocatable |= Other.Relocatable;
  Into.Standard = laterStandard(Into.Standard, Other.Standard);
  for (const std::string &Macro : Other.Macros)
    if (!llvm::is_contained(Into.Macros, Macro))
      Into.Macros.push_back(Macro);
}

std::shared_ptr<const std::vector<std::string>> mergePredefined(llvm::ArrayRef<LoadedKernel> Kernels) {
  const LoadedKernel *First = &Kernels.front();
  for (const LoadedKernel &Kernel : Kernels) {
    if (!Kernel.Predefined)
      return nullptr;
    if (laterStandard(First->Flags.Standard, Kernel.Flags.Standard) != First->Flags.Standard)
      First = &Kernel;
  }
  std::vector<std::string> Result;
  llvm::StringSet<> Known;
  auto Add = [&](const LoadedKernel &Kernel) {
    for (const std::string &Text : *Kernel.Predefined) {
      std::string Name;
      if (readDefinition(Text, Name) && Known.insert(Name).second)
        Result.push_back(Text);
    }
  };
  Add(*First);
  llvm::for_each(Kernels, Add);
  return std::make_shared<std::vector<std::string>>(std::move(Result));
}

Fuser::Fuser(const Toolchain &Tools, llvm::ArrayRef<LoadedKernel> Kernels, EmitOptions Emit)
    : Tools(Tools), Kernels(Kernels), Options(std::move(Emit)) {
  std::vector<const KernelFacts *> Facts;
  for (const LoadedKernel &Kernel : Kernels)
    Facts.push_back(&Kernel.Facts);
  const std::vector<std::string> Names = constituentNames(Facts);
  if (Options.Name.empty())
    for (const KernelFacts *F : Facts)
      Options.Name += (Options.Name.empty() ? Facts.size() == 1 ? "fused_" : "" : "_") + F->Name;
  std::set<std::vector<std::string>> Seen;
  Flags.Macros = Kernels.front().Flags.Macros;
  Flags.Standard = Kernels.front().Flags.Standard;
  for (size_t I = 0; I < Kernels.size(); ++I) {
    const bool IsComposed = !Kernels[I].Parsed.Unit;
    Constituents.push_back({Names[I], &Kernels[I].Facts, &Kernels[I].Text, IsComposed ? nullptr : &Kernels[I].Parsed,
                            IsComposed ? &Kernels[I].Parts : nullptr});
    const CompileFlags &Each = Kernels[I].Flags;
    mergeSettings(Flags, Each);
    if (Seen.insert(Each.Nvcc).second) {
      Flags.Clang.insert(Flags.Clang.end(), Each.Clang.begin(), Each.Clang.end());
      Flags.Nvcc.insert(Flags.Nvcc.end(), Each.Nvcc.begin(), Each.Nvcc.end());
    }
    std::vector<std::string> Own = Kernels[I].OtherFolders;
    Own.insert(Own.begin(), folderOf(Kernels[I].Spec.File));
    for (const std::string &Folder : Own)
      if (std::find(Folders.begin(), Folders.end(), Folder) == Folders.end())
        Folders.push_back(Folder);
  }
  findForeignMacros(Constituents);
}

llvm::Expected<FusionPlan> Fuser::plan(const FusionConfig &Config) const {
  std::vector<const KernelFacts *> Facts;
  for (const Constituent &C : Constituents)
    Facts.push_back(C.Facts);
  return planFusion(Facts, Config, Kernels.front().Arch);
}

llvm::Expected<FusedSource> Fuser::emit(const FusionPlan &Plan) const { return emitFused(Constituents, Plan, Options); }

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
  if (llvm::Error Error = verifyFused(Tools, Fused, Constituents, Plan, Options, std::move(Request), KnownErrors))
    return Error;
  Verified.insert(Fused.Structure);
  return llvm::Error::success();
}

llvm::Expected<FusedSource> Fuser::source(const FusionConfig &Config) {
  auto Plan = plan(Config);
  if (!Plan)
    return Plan.takeError();
  auto Fused = emit(*Plan);
  if (!Fused)
    return Fused.takeError();
  if (llvm::Error Error = verify(*Fused, *Plan))
    return std::move(Error);
  return Fused;
}

llvm::Expected<RegisterLimit> Fuser::registerBound(const FusionConfig &Config, std::vector<std::string> *Explanation) {
  std::vector<SoloUse> Uses;
  unsigned SharedBytes = 0;
  for (size_t I = 0; I < Kernels.size(); ++I) {
    FusionConfig Alone;
    Alone.Constituents = {{Config.Constituents[I].Block, 1}};
    Alone.Grid = Config.Grid;
    EmitOptions Emit = Options;
    Emit.Name = "alone";
    Fuser Single(Tools, Kernels.slice(I, 1), Emit);
    auto Plan = Single.plan(Alone);
    if (!Plan)
      return Plan.takeError();
    auto Fused = Single.emit(*Plan);
    if (!Fused)
      return Fused.takeError();
    std::vector<std::string> NvccFlags = Kernels[I].Flags.Nvcc;
    if (!Kernels[I].Flags.Standard.empty())
      NvccFlags.push_back("-std=" + Kernels[I].Flags.Standard);
    NvccJob Job{Tools.Nvcc,
                Kernels[I].Arch,
                NvccFlags,
                {{Options.SourceFile, Fused->Source}, {Options.HeaderFile, Fused->Header}}};
    for (const std::string &Folder : Single.includeFolders())
      Job.Flags.insert(Job.Flags.end(), {"-I", Folder});
    auto Resources = measureResources(Job);
    if (!Resources)
      return Resources.takeError();
    if (Resources->size() != 1)
      return defect(fmt::format("ptxas reports {} kernels for one", Resources->size()));
    const ResourceUse &Use = Resources->begin()->second;
    const unsigned Threads = Plan->BlockThreads * Config.Constituents[I].Copies;
    Uses.push_back({Threads, Use.Registers});
    SharedBytes += Use.SharedBytes * Config.Constituents[I].Copies;
    if (Explanation)
      Explanation->push_back(
          fmt::format("{}: {} registers per thread alone (ptxas)", Constituents[I].Name, Use.Registers));
  }
  unsigned Most = 0;
  for (const SoloUse &Use : Uses)
    Most = std::max(Most, Use.Threads);
  const auto Bound =
      hfuseRegisterBound(smLimits(Kernels.front().Arch), Uses, SharedBytes, Config.Shape == Geometry::Warps ? 0 : Most);
  if (!Bound)
    return badInput("HFUSE's register bound does not exist: not one block fits on a multiprocessor",
                    "use smaller blocks, or --registers none");
  if (Explanation)
    Explanation->push_back(fmt::format("register bound: {} blocks per multiprocessor, at most {} registers per thread",
                                       Bound->BlocksPerSm, Bound->RegistersPerThread));
  return RegisterLimit{RegisterPolicy::Bound, Bound->RegistersPerThread, Bound->BlocksPerSm};
}

llvm::Expected<FuseResult> fuse(const Toolchain &Tools, const FuseRequest &Request) {
  FuseResult Result;
  auto Explain = [&](std::string Line) { Result.Explanation.push_back(std::move(Line)); };

  auto Linked = [&](llvm::ArrayRef<LoadedKernel> Kernels) -> llvm::Expected<std::vector<LinkedText>> {
    auto Graph = graphOf(Kernels, Request);
    if (!Graph)
      return Graph.takeError();
    BlockShape Block;
    if (!Request.Composition.Cooperative && rowConsumer(*Graph)) {
      auto Known = rootBlock(*Graph, Kernels, Request);
      if (!Known)
        return Known.takeError();
      Block = *Known;
    }
    return linkedTexts(*Graph, Block, Request.Composition);
  };
  auto Loaded = loadKernels(Tools, Request.Kernels, std::vector<InputFlags>(Request.Kernels.size(), Request.Flags),
                            Request.Vertical ? Linker(Linked) : nullptr);
  if (!Loaded)
    return Loaded.takeError();
  Result.Kernels = std::move(*Loaded);
  if (Request.StopAfter <= Step::Collect)
    return Result;

  if (llvm::Error Error = checkAll(Result.Kernels))
    return std::move(Error);
  Explain(Result.Kernels.front().Predefined
              ? "nvcc preprocesses the files, for each architecture, to the text that was read"
              : "not checked, since nvcc cannot be asked: that it preprocesses the files to the text that was read");
  if (Request.StopAfter == Step::Check)
    return Result;

  EmitOptions Options;
  Options.Name = Request.Name;
  llvm::SmallString<128> Header(Request.Output);
  llvm::sys::path::replace_extension(Header, ".h");
  Result.HeaderPath = std::string(Header);
  std::vector<std::string> Inputs = Request.OtherInputs;
  for (const LoadedKernel &Kernel : Result.Kernels)
    llvm::append_range(Inputs, Kernel.Text.Dependencies);
  if (llvm::Error Error = checkOutputs({Request.Output, Result.HeaderPath, Request.Depfile}, Inputs))
    return std::move(Error);
  Options.SourceFile = llvm::sys::path::filename(Request.Output).str();
  Options.HeaderFile = llvm::sys::path::filename(Header).str();
  Options.Command = Request.Command;
  Options.LineDirectives = Request.LineDirectives;
  if (Request.Composition.Cooperative) {
    if (llvm::Error Error = linkInMemory(Result.Kernels, Request))
      return std::move(Error);
  } else if (Request.Vertical) {
    // From here on, there is one kernel.
    auto Composed = composed(Result.Kernels, Request);
    if (!Composed)
      return Composed.takeError();
    Result.Kernels.clear();
    Result.Kernels.push_back(std::move(*Composed));
  }
  Fuser Fuser(Tools, Result.Kernels, Options);

  auto Chosen = Request.Configure ? Request.Configure(Result.Kernels)
                                  : configure(Request, Result.Kernels, Fuser.constituents(), Result.Explanation);
  if (!Chosen)
    return Chosen.takeError();
  const FusionConfig Config = std::move(*Chosen);
  auto Plan = Fuser.plan(Config);
  if (!Plan)
    return Plan.takeError();
  if (Config.Registers.Policy == RegisterPolicy::Bound && Config.Registers.MinBlocks == 0) {
    auto Limit = Fuser.registerBound(Config, &Result.Explanation);
    if (!Limit)
      return Limit.takeError();
    Plan->Registers = *Limit;
  }
  Result.Plan = std::move(*Plan);
  for (const PartitionPlan &P : Result.Plan.Partitions) {
    const KernelFacts &Facts = Result.Kernels[P.Constituent].Facts;
    const std::string Name = Fuser.constituents()[P.Constituent].Name;
    Explain(fmt::format("{}: threads {} to {}{}", Name, P.First, P.First + P.Reserved - 1,
                        P.PaddedThreads == P.Block.threads() ? "" : ", the last warp filled up with idle lanes"));
    Explain(P.WholeBlock && P.Synchronises ? fmt::format("{}: the barrier of the block, which is all its own", Name)
            : P.Synchronises
                ? fmt::format("{}: barrier {} for {} threads: {}", Name, P.Barrier, P.PaddedThreads,
                              Facts.namesAnyBarrier()   ? "it may name any"
                              : !Facts.Barriers.empty() ? "it synchronises"
                              : Facts.sharesIndices()   ? "its functions read the block index from shared memory"
                                                        : "its blocks follow each other in the same shared memory")
                : fmt::format("{}: no barrier: it never synchronises", Name));
    if (P.DropsOut)
      for (const Finding &Exit : Facts.ExitsBeforeBarrier)
        Explain(fmt::format("{}: an mbarrier instead, which leaving threads drop out of: {}: {}", Name,
                            Exit.Where.str(), Exit.What));
  }
  if (Request.StopAfter == Step::Plan)
    return Result;

  auto Fused = Fuser.emit(Result.Plan);
  if (!Fused)
    return Fused.takeError();
  Result.Fused = std::move(*Fused);
  if (llvm::Error Error = checkBeside(Request, Result.HeaderPath, Fuser, Result.Fused))
    return std::move(Error);
  for (const Constituent &C : Fuser.constituents())
    Explain(fmt::format("{}: {} declarations copied, {} includes kept", C.Name,
                        C.Text->Body.size() + C.Text->Header.size(), C.Text->Includes.size()));
  if (Request.StopAfter == Step::Emit)
    return Result;

  if (llvm::Error Error = Fuser.verify(Result.Fused, Result.Plan))
    return Request.Vertical && !Request.Composition.Cooperative
               ? refusedBesideEachOther(std::move(Error), Tools, Request, Options)
               : std::move(Error);
  Explain("verified: the text parses and means what the kernels mean in their files, but for what the plan changes");
  return Result;
}

} // namespace cufuse
