// Libraries read for a partition must be told of it: where its barrier, its place in the block or its size is not the
// one they take, and where one of its warps leaves a group's barrier out, the change is found.
// RUN: rm -rf %t && split-file %s %t && mkdir %t/barrier %t/place %t/size %t/alone
// RUN: %cufuse fuse %t/kernels.cu:grouped %t/kernels.cu:scanned --block 96 --block 128 --grid-policy stride --name fused \
// RUN:   -o %t/fused.cu
// RUN: %emulate -I %S/../Running/Inputs -I %t --object %t/main.o %t/main.cu
// RUN: %emulate --seed 1 --seed 2 -I %S/../Running/Inputs -I %t %t/main.o %t/fused.cu
// RUN: cp %t/fused.h %t/barrier && cp %t/fused.h %t/place && cp %t/fused.h %t/size && cp %t/fused.h %t/alone
//
// RUN: %python %S/Inputs/substitute.py %t/fused.cu '#define __barrier_sync ::fused::CufuseBlock::__barrier_sync' \
// RUN:   '#define __barrier_sync(id) ::fused::CufusePartition<96, 2, 128, 1, 1>::sync()' > %t/barrier/fused.cu
// RUN: %exits 87 %emulate -I %S/../Running/Inputs -I %t %t/main.o %t/barrier/fused.cu 2>&1 | %FileCheck %s --check-prefix=BARRIER
// BARRIER: emulated: deadlock in block ({{[01]}}, 0, 0) of grid (2, 1, 1), block shape (224, 1, 1)
// BARRIER: barrier 2 (sync), expected 128, arrived 96; waiting: threads
//
// RUN: %python %S/Inputs/substitute.py %t/fused.cu '#define threadIdx ::fused::CufuseBlock::threadIdx()' '' > %t/place/fused.cu
// RUN: not %emulate -I %S/../Running/Inputs -I %t %t/main.o %t/place/fused.cu 2>&1 | %FileCheck %s --check-prefix=PLACE
// PLACE: {{stride: .* differs|emulated: }}
//
// RUN: %python %S/Inputs/substitute.py %t/fused.cu '#define blockDim ::fused::CufuseBlock::blockDim()' '' > %t/size/fused.cu
// RUN: not %emulate -I %S/../Running/Inputs -I %t %t/main.o %t/size/fused.cu 2>&1 | %FileCheck %s --check-prefix=SIZE
// SIZE: stride: a differs
//
// RUN: %python %S/Inputs/substitute.py %t/fused.cu 'cg::sync(block);' 'if (rank / 32 != 1) cg::sync(block);' > %t/alone/fused.cu
// RUN: %exits 87 %emulate -I %S/../Running/Inputs -I %t %t/main.o %t/alone/fused.cu 2>&1 | %FileCheck %s --check-prefix=ALONE
// ALONE: emulated: deadlock in block ({{[01]}}, 0, 0) of grid (2, 1, 1), block shape (224, 1, 1)
// ALONE: barrier 1 (sync), expected 96, arrived {{32|64}}; waiting: threads

//--- kernels.cu
#include <cooperative_groups.h>
#include <cub/block/block_scan.cuh>

namespace cg = cooperative_groups;

// Every thread reads what another one wrote, until the end; it has other barriers than the other kernel.
__global__ void grouped(const int *in, int *out) {
  __shared__ int values[96];
  const cg::thread_block block = cg::this_thread_block();
  const unsigned rank = block.thread_rank();
  int sum = 0;
  for (unsigned i = 1; i < 12; ++i) {
    values[rank] = in[blockIdx.x * block.size() + rank] * i;
    cg::sync(block);
    sum += values[(rank + i * 31) % block.size()] + block.size();
    block.sync();
  }
  out[blockIdx.x * 96 + rank] = sum;
}

__global__ void scanned(const int *in, int *out) {
  using Scan = cub::BlockScan<int, 128>;
  __shared__ Scan::TempStorage memory;
  int value = in[blockIdx.x * 128 + threadIdx.x];
  Scan(memory).InclusiveSum(value, value);
  out[blockIdx.x * 128 + threadIdx.x] = value;
}

//--- main.cu
#include "both.h"
#include "kernels.cu"

#include "fused.h"

int main() {
  Array<int> in(2048), a(2048), b(2048);
  Both both;
  both.output("a", a), both.output("b", b);
  return both.same(
             "stride", [&] { grouped<<<7, 96>>>(in, a), scanned<<<9, 128>>>(in, b); },
             [&] { require(fused::launch({7, {in, a}}, {9, {in, b}}), "fused"); })
             ? 0
             : 1;
}
