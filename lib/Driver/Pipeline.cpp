#include "cufuse/Driver/Pipeline.h"

#include "Parts.h"

#include "cufuse/Driver/CheckPaths.h"
#include "cufuse/Driver/Choose.h"
#include "cufuse/Driver/Compose.h"
#include "cufuse/Driver/Describe.h"
#include "cufuse/Driver/Fuser.h"
#include "cufuse/Driver/Products.h"
#include "cufuse/Support/Error.h"

#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/Path.h>

namespace cufuse {

EmitOptions emitOptions(const FuseRequest &Request) {
  return {.Name = Request.Name,
          .SourceFile = llvm::sys::path::filename(Request.Output).str(),
          .HeaderFile = llvm::sys::path::filename(headerOf(Request.Output)).str(),
          .Command = Request.Command,
          .LineDirectives = Request.LineDirectives,
          .Prelude = Request.Prelude,
          .Apart = Request.Apart,
          .ApartBelow = Request.ApartBelow};
}

namespace {

/// Those of the output where the build knows it already, as `cufuse_fuse` makes it: of another target than the inputs'.
std::optional<CompileFlags> flagsOfOutput(const FuseRequest &Request) {
  if (Request.Flags.BuildDirectory.empty())
    return std::nullopt;
  return llvm::expectedToOptional(flagsFromDatabase(Request.Flags.BuildDirectory, Request.Output));
}

/// Where the output is compiled with other arithmetic, or for other architectures, than a kernel's file.
llvm::Error checkOutputsFlags(const FuseRequest &Request, llvm::ArrayRef<LoadedKernel> Kernels) {
  const auto OfOutput = flagsOfOutput(Request);
  auto Said = [](const CompileFlags &Flags) {
    std::vector<std::string> All = Flags.Arithmetic;
    llvm::append_range(All, Flags.Architectures);
    return All.empty() ? "no such flags" : llvm::join(All, " ");
  };
  for (const LoadedKernel &Kernel : Kernels)
    if (OfOutput && Said(*OfOutput) != Said(Kernel.Flags))
      return refuse({BlockerKind::FlagsDisagree, Kernel.Facts.Where,
                     fmt::format("{} is compiled with {}, and {} with {}", Kernel.Facts.Name, Said(Kernel.Flags),
                                 Request.Output, Said(*OfOutput))});
  return llvm::Error::success();
}

/// The kernels that were read, as one.
llvm::Error fuseRead(const Toolchain &Tools, const FuseRequest &Request, const std::vector<LoadedKernel> &Read,
                     FuseResult &Result) {
  if (!Request.Vertical)
    return fuseKernels(Tools, Request, Result);
  Result.Kernels = TRY(compose(Read, Request));
  return fuseKernels(Tools, Request, Result);
}

/// What cannot be done in registers, in another way, which is said with the reason.
llvm::Error fuseOtherwise(llvm::Error Error, const char *Way, const Toolchain &Tools, const FuseRequest &Request,
                          const std::vector<LoadedKernel> &Read, FuseResult &Result,
                          llvm::function_ref<void(const std::string &)> Say) {
  std::vector<Message> Why;
  bool IsRefused = true;
  Error = llvm::handleErrors(std::move(Error), [&](std::unique_ptr<Failure> Each) {
    IsRefused &= Each->Code == ExitCode::BadInput;
    llvm::append_range(Why, Each->Messages);
    return llvm::Error(std::move(Each));
  });
  llvm::erase_if(Why, [](const Message &M) { return M.Text.empty(); }); // which forms were tried
  if (!IsRefused || Why.empty())
    return Error;
  const size_t Explained = Result.Explanation.size();
  Result.Kernels = Read;
  if (llvm::Error Again = fuseRead(Tools, Request, Read, Result)) {
    Result.Explanation.resize(Explained);
    bool IsOurs = false; // what is wrong then, which the first way's reasons must not hide
    llvm::visitErrors(Again, [&](const llvm::ErrorInfoBase &Each) {
      IsOurs |= static_cast<const Failure &>(Each).Code == ExitCode::Defect;
    });
    llvm::consumeError(std::move(IsOurs ? Error : Again));
    return std::move(IsOurs ? Again : Error);
  }
  llvm::consumeError(std::move(Error));
  const std::string Where = Why.front().Where.str();
  Say(fmt::format("{}, since in registers{}: {}", Way, Where.empty() ? "" : " " + Where, Why.front().Text));
  return llvm::Error::success();
}

} // namespace

llvm::Error fuseKernels(const Toolchain &Tools, const FuseRequest &Request, FuseResult &Result,
                        const FusionConfig *Given) {
  const KernelText &First = Result.Kernels.front().Text;
  if (Request.ApartBelow > 0 && (Result.Kernels.size() > 1 || !(First.Elements || First.Rows)))
    return badUsage("--apart-below is a number of elements, and this launch has a grid",
                    "leave it out, and choose before the launch");
  Fuser Fuser(Tools, Result.Kernels, emitOptions(Request));
  if (const auto Flags = flagsOfOutput(Request)) {
    Fuser.isCompiledWith(*Flags);
    const LoadedKernel &Any = Result.Kernels.front();
    auto Answer = TRY(askNvcc(Tools, Any.Spec.File, *Flags, Any.Arch));
    for (LoadedKernel &Kernel : Result.Kernels)
      if (Kernel.Predefined && Answer.Predefined)
        Kernel.Predefined =
            std::make_shared<const Predefined>(Predefined{Kernel.Predefined->Macros, Answer.Predefined->Folders});
  }
  auto Config = TRY(Given ? llvm::Expected<FusionConfig>(*Given)
                          : choose(Request, Result.Kernels, Fuser.constituents(), Result.Explanation, Result.Tuned));
  Result.Plan = TRY(Fuser.planWithBound(Config, &Result.Explanation));
  llvm::append_range(Result.Explanation, explain(Result.Plan, Result.Kernels, Fuser.constituents()));
  if (Request.StopAfter == Step::Plan)
    return llvm::Error::success();

  Result.Fused = TRY(Fuser.emit(Result.Plan));
  TRY(checkBeside(Request, Fuser, Result.Fused));
  llvm::append_range(Result.Explanation, explainTexts(Fuser.constituents()));
  if (Request.StopAfter == Step::Emit)
    return llvm::Error::success();

  TRY(Fuser.verify(Result.Fused, Result.Plan));
  Result.Explanation.push_back(
      "verified: the text parses and means what the kernels mean in their files, but for what the plan changes");
  return llvm::Error::success();
}

void sayOtherBlocks(const FuseResult &Result, llvm::function_ref<void(const std::string &)> Say) {
  for (const PartitionPlan &P : Result.Plan.Partitions) {
    const LoadedKernel &Kernel = Result.Kernels[P.Constituent];
    auto SayOf = [&](const KernelFacts &Facts) {
      if (const LaunchFacts *Other = launchedOtherwise(Facts, P.Block); Other && P.Copy == 0)
        Say(fmt::format("{} is launched with blocks of {} at {}, and here with blocks of {}: count its grid in these",
                        Facts.Name, Other->Block->str(), Other->Where.str(), P.Block.str()));
    };
    if (Kernel.Parsed.Unit)
      SayOf(Kernel.Facts);
    else if (!Kernel.Text.Rows && !Kernel.Text.Elements)
      for (const ComposedPart &Each : Kernel.Parts)
        if (!Each.AsElement)
          SayOf(Each.Facts);
  }
}

llvm::Expected<FuseResult> fuse(const Toolchain &Tools, const FuseRequest &Given,
                                llvm::function_ref<void(const std::string &)> Say) {
  auto Read = TRY(readKernels(Tools, Given.Kernels, Given.Flags, Given.Vertical || Given.StopAfter <= Step::Check));
  if (!Given.Depfile.empty())
    llvm::for_each(Read, nameWhole);
  FuseResult Result;
  TRY(fuse(Tools, Given, std::move(Read), Result, Say));
  return Result;
}

llvm::Error fuse(const Toolchain &Tools, FuseRequest Request, std::vector<LoadedKernel> Read, FuseResult &Result,
                 llvm::function_ref<void(const std::string &)> Say) {
  const FuseRequest Given = Request;
  Result.Kernels = Read;
  if (Request.StopAfter <= Step::Collect)
    return llvm::Error::success();
  TRY(checkAll(Result.Kernels));
  TRY(checkOutputsFlags(Request, Result.Kernels));
  Result.Explanation.push_back(explainReading(Result.Kernels));
  if (Request.AutoLink) {
    Say(TRY(linkAsLaunched(Read, Request)));
    Result.Kernels = Read;
  }
  if (Request.StopAfter == Step::Check)
    return llvm::Error::success();

  if (!Request.Output.empty()) {
    Result.HeaderPath = headerOf(Request.Output);
    TRY(checkPaths(Request, Result.Kernels));
  }
  if (Request.Vertical)
    TRY(addProducts(Request, Read));
  const size_t Explained = Result.Explanation.size();
  llvm::Error Error = fuseRead(Tools, Request, Read, Result);
  VerticalOptions &How = Request.Composition;
  const bool IsFree = Request.Vertical && !How.inMemoryOfAll() && Request.Products.empty();
  if (Error && IsFree)
    Result.Explanation.resize(Explained);
  // What was proved of indices may still have a text in which no object can take the place of a linked pointer. In
  // memory, the text stays as it is.
  if (Error && IsFree && !How.InRegisters) {
    How.InMemory = true;
    Error = fuseOtherwise(std::move(Error), "in memory", Tools, Request, Read, Result, Say);
  }
  if (Error && IsFree && (Request.EndsInOneBlock || Request.BeginsInOneBlock) && mayGoByOneBlock(Given)) {
    How.LastBlock = Request.EndsInOneBlock;
    How.FirstBlock = !How.LastBlock;
    Request.Dead.clear();
    Error = fuseOtherwise(std::move(Error), How.LastBlock ? "by the last block" : "by the first block", Tools, Request,
                          Read, Result, Say);
  }
  if (!Error && !Request.Blocks.empty())
    sayOtherBlocks(Result, Say);
  return Error;
}

} // namespace cufuse
