// BLAKE-256 nonce search over an 80-byte block header, which the kernel reads from constant memory.
#pragma once

#include "../common/sample.h"

namespace samples::blake256 {

class Problem : public samples::Problem {
public:
  explicit Problem(unsigned blocks);
  void launch(cudaStream_t stream) const override;
  std::vector<Output> outputs() const override;
  bool check() const override;

  template <typename Launch> void fill(Launch &launch) const {
    launch.grid = grid;
    launch.arguments.startNonce = startNonce;
    launch.arguments.noncesPerThread = noncesPerThread;
    launch.arguments.count = count;
    launch.arguments.target = target;
    launch.arguments.digests = digests.get();
    launch.arguments.hits = hits.get();
  }

  std::vector<unsigned int> header; ///< 20 big-endian words; the last is the nonce's.
  unsigned int startNonce;
  unsigned int noncesPerThread;
  unsigned int count;                ///< Threads at work.
  unsigned int target;               ///< A hit's first digest word is at most this.
  DeviceArray<unsigned int> digests; ///< Per thread, all digest words of all its nonces XORed.
  DeviceArray<unsigned int> hits;    ///< How many hits, and the complement of the smallest nonce among them.
};

std::unique_ptr<Problem> make(unsigned blocks);

} // namespace samples::blake256
