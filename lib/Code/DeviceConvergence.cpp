#include "cufuse/Code/DeviceConvergence.h"

#include "DeviceUniformity.h"

#include <fmt/core.h>
#include <llvm/ADT/DepthFirstIterator.h>
#include <llvm/ADT/ScopeExit.h>
#include <llvm/Analysis/CycleAnalysis.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/Analysis/UniformityAnalysis.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PassInstrumentation.h>
#include <llvm/IR/PassManager.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Support/Regex.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/Local.h>

namespace cufuse {

namespace {

using llvm::BasicBlock;

/// Takes away the ways that end in a trap or nowhere: a thread that goes there ends the launch, or hangs in the kernel
/// alone, too.
void removeTraps(llvm::Function &F) {
  llvm::df_iterator_default_set<BasicBlock *> Met;
  std::vector<BasicBlock *> Live;
  for (BasicBlock &Block : F)
    if (llvm::isa<llvm::ReturnInst>(Block.getTerminator()))
      llvm::append_range(Live, llvm::inverse_depth_first_ext(&Block, Met));
  for (BasicBlock *Block : Live) {
    llvm::Instruction &End = *Block->getTerminator();
    const auto Stays = llvm::find_if(llvm::successors(Block), [&](BasicBlock *To) { return Met.contains(To); });
    for (unsigned I = 0; I < End.getNumSuccessors(); ++I)
      if (BasicBlock *Goes = End.getSuccessor(I); !Met.contains(Goes)) {
        Goes->removePredecessor(Block, /*KeepOneInputPHIs=*/true);
        End.setSuccessor(I, *Stays);
        for (llvm::PHINode &Phi : Stays->phis())
          Phi.addIncoming(Phi.getIncomingValueForBlock(Block), Block);
      }
    llvm::ConstantFoldTerminator(Block);
  }
}

/// What is waited for, of one kind, in one function.
class Waits {
public:
  Waits(const DeviceIr &Ir, llvm::Function &F, Meets Kind) : Kind(Kind), Dominators(F), PostDominators(F) {
    for (BasicBlock &Block : F)
      for (llvm::Instruction &I : Block) {
        auto *Call = llvm::dyn_cast<llvm::CallBase>(&I);
        const Meets What = Call ? meets(Ir, *Call) : Meets::Nobody;
        if (What == Meets::Block || (What == Meets::Warp && namesAllLanes(*Call)))
          Rendezvous.insert(&Block);
        // What is compiled elsewhere has the whole block's barriers, whoever leaves.
        const bool Elsewhere =
            Kind == Meets::Block && Call && Call->getCalledFunction() && Call->getCalledFunction()->isDeclaration();
        if (Call && (What == Kind || (What == Meets::Unknown && !Elsewhere)) && !isActiveMask(Call)) {
          At[&Block].push_back(Call);
          ++Total;
        }
      }
  }

  bool empty() const { return Total == 0; }

  /// The wait that some ways from the block's branch to where all meet again have more often than others.
  const llvm::CallBase *uneven(BasicBlock &Block) const {
    const BasicBlock *Meeting = meetingOf(Block);
    std::optional<unsigned> Common;
    const llvm::CallBase *First = nullptr;
    bool Even = true;
    for (BasicBlock *Next : llvm::successors(&Block)) {
      const auto [Least, Most, Wait] = count(Next, Meeting, &Block);
      if (!First)
        First = Wait;
      Even &= Least == Most && (!Common || *Common == Least);
      Common = Least;
    }
    return Even ? ofSomeLanes(Block, Meeting) : First;
  }

  /// May a thread that comes to where the branch's ways meet end without a rendezvous of all?
  bool mayEndAfter(BasicBlock &Block) const {
    BasicBlock *Meeting = meetingOf(Block);
    if (!Meeting)
      return true;
    llvm::df_iterator_default_set<BasicBlock *> Met;
    Met.insert(Rendezvous.begin(), Rendezvous.end());
    return llvm::any_of(llvm::depth_first_ext(Meeting, Met), [](BasicBlock *At) { return llvm::succ_empty(At); });
  }

private:
  /// Where all ways from the block's branch come; null where that is the end.
  BasicBlock *meetingOf(const BasicBlock &Block) const {
    const auto *Node = PostDominators.getNode(&Block);
    return Node && Node->getIDom() ? Node->getIDom()->getBlock() : nullptr;
  }

  /// A warp primitive between the branch and the meeting that does not name all lanes: as many on another way may be
  /// for others.
  const llvm::CallBase *ofSomeLanes(const BasicBlock &Branch, const BasicBlock *Meeting) const {
    if (Kind != Meets::Warp)
      return nullptr;
    llvm::df_iterator_default_set<const BasicBlock *> Met;
    Met.insert(Meeting);
    for (const BasicBlock *Side : llvm::successors(&Branch))
      for (const BasicBlock *Block : llvm::depth_first_ext(Side, Met))
        for (const llvm::CallBase *Wait : At.lookup(Block))
          if (!namesAllLanes(*Wait) && !isForWhoComes(*Wait, Branch))
            return Wait;
    return nullptr;
  }

  /// Of a number that is a condition's truth, the condition.
  static const llvm::Value *conditionOf(const llvm::Value *V) {
    while (true) {
      auto *Compare = llvm::dyn_cast<llvm::ICmpInst>(V);
      auto *Zero = Compare ? llvm::dyn_cast<llvm::Constant>(Compare->getOperand(1)) : nullptr;
      const bool IsTruth = Zero && Zero->isNullValue() && Compare->getPredicate() == llvm::CmpInst::ICMP_NE &&
                           llvm::isa<llvm::ZExtInst>(Compare->getOperand(0)) &&
                           llvm::cast<llvm::ZExtInst>(Compare->getOperand(0))->getSrcTy()->isIntegerTy(1);
      if (!IsTruth)
        return V;
      V = llvm::cast<llvm::ZExtInst>(Compare->getOperand(0))->getOperand(0);
    }
  }

  static bool isCalled(const llvm::Value *V, llvm::StringRef Name) {
    auto *Intrinsic = llvm::dyn_cast_or_null<llvm::IntrinsicInst>(V);
    return Intrinsic && Intrinsic->getCalledFunction()->getName().starts_with(Name);
  }
  static bool isActiveMask(const llvm::Value *V) { return isCalled(V, "llvm.nvvm.activemask"); }

  /// Of a ballot, the block that all lanes come to for which its condition is true, and no others; null where none is
  /// known, or the primitive is not there.
  const BasicBlock *askedFor(const llvm::CallBase &Ballot, const BasicBlock *Primitive) const {
    const llvm::Value *Asked = conditionOf(Ballot.getArgOperand(1));
    for (const auto *Node = Dominators.getNode(Primitive); Node; Node = Node->getIDom()) {
      const BasicBlock *Before = Node->getBlock()->getSinglePredecessor();
      auto *Branch = Before ? llvm::dyn_cast<llvm::BranchInst>(Before->getTerminator()) : nullptr;
      if (Branch && Branch->isConditional() && Branch->getSuccessor(0) == Node->getBlock() &&
          Branch->getSuccessor(1) != Node->getBlock() && conditionOf(Branch->getCondition()) == Asked)
        return Node->getBlock();
    }
    return nullptr;
  }

  /// Does every way from the branch to `To` lead through `Through`?
  static bool leadsThrough(const BasicBlock &Branch, const BasicBlock *Through, const BasicBlock *To) {
    llvm::df_iterator_default_set<const BasicBlock *> Met;
    Met.insert(Through);
    for (const BasicBlock *Side : llvm::successors(&Branch))
      for (const BasicBlock *Block : llvm::depth_first_ext(Side, Met))
        if (Block == To)
          return false;
    return true;
  }

  /// Are these lanes none but those that went the way from the branch to where they are used? `First`: the lane of the
  /// lowest bit; a group keeps its mask in bytes.
  bool areOfWay(const llvm::Value *Lanes, const BasicBlock &Branch, const BasicBlock *Used, int First = 0,
                unsigned Depth = 0) const {
    auto *Value = llvm::dyn_cast_or_null<llvm::Instruction>(Lanes);
    if (!Value || Depth > 16)
      return false;
    auto Are = [&](const llvm::Value *Each) { return areOfWay(Each, Branch, Used, First, Depth + 1); };
    const llvm::APInt *Bits = nullptr;
    auto Moved = [&](int By) {
      return Bits->ult(64) && areOfWay(Value->getOperand(0), Branch, Used, First + By, Depth + 1);
    };
    switch (Value->getOpcode()) {
    case llvm::Instruction::Trunc:
    case llvm::Instruction::ZExt:
      return Are(Value->getOperand(0));
    case llvm::Instruction::And: // some of them
      return llvm::any_of(Value->operands(), Are);
    case llvm::Instruction::Or:
      return llvm::all_of(Value->operands(), Are);
    case llvm::Instruction::Shl:
      return match(Value->getOperand(1), llvm::PatternMatch::m_APInt(Bits)) &&
             Moved(static_cast<int>(Bits->getZExtValue()));
    case llvm::Instruction::LShr:
      return match(Value->getOperand(1), llvm::PatternMatch::m_APInt(Bits)) &&
             Moved(-static_cast<int>(Bits->getZExtValue()));
    default:
      break;
    }
    const bool IsPresent = isActiveMask(Value), IsBallot = isCalled(Value, "llvm.nvvm.vote.ballot.sync");
    if (First != 0 || (!IsPresent && !IsBallot && !isCalled(Value, "llvm.nvvm.match.any.sync")))
      return false;
    if (IsBallot)
      if (const BasicBlock *Asked = askedFor(llvm::cast<llvm::CallBase>(*Value), Used);
          Asked && llvm::is_contained(llvm::successors(&Branch), Asked))
        return true;
    return leadsThrough(Branch, Value->getParent(), Used) &&
           (IsPresent || areOfWay(lanesOf(llvm::cast<llvm::CallBase>(*Value)), Branch, Value->getParent()));
  }

  /// A primitive that waits for nobody who went another way at the branch.
  bool isForWhoComes(const llvm::CallBase &Call, const BasicBlock &Branch) const {
    return areOfWay(lanesOf(Call), Branch, Call.getParent());
  }

  /// A function whose code is not there may wait or not.
  static bool isCertain(const llvm::CallBase &Call) {
    const llvm::Function *Callee = Call.getCalledFunction();
    return Call.isInlineAsm() || (Callee && Callee->isIntrinsic());
  }

  struct Count {
    unsigned Least = 0, Most = 0;
    const llvm::CallBase *First = nullptr;
  };

  /// How often threads wait on their way from `Start` to `Meeting`, or to the end. A way that comes back to `Branch`
  /// goes on there.
  Count count(const BasicBlock *Start, const BasicBlock *Meeting, const BasicBlock *Branch) const {
    Count Result;
    if (Start == Meeting)
      return Result;
    const unsigned Unbounded = Total + 1;
    llvm::DenseMap<const BasicBlock *, std::pair<unsigned, unsigned>> Before = {{Start, {0, 0}}};
    bool HasEnd = false;
    Result.Least = Unbounded;
    for (std::vector<const BasicBlock *> Work = {Start}; !Work.empty();) {
      const BasicBlock *Block = Work.back();
      Work.pop_back();
      auto [Least, Most] = Before[Block];
      for (const llvm::CallBase *Wait : At.lookup(Block)) {
        if (isForWhoComes(*Wait, *Branch))
          continue;
        if (!Result.First)
          Result.First = Wait;
        ++Most;
        Least += isCertain(*Wait);
      }
      Least = std::min(Least, Unbounded);
      Most = std::min(Most, Unbounded);
      auto End = [&] {
        HasEnd = true;
        Result.Least = std::min(Result.Least, Least);
        Result.Most = std::max(Result.Most, Most);
      };
      if (llvm::succ_empty(Block))
        End();
      for (const BasicBlock *Next : llvm::successors(Block)) {
        if (Next == Meeting) {
          End();
          continue;
        }
        auto [Known, New] = Before.try_emplace(Next, Least, Most);
        const std::pair<unsigned, unsigned> Wider = {std::min(Known->second.first, Least),
                                                     std::max(Known->second.second, Most)};
        if (New || Wider != Known->second) {
          Known->second = Wider;
          Work.push_back(Next);
        }
      }
    }
    if (!HasEnd)
      Result.Least = Result.Most;
    return Result;
  }

  const Meets Kind;
  llvm::DominatorTree Dominators;
  llvm::PostDominatorTree PostDominators;
  llvm::DenseMap<const BasicBlock *, std::vector<const llvm::CallBase *>> At;
  llvm::SmallPtrSet<BasicBlock *, 16> Rendezvous;
  unsigned Total = 0;
};

/// LLVM's analysis of one function, for threads and for the lanes of warps.
class Uniformities {
public:
  Uniformities(const DeviceIr &Ir, llvm::Function &F, bool &SignedThreadNumber) : F(F) {
    for (Among Threads : {Among::Block, Among::WarpOfRows, Among::WarpOfRow, Among::WarpOfPlane}) {
      llvm::FunctionAnalysisManager &Own = Analyses[static_cast<size_t>(Threads)];
      Own.registerPass([] { return llvm::PassInstrumentationAnalysis(); });
      Own.registerPass([] { return llvm::DominatorTreeAnalysis(); });
      Own.registerPass([] { return llvm::CycleAnalysis(); });
      Own.registerPass([] { return llvm::UniformityInfoAnalysis(); });
      Own.registerPass([&Ir, &SignedThreadNumber, Threads] {
        return llvm::TargetIRAnalysis([&Ir, &SignedThreadNumber, Threads](const llvm::Function &F) {
          return llvm::TargetTransformInfo(std::make_unique<ThreadsOfBlock>(Ir, F, Threads, SignedThreadNumber));
        });
      });
    }
  }
  /// May threads go different ways at the block's end?
  bool parts(Among Threads, llvm::BasicBlock &Block) {
    return Analyses[static_cast<size_t>(Threads)].getResult<llvm::UniformityInfoAnalysis>(F).hasDivergentTerminator(
        Block);
  }

private:
  llvm::Function &F;
  std::array<llvm::FunctionAnalysisManager, 4> Analyses;
};

} // namespace

DeviceConvergence findDivergence(const DeviceIr &Ir) {
  DeviceConvergence Result;
  llvm::ValueToValueMapTy Copied;
  llvm::Function &F = *llvm::CloneFunction(&Ir.kernel(), Copied);
  const llvm::scope_exit Remove([&] { F.eraseFromParent(); });
  removeTraps(F);
  llvm::removeUnreachableBlocks(F);
  const Waits Barriers(Ir, F, Meets::Block), Primitives(Ir, F, Meets::Warp);
  auto Finding = [&](const llvm::Instruction &At, std::string What) {
    cufuse::Finding Found;
    Found.Where = Ir.place(At, &Found.Function);
    Found.What = std::move(What);
    Found.ByBranch = true;
    return Found;
  };
  static const llvm::Regex Bulk("cp(\\.reduce)?\\.async\\.bulk\\.(shared|global|tensor)");
  static const llvm::Regex Copy("cp(\\.reduce)?\\.async\\.(ca|cg|bulk\\.(shared|global|tensor))");
  const llvm::CallBase *WaitsInside = nullptr;
  for (llvm::BasicBlock &Block : F)
    for (llvm::Instruction &I : Block)
      if (auto *Call = llvm::dyn_cast<llvm::CallBase>(&I)) {
        const Meets What = meets(Ir, *Call);
        if (What == Meets::Warp) {
          Result.WarpPrimitives.push_back(Finding(*Call, calledAs(Ir, *Call)));
          Result.WarpPrimitives.back().OfBlockReduce = Ir.isOfBlockReduce(*Call);
        }
        if (What == Meets::Warp && partsInside(*Call) && !Result.LanesBeforeWarpPrimitive)
          Result.LanesBeforeWarpPrimitive = Finding(*Call, "some lanes may go round " + calledAs(Ir, *Call));
        // Threads may part in what it calls, and end without the others.
        const llvm::Function *Callee = Call->getCalledFunction();
        if (What != Meets::Unknown || (Callee && Callee->isDeclaration()))
          continue;
        if (!Result.LanesBeforeWarpPrimitive && mayMeetInside(Ir, *Call, Meets::Warp))
          Result.LanesBeforeWarpPrimitive = Finding(*Call, "lanes may leave in " + calledAs(Ir, *Call));
        if (!WaitsInside && mayMeetInside(Ir, *Call, Meets::Block))
          WaitsInside = Call;
      }
  // Functions that are called through pointers copy, too, and have barriers.
  for (llvm::Function &Each : *F.getParent())
    for (const llvm::Instruction &I : llvm::instructions(Each))
      if (auto *Call = llvm::dyn_cast<llvm::CallBase>(&I)) {
        auto *Assembly = llvm::dyn_cast<llvm::InlineAsm>(Call->getCalledOperand());
        auto *Callee = Call->getCalledFunction();
        const llvm::StringRef Text = Assembly ? llvm::StringRef(Assembly->getAsmString())
                                     : Callee ? Callee->getName()
                                              : llvm::StringRef();
        Result.CopiesAsynchronously |= Copy.match(Text);
        Result.CopiesInBulk |= Bulk.match(Text);
        if (Text.contains("mbarrier.init") && !Result.Mbarrier)
          Result.Mbarrier = Ir.place(*Call);
      }
  if (Barriers.empty() && Primitives.empty())
    return Result;

  Uniformities Uniform(Ir, F, Result.SignedThreadNumber);
  for (llvm::BasicBlock &Block : F) {
    if (Block.getTerminator()->getNumSuccessors() < 2 || !Uniform.parts(Among::Block, Block))
      continue;
    auto Skips = [&](const llvm::CallBase *Wait) {
      const SourcePlace At = Ir.place(*Wait);
      return Finding(*Block.getTerminator(),
                     fmt::format("this branch skips {}, {}:{}", calledAs(Ir, *Wait), At.File, At.Line));
    };
    if (const llvm::CallBase *Wait = Result.BeforeBarrier ? nullptr : Barriers.uneven(Block))
      Result.BeforeBarrier = Skips(Wait);
    if (Primitives.empty())
      continue;
    const llvm::CallBase *Wait = Primitives.uneven(Block);
    if (!Wait || !Primitives.mayEndAfter(Block))
      continue;
    // A group is of one kind for all its lanes, and waits for these alone.
    if (Ir.isOfGroups(*Block.getTerminator()) && Ir.isOfGroups(*Wait))
      continue;
    const bool InOneRow = !Uniform.parts(Among::WarpOfRow, Block),
               InOnePlane = !Uniform.parts(Among::WarpOfPlane, Block);
    if (Uniform.parts(Among::WarpOfRows, Block)) {
      if (!Result.LanesBeforeWarpPrimitive)
        Result.LanesBeforeWarpPrimitive = Skips(Wait);
    } else if (!Result.WarpsBeforeWarpPrimitive) {
      Result.WarpsBeforeWarpPrimitive = Skips(Wait);
      Result.WarpsBeforeWarpPrimitive->ByWarps = true;
      Result.WarpsBeforeWarpPrimitive->ByWarpsInOneRow = InOneRow;
      Result.WarpsBeforeWarpPrimitive->ByWarpsInOnePlane = InOnePlane;
    } else {
      Result.WarpsBeforeWarpPrimitive->ByWarpsInOneRow &= InOneRow;
      Result.WarpsBeforeWarpPrimitive->ByWarpsInOnePlane &= InOnePlane;
    }
  }
  if (WaitsInside && !Result.BeforeBarrier)
    Result.BeforeBarrier = Finding(*WaitsInside, "threads may leave in " + calledAs(Ir, *WaitsInside));
  return Result;
}

} // namespace cufuse
