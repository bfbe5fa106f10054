// What legality checks have in common.
#pragma once

#include "cufuse/Dependence/Legality.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/STLFunctionalExtras.h>

namespace cufuse {

/// Reasons, each once.
class Refusals {
public:
  /// `Remedy`: with names filled in, where the kind's own says less.
  void refuse(BlockerKind Kind, const SourcePlace &Where, const std::string &Fact, const std::string &Remedy = "");
  /// Do its threads go on to the next kernel, if there is one, with nothing of theirs still under way? `Unshown`: what
  /// is said of a copy.
  void goesOn(const VerticalNode &N, BlockShape Block, bool IsLast, BlockerKind Unshown);
  /// All of them, or if there are none, what was found.
  template <typename T> llvm::Expected<T> orRefusals(T Found) {
    if (Messages.empty())
      return std::move(Found);
    return llvm::make_error<Failure>(ExitCode::BadInput, std::move(Messages));
  }

protected:
  void require(const AtMost &Needed) {
    if (!(Needed.Left == Needed.Right) && !llvm::is_contained(Requirements, Needed))
      Requirements.push_back(Needed);
  }
  void require(const Polynomial &Left, const Polynomial &Right) { require({Left, Right}); }
  void requireSame(const Polynomial &Left, const Polynomial &Right) { require(Left, Right), require(Right, Left); }

  std::vector<AtMost> Requirements; ///< Of every launch, each once.

private:
  std::vector<Message> Messages;
};

const AccessSite *siteOf(const VerticalNode &Node, llvm::StringRef Parameter, AccessSite::Kind What);
/// For messages: what the producer stores as `Out`.
std::string storedBy(const VerticalNode &Producer, const std::string &Out);

/// By position in the graph's order: why the block waits before that kernel, or nothing. `Exchanged`: what an earlier
/// kernel has done that the later one must find done.
std::vector<std::string> barriersOf(const VerticalGraph &Graph,
                                    llvm::function_ref<std::string(unsigned Before, unsigned Node)> Exchanged);

/// What memory a kernel uses otherwise than through its pointers; nothing if there is none.
std::optional<Finding> otherMemory(const VerticalNode &Node);

/// Are the variable's elements what the text says, or what the host stores before the launch?
bool isTable(const GlobalFacts &Global);

/// Is it of the kernel's arguments alone?
bool isOfArguments(const VerticalNode &Node, const Polynomial &P);

/// Does every block come to the site, whatever its number, with each value that its threads and loops can have? So it
/// comes to the first and the last of the elements that the index can be. `Step`: what is the block's size by its
/// launch.
bool usesWholeRange(const AccessSite &Site, const VerticalNode &Node, BlockShape Block,
                    const std::optional<Polynomial> &Step = std::nullopt);

/// How numbers of elements that differ are said to be equal, as far as a link can say it.
std::string linkOf(Polynomial Made, Polynomial Taken);

/// The access to an intermediate by a kernel that is a function of one element: to that element, in a way that an
/// object in the pointer's place follows.
void checkOwn(const AccessSite &Site, const VerticalNode &Node, const std::string &Stored, Refusals &Refused);

/// What a kernel changes in place has one such kernel, and those behind it take what it has made.
void checkChanges(const VerticalGraph &Graph, const Flow &F, Refusals &Refused);

/// Which intermediates kernels store to memory, and load from there?
enum class InMemory {
  Live, ///< They are stored, and handed on otherwise.
  Dead, ///< Others may be, too.
  All,  ///< And nothing is handed on otherwise. What the links make one is proved elsewhere.
};

/// Nothing that one of the kernels writes, but for what is forwarded, may be touched by another, unless `--distinct` is
/// said. Nor may one of them touch what is forwarded by another name, as it is not in memory then, unless `Kept` says
/// so: two of its own pointers are distinct if both are `__restrict__`.
void checkAliases(const VerticalGraph &Graph, Refusals &Refused, InMemory Kept = InMemory::Live);

} // namespace cufuse
