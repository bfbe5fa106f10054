// The host's side: errors, memory, what the device says of itself.
#include <cuda_runtime.h>

namespace {

cudaError_t lastError = cudaSuccess;

int environmentNumber(const char *name, int otherwise) {
  const char *text = std::getenv(name);
  return text && *text ? std::atoi(text) : otherwise;
}

} // namespace

namespace cuda_emulated {

cudaError_t setLastError(cudaError_t error) {
  if (error != cudaSuccess)
    lastError = error;
  return error;
}

void Launcher::report(bool possible) { setLastError(possible ? cudaSuccess : cudaErrorInvalidConfiguration); }

int residentBlocks(int blockSize, std::size_t dynamicBytes) {
  return blockSize < 1 || blockSize > 1024 || dynamicBytes > MaxSharedBytes ? 0
                                                                            : environmentNumber("EMULATED_RESIDENT", 1);
}

} // namespace cuda_emulated

const char *cudaGetErrorName(cudaError_t error) {
  switch (error) {
  case cudaSuccess:
    return "cudaSuccess";
  case cudaErrorInvalidValue:
    return "cudaErrorInvalidValue";
  case cudaErrorMemoryAllocation:
    return "cudaErrorMemoryAllocation";
  case cudaErrorInvalidConfiguration:
    return "cudaErrorInvalidConfiguration";
  case cudaErrorNotReady:
    return "cudaErrorNotReady";
  case cudaErrorLaunchOutOfResources:
    return "cudaErrorLaunchOutOfResources";
  }
  return "unknown error";
}
const char *cudaGetErrorString(cudaError_t error) { return cudaGetErrorName(error); }
cudaError_t cudaPeekAtLastError() { return lastError; }
cudaError_t cudaGetLastError() { return std::exchange(lastError, cudaSuccess); }

/// Poisoned, and aligned as on the device.
cudaError_t cudaMalloc(void **memory, std::size_t bytes) {
  const std::size_t rounded = (bytes + 255) / 256 * 256;
  *memory = std::aligned_alloc(256, rounded ? rounded : 256);
  if (!*memory)
    return cudaErrorMemoryAllocation;
  std::memset(*memory, 0xff, bytes);
  return cudaSuccess;
}
cudaError_t cudaFree(void *memory) {
  std::free(memory);
  return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int) {
  switch (attribute) {
  case cudaDevAttrMaxThreadsPerBlock:
    *value = 1024;
    return cudaSuccess;
  case cudaDevAttrWarpSize:
    *value = 32;
    return cudaSuccess;
  case cudaDevAttrMultiProcessorCount:
    *value = environmentNumber("EMULATED_MULTIPROCESSORS", 2);
    return cudaSuccess;
  }
  return cudaErrorInvalidValue;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int) {
  *properties = {"emulated", environmentNumber("EMULATED_MULTIPROCESSORS", 2),
                 32,         1024,
                 9,          0,
                 48 * 1024,  cuda_emulated::MaxSharedBytes};
  return cudaSuccess;
}
