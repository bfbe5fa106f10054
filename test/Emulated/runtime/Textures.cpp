// Arrays, and what textures and surfaces make of coordinates (CUDA C++ Programming Guide, Texture Fetching).
#include <cuda_runtime.h>

#include <algorithm>

struct cudaArray {
  unsigned char *data;
  cudaChannelFormatDesc format;
  std::size_t width, height; ///< In elements; at least one row.
  std::size_t pitch;         ///< Bytes from row to row.
};

namespace {

struct Texture {
  cudaArray image;
  cudaTextureDesc description;
  bool linearMemory;
};

std::size_t channels(const cudaChannelFormatDesc &f) { return 1 + (f.y != 0) + (f.z != 0) + (f.w != 0); }
std::size_t bytesOf(const cudaChannelFormatDesc &f) { return channels(f) * static_cast<std::size_t>(f.x) / 8; }
bool isFormat(const cudaChannelFormatDesc &f) {
  const auto equal = [&](int bits) { return bits == 0 || bits == f.x; };
  return (f.x == 32 || (f.f != cudaChannelFormatKindFloat && (f.x == 8 || f.x == 16))) && equal(f.y) && equal(f.z) &&
         equal(f.w) && channels(f) != 3;
}

bool imageOf(const cudaResourceDesc &resource, cudaArray &image) {
  const auto &linear = resource.res.linear;
  const auto &pitch = resource.res.pitch2D;
  if (resource.resType == cudaResourceTypeArray)
    image = *resource.res.array.array;
  else if (resource.resType == cudaResourceTypeLinear && isFormat(linear.desc))
    image = {static_cast<unsigned char *>(linear.devPtr), linear.desc, linear.sizeInBytes / bytesOf(linear.desc), 1, 0};
  else if (resource.resType == cudaResourceTypePitch2D && isFormat(pitch.desc))
    image = {static_cast<unsigned char *>(pitch.devPtr), pitch.desc, pitch.width, pitch.height, pitch.pitchInBytes};
  else
    return false;
  return true;
}

/// The place in [0, size) that a place stands for; -1 for the border.
long long addressed(long long place, std::size_t count, cudaTextureAddressMode mode, bool normalized) {
  const long long size = static_cast<long long>(count);
  if (mode == cudaAddressModeBorder)
    return place < 0 || place >= size ? -1 : place;
  if (normalized && mode == cudaAddressModeWrap)
    return (place % size + size) % size;
  if (normalized && mode == cudaAddressModeMirror) {
    const long long twice = (place % (2 * size) + 2 * size) % (2 * size);
    return twice < size ? twice : 2 * size - 1 - twice;
  }
  return std::clamp(place, 0ll, size - 1);
}

/// As floats: themselves, or normalized integers.
void floatsOf(const cudaArray &image, const unsigned char *element, float (&values)[4]) {
  const cudaChannelFormatDesc &f = image.format;
  for (std::size_t i = 0; i < channels(f); ++i) {
    const unsigned char *at = element + i * static_cast<std::size_t>(f.x) / 8;
    if (f.f == cudaChannelFormatKindFloat) {
      std::memcpy(&values[i], at, sizeof(float));
      continue;
    }
    unsigned bits = 0;
    std::memcpy(&bits, at, static_cast<std::size_t>(f.x) / 8);
    if (f.f == cudaChannelFormatKindUnsigned)
      values[i] = static_cast<float>(bits) / static_cast<float>((1u << f.x) - 1);
    else
      values[i] = std::max(-1.0f, static_cast<float>(static_cast<int>(bits << (32 - f.x)) >> (32 - f.x)) /
                                      static_cast<float>((1u << (f.x - 1)) - 1));
  }
}

/// Null for the border.
const unsigned char *elementAt(const Texture &t, long long x, long long y) {
  const cudaTextureDesc &d = t.description;
  x = addressed(x, t.image.width, d.addressMode[0], d.normalizedCoords);
  y = addressed(y, t.image.height, d.addressMode[1], d.normalizedCoords);
  return x < 0 || y < 0 ? nullptr
                        : t.image.data + static_cast<std::size_t>(y) * t.image.pitch +
                              static_cast<std::size_t>(x) * bytesOf(t.image.format);
}

bool givesFloats(const Texture &t) {
  return t.image.format.f == cudaChannelFormatKindFloat || t.description.readMode == cudaReadModeNormalizedFloat;
}
void requireBytes(const Texture &t, std::size_t bytes) {
  const std::size_t given = givesFloats(t) ? 4 * channels(t.image.format) : bytesOf(t.image.format);
  if (bytes != given)
    cuda_emulated::fail("a texture gives %zu bytes, read as a type of %zu", given, bytes);
}

/// The part of a step between two elements, in the 8 bits that the hardware has.
float fraction(float place) { return std::floor((place - std::floor(place)) * 256 + 0.5f) / 256; }

} // namespace

namespace cuda_emulated {

void sample(cudaTextureObject_t texture, float x, float y, void *result, std::size_t bytes) {
  const Texture &t = *reinterpret_cast<const Texture *>(texture);
  if (t.linearMemory)
    fail("linear memory has no filter: tex1Dfetch reads it");
  requireBytes(t, bytes);
  if (t.description.normalizedCoords) {
    x *= static_cast<float>(t.image.width);
    y *= static_cast<float>(t.image.height);
  }
  const bool linear = t.description.filterMode == cudaFilterModeLinear;
  const float left = linear ? x - 0.5f : x, top = linear && t.image.height > 1 ? y - 0.5f : y;
  const long long column = static_cast<long long>(std::floor(left)), row = static_cast<long long>(std::floor(top));
  if (!givesFloats(t)) {
    if (const unsigned char *element = elementAt(t, column, row))
      std::memcpy(result, element, bytes);
    else
      std::memset(result, 0, bytes);
    return;
  }
  float sum[4] = {};
  const float right = linear ? fraction(left) : 0, bottom = linear && t.image.height > 1 ? fraction(top) : 0;
  for (int corner = 0; corner < 4; ++corner) {
    const float weight = (corner & 1 ? right : 1 - right) * (corner & 2 ? bottom : 1 - bottom);
    float values[4];
    std::copy_n(t.description.borderColor, 4, values);
    if (const unsigned char *element = elementAt(t, column + (corner & 1), row + (corner >> 1)))
      floatsOf(t.image, element, values);
    for (int i = 0; i < 4; ++i)
      sum[i] += weight != 0 ? weight * values[i] : 0; // also of an infinity
  }
  std::memcpy(result, sum, bytes);
}

void fetch(cudaTextureObject_t texture, long long index, void *result, std::size_t bytes) {
  const Texture &t = *reinterpret_cast<const Texture *>(texture);
  if (!t.linearMemory)
    fail("tex1Dfetch of a texture that is not linear memory");
  requireBytes(t, bytes);
  std::memset(result, 0, bytes);
  if (index < 0 || index >= static_cast<long long>(t.image.width))
    return;
  const unsigned char *element = t.image.data + static_cast<std::size_t>(index) * bytesOf(t.image.format);
  float values[4] = {};
  if (givesFloats(t))
    floatsOf(t.image, element, values);
  std::memcpy(result, givesFloats(t) ? static_cast<const void *>(values) : element, bytes);
}

void *surfaceElement(cudaSurfaceObject_t surface, int x, int y, std::size_t bytes, cudaSurfaceBoundaryMode mode) {
  const cudaArray &image = *reinterpret_cast<const cudaArray *>(surface);
  const long long last = static_cast<long long>(image.width * bytesOf(image.format) - bytes),
                  rows = static_cast<long long>(image.height);
  if (x % static_cast<int>(bytes))
    fail("a surface's byte %d is no place of an element of %zu bytes", x, bytes);
  if (x < 0 || x > last || y < 0 || y >= rows) {
    if (mode == cudaBoundaryModeTrap)
      fail("a surface of %zu rows of %zu bytes has no byte %d of row %d", image.height,
           image.width * bytesOf(image.format), x, y);
    if (mode == cudaBoundaryModeZero)
      return nullptr;
  }
  return image.data + static_cast<std::size_t>(std::clamp<long long>(y, 0, rows - 1)) * image.pitch +
         std::clamp<long long>(x, 0, last);
}

} // namespace cuda_emulated

cudaError_t cudaMallocArray(cudaArray_t *array, const cudaChannelFormatDesc *format, std::size_t width,
                            std::size_t height, unsigned) {
  if (!isFormat(*format) || width == 0)
    return cudaErrorInvalidValue;
  const std::size_t pitch = width * bytesOf(*format), rows = std::max<std::size_t>(height, 1);
  void *memory = nullptr;
  if (const cudaError_t error = cudaMalloc(&memory, pitch * rows))
    return error;
  *array = new cudaArray{static_cast<unsigned char *>(memory), *format, width, rows, pitch};
  return cudaSuccess;
}
cudaError_t cudaFreeArray(cudaArray_t array) {
  if (array)
    cudaFree(array->data);
  delete array;
  return cudaSuccess;
}
cudaError_t cudaMemcpy2DToArray(cudaArray_t to, std::size_t x, std::size_t y, const void *from, std::size_t pitch,
                                std::size_t width, std::size_t height, cudaMemcpyKind) {
  if (x + width > to->pitch || y + height > to->height)
    return cudaErrorInvalidValue;
  for (std::size_t row = 0; row < height; ++row)
    std::memcpy(to->data + (y + row) * to->pitch + x, static_cast<const unsigned char *>(from) + row * pitch, width);
  return cudaSuccess;
}
cudaError_t cudaMemcpy2DFromArray(void *to, std::size_t pitch, cudaArray_t from, std::size_t x, std::size_t y,
                                  std::size_t width, std::size_t height, cudaMemcpyKind) {
  if (x + width > from->pitch || y + height > from->height)
    return cudaErrorInvalidValue;
  for (std::size_t row = 0; row < height; ++row)
    std::memcpy(static_cast<unsigned char *>(to) + row * pitch, from->data + (y + row) * from->pitch + x, width);
  return cudaSuccess;
}

/// Filters need floats: those of the elements, or normalized integers.
cudaError_t cudaCreateTextureObject(cudaTextureObject_t *texture, const cudaResourceDesc *resource,
                                    const cudaTextureDesc *description, const cudaResourceViewDesc *view) {
  Texture made = {{}, *description, resource->resType == cudaResourceTypeLinear};
  if (view || description->sRGB || !imageOf(*resource, made.image) ||
      (description->filterMode == cudaFilterModeLinear && !givesFloats(made)) ||
      (description->readMode == cudaReadModeNormalizedFloat && made.image.format.x == 32))
    return cudaErrorInvalidValue;
  *texture = reinterpret_cast<cudaTextureObject_t>(new Texture(made));
  return cudaSuccess;
}
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texture) {
  delete reinterpret_cast<Texture *>(texture);
  return cudaSuccess;
}
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *surface, const cudaResourceDesc *resource) {
  cudaArray image;
  if (resource->resType != cudaResourceTypeArray || !imageOf(*resource, image))
    return cudaErrorInvalidValue;
  *surface = reinterpret_cast<cudaSurfaceObject_t>(new cudaArray(image));
  return cudaSuccess;
}
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t surface) {
  delete reinterpret_cast<cudaArray *>(surface);
  return cudaSuccess;
}
