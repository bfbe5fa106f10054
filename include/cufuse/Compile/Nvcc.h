// Compiling a source with nvcc, for what it says of the result.
#pragma once

#include "cufuse/Compile/ParsePtxas.h"
#include "cufuse/Support/FileStore.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/Support/Error.h>

namespace cufuse {

struct NvccJob {
  std::string Nvcc; ///< Path of the program.
  std::string Arch; ///< `sm_90a`
  std::vector<std::string> Flags;
  std::vector<OutputFile> Files; ///< Named within a folder of the job's own; the first is compiled.
};

/// `-gencode arch=compute_90a,code=sm_90a`: `-arch` alone would also build PTX for another target.
std::vector<std::string> gencodeFlags(const std::string &Arch);

/// `NAME=VALUE` of everything that nvcc, and the compilers it calls, take from the environment.
std::vector<std::string> nvccEnvironment();

/// Refuses arguments that nvcc, which hands them to a shell, would not take as they are.
llvm::Error checkArguments(llvm::ArrayRef<std::string> Arguments);

/// Resources of every kernel in the file. Fails with ExitCode::MissingTool without nvcc, and as a defect when nvcc
/// refuses the code or takes longer than ten minutes.
llvm::Expected<std::map<std::string, ResourceUse>> measureResources(const NvccJob &Job);

} // namespace cufuse
