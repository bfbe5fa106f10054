// The part of the CUDA runtime that samples and launchers use. Device memory is host memory; launches are synchronous.
#pragma once

enum cudaError_t {
  cudaSuccess = 0,
  cudaErrorInvalidValue = 1,
  cudaErrorMemoryAllocation = 2,
  cudaErrorInvalidConfiguration = 9,
  cudaErrorInvalidDevice = 101,
  cudaErrorNotReady = 600,
  cudaErrorNotSupported = 801,
  cudaErrorLaunchOutOfResources = 701,
  cudaErrorCooperativeLaunchTooLarge = 720,
  cudaErrorInvalidClusterSize = 912,
};
using cudaError = cudaError_t;
enum cudaAccessProperty { cudaAccessPropertyNormal, cudaAccessPropertyStreaming, cudaAccessPropertyPersisting };
enum cudaMemcpyKind {
  cudaMemcpyHostToHost,
  cudaMemcpyHostToDevice,
  cudaMemcpyDeviceToHost,
  cudaMemcpyDeviceToDevice,
  cudaMemcpyDefault
};
enum cudaFuncAttribute {
  cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
  cudaFuncAttributePreferredSharedMemoryCarveout = 9,
  cudaFuncAttributeNonPortableClusterSizeAllowed = 14
};
enum cudaSharedMemConfig {
  cudaSharedMemBankSizeDefault,
  cudaSharedMemBankSizeFourByte,
  cudaSharedMemBankSizeEightByte
};
enum cudaDeviceAttr {
  cudaDevAttrMaxThreadsPerBlock = 1,
  cudaDevAttrWarpSize = 10,
  cudaDevAttrMultiProcessorCount = 16,
  cudaDevAttrMaxSharedMemoryPerBlockOptin = 97
};
struct cudaFuncAttributes {
  std::size_t sharedSizeBytes;
  int maxDynamicSharedSizeBytes;
};
using cudaStream_t = struct CUstream_st *;
using cudaEvent_t = struct CUevent_st *;

enum cudaLaunchAttributeID {
  cudaLaunchAttributeCooperative = 2,
  cudaLaunchAttributeClusterDimension = 4,
  cudaLaunchAttributeProgrammaticStreamSerialization = 6
};
struct cudaLaunchAttribute {
  cudaLaunchAttributeID id;
  struct {
    int cooperative, programmaticStreamSerializationAllowed;
    struct {
      unsigned x, y, z;
    } clusterDim;
  } val;
};
struct cudaLaunchConfig_t {
  dim3 gridDim, blockDim;
  std::size_t dynamicSmemBytes = 0;
  cudaStream_t stream = nullptr;
  cudaLaunchAttribute *attrs = nullptr;
  unsigned numAttrs = 0;
};
struct cudaDeviceProp {
  char name[256];
  int multiProcessorCount, warpSize, maxThreadsPerBlock, major, minor;
  std::size_t sharedMemPerBlock, sharedMemPerBlockOptin;
};

const char *cudaGetErrorString(cudaError_t error);
const char *cudaGetErrorName(cudaError_t error);
cudaError_t cudaGetLastError();
cudaError_t cudaPeekAtLastError();
cudaError_t cudaMalloc(void **memory, std::size_t bytes);
cudaError_t cudaFree(void *memory);
/// EMULATED_MULTIPROCESSORS (2) and EMULATED_RESIDENT blocks on each of them (1) by default: few, so that the stride
/// policy's loops run more than once.
cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int device);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int device);

namespace cuda_emulated {
int residentBlocks(int blockSize, std::size_t dynamicBytes);
cudaError_t setLastError(cudaError_t error);
} // namespace cuda_emulated

inline cudaError_t cudaMemcpy(void *to, const void *from, std::size_t bytes, cudaMemcpyKind) {
  std::memmove(to, from, bytes);
  return cudaSuccess;
}
inline cudaError_t cudaMemcpyAsync(void *to, const void *from, std::size_t bytes, cudaMemcpyKind kind,
                                   cudaStream_t = nullptr) {
  return cudaMemcpy(to, from, bytes, kind);
}
inline cudaError_t cudaMemset(void *memory, int value, std::size_t bytes) {
  std::memset(memory, value, bytes);
  return cudaSuccess;
}
inline cudaError_t cudaMemsetAsync(void *memory, int value, std::size_t bytes, cudaStream_t = nullptr) {
  return cudaMemset(memory, value, bytes);
}
template <typename T> cudaError_t cudaMalloc(T **memory, std::size_t bytes) {
  return cudaMalloc(reinterpret_cast<void **>(memory), bytes);
}
inline cudaError_t cudaMallocAsync(void **memory, std::size_t bytes, cudaStream_t) { return cudaMalloc(memory, bytes); }
inline cudaError_t cudaFreeAsync(void *memory, cudaStream_t) { return cudaFree(memory); }
template <typename T> cudaError_t cudaMallocManaged(T **memory, std::size_t bytes, unsigned = 1) {
  return cudaMalloc(reinterpret_cast<void **>(memory), bytes);
}
template <typename T> cudaError_t cudaMallocHost(T **memory, std::size_t bytes) {
  return cudaMalloc(reinterpret_cast<void **>(memory), bytes);
}
inline cudaError_t cudaFreeHost(void *memory) { return cudaFree(memory); }
template <typename T>
cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *from, std::size_t bytes, std::size_t offset = 0,
                               cudaMemcpyKind = cudaMemcpyHostToDevice) {
  if (offset + bytes > sizeof(symbol))
    return cudaErrorInvalidValue;
  std::memcpy(reinterpret_cast<char *>(const_cast<std::remove_const_t<T> *>(&symbol)) + offset, from, bytes);
  return cudaSuccess;
}
template <typename T>
cudaError_t cudaMemcpyFromSymbol(void *to, const T &symbol, std::size_t bytes, std::size_t offset = 0,
                                 cudaMemcpyKind = cudaMemcpyDeviceToHost) {
  if (offset + bytes > sizeof(symbol))
    return cudaErrorInvalidValue;
  std::memcpy(to, reinterpret_cast<const char *>(&symbol) + offset, bytes);
  return cudaSuccess;
}
template <typename T> cudaError_t cudaGetSymbolAddress(void **address, const T &symbol) {
  *address = const_cast<std::remove_const_t<T> *>(&symbol);
  return cudaSuccess;
}

inline cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }
/// Devices share their memory, but have limits of kernels of their own.
cudaError_t cudaDeviceReset();
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDevice(int *device);
cudaError_t cudaGetDeviceCount(int *count);
inline cudaError_t cudaStreamCreate(cudaStream_t *stream) {
  *stream = nullptr;
  return cudaSuccess;
}
enum cudaStreamCaptureStatus { cudaStreamCaptureStatusNone = 0 };
inline cudaError_t cudaStreamIsCapturing(cudaStream_t, cudaStreamCaptureStatus *status) {
  *status = cudaStreamCaptureStatusNone;
  return cudaSuccess;
}
inline cudaError_t cudaStreamGetId(cudaStream_t, unsigned long long *id) {
  *id = 1;
  return cudaSuccess;
}
inline cudaError_t cudaStreamSynchronize(cudaStream_t) { return cudaSuccess; }
inline cudaError_t cudaStreamDestroy(cudaStream_t) { return cudaSuccess; }
inline cudaError_t cudaEventCreate(cudaEvent_t *event) {
  *event = nullptr;
  return cudaSuccess;
}
inline cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t = nullptr) { return cudaSuccess; }
inline cudaError_t cudaEventSynchronize(cudaEvent_t) { return cudaSuccess; }
inline cudaError_t cudaEventDestroy(cudaEvent_t) { return cudaSuccess; }
inline cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t, cudaEvent_t) {
  *milliseconds = 0;
  return cudaSuccess;
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, const void *kernel);
cudaError_t cudaFuncSetAttribute(const void *kernel, cudaFuncAttribute attribute, int value);
/// EMULATED_CLUSTERS (1).
cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, const void *kernel, const cudaLaunchConfig_t *config);
template <typename... Parameters>
cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, void (*kernel)(Parameters...),
                                           const cudaLaunchConfig_t *config) {
  return cudaOccupancyMaxActiveClusters(clusters, reinterpret_cast<const void *>(kernel), config);
}
template <typename Function>
cudaError_t cudaFuncSetAttribute(Function *kernel, cudaFuncAttribute attribute, int value) {
  return cudaFuncSetAttribute(reinterpret_cast<const void *>(kernel), attribute, value);
}
template <typename Function>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, Function, int blockSize,
                                                          std::size_t dynamicBytes) {
  *blocks = cuda_emulated::residentBlocks(blockSize, dynamicBytes);
  return cudaSuccess;
}

namespace cuda_emulated {
/// More than 8 blocks must be asked for.
bool mayHaveLargeClusters(const void *kernel);
/// Every thread is given copies of the values.
template <typename... Parameters>
cudaError_t launch(const cudaLaunchConfig_t &config, void (*kernel)(Parameters...), Parameters... values) {
  auto call = [&] { kernel(values...); };
  const auto thread = [](void *launched) { (*static_cast<decltype(call) *>(launched))(); };
  cudaFuncAttributes attributes;
  cudaFuncGetAttributes(&attributes, reinterpret_cast<const void *>(kernel));
  if (config.dynamicSmemBytes > static_cast<std::size_t>(attributes.maxDynamicSharedSizeBytes))
    return setLastError(cudaErrorInvalidValue);
  LaunchShape shape{config.gridDim, config.blockDim, config.dynamicSmemBytes};
  for (unsigned i = 0; i < config.numAttrs; ++i)
    if (config.attrs[i].id == cudaLaunchAttributeClusterDimension)
      shape.cluster = config.attrs[i].val.clusterDim.x;
  if (shape.cluster > 8 && !mayHaveLargeClusters(reinterpret_cast<const void *>(kernel)))
    return setLastError(cudaErrorInvalidClusterSize);
  for (unsigned i = 0; i < config.numAttrs; ++i) {
    shape.cooperative |= config.attrs[i].id == cudaLaunchAttributeCooperative && config.attrs[i].val.cooperative;
    shape.overlaps |= config.attrs[i].id == cudaLaunchAttributeProgrammaticStreamSerialization &&
                      config.attrs[i].val.programmaticStreamSerializationAllowed;
  }
  return setLastError(runGrid(shape, thread, &call) ? cudaSuccess : cudaErrorInvalidConfiguration);
}
} // namespace cuda_emulated

template <typename... Parameters, typename... Arguments>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config, void (*kernel)(Parameters...),
                               Arguments &&...arguments) {
  return cuda_emulated::launch<Parameters...>(*config, kernel, std::forward<Arguments>(arguments)...);
}
