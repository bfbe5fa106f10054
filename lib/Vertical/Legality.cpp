#include "cufuse/Vertical/Legality.h"

#include <fmt/format.h>
#include <llvm/ADT/STLExtras.h>

namespace cufuse {

namespace {

class Check {
public:
  Check(const VerticalGraph &Graph, BlockShape Block, bool KeepsMemory)
      : Graph(Graph), Block(Block), KeepsMemory(KeepsMemory) {}

  llvm::Expected<std::vector<AtMost>> run() {
    for (const Flow &F : Graph.Flows)
      flow(F);
    allAliases();
    if (Messages.empty())
      return std::move(Requirements);
    return llvm::make_error<Failure>(ExitCode::BadInput, std::move(Messages));
  }

  std::vector<Message> allAliases() {
    for (size_t I = 0; I < Graph.Order.size(); ++I)
      for (size_t J = I + 1; J < Graph.Order.size(); ++J)
        aliases(Graph.Order[I], Graph.Order[J]);
    return Messages;
  }

private:
  void refuse(BlockerKind Kind, const SourcePlace &Where, const std::string &Fact) {
    Message M = Blocker{Kind, Where, Fact}.message();
    if (llvm::none_of(Messages,
                      [&](const Message &Known) { return Known.Text == M.Text && Known.Where.str() == M.Where.str(); }))
      Messages.push_back(std::move(M));
  }

  static const AccessSite *siteOf(const VerticalNode &Node, llvm::StringRef Parameter, AccessSite::Kind What) {
    for (const AccessSite &Site : Node.Accesses->Sites)
      if (Site.Parameter == Parameter && Site.What == What)
        return &Site;
    return nullptr;
  }

  void flow(const Flow &F) {
    const VerticalNode &Producer = Graph.Nodes[F.Producer], &Consumer = Graph.Nodes[F.Consumer];
    StoreProof Proof;
    const bool IsRoot = F.Producer == Graph.Root;
    if (!IsRoot && Producer.Shape->Shape != KernelShape::Pointwise)
      return; // said where it consumes
    const auto Reason = proveStoredOnce(Producer, F.Out, IsRoot ? std::optional(Block) : std::nullopt, Proof);
    if (Reason)
      refuse(Reason->Kind, Reason->Where, Reason->Fact + "; " + Consumer.Name + " takes it as " + F.In);
    else if (IsRoot)
      for (const AtMost &Needed : Proof.Requirements)
        require(Graph.inArguments(F.Producer, Needed.Left), Graph.inArguments(F.Producer, Needed.Right));

    const AccessSite *Store = siteOf(Producer, F.Out, AccessSite::Kind::Store);
    const std::string Stored = Store ? fmt::format("{} stores {}", Producer.Name, Store->str())
                                     : fmt::format("{} changes {}", Producer.Name, F.Out);
    if (Consumer.Shape->Shape != KernelShape::Pointwise) {
      for (const Finding &Why : Consumer.Shape->Reasons)
        refuse(BlockerKind::NotPointwise, Why.Where, fmt::format("{}: {}; {}", Consumer.Name, Why.What, Stored));
      return;
    }
    for (const AccessSite &Site : Consumer.Accesses->Sites)
      if (Site.Parameter == F.In)
        load(Site, Consumer, Stored);
    if (!Reason)
      bounds(F, Proof, Stored);
  }

  void load(const AccessSite &Site, const VerticalNode &Consumer, const std::string &Stored) {
    const std::string Fact = fmt::format("{}: {}; {}", Consumer.Name, Site.str(), Stored);
    if (Site.What == AccessSite::Kind::Store || Site.Compound)
      return refuse(BlockerKind::InPlaceHazard, Site.Where, Fact);
    const auto Index = Site.Index ? inElement(*Site.Index, *Consumer.Accesses, *Consumer.Shape) : std::nullopt;
    if (!Index || !(*Index == Polynomial::atom(ElementAtom)))
      return refuse(BlockerKind::OtherElement, Site.Where,
                    fmt::format("{}: {}, whose index is {}; {}", Consumer.Name, Site.str(),
                                Index ? shown(*Index) : "not known", Stored));
    if (!Site.Direct)
      refuse(BlockerKind::IntermediateEscapes, Site.Where, Fact);
  }

  /// The producer's elements are the consumer's.
  void bounds(const Flow &F, const StoreProof &Proof, const std::string &Stored) {
    const VerticalNode &Consumer = Graph.Nodes[F.Consumer];
    const Polynomial Made = Graph.inArguments(F.Producer, Proof.Elements);
    const Polynomial Taken = Graph.inArguments(F.Consumer, Consumer.Shape->Bound);
    if (Made == Taken)
      return;
    bool ByGrid = false;
    for (int D = 0; D < 3; ++D)
      ByGrid |= Made.contains(builtinAtom(Builtin::GridDim, D));
    if (ByGrid) { // the launch says how many
      require(Made, Taken);
      require(Taken, Made);
      return;
    }
    const AccessSite *Load = siteOf(Consumer, F.In, AccessSite::Kind::Load);
    const AccessSite *Any = Load ? Load : &Consumer.Accesses->Sites.front();
    refuse(
        BlockerKind::DifferentBounds, Any->Where,
        fmt::format("{}: {}, of {} elements; {}, of {}", Consumer.Name, Any->str(), Taken.str(), Stored, Made.str()));
  }

  void require(const Polynomial &Left, const Polynomial &Right) {
    if (Left == Right ||
        llvm::any_of(Requirements, [&](const AtMost &Known) { return Known.Left == Left && Known.Right == Right; }))
      return;
    Requirements.push_back({Left, Right});
  }

  /// Where a parameter of a node leads to memory: through links to the first kernel that has it.
  std::pair<unsigned, std::string> memory(unsigned Node, const std::string &Parameter) const {
    const SharedArgument *S = Graph.sharedTo(Node, Parameter);
    return S ? memory(S->Of, S->Factors.front()) : std::pair(Node, Parameter);
  }

  /// Is a parameter's memory not accessed in the fused kernel?
  bool isForwarded(unsigned Node, const std::string &Parameter) const {
    if (Graph.flowTo(Node, Parameter))
      return true;
    if (KeepsMemory)
      return false;
    bool Out = false, Dead = true;
    for (const Flow &F : Graph.Flows)
      if (F.Producer == Node && F.Out == Parameter) {
        Out = true;
        Dead &= F.Dead;
      }
    return Out && Dead;
  }

  struct Access {
    const ParameterAccess *Parameter;
    const AccessSite *Load = nullptr, *Store = nullptr;
  };
  std::vector<Access> accesses(unsigned Node) const {
    std::vector<Access> All;
    for (const ParameterAccess &P : Graph.Nodes[Node].Accesses->Parameters) {
      if (P.Element.empty() || isForwarded(Node, P.Name))
        continue;
      Access A{&P};
      for (const AccessSite &Site : Graph.Nodes[Node].Accesses->Sites) {
        if (Site.Parameter != P.Name)
          continue;
        const bool Loads = Site.What != AccessSite::Kind::Store, Stores = Site.What != AccessSite::Kind::Load;
        if (Loads && !A.Load)
          A.Load = &Site;
        if (Stores && !(Site.What == AccessSite::Kind::Escape && P.ReadOnly) && !A.Store)
          A.Store = &Site;
      }
      All.push_back(A);
    }
    return All;
  }

  void aliases(unsigned First, unsigned Second) {
    const std::vector<Access> Earlier = accesses(First), Later = accesses(Second);
    for (const Access &A : Earlier)
      for (const Access &B : Later) {
        if (!(A.Store && (B.Load || B.Store)) && !(A.Load && B.Store))
          continue;
        const bool Same = memory(First, A.Parameter->Name) == memory(Second, B.Parameter->Name);
        if (!Same && A.Parameter->Restrict && B.Parameter->Restrict)
          continue;
        const AccessSite &Of = A.Store ? *A.Store : *A.Load, &By = A.Store && B.Load ? *B.Load : *B.Store;
        refuse(BlockerKind::MayAlias, By.Where,
               fmt::format("{}: {}; {}: {}{}", Graph.Nodes[Second].Name, By.str(), Graph.Nodes[First].Name, Of.str(),
                           Same ? ", which is linked to be the same memory" : ""));
      }
    hidden(First, Later, Second);
    hidden(Second, Earlier, First);
  }

  /// Memory that a node reaches otherwise than through its pointers may be what another one stores.
  void hidden(unsigned Node, llvm::ArrayRef<Access> Others, unsigned Other) {
    const VerticalNode &N = Graph.Nodes[Node];
    std::string What;
    for (const ParameterAccess &P : N.Accesses->Parameters)
      if (P.HidesPointers)
        What = "pointers in " + P.Name;
    for (const std::string &Name : N.Accesses->PointerVariables)
      What = "pointers in " + Name;
    for (const GlobalFacts &Global : N.Facts->Globals)
      if (Global.Space != "__constant__")
        What = "the variable " + Global.Name;
    if (What.empty())
      return;
    for (const Access &A : Others)
      if (const AccessSite *Site = A.Store ? A.Store : A.Load)
        return refuse(BlockerKind::MayAlias, Site->Where,
                      fmt::format("{}: {}; {} uses {}, {}", Graph.Nodes[Other].Name, Site->str(), N.Name, What,
                                  N.Facts->Where.str()));
  }

  const VerticalGraph &Graph;
  const BlockShape Block;
  const bool KeepsMemory; ///< Dead intermediates may be stored, too.
  std::vector<Message> Messages;
  std::vector<AtMost> Requirements;
};

} // namespace

llvm::Expected<std::vector<AtMost>> checkInlineAtStore(const VerticalGraph &Graph, BlockShape Block) {
  return Check(Graph, Block, /*KeepsMemory=*/false).run();
}

std::vector<Message> checkAliases(const VerticalGraph &Graph) {
  return Check(Graph, {}, /*KeepsMemory=*/true).allAliases();
}

} // namespace cufuse
