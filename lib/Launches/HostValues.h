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
/// What a function says whose body does no more than to return it; null for others.
const clang::Expr *returnedBy(const clang::FunctionDecl &Function);
/// Of `&x`, x.
const clang::Expr *addressed(const clang::Expr *E);

/// How a function uses its variables. What is only loaded, and assigned by name, changes where it is assigned; of all
/// else, something may know the place.
class Uses {
public:
  Uses(const clang::Stmt &Body, const ParsedUnit &Unit);
  std::set<const clang::VarDecl *> Assigned;
  bool isPlain(const clang::VarDecl &V) const;

private:
  void assignTo(const clang::VarDecl *V);
  llvm::DenseMap<const clang::VarDecl *, unsigned> Mentions, Known;
};

/// The values of variables, of the functions that are walked through at a time.
class HostValues {
protected:
  explicit HostValues(const ParsedUnit &Unit) : Unit(Unit) {}

  struct Frame {
    const Uses *Used;
    std::map<const clang::VarDecl *, std::optional<Value>> Given; ///< What calls and assignments give variables.
    unsigned Number = 0;                                          ///< Each call has variables of its own.
    const clang::DeclContext *Of = nullptr;                       ///< The function.
  };

  static bool isReference(const clang::MemberExpr &Member);
  /// What a call hands over, by default, too.
  static const clang::Expr *passed(const clang::Expr *E);
  /// The same before it becomes the parameter's type, for those who know that type.
  static const clang::Expr *beforeCast(const clang::Expr *E);
  /// Constants that are equal have nothing in common.
  std::optional<Value> handed(const clang::Expr &E);
  /// As much as is said of it; a variable is one value.
  std::optional<Value> grid(const clang::Expr &Said);

  /// `in = out;`
  void assign(const clang::VarDecl &V, const clang::Stmt &By);
  void set(const clang::VarDecl &V, std::optional<Value> To);
  /// Where it is made of what others have, of which no value is known: their memory may be its own. What calls and
  /// constructors give is other memory.
  void view(const clang::ValueDecl &V, const clang::Expr &Made);
  /// What is assigned there is as it was before, or it is not: of a loop's variables, another value in each turn, and
  /// of all others one that may be in any object.
  void forget(const clang::VarDecl *V, bool OfLoop);
  void forget(const clang::Stmt &Of, bool OfLoop);

  const ParsedUnit &Unit;
  std::vector<Frame> Frames;
  unsigned Time = 0;                                ///< How often memory may have changed.
  std::map<const clang::VarDecl *, unsigned> Times; ///< How often they were assigned.
  std::set<const clang::ValueDecl *> Views;         ///< Variables and members that may lead to memory of others.

private:
  std::optional<Value> value(const clang::Expr *E);
  std::optional<Value> ofAddress(const clang::Expr &Place, clang::QualType Type);
  std::optional<Value> of(const clang::Expr *Base, const clang::ValueDecl *What, clang::QualType Type);
  std::optional<Value> placeOf(const clang::Expr *Object, clang::QualType Type);
  std::optional<Value> said(const clang::CXXMemberCallExpr &Call);
  std::optional<Value> ofCast(const clang::CastExpr &Cast);
  std::optional<Value> ofVariable(const clang::VarDecl &V);
};

} // namespace cufuse
