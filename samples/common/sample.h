// What every sample shares: device buffers, the interface a driver runs a sample through, and `main`'s check.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

namespace samples {

/// Ends the program with the place and the reason when a CUDA call fails.
inline void require(cudaError_t error, const char *what, const char *file, int line) {
  if (error == cudaSuccess)
    return;
  std::fprintf(stderr, "%s:%d: %s: %s\n", file, line, what, cudaGetErrorString(error));
  std::exit(1);
}
#define SAMPLES_REQUIRE(call) ::samples::require((call), #call, __FILE__, __LINE__)

/// A device allocation of `count` elements, freed with its owner.
template <typename T> class DeviceArray {
public:
  explicit DeviceArray(std::size_t count) : Count(count) { SAMPLES_REQUIRE(cudaMalloc(&Data, bytes())); }
  explicit DeviceArray(const std::vector<T> &host) : DeviceArray(host.size()) {
    SAMPLES_REQUIRE(cudaMemcpy(Data, host.data(), bytes(), cudaMemcpyHostToDevice));
  }
  ~DeviceArray() { cudaFree(Data); }
  DeviceArray(const DeviceArray &) = delete;
  DeviceArray &operator=(const DeviceArray &) = delete;

  T *get() const { return Data; }
  std::size_t size() const { return Count; }
  std::size_t bytes() const { return Count * sizeof(T); }
  std::vector<T> toHost() const {
    std::vector<T> host(Count);
    SAMPLES_REQUIRE(cudaMemcpy(host.data(), Data, bytes(), cudaMemcpyDeviceToHost));
    return host;
  }

private:
  T *Data = nullptr;
  std::size_t Count;
};

/// Device memory that a kernel writes.
struct Output {
  const char *name;
  void *device;
  std::size_t bytes;
  bool accumulated; ///< The kernel adds to it (atomics), so it must start at zero; otherwise every byte is overwritten.
};

/// One kernel with inputs, outputs and a launch shape. A sample's header derives from it, with the kernel's arguments
/// as members and `template <typename Launch> void fill(Launch &) const`, which writes `grid`,
/// `arguments.<parameter>` and, if there is some, `dynamicSharedBytes` of a fused launcher's structure.
class Problem {
public:
  virtual ~Problem() = default;
  /// The ordinary launch: kernel<<<grid, block, dynamicSharedBytes, stream>>>(…).
  virtual void launch(cudaStream_t stream) const = 0;
  virtual std::vector<Output> outputs() const = 0;
  /// Compares the outputs with a CPU reference; prints the first difference.
  virtual bool check() const = 0;

  dim3 grid;
  std::size_t dynamicSharedBytes = 0;

  /// Puts the outputs into a state that no correct run leaves behind: accumulators at zero, the rest poisoned.
  void prepare() const {
    for (const Output &output : outputs())
      SAMPLES_REQUIRE(cudaMemset(output.device, output.accumulated ? 0 : 0xA5, output.bytes));
  }
};

/// The `main` of a sample: runs it once with `blocks` blocks in total (first argument, 48 by default) and checks it.
template <typename Make> int runSample(const char *name, Make make, int argc, char **argv) {
  const int blocks = argc > 1 ? std::atoi(argv[1]) : 48;
  if (blocks < 1) {
    std::fprintf(stderr, "usage: %s [BLOCKS]\n", name);
    return 2;
  }
  auto problem = make(static_cast<unsigned>(blocks));
  problem->prepare();
  problem->launch(nullptr);
  SAMPLES_REQUIRE(cudaGetLastError());
  SAMPLES_REQUIRE(cudaDeviceSynchronize());
  const bool right = problem->check();
  std::printf("%s: %u blocks: %s\n", name, problem->grid.x * problem->grid.y * problem->grid.z,
              right ? "right" : "WRONG");
  return right ? 0 : 1;
}

} // namespace samples
