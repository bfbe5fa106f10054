/// The driver's function that makes a map.
static cudaError_t findEncoder(const char *name, void *&encode) {
  cudaDriverEntryPointQueryResult found;
  if (const cudaError_t error = cudaGetDriverEntryPointByVersion(name, &encode, 12000, cudaEnableDefault, &found))
    return error;
  return found == cudaDriverEntryPointSuccess ? cudaSuccess : cudaErrorNotSupported;
}

/// Matrices of `rows` x `columns` elements of two bytes, whose rows begin `pitch` elements apart, as do the last of one
/// and the first of the next, in boxes of `boxRows` x 64 of one matrix, for `CufuseProducts`.
static cudaError_t mapMatrices(CUtensorMap &map, const void *data, long long matrices, long long rows,
                               long long columns, long long pitch, unsigned boxRows) {
  void *encode = nullptr;
  if (const cudaError_t error = findEncoder("cuTensorMapEncodeTiled", encode))
    return error;
  const cuuint64_t sizes[] = {static_cast<cuuint64_t>(columns), static_cast<cuuint64_t>(rows),
                              static_cast<cuuint64_t>(matrices)};
  const cuuint64_t strides[] = {static_cast<cuuint64_t>(pitch) * 2, static_cast<cuuint64_t>(pitch * rows) * 2};
  const cuuint32_t box[] = {64, boxRows, 1}, steps[] = {1, 1, 1};
  const CUresult result = reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(encode)(
      &map, CU_TENSOR_MAP_DATA_TYPE_CUFUSE_DATA, 3, const_cast<void *>(data), sizes, strides, box, steps,
      CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
      CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return result == CUDA_SUCCESS ? cudaSuccess : cudaErrorInvalidValue;
}
#ifdef CUFUSE_WINDOWS

/// The matrix whose rows are the windows of `size` x `size` pixels of images of `height` x `width` pixels with
/// `channels` elements of two bytes each: boxes of `boxRows` x 64 as those of `mapMatrices`.
static cudaError_t mapWindows(CUtensorMap &map, const void *data, long long images, long long height, long long width,
                              int size, long long channels, unsigned boxRows) {
  void *encode = nullptr;
  if (const cudaError_t error = findEncoder("cuTensorMapEncodeIm2col", encode))
    return error;
  const cuuint64_t sizes[] = {static_cast<cuuint64_t>(channels), static_cast<cuuint64_t>(width),
                              static_cast<cuuint64_t>(height), static_cast<cuuint64_t>(images)};
  const cuuint64_t strides[] = {sizes[0] * 2, sizes[0] * sizes[1] * 2, sizes[0] * sizes[1] * sizes[2] * 2};
  const int corner[] = {-(size / 2), -(size / 2)}; // of the first pixel's window, and as far from the last one
  const cuuint32_t steps[] = {1, 1, 1, 1};
  const CUresult result = reinterpret_cast<decltype(&cuTensorMapEncodeIm2col)>(encode)(
      &map, CU_TENSOR_MAP_DATA_TYPE_CUFUSE_DATA, 4, const_cast<void *>(data), sizes, strides, corner, corner, 64,
      boxRows, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
      CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return result == CUDA_SUCCESS ? cudaSuccess : cudaErrorInvalidValue;
}
#endif
