// Where the CUDA toolkit and Clang's own headers are, and what they were asked is kept.
#pragma once

#include <llvm/Support/Error.h>

#include <functional>
#include <memory>
#include <string>

namespace cufuse {

class ArtifactCache;

struct Toolchain {
  std::string CudaPath;    ///< Holds include/cuda_runtime.h.
  std::string ResourceDir; ///< Clang's: holds include/__clang_cuda_runtime_wrapper.h.
  std::string Nvcc;        ///< Full path, or empty when there is none.
  std::shared_ptr<ArtifactCache> Cache;
};

/// Looks for the CUDA toolkit in CUDA_PATH, CUDA_HOME, beside the `nvcc` on PATH, and in /usr/local/cuda; for Clang's
/// headers in `../lib/clang/<version>` of the running program, then where it was built.
/// Fails with ExitCode::MissingTool, naming the places. `Say` is told where the default cache is of no use.
llvm::Expected<Toolchain> findToolchain(const std::string &ProgramPath,
                                        std::function<void(const std::string &)> Say = {});

} // namespace cufuse
