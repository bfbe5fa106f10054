#include "cufuse/Compile/Nvcc.h"

#include "cufuse/Support/Error.h"

#include <fmt/core.h>

namespace cufuse {

std::vector<std::string> gencodeFlags(const std::string &Arch) {
  llvm::StringRef Number = Arch;
  Number.consume_front("sm_");
  return {"-gencode", "arch=compute_" + Number.str() + ",code=" + Arch};
}

llvm::Error checkArguments(llvm::ArrayRef<std::string> Arguments) {
  for (const std::string &Argument : Arguments)
    if (Argument.find_first_of("$`\\\n") != std::string::npos)
      return badInput(fmt::format("nvcc hands its arguments to a shell, and another text comes of '{}'", Argument),
                      "use no $, no backquote, no backslash and no newline in paths and flags");
  return llvm::Error::success();
}

} // namespace cufuse
