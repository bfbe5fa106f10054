/// Lets the kernel have so much dynamic shared memory: all that there is, as other launches may need more.
static cudaError_t allowShared(const void *kernel, size_t bytes) {
  cudaFuncAttributes limits = {};
  cudaError_t error = bytes == 0 ? cudaSuccess : cudaFuncGetAttributes(&limits, kernel);
  if (error || bytes <= static_cast<size_t>(limits.maxDynamicSharedSizeBytes))
    return error;
  int device = 0, most = 0;
  if ((error = cudaGetDevice(&device)) ||
      (error = cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device)))
    return error;
  most -= static_cast<int>(limits.sharedSizeBytes);
  return bytes > static_cast<size_t>(most)
             ? cudaErrorInvalidValue
             : cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most);
}
