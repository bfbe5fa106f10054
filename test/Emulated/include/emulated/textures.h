// Textures and surfaces of one and two dimensions, by objects (CUDA C++ Programming Guide, Texture and Surface Memory).
#pragma once

enum cudaChannelFormatKind { cudaChannelFormatKindSigned, cudaChannelFormatKindUnsigned, cudaChannelFormatKindFloat };
struct cudaChannelFormatDesc {
  int x, y, z, w; ///< Bits of each channel.
  cudaChannelFormatKind f;
};
enum cudaTextureAddressMode { cudaAddressModeWrap, cudaAddressModeClamp, cudaAddressModeMirror, cudaAddressModeBorder };
enum cudaTextureFilterMode { cudaFilterModePoint, cudaFilterModeLinear };
enum cudaTextureReadMode { cudaReadModeElementType, cudaReadModeNormalizedFloat };
enum cudaSurfaceBoundaryMode { cudaBoundaryModeZero, cudaBoundaryModeClamp, cudaBoundaryModeTrap };
struct cudaTextureDesc {
  cudaTextureAddressMode addressMode[3];
  cudaTextureFilterMode filterMode;
  cudaTextureReadMode readMode;
  int sRGB;
  float borderColor[4];
  int normalizedCoords;
};

using cudaArray_t = struct cudaArray *;
constexpr unsigned cudaArrayDefault = 0, cudaArraySurfaceLoadStore = 2;
enum cudaResourceType { cudaResourceTypeArray, cudaResourceTypeLinear = 2, cudaResourceTypePitch2D };
struct cudaResourceDesc {
  cudaResourceType resType;
  struct {
    struct {
      cudaArray_t array;
    } array;
    struct {
      void *devPtr;
      cudaChannelFormatDesc desc;
      std::size_t sizeInBytes;
    } linear;
    struct {
      void *devPtr;
      cudaChannelFormatDesc desc;
      std::size_t width, height, pitchInBytes;
    } pitch2D;
  } res;
};
struct cudaResourceViewDesc;
using cudaTextureObject_t = unsigned long long;
using cudaSurfaceObject_t = unsigned long long;

inline cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind f) {
  return {x, y, z, w, f};
}
namespace cuda_emulated {
template <typename T> constexpr cudaChannelFormatKind kindOf() {
  return std::is_floating_point_v<T> ? cudaChannelFormatKindFloat
         : std::is_signed_v<T>       ? cudaChannelFormatKindSigned
                                     : cudaChannelFormatKindUnsigned;
}
template <typename T, typename = void> struct Channels {
  using Type = T;
};
template <typename T> struct Channels<T, std::void_t<decltype(T::x)>> {
  using Type = decltype(T::x);
};

/// The element of the texture at these coordinates, or what its filter makes of those around: `bytes` of channels.
void sample(cudaTextureObject_t texture, float x, float y, void *result, std::size_t bytes);
/// The element with this number, zero where the texture has none.
void fetch(cudaTextureObject_t texture, long long index, void *result, std::size_t bytes);
template <typename T> T sampled(cudaTextureObject_t texture, float x, float y) {
  T value;
  sample(texture, x, y, &value, sizeof(T));
  return value;
}
/// Where the element that starts at byte x of row y lies; null if it is to be taken for zero and never written.
void *surfaceElement(cudaSurfaceObject_t surface, int x, int y, std::size_t bytes, cudaSurfaceBoundaryMode mode);
} // namespace cuda_emulated
template <typename T> cudaChannelFormatDesc cudaCreateChannelDesc() {
  using Channel = typename cuda_emulated::Channels<T>::Type;
  const int bits = 8 * sizeof(Channel), count = sizeof(T) / sizeof(Channel);
  return {bits, count > 1 ? bits : 0, count > 2 ? bits : 0, count > 3 ? bits : 0, cuda_emulated::kindOf<Channel>()};
}

cudaError_t cudaMallocArray(cudaArray_t *array, const cudaChannelFormatDesc *format, std::size_t width,
                            std::size_t height = 0, unsigned flags = cudaArrayDefault);
cudaError_t cudaFreeArray(cudaArray_t array);
/// `width` and `x` in bytes.
cudaError_t cudaMemcpy2DToArray(cudaArray_t to, std::size_t x, std::size_t y, const void *from, std::size_t pitch,
                                std::size_t width, std::size_t height, cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DFromArray(void *to, std::size_t pitch, cudaArray_t from, std::size_t x, std::size_t y,
                                  std::size_t width, std::size_t height, cudaMemcpyKind kind);
cudaError_t cudaCreateTextureObject(cudaTextureObject_t *texture, const cudaResourceDesc *resource,
                                    const cudaTextureDesc *description, const cudaResourceViewDesc *view);
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texture);
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *surface, const cudaResourceDesc *resource);
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t surface);

template <typename T> T tex1Dfetch(cudaTextureObject_t texture, int index) {
  T value;
  cuda_emulated::fetch(texture, index, &value, sizeof(T));
  return value;
}
template <typename T> T tex1D(cudaTextureObject_t texture, float x) { return cuda_emulated::sampled<T>(texture, x, 0); }
template <typename T> T tex2D(cudaTextureObject_t texture, float x, float y) {
  return cuda_emulated::sampled<T>(texture, x, y);
}
template <typename T>
T surf2Dread(cudaSurfaceObject_t surface, int x, int y, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  T value = {};
  if (const void *element = cuda_emulated::surfaceElement(surface, x, y, sizeof(T), mode))
    std::memcpy(&value, element, sizeof(T));
  return value;
}
template <typename T>
void surf2Dread(T *value, cudaSurfaceObject_t surface, int x, int y,
                cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  *value = surf2Dread<T>(surface, x, y, mode);
}
template <typename T>
void surf2Dwrite(T value, cudaSurfaceObject_t surface, int x, int y,
                 cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  if (void *element = cuda_emulated::surfaceElement(surface, x, y, sizeof(T), mode))
    std::memcpy(element, &value, sizeof(T));
}
template <typename T>
T surf1Dread(cudaSurfaceObject_t surface, int x, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  return surf2Dread<T>(surface, x, 0, mode);
}
template <typename T>
void surf1Dwrite(T value, cudaSurfaceObject_t surface, int x, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  surf2Dwrite(value, surface, x, 0, mode);
}
