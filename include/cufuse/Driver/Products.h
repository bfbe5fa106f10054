// A chain of products of matrices, of a workload file.
#pragma once

#include "cufuse/Driver/FuseRequest.h"

namespace cufuse {

/// Adds to the request what the file says: E = f2(f1(A B) D), two products, with pointwise kernels between, a softmax
/// last of them or none, and, maybe, behind them. All that is wrong with the sizes, types and arrays is said of its
/// place.
llvm::Error requestProducts(const std::string &File, FuseRequest &Into);

/// Puts the ends of the requested products among the kernels that were read, and chooses how they are computed.
llvm::Error addProducts(FuseRequest &Request, std::vector<LoadedKernel> &Kernels);

} // namespace cufuse
