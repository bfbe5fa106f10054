#include "cufuse/Frontend/Toolchain.h"

#include "DryRun.h"

#include "cufuse/Frontend/Flags.h"
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

std::string toolkitOf(ArtifactCache &Cache, const std::string &Nvcc) {
  const auto Answer = llvm::expectedToOptional(dryRun(Cache, Nvcc));
  if (!Answer)
    return {};
  std::string Top;
  for (llvm::StringRef Line : llvm::split(Answer->Output, '\n'))
    if (Line.consume_front("#$ TOP="))
      Top = realPath(Line);
    else if (Line.contains(" -E "))
      for (llvm::StringRef Word : wordsOf(Line))
        // Some have no include/ beside bin/, but only that of the target.
        if (Word.consume_front("-I") && llvm::sys::fs::exists(within(Word, "cuda_runtime.h")))
          return !Top.empty() && llvm::sys::fs::exists(within(Top, "include/cuda_runtime.h"))
                     ? Top
                     : path::parent_path(realPath(Word)).str();
  return {};
}

llvm::Expected<Toolchain> findToolchain(const std::string &ProgramPath, std::function<void(const std::string &)> Say) {
  Toolchain Found;
  Found.Cache = std::make_shared<ArtifactCache>(defaultCacheFolder(), std::move(Say));

  std::vector<std::string> CudaPlaces, Compilers;
  for (const char *Variable : {"CUDA_PATH", "CUDA_HOME"})
    if (const char *Value = std::getenv(Variable)) {
      CudaPlaces.push_back(Value);
      Compilers.push_back(within(Value, "bin/nvcc"));
    }
  if (auto OnPath = llvm::sys::findProgramByName("nvcc"))
    Compilers.push_back(*OnPath);
  // nvcc may be a wrapper, or have its headers elsewhere: whose they are is for nvcc to say. By a link it knows
  // nothing.
  auto Take = [&](const std::string &Nvcc) {
    if (!Found.CudaPath.empty() || !llvm::sys::fs::can_execute(Nvcc))
      return;
    for (const std::string &Each : {Nvcc, realPath(Nvcc)})
      if (Found.CudaPath.empty()) {
        Found.Nvcc = Each;
        Found.CudaPath = toolkitOf(*Found.Cache, Each);
      }
    // It says why with the flags of a file.
    if (Found.CudaPath.empty())
      Found.CudaPath = placeWith({path::parent_path(path::parent_path(Found.Nvcc)).str()}, "include/cuda_runtime.h");
    if (Found.CudaPath.empty())
      Found.Nvcc.clear();
  };
  llvm::for_each(Compilers, Take);
  if (Found.Nvcc.empty())
    Found.CudaPath = placeWith(CudaPlaces, "include/cuda_runtime.h");
  CudaPlaces.push_back("/usr/local/cuda");
  Take("/usr/local/cuda/bin/nvcc");
  if (Found.CudaPath.empty())
    Found.CudaPath = placeWith(CudaPlaces, "include/cuda_runtime.h");
  if (Found.CudaPath.empty())
    return fail(ExitCode::MissingTool, "no CUDA toolkit in " + llvm::join(CudaPlaces, ", "),
                "install it, or set CUDA_PATH to its folder");

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
