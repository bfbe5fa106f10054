// A parameter whose copies or ends run code would have one more of them in the fused kernel. One that is handed on by
// reference, or that is copied by its bytes, is fine.
// RUN: rm -rf %t && mkdir %t
// RUN: split-file %s %t.files
// RUN: %exits 1 %cufuse fuse %t.files/kernels.cu:counted --block 64 -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=COPIED '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse %t.files/kernels.cu:ended --block 64 -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=ENDED '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse %t.files/kernels.cu:held --block 64 -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=HELD '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse %t.files/kernels.cu:viewed --block 64 -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=VIEWED '--implicit-check-not={{(error|refused):}}'
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse %t.files/kernels.cu:constant %t.files/kernels.cu:plain --block 64 --block 64 -o %t/out.cu

// COPIED: {{[^ ]*}}kernels.cu:2:{{[0-9]+}}: error: counted: copying or destroying a parameter runs code, and the fused kernel
// COPIED-SAME: hands a copy of its own to the kernel: count has a constructor that copies it [CopiedParameter]
// COPIED: note: pass a structure
// COPIED-SAME: whose copying and destroying are the compiler's, or a pointer
// ENDED: error: {{.*}}: ended has a destructor [CopiedParameter]
// HELD: error: {{.*}}: held has a constructor that copies it [CopiedParameter]
// VIEWED: kernels.cu:13:{{[0-9]+}}: error: {{.*}}: view has no constructor that copies a constant [CopiedParameter]

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
struct Held { // of the host
  int *holders;
  Held(const Held &other) : holders(other.holders) { ++*holders; }
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
__global__ void counted(int *out, Count count) { out[threadIdx.x] = count.copies; }
__global__ void ended(int *out, Ended ended) { out[threadIdx.x] = ended.ends != nullptr; }
__global__ void held(int *out, Held held) { out[threadIdx.x] = held.holders != nullptr; }
__global__ void constant(int *out, const __grid_constant__ Count count) { out[threadIdx.x] = count.copies; }
__global__ void plain(int *out, Plain plain) { out[threadIdx.x] = plain.value; }
struct View {
  int *data;
  __host__ __device__ View(int *data) : data(data) {}
  View(View &) = default;
  View(View &&) = default;
};
__global__ void viewed(View view) { view.data[threadIdx.x] = 1; }
