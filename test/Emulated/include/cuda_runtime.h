// Stands in for the CUDA toolkit's header of this name: kernels and host code that are compiled against it run on the
// emulator. What macros cannot do (`<<<…>>>`, `__shared__`, inline PTX) is translate.py's.
#pragma once

#include <cassert>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <type_traits>
#include <utility>

#define __global__
#define __device__
#define __host__
#define __constant__
#define __managed__
#define __grid_constant__
#define __launch_bounds__(...)
#define __maxnreg__(...)
#define __align__(n) __attribute__((aligned(n)))
#define CUDA_EMULATED // for programs that want more of the runtime where it is the real one
#define CUDART_VERSION 13000
#define CUDART_INF_F __builtin_inff()
#define CUDART_INF __builtin_inf()

#include "emulated/vector_types.h"

#include "emulated/core.h"
#include "emulated/host_api.h"
#include "emulated/textures.h"

#include "emulated/block.h"
#include "emulated/intrinsics.h"
#include "emulated/warp.h"

#include "emulated/library.h"
