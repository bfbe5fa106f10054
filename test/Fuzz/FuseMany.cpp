// Fuses many sets of kernels in one process, each file parsed once.
//
//   cufuse-fuse-many CUFUSE FILE:KERNEL... -- JOB...
//
// A job is NAME:CONFIGURATION:RESIDENT:MEMBER,..., written to NAME.cu; RESIDENT is the number of fused blocks, 0 where that is
// open. A member is KERNEL=BLOCK*COPIES, where KERNEL counts from 0 and BLOCK is as for --block, and behind it, where there
// are any, `;unroll=FACTOR`, `;resident=COUNT`, `;turns=COUNT`, `;budget=REGISTERS` and `;bind=PARAMETER=VALUE`. Per
// job one line on stdout: NAME, its status and what was said of it.
#include "../Configuration.h"
#include "../FuseJobs.h"

using namespace cufuse;

namespace {

struct Job {
  std::string Name;
  std::vector<LoadedKernel> Kernels;
  FusionConfig Config;
};

Job readJob(llvm::StringRef Text, llvm::ArrayRef<LoadedKernel> Kernels) {
  llvm::SmallVector<llvm::StringRef> Fields, Members;
  Text.split(Fields, ':');
  Job Job;
  auto Number = [&](llvm::StringRef Digits) {
    unsigned Value = 0;
    if (Digits.getAsInteger(10, Value))
      stop(badUsage("'" + Text.str() + "' is not a job"));
    return Value;
  };
  if (Fields.size() != 4)
    stop(badUsage("'" + Text.str() + "' is not a job"));
  Job.Name = Fields[0].str();
  if (!readConfiguration(Fields[1], Job.Config))
    stop(badUsage("'" + Fields[1].str() + "' is not a configuration"));
  Job.Config.ResidentBlocks = Number(Fields[2]);
  Fields[3].split(Members, ',');
  for (llvm::StringRef Member : Members) {
    llvm::SmallVector<llvm::StringRef> Choices;
    Member.split(Choices, ';');
    const auto [Index, Shape] = Choices[0].split('=');
    const auto [Block, Copies] = Shape.split('*');
    Job.Kernels.push_back(Kernels[Number(Index)]);
    ConstituentConfig Config{need(parseBlockShape(Block)), Number(Copies)};
    for (llvm::StringRef Choice : llvm::drop_begin(Choices)) {
      const auto [Name, Value] = Choice.split('=');
      if (Name == "unroll")
        Config.Unroll = Number(Value);
      else if (Name == "resident")
        Config.ResidentBlocks = Number(Value);
      else if (Name == "turns")
        Config.Turns = Number(Value);
      else if (Name == "budget")
        Config.RegisterBudget = Number(Value);
      else if (const auto [Parameter, Literal] = Value.split('='); Name == "bind")
        Config.Bound.push_back({Parameter.str(), Literal.str()});
      else
        stop(badUsage("'" + Choice.str() + "' is no choice"));
    }
    Job.Config.Constituents.push_back(std::move(Config));
  }
  return Job;
}

llvm::Error run(const Toolchain &Tools, const Job &Job) {
  if (llvm::Error Error = checkAll(Job.Kernels))
    return Error;
  return fuseInto(Job.Name + ".cu", Job.Name, Tools, Job.Kernels, Job.Config);
}

} // namespace

int main(int Count, char **Arguments) {
  const JobArguments Given(Count, Arguments, "cufuse-fuse-many");
  const std::vector<LoadedKernel> Kernels = need(readKernels(Given.Tools, Given.Kernels, InputFlags()));
  for (const std::string &Text : Given.Jobs) {
    const Job Job = readJob(Text, Kernels);
    sayOutcome(Job.Name, run(Given.Tools, Job));
  }
}
