// Arguments of a workload as bytes, for one block shape of each kernel.
#pragma once

#include "cufuse/Kernel/KernelFacts.h"
#include "cufuse/Plan/FusedLaunch.h"
#include "cufuse/Workload/Workload.h"

#include <string>
#include <utility>
#include <vector>

namespace cufuse {

/// One kernel of a workload at one block shape.
struct PackedKernel {
  BlockShape Block;
  ConstituentLaunch Launch;              ///< The given grid; another may take its place where `AnyGrid`.
  std::vector<KernelArgument> Arguments; ///< Those of `KernelFacts::Parameters`, by position.
  bool AnyGrid = false;                  ///< Every grid gives the same result.
};

/// Refuses, with the places in the workload file: a block shape that it does not allow; a parameter or a field that is
/// missing, unknown or given twice; a value that its type cannot hold (floating-point values are rounded); an address
/// outside its buffer; a type that cannot be given by value; a grid or dynamic shared memory that is impossible.
/// Reports all of them.
llvm::Expected<PackedKernel> packKernel(const KernelFacts &Facts, const WorkloadKernel &Kernel,
                                        llvm::ArrayRef<BufferSpec> Buffers, BlockShape Block);

/// The parameters of `bindable` with their values as C++ spells them, for `ConstituentConfig::Bound`. Refuses those
/// that are unknown, no arithmetic scalars, of 16 bits of floating point, or differ between block shapes.
llvm::Expected<std::vector<std::pair<std::string, std::string>>> boundArguments(const KernelFacts &Facts,
                                                                                const WorkloadKernel &Kernel);

} // namespace cufuse
