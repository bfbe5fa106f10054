// The arithmetic that stands in every output, compiled here: the launcher and `launchOf` cannot disagree.
#pragma once

#include <cstddef>
#include <cstdint>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function" // Not every user uses all of it.

namespace cufuse::emitted {

#define __device__
#define __forceinline__
struct uint3 {
  unsigned x, y, z;
};
struct dim3 {
  unsigned x = 1, y = 1, z = 1;
};

#include "Grid.cuh"
#include "Share.cuh"
namespace {
#include "Launcher.cuh" // behind the types
}

#undef __device__
#undef __forceinline__
#pragma GCC diagnostic pop

} // namespace cufuse::emitted
