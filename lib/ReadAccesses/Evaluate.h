// What the expressions of a kernel's body are worth, in polynomials, and which elements they access.
#pragma once

#include "cufuse/Analysis/ControlStatements.h"
#include "cufuse/Analysis/Reach.h"
#include "cufuse/Kernel/Accesses.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace cufuse {

/// May a value of this type hold a pointer?
bool leadsToPointer(clang::QualType T, unsigned Depth = 0);

/// Does the function read the value of an argument, and refer to it no longer when it has ended?
bool onlyReads(const clang::FunctionDecl &Function, unsigned Argument, unsigned Depth = 0);

/// Can a variable of the type be made without a value, and does copying it mean no more than copying its bytes? Types
/// of libraries are what they look like.
bool keepsInVariable(clang::QualType T, const clang::SourceManager &Sources);

/// What an expression is known to be.
struct Value {
  enum class Kind {
    Unknown,
    Integer,
    Pointer, ///< Into an array that a parameter leads to.
    Local,   ///< A pointer to a variable of the kernel.
  };
  Kind What = Kind::Unknown;
  Polynomial P;                             ///< The integer, or the pointer's distance from the parameter, in elements.
  const clang::ParmVarDecl *Base = nullptr; ///< Of a pointer.
  bool Direct = false;                      ///< See AccessSite.
  unsigned Width = 1;                       ///< Elements in what it points to.
  unsigned Bits = 64;                       ///< The fewest in which a part of an integer was computed.
  bool operator==(const Value &) const = default;
};

/// A condition, evaluated once: what is known where it does not hold, and where it does.
struct Condition {
  struct Side {
    std::vector<Less> Holds;
    bool Exact = false; ///< That is the whole of it.
  };
  std::array<Side, 2> Sides; ///< By truth.
};

/// Evaluates expressions in the order in which the program does. Variables that are not in `Variables` are not known.
class Evaluator {
public:
  Evaluator(const ParsedUnit &Unit, const Reached &Reach);

  Value eval(const clang::Expr *E);
  Condition condition(const clang::Expr *E);
  /// The initialisation of a local variable.
  /// `Alone`: no other variable is declared with it.
  void declare(const clang::VarDecl &Variable, bool Alone);
  /// The value goes where it is no longer followed.
  void use(const Value &V, const clang::Expr *E);
  /// Variables that have other values there, or none, are not known.
  void forgetUnless(const std::map<const clang::VarDecl *, Value> &Same);
  void unfollowed(const std::string &What, clang::SourceLocation Where);
  /// `Of`: the `if` or loop whose condition is written there, if it is one's.
  PathStep branch(const Condition &C, unsigned Id, bool Taken, const clang::Expr *Written,
                  const clang::Stmt *Of = nullptr) const;
  std::string text(const clang::Stmt *S) const;
  /// Names of pointers and of thread indices in the kernel's body that no evaluation has met count as uses of any kind.
  void addUnmet();
  bool isName(const std::string &Atom) const; ///< Of a parameter.

  std::map<const clang::VarDecl *, Value> Variables;
  std::vector<PathStep> Path; ///< What the current place stands under.
  unsigned NextBranch = 0;
  KernelAccesses Result;

protected:
  const ParsedUnit &Unit;
  const clang::ASTContext &Context;
  const clang::FunctionDecl &Kernel;
  const ControlStatements Controls;

  std::set<const clang::VarDecl *> Aliased;         ///< Variables that may change by another name.
  std::map<const clang::CallExpr *, bool> Followed; ///< Calls that were met: whether the callee was always entered.
  std::set<const clang::FunctionDecl *> Entered;

private:
  /// An element that an lvalue lies in.
  struct Place {
    const clang::ParmVarDecl *Base = nullptr; ///< Null: memory that is none of the parameters'.
    std::optional<Polynomial> Index;
    bool Direct = false;
    bool Whole = true; ///< Not a member or component of it.
    const clang::Expr *At = nullptr;
    unsigned Width = 1;
  };

  void parameters();
  void findReferred();
  void parts(const clang::Expr *E);
  void site(AccessSite::Kind What, const Place &P, bool Compound = false);
  std::optional<Place> place(const clang::Expr *E);
  Place elementOf(const clang::Expr *Pointer, const clang::Expr *Index, const clang::Expr *At);
  Value load(const clang::Expr *E);
  void argument(const clang::Expr *E, bool Changes);
  void keepNone(size_t Before);
  void passed(const clang::Expr *E, clang::QualType To, bool Kept);
  void object(const clang::Expr *E, const clang::CXXMethodDecl *Method);
  /// May something refer to the argument when the call has ended: its result, its object, or what others lead to?
  bool keeps(const clang::FunctionDecl *Callee, unsigned Argument) const;
  Value cast(const clang::CastExpr *Cast);
  /// An integer as one of another type.
  Polynomial converted(const Polynomial &P, clang::QualType From, clang::QualType To);
  Value unary(const clang::UnaryOperator *E);
  Value binary(const clang::BinaryOperator *E);
  Value assign(const clang::Expr *To, const clang::Expr *From, bool Compound);
  Value arithmetic(clang::BinaryOperatorKind Kind, const Value &L, const Value &R, const clang::BinaryOperator *E);
  Value call(const clang::CallExpr *E);
  std::optional<Value> returned(const clang::CallExpr *E, const clang::FunctionDecl *Callee);
  bool assignsWhole(const clang::FunctionDecl *Callee) const;
  void lambda(const clang::LambdaExpr *E);
  Value conditional(const clang::ConditionalOperator *E);
  bool holdsIndex(clang::QualType T) const;
  unsigned bits(const Value &Of, const clang::Expr *In) const; ///< The fewest of the two.
  Value reinterpreted(const Value &V, const clang::CastExpr *Cast);
  Value used(std::initializer_list<std::pair<const Value *, const clang::Expr *>> Parts);

  std::map<const clang::ParmVarDecl *, std::string> Names;
  std::set<const clang::VarDecl *> Bound;    ///< Named otherwise than for their value, or to change it: not followed.
  std::set<const clang::VarDecl *> Referred; ///< By a pointer or a reference: they may change anywhere.
  std::map<const clang::VarDecl *, unsigned> Changed; ///< Behind their declaration.
  unsigned Callers = 0;                               ///< Of what is evaluated, inside the kernel.
  bool Keeps = false;   ///< What is evaluated may refer to arguments of its calls behind the statement, too.
  bool Deduces = false; ///< What is evaluated determines a type: AccessSite::Deduced.
  std::set<const clang::Expr *> Met; ///< Names of parameters and of built-ins.
};

} // namespace cufuse
