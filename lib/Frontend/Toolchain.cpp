#include "cufuse/Frontend/Toolchain.h"

#include "cufuse/Support/Error.h"

#include <clang/Basic/Version.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/Program.h>

#include <cstdlib>

namespace cufuse {

namespace path = llvm::sys::path;

static std::string join(llvm::StringRef Directory, const llvm::Twine &Tail) {
  llvm::SmallString<256> Whole(Directory);
  path::append(Whole, Tail);
  return std::string(Whole);
}

llvm::Expected<Toolchain> findToolchain(const std::string &ProgramPath) {
  Toolchain Found;

  std::vector<std::string> CudaPlaces;
  for (const char *Variable : {"CUDA_PATH", "CUDA_HOME"})
    if (const char *Value = std::getenv(Variable))
      CudaPlaces.push_back(Value);
  auto NvccOnPath = llvm::sys::findProgramByName("nvcc");
  if (NvccOnPath) {
    llvm::SmallString<256> Real;
    if (!llvm::sys::fs::real_path(*NvccOnPath, Real))
      CudaPlaces.push_back(path::parent_path(path::parent_path(Real)).str());
  }
  CudaPlaces.push_back("/usr/local/cuda");
  for (const std::string &Place : CudaPlaces)
    if (llvm::sys::fs::exists(join(Place, "include/cuda_runtime.h"))) {
      Found.CudaPath = Place;
      break;
    }
  if (Found.CudaPath.empty())
    return fail(ExitCode::MissingTool, "no CUDA toolkit in " + llvm::join(CudaPlaces, ", "),
                "install it, or set CUDA_PATH to its folder");
  Found.Nvcc = join(Found.CudaPath, "bin/nvcc");
  if (!llvm::sys::fs::can_execute(Found.Nvcc))
    Found.Nvcc = NvccOnPath ? *NvccOnPath : std::string();

  const std::vector<std::string> ResourcePlaces = {
      join(path::parent_path(path::parent_path(ProgramPath)), "lib/clang/" CLANG_VERSION_MAJOR_STRING),
      CUFUSE_CLANG_RESOURCE_DIR};
  // Without links: files are told by the folders that they are in, and distributions have links to the headers.
  for (const std::string &Place : ResourcePlaces)
    if (llvm::SmallString<256> Real; llvm::sys::fs::exists(join(Place, "include/__clang_cuda_runtime_wrapper.h")) &&
                                     !llvm::sys::fs::real_path(join(Place, "include"), Real)) {
      Found.ResourceDir = path::parent_path(Real).str();
      break;
    }
  if (Found.ResourceDir.empty())
    return fail(ExitCode::MissingTool, "Clang's headers are in none of " + llvm::join(ResourcePlaces, ", "),
                "keep lib/ of the installation beside bin/");
  return Found;
}

} // namespace cufuse
