#include "cufuse/Analysis/Convergence.h"

#include "cufuse/Analysis/Assembly.h"

#include "cufuse/Analysis/Uniformity.h"

#include <clang/Analysis/Analyses/Dominators.h>
#include <clang/Analysis/CFG.h>
#include <fmt/core.h>
#include <llvm/ADT/SmallPtrSet.h>

namespace cufuse {

namespace {

/// The calls of one kind in a control-flow graph, and who may leave before them.
class ExitCheck {
public:
  ExitCheck(const clang::FunctionDecl &Function, clang::CFG &Graph,
            llvm::function_ref<bool(const clang::Stmt *)> IsSync)
      : Graph(Graph), PostDominators(&Graph) {
    if (auto *Body = llvm::dyn_cast<clang::CompoundStmt>(Function.getBody()); Body && !Body->body_empty())
      LastStatement = Body->body_back();
    for (const clang::CFGBlock *Block : Graph)
      for (const clang::CFGElement &Element : *Block)
        if (auto Statement = Element.getAs<clang::CFGStmt>())
          if (IsSync(Statement->getStmt()))
            Syncs.try_emplace(Block, Statement->getStmt());
  }

  struct Divergence {
    const clang::Stmt *Branch;
    const clang::ReturnStmt *Return; ///< Null when the end of the function is reached.
    const clang::Stmt *Sync;
  };

  /// The first branch that `MayDiverge` for which one side synchronises before the sides meet again (or the function
  /// ends), and the other does not.
  std::optional<Divergence>
  find(llvm::function_ref<bool(const clang::Expr *Condition, bool ExplicitReturn)> MayDiverge) {
    if (Syncs.empty())
      return std::nullopt;
    // Clang numbers blocks from the exit; the reader expects the first branch.
    const std::vector<clang::CFGBlock *> Blocks(Graph.begin(), Graph.end());
    for (clang::CFGBlock *Block : llvm::reverse(Blocks)) {
      auto *Condition = llvm::dyn_cast_or_null<clang::Expr>(Block->getTerminatorCondition(/*StripParens=*/false));
      if (Block->succ_size() < 2 || !Condition)
        continue;
      const clang::CFGBlock *Meeting = &Graph.getExit();
      if (auto *Node = PostDominators.getBase().getNode(Block); Node && Node->getIDom() && Node->getIDom()->getBlock())
        Meeting = Node->getIDom()->getBlock();
      for (const clang::CFGBlock *Leaving : Block->succs()) {
        const clang::ReturnStmt *Return = nullptr;
        if (!Leaving || !leaves(Leaving, Meeting, Return))
          continue;
        for (const clang::CFGBlock *Staying : Block->succs()) {
          const clang::Stmt *Sync = Staying && Staying != Leaving ? syncFrom(Staying, Meeting) : nullptr;
          if (Sync && MayDiverge(Condition, Return != nullptr))
            return Divergence{Block->getTerminatorStmt(), Return, Sync};
        }
      }
    }
    return std::nullopt;
  }

private:
  /// Is there a path from `Start` to `Meeting` without synchronisation? `Return` is an early return on such a path; one
  /// at the very end of the function is not early.
  bool leaves(const clang::CFGBlock *Start, const clang::CFGBlock *Meeting, const clang::ReturnStmt *&Return) const {
    bool Meets = false;
    llvm::SmallPtrSet<const clang::CFGBlock *, 32> Seen;
    std::vector<const clang::CFGBlock *> Work = {Start};
    while (!Work.empty()) {
      const clang::CFGBlock *Block = Work.back();
      Work.pop_back();
      if (Block == Meeting) {
        Meets = true;
        continue;
      }
      if (Syncs.count(Block) || !Seen.insert(Block).second)
        continue;
      for (const clang::CFGElement &Element : *Block)
        if (auto Statement = Element.getAs<clang::CFGStmt>())
          if (auto *Found = llvm::dyn_cast<clang::ReturnStmt>(Statement->getStmt());
              Found && Found != LastStatement && !Return)
            Return = Found;
      for (const clang::CFGBlock *Next : Block->succs())
        if (Next)
          Work.push_back(Next);
    }
    return Meets;
  }

  const clang::Stmt *syncFrom(const clang::CFGBlock *Start, const clang::CFGBlock *Meeting) const {
    llvm::SmallPtrSet<const clang::CFGBlock *, 32> Seen = {Meeting};
    std::vector<const clang::CFGBlock *> Work;
    if (Seen.insert(Start).second)
      Work.push_back(Start);
    for (size_t I = 0; I < Work.size(); ++I) {
      if (auto Found = Syncs.find(Work[I]); Found != Syncs.end())
        return Found->second;
      for (const clang::CFGBlock *Next : Work[I]->succs())
        if (Next && Seen.insert(Next).second)
          Work.push_back(Next);
    }
    return nullptr;
  }

  clang::CFG &Graph;
  clang::CFGPostDomTree PostDominators;
  const clang::Stmt *LastStatement = nullptr;
  llvm::DenseMap<const clang::CFGBlock *, const clang::Stmt *> Syncs;
};

std::string syncName(const clang::Stmt &Sync) {
  auto *Call = llvm::dyn_cast<clang::CallExpr>(&Sync);
  return Call ? Call->getDirectCallee()->getNameAsString() : "bar.sync";
}

/// Functions that do something, or call one that does.
llvm::SetVector<const clang::FunctionDecl *> thatReach(const Reached &Reach,
                                                       llvm::function_ref<bool(const FunctionUse &)> Does) {
  llvm::SetVector<const clang::FunctionDecl *> Found;
  for (const auto &[Function, Use] : Reach.Functions)
    if (Does(Use))
      Found.insert(Function);
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (const auto &[Function, Use] : Reach.Functions)
      for (const CallSite &Call : Use.Calls)
        if (Found.contains(withBody(Call.Callee)))
          Changed |= Found.insert(Function);
  }
  return Found;
}

bool calls(const FunctionUse &Use, Intrinsic Kind) {
  return llvm::any_of(Use.Calls, [&](const CallSite &Call) { return classify(*Call.Callee) == Kind; });
}

llvm::SetVector<const clang::FunctionDecl *> callersOf(const Reached &Reach, Intrinsic Kind) {
  return thatReach(Reach, [&](const FunctionUse &Use) {
    return calls(Use, Kind) ||
           (Kind == Intrinsic::Barrier && llvm::any_of(Use.Assembly, [](auto *A) { return waitsForBlock(*A); }));
  });
}

} // namespace

llvm::SetVector<const clang::FunctionDecl *> synchronisingFunctions(const Reached &Reach) {
  return callersOf(Reach, Intrinsic::Barrier);
}

llvm::SetVector<const clang::FunctionDecl *> libraryFunctionsOfLinker(const Reached &Reach) {
  auto Result = thatReach(Reach, [](const FunctionUse &Use) {
    return Use.System && (!Use.Reads.empty() || calls(Use, Intrinsic::Barrier));
  });
  Result.remove_if([&](const clang::FunctionDecl *Function) {
    return !Reach.Functions.find(Function)->second.System || Function->hasAttr<clang::AlwaysInlineAttr>() ||
           !Function->isExternallyVisible();
  });
  return Result;
}

DivergentExits findDivergentExits(const ParsedUnit &Unit, const Reached &Reach) {
  DivergentExits Result;
  const Uniformity Uniforms(Reach), WarpUniforms(Reach, Uniformity::Among::Warp);
  const struct {
    Intrinsic Kind;
    std::vector<Finding> &Found;
    llvm::SetVector<const clang::FunctionDecl *> Callers;
  } Checks[] = {{Intrinsic::Barrier, Result.BeforeBarrier, callersOf(Reach, Intrinsic::Barrier)},
                {Intrinsic::WarpPrimitive, Result.BeforeWarpPrimitive, callersOf(Reach, Intrinsic::WarpPrimitive)}};
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
      const std::string Name = Function->getNameAsString();
      if (!Graph)
        Graph = clang::CFG::buildCFG(Function, Function->getBody(), &Unit.ast(), clang::CFG::BuildOptions());
      if (!Graph) {
        Check.Found.push_back({"its control flow cannot be analysed", Name, Unit.place(Function->getLocation())});
        continue;
      }
      ExitCheck Exits(*Function, *Graph, [&](const clang::Stmt *S) {
        if (auto *Assembly = llvm::dyn_cast<clang::GCCAsmStmt>(S))
          return Check.Kind == Intrinsic::Barrier && waitsForBlock(*Assembly);
        auto *Call = llvm::dyn_cast<clang::CallExpr>(S);
        const clang::FunctionDecl *Callee =
            Call && !llvm::isa<clang::CUDAKernelCallExpr>(Call) ? Call->getDirectCallee() : nullptr;
        return Callee && (classify(*Callee) == Check.Kind || Check.Callers.contains(withBody(Callee)));
      });
      // Where lanes of a warp part, that is what counts; where only warps do, nobody waits for a lane.
      auto Found = Exits.find([&](const clang::Expr *Condition, bool Returns) {
        return Check.Kind == Intrinsic::WarpPrimitive && Returns && WarpUniforms.of(Condition) != Uniform::Yes;
      });
      const bool ByLanes = Found.has_value();
      if (!Found)
        Found = Exits.find([&](const clang::Expr *Condition, bool Returns) {
          const Uniform Level = Uniforms.of(Condition);
          return Returns ? Level != Uniform::Yes : Level == Uniform::No && Check.Kind == Intrinsic::Barrier;
        });
      if (!Found)
        continue;
      const clang::SourceLocation At = Found->Return ? Found->Return->getBeginLoc() : Found->Branch->getBeginLoc();
      const SourcePlace Sync = Unit.place(Found->Sync->getBeginLoc());
      Check.Found.push_back({fmt::format("{} {}, {}:{}", Found->Return ? "this return, and" : "this branch skips",
                                         syncName(*Found->Sync), Sync.File, Sync.Line),
                             Name, Unit.place(At), Check.Kind == Intrinsic::WarpPrimitive && !ByLanes});
    }
  }
  Result.SignedThreadNumber = !Result.BeforeWarpPrimitive.empty() && WarpUniforms.needsSmallNumbers();
  return Result;
}

} // namespace cufuse
