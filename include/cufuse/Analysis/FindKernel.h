// The kernels of a file, and the one that the user means.
#pragma once

#include "cufuse/Frontend/Parse.h"
#include "cufuse/Kernel/KernelSpec.h"

#include <vector>

namespace cufuse {

/// Every kernel defined in the user's files, in order; a template stands for itself (as its pattern).
std::vector<const clang::FunctionDecl *> allKernels(const ParsedUnit &Unit);

/// Does the parse need a probe to find this kernel (template arguments or a signature)?
bool needsProbe(const KernelSpec &Spec);

/// The definition that `Spec` names. `Probe` is the index of its probe in the parse, for specs that need one. A
/// template named without arguments means its only instantiation in the file. Fails with near names, or with the
/// choices.
llvm::Expected<const clang::FunctionDecl *> findKernel(const ParsedUnit &Unit, const KernelSpec &Spec, size_t Probe);

/// `k(int *, unsigned int)` as a user would write it to choose an overload.
std::string signatureOf(const clang::FunctionDecl &Kernel);
/// `ns::k<float, 4>`
std::string qualifiedNameOf(const clang::FunctionDecl &Kernel);

} // namespace cufuse
