#include "cufuse/Vertical/Form.h"

#include <fmt/core.h>

namespace cufuse {

/// In the order in which they are tried. Pointwise producers of the only row kernel fit two: they are inlined at its
/// loads if no element is computed more often than allowed; by row, each is computed once.
static constexpr const VerticalForm *Forms[] = {&OneLoopForm, &InlineAtStoreForm, &ByRowForm};

std::vector<const VerticalForm *> formsFor(const VerticalGraph &Graph) {
  std::vector<const VerticalForm *> Taking;
  for (const VerticalForm *Each : Forms)
    if (Each->Takes(Graph))
      Taking.push_back(Each);
  return Taking;
}

llvm::Expected<FormProof> proveForm(const VerticalGraph &Graph, BlockShape Block, const VerticalOptions &Options) {
  for (const Flow &F : Graph.Flows)
    for (const auto &[Node, Name] : {std::pair(F.Producer, F.Out), {F.Consumer, F.In}})
      if (const ParameterAccess &P = *Graph.Nodes[Node].parameter(Name); !P.Kept)
        return refuse({BlockerKind::LinkedElement, Graph.Nodes[Node].Facts->Where,
                       fmt::format("{}.{} is {}", Graph.Nodes[Node].Name, Name, P.Type)});
  llvm::Error Refusals = llvm::Error::success();
  for (const VerticalForm *Form : formsFor(Graph)) {
    auto Proof = Form->Prove(Graph, Block, Options);
    if (Proof) {
      llvm::consumeError(std::move(Refusals));
      return Proof;
    }
    Refusals = llvm::joinErrors(std::move(Refusals), Proof.takeError());
  }
  return std::move(Refusals);
}

} // namespace cufuse
