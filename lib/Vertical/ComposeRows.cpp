// Kernels one after the other in the same block, with their rows on chip.
#include "ComposeElements.h"
#include "EmittedCuda.h"
#include "RowInstances.h"

#include "cufuse/Dependence/BlockLocal.h"
#include "cufuse/Dependence/InTurn.h"
#include "cufuse/Support/Error.h"

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
/// The fused kernel is a template: `instances` for rows of so many elements per thread, and one for longer
/// rows, whose intermediates go through memory: the arguments have room for them even where they are dead. `EvictLast`:
/// inputs are loaded with that priority in L2.
///
/// Where a thread may have several elements next to each other, an instance is for one or for so many, and each turn
/// asks `cufuse_row.element` which one is its own.
class RowComposer final : TextComposer {
public:
  RowComposer(const VerticalGraph &Graph, const BlockLocalPlan &Plan, BlockShape Block,
              llvm::ArrayRef<const KernelText *> Texts, bool EvictLast, bool OfLanes)
      : TextComposer(Graph, Texts, Plan.Requirements), Plan(Plan), Block(Block), EvictLast(EvictLast),
        OfLanes(OfLanes) {}

  ComposedKernel run() {
    mergeFacts();
    for (unsigned Node : Graph.Order) {
      parameters(Node, [&](const std::string &Name) { return remains(Node, Name); });
      libraries(Node);
    }
    pointerObjects();
    if (Plan.keepsRows()) {
      const bool IsWide = Plan.Wide > 1;
      if (IsWide)
        file(cuda::ElementsInMemory);
      std::vector<Given> Values = {{"BLOCK", std::to_string(Block.X)}};
      if (IsWide)
        Values.push_back({"WIDE", std::to_string(Plan.Wide)});
      file(cuda::Row, Values);
      file(cuda::RowAccess, {{"EVICT_LAST", EvictLast}, {"WIDE", IsWide}});
      file(cuda::RowChange, {{"WIDE", IsWide}});
      file(cuda::RowParts, {{"WIDE", IsWide}});
      file(cuda::ElementGroups, {{"CHANGED", changesGroups(Graph)}});
      file(cuda::AsStored);
      file(cuda::RowStreams);
      if (EvictLast)
        includePriorities();
    }
    file(cuda::ScalarAccess);
    if (OfLanes && llvm::any_of(Result.Facts.WarpPrimitives, [](const Finding &Each) { return Each.OfBlockReduce; }))
      file(cuda::BlockReduce, {{"BLOCK", std::to_string(Block.X)}});
    std::vector<KnownCondition> Known;
    for (unsigned Node : Graph.Order)
      if (Plan.ByElement[Node])
        llvm::append_range(Known, knownConditions(Graph.Nodes[Node]));
    file(cuda::Turn, askedConditions(Known));
    for (unsigned Node : Graph.Order)
      text(Node, aliases(Node), Plan.ByElement[Node]);
    entry();
    conditions();
    variants();
    if (Plan.Wide > 1)
      Result.Text.Note =
          fmt::format("By row, {} elements of a thread at a time: sums are taken in another order than by "
                      "separate launches",
                      Plan.Wide);
    else if (!Plan.Narrow.empty())
      Result.Text.Note = "By row, but one element of a thread at a time, as by separate launches: " + Plan.Narrow;
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
    factsOfBlocks(Plan.ByElement);
    KernelFacts &All = Result.Facts;
    // What stands between the kernels reads and waits, too.
    for (Builtin B : {Builtin::ThreadIdx, Builtin::BlockIdx, Builtin::BlockDim})
      All.Reads[static_cast<size_t>(B)][0] = true;
    if (Plan.keepsParts() || llvm::any_of(Plan.Barriers, [](const std::string &Why) { return !Why.empty(); }))
      All.Barriers.push_back({"__syncthreads", All.Name, All.Where});
    // The launcher takes an instance for as many registers as the block can have.
    All.MaxThreads = std::min(All.MaxThreads.value_or(Block.X), Block.X);
  }

  /// The flow that starts at a parameter, and whether its memory is still wanted.
  const Flow *flowFrom(unsigned Node, llvm::StringRef Out) const {
    const std::vector<const Flow *> All = Graph.flowsFrom(Node, Out);
    return All.empty() ? nullptr : All.front();
  }
  bool isScalar(const Flow &F) const { return Plan.Values[&F - Graph.Flows.data()] == RowValue::Scalar; }
  const RowInput *inputTo(unsigned Node, const std::string &Parameter) const {
    for (const RowInput &Input : Plan.Inputs)
      if (llvm::is_contained(Input.Readers, std::pair(Node, Parameter)))
        return &Input;
    return nullptr;
  }

  const RowStream *streamTo(unsigned Node, const std::string &Parameter) const {
    for (const RowStream &S : Plan.Streams)
      if (S.Node == Node && S.Parameter == Parameter)
        return &S;
    return nullptr;
  }
  const RowDatum *datumTo(unsigned Node, const std::string &Parameter) const {
    for (const RowDatum &Each : Plan.Data)
      if (Each.Node == Node && Each.Parameter == Parameter)
        return &Each;
    return nullptr;
  }
  /// A pointwise kernel that takes several elements at a time.
  bool isGroup(unsigned Node) const { return Plan.ByElement[Node] && Graph.Nodes[Node].Shape->Width > 1; }
  /// What it stores goes to registers, and from there to memory.
  bool isStoredLater(const Flow &F) const { return isGroup(F.Producer) && Graph.isLive(F.Producer, F.Out); }
  /// Does the consumer change it in place?
  bool changes(const Flow &F) const { return Graph.Nodes[F.Consumer].stores(F.In); }
  /// The argument that has what the parameter leads to: the first's of kernels that change an array one behind the
  /// other.
  std::string memoryName(unsigned Node, const std::string &Parameter) const {
    const auto [Of, Own] = Graph.memory(Node, Parameter);
    return Graph.argumentName(Of, Own);
  }
  bool isChanged(unsigned Node, const std::string &Parameter) const { return Plan.Changed.count({Node, Parameter}); }

  bool remains(unsigned Node, const std::string &Parameter) const {
    const Flow *From = flowFrom(Node, Parameter);
    return !From || !isScalar(*From) || Graph.isLive(Node, Parameter);
  }

  /// The types of linked parameters.
  OutputText aliases(unsigned Node) const {
    std::vector<OutputText> Lines;
    for (const ParameterText &P : Texts[Node]->Parameters) {
      OutputText Type;
      const OutputText T = element(Node, P.Name);
      const Flow *To = Graph.flowTo(Node, P.Name);
      if (isGroup(Node) && (To || flowFrom(Node, P.Name)))
        Type = outputText("CufuseElements<{}, {}, {}>", T, Plan.Wide, Graph.Nodes[Node].parameter(P.Name)->ReadOnly);
      else if (const RowParts &Parts = Plan.Parts[Node]; To && !isScalar(*To) && Parts.Count > 1)
        Type = outputText("CufuseRowPart<{}, {}, {}>", T, Parts.Count, Parts.Interleaved);
      else if (To && changes(*To))
        Type = outputText("CufuseRowElement<{}>", T);
      else if (To)
        Type = outputText("{}<{}>", isScalar(*To) ? "CufuseScalarLoad" : "CufuseRowLoad", T);
      else if (isChanged(Node, P.Name))
        Type = outputText("CufuseRowElement<{}>", T);
      else if (const RowStream *Own = streamTo(Node, P.Name))
        Type = Own->Stores ? outputText("CufuseStreamStore<{}>", T)
                           : outputText("CufuseStreamLoad<{}, {}>", T, ahead(*Own));
      else if (const Flow *From = flowFrom(Node, P.Name))
        Type = outputText("{}<{}, {}>", isScalar(*From) ? "CufuseScalarStore" : "CufuseRowStore", T,
                          Graph.isLive(Node, P.Name));
      else if (const RowInput *Input = inputTo(Node, P.Name); Input && Input->InParts)
        Type = outputText("CufuseRowPart<const {}, {}, {}>", T, Plan.Parts[Node].Count, Plan.Parts[Node].Interleaved);
      else if (Input)
        Type = outputText("CufuseRowLoad<{}>", T);
      else if (datumTo(Node, P.Name))
        Type = outputText("CufuseScalarLoad<{}>", T);
      else
        continue;
      Lines.push_back(object(Node, P.Name, Type));
    }
    return joined(Lines, "\n");
  }

  /// What a kernel is given for a parameter.
  std::string given(unsigned Node, const std::string &Parameter) const {
    const Flow *Of = Graph.flowTo(Node, Parameter);
    if (isGroup(Node) && (Of || flowFrom(Node, Parameter)))
      return fmt::format("{{rowOf_{} + turn, true}}", memoryName(Node, Parameter));
    if (const Flow *To = Graph.flowTo(Node, Parameter)) {
      const std::string Name = memoryName(Node, Parameter);
      return isScalar(*To) ? fmt::format("{{&sharedOf_{}}}", Name)
             : Plan.Parts[Node].Count > 1
                 ? fmt::format("{{{0}, rowOf_{1}, {1}, static_cast<unsigned>(first)}}", rowOf(Node), Name)
                 : fmt::format("{{row, rowOf_{0}, {0}}}", Name);
    }
    const std::string Own = Graph.argumentName(Node, Parameter);
    if (const Flow *From = flowFrom(Node, Parameter))
      return isScalar(*From) ? fmt::format("{{&sharedOf_{}, {}}}", Own, Graph.isLive(Node, Parameter) ? Own : "nullptr")
                             : fmt::format("{{row, rowOf_{0}, {0}}}", Own);
    if (const RowInput *Input = inputTo(Node, Parameter))
      return fmt::format("{{{1}, rowOf_{0}, {0}{2}}}", Graph.argumentName(Input->Node, Input->Parameter),
                         Input->InParts ? rowOf(Node) : "row",
                         Input->InParts ? fmt::format(", static_cast<unsigned>({})", begin(Input->Base)) : "");
    if (const RowDatum *Datum = datumTo(Node, Parameter))
      return fmt::format("{{&{}}}", Datum->Atom);
    if (const RowStream *Stream = streamTo(Node, Parameter))
      return fmt::format("{{row, packOf_{}_{}, {} + {}}}", name(Node), Parameter, argument(Node, Parameter),
                         begin(Stream->Base));
    if (Plan.Sizes.count({Node, Parameter}))
      return std::to_string(Block.X);
    if (const unsigned Of = partsAsLong(Node, Parameter))
      return fmt::format("Turns > 0 ? int(Turns * {}) : {}",
                         Of > 1 ? fmt::format("{} / {}", Block.X, Of) : std::to_string(Block.X),
                         argument(Node, Parameter));
    return argument(Node, Parameter);
  }

  /// The parameter is the length of the row, 1, or of so many parts of it: known in an instance, so that the place of
  /// an element says in which register it is. Otherwise 0.
  unsigned partsAsLong(unsigned Node, const std::string &Parameter) const {
    const ParameterAccess &P = *Graph.Nodes[Node].parameter(Parameter);
    if (!Plan.keepsParts() || !P.Integer)
      return 0;
    const Polynomial Given = Graph.argument(Node, Parameter);
    if (Given == Plan.Length)
      return 1;
    for (const RowParts &Parts : Plan.Parts)
      if (Parts.Count > 1 && Given == Parts.Length)
        return Parts.Count;
    return 0;
  }

  /// So many elements of a stream a thread loads before the first kernel, so that few rows wait for memory once: a
  /// gain.
  unsigned ahead(const RowStream &S) const {
    const unsigned Bytes = Graph.Nodes[S.Node].parameter(S.Parameter)->Bytes;
    return S.Stores || !S.Rows || Plan.Wide * Bytes % 4 != 0 || Plan.Wide * Bytes > 16 ? 0 : 48 / Bytes;
  }
  OutputText pack(const RowStream &S) const {
    const std::string Name = "packOf_" + name(S.Node) + "_" + S.Parameter;
    if (ahead(S) == 0)
      return outputText("  {} {}[CufuseRow::most];\n", element(S.Node, S.Parameter), Name);
    OutputText There;
    for (const Less &L : *S.Rows)
      There += outputText("{}{} < {}", There.empty() ? "" : " && ", deviceText(L.Left), deviceText(L.Right));
    return outputText("  {0} {1}[Turns > CufuseRow::most && Turns <= {2} ? Turns : CufuseRow::most];\n"
                      "  cufuseLoadAhead<{2}>(row, {1}, {3} + {4}, {5});\n",
                      element(S.Node, S.Parameter), Name, ahead(S), argument(S.Node, S.Parameter), begin(S.Base),
                      There.empty() ? "true" : There);
  }

  /// The turns of a kernel's loops.
  std::string rowOf(unsigned Node) const {
    const RowParts &Parts = Plan.Parts[Node];
    return Parts.Count > 1 ? "partsOf_" + name(Node) : "row";
  }

  /// The function that the fused kernel calls.
  void entry() {
    OutputText Body;
    if (Plan.keepsRows())
      Body += outputText("  unsigned turn = 0;\n"
                         "  [[maybe_unused]] const long long length = {};\n"
                         "  [[maybe_unused]] const long long first = {};\n"
                         "  const CufuseRow row{{{}Turns, Full, &turn}};\n"
                         "  constexpr unsigned kept = Turns > 0 ? Turns : 1;\n",
                         lengthText(), firstText(), Plan.Wide > 1 ? "Wide, length, " : "");
    for (unsigned Node : Graph.Order)
      if (const RowParts &Parts = Plan.Parts[Node]; Parts.Count > 1)
        Body += outputText(
            "  const CufuseRow {0}{{{1}Turns / {2}, Full / {2}, &turn}};\n", rowOf(Node),
            Plan.Wide == 1
                ? ""
                : fmt::format("{}, length / {}, ",
                              Parts.Interleaved ? fmt::format("Wide > 1 ? Wide / {} : 1", Parts.Count) : "Wide",
                              Parts.Count),
            Parts.Count);
    for (const RowStream &S : Plan.Streams)
      Body += pack(S);
    for (const RowDatum &Each : Plan.Data)
      Body += outputText("  const {} {} = {}[{}];\n", element(Each.Node, Each.Parameter), Each.Atom,
                         argument(Each.Node, Each.Parameter), deviceText(Each.Index));
    for (const RowInput &Input : Plan.Inputs)
      Body += outputText("  {} rowOf_{}[kept];\n", element(Input.Node, Input.Parameter),
                         Graph.argumentName(Input.Node, Input.Parameter));
    std::set<std::string> Declared;
    for (const Flow &F : Graph.Flows)
      if (const std::string Name = memoryName(F.Producer, F.Out); Declared.insert(Name).second) {
        const ParameterAccess &P = *Graph.Nodes[F.Producer].parameter(F.Out);
        const OutputText T = element(F.Producer, F.Out);
        if (isScalar(F))
          Result.Facts.StaticShared.push_back({"sharedOf_" + Name, P.Element, P.Bytes, Result.Facts.Name, {}});
        if (isScalar(F) && (P.Constructed || OfLanes))
          Body += outputText("  __shared__ __align__(alignof({0})) unsigned char bytesOf_{1}{2}[sizeof({0})];\n"
                             "  {0} &sharedOf_{1} = *reinterpret_cast<{0} *>(bytesOf_{1}{3});\n",
                             T, Name, OfLanes ? "[cufuse_partition::Copies]" : "",
                             OfLanes ? "[cufuse_partition::copy()]" : "");
        else
          Body += isScalar(F) ? outputText("  __shared__ {} sharedOf_{};\n", T, Name)
                              : outputText("  {} rowOf_{}[kept];\n", T, Name);
      }
    for (size_t I = 0; I < Graph.Order.size(); ++I) {
      for (const RowInput &Input : Plan.Inputs)
        if (Input.FirstUse == I)
          Body += outputText("  cufuseLoadRow(row, rowOf_{0}, {0} + {1}, length);\n",
                             Graph.argumentName(Input.Node, Input.Parameter), begin(Input.Base));
      for (const auto &[Node, Parameter] : Plan.Changed)
        if (Node == Graph.Order[I])
          Body += outputText("  cufuseLoadRow(row, rowOf_{0}, {0} + first, length);\n",
                             Graph.argumentName(Node, Parameter));
      if (!Plan.Barriers[I].empty())
        Body += outputText("  __syncthreads(); // {}\n", Plan.Barriers[I]);
      else if (Plan.Parts[Graph.Order[I]].Count > 1)
        Body += "  if (Turns == 0)\n    __syncthreads(); // the row is in memory\n";
      Body += stage(Graph.Order[I]);
      std::set<std::string> Later;
      for (const Flow &F : Graph.Flows)
        if ((F.Producer == Graph.Order[I] && isStoredLater(F) && Later.insert(F.Out).second) ||
            (F.Consumer == Graph.Order[I] && changes(F) && Graph.isLive(F.Consumer, F.In)))
          Body += outputText("  cufuseStoreRow(row, rowOf_{0}, {0} + first, length);\n", memoryName(F.Producer, F.Out));
      for (const auto &[Node, Parameter] : Plan.Changed)
        if (Node == Graph.Order[I] && Graph.isLive(Node, Parameter))
          Body += outputText("  cufuseStoreRow(row, rowOf_{0}, {0} + first, length);\n",
                             Graph.argumentName(Node, Parameter));
    }
    code(outputText("\n/// By row, since {}: {}.\n/// {}\n{}__device__ __forceinline__ void {}({}) {{\n{}}}",
                    Plan.Reason, Result.Facts.QualifiedName, kept(),
                    Plan.keepsRows() ? fmt::format("template <{}>\n", templateParameters()) : "", Result.Facts.Name,
                    wrapped("\n    ", mainParameters(), "", 4), Body));
    if (Plan.keepsRows())
      Result.Text.Callee = Result.Facts.Name + (Plan.Wide > 1 ? "<Turns, Full, Wide>" : "<Turns, Full>");
    else
      Result.Text.Callee = Result.Facts.Name;
  }
  std::string templateParameters() const {
    return Plan.Wide > 1 ? "unsigned Turns, unsigned Full, unsigned Wide" : "unsigned Turns, unsigned Full";
  }
  /// As the kernels have it, whose elements are found by their places: with a length that an instance knows.
  std::string lengthText() const {
    const std::string Given = deviceText(Plan.Length);
    return Plan.keepsParts() ? fmt::format("Turns > 0 ? Turns * CufuseRow::block : {}", Given) : Given;
  }
  std::string firstText() const {
    if (Plan.keepsParts() && Plan.Stride == Plan.Length)
      return timesLength(blockNumber(Plan.Dimensions));
    return deviceText(Plan.Stride * blockNumber(Plan.Dimensions));
  }
  std::string timesLength(const Polynomial &P) const { return bracketed(deviceText(P), "+-").text() + " * length"; }
  std::string begin(const Polynomial &Base) const {
    if (Base == Plan.Stride * blockNumber(Plan.Dimensions))
      return "first";
    const std::set<std::string> Length = Plan.Length.atoms();
    if (!Plan.keepsParts() || Length.size() != 1 || Plan.Length != Polynomial::atom(*Length.begin()))
      return "(" + deviceText(Base) + ")";
    const auto [Times, Rest] = Base.split(*Length.begin()); // an instance knows it
    return Rest.isZero() ? timesLength(Times) : fmt::format("({} + {})", timesLength(Times), deviceText(Rest));
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

  /// Rows of small elements that a group has stored, as in one loop: of two, one register.
  OutputText packed(unsigned Node) const {
    OutputText Text;
    std::set<std::string> Known;
    for (const Flow &F : Graph.Flows)
      if (F.Producer == Node && Graph.Nodes[Node].parameter(F.Out)->Bytes < 4 && Known.insert(F.Out).second)
        Text += outputText("    cufuseAsStored(reinterpret_cast<{} (&)[{}]>(rowOf_{}[turn]));\n", element(Node, F.Out),
                           Plan.Wide, memoryName(Node, F.Out));
    return Text;
  }

  OutputText stage(unsigned Node) const {
    const bool ByElement = Plan.ByElement[Node];
    std::vector<OutputText> Arguments;
    if (!Plan.Loops[Node].empty())
      Arguments.push_back(rowOf(Node));
    if (ByElement && !knownConditions(Graph.Nodes[Node]).empty())
      Arguments.push_back("{}"); // the rows' elements are all that it has
    if (ByElement)
      llvm::append_range(Arguments, elementIndices(Node, "element", Graph.Nodes[Node].Shape->Width));
    else
      for (const auto &[Type, Name] : blockParameters(*Graph.Nodes[Node].Facts))
        Arguments.push_back(Name);
    for (const ParameterText &P : Texts[Node]->Parameters)
      Arguments.push_back(given(Node, P.Name));
    const bool IsWide = ByElement && !isGroup(Node) && Plan.Wide > 1;
    const std::string Indent(IsWide ? 8 : ByElement ? 4 : 2, ' ');
    const OutputText Call = wrapped(Indent + callee(Node) + "(", Arguments, ");\n", Indent.size() + 4);
    if (!ByElement)
      return Call;
    if (isGroup(Node)) // by vectors: turns would be too many to unroll
      return outputText("#pragma unroll\n"
                        "  for (turn = 0; turn < Turns; turn += {0})\n"
                        "    if (row.has(turn)) {{\n"
                        "    const unsigned element = static_cast<unsigned>((first + row.at(turn)) / {0});\n",
                        Plan.Wide) +
             Call + packed(Node) + "  }\n";
    return outputText("#pragma unroll\n"
                      "  for (unsigned index = threadIdx.x; row.next(index, index < length); index += "
                      "CufuseRow::block){} {{\n"
                      "{}const unsigned element = static_cast<unsigned>(first + {});\n",
                      IsWide ? "\n    if (row.inside(true))\n#pragma unroll\n"
                               "      for (unsigned of = 0; row.each(of, of == 0); ++of)"
                             : "",
                      Indent, IsWide ? "row.element(index)" : "index") +
           Call + (IsWide ? "      }\n" : "  }\n");
  }

  void variants() {
    if (!Plan.keepsRows())
      return;
    TextVariants &V = Result.Text.Variants;
    V.Parameters = templateParameters();
    V.Otherwise = Plan.Wide > 1 ? "0, 0, 1" : "0, 0";
    if (Plan.Wide > 1)
      V.Wide = joined(wide(), " &&\n                    ");
    const OutputText Parted = parted();
    const OutputText Length = hostText(Plan.Length);
    Result.Text.Rows = {Length, Plan.Wide};
    const auto Known = Plan.Length.asConstant();
    for (const RowInstance &I : instances(Plan, Block)) {
      const std::string Text =
          fmt::format("{}, {}", I.Turns, I.Full) + (Plan.Wide > 1 ? fmt::format(", {}", I.Wide) : "");
      OutputText If = I.Wide > 1 ? "wide" : "";
      if (!Parted.empty())
        If = If.empty() ? Parted : If + " && " + Parted;
      if (!Known) {
        V.Conditions.push_back(
            {(If.empty() ? If : If + " && ") +
                 (I.Exactly || I.Full == 0 ? OutputText() : Length + fmt::format(" > {} && ", I.Full * Block.X)) +
                 Length + fmt::format(" {} {}", I.Exactly ? "==" : "<=", I.Length),
             Text});
      } else if (I.takes(*Known)) {
        if (I.Wide == 1 && Parted.empty()) {
          V.Otherwise = Text;
          break;
        }
        if (V.Conditions.empty() || !Parted.empty())
          V.Conditions.push_back({If, Text});
      }
    }
    V.IsAlone = Known || Plan.ByGroups;
    if (Plan.ByGroups) {
      if (!V.Conditions.empty()) {
        V.Otherwise = V.Conditions.back().second;
        V.Conditions.pop_back();
      }
      refuseIf("!wide", fmt::format("some kernel takes {} elements at a time", Plan.Wide));
      return refuseIf(outputText("{} > {}", Length, Plan.MostTurns * Block.X), "rows are in registers");
    }
    // Longer rows go through memory.
    std::set<std::string> Needed;
    for (const Flow &F : Graph.Flows)
      if (!isScalar(F) && !Graph.isLive(F.Producer, F.Out) && !(changes(F) && Graph.isLive(F.Consumer, F.In)))
        Needed.insert(memoryName(F.Producer, F.Out));
    OutputText Longer = Length + fmt::format(" > {}", Plan.mostSingle() * Block.X);
    if (Plan.MostTurns > Plan.mostSingle())
      Longer += " && (!wide || " + Length + fmt::format(" > {})", Plan.MostTurns * Block.X);
    if (!Parted.empty())
      Longer = V.Conditions.empty()
                   ? "true"
                   : "!(" + joined(llvm::to_vector(llvm::make_first_range(V.Conditions)), " || ") + ")";
    V.IsAlone |= !Needed.empty();
    for (const std::string &Argument : Needed)
      refuseIf(outputText("{} && {}{} == nullptr", Longer, OutputText(OutputText::Slot::Argument), Argument),
               "longer rows go through memory");
  }

  /// What the launch must meet for parts of the row to be all of it.
  OutputText parted() const {
    std::vector<OutputText> All;
    for (const RowParts &Parts : Plan.Parts)
      if (Parts.Count > 1)
        if (const OutputText Whole =
                outputText("{} == {}", hostText(Parts.Length * Parts.Count), hostText(Plan.Length));
            !llvm::is_contained(All, Whole))
          All.push_back(Whole);
    return joined(All, " && ");
  }

  /// What the launch must meet for a thread to have several elements at a time.
  std::vector<OutputText> wide() const {
    std::vector<OutputText> All;
    auto Divides = [&](const OutputText &Value, unsigned By) {
      if (const OutputText Condition = outputText("{} % {} == 0", Value, By); !llvm::is_contained(All, Condition))
        All.push_back(Condition);
    };
    auto Multiple = [&](const Polynomial &P) {
      for (const auto &[Atoms, Factor] : P.terms()) {
        Polynomial Part = Factor;
        for (const std::string &Atom : Atoms) // the others are any numbers
          if (!Graph.Quotients.count(Atom) && !llvm::StringRef(Atom).starts_with("blockIdx.") &&
              llvm::none_of(Plan.Data, [&](const RowDatum &Each) { return Each.Atom == Atom; }))
            Part = Part * Polynomial::atom(Atom);
        if (Factor % Plan.Wide != 0)
          Divides(hostText(Part), Plan.Wide);
      }
    };
    auto Aligned = [&](unsigned Node, const std::string &Parameter) {
      const unsigned Bytes = std::min(16u, Graph.Nodes[Node].parameter(Parameter)->Bytes * Plan.Wide);
      Divides(outputText("reinterpret_cast<size_t>({}{})", OutputText(OutputText::Slot::Argument),
                         memoryName(Node, Parameter)),
              Bytes);
    };
    Multiple(Plan.Length);
    Multiple(Plan.Stride);
    for (const RowInput &Input : Plan.Inputs)
      Multiple(Input.Base), Aligned(Input.Node, Input.Parameter);
    for (const RowStream &S : Plan.Streams)
      Multiple(S.Base), Aligned(S.Node, S.Parameter);
    for (const auto &[Node, Parameter] : Plan.Changed)
      Aligned(Node, Parameter);
    for (const Flow &F : Graph.Flows)
      if (!isScalar(F) && (Graph.isLive(F.Producer, F.Out) || (changes(F) && Graph.isLive(F.Consumer, F.In))))
        Aligned(F.Producer, F.Out);
    return All;
  }

  const BlockLocalPlan &Plan;
  const BlockShape Block;
  const bool EvictLast, OfLanes;
};

llvm::Expected<FormProof> prove(const VerticalGraph &Graph, BlockShape Block, const VerticalOptions &Options) {
  auto Proved = TRY(planBlockLocal(Graph, Block, Options.Reassociate));
  const BlockLocalPlan &Plan = Proved;
  FormProof Proof;
  for (unsigned Node = 0; Node < Graph.Nodes.size(); ++Node)
    Proof.Edits.push_back({linkedParameters(Graph, Node), Plan.Loops[Node],
                           Plan.ByElement[Node] ? knownConditions(Graph.Nodes[Node]) : std::vector<KnownCondition>(),
                           Plan.ByElement[Node]});
  for (const RowInput &Input : Plan.Inputs)
    for (const auto &[Reader, Parameter] : Input.Readers)
      Proof.Edits[Reader].Parameters.push_back(Parameter);
  for (const RowStream &S : Plan.Streams)
    Proof.Edits[S.Node].Parameters.push_back(S.Parameter);
  for (const RowDatum &Each : Plan.Data)
    Proof.Edits[Each.Node].Parameters.push_back(Each.Parameter);
  const bool OfLanes = Options.Copies > 1 && Block.threads() <= WarpSize;
  for (LinkedText &Edits : Proof.Edits)
    Edits.AsksElement = Plan.Wide > 1, Edits.OfLanes = OfLanes;
  Proof.LoadsRows = !Plan.Inputs.empty();
  Proof.Compose = [&Graph, Plan, Block, Last = Options.EvictLast, OfLanes](llvm::ArrayRef<const KernelText *> Texts) {
    return RowComposer(Graph, Plan, Block, Texts, Last, OfLanes).run();
  };
  if (Plan.keepsRows()) {
    Proof.RowLength = Plan.Length;
    Proof.Instance = [&Graph, Plan, Block](ValueOf Value) { return instanceOf(Graph, Plan, Block, Value); };
  }
  return Proof;
}

} // namespace

const VerticalForm ByRowForm = {
    [](const VerticalGraph &) { return std::string("by row"); },
    [](const VerticalGraph &Graph) { return !Graph.OneLoop && rowConsumer(Graph); },
    [](const VerticalGraph &Graph, unsigned Node) { return Node == Graph.Root || !isFree(Graph.Nodes[Node]); },
    [](const VerticalGraph &, unsigned) { return 1u; }, prove};

} // namespace cufuse
