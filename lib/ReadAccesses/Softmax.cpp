#include "cufuse/ReadAccesses/Softmax.h"

#include "BlockRun.h"

#include <fmt/core.h>
#include <llvm/IR/Function.h>

#include <cfloat>
#include <cmath>
#include <set>

namespace cufuse {

namespace {

using Kind = Term::Kind;

/// What is stored for the elements of a row, as terms.
class RowCheck {
public:
  RowCheck(const Terms &All, std::int64_t First, std::int64_t Columns) : All(All), First(First), Columns(Columns) {}

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
  using Exponent = std::map<unsigned, int>; ///< How often it has a term as a summand.

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

  /// Adds the exponent of an exponential.
  bool addTo(Exponent &Power, unsigned Number) {
    if (All[Number].What != Kind::Exponential)
      return false;
    std::vector<std::pair<unsigned, int>> Left = {{All[Number].A, 1}};
    while (!Left.empty()) {
      const auto [Now, Times] = Left.back();
      Left.pop_back();
      const Term &T = All[Now];
      if (T.What == Kind::Sum || T.What == Kind::Difference) {
        Left.emplace_back(T.A, Times);
        Left.emplace_back(T.B, T.What == Kind::Sum ? Times : -Times);
      } else if (T.What == Kind::Element || T.What == Kind::Largest) {
        if ((Power[Now] += Times) == 0)
          Power.erase(Now);
      } else if (!(T.What == Kind::Constant && T.Value == 0)) {
        return false;
      }
    }
    return true;
  }

  /// x, if it is x - m.
  std::optional<std::int64_t> ofElement(const Exponent &Power) {
    std::optional<std::int64_t> Element;
    int Largest = 0;
    for (const auto &[Number, Times] : Power) {
      if (isLargest(Number)) {
        Largest += Times;
      } else if (All[Number].What == Kind::Element && Times == 1 && !Element) {
        Element = All[Number].Element;
      } else {
        return std::nullopt;
      }
    }
    return Largest == -1 ? Element : std::nullopt;
  }

  /// Of all elements of the row?
  bool isLargest(unsigned Number) {
    if (All[Number].What != Kind::Largest && !(All[Number].What == Kind::Element && Columns == 1))
      return false;
    const auto [Known, IsNew] = Maxima.try_emplace(Number, false);
    if (!IsNew)
      return Known->second;
    std::set<unsigned> Seen;
    std::vector<unsigned> Left = {Number};
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
      } else if (T.What == Kind::Element && T.Element >= First && T.Element < First + Columns) {
        ++Elements;
      } else if (!(T.What == Kind::Constant && T.Value <= -FLT_MAX)) {
        return false;
      }
    }
    return Maxima[Number] = Elements == Columns;
  }

  const Terms &All;
  const std::int64_t First, Columns;
  std::map<unsigned, bool> Maxima; ///< Those that were asked for: are they the row's?
  std::set<unsigned> Sums;         ///< Of the row.
};

class SoftmaxProof {
public:
  SoftmaxProof(const DeviceIr &Ir, const KernelFacts &Facts, const KernelAccesses &Accesses,
               const SoftmaxLaunch &Launch)
      : Ir(Ir), Facts(Facts), Accesses(Accesses), Launch(Launch) {}

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
    BlockRun Run(Kernel, Launch.Block, std::move(Arguments), *In, Bytes, Launch.Rows * Launch.Columns);
    if (const auto Stop = Run.run())
      return at(Stop->At, Stop->Why);
    for (unsigned I = 0; I < Kernel.arg_size(); ++I)
      if (I != *Out && !Run.stored(I).empty())
        return at(nullptr, fmt::format("it also stores to {}", Accesses.Parameters[I].Name));
    const BlockRun::Memory &Stored = Run.stored(*Out);
    const std::int64_t PerBlock = Launch.Rows * Launch.Columns;
    if (Stored.size() != static_cast<size_t>(PerBlock))
      return at(nullptr, fmt::format("a block stores {} elements of {}, not {}", Stored.size(), Launch.Out, PerBlock));
    std::int64_t Next = 0;
    std::optional<RowCheck> Row;
    for (const auto &[Place, What] : Stored) {
      const std::int64_t Column = Next % Launch.Columns;
      if (Column == 0)
        Row.emplace(Run.terms(), Next, Launch.Columns);
      if (Place != SymbolicNumber{Next * OutBytes, PerBlock * OutBytes, 0} || What.first != OutBytes)
        return at(nullptr, "where it stores is not the row that it loads");
      if (What.second.What != SymbolicValue::Kind::Real)
        return at(nullptr, "what it stores is not known");
      if (std::string Why = Row->element(What.second.Of, Column); !Why.empty())
        return at(nullptr, std::move(Why));
      ++Next;
    }
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
};

} // namespace

std::optional<Finding> notSoftmax(const DeviceIr &Ir, const KernelFacts &Facts, const KernelAccesses &Accesses,
                                  const SoftmaxLaunch &Launch) {
  return SoftmaxProof(Ir, Facts, Accesses, Launch).run();
}

} // namespace cufuse
