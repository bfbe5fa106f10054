#include "cufuse/Vertical/OneLoop.h"

#include "ComposeText.h"

#include "cufuse/Vertical/Streams.h"

#include <fmt/format.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

namespace cufuse {

namespace {

constexpr const char *GroupsText =
#include "ElementGroups.inc"
    ;
constexpr const char *MemoryText =
#include "ElementsInMemory.inc"
    ;

class LoopComposer : TextComposer {
public:
  LoopComposer(const VerticalGraph &Graph, llvm::ArrayRef<const Closure *> Texts, llvm::ArrayRef<AtMost> Requirements,
               unsigned Width)
      : TextComposer(Graph, Texts, Requirements), Width(Width), Streams(planStreams(Graph)) {}

  ComposedKernel run() {
    facts();
    loopFacts();
    for (unsigned Node : Graph.Order)
      parameters(Node, [&](const std::string &Name) { return remains(Node, Name); });
    elementObjects();
    if (llvm::any_of(Graph.Nodes, [](const VerticalNode &N) { return N.Shape->Width > 1; })) {
      code(GroupsText);
      cachedAccesses("typename V, typename T, int N, bool ReadOnly", "CufuseElements<V, T, N, ReadOnly>");
    }
    if (Width > 1 && llvm::any_of(Streams, [](const Stream &S) { return S.Loads || S.Stores; }))
      code(MemoryText);
    for (unsigned Node : Graph.Order)
      text(Node, aliases(Node), /*AsElement=*/true);
    loop();
    conditions();
    return std::move(Result);
  }

private:
  void loopFacts() {
    KernelFacts &Facts = Result.Facts;
    for (Builtin B : {Builtin::ThreadIdx, Builtin::BlockDim})
      Facts.Reads[static_cast<size_t>(B)] = {true, true, true};
    for (Builtin B : {Builtin::BlockIdx, Builtin::GridDim})
      Facts.Reads[static_cast<size_t>(B)] = {true, false, false};
    Facts.GridStrideLoop.reset();
  }

  const Stream *streamOf(unsigned Node, llvm::StringRef Parameter) const {
    for (const Stream &S : Streams)
      if (llvm::is_contained(S.Users, std::pair(Node, Parameter.str())))
        return &S;
    return nullptr;
  }
  std::pair<unsigned, std::string> memoryOf(const Stream &S) const {
    return Graph.memory(S.Users.front().first, S.Users.front().second);
  }

  /// Needed behind the launch, or by a kernel that has it as a pointer.
  bool remains(unsigned Node, const std::string &Parameter) const {
    if (Graph.flowTo(Node, Parameter) || Graph.sharedTo(Node, Parameter))
      return false;
    const Stream *Own = streamOf(Node, Parameter);
    return !Own || llvm::any_of(Streams, [&](const Stream &S) {
      return (S.Loads || S.Stores) && memoryOf(S) == std::pair(Node, Parameter);
    }) || !Graph.isIntermediate(Node, Parameter);
  }

  std::string registers(const Stream &S) const {
    return fmt::format("cufuse_{}_{}", name(S.Users.front().first), S.Users.front().second);
  }

  std::string aliases(unsigned Node) const {
    std::vector<std::string> Lines;
    const VerticalNode &N = Graph.Nodes[Node];
    for (const ParameterAccess &P : N.Accesses->Parameters)
      if (streamOf(Node, P.Name)) {
        const std::string T = element(Node, P.Name);
        const std::string Type = N.Shape->Width == 1
                                     ? fmt::format("CufuseElement<{}{}>", P.ReadOnly ? "const " : "", T)
                                     : fmt::format("CufuseElements<{0}, {0}, {1}, {2}>", T, N.Shape->Width, P.ReadOnly);
        Lines.push_back(fmt::format("using cufuse_linked_{} = {};", P.Name, Type));
      }
    return llvm::join(Lines, "\n");
  }

  /// A parameter of a node as an expression of the parameters that remain.
  std::string argument(unsigned Node, const std::string &Parameter) const {
    if (const SharedArgument *S = Graph.sharedTo(Node, Parameter))
      return shared(*S, [&](unsigned Of, const std::string &Factor) { return argument(Of, Factor); });
    return name(Node) + "_" + Parameter;
  }
  std::string memory(const Stream &S) const {
    const auto [Node, Parameter] = memoryOf(S);
    return argument(Node, Parameter);
  }

  /// The call of a node for its elements from the `k`-th of the turn on.
  std::string call(unsigned Node) const {
    const VerticalNode &N = Graph.Nodes[Node];
    const bool First = Width == N.Shape->Width;
    const std::string At = First                ? std::string("group")
                           : N.Shape->Width > 1 ? fmt::format("(first + k) / {}", N.Shape->Width)
                                                : std::string("first + k");
    std::vector<std::string> Arguments;
    if (N.Facts->reads(Builtin::BlockIdx))
      Arguments.push_back(fmt::format("uint3{{static_cast<unsigned>({}), 0, 0}}", At));
    if (N.Facts->reads(Builtin::GridDim)) {
      // Behind the last element, whatever the kernel multiplies it with.
      const unsigned End = 0x7fffffffu / N.Shape->Width;
      Arguments.push_back(fmt::format("dim3({}u - static_cast<unsigned>({}), 1, 1)", End, At));
    }
    for (const ParameterText &P : Texts[Node]->Parameters)
      if (const Stream *S = streamOf(Node, P.Name))
        Arguments.push_back(fmt::format("{{{}{}}}", registers(*S), First ? "" : " + k"));
      else
        Arguments.push_back(argument(Node, P.Name));
    const std::string Call = fmt::format("{}({});", callee(Node), llvm::join(Arguments, ", "));
    if (First)
      return "    " + Call + "\n";
    return fmt::format("#pragma unroll\n    for (int k = 0; k < {}; k += {})\n      {}\n", Width, N.Shape->Width, Call);
  }

  /// Loads or stores of all streams in memory.
  std::string moved(bool Loads) const {
    std::string Together, Single;
    for (const Stream &S : Streams) {
      if (!(Loads ? S.Loads : S.Stores))
        continue;
      const std::string Registers = registers(S), Memory = memory(S);
      Together += fmt::format("      {}({}, {} + first);\n", Loads ? "cufuseLoad" : "cufuseStore", Registers, Memory);
      const std::string In = Registers + (Width == 1 ? "[0]" : "[k]"),
                        To = Memory + (Width == 1 ? "[first]" : "[first + k]");
      Single += fmt::format("{}{} = {};\n", Width == 1 ? "    " : "          ", Loads ? In : To, Loads ? To : In);
    }
    if (Width == 1 || Single.empty())
      return Single;
    return fmt::format("    if (whole) {{\n{}    }} else {{\n#pragma unroll\n      for (int k = 0; k < {}; ++k)\n"
                       "        if (k < count) {{\n{}        }}\n    }}\n",
                       Together, Width, Single);
  }

  void loop() {
    const ShapeFacts &Shape = *Graph.Nodes[Graph.Root].Shape;
    std::string Declared, Copied, Aligned, Calls;
    for (const Stream &S : Streams) {
      const auto &[Node, Parameter] = S.Users.front();
      Declared += fmt::format("    {} {}[{}];\n", element(Node, Parameter), registers(S), Width);
      if (S.Loads || S.Stores)
        Aligned += fmt::format("{}cufuseAligned<{}>({})", Aligned.empty() ? "" : " && ", Width, memory(S));
    }
    for (unsigned Node : Graph.Order) {
      for (const Stream &S : Streams)
        if (S.From && S.Users.front().first == Node)
          Calls += fmt::format("#pragma unroll\n    for (int k = 0; k < {}; ++k)\n      {}[k] = {}[k];\n", Width,
                               registers(S), registers(Streams[*S.From]));
      Calls += call(Node);
    }
    std::string Whole;
    if (Width > 1)
      Whole = fmt::format("    const long long first = group * {0};\n"
                          "    const int count = elements - first < {0} ? static_cast<int>(elements - first) : {0};\n"
                          "    const bool whole = aligned && count == {0};\n",
                          Width);
    else
      Whole = "    const long long first = group;\n";
    std::vector<std::string> Parameters = {"const uint3 blockIdx", "const dim3 gridDim"};
    const std::vector<std::string> Own = declarations();
    Parameters.insert(Parameters.end(), Own.begin(), Own.end());
    code(fmt::format(
        R"(
/// All kernels, one after the other, on {0} of the elements at a time.
__device__ __forceinline__ void {1}({2}) {{
  const long long elements = {3};
  const long long groups = {4};
{5}  const unsigned threads = blockDim.x * blockDim.y * blockDim.z;
  const unsigned rank = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
#pragma unroll 1
  for (long long group = 1ll * blockIdx.x * threads + rank; group < groups; group += 1ll * gridDim.x * threads) {{
{6}{7}{8}{9}{10}  }}
}})",
        Width == 1 ? std::string("one") : std::to_string(Width), Result.Facts.Name, llvm::join(Parameters, ",\n    "),
        value(Shape.Bound, Graph.Root, [&](const std::string &Parameter) { return argument(Graph.Root, Parameter); }),
        Width == 1   ? std::string("elements")
        : Shape.Tail ? fmt::format("(elements + {}) / {}", Width - 1, Width)
                     : fmt::format("elements / {}", Width),
        Width == 1 ? "" : fmt::format("  const bool aligned = {};\n", Aligned.empty() ? "true" : Aligned), Whole,
        Declared, moved(true), Calls, moved(false)));
    Result.Text.Callee = Result.Facts.Name;
  }

  const unsigned Width;
  const std::vector<Stream> Streams;
};

} // namespace

ComposedKernel composeLoop(const VerticalGraph &Graph, llvm::ArrayRef<const Closure *> Texts,
                           llvm::ArrayRef<AtMost> Requirements, unsigned Width) {
  return LoopComposer(Graph, Texts, Requirements, Width).run();
}

std::vector<std::string> loopParameters(const VerticalGraph &Graph, unsigned Node) {
  std::vector<std::string> Names;
  for (const Stream &S : planStreams(Graph))
    for (const auto &[User, Parameter] : S.Users)
      if (User == Node)
        Names.push_back(Parameter);
  return Names;
}

} // namespace cufuse
