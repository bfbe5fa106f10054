// What a kernel's text does with its pointer parameters, and what stands at a place of its code.
#pragma once

#include "cufuse/Kernel/Accesses.h"
#include "cufuse/Reach/ControlStatements.h"
#include "cufuse/Reach/DeviceIr.h"

#include <clang/AST/Expr.h>

#include <map>

namespace cufuse {

using LineAndColumn = std::pair<unsigned, unsigned>;

/// One mention of a parameter, or of a variable that keeps a pointer derived from it, up to the access that it is for.
struct TextUse {
  unsigned Parameter = 0; ///< By position.
  bool Loads = false, Stores = false;
  bool ByReference = false; ///< The access stands in what is called there, or at another name of the element.
  /// As in AccessSite.
  bool Direct = false, Compound = false, Whole = true, Deduced = false;
  unsigned Width = 1;
  unsigned Calls = 0;                ///< In which it stands, from the kernel on, where the code is looked at.
  const clang::Expr *At = nullptr;   ///< What is accessed, or the mention.
  std::vector<LineAndColumn> Places; ///< Of the code that does it, the likeliest first.

  /// An object in the parameter's place goes well with it.
  bool isFollowed() const { return Direct && (Loads || Stores); }
};

std::vector<TextUse> textUsesOf(const DeviceIr &Ir, const clang::FunctionDecl &Kernel);

/// As the code has it.
LineAndColumn placeOf(clang::SourceLocation Where, const clang::ASTContext &Context);

/// On one line.
std::string textOf(const clang::Stmt &S, const clang::ASTContext &Context);

/// The text of the functions that a kernel reaches, by the places that its code has.
class TextPlaces {
public:
  TextPlaces(const DeviceIr &Ir, const clang::FunctionDecl &Kernel);

  /// What has the condition that a branch there asks: an `if`, a loop or `?:`. Null where that is not clear.
  const clang::Stmt *ownerAt(const llvm::DILocation *At) const;
  /// Is that where it begins?
  bool isBegin(const clang::Stmt &Owner, const llvm::DILocation &At) const;
  /// The number of the statement, if it is one of the kernel's body.
  std::optional<unsigned> numberOf(const clang::Stmt *Owner) const;
  /// What is computed there: an expression or, for a switch, the statement. Null where that is not known.
  const clang::Stmt *at(const llvm::DILocation *At) const;

private:
  struct Known {
    std::map<LineAndColumn, const clang::Stmt *> Owners, Computed;
  };
  const Known *in(const llvm::DILocation *At) const;

  const DeviceIr &Ir;
  const ControlStatements Controls;
  mutable std::map<const clang::FunctionDecl *, Known> Functions;
};

/// Is what it declares the only variable of its condition that changes in it? Else it may count something else than the
/// condition asks.
bool asksItsOwnVariable(const clang::ForStmt &Loop);
/// The condition of a statement or expression that has one.
const clang::Expr *conditionIn(const clang::Stmt &Owner);
/// Operators `&&` and `||` in a condition that branch by themselves.
unsigned logicalOperators(const clang::Expr *Condition);

} // namespace cufuse
