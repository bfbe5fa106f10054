/// What a launch with so much dynamic shared memory depends on: a kernel on a device.
struct CufuseAsked {
  const void *kernel;
  size_t dynamicBytes;
  int device;
#ifdef CUFUSE_MULTIPROCESSORS
  int multiprocessors;
#endif
#ifdef CUFUSE_RESIDENT
  int resident;
#endif
};

/// Asks the driver, for the current device. Every thread remembers the answers, but none that is an error; no thread
#ifdef CUFUSE_DYNAMIC
/// sees another's. The kernel may have all shared memory that there is, so that it does not matter which thread said so
/// last.
#else
/// sees another's.
#endif
cudaError_t askDriver(CufuseAsked &asked, const void *kernel, size_t dynamicBytes, bool anew = false) {
  thread_local CufuseAsked known[32];
  int device = 0;
  if (const cudaError_t error = cudaGetDevice(&device))
    return error;
  CufuseAsked &last = known[(reinterpret_cast<size_t>(kernel) / 16 + dynamicBytes / 128 + device) % 32];
  if (anew || last.kernel != kernel || last.dynamicBytes != dynamicBytes || last.device != device) {
    CufuseAsked now = {kernel, dynamicBytes, device};
#ifdef CUFUSE_DYNAMIC
    if (dynamicBytes > 0) {
      cudaFuncAttributes limits;
      if (const cudaError_t error = cudaFuncGetAttributes(&limits, kernel))
        return error;
      if (dynamicBytes > static_cast<size_t>(limits.maxDynamicSharedSizeBytes)) {
        int most = 0;
        if (const cudaError_t error = cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device))
          return error;
        if (dynamicBytes + limits.sharedSizeBytes > static_cast<size_t>(most))
          return cudaErrorInvalidValue;
        if (const cudaError_t error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                           most - static_cast<int>(limits.sharedSizeBytes)))
          return error;
      }
    }
#endif
#ifdef CUFUSE_MULTIPROCESSORS
    if (const cudaError_t error = cudaDeviceGetAttribute(&now.multiprocessors, cudaDevAttrMultiProcessorCount, device))
      return error;
#endif
#ifdef CUFUSE_RESIDENT
    if (const cudaError_t error =
            cudaOccupancyMaxActiveBlocksPerMultiprocessor(&now.resident, kernel, CUFUSE_RESIDENT, dynamicBytes))
      return error;
    if (now.resident == 0)
      return cudaErrorLaunchOutOfResources;
#endif
    last = now;
  }
  asked = last;
  return cudaSuccess;
}
#ifdef CUFUSE_DYNAMIC

/// Launches, and once more where the driver has forgotten what it was told, as it has after cudaDeviceReset().
template <typename Launch> cudaError_t launchAsked(CufuseAsked &asked, const Launch &launch) {
  const cudaError_t error = launch();
  if (error != cudaErrorInvalidValue || asked.dynamicBytes == 0 ||
      askDriver(asked, asked.kernel, asked.dynamicBytes, true) != cudaSuccess)
    return error;
  cudaGetLastError();
  return launch();
}
#endif
