// Which variables in memory keep a value from one turn of a loop to the next?
#pragma once

#include "IrPaths.h"
#include "IrValues.h"

#include <vector>

namespace cufuse {

/// Those that code in the loop changes, but for those that begin anew in each turn; structures among the arguments,
/// too.
std::vector<const llvm::Value *> carriedVariables(const llvm::Loop &L, const DeviceIr &Ir,
                                                  const clang::FunctionDecl &Kernel, IrValues &Values,
                                                  const IrPaths &Paths);

} // namespace cufuse
