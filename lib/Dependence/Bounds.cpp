#include "Bounds.h"

#include "cufuse/Kernel/Wrapping.h"

#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>

namespace cufuse {

namespace {

constexpr unsigned MostDepth = 8, MostSteps = 200;
constexpr size_t MostBounds = 4;

/// `Multiple * Divisor + Rest`
struct Parts {
  Polynomial Multiple, Rest;
};
Parts partsOf(const Polynomial &P, const Polynomial &Divisor) {
  Parts Result;
  for (const auto &[Atoms, Factor] : P.terms())
    if (const auto Times = Polynomial::term(Atoms, Factor).dividedBy(Divisor))
      Result.Multiple = Result.Multiple + *Times;
    else
      Result.Rest = Result.Rest + Polynomial::term(Atoms, Factor);
  return Result;
}

/// Is it not negative in some launch of more than a few elements? What never is, is no requirement.
bool mayBeAbove(const Polynomial &P) {
  if (const auto Number = P.asConstant())
    return *Number >= 0;
  // A product of the same and more takes it away.
  return llvm::any_of(P.terms(), [&](const auto &Term) {
    return Term.second > 0 && !Term.first.empty() && llvm::none_of(P.terms(), [&](const auto &Other) {
             return Other.second < 0 && Polynomial::term(Other.first, 1).dividedBy(Polynomial::term(Term.first, 1));
           });
  });
}

/// How often a polynomial has another one, by the first of what that is made of.
Polynomial timesOf(const Polynomial &Value, const Polynomial &In) {
  const std::string First = *Value.atoms().begin();
  return In.split(First).first.dividedBy(Value.split(First).first).value_or(Polynomial());
}

/// Are all its terms the other's?
bool isPartOf(const Polynomial &Part, const Polynomial &Whole) {
  return llvm::all_of(Part.terms(), [&](const auto &Term) {
    const auto Found = Whole.terms().find(Term.first);
    return Found != Whole.terms().end() && Found->second == Term.second;
  });
}

/// What the launch must meet for it.
std::vector<AtMost> isPositive(const Polynomial &Divisor) {
  return Divisor.asConstant() ? std::vector<AtMost>() : std::vector<AtMost>{{1, Divisor}};
}

} // namespace

void append(std::vector<AtMost> &To, const std::vector<AtMost> &From) {
  for (const AtMost &Each : From)
    if (!llvm::is_contained(To, Each))
      To.push_back(Each);
}

const Quotient *Bounds::quotientAt(const std::string &Atom) const {
  const auto Own = Quotients.find(Atom);
  if (Own != Quotients.end())
    return &Own->second;
  const auto Q = Given.find(Atom);
  return Q == Given.end() ? nullptr : &Q->second;
}

bool Bounds::isUniform(const Polynomial &P) const {
  return llvm::all_of(P.atoms(), [&](const std::string &Atom) {
    const Quotient *Q = quotientAt(Atom);
    return Q ? !isWrap(Atom) && isUniform(Q->Dividend) && isUniform(Q->Divisor) : IsOfLaunch(Atom);
  });
}

/// Is it known how it counts? By a divisor that changes, it does not.
bool Bounds::isCounted(const std::string &Atom) const {
  const auto Q = Quotients.find(Atom);
  return Q == Quotients.end() ? Atoms.count(Atom) > 0
                              : !isUniform(Polynomial::atom(Atom)) && isUniform(Q->second.Divisor);
}

void Bounds::holds(const Less &L) {
  const auto Left = simplified(L.Left), Right = simplified(L.Right);
  if (!Left || !Right)
    return;
  // From below, where it is said of threads, blocks and loops themselves.
  const bool OfQuotients = llvm::any_of(Right->atoms(), [&](const std::string &Atom) { return quotientAt(Atom); });
  if (!isUniform(*Left) || (!isUniform(*Right) && !OfQuotients))
    Guards.push_back({*Left, *Right});
}

void Bounds::surround(const VerticalGraph &Graph, unsigned Node, const AccessSite &Site, const LoopAccess *Skipped,
                      std::vector<AtMost> &Needs) {
  for (const PathStep &Step : Site.Path) {
    if (Step.What != PathStep::Kind::Loop)
      continue;
    const LoopAccess &Loop = Graph.Nodes[Node].Accesses->Loops[Step.Id];
    if (&Loop == Skipped)
      continue;
    const auto Start = simplified(Graph.inArguments(Node, Loop.Start)),
               By = simplified(Graph.inArguments(Node, Loop.Step));
    if (!Start || !By || !isUniform(*By) || By->asConstant().value_or(0) < 0)
      continue; // it may count down
    if (!By->asConstant())
      Needs.push_back({{}, *By});
    // Whole groups: `for (c = 4 * t; c < n; c += 4 * threads)` counts them.
    const auto First = Start->dividedBy(Site.Width);
    if (Site.Width > 1 && First && By->dividedBy(Site.Width)) {
      const std::string Of = fmt::format("{} / {}", Loop.Atom, Site.Width);
      counts(Of, {*First, std::nullopt});
      Groups[Loop.Atom] = Site.Width * Polynomial::atom(Of);
    } else {
      counts(Loop.Atom, {*Start, std::nullopt});
    }
  }
  for (const PathStep &Step : Site.Path)
    for (const Less &L : Step.Holds)
      holds(Graph.inArguments(Node, L));
}

bool isArgument(const VerticalGraph &Graph, llvm::StringRef Atom) {
  const ParameterAccess *P = Graph.parameterOf(Atom);
  return P && P->Integer;
}

Polynomial inGroup(const VerticalNode &Node, const Polynomial &P, const Polynomial &Group) {
  return ofElement(P, Group, *Node.Accesses, *Node.Shape);
}

/// Has it a product of what only the launch knows?
static bool multiplies(const Polynomial &P) {
  return llvm::any_of(P.terms(), [](const auto &Term) { return Term.first.size() > 1; });
}

std::optional<Polynomial> Bounds::simplified(const Polynomial &P) {
  Polynomial Result = Meaning(P);
  for (const auto &[Atom, Value] : Groups)
    Result = Result.substitute(Atom, Value);
  for (const std::string &Atom : Result.atoms()) {
    const auto Q = Given.find(Atom);
    if (isWrap(Atom)) {
      const auto Number = Q == Given.end() ? std::nullopt : simplified(Q->second.Dividend);
      if (!MayAsk || !Number || !fits(*Number, Q->second.Wrap))
        return std::nullopt;
      Result = Result.substitute(Atom, {});
      continue;
    }
    if (Q == Given.end())
      continue;
    const auto Dividend = simplified(Q->second.Dividend), Divisor = simplified(Q->second.Divisor);
    if (!Dividend || !Divisor || Divisor->asConstant().value_or(1) <= 0)
      return std::nullopt;
    const auto Nested = Quotients.find(Dividend->str());
    if (Nested == Quotients.end() && *Dividend == Q->second.Dividend && *Divisor == Q->second.Divisor) {
      Quotients[Atom] = Q->second;
      continue;
    }
    // One text for one value: `i / a / b` is `i / (a * b)`.
    auto IsSmall = [](const Polynomial &By) { return By.asConstant().value_or(0) <= MostElements; };
    const auto Product = Nested != Quotients.end() && IsSmall(*Divisor) && IsSmall(Nested->second.Divisor)
                             ? Divisor->times(Nested->second.Divisor)
                             : std::nullopt;
    const Polynomial &Of = Product ? Nested->second.Dividend : *Dividend, &By = Product ? *Product : *Divisor;
    std::optional<Polynomial> Value = divided(Of, By);
    // A thread's, block's or element's number by itself has lost nothing; the launch is asked for divisors in any case.
    const Quotient::Wraps Narrow = std::max(Q->second.Narrow, Product ? Nested->second.Narrow : Quotient::Wraps::Never);
    if (Value && !isSingle(Of) && Narrow != Quotient::Wraps::Never) {
      const bool IsItself = Quotients.count(Value->str()) > 0;
      if (MayAsk && !IsItself && !fits(Of, Quotient::Wraps::Signed))
        return std::nullopt;
      if (!MayAsk || IsItself)
        Value = quotient(Of, By, Quotients, Narrow);
    }
    if (!Value)
      return std::nullopt;
    Result = Result.substitute(Atom, *Value);
  }
  return Result;
}

bool Bounds::fits(const Polynomial &P, Quotient::Wraps Wrap) {
  Steps = 0;
  Nearest = true;
  const auto Known = Atoms;
  for (const auto &[Atom, Last] : Ends)
    Atoms[Atom].Most = Last;
  // A condition on a sum speaks of what was left of it.
  const auto All = std::exchange(Guards, {});
  llvm::copy_if(All, std::back_inserter(Guards),
                [](const Less &L) { return L.Left.terms().size() <= 1 && !multiplies(L.Left); });
  const auto OfLeast = notNegative(P, MostDepth);
  const std::vector<Bound> OfMost = OfLeast ? most(P, MostDepth) : std::vector<Bound>();
  Atoms = Known, Guards = All;
  if (OfMost.empty())
    return false;
  append(Needed, *OfLeast);
  const Bound &Least =
      *llvm::min_element(OfMost, [&](const Bound &A, const Bound &B) { return rank(A.Most) < rank(B.Most); });
  append(Needed, Least.Needs);
  append(Needed, {{Least.Most, Wrap == Quotient::Wraps::Signed ? INT32_MAX : UINT32_MAX}});
  return true;
}

std::optional<Polynomial> Bounds::divided(const Polynomial &Dividend, const Polynomial &Divisor) {
  const auto Number = Divisor.asConstant(), Of = Dividend.asConstant();
  if (Number && Of)
    return Polynomial(*Of / *Number);
  const Parts P = partsOf(Dividend, Divisor);
  const std::vector<AtMost> Positive = isPositive(Divisor);
  if (P.Rest.isZero()) {
    append(Needed, Positive);
    return P.Multiple;
  }
  const auto OfRest = notNegative(P.Rest, MostDepth);
  if (OfRest && !P.Multiple.isZero())
    if (const auto OfAll = notNegative(Dividend, MostDepth))
      if (const auto Rest = divided(P.Rest, Divisor)) {
        append(Needed, Positive);
        append(Needed, *OfRest);
        append(Needed, *OfAll);
        return P.Multiple + *Rest;
      }
  if (OfRest && P.Multiple.isZero())
    for (const Bound &B : most(P.Rest, MostDepth))
      if (const auto Room = (Divisor - B.Most).asConstant(); Room && *Room > 0) { // below the divisor
        append(Needed, Positive);
        append(Needed, *OfRest);
        append(Needed, B.Needs);
        return Polynomial();
      }
  return quotient(Dividend, Divisor, Quotients);
}

std::optional<std::vector<AtMost>> Bounds::notNegative(const Polynomial &P, unsigned Depth) {
  if (const auto Number = P.asConstant())
    return *Number >= 0 ? std::optional(std::vector<AtMost>()) : std::nullopt;
  if (isUniform(P))
    return mayBeAbove(P) ? std::optional(std::vector<AtMost>{{{}, P}}) : std::nullopt;
  std::optional<std::vector<AtMost>> Found;
  for (Bound &B : most(-P, Depth)) {
    if (!mayBeAbove(-B.Most))
      continue;
    if (!B.Most.asConstant())
      B.Needs.push_back({B.Most, {}});
    if (!Found || B.Needs.size() < Found->size())
      Found = std::move(B.Needs);
  }
  return Found;
}

std::optional<std::vector<AtMost>> Bounds::dividesNoNegative(const Quotient &Q, unsigned Depth) {
  auto Needs = notNegative(Q.Dividend, Depth);
  if (!Needs || Q.Narrow != Quotient::Wraps::Signed)
    return Needs;
  for (const Bound &B : most(Q.Dividend, Depth)) {
    if (B.Most.asConstant().value_or(0) > INT32_MAX)
      continue;
    append(*Needs, B.Needs);
    append(*Needs, {{B.Most, INT32_MAX}});
    return Needs;
  }
  return std::nullopt;
}

std::optional<Bound> Bounds::leastOf(const std::string &Atom, unsigned Depth) {
  if (const auto Known = Atoms.find(Atom); Known != Atoms.end())
    return Bound{Known->second.Least, {}};
  const Quotient &Q = Quotients.at(Atom);
  auto Needs = dividesNoNegative(Q, Depth);
  if (!Needs)
    return std::nullopt;
  append(*Needs, isPositive(Q.Divisor));
  return Bound{{}, *Needs};
}

std::optional<Bound> Bounds::mostOf(const std::string &Atom, unsigned Depth) {
  if (const auto Known = Atoms.find(Atom); Known != Atoms.end())
    return Known->second.Most ? std::optional(Bound{*Known->second.Most, {}}) : std::nullopt;
  const Quotient &Q = Quotients.at(Atom);
  const auto OfDividend = dividesNoNegative(Q, Depth);
  if (!OfDividend)
    return std::nullopt;
  for (Bound &B : most(Q.Dividend, Depth)) {
    append(B.Needs, *OfDividend);
    append(B.Needs, isPositive(Q.Divisor));
    const auto Most = B.Most.asConstant(), Divisor = Q.Divisor.asConstant();
    if (Most && Divisor)
      return Bound{Polynomial(*Most / *Divisor), B.Needs};
    if (const Parts P = partsOf(B.Most + 1, Q.Divisor); P.Rest.isZero()) // below a multiple
      return Bound{P.Multiple - 1, B.Needs};
    if (const auto Value = Nearest ? quotient(B.Most, Q.Divisor, Quotients) : std::nullopt)
      return Bound{*Value, B.Needs};
  }
  return std::nullopt;
}

std::vector<Bounds::Finer> Bounds::finer(const Quotient &Q) const {
  std::vector<Finer> All;
  if (Q.Dividend.asConstant())
    return All;
  for (const auto &[Atom, Other] : Quotients)
    if (Other.Dividend == Q.Dividend && Other.Narrow == Q.Narrow && !(Other.Divisor == Q.Divisor))
      if (const auto Radix = Q.Divisor.dividedBy(Other.Divisor))
        All.push_back({Polynomial::atom(Atom), *Radix, isPositive(Other.Divisor)});
  All.push_back({Q.Dividend, Q.Divisor, {}});
  return All;
}

std::vector<Bound> Bounds::most(const Polynomial &P, unsigned Depth) {
  std::vector<std::string> Counting;
  for (const std::string &Atom : P.atoms())
    if (isCounted(Atom))
      Counting.push_back(Atom);
  if (Counting.empty())
    return isUniform(P) ? std::vector<Bound>{{P, {}}} : std::vector<Bound>();
  std::vector<Bound> Found;
  if (Depth == 0 || ++Steps > MostSteps)
    return Found;
  // What is left is `Rest`, and what was taken is at most nothing, if `Needs` are met.
  auto Go = [&](const Polynomial &Rest, const std::vector<AtMost> &Needs) {
    for (Bound &B : most(Rest, Depth - 1)) {
      append(B.Needs, Needs);
      if (llvm::any_of(Found, [&](const Bound &Known) { return Known.Most == B.Most && Known.Needs == B.Needs; }))
        continue;
      if (Found.size() < MostBounds) {
        Found.push_back(std::move(B));
        continue;
      }
      auto Widest =
          llvm::max_element(Found, [&](const Bound &A, const Bound &C) { return rank(A.Most) < rank(C.Most); });
      if (Nearest && rank(B.Most) < rank(Widest->Most))
        *Widest = std::move(B);
    }
  };
  // That a sum is below what counts, too, says more than its ranges.
  for (const Less &L : Guards)
    if (L.Left.terms().size() > 1 && !isUniform(L.Right) && isPartOf(L.Left, P))
      Go(P + L.Right - 1 - L.Left, {});
  // Digits `D / e % r` are below r, and not below 0: those of a number in a mixed radix, one by one.
  for (const std::string &Atom : Counting)
    if (const auto Q = Quotients.find(Atom); Q != Quotients.end())
      for (const auto &[Value, Radix, Positive] : finer(Q->second)) {
        const Polynomial Digit = Value - Radix * Polynomial::atom(Atom), Times = timesOf(Value, P);
        const Polynomial Taken = Times * Radix;
        if (Times.isZero() || !isPartOf(-Taken, P.split(Atom).first))
          continue;
        auto Needs = dividesNoNegative(Q->second, Depth - 1);
        const auto OfTimes = notNegative(Times, Depth - 1),
                   OfTaken = OfTimes ? OfTimes : notNegative(-Times, Depth - 1);
        if (!Needs || !OfTaken)
          continue;
        append(*Needs, *OfTaken);
        append(*Needs, isPositive(Q->second.Divisor));
        append(*Needs, Positive);
        Go(P - Times * Digit + (OfTimes ? Times * (Radix - 1) : Polynomial()), *Needs);
        return Found;
      }
  // A remainder `D - d * (D / d)` is below its divisor, and not below 0.
  for (const std::string &Atom : Counting) {
    const auto Q = Quotients.find(Atom);
    if (Q == Quotients.end())
      continue;
    const Polynomial Factor = P.split(Atom).first, &Divisor = Q->second.Divisor,
                     Remainder = Q->second.Dividend - Divisor * Polynomial::atom(Atom);
    std::array<Polynomial, 2> Times; // by which it is taken away, and added
    for (const auto &[Atoms, Number] : Factor.terms())
      if (const auto T = Polynomial::term(Atoms, std::abs(Number)).dividedBy(Divisor))
        Times[Number < 0] = Times[Number < 0] + *T;
    const auto OfDividend = dividesNoNegative(Q->second, Depth - 1);
    for (const bool Adds : {true, false})
      if (const auto OfTimes = notNegative(Times[Adds], Depth - 1); OfTimes && OfDividend && !Times[Adds].isZero()) {
        std::vector<AtMost> Needs = *OfTimes;
        append(Needs, *OfDividend);
        append(Needs, isPositive(Divisor));
        const Polynomial Next = Adds ? P + Times[true] * (Divisor - 1 - Remainder) : P + Times[false] * Remainder;
        Go(Next, Needs);
        if (Adds && Next.terms().size() > P.terms().size()) // with nothing that it would be a remainder with
          Go(P + Times[true] * Divisor * Polynomial::atom(Atom), Needs);
      }
  }
  if (!Found.empty() && !Nearest)
    return Found;
  // All must go: first what only conditions bound.
  auto Next = llvm::find_if(Counting, [&](const std::string &Atom) {
    const auto Known = Atoms.find(Atom);
    return Known != Atoms.end() && !Known->second.Most;
  });
  const std::string &Atom = Next == Counting.end() ? Counting.front() : *Next;
  const auto [Factor, Rest] = P.split(Atom);
  if (Factor.isZero() || Rest.contains(Atom))
    return Found;
  // What a condition says of several parts together.
  for (const Less &L : Guards) {
    const Polynomial Room = L.Right - 1 - L.Left;
    const auto Own = (-Room.split(Atom).first).asConstant();
    const auto Times = !Own || *Own == 0 || isUniform(L.Left) != (*Own < 0)
                           ? std::nullopt
                           : (*Own > 0 ? Factor : -Factor).dividedBy(std::abs(*Own));
    if (const auto Needs = Times ? notNegative(*Times, Depth - 1) : std::nullopt)
      Go(P + *Times * Room, *Needs);
    // Whole groups: so many begin below the limit.
    if (const auto Needs = notNegative(Factor, Depth - 1);
        Needs && Own && *Own > 1 && L.Left == *Own * Polynomial::atom(Atom) && isUniform(L.Right))
      if (const auto Groups = quotient(L.Right + (*Own - 1), Polynomial(*Own), Quotients))
        Go(Rest + Factor * (*Groups - 1), *Needs);
  }
  // Its own range.
  auto Needs = notNegative(Factor, Depth - 1);
  const bool Up = Needs.has_value();
  if (!Up)
    Needs = notNegative(-Factor, Depth - 1);
  if (const auto End = !Needs ? std::nullopt : Up ? mostOf(Atom, Depth - 1) : leastOf(Atom, Depth - 1)) {
    append(*Needs, End->Needs);
    Go(Rest + Factor * End->Most, *Needs);
  }
  return Found;
}

std::int64_t Bounds::sampled(const Polynomial &P) const {
  constexpr std::int64_t Number = 1 << 10;
  std::int64_t Sum = 0;
  for (const auto &[Atoms, Factor] : P.terms()) {
    std::int64_t Product = Factor;
    for (const std::string &Atom : Atoms) {
      const Quotient *Q = quotientAt(Atom);
      Product *= Q ? sampled(Q->Dividend) / std::max<std::int64_t>(1, sampled(Q->Divisor)) : Number;
    }
    Sum += Product;
  }
  return Sum;
}

std::tuple<bool, std::int64_t, std::int64_t> Bounds::rank(const Polynomial &P) const {
  Polynomial Added; // what is taken away may be little
  for (const auto &[Atoms, Factor] : P.terms())
    if (Factor > 0 || Atoms.empty())
      Added = Added + Polynomial::term(Atoms, Factor);
  return {!P.asConstant(), sampled(Added), sampled(P)};
}

std::optional<Bound> Bounds::largest(const Polynomial &P) {
  Steps = 0;
  Nearest = true;
  std::vector<Bound> All = most(P, MostDepth);
  // A kernel's divisors are positive in any case.
  auto Asked = [&](const Bound &B) {
    return llvm::count_if(B.Needs, [&](const AtMost &Each) {
      return Each.Left.asConstant().value_or(2) > 1 ||
             llvm::none_of(Quotients, [&](const auto &Q) { return Q.second.Divisor == Each.Right; });
    });
  };
  const auto Best = llvm::min_element(All, [&](const Bound &A, const Bound &B) {
    return std::pair(Asked(A), rank(A.Most)) < std::pair(Asked(B), rank(B.Most));
  });
  return Best == All.end() ? std::nullopt : std::optional(std::move(*Best));
}

bool Bounds::isAtMost(const Polynomial &P, const Polynomial &Limit, std::vector<AtMost> &Needs) {
  Steps = 0;
  Nearest = false;
  const std::vector<Bound> All = most(P, MostDepth);
  const Bound *Best = nullptr;
  std::vector<AtMost> BestNeeds;
  for (const Bound &B : All) {
    const Polynomial Room = Limit - B.Most;
    if (!mayBeAbove(Room))
      continue;
    std::vector<AtMost> Own = B.Needs;
    if (!Room.asConstant())
      Own.push_back({B.Most, Limit});
    // Of as many demands, the weaker: where `i + 1 < n` holds besides `i < n`, the former says more of i + 1.
    if (!Best || Own.size() < BestNeeds.size() ||
        (Own.size() == BestNeeds.size() && (Best->Most - B.Most).asConstant().value_or(0) > 0)) {
      Best = &B;
      BestNeeds = std::move(Own);
    }
  }
  if (Best)
    append(Needs, BestNeeds);
  return Best != nullptr;
}

} // namespace cufuse
