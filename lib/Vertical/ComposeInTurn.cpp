// Kernels one after the other by the same threads, with what they exchange in memory.
#include "ComposeText.h"
#include "EmittedCuda.h"

#include "cufuse/Dependence/InTurn.h"
#include "cufuse/Support/Error.h"

#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

namespace cufuse {

namespace {

/// The graph's kernels in its order, as planned. The user's text stays as it is, and so do all pointers:
///
/// - each kernel has a namespace of its own, `cufuse_NODE`;
/// - where a block is the team, it waits before a kernel that loads what another one stored;
/// - a free kernel is called for each of its elements that the team has, with a block of one thread, as in
///   `InlineAtStoreForm`.
///
/// Of what a thread keeps in registers, an object takes the pointers' place. Other parameters that lead to what kernels
/// exchange are not `__restrict__`: else the compiler would load it by the
/// read-only cache, which may not have what was stored.
class TurnComposer final : TextComposer {
public:
  TurnComposer(const VerticalGraph &Graph, const InTurnPlan &Plan, BlockShape Block,
               llvm::ArrayRef<const KernelText *> Texts, unsigned Turns)
      : TextComposer(Graph, Texts, Plan.Requirements), Plan(Plan), Block(Block),
        Turns(Turns > 1 && mayHaveTurns() ? Turns : 1) {}

  ComposedKernel run() {
    mergeFacts();
    for (unsigned Node : Graph.Order) {
      parameters(Node, [&](const std::string &Name) { return !isKept(Node, Name); });
      libraries(Node);
    }
    if (!Plan.Kept.empty()) {
      elementObjects();
      file(cuda::AsStored);
    }
    for (const auto &[Node, Parameter] : Plan.Exchanged)
      for (ParameterText &P : Result.Text.Parameters)
        if (P.Name == Graph.argumentName(Node, Parameter)) {
          P.Declaration = P.Declaration.without("__restrict__ ");
          if (P.Opaque)
            P.Opaque->Declaration = P.Opaque->Declaration.without("__restrict__ ");
        }
    for (unsigned Node : Graph.Order)
      text(Node, aliases(Node), Plan.ByElement[Node]);
    entry();
    turns();
    Result.Text.Note = note();
    Result.Text.LoadsFresh = Plan.LoadsFresh;
    conditions();
    limits();
    return std::move(Result);
  }

private:
  /// May a thread have its place in several blocks, and play them kernel by kernel? Then what is loaded is under way
  /// for all of them before anything is stored. Their threads have nothing in common, and know no grid; what they
  /// exchange is each one's own.
  bool mayHaveTurns() const {
    return Plan.By == Team::Thread && Plan.Kept.size() == Plan.Exchanged.size() &&
           llvm::all_of(Graph.Nodes, [](const VerticalNode &N) {
             const KernelFacts &F = *N.Facts;
             return !F.needsBarrier() && !F.usesShared() && F.WarpPrimitives.empty() && F.LibraryBarriers.empty() &&
                    !F.reads(Builtin::GridDim) && !F.SpinLoop &&
                    llvm::none_of(F.ReadByLibrary, [](bool Read) { return Read; });
           });
  }
  void turns() {
    if (Turns == 1)
      return;
    Result.Text.Turns = {dimensionOfTurns(), Turns};
    Result.Text.Variants = {"unsigned Turns", {{"turns > 1", std::to_string(Turns)}}, "1"};
    Result.Text.Callee = Result.Facts.Name + "<Turns>";
  }
  /// The last one of the grid.
  unsigned dimensionOfTurns() const {
    const Dimensions &Own = Result.Facts.Reads[static_cast<size_t>(Builtin::BlockIdx)];
    return Own[2] ? 2 : Own[1] ? 1 : 0;
  }
  bool isKept(unsigned Node, const std::string &Parameter) const { return Plan.Kept.count({Node, Parameter}); }
  /// The variable that has what a parameter leads to.
  std::string kept(unsigned Node, const std::string &Parameter) const {
    const auto [Of, Name] = Graph.memory(Node, Parameter);
    return "elementOf_" + Graph.argumentName(Of, Name);
  }
  OutputText aliases(unsigned Node) const {
    std::vector<OutputText> Lines;
    for (const ParameterText &P : Texts[Node]->Parameters)
      if (isKept(Node, P.Name))
        Lines.push_back(object(Node, P.Name, outputText("CufuseElement<{}>", element(Node, P.Name))));
    return joined(Lines, "\n");
  }

  void mergeFacts() {
    factsOfBlocks(Plan.ByElement);
    KernelFacts &All = Result.Facts;
    // Who leaves an earlier kernel goes on to the next.
    const unsigned Last = Graph.Order.back();
    const KernelFacts None, &End = Plan.ByElement[Last] || Plan.isNested(Last) ? None : *Graph.Nodes[Last].Facts;
    All.EarlyExits = End.EarlyExits;
    All.ExitsBeforeBarrier = End.ExitsBeforeBarrier;
    All.ExitsBeforeWarpPrimitive = End.ExitsBeforeWarpPrimitive;
    // What stands between the kernels asks for the block, and waits, too.
    if (asksForBlock())
      for (int D = 0; D < int(Plan.By == Team::Block ? Plan.Dimensions : 1); ++D) {
        All.Reads[static_cast<size_t>(Builtin::BlockIdx)][D] = true;
        All.Reads[static_cast<size_t>(Builtin::GridDim)][D] = true;
      }
    if (llvm::any_of(Plan.Barriers, [](const std::string &Why) { return !Why.empty(); }) ||
        llvm::any_of(Graph.Order, [&](unsigned Node) { return Plan.isNested(Node) && waitsAgain(Node); }))
      All.Barriers.push_back({"__syncthreads", All.Name, All.Where});
  }

  std::string argument(unsigned Node, const std::string &Parameter) const override {
    if (isKept(Node, Parameter))
      return (Turns > 1 ? "{" : "{&") + kept(Node, Parameter) + (Turns > 1 ? " + cufuse_turn}" : "}");
    const Flow *To = Graph.flowTo(Node, Parameter);
    return To ? pointerText(Graph, Node, Parameter, parameter(Node, Parameter).Element.written(),
                            argument(To->Producer, To->Out))
              : TextComposer::argument(Node, Parameter);
  }

  /// The function that the fused kernel calls.
  void entry() {
    OutputText Body;
    if (Plan.By != Team::Element && asksForBlock())
      Body += outputText("  const long long block = {};\n", blockNumber());
    for (const auto &[Node, Parameter] : Plan.Kept)
      if (Graph.memory(Node, Parameter) == std::pair(Node, Parameter))
        Body += outputText("  {} {}{};\n", element(Node, Parameter), kept(Node, Parameter), Turns > 1 ? "[Turns]" : "");
    for (size_t I = 0; I < Graph.Order.size(); ++I) {
      if (!Plan.Barriers[I].empty())
        Body += outputText("  __syncthreads(); // {}\n", Plan.Barriers[I]);
      Body += stage(Graph.Order[I]);
      for (const auto &[Node, Parameter] : Plan.Kept)
        if (Node == Graph.Order[I] && Graph.Nodes[Node].stores(Parameter))
          Body += outputText("  cufuseAsStored({});\n", kept(Node, Parameter));
    }
    if (Plan.By == Team::Element)
      Body = turn(Plan.Elements, width(), /*Whole=*/false, Body);
    main(outputText("/// {}: {}.\n/// {}", team(), Result.Facts.QualifiedName, exchanged()), Body);
  }

  /// Does a kernel's part of the block's depend on which block it is?
  bool asksForBlock() const {
    return llvm::any_of(Plan.Panels, [](const Polynomial &Panel) { return !Panel.isZero(); });
  }
  /// May a block of the kernel still use what the next one in the same threads does?
  bool waitsAgain(unsigned Node) const {
    const KernelFacts &Facts = *Graph.Nodes[Node].Facts;
    return Facts.needsBarrier() || Facts.usesShared();
  }

  std::string team() const {
    switch (Plan.By) {
    case Team::Block:
      return "In turn, a block its part of every kernel";
    case Team::Thread:
      return "In turn, a thread its part of every kernel";
    case Team::Element:
      break;
    }
    return "In turn, a thread so many elements of every kernel";
  }
  std::string exchanged() const {
    std::set<std::string> Names, Kept;
    for (const auto &[Node, Parameter] : Plan.Exchanged) {
      const auto [Of, Name] = Graph.memory(Node, Parameter);
      (isKept(Node, Parameter) ? Kept : Names).insert(name(Of) + "." + Name);
    }
    std::string Text = Names.empty() ? "" : fmt::format("In memory: {}.", llvm::join(Names, ", "));
    if (!Kept.empty())
      Text += fmt::format("{}In registers: {}.", Names.empty() ? "" : " ", llvm::join(Kept, ", "));
    return Text;
  }
  std::string note() const {
    std::string Text = team() + ": " + Result.Facts.QualifiedName + ". " + exchanged();
    for (unsigned Node : Graph.Order)
      if (Plan.isNested(Node)) {
        const Polynomial &Unit = Plan.Units[Node];
        Text += fmt::format(" {} has {}{} blocks for each{}.", name(Node), Plan.Panels[Node].str(),
                            Unit.asConstant() == 1 ? "" : " / " + Unit.str(),
                            Plan.Grid ? fmt::format(" of {}'s", name(*Plan.Grid)) : "");
      }
    return Text;
  }

  std::string blockNumber() const {
    switch (Plan.Dimensions) {
    case 1:
      return "blockIdx.x";
    case 2:
      return Plan.LastFirst ? "1ll * blockIdx.x * gridDim.y + blockIdx.y" : "1ll * blockIdx.y * gridDim.x + blockIdx.x";
    default:
      return Plan.LastFirst ? "(1ll * blockIdx.x * gridDim.y + blockIdx.y) * gridDim.z + blockIdx.z"
                            : "(1ll * blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x";
    }
  }

  /// `uint3{blockIdx.x, blockIdx.y * Turns + cufuse_turn, blockIdx.z}`
  std::string blockOfTurn() const {
    std::vector<std::string> Index = {"blockIdx.x", "blockIdx.y", "blockIdx.z"};
    Index[dimensionOfTurns()] += " * Turns + cufuse_turn";
    return "uint3{" + llvm::join(Index, ", ") + "}";
  }

  std::string blocksOfGrid() const {
    constexpr const char *Names[] = {"gridDim.x", "gridDim.x * gridDim.y", "gridDim.x * gridDim.y * gridDim.z"};
    return Names[Plan.Dimensions - 1];
  }

  unsigned width() const { return static_cast<unsigned>(*Plan.Panels[Graph.Root].asConstant()); }

  OutputText stage(unsigned Node) const {
    const ShapeFacts &Shape = *Graph.Nodes[Node].Shape;
    const bool IsNested = Plan.isNested(Node);
    std::vector<std::string> Arguments;
    if (Plan.ByElement[Node])
      Arguments = elementIndices(Node, "element", Shape.Width);
    else
      for (const auto &[Type, Name] : blockParameters(*Graph.Nodes[Node].Facts))
        Arguments.push_back(!IsNested            ? Turns > 1 ? blockOfTurn() : Name
                            : Name == "blockIdx" ? "uint3{static_cast<unsigned>(block * blocks + turn), 0, 0}"
                            : Name == "gridDim"
                                ? fmt::format("dim3(static_cast<unsigned>(blocks * {}))", blocksOfGrid())
                                : Name);
    for (const ParameterText &P : Texts[Node]->Parameters)
      Arguments.push_back(argument(Node, P.Name));
    const OutputText Call = outputText("{}({});\n", callee(Node), llvm::join(Arguments, ", "));
    if (Turns > 1)
      return "#pragma unroll\n  for (unsigned cufuse_turn = 0; cufuse_turn < Turns; ++cufuse_turn)\n    " + Call;
    if (IsNested)
      return outputText("  for (long long turn = 0, blocks = ({}) / ({}); turn < blocks; ++turn) {{\n    ",
                        deviceText(Plan.Panels[Node]), deviceText(Plan.Units[Node])) +
             Call +
             (waitsAgain(Node)                                   ? "    __syncthreads(); // before its next block\n"
              : !Graph.Nodes[Node].Facts->WarpPrimitives.empty() ? "    __syncwarp(); // before its next block\n"
                                                                 : "") +
             "  }\n";
    if (!Plan.ByElement[Node])
      return "  " + Call;
    const std::string Last = Shape.Width == 1 ? "" : fmt::format("{}ll * ", Shape.Width),
                      Group = Shape.Width == 1 ? "" : fmt::format(" / {}", Shape.Width);
    // Beyond its own bound it is not called: what it stores it guards there, but not always what it loads.
    const unsigned Behind = Shape.Tail ? 1 : Shape.Width;
    if (Plan.By == Team::Element) {
      const Polynomial Bound = Graph.inArguments(Node, Shape.Bound);
      const std::string Elements = Bound == Plan.Elements ? "elements" : deviceText(Bound);
      const bool AllExist = Shape.Unbounded || (width() == 1 && Bound == Plan.Elements);
      return outputText("    for (int k = 0; k < {}; k += {}) {{\n"
                        "      const unsigned element = (first + k){};\n{}      ",
                        width(), Shape.Width, Group,
                        AllExist      ? ""
                        : Behind == 1 ? fmt::format("      if (first + k < {})\n  ", Elements)
                                      : fmt::format("      if (first + k + {} <= {})\n  ", Behind, Elements)) +
             Call + "    }\n";
    }
    const std::string Panel = bracketed(deviceText(Plan.Panels[Node])).text();
    const std::string End =
        Shape.Unbounded ? Panel : fmt::format("min({}, {} - block * {})", Panel, value(Shape.Bound, Node), Panel);
    return outputText("  for (long long first = {0}, rest = {1},\n"
                      "                 index = cufuse_partition::rank();\n"
                      "       {2}index{4} < rest; index += cufuse_partition::Threads) {{\n"
                      "    const unsigned element = static_cast<unsigned>(first{3} + index);\n    ",
                      fmt::format("block * {}", Panel), End, Last, Group,
                      Behind == 1 ? "" : fmt::format(" + {}", Behind - 1)) +
           Call + "  }\n";
  }

  void limits() {
    for (const auto &[Panel, Unit] : Plan.Multiples)
      refuseIf(bracketed(hostText(Panel)) + " % " + bracketed(hostText(Unit)) + " != 0",
               Unit.asConstant() ? fmt::format("a block has whole groups of {} elements", *Unit.asConstant())
                                 : "a block has whole blocks of another kernel");
    // What is changed in place in an array that an earlier kernel has, too, goes by that one's name.
    for (const Flow &F : Graph.Flows)
      if (!Graph.isLive(F.Producer, F.Out) && !Graph.flowTo(F.Producer, F.Out) && !isKept(F.Producer, F.Out) &&
          isGiven(Graph.argumentName(F.Producer, F.Out)))
        refuseIf(outputText("{}{} == nullptr", OutputText(OutputText::Slot::Argument),
                            Graph.argumentName(F.Producer, F.Out)),
                 "it goes through memory");
    if (Plan.By == Team::Element)
      Result.Text.Elements = {countText(Plan.Elements), width(), 0, /*AnyBlock=*/true};
  }

  const InTurnPlan &Plan;
  const BlockShape Block;
  const unsigned Turns; ///< Blocks in which a thread has its place.
};

llvm::Expected<FormProof> prove(const VerticalGraph &Graph, BlockShape Block, const VerticalOptions &Options) {
  auto Proved = TRY(planInTurn(Graph, Block, Options.InMemory));
  if (Options.InMemory)
    Proved.Kept.clear();
  FormProof Proof;
  for (unsigned Node = 0; Node < Graph.Nodes.size(); ++Node)
    Proof.Edits.push_back({{}, {}, {}, Proved.ByElement[Node]});
  for (const auto &[Node, Parameter] : Proved.Kept)
    Proof.Edits[Node].Parameters.push_back(Parameter);
  Proof.Grid = Proved.Grid;
  for (unsigned Node = 0; Node < Graph.Nodes.size(); ++Node)
    if (Proved.isNested(Node))
      Proof.Nested[Node] = {Proved.Panels[Node], Proved.Units[Node]};
  if (Proved.By == Team::Element)
    Proof.Elements = {Proved.Elements, static_cast<unsigned>(*Proved.Panels[Graph.Root].asConstant())};
  Proof.Compose = [&Graph, Plan = std::move(Proved), Block,
                   Turns = Options.Vectorize](llvm::ArrayRef<const KernelText *> Texts) {
    return TurnComposer(Graph, Plan, Block, Texts, Turns).run();
  };
  return Proof;
}

} // namespace

const VerticalForm InTurnForm = {
    [](const VerticalGraph &) { return std::string("in turn"); },
    [](const VerticalGraph &) { return true; },
    [](const VerticalGraph &Graph, unsigned Node) { return Node == Graph.Root || !isFree(Graph.Nodes[Node]); },
    [](const VerticalGraph &, unsigned) { return 1u; },
    prove,
    /*EditsLinked=*/false};

} // namespace cufuse
