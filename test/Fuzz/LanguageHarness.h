// What programs of `fuzz language` with chains share.
#pragma once

#include "Harness.h"

#include <type_traits>

/// What is run next: where it crashes or hangs, this is what did.
inline void stage(const char *what) {
  std::printf("(%s)\n", what);
  std::fflush(stdout);
}

/// The arrays of a chain. What lies around those that are read is theirs, too.
struct LanguageArrays {
  static constexpr unsigned Words = 512, Front = 64;
  unsigned *memory, *x, *w, *mid, *out, *last;

  LanguageArrays() {
    require(cudaMalloc(&memory, bytes()), "cudaMalloc");
    x = memory + Front, w = x + Words, mid = w + Words, out = mid + 2 * Words, last = out + Words;
    clear();
  }
  ~LanguageArrays() { cudaFree(memory); }
  LanguageArrays(const LanguageArrays &) = delete;

  static std::size_t bytes() { return sizeof(unsigned) * (6 * Words + Front); }

  void clear() const {
    std::vector<unsigned> host(6 * Words + Front, 0xA5A5A5A5u);
    unsigned state = 12345u;
    for (unsigned i = 0; i < Front + 2 * Words; ++i)
      host[i] = state = (state ^ (state >> 15)) * 2246822519u + 3u;
    require(cudaMemcpy(memory, host.data(), bytes(), cudaMemcpyHostToDevice), "cudaMemcpy");
  }

  /// Results, and what is between the kernels, where that is stored.
  std::vector<unsigned> take(bool between) const {
    std::vector<unsigned> host(4 * Words);
    require(cudaMemcpy(host.data(), mid, sizeof(unsigned) * host.size(), cudaMemcpyDeviceToHost), "cudaMemcpy");
    if (!between)
      host.erase(host.begin(), host.begin() + 2 * Words);
    return host;
  }
};

template <typename T, typename V> void assign(T *&field, V *value) {
  field = reinterpret_cast<T *>(const_cast<std::remove_const_t<V> *>(value));
}
template <typename T, typename V> void assign(T &field, V value) { field = static_cast<T>(value); }
