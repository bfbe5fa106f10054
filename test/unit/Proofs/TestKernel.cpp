#include "TestKernel.h"

#include "cufuse/Kernel/Wrapping.h"

#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>

#include <cctype>

namespace cufuse {

namespace {

/// Sums of products of atoms, as polynomials or as numbers.
template <typename T> class Parser {
public:
  struct Meaning {
    llvm::function_ref<T(const std::string &)> Atom;
    llvm::function_ref<T(const T &, const T &)> Quotient;
  };
  Parser(const std::string &Text, Meaning Means) : Text(Text), Means(Means) {}

  T sum() {
    T Result = product();
    for (char C = next(); C == '+' || C == '-'; C = next()) {
      ++At;
      const T Other = product();
      Result = C == '+' ? Result + Other : Result - Other;
    }
    return Result;
  }

private:
  T product() {
    T Result = factor();
    for (char C = next(); C == '*' || C == '/' || C == '%'; C = next()) {
      ++At;
      const T Other = factor();
      if (C == '*')
        Result = Result * Other;
      else if (C == '/')
        Result = Means.Quotient(Result, Other);
      else
        Result = Result - Other * Means.Quotient(Result, Other);
    }
    return Result;
  }
  T factor() {
    const char C = next();
    if (C == '-') {
      ++At;
      return T(0) - factor();
    }
    if (C == '(') {
      ++At;
      T Result = sum();
      next();
      ++At;
      return Result;
    }
    const size_t Start = At;
    auto IsPart = [&](char D) {
      return std::isalnum(static_cast<unsigned char>(D)) || D == '.' || D == '_' || D == '#';
    };
    while (At < Text.size() && IsPart(Text[At]))
      ++At;
    const std::string Word = Text.substr(Start, At - Start);
    return std::isdigit(static_cast<unsigned char>(Word.at(0))) ? T(std::stoll(Word)) : Means.Atom(Word);
  }
  char next() {
    while (At < Text.size() && Text[At] == ' ')
      ++At;
    return At < Text.size() ? Text[At] : '\0';
  }

  const std::string &Text;
  const Meaning Means;
  size_t At = 0;
};

} // namespace

TestKernel::TestKernel(std::string Name) {
  Facts.Name = Facts.QualifiedName = std::move(Name);
  Facts.Where = {"kernel.cu", 1, 1, ""};
}

void TestKernel::array(const std::string &Name, bool Restrict) {
  ParameterAccess P;
  P.Name = Name;
  P.Type = "float *";
  P.Element = "float";
  P.Bytes = 4;
  P.BuiltinType = true;
  P.Restrict = Restrict;
  Accesses.Parameters.push_back(P);
}

void TestKernel::number(const std::string &Name) {
  ParameterAccess P;
  P.Name = Name;
  P.Type = "int";
  P.BuiltinType = P.Integer = true;
  Accesses.Parameters.push_back(P);
}

Polynomial TestKernel::value(const std::string &Expression) {
  auto Atom = [&](const std::string &Name) {
    for (Builtin B : {Builtin::ThreadIdx, Builtin::BlockIdx, Builtin::BlockDim, Builtin::GridDim})
      for (int D = 0; D < 3; ++D)
        if (Name == builtinAtom(B, D))
          Facts.Reads[static_cast<size_t>(B)][D] = true;
    return Polynomial::atom(Name);
  };
  auto Quotient = [&](const Polynomial &Dividend, const Polynomial &Divisor) {
    const std::string Name = fmt::format("({} / {})", Dividend.str(), Divisor.str());
    Accesses.Quotients[Name] = {Dividend, Divisor};
    return Polynomial::atom(Name);
  };
  return Parser<Polynomial>(Expression, {Atom, Quotient}).sum();
}

unsigned TestKernel::loop(const std::string &Variable, const std::string &Start, const std::string &Step) {
  LoopAccess Loop;
  Loop.Atom = Variable;
  Loop.Start = value(Start);
  Loop.Step = value(Step);
  Loop.Statement = Accesses.Loops.size();
  Accesses.Loops.push_back(Loop);
  return Accesses.Loops.size() - 1;
}

PathStep TestKernel::in(unsigned Loop, const std::string &Left, const std::string &Right) {
  PathStep Step;
  Step.What = PathStep::Kind::Loop;
  Step.Id = Loop;
  Step.Holds = {{value(Left), value(Right)}};
  Step.Exact = true;
  return Step;
}

PathStep TestKernel::where(const std::string &Left, const std::string &Right, bool Exact) {
  PathStep Step;
  Step.What = PathStep::Kind::Branch;
  Step.Id = Conditions.size();
  Step.Holds = {{value(Left), value(Right)}};
  Step.Exact = Exact;
  Conditions.push_back(Step);
  return Step;
}

PathStep TestKernel::unless(const PathStep &Condition) const {
  PathStep Step = Condition;
  Step.Taken = false;
  Step.Holds = {};
  if (Condition.Exact) // Right < Left + 1
    Step.Holds = {{Condition.Holds[0].Right, Condition.Holds[0].Left + 1}};
  return Step;
}

void TestKernel::access(AccessSite::Kind Kind, const std::string &Parameter, const std::string &Index,
                        std::vector<PathStep> Path, unsigned Width) {
  AccessSite Site;
  Site.What = Kind;
  Site.Parameter = Parameter;
  Site.Index = value(Index);
  Site.Width = Width;
  Site.Text = fmt::format("{}[{}]", Parameter, Index);
  Site.Path = std::move(Path);
  Site.Where = {"kernel.cu", static_cast<unsigned>(Accesses.Sites.size() + 2), 1, ""};
  Accesses.Sites.push_back(Site);
}

void TestKernel::store(const std::string &Parameter, const std::string &Index, std::vector<PathStep> Path,
                       unsigned Width) {
  access(AccessSite::Kind::Store, Parameter, Index, std::move(Path), Width);
}

void TestKernel::load(const std::string &Parameter, const std::string &Index, std::vector<PathStep> Path,
                      unsigned Width) {
  access(AccessSite::Kind::Load, Parameter, Index, std::move(Path), Width);
}

VerticalNode TestKernel::node() {
  Shape = recogniseShape(Facts, Accesses);
  Accesses = withoutWraps(std::move(Accesses));
  VerticalNode Node{Facts.Name, &Facts, &Accesses, &Shape};
  // Those of other kernels are other arrays, too.
  Node.Distinct = llvm::all_of(Accesses.Parameters, [](const auto &P) { return P.Element.empty() || P.Restrict; });
  return Node;
}

std::int64_t valueOf(const Polynomial &P, const Values &Of, const std::map<std::string, Quotient> &Quotients) {
  std::int64_t Sum = 0;
  for (const auto &[Atoms, Factor] : P.terms()) {
    std::int64_t Term = Factor;
    for (const std::string &Atom : Atoms)
      if (auto Known = Of.find(Atom); Known != Of.end())
        Term *= Known->second;
      else {
        const Quotient &Q = Quotients.at(Atom);
        Term *= valueOf(Q.Dividend, Of, Quotients) / valueOf(Q.Divisor, Of, Quotients);
      }
    Sum += Term;
  }
  return Sum;
}

std::int64_t valueOf(const std::string &Expression, const Values &Of) {
  auto Atom = [&](const std::string &Name) { return Of.at(Name); };
  auto Quotient = [](std::int64_t Dividend, std::int64_t Divisor) { return Dividend / Divisor; };
  return Parser<std::int64_t>(Expression, {Atom, Quotient}).sum();
}

void TestKernel::run(const AccessSite &Site, const Values &Arguments, BlockShape Block, BlockShape Grid,
                     llvm::function_ref<void(std::int64_t, const Values &)> Access) const {
  Values Thread = Arguments;
  auto Value = [&](const Polynomial &P) { return valueOf(P, Thread, Accesses.Quotients); };
  auto Hold = [&](const PathStep &Step) {
    return llvm::all_of(Step.Holds, [&](const Less &L) { return Value(L.Left) < Value(L.Right); });
  };
  // What else an inexact condition asks: something that differs from thread to thread.
  auto Asked = [&](const PathStep &Step) {
    std::int64_t Sum = Step.Id;
    for (const auto &[Atom, Each] : Thread)
      Sum = 31 * Sum + Each;
    return (Sum / 7) % 2 == 0;
  };
  std::function<void(size_t)> Walk = [&](size_t Depth) {
    if (Depth == Site.Path.size())
      return Access(Value(*Site.Index), Thread);
    const PathStep &Step = Site.Path[Depth];
    if (Step.What == PathStep::Kind::Branch) {
      const PathStep &Condition = Conditions[Step.Id];
      if ((Hold(Condition) && (Condition.Exact || Asked(Condition))) == Step.Taken)
        Walk(Depth + 1);
      return;
    }
    const LoopAccess &Loop = Accesses.Loops[Step.Id];
    for (Thread[Loop.Atom] = Value(Loop.Start); Hold(Step); Thread[Loop.Atom] += Value(Loop.Step))
      Walk(Depth + 1);
    Thread.erase(Loop.Atom);
  };
  auto Set = [&](Builtin B, unsigned X, unsigned Y, unsigned Z) {
    Thread[builtinAtom(B, 0)] = X;
    Thread[builtinAtom(B, 1)] = Y;
    Thread[builtinAtom(B, 2)] = Z;
  };
  auto Each = [](BlockShape Shape, llvm::function_ref<void(unsigned, unsigned, unsigned)> Do) {
    for (unsigned Z = 0; Z < Shape.Z; ++Z)
      for (unsigned Y = 0; Y < Shape.Y; ++Y)
        for (unsigned X = 0; X < Shape.X; ++X)
          Do(X, Y, Z);
  };
  Set(Builtin::BlockDim, Block.X, Block.Y, Block.Z);
  Set(Builtin::GridDim, Grid.X, Grid.Y, Grid.Z);
  Each(Grid, [&](unsigned BX, unsigned BY, unsigned BZ) {
    Set(Builtin::BlockIdx, BX, BY, BZ);
    Each(Block, [&](unsigned X, unsigned Y, unsigned Z) {
      Set(Builtin::ThreadIdx, X, Y, Z);
      Walk(0);
    });
  });
}

} // namespace cufuse
