// Consumers inlined where their producer stores.
#include "ComposeText.h"
#include "EmittedCuda.h"

#include "cufuse/Dependence/BlockLocal.h"
#include "cufuse/Dependence/Legality.h"
#include "cufuse/Dependence/Neighbours.h"
#include "cufuse/Dependence/Sources.h"
#include "cufuse/Support/Error.h"

#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

namespace cufuse {

namespace {

/// What is known of the places at which the root accesses intermediates.
struct Places {
  BlockShape Block;
  std::map<std::string, Neighbours> Tiles; ///< Parameters of which a block computes all that its threads load.
  std::set<unsigned> Own;                  ///< Consumers whose elements are the root's, by their places.

  unsigned tileSize(const Neighbours &N) const { return (Block.X + 2 * N.X) * (Block.Y + 2 * N.Y); }
};

/// The graph's root, with every consumer at the stores to its intermediate. The user's text stays as it is:
///
/// - each kernel has a namespace of its own, `cufuse_NODE`, with its own meaning of `cufuse_linked_PARAMETER`;
/// - the parameter that a producer stores to is an object whose `operator[]` gives an element, and whose assignment
///   stores the value, if the intermediate is live, and calls the consumers with it;
/// - a consumer sees the element as its block: `blockIdx.x` is the element, `blockDim.x` is 1, and `gridDim.x` is so
///   large that a grid-stride loop ends after one turn; the parameter that it loads from is an object whose
///   `operator[]` gives the value.
///
/// Linked parameters and dead intermediates are none of the fused kernel's. Requirements become conditions
/// of the launch.
class StoreComposer final : TextComposer {
public:
  StoreComposer(const VerticalGraph &Graph, llvm::ArrayRef<const KernelText *> Texts,
                llvm::ArrayRef<AtMost> Requirements, const Places &Where)
      : TextComposer(Graph, Texts, Requirements), Sources(sourcesOf(Graph)), Where(Where) {}

  ComposedKernel run() {
    facts();
    for (unsigned Node : Graph.Order)
      parameters(Node, [&](const std::string &Name) { return remains(Node, Name); });
    libraries(Graph.Root);
    elementObjects();
    // What is called stands before its caller.
    for (unsigned Node : Graph.Order)
      if (Graph.isBefore(Node))
        text(Node, objects(Node), /*AsElement=*/true);
    if (!Where.Tiles.empty())
      file(cuda::Tile);
    for (const Source &S : Sources)
      source(S);
    for (unsigned Node : llvm::reverse(Graph.Order)) {
      if (Graph.isBefore(Node))
        continue;
      for (const std::string &Out : outputs(Node))
        sink(Node, Out);
      text(Node, objects(Node), Node != Graph.Root);
    }
    entry();
    conditions();
    return std::move(Result);
  }

private:
  bool isWide(unsigned Node, const std::string &Parameter) const {
    return llvm::any_of(Graph.Nodes[Node].sites(Parameter), [](const AccessSite *Site) { return Site->Width > 1; });
  }

  /// What the linked parameters of a node are.
  OutputText objects(unsigned Node) const {
    std::vector<OutputText> Lines;
    for (const Flow &F : Graph.Flows)
      if (F.Consumer == Node && !llvm::is_contained(outputs(Node), F.In))
        Lines.push_back(object(Node, F.In,
                               Graph.isBefore(F.Producer) && Node == Graph.Root
                                   ? sinkType(Node, F.In)
                                   : outputText("CufuseElement<{}{}>", Graph.Nodes[Node].stores(F.In) ? "" : "const ",
                                                element(Node, F.In))));
    for (const std::string &Out : outputs(Node))
      Lines.push_back(object(
          Node, Out, Graph.isBefore(Node) ? outputText("CufuseElement<{}>", element(Node, Out)) : sinkType(Node, Out)));
    return joined(Lines, "\n");
  }

  std::string sinkType(unsigned Node, const std::string &Out) const {
    return fmt::format("CufuseAt_{}_{}", name(Node), Out);
  }

  /// The intermediates that a node stores, by parameter; behind the root's stores, not what it changes in place.
  std::vector<std::string> outputs(unsigned Node) const {
    std::vector<std::string> Names;
    for (const Flow &F : Graph.Flows)
      if (F.Producer == Node && (Graph.isBefore(Node) || !Graph.flowTo(Node, F.Out)) &&
          !llvm::is_contained(Names, F.Out))
        Names.push_back(F.Out);
    return Names;
  }
  /// Those who take what is stored, in their order; also what one of them has changed.
  std::vector<const Flow *> takers(unsigned Node, const std::string &Out) const {
    std::vector<const Flow *> All = Graph.flowsFrom(Node, Out);
    llvm::sort(All, [](const Flow *A, const Flow *B) { return A->Consumer < B->Consumer; });
    if (const Flow *Changed = Graph.changedInPlace(Node, Out))
      llvm::append_range(All, takers(Changed->Consumer, Changed->In));
    return All;
  }
  bool remains(unsigned Node, const std::string &Parameter) const {
    return isStored(Node, Parameter) || llvm::any_of(Graph.Flows, [&](const Flow &F) {
             return Graph.isBefore(F.Producer) && isInMemory(F.Producer, F.Out) &&
                    Graph.memory(F.Producer, F.Out) == std::pair(Node, Parameter);
           });
  }
  /// An intermediate of a kernel before the root. What the root loads beyond the elements that are made is there.
  bool isInMemory(unsigned Node, const std::string &Out) const {
    return Graph.isLive(Node, Out) || beginsInMemory(Graph, Node, Out) ||
           llvm::any_of(Graph.flowsFrom(Node, Out), [&](const Flow *F) { return F->Consumer == Graph.Root; });
  }
  std::string memory(unsigned Node, const std::string &Out) const {
    const auto [Of, Name] = Graph.memory(Node, Out);
    return inElements(Node, Out, Graph.argumentName(Of, Name));
  }
  /// Is it in memory in the end, as the node or a consumer makes it?
  bool isStored(unsigned Node, const std::string &Parameter) const {
    const Flow *Changed = Graph.changedInPlace(Node, Parameter);
    return Changed ? isStored(Changed->Consumer, Changed->In) : Graph.isLive(Node, Parameter);
  }

  bool isSource(const Flow &F) const { return F.Consumer == Graph.Root && Graph.isBefore(F.Producer); }

  const Neighbours *tileOf(const Flow &F) const {
    const auto Found = Where.Tiles.find(F.In);
    return isSource(F) && Found != Where.Tiles.end() ? &Found->second : nullptr;
  }
  /// Fills them: in front of the root.
  OutputText tiles() {
    OutputText Text;
    for (const Flow &F : Graph.Flows)
      if (const Neighbours *Tile = tileOf(F)) {
        const unsigned Size = Where.tileSize(*Tile);
        Text += outputText("  __shared__ {} cufuse_tile_{}[{}];\n", element(F.Consumer, F.In), F.In, Size);
        Text +=
            outputText("  const {0} cufuse_source_{1}{2};\n  cufuse_source_{1}.tile.fill(cufuse_source_{1}, {3});\n",
                       sinkType(F.Consumer, F.In), F.In, sourceFields(F),
                       value(Graph.Nodes[F.Producer].Shape->Sizes[1], F.Producer));
        const ParameterAccess &P = *Graph.Nodes[F.Consumer].parameter(F.In);
        Result.Facts.StaticShared.push_back({"cufuse_tile_" + F.In, P.Element, Size * P.Bytes, Result.Facts.Name, {}});
      }
    if (Text.empty())
      return Text;
    Result.Facts.Barriers.push_back({"__syncthreads", Result.Facts.Name, Result.Facts.Where});
    return Text + "  __syncthreads();\n";
  }

  /// An element of its own: of an intermediate, or of what it changes in place and nobody takes.
  bool makes(unsigned Node, const std::string &Name) const {
    return Graph.isIntermediate(Node, Name) || (Graph.flowTo(Node, Name) && Graph.Nodes[Node].stores(Name));
  }

  /// What makes elements where the root loads them.
  struct Making {
    std::vector<OutputText> Fields, Calls;
    std::vector<std::string> Values; ///< Of the fields.
  };
  Making making(const Source &S, bool ByPlaces) const {
    Making Result;
    auto Field = [&](OutputText Declaration, std::string Value) {
      Result.Fields.push_back("  " + std::move(Declaration) + ";");
      Result.Values.push_back(std::move(Value));
    };
    for (unsigned Node : S.Makers) {
      std::vector<std::string> Arguments = {"uint3{x, y, 0}"};
      if (!ByPlaces)
        Arguments = elementIndices(Node, "static_cast<unsigned>(element)", 1,
                                   [&](const std::string &Atom) { return OutputText(name(Node) + "_" + Atom); });
      for (const ParameterText &P : Texts[Node]->Parameters) {
        const Flow *In = Graph.flowTo(Node, P.Name);
        const std::string Own = name(Node) + "_" + P.Name,
                          Taken = In ? fmt::format("made_{}_{}", name(In->Producer), In->Out) : "";
        if (makes(Node, P.Name)) {
          const bool Begins = beginsInMemory(Graph, Node, P.Name);
          if (Begins || Graph.isLive(Node, P.Name))
            Field(outputText("{} *memory_{}", element(Node, P.Name), Own), memory(Node, P.Name));
          // All loads come before what is computed.
          Result.Calls.insert(In ? Result.Calls.end() : Result.Calls.begin(),
                              outputText("    {} made_{}{};", element(Node, P.Name), Own,
                                         In       ? " = " + Taken
                                         : Begins ? " = memory_" + Own + "[element]"
                                                  : ""));
          Arguments.push_back(fmt::format("{{&made_{}}}", Own));
        } else if (In) {
          Arguments.push_back("{&" + Taken + "}");
        } else {
          Field(nested(P.Field, space(Node)).with(OutputText::Slot::Name, Own), argument(Node, P.Name));
          Arguments.push_back(Own);
        }
      }
      Result.Calls.push_back(outputText("    {}({});", callee(Node), llvm::join(Arguments, ", ")));
    }
    for (unsigned Node : S.Makers)
      for (const ParameterText &P : Texts[Node]->Parameters)
        if (makes(Node, P.Name) && Graph.isLive(Node, P.Name))
          Result.Calls.push_back(fmt::format("    memory_{0}_{1}[element] = made_{0}_{1};", name(Node), P.Name));
    return Result;
  }
  std::string made(const Flow &F) const { return fmt::format("made_{}_{}", name(F.Producer), F.Out); }

  /// The objects that the root loads through.
  void source(const Source &S) {
    const Flow &First = *S.Flows.front();
    const Neighbours *Tile = tileOf(First);
    Making Own = making(S, Tile != nullptr);
    const VerticalNode &Root = Graph.Nodes[Graph.Root];
    const bool IsAlone = Root.sites(First.In).size() == 1 && Root.parameter(First.In)->Idle.empty(),
               Several = S.Flows.size() > 1;
    if (S.Once) {
      std::vector<OutputText> Values;
      for (const Flow *F : S.Flows) {
        Values.push_back(outputText("  {} value_{};", element(Graph.Root, F->In), F->In));
        Own.Calls.push_back(fmt::format("    value_{} = {};", F->In, made(*F)));
      }
      file(cuda::Made, {{"LOADED_AGAIN", Several || !IsAlone},
                        {"SEVERAL", Several},
                        {"NODE", name(Graph.Root)},
                        {"TYPE", madeType(S)},
                        {"FIELDS", joined(Own.Fields, "\n")},
                        {"VALUES", joined(Values, "\n")},
                        {"CALLS", joined(Own.Calls, "\n")}});
    }
    OutputText TileType;
    if (Tile)
      TileType = outputText("CufuseTile<{}, {}, {}, {}, {}>", element(First.Consumer, First.In), Where.Block.X,
                            Where.Block.Y, Tile->X, Tile->Y);
    for (const Flow *F : S.Flows)
      file(cuda::Source, {{"MADE_ONCE", S.Once},
                          {"LOADED_AGAIN", !Several && !IsAlone},
                          {"WIDE", isWide(F->Consumer, F->In)},
                          {"TILED", Tile != nullptr},
                          {"TILE", TileType},
                          {"NODE", name(F->Consumer)},
                          {"PARAMETER", F->In},
                          {"TYPE", sinkType(F->Consumer, F->In)},
                          {"MAKER", madeType(S)},
                          {"FIELDS", joined(Own.Fields, "\n")},
                          {"ELEMENT", element(F->Consumer, F->In)},
                          {"CALLS", joined(Own.Calls, "\n")},
                          {"MADE", S.Once ? "value_" + F->In : made(*F)}});
  }
  std::string madeType(const Source &S) const {
    return fmt::format("CufuseMade_{}_{}", name(Graph.Root), S.Flows.front()->In);
  }
  const Source &sourceOf(const Flow &F) const {
    return *llvm::find_if(Sources, [&](const Source &S) { return llvm::is_contained(S.Flows, &F); });
  }
  std::string sourceValue(const Flow &F) const {
    return tileOf(F) ? "cufuse_source_" + F.In : sinkType(F.Consumer, F.In) + sourceFields(F);
  }
  std::string sourceFields(const Flow &F) const {
    const Source &S = sourceOf(F);
    const Neighbours *Tile = tileOf(F);
    if (S.Once)
      return fmt::format("{{&cufuse_made_{}, {}}}", S.Flows.front()->In, memory(F.Producer, F.Out));
    std::vector<std::string> Values = making(S, Tile != nullptr).Values;
    Values.push_back(memory(F.Producer, F.Out));
    const ShapeFacts &Shape = *Graph.Nodes[F.Producer].Shape;
    if (Tile)
      Values.push_back(fmt::format("{{cufuse_tile_{}, static_cast<int>(blockIdx.x * {}) - {}, static_cast<int>("
                                   "blockIdx.y * {}) - {}, {}}}",
                                   F.In, Where.Block.X, Tile->X, Where.Block.Y, Tile->Y,
                                   argument(F.Producer, *Shape.Sizes[0].atoms().begin())));
    else
      Values.push_back(value(Shape.Bound, F.Producer));
    return "{" + llvm::join(Values, ", ") + "}";
  }

  /// The object that a producer stores through.
  void sink(unsigned Node, const std::string &Out) {
    const std::string Type = sinkType(Node, Out);
    const OutputText T = element(Node, Out);
    const bool Live = isStored(Node, Out), Changed = Graph.changedInPlace(Node, Out);
    std::vector<OutputText> Fields, Calls;
    if (Live)
      Fields.push_back(outputText("  {} *memory;", T));
    if (Changed)
      Calls.push_back(outputText("    {} changed = value;", T));
    else if (Live)
      Calls.push_back("    memory[index] = value;");
    std::vector<std::string> Consumers;
    for (const Flow *Taken : takers(Node, Out)) {
      const Flow &F = *Taken;
      const std::string &Consumer = name(F.Consumer);
      Consumers.push_back(Consumer);
      std::vector<std::string> Arguments = {Consumer + "_place"};
      if (Where.Own.count(F.Consumer))
        Fields.push_back("  uint3 " + Consumer + "_place;");
      else
        Arguments = elementIndices(F.Consumer, "static_cast<unsigned>(index)", 1,
                                   [&](const std::string &Atom) { return OutputText(Consumer + "_" + Atom); });
      for (const ParameterText &P : Texts[F.Consumer]->Parameters) {
        const std::string Field = Consumer + "_" + P.Name;
        if (P.Name == F.In) {
          Arguments.push_back(Changed ? "{&changed}" : "{&value}");
          continue;
        }
        if (llvm::is_contained(outputs(F.Consumer), P.Name)) {
          Arguments.push_back("{" + Field + "}");
          Fields.push_back(outputText("  {} {};", sinkType(F.Consumer, P.Name), Field));
          continue;
        }
        Arguments.push_back(Field);
        Fields.push_back(outputText("  {};", nested(P.Field, space(F.Consumer)).with(OutputText::Slot::Name, Field)));
      }
      Calls.push_back(outputText("    {}({});", callee(F.Consumer), llvm::join(Arguments, ", ")));
    }
    if (Changed && Live)
      Calls.push_back("    memory[index] = changed;");
    file(cuda::Sink, {{"NODE", name(Node)},
                      {"PARAMETER", Out},
                      {"WHERE", (Changed ? "to memory as it is changed by "
                                 : Live  ? "to memory and to "
                                         : "to ") +
                                    llvm::join(Consumers, " and ")},
                      {"TYPE", Type},
                      {"FIELDS", joined(Fields, "\n")},
                      {"ELEMENT", T},
                      {"CALLS", joined(Calls, "\n")},
                      {"WIDE", isWide(Node, Out)}});
  }

  std::string argument(unsigned Node, const std::string &Parameter) const override {
    if (const Flow *In = Graph.flowTo(Node, Parameter))
      return sourceValue(*In);
    if (llvm::is_contained(outputs(Node), Parameter))
      return sinkValue(Node, Parameter);
    return TextComposer::argument(Node, Parameter);
  }
  /// All that the stores must know but the element itself.
  std::string sinkValue(unsigned Node, const std::string &Out) const {
    std::vector<std::string> Fields;
    if (isStored(Node, Out))
      Fields.push_back(inElements(Node, Out, Graph.argumentName(Node, Out)));
    for (const Flow *F : takers(Node, Out)) {
      if (Where.Own.count(F->Consumer))
        Fields.push_back(fmt::format("uint3{{blockIdx.x * {} + threadIdx.x, blockIdx.y * {} + threadIdx.y, 0}}",
                                     Where.Block.X, Where.Block.Y));
      for (const ParameterText &P : Texts[F->Consumer]->Parameters)
        if (P.Name != F->In)
          Fields.push_back(argument(F->Consumer, P.Name));
    }
    return sinkType(Node, Out) + "{" + llvm::join(Fields, ", ") + "}";
  }

  /// The function that the fused kernel calls in place of the root.
  void entry() {
    const std::vector<OutputText> Parameters = mainParameters();
    std::vector<std::string> Arguments;
    for (const auto &[Type, Name] : blockParameters(Result.Facts))
      Arguments.push_back(Name);
    for (const ParameterText &P : Texts[Graph.Root]->Parameters)
      Arguments.push_back(Graph.flowTo(Graph.Root, P.Name) || llvm::is_contained(outputs(Graph.Root), P.Name)
                              ? "{" + argument(Graph.Root, P.Name) + "}"
                              : argument(Graph.Root, P.Name));
    if (!Where.Tiles.empty() || !Where.Own.empty())
      for (Builtin B : {Builtin::ThreadIdx, Builtin::BlockIdx})
        for (int D = 0; D < 2; ++D)
          Result.Facts.Reads[static_cast<size_t>(B)][D] = true;
    OutputText Kept = tiles();
    for (const Source &S : Sources)
      if (S.Once) {
        std::vector<std::string> Values = making(S, false).Values;
        const Flow &First = *S.Flows.front();
        Values.push_back(value(Graph.Nodes[First.Producer].Shape->Bound, First.Producer));
        Kept += fmt::format("  {} cufuse_made_{}{{{}}};\n", madeType(S), First.In, llvm::join(Values, ", "));
      }
    const std::string Head = fmt::format("__device__ __forceinline__ void {}(", Result.Facts.Name);
    code(outputText("\n{}{}) {{\n{}  {}({});\n}}", Head, wrapped("\n    ", Parameters, "", 4), Kept, callee(Graph.Root),
                    llvm::join(Arguments, ", ")));
    Result.Text.Callee = Result.Facts.Name;
  }

  const std::vector<Source> Sources;
  const Places &Where;
};

/// Divisions that places save, and neighbours that a block computes once.
Places findPlaces(const VerticalGraph &Graph, BlockShape Block, std::vector<AtMost> &Requirements) {
  Places Where{Block, {}, {}};
  const VerticalNode &Root = Graph.Nodes[Graph.Root];
  auto IsOfPlaces = [&](unsigned Node) {
    const VerticalNode &N = Graph.Nodes[Node];
    return N.Shape->Sizes.size() == 2 && N.Facts->reads(Builtin::BlockIdx) && !N.Facts->reads(Builtin::GridDim);
  };
  auto HaveOneWidth = [&](unsigned A, unsigned B) {
    return IsOfPlaces(A) && IsOfPlaces(B) &&
           Graph.inArguments(A, Graph.Nodes[A].Shape->Sizes[0]) == Graph.inArguments(B, Graph.Nodes[B].Shape->Sizes[0]);
  };
  constexpr unsigned long long MostBytes = 32768;
  constexpr unsigned MostTurns = 6; // of neighbours far away, most are nobody's
  unsigned long long Bytes = Root.Facts->staticSharedBytes();
  std::set<unsigned> Elsewhere;
  for (const Flow &F : Graph.Flows) {
    const bool IsBefore = Graph.isBefore(F.Producer);
    if (Root.Facts->sharesIndices() || (IsBefore ? F.Consumer : F.Producer) != Graph.Root)
      continue;
    const ParameterAccess &P = *Root.parameter(IsBefore ? F.In : F.Out);
    auto Found = neighboursOf(Graph, P.Name, IsBefore ? F.Producer : F.Consumer, Block);
    if (!IsBefore) {
      const bool IsOwn = Found && Found->X + Found->Y == 0 && IsOfPlaces(F.Consumer);
      (IsOwn ? Where.Own : Elsewhere).insert(F.Consumer);
      if (IsOwn)
        llvm::append_range(Requirements, Found->Needs);
      continue;
    }
    if (!Found || Found->X + Found->Y == 0 || Graph.isLive(F.Producer, F.Out) || P.Constructed ||
        Bytes + Where.tileSize(*Found) * P.Bytes > MostBytes ||
        Where.tileSize(*Found) > MostTurns * Block.X * Block.Y ||
        !llvm::all_of(Graph.Before, [&](unsigned Node) { return HaveOneWidth(Node, F.Producer); }))
      continue;
    llvm::append_range(Requirements, Found->Needs);
    Bytes += Where.tileSize(*Found) * P.Bytes;
    // The rows of a tile are numbered by `int`.
    Requirements.push_back(
        {Graph.inArguments(F.Producer, Graph.Nodes[F.Producer].Shape->Sizes[0]) * Polynomial(2 * Found->Y + 1),
         Polynomial(std::numeric_limits<int>::max())});
    Where.Tiles.emplace(P.Name, std::move(*Found));
  }
  for (unsigned Node : Elsewhere)
    Where.Own.erase(Node);
  return Where;
}

llvm::Expected<FormProof> prove(const VerticalGraph &Graph, BlockShape Block, const VerticalOptions &Options) {
  TRY(requireTree(Graph));
  auto Requirements = TRY(checkInlineAtStore(Graph, Block, Options.Recompute));
  FormProof Proof;
  for (unsigned Node = 0; Node < Graph.Nodes.size(); ++Node)
    Proof.Edits.push_back({linkedParameters(Graph, Node), {}, {}, Node != Graph.Root});
  Places Where = findPlaces(Graph, Block, Requirements);
  Proof.Compose = [&Graph, Where = std::move(Where),
                   Requirements = std::move(Requirements)](llvm::ArrayRef<const KernelText *> Texts) {
    return StoreComposer(Graph, Texts, Requirements, Where).run();
  };
  return Proof;
}

} // namespace

const VerticalForm InlineAtStoreForm = {
    [](const VerticalGraph &Graph) { return std::string(Graph.Before.empty() ? "at stores" : "at loads"); },
    [](const VerticalGraph &Graph) { return !Graph.OneLoop && (!rowConsumer(Graph) || !Graph.Before.empty()); },
    [](const VerticalGraph &Graph, unsigned Node) { return Node == Graph.Root; },
    [](const VerticalGraph &, unsigned) { return 1u; }, prove};

} // namespace cufuse
