// What the tests of the emulator share: a launch whose every thread must write 1.
#pragma once

#include <cstdio>
#include <string>

inline void cooperatively(void (*kernel)(int *), unsigned blocks, unsigned threads, int *results) {
  cudaLaunchAttribute cooperative = {};
  cooperative.id = cudaLaunchAttributeCooperative;
  cooperative.val.cooperative = 1;
  const cudaLaunchConfig_t config = {dim3(blocks), dim3(threads), 0, nullptr, &cooperative, 1};
  cudaLaunchKernelEx(&config, kernel, results);
}

/// Runs the kernel called `name` if the program's argument says so; the program's status says whether all are right.
#define CASE(NAME, THREADS) CASE_OF(NAME, THREADS, (NAME<<<1, threads, 512>>>(results)))
/// By a cooperative launch.
#define COOPERATIVE_CASE(NAME, BLOCKS, THREADS)                                                                        \
  CASE_OF(NAME, BLOCKS *(THREADS), cooperatively(NAME, BLOCKS, THREADS, results))
#define CASE_OF(NAME, THREADS, LAUNCH)                                                                                 \
  if (argc > 1 && argv[1] == std::string(#NAME)) {                                                                     \
    const unsigned threads = THREADS;                                                                                  \
    int *results = nullptr;                                                                                            \
    cudaMalloc(&results, threads * sizeof(int));                                                                       \
    LAUNCH;                                                                                                            \
    if (cudaGetLastError() != cudaSuccess)                                                                             \
      return 3;                                                                                                        \
    for (unsigned i = 0; i < threads; ++i)                                                                             \
      if (results[i] != 1) {                                                                                           \
        std::printf("thread %u is wrong\n", i);                                                                        \
        return 1;                                                                                                      \
      }                                                                                                                \
    std::printf("%s is right\n", argv[1]);                                                                             \
    return 0;                                                                                                          \
  }
