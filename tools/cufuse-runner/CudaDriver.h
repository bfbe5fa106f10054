// The CUDA driver API, loaded when the program runs: it builds without the driver, and starts without one.
#pragma once

#include "cufuse/Runner/RunnerJob.h"

#include <llvm/Support/Error.h>

#include <cuda.h>

namespace cufuse {

// The entry points that are used. The header's macros give each name its version.
#define CUFUSE_CUDA_FUNCTIONS(X)                                                                                       \
  X(cuInit)                                                                                                            \
  X(cuGetErrorName)                                                                                                    \
  X(cuGetErrorString)                                                                                                  \
  X(cuDriverGetVersion)                                                                                                \
  X(cuDeviceGetCount)                                                                                                  \
  X(cuDeviceGet)                                                                                                       \
  X(cuDeviceGetName)                                                                                                   \
  X(cuDeviceGetAttribute)                                                                                              \
  X(cuDeviceGetPCIBusId)                                                                                               \
  X(cuDeviceTotalMem)                                                                                                  \
  X(cuDevicePrimaryCtxRetain)                                                                                          \
  X(cuCtxSetCurrent)                                                                                                   \
  X(cuCtxSynchronize)                                                                                                  \
  X(cuMemAlloc)                                                                                                        \
  X(cuMemFree)                                                                                                         \
  X(cuMemHostAlloc)                                                                                                    \
  X(cuMemFreeHost)                                                                                                     \
  X(cuMemHostGetDevicePointer)                                                                                         \
  X(cuMemcpyHtoD)                                                                                                      \
  X(cuMemcpyDtoH)                                                                                                      \
  X(cuMemcpyDtoD)                                                                                                      \
  X(cuMemsetD8Async)                                                                                                   \
  X(cuMemsetD32Async)                                                                                                  \
  X(cuModuleLoad)                                                                                                      \
  X(cuModuleLoadData)                                                                                                  \
  X(cuModuleUnload)                                                                                                    \
  X(cuModuleGetFunction)                                                                                               \
  X(cuModuleGetFunctionCount)                                                                                          \
  X(cuModuleEnumerateFunctions)                                                                                        \
  X(cuFuncGetName)                                                                                                     \
  X(cuFuncGetParamInfo)                                                                                                \
  X(cuFuncSetAttribute)                                                                                                \
  X(cuLaunchKernel)                                                                                                    \
  X(cuStreamCreate)                                                                                                    \
  X(cuStreamDestroy)                                                                                                   \
  X(cuStreamSynchronize)                                                                                               \
  X(cuStreamWaitEvent)                                                                                                 \
  X(cuStreamWaitValue32)                                                                                               \
  X(cuStreamBeginCapture)                                                                                              \
  X(cuStreamEndCapture)                                                                                                \
  X(cuEventCreate)                                                                                                     \
  X(cuEventDestroy)                                                                                                    \
  X(cuEventRecord)                                                                                                     \
  X(cuEventElapsedTime)                                                                                                \
  X(cuGraphInstantiate)                                                                                                \
  X(cuGraphDestroy)                                                                                                    \
  X(cuGraphExecDestroy)                                                                                                \
  X(cuGraphUpload)                                                                                                     \
  X(cuGraphLaunch)

/// Every function by its name, and what its results mean.
struct CudaDriver {
#define X(Name) decltype(&::Name) Name = nullptr;
  CUFUSE_CUDA_FUNCTIONS(X)
#undef X

  /// Fails with ExitCode::MissingTool without libcuda.so.1, without a GPU, and with a driver that lacks one of the
  /// functions.
  static llvm::Expected<CudaDriver> load();

  int attribute(CUdevice Device, CUdevice_attribute Attribute) const;
  /// `CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was encountered`
  std::string describe(CUresult Result) const;
};

/// Why a schedule is not `Done`.
class RunError : public llvm::ErrorInfo<RunError> {
public:
  static char ID;
  RunError(RunStatus Status, std::string What) : Status(Status), What(std::move(What)) {}
  void log(llvm::raw_ostream &Out) const override;
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }

  RunStatus Status;
  std::string What;
};

/// True when the context is lost, and with it everything that was made in it.
bool isSticky(CUresult Result);

/// A failed call as a RunError: `Crashed` when the context is lost, else the status given. `Doing`: `loading
/// 'a.cubin'`.
llvm::Error check(const CudaDriver &Cuda, CUresult Result, RunStatus Status, const std::string &Doing);

} // namespace cufuse
