// Shuffles, votes, matches and reductions do what the PTX ISA says. A lane of the mask that goes elsewhere is an error, as
// is one outside of it; lanes that have exited, or that a block of 40 does not have, are not waited for.
// RUN: %emulate -o %t %s
// RUN: %t right && env EMULATED_SEED=2 %t right && %t partial && %t active && env EMULATED_SEED=2 %t active
// RUN: %t exited && env EMULATED_SEED=2 %t exited
// RUN: %exits 87 %t elsewhere 2>&1 | %FileCheck %s --check-prefix=ELSEWHERE
// RUN: %exits 87 %t outside 2>&1 | %FileCheck %s --check-prefix=OUTSIDE
// RUN: %exits 87 %t mixed 2>&1 | %FileCheck %s --check-prefix=MIXED

// ELSEWHERE: emulated: deadlock
// ELSEWHERE: barrier 0 (sync){{.*}} waiting: threads 9; of warp 0 only part
// ELSEWHERE: __any_sync of warp 0 with mask ffffffff; waiting: lanes fffffdff, missing 00000200
// OUTSIDE: emulated: __ballot_sync with mask 0000ffff by lane {{[0-9]+}}, which is not in it
// MIXED: emulated: __{{any|shfl}}_sync meets __{{any|shfl}}_sync of another lane with the same mask ffffffff

#include "Inputs/check.h"

__global__ void right(int *right) {
  const unsigned lane = threadIdx.x % 32, v = lane * 7 % 31;
  const auto of = [](unsigned lane) { return lane * 7 % 31; };
  bool good = __shfl_sync(~0u, v, 3) == of(3) && __shfl_sync(~0u, v, 13, 8) == of(lane / 8 * 8 + 5);
  good &= __shfl_up_sync(~0u, v, 3, 16) == of(lane % 16 < 3 ? lane : lane - 3);
  good &= __shfl_down_sync(~0u, v, 2, 4) == of(lane % 4 > 1 ? lane : lane + 2);
  good &= __shfl_xor_sync(~0u, v * 0x100000001ull, 17) == of(lane ^ 17) * 0x100000001ull;
  good &= __shfl_xor_sync(~0u, -1.5f * v, 5, 8) == -1.5f * of(lane ^ 5);
  const unsigned half = lane < 16 ? 0xffffu : 0xffff0000u;
  good &= __ballot_sync(half, lane % 2) == (half & 0xaaaaaaaau);
  good &= __all_sync(half, lane >= 16) == (lane >= 16) && __any_sync(half, lane == 0) == (lane < 16);
  good &= __match_any_sync(~0u, lane / 8) == 0xffu << lane / 8 * 8;
  int same;
  good &= __match_all_sync(half, lane / 16, &same) == half && same && !__match_all_sync(half, lane, &same) && !same;
  good &= __reduce_add_sync(~0u, lane) == 496 && __reduce_max_sync(~0u, -int(lane)) == 0;
  good &=
      __reduce_min_sync(half, int(lane) - 20) == (lane < 16 ? -20 : -4) && __reduce_or_sync(half, 1u << lane) == half;
  __syncwarp(half);
  right[threadIdx.x] = good;
}
// The second warp has eight lanes.
__global__ void partial(int *right) {
  const unsigned lanes = threadIdx.x < 32 ? 32 : 8;
  right[threadIdx.x] = __popc(__ballot_sync(~0u, 1)) == lanes && __reduce_add_sync(~0u, 1u) == lanes;
}
__global__ void active(int *right) {
  const unsigned lane = threadIdx.x % 32;
  if (lane % 4 == 1) {
    const unsigned mask = __activemask();
    right[threadIdx.x] = mask == 0x22222222u && __reduce_add_sync(mask, 1) == 8;
  } else {
    right[threadIdx.x] = 1;
    __syncwarp(~0x22222222u);
  }
}
__global__ void exited(int *right) {
  right[threadIdx.x] = 1;
  if (threadIdx.x == 9)
    return;
  right[threadIdx.x] = __ballot_sync(~0u, 1) == ~0x200u && __reduce_add_sync(~0u, 1u) == 31;
}
__global__ void elsewhere(int *) {
  if (threadIdx.x == 9)
    __syncthreads();
  __any_sync(~0u, 1);
}
__global__ void outside(int *) { __ballot_sync(0xffff, 1); }
__global__ void mixed(int *) {
  if (threadIdx.x == 9)
    __any_sync(~0u, 1);
  else
    __shfl_sync(~0u, 1, 1);
}

int main(int argc, char **argv) {
  CASE(right, 64)
  CASE(partial, 40)
  CASE(active, 64)
  CASE(exited, 32)
  CASE(elsewhere, 32)
  CASE(outside, 32)
  CASE(mixed, 32)
  return 2;
}
