// Where the CUDA toolkit and Clang's own headers are.
#pragma once

#include <llvm/Support/Error.h>

#include <string>

namespace cufuse {

struct Toolchain {
  std::string CudaPath;    ///< Holds include/cuda_runtime.h.
  std::string ResourceDir; ///< Clang's: holds include/__clang_cuda_runtime_wrapper.h.
  std::string Nvcc;        ///< Full path, or empty when there is none.
};

/// Looks for the CUDA toolkit in CUDA_PATH, CUDA_HOME, beside the `nvcc` on PATH, and in /usr/local/cuda; for Clang's
/// headers in `../lib/clang/<version>` of the running program, then where it was built.
/// Fails with ExitCode::MissingTool, naming the places.
llvm::Expected<Toolchain> findToolchain(const std::string &ProgramPath);

} // namespace cufuse
