// Which elements of its arguments a kernel loads and stores: index polynomials and the conditions they stand under.
// Plain data: no Clang.
#pragma once

#include "cufuse/Kernel/KernelFacts.h"
#include "cufuse/Kernel/Polynomial.h"
#include "cufuse/Support/BlockShape.h"

#include <llvm/ADT/ArrayRef.h>

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace cufuse {

/// `Left < Right` holds.
struct Less {
  Polynomial Left, Right;
  bool operator==(const Less &) const = default;
};

/// What a site stands under, from the outside in.
struct PathStep {
  enum class Kind {
    Loop,    ///< `Id` indexes KernelAccesses::Loops.
    Branch,  ///< One side of a condition; `Id` tells conditions apart.
    Unknown, ///< A construct that may run it any number of times.
  };
  Kind What = Kind::Unknown;
  unsigned Id = 0;
  bool Taken = true;       ///< Branch: where the condition holds.
  std::vector<Less> Holds; ///< Known to hold here.
  bool Exact = false;      ///< Branch: taken if and only if all of `Holds` do.
  std::string Text;        ///< The condition, as written.
  SourcePlace Where;
  std::optional<unsigned> Statement = {}; ///< Number of the `if`, `for` or `while` whose condition it is.
};

/// `for (v = Start; …; v += Step)` whose variable changes nowhere else.
struct LoopAccess {
  std::string Atom; ///< The variable in polynomials.
  Polynomial Start, Step;
  unsigned Bits = 32;           ///< Of the variable.
  bool LeftEarly = false;       ///< By break, return or goto.
  std::vector<Finding> Carried; ///< Variables of the code around it that the body changes.
  std::vector<Finding> Bound;   ///< It begins at the thread's number: why its turns can be no other thread's.
  SourcePlace Where;
  std::optional<unsigned> Statement = {}; ///< Its number in the kernel's body (ControlStatements.h).
};

/// One of the elements that an access may be to, by `?:`, `max` or where two ways meet.
struct ChosenIndex {
  Polynomial Index; ///< In elements.
  std::vector<Less> Holds;
};

/// Where minus infinity is stored, whatever is loaded: where all of `Holds` do, or else where any of them does not.
struct Mask {
  std::vector<Less> Holds;
  bool Where = true;
};

/// One access to memory through a pointer parameter.
struct AccessSite {
  enum class Kind {
    Load,
    Store, ///< Of an element, or of a part of it, which is not `Whole`.
    Atomic,
    Escape, ///< Another use of the pointer, which may access anything.
  };
  Kind What = Kind::Load;
  std::string Parameter;
  /// An object in the parameter's place could follow: `p[…]`, `*(p + …)`, `reinterpret_cast<float4 *>(p)[…]`, also
  /// through pointer variables that keep what they are declared with.
  bool Direct = true;
  bool Compound = false;           ///< A load and a store in one: `p[i] += x`.
  bool Whole = true;               ///< Not a member or component of what is accessed.
  bool Deduced = false;            ///< A load whose type matters: `auto v = p[i]`, or a conversion that a class has.
  bool ReadOnlyCache = false;      ///< A load by a cache that does not see what the same launch has stored.
  bool Once = false;               ///< A load that says that nobody loads it soon again: `ld.global.cs`, `__ldcs`.
  std::optional<Polynomial> Index; ///< In elements; nothing where it is not known.
  std::vector<ChosenIndex> Chosen; ///< Where `Index` is not known: it is one of these; nothing if that is not known.
  /// Where neither is known: the index with values that are loaded (`KernelAccesses::Loaded`) as atoms. These are no
  /// arguments: they may differ between blocks, and proofs do not know them.
  std::optional<Polynomial> ByData;
  unsigned Width = 1;           ///< Consecutive elements, from `Index` on, in one access.
  std::vector<Mask> Masks = {}; ///< Of a store: any of them.
  std::string Text;             ///< As written.
  std::vector<PathStep> Path;
  SourcePlace Where;

  /// All that is known to hold there.
  std::vector<Less> conditions() const;
  /// Itself; where one of several indices is meant, it with each of them, where that is meant. None if nothing is
  /// known.
  std::vector<AccessSite> choices() const;
  /// `file:line:column`, with the text: how messages name an access.
  std::string str() const;
};

/// Does one of them happen, whatever the way taken below the first `Depth` conditions, which they have in common?
bool isCertain(llvm::ArrayRef<const AccessSite *> Sites, size_t Depth);

/// A quantity that depends on the thread and is used for something else than an index or a condition.
struct ThreadUse {
  Polynomial Value;
  std::string Text;
  SourcePlace Where;
};

/// A quotient is an atom of its own, by its text.
struct Quotient {
  Polynomial Dividend, Divisor;
  /// Of a number of 32 bits that goes on in 64: how often 2^32, the divisor, is to be taken from the dividend, so that
  /// what is left is in the range of the number's type.
  enum class Wraps { Never, Unsigned, Signed } Wrap = Wraps::Never;
  /// What is divided, or by what, has 32 bits and may have lost others, with a sign or without: unless it is shown to
  /// fit, the quotient is only known by itself. With a sign, what is divided may be negative, and so may what remains.
  Wraps Narrow = Wraps::Never;

  /// `(i / 4)`, `(i * k % 2^32 / 4)` or, with a sign, `(i * k %% 2^32 / 4)` if it is narrow
  std::string atom() const;
  /// ` % 2^32` of that
  const char *lost() const;
};

/// A parameter of the kernel, by position.
struct ParameterAccess {
  std::string Name;         ///< As in KernelFacts.
  std::string Type;         ///< Canonical, without qualifiers of its own.
  std::string Element;      ///< Of a pointer: what it points to, without qualifiers. Empty for other types.
  unsigned Bytes = 0;       ///< Of what indices count: an element, or one of its `Parts`; 0 where it has no size.
  unsigned Parts = 1;       ///< In how many an element is taken, since another kernel has these for elements.
  bool BuiltinType = false; ///< A type of the language, or a pointer to one.
  bool Kept = true;         ///< Of a pointer: variables of the element's type can stand for elements.
  bool Constructed = false; ///< Of a pointer: such a variable is given a value, which one in shared memory cannot be.
  bool Restrict = false, ReadOnly = false, Volatile = false;
  bool Integer = false;       ///< Of 32 bits or more.
  bool Unsigned = false;      ///< An integer without sign.
  bool IsInt = false;         ///< An integer that `int` holds, whatever its value.
  unsigned Bits = 32;         ///< Of an integer.
  bool HidesPointers = false; ///< No pointer itself, but may hold one; or a pointer of a pack.
  /// Uses of a pointer in the text that no object follows, or that no code is known of.
  std::vector<Finding> Otherwise = {};
  /// Its mentions, where the text may load what nothing asks the value of, so that no code is known of it.
  std::vector<Finding> Idle = {};
};

/// A value that is loaded from an array of integers.
struct LoadedValue {
  std::string Parameter;
  Polynomial Index; ///< In elements.
};

struct KernelAccesses {
  std::vector<ParameterAccess> Parameters;
  std::vector<AccessSite> Sites; ///< In the order of the code.
  std::vector<LoopAccess> Loops;
  std::vector<ThreadUse> Uses;
  std::map<std::string, Quotient> Quotients;
  std::map<std::string, LoadedValue> Loaded; ///< By atom, in `AccessSite::ByData` alone.
  std::set<std::string> Converted;           ///< Parameters in values that no conversion changes if they are in range.
  std::vector<Polynomial> NotNegative;       ///< Of parameters, taken to be so, as they are compared without a sign.
  std::vector<std::string> PointerVariables; ///< Variables at file scope that may hold pointers.
  std::vector<Finding> OtherMemory; ///< Accesses that no pointer parameter leads to, by the kernel's device IR.
  std::vector<Finding> Reports;     ///< Calls that print, or end the grid, by the same.
  std::vector<Finding> Together;    ///< What reads the thread's place, or works with other threads, by the same.
  std::vector<Finding> Unfollowed;  ///< Set if nothing is known.
  /// Why it matters, in a block of this shape, which threads have which turns of these loops that are not `Bound`, by
  /// their numbers; nothing if it does not. It is found by running the block (DividedRows.h).
  std::function<std::optional<Finding>(BlockShape, llvm::ArrayRef<unsigned>)> NeedsThreads;

  const ParameterAccess *parameter(llvm::StringRef Name) const; ///< Null where there is none.
};

/// CUDA's loads and stores with cache hints.
constexpr std::array<const char *, 6> CachedLoads = {"__ldg", "__ldca", "__ldcg", "__ldcs", "__ldcv", "__ldlu"};
constexpr std::array<const char *, 4> CachedStores = {"__stwb", "__stcg", "__stcs", "__stwt"};

/// Is it such a number of multiples of 2^32?
bool isWrap(llvm::StringRef Atom);
/// The quotient: exact where each term of the dividend can be divided and nothing is lost, else an atom, which is added
/// to `Known`. Nothing where the atom's text, which holds those of the atoms in it, is longer than what anybody writes.
std::optional<Polynomial> quotient(const Polynomial &Dividend, const Polynomial &Divisor,
                                   std::map<std::string, Quotient> &Known,
                                   Quotient::Wraps Narrow = Quotient::Wraps::Never);

/// The polynomial where blocks have one dimension and so many threads, as far as quotients go: the warp's number is 0
/// in a block of 32.
Polynomial inBlock(const Polynomial &P, const std::map<std::string, Quotient> &Quotients, unsigned Threads);

/// `threadIdx.x`
std::string builtinAtom(Builtin B, int Dimension);
/// Is it one of these?
bool isBuiltin(llvm::StringRef Atom);

} // namespace cufuse
