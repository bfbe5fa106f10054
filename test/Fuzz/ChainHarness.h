// What the programs share that run graphs of kernels: arrays with margins, filled alike before the launches one by one
// and before the fused one, and compared bit for bit.
#pragma once

#include "Harness.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cmath>
#include <cstring>
#include <string>
#include <type_traits>

struct ChainSize {
  long long rows, columns;
};

inline bool sameGrid(dim3 a, dim3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

/// The arrays of one graph, for one size.
class ChainMemory {
public:
  /// What stands for an intermediate that is dead once the graph has run.
  enum Use {
    Live,      ///< Holds what the launches one by one leave in it.
    Untouched, ///< Dead: nothing is stored.
    Anything,  ///< Dead: it may be stored. Its margins may not.
  };

  ChainMemory(const char *graph, ChainSize size, unsigned seed) : graph(graph), size(size), seed(seed) {}
  ~ChainMemory() {
    for (const Array &array : arrays)
      cudaFree(array.base);
  }
  ChainMemory(const ChainMemory &) = delete;

  /// `count` elements, `offset` elements behind an address that is aligned. With a `below`, they are indices below it, and so many of
  /// them are all of these.
  template <typename T> T *array(const char *name, long long count, int offset, Use use, long long below = 0) {
    const std::size_t elements = static_cast<std::size_t>(count) + offset + 2 * Margin;
    std::vector<T> values(elements);
    unsigned state = seed * 2654435761u + static_cast<unsigned>(arrays.size()) * 40503u + 1u;
    for (std::size_t i = 0; i < elements; ++i) {
      state = (state ^ (state >> 15)) * 2246822519u + 3u;
      const int number = static_cast<int>(state >> 20);
      if constexpr (!std::is_integral_v<T>)
        values[i] = T(static_cast<float>(number - 2048) / 64.0f);
      else if (below > 0)
        values[i] = static_cast<T>((below * Margin - 1 - i + seed % 8) % below);
      else
        values[i] = static_cast<T>(number - 900);
    }
    Array array;
    array.name = name;
    array.use = use;
    array.width = sizeof(T);
    array.isNan = isNan<T>;
    array.first = Margin + offset;
    array.count = static_cast<std::size_t>(count);
    array.initial.resize(elements * sizeof(T));
    std::memcpy(array.initial.data(), values.data(), array.initial.size());
    require(cudaMalloc(&array.base, array.initial.size()), "cudaMalloc");
    arrays.push_back(array);
    return static_cast<T *>(array.base) + Margin + offset;
  }

  /// False if the fused launch leaves something else, or does not succeed. It may decline: then it leaves everything as
  /// it was, and `declined` counts it.
  template <typename Alone, typename Fused> bool same(Alone alone, Fused fused, int &declined) {
    fill();
    alone();
    finished((std::string(graph) + " alone").c_str());
    const std::vector<std::vector<unsigned char>> expected = contents();
    fill();
    const cudaError_t error = fused();
    if (error != cudaSuccess && error != cudaErrorInvalidConfiguration)
      return wrong(std::string("the launch says ") + cudaGetErrorString(error));
    cudaGetLastError();
    finished((std::string(graph) + " fused").c_str());
    const std::vector<std::vector<unsigned char>> got = contents();
    declined += error != cudaSuccess;
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      const bool initial = error != cudaSuccess || arrays[i].use != Live;
      if (!equal(arrays[i], initial ? arrays[i].initial : expected[i], got[i], error == cudaSuccess))
        return false;
    }
    return true;
  }

private:
  /// Whole vectors of any element type.
  static constexpr std::size_t Margin = 64;

  struct Array {
    const char *name;
    void *base;
    Use use;
    std::size_t width, first, count;
    bool (*isNan)(const unsigned char *);
    std::vector<unsigned char> initial;
  };

  bool wrong(const std::string &what) const {
    std::printf("%s differs: %lld rows of %lld: %s\n", graph, size.rows, size.columns, what.c_str());
    return false;
  }
  void fill() const {
    for (const Array &array : arrays)
      require(cudaMemcpy(array.base, array.initial.data(), array.initial.size(), cudaMemcpyHostToDevice), "cudaMemcpy");
  }
  std::vector<std::vector<unsigned char>> contents() const {
    std::vector<std::vector<unsigned char>> all;
    for (const Array &array : arrays) {
      all.emplace_back(array.initial.size());
      require(cudaMemcpy(all.back().data(), array.base, all.back().size(), cudaMemcpyDeviceToHost), "cudaMemcpy");
    }
    return all;
  }
  /// Which operand of two a NaN comes from is the compiler's choice.
  template <typename T> static bool isNan(const unsigned char *at) {
    T value;
    std::memcpy(&value, at, sizeof(T));
    if constexpr (std::is_integral_v<T>)
      return false;
    else if constexpr (sizeof(T) == sizeof(double))
      return std::isnan(value);
    else
      return std::isnan(static_cast<float>(value));
  }
  bool equal(const Array &array, const std::vector<unsigned char> &expected, const std::vector<unsigned char> &got,
             bool launched) const {
    for (std::size_t at = 0; at < got.size(); at += array.width) {
      const std::size_t index = at / array.width;
      const bool inside = index >= array.first && index < array.first + array.count;
      if (launched && inside && array.use == Anything)
        continue;
      if (!std::memcmp(&expected[at], &got[at], array.width) || (array.isNan(&expected[at]) && array.isNan(&got[at])))
        continue;
      std::string bytes;
      for (const auto *side : {&expected, &got}) {
        char hex[4];
        for (std::size_t byte = array.width; byte-- > 0;) {
          std::snprintf(hex, sizeof hex, "%02x", (*side)[at + byte]);
          bytes += hex;
        }
        bytes += side == &expected ? (launched ? " alone and " : " before and ") : "";
      }
      return wrong(std::string(array.name) + "[" + std::to_string(static_cast<long long>(index - array.first)) +
                   "] is " + bytes + " fused" + (launched ? "" : ", though the launch declines"));
    }
    return true;
  }

  const char *graph;
  const ChainSize size;
  const unsigned seed;
  std::vector<Array> arrays;
};
