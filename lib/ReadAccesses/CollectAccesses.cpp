#include "cufuse/ReadAccesses/CollectAccesses.h"

#include "Evaluate.h"
#include "Expressions.h"

#include "cufuse/Analysis/AllIn.h"

#include <clang/AST/Attr.h>

namespace cufuse {

namespace {

/// How a statement may be left.
struct Flow {
  bool Always = false;             ///< Nothing behind it runs.
  std::vector<PathStep> Remainder; ///< What the code behind it stands under.
  bool Returns = false, Breaks = false, Continues = false;

  void add(const Flow &Part) {
    Returns |= Part.Returns;
    Breaks |= Part.Breaks;
    Continues |= Part.Continues;
  }
};

/// Walks the statements of the kernel.
class Collector : Evaluator {
public:
  using Evaluator::Evaluator;

  KernelAccesses run(const Reached &Reach) {
    statement(Kernel.getBody());
    addUnmet();
    addReadInCalls(Reach);
    return std::move(Result);
  }

  /// Functions that read where a thread is, where not all that they do was followed.
  void addReadInCalls(const Reached &Reach) {
    const std::set<const clang::FunctionDecl *> Readers = readersOf(Reach, [](Builtin) { return true; });
    auto Add = [&](const clang::FunctionDecl *Of, clang::SourceLocation Where) {
      Result.ReadInCalls.push_back({Of->getNameAsString(), Kernel.getNameAsString(), Unit.place(Where)});
    };
    for (const auto &[Function, Use] : Reach.Functions) {
      auto *Method = llvm::dyn_cast<clang::CXXMethodDecl>(Function);
      const bool Captures = !Method || !Method->getParent()->isLambda() ||
                            Method->getParent()->getLambdaCaptureDefault() != clang::LCD_None;
      if (Readers.count(Function) && !(Entered.count(Function) && Captures))
        Add(Function, Function->getLocation());
      for (const CallSite &Call : Use.Calls)
        if (auto Known = Followed.find(Call.Call);
            Readers.count(withBody(Call.Callee)) && (Known == Followed.end() || !Known->second))
          Add(Call.Callee, Call.Where);
      for (const BuiltinRead &Read : Use.Reads)
        if (Read.OutsideBody && !Use.System)
          Add(Function, Read.Where);
    }
  }

private:
  PathStep unknownStep(const clang::Stmt *S) const {
    PathStep Step;
    Step.Text = llvm::StringRef(text(S)).substr(0, 40).str();
    Step.Where = Unit.place(S->getBeginLoc());
    return Step;
  }

  void forget(const clang::Stmt *S) {
    for (const auto &[Variable, Times] : assignedIn(S))
      Variables.erase(Variable);
  }

  Flow statement(const clang::Stmt *S) {
    if (!S || llvm::isa<clang::NullStmt>(S))
      return {};
    if (auto *Block = llvm::dyn_cast<clang::CompoundStmt>(S))
      return block(Block);
    if (auto *If = llvm::dyn_cast<clang::IfStmt>(S))
      return choice(If);
    if (auto *For = llvm::dyn_cast<clang::ForStmt>(S)) {
      statement(For->getInit());
      return loop(S, For->getConditionVariable() ? nullptr : For->getCond(), For->getInc(), For->getBody());
    }
    if (auto *While = llvm::dyn_cast<clang::WhileStmt>(S))
      return loop(S, While->getConditionVariable() ? nullptr : While->getCond(), nullptr, While->getBody());
    if (auto *Return = llvm::dyn_cast<clang::ReturnStmt>(S)) {
      if (Return->getRetValue())
        eval(Return->getRetValue());
      return {true, {}, true};
    }
    if (llvm::isa<clang::BreakStmt>(S))
      return {true, {}, false, true};
    if (llvm::isa<clang::ContinueStmt>(S))
      return {true, {}, false, false, true};
    if (auto *Declarations = llvm::dyn_cast<clang::DeclStmt>(S)) {
      for (const clang::Decl *D : Declarations->decls())
        if (auto *Variable = llvm::dyn_cast<clang::VarDecl>(D); Variable && Variable->getInit())
          declare(*Variable, Declarations->isSingleDecl());
      return {};
    }
    if (auto *Attributed = llvm::dyn_cast<clang::AttributedStmt>(S)) {
      for (const clang::Attr *A : Attributed->getAttrs())
        if (auto *Assumes = llvm::dyn_cast<clang::CXXAssumeAttr>(A))
          eval(Assumes->getAssumption());
      return statement(Attributed->getSubStmt());
    }
    if (auto *E = llvm::dyn_cast<clang::Expr>(S)) {
      eval(E);
      return {};
    }
    if (auto *Switch = llvm::dyn_cast<clang::SwitchStmt>(S))
      return selection(Switch);
    if (llvm::isa<clang::DoStmt, clang::CXXForRangeStmt, clang::SwitchCase>(S))
      return anything(S);
    const bool Jumps = !llvm::isa<clang::AsmStmt>(S);
    unfollowed(Jumps ? "a jump" : "inline assembly", S->getBeginLoc());
    Variables.clear(); // anything may come from anywhere
    Flow Rest = anything(S);
    Rest.Returns |= Jumps;
    Rest.Remainder.push_back(unknownStep(S));
    return Rest;
  }

  Flow block(const clang::CompoundStmt *Block) {
    const size_t Depth = Path.size();
    Flow All;
    for (const clang::Stmt *Child : Block->body()) {
      // What stands behind a jump is read, but is reached by another way, if at all.
      if (All.Always)
        Path.push_back(unknownStep(Child));
      const Flow F = statement(Child);
      All.Always |= F.Always;
      All.add(F);
      Path.insert(Path.end(), F.Remainder.begin(), F.Remainder.end());
    }
    All.Remainder.assign(Path.begin() + Depth, Path.end());
    Path.resize(Depth);
    return All;
  }

  Flow choice(const clang::IfStmt *If) {
    if (If->isConsteval())
      return anything(If);
    statement(If->getInit());
    statement(If->getConditionVariableDeclStmt());
    if (If->isConstexpr())
      if (auto Constant = const_cast<clang::IfStmt *>(If)->getNondiscardedCase(Context))
        return statement(*Constant);
    const Condition C = condition(If->getCond());
    const unsigned Id = NextBranch++;
    auto Side = [&](const clang::Stmt *Body, bool Taken) {
      Path.push_back(branch(C, Id, Taken, If->getCond(), If));
      const Flow F = statement(Body);
      Path.pop_back();
      return F;
    };
    auto Before = Variables;
    const Flow Then = Side(If->getThen(), true);
    auto AfterThen = std::exchange(Variables, std::move(Before));
    const Flow Else = Side(If->getElse(), false);
    Flow All;
    All.add(Then);
    All.add(Else);
    All.Always = Then.Always && Else.Always;
    if (All.Always)
      return All;
    if (Then.Always || Else.Always) {
      if (Else.Always)
        Variables = std::move(AfterThen);
      const Flow &Other = Then.Always ? Else : Then;
      All.Remainder.push_back(branch(C, Id, Else.Always, If->getCond(), If));
      All.Remainder.insert(All.Remainder.end(), Other.Remainder.begin(), Other.Remainder.end());
      return All;
    }
    forgetUnless(AfterThen);
    if (!Then.Remainder.empty() || !Else.Remainder.empty())
      All.Remainder.push_back(unknownStep(If));
    return All;
  }

  /// The statements of each case, the last for all other values, where each runs to a `break` of its own. Nothing where
  /// a switch does something else.
  static std::vector<std::vector<const clang::Stmt *>> casesOf(const clang::SwitchStmt &Switch) {
    auto *Block = llvm::dyn_cast<clang::CompoundStmt>(Switch.getBody());
    if (!Block || !allIn<clang::ReturnStmt>(*Block).empty() || !allIn<clang::ContinueStmt>(*Block).empty() ||
        !allIn<clang::GotoStmt>(*Block).empty() || !allIn<clang::IndirectGotoStmt>(*Block).empty() ||
        !allIn<clang::LabelStmt>(*Block).empty())
      return {};
    size_t Labels = 0, Breaks = 0, Others = 1;
    bool Open = false;
    std::vector<std::vector<const clang::Stmt *>> Cases;
    for (const clang::Stmt *Child : Block->body()) {
      if (!Open && !llvm::isa<clang::SwitchCase>(Child))
        return {};
      if (Open && llvm::isa<clang::SwitchCase>(Child))
        return {};
      if (!Open)
        Cases.emplace_back();
      for (Open = true; auto *Label = llvm::dyn_cast<clang::SwitchCase>(Child); Child = Label->getSubStmt()) {
        ++Labels;
        Others -= llvm::isa<clang::DefaultStmt>(Label);
      }
      Cases.back().push_back(Child);
      auto *Inner = llvm::dyn_cast<clang::CompoundStmt>(Child);
      if (llvm::isa_and_nonnull<clang::BreakStmt>(Inner && !Inner->body_empty() ? Inner->body_back() : Child)) {
        ++Breaks;
        Open = false;
      }
    }
    if (Labels != allIn<clang::SwitchCase>(*Block).size() || Breaks != allIn<clang::BreakStmt>(*Block).size())
      return {};
    if (Others)
      Cases.emplace_back();
    return Cases;
  }

  Flow selection(const clang::SwitchStmt *Switch) {
    const auto Cases = casesOf(*Switch);
    if (Cases.empty())
      return anything(Switch);
    statement(Switch->getInit());
    statement(Switch->getConditionVariableDeclStmt());
    use(eval(Switch->getCond()), Switch->getCond());
    const unsigned First = NextBranch;
    NextBranch += Cases.size() - 1;
    const size_t Depth = Path.size();
    const auto Before = Variables;
    Flow All;
    for (size_t I = 0; I < Cases.size(); ++I) {
      auto Others = std::exchange(Variables, Before);
      for (size_t J = 0; J <= I && J + 1 < Cases.size(); ++J) { // an `else if` each
        Path.push_back(unknownStep(Switch));
        Path.back().What = PathStep::Kind::Branch;
        Path.back().Id = First + J;
        Path.back().Taken = J == I;
      }
      for (const clang::Stmt *Each : Cases[I]) {
        const Flow F = statement(Each);
        Path.insert(Path.end(), F.Remainder.begin(), F.Remainder.end());
        if (!F.Remainder.empty() && All.Remainder.empty())
          All.Remainder.push_back(unknownStep(Switch));
      }
      Path.resize(Depth);
      if (I > 0)
        forgetUnless(Others);
    }
    return All;
  }

  /// May run any number of times, from any place in it.
  Flow anything(const clang::Stmt *S) {
    forget(S);
    const auto Before = Variables;
    const size_t Depth = Path.size();
    Flow All;
    for (const clang::Stmt *Child : S->children()) {
      Path.push_back(unknownStep(S));
      auto *E = llvm::dyn_cast_or_null<clang::Expr>(Child);
      if (E)
        use(eval(E), E);
      All.add(E ? Flow() : statement(Child));
      Path.resize(Depth);
      Variables = Before;
    }
    const bool IsLoop = llvm::isa<clang::ForStmt, clang::WhileStmt, clang::DoStmt, clang::CXXForRangeStmt>(S);
    All.Continues &= !IsLoop;
    All.Breaks &= !IsLoop && !llvm::isa<clang::SwitchStmt>(S);
    if (All.Returns || All.Breaks || All.Continues)
      All.Remainder.push_back(unknownStep(S));
    return All;
  }

  /// What a loop counts, by `v += step` or an expression like it.
  struct Counter {
    const clang::VarDecl *Variable = nullptr;
    const clang::Expr *Step = nullptr; ///< Null for 1.
    bool Down = false;
  };
  static Counter counter(const clang::Expr *E) {
    if (!E)
      return {};
    E = E->IgnoreParenImpCasts();
    if (auto *Unary = llvm::dyn_cast<clang::UnaryOperator>(E); Unary && Unary->isIncrementDecrementOp())
      return {variableNamed(Unary->getSubExpr()->IgnoreParenImpCasts()), nullptr, Unary->isDecrementOp()};
    auto *Binary = llvm::dyn_cast<clang::BinaryOperator>(E);
    if (!Binary)
      return {};
    const clang::VarDecl *Variable = variableNamed(Binary->getLHS()->IgnoreParenImpCasts());
    if (Binary->getOpcode() == clang::BO_AddAssign || Binary->getOpcode() == clang::BO_SubAssign)
      return {Variable, Binary->getRHS(), Binary->getOpcode() == clang::BO_SubAssign};
    auto *Sum = llvm::dyn_cast<clang::BinaryOperator>(Binary->getRHS()->IgnoreParenImpCasts());
    if (Binary->getOpcode() == clang::BO_Assign && Sum && Sum->getOpcode() == clang::BO_Add)
      for (const auto &[One, Other] : {std::pair(Sum->getLHS(), Sum->getRHS()), {Sum->getRHS(), Sum->getLHS()}})
        if (variableNamed(One->IgnoreParenImpCasts()) == Variable)
          return {Variable, Other, false};
    return {};
  }

  /// `v += step, w = v`: what follows v, or nothing. `E` becomes the step alone.
  static const clang::VarDecl *follower(const clang::Expr *&E) {
    auto *Both = llvm::dyn_cast_or_null<clang::BinaryOperator>(E ? E->IgnoreParens() : nullptr);
    auto *Copy =
        Both && Both->isCommaOp() ? llvm::dyn_cast<clang::BinaryOperator>(Both->getRHS()->IgnoreParens()) : nullptr;
    if (!Copy || Copy->getOpcode() != clang::BO_Assign)
      return nullptr;
    const clang::VarDecl *Of = variableNamed(Copy->getRHS()->IgnoreParenImpCasts());
    if (!Of || counter(Both->getLHS()).Variable != Of)
      return nullptr;
    E = Both->getLHS();
    return variableNamed(Copy->getLHS()->IgnoreParens());
  }

  Flow loop(const clang::Stmt *Whole, const clang::Expr *Written, const clang::Expr *Increment,
            const clang::Stmt *Body) {
    // `while (v < n) { …; v += step; }`
    const auto *Block = llvm::dyn_cast<clang::CompoundStmt>(Body);
    const bool InBody = !Increment && llvm::isa<clang::WhileStmt>(Whole) && Block && !Block->body_empty();
    if (InBody)
      Increment = llvm::dyn_cast<clang::Expr>(Block->body_back());
    const clang::VarDecl *Follower = InBody ? nullptr : follower(Increment);
    const Counter Counted = counter(Increment);
    std::map<const clang::VarDecl *, unsigned> Assigned = assignedIn(Body);
    if (Written)
      for (const auto &[Variable, Times] : assignedIn(Written))
        Assigned[Variable] += Times;
    auto Start = Variables.find(Counted.Variable);
    const bool Counts = Counted.Variable && Written && Start != Variables.end() &&
                        Start->second.What == Value::Kind::Integer && Assigned[Counted.Variable] == (InBody ? 1u : 0u);
    if (!Counts)
      return anything(Whole);
    const auto Follows = Variables.find(Follower);
    if (Follows == Variables.end() || !(Follows->second == Start->second) || Assigned[Follower] > 0)
      Follower = nullptr;

    LoopAccess Loop;
    Loop.Atom = Counted.Variable->getNameAsString();
    while (isName(Loop.Atom) || std::any_of(Result.Loops.begin(), Result.Loops.end(),
                                            [&](const LoopAccess &Other) { return Other.Atom == Loop.Atom; }))
      Loop.Atom += '\'';
    Loop.Start = Start->second.P;
    Loop.Bits = Context.getTypeSize(Counted.Variable->getType());
    Loop.Where = Unit.place(Whole->getBeginLoc());
    Loop.Statement = *Controls.numberOf(Whole);
    for (const clang::VarDecl *Variable : Aliased)
      ++Assigned[Variable];
    const std::vector<const clang::VarDecl *> Declared = allIn<clang::VarDecl>(*Body);
    const std::set<const clang::VarDecl *> Own(Declared.begin(), Declared.end());
    for (const clang::VarDecl *Variable : allIn<clang::VarDecl>(*Kernel.getBody()))
      (Own.count(Variable) ? Loop.Inside : Loop.Outside).insert(Variable->getNameAsString());
    for (const auto &[Variable, Times] : Assigned)
      if (Times && Variable != Counted.Variable && !Own.count(Variable))
        Loop.Carried.push_back({Variable->getNameAsString(), Kernel.getNameAsString(), Loop.Where});
    forget(Whole);
    const Value Step =
        Counted.Step ? eval(Counted.Step) : Value{Value::Kind::Integer, Polynomial::constant(1), nullptr, false};
    if (Step.What != Value::Kind::Integer)
      return anything(Whole);
    Loop.Step = Counted.Down ? Polynomial() - Step.P : Step.P;
    for (const clang::VarDecl *Each : {Counted.Variable, Follower})
      if (Each)
        Variables[Each] = {Value::Kind::Integer, Polynomial::atom(Loop.Atom), nullptr, false};
    const unsigned Id = Result.Loops.size();
    Result.Loops.push_back(std::move(Loop));

    PathStep Inside = branch(condition(Written), 0, true, Written, Whole);
    Inside.What = PathStep::Kind::Loop;
    Inside.Id = Id;
    const auto Before = Variables;
    Path.push_back(std::move(Inside));
    const size_t Depth = Path.size();
    const Flow F = statement(Body);
    Path.resize(Depth - 1);
    Variables = Before;
    forget(Whole);
    Variables.erase(Counted.Variable);
    Result.Loops[Id].LeftEarly = F.Returns || F.Breaks || (InBody && F.Continues); // which may leave out the step
    Flow All;
    All.Returns = F.Returns;
    if (All.Returns)
      All.Remainder.push_back(unknownStep(Whole));
    return All;
  }
};

} // namespace

KernelAccesses collectAccesses(const ParsedUnit &Unit, const Reached &Reach) {
  KernelAccesses Found = Collector(Unit, Reach).run(Reach);
  for (const clang::VarDecl *Global : Reach.Globals)
    if (!Global->hasAttr<clang::CUDASharedAttr>() && leadsToPointer(Global->getType()))
      Found.PointerVariables.push_back(Global->getQualifiedNameAsString());
  for (const auto &[Function, Use] : Reach.Functions)
    if (!Use.System && Function != Reach.Kernel)
      for (const clang::GCCAsmStmt *Assembly : Use.Assembly)
        Found.Unfollowed.push_back({"inline assembly", Function->getNameAsString(), Unit.place(Assembly->getAsmLoc())});
  return Found;
}

} // namespace cufuse
