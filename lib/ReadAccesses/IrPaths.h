// What the blocks of a kernel's device IR stand under.
#pragma once

#include "IrValues.h"
#include "TextUses.h"

#include <llvm/Analysis/PostDominators.h>

namespace cufuse {

class IrPaths {
public:
  /// Completes the loops that `Values` knows: how they end, and where they stand.
  IrPaths(const DeviceIr &Ir, IrValues &Values, const TextPlaces &Text);

  /// From the outside in. What ends the grid counts for nothing.
  std::vector<PathStep> to(const llvm::BasicBlock &Block);
  /// The loop in the kernel's body; null where it is elsewhere, or has another form.
  const clang::Stmt *statementOf(const llvm::Loop &L) const;

private:
  using Block = const llvm::BasicBlock *;

  /// A condition, in the blocks that its operators `&&` and `||` are made of, and what is known by it.
  struct Decision {
    std::vector<Block> Blocks;  ///< The first one comes before the others.
    std::array<Block, 2> Sides; ///< By truth.
    std::array<std::vector<Less>, 2> Holds;
    std::array<bool, 2> Exact = {true, true};
    const clang::Stmt *Owner = nullptr;
    const llvm::DILocation *InlinedAt = nullptr;
    unsigned Id = 0;
  };
  /// On a side of a condition: the one that a block behind `&&` stands under.
  struct Inside {
    Block Front;
    PathStep Step;
  };
  struct Edge {
    Block From, To;
  };
  /// The way to a block, with the loops that have a step of it.
  struct Way {
    std::vector<PathStep> Steps;
    std::vector<const llvm::Loop *> Loops;
  };

  void findDecisions();
  bool merge(Decision &D);
  void findPostDominators();
  void findControl();
  void findEnds();

  bool isOfLaterTurn(const Edge &E, Block Of) const;
  Way wayTo(Block Of);
  Way behindSwitch(const llvm::SwitchInst &Switch, Block Target);
  Way unknownWay(Block Of);
  PathStep step(const Decision &D, bool Taken) const;
  /// What the terminator asks.
  void describe(const llvm::Instruction &End, PathStep &Step) const;
  std::optional<unsigned> variableOf(const llvm::Loop &L, const Decision &D, bool Side) const;

  const DeviceIr &Ir;
  IrValues &Values;
  const TextPlaces &Text;
  std::vector<Block> Order; ///< From the entry on.
  std::vector<std::unique_ptr<Decision>> Decisions;
  llvm::DenseMap<Block, Decision *> DecisionOf; ///< By each of its blocks.
  llvm::DenseMap<Block, Inside> InsideOf;
  llvm::SmallPtrSet<Block, 32> MayReturn;
  llvm::PostDominatorTree PostDominators; ///< Of these.
  llvm::DenseMap<Block, std::vector<Edge>> ControlOf;
  struct End {
    const Decision *By;
    bool Stays;                       ///< The side on which the loop goes on.
    std::optional<unsigned> Variable; ///< In the known loops.
  };
  llvm::DenseMap<const llvm::Loop *, End> Ends;
  std::map<Block, Way> Cache;
  std::map<std::pair<const llvm::SwitchInst *, unsigned>, unsigned> SwitchIds;
  unsigned NextId = 0;
  bool HasOtherCycles = false; ///< Which are no loops.
};

} // namespace cufuse
