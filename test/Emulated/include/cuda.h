// Of the driver's API, tensor maps: of matrices in a row, in boxes of one of them, with elements of two bytes and rows of 128 bytes in an order of
// their own (CU_TENSOR_MAP_SWIZZLE_128B).
#pragma once
#include "cuda_runtime.h"

#include <cstdint>
#include <string_view>

using cuuint64_t = std::uint64_t;
using cuuint32_t = std::uint32_t;
enum CUresult { CUDA_SUCCESS = 0, CUDA_ERROR_INVALID_VALUE = 1 };
enum CUtensorMapDataType { CU_TENSOR_MAP_DATA_TYPE_FLOAT16 = 6, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 = 9 };
enum CUtensorMapInterleave { CU_TENSOR_MAP_INTERLEAVE_NONE };
enum CUtensorMapSwizzle { CU_TENSOR_MAP_SWIZZLE_128B = 3 };
enum CUtensorMapL2promotion { CU_TENSOR_MAP_L2_PROMOTION_L2_256B = 3 };
enum CUtensorMapFloatOOBfill { CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE };
struct CUtensorMap {
  const unsigned char *data;
  std::uint64_t columns, rows, matrices, pitch, apart; ///< The last two in bytes.
  std::uint32_t boxRows;
  /// Of windows, where `columns` are channels, `rows` those of an image, `matrices` images, and `pitch` is of a pixel.
  std::uint64_t width;
  int corner[2]; ///< The first pixel's place of the first window, column and row.
};

inline CUresult cuTensorMapEncodeTiled(CUtensorMap *map, CUtensorMapDataType, cuuint32_t rank, void *data,
                                       const cuuint64_t *sizes, const cuuint64_t *strides, const cuuint32_t *box,
                                       const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle,
                                       CUtensorMapL2promotion, CUtensorMapFloatOOBfill) {
  if (rank != 3 || box[2] != 1 || sizes[2] == 0 || strides[1] % 16 || box[0] != 64 || box[1] == 0 || box[1] > 256 ||
      sizes[0] == 0 || sizes[1] == 0 || reinterpret_cast<std::uintptr_t>(data) % 16 || strides[0] % 16)
    return CUDA_ERROR_INVALID_VALUE;
  *map = {
      static_cast<const unsigned char *>(data), sizes[0], sizes[1], sizes[2], strides[0], strides[1], box[1], 0, {}};
  return CUDA_SUCCESS;
}
/// Windows round each pixel.
inline CUresult cuTensorMapEncodeIm2col(CUtensorMap *map, CUtensorMapDataType, cuuint32_t rank, void *data,
                                        const cuuint64_t *sizes, const cuuint64_t *strides, const int *lower,
                                        const int *upper, cuuint32_t channels, cuuint32_t pixels, const cuuint32_t *,
                                        CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion,
                                        CUtensorMapFloatOOBfill) {
  if (rank != 4 || channels != 64 || pixels == 0 || pixels > 1024 || reinterpret_cast<std::uintptr_t>(data) % 16 ||
      strides[0] % 16 || strides[1] != strides[0] * sizes[1] || strides[2] != strides[1] * sizes[2] ||
      lower[0] != upper[0] || lower[1] != upper[1] || lower[0] < -128 || lower[0] > 127)
    return CUDA_ERROR_INVALID_VALUE;
  *map = {static_cast<const unsigned char *>(data),
          sizes[0],
          sizes[2],
          sizes[3],
          strides[0],
          strides[2],
          pixels,
          sizes[1],
          {lower[0], lower[1]}};
  return CUDA_SUCCESS;
}
enum cudaDriverEntryPointQueryResult { cudaDriverEntryPointSuccess, cudaDriverEntryPointSymbolNotFound };
constexpr unsigned long long cudaEnableDefault = 0;
inline cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **function, unsigned, unsigned long long,
                                                    cudaDriverEntryPointQueryResult *found) {
  *function = name == std::string_view("cuTensorMapEncodeIm2col") ? reinterpret_cast<void *>(cuTensorMapEncodeIm2col)
                                                                  : reinterpret_cast<void *>(cuTensorMapEncodeTiled);
  *found = cudaDriverEntryPointSuccess;
  return cudaSuccess;
}
