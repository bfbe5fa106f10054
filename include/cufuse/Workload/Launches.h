// What cufuse-runner launches of a workload: kernels alone and fused, and the baselines.
#pragma once

#include "cufuse/Workload/PackArguments.h"

namespace cufuse {

/// The ordinary launch. `Entry`: the kernel's name in the cubin, see `entryName`.
KernelLaunch launchAlone(const PackedKernel &Kernel, std::string Cubin, std::string Entry);

/// The launch of a fused kernel; facts and packed kernels correspond to its constituents by position. Fails if the
/// fused kernel wants a parameter that no constituent has.
llvm::Expected<KernelLaunch> launchFused(const FusedLaunch &Fused, llvm::ArrayRef<const KernelFacts *> Facts,
                                         llvm::ArrayRef<PackedKernel> Kernels, std::string Cubin);

/// What fusion competes with: `serial`, and for two kernels or more `streams`, `streams reversed` and `graph`, each
/// followed by `Suffix`.
std::vector<Schedule> baselines(llvm::ArrayRef<KernelLaunch> Launches, const std::string &Suffix = "");

/// A job with all buffers of the workload; the first schedule is the reference.
RunnerJob runnerJob(const Workload &W, std::vector<Schedule> Schedules);

} // namespace cufuse
