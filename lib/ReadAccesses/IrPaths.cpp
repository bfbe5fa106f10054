#include "IrPaths.h"

#include <llvm/ADT/DepthFirstIterator.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Support/GenericDomTreeConstruction.h>

namespace cufuse {

IrPaths::IrPaths(const DeviceIr &Ir, IrValues &Values, const TextPlaces &Text) : Ir(Ir), Values(Values), Text(Text) {
  for (const llvm::BasicBlock *Each : llvm::ReversePostOrderTraversal<const llvm::Function *>(&Ir.kernel()))
    Order.push_back(Each);
  llvm::DenseMap<Block, unsigned> Numbers;
  for (Block Each : Order)
    Numbers[Each] = Numbers.size();
  for (Block From : Order)
    for (Block To : llvm::successors(From))
      HasOtherCycles |= Numbers[To] <= Numbers[From] && !Values.dominators().dominates(To, From);
  findPostDominators();
  findDecisions();
  findControl();
  findEnds();
}

/// Ways that end the grid, or never end, are left out.
void IrPaths::findPostDominators() {
  llvm::df_iterator_default_set<Block> Met;
  for (Block Return : Order)
    if (llvm::isa<llvm::ReturnInst>(Return->getTerminator()))
      for (Block Each : llvm::inverse_depth_first_ext(Return, Met))
        MayReturn.insert(Each);
  auto Own = [](Block B) { return const_cast<llvm::BasicBlock *>(B); };
  std::vector<llvm::DominatorTree::UpdateType> Left;
  for (Block From : MayReturn)
    for (Block To : llvm::SmallSetVector<Block, 4>(llvm::succ_begin(From), llvm::succ_end(From)))
      if (!MayReturn.contains(To))
        Left.push_back({llvm::DominatorTree::Delete, Own(From), Own(To)});
  llvm::GraphDiff<llvm::BasicBlock *, /*InverseGraph=*/true> Without(Left);
  using Builder = llvm::DomTreeBuilder::SemiNCAInfo<llvm::PostDomTreeBase<llvm::BasicBlock>>;
  Builder::BatchUpdateInfo View(Without, &Without);
  PostDominators.recalculate(Ir.kernel());
  Builder::CalculateFromScratch(PostDominators, &View);
}

void IrPaths::findDecisions() {
  for (Block B : Order) {
    auto *Branch = llvm::dyn_cast<llvm::BranchInst>(B->getTerminator());
    if (!Branch || !Branch->isConditional() || Branch->getSuccessor(0) == Branch->getSuccessor(1))
      continue;
    auto D = std::make_unique<Decision>();
    D->Blocks = {B};
    D->Sides = {Branch->getSuccessor(1), Branch->getSuccessor(0)};
    for (bool Truth : {false, true}) {
      bool Whole = true;
      Values.holds(Branch->getCondition(), Truth, D->Holds[Truth], Whole);
      llvm::erase_if(D->Holds[Truth], [&](const Less &L) {
        const bool Known = Values.isKnownIn(L.Left, *B) && Values.isKnownIn(L.Right, *B);
        Whole &= Known;
        return !Known;
      });
      D->Exact[Truth] = Whole;
    }
    if (const llvm::DILocation *At = Branch->getDebugLoc()) {
      D->Owner = Text.ownerAt(At);
      D->InlinedAt = At->getInlinedAt();
    }
    D->Id = NextId++;
    DecisionOf[B] = D.get();
    Decisions.push_back(std::move(D));
  }
  for (Block B : llvm::reverse(Order))
    if (auto Known = DecisionOf.find(B); Known != DecisionOf.end())
      while (merge(*Known->second))
        ;
}

/// `a && b` and `a || b`: one operand leads to the other alone, and both lead to one side.
bool IrPaths::merge(Decision &D) {
  for (bool Side : {false, true}) {
    const Block Next = D.Sides[Side], Other = D.Sides[!Side];
    auto Found = DecisionOf.find(Next);
    if (Found == DecisionOf.end() || Found->second == &D || Found->second->Blocks.front() != Next ||
        Values.loops().isLoopHeader(Next) || !D.Owner || Found->second->Owner != D.Owner ||
        Found->second->InlinedAt != D.InlinedAt ||
        !llvm::all_of(llvm::predecessors(Next), [&](Block From) { return llvm::is_contained(D.Blocks, From); }))
      continue;
    const Decision &Inner = *Found->second;
    for (bool Shared : {false, true}) {
      if (Inner.Sides[Shared] != Other)
        continue;
      Inside Of{D.Blocks.front(), step(D, Side)};
      Of.Step.Id = NextId++;
      Of.Step.Statement = std::nullopt;
      InsideOf[Next] = Of;
      llvm::append_range(D.Holds[Side], Inner.Holds[!Shared]);
      D.Exact[Side] &= Inner.Exact[!Shared];
      D.Sides[Side] = Inner.Sides[!Shared];
      D.Holds[!Side] = {}; // one of them, but not which
      D.Exact[!Side] = false;
      for (Block B : Inner.Blocks) {
        D.Blocks.push_back(B);
        DecisionOf[B] = &D;
      }
      return true;
    }
  }
  return false;
}

void IrPaths::findControl() {
  for (Block B : Order) {
    if (!MayReturn.contains(B))
      continue;
    llvm::SmallPtrSet<Block, 4> Next;
    for (Block To : llvm::successors(B))
      if (MayReturn.contains(To))
        Next.insert(To);
    if (Next.size() < 2)
      continue;
    for (Block To : Next)
      for (auto *Of = PostDominators.getNode(To); Of != PostDominators.getNode(B)->getIDom(); Of = Of->getIDom())
        ControlOf[Of->getBlock()].push_back({B, To});
  }
}

/// Does it lead there by the next turn of a loop alone?
bool IrPaths::isOfLaterTurn(const Edge &E, Block Of) const {
  if (E.From != Of && Values.dominators().dominates(E.From, Of))
    return false;
  const llvm::Loop *Around = Values.loops().getLoopFor(Of);
  while (Around && !Around->contains(E.From))
    Around = Around->getParentLoop();
  if (!Around)
    return false;
  if (Around->getHeader() == Of)
    return true;
  llvm::df_iterator_default_set<Block> Met;
  Met.insert(Around->getHeader());
  return !llvm::is_contained(llvm::depth_first_ext(E.To, Met), Of);
}

/// The condition on which a loop goes on, that every turn asks.
void IrPaths::findEnds() {
  for (const llvm::Loop *L : Values.loops().getLoopsInPreorder()) {
    for (Block B : Order) { // the first one comes first
      auto Found = DecisionOf.find(B);
      if (Ends.contains(L) || Found == DecisionOf.end() || Found->second->Blocks.front() != B ||
          Values.loops().getLoopFor(B) != L)
        continue;
      const Decision &D = *Found->second;
      const bool Stays = L->contains(D.Sides[true]);
      llvm::SmallVector<llvm::BasicBlock *> Latches;
      L->getLoopLatches(Latches);
      if (L->contains(D.Sides[!Stays]) || !L->contains(D.Sides[Stays]) || !MayReturn.contains(D.Sides[!Stays]) ||
          !llvm::all_of(Latches, [&](Block Latch) { return Values.dominators().dominates(B, Latch); }) ||
          llvm::any_of(ControlOf[B], [&](const Edge &E) { return L->contains(E.From) && !isOfLaterTurn(E, B); }))
        continue;
      Ends[L] = {&D, Stays, variableOf(*L, D, Stays)};
    }
    llvm::SmallVector<std::pair<llvm::BasicBlock *, llvm::BasicBlock *>> Exits;
    L->getExitEdges(Exits);
    const auto End = Ends.find(L);
    const bool Early = llvm::any_of(Exits, [&](const auto &Edge) {
      return MayReturn.contains(Edge.second) &&
             (End == Ends.end() || !llvm::is_contained(End->second.By->Blocks, Edge.first));
    });
    const llvm::Instruction &At =
        *(End == Ends.end() ? L->getHeader() : End->second.By->Blocks.front())->getTerminator();
    for (const llvm::PHINode &Phi : L->getHeader()->phis())
      if (const auto Id = Values.loop(&Phi)) {
        LoopAccess &Loop = Values.known().Loops[*Id];
        Loop.LeftEarly = Early;
        PathStep Described;
        describe(At, Described);
        Loop.Where = Described.Where;
        if (const clang::Stmt *Owner = statementOf(*L)) {
          // The text of a loop over a row is asked by its own variable.
          auto *For = llvm::dyn_cast<clang::ForStmt>(Owner);
          if (!For || !llvm::isa_and_nonnull<clang::DeclStmt>(For->getInit()) || asksItsOwnVariable(*For))
            Loop.Statement = Text.numberOf(Owner);
          Loop.Where = Ir.unit().place(Owner->getBeginLoc());
        }
      }
  }
}

const clang::Stmt *IrPaths::statementOf(const llvm::Loop &L) const {
  const auto End = Ends.find(&L);
  const clang::Stmt *Owner = End == Ends.end() || End->second.By->InlinedAt ? nullptr : End->second.By->Owner;
  return llvm::isa_and_nonnull<clang::ForStmt, clang::WhileStmt>(Owner) ? Owner : nullptr;
}

std::optional<unsigned> IrPaths::variableOf(const llvm::Loop &L, const Decision &D, bool Side) const {
  std::optional<unsigned> Any;
  for (const llvm::PHINode &Phi : L.getHeader()->phis()) {
    const auto Id = Values.loop(&Phi);
    if (!Id)
      continue;
    const std::string &Atom = Values.known().Loops[*Id].Atom;
    if (llvm::any_of(D.Holds[Side], [&](const Less &H) { return H.Left.contains(Atom) || H.Right.contains(Atom); }))
      return Id;
    if (!Any)
      Any = Id;
  }
  return Any;
}

void IrPaths::describe(const llvm::Instruction &End, PathStep &Step) const {
  const clang::Stmt *Asked = Text.ownerAt(End.getDebugLoc());
  if (Asked && conditionIn(*Asked))
    Asked = conditionIn(*Asked);
  else
    Asked = Text.at(End.getDebugLoc());
  if (!Asked) {
    Step.Text = "a condition that only the compiled code shows";
    Step.Where = Ir.place(End);
    return;
  }
  Step.Text = textOf(*Asked, Ir.unit().ast());
  if (!llvm::isa<clang::Expr>(Asked))
    Step.Text.resize(std::min<size_t>(Step.Text.size(), 40));
  Step.Where = Ir.unit().place(Asked->getBeginLoc());
}

/// Is the first operand that it asks the other way round?
static bool isNegated(const clang::Expr *Condition) {
  Condition = Condition->IgnoreParens();
  if (auto *Not = llvm::dyn_cast<clang::UnaryOperator>(Condition); Not && Not->getOpcode() == clang::UO_LNot)
    return !isNegated(Not->getSubExpr());
  auto *Both = llvm::dyn_cast<clang::BinaryOperator>(Condition);
  return Both && Both->isLogicalOp() && isNegated(Both->getLHS());
}

PathStep IrPaths::step(const Decision &D, bool Taken) const {
  const llvm::Instruction &End = *D.Blocks.front()->getTerminator();
  PathStep Step;
  Step.What = PathStep::Kind::Branch;
  Step.Id = D.Id;
  Step.Taken = Taken;
  Step.Holds = D.Holds[Taken];
  Step.Exact = D.Exact[Taken];
  describe(End, Step);
  const clang::Expr *Condition = D.Owner ? conditionIn(*D.Owner) : nullptr;
  // The condition of a loop is a value, and the loop branches where it begins.
  const bool IsLoop = llvm::isa_and_nonnull<clang::ForStmt, clang::WhileStmt>(D.Owner);
  if (Condition &&
      (IsLoop ? Text.isBegin(*D.Owner, *End.getDebugLoc()) : D.Blocks.size() == logicalOperators(Condition) + 1)) {
    Step.Taken ^= !IsLoop && isNegated(Condition);
    if (!D.InlinedAt)
      Step.Statement = Text.numberOf(D.Owner);
  } else if (auto *Asked = llvm::dyn_cast<llvm::Instruction>(llvm::cast<llvm::BranchInst>(End).getCondition());
             D.Blocks.size() == 1 && Asked) { // an operand
    if (const clang::Stmt *Own = Text.at(Asked->getDebugLoc())) {
      Step.Text = textOf(*Own, Ir.unit().ast());
      Step.Where = Ir.unit().place(Own->getBeginLoc());
    }
  }
  return Step;
}

IrPaths::Way IrPaths::unknownWay(Block Of) {
  const llvm::DomTreeNode *Before = Values.dominators().getNode(Of); // null where nothing leads there
  Before = Before ? Before->getIDom() : nullptr;
  while (Before) {
    const llvm::Loop *L = Values.loops().getLoopFor(Before->getBlock());
    if (!L || L->contains(Of))
      break;
    Before = Before->getIDom();
  }
  Way W;
  PathStep Unknown;
  if (Before) {
    W = wayTo(Before->getBlock());
    describe(*Before->getBlock()->getTerminator(), Unknown);
  }
  W.Steps.push_back(std::move(Unknown));
  return W;
}

IrPaths::Way IrPaths::behindSwitch(const llvm::SwitchInst &Switch, Block Target) {
  llvm::SmallVector<Block> Targets; // an `else if` each
  for (const auto &Case : Switch.cases())
    if (Case.getCaseSuccessor() != Switch.getDefaultDest() && !llvm::is_contained(Targets, Case.getCaseSuccessor()))
      Targets.push_back(Case.getCaseSuccessor());
  Targets.push_back(Switch.getDefaultDest());
  Way W = wayTo(Switch.getParent());
  for (unsigned I = 0; I + 1 < Targets.size(); ++I) {
    PathStep Step;
    describe(Switch, Step);
    Step.What = PathStep::Kind::Branch;
    Step.Id = SwitchIds.try_emplace({&Switch, I}, NextId).first->second;
    NextId += Step.Id == NextId;
    Step.Taken = Targets[I] == Target;
    W.Steps.push_back(Step);
    if (Step.Taken)
      break;
  }
  return W;
}

IrPaths::Way IrPaths::wayTo(Block Of) {
  if (auto Known = Cache.find(Of); Known != Cache.end())
    return Known->second;
  const llvm::DominatorTree &Dominators = Values.dominators();
  auto Find = [&]() -> Way {
    if (auto Found = InsideOf.find(Of); Found != InsideOf.end()) {
      Way W = wayTo(Found->second.Front);
      W.Steps.push_back(Found->second.Step);
      return W;
    }
    if (!MayReturn.contains(Of)) // it ends the grid, or never ends
      return unknownWay(Of);
    std::vector<Edge> Edges;
    if (auto Found = ControlOf.find(Of); Found != ControlOf.end())
      llvm::copy_if(Found->second, std::back_inserter(Edges), [&](const Edge &E) { return !isOfLaterTurn(E, Of); });
    if (Edges.empty())
      return {};
    const Edge &First = Edges.front();
    if (auto *Switch = llvm::dyn_cast<llvm::SwitchInst>(First.From->getTerminator())) {
      const llvm::Loop *L = Values.loops().getLoopFor(First.From);
      return Edges.size() == 1 && Dominators.dominates(First.From, Of) && (!L || L->contains(Of))
                 ? behindSwitch(*Switch, First.To)
                 : unknownWay(Of);
    }
    auto Found = DecisionOf.find(First.From);
    if (Found == DecisionOf.end())
      return unknownWay(Of);
    const Decision &D = *Found->second;
    const Block Front = D.Blocks.front();
    const llvm::Loop *L = Values.loops().getLoopFor(Front);
    if (!Dominators.dominates(Front, Of) || (L && !L->contains(Of)) || // or it has not returned from the loop
        llvm::any_of(Edges, [&](const Edge &E) { return E.To != First.To || DecisionOf.lookup(E.From) != &D; }))
      return unknownWay(Of);
    if (auto Inner = InsideOf.find(First.To); Inner != InsideOf.end() && Inner->second.Front == Front) {
      Way W = wayTo(Front);
      W.Steps.push_back(Inner->second.Step);
      return W;
    }
    if (First.To != D.Sides[false] && First.To != D.Sides[true])
      return unknownWay(Of);
    const bool Taken = First.To == D.Sides[true];
    Way W = wayTo(Front);
    const auto End = L ? Ends.find(L) : Ends.end();
    if (End == Ends.end() || End->second.By != &D) {
      W.Steps.push_back(step(D, Taken));
      return W;
    }
    W.Loops.push_back(L);
    PathStep Step = step(D, Taken);
    Step.What = End->second.Variable ? PathStep::Kind::Loop : PathStep::Kind::Unknown;
    Step.Id = End->second.Variable.value_or(0);
    W.Steps.push_back(std::move(Step));
    return W;
  };
  Way W = Find();
  Cache[Of] = W;
  return W;
}

std::vector<PathStep> IrPaths::to(const llvm::BasicBlock &Of) {
  Way W = wayTo(&Of);
  if (HasOtherCycles)
    W.Steps.push_back({});
  for (const llvm::Loop *L = Values.loops().getLoopFor(&Of); L; L = L->getParentLoop())
    if (!llvm::is_contained(W.Loops, L)) {
      PathStep Unknown;
      describe(*L->getHeader()->getTerminator(), Unknown);
      W.Steps.push_back(std::move(Unknown));
    }
  return W.Steps;
}

} // namespace cufuse
