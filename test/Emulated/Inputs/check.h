// What the tests of the emulator share: a launch whose every thread must write 1.
#pragma once

#include <cstdio>
#include <string>

/// Runs the kernel called `name` if the program's argument says so; the program's status says whether all are right.
#define CASE(NAME, THREADS)                                                                                            \
  if (argc > 1 && argv[1] == std::string(#NAME)) {                                                                     \
    const unsigned threads = THREADS;                                                                                  \
    int *results = nullptr;                                                                                            \
    cudaMalloc(&results, threads * sizeof(int));                                                                       \
    NAME<<<1, threads, 512>>>(results);                                                                                \
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
