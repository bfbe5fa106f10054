// What is stored by a pointer that was loaded, or computed, may be what another block asks for: by the same table, list,
// or number. So may what library functions and asynchronous copies store.
// RUN: %cufuse inspect --full %s -- -std=c++17 | FileCheck %s
#include <cuda_fp16.h>
#include <mma.h>

#define MEETS                                                                                                          \
  do {                                                                                                                 \
    __shared__ int s[64];                                                                                              \
    s[threadIdx.x] = in[threadIdx.x];                                                                                  \
    __syncthreads();                                                                                                   \
    out[64 + threadIdx.x] = s[63 - threadIdx.x];                                                                       \
  } while (0)
#define SETS(name, parameter, set, flag)                                                                               \
  __global__ void name(parameter, int *out, const int *in, int n) {                                                    \
    for (int r = 0; r < 4; ++r) {                                                                                      \
      const int k = in[r + blockIdx.x] & 3;                                                                            \
      if (threadIdx.x == 0 && in[r])                                                                                   \
        set;                                                                                                           \
      __syncthreads();                                                                                                 \
      if (flag)                                                                                                        \
        return;                                                                                                        \
      MEETS;                                                                                                           \
    }                                                                                                                  \
  }

struct Task {
  int cancelled;
  Task *peer;
};
struct Table {
  int *flags[4];
};
union Address {
  int *pointer;
  unsigned long long number;
};

// CHECK: byTable(
// CHECK: leaves early
SETS(byTable, Task *const *tasks, tasks[k]->cancelled = 1, tasks[r]->cancelled)
// CHECK: byMember(
// CHECK: leaves early
SETS(byMember, Table table, *table.flags[k] = 1, *table.flags[0])
// CHECK: byNumber(
// CHECK: leaves early
SETS(byNumber, unsigned long long base, *(int *)(base + k * 4) = 1, *(int *)base)
// CHECK: byUnion(
// CHECK: leaves early
SETS(byUnion, Address flags, *(int *)(flags.number + k * 4) = 1, *flags.pointer)
// CHECK: byList(
// CHECK: leaves early
SETS(byList, Task *root, root->peer->peer->cancelled = 1, root->peer->cancelled)
// CHECK: byPeer(
// CHECK: leaves early
SETS(byPeer, Task *tasks, tasks[blockIdx.x].peer->cancelled = 1, tasks[blockIdx.x].cancelled)
__device__ int *known[4];
// CHECK: byVariable(
// CHECK: leaves early
SETS(byVariable, int, *known[k] = 1, *known[0])
// CHECK: byHint(
// CHECK: leaves early
SETS(byHint, int *found, __stcg(found, 1), *found)
// CHECK: byHintOfFour(
// CHECK: leaves early
SETS(byHintOfFour, int4 *found, __stcs(found, make_int4(1, 2, 3, 4)), found->x)
// CHECK: byLibrary(
// CHECK: leaves early
SETS(byLibrary, float *found, sincosf(in[r], out + r == nullptr ? found : found + 1, found), *found > 0)
// CHECK: byRemainder(
// CHECK: leaves early
SETS(byRemainder, int *found, out[k] = remquof(in[r], 3, found), *found)
// CHECK: byBulkCopy(
// CHECK: leaves early
SETS(byBulkCopy, int *found,
     asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 16;" ::"l"(found), "r"(k * 16) : "memory"),
     *found)
// CHECK: byReduction(
// CHECK: leaves early
SETS(byReduction, int *found,
     asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], 16;" ::"l"(found), "r"(k * 16)
                  : "memory"),
     *found)

// CHECK: byStack(
// CHECK: leaves early
__global__ void byStack(int *skipped, int *stop, int *out, const int *in) {
  int *const flags[2] = {skipped, stop};
  for (int r = 0; r < 4; ++r) {
    if (threadIdx.x == 0)
      *flags[in[r + blockIdx.x] & 1] = 1;
    __syncthreads();
    if (*stop)
      return;
    MEETS;
  }
}
// CHECK: byShared(
// CHECK: leaves early
__global__ void byShared(int *skipped, int *stop, int *out, const int *in) {
  __shared__ int *flags[2];
  if (threadIdx.x < 2)
    flags[threadIdx.x] = threadIdx.x ? stop : skipped;
  __syncthreads();
  for (int r = 0; r < 4; ++r) {
    if (threadIdx.x == 0)
      *flags[in[r + blockIdx.x] & 1] = 1;
    __syncthreads();
    if (*stop)
      return;
    MEETS;
  }
}
// CHECK: byDistance(
// CHECK: leaves early
__global__ void byDistance(int *skipped, int *stop, int *out, const int *in) {
  const long long distance = stop - skipped;
  for (int r = 0; r < 4; ++r) {
    if (threadIdx.x == 0)
      skipped[distance + (in[r + blockIdx.x] & 1)] = 1;
    __syncthreads();
    if (*stop)
      return;
    MEETS;
  }
}
// CHECK: byMatrix(
// CHECK: leaves early
__global__ void byMatrix(float *found, int *out, const int *in) {
  using namespace nvcuda::wmma;
  for (int r = 0; r < 4; ++r) {
    if (threadIdx.x / 32 == r % 2) {
      fragment<accumulator, 16, 16, 16, float> sums;
      fill_fragment(sums, in[0]);
      store_matrix_sync(found, sums, 16, mem_row_major);
    }
    __syncthreads();
    if (*found > 0)
      return;
    MEETS;
  }
}

// Other tables, other members and other arguments lead elsewhere.
struct Batch {
  float **out;
  const float *const *in;
  const int *lengths;
  int n;
};
// CHECK: batched(
// CHECK-NOT: leaves early
__global__ void batched(Batch batch) {
  __shared__ float tile[64];
  const int n = batch.lengths[blockIdx.x];
  if (n == 0 || *batch.in[blockIdx.x] < 0)
    return;
  tile[threadIdx.x] = batch.in[blockIdx.x][threadIdx.x];
  __syncthreads();
  batch.out[blockIdx.x][threadIdx.x] = tile[63 - threadIdx.x];
}
// CHECK: byTables(
// CHECK-NOT: leaves early
__global__ void byTables(const float *const *in, float *const *out, float *sines, const int *lengths) {
  __shared__ float tile[64];
  float sine = 0, cosine = 0;
  for (int r = 0; r < lengths[blockIdx.x] && in[blockIdx.x][r] > 0; ++r) {
    tile[threadIdx.x] = in[blockIdx.x][threadIdx.x];
    __syncthreads();
    sincosf(tile[63 - threadIdx.x], &sine, &cosine);
    out[blockIdx.x][threadIdx.x] = sine;
    sincosf(tile[63 - threadIdx.x], &sines[threadIdx.x], &cosine);
    __syncthreads();
  }
}
// CHECK: control(
// CHECK: leaves early
SETS(control, int *found, *found = 1, *found)
