#include "EditLoops.h"

#include <clang/AST/StmtCXX.h>
#include <llvm/ADT/STLExtras.h>

namespace cufuse {

namespace {

struct ConditionFinder : clang::ConstDynamicRecursiveASTVisitor {
  std::vector<std::pair<const clang::Expr *, bool>> Conditions; ///< Is it a loop's?
  bool VisitIfStmt(const clang::IfStmt *If) override { return add(If->getCond(), false); }
  bool VisitForStmt(const clang::ForStmt *Loop) override { return add(Loop->getCond(), true); }
  bool VisitWhileStmt(const clang::WhileStmt *Loop) override { return add(Loop->getCond(), true); }

private:
  bool add(const clang::Expr *Condition, bool OfLoop) {
    if (Condition)
      Conditions.push_back({Condition, OfLoop});
    return true;
  }
};

struct LoopFinder : clang::ConstDynamicRecursiveASTVisitor {
  std::vector<const clang::Stmt *> Loops;
  std::set<const clang::Stmt *> Hinted; ///< `#pragma unroll` and its like stand before them.
  bool VisitForStmt(const clang::ForStmt *Loop) override {
    Loops.push_back(Loop);
    return true;
  }
  bool VisitWhileStmt(const clang::WhileStmt *Loop) override {
    Loops.push_back(Loop);
    return true;
  }
  bool VisitAttributedStmt(const clang::AttributedStmt *S) override {
    Hinted.insert(S->getSubStmt());
    return true;
  }
};

/// The variable that `for (int i = …; …)` declares.
const clang::VarDecl *counted(const clang::ForStmt &Loop) {
  auto *Init = llvm::dyn_cast_or_null<clang::DeclStmt>(Loop.getInit());
  return Init && Init->isSingleDecl() ? llvm::dyn_cast<clang::VarDecl>(Init->getSingleDecl()) : nullptr;
}

} // namespace

void editRowLoops(const ParsedUnit &Unit, SourceText &Text, const Slice &S, const clang::FunctionDecl &Kernel,
                  llvm::ArrayRef<SourcePlace> Places, std::vector<Edit> &Edits, std::vector<Blocker> &Blockers) {
  LoopFinder Found;
  Found.TraverseStmt(Kernel.getBody());
  for (const clang::Stmt *Each : Found.Loops) {
    const SourcePlace Where = Unit.place(Each->getBeginLoc());
    const auto [File, Offset] = Text.offset(Each->getBeginLoc());
    const bool Inside = File == S.File && S.Begin <= Offset && Offset < S.End;
    if (!Inside || llvm::none_of(Places, [&](const SourcePlace &P) { return P.str() == Where.str(); }))
      continue;
    auto Refuse = [&](const char *Why) { Blockers.push_back({BlockerKind::RowLoopForm, Where, Why}); };
    auto *Loop = llvm::dyn_cast<clang::ForStmt>(Each);
    const clang::VarDecl *Variable = Loop ? counted(*Loop) : nullptr;
    if (!Variable) {
      Refuse("it declares no variable that counts");
      continue;
    }
    const clang::SourceRange Condition = Loop->getCond()->getSourceRange();
    if (Loop->getForLoc().isMacroID() || Condition.getBegin().isMacroID() || Condition.getEnd().isMacroID() ||
        Variable->getLocation().isMacroID()) {
      Refuse("a macro writes it");
      continue;
    }
    if (Found.Hinted.count(Loop)) {
      Refuse("it has a pragma of its own");
      continue;
    }
    const unsigned End =
        Text.offset(Condition.getEnd()).second +
        clang::Lexer::MeasureTokenLength(Condition.getEnd(), Unit.ast().getSourceManager(), Unit.ast().getLangOpts());
    Edits.push_back({Offset, 0, "_Pragma(\"unroll\") "});
    Edits.push_back({Text.offset(Condition.getBegin()).second, 0,
                     fmt::format("cufuse_row.next({}, ", Variable->getNameAsString())});
    Edits.push_back({End, 0, ")"});
  }
}

void editKnownConditions(const ParsedUnit &Unit, SourceText &Text, const Slice &S, const clang::FunctionDecl &Kernel,
                         llvm::ArrayRef<KnownCondition> Known, std::vector<Edit> &Edits) {
  ConditionFinder Found;
  Found.TraverseStmt(Kernel.getBody());
  const clang::SourceManager &Sources = Unit.ast().getSourceManager();
  for (const auto &[Condition, OfLoop] : Found.Conditions) {
    const clang::SourceRange Range = Condition->getSourceRange();
    if (Range.getBegin().isMacroID() || Range.getEnd().isMacroID())
      continue;
    const auto [File, Begin] = Text.offset(Range.getBegin());
    if (File != S.File || Begin < S.Begin || Begin >= S.End)
      continue;
    const std::string Where = Unit.place(Range.getBegin()).str(), Last = Unit.place(Range.getEnd()).str();
    for (const KnownCondition &Each : Known) {
      if (Each.Where.str() != Where || Each.Last.str() != Last || (Each.What == KnownCondition::Kind::Once) != OfLoop)
        continue;
      const unsigned End = Text.offset(Range.getEnd()).second +
                           clang::Lexer::MeasureTokenLength(Range.getEnd(), Sources, Unit.ast().getLangOpts());
      const char *Question = Each.What == KnownCondition::Kind::Holds   ? "inside"
                             : Each.What == KnownCondition::Kind::Fails ? "beyond"
                                                                        : "once";
      Edits.push_back({Begin, 0, fmt::format("cufuse_turn.{}(", Question)});
      Edits.push_back({End, 0, ")"});
      break;
    }
  }
}

} // namespace cufuse
