#include "IrTurns.h"

#include "IrAccumulation.h"

#include "cufuse/Support/BlockShape.h"

#include <llvm/ADT/DepthFirstIterator.h>
#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

namespace cufuse {

namespace {

/// Does a loop's variable begin at the thread's number?
bool isOfThread(const llvm::PHINode &Phi, IrValues &Values) {
  const auto Id = Values.loop(&Phi);
  return Id && Values.known().Loops[*Id].Start.contains(builtinAtom(Builtin::ThreadIdx, 0));
}
bool isOfThread(const llvm::Loop &L, IrValues &Values) {
  return llvm::any_of(L.getHeader()->phis(), [&](const llvm::PHINode &Phi) { return isOfThread(Phi, Values); });
}

class Turns {
public:
  Turns(const llvm::Loop &L, IrValues &Values, const IrMemory &Memory, bool InWarp)
      : L(L), Values(Values), Memory(Memory), InWarp(InWarp) {
    for (const auto &[By, What] : Memory.Together)
      Together.insert(By);
    for (const IrAccess &Access : Memory.Accesses)
      Accesses[Access.By].push_back(&Access);
  }

  using Reasons = std::vector<std::pair<const Instruction *, std::string>>;

  Reasons run() {
    inside();
    if (Found.empty())
      Found = Partials(*this).run();
    return std::move(Found);
  }

private:
  void inside() {
    findThreads();
    if (!L.getLoopLatch())
      Found.push_back({L.getHeader()->getTerminator(), "it goes on at several places"});
    else
      for (const llvm::PHINode &Phi : L.getHeader()->phis())
        leaves(Phi);
    for (const llvm::BasicBlock *Block : L.blocks())
      for (const Instruction &I : *Block)
        if (!I.isDebugOrPseudoInst() && !I.isLifetimeStartOrEnd() && !isOfHeader(I))
          see(I);
    for (const auto *All : {&Memory.Together, &Memory.Reports})
      for (const auto &[By, What] : *All)
        if (L.contains(By))
          Found.push_back({By, "it calls " + What});
  }

  void leaves(const llvm::PHINode &Phi) {
    Accumulation Of(Phi, L);
    if (Values.counts(Phi) ? isOfThread(Phi, Values) && !std::exchange(Counted, true) : Of.run()) {
      for (const llvm::Value *Each : Of.values())
        Sums.insert({Each, Of.known()});
      return;
    }
    Found.push_back({&Phi, "it leaves " + nameOf(Phi) + " to the next turn, which is no sum"});
  }

  bool isOfHeader(const Instruction &I) const { return llvm::isa<llvm::PHINode>(I) && I.getParent() == L.getHeader(); }

  // What depends on the thread.

  /// What a warp makes known to all of its threads.
  static bool isForAll(const Instruction &I) {
    const llvm::StringRef Name = calleeOf(I);
    return llvm::any_of(
        std::array{"llvm.nvvm.shfl.sync.bfly", "llvm.nvvm.shfl.sync.idx", "llvm.nvvm.redux", "llvm.nvvm.barrier"},
        [&](const char *Each) { return Name.starts_with(Each); });
  }
  /// `part + __shfl_xor_sync(…, part, …)`, and what a loop of these makes of it: so a warp sums, or the like, what its
  /// threads have.
  static const llvm::Value *summedByWarp(const llvm::Value &V) {
    auto *I = llvm::dyn_cast<Instruction>(&V);
    if (!I || (!llvm::isa<llvm::BinaryOperator>(I) && !llvm::isa<llvm::CallBase>(I)))
      return nullptr;
    for (const llvm::Use &Each : I->operands())
      if (auto *Call = llvm::dyn_cast<llvm::CallBase>(Each); Call && calleeOf(*Call).starts_with("llvm.nvvm.shfl."))
        for (const llvm::Use &Own : I->operands())
          if (isForAll(*Call) && Own != Each && llvm::is_contained(Call->args(), Own.get()))
            return Own;
    return nullptr;
  }
  bool isSummedByWarp(const Instruction &I) const {
    auto *Phi = llvm::dyn_cast<llvm::PHINode>(&I);
    const llvm::Loop *Of = Phi ? Values.loops().getLoopFor(Phi->getParent()) : nullptr;
    if (!Of || Of->getHeader() != Phi->getParent() || !Of->getLoopLatch())
      return summedByWarp(I) != nullptr;
    return summedByWarp(*Phi->getIncomingValueForBlock(Of->getLoopLatch())) == Phi;
  }
  static bool isOfBlock(llvm::StringRef Register) {
    return llvm::any_of(std::array{"ntid", "ctaid", "nctaid", "warpsize", "gridid"},
                        [&](const char *Each) { return Register.starts_with(Each); });
  }

  /// A number that is the same for all threads of a block that is one warp.
  bool isOfWarp(const Instruction &I) const {
    const auto Number = I.getType()->isIntegerTy() ? Values.of(&I) : std::nullopt;
    return Number && llvm::all_of(inBlock(*Number, Values.known().Quotients, WarpSize).atoms(), [&](const auto &Atom) {
             return Values.known().parameter(Atom) || (isBuiltin(Atom) && !Atom.starts_with("threadIdx."));
           });
  }

  void depends(const llvm::Value &V) {
    if (Thread.insert(&V).second)
      Open.push_back(&V);
  }

  void findThreads() {
    for (const Instruction &I : llvm::instructions(*L.getHeader()->getParent())) {
      llvm::StringRef Name = calleeOf(I);
      if (Name.consume_front("llvm.nvvm.read.ptx.sreg.") ? !isOfBlock(Name) : Together.contains(&I) && !isForAll(I))
        depends(I);
    }
    for (const llvm::Loop *Other : Values.loops().getLoopsInPreorder())
      if (Other != &L && isOfThread(*Other, Values))
        for (const llvm::PHINode &Phi : Other->getHeader()->phis())
          depends(Phi);
    do
      follow();
    while (chosen());
  }

  void follow() {
    while (!Open.empty()) {
      const llvm::Value *V = Open.pop_back_val();
      for (const llvm::User *User : V->users()) {
        auto *I = llvm::dyn_cast<Instruction>(User);
        if (!I || isOfHeader(*I) || isForAll(*I) || isSummedByWarp(*I) || (InWarp && isOfWarp(*I)))
          continue;
        // A variable of the thread has what is stored there, or what is called with it leaves there.
        if (I->mayWriteToMemory())
          for (const llvm::Use &Each : I->operands())
            if (Each->getType()->isPointerTy())
              if (const llvm::Value *Of = llvm::getUnderlyingObject(Each); llvm::isa<llvm::AllocaInst>(Of))
                depends(*Of);
        if (!I->getType()->isVoidTy())
          depends(*I);
      }
    }
  }

  /// What a condition of the thread chooses.
  bool chosen() {
    for (const Instruction &I : llvm::instructions(*L.getHeader()->getParent()))
      if (auto *Phi = llvm::dyn_cast<llvm::PHINode>(&I);
          Phi && !isOfHeader(I) && !isSummedByWarp(I) && !Thread.contains(Phi) && isChosenByThread(*Phi))
        depends(*Phi);
    return !Open.empty();
  }
  bool isChosenByThread(const llvm::PHINode &Phi) const {
    const auto *Node = Values.dominators().getNode(Phi.getParent());
    if (!Node || !Node->getIDom())
      return false;
    const llvm::BasicBlock *First = Node->getIDom()->getBlock();
    llvm::df_iterator_default_set<const llvm::BasicBlock *> Met;
    Met.insert(First);
    auto Asks = [&](const llvm::BasicBlock *Block) {
      return llvm::any_of(Block->getTerminator()->operands(),
                          [&](const llvm::Use &Each) { return Thread.contains(Each); });
    };
    return Asks(First) || llvm::any_of(Phi.blocks(), [&](const llvm::BasicBlock *From) {
             return llvm::any_of(llvm::inverse_depth_first_ext(From, Met), Asks);
           });
  }

  // What stands in the loop.

  void see(const Instruction &I) {
    for (const llvm::Use &Each : I.operands())
      if (Thread.contains(Each))
        return Found.push_back({&I, nameOf(*Each) + " depends on the thread"});
    const auto Own = Accesses.find(&I);
    if (Own != Accesses.end()) {
      if (llvm::any_of(Own->second, [](const IrAccess *Each) {
            return Each->What == IrAccess::Kind::Atomic || Each->What == IrAccess::Kind::Any;
          }))
        Found.push_back({&I, "what it does with an array is not known"});
      return;
    }
    if (llvm::any_of(Memory.Elsewhere, [&](const auto &Each) { return Each.first == &I; }))
      Found.push_back({&I, "it uses memory that no parameter leads to"});
    else if (auto *Load = llvm::dyn_cast<llvm::LoadInst>(&I))
      loads(I, *Load->getPointerOperand());
    else if (I.mayWriteToMemory())
      for (const llvm::Use &Each : I.operands())
        if (Each->getType()->isPointerTy() && !llvm::isa<llvm::Function>(Each) && !isOfTurn(*Each))
          Found.push_back({&I, "it stores to " + nameOf(*llvm::getUnderlyingObject(Each))});
  }

  void loads(const Instruction &I, const llvm::Value &From) {
    const llvm::Value *Of = llvm::getUnderlyingObject(&From);
    auto *Variable = llvm::dyn_cast<llvm::GlobalVariable>(Of);
    constexpr unsigned Constant = 4;
    if (!L.isLoopInvariant(&From) && !isOfTurn(From) &&
        !(Variable && (Variable->isConstant() || Variable->getAddressSpace() == Constant)))
      Found.push_back({&I, "another element of " + nameOf(*Of) + " in every turn"});
  }

  /// Of a variable that begins anew in each turn.
  bool isOfTurn(const llvm::Value &Pointer) const {
    const llvm::Value *Of = llvm::getUnderlyingObject(&Pointer);
    return llvm::isa<llvm::AllocaInst>(Of) && llvm::any_of(Of->users(), [&](const llvm::User *User) {
             auto *I = llvm::dyn_cast<Instruction>(User);
             return I && I->isLifetimeStartOrEnd() && L.contains(I);
           });
  }

  /// What a thread has of a sum of the row when the loop ends is another part of it in another order of turns. So it
  /// goes to shared memory, to other threads, or into a sum in memory; and what comes of it is stored at a place that
  /// does not depend on the thread, or in a loop over the row.
  class Partials {
  public:
    explicit Partials(const Turns &Of) : Of(Of), L(Of.L) {}

    Reasons run() {
      for (const llvm::BasicBlock *Block : L.blocks())
        for (const Instruction &I : *Block)
          if (isUsedBehind(I))
            begin(I);
      follow();
      for (const auto &[V, Part] : Parts)
        for (const llvm::User *User : V->users())
          if (auto *I = llvm::dyn_cast<Instruction>(User); I && !L.contains(I))
            see(*I, *V, Part);
          else if (I && !Of.isOfHeader(*I) && !Of.Sums.count(V))
            found(*I, *V);
      joined();
      staged();
      return std::move(Found);
    }

  private:
    struct Part {
      Accumulation::Operation Sum = Accumulation::Operation::Unknown;
      bool Exchanged = false; ///< It is one with the parts of other threads.
      bool Received = false;  ///< It is another thread's, as it came.
      bool Own = true;        ///< Not the same in all threads of a warp.
      bool operator==(const Part &) const = default;
    };

    void found(const Instruction &I, const llvm::Value &V) {
      Found.push_back({&I, nameOf(V) + " is a thread's own part of the row"});
    }
    bool isUsedBehind(const Instruction &I) const {
      return llvm::any_of(I.users(), [&](const llvm::User *User) {
        auto *By = llvm::dyn_cast<Instruction>(User);
        return By && !L.contains(By);
      });
    }
    void begin(const Instruction &I) {
      const auto Sum = Of.Sums.find(&I);
      if (Sum == Of.Sums.end())
        found(I, I);
      else if (Sum->second != Accumulation::Operation::Unknown) // else, no turn changes it
        add(I, {.Sum = Sum->second});
    }
    void add(const llvm::Value &V, Part P) {
      const auto [At, New] = Parts.insert({&V, P});
      Part &Known = At->second;
      const Part Before = Known;
      Known.Exchanged |= P.Exchanged;
      Known.Own |= P.Own;
      Known.Received |= P.Received;
      if (Known.Sum != P.Sum)
        Known.Sum = Accumulation::Operation::Unknown;
      if (New || !(Before == Known))
        Open.push_back(&V);
    }

    void follow() {
      auto IsShared = [this](const llvm::Use &Each) { return isShared(Each); };
      while (!Open.empty()) {
        const llvm::Value *V = Open.pop_back_val();
        const Part Known = Parts.lookup(V);
        for (const llvm::User *User : V->users()) {
          auto *I = llvm::dyn_cast<Instruction>(User);
          if (!I || L.contains(I))
            continue;
          for (const llvm::Use &Each : I->operands())
            if (I->mayWriteToMemory() && Each->getType()->isPointerTy())
              if (const llvm::Value *To = llvm::getUnderlyingObject(Each); llvm::isa<llvm::AllocaInst>(To) && To != V)
                add(*To, Known);
          if (I->getType()->isVoidTy() || llvm::isa<llvm::CmpInst>(I))
            continue;
          const bool Joins = joins(*I, Known.Sum),
                     Hands = handsOver(*I) && Known.Sum != Accumulation::Operation::Unknown;
          add(*I, {.Sum = Known.Sum,
                   .Exchanged = Known.Exchanged || Joins || (Of.Together.contains(I) && !Hands) ||
                                llvm::any_of(I->operands(), IsShared),
                   .Received = ((Known.Received && passesOn(*I)) || Hands) && !Joins,
                   .Own = Known.Own && !isForAll(*I) && !Of.isSummedByWarp(*I)});
        }
      }
    }
    static bool handsOver(const Instruction &I) { return calleeOf(I).starts_with("llvm.nvvm.shfl."); }
    /// The value as it is, in another form, or a part of a larger one.
    static bool isAsItCame(const Instruction &I) {
      return llvm::isa<llvm::PHINode, llvm::CastInst, llvm::FreezeInst, llvm::ExtractValueInst, llvm::InsertValueInst,
                       llvm::ExtractElementInst, llvm::InsertElementInst>(I);
    }
    /// As it came, or a half of it.
    static bool passesOn(const Instruction &I) {
      auto *Call = llvm::dyn_cast<llvm::CallBase>(&I);
      auto *Binary = llvm::dyn_cast<llvm::BinaryOperator>(&I);
      return (Call && Call->isInlineAsm()) ||
             (Binary && (Binary->isShift() || Binary->getOpcode() == Instruction::Or)) ||
             llvm::isa<llvm::SelectInst>(I) || isAsItCame(I);
    }
    /// Does it make one part of another thread's and one more? Halves of a wide one are put together otherwise.
    bool joins(const Instruction &I, Accumulation::Operation Sum) const {
      using Operation = Accumulation::Operation;
      unsigned Count = 0, Received = 0;
      bool IsBySum = false;
      for (const llvm::Use &Each : I.operands())
        if (const auto Own = Parts.find(Each.get()); Own != Parts.end()) {
          ++Count;
          Received += Own->second.Received;
          IsBySum |= Accumulation::operation(I, Each.getOperandNo()) == Sum;
        }
      if (Count < 2 || Received == 0)
        return false;
      if (llvm::isa<llvm::PHINode, llvm::SelectInst>(I))
        return Sum == Operation::Most || Sum == Operation::Least;
      return Received < Count || IsBySum;
    }

    bool isOfThreads(const llvm::Value *V) const { return Of.Thread.contains(V) || Parts.count(V); }
    /// Where threads leave their parts for others.
    bool isShared(const llvm::Value *V) const {
      auto *Load = llvm::dyn_cast<llvm::LoadInst>(V);
      return Load && !L.contains(Load) && !isGlobal(*Load) &&
             !llvm::isa<llvm::AllocaInst>(llvm::getUnderlyingObject(Load->getPointerOperand()));
    }
    bool isGlobal(const Instruction &I) const {
      return Of.Accesses.count(&I) ||
             llvm::any_of(Of.Memory.Elsewhere, [&](const auto &Each) { return Each.first == &I; });
    }
    /// In a loop over the row whose turns may be other threads', too.
    bool isOfRow(const Instruction &I) const {
      for (const llvm::Loop *M = Of.Values.loops().getLoopFor(I.getParent()); M; M = M->getParentLoop())
        if (isOfThread(*M, Of.Values)) {
          Turns Other(*M, Of.Values, Of.Memory, Of.InWarp);
          Other.inside();
          return Other.Found.empty();
        }
      return false;
    }

    void see(const Instruction &I, const llvm::Value &V, const Part &P) {
      if (llvm::isa<llvm::StoreInst, llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(I) || isGlobal(I))
        stores(I, V, P);
      else if (llvm::isa<llvm::CmpInst>(I) || I.isTerminator())
        P.Own && !(llvm::isa<llvm::CmpInst>(I) && Accumulation::choosesExtreme(I)) ? found(I, V) : void();
      else if (!P.Exchanged && !P.Received && !Of.Together.contains(&I) && !isStep(I, V, P.Sum))
        found(I, V);
    }

    void stores(const Instruction &I, const llvm::Value &V, const Part &P) {
      const llvm::Value *To = llvm::getLoadStorePointerOperand(&I);
      auto *Change = llvm::dyn_cast<llvm::AtomicRMWInst>(&I);
      if (Change)
        To = Change->getPointerOperand();
      if (const auto Own = Of.Accesses.find(&I); !To && Own != Of.Accesses.end() && Own->second.size() == 1 &&
                                                 Own->second.front()->What == IrAccess::Kind::Store)
        To = Own->second.front()->Pointer; // with a cache hint
      const llvm::Value *Object = To ? llvm::getUnderlyingObject(To) : nullptr;
      if (!To || (To == &V && !llvm::isa<llvm::AllocaInst>(Object)) || (Change && !isSum(*Change, P.Sum)))
        found(I, V);
      else if (isGlobal(I) && ((!Change && !P.Exchanged) || (isOfThreads(To) && !isOfRow(I))))
        found(I, V);
      else if (!isGlobal(I) && !llvm::isa<llvm::AllocaInst>(Object))
        Staged[Object].insert({&I, {.Sum = P.Sum, .Exchanged = P.Exchanged || Change}});
    }

    static bool isSum(const llvm::AtomicRMWInst &I, Accumulation::Operation Sum) {
      using A = llvm::AtomicRMWInst;
      switch (I.getOperation()) {
      case A::Add:
      case A::FAdd:
        return Sum == Accumulation::Operation::Sum;
      case A::Max:
      case A::UMax:
      case A::FMax:
        return Sum == Accumulation::Operation::Most;
      case A::Min:
      case A::UMin:
      case A::FMin:
        return Sum == Accumulation::Operation::Least;
      case A::And:
        return Sum == Accumulation::Operation::And;
      case A::Or:
        return Sum == Accumulation::Operation::Or;
      case A::Xor:
        return Sum == Accumulation::Operation::Xor;
      default:
        return false;
      }
    }

    static bool isHigher(const llvm::Value *V) {
      auto *Binary = llvm::dyn_cast<llvm::BinaryOperator>(V);
      return Binary && Binary->getOpcode() == Instruction::Shl;
    }

    /// What may be done with each part as well as with the sum of all.
    bool isStep(const Instruction &I, const llvm::Value &V, Accumulation::Operation Sum) const {
      using Operation = Accumulation::Operation;
      if (const Operation Chosen = Accumulation::extreme(I); Chosen != Operation::Unknown)
        return Chosen == Sum;
      if (auto *Select = llvm::dyn_cast<llvm::SelectInst>(&I))
        return Select->getCondition() != &V;
      if (llvm::isa<llvm::FPToSIInst, llvm::FPToUIInst>(I)) // which rounds each
        return Sum == Operation::Most || Sum == Operation::Least;
      if (isAsItCame(I) || llvm::isa<llvm::GetElementPtrInst, llvm::LoadInst>(I) || I.isLifetimeStartOrEnd())
        return true;
      auto *Binary = llvm::dyn_cast<llvm::BinaryOperator>(&I);
      if (Binary && Binary->isShift()) // the halves of a wide one
        return llvm::isa<llvm::Constant>(Binary->getOperand(1)) || isOfThreads(Binary->getOperand(0));
      if (Binary && Binary->getOpcode() == Instruction::Or && llvm::any_of(Binary->operands(), isHigher))
        return true;
      for (const llvm::Use &Each : I.operands())
        if (Each == &V) {
          const llvm::Value *Other = Binary ? Binary->getOperand(1 - Each.getOperandNo()) : nullptr;
          const bool Scales = Binary && (I.getOpcode() == Instruction::FMul || I.getOpcode() == Instruction::Mul ||
                                         (I.getOpcode() == Instruction::FDiv && Each.getOperandNo() == 0));
          const bool Subtracts = I.getOpcode() == Instruction::FSub || I.getOpcode() == Instruction::Sub;
          if (Sum == Operation::Sum && ((Scales && !isOfThreads(Other)) || Subtracts))
            continue;
          if (Sum == Operation::Unknown || Accumulation::operation(I, Each.getOperandNo()) != Sum)
            return I.getOpcode() == Instruction::FNeg && Sum == Operation::Sum;
        }
      return true;
    }

    /// In one turn of all loops around both.
    bool comesBefore(const Instruction &A, const Instruction &B) const {
      if (A.getParent() == B.getParent())
        return A.comesBefore(&B);
      const llvm::DominatorTree &Tree = Of.Values.dominators();
      llvm::SmallPtrSet<const llvm::BasicBlock *, 16> Met = {A.getParent()};
      llvm::SmallVector<const llvm::BasicBlock *, 16> Next = {A.getParent()};
      while (!Next.empty()) {
        const llvm::BasicBlock *From = Next.pop_back_val();
        for (const llvm::BasicBlock *To : llvm::successors(From))
          if (!Tree.dominates(To, From) && Met.insert(To).second)
            Next.push_back(To);
      }
      return Met.contains(B.getParent());
    }
    /// Of which operation the part is that is loaded, by what was stored in the object last before it; nothing where
    /// that is no part.
    std::optional<Accumulation::Operation> stagedFor(const llvm::LoadInst &Load, const llvm::Value &Object) const {
      const llvm::DominatorTree &Tree = Of.Values.dominators();
      // How late a store is, of those on the way to the load: behind a condition, it is behind what stands before that.
      auto IsLater = [&](const Instruction *A, const Instruction *B) {
        auto Common = [&](const Instruction *I) {
          return Tree.findNearestCommonDominator(I->getParent(), Load.getParent());
        };
        const llvm::BasicBlock *OfA = Common(A), *OfB = Common(B);
        if (OfA != OfB)
          return Tree.properlyDominates(OfB, OfA);
        if (A->getParent() == B->getParent())
          return B->comesBefore(A);
        return B->getParent() == OfB;
      };
      const llvm::StoreInst *Last = nullptr;
      for (const Instruction &I : llvm::instructions(*L.getHeader()->getParent()))
        if (auto *Store = llvm::dyn_cast<llvm::StoreInst>(&I);
            Store && llvm::getUnderlyingObject(Store->getPointerOperand()) == &Object && comesBefore(*Store, Load) &&
            (!Last || IsLater(Store, Last)))
          Last = Store;
      const auto &Parts = Staged.find(&Object)->second;
      const auto Found = Last ? Parts.find(Last) : Parts.begin(); // an atomic one
      return Found == Parts.end() ? std::nullopt : std::optional(Found->second.Sum);
    }
    /// Each turn of a loop scales another part otherwise.
    bool isWeighted(const Instruction &I, const llvm::Value &V) const {
      const llvm::Loop *Around = Of.Values.loops().getLoopFor(I.getParent());
      return Around && !Around->isLoopInvariant(&V) &&
             (I.getOpcode() == Instruction::FMul || I.getOpcode() == Instruction::Mul) &&
             llvm::any_of(I.operands(),
                          [&](const llvm::Use &Each) { return Each != &V && !Around->isLoopInvariant(Each); });
    }
    /// Parts become one by what made them.
    void joined() {
      using Operation = Accumulation::Operation;
      for (const auto &[V, Part] : Parts)
        for (const llvm::User *User : V->users()) {
          auto *I = llvm::dyn_cast<Instruction>(User);
          if (!I || L.contains(I) || Part.Sum == Operation::Unknown || !Part.Received)
            continue;
          const bool IsOfTwo =
              llvm::count_if(I->operands(), [&](const llvm::Use &Each) { return Parts.count(Each) > 0; }) > 1;
          const bool Subtracts = I->getOpcode() == Instruction::Sub || I->getOpcode() == Instruction::FSub;
          const bool Chooses = Accumulation::extreme(*I) != Operation::Unknown;
          const bool IsKnown =
              llvm::isa<llvm::BinaryOperator>(I) || Chooses || Accumulation::operation(*I, 0) != Operation::Unknown;
          auto *Compare = llvm::dyn_cast<llvm::CmpInst>(I);
          if (Compare ? !Accumulation::choosesExtreme(*I) && Accumulation::storedExtreme(*Compare) != Part.Sum
                      : IsKnown && ((IsOfTwo && Subtracts) || ((IsOfTwo || Chooses) && !isStep(*I, *V, Part.Sum)) ||
                                    (Part.Sum == Operation::Sum && isWeighted(*I, *V))))
            found(*I, *V);
        }
    }

    /// What threads leave in shared memory, and then load there by their numbers, may be parts still.
    void staged() {
      if (Staged.empty())
        return;
      Parts.clear();
      ValueSet Received;
      for (const Instruction &I : llvm::instructions(*L.getHeader()->getParent())) {
        if (!isShared(&I))
          continue;
        auto &Load = llvm::cast<llvm::LoadInst>(I);
        const llvm::Value *Object = llvm::getUnderlyingObject(Load.getPointerOperand());
        const bool ByThread = Of.Thread.contains(Load.getPointerOperand());
        const llvm::Loop *Around = Of.Values.loops().getLoopFor(I.getParent());
        if (!ByThread && !(Around && !Around->isLoopInvariant(Load.getPointerOperand())))
          continue;
        const auto Sum = Staged.count(Object) ? stagedFor(Load, *Object) : std::nullopt;
        if (Sum)
          Received.insert(&I);
        if (Sum || ByThread)
          add(I, {.Sum = Sum.value_or(Accumulation::Operation::Unknown),
                  .Exchanged = true,
                  .Received = Sum.has_value(),
                  .Own = ByThread});
      }
      for (const auto &[Object, Stores] : Staged)
        for (const auto &[Store, Stored] : Stores)
          if (!Stored.Exchanged && llvm::none_of(Received, [&](const llvm::Value *Load) {
                return llvm::getUnderlyingObject(llvm::getLoadStorePointerOperand(Load)) == Object;
              }))
            found(*Store, *Store->getOperand(0));
      follow();
      joined();
      for (const auto &[V, Part] : Parts)
        for (const llvm::User *User : V->users())
          if (auto *I = llvm::dyn_cast<Instruction>(User); I && Part.Own && !L.contains(I) && isGlobal(*I))
            if (const llvm::Value *To = llvm::getLoadStorePointerOperand(I); To && isOfThreads(To) && !isOfRow(*I))
              found(*I, *V);
    }

    const Turns &Of;
    const llvm::Loop &L;
    llvm::MapVector<const llvm::Value *, Part> Parts;
    llvm::SmallVector<const llvm::Value *, 16> Open;
    /// Where parts are stored in shared memory, by object.
    llvm::MapVector<const llvm::Value *, llvm::MapVector<const Instruction *, Part>> Staged;
    Reasons Found;
  };

  const llvm::Loop &L;
  IrValues &Values;
  const IrMemory &Memory;
  const bool InWarp;
  ValueSet Together;
  llvm::DenseMap<const Instruction *, std::vector<const IrAccess *>> Accesses;
  ValueSet Thread;                                                   ///< What depends on the thread.
  llvm::DenseMap<const llvm::Value *, Accumulation::Operation> Sums; ///< What is left to the next turn.
  bool Counted = false;
  llvm::SmallVector<const llvm::Value *, 16> Open;
  std::vector<std::pair<const Instruction *, std::string>> Found;
};

} // namespace

std::vector<std::pair<const Instruction *, std::string>> boundTurns(const llvm::Loop &L, IrValues &Values,
                                                                    const IrMemory &Memory, bool InWarp) {
  return isOfThread(L, Values) ? Turns(L, Values, Memory, InWarp).run()
                               : std::vector<std::pair<const Instruction *, std::string>>();
}

} // namespace cufuse
