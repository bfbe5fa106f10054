// The host's side: errors, memory, what the device says of itself.
#include "Scheduler.h"

#include <map>
#include <set>

namespace {

constexpr int DeviceCount = 2;
constexpr int SharedBytesUnasked = 48 * 1024;

cudaError_t lastError = cudaSuccess;
int currentDevice = 0;
std::set<const void *> largeClusters;
std::map<std::pair<int, const void *>, int> dynamicSharedLimits; // by device and kernel, where they were set

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

bool mayHaveLargeClusters(const void *kernel) { return largeClusters.count(kernel) != 0; }

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
  case cudaErrorInvalidDevice:
    return "cudaErrorInvalidDevice";
  case cudaErrorNotReady:
    return "cudaErrorNotReady";
  case cudaErrorCooperativeLaunchTooLarge:
    return "cudaErrorCooperativeLaunchTooLarge";
  case cudaErrorInvalidClusterSize:
    return "cudaErrorInvalidClusterSize";
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
  cuda_emulated::noteAllocation(*memory, bytes);
  return cudaSuccess;
}
cudaError_t cudaFree(void *memory) {
  cuda_emulated::forgetAllocation(memory);
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
  case cudaDevAttrMaxSharedMemoryPerBlockOptin:
    *value = cuda_emulated::MaxSharedBytes;
    return cudaSuccess;
  }
  return cudaErrorInvalidValue;
}
cudaError_t cudaDeviceReset() {
  std::erase_if(dynamicSharedLimits, [](const auto &limit) { return limit.first.first == currentDevice; });
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
  if (device < 0 || device >= DeviceCount)
    return cuda_emulated::setLastError(cudaErrorInvalidDevice);
  currentDevice = device;
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int *device) {
  *device = currentDevice;
  return cudaSuccess;
}
cudaError_t cudaGetDeviceCount(int *count) {
  *count = DeviceCount;
  return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, const void *, const cudaLaunchConfig_t *) {
  *clusters = environmentNumber("EMULATED_CLUSTERS", 1);
  return cudaSuccess;
}
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, const void *kernel) {
  const auto limit = dynamicSharedLimits.find({currentDevice, kernel});
  *attributes = {0, limit == dynamicSharedLimits.end() ? SharedBytesUnasked : limit->second};
  return cudaSuccess;
}
cudaError_t cudaFuncSetAttribute(const void *kernel, cudaFuncAttribute attribute, int value) {
  if (attribute == cudaFuncAttributeNonPortableClusterSizeAllowed && value)
    largeClusters.insert(kernel);
  if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize)
    return cudaSuccess;
  if (value < 0 || static_cast<unsigned>(value) > cuda_emulated::MaxSharedBytes)
    return cuda_emulated::setLastError(cudaErrorInvalidValue);
  dynamicSharedLimits[{currentDevice, kernel}] = value;
  return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int) {
  *properties = {"emulated", environmentNumber("EMULATED_MULTIPROCESSORS", 2),
                 32,         1024,
                 9,          0,
                 48 * 1024,  cuda_emulated::MaxSharedBytes};
  return cudaSuccess;
}
