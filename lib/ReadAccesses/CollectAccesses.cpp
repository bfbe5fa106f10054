#include "cufuse/ReadAccesses/CollectAccesses.h"

#include "CarriedVariables.h"
#include "InsideElement.h"
#include "IrMemory.h"
#include "IrPaths.h"
#include "IrTurns.h"
#include "Parameters.h"
#include "TextUses.h"

#include "cufuse/Dependence/Pointwise.h"
#include "cufuse/Kernel/Wrapping.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>

#include <deque>

namespace cufuse {

namespace {

class Collector {
public:
  Collector(std::shared_ptr<const DeviceIr> Kept, const clang::FunctionDecl &Kernel,
            std::vector<ParameterAccess> Parameters)
      : Kept(std::move(Kept)), Ir(*this->Kept), Kernel(Kernel), Values(Ir.kernel(), std::move(Parameters)),
        Memory(memoryOf(Ir, Values)), Text(Ir, Kernel), Paths(Ir, Values, Text), TextUses(textUsesOf(Ir, Kernel)),
        Met(TextUses.size()), Result(Values.known()) {}

  KernelAccesses run() {
    sites();
    for (AccessSite &Site : Result.Sites)
      endByThread(Site);
    escapes();
    unmet();
    // What the user's variables are, the facts tell. A library's is a table where the kernel only loads from it.
    for (const auto &[By, What] : Memory.Elsewhere)
      if (auto *Load = llvm::dyn_cast<llvm::LoadInst>(By);
          !Load || !llvm::isa<llvm::GlobalVariable>(llvm::getUnderlyingObject(Load->getPointerOperand())))
        Result.OtherMemory.push_back(findingAt(*By, What));
    for (const auto &[By, What] : Memory.Reports)
      Result.Reports.push_back(findingAt(*By, What));
    for (const auto &[By, What] : Memory.Together)
      Result.Together.push_back(findingAt(*By, "it reads or works with other threads: " + What));
    for (const auto &[By, What] : Memory.Reports)
      if (!isWithStore(*By))
        Result.Together.push_back(findingAt(*By, "it calls " + What + " where it stores no element"));
    const KernelAccesses Plain = withoutWraps(Result);
    for (const llvm::Loop *L : Values.loops().getLoopsInPreorder()) {
      carried(*L, Plain);
      bound(*L);
    }
    needsThreads();
    for (const llvm::Instruction &I : llvm::instructions(Ir.kernel()))
      uses(I);
    forgetQuotients();
    return std::move(Result);
  }

private:
  Finding findingAt(const llvm::Instruction &By, const std::string &What) const {
    Finding F{What, {}, {}};
    F.Where = Ir.place(By, &F.Function);
    return F;
  }

  // Accesses.

  /// Accesses for one statement, or for a copy that it makes, whose offsets differ by constants.
  struct Group {
    const IrAccess *First;
    const llvm::BasicBlock *Block;
    std::optional<Polynomial> Rest;                      ///< The offset without its constant.
    std::multimap<std::int64_t, const IrAccess *> Parts; ///< By the constant.
  };

  void sites() {
    std::vector<Group> Groups;
    std::map<std::tuple<const llvm::BasicBlock *, const llvm::DILocation *, unsigned, IrAccess::Kind>,
             std::vector<size_t>>
        At;
    for (const IrAccess &Access : Memory.Accesses) {
      if (Access.Argument >= Result.Parameters.size() || Result.Parameters[Access.Argument].Element.empty())
        continue;
      std::optional<Polynomial> Rest = Access.Offset;
      const llvm::BasicBlock *Block = outsideCopy(*Access.By, Rest);
      if (Rest && !Values.isKnownIn(*Rest, *Block))
        Rest = std::nullopt;
      std::int64_t Constant = 0;
      if (Rest)
        if (auto Term = Rest->terms().find({}); Term != Rest->terms().end()) {
          Constant = Term->second;
          Rest = *Rest - Constant;
        }
      auto &Here = At[{Block, Ir.outsideCopies(Access.By->getDebugLoc()), Access.Argument, Access.What}];
      auto Same = llvm::find_if(Here, [&](size_t I) { return Rest && Groups[I].Rest == Rest; });
      if (Same == Here.end()) {
        Here.push_back(Groups.size());
        Groups.push_back({&Access, Block, Rest, {}});
        Same = std::prev(Here.end());
      }
      Groups[*Same].Parts.insert({Constant, &Access});
    }
    for (Group &G : Groups)
      group(G);
  }

  /// A loop over the grid that ends for all threads at a time, `base < n`, ends for each where its own element is not
  /// below the same bound any more.
  void endByThread(AccessSite &Site) const {
    for (PathStep &Step : Site.Path) {
      if (Step.What != PathStep::Kind::Loop || !isGridStride(Result.Loops[Step.Id]))
        continue;
      const Polynomial Element = Polynomial::atom(Result.Loops[Step.Id].Atom);
      for (Less &End : Step.Holds) {
        const Polynomial Own = Element - End.Left;
        const Less OfThread{Element, End.Right};
        if ((Own == linearIndex() || Own == Polynomial::atom(builtinAtom(Builtin::ThreadIdx, 0))) &&
            llvm::any_of(Site.Path, [&](const PathStep &Each) { return llvm::is_contained(Each.Holds, OfThread); }))
          End = OfThread;
      }
    }
  }

  /// A copy of an array goes by a loop that the text does not have: where that begins, with the first element.
  const llvm::BasicBlock *outsideCopy(const llvm::Instruction &By, std::optional<Polynomial> &Offset) const {
    const llvm::BasicBlock *Block = By.getParent();
    const llvm::Loop *L = Ir.isOfImplicitCopy(By) ? Values.loops().getLoopFor(Block) : nullptr;
    for (; L && L->getLoopPredecessor() && Ir.isOfImplicitCopy(*L->getHeader()->getTerminator());
         L = L->getParentLoop()) {
      Block = L->getLoopPredecessor();
      for (const llvm::PHINode &Phi : L->getHeader()->phis())
        if (const auto Id = Values.loop(&Phi); Id && Offset)
          Offset = Offset->substitute(Result.Loops[*Id].Atom, Result.Loops[*Id].Start);
    }
    return Block;
  }

  void group(Group &G) {
    const size_t First = Result.Sites.size();
    groupSites(G);
    const bool ReadOnlyCache = llvm::any_of(G.Parts, [](const auto &Part) { return Part.second->ReadOnlyCache; });
    const bool Once = llvm::all_of(G.Parts, [](const auto &Part) { return Part.second->Once; });
    for (AccessSite &Site : llvm::MutableArrayRef(Result.Sites).drop_front(First))
      Site.ReadOnlyCache = ReadOnlyCache, Site.Once = Once;
  }

  void groupSites(Group &G) {
    const ParameterAccess &Parameter = Result.Parameters[G.First->Argument];
    const std::int64_t Bytes = Parameter.Bytes;
    const auto Index = G.Rest && Bytes > 0 ? G.Rest->dividedBy(Bytes) : std::nullopt;
    const TextUse *Use = useOf(*G.First);
    const bool Moves = G.First->What == IrAccess::Kind::Load || G.First->What == IrAccess::Kind::Store;
    if (!Index || !Moves) {
      AccessSite Site = site(G.First, G.Block, Use);
      if (Use && Use->ByReference)
        Site.Direct &= llvm::all_of(
            G.Parts, [&](const auto &Part) { return isInsideElement(*Part.second, Bytes * Use->Width, *Use); });
      const std::int64_t First = G.Parts.begin()->first;
      std::int64_t End = First;
      for (const auto &[At, Access] : G.Parts)
        End = std::max<std::int64_t>(End, At + Access->Bytes);
      const bool Known = llvm::all_of(G.Parts, [](const auto &Part) { return Part.second->Bytes > 0; });
      if (!Moves && Known && Index && First % Bytes == 0) {
        Site.Index = *Index + (First / Bytes);
        Site.Width = (End - First + Bytes - 1) / Bytes;
      }
      if (Moves && Known && G.Rest && Bytes > 0 &&
          (Site.Index = elementAround(*G.Rest, First, End, Bytes, Site.Path, Result.Loops))) {
        Site.Width = 1;
        Site.Whole = Site.Direct = false;
        for (const auto &[At, Access] : G.Parts)
          Located.insert(Access->By);
      }
      if (G.Parts.size() == 1 && G.First->Bytes > 0 && G.First->Bytes <= std::uint64_t(Bytes) * Site.Width)
        Site.Chosen = inElements(G.First->Chosen, Bytes, *G.Block);
      if (const auto &Data = G.First->ByData;
          Data && G.Parts.size() == 1 && G.First->Bytes == std::uint64_t(Bytes) && Values.isKnownIn(*Data, *G.Block))
        Site.ByData = Data->dividedBy(Bytes);
      Result.Sites.push_back(std::move(Site));
      return;
    }
    // By what the text accesses at once, else by elements.
    const std::int64_t Unit = Bytes * (Use ? Use->Width : 1);
    const std::int64_t Origin = G.Rest->dividedBy(Unit) ? 0 : G.Parts.begin()->first;
    auto Floor = [](std::int64_t A, std::int64_t B) { return A / B - (A % B < 0); };
    for (auto Part = G.Parts.begin(); Part != G.Parts.end();) {
      const std::int64_t Begin = Origin + Floor(Part->first - Origin, Unit) * Unit;
      std::int64_t End = Begin + Unit;
      std::int64_t Covered = Begin, Last = Begin;
      bool Implicit = false, Inside = true, Again = false;
      const auto FirstPart = Part;
      for (; Part != G.Parts.end() && Part->first < End; ++Part) {
        const auto &[At, Access] = *Part;
        if (At == Begin) // what is accessed at once may be larger
          End = std::max<std::int64_t>(End, Begin + (Access->Bytes + Bytes - 1) / Bytes * Bytes);
        Again |= At < Last && Access->What == IrAccess::Kind::Store;
        Last = std::max<std::int64_t>(Last, At + Access->Bytes);
        Inside &= Access->Bytes > 0 || Use;
        if (At <= Covered)
          Covered = std::max<std::int64_t>(Covered, At + Access->Bytes);
        const bool IsCopy = Ir.isOfImplicitCopy(*Access->By);
        Implicit |= IsCopy;
        Inside &= IsCopy || !Use || !Use->ByReference || isInsideElement(*Access, Unit, *Use);
      }
      AccessSite Site = site(FirstPart->second, G.Block, Use);
      Site.Whole = Implicit || Covered == End || (Site.What == AccessSite::Kind::Load && Use && Use->Whole);
      Site.Whole &= !Use || Use->Whole; // the only member of a class is as large as the whole
      Site.Width = (End - Begin) / Bytes;
      Site.Direct &= Use && Site.Width == Use->Width && Site.Whole == Use->Whole && Inside;
      if (Begin % Bytes == 0 && Last <= End && Inside) {
        Site.Index = *Index + (Begin / Bytes);
        for (auto Each = FirstPart; Each != Part; ++Each)
          Located.insert(Each->second->By);
      }
      if (Site.What == AccessSite::Kind::Store && !Site.Whole) { // what else the element has stays
        Site.Direct = false;
        if (!Site.Index)
          Site.What = AccessSite::Kind::Escape;
      }
      Result.Sites.push_back(Site);
      if (Again) // a macro may store twice at one place
        Result.Sites.push_back(std::move(Site));
    }
  }

  /// Nothing if one of them is not known where the access is.
  std::vector<ChosenIndex> inElements(std::vector<ChosenIndex> Chosen, std::int64_t Bytes,
                                      const llvm::BasicBlock &Block) const {
    for (ChosenIndex &Each : Chosen) {
      const auto Index = Values.isKnownIn(Each.Index, Block) ? Each.Index.dividedBy(Bytes) : std::nullopt;
      if (!Index)
        return {};
      Each.Index = *Index;
      std::erase_if(Each.Holds, [&](const Less &L) {
        return !Values.isKnownIn(L.Left, Block) || !Values.isKnownIn(L.Right, Block);
      });
    }
    return Chosen;
  }

  AccessSite site(const IrAccess *Access, const llvm::BasicBlock *Block, const TextUse *Use) {
    using Kind = IrAccess::Kind;
    AccessSite Site;
    Site.What = Access->What == Kind::Load     ? AccessSite::Kind::Load
                : Access->What == Kind::Store  ? AccessSite::Kind::Store
                : Access->What == Kind::Atomic ? AccessSite::Kind::Atomic
                                               : AccessSite::Kind::Escape;
    Site.Parameter = Result.Parameters[Access->Argument].Name;
    Site.Direct = Use && Use->isFollowed();
    Site.Compound = Use && Use->Compound;
    Site.Deduced = Use && Use->Deduced && Site.What == AccessSite::Kind::Load;
    Site.Whole = !Use || Use->Whole;
    Site.Width = Use ? Use->Width : 1;
    Site.Path = Paths.to(*Block);
    if (auto *Store = llvm::dyn_cast<llvm::StoreInst>(Access->By))
      Site.Masks = Values.masks(Store->getValueOperand(), *Block);
    place(*Access->By, Use && Access->What != Kind::Atomic ? Use->At : nullptr, Site);
    return Site;
  }

  void place(const llvm::Instruction &By, const clang::Stmt *Here, AccessSite &Site) const {
    if (!Here)
      Here = Text.at(By.getDebugLoc());
    Site.Text = Here ? textOf(*Here, Ir.unit().ast()) : Site.Parameter;
    Site.Where = Here ? Ir.unit().place(Here->getBeginLoc()) : Ir.place(By);
  }

  /// What the text does there; null where that is not known. Of several at one place, all that is said of any.
  const TextUse *useOf(const IrAccess &Access) {
    for (const llvm::DILocation *At = Access.By->getDebugLoc(); At; At = At->getInlinedAt())
      if (TextUse *Use = useAt(Access, {At->getLine(), At->getColumn()})) {
        Use->Calls = callsAround(At);
        return Use;
      }
    return nullptr;
  }
  static unsigned callsAround(const llvm::DILocation *At) {
    unsigned Calls = 0;
    while ((At = At->getInlinedAt()))
      ++Calls;
    return Calls;
  }

  TextUse *useAt(const IrAccess &Access, LineAndColumn Here) {
    auto Distance = [&](const TextUse &Use) {
      const bool Fits =
          Use.Parameter == Access.Argument && (Access.What == IrAccess::Kind::Load    ? Use.Loads || !Use.Stores
                                               : Access.What == IrAccess::Kind::Store ? Use.Stores || !Use.Loads
                                                                                      : !Use.Loads && !Use.Stores);
      const auto Place = Fits ? llvm::find(Use.Places, Here) : Use.Places.end();
      return Place == Use.Places.end() ? PTRDIFF_MAX : Place - Use.Places.begin();
    };
    std::ptrdiff_t Nearest = PTRDIFF_MAX;
    for (const TextUse &Use : TextUses)
      Nearest = std::min(Nearest, Distance(Use));
    TextUse *Found = nullptr;
    for (size_t I = 0; Nearest != PTRDIFF_MAX && I < TextUses.size(); ++I) {
      const TextUse &Use = TextUses[I];
      if (Distance(Use) != Nearest)
        continue;
      Met[I] = true;
      if (!Found) {
        Found = &Combined.emplace_back(Use);
        continue;
      }
      Found->Direct &= Use.isFollowed() && Use.Width == Found->Width && Use.Whole == Found->Whole;
      Found->Compound |= Use.Compound;
      Found->Deduced |= Use.Deduced;
      Found->ByReference |= Use.ByReference;
    }
    return Found;
  }

  /// Does it lie in the object that a reference was taken to where the function was called?
  bool isInsideElement(const IrAccess &Access, std::int64_t Bytes, const TextUse &Use) const {
    std::int64_t Offset = 0;
    for (const llvm::Value *V = Access.Pointer; auto *I = llvm::dyn_cast<llvm::Instruction>(V); V = I->getOperand(0)) {
      const llvm::DILocation *At = I->getDebugLoc();
      if (!At || callsAround(At) <= Use.Calls)
        break;
      llvm::APInt Constant(64, 0);
      auto *Element = llvm::dyn_cast<llvm::GEPOperator>(I);
      if (!llvm::isa<llvm::AddrSpaceCastInst>(I) &&
          (!Element || !Element->accumulateConstantOffset(Values.layout(), Constant)))
        return false;
      Offset += Constant.getSExtValue();
    }
    return Offset >= 0 && Access.Bytes > 0 && Offset + std::int64_t(Access.Bytes) <= Bytes;
  }

  /// Where a pointer goes that is not followed any more.
  void escapes() {
    for (const llvm::Argument &Argument : Ir.kernel().args()) {
      if (Result.Parameters[Argument.getArgNo()].Element.empty())
        continue;
      llvm::SmallSetVector<const llvm::Value *, 16> Derived;
      Derived.insert(&Argument);
      for (size_t I = 0; I < Derived.size(); ++I)
        for (const llvm::Use &Use : Derived[I]->uses()) {
          const llvm::User *User = Use.getUser();
          if (llvm::isa<llvm::GEPOperator, llvm::AddrSpaceCastOperator, llvm::PHINode, llvm::SelectInst>(User)) {
            Derived.insert(User);
          } else if (auto *Call = llvm::dyn_cast<llvm::CallBase>(User)) { // an access of IrMemory
            if (Call->getReturnedArgOperand() == Use)
              Derived.insert(Call);
          } else if (auto *Store = llvm::dyn_cast<llvm::StoreInst>(User);
                     Store ? Use.getOperandNo() == 0
                           : !llvm::isa<llvm::LoadInst, llvm::ICmpInst, llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(
                                 User)) {
            const IrAccess Any{
                IrAccess::Kind::Any, llvm::cast<llvm::Instruction>(User), &Argument, Argument.getArgNo(), {}, 0};
            if (isForAssembly(*Any.By)) // which IrMemory reads
              continue;
            AccessSite Site = site(&Any, Any.By->getParent(), useOf(Any));
            if (isKnownNumber(*Any.By)) // the memory is not used, but an object has no address
              Result.Parameters[Argument.getArgNo()].Otherwise.push_back(
                  {Site.Text, Kernel.getNameAsString(), Site.Where});
            else
              Result.Sites.push_back(std::move(Site));
          }
        }
    }
  }

  /// Such an address is the same for all elements, or a use of the thread.
  bool isKnownNumber(const llvm::Instruction &I) {
    const auto Offset = isOnlyCompared(I) ? placeOf(I.getOperand(0), Values).Offset : std::nullopt;
    if (!Offset || !Values.loopsIn(*Offset).empty())
      return false;
    if (!isUniform(*Offset))
      Result.Uses.push_back({*Offset, "an address", Ir.place(I)});
    return true;
  }

  /// What no code is known of, but the compiler that reads the output asks.
  void unmet() {
    for (const auto &[Use, IsMet] : llvm::zip(TextUses, Met))
      if (!IsMet && (!Use.isFollowed() || Use.Stores))
        Result.Parameters[Use.Parameter].Otherwise.push_back(
            {textOf(*Use.At, Ir.unit().ast()), Kernel.getNameAsString(), Ir.unit().place(Use.At->getBeginLoc())});
    // A load whose value nothing asks has no code, but an object in the pointer's place is asked. Of what stands in the
    // kernel's own text, it is seen by the number.
    for (const TextUse &Use : TextUses) {
      ParameterAccess &P = Result.Parameters[Use.Parameter];
      auto IsOfIt = [&](const TextUse &Each) { return Each.Parameter == Use.Parameter; };
      const auto InCode =
          llvm::count_if(Result.Sites, [&](const AccessSite &Site) { return Site.Parameter == P.Name; });
      if (InCode != llvm::count_if(TextUses, IsOfIt) || llvm::any_of(Combined, [&](const TextUse &Each) {
            return IsOfIt(Each) && (Each.ByReference || Each.Calls > 0);
          }))
        P.Idle.push_back(
            {textOf(*Use.At, Ir.unit().ast()), Kernel.getNameAsString(), Ir.unit().place(Use.At->getBeginLoc())});
    }
  }

  // Everything else.

  /// Does it happen only where an element is stored, or might be, for each of which the fused kernel does it?
  bool isWithStore(const llvm::Instruction &I) {
    const std::vector<PathStep> Own = Paths.to(*I.getParent());
    return llvm::any_of(Result.Sites, [&](const AccessSite &Site) {
      return Site.What == AccessSite::Kind::Store && llvm::all_of(Site.Path, [&](const PathStep &Step) {
               return Step.What != PathStep::Kind::Unknown && llvm::any_of(Own, [&](const PathStep &Each) {
                        return Each.What == Step.What && Each.Id == Step.Id && Each.Taken == Step.Taken;
                      });
             });
    });
  }

  /// What goes from one turn of a loop over the grid to the next, beside what counts them.
  void carried(const llvm::Loop &L, const KernelAccesses &Plain) {
    LoopAccess *Grid = nullptr;
    for (const llvm::PHINode &Phi : L.getHeader()->phis())
      if (const auto Id = Values.loop(&Phi); Id && !Grid && isGridStride(Plain.Loops[*Id]))
        Grid = &Result.Loops[*Id];
    if (!Grid)
      return;
    std::vector<Finding> Carried;
    auto Add = [&](const llvm::Value &V) { Carried.push_back({nameOf(V), Kernel.getNameAsString(), Grid->Where}); };
    for (const llvm::PHINode &Phi : L.getHeader()->phis()) {
      const auto Id = Values.loop(&Phi);
      if (Id ? &Result.Loops[*Id] != Grid : !Values.counts(Phi)) // also what counts turns
        Add(Phi);
    }
    for (const llvm::Value *Variable : carriedVariables(L, Ir, Kernel, Values, Paths))
      Add(*Variable);
    Grid->Carried = std::move(Carried);
  }

  void bound(const llvm::Loop &L) {
    auto Turns = turnsOf(L, Values, Memory);
    if (!Turns)
      return;
    std::vector<Finding> Why;
    for (const auto &[By, What] : Turns->Bound)
      Why.push_back(findingAt(*By, What));
    for (const llvm::PHINode &Phi : L.getHeader()->phis())
      if (const auto Id = Values.loop(&Phi)) {
        Result.Loops[*Id].Bound = Why;
        RowLoop &Row = Rows.emplace(*Id, Turns->Loop).first->second;
        for (const auto &[Number, P] : llvm::enumerate(Result.Parameters))
          if (Result.Loops[*Id].Step == Polynomial::atom(P.Name))
            Row.Step = static_cast<unsigned>(Number);
      }
  }

  /// Is the pointer asked for nothing but accesses whose indices are known?
  bool leadsToSites(const llvm::Value &Pointer) const {
    return llvm::all_of(Pointer.users(), [&](const llvm::User *User) {
      if (llvm::isa<llvm::GetElementPtrInst, llvm::AddrSpaceCastInst>(User))
        return leadsToSites(*User);
      auto *Store = llvm::dyn_cast<llvm::StoreInst>(User);
      auto *I = llvm::dyn_cast<llvm::Instruction>(User);
      return I && Located.contains(I) && !(Store && Store->getValueOperand() == &Pointer);
    });
  }

  /// Made of nothing but parameters?
  bool isUniform(const Polynomial &P) const {
    return llvm::all_of(P.atoms(), [&](const std::string &Atom) { return Result.parameter(Atom); });
  }

  /// Values are followed as far as they are polynomials: where one ends up in anything else.
  void uses(const llvm::Instruction &I) {
    auto *Phi = llvm::dyn_cast<llvm::PHINode>(&I);
    if (I.isDebugOrPseudoInst() || (Phi && Values.counts(*Phi)) || (Values.of(&I) && !Values.mayDivideOther(I)) ||
        (llvm::isa<llvm::GetElementPtrInst>(I) && leadsToSites(I)) || Values.endsForAll(I))
      return;
    for (const llvm::Use &Operand : I.operands()) {
      // Of what may have lost bits, the dividend is used, and the quotient is a function of that.
      if (auto *Divides = llvm::dyn_cast<llvm::Instruction>(Operand); Divides && Values.mayDivideOther(*Divides))
        continue;
      std::optional<Polynomial> P = Values.of(Operand);
      const llvm::BasicBlock *Block = Phi ? Phi->getIncomingBlock(Operand) : I.getParent();
      if (P && !Values.isKnownIn(*P, *Block)) // the last value that a loop has counted
        P = Polynomial::atom(builtinAtom(Builtin::ThreadIdx, 0));
      else if (!P || isUniform(*P))
        continue;
      const clang::Stmt *Here = Text.at(I.getDebugLoc());
      ThreadUse Use{*P, Here ? textOf(*Here, Ir.unit().ast()) : "a value",
                    Here ? Ir.unit().place(Here->getBeginLoc()) : Ir.place(I)};
      if (llvm::none_of(Result.Uses, [&](const ThreadUse &Each) {
            return Each.Value == Use.Value && Each.Where.str() == Use.Where.str();
          }))
        Result.Uses.push_back(std::move(Use));
    }
  }

  /// Those that nothing of all this has.
  void forgetQuotients() {
    std::set<std::string> Kept;
    auto Keep = [&](auto &&Again, const Polynomial &P) -> void {
      for (const std::string &Atom : P.atoms())
        if (auto Q = Result.Quotients.find(Atom); Q != Result.Quotients.end() && Kept.insert(Atom).second) {
          Again(Again, Q->second.Dividend);
          Again(Again, Q->second.Divisor);
        }
    };
    for (const AccessSite &Site : Result.Sites)
      forEachPolynomial(Site, [&](const Polynomial &P) { Keep(Keep, P); });
    for (const LoopAccess &Loop : Result.Loops)
      Keep(Keep, Loop.Start), Keep(Keep, Loop.Step);
    for (const ThreadUse &Use : Result.Uses)
      Keep(Keep, Use.Value);
    std::erase_if(Result.Quotients, [&](const auto &Q) { // what the launch asks is none
      return !Kept.count(Q.first) && !(Q.second.Narrow != Quotient::Wraps::Never && Q.second.Divisor == 1);
    });
  }

  /// Runs the kernel when it is asked, for as long as anybody keeps what is known of it.
  void needsThreads() {
    if (Rows.empty())
      return;
    using Asked = std::pair<std::string, std::vector<unsigned>>;
    auto Known = std::make_shared<std::map<Asked, std::optional<Finding>>>();
    Result.NeedsThreads = [Ir = Kept, Rows = std::move(Rows), Known](BlockShape Block, llvm::ArrayRef<unsigned> Loops) {
      const auto [At, IsNew] = Known->try_emplace({Block.str(), Loops.vec()});
      if (!IsNew)
        return At->second;
      std::vector<const RowLoop *> Of;
      for (unsigned Loop : Loops)
        Of.push_back(&Rows.at(Loop));
      if (const auto Why = needsItsThreads(Ir->kernel(), Block, Of)) {
        At->second = Finding{Why->Why, {}, {}};
        At->second->Where = Ir->place(Why->At ? *Why->At : *Of.front()->Header->getTerminator());
      }
      return At->second;
    };
  }

  const std::shared_ptr<const DeviceIr> Kept;
  const DeviceIr &Ir;
  const clang::FunctionDecl &Kernel;
  IrValues Values;
  const IrMemory Memory;
  const TextPlaces Text;
  IrPaths Paths;
  const std::vector<TextUse> TextUses;
  std::vector<bool> Met; ///< Of these, by the code.
  std::deque<TextUse> Combined;
  llvm::DenseSet<const llvm::Instruction *> Located; ///< Accesses whose indices are known.
  std::map<unsigned, RowLoop> Rows;
  KernelAccesses &Result;
};

/// Functions that read where a thread is, and in whose text no parameter of the kernel is visible.
void addHiddenReads(const ParsedUnit &Unit, const Reached &Reach, KernelAccesses &Into) {
  const std::set<const clang::FunctionDecl *> Readers = readersOf(Reach, [](Builtin) { return true; });
  auto Add = [&](const clang::FunctionDecl *Of, clang::SourceLocation Where) {
    Into.Together.push_back({Of->getNameAsString() + " reads where the thread is, and is not followed",
                             Reach.Kernel->getNameAsString(), Unit.place(Where)});
  };
  for (const auto &[Function, Use] : Reach.Functions) {
    auto *Method = llvm::dyn_cast<clang::CXXMethodDecl>(Function);
    if (Readers.count(Function) && isLambda(*Function) &&
        Method->getParent()->getLambdaCaptureDefault() == clang::LCD_None)
      Add(Function, Function->getLocation());
    for (const BuiltinRead &Read : Use.Reads)
      if (Read.OutsideBody && !Use.System)
        Add(Function, Read.Where);
  }
}

} // namespace

KernelAccesses collectAccesses(const ParsedUnit &Unit, const Reached &Reach, std::shared_ptr<const DeviceIr> Ir) {
  std::vector<ParameterAccess> Parameters = parametersOf(*Reach.Kernel);
  KernelAccesses Found;
  if (!Ir || Ir->kernel().arg_size() != Parameters.size()) {
    const Finding Unknown{"Clang generates no device code for it that could be read", Reach.Kernel->getNameAsString(),
                          Unit.place(Reach.Kernel->getLocation())};
    Found.Parameters = std::move(Parameters);
    Found.Unfollowed.push_back(Unknown);
    Found.OtherMemory.push_back(Unknown);
  } else {
    Found = Collector(std::move(Ir), *Reach.Kernel, std::move(Parameters)).run();
  }
  addHiddenReads(Unit, Reach, Found);
  for (const clang::VarDecl *Global : Reach.Globals)
    if (!Global->hasAttr<clang::CUDASharedAttr>() && leadsToPointer(Global->getType()))
      Found.PointerVariables.push_back(Global->getQualifiedNameAsString());
  return Found;
}

} // namespace cufuse
