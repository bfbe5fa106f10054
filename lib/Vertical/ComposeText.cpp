#include "ComposeText.h"

#include "cufuse/Cuda/Prelude.h"
#include "cufuse/Frontend/ForeignMacros.h"
#include "cufuse/Kernel/Named.h"

#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

namespace cufuse {

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

OutputText nested(const OutputText &Text, const std::string &Inner) {
  return Text.with(OutputText::Slot::Path, OutputText::Slot::Path + OutputText("::" + Inner));
}

namespace {

Piece directive(std::string Text) {
  Piece P;
  P.What = Piece::Kind::Macro;
  P.Text = std::move(Text);
  return P;
}

} // namespace

const ParameterText &TextComposer::parameter(unsigned Node, const std::string &Name) const {
  return *llvm::find_if(Texts[Node]->Parameters, [&](const ParameterText &P) { return P.Name == Name; });
}

OutputText TextComposer::element(unsigned Node, const std::string &Parameter) const {
  const ParameterAccess &Own = *Graph.Nodes[Node].parameter(Parameter);
  if (Own.Parts == 1)
    return ownElement(Node, Parameter);
  for (unsigned Each = 0; Each < Graph.Nodes.size(); ++Each)
    for (const ParameterAccess &P : Graph.Nodes[Each].Accesses->Parameters)
      if (P.Parts == 1 && !P.Element.empty() && Graph.memory(Each, P.Name) == Graph.memory(Node, Parameter))
        return ownElement(Each, P.Name);
  constexpr std::array<const char *, 5> BySize = {"unsigned char", "unsigned short", "unsigned", "unsigned long long",
                                                  "uint4"};
  return OutputText(BySize[llvm::Log2_32(Own.Bytes)]);
}

OutputText TextComposer::ownElement(unsigned Node, const std::string &Parameter) const {
  return nested(parameter(Node, Parameter).Element, space(Node));
}

std::string TextComposer::inElements(unsigned Node, const std::string &Parameter, const std::string &Argument) const {
  const ParameterAccess &P = *Graph.Nodes[Node].parameter(Parameter);
  const auto [Of, Name] = Graph.memory(Node, Parameter);
  const bool InParts = P.Parts > 1 || Graph.Nodes[Of].parameter(Name)->Parts > 1;
  return pointerText(Graph, Node, Parameter, element(Node, Parameter).written(), Argument, InParts);
}

std::vector<std::string> TextComposer::elementIndices(unsigned Node, const std::string &At, unsigned Width,
                                                      AtomText Given) const {
  const KernelFacts &Facts = *Graph.Nodes[Node].Facts;
  std::vector<std::string> Indices;
  std::string Rest = At, Place;
  llvm::ArrayRef<Polynomial> Sizes = Graph.Nodes[Node].Shape->Sizes;
  if (!Sizes.empty() && At.find(" + ") != std::string::npos)
    Rest = "(" + Rest + ")";
  for (const Polynomial &Size : Sizes.drop_back(Sizes.empty() ? 0 : 1)) {
    const std::set<std::string> Atoms = Size.atoms();
    auto Argument = [&](const std::string &Atom) { return Given ? Given(Atom) : OutputText(argument(Node, Atom)); };
    const std::string Number = "static_cast<unsigned>(" +
                               (Atoms.size() == 1 && Size == Polynomial::atom(*Atoms.begin())
                                    ? Argument(*Atoms.begin())
                                    : spelled(Size, Graph.Nodes[Node].Accesses->Quotients, Argument))
                                   .text() +
                               ")";
    Place += Rest + " % " + Number + ", ";
    Rest += " / " + Number;
  }
  if (Facts.reads(Builtin::BlockIdx))
    Indices.push_back(
        fmt::format("uint3{{{}{}{}}}", Place, Rest, llvm::ArrayRef({", 0, 0", ", 0, 0", ", 0", ""})[Sizes.size()]));
  if (Facts.reads(Builtin::GridDim))
    Indices.push_back(fmt::format("dim3({:#x}u - {}, 1, 1)", 0x7fffffffu / Width,
                                  At.find(" + ") == std::string::npos ? At : "(" + At + ")"));
  return Indices;
}

void TextComposer::facts() {
  Result.Text.IsComposed = true;
  Result.Facts = *Graph.Nodes[Graph.Root].Facts;
  Result.Facts.Blockers.clear();
  Result.Facts.GridStrideLoop.reset(); // its turns, and what is loaded in each, are the form's
  std::vector<std::string> Names, Qualified;
  for (unsigned Node : Graph.Order) {
    const KernelFacts &F = *Graph.Nodes[Node].Facts;
    Names.push_back(F.Name);
    Qualified.push_back(F.QualifiedName);
    if (Node == Graph.Root)
      continue;
    Result.Facts.Globals.insert(Result.Facts.Globals.end(), F.Globals.begin(), F.Globals.end());
    Result.Facts.Helpers.insert(Result.Facts.Helpers.end(), F.Helpers.begin(), F.Helpers.end());
  }
  constexpr size_t Longest = 40;
  Result.Facts.Name = llvm::join(Names, "_");
  if (Result.Facts.Name.size() > Longest)
    Result.Facts.Name = Names.front() + "_to_" + Names.back();
  Result.Facts.QualifiedName = llvm::join(Qualified, ", then ");
  Result.Facts.Parameters.clear();
  Result.Facts.ParameterBytes = 0; // at most all of them, each of which was checked
}

void TextComposer::parameters(unsigned Node, llvm::function_ref<bool(const std::string &)> Remains) {
  const KernelText &Text = *Texts[Node];
  for (const ParameterText &P : Text.Parameters) {
    if (Graph.flowTo(Node, P.Name) || Graph.sharedTo(Node, P.Name) || !Remains(P.Name))
      continue;
    const std::string Name = Graph.argumentName(Node, P.Name);
    auto Nested = [&](const OutputText &Text) { return nested(Text, space(Node)); };
    Result.Text.Parameters.push_back({{Nested(P.Declaration), Nested(P.Field), Nested(P.Element)}, Name});
    if (const auto &Own = P.Opaque)
      Result.Text.Parameters.back().Opaque = {Nested(Own->Declaration), Nested(Own->Field), Nested(Own->Type),
                                              Own->IsPointer, Own->IsOwn};
    const KernelFacts &F = *Graph.Nodes[Node].Facts;
    for (const ParameterFacts &Fact : F.Parameters)
      if (Fact.Name == P.Name) {
        Result.Facts.Parameters.push_back(Fact);
        Result.Facts.Parameters.back().Name = Name;
      }
  }
  for (const IncludeLine &Include : Text.Includes) {
    auto Known = llvm::find_if(Result.Text.Includes, [&](const IncludeLine &I) {
      return I.Text == Include.Text && I.Path == Include.Path && I.isReadLike(Include);
    });
    if (Known == Result.Text.Includes.end()) {
      Result.Text.Includes.push_back(Include);
    } else {
      Known->ForArguments |= Include.ForArguments, Known->ForDevice &= Include.ForDevice;
      Known->IsUnneeded &= Include.IsUnneeded, Known->MayBeAnother |= Include.MayBeAnother;
    }
  }
  for (const std::string &File : Text.Dependencies)
    if (!llvm::is_contained(Result.Text.Dependencies, File))
      Result.Text.Dependencies.push_back(File);
  for (const auto &Macro : Text.OutsideMacros)
    if (MacroText &Known = Result.Text.OutsideMacros[Macro.first()]; Known.Call.empty())
      Known = Macro.second;
  Result.Text.HasHostShared |= Text.HasHostShared;
  if (Result.Text.Architectures.empty())
    Result.Text.Architectures = Text.Architectures;
  else if (!Text.Architectures.empty())
    std::erase_if(Result.Text.Architectures, [&](unsigned Each) { return !Text.Architectures.contains(Each); });
  Result.Text.HasConstants |= Text.HasConstants;
  for (const Piece &P : Text.OnHost)
    Result.Text.OnHost.push_back(inside(P, Node));
  for (ArgumentType Type : Text.Types) {
    Type.Namespaces.insert(Type.Namespaces.begin(), space(Node));
    if (Type.Fields)
      for (ArgumentType::Field &Field : *Type.Fields)
        Field.Declaration = nested(Field.Declaration, space(Node));
    Result.Text.Types.push_back(std::move(Type));
  }
  auto Prefixed = [&](std::vector<std::string> Namespaces) {
    Namespaces.insert(Namespaces.begin(), space(Node));
    return Namespaces;
  };
  for (const std::string &Line : Text.Usings)
    Result.Text.NestedUsings[{space(Node)}].push_back(Line);
  for (const auto &[Namespaces, Lines] : Text.NestedUsings)
    for (const std::string &Line : Lines)
      Result.Text.NestedUsings[Prefixed(Namespaces)].push_back(Line);
}

void TextComposer::factsOfBlocks(const std::vector<bool> &ByElement) {
  facts();
  for (unsigned Node : Graph.Order)
    if (!ByElement[Node] && Node != Graph.Root)
      Result.Facts.includeWhatItDoes(*Graph.Nodes[Node].Facts);
}

void TextComposer::libraries(unsigned Node) {
  const KernelText &Text = *Texts[Node];
  for (const IncludeLine &Include : Text.Libraries)
    if (llvm::none_of(Result.Text.Libraries,
                      [&](const IncludeLine &I) { return I.Text == Include.Text && I.isReadLike(Include); }))
      Result.Text.Libraries.push_back(Include);
  for (const std::string &Line : Text.BeforeLibraries)
    if (!llvm::is_contained(Result.Text.BeforeLibraries, Line))
      Result.Text.BeforeLibraries.push_back(Line);
}

Piece TextComposer::inside(Piece P, unsigned Node) const {
  if (P.What != Piece::Kind::Shared)
    P.Namespaces.insert(P.Namespaces.begin(), space(Node));
  P.Text = nested(P.Text, space(Node));
  return P;
}

void TextComposer::code(const OutputText &Text, std::vector<std::string> Namespaces) {
  Piece P;
  P.What = Piece::Kind::Using;
  P.Namespaces = std::move(Namespaces);
  // It means what it says, whatever macros the headers of the users define.
  P.Text = Text;
  std::string Before, Behind;
  for (const std::string &Macro : foreignMacros(KernelText(), P, Texts))
    if (!llvm::StringRef(Macro).starts_with("__") && Macro != "dim3" && Macro != "uint3") { // the toolkit's
      Before += fmt::format("#pragma push_macro(\"{0}\")\n#undef {0}\n", Macro);
      Behind += fmt::format("\n#pragma pop_macro(\"{}\")", Macro);
    }
  P.Text = Before + Text + Behind;
  Result.Text.Body.push_back(std::move(P));
}

void TextComposer::file(llvm::StringRef File, llvm::ArrayRef<Given> Values) {
  const bool Moves = llvm::any_of(Texts, [](const KernelText *Text) { return Text->MovesPointers; });
  std::vector<Given> All = Values;
  All.push_back({"MOVES", Moves});
  for (llvm::StringRef Part : llvm::split(File, "\n\n")) {
    Ours.push_back(Result.Text.Body.size());
    std::string Kept;
    for (const Declaration &Each : declarationsIn(Part))
      if (Moves || Each.Name != "moved")
        Kept += Each.Text;
    code("\n" + emitted(Kept, All));
    Result.Text.Body.back().IsShared = cuda::isShared(File);
  }
}

void TextComposer::leaveOutUnused() {
  std::vector<Piece> &Body = Result.Text.Body;
  std::vector<std::set<std::string>> Named = {namesIn(Result.Text.Main ? Result.Text.Main->Body.written() : "")};
  for (const Piece &P : Body)
    Named.push_back(namesIn(P.Text.written()));
  for (size_t I : llvm::reverse(Ours)) { // what names it stands behind it
    std::vector<Declaration> Own = declarationsIn(Body[I].Text.written());
    llvm::erase_if(Own, [](const Declaration &Each) {
      return Each.IsMember || !llvm::StringRef(Each.Name).starts_with_insensitive("cufuse");
    });
    if (Own.empty() || llvm::any_of(Own, [&](const Declaration &Each) {
          return llvm::any_of(llvm::enumerate(Named), [&](const auto &Names) {
            return Names.index() != I + 1 && Names.value().contains(Each.Name);
          });
        }))
      continue;
    Body.erase(Body.begin() + I);
    Named.erase(Named.begin() + I + 1);
  }
  Ours.clear();
}

void TextComposer::text(unsigned Node, const OutputText &Aliases, bool AsElement) {
  if (AsElement)
    Result.AsElement.insert(Node);
  const KernelText &Text = *Texts[Node];
  std::string Before, Behind;
  std::set<std::string> Foreign = foreignMacros(Text, Text.Body, Texts);
  auto Save = [&](const std::string &Macro, bool IsForeign) {
    Before += fmt::format("#pragma push_macro(\"{}\")\n", Macro);
    if (IsForeign)
      Before += fmt::format("#undef {}\n", Macro);
    Behind += fmt::format("#pragma pop_macro(\"{}\")\n", Macro);
  };
  for (const std::string &Macro : Text.BodyMacros) {
    Save(Macro, false);
    Foreign.erase(Macro);
  }
  // Where its block is a parameter, it is no macro of the whole text.
  if (Result.Facts.sharesIndices() && (AsElement || !Graph.Nodes[Node].Facts->sharesIndices()))
    for (const char *Name : {"blockIdx", "gridDim", "cufuse_dynamicOffset"}) {
      Save(Name, true);
      Foreign.erase(Name);
    }
  for (Builtin B : {Builtin::ThreadIdx, Builtin::BlockDim})
    Result.Facts.Reads[static_cast<size_t>(B)][0] |= AsElement;
  for (const std::string &Macro : Foreign)
    Save(Macro, true);
  if (!Before.empty())
    Result.Text.Body.push_back(directive(Before.substr(0, Before.size() - 1)));
  if (!Aliases.empty())
    code(Aliases, {space(Node)});
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

void TextComposer::elementObjects() {
  pointerObjects();
  file(cuda::Elements);
}

OutputText TextComposer::object(unsigned Node, const std::string &Parameter, const OutputText &Kind) const {
  return outputText("using cufuse_linked_{} = cufuse_pointer<{}, {}>;", Parameter, ownElement(Node, Parameter), Kind);
}

void TextComposer::pointerObjects() {
  file(cuda::Pointer);
  file(cuda::Place);
  file(cuda::Casts);
  for (const char *Name : CachedLoads)
    if (names(Name))
      code(fmt::format("using ::{0};\ntemplate <typename T, typename Kind>\n"
                       "__device__ __forceinline__ auto {0}(cufuse_pointer<T, Kind> p) {{ return *p; }}",
                       Name));
  for (const char *Name : CachedStores)
    if (names(Name))
      code(fmt::format("using ::{0};\ntemplate <typename T, typename Kind, typename Value>\n__device__ __forceinline__ "
                       "void {0}(cufuse_pointer<T, Kind> p, const Value &value) {{ *p = value; }}",
                       Name));
}

bool TextComposer::names(llvm::StringRef Word) const {
  return llvm::any_of(Texts, [&](const KernelText *Text) {
    return llvm::any_of(Text->Body, [&](const Piece &P) { return llvm::StringRef(P.Text.written()).contains(Word); });
  });
}

std::vector<std::pair<std::string, std::string>> TextComposer::blockParameters(const KernelFacts &Facts) {
  std::vector<std::pair<std::string, std::string>> Given;
  if (Facts.sharesIndices())
    return Given;
  if (Facts.reads(Builtin::BlockIdx))
    Given.push_back({"uint3", "blockIdx"});
  if (Facts.reads(Builtin::GridDim))
    Given.push_back({"dim3", "gridDim"});
  if (!Facts.DynamicShared.empty())
    Given.push_back({"unsigned", "cufuse_dynamicOffset"});
  return Given;
}

std::vector<OutputText> TextComposer::declarations() const {
  std::vector<OutputText> All;
  for (const ParameterText &P : Result.Text.Parameters) {
    constexpr const char *Constant = "__grid_constant__ ";
    const bool IsReference = llvm::StringRef(P.Declaration.written()).contains(Constant); // to the fused kernel's own
    All.push_back(P.Declaration.without(Constant).with(OutputText::Slot::Name, (IsReference ? "&" : "") + P.Name));
  }
  return All;
}

std::vector<OutputText> TextComposer::mainParameters() const {
  std::vector<OutputText> Parameters;
  for (const auto &[Type, Name] : blockParameters(Result.Facts))
    Parameters.push_back(fmt::format("const {} {}", Type, Name));
  llvm::append_range(Parameters, declarations());
  return Parameters;
}

void TextComposer::main(const OutputText &Comment, const OutputText &Body) {
  Result.Text.Main = {Comment, wrapped("\n    ", mainParameters(), "", 4), Body};
  Result.Text.Callee = Result.Facts.Name;
}

OutputText TextComposer::turn(const Polynomial &Elements, unsigned Width, bool Whole, const OutputText &Body) const {
  constexpr const char *Number = "blockIdx.x * cufuse_partition::Threads + cufuse_partition::rank()";
  return outputText("  const long long elements = {};\n"
                    "  const unsigned first = {};\n"
                    "  if ({} elements) {{\n{}  }}\n",
                    isInt(Elements) ? argumentOf(*Elements.atoms().begin()) : deviceText(Elements),
                    Width == 1 ? Number : fmt::format("{} * ({})", Width, Number),
                    Whole ? fmt::format("first + {} <=", Width) : "first <", Body);
}

OutputText bracketed(const OutputText &Text, const char *If) {
  return Text.written().find_first_of(If) == std::string::npos ? Text : "(" + Text + ")";
}

OutputText spelled(const Polynomial &P, const std::map<std::string, Quotient> &Quotients, AtomText Atom,
                   llvm::function_ref<AtomType(const std::string &)> TypeOf) {
  OutputText Sum;
  // Neither is negative: divisors are positive, and so is what is divided, or the launch fails.
  auto Word = [&](const Polynomial &Part) -> std::optional<OutputText> {
    if (const auto Known = Part.asConstant(); Known && *Known > 0 && *Known <= std::numeric_limits<int>::max())
      return outputText("{}u", *Known);
    const std::set<std::string> Atoms = Part.atoms();
    if (Atoms.size() != 1 || Part != Polynomial::atom(*Atoms.begin()) || TypeOf(*Atoms.begin()) != AtomType::Narrow)
      return std::nullopt;
    return outputText("static_cast<unsigned>({})", Atom(*Atoms.begin()));
  };
  auto Bracketed = [&](const Polynomial &Part) { return bracketed(spelled(Part, Quotients, Atom, TypeOf)); };
  auto Divided = [&](const Quotient &Q) {
    const auto Dividend = Word(Q.Dividend), Divisor = Word(Q.Divisor);
    return Dividend && Divisor ? outputText("static_cast<long long>({} / {})", *Dividend, *Divisor)
                               : outputText("({} / {})", Bracketed(Q.Dividend), Bracketed(Q.Divisor));
  };
  // As people write it: what is taken away comes last.
  for (const bool Negative : {false, true})
    for (const auto &[Atoms, Factor] : P.terms()) {
      if ((Factor < 0) != Negative)
        continue;
      const bool Minus = Negative && !Sum.empty();
      OutputText Product = Factor == 1 && !Atoms.empty() ? OutputText() : outputText("{}ll", Minus ? -Factor : Factor);
      for (const std::string &Each : Atoms) {
        const auto Q = Quotients.find(Each);
        const AtomType Own = TypeOf(Each);
        const bool Widens = Own == AtomType::Any || (Own == AtomType::Narrow && Product.empty());
        Product += Product.empty() ? "" : " * ";
        Product += Q != Quotients.end() ? Divided(Q->second)
                   : Widens             ? outputText("static_cast<long long>({})", Atom(Each))
                                        : Atom(Each);
      }
      Sum += (Sum.empty() ? "" : Minus ? " - " : " + ") + Product;
    }
  return Sum.empty() ? OutputText("0ll") : Sum;
}

std::string TextComposer::argument(unsigned Node, const std::string &Parameter) const {
  if (const auto Known = Graph.Nodes[Node].known(Parameter))
    return std::to_string(*Known);
  const SharedArgument *S = Graph.sharedTo(Node, Parameter);
  if (!S)
    return Graph.argumentName(Node, Parameter);
  const std::string Given =
      argumentText(Graph, *S, [&](unsigned Of, const std::string &Factor) { return argument(Of, Factor); });
  return pointerText(Graph, Node, Parameter, parameter(Node, Parameter).Element.written(), Given);
}

std::string TextComposer::value(const Polynomial &P, unsigned Node) const {
  return spelled(P, Graph.Nodes[Node].Accesses->Quotients,
                 [&](const std::string &Atom) { return argument(Node, Atom); })
      .text();
}

std::string TextComposer::deviceText(const Polynomial &P) const {
  return spelled(
             P, Graph.Quotients, [&](const std::string &Atom) { return OutputText(argumentOf(Atom)); },
             [&](const std::string &Atom) { return typeOf(Atom); })
      .text();
}

std::string TextComposer::argumentOf(llvm::StringRef Atom) const {
  const auto [Node, Parameter] = Atom.split('.');
  for (unsigned I = 0; I < Graph.Nodes.size(); ++I)
    if (Node == Graph.Nodes[I].Name)
      return Graph.argumentName(I, Parameter.str());
  return Atom.str();
}

bool TextComposer::isInt(const Polynomial &P) const {
  const ParameterAccess *Own = Graph.parameterOf(P.str());
  return Own && Own->IsInt;
}

AtomType TextComposer::typeOf(const std::string &Atom) const {
  if (Atom.starts_with("blockIdx.") || Atom.starts_with("gridDim."))
    return AtomType::Narrow;
  const ParameterAccess *Own = Graph.parameterOf(Atom);
  if (!Own || !Own->BuiltinType)
    return Own && Own->IsInt ? AtomType::Narrow : AtomType::Any;
  return Own->Bits <= 32 ? AtomType::Narrow : Own->Unsigned ? AtomType::Any : AtomType::Wide;
}

OutputText TextComposer::hostText(const Polynomial &P) const {
  auto Spelled = [&](const std::string &Atom) {
    return Atom.starts_with("gridDim.") ? OutputText::Slot::Grid + OutputText(Atom.substr(Atom.find('.')))
                                        : OutputText::Slot::Argument + OutputText(argumentOf(Atom));
  };
  // An `int` alone is compared as it is.
  if (isInt(P))
    return Spelled(*P.atoms().begin());
  return spelled(P, Graph.Quotients, Spelled, [&](const std::string &Atom) { return typeOf(Atom); });
}

} // namespace cufuse
