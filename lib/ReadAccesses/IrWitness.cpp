#include "cufuse/ReadAccesses/IrWitness.h"

#include "IrMemory.h"
#include "cufuse/Kernel/Wrapping.h"

#include <fmt/core.h>
#include <llvm/ADT/Sequence.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/SmallVectorExtras.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

namespace cufuse {

namespace {

Finding findingAt(const DeviceIr &Ir, const llvm::Instruction &By, const std::string &What) {
  Finding F{What, {}, {}};
  F.Where = Ir.place(By, &F.Function);
  return F;
}

/// Is it true of a pointwise kernel that what a thread does depends on the element alone?
class ElementCheck {
public:
  ElementCheck(const DeviceIr &Ir, IrValues &Values, const IrMemory &Memory, const KernelAccesses &Text,
               const ShapeFacts &OfText)
      : Ir(Ir), Values(Values), Memory(Memory), Loop(OfText.Strided ? &Text.Loops[OfText.Loop] : nullptr) {
    Shape.Strided = OfText.Strided;
  }

  std::vector<Finding> run() {
    for (const auto &[By, What] : Memory.Together)
      add("it reads or works with other threads: " + What, By);
    for (const auto &[By, What] : Memory.Reports)
      if (!isOfElement(*By))
        add("it calls " + What + " where it stores no element", By);
    if (Shape.Strided)
      gridLoop();
    for (const llvm::Instruction &I : llvm::instructions(Ir.kernel()))
      instruction(I);
    return std::move(Found);
  }

private:
  void add(const std::string &What, const llvm::Instruction *By) { Found.push_back(findingAt(Ir, *By, What)); }

  /// The phi that counts the elements of the thread, and all that goes from one turn to the next beside it.
  void gridLoop() {
    const KernelAccesses Plain = withoutWraps(Values.known());
    for (const llvm::Loop *L : Values.loops().getLoopsInPreorder())
      for (const llvm::PHINode &Phi : L->getHeader()->phis()) {
        const auto Id = Values.loop(&Phi);
        if (!Id || Grid || !isGridStride(Plain.Loops[*Id]))
          continue;
        Grid = &Phi;
        Shape.Loop = *Id;
        carried(*L);
      }
    if (!Grid)
      add("its loop over the grid is none in the compiled kernel", &*Ir.kernel().getEntryBlock().begin());
  }

  void carried(const llvm::Loop &L) {
    for (const llvm::PHINode &Phi : L.getHeader()->phis())
      if (Values.loop(&Phi) != Shape.Loop)
        add("a value is carried from one element to the next", &Phi);
    // Variables in memory, but for those of the body, and structures among the arguments.
    std::vector<const llvm::Value *> Variables;
    for (const llvm::Argument &Argument : Ir.kernel().args())
      if (Argument.hasByValAttr())
        Variables.push_back(&Argument);
    for (const llvm::Instruction &I : llvm::instructions(Ir.kernel()))
      if (llvm::isa<llvm::AllocaInst>(I) && !isOfTurn(I, L))
        Variables.push_back(&I);
    for (const llvm::Value *Variable : Variables)
      for (const llvm::BasicBlock *Block : L.blocks())
        for (const llvm::Instruction &By : *Block)
          if (changes(By, *Variable)) {
            add(fmt::format("the variable {} may be carried from one element to the next", Variable->getName().str()),
                &By);
            return;
          }
  }

  bool changes(const llvm::Instruction &By, const llvm::Value &Variable) {
    if (By.isDebugOrPseudoInst() || By.isLifetimeStartOrEnd() || !By.mayWriteToMemory())
      return false;
    auto Leads = [&](const llvm::Value *To) {
      return To->getType()->isPointerTy() && llvm::is_contained(placeOf(To, Values).Locals, &Variable);
    };
    if (auto *Store = llvm::dyn_cast<llvm::StoreInst>(&By))
      return Leads(Store->getPointerOperand()) || Leads(Store->getValueOperand());
    if (auto *Copy = llvm::dyn_cast<llvm::MemTransferInst>(&By))
      return Leads(Copy->getRawDest());
    return llvm::any_of(By.operands(), [&](const llvm::Use &Each) { return Leads(Each); });
  }

  static bool isUsedOnlyIn(const llvm::Instruction &Variable, const llvm::Loop &L) {
    return llvm::all_of(Variable.users(), [&](const llvm::User *User) {
      auto *I = llvm::dyn_cast<llvm::Instruction>(User);
      const bool Leads = I && llvm::isa<llvm::GetElementPtrInst, llvm::AddrSpaceCastInst>(I);
      return I && (L.contains(I) || (Leads && isUsedOnlyIn(*I, L)));
    });
  }

  /// Does the variable begin anew in each turn: of a function that is called there, a temporary, or declared there?
  bool isOfTurn(const llvm::Instruction &Variable, const llvm::Loop &L) const {
    for (const llvm::User *User : Variable.users())
      if (auto *I = llvm::dyn_cast<llvm::Instruction>(User); I && I->isLifetimeStartOrEnd() && L.contains(I))
        return true;
    // A second variable of the name has a number behind it.
    const std::string Name = Variable.getName().str(), Stem = Variable.getName().rtrim("0123456789").str();
    if (Loop->Outside.count(Name) || Loop->Outside.count(Stem))
      return false;
    // A reference may keep a temporary object of before the loop.
    const bool Temporary = Stem == "agg.tmp" || Stem == "ref.tmp" || Stem == "tmp";
    return (Temporary && isUsedOnlyIn(Variable, L)) || Loop->Inside.count(Name) || Loop->Inside.count(Stem);
  }

  bool ofElement(const Polynomial &P) const {
    for (const std::string &Atom : P.atoms())
      if (isBuiltin(Atom) || Atom[0] == '{' || Atom[0] == '(')
        return inElement(P, Values.known(), Shape).has_value();
    return true;
  }

  /// Does it happen only where an element is stored, or might be, for each of which the fused kernel does it?
  bool isOfElement(const llvm::Instruction &I) {
    const std::vector<Polynomial> Known = Values.conditions(*I.getParent());
    return llvm::any_of(Memory.Accesses, [&](const IrAccess &A) {
      return A.What == IrAccess::Kind::Store &&
             llvm::all_of(Values.conditions(*A.By->getParent()),
                          [&](const Polynomial &P) { return llvm::is_contained(Known, P); });
    });
  }

  /// Is every use of the pointer an access, at the thread's element?
  bool leadsToElements(const llvm::Value &Pointer) {
    for (const llvm::User *User : Pointer.users()) {
      auto *I = llvm::dyn_cast<llvm::Instruction>(User);
      if (I && llvm::isa<llvm::GetElementPtrInst, llvm::AddrSpaceCastInst>(I)) {
        if (!leadsToElements(*I))
          return false;
        continue;
      }
      auto *Store = llvm::dyn_cast_or_null<llvm::StoreInst>(I);
      if (!I || (Store && Store->getValueOperand() == &Pointer) ||
          llvm::none_of(Memory.Accesses, [&](const IrAccess &Access) { return Access.By == I; }))
        return false;
      const IrPlace Place = placeOf(&Pointer, Values);
      if (!Place.Offset || !ofElement(*Place.Offset))
        return false;
    }
    return true;
  }

  /// Values are followed as far as they are polynomials; where one ends up in anything else, it must be of the element.
  void instruction(const llvm::Instruction &I) {
    if (I.isDebugOrPseudoInst())
      return;
    auto Refuse = [&](const Polynomial &P) {
      add("a value depends on the thread other than by its linear index: " + P.str(), &I);
    };
    if (auto *Phi = llvm::dyn_cast<llvm::PHINode>(&I))
      if (const auto Id = Values.loop(Phi)) {
        if (!Grid || *Id != Shape.Loop)
          for (const Polynomial &P : {Values.known().Loops[*Id].Start, Values.known().Loops[*Id].Step})
            if (!ofElement(P))
              return Refuse(P);
        return;
      }
    if (Values.of(&I) && !Values.mayDivideOther(I))
      return;
    // Pointers may move by parts of the element's number; where they lead to is what counts.
    if (llvm::isa<llvm::GetElementPtrInst>(I) && leadsToElements(I))
      return;
    for (const llvm::Use &Operand : I.operands())
      if (const auto P = Values.of(Operand); P && !ofElement(*P))
        return Refuse(*P);
  }

  const DeviceIr &Ir;
  IrValues &Values;
  const IrMemory &Memory;
  const LoopAccess *Loop; ///< Over the grid, in the text.
  ShapeFacts Shape;
  const llvm::PHINode *Grid = nullptr;
  std::vector<Finding> Found;
};

/// Is every access of the IR one that the text has, and does every store happen that the text has?
class AccessCheck {
public:
  AccessCheck(const DeviceIr &Ir, IrValues &Values, const KernelAccesses &Text) : Ir(Ir), Values(Values), Text(Text) {
    std::map<std::string, const ParameterAccess *> Parameters;
    for (const ParameterAccess &Parameter : Text.Parameters)
      Parameters[Parameter.Name] = &Parameter;
    Places.reserve(Text.Sites.size());
    for (const AccessSite &Site : Text.Sites) {
      Place &P = Places.emplace_back(Place{&Site, Parameters[Site.Parameter], {}, conditionsOf(Site.Path)});
      if (!P.Of)
        continue;
      ParameterSites &Of = Sites[Site.Parameter];
      Of.Escapes |= Site.What == AccessSite::Kind::Escape;
      Of.Atomics |= Site.What == AccessSite::Kind::Atomic;
      if (Site.What != AccessSite::Kind::Load && Site.What != AccessSite::Kind::Store)
        continue;
      SitesOfKind &OfKind = Site.What == AccessSite::Kind::Load ? Of.Loads : Of.Stores;
      if (!Site.Index) {
        OfKind.Anywhere.push_back(&P);
        continue;
      }
      P.First = canonical(*Site.Index, Text) * Polynomial::constant(P.Of->Bytes);
      OfKind.Same.add(Values, P.First, &P);
      OfKind.Near.add(Values, P.First, &P);
      OfKind.Widest = std::max(OfKind.Widest, P.bytes());
    }
  }

  /// No access of an implicit copy.
  bool agrees(const IrAccess &Access) {
    const ParameterAccess *Parameter = parameter(Access);
    const auto Of = Parameter ? Sites.find(Parameter->Name) : Sites.end();
    if (Of == Sites.end())
      return false;
    // What escapes and is constant counts as loaded.
    const bool IsLoad = Access.What == IrAccess::Kind::Load;
    if ((Of->second.Escapes && (!Parameter->ReadOnly || IsLoad)) ||
        (Of->second.Atomics && (Access.What == IrAccess::Kind::Atomic || Access.What == IrAccess::Kind::Any)))
      return true;
    if (!IsLoad && Access.What != IrAccess::Kind::Store)
      return false;
    const SitesOfKind &OfKind = IsLoad ? Of->second.Loads : Of->second.Stores;
    auto IsUnder = [&](const Place *P) { return isUnder(*P, *Access.By); };
    if (llvm::any_of(OfKind.Anywhere, IsUnder))
      return true;
    auto Is = [&](const Place *P) { return part(*P, Access) && IsUnder(P); };
    return Access.Offset && (OfKind.Same.any(Values, *Access.Offset, 1 - OfKind.Widest, 0, Is) ||
                             OfKind.Near.any(Values, *Access.Offset, 1 - OfKind.Widest, 0, Is));
  }

  /// Numbers of stores one of which always happens in the text, but not in the IR.
  std::set<size_t> uncertain(llvm::ArrayRef<IrAccess> Accesses) {
    // Those of the same elements, and the accesses that may be theirs.
    std::map<std::tuple<std::string, unsigned, std::map<Polynomial::Product, std::int64_t>>, std::vector<const Place *>>
        Same;
    for (const Place &P : Places)
      if (P.Of && P.Site->What == AccessSite::Kind::Store && P.Site->Index)
        Same[{P.Site->Parameter, P.Site->Width, P.Site->Index->terms()}].push_back(&P);
    for (const IrAccess &Access : Accesses)
      if (const ParameterAccess *Parameter = parameter(Access); Parameter && Access.What == IrAccess::Kind::Store) {
        if (Ir.isOfImplicitCopy(*Access.By))
          Stores[Parameter->Name].second.push_back(&Access);
        else if (Access.Offset)
          Stores[Parameter->Name].first.add(Values, *Access.Offset, &Access);
      }
    std::set<size_t> Found;
    for (const auto &[What, All] : Same) {
      std::set<std::pair<const Place *, size_t>> Asked; // for each of those that are together, with the depth
      for (const Place *P : All)
        for (size_t Depth = 0;; ++Depth) {
          std::vector<const Place *> Together;
          if (!Asked.contains({P, Depth}))
            for (const Place *Other : All)
              if (isAround(*P->Site, *Other->Site, Depth)) {
                Together.push_back(Other);
                Asked.insert({Other, Depth});
              }
          const auto OfText = llvm::map_to_vector<8>(Together, [](const Place *Each) { return Each->Site; });
          if (isCertain(OfText, Depth) && !isStored(Together, Depth))
            for (const AccessSite *Each : OfText)
              Found.insert(Each - Text.Sites.data());
          if (Depth == P->Site->Path.size() || !isExact(P->Site->Path[Depth]))
            break;
        }
    }
    return Found;
  }

private:
  /// A site of the text, in terms of the IR.
  struct Place {
    const AccessSite *Site;
    const ParameterAccess *Of;
    Polynomial First; ///< Of its bytes.
    std::vector<Polynomial> Conditions;
    std::int64_t bytes() const { return std::int64_t(Site->Width) * Of->Bytes; }
  };

  /// Things by the offset they are at, so that those are found that differ by a constant and, if `Loops`, by variables
  /// of loops alone.
  template <typename T> class ByOffset {
  public:
    explicit ByOffset(bool Loops = true) : Loops(Loops) {}
    void add(const IrValues &Values, const Polynomial &Offset, T What) {
      const auto [Rest, At] = based(Values, Offset);
      All[Rest].insert({At, What});
    }
    /// Is it true of any whose constant is more than that of `Offset` by `From` to `To`?
    bool any(const IrValues &Values, const Polynomial &Offset, std::int64_t From, std::int64_t To,
             llvm::function_ref<bool(T)> Is) const {
      const auto [Rest, At] = based(Values, Offset);
      const auto Here = All.find(Rest);
      std::int64_t First = 0, Last = 0;
      if (Here == All.end() || __builtin_add_overflow(At, From, &First) || __builtin_add_overflow(At, To, &Last))
        return false;
      return std::any_of(Here->second.lower_bound(First), Here->second.upper_bound(Last),
                         [&](const auto &Each) { return Is(Each.second); });
    }

  private:
    using Base = std::map<Polynomial::Product, std::int64_t>;
    std::pair<Base, std::int64_t> based(const IrValues &Values, const Polynomial &P) const {
      Base Rest;
      std::int64_t Constant = 0;
      for (const auto &[Atoms, Factor] : P.terms())
        if (Atoms.empty())
          Constant = Factor;
        else if (!Loops || Atoms.size() > 1 || !Values.most(Atoms[0]))
          Rest.insert({Atoms, Factor});
      return {Rest, Constant};
    }
    bool Loops;
    std::map<Base, std::multimap<std::int64_t, T>> All;
  };
  struct SitesOfKind {
    std::vector<const Place *> Anywhere; ///< Their index is not known.
    ByOffset<const Place *> Same{/*Loops=*/false}, Near;
    std::int64_t Widest = 0; ///< In bytes.
  };
  struct ParameterSites {
    bool Escapes = false, Atomics = false;
    SitesOfKind Loads, Stores;
  };

  const ParameterAccess *parameter(const IrAccess &Access) const {
    return Access.Argument < Text.Parameters.size() ? &Text.Parameters[Access.Argument] : nullptr;
  }

  /// `Distance > 0` for each that a site stands under, as `IrValues` has them.
  std::vector<Polynomial> conditionsOf(llvm::ArrayRef<PathStep> Path) const {
    std::vector<Polynomial> Distances;
    for (const PathStep &Step : Path)
      for (const Less &L : Step.Holds)
        if (Polynomial P = canonical(L.Right, Text) - canonical(L.Left, Text); P.asConstant().value_or(0) <= 0)
          Distances.push_back(std::move(P));
    return Distances;
  }

  bool isUnder(const Place &P, const llvm::Instruction &By) {
    if (P.Conditions.empty())
      return true;
    const std::vector<Polynomial> Known = Values.conditions(*By.getParent());
    return llvm::all_of(P.Conditions, [&](const Polynomial &Each) { return llvm::is_contained(Known, Each); });
  }

  /// The bytes of the site's elements, from the first to behind the last.
  using Bytes = std::pair<std::int64_t, std::int64_t>;
  /// Which of them it accesses; nothing if it accesses others, too.
  std::optional<Bytes> part(const Place &P, const IrAccess &Access) const {
    const Bytes All{0, P.bytes()};
    const bool Implicit = Ir.isOfImplicitCopy(*Access.By); // of all members, in whatever parts
    if (!Access.Offset)
      return Implicit ? std::optional(All) : std::nullopt;
    // Copies of arrays go by loops of their own.
    Polynomial First = *Access.Offset - P.First;
    std::int64_t Spread = 0;
    for (const std::string &Atom : First.atoms()) {
      const auto [Factor, Rest] = First.split(Atom);
      const auto Step = Factor.asConstant(), Most = Implicit ? 0 : Values.most(Atom);
      if (!Step || !Most || *Step < 0)
        return std::nullopt;
      Spread += *Step * *Most;
      First = Rest;
    }
    const auto Within = First.asConstant();
    if (!Within || *Within < 0 || Access.Bytes == 0)
      return std::nullopt;
    const Bytes Part{*Within, *Within + Spread + Access.Bytes};
    return Part.second > All.second ? std::nullopt : std::optional(Implicit ? All : Part);
  }

  bool isExact(const PathStep &Step) const {
    return Step.Exact && !(Step.What == PathStep::Kind::Loop && Text.Loops[Step.Id].LeftEarly);
  }

  static unsigned loopsOf(llvm::ArrayRef<PathStep> Path) {
    return llvm::count_if(Path, [](const PathStep &Step) { return Step.What == PathStep::Kind::Loop; });
  }

  /// Do the first `Depth` steps to one site lead to the other, too?
  static bool isAround(const AccessSite &Site, const AccessSite &Other, size_t Depth) {
    auto IsSame = [](const PathStep &A, const PathStep &B) {
      return A.What == B.What && A.Id == B.Id && A.Taken == B.Taken;
    };
    return Other.Path.size() >= Depth &&
           std::equal(Site.Path.begin(), Site.Path.begin() + Depth, Other.Path.begin(), IsSame);
  }

  /// Does one of the stores happen whenever the first `Depth` conditions on them hold?
  bool isStored(llvm::ArrayRef<const Place *> Together, size_t Depth) {
    std::vector<std::pair<Bytes, const llvm::BasicBlock *>> Found; // each of a part of the element
    std::set<const IrAccess *> Asked;
    auto Ask = [&](const Place *P, const IrAccess *Access) {
      const auto Part = Asked.contains(Access) ? std::nullopt : part(*P, *Access);
      if (!Part || !isUnder(*P, *Access->By))
        return false;
      const llvm::BasicBlock *Block = Access->By->getParent();
      if (Ir.isOfImplicitCopy(*Access->By)) // by loops that the text does not have, of one turn at least
        for (const llvm::Loop *L = Values.loops().getLoopFor(Block); L && L->getLoopDepth() > loopsOf(P->Site->Path);
             L = L->getParentLoop())
          Block = L->getHeader();
      Asked.insert(Access);
      Found.push_back({*Part, Block});
      return false;
    };
    const AccessSite &First = *Together[0]->Site;
    if (const auto OfParameter = Stores.find(First.Parameter); OfParameter != Stores.end())
      for (const Place *P : Together) {
        OfParameter->second.first.any(Values, P->First, 0, P->bytes() - 1,
                                      [&](const IrAccess *Access) { return Ask(P, Access); });
        for (const IrAccess *Access : OfParameter->second.second)
          Ask(P, Access);
      }
    const llvm::ArrayRef<PathStep> Around = llvm::ArrayRef(First.Path).take_front(Depth);
    std::set<std::int64_t> Firsts;
    for (const auto &[Part, Block] : Found)
      Firsts.insert(Part.first);
    return !Found.empty() && llvm::all_of(Firsts, [&](std::int64_t Begin) {
      Blocks OfPart;
      for (const auto &[Part, Block] : Found)
        if (Part.first <= Begin && Begin < Part.second)
          OfPart.insert(Block);
      return dependOnlyOn(Around, OfPart);
    });
  }

  using Blocks = llvm::SmallSetVector<const llvm::BasicBlock *, 8>;
  /// Those from which one of `Ends` is reached without `Avoided`.
  static llvm::SmallPtrSet<const llvm::BasicBlock *, 32> reaching(llvm::ArrayRef<const llvm::BasicBlock *> Ends,
                                                                  const Blocks &Avoided) {
    llvm::SmallPtrSet<const llvm::BasicBlock *, 32> Found;
    std::vector<const llvm::BasicBlock *> Left;
    auto Add = [&](const llvm::BasicBlock *Block) {
      if (!Avoided.contains(Block) && Found.insert(Block).second)
        Left.push_back(Block);
    };
    llvm::for_each(Ends, Add);
    while (!Left.empty()) {
      const llvm::BasicBlock *Block = Left.back();
      Left.pop_back();
      llvm::for_each(llvm::predecessors(Block), Add);
    }
    return Found;
  }

  /// Is this side taken whenever the conditions hold?
  bool isTaken(const llvm::Instruction &Branch, unsigned Side, llvm::ArrayRef<Polynomial> Known) {
    auto *By = llvm::dyn_cast<llvm::BranchInst>(&Branch);
    std::vector<Polynomial> Needed;
    bool Whole = By && By->isConditional();
    if (Whole)
      Values.holds(By->getCondition(), Side == 0, Needed, Whole);
    return Whole && llvm::all_of(Needed, [&](const Polynomial &P) { return llvm::is_contained(Known, P); });
  }

  /// Does one of the blocks run, in every turn of the loops, whenever the conditions hold? What ends the grid counts
  /// for nothing.
  bool dependOnlyOn(llvm::ArrayRef<PathStep> Around, Blocks Run) {
    const std::vector<Polynomial> Known = conditionsOf(Around);
    const llvm::BasicBlock *Entry = &Ir.kernel().getEntryBlock();
    std::vector<const llvm::BasicBlock *> Returns;
    for (const llvm::BasicBlock &Each : Ir.kernel())
      if (llvm::isa<llvm::ReturnInst>(Each.getTerminator()))
        Returns.push_back(&Each);
    // What runs after another one of them, if at all, decides nothing.
    for (const llvm::BasicBlock *Block : Blocks(Run)) {
      Blocks Others = Run;
      Others.remove(Block);
      if (!reaching({Block}, Others).contains(Entry))
        Run = Others;
    }
    if (Run.empty())
      return false; // none of them is reached
    // The loops of the text go on as long as their conditions hold.
    const unsigned Loops = loopsOf(Around);
    const auto MayReturn = reaching(Returns, {});
    for (const llvm::Loop *L = Values.loops().getLoopFor(Run.front()); L; L = L->getParentLoop())
      for (const llvm::BasicBlock *Block : L->blocks()) {
        const llvm::Instruction &End = *Block->getTerminator();
        for (unsigned I = 0; L->getLoopDepth() <= Loops && I < End.getNumSuccessors(); ++I)
          if (!L->contains(End.getSuccessor(I)) && MayReturn.contains(End.getSuccessor(I)) &&
              !isTaken(End, 1 - I, Known))
            return false;
      }
    std::vector<Blocks> Left = {Run};
    Blocks Met = Run;
    while (!Left.empty()) {
      const Blocks Current = Left.back();
      Left.pop_back();
      const auto MayMiss = reaching(Returns, Current), MayMeet = reaching(Current.getArrayRef(), {});
      for (const llvm::BasicBlock &Other : Ir.kernel()) {
        const llvm::Instruction &End = *Other.getTerminator();
        auto Misses = [&](unsigned I) { return MayMiss.contains(End.getSuccessor(I)); };
        if (Current.contains(&Other) || llvm::none_of(llvm::seq(End.getNumSuccessors()), Misses))
          continue;
        for (unsigned I = 0; I < End.getNumSuccessors(); ++I) {
          if (Misses(I) || !MayMeet.contains(End.getSuccessor(I)))
            continue; // here it is not decided
          if (!isTaken(End, I, Known))
            return false;
          if (Met.insert(&Other)) {
            Blocks Next;
            Next.insert(&Other);
            Left.push_back(std::move(Next));
          }
        }
      }
    }
    return true;
  }

  const DeviceIr &Ir;
  IrValues &Values;
  const KernelAccesses &Text;
  std::vector<Place> Places;
  std::map<std::string, ParameterSites> Sites; ///< By parameter.
  /// The stores to each, those of implicit copies by themselves.
  std::map<std::string, std::pair<ByOffset<const IrAccess *>, std::vector<const IrAccess *>>> Stores;
};

} // namespace

void checkByIr(const DeviceIr *Ir, const KernelFacts &Facts, KernelAccesses &Accesses, ShapeFacts &Shape) {
  if (!Ir || Ir->kernel().arg_size() != Accesses.Parameters.size()) {
    const Finding Unknown{"Clang generates no device code for it that could be read", Facts.Name, Facts.Where};
    Accesses.Unfollowed.push_back(Unknown);
    Accesses.OtherMemory.push_back(Unknown);
    Shape = recogniseShape(Facts, Accesses);
    return;
  }
  IrValues Values(Ir->kernel(), Accesses);
  const IrMemory Memory = memoryOf(*Ir, Values);
  for (const auto &[By, What] : Memory.Elsewhere)
    Accesses.OtherMemory.push_back(findingAt(*Ir, *By, What));
  for (const auto &[By, What] : Memory.Reports)
    Accesses.Reports.push_back(findingAt(*Ir, *By, What));

  AccessCheck Check(*Ir, Values, Accesses);
  const std::set<size_t> Uncertain = Check.uncertain(Memory.Accesses);
  std::vector<AccessSite> Hidden;
  for (const IrAccess &Access : Memory.Accesses) {
    if (Ir->isOfImplicitCopy(*Access.By) || Check.agrees(Access) || Access.Argument >= Accesses.Parameters.size())
      continue;
    AccessSite Site; // which no object in the pointer's place follows
    Site.What = Access.What == IrAccess::Kind::Load             ? AccessSite::Kind::Load
                : Accesses.Parameters[Access.Argument].ReadOnly ? AccessSite::Kind::Store
                                                                : AccessSite::Kind::Escape;
    Site.Direct = false;
    Site.Parameter = Accesses.Parameters[Access.Argument].Name;
    Site.Text = Site.Parameter + ", not as its text shows";
    Site.Where = Ir->place(*Access.By);
    Hidden.push_back(std::move(Site));
  }
  for (size_t I : Uncertain) {
    PathStep Unknown;
    Unknown.Text = "a condition that only the compiled code shows";
    Unknown.Where = Accesses.Sites[I].Where;
    Accesses.Sites[I].Path.push_back(std::move(Unknown));
  }
  Accesses.Sites.insert(Accesses.Sites.end(), Hidden.begin(), Hidden.end());

  if (Shape.Shape == KernelShape::Pointwise)
    for (Finding &F : ElementCheck(*Ir, Values, Memory, Accesses, Shape).run())
      Accesses.Unfollowed.push_back(std::move(F));
  if (Shape.Shape == KernelShape::Pointwise || !Hidden.empty())
    Shape = recogniseShape(Facts, Accesses);
  Accesses = withoutWraps(std::move(Accesses));
}

} // namespace cufuse
