#include "cufuse/ReadAccesses/Softmax.h"

#include "BlockRun.h"

#include <fmt/core.h>
#include <llvm/IR/Function.h>

#include <cfloat>
#include <set>

namespace cufuse {

namespace {

using Kind = Term::Kind;

/// What is stored for the elements of a row, as terms.
class RowCheck {
public:
  using Factor = std::pair<double, unsigned>; ///< A number, and the term of an argument; 0: none.
  /// `Scale`: what all elements are multiplied with; none: no element was seen.
  RowCheck(const Terms &All, std::int64_t First, std::int64_t Columns, std::optional<Factor> &Scale)
      : All(All), First(First), Columns(Columns), Scale(Scale) {}

  /// "" if it is the softmax's element of that column.
  std::string element(unsigned Stored, std::int64_t Column) {
    if (All[Stored].What == Kind::Rounded)
      Stored = All[Stored].A;
    const Term &T = All[Stored];
    if (T.What == Kind::Quotient)
      return quotient(T.A, T.B, Column);
    if (T.What == Kind::Product)
      for (const auto &[One, Other] : {std::pair(T.A, T.B), std::pair(T.B, T.A)})
        if (All[Other].What == Kind::Quotient && All.is(All[Other].A, 1))
          return quotient(One, All[Other].B, Column);
    return "what it stores is no quotient";
  }

private:
  /// By what each term is multiplied, also with the second: their sum.
  using Exponent = std::map<std::pair<unsigned, unsigned>, double>;

  std::string quotient(unsigned Over, unsigned Under, std::int64_t Column) {
    std::map<std::int64_t, unsigned> One;
    if (!exponentials(Over, One, 1) || One != std::map<std::int64_t, unsigned>{{First + Column, 1}})
      return "what it divides is not exp(x - m) of its own element, with m the largest of the row";
    if (!Sums.count(Under)) {
      std::map<std::int64_t, unsigned> Found;
      const bool IsSum = exponentials(Under, Found, static_cast<size_t>(Columns));
      if (!IsSum || Found.size() != static_cast<size_t>(Columns) ||
          llvm::any_of(Found, [](const auto &Each) { return Each.second != 1; }))
        return "what it divides by is not the sum of exp(x - m) over the row, with m the largest of the row";
      Sums.insert(Under);
    }
    return "";
  }

  /// Is it a sum of exp(x - m), with m the largest of the row? Counts each element x. A product with exp(m - m') is the
  /// same with another m.
  bool exponentials(unsigned Number, std::map<std::int64_t, unsigned> &Found, size_t Most) {
    std::vector<std::pair<unsigned, Exponent>> Left = {{Number, {}}};
    for (size_t Count = 0; !Left.empty();) {
      auto [Now, Power] = std::move(Left.back());
      Left.pop_back();
      const Term &T = All[Now];
      if (T.What == Kind::Constant && T.Value == 0)
        continue;
      if (T.What == Kind::Sum) {
        Left.emplace_back(T.A, Power);
        Left.emplace_back(T.B, std::move(Power));
        continue;
      }
      if (T.What == Kind::Product) {
        const bool OfA = All[T.A].What == Kind::Exponential;
        if (!addTo(Power, OfA ? T.A : T.B))
          return false;
        Left.emplace_back(OfA ? T.B : T.A, std::move(Power));
        continue;
      }
      if (!(T.What == Kind::Constant && T.Value == 1) && !addTo(Power, Now))
        return false;
      const std::optional<std::int64_t> Element = ofElement(Power);
      if (!Element || ++Count > Most)
        return false;
      ++Found[*Element];
    }
    return true;
  }

  /// A term times a number and an argument; 0: none.
  struct Scaled {
    unsigned Of, Given = 0;
    double Times = 1;
  };
  /// From products to what is in no product; nothing if two arguments are.
  std::optional<Scaled> unscaled(Scaled From) const {
    for (;;) {
      const Term &T = All[From.Of];
      if (T.What == Kind::Quotient && All[T.B].What == Kind::Constant) {
        From = {T.A, From.Given, From.Times / All[T.B].Value};
        continue;
      }
      if (T.What != Kind::Product)
        return From;
      const bool ByA = All[T.A].What == Kind::Constant || All[T.A].What == Kind::Given;
      const unsigned By = ByA ? T.A : T.B;
      From.Of = ByA ? T.B : T.A;
      if (All[By].What == Kind::Constant)
        From.Times *= All[By].Value;
      else if (All[By].What == Kind::Given && From.Given == 0)
        From.Given = By;
      else
        return std::nullopt;
    }
  }

  /// Adds the exponent of an exponential.
  bool addTo(Exponent &Power, unsigned Number) {
    if (All[Number].What != Kind::Exponential)
      return false;
    std::vector<Scaled> Left = {{All[Number].A}};
    while (!Left.empty()) {
      const auto Now = unscaled(Left.back());
      Left.pop_back();
      if (!Now)
        return false;
      const Term &T = All[Now->Of];
      if (T.What == Kind::Sum || T.What == Kind::Difference) {
        Left.push_back({T.A, Now->Given, Now->Times});
        Left.push_back({T.B, Now->Given, T.What == Kind::Sum ? Now->Times : -Now->Times});
      } else if (T.What == Kind::Element || T.What == Kind::Largest) {
        if ((Power[{Now->Of, Now->Given}] += Now->Times) == 0)
          Power.erase({Now->Of, Now->Given});
      } else if (!(T.What == Kind::Constant && T.Value == 0)) {
        return false;
      }
    }
    return true;
  }

  /// x, if it is s x - m, with m the largest of all s x. Or a number of 1 at most times such a difference: the products
  /// before it are no more than those that the kernel has.
  std::optional<std::int64_t> ofElement(const Exponent &Power) {
    std::optional<std::int64_t> Element;
    std::optional<Factor> OfElement, OfLargest;
    for (const auto &[Key, Times] : Power) {
      const auto &[Number, Given] = Key;
      if (const auto Own = isLargest(Number)) {
        if (OfLargest || Given != 0 || Times >= 0 || static_cast<float>(-Times) > 1)
          return std::nullopt;
        OfLargest = Factor{-Times * Own->first, Own->second};
      } else if (All[Number].What == Kind::Element && !Element) {
        Element = All[Number].Element;
        OfElement = Factor{Times, Given};
      } else {
        return std::nullopt;
      }
    }
    if (!OfElement || OfLargest != OfElement || (Scale && Scale != OfElement))
      return std::nullopt;
    Scale = OfElement;
    return Element;
  }

  /// Of all elements of the row, each times a factor?
  std::optional<Factor> isLargest(unsigned Number) {
    if (All[Number].What != Kind::Largest && !(All[Number].What == Kind::Element && Columns == 1))
      return std::nullopt;
    const auto [Known, IsNew] = Maxima.try_emplace(Number);
    if (!IsNew)
      return Known->second;
    std::set<unsigned> Seen;
    std::vector<unsigned> Left = {Number};
    std::optional<Factor> Own;
    std::int64_t Elements = 0;
    while (!Left.empty()) {
      const unsigned Now = Left.back();
      Left.pop_back();
      if (!Seen.insert(Now).second)
        continue;
      const Term &T = All[Now];
      if (T.What == Kind::Largest) {
        Left.push_back(T.A);
        Left.push_back(T.B);
      } else if (!(T.What == Kind::Constant && T.Value <= -FLT_MAX)) {
        const auto Each = unscaled({Now});
        if (!Each || All[Each->Of].What != Kind::Element || All[Each->Of].Element < First ||
            All[Each->Of].Element >= First + Columns || (Own && *Own != Factor{Each->Times, Each->Given}))
          return std::nullopt;
        Own = Factor{Each->Times, Each->Given};
        ++Elements;
      }
    }
    return Maxima[Number] = Elements == Columns ? Own : std::nullopt;
  }

  const Terms &All;
  const std::int64_t First, Columns;
  std::optional<Factor> &Scale;
  std::map<unsigned, std::optional<Factor>> Maxima; ///< Those that were asked for: are they the row's?
  std::set<unsigned> Sums;                          ///< Of the row.
};

class SoftmaxProof {
public:
  SoftmaxProof(const DeviceIr &Ir, const KernelFacts &Facts, const KernelAccesses &Accesses,
               const SoftmaxLaunch &Launch, SoftmaxScale &Scale)
      : Ir(Ir), Facts(Facts), Accesses(Accesses), Launch(Launch), Scale(Scale) {}

  std::optional<Finding> run() {
    const llvm::Function &Kernel = Ir.kernel();
    std::vector<SymbolicValue> Arguments;
    std::optional<unsigned> In, Out;
    if (Kernel.arg_size() != Accesses.Parameters.size())
      return at(nullptr, "its parameters are not known");
    for (unsigned I = 0; I < Kernel.arg_size(); ++I) {
      const ParameterAccess &P = Accesses.Parameters[I];
      Arguments.emplace_back();
      if (!P.Element.empty())
        Arguments.back() = SymbolicValue::pointer(I);
      else if (const auto Known = Launch.Numbers.find(P.Name); Known != Launch.Numbers.end())
        Arguments.back() = Known->second ? SymbolicValue::number(*Known->second)
                                         : SymbolicValue::number(SymbolicNumber{0, 0, Launch.Rows});
      if (P.Name == Launch.In)
        In = I;
      if (P.Name == Launch.Out)
        Out = I;
    }
    if (!In || !Out)
      return at(nullptr, "its arrays are not known");
    const unsigned Bytes = Accesses.Parameters[*In].Bytes, OutBytes = Accesses.Parameters[*Out].Bytes;
    const BlockRun Run = runBlock(Kernel, Launch.Block, std::move(Arguments), *In, Bytes, Launch.Rows * Launch.Columns);
    if (Run.Stopped)
      return at(Run.Stopped->At, Run.Stopped->Why);
    for (unsigned I = 0; I < Kernel.arg_size(); ++I)
      if (I != *Out && !Run.Stored[I].empty())
        return at(nullptr, fmt::format("it also stores to {}", Accesses.Parameters[I].Name));
    const BlockRun::Memory &Stored = Run.Stored[*Out];
    const std::int64_t PerBlock = Launch.Rows * Launch.Columns;
    if (Stored.size() != static_cast<size_t>(PerBlock))
      return at(nullptr, fmt::format("a block stores {} elements of {}, not {}", Stored.size(), Launch.Out, PerBlock));
    std::int64_t Next = 0;
    std::optional<RowCheck> Row;
    std::optional<RowCheck::Factor> Factor;
    for (const auto &[Place, What] : Stored) {
      const std::int64_t Column = Next % Launch.Columns;
      if (Column == 0)
        Row.emplace(Run.All, Next, Launch.Columns, Factor);
      if (Place != SymbolicNumber{Next * OutBytes, PerBlock * OutBytes, 0} || What.first != OutBytes)
        return at(nullptr, "where it stores is not the row that it loads");
      if (What.second.What != SymbolicValue::Kind::Real)
        return at(nullptr, "what it stores is not known");
      if (std::string Why = Row->element(What.second.Of, Column); !Why.empty())
        return at(nullptr, std::move(Why));
      ++Next;
    }
    Scale.Constant = static_cast<float>(Factor->first);
    if (Factor->second != 0)
      Scale.Parameter = Accesses.Parameters[Run.All[Factor->second].Element].Name;
    return std::nullopt;
  }

private:
  std::optional<Finding> at(const llvm::Instruction *I, std::string Why) const {
    Finding Result;
    Result.What = std::move(Why);
    Result.Where = I ? Ir.place(*I) : Facts.Where;
    if (Result.Where.File.empty())
      Result.Where = Facts.Where;
    return Result;
  }

  const DeviceIr &Ir;
  const KernelFacts &Facts;
  const KernelAccesses &Accesses;
  const SoftmaxLaunch &Launch;
  SoftmaxScale &Scale;
};

} // namespace

std::optional<Finding> notSoftmax(const DeviceIr &Ir, const KernelFacts &Facts, const KernelAccesses &Accesses,
                                  const SoftmaxLaunch &Launch, SoftmaxScale &Scale) {
  return SoftmaxProof(Ir, Facts, Accesses, Launch, Scale).run();
}

} // namespace cufuse
