// Results of tuning, looked up by what is to be fused.
#pragma once

#include "cufuse/Driver/Pipeline.h"
#include "cufuse/Tune/TuningDatabase.h"

namespace cufuse {

/// TuningKey::Sources: names and texts of the kernels, with the files of the user that they include. Fails where a file
/// cannot be read any more.
llvm::Expected<std::string> sourcesHash(llvm::ArrayRef<LoadedKernel> Kernels);
/// TuningKey::Flags: what each is compiled with, the architecture among it.
std::string flagsHash(llvm::ArrayRef<LoadedKernel> Kernels);
/// TuningKey::Workload: the texts of the files, and `NAME=VALUE` of each setting.
llvm::Expected<std::string> workloadHash(llvm::ArrayRef<std::string> Files, llvm::ArrayRef<std::string> Settings);

struct DatabaseQuery {
  std::string Path;
  std::string Gpu;                              ///< Its name; empty: any.
  std::vector<std::string> Workloads, Settings; ///< As for `cufuse tune`; without workloads: any.
};

/// What tuning has found.
struct TunedConfig {
  FusionConfig Config;
  std::vector<std::string> Facts; ///< Where it comes from, the verdict, and how each constituent was launched.
};

/// The configuration of the latest result for these kernels, in this order. Fails with ExitCode::NotAdvised where that
/// says not to fuse, with ExitCode::BadInput where there is none: of other sources, headers or flags is none.
llvm::Expected<TunedConfig> findTuned(const DatabaseQuery &Query, llvm::ArrayRef<LoadedKernel> Kernels);

} // namespace cufuse
