// Dependent kernels as one.
#pragma once

#include "cufuse/Driver/FuseRequest.h"

namespace cufuse {

/// The graph of the kernels by the request's links; it points into them. None of them has a blocker.
/// `Names`: of the kernels in links; empty: as they are without others.
llvm::Expected<VerticalGraph> graphOf(llvm::ArrayRef<LoadedKernel> Kernels, const FuseRequest &Request,
                                      std::vector<std::string> Names = {});

/// A kernel to be fused like any other, and what was proved of it.
struct Composition {
  LoadedKernel Kernel;
  FormProof Proof; ///< The graph outlives it.
};

/// The kernels of the graph as one, their own texts changed for it; `Block` is the root's. Refuses what is not proved
/// legal.
llvm::Expected<Composition> composeKernels(VerticalGraph &Graph, llvm::MutableArrayRef<LoadedKernel> Kernels,
                                           BlockShape Block, const VerticalOptions &Options);

/// What is fused in the kernels' place: one composed kernel, or with `Cooperative` or `LastBlock` the same ones, in
/// which linked parameters are those that they are linked to.
llvm::Expected<std::vector<LoadedKernel>> compose(std::vector<LoadedKernel> Kernels, const FuseRequest &Request);

} // namespace cufuse
