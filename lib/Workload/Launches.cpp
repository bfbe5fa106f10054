#include "cufuse/Workload/Launches.h"

#include <fmt/core.h>

namespace cufuse {

KernelLaunch launchAlone(const PackedKernel &Kernel, std::string Cubin, std::string Entry) {
  return {std::move(Cubin),
          std::move(Entry),
          Kernel.Launch.Grid,
          {Kernel.Block.X, Kernel.Block.Y, Kernel.Block.Z},
          static_cast<std::uint32_t>(Kernel.Launch.DynamicBytes),
          Kernel.Arguments};
}

llvm::Expected<KernelLaunch> launchFused(const FusedLaunch &Fused, llvm::ArrayRef<const KernelFacts *> Facts,
                                         llvm::ArrayRef<PackedKernel> Kernels, std::string Cubin) {
  KernelLaunch Launch{std::move(Cubin), Fused.Kernel, Fused.Grid, Fused.Block, Fused.DynamicBytes, {}};
  for (const FusedParameter &Parameter : Fused.Parameters) {
    if (Parameter.Constituent < 0) {
      Launch.Arguments.push_back({Parameter.Bytes, {}, Parameter.ZeroedBytes});
      continue;
    }
    const size_t Which = Parameter.Constituent;
    const KernelArgument *Found = nullptr;
    for (size_t I = 0; Which < Facts.size() && I < Facts[Which]->Parameters.size(); ++I)
      if (Facts[Which]->Parameters[I].Name == Parameter.Name)
        Found = &Kernels[Which].Arguments[I];
    if (!Found)
      return defect(fmt::format("the fused kernel has a parameter '{}' of constituent {}, which has none of that name",
                                Parameter.Name, Which));
    Launch.Arguments.push_back(*Found);
  }
  return Launch;
}

std::vector<Schedule> baselines(llvm::ArrayRef<KernelLaunch> Launches, const std::string &Suffix) {
  std::vector<Schedule> Schedules;
  const std::vector<std::pair<const char *, Schedule::Kind>> Kinds = {{"serial", Schedule::Serial},
                                                                      {"streams", Schedule::Streams},
                                                                      {"streams reversed", Schedule::StreamsReversed},
                                                                      {"graph", Schedule::Graph}};
  for (const auto &[Name, Kind] : Kinds)
    if (Kind == Schedule::Serial || Launches.size() > 1)
      Schedules.push_back({Name + Suffix, Kind, Launches.vec()});
  return Schedules;
}

RunnerJob runnerJob(const Workload &W, std::vector<Schedule> Schedules) {
  RunnerJob Job;
  Job.Buffers = W.Buffers;
  Job.Schedules = std::move(Schedules);
  return Job;
}

} // namespace cufuse
