// What is divided in 32 bits may have lost others: an element or row that a quotient seems to give back is another one then.
// The launch is asked whether it fits, and in 64 bits, or by shifts that mean it, it always does.
// RUN: rm -rf %t && split-file %s %t && cd %t
// DEFINE: %{k} =
// DEFINE: %{fuse} = %cufuse fuse --distinct kernels.cu:fills kernels.cu:%{k} --link fills.w=%{k}.w --link fills.n=%{k}.n --block 64 \
// DEFINE:   --name of_%{k} -o %t/%{k}.cu
// REDEFINE: %{k} = again
// RUN: %{fuse}
// REDEFINE: %{k} = widened
// RUN: %{fuse}
// REDEFINE: %{k} = wide
// RUN: %{fuse}
// RUN: %execute -I %S/Inputs -I %t %t/main.cu %t/again.cu %t/widened.cu %t/wide.cu

//--- kernels.cu
__global__ void fills(const int *x, int *w, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    w[i] = x[i] * 3;
}
__global__ void again(const int *w, int *out, unsigned k, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = w[i * k / k];
}
__global__ void widened(const int *w, int *out, unsigned k, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, moved = (i + 4) * k;
  if (i < n)
    out[i] = w[static_cast<unsigned long long>(moved) / k - 4];
}
__global__ void wide(const int *w, int *out, unsigned k, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = w[static_cast<unsigned long long>(i) * k / k];
}

//--- main.cu
#include "both.h"

#include "kernels.cu"

#include "again.h"
#include "wide.h"
#include "widened.h"

int main() {
  constexpr unsigned n = 8192;
  Array<int> x(n), middle(n), out(n);
  bool good = true;
  for (unsigned k : {3u, 1u << 20}) {
    Both both;
    both.output("out", out);
    auto check = [&](const char *name, auto second, auto fused, bool always = false) {
      if (k > 3 && !always) {
        const bool asked = fused() == cudaErrorInvalidConfiguration;
        std::printf("%s: %s\n", name, asked ? "declined" : "launched, though bits are lost");
        good &= asked;
        return;
      }
      good &= both.same(
          name,
          [&] {
            fills<<<n / 64, 64>>>(x, middle, n);
            second<<<n / 64, 64>>>(middle, out, k, n);
          },
          [&] { require(fused(), name); });
    };
    check("again", again, [&] { return of_again::fills_again::launch(x, middle, n, out, k, nullptr); });
    check("widened", widened, [&] { return of_widened::fills_widened::launch(x, middle, n, out, k, nullptr); });
    check("wide", wide, [&] { return of_wide::fills_wide::launch(x, middle, n, out, k, nullptr); }, true);
  }
  return good ? 0 : 1;
}
