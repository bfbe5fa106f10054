#include "TextParts.h"

#include "cufuse/Reach/AllIn.h"

#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>

namespace cufuse {

namespace {

/// How often the variable of a loop is named.
size_t uses(const GridStrideLoop &Of, const clang::Stmt &In) {
  return llvm::count_if(allIn<clang::DeclRefExpr>(In),
                        [&](const clang::DeclRefExpr *E) { return E->getDecl() == Of.Variable; });
}

/// Edits that only count where the loop is unrolled, or the statement is what is said.
class LoopText {
public:
  explicit LoopText(TextEdits &Edits) : Text(Edits.Text), Edits(Edits.All) {}

  /// On one line and without comments.
  std::string of(clang::SourceRange Range) {
    const auto [File, Begin] = Text.offset(Range.getBegin());
    std::string Result;
    unsigned Behind = 0;
    for (const TextToken &Token : Text.tokensIn({File, Begin, Text.end(Range.getEnd()).second})) {
      Result += (Result.empty() || Token.Offset == Behind ? "" : " ") + Token.Text.str();
      Behind = Token.end();
    }
    return Result;
  }

  /// `Call(…)` around it, where the statement is what `Control` says.
  void wrap(clang::SourceRange Range, const std::string &Call, Edit::When Made, const KnownCondition &Control) {
    Edits.push_back({Text.offset(Range.getBegin()), 0, Call, Made, {}, Control});
    Edits.push_back({Text.end(Range.getEnd()), 0, ")", Made, {}, Control});
  }
  /// Behind the statement and its semicolon.
  TextPlace endOf(const clang::Stmt &Body) {
    TextPlace End = Text.end(Body.getEndLoc());
    const clang::Stmt *Last = &Body; // of statements without braces
    for (const clang::Stmt *Inner = Last; Inner;) {
      Last = Inner;
      Inner = nullptr;
      if (auto *If = llvm::dyn_cast<clang::IfStmt>(Last))
        Inner = If->getElse() ? If->getElse() : If->getThen();
      else if (auto *For = llvm::dyn_cast<clang::ForStmt>(Last))
        Inner = For->getBody();
      else if (auto *While = llvm::dyn_cast<clang::WhileStmt>(Last))
        Inner = While->getBody();
      else if (auto *Switch = llvm::dyn_cast<clang::SwitchStmt>(Last))
        Inner = Switch->getBody();
    }
    if (!llvm::isa<clang::CompoundStmt>(Last)) {
      const std::vector<TextToken> Behind = Text.tokensIn(Text.behind(End));
      End.second = llvm::find_if(Behind, [](const TextToken &Token) { return Token.is(";"); })->end();
    }
    return End;
  }
  void whenUnrolled(TextPlace At, const OutputText &What) { Edits.push_back({At, 0, What, Edit::When::Unrolled}); }
  /// `Instead` of it where the loop is unrolled.
  void replace(clang::SourceRange Range, const std::string &Instead) {
    const TextPlace At = Text.offset(Range.getBegin());
    Edits.push_back({At, Text.end(Range.getEnd()).second - At.second, Instead, Edit::When::Unrolled});
  }

private:
  SourceText &Text;
  std::vector<PlacedEdit> &Edits;
};

std::string typeOf(clang::QualType T, const SourceText &Text) {
  return T.getCanonicalType().getUnqualifiedType().getAsString(Text.unit().ast().getPrintingPolicy());
}

} // namespace

void editGridStrideLoop(TextEdits &Edits, const GridStrideLoop &Found) {
  SourceText &Text = Edits.Text;
  if (!Edits.holds(Found.Loop->getBeginLoc()))
    return;
  constexpr auto Factor = OutputText::Slot::Factor;
  // The user's names stay what they are.
  std::set<std::string> Taken = Text.names(Edits.Of);
  addNamesInMacros(Text.unit().log(), Taken);
  auto Free = [&](std::string Own) {
    while (Taken.count(Own))
      Own += '_';
    return Own;
  };
  LoopText Loop(Edits);
  if (Found.Loads.empty())
    return Loop.whenUnrolled(Text.offset(Found.Loop->getBeginLoc()),
                             outputText("_Pragma(\"unroll {}\") ", OutputText(Factor)));

  const clang::SourceRange Step = Found.Loop->getInc()->getSourceRange();
  const std::string Turn = Free("cufuse_turn"), At = Free("cufuse_at"), Taking = Free("cufuse_taken");
  const OutputText Turns = outputText("for (unsigned {0} = 0; {0} < {1}; ++{0})", Turn, OutputText(Factor));
  const std::string Index = fmt::format("{} {} = {}[{}];", typeOf(Found.Variable->getType(), Text),
                                        Found.Variable->getName().str(), At, Turn);
  OutputText Values;
  std::string Loads;
  size_t Used = uses(Found, *Found.Loop->getBody()); // but for the loads that go ahead
  for (size_t I = 0; I < Found.Loads.size(); ++I) {
    const clang::Expr *Load = Found.Loads[I];
    Used -= uses(Found, *Load);
    const std::string Value = Free(fmt::format("cufuse_value{}", I));
    Values += outputText(" {} {}[{}];", typeOf(Load->getType(), Text), Value, OutputText(Factor));
    Loads += fmt::format(" {}[{}] = {};", Value, Turn, Loop.of(Load->getSourceRange()));
    Loop.replace(Load->getSourceRange(), fmt::format("{}[{}]", Value, Turn));
  }
  Loop.replace(Step, "");
  // A turn that is not taken loads what the first one does: so nothing stands between the loads.
  const std::string Type = typeOf(Found.Variable->getType(), Text), Name = Found.Variable->getName().str();
  Loop.whenUnrolled(Text.offset(Found.Loop->getRParenLoc().getLocWithOffset(1)),
                    outputText(" {{ {0} {10}[{1}]; bool {11}[{1}];{2} _Pragma(\"unroll\") {3} {{ "
                               "{11}[{12}] = {12} == 0 || ({11}[{12} - 1] && ({4})); "
                               "{10}[{12}] = {11}[{12}] ? {5} : {10}[0]; "
                               "if ({11}[{12}]) {6}; }} _Pragma(\"unroll\") {3} {{ {7}{8} }} "
                               "_Pragma(\"unroll\") {3} if ({11}[{12}]) {{ {9}",
                               Type, OutputText(Factor), Values, Turns,
                               Loop.of(Found.Loop->getCond()->getSourceRange()), Name, Loop.of(Step), Index, Loads,
                               Used > 0 ? Index : "", At, Taking, Turn));
  Loop.whenUnrolled(Loop.endOf(*Found.Loop->getBody()), " } }");
}

void editRowLoops(TextEdits &Edits, const ControlStatements &Controls) {
  for (unsigned Number = 0; Number < Controls.all().size(); ++Number) {
    const clang::Stmt *Each = Controls.all()[Number];
    if (llvm::isa<clang::IfStmt>(Each) || !Edits.holds(Each->getBeginLoc()))
      continue;
    const KnownCondition Control{{}, Number};
    PlacedEdit Unrolls{Edits.Text.offset(Each->getBeginLoc()), 0, "", Edit::When::RowLoop, {}, Control};
    auto Refuse = [&](const char *Why) {
      Unrolls.Cannot = {BlockerKind::RowLoopForm, Edits.Text.unit().place(Each->getBeginLoc()), Why};
      Edits.All.push_back(Unrolls);
    };
    auto *Loop = llvm::dyn_cast<clang::ForStmt>(Each);
    const clang::VarDecl *Variable = Loop ? counted(*Loop) : nullptr;
    auto IsVariable = [&](const clang::DeclRefExpr *Named) { return Named->getDecl() == Variable; };
    if (!Variable || !Loop->getCond() || llvm::none_of(allIn<clang::DeclRefExpr>(*Loop->getCond()), IsVariable)) {
      Refuse("it declares no variable that counts");
      continue;
    }
    const clang::SourceRange Condition = Loop->getCond()->getSourceRange();
    if (Loop->getForLoc().isMacroID() || Condition.getBegin().isMacroID() || Condition.getEnd().isMacroID() ||
        Variable->getLocation().isMacroID()) {
      Refuse("a macro writes it");
      continue;
    }
    if (Controls.hasPragma(Loop)) {
      Refuse("it has a pragma of its own");
      continue;
    }
    Unrolls.Text = "_Pragma(\"unroll\") ";
    Edits.All.push_back(Unrolls);
    LoopText Lines(Edits);
    Lines.wrap(Condition, fmt::format("cufuse_row.next({}, ", Variable->getNameAsString()), Edit::When::RowLoop,
               Control);
    // The body has a variable of the same name, in a scope of its own.
    const std::string Name = Variable->getNameAsString();
    Edits.All.push_back(
        {Edits.Text.offset(Loop->getRParenLoc().getLocWithOffset(1)),
         0,
         fmt::format(
             " {{ const auto cufuse_index = {0}; if (cufuse_row.inside(true)) _Pragma(\"unroll\") for (unsigned "
             "cufuse_of = 0; cufuse_row.each(cufuse_of, cufuse_of == 0); ++cufuse_of) {{ "
             "[[maybe_unused]] {1} {0} = cufuse_row.element(cufuse_index);",
             Name, typeOf(Variable->getType(), Edits.Text)),
         Edit::When::RowTurn,
         {},
         Control});
    Edits.All.push_back({Lines.endOf(*Loop->getBody()), 0, " }}", Edit::When::RowTurn, {}, Control});
  }
}

void editKnownConditions(TextEdits &Edits, const ControlStatements &Controls) {
  using Kind = KnownCondition::Kind;
  LoopText Lines(Edits);
  for (unsigned Number = 0; Number < Controls.all().size(); ++Number) {
    const clang::Expr *Condition = conditionOf(*Controls.all()[Number]);
    if (!Condition || Condition->getBeginLoc().isMacroID() || Condition->getEndLoc().isMacroID() ||
        !Edits.holds(Condition->getBeginLoc()))
      continue;
    auto Ask = [&](Kind What, const char *Question) {
      Lines.wrap(Condition->getSourceRange(), fmt::format("cufuse_turn.{}(", Question), Edit::When::Known,
                 {What, Number});
    };
    if (llvm::isa<clang::IfStmt>(Controls.all()[Number])) {
      Ask(Kind::Holds, "inside");
      Ask(Kind::Fails, "beyond");
    } else {
      Ask(Kind::Once, "once");
    }
  }
}

} // namespace cufuse
