// What legality checks have in common.
#pragma once

#include "cufuse/Dependence/Legality.h"

namespace cufuse {

/// Reasons, each once.
class Refusals {
public:
  void add(const Blocker &Reason);
  /// All of them, if there are any.
  llvm::Error take();

private:
  std::vector<Message> Messages;
};

const AccessSite *siteOf(const VerticalNode &Node, llvm::StringRef Parameter, AccessSite::Kind What);
/// For messages: what the producer stores as `Out`.
std::string storedBy(const VerticalNode &Producer, const std::string &Out);

/// The access to an intermediate by a kernel that is a function of one element: to that element, in a way that an
/// object in the pointer's place follows.
void checkOwn(const AccessSite &Site, const VerticalNode &Node, const std::string &Stored, Refusals &Refused);

} // namespace cufuse
