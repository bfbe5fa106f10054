// Ethash-style nonce search: two Keccak hashes around 64 random reads of a large table.
#pragma once

#include "../common/sample.h"

namespace samples::ethash {

/// The hash of the block header, as little-endian words.
struct HeaderHash {
  unsigned long long words[4];
};

class Problem : public samples::Problem {
public:
  explicit Problem(unsigned blocks);
  void launch(cudaStream_t stream) const override;
  std::vector<Output> outputs() const override;
  bool check() const override;

  template <typename Launch> void fill(Launch &launch) const {
    launch.grid = grid;
    launch.arguments.headerHash = headerHash;
    launch.arguments.dag = dag.get();
    launch.arguments.dagPages = dagPages;
    launch.arguments.startNonce = startNonce;
    launch.arguments.count = count;
    launch.arguments.target = target;
    launch.arguments.digests = digests.get();
    launch.arguments.hits = hits.get();
  }

  HeaderHash headerHash;
  unsigned int dagPages;  ///< Of 128 bytes each.
  DeviceArray<uint4> dag; ///< Synthetic: a page is eight pseudo-random elements.
  unsigned long long startNonce;
  unsigned int count;                      ///< Threads, thus nonces, that report.
  unsigned long long target;               ///< A hit's digest is at most this.
  DeviceArray<unsigned long long> digests; ///< Per nonce, the first eight bytes of the final hash, big-endian.
  DeviceArray<unsigned int> hits;          ///< How many hits, and the complement of the first one's thread.
};

std::unique_ptr<Problem> make(unsigned blocks);

} // namespace samples::ethash
