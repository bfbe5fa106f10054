// Which arrays of a loop over elements are kept in registers. No Clang.
#pragma once

#include "cufuse/Dependence/Links.h"

namespace cufuse {

/// An array of which every turn of the loop has the elements that it works on in registers: in memory, they are loaded
/// before all kernels and stored behind all of them, once each.
struct Stream {
  std::vector<std::pair<unsigned, std::string>>
      Users;                          ///< Kernels and their parameters; the first one makes it, if any.
  bool Loads = false, Stores = false; ///< From and to memory.
  std::optional<unsigned> From;       ///< It starts as a copy of that stream: it changes it in place.
};

/// The one whose user the node's parameter is.
std::optional<unsigned> streamOf(llvm::ArrayRef<Stream> Streams, unsigned Node, llvm::StringRef Parameter);

/// Intermediates, and of the other arrays those of which every kernel that has them accesses its own elements only, all
/// of them, and that no store of the same kernel may alias: both pointers are `__restrict__`. Every parameter that
/// is not in a stream stays a pointer, and is accessed where the kernel does. `Graph.OneLoop` holds.
std::vector<Stream> planStreams(const VerticalGraph &Graph);

/// What stands for an element among several, where the kernel may store it, is no reference: it is an object that gives
/// and takes the whole value.
bool isFollowedInGroups(const AccessSite &Site, const VerticalNode &Node);

/// May the node's parameter lead to an array that it also accesses by another one, and stores to by one of them? Gives
/// that other parameter.
const ParameterAccess *mayBeAliased(const VerticalNode &Node, llvm::StringRef Parameter);

/// Does nothing that the node stores change what it loads by a parameter through which it stores nothing?
bool isOnlyLoaded(const VerticalNode &Node, const std::string &Parameter);

} // namespace cufuse
