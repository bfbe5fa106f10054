// What expressions of host code say, in the order in which it runs.
#pragma once

#include "cufuse/Launches/HostLaunches.h"

#include <llvm/ADT/DenseMap.h>

#include <map>
#include <set>

namespace clang {
class CastExpr;
class CXXMemberCallExpr;
class DeclContext;
class FunctionDecl;
class MemberExpr;
class ValueDecl;
class VarDecl;
} // namespace clang

namespace cufuse {

const clang::VarDecl *variableIn(const clang::Expr *E);
/// What an expression assigns to, null where it assigns nothing.
const clang::Expr *assignedBy(const clang::Stmt *S);
/// Is it a call of `std::swap`, whose arguments have each other's values?
bool isSwap(const clang::CallExpr &Call);
/// What a function says whose body does no more than to return it; null for others.
const clang::Expr *returnedBy(const clang::FunctionDecl &Function);
/// Is it a function that makes a number of numbers, by nothing that it changes: `blocksFor(n, 256)`, CUDA's `min`?
bool computesNumber(const clang::CallExpr &Call, const ParsedUnit &Unit);
/// Of `&x`, x.
const clang::Expr *addressed(const clang::Expr *E);

/// How a function uses its variables. What is only loaded, and assigned by name, changes where it is assigned; of all
/// else, something may know the place.
class Uses {
public:
  Uses(const clang::FunctionDecl &Function, const ParsedUnit &Unit);
  const clang::DeclContext *const Of; ///< The function.
  std::set<const clang::VarDecl *> Assigned;
  /// One of its own.
  bool isPlain(const clang::VarDecl &V) const;

private:
  llvm::DenseMap<const clang::VarDecl *, unsigned> Mentions, Known;
  std::set<const clang::VarDecl *> Captured; ///< By lambdas, by reference.
};

/// The values of variables, of the functions that are walked through at a time.
class HostValues {
protected:
  explicit HostValues(const ParsedUnit &Unit) : Unit(Unit) {}

  struct Frame {
    const Uses *Used;
    std::map<const clang::VarDecl *, std::optional<Value>> Given; ///< What calls and assignments give variables.
    std::optional<Value> This = std::nullopt;
    unsigned Number = 0; ///< Each call has variables of its own.
  };

  static bool isReference(const clang::MemberExpr &Member);
  /// What a call hands over, by default, too.
  static const clang::Expr *passed(const clang::Expr *E);
  /// The same before it becomes the parameter's type, for those who know that type.
  static const clang::Expr *beforeCast(const clang::Expr *E);
  /// Constants that are equal have nothing in common.
  std::optional<Value> handed(const clang::Expr &E);
  /// As much as is said of it; a variable is one value.
  std::optional<Value> sizes(const clang::Expr &Said);
  /// How many blocks there are, of a grid in x alone.
  std::optional<Value> blocks(const clang::Expr &Grid);
  /// `(n + 255) / 256` blocks of 256 threads are for n elements.
  std::optional<Value> elements(const clang::Expr &Grid, const clang::Expr &Block);

  /// The object that a member function is called of; of a lambda, the one that it has captured.
  std::optional<Value> thisOf(const clang::CallExpr &Call);

  /// `std::swap(in, out)`; false where they are not plain.
  bool swap(const clang::CallExpr &Call);
  /// `in = out;`
  void assign(const clang::VarDecl &V, const clang::Stmt &By);
  void set(const clang::VarDecl &V, std::optional<Value> To);
  /// New memory, which nobody else leads to.
  void setFresh(const clang::VarDecl &V) { set(V, std::nullopt), Fresh.insert(&V); }
  /// Where it is made of what others have, of which no value is known: their memory may be its own. What calls and
  /// constructors give is other memory.
  void view(const clang::ValueDecl *V, clang::QualType Type, const clang::Expr &Made);
  /// What is assigned there is as it was before, or it is not: of a loop's variables, another value in each turn, and
  /// of all others one that may be in any object.
  void forget(const clang::VarDecl *V, bool OfLoop);
  void forget(const clang::Stmt &Of, bool OfLoop);

  const ParsedUnit &Unit;
  std::vector<Frame> Frames;
  bool InSizes = false;
  unsigned Time = 0;                                ///< How often memory may have changed.
  std::map<const clang::VarDecl *, unsigned> Times; ///< How often they were assigned.
  /// Variables and members that may lead to memory of others; null: all whose place something knows.
  std::set<const clang::ValueDecl *> Views;
  std::set<const clang::VarDecl *> Fresh;

private:
  /// What a size is made of, also by variables that never change.
  const clang::Expr *written(const clang::Expr *E) const;
  /// The call whose variable it is, or who says `this`; null where that is not known.
  const Frame *frameOf(const clang::DeclContext *Function) const;
  std::optional<Value> value(const clang::Expr *E);
  /// The same of what kernels are not linked by: computed by functions, or by way of `ceil(n / 256.0)`.
  std::optional<Value> ofSize(const clang::Expr &E);
  /// The object that `.` or `->` stand behind.
  std::optional<Value> object(const clang::Expr &E);
  std::optional<Value> ofAddress(const clang::Expr &Place, clang::QualType Type);
  std::optional<Value> of(const std::optional<Value> &Whole, const clang::ValueDecl *What, clang::QualType Type);
  std::optional<Value> placeOf(const clang::Expr *Object, clang::QualType Type);
  std::optional<Value> said(const clang::CXXMemberCallExpr &Call);
  std::optional<Value> ofCast(const clang::CastExpr &Cast);
  std::optional<Value> ofVariable(const clang::VarDecl &V);
};

} // namespace cufuse
