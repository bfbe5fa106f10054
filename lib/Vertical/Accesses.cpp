#include "cufuse/Vertical/Accesses.h"

#include <fmt/format.h>

namespace cufuse {

std::string builtinAtom(Builtin B, int Dimension) {
  return fmt::format("{}.{}", BuiltinNames[static_cast<size_t>(B)], "xyz"[Dimension]);
}

std::string AccessSite::str() const { return fmt::format("{} at {}", Text, Where.str()); }

} // namespace cufuse
