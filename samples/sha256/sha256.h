// SHA-256d nonce search over an 80-byte block header.
#pragma once

#include "../common/sample.h"

namespace samples::sha256 {

/// What of the header does not depend on the nonce, as big-endian words: the state after its first 64 bytes and the
/// three words between them and the nonce.
struct Job {
  unsigned int midstate[8];
  unsigned int tail[3];
};

class Problem : public samples::Problem {
public:
  explicit Problem(unsigned blocks);
  void launch(cudaStream_t stream) const override;
  std::vector<Output> outputs() const override;
  bool check() const override;

  template <typename Launch> void fill(Launch &launch) const {
    launch.grid = grid;
    launch.arguments.job = job;
    launch.arguments.startNonce = startNonce;
    launch.arguments.noncesPerThread = noncesPerThread;
    launch.arguments.count = count;
    launch.arguments.target = target;
    launch.arguments.digests = digests.get();
    launch.arguments.hits = hits.get();
  }

  std::vector<unsigned char> header; ///< 80 bytes; the last four are the nonce, little-endian.
  Job job;
  unsigned int startNonce;
  unsigned int noncesPerThread;
  unsigned int count;                ///< Threads at work.
  unsigned int target;               ///< A hit's top digest word is at most this.
  DeviceArray<unsigned int> digests; ///< Per thread, the XOR of its nonces' top digest words.
  DeviceArray<unsigned int> hits;    ///< How many hits, and the complement of the smallest nonce among them.
};

std::unique_ptr<Problem> make(unsigned blocks);

} // namespace samples::sha256
