// A schedule made ready to be launched over and over.
#pragma once

#include "Buffers.h"

#include <map>

namespace cufuse {

class PreparedSchedule {
public:
  /// Loads the cubins, finds the kernels, puts the arguments together, makes streams and the graph. Fails with a
  /// RunError `LoadFailed` or `LaunchFailed`, or `Crashed` when the context is lost.
  static llvm::Expected<std::unique_ptr<PreparedSchedule>> make(const CudaDriver &Cuda, const Buffers &Buffers,
                                                                const Schedule &Schedule);
  ~PreparedSchedule();

  /// One pass: everything it launches begins after what is in the stream and ends before what comes into it next.
  llvm::Error enqueue(CUstream Stream);
  /// So many passes, one after the other; of a graph, as one graph, which the first call makes: not while the device
  /// waits for the host.
  llvm::Error enqueue(CUstream Stream, unsigned Passes);
  bool isGraph() const { return InGraph; }
  /// From now on passes are a graph, with its launches in the order of the schedule, or else a loop of launches.
  void capture(bool Captured) { InGraph = Captured; }
  /// One pass of plain launches, whatever else the schedule says.
  llvm::Error launchAll(CUstream Stream);
  llvm::Error launchOne(size_t I, CUstream Stream) { return launch(Kernels[I], Stream); }
  size_t size() const { return Kernels.size(); }
  const std::string &kernel(size_t I) const { return Kernels[I].Launch.Kernel; }

private:
  struct Kernel {
    CUfunction Function = nullptr;
    KernelLaunch Launch;
    std::vector<std::vector<std::uint8_t>> Arguments;
    std::vector<std::pair<CUdeviceptr, std::uint32_t>> Zeroed; ///< Address, bytes.
  };

  explicit PreparedSchedule(const CudaDriver &Cuda) : Cuda(Cuda) {}
  llvm::Error load(const KernelLaunch &Launch, Kernel &Into);
  llvm::Error fillArguments(const Buffers &Buffers, Kernel &Into);
  llvm::Error launch(Kernel &Kernel, CUstream Stream);
  llvm::Error enqueueBranches(CUstream Stream, bool Reversed);
  llvm::Error enqueueLaunches(CUstream Stream);
  llvm::Expected<CUgraphExec> makeGraph(unsigned Passes);
  llvm::Error must(CUresult Result, const std::string &Doing) {
    return check(Cuda, Result, RunStatus::LaunchFailed, Doing);
  }

  const CudaDriver &Cuda;
  Schedule::Kind How = Schedule::Serial;
  bool InGraph = false;
  std::vector<std::pair<std::string, CUmodule>> Modules; ///< By path.
  std::vector<Kernel> Kernels;
  std::vector<CUstream> Branches; ///< One for every launch but that in the caller's stream.
  std::vector<CUevent> Joins;     ///< One for each branch.
  CUevent Fork = nullptr;
  std::map<unsigned, CUgraphExec> Graphs; ///< By passes.
};

} // namespace cufuse
