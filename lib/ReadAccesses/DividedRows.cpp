#include "DividedRun.h"
#include "IrMemory.h"

#include <array>

namespace cufuse {

namespace {

class DivisionCheck {
public:
  DivisionCheck(const llvm::Function &Kernel, BlockShape Block, llvm::ArrayRef<const RowLoop *> Loops)
      : Kernel(Kernel), Block(Block), Loops(Loops) {}

  std::optional<NeedsThreads> run() {
    // Integers that are flags, counts, and lengths of rows; the most blocks where those are many.
    constexpr std::array<DividedDraw, 6> Kinds = {{{0, 1, 1, 1, -3},
                                                   {0, 2, 9, 4, 9},
                                                   {0, 0, 3, 3, -3},
                                                   {0, 30, 700, 1000, 0},
                                                   {0, 1024, 4096, 9000, -9},
                                                   {0, 0, 1, 2, 20}}};
    constexpr unsigned Enough = 2 * DifferentLevels, Most = 3 * Enough;
    unsigned Ended = 0;
    std::optional<NeedsThreads> Failed;
    for (unsigned I = 0; I < Most && (Ended < Enough || notRan()); ++I) {
      DividedDraw Of = Kinds[I % Kinds.size()];
      Of.Number = I;
      if (auto Why = draw(Of); !Why)
        ++Ended;
      else if (!IsNoLaunch)
        return Why;
      else
        Failed = Why;
    }
    if (Ended < Enough)
      return Failed;
    if (const llvm::BasicBlock *Left = notRan())
      return NeedsThreads{&Left->front(), "what follows was not seen to be the same"};
    return std::nullopt;
  }

private:
  std::optional<NeedsThreads> draw(const DividedDraw &Of) {
    const DividedRun A = runDivided(Kernel, Block, Loops, Of, 0);
    IsNoLaunch = A.IsNoLaunch;
    if (A.Stopped)
      return NeedsThreads{A.Stopped->At, A.Stopped->Why};
    const DividedRun B = runDivided(Kernel, Block, Loops, Of, 1);
    if (B.Stopped)
      return NeedsThreads{B.Stopped->At, B.Stopped->Why};
    Ran.insert(A.Ran.begin(), A.Ran.end());
    Open.insert(A.Open.begin(), A.Open.end());
    for (const auto &[Loop, Own] : A.Taken)
      if (!isSame(Own, B.Taken.lookup(Loop)))
        return NeedsThreads{Loop.first->getTerminator(), std::string("what the loop takes") + GoesByDivision};
    for (const auto &[By, Own] : A.Compared)
      if (!isSame(Own, B.Compared.lookup(By)))
        return own(*By.first, *By.first->getOperand(0));
    for (const auto *Run : {&A, &B})
      for (const auto &[At, Own] : Run->Stored) {
        const auto Other = (Run == &A ? B : A).Stored.find(At);
        if (Other == (Run == &A ? B : A).Stored.end() || !cufuse::isSame(Own.Type, Own.What, Other->second.What))
          return own(*Own.By, *Own.By->getOperand(llvm::isa<llvm::StoreInst>(Own.By) ? 0 : 1));
      }
    if (A.Compared.size() != B.Compared.size() || A.Taken.size() != B.Taken.size())
      return NeedsThreads{nullptr, std::string("its way") + GoesByDivision};
    return std::nullopt;
  }

  static bool isSame(const DividedRun::Log &A, const DividedRun::Log &B) {
    return llvm::equal(A, B, [](const auto &X, const auto &Y) { return cufuse::isSame(X.first, X.second, Y.second); });
  }
  static NeedsThreads own(const llvm::Instruction &I, const llvm::Value &V) { return {&I, nameOf(V) + GoesByDivision}; }

  /// Code behind the loops that no run came to.
  const llvm::BasicBlock *notRan() const {
    llvm::SmallPtrSet<const llvm::BasicBlock *, 32> Met;
    llvm::SmallVector<const llvm::BasicBlock *, 32> Next;
    for (const RowLoop *Loop : Loops) {
      Met.insert(Loop->Blocks.begin(), Loop->Blocks.end());
      Next.push_back(Loop->Exit);
    }
    while (!Next.empty()) {
      const llvm::BasicBlock *Block = Next.pop_back_val();
      const llvm::Instruction &Way = *Block->getTerminator();
      if (!Met.insert(Block).second || llvm::isa<llvm::UnreachableInst>(Way))
        continue;
      if (!Ran.contains(Block))
        return Block;
      for (const llvm::BasicBlock *To : llvm::successors(Block))
        if (Open.contains(&Way) || Ran.contains(To) || Met.contains(To))
          Next.push_back(To);
    }
    return nullptr;
  }

  const llvm::Function &Kernel;
  const BlockShape Block;
  const llvm::ArrayRef<const RowLoop *> Loops;
  llvm::DenseSet<const llvm::BasicBlock *> Ran;
  llvm::DenseSet<const llvm::Instruction *> Open;
  bool IsNoLaunch = false;
};

} // namespace

std::optional<NeedsThreads> needsItsThreads(const llvm::Function &Kernel, BlockShape Block,
                                            llvm::ArrayRef<const RowLoop *> Loops) {
  return DivisionCheck(Kernel, Block, Loops).run();
}

} // namespace cufuse
