// What a search chooses between.
#pragma once

#include "cufuse/Model/LaunchGroup.h"
#include "cufuse/Plan/FusionConfig.h"

#include <string>
#include <vector>

namespace cufuse {

struct Candidate {
  FusionConfig Config;
  /// Some: of a graph, its launches in their order, and no configuration.
  std::vector<LaunchGroup> Groups = {};
  /// Names it in traces and databases: `warps match 256+128 x1+1 none`, or `addBias+gelu x4 256 | dropout`.
  /// Different configurations have different keys.
  std::string key() const;
  /// One that stands for all that differ from this one in nothing but how many resident blocks play what, which their
  /// kernel is told when it is launched: it is compiled once for them.
  Candidate compiled() const;
};

} // namespace cufuse
