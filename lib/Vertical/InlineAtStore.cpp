#include "cufuse/Vertical/InlineAtStore.h"

#include <fmt/format.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

namespace cufuse {

namespace {

/// `Text` with the namespace mark standing for a namespace inside it.
std::string nested(std::string Text, const std::string &Inner) {
  for (size_t At = 0; (At = Text.find(PathMark, At)) != std::string::npos; At += Inner.size() + 3)
    Text.insert(At + 1, "::" + Inner);
  return Text;
}

/// `Text` with its last word `From` called `To`.
std::string renamed(std::string Text, const std::string &From, const std::string &To) {
  auto IsPart = [](char C) { return llvm::isAlnum(C) || C == '_'; };
  for (size_t At = Text.rfind(From); At != std::string::npos && At > 0; At = Text.rfind(From, At - 1))
    if (!IsPart(Text[At - 1]) && (At + From.size() == Text.size() || !IsPart(Text[At + From.size()]))) {
      Text.replace(At, From.size(), To);
      break;
    }
  return Text;
}

constexpr const char *ValueText = R"(
/// What a kernel loads of an intermediate: the value of the element that it works on.
template <typename T> struct CufuseValue {
  T value;
  __device__ __forceinline__ T operator[](long long) const { return value; }
};)";

/// What a consumer takes for its thread and block.
constexpr const char *ElementPartition = R"(struct cufuse_partition {
  static __device__ __forceinline__ uint3 threadIdx() { return uint3{0, 0, 0}; }
  static __device__ __forceinline__ dim3 blockDim() { return dim3(1, 1, 1); }
};)";

class Composer {
public:
  Composer(const VerticalGraph &Graph, llvm::ArrayRef<const Closure *> Texts, llvm::ArrayRef<AtMost> Requirements)
      : Graph(Graph), Texts(Texts), Requirements(Requirements) {}

  ComposedKernel run() {
    facts();
    for (unsigned Node : Graph.Order)
      parameters(Node);
    code(ValueText, {});
    // What is called stands before its caller.
    for (unsigned Node : llvm::reverse(Graph.Order)) {
      for (const std::string &Out : outputs(Node))
        sink(Node, Out);
      text(Node);
    }
    entry();
    conditions();
    return std::move(Result);
  }

private:
  const KernelFacts &root() const { return *Graph.Nodes[Graph.Root].Facts; }
  const std::string &name(unsigned Node) const { return Graph.Nodes[Node].Name; }
  std::string space(unsigned Node) const { return "cufuse_" + name(Node); }
  std::string sinkType(unsigned Node, const std::string &Out) const {
    return fmt::format("cufuse_{}_{}", name(Node), Out);
  }

  /// The intermediates that a node stores, by parameter.
  std::vector<std::string> outputs(unsigned Node) const {
    std::vector<std::string> Names;
    for (const Flow &F : Graph.Flows)
      if (F.Producer == Node && !llvm::is_contained(Names, F.Out))
        Names.push_back(F.Out);
    return Names;
  }
  bool isLive(unsigned Node, llvm::StringRef Out) const {
    return llvm::any_of(Graph.Flows, [&](const Flow &F) { return F.Producer == Node && F.Out == Out && !F.Dead; });
  }

  void facts() {
    Result.Facts = root();
    Result.Facts.Blockers.clear();
    std::vector<std::string> Names, Qualified;
    for (unsigned Node : Graph.Order) {
      const KernelFacts &F = *Graph.Nodes[Node].Facts;
      Names.push_back(F.Name);
      Qualified.push_back(F.QualifiedName);
      Result.Facts.Calls.insert(F.Calls.begin(), F.Calls.end());
      if (Node == Graph.Root)
        continue;
      Result.Facts.Globals.insert(Result.Facts.Globals.end(), F.Globals.begin(), F.Globals.end());
      Result.Facts.Helpers.insert(Result.Facts.Helpers.end(), F.Helpers.begin(), F.Helpers.end());
    }
    Result.Facts.Name = llvm::join(Names, "_");
    Result.Facts.QualifiedName = llvm::join(Qualified, ", then ");
    Result.Facts.Parameters.clear();
    Result.Facts.ParameterBytes = 0; // at most all of them, each of which was checked
  }

  /// Parameters that remain, and what else is merged without order.
  void parameters(unsigned Node) {
    const Closure &Text = *Texts[Node];
    for (const ParameterText &P : Text.Parameters) {
      if (!remains(Node, P.Name))
        continue;
      const std::string Name = name(Node) + "_" + P.Name;
      Result.Text.Parameters.push_back({Name, nested(P.Declaration, space(Node)),
                                        renamed(nested(P.Field, space(Node)), P.Name, Name),
                                        nested(P.Element, space(Node))});
      const KernelFacts &F = *Graph.Nodes[Node].Facts;
      for (const ParameterFacts &Fact : F.Parameters)
        if (Fact.Name == P.Name)
          Result.Facts.Parameters.push_back({Name, Fact.Type});
    }
    for (const IncludeLine &Include : Text.Includes) {
      auto Known = llvm::find_if(Result.Text.Includes, [&](const IncludeLine &I) { return I.Text == Include.Text; });
      if (Known == Result.Text.Includes.end())
        Result.Text.Includes.push_back(Include);
      else
        Known->ForArguments |= Include.ForArguments;
    }
    for (const std::string &File : Text.Dependencies)
      if (!llvm::is_contained(Result.Text.Dependencies, File))
        Result.Text.Dependencies.push_back(File);
    Result.Text.OutsideMacros.insert(Text.OutsideMacros.begin(), Text.OutsideMacros.end());
    Result.Text.HasHostShared |= Text.HasHostShared;
    Result.Text.HasConstants |= Text.HasConstants;
    for (const Piece &P : Text.Header)
      Result.Text.Header.push_back(inside(P, Node));
    for (const std::string &Macro : Text.HeaderMacros)
      Result.Text.Header.push_back(directive("#undef " + Macro));
    Result.Text.HeaderMacros.insert(Result.Text.HeaderMacros.end(), Text.HeaderMacros.begin(), Text.HeaderMacros.end());
    for (const auto &[Namespaces, Names] : Text.HeaderNames)
      for (const std::string &Each : Names)
        if (Namespaces.empty() && HeaderNames.insert(Each).second)
          Result.Text.HeaderNames[{}].push_back(space(Node) + "::" + Each);
    auto Prefixed = [&](std::vector<std::string> Namespaces) {
      Namespaces.insert(Namespaces.begin(), space(Node));
      return Namespaces;
    };
    for (const std::string &Line : Text.Usings)
      Result.Text.NestedUsings[{space(Node)}].push_back(nested(Line, space(Node)));
    for (const auto &[Namespaces, Lines] : Text.NestedUsings)
      for (const std::string &Line : Lines)
        Result.Text.NestedUsings[Prefixed(Namespaces)].push_back(nested(Line, space(Node)));
  }

  bool remains(unsigned Node, const std::string &Parameter) const {
    if (Graph.flowTo(Node, Parameter) || Graph.sharedTo(Node, Parameter))
      return false;
    return !llvm::is_contained(outputs(Node), Parameter) || isLive(Node, Parameter);
  }

  static Piece directive(std::string Text) {
    Piece P;
    P.What = Piece::Kind::Macro;
    P.Text = std::move(Text);
    return P;
  }
  Piece inside(Piece P, unsigned Node) const {
    if (P.What != Piece::Kind::Shared)
      P.Namespaces.insert(P.Namespaces.begin(), space(Node));
    P.Text = nested(std::move(P.Text), space(Node));
    return P;
  }
  /// Text of ours.
  void code(const std::string &Text, std::vector<std::string> Namespaces) {
    Piece P;
    P.What = Piece::Kind::Using;
    P.Namespaces = std::move(Namespaces);
    P.Text = Text;
    Result.Text.Body.push_back(std::move(P));
  }

  const ParameterText &parameter(unsigned Node, const std::string &Name) const {
    return *llvm::find_if(Texts[Node]->Parameters, [&](const ParameterText &P) { return P.Name == Name; });
  }
  std::string element(unsigned Node, const std::string &Parameter) const {
    return nested(parameter(Node, Parameter).Element, space(Node));
  }

  /// A node's text in its namespace, between the macros that give the built-ins their meaning there.
  void text(unsigned Node) {
    const Closure &Text = *Texts[Node];
    const bool Consumes = Node != Graph.Root;
    std::vector<std::string> Saved(Text.BodyMacros);
    if (Consumes)
      Saved.insert(Saved.end(), BuiltinNames.begin(), BuiltinNames.end());
    std::string Before, Behind;
    for (const std::string &Macro : Text.BodyMacros)
      Before += fmt::format("#pragma push_macro(\"{}\")\n", Macro);
    if (Consumes) {
      for (const char *Builtin : BuiltinNames)
        Before += fmt::format("#pragma push_macro(\"{0}\")\n#undef {0}\n", Builtin);
    }
    for (const std::string &Macro : Saved)
      Behind += fmt::format("#pragma pop_macro(\"{}\")\n", Macro);
    if (!Before.empty())
      Result.Text.Body.push_back(directive(Before.substr(0, Before.size() - 1)));
    std::string Aliases = Consumes ? ElementPartition : "";
    for (const Flow &F : Graph.Flows)
      if (F.Consumer == Node)
        Aliases += fmt::format("\nusing cufuse_linked_{} = CufuseValue<{}>;", F.In, element(Node, F.In));
    for (const std::string &Out : outputs(Node))
      Aliases += fmt::format("{}using cufuse_linked_{} = {};", Aliases.empty() ? "" : "\n", Out, sinkType(Node, Out));
    code(Aliases, {space(Node)});
    if (Consumes)
      Result.Text.Body.push_back(
          directive("#define threadIdx cufuse_partition::threadIdx()\n#define blockDim cufuse_partition::blockDim()"));
    for (const Piece &P : Text.Body)
      Result.Text.Body.push_back(inside(P, Node));
    for (const std::string &Macro : Text.BodyMacros)
      Result.Text.Body.push_back(directive("#undef " + Macro));
    if (!Behind.empty())
      Result.Text.Body.push_back(directive(Behind.substr(0, Behind.size() - 1)));
    for (const std::string &Macro : Text.BodyMacros)
      if (!llvm::is_contained(Result.Text.BodyMacros, Macro))
        Result.Text.BodyMacros.push_back(Macro);
  }

  /// The parameters of a consumer that the store site must know: all but the element itself.
  std::vector<const ParameterText *> carried(const Flow &F) const {
    std::vector<const ParameterText *> All;
    for (const ParameterText &P : Texts[F.Consumer]->Parameters)
      if (P.Name != F.In)
        All.push_back(&P);
    return All;
  }

  /// The object that a producer stores through.
  void sink(unsigned Node, const std::string &Out) {
    const std::string Type = sinkType(Node, Out), T = element(Node, Out);
    const bool Live = isLive(Node, Out);
    std::string Fields = Live ? fmt::format("  {} *memory;\n", T) : "", Calls;
    if (Live)
      Calls += "      to.memory[index] = value;\n";
    std::vector<std::string> Consumers;
    for (const Flow &F : Graph.Flows) {
      if (F.Producer != Node || F.Out != Out)
        continue;
      const std::string &Consumer = name(F.Consumer);
      Consumers.push_back(Consumer);
      std::vector<std::string> Arguments;
      const KernelFacts &Facts = *Graph.Nodes[F.Consumer].Facts;
      if (Facts.reads(Builtin::BlockIdx))
        Arguments.push_back("uint3{static_cast<unsigned>(index), 0, 0}");
      if (Facts.reads(Builtin::GridDim))
        Arguments.push_back("dim3(0x7fffffffu - static_cast<unsigned>(index), 1, 1)");
      for (const ParameterText &P : Texts[F.Consumer]->Parameters) {
        const std::string Field = Consumer + "_" + P.Name;
        if (P.Name == F.In) {
          Arguments.push_back("{value}");
          continue;
        }
        Arguments.push_back("to." + Field);
        if (llvm::is_contained(outputs(F.Consumer), P.Name))
          Fields += fmt::format("  {} {};\n", sinkType(F.Consumer, P.Name), Field);
        else
          Fields += fmt::format("  {};\n", renamed(nested(P.Field, space(F.Consumer)), P.Name, Field));
      }
      Calls += fmt::format("      {}({});\n", fmt::format("{}::{}", space(F.Consumer), callee(F.Consumer)),
                           llvm::join(Arguments, ", "));
    }
    code(fmt::format(R"(
/// Where {0} stores {1}: an element goes {2}to {3}.
struct {4} {{
{5}  struct Element {{
    const {4} &to;
    const long long index;
    __device__ __forceinline__ {6} operator=(const {6} value) const {{
{7}      return value;
    }}
  }};
  __device__ __forceinline__ Element operator[](long long index) const {{ return {{*this, index}}; }}
}};
)",
                     name(Node), Out, Live ? "to memory and " : "", llvm::join(Consumers, " and "), Type, Fields, T,
                     Calls),
         {});
  }

  std::string callee(unsigned Node) const {
    std::string Callee = Texts[Node]->Callee;
    return nested(std::move(Callee), space(Node));
  }

  /// A parameter of a node as an expression of the parameters that remain.
  std::string argument(unsigned Node, const std::string &Parameter) const {
    if (llvm::is_contained(outputs(Node), Parameter))
      return sinkValue(Node, Parameter);
    if (const SharedArgument *S = Graph.sharedTo(Node, Parameter)) {
      std::vector<std::string> Factors;
      for (const std::string &Factor : S->Factors)
        Factors.push_back(argument(S->Of, Factor));
      const std::string Product = llvm::join(Factors, " * ");
      if (!Graph.Nodes[Node].parameter(Parameter)->Integer)
        return Product;
      return fmt::format("static_cast<{}>({})", Graph.Nodes[Node].parameter(Parameter)->Type, Product);
    }
    return name(Node) + "_" + Parameter;
  }
  std::string sinkValue(unsigned Node, const std::string &Out) const {
    std::vector<std::string> Fields;
    if (isLive(Node, Out))
      Fields.push_back(name(Node) + "_" + Out);
    for (const Flow &F : Graph.Flows)
      if (F.Producer == Node && F.Out == Out)
        for (const ParameterText *P : carried(F))
          Fields.push_back(argument(F.Consumer, P->Name));
    return sinkType(Node, Out) + "{" + llvm::join(Fields, ", ") + "}";
  }

  /// The function that the fused kernel calls in place of the root.
  void entry() {
    const KernelFacts &Facts = root();
    std::vector<std::string> Parameters, Arguments;
    auto Index = [&](const char *Type, const char *Name) {
      Parameters.push_back(fmt::format("const {} {}", Type, Name));
      Arguments.push_back(Name);
    };
    if (!Facts.sharesIndices()) {
      if (Facts.reads(Builtin::BlockIdx))
        Index("uint3", "blockIdx");
      if (Facts.reads(Builtin::GridDim))
        Index("dim3", "gridDim");
      if (!Facts.DynamicShared.empty())
        Index("unsigned", "cufuse_dynamicOffset");
    }
    for (const ParameterText &P : Result.Text.Parameters) {
      std::string Declaration = P.Declaration, Name = P.Name;
      constexpr llvm::StringLiteral Constant = "__grid_constant__ ";
      if (const size_t At = Declaration.find(Constant); At != std::string::npos) {
        Declaration.erase(At, Constant.size());
        Name = "&" + Name; // the fused kernel's own
      }
      Declaration.replace(Declaration.find('\2'), 1, Name);
      Parameters.push_back(Declaration);
    }
    for (const ParameterText &P : Texts[Graph.Root]->Parameters)
      Arguments.push_back(argument(Graph.Root, P.Name));
    const std::string Head = fmt::format("__device__ __forceinline__ void {}(", Result.Facts.Name);
    const std::string Call = fmt::format("  {}::{}(", space(Graph.Root), callee(Graph.Root));
    code(fmt::format("\n{}{}) {{\n{}{});\n}}", Head, llvm::join(Parameters, ",\n    "), Call,
                     llvm::join(Arguments, ", ")),
         {});
    Result.Text.Callee = Result.Facts.Name;
  }

  /// The value of a polynomial in the launcher, as a 64-bit integer.
  std::string hostText(const Polynomial &P) const {
    std::string Sum;
    for (const auto &[Atoms, Factor] : P.terms()) {
      std::string Product = fmt::format("{}ll", Factor);
      for (const std::string &Atom : Atoms) {
        const auto [Node, Parameter] = llvm::StringRef(Atom).split('.');
        if (Node == "gridDim")
          Product += fmt::format(" * static_cast<long long>(\2Launch.grid.{})", Parameter.str());
        else
          Product += fmt::format(" * static_cast<long long>(\2Launch.arguments.{}_{})", Node.str(), Parameter.str());
      }
      Sum += (Sum.empty() ? "" : " + ") + Product;
    }
    return Sum.empty() ? "0ll" : Sum;
  }
  void conditions() {
    for (const AtMost &Needed : Requirements)
      Result.Text.LaunchConditions.push_back(hostText(Needed.Left) + " <= " + hostText(Needed.Right));
  }

  const VerticalGraph &Graph;
  llvm::ArrayRef<const Closure *> Texts;
  llvm::ArrayRef<AtMost> Requirements;
  std::set<std::string> HeaderNames;
  ComposedKernel Result;
};

} // namespace

ComposedKernel inlineAtStore(const VerticalGraph &Graph, llvm::ArrayRef<const Closure *> Texts,
                             llvm::ArrayRef<AtMost> Requirements) {
  return Composer(Graph, Texts, Requirements).run();
}

std::vector<std::string> linkedParameters(const VerticalGraph &Graph, unsigned Node) {
  std::vector<std::string> Names;
  for (const Flow &F : Graph.Flows) {
    if (F.Producer == Node)
      Names.push_back(F.Out);
    if (F.Consumer == Node)
      Names.push_back(F.In);
  }
  return Names;
}

} // namespace cufuse
