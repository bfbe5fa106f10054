// The forms in which dependent kernels become one kernel. A new form is a row of the table, a file and a test folder.
// Text to text: no Clang.
#pragma once

#include "cufuse/Dependence/Links.h"
#include "cufuse/Kernel/KernelText.h"
#include "cufuse/Products/PlanProducts.h"

#include <functional>

namespace cufuse {

/// How dependent kernels become one.
struct VerticalOptions {
  unsigned Vectorize = 1; ///< Elements per thread at least, where all kernels are pointwise; a power of two.
  /// How often an element of an intermediate may be computed at a consumer's loads; nothing: any number of times.
  std::optional<unsigned> Recompute = 1;
  bool EvictLast = false; ///< Rows that stay in registers are loaded with that priority in L2.
  /// Sums may be taken in another order, by threads that have other elements of the row: 16 bytes at a time.
  bool Reassociate = false;
  unsigned Copies = 1;      ///< Blocks that a fused block plays side by side.
  bool InRegisters = false; ///< Refuses what would hand intermediates on in memory.
  bool InMemory = false;    ///< Takes nothing else: the text of linked pointers stays as it is.
  bool Cooperative = false; ///< One after the other, the whole grid, with a barrier between; all stays in memory.
  bool LastBlock = false;   ///< The same, but the last block that has played the first kernel plays the others.
  bool FirstBlock = false;  ///< The same, but the first block that comes plays all kernels but the last.
  /// Which of them.
  const char *option() const { return LastBlock ? "--last-block" : FirstBlock ? "--first-block" : "--cooperative"; }
  bool inMemoryOfAll() const { return Cooperative || LastBlock || FirstBlock; }
  ProductsPlan Products = {}; ///< How products are computed, where there are some.
};

/// A kernel made of several: what fuses one kernel fuses it, too.
struct ComposedKernel {
  KernelFacts Facts;
  KernelText Text;
  std::set<unsigned> AsElement = {}; ///< Nodes whose block is one thread.
};

/// A launch whose grid follows from the number of elements.
struct ElementLaunch {
  Polynomial Elements;    ///< In the arguments that remain.
  unsigned PerThread = 1; ///< That a thread takes at a time.
};

/// The value of a polynomial in the arguments that remain, where it is known.
using ValueOf = llvm::function_ref<std::optional<std::int64_t>(const Polynomial &)>;

/// A graph that was proved to have a form. The graph outlives it.
struct FormProof {
  std::vector<LinkedText> Edits; ///< What changes in the nodes' texts.
  /// Parameters that share their type with those of other kernels, beside the linked ones.
  std::vector<std::pair<unsigned, std::string>> Shared = {};
  bool LoadsRows = false; ///< Into registers.
  /// None: the launch has this node's grid, or the root's.
  std::optional<ElementLaunch> Elements = {};
  std::optional<unsigned> Grid = {};
  /// In the arguments that remain: of each block's row, where the launcher knows it.
  std::optional<Polynomial> RowLength = {};
  /// Nodes with more blocks than the launch, the first divided by the second times as many.
  std::map<unsigned, std::pair<Polynomial, Polynomial>> Nested = {};
  /// The nodes' texts, changed by `Edits`, as one.
  std::function<ComposedKernel(llvm::ArrayRef<const KernelText *> Texts)> Compose = {};
  /// Template arguments of the instance that the launcher takes; null where the kernel is no template. Fails where they
  /// depend on a value that is not known.
  std::function<llvm::Expected<std::vector<unsigned>>(ValueOf Value)> Instance = {};
};

struct VerticalForm {
  /// For messages: what the graph's fusion would be.
  std::string (*Name)(const VerticalGraph &Graph);
  /// May the graph have this form? If several may, the first whose proof holds is taken.
  bool (*Takes)(const VerticalGraph &Graph);
  /// Is the node's block that of the fused kernel?
  bool (*HasBlock)(const VerticalGraph &Graph, unsigned Node);
  /// Elements that a thread takes at a time where `Vectorize` are asked for.
  unsigned (*Width)(const VerticalGraph &Graph, unsigned Vectorize);
  /// `Block` is the root's. Or all refusals.
  llvm::Expected<FormProof> (*Prove)(const VerticalGraph &Graph, BlockShape Block, const VerticalOptions &Options);
  /// Does it put objects in the place of linked pointers? Then every mention of them must be one that those follow.
  bool EditsLinked = true;
};

extern const VerticalForm ProductsForm;      ///< Pointwise kernels between and behind products.
extern const VerticalForm OneLoopForm;       ///< Pointwise kernels, in a loop over elements.
extern const VerticalForm InlineAtStoreForm; ///< Consumers where producers store, producers where the root loads.
extern const VerticalForm ByRowForm;         ///< Kernels of rows one after the other in their block.
extern const VerticalForm InTurnForm;        ///< Any kernels, by the blocks or threads that their arrays fall into.

/// Those that may take the graph, in the order in which they are tried.
std::vector<const VerticalForm *> formsFor(const VerticalGraph &Graph);

/// By the first form that can be proved; or which were tried, and the refusals of that with the fewest.
llvm::Expected<FormProof> proveForm(const VerticalGraph &Graph, BlockShape Block, const VerticalOptions &Options);

} // namespace cufuse
