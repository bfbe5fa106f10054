// What compositions of pointwise kernels have in common: a kernel is called for an element in registers. No Clang.
#pragma once

#include "ComposeText.h"

#include "cufuse/Dependence/Streams.h"

#include <fmt/core.h>

namespace cufuse {

/// The node's conditions that say no more than that its elements are below the bound.
std::vector<KnownCondition> knownConditions(const VerticalNode &Node);
/// Which of them are asked for, as `cuda::Turn` is given it; nothing if none is.
std::vector<Given> askedConditions(llvm::ArrayRef<KnownCondition> Known);

/// What a form asks for streams: objects in the place of all who use them.
void editStreams(FormProof &Proof, llvm::ArrayRef<Stream> Streams);

/// Does a kernel that takes several elements at a time change one by `p[i] += x`?
bool changesGroups(const VerticalGraph &Graph);

/// Parameters of a kernel that takes several elements at a time through which it loads vectors at other places than its
/// own elements: a row of a bias. An object loads them as vectors, which nvcc splits where the user's text has
/// references.
std::vector<std::string> loadedAside(const VerticalGraph &Graph, unsigned Node, llvm::ArrayRef<Stream> Streams);

/// - Each kernel has a namespace of its own, `cufuse_NODE`, with its own meaning of `cufuse_linked_PARAMETER`;
/// - a parameter that is in a stream is an object that gives the elements in registers;
/// - a kernel sees its elements as its block, as in `InlineAtStoreForm`.
class ElementComposer : protected TextComposer {
protected:
  ElementComposer(const VerticalGraph &Graph, llvm::ArrayRef<const KernelText *> Texts,
                  llvm::ArrayRef<AtMost> Requirements, const std::vector<Stream> &Streams)
      : TextComposer(Graph, Texts, Requirements), Streams(Streams) {}

  /// Does its text ask which conditions are known?
  static bool asksTurn(const VerticalNode &N) { return !knownConditions(N).empty(); }
  /// What each node reads is given by who calls it.
  void elementFacts();
  /// The parameters that remain, and the objects.
  void objects();
  /// The text of every kernel.
  void texts();

  std::pair<unsigned, std::string> memoryOf(const Stream &S) const {
    return Graph.memory(S.Users.front().first, S.Users.front().second);
  }
  std::string registers(const Stream &S) const {
    return fmt::format("cufuse_{}_{}", name(S.Users.front().first), S.Users.front().second);
  }
  /// The array in memory, as the type of one who stores to it, where there is one.
  std::string memory(const Stream &S) const;
  /// The call of a node for element `At`, behind `Head`. `Turn`: what it is told of known conditions; `Given`: the
  /// object for the elements of a stream.
  OutputText call(unsigned Node, const OutputText &Head, const std::string &At, const std::string &Turn,
                  llvm::function_ref<std::string(const Stream &)> Given) const;

  const std::vector<Stream> &Streams;

private:
  /// Needed behind the launch, or by a kernel that has it as a pointer.
  bool remains(unsigned Node, const std::string &Parameter) const;
  OutputText aliases(unsigned Node) const;
};

} // namespace cufuse
