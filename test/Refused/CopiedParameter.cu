// A parameter whose copies are made by code is handed on by the bytes of the one copy. Its end, which the launcher would not
// leave where the launch has it, must do nothing; an element of a chain has no copy of its own; of a pack, all parameters
// would be references.
// RUN: rm -rf %t && mkdir %t
// RUN: split-file %s %t.files
// RUN: %exits 1 %cufuse fuse %t.files/kernels.cu:ended %t.files/kernels.cu:holder %t.files/kernels.cu:otherOnHost \
// RUN:   %t.files/kernels.cu:'packed<int,Count>' --block 64 -o %t/out.cu 2>&1 | FileCheck %s
// RUN: %exits 1 %cufuse fuse --in-registers %t.files/kernels.cu:first %t.files/kernels.cu:second --link first.out=second.in \
// RUN:   --link first.n=second.n --block 64 -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=ELEMENT
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse %t.files/kernels.cu:quiet %t.files/kernels.cu:'packed<int,Plain>' --block 64 --block 64 -o %t/out.cu

// CHECK: kernels.cu:2:{{[0-9]+}}: error: ended: a parameter cannot be handed on by the bytes of the copy that a launch
// CHECK-SAME: makes: ended has a destructor that runs code [CopiedParameter]
// CHECK: note: pass a structure
// CHECK-SAME: whose copying and destroying are the compiler's, or a pointer
// CHECK: error: holder: {{.*}}: holder has a destructor that runs code [CopiedParameter]
// CHECK: error: otherOnHost: {{.*}}: other has a destructor that runs code [CopiedParameter]
// CHECK: error: packed: {{.*}}: rest is one of a pack [CopiedParameter]
// CHECK-NOT: error:
// ELEMENT: error: {{.*}}: count is a kernel's own [CopiedParameter]
// ELEMENT: error: {{.*}}: ticket is a kernel's own [CopiedParameter]

//--- types.h
#pragma once
struct Count {
  int copies;
  __host__ __device__ explicit Count(int copies) : copies(copies) {}
  __host__ __device__ Count(const Count &other) : copies(other.copies + 1) {}
};
struct Ended {
  int *ends;
  __host__ __device__ ~Ended() { ++*ends; }
};
struct Holder {
  Ended ended[2];
  __host__ __device__ ~Holder() {}
};
struct OtherOnHost {
  int *ends;
  __host__ __device__ ~OtherOnHost() {
#ifndef __CUDA_ARCH__
    ++*ends;
#endif
  }
};
struct Quiet {
  Count count;
  __host__ __device__ Quiet() : count(1) {}
  __host__ __device__ virtual ~Quiet() {}
};
struct Ticket {
  mutable int next;
  __host__ __device__ Ticket(const Ticket &other) : next(other.next) {}
};
struct Plain {
  int value;
  Plain() = default;
  __host__ __device__ explicit Plain(int value) : value(value) {}
  __host__ __device__ Plain &operator=(const Plain &other) {
    value = other.value + 1;
    return *this;
  }
};

//--- kernels.cu
#include "types.h"
__global__ void ended(int *out, Ended ended) { out[threadIdx.x] = ended.ends != nullptr; }
__global__ void holder(int *out, const Holder holder) { out[threadIdx.x] = holder.ended[1].ends != nullptr; }
__global__ void otherOnHost(int *out, OtherOnHost other) { out[threadIdx.x] = other.ends != nullptr; }
__global__ void quiet(int *out, Quiet quiet) { out[threadIdx.x] = quiet.count.copies; }
template <typename... Ts> __global__ void packed(int *out, Ts... rest) { out[threadIdx.x] = sizeof...(rest); }
template __global__ void packed(int *, int, Count);
template __global__ void packed(int *, int, Plain);
__global__ void first(const float *__restrict__ in, float *__restrict__ out, Count count, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] * count.copies;
}
__global__ void second(const float *__restrict__ in, float *__restrict__ out, const Ticket ticket, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] + ticket.next++;
}
