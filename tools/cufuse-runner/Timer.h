// How long a pass through a schedule takes.
#pragma once

#include "Prepared.h"

namespace cufuse {

/// The clock of the SMs by NVML, loaded when the program runs. Reads only.
class SmClock {
public:
  SmClock(const CudaDriver &Cuda, CUdevice Device);
  /// In MHz, now; 0 where NVML is missing or does not tell.
  double now() const;

private:
  void *Handle = nullptr;
  int (*GetClock)(void *, unsigned, unsigned *) = nullptr;
};

/// A sample is the time between two CUDA events in one stream, over the passes between them.
///
/// One pass: the stream is held by a word in host memory until the pass is enqueued as a whole, so that the host's
/// launch latency is not in it, as it is not in a program whose stream is never empty. The caches are flushed before,
/// outside what is timed, where the buffers are small enough to stay in them from pass to pass.
///
/// Several passes, for those so short that the events and the launches themselves count: one after the other, as in a
/// loop, behind two that are not timed. The host's launches are in the time when they are what limits it, and the
/// caches are as the pass before left them. Of a graph, they are one graph, behind another, as in a program that
/// captures more than this.
class Timer {
public:
  /// `FlushBytes`: to be written before each sample; 0 leaves the caches as they are.
  static llvm::Expected<std::unique_ptr<Timer>> make(const CudaDriver &Cuda, std::uint64_t FlushBytes);
  ~Timer();

  CUstream stream() const { return Stream; }
  /// Microseconds of a pass. `Meanwhile` is called while the GPU works.
  llvm::Expected<double> sample(PreparedSchedule &Schedule, unsigned Passes, llvm::function_ref<void()> Meanwhile);

private:
  explicit Timer(const CudaDriver &Cuda) : Cuda(Cuda) {}
  llvm::Error enqueue(PreparedSchedule &Schedule, unsigned Passes);
  llvm::Error must(CUresult Result, const char *Doing) { return check(Cuda, Result, RunStatus::LaunchFailed, Doing); }

  const CudaDriver &Cuda;
  CUstream Stream = nullptr;
  CUevent Begin = nullptr, End = nullptr;
  CUdeviceptr Scratch = 0;
  std::uint64_t FlushBytes = 0;
  volatile std::uint32_t *Gate = nullptr; ///< In host memory: the stream waits until it is at least `Turn`.
  CUdeviceptr GateAddress = 0;
  std::uint32_t Turn = 0;
};

} // namespace cufuse
