// What is kept of a parse for comparisons with an output.
#pragma once

#include "cufuse/Kernel/KernelFacts.h"
#include "cufuse/Kernel/KernelText.h"

#include <memory>
#include <string>

namespace clang {
class FunctionDecl;
} // namespace clang

namespace cufuse {

class ParsedUnit;

/// A kernel in its own file.
struct ParsedKernel {
  std::shared_ptr<const ParsedUnit> Unit;
  const clang::FunctionDecl *Kernel = nullptr; ///< As instantiated.
};

/// A kernel in a vertical composition, and what was changed in its text.
struct ComposedPart {
  std::string Name; ///< Its text stands in the namespace `cufuse_NAME`.
  KernelFacts Facts;
  ParsedKernel Parsed;
  LinkedText Linked;
  OutputText Callee; ///< As in KernelText.
  bool AsElement;    ///< Its block is one thread, for one element.
};

} // namespace cufuse
