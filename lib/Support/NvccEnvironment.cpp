#include "cufuse/Support/NvccEnvironment.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringRef.h>
#include <unistd.h>

namespace cufuse {

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

} // namespace cufuse
