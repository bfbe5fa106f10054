// `producer.out=consumer.in` as the user writes it.
#pragma once

#include <llvm/ADT/StringRef.h>
#include <llvm/Support/Error.h>

#include <string>
#include <vector>

namespace cufuse {

/// `KERNEL.PARAMETER=KERNEL.PARAMETER`; on the left, parameters may be multiplied: `gemm.m*n=gelu.count`.
struct LinkText {
  std::string From, To;             ///< Kernels.
  std::vector<std::string> Factors; ///< Parameters of `From`.
  std::string Parameter;            ///< Of `To`.
  std::string Text;
};
llvm::Expected<LinkText> parseLink(llvm::StringRef Text);

} // namespace cufuse
