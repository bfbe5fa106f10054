// Runs fused kernels of the samples against the unfused launches. generate.py writes one file per case, which registers
// it.
#pragma once

#include "../common/sample.h"

#include <functional>

namespace driver {

using Problems = std::vector<std::unique_ptr<samples::Problem>>;

/// One fused kernel, with the makers of its constituents' problems in the order of its launcher's parameters.
struct Case {
  const char *name;
  std::vector<std::function<std::unique_ptr<samples::Problem>(unsigned blocks)>> makers;
  std::function<cudaError_t(const Problems &)> launchFused;
};

void add(Case newCase);

/// A fused launcher's structure, filled by a problem of the type `Problem`.
template <typename Launch, typename Problem> Launch launchOf(const samples::Problem &problem) {
  Launch launch{};
  static_cast<const Problem &>(problem).fill(launch);
  return launch;
}

/// Adds a case before `main`. The structures' types come from the launcher's, so that their names do not matter.
struct Registration {
  template <typename A, typename P>
  Registration(const char *name, cudaError_t (*launch)(const A &, cudaStream_t),
               std::unique_ptr<P> (*make)(unsigned blocks)) {
    add({name, {make}, [launch](const Problems &problems) { return launch(launchOf<A, P>(*problems[0]), nullptr); }});
  }

  template <typename A, typename B, typename P, typename Q>
  Registration(const char *name, cudaError_t (*launch)(const A &, const B &, cudaStream_t),
               std::unique_ptr<P> (*makeFirst)(unsigned blocks), std::unique_ptr<Q> (*makeSecond)(unsigned blocks)) {
    add({name, {makeFirst, makeSecond}, [launch](const Problems &problems) {
           return launch(launchOf<A, P>(*problems[0]), launchOf<B, Q>(*problems[1]), nullptr);
         }});
  }
};

} // namespace driver
