// The shape of a thread block, in threads.
#pragma once

#include <fmt/core.h>

#include <string>

namespace cufuse {

constexpr unsigned WarpSize = 32;
/// CUDA C++ Programming Guide, technical specifications: the same for every architecture from sm_50 on.
constexpr unsigned MaxBlockThreads = 1024;
constexpr unsigned MaxBlockZ = 64;

struct BlockShape {
  unsigned X = 1, Y = 1, Z = 1;

  unsigned long long threads() const { return 1ull * X * Y * Z; }
  bool isValid() const { return threads() >= 1 && threads() <= MaxBlockThreads && Z <= MaxBlockZ; }
  std::string str() const {
    if (Z > 1)
      return fmt::format("{}x{}x{}", X, Y, Z);
    return Y > 1 ? fmt::format("{}x{}", X, Y) : fmt::format("{}", X);
  }
  friend bool operator==(const BlockShape &, const BlockShape &) = default;
};

} // namespace cufuse
