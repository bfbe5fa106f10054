#include "cufuse/Dependence/Pointwise.h"

#include "Indices.h"
#include "Refusals.h"

#include "cufuse/Kernel/Wrapping.h"

#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/Sequence.h>
#include <llvm/ADT/SmallVectorExtras.h>

namespace cufuse {

namespace {

/// The thread's place in a dimension of the grid.
Polynomial placeIn(int D) {
  return Polynomial::atom(builtinAtom(Builtin::BlockIdx, D)) * Polynomial::atom(builtinAtom(Builtin::BlockDim, D)) +
         Polynomial::atom(builtinAtom(Builtin::ThreadIdx, D));
}

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

  std::optional<ShapeFacts> map() {
    if (!findSizes())
      return std::nullopt;
    cooperation();
    indices();
    if (!Shape.Reasons.empty() || !Accesses.Together.empty() || !Accesses.OtherMemory.empty())
      return std::nullopt;
    Shape.Shape = KernelShape::Pointwise;
    return std::move(Shape);
  }

private:
  /// From the first store whose index has several dimensions. Every store stands where the thread has an element.
  bool findSizes() {
    for (const AccessSite &Site : Accesses.Sites)
      if (Site.What == AccessSite::Kind::Store && Site.Index && Shape.Sizes.empty())
        findSizes(*Site.Index);
    if (Shape.Sizes.empty() || !llvm::all_of(Shape.Sizes, [&](const Polynomial &Size) { return isUniform(Size); }))
      return false;
    std::optional<Polynomial> Last;
    for (const AccessSite &Site : Accesses.Sites) {
      if (Site.What == AccessSite::Kind::Load)
        continue;
      if (Site.What != AccessSite::Kind::Store || !Site.Index)
        return false;
      for (unsigned D = 0; D <= Shape.Sizes.size(); ++D) {
        const auto End = endOf(Site, D);
        const bool IsLast = D == Shape.Sizes.size();
        if (!End || (!IsLast && (*End - Shape.Sizes[D]).asConstant().value_or(1) > 0))
          return false;
        if (IsLast && Last && !(*End - *Last).asConstant())
          return false;
        if (IsLast && (!Last || *(*End - *Last).asConstant() > 0))
          Last = End;
      }
    }
    Shape.Bound = *Last;
    for (const Polynomial &Size : Shape.Sizes)
      Shape.Bound = Shape.Bound * Size;
    Shape.Sizes.push_back(*Last);
    return true;
  }
  void findSizes(const Polynomial &Index) {
    Polynomial Scale = 1, Rest = Index - placeIn(0);
    for (int D = 1; D < 3; ++D) {
      const Polynomial Own = Rest.split(builtinAtom(Builtin::ThreadIdx, D)).first;
      const auto Size = Own.isZero() ? std::nullopt : Own.dividedBy(Scale);
      if (!Size)
        break;
      Shape.Sizes.push_back(*Size);
      Rest = Rest - Own * placeIn(D);
      Scale = Own;
    }
    if (!Rest.isZero())
      Shape.Sizes.clear();
  }
  /// The site stands where the thread's place in a dimension is below that.
  std::optional<Polynomial> endOf(const AccessSite &Site, unsigned Dimension) const {
    for (const Less &L : Site.conditions())
      if (const Polynomial Past = L.Left - placeIn(Dimension); Past.asConstant() && isUniform(L.Right))
        return L.Right - Past;
    return std::nullopt;
  }

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
    for (const Less &L : Site.conditions()) {
      const auto Left = element(L.Left), Right = element(L.Right);
      if (!Left || !Right || Right->contains(ElementAtom))
        continue;
      const Polynomial Distance = *Left - Polynomial::atom(ElementAtom), Bound = *Right - Distance;
      if (Distance.asConstant() && isUniform(Bound) && !llvm::is_contained(Bounds, Bound))
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

Polynomial linearIndex() { return placeIn(0); }

bool isGridStride(const LoopAccess &Loop) {
  const Polynomial Stride = Polynomial::atom(BlockDimX) * Polynomial::atom(GridDimX),
                   Factor = Loop.Start.split(ThreadX).first;
  return Factor.asConstant() && !Factor.isZero() && Loop.Step == Stride * Factor &&
         Loop.Start == linearIndex() * Factor;
}

ShapeFacts recogniseShape(const KernelFacts &Facts, const KernelAccesses &Accesses) {
  return Recognition(Facts, Accesses).run();
}

std::optional<ShapeFacts> recogniseMap(const KernelFacts &Facts, const KernelAccesses &Accesses) {
  return Recognition(Facts, Accesses).map();
}

bool storesPartly(const std::string &Parameter, const KernelAccesses &Accesses, const ShapeFacts &Shape) {
  if (Shape.Sizes.empty())
    return false;
  // Where the thread's place has an element.
  auto IsWhereElementsAre = [&](const PathStep &Step) {
    return Step.What == PathStep::Kind::Branch && Step.Exact && llvm::all_of(Step.Holds, [&](const Less &L) {
             return llvm::any_of(llvm::seq<size_t>(0, Shape.Sizes.size()),
                                 [&](size_t D) { return L == Less{placeIn(D), Shape.Sizes[D]}; });
           });
  };
  std::vector<AccessSite> Stores;
  for (const AccessSite &Site : Accesses.Sites)
    if (Site.Parameter == Parameter && Site.What == AccessSite::Kind::Store)
      llvm::erase_if(Stores.emplace_back(Site).Path, IsWhereElementsAre);
  return !isCertain(llvm::map_to_vector(Stores, [](const AccessSite &Site) { return &Site; }), 0);
}

Polynomial ofElement(const Polynomial &P, const Polynomial &Element, const KernelAccesses &Accesses,
                     const ShapeFacts &Shape) {
  if (Shape.Strided) {
    const LoopAccess &Loop = Accesses.Loops[Shape.Loop];
    return P.substitute(Loop.Atom, Element * Loop.Start.split(ThreadX).first);
  }
  if (Shape.Sizes.empty())
    return P + P.split(ThreadX).first * (Element - linearIndex());
  Polynomial Result = P, Rest = Element;
  for (size_t D = 0; D < Shape.Sizes.size(); ++D) {
    const bool IsLast = D + 1 == Shape.Sizes.size();
    const Polynomial Above = IsLast ? Polynomial() : Polynomial::atom(Quotient{Rest, Shape.Sizes[D]}.atom());
    const Polynomial Factor = Result.split(builtinAtom(Builtin::ThreadIdx, D)).first;
    Result = Result + Factor * (Rest - Shape.Sizes[D] * Above - placeIn(D));
    Rest = Above;
  }
  return Result;
}

std::optional<Polynomial> inElement(const Polynomial &P, const KernelAccesses &Accesses, const ShapeFacts &Shape) {
  Polynomial Result = ofElement(P, Polynomial::atom(ElementAtom), Accesses, Shape);
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
