// Special registers in assembly are those of the partition, and barriers that kernels name have numbers of their own.
// RUN: split-file %s %t
// RUN: %cufuse fuse %t/kernels.cu:registers '%t/kernels.cu:halves<5>' '%t/kernels.cu:halves<5>' %t/kernels.cu:handed \
// RUN:   --block 16x4 --block 128 --block 128 --block 64 --name match -o %t/match.cu
// RUN: %cufuse fuse %t/kernels.cu:registers '%t/kernels.cu:halves<7>' --block 16x4 --block 128 --grid-policy stride \
// RUN:   --name stride -o %t/stride.cu
// RUN: %cufuse fuse '%t/kernels.cu:halves<7>' --block 128 --name alone -o %t/alone.cu
// RUN: %cufuse fuse %t/kernels.cu:helped %t/kernels.cu:handed --block 128 --block 64 --copies 2 --copies 1 --name helps \
// RUN:   -o %t/helps.cu
// RUN: FileCheck %s --input-file=%t/match.cu
// RUN: FileCheck %s --check-prefix=HELPS --input-file=%t/helps.cu
// RUN: %execute -I %S/Inputs -I %t %t/main.cu %t/match.cu %t/stride.cu %t/alone.cu %t/helps.cu
// HELPS: cufuse_barrier(unsigned barrier) { return cufuse_partition::named(barrier == 1 ? 0 : barrier == 4 ? 1 : 2); }
// CHECK: // threads   64 to  191: halves<5>, block 128, barrier 2
// CHECK: // threads  192 to  319: halves<5>, block 128, barrier 6
// CHECK: // threads  320 to  383: handed, block 64, barrier 10
// CHECK: asm("mov.u32 %0, %1;" : "=r"(index) : "r"(blockIdx.x));
// CHECK: asm volatile("{ .reg .u32 row, width, column; mov.u32 row, %2; mov.u32 width, %3;\n\t"
// CHECK: "mov.u32 column, %4; mad.lo.u32 row, row, width, column;\n\t"
// CHECK: : "=r"(thread) : "r"(3), "r"(threadIdx.y), "r"(blockDim.x), "r"(threadIdx.x) : "memory");
// CHECK: asm("mov.u32 %0, %1" ";" : "=r"(size) : "r"(gridDim.x))
// CHECK: using cufuse_partition = match::CufusePartition<64, 2, 128, 1, 1>;
// CHECK-NEXT: constexpr unsigned cufuse_barrier(unsigned barrier) { return cufuse_partition::named(barrier == 1 ? 0 : barrier == 5 ? 1 : 2); }
// CHECK: asm volatile("bar.sync %0, 64;" : :  "n"(cufuse_barrier(1)) : "memory");
// CHECK: asm volatile("bar.sync %0, %1;" ::"n"(cufuse_barrier(Id)), "r"(64) : "memory");
// CHECK: asm volatile("barrier.cta.sync %0, %1;" ::"n"(cufuse_barrier(Id + 1)), "n"(cufuse_partition::PaddedThreads) : "memory");
// CHECK: cufuse_partition::sync();

//--- kernels.cu
__device__ int block() {
  unsigned index;
  asm("mov.u32 %0, %%ctaid.x;" : "=r"(index));
  return index;
}

// Macros of assembly are written out; a name may stand in two strings.
#define READ(to, from) asm("mov.u32 %0, %%" #from ";" : "=r"(to))
#define MEET(number) asm volatile("barrier.sync " #number ", 64;" ::: "memory")

__global__ void registers(const int *in, int *out) {
  unsigned thread, size, warp;
  asm volatile("{ .reg .u32 row, width, column; mov.u32 row, %%tid.y; mov.u32 width, %%ntid.x;\n\t"
               "mov.u32 column, %%tid.x; mad.lo.u32 row, row, width, column;\n\t"
               "add.u32 %0, row, %1; }" : "=r"(thread) : "r"(3) : "memory");
  READ(size, nctaid.x);
  asm("mov.u32 %0, %%warpid;" : "=r"(warp));
  out[block() * 64 + thread - 3] = in[thread] + size + warp * 0;
}

// Each half waits for itself, then all for all.
template <int Id> __global__ void halves(const int *in, int *out) {
  __shared__ int tile[128];
  tile[threadIdx.x] = in[blockIdx.x * 128 + threadIdx.x];
  if (threadIdx.x < 64)
    asm volatile("bar.sync 1, 64;" : : : "memory");
  else
    asm volatile("bar.sync %0, %1;" ::"n"(Id), "r"(64) : "memory");
  const int other = tile[threadIdx.x ^ 63];
  asm volatile("barrier.cta.sync %0;" ::"n"(Id + 1) : "memory");
  tile[threadIdx.x] = other;
  asm volatile("bar.sync 0;" ::: "memory");
  out[blockIdx.x * 128 + threadIdx.x] = tile[127 - threadIdx.x];
}

// A helper's argument is the number, which the code knows.
__device__ void meet(int id, int threads) { asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory"); }
struct Named {
  unsigned id;
  __device__ void sync() const { __barrier_sync_count(id, 128); }
};
__global__ void helped(const int *in, int *out) {
  __shared__ int tile[128];
  tile[threadIdx.x] = in[blockIdx.x * 128 + threadIdx.x];
  if (threadIdx.x < 64)
    meet(1, 64);
  else
    meet(4, 64);
  const int other = tile[threadIdx.x ^ 63];
  Named{6}.sync();
  tile[threadIdx.x] = other;
  __syncthreads();
  out[blockIdx.x * 128 + threadIdx.x] = tile[127 - threadIdx.x];
}

// One warp fills, the other reads.
__global__ void handed(const int *in, int *out) {
  __shared__ int values[32];
  for (int round = 0; round < 3; ++round) {
    if (threadIdx.x < 32) {
      values[threadIdx.x] = in[(blockIdx.x * 3 + round) * 32 + threadIdx.x];
      MEET(2);
      asm volatile("bar.sync 3, 64;" ::: "memory");
    } else {
      asm volatile("barrier.sync 2, 64;" ::: "memory");
      out[(blockIdx.x * 3 + round) * 32 + threadIdx.x - 32] = values[63 - threadIdx.x];
      asm volatile("bar.arrive 3, 64;" ::: "memory");
    }
  }
}

//--- main.cu
#include "both.h"
#include "kernels.cu"

#include "alone.h"
#include "helps.h"
#include "match.h"
#include "stride.h"

int main() {
  Array<int> in(4096), a(4096), b(4096), c(4096), d(4096);
  Both both;
  both.output("a", a), both.output("b", b), both.output("c", c), both.output("d", d);
  bool good = true;
  good &= both.same(
      "match",
      [&] {
        registers<<<11, dim3(16, 4)>>>(in, a), halves<5><<<9, 128>>>(in, b), halves<5><<<7, 128>>>(in, c);
        handed<<<5, 64>>>(in, d);
      },
      [&] {
        require(match::launch({11, {in, a}}, {9, {in, b}}, {7, {in, c}}, {5, {in, d}}), "match");
      });
  good &= both.same("stride", [&] { registers<<<11, dim3(16, 4)>>>(in, a), halves<7><<<9, 128>>>(in, b); },
                    [&] { require(stride::launch({11, {in, a}}, {9, {in, b}}), "stride"); });
  good &= both.same("alone", [&] { halves<7><<<9, 128>>>(in, b); }, [&] { require(alone::launch({9, {in, b}}), "alone"); });
  good &= both.same("helps", [&] { helped<<<9, 128>>>(in, b), handed<<<5, 64>>>(in, d); },
                    [&] { require(helps::launch({9, {in, b}}, {5, {in, d}}), "helps"); });
  return good ? 0 : 1;
}
