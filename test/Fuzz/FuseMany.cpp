// Fuses many sets of kernels in one process, each file parsed once.
//
//   cufuse-fuse-many CUFUSE FILE:KERNEL... -- JOB...
//
// A job is NAME:CONFIGURATION:RESIDENT:MEMBER,..., written to NAME.cu; RESIDENT is the number of fused blocks, 0 where that is
// open. A member is KERNEL=BLOCK*COPIES, where KERNEL counts from 0 and BLOCK is as for --block, and behind it, where there
// are any, `;unroll=FACTOR`, `;resident=COUNT`, `;budget=REGISTERS` and `;bind=PARAMETER=VALUE`. Per job one line on stdout:
// NAME, its status and what was said of it.
#include "../Configuration.h"

#include "cufuse/Driver/Pipeline.h"
#include "cufuse/Support/FileStore.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/raw_ostream.h>

using namespace cufuse;

namespace {

[[noreturn]] void stop(llvm::Error Error) { std::exit(static_cast<int>(report(std::move(Error), llvm::errs()))); }
template <typename T> T need(llvm::Expected<T> Value) {
  if (!Value)
    stop(Value.takeError());
  return std::move(*Value);
}

struct Job {
  std::string Name, Output;
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
  Job.Output = Job.Name + ".cu";
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
  llvm::SmallString<128> Header(Job.Output);
  llvm::sys::path::replace_extension(Header, ".h");
  EmitOptions Options;
  Options.Name = Job.Name;
  Options.SourceFile = llvm::sys::path::filename(Job.Output).str();
  Options.HeaderFile = llvm::sys::path::filename(Header).str();
  Options.Command = "cufuse-fuse-many";
  Fuser Fuser(Tools, Job.Kernels, Options);
  auto Plan = Fuser.plan(Job.Config);
  if (!Plan)
    return Plan.takeError();
  auto Fused = Fuser.emit(*Plan);
  if (!Fused)
    return Fused.takeError();
  if (llvm::Error Error = Fuser.verify(*Fused, *Plan))
    return Error;
  return writeFiles({{Job.Output, Fused->Source}, {std::string(Header), Fused->Header}});
}

} // namespace

int main(int Count, char **Arguments) {
  std::vector<KernelSpec> Specs;
  int I = 2;
  for (; I < Count && llvm::StringRef(Arguments[I]) != "--"; ++I)
    Specs.push_back(need(parseKernelSpec(Arguments[I])));
  if (Specs.empty()) {
    llvm::errs() << "usage: cufuse-fuse-many CUFUSE FILE:KERNEL... -- JOB...\n";
    return 2;
  }
  const Toolchain Tools = need(findToolchain(Arguments[1]));
  const std::vector<LoadedKernel> Kernels = need(loadKernels(Tools, Specs, InputFlags()));
  for (++I; I < Count; ++I) {
    const Job Job = readJob(Arguments[I], Kernels);
    std::string Said;
    llvm::raw_string_ostream Out(Said);
    const int Status = static_cast<int>(report(run(Tools, Job), Out));
    std::replace(Said.begin(), Said.end(), '\n', '\t');
    llvm::outs() << Job.Name << ' ' << Status << ' ' << Said << '\n';
    llvm::outs().flush();
  }
  return 0;
}
