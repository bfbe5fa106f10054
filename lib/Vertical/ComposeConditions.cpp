// Of a composition, what its launch asks: the ranges of arguments, what the proofs require, and memory that lies apart.
#include "ComposeText.h"

#include "cufuse/Kernel/Wrapping.h"

#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/Sequence.h>

namespace cufuse {

/// The atoms of what is known of a kernel's accesses: of indices, conditions and loops.
static std::set<std::string> atomsOfAccesses(const KernelAccesses &Accesses) {
  std::set<std::string> Atoms;
  auto Add = [&](const Polynomial &P) { Atoms.merge(P.atoms()); };
  for (const AccessSite &Site : Accesses.Sites)
    forEachPolynomial(Site, Add);
  for (const LoopAccess &Loop : Accesses.Loops)
    Add(Loop.Start), Add(Loop.Step);
  // A value may be any: it is the same function of the element, as long as no conversion and no quotient changes it.
  Atoms.insert(Accesses.Converted.begin(), Accesses.Converted.end());
  for (const ThreadUse &Use : Accesses.Uses)
    for (const std::string &Atom : Use.Value.atoms())
      if (Accesses.Quotients.count(Atom) && !isWrap(Atom))
        Atoms.insert(Atom);
  for (size_t Before = 0; Before != Atoms.size();) { // a quotient of quotients
    Before = Atoms.size();
    for (const auto &[Atom, Q] : Accesses.Quotients)
      if (Atoms.count(Atom) && !isWrap(Atom))
        Add(Q.Dividend), Add(Q.Divisor);
  }
  return Atoms;
}

/// Where an argument is not in the range of `int`; nothing where all are.
static OutputText beyondInt(const ParameterAccess &P, const OutputText &Argument) {
  return P.Unsigned ? Argument + " > 2147483647u"
         : P.IsInt  ? OutputText()
                    : outputText("static_cast<int>({0}) != {0}", Argument);
}

/// What an argument that the proofs speak of must be, so that no conversion between integers changes it: in the range
/// of `int`.
void TextComposer::ranges(unsigned Node, const ParameterAccess &P, std::set<std::string> &Positive) {
  const SharedArgument *S = Graph.sharedTo(Node, P.Name);
  if (!S) {
    const OutputText Argument = OutputText::Slot::Argument + OutputText(Graph.argumentName(Node, P.Name));
    if (const OutputText Error = beyondInt(P, Argument); !Error.empty())
      refuseIf(Error);
    return;
  }
  Polynomial Product = 1;
  for (const std::string &Factor : S->Factors) {
    if (const ParameterAccess *Own = Graph.Nodes[S->Of].parameter(Factor))
      ranges(S->Of, *Own, Positive);
    Product = Product * Graph.argument(S->Of, Factor);
    if (&Factor != &S->Factors.front()) // of what does not exceed `int`: no overflow
      refuseIf(hostText(Product) + " > 2147483647ll");
  }
  if (P.Unsigned || S->Factors.size() > 1)
    Positive.merge(Product.atoms());
}

void TextComposer::refuseIf(const OutputText &Condition, const std::string &Why) {
  if (llvm::none_of(Result.Text.LaunchErrors, [&](const LaunchError &Known) { return Known.Condition == Condition; }))
    Result.Text.LaunchErrors.push_back({Condition, Why});
}

/// `elements > 0`, where no division counts them.
OutputText TextComposer::hasElements(unsigned Node) const {
  auto IsPointwise = [&](unsigned Each) { return Graph.Nodes[Each].Shape->Shape == KernelShape::Pointwise; };
  for (const Flow &F : Graph.Flows) // of what is stored at the root's stores, there are as many
    if (!IsPointwise(Node) && F.Producer == Node && IsPointwise(F.Consumer))
      Node = F.Consumer;
  const Polynomial Elements = Graph.inArguments(Node, Graph.Nodes[Node].Shape->Bound);
  if (!IsPointwise(Node) || llvm::any_of(Elements.atoms(), [&](const auto &A) { return Graph.Quotients.count(A); }))
    return {};
  return hostText(Elements) + " > 0";
}

/// Before a condition that is asked where any of the kernels has elements: `elements > 0 && `.
OutputText TextComposer::unlessEmpty(llvm::ArrayRef<unsigned> Nodes) const {
  std::vector<OutputText> Any;
  for (unsigned Node : Nodes)
    if (const OutputText Own = hasElements(Node); Own.empty())
      return {};
    else if (!llvm::is_contained(Any, Own))
      Any.push_back(Own);
  return (Any.size() == 1 ? Any.front() : "(" + joined(Any, " || ") + ")") + " && ";
}

OutputText TextComposer::unlessAllEmpty() const {
  return unlessEmpty(llvm::to_vector(llvm::seq<unsigned>(0, Graph.Nodes.size())));
}

std::vector<OutputText> TextComposer::positive(const Polynomial &P) const {
  std::vector<OutputText> All;
  auto Add = [&](const OutputText &Each) {
    if (!llvm::is_contained(All, Each))
      All.push_back(Each);
  };
  for (const std::string &Atom : P.atoms())
    if (auto Q = Graph.Quotients.find(Atom); Q != Graph.Quotients.end()) {
      for (const Polynomial *Part : {&Q->second.Dividend, &Q->second.Divisor})
        llvm::for_each(positive(*Part), Add);
      auto IsOfBlock = [](const std::string &Each) {
        return Each.starts_with("blockDim.");
      }; // which is no smaller than 1
      if (!llvm::all_of(Q->second.Divisor.atoms(), IsOfBlock))
        Add(hostText(Q->second.Divisor) + " <= 0");
    }
  return All;
}

OutputText TextComposer::countText(const Polynomial &P) const {
  std::vector<OutputText> Errors = positive(P);
  // A count that wraps is another one, before the launch is asked.
  if (!isSingle(P))
    isMadeOf(P, Graph.Quotients, [&](const std::string &Atom) {
      if (const ParameterAccess *Own = Graph.parameterOf(Atom); Own && Own->Bits > 32)
        Errors.push_back(beyondInt(*Own, OutputText::Slot::Argument + OutputText(argumentOf(Atom))));
      return true;
    });
  return Errors.empty() ? hostText(P) : outputText("({} ? -1 : {})", joined(Errors, " || "), hostText(P));
}

void TextComposer::divisors() {
  for (unsigned Node = 0; Node < Graph.Nodes.size(); ++Node)
    for (const auto &[Atom, Q] : Graph.Nodes[Node].Accesses->Quotients) {
      for (const OutputText &Each : positive(Graph.inArguments(Node, Polynomial::atom(Atom))))
        refuseIf(unlessEmpty(Node) + Each, "the elements are divided by it");
      // A multiple of the elements' numbers has lost no bits, and neither has a product of arguments.
      const ShapeFacts &Shape = *Graph.Nodes[Node].Shape;
      const auto Times = Q.Dividend.split(builtinAtom(Builtin::ThreadIdx, 0)).first.asConstant();
      const bool IsNarrow = Q.Narrow != Quotient::Wraps::Never;
      if (IsNarrow && Q.Divisor == 1 && Shape.Shape == KernelShape::Pointwise && Times.value_or(0) > Shape.Width)
        refuseUnless({*Times * Graph.inArguments(Node, Shape.Bound),
                      Polynomial(std::int64_t(Shape.Width) * std::numeric_limits<int>::max())},
                     /*Always=*/false);
      for (const Polynomial *P : {&Q.Dividend, &Q.Divisor})
        if (IsNarrow && !isSingle(*P) &&
            isMadeOf(*P, Graph.Nodes[Node].Accesses->Quotients,
                     [&](const std::string &Each) { return Graph.Nodes[Node].parameter(Each); }))
          refuseUnless({Graph.inArguments(Node, *P), std::numeric_limits<int>::max()},
                       /*Always=*/false);
    }
}

/// `n a multiple of 4` or `a <= b`.
static std::string said(const AtMost &Needed, const std::map<std::string, Quotient> &Quotients) {
  for (const auto &[Atom, Q] : Quotients)
    if (Q.Dividend == Needed.Left && Needed.Right == Q.Divisor * Polynomial::atom(Atom))
      return fmt::format("{} a multiple of {}", Needed.Left.str(), Q.Divisor.str());
  return fmt::format("{} <= {}", Needed.Left.str(), Needed.Right.str());
}

void TextComposer::conditions() {
  leaveOutUnused();
  divisors();
  // Quotients are taken as those of numbers that are not negative, and so are comparisons of unsigned ones.
  std::set<std::string> Parts;
  for (unsigned Node = 0; Node < Graph.Nodes.size(); ++Node) {
    const KernelAccesses &Accesses = *Graph.Nodes[Node].Accesses;
    const std::set<std::string> Known = atomsOfAccesses(Accesses);
    for (const auto &[Atom, Q] : Accesses.Quotients)
      if (Known.count(Atom) && !isWrap(Atom))
        for (const Polynomial *P : {&Q.Dividend, &Q.Divisor})
          for (const std::string &Part : Graph.inArguments(Node, *P).atoms())
            if (llvm::any_of(Graph.Nodes, [&](const VerticalNode &N) { return Part.starts_with(N.Name + "."); }))
              Parts.insert(Part);
    for (const Polynomial &Each : Accesses.NotNegative)
      if (isSingle(Each))
        Parts.merge(Graph.inArguments(Node, Each).atoms());
      else
        refuseUnless({{}, Graph.inArguments(Node, Each)}, /*Always=*/true);
    for (const ParameterAccess &P : Accesses.Parameters)
      if (P.Integer && Known.count(P.Name))
        ranges(Node, P, Parts);
  }
  for (const std::string &Part : Parts) {
    // Where there are elements, none is divided by what is not positive.
    const OutputText Value = hostText(Polynomial::atom(Part)), NotPositive = Value + " <= 0";
    if (llvm::none_of(Result.Text.LaunchErrors, [&](const LaunchError &Known) {
          return Known.Condition == NotPositive ||
                 (Graph.OneLoop && Known.Condition == unlessEmpty(Graph.Root) + NotPositive);
        }))
      refuseIf(Value + " < 0");
  }
  std::vector<std::string> Said;
  for (const AtMost &Needed : Requirements) {
    refuseUnless(Needed, /*Always=*/true);
    // Signs and the range of `int` go without saying, what follows from them, and a grid that is large enough.
    const auto Least = Needed.Left.asConstant(), Most = Needed.Right.asConstant();
    auto IsGrid = [](const std::string &Atom) { return Atom.starts_with("gridDim."); };
    if (Least.value_or(2) <= 1 || !mayBeNegative(Needed.Right - Needed.Left, Graph.Quotients) ||
        Most.value_or(0) >= MostElements / 2 || llvm::any_of(Needed.Left.atoms(), IsGrid) ||
        llvm::any_of(Needed.Right.atoms(), IsGrid))
      continue;
    if (auto Reverse = llvm::find(Said, said({Needed.Right, Needed.Left}, Graph.Quotients)); Reverse != Said.end())
      *Reverse = fmt::format("{} = {}", Needed.Right.str(), Needed.Left.str());
    else
      Said.push_back(said(Needed, Graph.Quotients));
  }
  if (!Said.empty())
    Result.Text.Note += fmt::format("{}It can be launched with {} alone.", Result.Text.Note.empty() ? "" : " ",
                                    llvm::join(Said, " and "));
  distinctPointers();
}

void TextComposer::refuseUnless(const AtMost &Needed, bool Always) {
  constexpr std::int64_t Largest = std::numeric_limits<int>::max();
  if ((isInt(Needed.Left) && Needed.Right.asConstant().value_or(0) >= Largest) ||
      (Needed.Right - Needed.Left).asConstant().value_or(-1) >= 0)
    return;
  // What is made of dimensions of the grid is never negative, and what counts elements is not where there are some.
  const bool IsSign = Needed.Left.isZero() || Needed.Left == 1;
  auto IsGrid = [](llvm::StringRef Atom) { return Atom.starts_with("gridDim."); };
  if (IsSign && !Needed.Right.asConstant() &&
      ((!Needed.Right.hasNegative() && llvm::all_of(Needed.Right.atoms(), IsGrid)) ||
       (!Always && unlessAllEmpty() == hostText(Needed.Right) + " > 0 && ")))
    return;
  // Behind the last dimension of the grid that is read, a launch has one block.
  const auto &Index = Result.Facts.Reads[static_cast<size_t>(Builtin::BlockIdx)];
  const auto &Size = Result.Facts.Reads[static_cast<size_t>(Builtin::GridDim)];
  for (unsigned D = 2; D > 0 && !Index[D] && !Size[D]; --D)
    if (Needed.Left == Polynomial::atom(fmt::format("gridDim.{}", "xyz"[D])) &&
        Needed.Right.asConstant().value_or(0) >= 1)
      return;
  // As a person would say it: `columns <= 0`, `columns < 0`.
  Polynomial Right = Needed.Right;
  if (Needed.Left.isZero() && Right.terms().size() == 1)
    Right = Right.dividedBy(std::abs(Right.terms().begin()->second)).value_or(Right);
  OutputText Condition = Needed.Left.isZero() ? hostText(Right) + " < 0"
                         : Needed.Left == 1   ? hostText(Right) + " <= 0"
                                              : hostText(Needed.Left) + " > " + hostText(Right);
  if (std::vector<OutputText> All = positive(Needed.Left - Needed.Right); !All.empty()) {
    All.push_back(Condition);
    Condition = "(" + joined(All, " || ") + ")";
    Always = false;
  }
  const OutputText Guard = Always ? OutputText() : unlessAllEmpty();
  auto Compared = [&](const char *By) { return Guard + hostText(Right) + By + hostText(Needed.Left); };
  for (LaunchError &Known : Result.Text.LaunchErrors)
    if (Condition == hostText(Needed.Left) + " > " + hostText(Right) &&
        (Known.Condition == Compared(" > ") || Known.Condition == Compared(" != "))) {
      Known.Condition = Compared(" != ");
      return;
    }
  auto IsKnown = [&](const LaunchError &Known) { return Known.Condition == Condition; };
  auto IsLess = [&](const LaunchError &Known) { return Known.Condition == hostText(Right) + " < 0"; };
  auto IsNotMore = [&](const LaunchError &Known) { return Known.Condition == hostText(Right) + " <= 0"; };
  if (Always && Needed.Left == 1) // which says both
    llvm::erase_if(Result.Text.LaunchErrors, IsLess);
  if (Needed.Left.isZero() && llvm::any_of(Result.Text.LaunchErrors, IsNotMore))
    return;
  if (Always || llvm::none_of(Result.Text.LaunchErrors, IsKnown))
    refuseIf(Guard + Condition);
}

/// Where what is used of an array begins, and its bytes: of one that is used in parts, all from the first to the last.
std::pair<OutputText, OutputText> TextComposer::used(const Memory &Of, const ParameterAccess &P,
                                                     const OutputText &Argument) {
  const std::vector<Extent> &Parts = Graph.Extents.at(Of);
  const bool BeginAlike = llvm::all_of(Parts, [&](const Extent &Part) { return Part.Least == Parts.front().Least; });
  const Polynomial Size = P.Bytes;
  std::vector<OutputText> Froms, Ends;
  auto Add = [](std::vector<OutputText> &To, OutputText Text) {
    if (!llvm::is_contained(To, Text))
      To.push_back(std::move(Text));
  };
  for (const Extent &Part : Parts) {
    for (const AtMost &Each : Part.Needs)
      refuseUnless(Each, /*Always=*/false);
    Add(Ends, hostText(Size * (BeginAlike ? Part.End - Part.Least : Part.End)));
    Add(Froms, hostText(-Size * Part.Least));
  }
  auto Largest = [](llvm::ArrayRef<OutputText> Of) {
    OutputText Known = Of.front();
    for (const OutputText &Each : Of.drop_front())
      Known = outputText("larger({}, {})", Known, Each);
    return Known;
  };
  const OutputText From = Largest(Froms), Bytes = Largest(Ends);
  const Polynomial Least = P.Bytes * Parts.front().Least;
  constexpr const char *Begin = "reinterpret_cast<const volatile char *>({}) {} ({})";
  if (!BeginAlike)
    return {outputText(Begin, Argument, "-", From), Bytes + " + " + From};
  return {Least.isZero() ? Argument : outputText(Begin, Argument, "+", hostText(Least)), Bytes};
}

bool TextComposer::isGiven(const std::string &Argument) const {
  return llvm::any_of(Result.Text.Parameters, [&](const ParameterText &P) { return P.Name == Argument; });
}

/// What one kernel stores to is no other memory that one of them uses.
void TextComposer::distinctPointers() {
  struct Pointer {
    unsigned Node;
    const ParameterAccess *Parameter;
    Memory Of;
    std::string Name;
    bool IsStored = false;
    OutputText argument() const { return OutputText::Slot::Argument + OutputText(Name); }
  };
  std::vector<Pointer> All;
  for (unsigned Node = 0; Node < Graph.Nodes.size(); ++Node)
    for (const ParameterAccess &P : Graph.Nodes[Node].Accesses->Parameters)
      if (const std::string Argument = Graph.argumentName(Node, P.Name);
          !P.Element.empty() && (Graph.Nodes[Node].isDistinct(P) || Graph.Nodes[Node].Compared.count(P.Name)) &&
          isGiven(Argument))
        All.push_back({Node, &P, Graph.memory(Node, P.Name), Argument});
  for (Pointer &Each : All)
    for (unsigned Node = 0; Node < Graph.Nodes.size(); ++Node)
      for (const ParameterAccess &P : Graph.Nodes[Node].Accesses->Parameters)
        Each.IsStored |=
            !P.Element.empty() && Graph.memory(Node, P.Name) == Each.Of && Graph.Nodes[Node].stores(P.Name);
  struct Range {
    const Pointer &Of;
    bool Divides;
    OutputText Text;
  };
  std::vector<Range> Used;
  for (const Pointer &Each : All)
    if (const auto Parts = Graph.Extents.find(Each.Of); Parts != Graph.Extents.end()) {
      const bool Divides = llvm::any_of(Parts->second, [&](const Extent &Part) {
        return !positive(Part.Least).empty() || !positive(Part.End).empty();
      });
      const auto [Begin, Bytes] = used(Each.Of, *Each.Parameter, Each.argument());
      Used.push_back({Each, Divides, Begin + ", " + Bytes});
    }
  // Where it is not known how much they use, at least they begin apart.
  for (size_t I = 0; I < All.size(); ++I)
    for (size_t J = I + 1; J < All.size(); ++J) {
      const Pointer &A = All[I], &B = All[J];
      // `__restrict__` is said of a kernel's own pointers, if it changes what one leads to.
      auto IsOwn = [&] {
        const VerticalNode &N = Graph.Nodes[A.Node];
        return A.Node == B.Node && A.Parameter->Restrict && B.Parameter->Restrict &&
               (N.stores(A.Parameter->Name) || N.stores(B.Parameter->Name));
      };
      if (IsOwn() || (!A.IsStored && !B.IsStored) || A.Of == B.Of ||
          (Graph.Extents.count(A.Of) && Graph.Extents.count(B.Of)))
        continue;
      const bool AreAlike = A.Parameter->Element == B.Parameter->Element && A.Parameter->BuiltinType;
      const OutputText Compared =
          AreAlike ? A.argument() : outputText("static_cast<const volatile void *>({})", A.argument());
      refuseIf(outputText("{} != nullptr && {} == {}", A.argument(), Compared, B.argument()),
               "they would be one array");
    }
  std::vector<OutputText> Pairs;
  auto Ask = [&](bool Divides, const OutputText &Asked) { // without elements, there may be nothing to divide by
    return (Divides ? unlessAllEmpty() : OutputText()) + Asked;
  };
  for (size_t I = 0; I < Used.size(); ++I)
    for (const Range &Other : llvm::drop_begin(Used, I + 1))
      if (const Range &One = Used[I]; Other.Of.IsStored || One.Of.IsStored) {
        Result.Text.Apart.emplace_back(One.Of.Name, Other.Of.Name);
        Pairs.push_back(Ask(One.Divides || Other.Divides, outputText("meet({}, {})", One.Text, Other.Text)));
      }
  if (Pairs.size() < Used.size()) {
    for (const OutputText &Pair : Pairs)
      refuseIf(Pair);
    return;
  }
  std::vector<OutputText> Ranges;
  for (const Range &Each : Used)
    Ranges.push_back(outputText("{}({})", Each.Of.IsStored ? "stores" : "loads", Each.Text));
  if (!Pairs.empty())
    refuseIf(Ask(llvm::any_of(Used, [](const Range &Each) { return Each.Divides; }),
                 outputText("anyMeet({{{}}})", joined(Ranges, ",\n               "))));
}

} // namespace cufuse
