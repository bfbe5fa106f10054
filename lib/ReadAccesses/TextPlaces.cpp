#include "TextUses.h"

#include "cufuse/Reach/AllIn.h"

#include <clang/AST/ASTContext.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/DebugInfoMetadata.h>

namespace cufuse {

std::string textOf(const clang::Stmt &S, const clang::ASTContext &Context) {
  const clang::SourceManager &Sources = Context.getSourceManager();
  const clang::CharSourceRange Range =
      Sources.getExpansionRange(clang::CharSourceRange::getTokenRange(S.getSourceRange()));
  llvm::SmallVector<llvm::StringRef> Words;
  llvm::SplitString(clang::Lexer::getSourceText(Range, Sources, Context.getLangOpts()), Words);
  return llvm::join(Words, " ");
}

LineAndColumn placeOf(clang::SourceLocation Where, const clang::ASTContext &Context) {
  // As Clang's debug information has it: an argument of a macro is where it is written.
  const clang::SourceManager &Sources = Context.getSourceManager();
  const clang::PresumedLoc Here = Sources.getPresumedLoc(Sources.getFileLoc(Where));
  return Here.isValid() ? LineAndColumn(Here.getLine(), Here.getColumn()) : LineAndColumn();
}

const clang::Expr *conditionIn(const clang::Stmt &Owner) {
  if (auto *Either = llvm::dyn_cast<clang::ConditionalOperator>(&Owner))
    return Either->getCond();
  if (auto *Do = llvm::dyn_cast<clang::DoStmt>(&Owner))
    return Do->getCond();
  return conditionOf(Owner);
}

bool asksItsOwnVariable(const clang::ForStmt &Loop) {
  const clang::VarDecl *Own = counted(Loop);
  if (!Own || !Loop.getCond())
    return false;
  const std::set<const clang::ValueDecl *> Changed = changedIn(Loop);
  bool Asks = false, AsksOther = false;
  for (const auto *Name : allIn<clang::DeclRefExpr>(*Loop.getCond())) {
    Asks |= Name->getDecl() == Own;
    AsksOther |= Name->getDecl() != Own && llvm::isa<clang::VarDecl>(Name->getDecl()) && Changed.count(Name->getDecl());
  }
  return Asks && !AsksOther;
}

/// The operators of a condition that branch by themselves, and what they are of.
static void addLogical(const clang::Expr *E, std::vector<const clang::Expr *> &Found) {
  E = E->IgnoreParenImpCasts();
  if (auto *Not = llvm::dyn_cast<clang::UnaryOperator>(E); Not && Not->getOpcode() == clang::UO_LNot)
    return addLogical(Not->getSubExpr(), Found);
  auto *Binary = llvm::dyn_cast<clang::BinaryOperator>(E);
  if (!Binary || !Binary->isLogicalOp())
    return;
  Found.push_back(Binary);
  addLogical(Binary->getLHS(), Found);
  addLogical(Binary->getRHS(), Found);
}

unsigned logicalOperators(const clang::Expr *Condition) {
  std::vector<const clang::Expr *> Found;
  if (Condition)
    addLogical(Condition, Found);
  return Found.size();
}

TextPlaces::TextPlaces(const DeviceIr &Ir, const clang::FunctionDecl &Kernel) : Ir(Ir), Controls(*Kernel.getBody()) {}

const TextPlaces::Known *TextPlaces::in(const llvm::DILocation *At) const {
  const clang::FunctionDecl *Function = At ? Ir.functionAt(*At) : nullptr;
  if (!Function || !Function->getBody())
    return nullptr;
  const auto [Entry, New] = Functions.try_emplace(Function);
  if (!New)
    return &Entry->second;
  auto PlaceOf = [&](clang::SourceLocation Where) { return placeOf(Where, Function->getASTContext()); };
  Known &Into = Entry->second;
  auto Own = [&](clang::SourceLocation Where, const clang::Stmt *Owner) {
    auto [Place, First] = Into.Owners.try_emplace(PlaceOf(Where), Owner);
    if (!First && Place->second != Owner)
      Place->second = nullptr;
  };
  for (const auto *S : allIn<clang::Stmt>(*Function->getBody())) {
    if (auto *Switch = llvm::dyn_cast<clang::SwitchStmt>(S))
      Into.Computed[PlaceOf(Switch->getBeginLoc())] = Switch;
    if (auto *E = llvm::dyn_cast<clang::Expr>(S)) { // the largest comes first
      const auto Here = Into.Computed.try_emplace(PlaceOf(E->getExprLoc()), E).first;
      if (llvm::isa_and_nonnull<clang::ConditionalOperator>(Here->second))
        Here->second = E;
    }
    if (!llvm::isa<clang::IfStmt, clang::ForStmt, clang::WhileStmt, clang::DoStmt, clang::ConditionalOperator>(S))
      continue;
    const clang::Expr *Condition = conditionIn(*S);
    if (llvm::isa<clang::ForStmt, clang::WhileStmt, clang::ConditionalOperator>(S))
      Own(S->getBeginLoc(), S);
    if (!Condition)
      continue;
    if (!llvm::isa<clang::ForStmt, clang::WhileStmt>(S))
      Own(Condition->getExprLoc(), S);
    if (auto *If = llvm::dyn_cast<clang::IfStmt>(S))
      for (const clang::Stmt *First :
           {If->getInit(), static_cast<const clang::Stmt *>(If->getConditionVariableDeclStmt())})
        if (First)
          Own(First->getBeginLoc(), S);
    std::vector<const clang::Expr *> Operators;
    addLogical(Condition, Operators);
    for (const clang::Expr *Each : Operators)
      Own(Each->getExprLoc(), S);
  }
  return &Into;
}

static const clang::Stmt *found(const std::map<LineAndColumn, const clang::Stmt *> &In, const llvm::DILocation &At) {
  const auto Found = In.find({At.getLine(), At.getColumn()});
  return Found == In.end() ? nullptr : Found->second;
}

const clang::Stmt *TextPlaces::ownerAt(const llvm::DILocation *At) const {
  const Known *Function = in(At);
  return Function ? found(Function->Owners, *At) : nullptr;
}

const clang::Stmt *TextPlaces::at(const llvm::DILocation *At) const {
  for (; At; At = At->getInlinedAt())
    if (const Known *Function = in(At))
      if (const clang::Stmt *Here = found(Function->Computed, *At))
        return Here;
  return nullptr;
}

bool TextPlaces::isBegin(const clang::Stmt &Owner, const llvm::DILocation &At) const {
  return placeOf(Owner.getBeginLoc(), Ir.unit().ast()) == LineAndColumn(At.getLine(), At.getColumn());
}

std::optional<unsigned> TextPlaces::numberOf(const clang::Stmt *Owner) const { return Controls.numberOf(Owner); }

} // namespace cufuse
