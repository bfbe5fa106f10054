// YAML as a tree with places.
#pragma once

#include "cufuse/Support/Error.h"

#include <string>
#include <vector>

namespace cufuse {

struct YamlNode {
  enum Kind { Null, Scalar, Sequence, Mapping };
  Kind What = Null;
  std::string Text;            ///< Of a scalar, without quotes.
  SourcePlace Where;           ///< Of a scalar, its first character behind the quote.
  std::vector<YamlNode> Items; ///< Of a sequence; of a mapping, its values.
  std::string Key;             ///< Of a mapping's value.
  SourcePlace KeyPlace;

  const YamlNode *find(llvm::StringRef Wanted) const {
    for (const YamlNode &Item : Items)
      if (What == Mapping && Item.Key == Wanted)
        return &Item;
    return nullptr;
  }
};

/// Reads a file of one YAML document. Refuses what YAML allows and no workload needs: anchors and aliases, tags, keys
/// that are no scalars, a second document; a key that stands twice; more than 32 levels.
llvm::Expected<YamlNode> readYaml(const std::string &Path);

} // namespace cufuse
