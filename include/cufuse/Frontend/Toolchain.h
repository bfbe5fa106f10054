// Where the CUDA toolkit, Clang's own headers and those of nvcc's host compiler are, and where what they were asked is
// kept.
#pragma once

#include <llvm/Support/Error.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace cufuse {

class ArtifactCache;

struct Toolchain {
  std::string CudaPath;    ///< Holds include/cuda_runtime.h.
  std::string ResourceDir; ///< Clang's: holds include/__clang_cuda_runtime_wrapper.h.
  std::string Nvcc;        ///< Full path, or empty when there is none.
  std::shared_ptr<ArtifactCache> Cache;
};

/// What nvcc's host compiler has before a file's first line.
struct Predefined {
  std::vector<std::string> Macros; ///< Each as `NAME VALUE` or `NAME(PARAMETERS) VALUE`.
  /// The folders in which it looks for headers, in its order: `-IFOLDER` and `-iquoteFOLDER`; `-isystemFOLDER`, which a
  /// flag or nvcc names; and `FOLDER`, which it knows itself.
  std::vector<std::string> Folders;
};

/// Takes the first nvcc of CUDA_PATH, CUDA_HOME, the PATH and /usr/local/cuda, and the toolkit whose headers it reads;
/// where there is none, the first of these folders that has the headers. Looks for Clang's headers in
/// `../lib/clang/<version>` of the running program, then where it was built.
/// Fails with ExitCode::MissingTool, naming the places. `Say` is told where the default cache is of no use.
llvm::Expected<Toolchain> findToolchain(const std::string &ProgramPath,
                                        std::function<void(const std::string &)> Say = {});

/// The toolkit that the nvcc compiles with, by its own account; "" where it is none.
std::string toolkitOf(ArtifactCache &Cache, const std::string &Nvcc);

} // namespace cufuse
