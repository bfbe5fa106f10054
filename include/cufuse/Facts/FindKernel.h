// The kernels of a file, and the one that the user means.
#pragma once

#include "cufuse/Frontend/Parse.h"
#include "cufuse/Kernel/KernelSpec.h"

#include <vector>

namespace clang {
class CUDAKernelCallExpr;
} // namespace clang

namespace cufuse {

/// Every kernel defined in the user's files, in order; a template stands for itself (as its pattern).
std::vector<const clang::FunctionDecl *> allKernels(const ParsedUnit &Unit);

/// What the parse of their file must resolve to find these kernels, when all of the file has been read.
std::vector<std::string> probesFor(llvm::ArrayRef<KernelSpec> Specs, clang::ASTContext &Ast);

/// The definition that `Spec` names, in a parse with the probes for it: one of `allKernels`, or an instantiation of
/// one. A template named without arguments means its only instantiation in the file. Fails with near names, or with
/// the choices.
llvm::Expected<const clang::FunctionDecl *> findKernel(const ParsedUnit &Unit, const KernelSpec &Spec);

/// The launches by which `Spec` names it: all on its line of the file, where no kernel starts there.
std::vector<const clang::CUDAKernelCallExpr *> launchesAt(const ParsedUnit &Unit, const KernelSpec &Spec);

/// `k(int *, unsigned int)` as a user would write it to choose an overload.
std::string signatureOf(const clang::FunctionDecl &Kernel);
/// `ns::k<float, 4>`
std::string qualifiedNameOf(const clang::FunctionDecl &Kernel);

} // namespace cufuse
