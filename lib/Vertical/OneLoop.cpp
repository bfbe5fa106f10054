// Pointwise kernels as one loop over elements.
#include "ComposeText.h"
#include "EmittedCuda.h"

#include "cufuse/Dependence/LoopLegality.h"
#include "cufuse/Dependence/Streams.h"

#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

namespace cufuse {

namespace {

/// The node's conditions that say no more than that its elements are below the bound.
std::vector<KnownCondition> knownConditions(const VerticalNode &Node) {
  std::vector<KnownCondition> Known;
  for (const AccessSite &Site : Node.Accesses->Sites)
    for (size_t I = 0; I < Site.Path.size(); ++I) {
      const PathStep &Step = Site.Path[I];
      // A loop that is repeated begins anew each time.
      const bool Once = llvm::all_of(llvm::ArrayRef(Site.Path).take_front(I),
                                     [](const PathStep &Around) { return Around.What == PathStep::Kind::Branch; });
      const bool OfGrid =
          Step.What == PathStep::Kind::Loop && Node.Shape->Strided && Step.Id == Node.Shape->Loop && Once;
      if (!Step.Statement || (Step.What != PathStep::Kind::Branch && !OfGrid) ||
          !holdsOnWholeTurns(Site, I, *Node.Accesses, *Node.Shape) ||
          llvm::any_of(Known, [&](const KnownCondition &K) { return K.Statement == *Step.Statement; }))
        continue;
      using Kind = KnownCondition::Kind;
      Known.push_back({OfGrid ? Kind::Once : Step.Taken ? Kind::Holds : Kind::Fails, *Step.Statement});
    }
  return Known;
}

/// The graph's kernels, one after the other on the elements of each turn of a grid-stride loop, `Width` at a time, so
/// that any grid will do. The user's text stays as it is, but for pointer variables and casts of those
/// (`editLinkedPointers`), and conditions that hold in all turns but the last:
///
/// - each kernel has a namespace of its own, `cufuse_NODE`, with its own meaning of `cufuse_linked_PARAMETER`;
/// - a parameter that is in a stream is an object that gives the elements in registers;
/// - a kernel sees its elements as its block, as in `InlineAtStoreForm`.
///
/// Streams in memory are loaded and stored by accesses of up to 16 bytes where the pointers of the launch are aligned
/// and all elements of the turn exist, else one by one.
class LoopComposer final : TextComposer {
public:
  LoopComposer(const VerticalGraph &Graph, llvm::ArrayRef<const KernelText *> Texts,
               llvm::ArrayRef<AtMost> Requirements, unsigned Width, const std::vector<Stream> &Streams)
      : TextComposer(Graph, Texts, Requirements), Width(Width), Least(loopWidth(Graph, 1)), Streams(Streams) {}

  ComposedKernel run() {
    facts();
    loopFacts();
    for (unsigned Node : Graph.Order)
      parameters(Node, [&](const std::string &Name) { return remains(Node, Name); });
    elementObjects(/*Stores=*/false);
    if (llvm::any_of(Graph.Nodes, asksTurn))
      file(cuda::Turn, {{"HOLDS", asks(KnownCondition::Kind::Holds)},
                        {"FAILS", asks(KnownCondition::Kind::Fails)},
                        {"ONCE", asks(KnownCondition::Kind::Once)}});
    if (llvm::any_of(Graph.Nodes, [](const VerticalNode &N) { return N.Shape->Width > 1; }))
      file(cuda::ElementGroups);
    if (Width > 1 && llvm::any_of(Streams, [](const Stream &S) { return S.Loads || S.Stores; }))
      file(cuda::ElementsInMemory);
    for (unsigned Node : Graph.Order)
      text(Node, aliases(Node), /*AsElement=*/true);
    loop();
    conditions();
    return std::move(Result);
  }

private:
  /// Does its text ask which conditions are known?
  static bool asksTurn(const VerticalNode &N) { return !knownConditions(N).empty(); }

  /// A thread takes an element at a time: all of them exist.
  bool isSingle() const { return Width == 1; }
  bool asks(KnownCondition::Kind What) const {
    return llvm::any_of(Graph.Nodes, [&](const VerticalNode &N) {
      return llvm::any_of(knownConditions(N), [&](const KnownCondition &K) { return K.What == What; });
    });
  }

  void loopFacts() {
    KernelFacts &Facts = Result.Facts;
    for (Builtin B : {Builtin::ThreadIdx, Builtin::BlockDim})
      Facts.Reads[static_cast<size_t>(B)] = {true, true, true};
    for (Builtin B : {Builtin::BlockIdx, Builtin::GridDim})
      Facts.Reads[static_cast<size_t>(B)] = {true, false, false};
    Facts.ReadByHelper = {}; // they have it from the kernel
    Facts.GridStrideLoop.reset();
  }

  std::pair<unsigned, std::string> memoryOf(const Stream &S) const {
    return Graph.memory(S.Users.front().first, S.Users.front().second);
  }

  /// Needed behind the launch, or by a kernel that has it as a pointer.
  bool remains(unsigned Node, const std::string &Parameter) const {
    return !streamOf(Streams, Node, Parameter) || llvm::any_of(Streams, [&](const Stream &S) {
      return (S.Loads || S.Stores) && memoryOf(S) == std::pair(Node, Parameter);
    }) || !Graph.isIntermediate(Node, Parameter);
  }

  std::string registers(const Stream &S) const {
    return fmt::format("cufuse_{}_{}", name(S.Users.front().first), S.Users.front().second);
  }

  OutputText aliases(unsigned Node) const {
    std::vector<OutputText> Lines;
    const VerticalNode &N = Graph.Nodes[Node];
    for (const ParameterAccess &P : N.Accesses->Parameters)
      if (streamOf(Streams, Node, P.Name)) {
        const OutputText T = element(Node, P.Name);
        Lines.push_back(object(Node, P.Name,
                               N.Shape->Width == 1
                                   ? outputText("CufuseElement<{}{}>", P.ReadOnly ? "const " : "", T)
                                   : outputText("CufuseElements<{}, {}, {}>", T, N.Shape->Width, P.ReadOnly)));
      }
    return joined(Lines, "\n");
  }

  std::string memory(const Stream &S) const {
    // One of those that have it may store what the one that has the argument only loads.
    const auto Storing = llvm::find_if(
        S.Users, [&](const auto &User) { return !Graph.Nodes[User.first].parameter(User.second)->ReadOnly; });
    const auto &[User, Name] = Storing != S.Users.end() ? *Storing : S.Users.front();
    const auto [Node, Parameter] = memoryOf(S);
    return pointerText(Graph, User, Name, parameter(User, Name).Element.written(), argument(Node, Parameter));
  }

  /// The call of a node for the elements of a turn.
  OutputText call(unsigned Node) const {
    const VerticalNode &N = Graph.Nodes[Node];
    const unsigned Own = N.Shape->Width;
    const std::string At = isSingle() ? "at"
                           : Own == 1 ? "static_cast<unsigned>(first + k)"
                                      : fmt::format("static_cast<unsigned>((first + k) / {})", Own);
    std::vector<OutputText> Arguments;
    if (asksTurn(N))
      Arguments.push_back(isSingle() ? "{true}" : "{whole}");
    llvm::append_range(Arguments, elementIndices(Node, At, Own));
    for (const ParameterText &P : Texts[Node]->Parameters)
      if (const auto S = streamOf(Streams, Node, P.Name))
        Arguments.push_back(isSingle()
                                ? fmt::format("{{&{}}}", registers(Streams[*S]))
                                : fmt::format("{{{} + k{}}}", registers(Streams[*S]), Own == 1 ? "" : ", whole"));
      else
        Arguments.push_back(argument(Node, P.Name));
    return wrapped(
        isSingle() ? "    " + callee(Node) + "("
                   : outputText("#pragma unroll\n  for (int k = 0; k < Width; k += {})\n    {}(", Own, callee(Node)),
        Arguments, ");", 8);
  }

  /// Loads or stores of all streams in memory.
  std::string moved(bool Loads) const {
    std::string Together, Single;
    for (const Stream &S : Streams) {
      if (!(Loads ? S.Loads : S.Stores))
        continue;
      const std::string Registers = registers(S), Memory = memory(S);
      if (isSingle()) {
        Single += Loads ? fmt::format("    {} = {}[first];\n", Registers, Memory)
                        : fmt::format("    {}[first] = {};\n", Memory, Registers);
        continue;
      }
      Together +=
          fmt::format("    {}<Width>({}, {} + first);\n", Loads ? "cufuseLoad" : "cufuseStore", Registers, Memory);
      const std::string In = Registers + "[k]", To = Memory + "[first + k]";
      Single += fmt::format("        {} = {};\n", Loads ? In : To, Loads ? To : In);
    }
    if (Single.empty() || isSingle())
      return llvm::StringRef(Single).rtrim().str();
    const std::string OneByOne = fmt::format("#pragma unroll\n    for (int k = 0; k < Width; ++k)\n"
                                             "      if (whole || first + k < elements) {{\n{}      }}\n",
                                             Single);
    return fmt::format("  if (Width == {}{}) {{\n{}  }} else {{\n{}  }}", Width, Least == Width ? " && whole" : "",
                       Together, OneByOne);
  }

  void loop() {
    const ShapeFacts &Shape = *Graph.Nodes[Graph.Root].Shape;
    std::vector<OutputText> Registers, Calls;
    std::string Aligned;
    if (Least > 1)
      Registers.push_back(
          "  // Where dynamic indices keep them in memory, they must not share it with those of whole turns.\n"
          "  constexpr int room = whole ? Width : Width + 1;");
    for (const Stream &S : Streams) {
      const auto &[Node, Parameter] = S.Users.front();
      Registers.push_back(isSingle() ? outputText("    {} {};", element(Node, Parameter), registers(S))
                                     : outputText("  {} {}[{}];", element(Node, Parameter), registers(S),
                                                  Least == 1 ? "Width" : "room"));
      if (S.Loads || S.Stores)
        Aligned += fmt::format("cufuseAligned<{}>({}) && ", Width, memory(S));
    }
    for (unsigned Node : Graph.Order) {
      for (const Stream &S : Streams)
        if (S.From && S.Users.front().first == Node)
          Calls.push_back(fmt::format(fmt::runtime(isSingle() ? "    {} = {};"
                                                              : "#pragma unroll\n  for (int k = 0; k < Width; ++k)\n"
                                                                "    {}[k] = {}[k];"),
                                      registers(S), registers(Streams[*S.From])));
      Calls.push_back(call(Node));
    }
    std::vector<std::string> Names;
    for (const ParameterText &P : Result.Text.Parameters)
      Names.push_back(P.Name);
    std::vector<OutputText> Head = declarations(), TurnHead = Head;
    Head.insert(Head.begin(), {"const uint3 blockIdx", "const dim3 gridDim"});
    TurnHead.insert(TurnHead.begin(), {"const long long first", "const long long elements"});
    file(cuda::Loop, {{"HEAD", wrapped("\n    ", Head, "", 4)},
                      {"TURN_HEAD", wrapped("\n    ", TurnHead, "", 4)},
                      {"REGISTERS", joined(Registers, "\n")},
                      {"LOADS", moved(true)},
                      {"CALLS", joined(Calls, "\n")},
                      {"STORES", moved(false)},
                      {"NAME", Result.Facts.Name},
                      {"ELEMENTS", value(Shape.Bound, Graph.Root)},
                      {"WIDTH", std::to_string(Width)},
                      {"STEP", fmt::format("{}ll", Width)},
                      {"GOES_ON", Shape.Tail ? "first < elements" : fmt::format("first <= elements - {}", Width)},
                      {"ARGUMENTS", llvm::join(Names, ", ")},
                      {"ALWAYS_WHOLE", isSingle()},
                      {"MAY_BE_WHOLE", fmt::format("{}elements - first >= {}", Aligned, Width)},
                      {"BY_PARTS", Least < Width},
                      {"LEAST", std::to_string(Least)},
                      {"EXISTS", Least == 1 ? "true" : "false"}});
    Result.Text.Callee = Result.Facts.Name;
    const Polynomial Elements = Graph.inArguments(Graph.Root, Shape.Bound);
    if (llvm::none_of(Elements.atoms(), [&](const std::string &Atom) { return Graph.Quotients.count(Atom); }))
      Result.Text.Elements = {hostText(Elements), Width};
  }

  const unsigned Width; ///< Elements of a turn,
  const unsigned Least; ///< and those of the last ones, of which not all exist.
  const std::vector<Stream> &Streams;
};

llvm::Expected<FormProof> prove(const VerticalGraph &Graph, BlockShape, const VerticalOptions &Options) {
  const unsigned Width = loopWidth(Graph, Options.Vectorize);
  auto Requirements = checkOneLoop(Graph, Width);
  if (!Requirements)
    return Requirements.takeError();
  FormProof Proof;
  Proof.Elements = {Graph.inArguments(Graph.Root, Graph.Nodes[Graph.Root].Shape->Bound), Width};
  for (const VerticalNode &N : Graph.Nodes)
    Proof.Edits.push_back({{}, {}, knownConditions(N), true});
  const std::vector<Stream> Streams = planStreams(Graph);
  for (const Stream &S : Streams) {
    for (const auto &[User, Parameter] : S.Users)
      Proof.Edits[User].Parameters.push_back(Parameter);
    Proof.Shared.insert(Proof.Shared.end(), S.Users.begin() + 1, S.Users.end());
  }
  Proof.Compose = [=, &Graph, Requirements = std::move(*Requirements)](llvm::ArrayRef<const KernelText *> Texts) {
    return LoopComposer(Graph, Texts, Requirements, Width, Streams).run();
  };
  return Proof;
}

} // namespace

const VerticalForm OneLoopForm = {[](const VerticalGraph &) { return std::string("one loop"); },
                                  [](const VerticalGraph &Graph) { return Graph.OneLoop; },
                                  [](const VerticalGraph &Graph, unsigned Node) { return Node == Graph.Root; },
                                  loopWidth, prove};

} // namespace cufuse
