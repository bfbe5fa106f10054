#include "cufuse/Driver/FuseOverlapped.h"

#include "Parts.h"

#include "cufuse/Driver/CheckPaths.h"
#include "cufuse/Driver/Choose.h"
#include "cufuse/Driver/Fuser.h"
#include "cufuse/Emit/EmitOverlapped.h"

#include <llvm/ADT/STLExtras.h>

namespace cufuse {

/// Programmatic dependent launch is there from sm_90 on (PTX ISA, griddepcontrol).
static bool hasDependentLaunch(llvm::StringRef Arch) {
  unsigned Number = 0;
  return Arch.consume_front("sm_") && !Arch.consumeInteger(10, Number) && Number >= 90;
}

llvm::Expected<OverlappedOutputs> fuseOverlapped(const Toolchain &Tools, const FuseRequest &Request,
                                                 llvm::function_ref<void(const std::string &)> Say) {
  auto Read = readKernels(Tools, Request.Kernels, Request.Flags, /*WithAccesses=*/false);
  if (!Read)
    return Read.takeError();
  if (llvm::Error Error = checkAll(*Read))
    return std::move(Error);
  if (const std::string &Arch = Read->front().Arch; !hasDependentLaunch(Arch))
    return badInput("a launch of " + Arch + " cannot begin while another ends",
                    "say --arch sm_90a, or leave out --overlap");
  if (llvm::Error Error = checkPaths(Request, *Read))
    return std::move(Error);
  Fuser All(Tools, *Read, emitOptions(Request));
  std::vector<std::string> Explanation, Tuned;
  auto Config = choose(Request, *Read, All.constituents(), Explanation, Tuned);
  if (!Config)
    return Config.takeError();

  OverlappedOutputs Outputs;
  Outputs.Results.resize(Read->size());
  std::vector<std::unique_ptr<Fuser>> Fusers;
  std::vector<OverlappedOutput> Launched;
  for (size_t I = 0; I < Read->size(); ++I) {
    FuseRequest &One = Outputs.Requests.emplace_back(Request);
    FuseResult &Result = Outputs.Results[I];
    const std::string Suffix = "_" + All.constituents()[I].Name;
    One.Name = All.options().Name + Suffix;
    One.Output.insert(One.Output.size() - llvm::StringRef(".cu").size(), Suffix);
    Result.Kernels = {(*Read)[I]};
    Result.HeaderPath = headerOf(One.Output);
    if (llvm::Error Error = checkPaths(One, Result.Kernels))
      return std::move(Error);
    Fuser &Own = *Fusers.emplace_back(std::make_unique<Fuser>(Tools, Result.Kernels, emitOptions(One)));
    FusionConfig Alone = *Config;
    Alone.Constituents = {Config->Constituents[I]};
    Alone.Overlap = {.Waits = I > 0, .Triggers = I + 1 < Read->size()};
    auto Plan = Own.planWithBound(Alone, &Explanation);
    if (!Plan)
      return Plan.takeError();
    Result.Plan = std::move(*Plan);
    auto Fused = Own.emit(Result.Plan);
    if (!Fused)
      return Fused.takeError();
    Result.Fused = std::move(*Fused);
    if (llvm::Error Error = checkBeside(One, Own, Result.Fused))
      return std::move(Error);
    if (llvm::Error Error = Own.verify(Result.Fused, Result.Plan))
      return std::move(Error);
    if (!Request.Blocks.empty())
      sayOtherBlocks(Result, Say);
    Outputs.Files.push_back({One.Output, Result.Fused.Source});
    Outputs.Files.push_back({Result.HeaderPath, Result.Fused.Header});
    Launched.push_back({Own.options(), &Own.constituents().front(), All.constituents()[I].Name});
  }
  FusedSource Whole = emitOverlapped(Launched, All.options());
  Outputs.Files.push_back({Request.Output, std::move(Whole.Source)});
  Outputs.Files.push_back({headerOf(Request.Output), std::move(Whole.Header)});
  if (!Request.Prelude.empty())
    Outputs.Files.push_back({within(folderOf(Request.Output), Request.Prelude), preludeText()});
  return Outputs;
}

} // namespace cufuse
