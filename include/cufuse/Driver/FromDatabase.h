// Results of tuning, looked up by what is to be fused.
#pragma once

#include "cufuse/Compile/Compiler.h"
#include "cufuse/Driver/ReadKernels.h"
#include "cufuse/Plan/FusionConfig.h"
#include "cufuse/Search/TuningDatabase.h"
#include "cufuse/Workload/Workload.h"

namespace cufuse {

/// TuningKey::Sources: names and texts of the kernels, with the files of the user that they include. Fails where a file
/// cannot be read any more.
llvm::Expected<std::string> sourcesHash(llvm::ArrayRef<LoadedKernel> Kernels);
/// TuningKey::Flags: what each is compiled with, the architecture among it.
std::string flagsHash(llvm::ArrayRef<LoadedKernel> Kernels);
/// TuningKey::Workload: the texts of the files, the value of each size, and what is in the data files of `Read`, which
/// is those files as they were read, with all settings. Fails where a text is no longer that with the hash `Texts`.
llvm::Expected<std::string> workloadHash(llvm::ArrayRef<std::string> Files, const Workload &Read,
                                         const std::string &Texts);
/// Of the texts of files, for the above.
llvm::Expected<std::string> textsHash(llvm::ArrayRef<std::string> Files);
/// The files that buffers are filled from.
std::vector<std::string> dataFiles(const Workload &Work);
/// TuningKey::Tools; empty where there is no nvcc.
std::string toolsHash(NvccCompiler &Nvcc, const std::string &Version);

struct DatabaseQuery {
  std::string Path;
  std::string Gpu;                              ///< Its name; empty: any.
  std::vector<std::string> Workloads, Settings; ///< As for `cufuse tune`; without workloads: any.
  std::string Tools;                            ///< By `toolsHash`; empty: any.
  double RequiredSpeedup = UsualSpeedup;
};

/// What tuning has found.
struct TunedConfig {
  FusionConfig Config;
  std::vector<std::string> Facts; ///< Where it comes from, the verdict, and how each constituent was launched.
};

/// The configuration of the best founded result for these kernels, in this order, and for the latest key. Fails with
/// ExitCode::NotAdvised where that says not to fuse, with ExitCode::BadInput where there is none: of other sources,
/// headers, flags or tools is none.
llvm::Expected<TunedConfig> findTuned(const DatabaseQuery &Query, llvm::ArrayRef<LoadedKernel> Kernels);

} // namespace cufuse
