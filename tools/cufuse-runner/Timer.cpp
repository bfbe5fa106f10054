#include "Timer.h"

#include "cufuse/Support/Error.h"

#include <dlfcn.h>

namespace cufuse {

SmClock::SmClock(const CudaDriver &Cuda, CUdevice Device) {
  void *Library = ::dlopen("libnvidia-ml.so.1", RTLD_NOW);
  if (!Library)
    return;
  const auto Init = reinterpret_cast<int (*)()>(::dlsym(Library, "nvmlInit_v2"));
  const auto ByBus =
      reinterpret_cast<int (*)(const char *, void **)>(::dlsym(Library, "nvmlDeviceGetHandleByPciBusId_v2"));
  GetClock = reinterpret_cast<decltype(GetClock)>(::dlsym(Library, "nvmlDeviceGetClockInfo"));
  char Bus[32] = {};
  if (!Init || !ByBus || !GetClock || Init() != 0 ||
      Cuda.cuDeviceGetPCIBusId(Bus, sizeof Bus, Device) != CUDA_SUCCESS || ByBus(Bus, &Handle) != 0)
    Handle = nullptr;
}

double SmClock::now() const {
  constexpr unsigned NVML_CLOCK_SM = 1;
  unsigned MHz = 0;
  return Handle && GetClock(Handle, NVML_CLOCK_SM, &MHz) == 0 ? MHz : 0;
}

llvm::Expected<std::unique_ptr<Timer>> Timer::make(const CudaDriver &Cuda, std::uint64_t FlushBytes) {
  std::unique_ptr<Timer> Made(new Timer(Cuda));
  void *Gate = nullptr;
  const std::pair<CUresult, const char *> Steps[] = {
      {Cuda.cuStreamCreate(&Made->Stream, CU_STREAM_NON_BLOCKING), "making a stream"},
      {Cuda.cuEventCreate(&Made->Begin, CU_EVENT_DEFAULT), "making an event"},
      {Cuda.cuEventCreate(&Made->End, CU_EVENT_DEFAULT), "making an event"},
      {Cuda.cuMemHostAlloc(&Gate, sizeof *Made->Gate, CU_MEMHOSTALLOC_DEVICEMAP), "allocating page-locked memory"},
      {Cuda.cuMemHostGetDevicePointer(&Made->GateAddress, Gate, 0), "mapping page-locked memory"},
      {FlushBytes ? Cuda.cuMemAlloc(&Made->Scratch, FlushBytes) : CUDA_SUCCESS, "allocating what flushes the caches"}};
  Made->Gate = static_cast<std::uint32_t *>(Gate);
  for (const auto &[Result, Doing] : Steps)
    TRY(Made->must(Result, Doing));
  *Made->Gate = 0;
  Made->FlushBytes = FlushBytes;
  return Made;
}

Timer::~Timer() {
  Cuda.cuStreamDestroy(Stream);
  Cuda.cuEventDestroy(Begin);
  Cuda.cuEventDestroy(End);
  Cuda.cuMemFree(Scratch);
  Cuda.cuMemFreeHost(const_cast<std::uint32_t *>(Gate));
}

llvm::Error Timer::enqueue(PreparedSchedule &Schedule, unsigned Passes) {
  if (FlushBytes)
    TRY(must(Cuda.cuMemsetD8Async(Scratch, 0, FlushBytes, Stream), "flushing the caches"));
  if (Passes == 1) {
    TRY(must(Cuda.cuStreamWaitValue32(Stream, GateAddress, ++Turn, CU_STREAM_WAIT_VALUE_GEQ), "holding the stream"));
  } else if (llvm::Error Error = Schedule.enqueue(Stream, Schedule.isGraph() ? Passes : 2)) {
    return Error;
  }
  TRY(must(Cuda.cuEventRecord(Begin, Stream), "recording an event"));
  TRY(Schedule.enqueue(Stream, Passes));
  return must(Cuda.cuEventRecord(End, Stream), "recording an event");
}

llvm::Expected<double> Timer::sample(PreparedSchedule &Schedule, unsigned Passes,
                                     llvm::function_ref<void()> Meanwhile) {
  llvm::Error Failed = enqueue(Schedule, Passes);
  *Gate = Turn; // Also after a failure: nothing may wait for ever.
  if (Failed)
    return std::move(Failed);
  Meanwhile();
  TRY(must(Cuda.cuStreamSynchronize(Stream), "running"));
  float Milliseconds = 0;
  TRY(must(Cuda.cuEventElapsedTime(&Milliseconds, Begin, End), "reading the time"));
  return Milliseconds * 1000.0 / Passes;
}

} // namespace cufuse
