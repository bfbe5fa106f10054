// Fuses many graphs of kernels in one process, each file parsed once.
//
//   cufuse-fuse-chains CUFUSE FILE:KERNEL... -- JOB...
//
// A job is NAME;OUT.cu;KERNEL=BLOCK ...;LINK ...;DEAD ...;OPTION ..., with KERNEL counted from 0, and LINK, DEAD and BLOCK as
// after --link, --dead and --block. OPTIONs are vectorize=N, recompute=N, recompute=any, cooperative, distinct and stride; the block of a
// graph that is not cooperative is that of its first kernel. Per job one line on stdout: NAME, its status and what was said.
#include "../FuseJobs.h"

#include "cufuse/Driver/Compose.h"

using namespace cufuse;

namespace {

struct Job {
  std::string Name;
  std::vector<unsigned> Members;
  std::vector<BlockShape> Blocks;
  FuseRequest Request;
};

llvm::SmallVector<llvm::StringRef> words(llvm::StringRef Text) {
  llvm::SmallVector<llvm::StringRef> Words;
  Text.split(Words, ' ', -1, /*KeepEmpty=*/false);
  return Words;
}

Job readJob(llvm::StringRef Text) {
  llvm::SmallVector<llvm::StringRef> Fields;
  Text.split(Fields, ';');
  auto Bad = [&] { stop(badUsage("'" + Text.str() + "' is not a job")); };
  auto Number = [&](llvm::StringRef Digits) {
    unsigned Value = 0;
    if (Digits.getAsInteger(10, Value))
      Bad();
    return Value;
  };
  if (Fields.size() != 6)
    Bad();
  Job Job;
  Job.Name = Fields[0].str();
  Job.Request.Output = Fields[1].str();
  Job.Request.Vertical = true;
  for (llvm::StringRef Member : words(Fields[2])) {
    Job.Members.push_back(Number(Member.split('=').first));
    Job.Blocks.push_back(need(parseBlockShape(Member.split('=').second)));
  }
  for (llvm::StringRef Link : words(Fields[3]))
    Job.Request.Links.push_back(need(parseLink(Link)));
  for (llvm::StringRef Dead : words(Fields[4]))
    Job.Request.Dead.push_back(Dead.str());
  for (llvm::StringRef Option : words(Fields[5])) {
    const auto [Name, Value] = Option.split('=');
    if (Name == "vectorize")
      Job.Request.Composition.Vectorize = Number(Value);
    else if (Option == "recompute=any")
      Job.Request.Composition.Recompute.reset();
    else if (Name == "recompute")
      Job.Request.Composition.Recompute = Number(Value);
    else if (Option == "cooperative")
      Job.Request.Composition.Cooperative = true;
    else if (Option == "distinct")
      Job.Request.Distinct = true;
    else if (Option == "stride")
      Job.Request.Grid = GridPolicy::Stride;
    else
      Bad();
  }
  return Job;
}

/// As the spine does it.
llvm::Error run(const Toolchain &Tools, llvm::ArrayRef<LoadedKernel> Read, const Job &Job) {
  std::vector<LoadedKernel> Kernels;
  for (unsigned Member : Job.Members)
    Kernels.push_back(Read[Member]);
  if (llvm::Error Error = checkAll(Kernels))
    return Error;
  FuseRequest Request = Job.Request;
  Request.Blocks = {{"", Job.Blocks.front()}};
  auto Composed = compose(std::move(Kernels), Request);
  if (!Composed)
    return Composed.takeError();
  FusionConfig Config;
  Config.Grid = Request.Grid;
  if (Request.Composition.Cooperative) {
    Config.Shape = Geometry::Threads;
    Config.Cooperative = true;
    Config.Grid = GridPolicy::Stride;
    for (const BlockShape &Each : Job.Blocks)
      Config.Constituents.push_back({.Block = Each});
  } else {
    Config.Constituents.push_back({.Block = Job.Blocks.front()});
  }
  return fuseInto(Request.Output, Job.Name, Tools, *Composed, Config);
}

} // namespace

int main(int Count, char **Arguments) {
  const JobArguments Given(Count, Arguments, "cufuse-fuse-chains");
  const std::vector<LoadedKernel> Read = need(readKernels(Given.Tools, Given.Kernels, InputFlags{}));
  for (const std::string &Text : Given.Jobs) {
    const Job Job = readJob(Text);
    sayOutcome(Job.Name, run(Given.Tools, Read, Job));
  }
}
