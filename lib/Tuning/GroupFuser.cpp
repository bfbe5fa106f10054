#include "GroupFuser.h"

#include "cufuse/Plan/FusedLaunch.h"
#include "cufuse/Support/Error.h"

#include <fmt/format.h>
#include <llvm/ADT/SmallVectorExtras.h>
#include <llvm/Support/MathExtras.h>

#include <cstring>
#include <map>
#include <numeric>
#include <set>

namespace cufuse {

namespace {

constexpr unsigned Widths[] = {1, 2, 4, 8};
constexpr unsigned OtherBlocks[] = {128, 256, 512}; // threads

/// The buffer that an argument points into, by the workload's name.
const std::string *bufferOf(const WorkloadKernel &Kernel, const WorkloadArgument &Argument) {
  if (Argument.Value)
    for (const Expression *Name : namesIn(*Argument.Value))
      if (const auto Found = Kernel.Buffers.find(Name->Text); Found != Kernel.Buffers.end())
        return &Found->second;
  return nullptr;
}

struct Touches {
  bool Reads = true, Writes = true;
};

Touches touches(const LoadedKernel &Kernel, const WorkloadArgument &Argument) {
  const VerticalNode Node{"", &Kernel.Facts, &Kernel.Accesses, &Kernel.Shape};
  const ParameterAccess *Parameter = Argument.Path.empty() ? Node.parameter(Argument.Parameter) : nullptr;
  if (!Parameter)
    return {};
  if (Parameter->ReadOnly)
    return {true, false};
  if (!Kernel.Accesses.Unfollowed.empty())
    return {};
  Touches Found{false, Node.stores(Argument.Parameter)};
  for (const AccessSite &Site : Kernel.Accesses.Sites)
    Found.Reads |=
        Site.Parameter == Argument.Parameter && (Site.What != AccessSite::Kind::Store || Site.Compound || !Site.Whole);
  return Found;
}

/// The value of a scalar argument.
std::optional<std::int64_t> integerOf(const ParameterFacts &Parameter, const KernelArgument &Argument) {
  if (Parameter.Fields.size() != 1 || Argument.Bytes.size() > sizeof(std::int64_t))
    return std::nullopt;
  const ScalarKind Kind = Parameter.Fields.front().Kind;
  if (Kind != ScalarKind::Signed && Kind != ScalarKind::Unsigned)
    return std::nullopt;
  std::int64_t Value = Kind == ScalarKind::Signed && (Argument.Bytes.back() & 0x80) ? -1 : 0;
  std::memcpy(&Value, Argument.Bytes.data(), Argument.Bytes.size());
  return Value;
}

std::uint64_t blocksOf(const PackedKernel &Of) {
  return std::accumulate(Of.Launch.Grid.begin(), Of.Launch.Grid.end(), std::uint64_t(1), std::multiplies<>());
}

/// What is done with members of a parameter is not followed.
bool mayStoreThrough(const KernelFacts &Kernel, const WorkloadArgument &Argument) {
  for (const ParameterFacts &Parameter : Kernel.Parameters)
    for (const FieldFacts &Field : Parameter.Fields)
      if (Parameter.Name == Argument.Parameter && Field.Path == Argument.Path)
        return Field.Kind == ScalarKind::Pointer && !llvm::StringRef(Field.Type).starts_with("const ");
  return true;
}

} // namespace

GraphFacts graphOf(const TuningSubject &Subject) {
  GraphFacts Graph;
  for (const BufferSpec &Buffer : Subject.Work.Buffers) {
    GraphArray Array{
        Buffer.Name, Buffer.Count * bytesOf(Buffer.Type), {}, {}, llvm::is_contained(Subject.Work.Dead, Buffer.Name)};
    for (unsigned I = 0; I < Subject.Work.Kernels.size(); ++I) {
      Touches Own{false, false};
      for (const WorkloadArgument &Argument : Subject.Work.Kernels[I].Arguments)
        if (const std::string *Name = bufferOf(Subject.Work.Kernels[I], Argument); Name && *Name == Buffer.Name) {
          const Touches One = touches(Subject.Kernels[I], Argument);
          Own = {Own.Reads || One.Reads, Own.Writes || One.Writes};
        }
      if (Own.Reads)
        Array.Readers.push_back(I);
      if (Own.Writes)
        Array.Writers.push_back(I);
    }
    Graph.Arrays.push_back(std::move(Array));
  }
  for (const WorkloadLink &Link : Subject.Work.Links)
    if (const std::pair<unsigned, unsigned> Both = std::minmax(Link.From, Link.To);
        Link.IsArray && !llvm::is_contained(Graph.Links, Both))
      Graph.Links.push_back(Both);
  llvm::sort(Graph.Links);
  return Graph;
}

llvm::Expected<std::vector<std::string>> notCompared(const TuningSubject &Subject) {
  std::vector<std::string> Notes;
  for (const BufferSpec &Buffer : Subject.Work.Buffers) {
    if (Buffer.Output || llvm::is_contained(Subject.Work.Dead, Buffer.Name))
      continue;
    const WorkloadKernel *Writer = nullptr, *MayWrite = nullptr;
    std::set<const WorkloadKernel *> Users;
    for (const auto &[Given, Kernel] : llvm::zip_equal(Subject.Work.Kernels, Subject.Kernels))
      for (const WorkloadArgument &Argument : Given.Arguments) {
        const std::string *Name = bufferOf(Given, Argument);
        if (!Name || *Name != Buffer.Name)
          continue;
        Users.insert(&Given);
        const VerticalNode Node{"", &Kernel.Facts, &Kernel.Accesses, &Kernel.Shape};
        if (Argument.Path.empty() && Node.parameter(Argument.Parameter) && Node.stores(Argument.Parameter))
          Writer = &Given;
        else if (!Argument.Path.empty() && mayStoreThrough(Kernel.Facts, Argument))
          MayWrite = &Given;
      }
    if (!Writer && MayWrite)
      Notes.push_back(fmt::format("{} may store into '{}', which is no output: what is there is not compared.",
                                  MayWrite->Name, Buffer.Name));
    if (!Writer)
      continue;
    if (!Subject.isLinked() && Users.size() > 1)
      return badInput(
          fmt::format("{} stores into '{}', which another kernel uses at the same time", Writer->Name, Buffer.Name),
          "give each a buffer of its own, or say `links: …`", Writer->Where);
    Notes.push_back(fmt::format("{} stores into '{}', which is no output: what is there is not compared.", Writer->Name,
                                Buffer.Name));
  }
  return Notes;
}

/// As the graph of these kernels calls them.
std::vector<std::string> GroupFuser::namesOf(llvm::ArrayRef<unsigned> Members) const {
  return constituentNames(llvm::map_to_vector(
      Members, [this](unsigned Member) -> const KernelFacts * { return &Subject.Kernels[Member].Facts; }));
}

bool GroupFuser::isUsedOutside(const std::string &Buffer, llvm::ArrayRef<unsigned> Members) const {
  for (unsigned I = 0; I < Subject.Work.Kernels.size(); ++I)
    for (const WorkloadArgument &Argument : Subject.Work.Kernels[I].Arguments)
      if (const std::string *Name = bufferOf(Subject.Work.Kernels[I], Argument);
          Name && *Name == Buffer && !llvm::is_contained(Members, I))
        return true;
  return false;
}

/// The links among these kernels, and which of their intermediates nobody else reads.
FuseRequest GroupFuser::requestFor(llvm::ArrayRef<unsigned> Members) const {
  const std::vector<std::string> Names = namesOf(Members);
  auto NameOf = [&](unsigned Kernel) { return Names[llvm::find(Members, Kernel) - Members.begin()]; };
  FuseRequest Request;
  Request.Distinct = true;
  for (const WorkloadLink &Link : Subject.Work.Links) {
    if (!llvm::is_contained(Members, Link.From) || !llvm::is_contained(Members, Link.To))
      continue;
    LinkText Text{NameOf(Link.From), NameOf(Link.To), Link.Factors, Link.Parameter, ""};
    Text.Text = fmt::format("{}.{}={}.{}", Text.From, fmt::join(Link.Factors, "*"), Text.To, Link.Parameter);
    Request.Links.push_back(std::move(Text));
    const LoadedKernel &Producer = Subject.Kernels[Link.From];
    const WorkloadKernel &Given = Subject.Work.Kernels[Link.From];
    const std::string Out = NameOf(Link.From) + "." + Link.Factors.front();
    if (!Link.IsArray || llvm::is_contained(Request.Dead, Out) ||
        !VerticalNode{"", &Producer.Facts, &Producer.Accesses, &Producer.Shape}.stores(Link.Factors.front()))
      continue;
    for (const WorkloadArgument &Argument : Given.Arguments)
      if (const std::string *Buffer = bufferOf(Given, Argument); Buffer && Argument.Parameter == Link.Factors.front() &&
                                                                 llvm::is_contained(Subject.Work.Dead, *Buffer) &&
                                                                 !isUsedOutside(*Buffer, Members))
        Request.Dead.push_back(Out);
  }
  return Request;
}

std::vector<LoadedKernel> GroupFuser::kernelsOf(llvm::ArrayRef<unsigned> Members) const {
  std::vector<LoadedKernel> Kernels;
  for (unsigned Member : Members)
    Kernels.push_back(Subject.Kernels[Member]);
  return Kernels;
}

GroupWays GroupFuser::ways(llvm::ArrayRef<unsigned> Members) const {
  const std::vector<LoadedKernel> Kernels = kernelsOf(Members);
  const PackedShapes &Packed = Subject.Packed;
  GroupWays Ways;
  llvm::Error Blocked = checkAll(Kernels);
  auto Graph = Blocked ? llvm::Expected<VerticalGraph>(std::move(Blocked)) : graphOf(Kernels, requestFor(Members));
  if (!Graph) { // said by `fuse`
    llvm::consumeError(Graph.takeError());
    Ways.Blocks = {Packed[Members.front()].front().Block};
    return Ways;
  }
  const std::vector<const VerticalForm *> Forms = formsFor(*Graph);
  if (Graph->OneLoop) {
    Ways.Vectorize.clear();
    for (unsigned Width : Widths)
      if (Forms.front()->Width(*Graph, Width) == Width)
        Ways.Vectorize.push_back(Width);
    if (Ways.Vectorize.empty())
      Ways.Vectorize = {Forms.front()->Width(*Graph, 1)};
  }
  auto Allows = [&](unsigned Member, const BlockShape &Block) {
    return llvm::any_of(Packed[Member], [&](const PackedKernel &Kernel) { return Kernel.Block == Block; });
  };
  for (const PackedKernel &Shape : Packed[Members[Graph->Root]]) {
    const bool Wanted = Ways.Blocks.empty() || llvm::is_contained(OtherBlocks, Shape.Block.threads());
    const bool Fits = llvm::all_of(llvm::enumerate(Members), [&](const auto &Each) {
      return Each.index() == Graph->Root || Allows(Each.value(), Shape.Block) ||
             llvm::none_of(Forms, [&](const VerticalForm *Form) { return Form->HasBlock(*Graph, Each.index()); });
    });
    if (Wanted && Fits &&
        llvm::none_of(Ways.Blocks, [&](const BlockShape &Known) { return Known.threads() == Shape.Block.threads(); }))
      Ways.Blocks.push_back(Shape.Block);
  }
  if (Ways.Blocks.empty())
    Ways.Blocks = {Packed[Members[Graph->Root]].front().Block};
  return Ways;
}

/// Fused, buffers that are not linked are distinct.
llvm::Error GroupFuser::checkShared(const VerticalGraph &Graph, llvm::ArrayRef<unsigned> Members) const {
  struct Use {
    unsigned Node;
    std::string Parameter;
    bool Writes;
  };
  std::map<std::string, std::vector<Use>> Uses;
  for (unsigned Node = 0; Node < Members.size(); ++Node)
    for (const WorkloadArgument &Argument : Subject.Work.Kernels[Members[Node]].Arguments)
      if (const std::string *Buffer = bufferOf(Subject.Work.Kernels[Members[Node]], Argument))
        Uses[*Buffer].push_back({Node, Argument.Parameter, touches(Subject.Kernels[Members[Node]], Argument).Writes});
  for (const auto &[Buffer, Those] : Uses)
    for (const Use &A : Those)
      for (const Use &B : Those)
        if (&A < &B && (A.Writes || B.Writes) && Graph.memory(A.Node, A.Parameter) != Graph.memory(B.Node, B.Parameter))
          return badInput(fmt::format("{}.{} and {}.{} are both '{}', which one of them writes, and no link says so",
                                      Graph.Nodes[A.Node].Name, A.Parameter, Graph.Nodes[B.Node].Name, B.Parameter,
                                      Buffer),
                          "link them, or give each a buffer of its own");
  return llvm::Error::success();
}

std::optional<std::int64_t> GroupFuser::valueOf(const VerticalGraph &Graph, llvm::ArrayRef<unsigned> Members,
                                                const std::string &Atom) const {
  if (const auto Found = Graph.Quotients.find(Atom); Found != Graph.Quotients.end()) {
    const auto Dividend = valueOf(Graph, Members, Found->second.Dividend);
    const auto Divisor = valueOf(Graph, Members, Found->second.Divisor);
    return Dividend && Divisor && *Divisor != 0 ? std::optional(*Dividend / *Divisor) : std::nullopt;
  }
  for (unsigned Node = 0; Node < Members.size(); ++Node) {
    const KernelFacts &Facts = *Graph.Nodes[Node].Facts;
    for (size_t I = 0; I < Facts.Parameters.size(); ++I)
      if (Atom == Graph.Nodes[Node].Name + "." + Facts.Parameters[I].Name)
        return integerOf(Facts.Parameters[I], Subject.Packed[Members[Node]].front().Arguments[I]);
  }
  return std::nullopt;
}

std::optional<std::int64_t> GroupFuser::valueOf(const VerticalGraph &Graph, llvm::ArrayRef<unsigned> Members,
                                                const Polynomial &P) const {
  std::int64_t Sum = 0;
  for (const auto &[Atoms, Factor] : P.terms()) {
    std::int64_t Term = Factor;
    for (const std::string &Atom : Atoms) {
      const auto Value = valueOf(Graph, Members, Atom);
      if (!Value)
        return std::nullopt;
      Term *= *Value;
    }
    Sum += Term;
  }
  return Sum;
}

/// The launch that its launcher would be given: the root's grid, or in one loop a turn for each thread.
llvm::Expected<PackedKernel> GroupFuser::pack(const VerticalGraph &Graph, const FormProof &Proof,
                                              llvm::ArrayRef<unsigned> Members, const LaunchGroup &How,
                                              const KernelFacts &Composed) const {
  const std::vector<const VerticalForm *> Forms = formsFor(Graph);
  PackedKernel Whole{How.Block, {}, {}, false};
  std::vector<PackedKernel> Each;
  std::vector<bool> InBlock;
  for (unsigned Node = 0; Node < Members.size(); ++Node) {
    const unsigned Member = Members[Node];
    InBlock.push_back(llvm::any_of(Forms, [&](const VerticalForm *Form) { return Form->HasBlock(Graph, Node); }));
    auto One = TRY(packKernel(*Graph.Nodes[Node].Facts, Subject.Work.Kernels[Member], Subject.Work.Buffers,
                              InBlock.back() ? How.Block : Subject.Packed[Member].front().Block));
    Whole.Launch.DynamicBytes = std::max(Whole.Launch.DynamicBytes, One.Launch.DynamicBytes);
    Each.push_back(std::move(One));
  }
  const unsigned GridOf = Proof.Grid.value_or(Graph.Root);
  Whole.Launch.Grid = Each[GridOf].Launch.Grid;
  if (const auto &Elements = Proof.Elements) {
    const auto Count = valueOf(Graph, Members, Elements->Elements);
    if (!Count || *Count < 1)
      return badInput(fmt::format("the elements of {} cannot be counted", Graph.Nodes[Graph.Root].Name));
    const std::uint64_t Turn = How.Block.threads() * Elements->PerThread;
    Whole.Launch.Grid = {static_cast<std::uint32_t>(llvm::divideCeil(static_cast<std::uint64_t>(*Count), Turn)), 1, 1};
  } else {
    for (unsigned Node = 0; Node < Members.size(); ++Node) {
      bool Fits = !InBlock[Node] || Each[Node].Launch.Grid == Whole.Launch.Grid;
      if (const auto Found = Proof.Nested.find(Node); Found != Proof.Nested.end()) {
        const auto Panel = valueOf(Graph, Members, Found->second.first),
                   Unit = valueOf(Graph, Members, Found->second.second);
        Fits = Panel && Unit && *Unit > 0 && blocksOf(Each[Node]) == blocksOf(Whole) * *Panel / *Unit;
      }
      if (!Fits)
        return badInput(fmt::format("{} and {} have different grids, and work on rows", Graph.Nodes[GridOf].Name,
                                    Graph.Nodes[Node].Name));
    }
  }
  for (const ParameterFacts &Left : Composed.Parameters) {
    const KernelArgument *Found = nullptr;
    for (unsigned Node = 0; Node < Members.size(); ++Node)
      for (size_t I = 0; I < Each[Node].Arguments.size(); ++I)
        if (Left.Name == Graph.argumentName(Node, Graph.Nodes[Node].Facts->Parameters[I].Name))
          Found = &Each[Node].Arguments[I];
    if (!Found)
      return defect(
          fmt::format("the composed kernel has a parameter '{}', which is of none of its kernels", Left.Name));
    Whole.Arguments.push_back(*Found);
  }
  return Whole;
}

/// As the launcher counts them; 0 where it does not.
std::uint64_t GroupFuser::elementsOf(const VerticalGraph &Graph, const FormProof &Proof,
                                     llvm::ArrayRef<unsigned> Members, const PackedKernel &Packed) const {
  const auto Count = Proof.Elements    ? valueOf(Graph, Members, Proof.Elements->Elements)
                     : Proof.RowLength ? valueOf(Graph, Members, *Proof.RowLength)
                                       : std::nullopt;
  if (!Count || *Count < 1)
    return 0;
  return Proof.Elements ? *Count : *Count * blocksOf(Packed);
}

llvm::Expected<FusedGroup> GroupFuser::fuse(llvm::ArrayRef<unsigned> Members, const LaunchGroup &How,
                                            const EmitOptions &Emit) const {
  std::vector<LoadedKernel> Kernels = kernelsOf(Members);
  TRY(checkAll(Kernels));
  auto Graph = TRY(graphOf(Kernels, requestFor(Members)));
  TRY(checkShared(Graph, Members));
  auto Composed = TRY(composeKernels(Graph, Kernels, How.Block, VerticalOptions{How.Vectorize}));

  FusedGroup Group;
  Group.Kernel.push_back(std::move(Composed.Kernel));
  Group.Packed = TRY(pack(Graph, Composed.Proof, Members, How, Group.Kernel.front().Facts));
  EmitOptions Own = Emit;
  Group.Elements = elementsOf(Graph, Composed.Proof, Members, Group.Packed);
  if (Emit.Apart)
    Own.ApartBelow = Group.Elements;
  Group.Text = std::make_unique<Fuser>(Tools, Group.Kernel, Own);
  FusionConfig Config;
  Config.Constituents = {{.Block = How.Block}};
  Group.Plan = TRY(Group.Text->plan(Config));
  Group.Source = TRY(Group.Text->emit(Group.Plan));
  Group.Entry = fusedEntry(Group.Plan, Group.Text->options().Name);
  if (Composed.Proof.Instance) {
    auto Instance = TRY(Composed.Proof.Instance([&](const Polynomial &P) { return valueOf(Graph, Members, P); }));
    Group.Entry.back() = 'I'; // of the template's arguments
    for (unsigned Argument : Instance)
      Group.Entry += fmt::format("Lj{}E", Argument);
    Group.Entry += 'E';
  }
  return Group;
}

} // namespace cufuse
