#include "EditLoops.h"

#include "MacroNames.h"

#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/StmtCXX.h>
#include <clang/Lex/Lexer.h>
#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>

namespace cufuse {

namespace {

/// Whether the variable of a loop is named in its body, but for the loads that go ahead.
struct UseFinder : clang::ConstDynamicRecursiveASTVisitor {
  explicit UseFinder(const GridStrideLoop &Of) : Of(Of) {}
  bool TraverseStmt(const clang::Stmt *S) override {
    return llvm::is_contained(Of.Loads, S) || clang::ConstDynamicRecursiveASTVisitor::TraverseStmt(S);
  }
  bool VisitDeclRefExpr(const clang::DeclRefExpr *E) override {
    IsUsed |= E->getDecl() == Of.Variable;
    return !IsUsed;
  }
  const GridStrideLoop &Of;
  bool IsUsed = false;
};

/// The variable that `for (int i = …; …)` declares.
const clang::VarDecl *counted(const clang::ForStmt &Loop) {
  auto *Init = llvm::dyn_cast_or_null<clang::DeclStmt>(Loop.getInit());
  return Init && Init->isSingleDecl() ? llvm::dyn_cast<clang::VarDecl>(Init->getSingleDecl()) : nullptr;
}

/// Source text, and edits of it that only count where the loop is unrolled or is not.
class LoopText {
public:
  LoopText(const ParsedUnit &Unit, SourceText &Text, std::vector<PlacedEdit> &Edits)
      : Unit(Unit), Text(Text), Edits(Edits) {}

  std::pair<clang::FileID, unsigned> begin(clang::SourceRange Range) { return Text.offset(Range.getBegin()); }
  std::pair<clang::FileID, unsigned> end(clang::SourceRange Range) {
    const clang::SourceManager &Sources = Unit.ast().getSourceManager();
    const clang::SourceLocation Last = Sources.getExpansionRange(Range.getEnd()).getEnd(); // a macro's bracket, maybe
    const auto [File, At] = Text.offset(Last);
    return {File, At + clang::Lexer::MeasureTokenLength(Last, Sources, Unit.ast().getLangOpts())};
  }
  /// On one line and without comments.
  std::string of(clang::SourceRange Range) {
    std::string Result;
    unsigned Behind = 0;
    for (const TextToken &Token : Text.tokensIn({begin(Range).first, begin(Range).second, end(Range).second})) {
      Result += (Result.empty() || Token.Offset == Behind ? "" : " ") + Token.Text.str();
      Behind = Token.end();
    }
    return Result;
  }

  /// `Call(…)` around it, where the statement is what `Control` says.
  void wrap(clang::SourceRange Range, const std::string &Call, Edit::When Made, const KnownCondition &Control) {
    Edits.push_back({begin(Range), 0, Call, Made, {}, Control});
    Edits.push_back({end(Range), 0, ")", Made, {}, Control});
  }
  void whenUnrolled(std::pair<clang::FileID, unsigned> At, const OutputText &What) {
    Edits.push_back({At, 0, What, Edit::When::Unrolled});
  }
  /// `Instead` of it where the loop is unrolled.
  void replace(clang::SourceRange Range, const std::string &Instead) {
    Edits.push_back({begin(Range), end(Range).second - begin(Range).second, Instead, Edit::When::Unrolled});
  }

private:
  const ParsedUnit &Unit;
  SourceText &Text;
  std::vector<PlacedEdit> &Edits;
};

std::string typeOf(clang::QualType T, const ParsedUnit &Unit) {
  return T.getCanonicalType().getUnqualifiedType().getAsString(Unit.ast().getPrintingPolicy());
}

} // namespace

void editGridStrideLoop(const ParsedUnit &Unit, SourceText &Text, const Slice &S, const GridStrideLoop &Found,
                        std::vector<PlacedEdit> &Edits) {
  if (!Text.holds(S, Found.Loop->getBeginLoc()))
    return;
  constexpr auto Factor = OutputText::Slot::Factor;
  // The user's names stay what they are.
  std::set<std::string> Taken;
  for (const Slice &Each : Text.withIncluded(S))
    for (const TextToken &Token : Text.tokensIn(Each))
      Taken.insert(Token.Text.str());
  addNamesInMacros(Unit.log(), Taken);
  auto Free = [&](std::string Own) {
    while (Taken.count(Own))
      Own += '_';
    return Own;
  };
  LoopText Loop(Unit, Text, Edits);
  if (Found.Loads.empty())
    return Loop.whenUnrolled(Text.offset(Found.Loop->getBeginLoc()),
                             outputText("_Pragma(\"unroll {}\") ", OutputText(Factor)));

  const clang::SourceRange Step = Found.Loop->getInc()->getSourceRange(),
                           Body = Found.Loop->getBody()->getSourceRange();
  const std::string Turn = Free("cufuse_turn"), At = Free("cufuse_at"), Taking = Free("cufuse_taken");
  const OutputText Turns = outputText("for (unsigned {0} = 0; {0} < {1}; ++{0})", Turn, OutputText(Factor));
  const std::string Index = fmt::format("{} {} = {}[{}];", typeOf(Found.Variable->getType(), Unit),
                                        Found.Variable->getName().str(), At, Turn);
  OutputText Values;
  std::string Loads;
  for (size_t I = 0; I < Found.Loads.size(); ++I) {
    const clang::Expr *Load = Found.Loads[I];
    const std::string Value = Free(fmt::format("cufuse_value{}", I));
    Values += outputText(" {} {}[{}];", typeOf(Load->getType(), Unit), Value, OutputText(Factor));
    Loads += fmt::format(" {}[{}] = {};", Value, Turn, Loop.of(Load->getSourceRange()));
    Loop.replace(Load->getSourceRange(), fmt::format("{}[{}]", Value, Turn));
  }
  Loop.replace(Step, "");
  UseFinder Uses(Found);
  Uses.TraverseStmt(Found.Loop->getBody());
  // A turn that is not taken loads what the first one does: so nothing stands between the loads.
  const std::string Type = typeOf(Found.Variable->getType(), Unit), Name = Found.Variable->getName().str();
  Loop.whenUnrolled(Text.offset(Found.Loop->getRParenLoc().getLocWithOffset(1)),
                    outputText(" {{ {0} {10}[{1}]; bool {11}[{1}];{2} _Pragma(\"unroll\") {3} {{ "
                               "{11}[{12}] = {12} == 0 || ({11}[{12} - 1] && ({4})); "
                               "{10}[{12}] = {11}[{12}] ? {5} : {10}[0]; "
                               "if ({11}[{12}]) {6}; }} _Pragma(\"unroll\") {3} {{ {7}{8} }} "
                               "_Pragma(\"unroll\") {3} if ({11}[{12}]) {{ {9}",
                               Type, OutputText(Factor), Values, Turns,
                               Loop.of(Found.Loop->getCond()->getSourceRange()), Name, Loop.of(Step), Index, Loads,
                               Uses.IsUsed ? Index : "", At, Taking, Turn));
  auto End = Loop.end(Body);
  if (!llvm::isa<clang::CompoundStmt>(Found.Loop->getBody())) {
    const std::vector<TextToken> Behind =
        Text.tokensIn({End.first, End.second, static_cast<unsigned>(Text.buffer(End.first).size())});
    End.second = llvm::find_if(Behind, [](const TextToken &Token) { return Token.is(";"); })->end();
  }
  Loop.whenUnrolled(End, " } }");
}

void editRowLoops(const ParsedUnit &Unit, SourceText &Text, const Slice &S, const ControlStatements &Controls,
                  std::vector<PlacedEdit> &Edits) {
  for (unsigned Number = 0; Number < Controls.all().size(); ++Number) {
    const clang::Stmt *Each = Controls.all()[Number];
    if (llvm::isa<clang::IfStmt>(Each) || !Text.holds(S, Each->getBeginLoc()))
      continue;
    const auto At = Text.offset(Each->getBeginLoc());
    const KnownCondition Control{{}, Number};
    auto Refuse = [&](const char *Why) {
      Edits.push_back({At,
                       0,
                       "",
                       Edit::When::RowLoop,
                       {},
                       Control,
                       Blocker{BlockerKind::RowLoopForm, Unit.place(Each->getBeginLoc()), Why}});
    };
    auto *Loop = llvm::dyn_cast<clang::ForStmt>(Each);
    const clang::VarDecl *Variable = Loop ? counted(*Loop) : nullptr;
    if (!Variable || !Loop->getCond()) {
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
    Edits.push_back({At, 0, "_Pragma(\"unroll\") ", Edit::When::RowLoop, {}, Control});
    LoopText(Unit, Text, Edits)
        .wrap(Condition, fmt::format("cufuse_row.next({}, ", Variable->getNameAsString()), Edit::When::RowLoop,
              Control);
  }
}

void editKnownConditions(const ParsedUnit &Unit, SourceText &Text, const Slice &S, const ControlStatements &Controls,
                         std::vector<PlacedEdit> &Edits) {
  using Kind = KnownCondition::Kind;
  LoopText Lines(Unit, Text, Edits);
  for (unsigned Number = 0; Number < Controls.all().size(); ++Number) {
    const clang::Expr *Condition = conditionOf(*Controls.all()[Number]);
    if (!Condition || Condition->getBeginLoc().isMacroID() || Condition->getEndLoc().isMacroID() ||
        !Text.holds(S, Condition->getBeginLoc()))
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
