// Single-precision matrix product, c = alpha * a * b + beta * cIn, all row-major.
#pragma once

#include "../common/sample.h"

namespace samples::sgemm {

class Problem : public samples::Problem {
public:
  explicit Problem(unsigned blocks);

  void launch(cudaStream_t stream) const override;
  std::vector<Output> outputs() const override;
  bool check() const override;

  template <typename Launch> void fill(Launch &launch) const {
    launch.grid = grid;
    launch.arguments.m = m;
    launch.arguments.n = n;
    launch.arguments.k = k;
    launch.arguments.alpha = alpha;
    launch.arguments.a = a.get();
    launch.arguments.b = b.get();
    launch.arguments.beta = beta;
    launch.arguments.cIn = cIn.get();
    launch.arguments.c = c.get();
  }

  const int m, n;
  const int k = 131;
  const float alpha = 1.25f, beta = -0.5f;
  DeviceArray<float> a;   ///< m x k
  DeviceArray<float> b;   ///< k x n
  DeviceArray<float> cIn; ///< m x n
  DeviceArray<float> c;   ///< m x n

private:
  explicit Problem(dim3 tiles);
};

/// One block per 64x64 tile of c; m, n and k are odd.
std::unique_ptr<Problem> make(unsigned blocks);

} // namespace samples::sgemm
