// From a source to a cubin, for kernels that are launched by the driver API.
#pragma once

#include "cufuse/Compile/ParsePtxas.h"
#include "cufuse/Ptx/RegisterCap.h"
#include "cufuse/Support/ArtifactCache.h"
#include "cufuse/Support/FileStore.h"

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace cufuse {

struct CompileJob {
  /// Named within a folder of their own; the first is compiled.
  std::vector<OutputFile> Files;
  std::string Source;             ///< Instead of `Files`: a file that is compiled where it stands.
  std::string Arch;               ///< `sm_90a`
  std::vector<std::string> Flags; ///< nvcc's. Those for relocatable code are left out: a cubin is loaded as it is.
  /// They are kept: the cubin is never loaded, only what ptxas says of it counts, and it may call what it lacks.
  bool Relocatable = false;
  /// Of the entry whose name begins so.
  std::string Entry = {};
  RegisterCap Cap = {};
  /// Part of the name of everything that `Files` define, and of nothing in any other job with other `Files`; empty
  /// where there is no such thing.
  std::string Mark = {};
};

struct CompiledKernels {
  std::string Cubin;                            ///< Path; stays as it is.
  std::map<std::string, ResourceUse> Resources; ///< By mangled name.
  /// ptxas said C7508: it took no notice of setmaxnreg, and the kernel would run without its budgets.
  bool BudgetIgnored = false;

  /// Of the kernel whose name begins so; null where there is none.
  const ResourceUse *find(llvm::StringRef Entry) const;
};

/// Safe to call from several threads at once.
class Compiler {
public:
  virtual ~Compiler() = default;
  /// Fails with ExitCode::MissingTool without the compiler, with ExitCode::BadInput when it refuses `Source` or when
  /// the PTX of `Files` does more than their first line plans (Ptx/CheckPtx.h), as a defect when it refuses `Files`
  /// or takes longer than ten minutes.
  virtual llvm::Expected<CompiledKernels> compile(const CompileJob &Job) = 0;
  /// Does what it can for these jobs together, so that `compile` takes less for each; what fails is left to it.
  virtual void prepare(llvm::ArrayRef<const CompileJob *>) {}
};

/// nvcc to PTX, then nvcc again to a cubin; both are kept in the cache. Jobs that differ only in the cap share the PTX.
/// Those with marks that are prepared together become PTX in one run of nvcc: most of its time goes into their headers.
class NvccCompiler final : public Compiler {
public:
  NvccCompiler(std::string Nvcc, std::shared_ptr<ArtifactCache> Cache)
      : Nvcc(std::move(Nvcc)), Cache(std::move(Cache)) {}
  llvm::Expected<CompiledKernels> compile(const CompileJob &Job) override;
  void prepare(llvm::ArrayRef<const CompileJob *> Jobs) override;
  /// Keeps the cache below 2 GiB; what was used in the last day stays.
  void prune() const { Cache->prune(); }
  const std::string &path() const { return Nvcc; }
  /// What `nvcc --version` prints.
  llvm::Expected<std::string> version();

private:
  std::vector<std::string> ptxKey(const CompileJob &Job, const std::vector<std::string> &Flags) const;
  llvm::Expected<std::string> makePtx(const CompileJob &Job, const std::vector<std::string> &Flags);

  std::string Nvcc;
  const std::shared_ptr<ArtifactCache> Cache;
  std::atomic<bool> Combines = true; ///< Until that fails: headers without guards will always make it fail.
  std::mutex Lock;
  std::string Version; ///< Part of every key.
};

} // namespace cufuse
