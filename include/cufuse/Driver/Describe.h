// What `cufuse inspect` and `--stop-after` print.
#pragma once

#include "cufuse/Driver/ReadKernels.h"
#include "cufuse/Emit/Emit.h"

#include <string>

namespace cufuse {

/// A line of a file in which no kernel was found. It says where the flags may leave one out.
std::string describeNone(const std::string &File);
/// A line per kernel.
std::string summarise(llvm::ArrayRef<LoadedKernel> Kernels);
/// A paragraph per kernel.
std::string describe(llvm::ArrayRef<LoadedKernel> Kernels);
/// The same as a JSON array of objects, one per kernel.
std::string describeAsJson(llvm::ArrayRef<LoadedKernel> Kernels);
/// A line per partition.
std::string describe(const FusionPlan &Plan, llvm::ArrayRef<LoadedKernel> Kernels);

/// For --explain: was nvcc asked whether it reads the files as they were read here?
std::string explainReading(llvm::ArrayRef<LoadedKernel> Kernels);
/// The threads and the barrier of each partition, and why.
std::vector<std::string> explain(const FusionPlan &Plan, llvm::ArrayRef<LoadedKernel> Kernels,
                                 llvm::ArrayRef<Constituent> Constituents);
/// How much of each kernel's file is in the output.
std::vector<std::string> explainTexts(llvm::ArrayRef<Constituent> Constituents);

} // namespace cufuse
