// How nvcc is called.
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/Support/Error.h>

#include <string>
#include <vector>

namespace cufuse {

/// `-gencode arch=compute_90a,code=sm_90a`: `-arch` alone would also build PTX for another target.
std::vector<std::string> gencodeFlags(const std::string &Arch);

/// Refuses arguments that nvcc, which hands them to a shell, would not take as they are.
llvm::Error checkArguments(llvm::ArrayRef<std::string> Arguments);

} // namespace cufuse
