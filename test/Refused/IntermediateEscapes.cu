// The pointer to the intermediate may not be kept in a class or cast to another type of its size, nor may a reference to
// what it leads to be.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse --in-registers --vertical %s:helps %s:take --block 128 \
// RUN:   --link helps.mid=take.in --link helps.n=take.n -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=HELPS '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse --in-registers --vertical %s:wide %s:take --block 128 \
// RUN:   --link wide.mid=take.in --link wide.n=take.n -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=WIDE '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse --in-registers --vertical %s:eachTime %s:take --block 128 \
// RUN:   --link eachTime.mid=take.in --link eachTime.n=take.n -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=VOLATILE '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse --in-registers --vertical %s:moved %s:take --block 128 \
// RUN:   --link moved.mid=take.in --link moved.n=take.n -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=MOVED '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse --in-registers --vertical %s:doubled %s:inherited --block 128 \
// RUN:   --link doubled.mid=inherited.in --link doubled.n=inherited.n --dead doubled.mid -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=INHERITED '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse --in-registers --vertical %s:doubled %s:initialised --block 128 \
// RUN:   --link doubled.mid=initialised.in --link doubled.n=initialised.n --dead doubled.mid -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=INITIALISED '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse --in-registers --vertical %s:partly %s:whole --block 64 \
// RUN:   --link partly.mid=whole.in --link partly.n=whole.n -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=PARTLY '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse --in-registers --vertical %s:turned %s:whole --block 64 \
// RUN:   --link turned.mid=whole.in --link turned.n=whole.n -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=TURNED '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse --in-registers --vertical %s:again %s:take --block 64 \
// RUN:   --link again.mid=take.in --link again.n=take.n -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=AGAIN '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse --in-registers --vertical %s:doubled %s:kept --block 16x16 --recompute any \
// RUN:   --link doubled.mid=kept.in --dead doubled.mid -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=KEPT '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse --in-registers --vertical %s:pairs %s:members --block 16x16 --recompute any \
// RUN:   --link pairs.mid=members.in --dead pairs.mid -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=MEMBERS '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse --in-registers --vertical %s:doubled %s:previous --block 16x16 --recompute any \
// RUN:   --link doubled.mid=previous.in --dead doubled.mid -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=PREVIOUS '--implicit-check-not={{(error|refused):}}'
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse --in-registers --vertical %s:doubled %s:read --block 16x16 --recompute any --link doubled.mid=read.in \
// RUN:   --dead doubled.mid -o %t/out.cu
// RUN: %cufuse fuse --in-registers --vertical %s:pairs %s:copies --block 16x16 --recompute any --link pairs.mid=copies.in \
// RUN:   --dead pairs.mid -o %t/out.cu

#include "Inputs/elements.h"

struct View {
  float *to;
  __device__ void put(int i) { to[i] = i; }
};
__global__ void helps(float *__restrict__ mid, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  // HELPS: {{[^ ]*}}:[[#@LINE+2]]:13: error: the pointer to the intermediate is used otherwise than as p[i]: helps: mid
  // HELPS: note: index the parameter itself, or hand it to functions, moved or not
  View view{mid};
  if (i < n)
    view.put(i);
}

__global__ void wide(float *__restrict__ mid, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    // WIDE: error: {{.*}} wide: reinterpret_cast<unsigned *>(mid)[i] at {{.*}} [IntermediateEscapes]
    reinterpret_cast<unsigned *>(mid)[i] = 1;
}

__global__ void eachTime(float *__restrict__ mid, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  // VOLATILE: {{[^ ]*}}:[[#@LINE+1]]:{{[0-9]+}}: error: the pointer to the intermediate is used otherwise than as p[i]: eachTime: mid
  volatile float *to = mid;
  if (i < n)
    to[i] = i;
}

__global__ void moved(float *__restrict__ mid, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float tile[128];
  float *to = mid;
  to += blockIdx.x * blockDim.x;
  tile[threadIdx.x] = i;
  __syncthreads();
  if (i < n) {
    // MOVED: {{[^ ]*}}:[[#@LINE+1]]:12: error: the pointer to the intermediate is used otherwise than as p[i]: {{.*}} [IntermediateEscapes]
    float &same = (to[threadIdx.x] = tile[127 - threadIdx.x]);
  }
}

__global__ void take(const float *__restrict__ in, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] + 1;
}

// Constructors without a text of their own reach beside the element.
struct Beside {
  float value;
  __device__ Beside(const float &at, int by) : value(at + (&at)[by]) {}
};
struct Inherits : Beside {
  using Beside::Beside;
};
struct Refers {
  const float &at;
  __device__ Refers(const float &at) : at(at) {}
};
struct Initialises : Refers {
  using Refers::Refers;
  float next = (&at)[1];
};

__global__ void doubled(const float *__restrict__ in, float *__restrict__ mid, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    mid[i] = 2 * in[i];
}

__global__ void inherited(const float *__restrict__ in, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    // INHERITED: error: {{.*}} inherited: {{.*}}[IntermediateEscapes]
    const Inherits both(in[i], i > 0 ? -1 : 0);
    out[i] = both.value;
  }
}

__global__ void initialised(const float *__restrict__ in, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    // INITIALISED: {{[^ ]*}}:[[#@LINE+1]]:28: error: {{.*}} initialised: {{.*}}[IntermediateEscapes]
    const Initialises both(in[i]);
    out[i] = both.next;
  }
}

// An assignment of the user's may leave a part as it was in memory, in a loop and at stores.
__global__ void partly(Pixel *__restrict__ mid, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    // PARTLY: {{[^ ]*}}:[[#@LINE+1]]:5: error: {{.*}} partly: mid[i] at {{.*}} [IntermediateEscapes]
    mid[i] = 3.f * i;
}
__global__ void turned(Pixel *__restrict__ mid, int n) {
  __shared__ float tile[64];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = i;
  __syncthreads();
  if (i < n)
    // TURNED: {{[^ ]*}}:[[#@LINE+1]]:5: error: {{.*}} turned: mid[i] at {{.*}} [IntermediateEscapes]
    mid[i] = tile[63 - threadIdx.x];
}
__global__ void whole(const Pixel *__restrict__ in, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i].value * in[i].count;
}

// What a store gives is the element, which is assigned to again.
__global__ void again(float *__restrict__ mid, int n) {
  __shared__ float tile[64];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = i;
  __syncthreads();
  if (i < n)
    // AGAIN: {{[^ ]*}}:[[#@LINE+1]]:5: error: {{.*}} again: (mid[i] = {{.*}} [IntermediateRead]
    (mid[i] = tile[63 - threadIdx.x]) *= 2;
}

// A reference to an element that is computed where it is read ends with the statement.
struct Viewed {
  const float *first;
  __device__ explicit Viewed(const float &value) : first(&value) {}
};
struct Kept {
  const float *element = nullptr;
  __device__ void take(Viewed viewed) { element = viewed.first; }
  Kept() = default;
  __device__ explicit Kept(const float &value) : element(&value) {}
  __device__ void keep(const float &value) { element = &value; }
};
__device__ void keepIn(const float *&slot, const float &value) { slot = &value; }
__device__ const float &larger(const float &a, const float &b) { return a < b ? b : a; }
__global__ void kept(const float *__restrict__ in, float *__restrict__ out, int w, int h) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h) {
    Kept a;
    // KEPT: {{[^ ]*}}:[[#@LINE+1]]:12: error: the pointer to the intermediate is used otherwise than as p[i]: kept: in[
    a.keep(in[y * w + x]);
    // KEPT: {{[^ ]*}}:[[#@LINE+1]]:18: error: the pointer to the intermediate is used otherwise than as p[i]: kept: in[
    const Kept b(in[y * w + x]);
    const float zero = 0;
    const float &c = larger(in[y * w + x], zero);
    const float *slot, *other;
    // KEPT: {{[^ ]*}}:[[#@LINE+1]]:18: error: the pointer to the intermediate is used otherwise than as p[i]: kept: in[
    keepIn(slot, in[y * w + x]);
    // KEPT: {{[^ ]*}}:[[#@LINE+1]]:19: error: the pointer to the intermediate is used otherwise than as p[i]: kept: in[
    a.take(Viewed(in[y * w + x]));
    // KEPT: {{[^ ]*}}:[[#@LINE+1]]:33: error: the pointer to the intermediate is used otherwise than as p[i]: kept: in[
    const float *first = Viewed(in[y * w + x]).first;
    auto keep = [&other](const float &value) { other = &value; };
    // KEPT: {{[^ ]*}}:[[#@LINE+1]]:10: error: the pointer to the intermediate is used otherwise than as p[i]: kept: in[
    keep(in[y * w + x]);
    out[x * h + y] = *a.element + *b.element + c + *slot + *other + *first;
  }
}

// What is kept is read where another element is handed over.
struct Previous {
  const float *element;
  __device__ float next(const float &value) {
    const float sum = *element + value;
    element = &value;
    return sum;
  }
};
__global__ void previous(const float *__restrict__ in, float *__restrict__ out, int w, int h) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h) {
    const float zero = 0;
    Previous previous = {&zero};
    // PREVIOUS: {{[^ ]*}}:[[#@LINE+1]]:35: error: {{.*}}: previous: in[
    const float a = previous.next(in[y * w + x]);
    // PREVIOUS: {{[^ ]*}}:[[#@LINE+1]]:40: error: {{.*}}: previous: in[
    out[x * h + y] = a + previous.next(in[y * w + x]);
  }
}

__global__ void pairs(const float *__restrict__ in, Two *__restrict__ mid, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    const Two two = {in[i], 2};
    mid[i] = two;
  }
}
__global__ void members(const Two *__restrict__ in, float *__restrict__ out, int w, int h) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h) {
    // MEMBERS: {{[^ ]*}}:[[#@LINE+1]]:22: error: {{.*}}: members: in[
    const float &a = in[y * w + x][0];
    // MEMBERS: {{[^ ]*}}:[[#@LINE+1]]:22: error: {{.*}}: members: in[
    const float *b = in[y * w + x].data();
    out[x * h + y] = a + *b + in[y * w + x].sum() + in[y * w + x][1];
  }
}

// What only reads the value keeps no reference, nor does what copies it, or hands it on to such.
struct Larger {
  __device__ const float operator()(const float &a, const float &b) const { return a < b ? b : a; }
};
template <typename T> struct Values {
  T *data;
  __device__ void set(int i, const T &value) { data[i] = value; }
};
__global__ void read(const float *__restrict__ in, float *__restrict__ out, int w, int h) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  float own[2] = {}, most = 0;
  Values<float> values{own};
  if (x < w && y < h) {
    values.set(x & 1, in[y * w + x]);
    auto see = [&](const float &value) { most = Larger()(most, value); };
    see(in[y * w + x]);
    out[x * h + y] = own[0] + own[1] + most;
  }
}
__global__ void copies(const Two *__restrict__ in, float *__restrict__ out, int w, int h) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  Two own[2] = {};
  Values<Two> values{own};
  if (x < w && y < h) {
    values.set(x & 1, in[y * w + x]);
    out[x * h + y] = own[0].sum() + own[1].sum();
  }
}
