#include "cufuse/Driver/FuseSeveral.h"

#include "Parts.h"

#include "cufuse/Driver/CheckPaths.h"
#include "cufuse/Driver/Choose.h"
#include "cufuse/Driver/Fuser.h"
#include "cufuse/Emit/EmitSeveral.h"
#include "cufuse/Support/Error.h"

#include <llvm/ADT/STLExtras.h>

namespace cufuse {

/// Adds the files of the outputs, and of what launches them. `Names`: of their kernels, among those of all.
static void addFiles(const Toolchain &Tools, const FuseRequest &Whole, SeveralOutputs &Outputs,
                     FusedSource (*Emit)(llvm::ArrayRef<LaunchedOutput>, const EmitOptions &),
                     llvm::ArrayRef<std::string> Names) {
  std::vector<std::unique_ptr<Fuser>> Fusers;
  std::vector<LaunchedOutput> Launched;
  for (const auto &[Request, Result, Name] : llvm::zip_equal(Outputs.Requests, Outputs.Results, Names)) {
    const Fuser &Own = *Fusers.emplace_back(std::make_unique<Fuser>(Tools, Result.Kernels, emitOptions(Request)));
    Launched.push_back({Own.options(), &Own.constituents().front(), &Result.Plan, Name});
    Outputs.Files.push_back({Request.Output, Result.Fused.Source});
    Outputs.Files.push_back({Result.HeaderPath, Result.Fused.Header});
  }
  FusedSource Fused = Emit(Launched, emitOptions(Whole));
  Outputs.Files.push_back({Whole.Output, std::move(Fused.Source)});
  Outputs.Files.push_back({headerOf(Whole.Output), std::move(Fused.Header)});
  if (!Whole.Prelude.empty())
    Outputs.Files.push_back({within(folderOf(Whole.Output), Whole.Prelude), preludeText()});
}

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

llvm::Expected<SeveralOutputs> fuseBySize(const Toolchain &Tools, std::vector<FuseRequest> Requests,
                                          const FuseRequest &Whole, llvm::function_ref<void(const std::string &)> Say) {
  SeveralOutputs Outputs;
  auto Quiet = [](const std::string &) {}; // what the first says holds for all
  for (const FuseRequest &Request : Requests) {
    auto Fused = TRY(fuse(Tools, Request, Say));
    if (const std::string Why = inTheWay(Fused); !Why.empty())
      return badInput("no launch can choose among blocks by its size: " + Why, "say one block");
    Say = Quiet;
    Outputs.Results.push_back(std::move(Fused));
  }
  TRY(checkPaths(Whole, Outputs.Results.front().Kernels));
  Outputs.Requests = std::move(Requests);
  addFiles(Tools, Whole, Outputs, emitBySize, std::vector<std::string>(Outputs.Results.size()));
  return Outputs;
}

/// Programmatic dependent launch is there from sm_90 on (PTX ISA, griddepcontrol).
static bool hasDependentLaunch(llvm::StringRef Arch) {
  unsigned Number = 0;
  return Arch.consume_front("sm_") && !Arch.consumeInteger(10, Number) && Number >= 90;
}

llvm::Expected<SeveralOutputs> fuseOverlapped(const Toolchain &Tools, FuseRequest Request,
                                              llvm::function_ref<void(const std::string &)> Say) {
  auto Read = TRY(readKernels(Tools, Request.Kernels, Request.Flags, /*WithAccesses=*/false));
  if (!Request.Depfile.empty())
    llvm::for_each(Read, nameWhole);
  TRY(checkAll(Read));
  if (const std::string &Arch = Read.front().Arch; !hasDependentLaunch(Arch))
    return badInput("a launch of " + Arch + " cannot begin while another ends",
                    "say --arch sm_90a, or leave out --overlap");
  TRY(checkPaths(Request, Read));
  Fuser All(Tools, Read, emitOptions(Request));
  std::vector<std::string> Explanation, Tuned, Names;
  auto Config = TRY(choose(Request, Read, All.constituents(), Explanation, Tuned));
  Request.Name = All.options().Name;
  SeveralOutputs Outputs;
  for (size_t I = 0; I < Read.size(); ++I) {
    FuseRequest &One = Outputs.Requests.emplace_back(Request);
    FuseResult &Result = Outputs.Results.emplace_back();
    const std::string Suffix = "_" + Names.emplace_back(All.constituents()[I].Name);
    One.Name += Suffix;
    One.Output.insert(One.Output.size() - llvm::StringRef(".cu").size(), Suffix);
    if (!One.Depfile.empty()) // there is one for all
      One.Depfile += Suffix;
    Result.Kernels = {Read[I]};
    Result.HeaderPath = headerOf(One.Output);
    TRY(checkPaths(One, Result.Kernels));
    FusionConfig Alone = Config;
    Alone.Constituents = {Config.Constituents[I]};
    Alone.Overlap = {.Waits = I > 0, .Triggers = I + 1 < Read.size()};
    TRY(fuseKernels(Tools, One, Result, &Alone));
    if (!Request.Blocks.empty())
      sayOtherBlocks(Result, Say);
  }
  addFiles(Tools, Request, Outputs, emitOverlapped, Names);
  return Outputs;
}

} // namespace cufuse
