#include "CudaDriver.h"

#include "cufuse/Support/Error.h"

#include <cstdlib>
#include <dlfcn.h>
#include <fmt/core.h>

namespace cufuse {

char RunError::ID;

void RunError::log(llvm::raw_ostream &Out) const { Out << nameOf(Status) << ": " << What; }

#define CUFUSE_QUOTED(Name) #Name
#define CUFUSE_EXPANDED(Name) CUFUSE_QUOTED(Name)

llvm::Expected<CudaDriver> CudaDriver::load() {
  // A kernel that is loaded at its first launch waits for the GPU, which may be held until after the launch.
  ::setenv("CUDA_MODULE_LOADING", "EAGER", /*overwrite=*/1);
  void *Library = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
  if (!Library)
    return fail(ExitCode::MissingTool, fmt::format("no GPU: the CUDA driver cannot be loaded ({})", ::dlerror()),
                "run this on a machine with an NVIDIA GPU and its driver");
  CudaDriver Cuda;
#define X(Name)                                                                                                        \
  Cuda.Name = reinterpret_cast<decltype(Cuda.Name)>(::dlsym(Library, CUFUSE_EXPANDED(Name)));                          \
  if (!Cuda.Name)                                                                                                      \
    return fail(ExitCode::MissingTool, "the CUDA driver has no " CUFUSE_EXPANDED(Name), "install a newer driver");
  CUFUSE_CUDA_FUNCTIONS(X)
#undef X
  if (const CUresult Result = Cuda.cuInit(0); Result != CUDA_SUCCESS)
    return fail(ExitCode::MissingTool, "no GPU: " + Cuda.describe(Result));
  int Count = 0;
  Cuda.cuDeviceGetCount(&Count);
  if (Count == 0)
    return fail(ExitCode::MissingTool, "no GPU: the CUDA driver sees none");
  return Cuda;
}

int CudaDriver::attribute(CUdevice Device, CUdevice_attribute Attribute) const {
  int Value = 0;
  cuDeviceGetAttribute(&Value, Attribute, Device);
  return Value;
}

std::string CudaDriver::describe(CUresult Result) const {
  const char *Name = nullptr, *Text = nullptr;
  if (cuGetErrorName(Result, &Name) != CUDA_SUCCESS || cuGetErrorString(Result, &Text) != CUDA_SUCCESS)
    return fmt::format("CUDA error {}", static_cast<int>(Result));
  return fmt::format("{}: {}", Name, Text);
}

bool isSticky(CUresult Result) {
  switch (Result) {
  case CUDA_ERROR_ECC_UNCORRECTABLE:
  case CUDA_ERROR_HARDWARE_STACK_ERROR:
  case CUDA_ERROR_ILLEGAL_INSTRUCTION:
  case CUDA_ERROR_MISALIGNED_ADDRESS:
  case CUDA_ERROR_INVALID_ADDRESS_SPACE:
  case CUDA_ERROR_INVALID_PC:
  case CUDA_ERROR_LAUNCH_FAILED:
  case CUDA_ERROR_ILLEGAL_ADDRESS:
  case CUDA_ERROR_LAUNCH_TIMEOUT:
  case CUDA_ERROR_ASSERT:
  case CUDA_ERROR_CONTEXT_IS_DESTROYED:
  case CUDA_ERROR_EXTERNAL_DEVICE:
  case CUDA_ERROR_TENSOR_MEMORY_LEAK:
  case CUDA_ERROR_UNKNOWN:
    return true;
  default:
    return false;
  }
}

llvm::Error check(const CudaDriver &Cuda, CUresult Result, RunStatus Status, const std::string &Doing) {
  if (Result == CUDA_SUCCESS)
    return llvm::Error::success();
  return llvm::make_error<RunError>(isSticky(Result) ? RunStatus::Crashed : Status,
                                    Doing + ": " + Cuda.describe(Result));
}

} // namespace cufuse
