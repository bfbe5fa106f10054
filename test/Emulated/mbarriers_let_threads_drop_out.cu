// Threads that leave drop out of the mbarrier, so that the others go on; without, these poll for ever. What is no
// mbarrier is none.
// RUN: %emulate -o %t %s
// RUN: %t dropping && env EMULATED_SEED=2 %t dropping && %t byState
// RUN: %exits 87 %t leaving 2>&1 | %FileCheck %s --check-prefix=LEAVING
// RUN: %exits 87 %t uninitialised 2>&1 | %FileCheck %s --check-prefix=NONE
// RUN: %exits 87 %t tooOften 2>&1 | %FileCheck %s --check-prefix=OFTEN

// LEAVING: emulated: deadlock
// LEAVING: thread 4 polls mbarrier.try_wait.parity at shared address
// LEAVING: exited: threads 3, 40
// NONE: emulated: mbarrier.arrive of an object that is no mbarrier
// OFTEN: emulated: mbarrier.arrive of 3, but the phase waits for 2

#include "Inputs/check.h"

struct Barrier {
  unsigned long long object;
  __device__ unsigned address() { return static_cast<unsigned>(__cvta_generic_to_shared(&object)); }
  __device__ void init(unsigned count) {
    if (threadIdx.x == 0)
      asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(address()), "r"(count) : "memory");
    __syncthreads();
  }
  __device__ void drop() {
    asm volatile("{ .reg .b64 state; mbarrier.arrive_drop.shared.b64 state, [%0]; }" ::"r"(address()) : "memory");
  }
  __device__ unsigned long long arrive() {
    unsigned long long state;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(address()) : "memory");
    return state;
  }
  __device__ void sync(unsigned &parity) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(address()) : "memory");
    asm volatile("{\n"
                 ".reg .pred done;\n"
                 "again:\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 done, [%[address]], %[parity];\n"
                 "@!done bra again;\n"
                 "}" ::[address] "r"(address()),
                 [parity] "r"(parity)
                 : "memory");
    parity ^= 1;
  }
};

template <bool Drop> __device__ void someLeave(int *right) {
  __shared__ Barrier barrier;
  __shared__ unsigned values[4][64];
  barrier.init(64);
  right[threadIdx.x] = 1;
  unsigned parity = 0;
  for (unsigned round = 0; round < 4; ++round) {
    if ((threadIdx.x == 3 && round == 0) || (threadIdx.x == 40 && round == 2)) {
      if (Drop)
        barrier.drop();
      return;
    }
    values[round][threadIdx.x] = threadIdx.x;
    barrier.sync(parity);
    const unsigned other = (threadIdx.x + 1) % 64;
    if (other != 3 && other != 40 && values[round][other] != other)
      right[threadIdx.x] = 0;
  }
}
__global__ void dropping(int *right) { someLeave<true>(right); }
__global__ void leaving(int *right) {
  __shared__ Barrier barrier;
  barrier.init(64);
  unsigned parity = 0;
  if (threadIdx.x == 3 || threadIdx.x == 40)
    return;
  barrier.sync(parity);
}
__global__ void byState(int *right) {
  __shared__ Barrier barrier;
  __shared__ unsigned values[64];
  barrier.init(64);
  values[threadIdx.x] = threadIdx.x;
  const unsigned long long state = barrier.arrive();
  unsigned done = 0;
  while (!done)
    asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                 : "=r"(done)
                 : "r"(barrier.address()), "l"(state)
                 : "memory");
  right[threadIdx.x] = values[63 - threadIdx.x] == 63 - threadIdx.x;
}
__global__ void uninitialised(int *) {
  __shared__ Barrier barrier;
  barrier.arrive();
}
__global__ void tooOften(int *) {
  __shared__ Barrier barrier;
  barrier.init(2);
  asm volatile("mbarrier.arrive.shared.b64 _, [%0], 3;" ::"r"(barrier.address()) : "memory");
}

int main(int argc, char **argv) {
  CASE(dropping, 64)
  CASE(leaving, 64)
  CASE(byState, 64)
  CASE(uninitialised, 32)
  CASE(tooOften, 32)
  return 2;
}
