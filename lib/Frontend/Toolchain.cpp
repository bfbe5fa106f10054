#include "cufuse/Frontend/Toolchain.h"

#include "cufuse/Frontend/UsersText.h"
#include "cufuse/Support/ArtifactCache.h"
#include "cufuse/Support/Error.h"
#include "cufuse/Support/FileStore.h"

#include <clang/Basic/Version.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/Program.h>

#include <cstdlib>

namespace cufuse {

namespace path = llvm::sys::path;

/// The first of the places that holds the file; "" where none does.
static std::string placeWith(llvm::ArrayRef<std::string> Places, llvm::StringRef File) {
  const auto Found = llvm::find_if(Places, [&](const auto &P) { return llvm::sys::fs::exists(within(P, File)); });
  return Found == Places.end() ? "" : *Found;
}

llvm::Expected<Toolchain> findToolchain(const std::string &ProgramPath, std::function<void(const std::string &)> Say) {
  Toolchain Found;
  Found.Cache = std::make_shared<ArtifactCache>(defaultCacheFolder(), std::move(Say));

  std::vector<std::string> CudaPlaces;
  for (const char *Variable : {"CUDA_PATH", "CUDA_HOME"})
    if (const char *Value = std::getenv(Variable))
      CudaPlaces.push_back(Value);
  auto NvccOnPath = llvm::sys::findProgramByName("nvcc");
  if (NvccOnPath)
    CudaPlaces.push_back(path::parent_path(path::parent_path(realPath(*NvccOnPath))).str());
  CudaPlaces.push_back("/usr/local/cuda");
  Found.CudaPath = placeWith(CudaPlaces, "include/cuda_runtime.h");
  if (Found.CudaPath.empty())
    return fail(ExitCode::MissingTool, "no CUDA toolkit in " + llvm::join(CudaPlaces, ", "),
                "install it, or set CUDA_PATH to its folder");
  Found.Nvcc = within(Found.CudaPath, "bin/nvcc");
  if (!llvm::sys::fs::can_execute(Found.Nvcc))
    Found.Nvcc = NvccOnPath ? *NvccOnPath : std::string();

  const std::vector<std::string> ResourcePlaces = {
      within(path::parent_path(path::parent_path(ProgramPath)), "lib/clang/" CLANG_VERSION_MAJOR_STRING),
      CUFUSE_CLANG_RESOURCE_DIR};
  Found.ResourceDir = placeWith(ResourcePlaces, "include/__clang_cuda_runtime_wrapper.h");
  // Without links: files are told by the folders that they are in, and distributions have links to the headers.
  if (llvm::SmallString<256> Real; !llvm::sys::fs::real_path(within(Found.ResourceDir, "include"), Real))
    Found.ResourceDir = path::parent_path(Real).str();
  if (Found.ResourceDir.empty())
    return fail(ExitCode::MissingTool, "Clang's headers are in none of " + llvm::join(ResourcePlaces, ", "),
                "keep lib/ of the installation beside bin/");
  return Found;
}

} // namespace cufuse
