// What a fused group is launched with: the arithmetic that its launcher does from the same arguments.
#include "GroupFuser.h"

#include "cufuse/Plan/FusedLaunch.h"
#include "cufuse/Support/Error.h"

#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>

#include <cstring>

namespace cufuse {

namespace {

std::uint64_t blocksFor(std::int64_t Elements, std::uint64_t Each) {
  return (static_cast<std::uint64_t>(Elements) + Each - 1) / Each;
}

/// The value of a scalar argument.
std::optional<std::int64_t> integerOf(const ParameterFacts &Parameter, const KernelArgument &Argument) {
  if (Parameter.Fields.size() != 1 || Argument.Bytes.size() > sizeof(std::int64_t))
    return std::nullopt;
  const ScalarKind Kind = Parameter.Fields.front().Kind;
  if (Kind != ScalarKind::Signed && Kind != ScalarKind::Unsigned)
    return std::nullopt;
  std::int64_t Value = Kind == ScalarKind::Signed && (Argument.Bytes.back() & 0x80) ? -1 : 0;
  std::memcpy(&Value, Argument.Bytes.data(), Argument.Bytes.size());
  return Value;
}

} // namespace

std::optional<std::int64_t> GroupFuser::valueOf(const VerticalGraph &Graph, llvm::ArrayRef<unsigned> Members,
                                                const std::string &Atom) const {
  if (const auto Found = Graph.Quotients.find(Atom); Found != Graph.Quotients.end()) {
    const auto Dividend = valueOf(Graph, Members, Found->second.Dividend);
    const auto Divisor = valueOf(Graph, Members, Found->second.Divisor);
    return Dividend && Divisor && *Divisor != 0 ? std::optional(*Dividend / *Divisor) : std::nullopt;
  }
  for (unsigned Node = 0; Node < Members.size(); ++Node) {
    const KernelFacts &Facts = *Graph.Nodes[Node].Facts;
    for (size_t I = 0; I < Facts.Parameters.size(); ++I)
      if (Atom == Graph.Nodes[Node].Name + "." + Facts.Parameters[I].Name)
        return integerOf(Facts.Parameters[I], Subject.Packed[Members[Node]].front().Arguments[I]);
  }
  return std::nullopt;
}

std::optional<std::int64_t> GroupFuser::valueOf(const VerticalGraph &Graph, llvm::ArrayRef<unsigned> Members,
                                                const Polynomial &P) const {
  std::int64_t Sum = 0;
  for (const auto &[Atoms, Factor] : P.terms()) {
    std::int64_t Term = Factor;
    for (const std::string &Atom : Atoms) {
      const auto Value = valueOf(Graph, Members, Atom);
      if (!Value)
        return std::nullopt;
      Term *= *Value;
    }
    Sum += Term;
  }
  return Sum;
}

/// The launch that its launcher would be given: the root's grid, or in one loop a turn for each thread.
llvm::Expected<PackedKernel> GroupFuser::pack(const VerticalGraph &Graph, const FormProof &Proof,
                                              llvm::ArrayRef<unsigned> Members, const LaunchGroup &How,
                                              const KernelFacts &Composed) const {
  const std::vector<const VerticalForm *> Forms = formsFor(Graph);
  PackedKernel Whole{How.Block, {}, {}, false};
  std::vector<PackedKernel> Each;
  std::vector<bool> InBlock;
  for (unsigned Node = 0; Node < Members.size(); ++Node) {
    const unsigned Member = Members[Node];
    InBlock.push_back(llvm::any_of(Forms, [&](const VerticalForm *Form) { return Form->HasBlock(Graph, Node); }));
    auto One = packKernel(*Graph.Nodes[Node].Facts, Subject.Work.Kernels[Member], Subject.Work.Buffers,
                          InBlock.back() ? How.Block : Subject.Packed[Member].front().Block);
    if (!One)
      return One.takeError();
    Whole.Launch.DynamicBytes = std::max(Whole.Launch.DynamicBytes, One->Launch.DynamicBytes);
    Each.push_back(std::move(*One));
  }
  Whole.Launch.Grid = Each[Graph.Root].Launch.Grid;
  if (const auto &Elements = Proof.Elements) {
    const auto Count = valueOf(Graph, Members, Elements->Elements);
    if (!Count || *Count < 1)
      return badInput(fmt::format("the elements of {} cannot be counted", Graph.Nodes[Graph.Root].Name));
    const std::uint64_t Turn = How.Block.threads() * Elements->PerThread;
    Whole.Launch.Grid = {static_cast<std::uint32_t>(blocksFor(*Count, Turn)), 1, 1};
  } else {
    for (unsigned Node = 0; Node < Members.size(); ++Node)
      if (InBlock[Node] && Each[Node].Launch.Grid != Whole.Launch.Grid)
        return badInput(fmt::format("{} and {} have different grids, and work on rows", Graph.Nodes[Graph.Root].Name,
                                    Graph.Nodes[Node].Name));
  }
  for (const ParameterFacts &Left : Composed.Parameters) {
    const KernelArgument *Found = nullptr;
    for (unsigned Node = 0; Node < Members.size(); ++Node)
      for (size_t I = 0; I < Each[Node].Arguments.size(); ++I)
        if (Left.Name == Graph.Nodes[Node].Name + "_" + Graph.Nodes[Node].Facts->Parameters[I].Name)
          Found = &Each[Node].Arguments[I];
    if (!Found)
      return defect(
          fmt::format("the composed kernel has a parameter '{}', which is of none of its kernels", Left.Name));
    Whole.Arguments.push_back(*Found);
  }
  return Whole;
}

} // namespace cufuse
