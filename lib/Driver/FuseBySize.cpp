#include "cufuse/Driver/FuseBySize.h"

#include "cufuse/Driver/CheckPaths.h"
#include "cufuse/Driver/Fuser.h"
#include "cufuse/Emit/EmitBySize.h"
#include "cufuse/Support/FileStore.h"

#include <llvm/ADT/STLExtras.h>

namespace cufuse {

/// Why no launch can choose it, or nothing.
static std::string inTheWay(const FuseResult &Result) {
  if (Result.Kernels.size() != 1)
    return "several kernels are launched side by side";
  const KernelText &Text = Result.Kernels.front().Text;
  if (!Text.Elements && !Text.Rows)
    return "the launch's grid may depend on the block";
  if (!Text.Types.empty())
    return "an argument is of a type of the file: " + Text.Types.front().Name;
  return {};
}

llvm::Expected<FusedBySize> fuseBySize(const Toolchain &Tools, llvm::ArrayRef<FuseRequest> Requests,
                                       const FuseRequest &Whole, llvm::function_ref<void(const std::string &)> Say) {
  FusedBySize Result;
  auto Quiet = [](const std::string &) {}; // what the first says holds for all
  for (const FuseRequest &Request : Requests) {
    auto Fused = fuse(Tools, Request, Say);
    if (!Fused)
      return Fused.takeError();
    if (const std::string Why = inTheWay(*Fused); !Why.empty())
      return badInput("no launch can choose among blocks by its size: " + Why, "say one block");
    Say = Quiet;
    Result.Results.push_back(std::move(*Fused));
  }
  if (llvm::Error Error = checkPaths(Whole, Result.Results.front().Kernels))
    return std::move(Error);
  std::vector<std::unique_ptr<Fuser>> Fusers;
  std::vector<SizedOutput> Outputs;
  for (const auto &[Request, Fused] : llvm::zip(Requests, Result.Results)) {
    Fusers.push_back(std::make_unique<Fuser>(Tools, Fused.Kernels, emitOptions(Request)));
    Outputs.push_back({Fusers.back()->options(), &Fusers.back()->constituents().front(), &Fused.Plan});
  }
  for (const auto &[Request, Fused] : llvm::zip(Requests, Result.Results)) {
    Result.Files.push_back({Request.Output, Fused.Fused.Source});
    Result.Files.push_back({Fused.HeaderPath, Fused.Fused.Header});
  }
  if (!Whole.Prelude.empty())
    Result.Files.push_back({within(folderOf(Whole.Output), Whole.Prelude), preludeText()});
  FusedSource Chooses = emitBySize(Outputs, emitOptions(Whole));
  Result.Files.push_back({Whole.Output, std::move(Chooses.Source)});
  Result.Files.push_back({headerOf(Whole.Output), std::move(Chooses.Header)});
  return Result;
}

} // namespace cufuse
