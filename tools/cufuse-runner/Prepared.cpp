#include "Prepared.h"

#include "cufuse/Support/Error.h"

#include <fmt/core.h>
#include <llvm/ADT/SmallVectorExtras.h>

#include <cstring>

namespace cufuse {

static llvm::Error loadFailed(std::string What) {
  return llvm::make_error<RunError>(RunStatus::LoadFailed, std::move(What));
}
static llvm::Error launchFailed(std::string What) {
  return llvm::make_error<RunError>(RunStatus::LaunchFailed, std::move(What));
}

llvm::Expected<std::unique_ptr<PreparedSchedule>> PreparedSchedule::make(const CudaDriver &Cuda, const Buffers &Buffers,
                                                                         const Schedule &Schedule) {
  std::unique_ptr<PreparedSchedule> Made(new PreparedSchedule(Cuda));
  Made->How = Schedule.How;
  Made->InGraph = Schedule.How == Schedule::Graph;
  if (Schedule.Launches.empty())
    return launchFailed("a schedule without launches");
  for (const KernelLaunch &Launch : Schedule.Launches) {
    Kernel &One = Made->Kernels.emplace_back();
    TRY(Made->load(Launch, One));
    TRY(Made->fillArguments(Buffers, One));
  }
  if (Schedule.How == Schedule::Serial)
    return Made;
  // Timing is off: such events cost less.
  auto NewEvent = [&](CUevent &Event) {
    return Made->must(Cuda.cuEventCreate(&Event, CU_EVENT_DISABLE_TIMING), "making an event");
  };
  TRY(NewEvent(Made->Fork));
  for (size_t I = 1; I < Made->Kernels.size(); ++I) {
    TRY(Made->must(Cuda.cuStreamCreate(&Made->Branches.emplace_back(), CU_STREAM_NON_BLOCKING), "making a stream"));
    TRY(NewEvent(Made->Joins.emplace_back()));
  }
  return Made;
}

PreparedSchedule::~PreparedSchedule() {
  for (const auto &[Passes, Graph] : Graphs)
    Cuda.cuGraphExecDestroy(Graph);
  for (CUevent Event : Joins)
    Cuda.cuEventDestroy(Event);
  if (Fork)
    Cuda.cuEventDestroy(Fork);
  for (CUstream Stream : Branches)
    Cuda.cuStreamDestroy(Stream);
  for (const Kernel &One : Kernels)
    for (const auto &[Address, Bytes] : One.Zeroed)
      Cuda.cuMemFree(Address);
  for (const auto &[Path, Module] : Modules)
    Cuda.cuModuleUnload(Module);
}

llvm::Error PreparedSchedule::load(const KernelLaunch &Launch, Kernel &Into) {
  Into.Launch = Launch;
  const auto Loaded = llvm::find_if(Modules, [&](const auto &One) { return One.first == Launch.Cubin; });
  CUmodule Module = Loaded == Modules.end() ? nullptr : Loaded->second;
  if (!Module) {
    TRY(check(Cuda, Cuda.cuModuleLoad(&Module, Launch.Cubin.c_str()), RunStatus::LoadFailed,
              "loading '" + Launch.Cubin + "'"));
    Modules.emplace_back(Launch.Cubin, Module);
  }
  if (Cuda.cuModuleGetFunction(&Into.Function, Module, Launch.Kernel.c_str()) != CUDA_SUCCESS) {
    unsigned Count = 0;
    Cuda.cuModuleGetFunctionCount(&Count, Module);
    std::vector<CUfunction> Functions(Count);
    Cuda.cuModuleEnumerateFunctions(Functions.data(), Count, Module);
    std::string Names;
    unsigned Found = 0;
    for (CUfunction Function : Functions) {
      const char *Name = "";
      Cuda.cuFuncGetName(&Name, Function);
      Names += (Names.empty() ? "" : ", ") + std::string(Name);
      if (llvm::StringRef(Name).starts_with(Launch.Kernel)) {
        Into.Function = Function;
        ++Found;
      }
    }
    if (Found != 1)
      return loadFailed(
          fmt::format("{} kernels of '{}' begin with '{}'; it has: {}", Found, Launch.Cubin, Launch.Kernel, Names));
  }
  // Above 48 KiB it is opt-in.
  if (Launch.DynamicBytes)
    return must(
        Cuda.cuFuncSetAttribute(Into.Function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                static_cast<int>(Launch.DynamicBytes)),
        fmt::format("asking for {} bytes of dynamic shared memory for '{}'", Launch.DynamicBytes, Launch.Kernel));
  return llvm::Error::success();
}

llvm::Error PreparedSchedule::fillArguments(const Buffers &Buffers, Kernel &Into) {
  const KernelLaunch &Launch = Into.Launch;
  for (const KernelArgument &Argument : Launch.Arguments) {
    std::vector<std::uint8_t> Bytes = Argument.Bytes;
    const size_t Number = Into.Arguments.size();
    auto Put = [&](std::uint32_t Offset, CUdeviceptr Address) -> llvm::Error {
      if (Offset + std::uint64_t(sizeof Address) > Bytes.size())
        return launchFailed(fmt::format("argument {} of '{}' has {} bytes and an address at byte {}", Number,
                                        Launch.Kernel, Bytes.size(), Offset));
      std::memcpy(&Bytes[Offset], &Address, sizeof Address);
      return llvm::Error::success();
    };
    if (Argument.ZeroedBytes) {
      Bytes.resize(sizeof(CUdeviceptr));
      CUdeviceptr Address = 0;
      TRY(must(Cuda.cuMemAlloc(&Address, Argument.ZeroedBytes), "allocating counters"));
      Into.Zeroed.emplace_back(Address, Argument.ZeroedBytes);
      TRY(Put(0, Address));
    }
    for (const KernelArgument::Address &One : Argument.Addresses) {
      const std::optional<CUdeviceptr> Address = Buffers.find(One.Buffer);
      if (!Address)
        return launchFailed(
            fmt::format("argument {} of '{}' points to '{}', which is no buffer", Number, Launch.Kernel, One.Buffer));
      TRY(Put(One.Offset, *Address + One.Plus));
    }
    size_t Offset = 0, Size = 0;
    if (Cuda.cuFuncGetParamInfo(Into.Function, Number, &Offset, &Size) != CUDA_SUCCESS)
      return launchFailed(
          fmt::format("'{}' takes {} arguments and {} are given", Launch.Kernel, Number, Launch.Arguments.size()));
    if (Size != Bytes.size())
      return launchFailed(fmt::format("argument {} of '{}' takes {} bytes and {} are given", Number, Launch.Kernel,
                                      Size, Bytes.size()));
    Into.Arguments.push_back(std::move(Bytes));
  }
  size_t Offset = 0, Size = 0;
  if (Cuda.cuFuncGetParamInfo(Into.Function, Launch.Arguments.size(), &Offset, &Size) == CUDA_SUCCESS)
    return launchFailed(
        fmt::format("'{}' takes more than the {} arguments that are given", Launch.Kernel, Launch.Arguments.size()));
  return llvm::Error::success();
}

llvm::Error PreparedSchedule::launch(Kernel &Kernel, CUstream Stream) {
  for (const auto &[Address, Bytes] : Kernel.Zeroed)
    TRY(must(Cuda.cuMemsetD8Async(Address, 0, Bytes, Stream), "zeroing counters"));
  auto Pointers = llvm::map_to_vector(Kernel.Arguments, [](auto &Argument) -> void * { return Argument.data(); });
  const auto &[Gx, Gy, Gz] = Kernel.Launch.Grid;
  const auto &[Bx, By, Bz] = Kernel.Launch.Block;
  return must(Cuda.cuLaunchKernel(Kernel.Function, Gx, Gy, Gz, Bx, By, Bz, Kernel.Launch.DynamicBytes, Stream,
                                  Pointers.data(), nullptr),
              fmt::format("launching '{}' as {}x{}x{} blocks of {}x{}x{} threads", Kernel.Launch.Kernel, Gx, Gy, Gz, Bx,
                          By, Bz));
}

llvm::Error PreparedSchedule::enqueueBranches(CUstream Stream, bool Reversed) {
  TRY(must(Cuda.cuEventRecord(Fork, Stream), "recording an event"));
  for (CUstream Branch : Branches)
    TRY(must(Cuda.cuStreamWaitEvent(Branch, Fork, 0), "waiting for an event"));
  for (size_t I = 0; I < Kernels.size(); ++I) {
    const size_t Which = Reversed ? Kernels.size() - 1 - I : I;
    TRY(launch(Kernels[Which], Which == 0 ? Stream : Branches[Which - 1]));
  }
  for (size_t I = 0; I < Branches.size(); ++I) {
    TRY(must(Cuda.cuEventRecord(Joins[I], Branches[I]), "recording an event"));
    TRY(must(Cuda.cuStreamWaitEvent(Stream, Joins[I], 0), "waiting for an event"));
  }
  return llvm::Error::success();
}

llvm::Expected<CUgraphExec> PreparedSchedule::makeGraph(unsigned Passes) {
  CUstream Stream = nullptr;
  TRY(must(Cuda.cuStreamCreate(&Stream, CU_STREAM_NON_BLOCKING), "making a stream"));
  llvm::Error Failed =
      must(Cuda.cuStreamBeginCapture(Stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL), "beginning to capture a graph");
  for (unsigned I = 0; I < Passes && !Failed; ++I)
    Failed = enqueueLaunches(Stream);
  CUgraph Captured = nullptr;
  const CUresult Ended = Cuda.cuStreamEndCapture(Stream, &Captured);
  if (!Failed)
    Failed = must(Ended, "capturing a graph");
  CUgraphExec Graph = nullptr;
  if (!Failed)
    Failed = must(Cuda.cuGraphInstantiate(&Graph, Captured, 0), "making a graph");
  if (!Failed)
    Failed = must(Cuda.cuGraphUpload(Graph, Stream), "uploading a graph");
  if (!Failed)
    Failed = must(Cuda.cuStreamSynchronize(Stream), "uploading a graph");
  if (Captured)
    Cuda.cuGraphDestroy(Captured);
  Cuda.cuStreamDestroy(Stream);
  if (!Failed)
    return Graph;
  if (Graph)
    Cuda.cuGraphExecDestroy(Graph);
  return std::move(Failed);
}

llvm::Error PreparedSchedule::enqueue(CUstream Stream, unsigned Passes) {
  if (InGraph) {
    auto Made = Graphs.find(Passes);
    if (Made == Graphs.end()) {
      Made = Graphs.emplace(Passes, TRY(makeGraph(Passes))).first;
    }
    return must(Cuda.cuGraphLaunch(Made->second, Stream), "launching the graph");
  }
  for (unsigned I = 0; I < Passes; ++I)
    TRY(enqueue(Stream));
  return llvm::Error::success();
}

llvm::Error PreparedSchedule::launchAll(CUstream Stream) {
  for (Kernel &One : Kernels)
    TRY(launch(One, Stream));
  return llvm::Error::success();
}

llvm::Error PreparedSchedule::enqueueLaunches(CUstream Stream) {
  return How == Schedule::Serial ? launchAll(Stream) : enqueueBranches(Stream, How == Schedule::StreamsReversed);
}

llvm::Error PreparedSchedule::enqueue(CUstream Stream) {
  return InGraph ? enqueue(Stream, 1) : enqueueLaunches(Stream);
}

} // namespace cufuse
