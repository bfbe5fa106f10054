// Textures and surfaces give what the CUDA C++ Programming Guide says (Texture Fetching), inside and outside of the
// image; a type that the texture does not have, and a surface's byte that is none, are errors.
// RUN: %emulate -o %t %s
// RUN: %t points && %t filtered && %t linear && %t surfaces
// RUN: %exits 87 %t otherType 2>&1 | %FileCheck %s --check-prefix=TYPE
// RUN: %exits 87 %t outside 2>&1 | %FileCheck %s --check-prefix=OUTSIDE
// RUN: %exits 3 %t filteredIntegers

// TYPE: emulated: a texture gives 4 bytes, read as a type of 8
// OUTSIDE: emulated: a surface of 3 rows of 20 bytes has no byte 20 of row 1

#include "Inputs/check.h"

// 5 columns, 3 rows: 10 * row + column.
__managed__ cudaTextureObject_t texture;
__managed__ cudaSurfaceObject_t surface;

template <typename T> cudaArray_t image() {
  T values[15];
  for (int i = 0; i < 15; ++i)
    values[i] = static_cast<T>(i / 5 * 10 + i % 5);
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
  cudaArray_t array;
  if (cudaMallocArray(&array, &format, 5, 3, cudaArraySurfaceLoadStore) != cudaSuccess ||
      cudaMemcpy2DToArray(array, 0, 0, values, sizeof(T) * 5, sizeof(T) * 5, 3, cudaMemcpyHostToDevice) != cudaSuccess)
    std::exit(4);
  return array;
}
void make(cudaArray_t array, cudaTextureDesc description) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  if (cudaCreateSurfaceObject(&surface, &resource) != cudaSuccess ||
      cudaCreateTextureObject(&texture, &resource, &description, nullptr) != cudaSuccess)
    std::exit(3);
}
cudaTextureDesc description(cudaTextureAddressMode mode, cudaTextureFilterMode filter, bool normalized) {
  cudaTextureDesc all = {};
  all.addressMode[0] = all.addressMode[1] = mode;
  all.filterMode = filter;
  all.normalizedCoords = normalized;
  all.borderColor[0] = -1;
  return all;
}

// Clamped, since coordinates that are not normalized do not wrap.
__global__ void points(int *right) {
  right[0] = tex2D<float>(texture, 2.9f, 1.1f) == 12 && tex2D<float>(texture, -3, 1) == 10 &&
             tex2D<float>(texture, 7, 9) == 24 && tex2D<float>(texture, 4.99f, 0) == 4;
}
// By wrapped and normalized coordinates.
__global__ void filtered(int *right) {
  right[0] = tex2D<float>(texture, 0.5f, 0.5f) == 12 && tex2D<float>(texture, 2.5f, -0.5f) == 12 &&
             tex2D<float>(texture, 0.4f, 0.5f) == 11.5f && tex2D<float>(texture, 0, 0.5f) == 12 &&
             tex2D<float>(texture, 0.5f, 2 / 3.0f) == 17;
}
// tex1Dfetch: normalized bytes, zero beyond the memory.
__global__ void linear(int *right) {
  right[0] = tex1Dfetch<float2>(texture, 1).x == 1 && tex1Dfetch<float2>(texture, 1).y == 51 / 255.0f &&
             tex1Dfetch<float2>(texture, 2).x == 0 && tex1Dfetch<float2>(texture, -1).y == 0;
}
__global__ void surfaces(int *right) {
  surf2Dwrite(77.0f, surface, 4, 2);
  surf2Dwrite(78.0f, surface, 20, 2, cudaBoundaryModeZero);
  surf2Dwrite(79.0f, surface, 24, 0, cudaBoundaryModeClamp);
  float read;
  surf2Dread(&read, surface, 4, 2);
  right[0] = read == 77 && surf2Dread<float>(surface, 16, 0) == 79 && surf2Dread<float>(surface, 16, 2) == 24 &&
             surf2Dread<float>(surface, -4, 0, cudaBoundaryModeZero) == 0 && tex2D<float>(texture, 1, 2) == 77;
}
__global__ void otherType(int *) { tex2D<float2>(texture, 0, 0); }
__global__ void outside(int *) { surf2Dread<float>(surface, 20, 1); }
__global__ void filteredIntegers(int *) {}

int main(int argc, char **argv) {
  const std::string name = argv[1];
  const cudaTextureDesc clamped = description(cudaAddressModeWrap, cudaFilterModePoint, false);
  if (name == "filtered") {
    make(image<float>(), description(cudaAddressModeWrap, cudaFilterModeLinear, true));
  } else if (name == "filteredIntegers") {
    make(image<int>(), description(cudaAddressModeClamp, cudaFilterModeLinear, false));
  } else if (name == "linear") {
    uchar2 *bytes;
    cudaMallocManaged(&bytes, 4);
    bytes[0] = {0, 1}, bytes[1] = {255, 51};
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = bytes;
    resource.res.linear.desc = cudaCreateChannelDesc<uchar2>();
    resource.res.linear.sizeInBytes = 4;
    cudaTextureDesc normalized = clamped;
    normalized.readMode = cudaReadModeNormalizedFloat;
    if (cudaCreateTextureObject(&texture, &resource, &normalized, nullptr) != cudaSuccess)
      return 3;
  } else {
    make(image<float>(), clamped);
  }
  CASE(points, 1)
  CASE(filtered, 1)
  CASE(linear, 1)
  CASE(surfaces, 1)
  CASE(otherType, 1)
  CASE(outside, 1)
  CASE(filteredIntegers, 1)
  return 2;
}
