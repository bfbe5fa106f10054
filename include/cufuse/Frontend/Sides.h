// Which side a function is for.
#pragma once

#include <clang/AST/Attr.h>
#include <clang/AST/Decl.h>
#include <llvm/ADT/STLExtras.h>

namespace cufuse {

/// Is the attribute written at any declaration of the function or of its template?
template <typename Attribute> bool isWritten(const clang::FunctionDecl &F) {
  const clang::FunctionDecl *Pattern = F.getTemplateInstantiationPattern();
  return llvm::any_of((Pattern ? Pattern : &F)->redecls(), [](const clang::FunctionDecl *Each) {
    return llvm::any_of(Each->specific_attrs<Attribute>(), [](const auto *A) { return !A->isImplicit(); });
  });
}

} // namespace cufuse
