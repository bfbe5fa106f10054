// `FILE:KERNEL` as the user writes it.
#pragma once

#include "cufuse/Support/BlockShape.h"

#include <llvm/ADT/StringRef.h>
#include <llvm/Support/Error.h>

#include <string>

namespace cufuse {

/// One kernel of one file. `Kernel` is a name, qualified or not, with template arguments (`ns::k<float, 4>`) or a
/// parameter list (`k(int *, int)`) where the name alone is not enough; or `Line` says where its declaration starts, or
/// a launch of it; `Column`, which launch of several on a line.
struct KernelSpec {
  std::string File;
  std::string Kernel;
  unsigned Line = 0, Column = 0;

  std::string str() const;
  /// `Kernel` without template arguments and parameter list.
  std::string name() const;
  bool hasTemplateArguments() const { return Kernel.find('<') != std::string::npos; }
  bool hasSignature() const;
};

/// Where the parameter list of `k<float, sizeof(int)>(int *)` starts; npos without one.
size_t signatureStart(llvm::StringRef Kernel);

/// Parses `FILE:KERNEL`, `FILE:@LINE` or `FILE:@LINE:COLUMN`. The first single colon after the file's extension
/// separates them, so that `a.cu:ns::k` and paths with colons in directories both work.
llvm::Expected<KernelSpec> parseKernelSpec(llvm::StringRef Text);

/// Parses `256`, `32x8` or `8x8x4`. The shape may still be impossible (`BlockShape::isValid`).
llvm::Expected<BlockShape> parseBlockShape(llvm::StringRef Text);

} // namespace cufuse
