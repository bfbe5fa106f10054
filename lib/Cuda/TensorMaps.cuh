/// Matrices of `rows` x `columns` elements of two bytes, whose rows begin `pitch` elements apart, as do the last of one
/// and the first of the next, in boxes of `boxRows` x 64 of one matrix, for `CufuseProducts`.
static cudaError_t mapMatrices(CUtensorMap &map, const void *data, long long matrices, long long rows,
                               long long columns, long long pitch, unsigned boxRows) {
  void *encode = nullptr;
  cudaDriverEntryPointQueryResult found;
  if (const cudaError_t error =
          cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &encode, 12000, cudaEnableDefault, &found))
    return error;
  if (found != cudaDriverEntryPointSuccess)
    return cudaErrorNotSupported;
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
