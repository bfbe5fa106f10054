// What nvcc's preprocessor says of the inputs, kept in the cache.
#pragma once

#include "cufuse/Frontend/NvccText.h"
#include "cufuse/Kernel/Blocker.h"

namespace cufuse {

struct NvccAnswer {
  std::vector<NvccStep> Steps; ///< Empty where nvcc is not at hand, or its host compiler cannot be asked.
  std::shared_ptr<const cufuse::Predefined> Predefined; ///< By the first step; null as above.
};

/// Asks for the steps by which nvcc preprocesses the file, those for `Arch` first (see nvccSteps), and for the macros
/// that it predefines there. Fails with ExitCode::BadUsage where nvcc does not compile with the flags.
llvm::Expected<NvccAnswer> askNvcc(const Toolchain &Tools, const std::string &File, const CompileFlags &Flags,
                                   const std::string &Arch);

/// Where nvcc compiles another text than `Users`, for any of its architectures. Where nvcc cannot be asked: where the
/// text depends on what nvcc might define otherwise. Fails with ExitCode::BadInput where nvcc does not preprocess the
/// file.
llvm::Expected<std::vector<Blocker>> otherText(const Toolchain &Tools, const NvccAnswer &Answer,
                                               const UsersText &Users);

} // namespace cufuse
