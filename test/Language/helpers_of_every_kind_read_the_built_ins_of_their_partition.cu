// Free functions, functors, member functions, lambdas and operators that read all four built-in variables.
// RUN: %cufuse fuse %s:freeFunctions '%s:functors<Strided, Scale>' %s:locals --block 128 --block 16x6 --block 64 -o %t.cu
// RUN: %FileCheck %s < %t.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -cubin -o %t.cubin %t.cu

// CHECK: #define blockIdx cufuse_partition::indices().blockIdx
// CHECK: #define gridDim cufuse_partition::indices().gridDim

__device__ unsigned globalIndex() { return blockIdx.x * blockDim.x + threadIdx.x; }
__device__ unsigned globalThreads() { return gridDim.x * blockDim.x; }

__global__ void freeFunctions(float *data, unsigned n) {
  for (unsigned i = globalIndex(); i < n; i += globalThreads())
    data[i] += 1.0f;
}

struct Strided {
  unsigned count;
  __device__ explicit Strided(unsigned count) : count(count), first(blockIdx.x * blockDim.x * blockDim.y + threadIdx.y * blockDim.x + threadIdx.x) {}
  __device__ unsigned begin() const { return first; }
  __device__ unsigned step() const;
private:
  unsigned first;
};
__device__ unsigned Strided::step() const { return gridDim.x * blockDim.x * blockDim.y; }

struct Scale {
  __device__ float operator()(float x) const { return x * (threadIdx.y + 1); }
};
struct Vector {
  float x, y;
};
__device__ Vector operator*(const Vector &v, float s) { return Vector{v.x * s + threadIdx.x, v.y * s + blockIdx.x}; }

template <typename Range, typename Apply> __global__ void functors(float *data, unsigned n) {
  const Range range(n);
  const Apply apply{};
  for (unsigned i = range.begin(); i < n; i += range.step()) {
    const Vector v = Vector{data[i], 1.0f} * 2.0f;
    data[i] = apply(v.x) + v.y;
  }
}

__global__ void locals(float *data, int n) {
  struct Index {
    int offset;
    __device__ int at() const { return blockIdx.x * blockDim.x + threadIdx.x + offset; }
  };
  auto plain = [] { return blockIdx.x * blockDim.x + threadIdx.x; };
  auto all = [&](int i) { return i < n ? data[i] + threadIdx.x + gridDim.x : 0.0f; };
  auto some = [data, k = 2](auto i) { data[i] *= k + blockIdx.x; };
  const Index index{0};
  if (index.at() < n) {
    data[plain()] = all(index.at());
    some(plain());
  }
}
