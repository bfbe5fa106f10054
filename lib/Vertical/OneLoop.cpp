// Pointwise kernels as one loop over elements.
#include "ComposeElements.h"
#include "EmittedCuda.h"

#include "cufuse/Dependence/LoopLegality.h"

#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

namespace cufuse {

namespace {

/// The graph's kernels, one after the other on the `Width` elements of each thread: one loop over the elements, of
/// which the grid takes all turns at a time. The user's text stays as it is, but for pointer variables and casts of
/// those
/// (`editLinkedPointers`), and conditions that hold in all turns but the last.
///
/// Streams in memory are loaded and stored by accesses of up to 16 bytes where the pointers of the launch are aligned
/// and all elements of the turn exist, else one by one. What the kernels access by vectors alone is aligned: other
/// pointers are no arguments for them either, and `launch` refuses those.
class LoopComposer final : ElementComposer {
public:
  LoopComposer(const VerticalGraph &Graph, llvm::ArrayRef<const KernelText *> Texts,
               llvm::ArrayRef<AtMost> Requirements, unsigned Width, const std::vector<Stream> &Streams)
      : ElementComposer(Graph, Texts, Requirements, Streams), Width(Width), Least(loopWidth(Graph, 1)) {}

  ComposedKernel run() {
    facts();
    elementFacts();
    Result.Facts.Reads[static_cast<size_t>(Builtin::BlockIdx)] = {true, false, false};
    objects();
    if (Width > 1 && llvm::any_of(Streams, isInMemory))
      file(cuda::ElementsInMemory, {{"ONCE", llvm::any_of(Streams, [&](const Stream &S) { return isLoadedOnce(S); })}});
    texts();
    entry();
    conditions();
    return std::move(Result);
  }

private:
  /// A thread takes an element at a time: all of them exist.
  bool isSingle() const { return Width == 1; }

  static bool isInMemory(const Stream &S) { return S.Loads || S.Stores; }
  /// Of an access to all elements of a turn in one array.
  unsigned alignment(const Stream &S) const {
    const auto &[Node, Parameter] = S.Users.front();
    const unsigned Bytes = Width * Graph.Nodes[Node].parameter(Parameter)->Bytes;
    return std::min(16u, Bytes & -Bytes);
  }
  /// Every access of the kernels is one to so many bytes.
  bool isByVectors(const Stream &S) const {
    return llvm::all_of(S.Users, [&](const auto &User) {
      const VerticalNode &N = Graph.Nodes[User.first];
      return llvm::all_of(N.sites(User.second), [&](const AccessSite *Site) {
        return Site->Width > 1 && Site->Width * N.parameter(User.second)->Bytes >= alignment(S);
      });
    });
  }
  /// The last kernel that loads the stream says that nobody does soon again.
  bool isLoadedOnce(const Stream &S) const {
    std::vector<std::pair<unsigned, const AccessSite *>> Last;
    for (const auto &[Node, Parameter] : S.Users)
      for (const AccessSite *Site : Graph.Nodes[Node].sites(Parameter))
        if (Site->What == AccessSite::Kind::Load) {
          if (!Last.empty() && Last.front().first != Node)
            Last.clear();
          Last.push_back({Node, Site});
        }
    return S.Loads && alignment(S) == 16 && !Last.empty() &&
           llvm::all_of(Last, [](const auto &Each) { return Each.second->Once; });
  }
  /// Nothing asks whether all elements of a turn exist, and can be accessed at once.
  bool isAlwaysWhole() const {
    return isSingle() || (Least == Width && !Graph.Nodes[Graph.Root].Shape->Tail &&
                          llvm::all_of(Streams, [&](const Stream &S) { return !isInMemory(S) || isByVectors(S); }));
  }

  /// Some turn may not have all its elements.
  bool isParted() const { return Least > 1 && !isAlwaysWhole(); }
  const char *whole() const { return isParted() ? "whole" : "true"; }

  /// The call of a node for the elements of a turn.
  OutputText call(unsigned Node) const {
    const VerticalNode &N = Graph.Nodes[Node];
    const unsigned Own = N.Shape->Width;
    const std::string At = isSingle() ? "first" : Own == 1 ? "first + k" : fmt::format("(first + k) / {}", Own);
    if (isSingle())
      return ElementComposer::call(Node, "    ", At, "", [&](const Stream &S) { return "&" + registers(S); });
    return ElementComposer::call(Node, outputText("#pragma unroll\n  for (int k = 0; k < Width; k += {})\n    ", Own),
                                 At, isParted() ? "whole" : "", [&](const Stream &S) {
                                   return registers(S) + " + k" + (Own == 1 ? "" : fmt::format(", {}", whole()));
                                 });
  }

  /// Loads or stores of all streams in memory.
  std::string moved(bool Loads) const {
    std::string Together, Single;
    for (const Stream &S : Streams) {
      if (!(Loads ? S.Loads : S.Stores))
        continue;
      const std::string Registers = registers(S), Memory = memory(S);
      if (isSingle()) {
        if (!Loads)
          Single += fmt::format("    {}[first] = {};\n", Memory, Registers);
        continue;
      }
      Together +=
          fmt::format("{}{}<Width>({}, {} + first);\n", isAlwaysWhole() ? "  " : "    ",
                      Loads ? isLoadedOnce(S) ? "cufuseLoadOnce" : "cufuseLoad" : "cufuseStore", Registers, Memory);
      const std::string In = Registers + "[k]", To = Memory + "[first + k]";
      Single += fmt::format("        {} = {};\n", Loads ? In : To, Loads ? To : In);
    }
    if (Single.empty() || isSingle())
      return llvm::StringRef(Single).rtrim().str();
    if (isAlwaysWhole())
      return llvm::StringRef(Together).rtrim().str();
    const std::string OneByOne =
        fmt::format("#pragma unroll\n    for (int k = 0; k < Width; ++k){}\n{}      }}\n",
                    isParted() ? "\n      if (whole || first + k < elements) {" : " {", Single);
    return fmt::format("  if (Width == {}{}) {{\n{}  }} else {{\n{}  }}", Width, Least == Width ? " && whole" : "",
                       Together, OneByOne);
  }

  void entry() {
    const ShapeFacts &Shape = *Graph.Nodes[Graph.Root].Shape;
    std::vector<OutputText> Registers, Calls;
    std::vector<OutputText> Aligned; // and with as many elements left
    if (isParted())
      Registers.push_back(
          "  // Where dynamic indices keep them in memory, they must not share it with those of whole turns.\n"
          "  constexpr int room = whole ? Width : Width + 1;");
    for (const Stream &S : Streams) {
      const auto &[Node, Parameter] = S.Users.front();
      Registers.push_back(isSingle() ? outputText("    {} {}{};", element(Node, Parameter), registers(S),
                                                  S.Loads ? " = " + memory(S) + "[first]" : "")
                                     : outputText("  {} {}[{}];", element(Node, Parameter), registers(S),
                                                  isParted() ? "room" : "Width"));
      if (isSingle() || !isInMemory(S))
        continue;
      if (isAlwaysWhole())
        refuseIf(outputText("reinterpret_cast<size_t>({}{}) % {} != 0", OutputText(OutputText::Slot::Argument),
                            argument(memoryOf(S).first, memoryOf(S).second), alignment(S)),
                 "its vectors would not be aligned");
      else
        Aligned.push_back(fmt::format("cufuseAligned<{}>({})", Width, memory(S)));
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
    OutputText Body;
    if (isSingle()) {
      for (const OutputText &Lines : {joined(Registers, "\n"), joined(Calls, "\n"), OutputText(moved(false))})
        Body += Lines.empty() ? Lines : Lines + "\n";
    } else {
      std::vector<OutputText> Names = {""};
      if (isParted())
        Names.push_back("elements");
      for (const ParameterText &P : Result.Text.Parameters)
        Names.push_back(P.Name);
      std::vector<OutputText> Head = declarations();
      if (isParted())
        Head.insert(Head.begin(), "const long long elements");
      Head.insert(Head.begin(), "const unsigned first");
      file(cuda::Loop, {{"PARTED", isParted()},
                        {"HEAD", wrapped("\n    ", Head, "", 4)},
                        {"REGISTERS", joined(Registers, "\n")},
                        {"LOADS", moved(true)},
                        {"SEVERAL", llvm::count_if(Streams, [](const Stream &S) { return S.Loads; }) > 1},
                        {"CALLS", joined(Calls, "\n")},
                        {"STORES", moved(false)}});
      auto Turn = [&](const char *Indent, unsigned Own, bool Exist, const char *First) {
        const char *Whole = Exist ? ", true" : ", false";
        Names.front() = First;
        return wrapped(fmt::format("{}cufuseTurn<{}{}>(", Indent, Own, isParted() ? Whole : ""), Names, ");\n", 10);
      };
      Aligned.push_back(fmt::format("elements - first >= {}", Width));
      if (isAlwaysWhole())
        Body = Turn("    ", Width, true, "first");
      else
        Body = outputText("    if ({})\n", joined(Aligned, " &&\n        ")) + Turn("      ", Width, true, "first") +
               "    else\n" +
               (Least < Width ? outputText("#pragma unroll 1\n      for (unsigned rest = first; rest < first + {} && "
                                           "rest < elements; rest += {})\n",
                                           Width, Least) +
                                    Turn("        ", Least, Least == 1, "rest")
                              : Turn("      ", Least, false, "first"));
    }
    const Polynomial Elements = Graph.inArguments(Graph.Root, Shape.Bound);
    main("/// For every so many elements, one" + OutputText(isSingle() ? "." : " turn."),
         turn(Elements, Width, !Shape.Tail && !isSingle(), Body));
    Result.Text.Elements = {countText(Elements), Width, 0, /*AnyBlock=*/true};
  }

  const unsigned Width; ///< Elements of a turn,
  const unsigned Least; ///< and those of the last ones, of which not all exist.
};

llvm::Expected<FormProof> prove(const VerticalGraph &Graph, BlockShape, const VerticalOptions &Options) {
  const unsigned Width = loopWidth(Graph, Options.Vectorize);
  auto Requirements = TRY(checkOneLoop(Graph, Width));
  FormProof Proof;
  Proof.Elements = {Graph.inArguments(Graph.Root, Graph.Nodes[Graph.Root].Shape->Bound), Width};
  for (const VerticalNode &N : Graph.Nodes)
    Proof.Edits.push_back({{}, {}, knownConditions(N), true});
  const std::vector<Stream> Streams = planStreams(Graph);
  for (unsigned Node : Graph.Order)
    Proof.Edits[Node].Parameters = loadedAside(Graph, Node, Streams);
  editStreams(Proof, Streams);
  Proof.Compose = [=, &Graph, Requirements = std::move(Requirements)](llvm::ArrayRef<const KernelText *> Texts) {
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
