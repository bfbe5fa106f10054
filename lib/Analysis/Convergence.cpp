#include "cufuse/Analysis/Convergence.h"

#include "cufuse/Analysis/Uniformity.h"

#include <clang/Analysis/CFG.h>
#include <llvm/ADT/SmallPtrSet.h>

namespace cufuse {

namespace {

const clang::FunctionDecl *definition(const clang::FunctionDecl *F) {
  const clang::FunctionDecl *Definition = F;
  F->hasBody(Definition);
  return Definition ? Definition : F;
}

/// Finds the calls of one kind in a control-flow graph and who may leave before them.
class ExitCheck {
public:
  ExitCheck(const clang::FunctionDecl &Function, const clang::CFG &Graph,
            llvm::function_ref<bool(const clang::CallExpr *)> IsSync)
      : Graph(Graph) {
    if (auto *Body = llvm::dyn_cast<clang::CompoundStmt>(Function.getBody()); Body && !Body->body_empty())
      LastStatement = Body->body_back();
    for (const clang::CFGBlock *Block : Graph)
      for (const clang::CFGElement &Element : *Block)
        if (auto Statement = Element.getAs<clang::CFGStmt>())
          if (auto *Call = llvm::dyn_cast<clang::CallExpr>(Statement->getStmt()); Call && IsSync(Call))
            Syncs.try_emplace(Block, Call);
    if (Syncs.empty())
      return;
    // Blocks from which a synchronisation can be reached.
    std::vector<const clang::CFGBlock *> Work;
    for (const auto &[Block, Call] : Syncs) {
      Reaches.insert(Block);
      Work.push_back(Block);
    }
    backwards(Work, Reaches, [](const clang::CFGBlock *) { return true; });
    // Blocks from whose start the exit can be reached without one.
    Work = {&Graph.getExit()};
    Leaves.insert(&Graph.getExit());
    backwards(Work, Leaves, [&](const clang::CFGBlock *Block) { return !Syncs.count(Block); });
  }

  struct Divergence {
    const clang::Stmt *Branch;
    const clang::ReturnStmt *Return; ///< Null when the end of the function is reached.
    const clang::CallExpr *Sync;
  };

  /// The first branch that `MayDiverge` for which one side leaves and the other synchronises.
  std::optional<Divergence>
  find(llvm::function_ref<bool(const clang::Expr *Condition, bool ExplicitReturn)> MayDiverge) const {
    if (Syncs.empty())
      return std::nullopt;
    // Clang numbers blocks from the exit; the reader expects the first branch.
    const std::vector<const clang::CFGBlock *> Blocks(Graph.begin(), Graph.end());
    for (const clang::CFGBlock *Block : llvm::reverse(Blocks)) {
      if (Block->succ_size() < 2)
        continue;
      auto *Condition = llvm::dyn_cast_or_null<clang::Expr>(Block->getTerminatorCondition(/*StripParens=*/false));
      for (const clang::CFGBlock *Leaving : Block->succs()) {
        if (!Leaving || !Leaves.count(Leaving))
          continue;
        for (const clang::CFGBlock *Staying : Block->succs()) {
          if (!Staying || Staying == Leaving || !Reaches.count(Staying))
            continue;
          const clang::ReturnStmt *Return = returnFrom(Leaving);
          if (Condition && MayDiverge(Condition, Return != nullptr))
            return Divergence{Block->getTerminatorStmt(), Return, syncFrom(Staying)};
        }
      }
    }
    return std::nullopt;
  }

private:
  using BlockSet = llvm::SmallPtrSet<const clang::CFGBlock *, 32>;

  static void backwards(std::vector<const clang::CFGBlock *> Work, BlockSet &Found,
                        llvm::function_ref<bool(const clang::CFGBlock *)> Through) {
    while (!Work.empty()) {
      const clang::CFGBlock *Block = Work.back();
      Work.pop_back();
      for (const clang::CFGBlock *Before : Block->preds())
        if (Before && Through(Before) && Found.insert(Before).second)
          Work.push_back(Before);
    }
  }

  /// An early return on a path from `Start` to the exit without synchronisation; a return at the very end is not early.
  const clang::ReturnStmt *returnFrom(const clang::CFGBlock *Start) const {
    BlockSet Seen;
    std::vector<const clang::CFGBlock *> Work = {Start};
    while (!Work.empty()) {
      const clang::CFGBlock *Block = Work.back();
      Work.pop_back();
      if (!Leaves.count(Block) || !Seen.insert(Block).second)
        continue;
      for (const clang::CFGElement &Element : *Block)
        if (auto Statement = Element.getAs<clang::CFGStmt>())
          if (auto *Return = llvm::dyn_cast<clang::ReturnStmt>(Statement->getStmt()); Return && Return != LastStatement)
            return Return;
      for (const clang::CFGBlock *Next : Block->succs())
        if (Next)
          Work.push_back(Next);
    }
    return nullptr;
  }

  const clang::CallExpr *syncFrom(const clang::CFGBlock *Start) const {
    BlockSet Seen;
    std::vector<const clang::CFGBlock *> Work = {Start};
    for (size_t I = 0; I < Work.size(); ++I) {
      if (auto Found = Syncs.find(Work[I]); Found != Syncs.end())
        return Found->second;
      for (const clang::CFGBlock *Next : Work[I]->succs())
        if (Next && Seen.insert(Next).second)
          Work.push_back(Next);
    }
    return nullptr;
  }

  const clang::CFG &Graph;
  const clang::Stmt *LastStatement = nullptr;
  llvm::DenseMap<const clang::CFGBlock *, const clang::CallExpr *> Syncs;
  BlockSet Reaches, Leaves;
};

llvm::SetVector<const clang::FunctionDecl *> callersOf(const Reached &Reach, Intrinsic Kind) {
  llvm::SetVector<const clang::FunctionDecl *> Found;
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (const auto &[Function, Use] : Reach.Functions)
      for (const CallSite &Call : Use.Calls)
        if (classify(*Call.Callee) == Kind || Found.contains(definition(Call.Callee)))
          Changed |= Found.insert(Function);
  }
  return Found;
}

} // namespace

llvm::SetVector<const clang::FunctionDecl *> synchronisingFunctions(const Reached &Reach) {
  return callersOf(Reach, Intrinsic::Barrier);
}

std::vector<Blocker> findDivergentExits(const ParsedUnit &Unit, const Reached &Reach) {
  std::vector<Blocker> Blockers;
  const Uniformity Uniforms(Reach);
  const struct {
    Intrinsic Kind;
    BlockerKind Blocks;
    llvm::SetVector<const clang::FunctionDecl *> Callers;
  } Checks[] = {
      {Intrinsic::Barrier, BlockerKind::EarlyExitBeforeBarrier, callersOf(Reach, Intrinsic::Barrier)},
      {Intrinsic::WarpPrimitive, BlockerKind::EarlyExitBeforeWarpSync, callersOf(Reach, Intrinsic::WarpPrimitive)}};
  for (const auto &[Function, Use] : Reach.Functions) {
    if (Use.System)
      continue;
    std::unique_ptr<clang::CFG> Graph;
    for (const auto &Check : Checks) {
      if (!Check.Callers.contains(Function))
        continue;
      // A helper's return leads back into its caller, where the lane goes on; only a barrier cannot be skipped there.
      const bool IsKernel = Function == Reach.Kernel;
      if (!IsKernel && Check.Kind == Intrinsic::WarpPrimitive)
        continue;
      if (!Graph)
        Graph = clang::CFG::buildCFG(Function, Function->getBody(), &Unit.ast(), clang::CFG::BuildOptions());
      if (!Graph) {
        Blockers.push_back({Check.Blocks, Unit.place(Function->getLocation()), "its control flow cannot be analysed"});
        continue;
      }
      const ExitCheck Exits(*Function, *Graph, [&](const clang::CallExpr *Call) {
        const clang::FunctionDecl *Callee = Call->getDirectCallee();
        return Callee && (classify(*Callee) == Check.Kind || Check.Callers.contains(definition(Callee)));
      });
      auto Found = Exits.find([&](const clang::Expr *Condition, bool Returns) {
        const Uniform Level = Uniforms.of(Condition);
        if (Check.Kind == Intrinsic::WarpPrimitive)
          return Returns && Level != Uniform::Yes;
        return Returns ? Level != Uniform::Yes : Level == Uniform::No;
      });
      if (!Found)
        continue;
      const clang::SourceLocation At = Found->Return ? Found->Return->getBeginLoc() : Found->Branch->getBeginLoc();
      const SourcePlace Sync = Unit.place(Found->Sync->getBeginLoc());
      Blockers.push_back({Check.Blocks, Unit.place(At),
                          fmt::format("{} {}, {}:{}", Found->Return ? "this return, and" : "this branch skips",
                                      Found->Sync->getDirectCallee()->getNameAsString(), Sync.File, Sync.Line)});
    }
  }
  return Blockers;
}

} // namespace cufuse
