// A configuration in one word, for the tools that fuse many: `stride`, `blocks-match`, `blocks-stride-r64`, …
#pragma once

#include "cufuse/Plan/FusionConfig.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringRef.h>

#include <map>

namespace cufuse {

/// False where a part of the word has no meaning. What it does not say stays as it is.
inline bool readConfiguration(llvm::StringRef Word, FusionConfig &Config) {
  static const std::map<llvm::StringRef, Geometry> Shapes = {
      {"warps", Geometry::Warps}, {"blocks", Geometry::Blocks}, {"threads", Geometry::Threads}};
  static const std::map<llvm::StringRef, GridPolicy> Policies = {
      {"match", GridPolicy::Match}, {"stride", GridPolicy::Stride}, {"pool", GridPolicy::Pool}};
  llvm::SmallVector<llvm::StringRef> Parts;
  Word.split(Parts, '-');
  for (llvm::StringRef Part : Parts) {
    if (auto Shape = Shapes.find(Part); Shape != Shapes.end())
      Config.Shape = Shape->second;
    else if (auto Policy = Policies.find(Part); Policy != Policies.end())
      Config.Grid = Policy->second;
    else if (Part == "free")
      Config.Registers.Policy = RegisterPolicy::Free;
    else if (Part == "split")
      Config.Registers.Policy = RegisterPolicy::Split;
    else if (unsigned Count = 0; Part.consume_front("r") && !Part.getAsInteger(10, Count))
      Config.Registers = {RegisterPolicy::Count, Count, 0};
    else
      return false;
  }
  return true;
}

} // namespace cufuse
