// BLAKE2b-256 nonce search over an 80-byte block header.
#pragma once

#include "../common/sample.h"

namespace samples::blake2b {

/// The header as little-endian words; words[4] is the nonce's.
struct Header {
  unsigned long long words[10];
};

/// What the whole search found.
struct Result {
  unsigned long long best; ///< The complement of the smallest hit, zero without a hit.
  unsigned long long hits; ///< How many nonces hit the target.
};

class Problem : public samples::Problem {
public:
  explicit Problem(unsigned blocks);
  void launch(cudaStream_t stream) const override;
  std::vector<Output> outputs() const override;
  bool check() const override;

  template <typename Launch> void fill(Launch &launch) const {
    launch.grid = grid;
    launch.arguments.header = header;
    launch.arguments.startNonce = startNonce;
    launch.arguments.noncesPerThread = noncesPerThread;
    launch.arguments.count = count;
    launch.arguments.target = target;
    launch.arguments.digests = digests.get();
    launch.arguments.result = result.get();
  }

  Header header;
  unsigned long long startNonce;
  int noncesPerThread;
  int count;                               ///< Threads at work.
  unsigned long long target;               ///< A hit's first eight digest bytes, big-endian, are at most this.
  DeviceArray<unsigned long long> digests; ///< Per thread, all digest words of all its nonces XORed.
  DeviceArray<Result> result;
};

std::unique_ptr<Problem> make(unsigned blocks);

} // namespace samples::blake2b
