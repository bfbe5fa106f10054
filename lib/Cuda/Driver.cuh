/// What a launch with so much dynamic shared memory depends on: a kernel on a device.
struct CufuseAsked {
  const void *kernel;
  size_t dynamicBytes;
  int device, multiprocessors, resident;
};

/// Asks the driver, for the current device. Every thread remembers the answers, but none that is an error; no thread
/// sees another's.
static cudaError_t askDriver(CufuseAsked &asked, const void *kernel, size_t dynamicBytes, bool anew = false) {
  thread_local CufuseAsked known[32];
  int device = 0;
  if (const cudaError_t error = cudaGetDevice(&device))
    return error;
  CufuseAsked &last = known[(reinterpret_cast<size_t>(kernel) / 16 + dynamicBytes / 128 + device) % 32];
  if (anew || last.kernel != kernel || last.dynamicBytes != dynamicBytes || last.device != device) {
    CufuseAsked now = {kernel, dynamicBytes, device};
#ifdef CUFUSE_DYNAMIC
    if (const cudaError_t error = allowShared(kernel, dynamicBytes))
      return error;
#endif
    if (const cudaError_t error = cudaDeviceGetAttribute(&now.multiprocessors, cudaDevAttrMultiProcessorCount, device))
      return error;
    if (const cudaError_t error =
            cudaOccupancyMaxActiveBlocksPerMultiprocessor(&now.resident, kernel, CUFUSE_RESIDENT, dynamicBytes))
      return error;
    if (now.resident == 0)
      return cudaErrorLaunchOutOfResources;
    last = now;
  }
  asked = last;
  return cudaSuccess;
}
#ifdef CUFUSE_DYNAMIC

/// Launches, and once more where the driver has forgotten what it was told, as it has after cudaDeviceReset().
template <typename Launch> static cudaError_t launchAsked(CufuseAsked &asked, const Launch &launch) {
  const cudaError_t error = launch();
  if (error != cudaErrorInvalidValue || asked.dynamicBytes == 0 ||
      askDriver(asked, asked.kernel, asked.dynamicBytes, true) != cudaSuccess)
    return error;
  cudaGetLastError();
  return launch();
}
#endif
