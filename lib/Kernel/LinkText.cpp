#include "cufuse/Kernel/LinkText.h"

#include "cufuse/Support/Error.h"

#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVector.h>

namespace cufuse {

llvm::Expected<LinkText> parseLink(llvm::StringRef Text) {
  LinkText Link;
  Link.Text = Text.str();
  auto [Left, Right] = Text.split('=');
  if (Right.contains('*') && !Left.contains('*')) // it is the same number, whoever has the product
    std::swap(Left, Right);
  const auto [From, Product] = Left.rsplit('.');
  const auto [To, Parameter] = Right.rsplit('.');
  llvm::SmallVector<llvm::StringRef> Factors;
  Product.split(Factors, '*');
  for (llvm::StringRef Factor : Factors)
    Link.Factors.push_back(Factor.trim().str());
  Link.From = From.trim().str();
  Link.To = To.trim().str();
  Link.Parameter = Parameter.trim().str();
  if (Link.From.find('*') != std::string::npos)
    return badUsage(fmt::format("'{}' is no link: a product is one of a kernel's own arguments", Text.str()),
                    "name the kernel once, as in --link 'A.m*n=B.count'");
  if (Link.From.empty() || Link.To.empty() || Link.Parameter.empty() || llvm::is_contained(Link.Factors, ""))
    return badUsage(fmt::format("'{}' is no link", Text.str()), "write --link PRODUCER.PARAMETER=CONSUMER.PARAMETER");
  return Link;
}

} // namespace cufuse
