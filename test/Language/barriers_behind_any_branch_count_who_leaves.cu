// What the device's code does counts, not how a condition is written: by a declaration, a capture, a constructor, a cast,
// an address, a call of a library. So does every barrier, of a destructor, too.
// RUN: %cufuse inspect --full %s | FileCheck %s --implicit-check-not='leaves early'
#include <cuda/std/functional>

// CHECK: declared(int *)
// CHECK: leaves early {{.*}}:[[#@LINE+2]]:{{.*}}: this branch skips a barrier of the block
__global__ void declared(int *out) {
  if (bool late = threadIdx.x > 63)
    return;
  __syncthreads();
  out[threadIdx.x] = 1;
}
// CHECK: switched(int *)
// CHECK: leaves early {{.*}}:[[#@LINE+2]]:{{.*}}: this branch skips a barrier of the block
__global__ void switched(int *out) {
  switch (const unsigned half = threadIdx.x / 64) {
  case 0:
    break;
  default:
    return;
  }
  __syncthreads();
  out[threadIdx.x] = 1;
}
// CHECK: captured(int *)
// CHECK: leaves early {{.*}}: this branch skips a barrier of the block
__global__ void captured(int *out) {
  const auto work = [own = threadIdx.x, out] {
    if (own > 63)
      return;
    __syncthreads();
    out[own] = 1;
  };
  work();
}
struct Begun {
  __device__ Begun(unsigned own, int *out) {
    if (own > 63)
      return;
    __syncthreads();
    out[own] = 1;
  }
};
// CHECK: constructed(int *)
// CHECK: leaves early {{.*}}: this branch skips a barrier of the block
__global__ void constructed(int *out) { Begun begun(threadIdx.x, out); }
struct Ended {
  __device__ ~Ended() { __syncthreads(); }
};
// CHECK: destroyed(int *)
// CHECK: leaves early {{.*}}:[[#@LINE+2]]:{{.*}}: this branch skips a barrier of the block
__global__ void destroyed(int *out) {
  if (threadIdx.x > 63)
    return;
  {
    Ended ended;
    out[threadIdx.x] = 1;
  }
  out[threadIdx.x] = 2;
}
// CHECK: cast(int *)
// CHECK: leaves early {{.*}}:[[#@LINE+4]]:{{.*}}: this branch skips a barrier of the block
__global__ void cast(int *out) {
  int late = 0;
  reinterpret_cast<unsigned &>(late) = threadIdx.x > 63;
  if (late)
    return;
  __syncthreads();
  out[threadIdx.x] = 1;
}
struct Name {
  int &of;
};
// CHECK: named(int *)
// CHECK: leaves early {{.*}}:[[#@LINE+5]]:{{.*}}: this branch skips a barrier of the block
__global__ void named(int *out) {
  int late = 0;
  const Name name{late};
  name.of = threadIdx.x > 63;
  if (late)
    return;
  __syncthreads();
  out[threadIdx.x] = 1;
}
__device__ void number(unsigned *own) { *own = threadIdx.x; }
// CHECK: addressed(int *)
// CHECK: leaves early {{.*}}:[[#@LINE+4]]:{{.*}}: this branch skips a barrier of the block
__global__ void addressed(int *out) {
  unsigned own;
  number(&own);
  if (own < 64) {
    __syncthreads();
    out[own] = 1;
  }
}
struct Worker {
  unsigned own;
  __device__ void work(int *out) {
    if (own < 64) {
      __syncthreads();
      out[own] = 1;
    }
  }
};
// CHECK: member(int *)
// CHECK: leaves early {{.*}}: this branch skips a barrier of the block
__global__ void member(int *out) {
  Worker worker{threadIdx.x};
  worker.work(out);
}
// CHECK: invoked(int *)
// CHECK: leaves early {{.*}}: this branch skips a barrier of the block
__global__ void invoked(int *out) {
  cuda::std::invoke(
      [out](unsigned own) {
        if (own > 63)
          return;
        __syncthreads();
        out[own] = 1;
      },
      threadIdx.x);
}
// Both sides wait, one of them more often.
// CHECK: uneven(int *)
// CHECK: leaves early {{.*}}:[[#@LINE+2]]:{{.*}}: this branch skips a barrier of the block
__global__ void uneven(int *out) {
  if (threadIdx.x < 64) {
    __syncthreads();
    __syncthreads();
  } else {
    __syncthreads();
  }
  out[threadIdx.x] = 1;
}

// CHECK: even(int *)
__global__ void even(int *out) {
  if (threadIdx.x < 64) {
    out[threadIdx.x] = 1;
    __syncthreads();
  } else {
    __syncthreads();
    out[threadIdx.x] = 2;
  }
}
// CHECK: uniform(int *, int)
__global__ void uniform(int *out, int n) {
  const Worker worker{blockIdx.x};
  if (const bool last = worker.own + 1 == gridDim.x && n > 0) {
    Ended ended;
    __syncthreads();
  }
  for (int i = 0; i < n; ++i) {
    assert(out[threadIdx.x] >= 0);
    if (__syncthreads_or(threadIdx.x == i))
      break;
  }
  out[threadIdx.x] = 1;
}
