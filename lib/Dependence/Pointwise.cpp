#include "cufuse/Dependence/Pointwise.h"

#include "Indices.h"
#include "Refusals.h"

#include "cufuse/Kernel/Wrapping.h"

#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>

namespace cufuse {

namespace {

const LoopAccess *loopOf(const std::string &Atom, const KernelAccesses &Accesses) {
  for (const LoopAccess &Loop : Accesses.Loops)
    if (Loop.Atom == Atom)
      return &Loop;
  return nullptr;
}

class Recognition {
public:
  Recognition(const KernelFacts &Facts, const KernelAccesses &Given)
      : Facts(Facts), Given(Given), Accesses(withoutWraps(Given)) {}

  ShapeFacts run() {
    findLoop();
    cooperation();
    indices();
    sites();
    if (Shape.Reasons.empty() && !HasStore && NoBound.empty())
      reason("it stores nothing", Facts.Where);
    if (Shape.Reasons.empty()) { // the code's words for it
      for (const Finding &F : Accesses.Together)
        reason(F.What, F.Where);
      for (const Finding &F : Accesses.OtherMemory)
        reason("it accesses memory by other means than its pointers: " + F.What, F.Where);
    }
    Shape.Unbounded = Shape.Reasons.empty() && !NoBound.empty() && !Shape.Strided &&
                      llvm::all_of(Accesses.Sites, [](const AccessSite &Site) {
                        return Site.What != AccessSite::Kind::Store || Site.Path.empty();
                      });
    for (const Finding &F : NoBound)
      reason(F.What, F.Where);
    if (Shape.Reasons.empty())
      Shape.Shape = KernelShape::Pointwise;
    else if (isRowWise())
      Shape.Shape = KernelShape::RowWise;
    return std::move(Shape);
  }

private:
  void reason(std::string What, const SourcePlace &Where) {
    for (const Finding &Known : Shape.Reasons)
      if (Known.What == What && Known.Where.str() == Where.str())
        return;
    Shape.Reasons.push_back({std::move(What), Facts.Name, Where});
  }

  void findLoop() {
    for (unsigned I = 0; I < Accesses.Loops.size(); ++I) {
      const LoopAccess &Loop = Accesses.Loops[I];
      if (!isGridStride(Loop))
        continue;
      if (Shape.Strided)
        return reason("it has several loops over the grid", Loop.Where);
      Shape.Strided = true;
      Shape.Loop = I;
      if (Loop.LeftEarly || !endsAtBound(I))
        reason("its loop over the grid may be left early", Loop.Where);
      for (const Finding &Variable : Loop.Carried)
        reason(Variable.What + " is carried from one element to the next", Variable.Where);
    }
  }

  /// Does the loop go on if and only if the element is below a bound? What else it asks may hold for later elements.
  bool endsAtBound(unsigned Loop) const {
    for (const AccessSite &Site : Accesses.Sites)
      for (const PathStep &Step : Site.Path)
        if (Step.What == PathStep::Kind::Loop && Step.Id == Loop)
          return Step.Exact;
    return true; // it accesses nothing
  }

  /// What threads do together, and what else cannot be followed.
  void cooperation() {
    for (const BarrierFacts &Barrier : Facts.Barriers)
      reason("it synchronises: " + Barrier.Call, Barrier.Where);
    for (const std::string &Barrier : Facts.LibraryBarriers)
      reason("a library synchronises: " + Barrier, Facts.Where);
    for (const Finding &Primitive : Facts.WarpPrimitives)
      reason("threads of a warp work together: " + Primitive.What, Primitive.Where);
    for (const Finding &Atomic : Facts.Atomics)
      reason("it has an atomic: " + Atomic.What, Atomic.Where);
    for (const auto *Shared : {&Facts.StaticShared, &Facts.DynamicShared})
      for (const SharedArray &S : *Shared)
        reason("it has shared memory: " + S.Name, S.Where);
    for (const GlobalFacts &Global : Facts.Globals)
      if (!isTable(Global))
        reason("it uses the variable " + Global.Name, Facts.Where);
    for (size_t B = 0; B < BuiltinNames.size(); ++B)
      if (Facts.ReadByLibrary[B])
        reason(fmt::format("a function that it calls reads {}", BuiltinNames[B]), Facts.Where);
    for (const Finding &F : Accesses.Unfollowed)
      reason(F.What, F.Where);
    for (const std::string &Name : Accesses.PointerVariables)
      reason(Name + " holds pointers", Facts.Where);
    for (const ParameterAccess &P : Accesses.Parameters)
      if (P.Volatile || P.HidesPointers)
        reason(P.Name + (P.Volatile ? " points to volatile memory" : " holds pointers"), Facts.Where);
  }

  std::optional<Polynomial> element(const Polynomial &P) const { return inElement(P, Accesses, Shape); }

  /// `Number`: what is computed; `Plain`: the same, if no part of it loses bits.
  void dependence(const std::string &What, const Polynomial &Number, const Polynomial &Plain,
                  const SourcePlace &Where) {
    if (!element(Plain))
      reason(fmt::format("{} depends on the thread other than by its linear index: {}", What, Plain.str()), Where);
    else if (!inElement(Number, Given, Shape))
      reason(
          fmt::format("{} is {}, but a part of it that depends on the thread otherwise has 32 bits, and may lose some",
                      What, Plain.str()),
          Where);
  }

  void indices() {
    for (const auto &[Use, Plain] : llvm::zip(Given.Uses, Accesses.Uses))
      dependence("'" + Use.Text + "'", Use.Value, Plain.Value, Use.Where);
    for (unsigned I = 0; I < Given.Loops.size(); ++I)
      if (const LoopAccess &Loop = Given.Loops[I], &Plain = Accesses.Loops[I]; !(Shape.Strided && I == Shape.Loop)) {
        dependence("a loop's start", Loop.Start, Plain.Start, Loop.Where);
        dependence("a loop's step", Loop.Step, Plain.Step, Loop.Where);
      }
    for (const auto &[Site, Plain] : llvm::zip(Given.Sites, Accesses.Sites))
      for (const auto &[Step, PlainStep] : llvm::zip(Site.Path, Plain.Path))
        for (const auto &[L, PlainL] : llvm::zip(Step.Holds, PlainStep.Holds)) {
          dependence("'" + Step.Text + "'", L.Left, PlainL.Left, Step.Where);
          dependence("'" + Step.Text + "'", L.Right, PlainL.Right, Step.Where);
        }
    for (const auto &[Site, Plain] : llvm::zip(Given.Sites, Accesses.Sites))
      if (Site.What == AccessSite::Kind::Load && Site.Index)
        dependence("the index of '" + Site.Text + "'", *Site.Index, *Plain.Index, Site.Where);
  }

  /// `element < Bound`, from the path of a site.
  std::vector<Polynomial> boundsOf(const AccessSite &Site) const {
    std::vector<Polynomial> Bounds;
    for (const PathStep &Step : Site.Path)
      for (const Less &L : Step.Holds) {
        const auto Left = element(L.Left), Right = element(L.Right);
        if (!Left || !Right || Right->contains(ElementAtom))
          continue;
        const Polynomial Distance = *Left - Polynomial::atom(ElementAtom);
        const Polynomial Bound = *Right - Distance;
        if (Distance.asConstant() && isUniform(Bound) && std::find(Bounds.begin(), Bounds.end(), Bound) == Bounds.end())
          Bounds.push_back(Bound);
      }
    return Bounds;
  }

  /// Made of integer parameters alone.
  bool isUniform(const Polynomial &P) const {
    return isMadeOf(P, Accesses.Quotients, [&](auto &Atom) { return Accesses.parameter(Atom) != nullptr; });
  }

  void sites() {
    const bool InGroups = recogniseGroups(Accesses, Shape);
    if (InGroups && !isUniform(Shape.Bound))
      reason(fmt::format("its bound {} is not made of parameters", shown(Shape.Bound)), Facts.Where);
    for (const AccessSite &Site : Accesses.Sites) {
      switch (Site.What) {
      case AccessSite::Kind::Atomic:
        continue; // said by the kernel's facts
      case AccessSite::Kind::Escape:
        reason(fmt::format("{} is not followed: '{}'", Site.Parameter, Site.Text), Site.Where);
        continue;
      case AccessSite::Kind::Load:
        continue;
      case AccessSite::Kind::Store:
        break;
      }
      HasStore = true;
      if (InGroups)
        continue; // each is the thread's own
      const std::optional<Polynomial> Index = Site.Index ? element(*Site.Index) : std::nullopt;
      if (!Index || !Index->contains(ElementAtom)) {
        reason(fmt::format("the index of '{}' is no function of the thread's linear index", Site.Text), Site.Where);
        continue;
      }
      if (Shape.Strided && std::none_of(Site.Path.begin(), Site.Path.end(), [&](const PathStep &Step) {
            return Step.What == PathStep::Kind::Loop && Step.Id == Shape.Loop;
          })) {
        reason(fmt::format("'{}' stands outside the loop over the grid", Site.Text), Site.Where);
        continue;
      }
      const std::vector<Polynomial> Bounds = boundsOf(Site);
      if (Bounds.empty())
        NoBound.push_back({fmt::format("no condition bounds the element of '{}'", Site.Text), Facts.Name, Site.Where});
      else if (Bounds.size() != 1)
        reason(fmt::format("'{}' has two bounds: {} and {}", Site.Text, Bounds[0].str(), Bounds[1].str()), Site.Where);
      else if (Bound && !(*Bound == Bounds[0]))
        reason(fmt::format("stores have different bounds: {} and {}", Bound->str(), Bounds[0].str()), Site.Where);
      else
        Shape.Bound = *(Bound = Bounds[0]);
    }
  }

  /// Of the block, which has but one.
  static bool ofOtherDimension(const std::string &Atom) {
    return llvm::any_of(std::array{1, 2}, [&](int D) {
      return Atom == builtinAtom(Builtin::BlockDim, D) || Atom == builtinAtom(Builtin::ThreadIdx, D);
    });
  }
  /// Of the grid, where rows are numbered by several of its dimensions.
  static bool ofGrid(const std::string &Atom) {
    return Atom != BlockX && (Atom.starts_with("blockIdx.") || Atom.starts_with("gridDim."));
  }

  /// In whatever block, or in one of a warp.
  bool isRowWise() const {
    return isRowWise([](const Polynomial &P) { return P; }) ||
           isRowWise([&](const Polynomial &P) { return inBlock(P, Accesses.Quotients, WarpSize); });
  }
  bool isRowWise(llvm::function_ref<Polynomial(const Polynomial &)> Meaning) const {
    bool Stores = false;
    for (const AccessSite &Site : Accesses.Sites) {
      if (Site.What == AccessSite::Kind::Load)
        continue;
      if (Site.What != AccessSite::Kind::Store || !Site.Index)
        return false;
      Stores = true;
      const auto [Row, Column] = Meaning(*Site.Index).split(BlockX);
      if (Row.isZero())
        return false;
      for (const std::string &Atom : Row.atoms())
        if ((isBuiltin(Atom) && !ofOtherDimension(Atom)) || loopOf(Atom, Accesses))
          return false;
      const std::set<std::string> Atoms = Column.atoms();
      auto Strides = [&](const std::string &Atom) {
        const LoopAccess *Loop = loopOf(Atom, Accesses);
        return Loop && Meaning(Loop->Start) == Polynomial::atom(ThreadX);
      };
      const bool OfRow = llvm::any_of(Atoms, Strides);
      for (const std::string &Atom : Atoms) {
        const LoopAccess *Loop = loopOf(Atom, Accesses);
        if ((isBuiltin(Atom) && Atom != ThreadX && !ofOtherDimension(Atom) && !(OfRow && ofGrid(Atom))) ||
            (Loop && !Strides(Atom) && !isUniform(Loop->Start)))
          return false;
      }
    }
    return Stores;
  }

  const KernelFacts &Facts;
  const KernelAccesses &Given;
  const KernelAccesses Accesses; ///< As if no index lost bits.
  ShapeFacts Shape;
  std::optional<Polynomial> Bound;
  std::vector<Finding> NoBound; ///< Stores that none has.
  bool HasStore = false;
};

} // namespace

Polynomial linearIndex() { return Polynomial::atom(BlockX) * Polynomial::atom(BlockDimX) + Polynomial::atom(ThreadX); }

bool isGridStride(const LoopAccess &Loop) {
  const Polynomial Stride = Polynomial::atom(BlockDimX) * Polynomial::atom(GridDimX),
                   Factor = Loop.Start.split(ThreadX).first;
  return Factor.asConstant() && !Factor.isZero() && Loop.Step == Stride * Factor &&
         Loop.Start == linearIndex() * Factor;
}

ShapeFacts recogniseShape(const KernelFacts &Facts, const KernelAccesses &Accesses) {
  return Recognition(Facts, Accesses).run();
}

std::optional<Polynomial> inElement(const Polynomial &P, const KernelAccesses &Accesses, const ShapeFacts &Shape) {
  const Polynomial Element = Polynomial::atom(ElementAtom);
  Polynomial Result = P;
  if (Shape.Strided) {
    const LoopAccess &Loop = Accesses.Loops[Shape.Loop];
    Result = Result.substitute(Loop.Atom, Element * Loop.Start.split(ThreadX).first);
  } else {
    const Polynomial Factor = Result.split(ThreadX).first;
    Result = Result + Factor * (Element - linearIndex());
  }
  for (const std::string &Atom : Result.atoms()) {
    if (isBuiltin(Atom))
      return std::nullopt;
    if (auto Found = Accesses.Quotients.find(Atom); Found != Accesses.Quotients.end()) {
      const auto Dividend = inElement(Found->second.Dividend, Accesses, Shape);
      const auto Divisor = inElement(Found->second.Divisor, Accesses, Shape);
      if (!Dividend || !Divisor)
        return std::nullopt;
      Quotient Own = Found->second;
      const auto Number =
          std::max(Own.Wrap, Own.Narrow) == Quotient::Wraps::Never ? Divisor->asConstant() : std::nullopt;
      const auto Exact = Number ? Dividend->dividedBy(*Number) : std::nullopt;
      Own.Dividend = *Dividend, Own.Divisor = *Divisor;
      Result = Result.substitute(Atom, Exact ? *Exact : Polynomial::atom(Own.atom()));
    }
  }
  return Result;
}

std::string shown(const Polynomial &P) {
  std::string Text = P.str();
  for (size_t At; (At = Text.find('#')) != std::string::npos;)
    Text.erase(At, 1);
  return Text;
}

} // namespace cufuse
