// What a statement or a declaration is made of, by type.
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <llvm/ADT/STLFunctionalExtras.h>

#include <set>
#include <vector>

namespace cufuse {

template <typename Node> struct FindAll : clang::ConstDynamicRecursiveASTVisitor {
  bool TraverseDecl(const clang::Decl *D) override {
    return (Skips && D && !llvm::isa<clang::TranslationUnitDecl>(D) && Skips(D->getLocation())) ||
           clang::ConstDynamicRecursiveASTVisitor::TraverseDecl(D);
  }
  bool VisitStmt(const clang::Stmt *Each) override {
    if constexpr (std::is_base_of_v<clang::Stmt, Node>)
      add(llvm::dyn_cast<Node>(Each));
    return true;
  }
  bool VisitDecl(const clang::Decl *Each) override {
    if constexpr (std::is_base_of_v<clang::Decl, Node>)
      add(llvm::dyn_cast<Node>(Each));
    return true;
  }
  void add(const Node *One) {
    if (One)
      Found.push_back(One);
  }
  std::vector<const Node *> Found;
  llvm::function_ref<bool(clang::SourceLocation)> Skips = nullptr;
};

/// Every statement or declaration of a type in `S`, in the order of a walk through it.
template <typename Node> std::vector<const Node *> allIn(const clang::Stmt &S) {
  FindAll<Node> All;
  All.TraverseStmt(&S);
  return std::move(All.Found);
}
/// In a declaration, which may be one itself.
template <typename Node> std::vector<const Node *> allIn(const clang::Decl &D) {
  FindAll<Node> All;
  All.TraverseDecl(&D);
  return std::move(All.Found);
}

/// In all declarations but those that are at a place that is skipped. `Instances`: those of templates, too.
template <typename Node>
std::vector<const Node *> allIn(clang::ASTContext &Ast, llvm::function_ref<bool(clang::SourceLocation)> Skips,
                                bool Instances = false) {
  FindAll<Node> All;
  All.Skips = Skips;
  All.ShouldVisitTemplateInstantiations = All.ShouldVisitImplicitCode = Instances;
  All.TraverseAST(Ast);
  return std::move(All.Found);
}

/// Variables with which the code does something else than to load them, or a member: what is not known to be a load may
/// change them. `ByConst`: also a constant reference, by which only a cast does.
std::set<const clang::ValueDecl *> changedIn(const clang::Stmt &Code, bool ByConst = true);
std::set<const clang::ValueDecl *> changedIn(const clang::Decl &Code, bool ByConst = true);

} // namespace cufuse
