// The walk of two trees at once. See CompareWithInput.h for the rules.
#pragma once

#include "cufuse/Analysis/ControlStatements.h"
#include "cufuse/Analysis/Reach.h"
#include "cufuse/Verify/CompareWithInput.h"

#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>

#include <optional>
#include <utility>
#include <vector>

namespace cufuse {

/// The place that the `#line` directives of the output say: in a file of the users, or in the output.
SourcePlace sourceOf(const ParsedUnit &Output, clang::SourceLocation Where);
/// The namespace that it is declared in, with those around it, whatever class or function holds it; "" for none.
std::string namespaceAround(const clang::Decl *D);
/// Without what is added around a value that is copied, converted to itself or kept in a temporary object.
const clang::Expr *unwrapped(const clang::Expr *E);

/// `A` is always of the input, `B` of the output. What returns false has said a difference.
class Comparison {
public:
  Comparison(const ParsedKernel &Input, const ParsedUnit &Output, const PlayedKernel &Played)
      : In(*Input.Unit), Out(Output), ContextA(In.ast()), ContextB(Out.ast()), Kernel(Input.Kernel),
        Controls(*Kernel->getBody()), Played(Played) {}

  std::vector<Blocker> run(const clang::FunctionDecl &Body);

private:
  // CompareStatements.cpp
  bool statement(const clang::Stmt *A, const clang::Stmt *B);
  bool expression(const clang::Expr *A, const clang::Expr *B);
  bool details(const clang::Stmt *A, const clang::Stmt *B);
  bool expressionDetails(const clang::Expr *A, const clang::Expr *B);
  bool children(const clang::Stmt *A, const clang::Stmt *B);
  bool sequence(llvm::ArrayRef<const clang::Stmt *> A, llvm::ArrayRef<const clang::Stmt *> B);
  bool declarations(const clang::DeclStmt *A, const clang::DeclStmt *B);
  bool lambda(const clang::LambdaExpr *A, const clang::LambdaExpr *B);
  bool attributed(const clang::Stmt *&A, const clang::Stmt *&B);

  // CompareDeclarations.cpp
  bool type(clang::QualType A, clang::QualType B);
  /// They are the same thing; compares them later, if they were not met before.
  bool pair(const clang::Decl *A, const clang::Decl *B);
  bool compare(const clang::Decl *A, const clang::Decl *B);
  bool function(const clang::FunctionDecl *A, const clang::FunctionDecl *B);
  bool sameSymbol(const clang::NamedDecl *A, const clang::NamedDecl *B);
  bool parametersAndBody(const clang::FunctionDecl *A, const clang::FunctionDecl *B, unsigned Added);
  bool destructors(const clang::CXXRecordDecl *A, const clang::CXXRecordDecl *B);
  bool destructor(clang::QualType A, clang::QualType B);
  bool variable(const clang::VarDecl *A, const clang::VarDecl *B);
  bool globalVariable(const clang::VarDecl *A, const clang::VarDecl *B);
  bool record(const clang::CXXRecordDecl *A, const clang::CXXRecordDecl *B);
  bool fields(const clang::CXXRecordDecl *A, const clang::CXXRecordDecl *B, bool &Added);
  bool layout(const clang::CXXRecordDecl *A, const clang::CXXRecordDecl *B);
  bool arguments(llvm::ArrayRef<clang::TemplateArgument> A, llvm::ArrayRef<clang::TemplateArgument> B);
  bool value(const clang::APValue &A, const clang::APValue &B);

  // CompareEdits.cpp
  /// Whether an allowed difference begins here, and if so, whether it is what it must be.
  std::optional<bool> edited(const clang::Expr *A, const clang::Expr *B);
  std::optional<bool> builtin(const clang::Expr *A, const clang::Expr *B);
  std::optional<bool> barrier(const clang::CallExpr *A, const clang::Expr *B);
  std::optional<bool> editedStatement(const clang::Stmt *A, const clang::Stmt *B);
  std::optional<bool> dynamicShared(const clang::VarDecl *A, const clang::VarDecl *B);
  bool assembly(const clang::GCCAsmStmt *A, const clang::Stmt *B);
  std::optional<bool> unrolledLoop(const clang::ForStmt *A, const clang::ForStmt *B);
  bool addedParameters(const clang::FunctionDecl *B, unsigned Added);
  std::vector<std::pair<const clang::ParmVarDecl *, Builtin>> addedIndices(const clang::FunctionDecl *A,
                                                                           const clang::FunctionDecl *B) const;
  std::optional<bool> callWithIndices(const clang::CallExpr *A, const clang::CallExpr *B);
  bool isDynamicOffset(const clang::Expr *B) const;
  bool isOfPartition(const clang::Decl *B, llvm::StringRef Member) const;
  /// The call of that member, where it is nothing else.
  const clang::CallExpr *partitionCall(const clang::Stmt *B, llvm::StringRef Member) const;
  bool isOfOutput(const clang::Decl *B) const { return namespaceAround(B) == Played.Output; }
  std::optional<Builtin> builtinOf(const clang::Expr *B) const;
  bool mayReadBlock(Builtin Variable) const;

  // CompareLinked.cpp
  bool link(const clang::VarDecl *A, const clang::VarDecl *B);
  bool isLinked(const clang::Expr *A) const;
  bool isOfElement(const clang::Expr *A) const;
  /// Was it written into the constituent's namespace by the composition?
  bool isComposed(const clang::Decl *B) const { return Played.Part && B && namespaceAround(B) == Played.Around; }
  bool isObject(clang::QualType B) const;
  bool index(const clang::Expr *A, const clang::Expr *B);
  bool linkedPointer(const clang::Expr *A, const clang::Expr *B);
  bool handedOn(const clang::Expr *A, const clang::Expr *B);
  std::optional<bool> linked(const clang::Expr *A, const clang::Expr *B);
  std::optional<bool> askedTurn(const clang::Expr *A, const clang::Expr *B);
  std::optional<bool> rowLoop(const clang::ForStmt *A, const clang::ForStmt *B);
  std::optional<Builtin> composedBuiltin(const clang::FunctionDecl *B) const;
  bool returns(const clang::FunctionDecl *B, std::array<unsigned, 3> Values) const;

  /// Says the first difference, with the places of the statements that are being compared.
  bool differ(std::string What);
  bool differ(const std::string &What, const std::string &A, const std::string &B);
  /// `What` of a declaration, by its number.
  bool sameNumber(const char *What, const clang::Decl *Of, long long A, long long B);
  /// As many in both, and the same in order; `Otherwise` says that they are not as many.
  template <typename List, typename Two>
  bool each(const List &A, const List &B, const std::string &Otherwise, Two Same) {
    if (A.size() != B.size())
      return differ(Otherwise);
    return llvm::all_of(llvm::zip_equal(A, B), [&](const auto &Both) { return std::apply(Same, Both); });
  }
  std::string nameOf(const clang::Decl *D) const;

  const ParsedUnit &In, &Out;
  clang::ASTContext &ContextA, &ContextB;
  const clang::FunctionDecl *Kernel;
  const ControlStatements Controls; ///< Of its body.
  const PlayedKernel &Played;

  llvm::DenseMap<const clang::Decl *, const clang::Decl *> Forward, Back;
  std::vector<std::pair<const clang::Decl *, const clang::Decl *>> Work;
  llvm::DenseSet<std::pair<const void *, const void *>> SameTypes;
  llvm::DenseMap<const clang::ParmVarDecl *, Builtin> AddedBuiltins; ///< Parameters of the body that stand for them.
  llvm::DenseSet<const clang::VarDecl *> Added;                      ///< Variables of ours that lambdas may capture.
  const clang::ParmVarDecl *AddedOffset = nullptr;
  llvm::DenseMap<const clang::VarDecl *, const clang::VarDecl *> Linked; ///< Pointers for which an object stands.
  const clang::ParmVarDecl *Turn = nullptr, *Row = nullptr;              ///< Parameters that a composition adds.
  llvm::DenseMap<const clang::VarDecl *, const clang::Expr *> Ahead;     ///< Values of loads that go ahead, by array.
  llvm::DenseSet<const clang::VarDecl *> Counters; ///< Of the output, for the one variable of an unrolled loop.
  const clang::VarDecl *Counted = nullptr;
  const clang::FunctionDecl *FunctionA = nullptr, *FunctionB = nullptr; ///< Whose bodies are compared.
  clang::SourceLocation WhereA, WhereB;
  bool System = false; ///< The function compared is a library's.
  std::vector<Blocker> Found;
};

} // namespace cufuse
