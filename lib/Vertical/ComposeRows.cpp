// Kernels one after the other in the same block, with their rows on chip.
#include "ComposeText.h"
#include "EmittedCuda.h"

#include "cufuse/Dependence/BlockLocal.h"

#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

namespace cufuse {

namespace {

/// The graph's kernels in its order, as planned. The user's text stays as it is but for the conditions of the loops
/// over the row:
///
/// - each kernel has a namespace of its own, `cufuse_NODE`, with its own meaning of `cufuse_linked_PARAMETER`;
/// - a scalar is a variable in shared memory; the block waits before it is loaded;
/// - an element of a row is in a register of its thread: the loops are unrolled, and their condition,
///   `cufuse_row.next`, says which turn it is. Inputs are loaded before the first kernel that needs them;
/// - pointwise kernels are called for every element of the row, with a block of one thread, as in `InlineAtStoreForm`.
///
/// The fused kernel is a template: an instance for rows of at most 1, 2, 4, … elements per thread, and one for longer
/// rows, whose intermediates go through memory: the arguments have room for them even where they are dead. `EvictLast`:
/// inputs are loaded with that priority in L2.
class RowComposer final : TextComposer {
public:
  RowComposer(const VerticalGraph &Graph, const BlockLocalPlan &Plan, BlockShape Block,
              llvm::ArrayRef<const KernelText *> Texts, bool EvictLast)
      : TextComposer(Graph, Texts, Plan.Requirements), Plan(Plan), Block(Block), EvictLast(EvictLast) {}

  ComposedKernel run() {
    mergeFacts();
    for (unsigned Node : Graph.Order) {
      parameters(Node, [&](const std::string &Name) { return remains(Node, Name); });
      libraries(Node);
    }
    pointerObjects(/*Stores=*/true);
    if (Plan.keepsRows()) {
      file(cuda::Row, {{"BLOCK", std::to_string(Block.X)}});
      file(cuda::RowAccess, {{"EVICT_LAST", EvictLast}});
      if (EvictLast)
        includePriorities();
    }
    if (llvm::is_contained(Plan.Values, RowValue::Scalar))
      file(cuda::ScalarAccess);
    for (unsigned Node : Graph.Order)
      text(Node, aliases(Node), Plan.ByElement[Node]);
    entry();
    conditions();
    variants();
    return std::move(Result);
  }

private:
  void includePriorities() {
    std::vector<IncludeLine> &Includes = Result.Text.Includes;
    const std::string Header = "#include <cuda/annotated_ptr>";
    if (llvm::none_of(Includes, [&](const IncludeLine &I) { return I.Text == Header; }))
      Includes.insert(Includes.begin(), {Header, "cuda/annotated_ptr", {}});
  }

  /// What one kernel reads of the block, all of them do now.
  void mergeFacts() {
    facts();
    KernelFacts &All = Result.Facts;
    for (unsigned Node : Graph.Order)
      if (!Plan.ByElement[Node] && Node != Graph.Root)
        All.includeWhatItDoes(*Graph.Nodes[Node].Facts);
    // What stands between the kernels reads and waits, too.
    for (Builtin B : {Builtin::ThreadIdx, Builtin::BlockIdx, Builtin::BlockDim})
      All.Reads[static_cast<size_t>(B)][0] = true;
    if (llvm::any_of(Plan.Barriers, [](const std::string &Why) { return !Why.empty(); }))
      All.Barriers.push_back({"__syncthreads", All.Name, All.Where});
    // The launcher takes an instance for as many registers as the block can have.
    All.MaxThreads = std::min(All.MaxThreads.value_or(Block.X), Block.X);
  }

  /// The flow that starts at a parameter, and whether its memory is still wanted.
  const Flow *flowFrom(unsigned Node, llvm::StringRef Out) const {
    for (const Flow &F : Graph.Flows)
      if (F.Producer == Node && F.Out == Out)
        return &F;
    return nullptr;
  }
  bool isScalar(const Flow &F) const { return Plan.Values[&F - Graph.Flows.data()] == RowValue::Scalar; }
  const RowInput *inputTo(unsigned Node, const std::string &Parameter) const {
    for (const RowInput &Input : Plan.Inputs)
      if (llvm::is_contained(Input.Readers, std::pair(Node, Parameter)))
        return &Input;
    return nullptr;
  }

  bool remains(unsigned Node, const std::string &Parameter) const {
    const Flow *From = flowFrom(Node, Parameter);
    return !From || !isScalar(*From) || Graph.isLive(Node, Parameter);
  }

  /// The types of linked parameters.
  OutputText aliases(unsigned Node) const {
    std::vector<OutputText> Lines;
    if (Plan.keepsRows() && !Plan.ByElement[Node])
      Lines.push_back("using cufuse_partition = CufuseRowPartition;");
    for (const ParameterText &P : Texts[Node]->Parameters) {
      OutputText Type;
      const OutputText T = element(Node, P.Name);
      if (const Flow *To = Graph.flowTo(Node, P.Name))
        Type = outputText("{}<{}>", isScalar(*To) ? "CufuseScalarLoad" : "CufuseRowLoad", T);
      else if (const Flow *From = flowFrom(Node, P.Name))
        Type = outputText("{}<{}, {}>", isScalar(*From) ? "CufuseScalarStore" : "CufuseRowStore", T,
                          Graph.isLive(Node, P.Name));
      else if (inputTo(Node, P.Name))
        Type = outputText("CufuseRowLoad<{}>", T);
      else
        continue;
      Lines.push_back(object(Node, P.Name, Type));
    }
    return joined(Lines, "\n");
  }

  /// What a kernel is given for a parameter.
  std::string given(unsigned Node, const std::string &Parameter) const {
    if (const Flow *To = Graph.flowTo(Node, Parameter)) {
      const std::string Name = Graph.argumentName(To->Producer, To->Out);
      return isScalar(*To) ? fmt::format("{{&sharedOf_{}}}", Name) : fmt::format("{{row, rowOf_{0}, {0}}}", Name);
    }
    const std::string Own = Graph.argumentName(Node, Parameter);
    if (const Flow *From = flowFrom(Node, Parameter))
      return isScalar(*From) ? fmt::format("{{&sharedOf_{}, {}}}", Own, Graph.isLive(Node, Parameter) ? Own : "nullptr")
                             : fmt::format("{{row, rowOf_{0}, {0}}}", Own);
    if (const RowInput *Input = inputTo(Node, Parameter))
      return fmt::format("{{row, rowOf_{0}, {0}}}", Graph.argumentName(Input->Node, Input->Parameter));
    return argument(Node, Parameter);
  }

  /// The function that the fused kernel calls.
  void entry() {
    std::vector<OutputText> Parameters;
    for (const auto &[Type, Name] : blockParameters(Result.Facts))
      Parameters.push_back(fmt::format("const {} {}", Type, Name));
    llvm::append_range(Parameters, declarations());

    OutputText Body;
    if (Plan.keepsRows())
      Body += outputText("  unsigned turn = 0;\n"
                         "  const CufuseRow row{{Turns, Full, &turn}};\n"
                         "  constexpr unsigned kept = Turns > 0 ? Turns : 1;\n"
                         "  [[maybe_unused]] const long long length = {}, first = blockIdx.x * ({});\n",
                         deviceText(Plan.Length), deviceText(Plan.Stride));
    for (const RowInput &Input : Plan.Inputs)
      Body += outputText("  {} rowOf_{}[kept];\n", element(Input.Node, Input.Parameter),
                         Graph.argumentName(Input.Node, Input.Parameter));
    std::set<std::string> Declared;
    for (const Flow &F : Graph.Flows)
      if (const std::string Name = Graph.argumentName(F.Producer, F.Out); Declared.insert(Name).second) {
        const ParameterAccess &P = *Graph.Nodes[F.Producer].parameter(F.Out);
        const OutputText T = element(F.Producer, F.Out);
        if (isScalar(F))
          Result.Facts.StaticShared.push_back({"sharedOf_" + Name, P.Element, P.Bytes, Result.Facts.Name, {}});
        if (isScalar(F) && P.Constructed)
          Body += outputText("  __shared__ __align__(alignof({0})) unsigned char bytesOf_{1}[sizeof({0})];\n"
                             "  {0} &sharedOf_{1} = *reinterpret_cast<{0} *>(bytesOf_{1});\n",
                             T, Name);
        else
          Body += isScalar(F) ? outputText("  __shared__ {} sharedOf_{};\n", T, Name)
                              : outputText("  {} rowOf_{}[kept];\n", T, Name);
      }
    for (size_t I = 0; I < Graph.Order.size(); ++I) {
      for (const RowInput &Input : Plan.Inputs)
        if (Input.FirstUse == I)
          Body += outputText("  cufuseLoadRow(row, rowOf_{0}, {0} + first, length);\n",
                             Graph.argumentName(Input.Node, Input.Parameter));
      if (!Plan.Barriers[I].empty())
        Body += outputText("  __syncthreads(); // {}\n", Plan.Barriers[I]);
      Body += stage(Graph.Order[I]);
    }
    code(outputText("\n/// By row, since {}: {}.\n/// {}\n{}__device__ __forceinline__ void {}({}) {{\n{}}}",
                    Plan.Reason, Result.Facts.QualifiedName, kept(),
                    Plan.keepsRows() ? "template <unsigned Turns, unsigned Full>\n" : "", Result.Facts.Name,
                    wrapped("\n    ", Parameters, "", 4), Body));
    Result.Text.Callee = Result.Facts.Name + (Plan.keepsRows() ? "<Turns, Full>" : "");
  }

  /// For the reader: what is kept where.
  std::string kept() const {
    std::set<std::string> Scalars, Rows, Inputs;
    for (const Flow &F : Graph.Flows)
      (isScalar(F) ? Scalars : Rows).insert(name(F.Producer) + "." + F.Out);
    for (const RowInput &Input : Plan.Inputs)
      Inputs.insert(name(Input.Node) + "." + Input.Parameter);
    std::string Text;
    auto Add = [&](const char *Where, const std::set<std::string> &Names) {
      if (!Names.empty())
        Text += fmt::format("{}{}: {}", Text.empty() ? "" : ". ", Where, llvm::join(Names, ", "));
    };
    Add("In shared memory", Scalars);
    Add("In registers", Rows);
    Add("Loaded once", Inputs);
    return Text + ".";
  }

  OutputText stage(unsigned Node) const {
    const bool ByElement = Plan.ByElement[Node];
    std::vector<std::string> Arguments;
    if (!Plan.Loops[Node].empty())
      Arguments.push_back("row");
    if (ByElement)
      llvm::append_range(Arguments, elementIndices(Node, "element"));
    else
      for (const auto &[Type, Name] : blockParameters(*Graph.Nodes[Node].Facts))
        Arguments.push_back(Name);
    for (const ParameterText &P : Texts[Node]->Parameters)
      Arguments.push_back(given(Node, P.Name));
    const OutputText Call = outputText("{}({});\n", callee(Node), llvm::join(Arguments, ", "));
    if (!ByElement)
      return "  " + Call;
    return "#pragma unroll\n"
           "  for (unsigned index = threadIdx.x; row.next(index, index < length); index += CufuseRow::block) {\n"
           "    const unsigned element = static_cast<unsigned>(first + index);\n"
           "    " +
           Call + "  }\n";
  }

  /// Instances by the number of turns; with all of them full, no element is asked for.
  void variants() {
    if (!Plan.keepsRows())
      return;
    TextVariants &V = Result.Text.Variants;
    V.Parameters = "unsigned Turns, unsigned Full";
    V.Otherwise = "0, 0";
    const OutputText Length = hostText(Plan.Length);
    const auto Known = Plan.Length.asConstant();
    for (unsigned Turns = Plan.MostTurns; Turns > 0; Turns /= 2) {
      const unsigned All = Turns * Block.X;
      const std::string Some = fmt::format("{}, {}", Turns, Turns / 2), Full = fmt::format("{0}, {0}", Turns);
      if (!Known)
        V.Conditions.insert(V.Conditions.begin(),
                            {{outputText("{} == {}", Length, All), Full}, {outputText("{} <= {}", Length, All), Some}});
      else if (*Known <= All)
        V.Otherwise = *Known == All ? Full : Some;
    }
    // Longer rows go through memory.
    std::set<std::string> Needed;
    for (const Flow &F : Graph.Flows)
      if (!isScalar(F) && !Graph.isLive(F.Producer, F.Out))
        Needed.insert(Graph.argumentName(F.Producer, F.Out));
    for (const std::string &Argument : Needed)
      refuseIf(outputText("{} > {} && {}.arguments.{} == nullptr", Length, Plan.MostTurns * Block.X,
                          OutputText(OutputText::Slot::Launch), Argument),
               "longer rows go through memory");
  }

  const BlockLocalPlan &Plan;
  const BlockShape Block;
  const bool EvictLast;
};

llvm::Expected<FormProof> prove(const VerticalGraph &Graph, BlockShape Block, const VerticalOptions &Options) {
  auto Proved = planBlockLocal(Graph, Block);
  if (!Proved)
    return Proved.takeError();
  const BlockLocalPlan &Plan = *Proved;
  FormProof Proof;
  for (unsigned Node = 0; Node < Graph.Nodes.size(); ++Node)
    Proof.Edits.push_back({linkedParameters(Graph, Node), Plan.Loops[Node], {}, Plan.ByElement[Node]});
  for (const RowInput &Input : Plan.Inputs)
    for (const auto &[Reader, Parameter] : Input.Readers)
      Proof.Edits[Reader].Parameters.push_back(Parameter);
  Proof.LoadsRows = !Plan.Inputs.empty();
  Proof.Compose = [&Graph, Plan, Block, Last = Options.EvictLast](llvm::ArrayRef<const KernelText *> Texts) {
    return RowComposer(Graph, Plan, Block, Texts, Last).run();
  };
  if (Plan.keepsRows())
    Proof.Instance = [&Graph, Elements = Plan.Length, Most = Plan.MostTurns,
                      Block](ValueOf Value) -> llvm::Expected<std::vector<unsigned>> {
      const auto Length = Value(Elements);
      if (!Length)
        return badInput(fmt::format("the elements of a row of {} cannot be counted", Graph.Nodes[Graph.Root].Name));
      std::vector<unsigned> Instance = {0, 0}; // turns, and turns that are full
      for (unsigned Turns = Most; Turns > 0; Turns /= 2) {
        const std::int64_t All = std::int64_t(Turns) * Block.X;
        if (*Length <= All)
          Instance = {Turns, *Length == All ? Turns : Turns / 2};
      }
      return Instance;
    };
  return Proof;
}

} // namespace

const VerticalForm ByRowForm = {[](const VerticalGraph &) { return std::string("by row"); },
                                [](const VerticalGraph &Graph) { return !Graph.OneLoop && rowConsumer(Graph); },
                                [](const VerticalGraph &Graph, unsigned Node) {
                                  return Node == Graph.Root || Graph.Nodes[Node].Shape->Shape != KernelShape::Pointwise;
                                },
                                [](const VerticalGraph &, unsigned) { return 1u; }, prove};

} // namespace cufuse
