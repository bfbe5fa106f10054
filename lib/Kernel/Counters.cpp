#include "cufuse/Kernel/Counters.h"

#include "cufuse/Kernel/Wrapping.h"

#include <llvm/ADT/STLExtras.h>

namespace cufuse {

/// What all threads of a block add to their own numbers to begin the loop; 0 where it is not known to be no more.
static Polynomial beginOfBlock(const LoopAccess &Loop, const KernelAccesses &In) {
  auto IsOf = [](Builtin B, llvm::StringRef Atom) {
    return llvm::any_of(llvm::ArrayRef{0, 1, 2}, [&](int D) { return Atom == builtinAtom(B, D); });
  };
  Polynomial Begin;
  for (const auto &[Atoms, Factor] : Loop.Start.terms())
    if (llvm::none_of(Atoms, [&](auto &Atom) { return IsOf(Builtin::ThreadIdx, Atom); }))
      Begin = Begin + Polynomial::term(Atoms, Factor);
  const std::set<std::string> Atoms = Begin.atoms();
  const bool IsOfBlock = !(Begin == Loop.Start) &&
                         llvm::any_of(Atoms, [&](auto &Atom) { return IsOf(Builtin::BlockIdx, Atom); }) &&
                         llvm::all_of(Atoms, [&](auto &Atom) {
                           return IsOf(Builtin::BlockIdx, Atom) || IsOf(Builtin::GridDim, Atom) || In.parameter(Atom);
                         });
  return IsOfBlock ? Begin : Polynomial();
}

/// Calls it for all that is said of accesses, but for quotients, which are atoms there.
static void forEachOf(KernelAccesses &Of, llvm::function_ref<void(Polynomial &)> Each) {
  for (AccessSite &Site : Of.Sites) {
    forEachPolynomial(Site, Each);
    if (Site.ByData)
      Each(*Site.ByData);
  }
  for (LoopAccess &Loop : Of.Loops)
    Each(Loop.Start), Each(Loop.Step);
  for (ThreadUse &Use : Of.Uses)
    Each(Use.Value);
}

/// With another value of the counter, also in quotients, which are known by new names then.
static Polynomial moved(const Polynomial &P, const std::string &Counter, const Polynomial &Value,
                        std::map<std::string, Quotient> &Quotients) {
  Polynomial Result = P.substitute(Counter, Value);
  for (const std::string &Atom : P.atoms())
    if (const auto Found = Quotients.find(Atom); Found != Quotients.end()) {
      Quotient Own = Found->second;
      Own.Dividend = moved(Own.Dividend, Counter, Value, Quotients);
      Own.Divisor = moved(Own.Divisor, Counter, Value, Quotients);
      Quotients.insert({Own.atom(), Own});
      Result = Result.substitute(Atom, Polynomial::atom(Own.atom()));
    }
  return Result;
}

KernelAccesses countedFromThreads(KernelAccesses Accesses) {
  for (LoopAccess &Loop : Accesses.Loops) {
    const Polynomial Begin = beginOfBlock(Loop, Accesses);
    if (Begin.isZero() || llvm::any_of(Accesses.Loaded, [&](const auto &Each) {
          return Each.second.Index.contains(Loop.Atom); // by its name
        }))
      continue;
    const Polynomial Own = Polynomial::atom(Loop.Atom), Start = Loop.Start;
    forEachOf(Accesses, [&](Polynomial &P) { P = moved(P, Loop.Atom, Begin + Own, Accesses.Quotients); });
    for (AccessSite &Site : Accesses.Sites)
      for (PathStep &Step : Site.Path)
        for (Less &L : Step.Holds) // `row * n + i < row * n + n`
          if (const Polynomial End = L.Right - Begin; L.Left == Begin + Own && llvm::none_of(End.atoms(), isBuiltin))
            L = {Own, End};
    Loop.Start = Start - Begin;
    Loop.Statement.reset();
  }
  return Accesses;
}

/// `row < rows`, of an element's row `i / columns`, ends the elements; its column is below `columns` wherever the row
/// is.
static void endByRows(AccessSite &Site, const KernelAccesses &In) {
  auto IsGiven = [&](const Polynomial &P) {
    return isMadeOf(P, In.Quotients, [&](auto &Atom) { return In.parameter(Atom) != nullptr; });
  };
  auto Conditions = [&](auto Do) {
    for (PathStep &Step : Site.Path)
      if (Step.What == PathStep::Kind::Branch)
        llvm::for_each(Step.Holds, Do);
  };
  for (const auto &[Atom, Q] : In.Quotients) {
    const Polynomial Row = Polynomial::atom(Atom), Column = Q.Dividend - Q.Divisor * Row;
    if (Q.Wrap != Quotient::Wraps::Never || Q.Narrow != Quotient::Wraps::Never ||
        mayBeNegative(Q.Dividend, In.Quotients) || !IsGiven(Q.Divisor))
      continue;
    std::optional<Less> End;
    Conditions([&](Less &L) {
      if (L.Left == Row && IsGiven(L.Right))
        L = *(End = Less{Q.Dividend, Q.Divisor * L.Right});
    });
    Conditions([&](Less &L) {
      if (End && L.Left == Column && L.Right == Q.Divisor)
        L = *End;
    });
  }
}

KernelAccesses endedByElements(KernelAccesses Accesses) {
  for (AccessSite &Site : Accesses.Sites)
    endByRows(Site, Accesses);
  return Accesses;
}

} // namespace cufuse
