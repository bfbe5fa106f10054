#include "cufuse/Compile/Nvcc.h"

#include "cufuse/Support/Error.h"

#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>
#include <unistd.h>

namespace cufuse {

std::vector<std::string> gencodeFlags(const std::string &Arch) {
  llvm::StringRef Number = Arch;
  Number.consume_front("sm_");
  return {"-gencode", "arch=compute_" + Number.str() + ",code=" + Arch};
}

std::vector<std::string> nvccEnvironment() {
  std::vector<std::string> Set;
  for (char **One = environ; *One; ++One) {
    const llvm::StringRef Name = llvm::StringRef(*One).split('=').first;
    if (Name.starts_with("NVCC_") || Name.starts_with("NVVM_") ||
        llvm::is_contained({"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "COMPILER_PATH", "GCC_EXEC_PREFIX",
                            "SOURCE_DATE_EPOCH", "CICC_PATH", "CUDA_INC_PATH",
                            // To these, nvcc's profile adds its own.
                            "TOP", "INCLUDES", "SYSTEM_INCLUDES", "LIBRARIES", "CUDAFE_FLAGS", "PTXAS_FLAGS"},
                           Name))
      Set.push_back(*One);
  }
  llvm::sort(Set);
  return Set;
}

llvm::Error checkArguments(llvm::ArrayRef<std::string> Arguments) {
  for (const std::string &Argument : Arguments)
    if (Argument.find_first_of("$`\\\n") != std::string::npos)
      return badInput(fmt::format("nvcc hands its arguments to a shell, and another text comes of '{}'", Argument),
                      "use no $, no backquote, no backslash and no newline in paths and flags");
  return llvm::Error::success();
}

} // namespace cufuse
