#include "LinkAsLaunched.h"

#include "cufuse/Emit/Emit.h"

#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVectorExtras.h>

namespace cufuse {

std::vector<LaunchedKernel> launchedKernels(llvm::ArrayRef<LoadedKernel> Kernels) {
  const std::vector<std::string> Names =
      constituentNames(llvm::map_to_vector(Kernels, [](const LoadedKernel &Kernel) { return &Kernel.Facts; }));
  std::vector<LaunchedKernel> Launched;
  for (size_t I = 0; I < Kernels.size(); ++I) {
    Launched.push_back({Names[I], Kernels[I].Parsed.Kernel, {}});
    for (const AccessSite &Site : Kernels[I].Accesses.Sites)
      if (Site.What != AccessSite::Kind::Load || Site.Compound)
        Launched.back().Stores.insert(Site.Parameter);
  }
  return Launched;
}

llvm::Expected<std::string> linkAsLaunched(llvm::ArrayRef<LoadedKernel> Kernels, FuseRequest &Request) {
  const std::vector<LaunchedKernel> Launched = launchedKernels(Kernels);
  std::set<const ParsedUnit *> Units;
  for (const LoadedKernel &Kernel : Kernels) {
    if (!Units.insert(Kernel.Parsed.Unit.get()).second)
      continue;
    const auto Found = linksOfLaunches(*Kernel.Parsed.Unit, Launched);
    if (!Found)
      continue;
    if (Found->Between)
      return badInput(fmt::format("between the launches at {} and {} stands what may use the kernels' memory",
                                  Found->Places.front().str(), Found->Places.back().str()),
                      "if the kernels may run together, write --link PRODUCER.out=CONSUMER.in", *Found->Between);
    std::string Said;
    for (const std::string &Text : Found->Links) {
      auto Link = parseLink(Text);
      if (!Link)
        return Link.takeError();
      if (llvm::any_of(Request.Links, [&](const LinkText &Given) {
            return Given.To == Link->To && Given.Parameter == Link->Parameter;
          }))
        continue;
      Request.Links.push_back(*Link);
      Said += " --link " + Text;
    }
    if (Request.Links.empty())
      return badInput("the launches hand no array and no number to two of the kernels",
                      "write --link PRODUCER.out=CONSUMER.in", Found->Places.back());
    return fmt::format("linked as launched at {} and {}:{}", Found->Places.front().str(), Found->Places.back().str(),
                       Said);
  }
  return badInput("no function of these files launches the kernels one after the other",
                  "name the file that does (or a header with the kernels that it includes), or write --link "
                  "PRODUCER.out=CONSUMER.in");
}

} // namespace cufuse
