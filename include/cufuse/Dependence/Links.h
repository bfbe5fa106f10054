// Kernels that the user has linked, as a graph. No Clang.
#pragma once

#include "cufuse/Dependence/Pointwise.h"
#include "cufuse/Kernel/LinkText.h"
#include "cufuse/Kernel/Product.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Support/Error.h>

#include <memory>

namespace cufuse {

/// `Left <= Right`, to be checked when the kernel is launched.
struct AtMost {
  Polynomial Left, Right;
  bool operator==(const AtMost &) const = default;
};

/// A kernel of the chain or graph, by position.
struct VerticalNode {
  std::string Name;
  const KernelFacts *Facts;
  const KernelAccesses *Accesses;
  const ShapeFacts *Shape;
  /// The user says that its pointers lead to distinct memory, and to no other node's.
  bool Distinct = false;
  /// It is no kernel, but what makes the elements of this product, `c`, or what takes those of its `a`.
  const ProductFacts *Product = nullptr;
  /// The launcher sees to it that what is used of these parameters' arrays is apart, here and in all nodes.
  std::set<std::string> Compared = {};

  const ParameterAccess *parameter(llvm::StringRef Name) const { return Accesses->parameter(Name); }
  /// The accesses through a parameter, in their order.
  std::vector<const AccessSite *> sites(llvm::StringRef Parameter) const;
  /// Does nothing else lead to the array of this parameter, except through another that is not distinct?
  bool isDistinct(const ParameterAccess &P) const { return P.Restrict || Distinct; }
  bool areDistinct(const ParameterAccess &A, const ParameterAccess &B) const {
    return (isDistinct(A) && isDistinct(B)) || (Compared.count(A.Name) && Compared.count(B.Name));
  }
  /// The value that a parameter of a product has in every launch.
  std::optional<std::int64_t> known(llvm::StringRef Parameter) const {
    return Product ? Product->known(Parameter) : std::nullopt;
  }
  /// Does it store to the array of a parameter, as far as its accesses show?
  bool stores(llvm::StringRef Parameter) const;
};

/// An intermediate: every element that `Producer` stores to `Out` is what `Consumer` loads from `In`.
struct Flow {
  unsigned Producer = 0, Consumer = 0;
  std::string Out, In;
  bool Dead = false; ///< Nothing else reads it: it is not stored.
};

/// An argument that is another kernel's, or a product of integer arguments of another kernel.
struct SharedArgument {
  unsigned Of = 0, To = 0;
  std::vector<std::string> Factors;
  std::string Parameter;
};

/// Elements [Least, End) of an array, if the launch meets the requirements.
struct Extent {
  Polynomial Least, End;
  std::vector<AtMost> Needs;
};

/// A kernel that has for one element what is several for another, `float4 *` and `float *`: in those of the other.
struct KernelInParts {
  KernelAccesses Accesses;
  ShapeFacts Shape;
};

struct VerticalGraph {
  std::vector<VerticalNode> Nodes;
  std::vector<Flow> Flows;
  std::vector<SharedArgument> Shared;
  /// The one whose launch it is: the only one that is not pointwise or loads other elements of an intermediate than its
  /// own, or else the first one.
  unsigned Root = 0;
  std::vector<unsigned> Before; ///< Pointwise kernels whose intermediates lead to such a root.
  std::vector<unsigned> Order;  ///< Producers before their consumers.
  /// What nodes are, of kernels whose arrays are taken in parts.
  std::vector<std::shared_ptr<const KernelInParts>> InParts;
  /// The quotients of integer parameters that kernels compute, in `inArguments`, by their atoms there.
  std::map<std::string, Quotient> Quotients;

  /// All that a launch may access of memory, where that is known, in the arguments that remain and the dimensions of
  /// the root's grid.
  std::map<std::pair<unsigned, std::string>, std::vector<Extent>> Extents;
  bool NoOther = false; ///< There is no memory but that of arrays: the launcher can tell which of those share some.

  /// All kernels are pointwise and load only their own elements of intermediates.
  bool OneLoop = false;

  /// What an argument that remains is called: as its parameter, or `NODE_PARAMETER` where another one of that name
  /// remains, where the text between the kernels has a name like it, and where it is a dead intermediate.
  std::string argumentName(unsigned Node, const std::string &Parameter) const;
  /// The integer parameter as a polynomial of arguments that remain, called `node.parameter`.
  Polynomial argument(unsigned Node, const std::string &Parameter) const;
  /// A polynomial of a node's parameters in those; the element and whatever else is no parameter stays.
  Polynomial inArguments(unsigned Node, const Polynomial &P) const;
  Less inArguments(unsigned Node, const Less &L) const {
    return {inArguments(Node, L.Left), inArguments(Node, L.Right)};
  }
  AtMost inArguments(unsigned Node, const AtMost &Needed) const {
    return {inArguments(Node, Needed.Left), inArguments(Node, Needed.Right)};
  }
  /// What an atom of these, `node.parameter`, stands for; null where it is another atom.
  const ParameterAccess *parameterOf(llvm::StringRef Atom) const;
  const SharedArgument *sharedTo(unsigned Node, llvm::StringRef Parameter) const;
  const Flow *flowTo(unsigned Node, llvm::StringRef Parameter) const;
  std::vector<const Flow *> flowsFrom(unsigned Node, llvm::StringRef Parameter) const;
  bool isIntermediate(unsigned Node, llvm::StringRef Parameter) const { return !flowsFrom(Node, Parameter).empty(); }
  bool isBefore(unsigned Node) const { return llvm::is_contained(Before, Node); }
  /// Whose parameter leads to the array that this one leads to, through links and flows.
  std::pair<unsigned, std::string> memory(unsigned Node, const std::string &Parameter) const;
  /// A consumer that stores to the intermediate that it loads, so that nothing else is left of it in memory.
  const Flow *changedInPlace(unsigned Producer, llvm::StringRef Out) const;
  /// Must what the node makes of this parameter's array be in memory in the end?
  bool isLive(unsigned Node, llvm::StringRef Parameter) const;
};

/// A parameter that another one is linked to, in C++, in terms of those of the kernel it belongs to.
std::string argumentText(const VerticalGraph &Graph, const SharedArgument &S,
                         llvm::function_ref<std::string(unsigned, const std::string &)> Argument);

/// What is given for a pointer, as the parameter's type: what an earlier kernel only loads, a later one may store.
/// `Element`: what it points to, in C++; `InParts`: that is what the parameter's elements are taken in.
std::string pointerText(const VerticalGraph &Graph, unsigned Node, const std::string &Parameter,
                        const std::string &Element, const std::string &Given, bool InParts = false);

/// Does a kernel whose threads have an element each load it by the one name of an array, and then store it by the
/// other?
bool isLoadedFirst(const VerticalNode &Node, llvm::StringRef Loaded, llvm::StringRef Stored);

/// The kernel that a link means by this: its name among the others, or that in its file. Fails as bad usage.
llvm::Expected<unsigned> kernelOfLink(llvm::StringRef Name, llvm::ArrayRef<std::string> Names,
                                      llvm::ArrayRef<const KernelFacts *> Facts);

/// Which links are intermediates follows from what the kernels store. `Dead` are names of intermediates, `kernel.out`
/// or `out`. Fails as bad usage for names that do not exist, and for links that go round in a circle. `InMemory`:
/// arrays stay whole, and the kernels may have any types for their elements.
llvm::Expected<VerticalGraph> linkKernels(std::vector<VerticalNode> Nodes, llvm::ArrayRef<LinkText> Links,
                                          llvm::ArrayRef<std::string> Dead, bool InMemory = false);

/// Fails unless every kernel but the root and those before it has one producer that is not before the root: refused, or
/// bad usage where no link leads to a kernel.
llvm::Error requireTree(const VerticalGraph &Graph);

} // namespace cufuse
