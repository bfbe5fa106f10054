// What a function, a method or another name leaves in a variable may differ between threads, so a return that depends on
// it counts.
// RUN: %cufuse inspect --full %s | FileCheck %s --implicit-check-not='leaves early'
__device__ void fill(int *values, int with) { values[0] = with; }
__device__ void set(int &value, int to) { value = to; }
struct Range {
  int begin = 0;
  __device__ void start(int at) { begin = at; }
  __device__ bool isEmpty() const { return begin > 100; }
  __device__ Range &operator+=(int by) {
    begin += by;
    return *this;
  }
};

// CHECK: array(float *)
// CHECK: leaves early {{.*}}: this branch skips a barrier of the block
__global__ void array(float *out) {
  int values[2] = {0, 0};
  fill(values, threadIdx.x);
  if (values[0] > 100)
    return;
  __syncthreads();
  out[threadIdx.x] = 1;
}
// CHECK: pointer(float *)
// CHECK: leaves early {{.*}}: this branch skips a barrier of the block
__global__ void pointer(float *out) {
  int values[2] = {0, 0};
  int *first = values;
  *first = threadIdx.x;
  if (values[0] > 100)
    return;
  __syncthreads();
  out[threadIdx.x] = 1;
}
// CHECK: object(float *)
// CHECK: leaves early {{.*}}: this branch skips a barrier of the block
__global__ void object(float *out) {
  const Range range{static_cast<int>(threadIdx.x)};
  if (!range.isEmpty()) {
    __syncthreads();
    out[threadIdx.x] = 1;
  }
}
// CHECK: method(float *)
// CHECK: leaves early {{.*}}: this branch skips a barrier of the block
__global__ void method(float *out) {
  Range range;
  range.start(threadIdx.x);
  if (range.begin < 64) {
    __syncthreads();
    out[threadIdx.x] = 1;
  }
}
// CHECK: member_operator(float *)
// CHECK: leaves early {{.*}}: this branch skips a barrier of the block
__global__ void member_operator(float *out) {
  Range range;
  range += threadIdx.x;
  if (range.begin > 100)
    return;
  __syncthreads();
  out[threadIdx.x] = 1;
}
// CHECK: reference(float *)
// CHECK: leaves early {{.*}}: this branch skips a barrier of the block
__global__ void reference(float *out) {
  int value = 0;
  int &name = value;
  name = threadIdx.x;
  if (value > 100)
    return;
  __syncthreads();
  out[threadIdx.x] = 1;
}
// CHECK: by_reference(float *)
// CHECK: leaves early {{.*}}: this branch skips a barrier of the block
__global__ void by_reference(float *out) {
  int value = 0;
  set(value, threadIdx.x);
  if (value < 64) {
    __syncthreads();
    out[threadIdx.x] = 1;
  }
}
struct Own {
  int thread = threadIdx.x;
  int block = blockIdx.x;
};
struct Made {
  int thread, block;
  __device__ Made() : thread(threadIdx.x), block(blockIdx.x) {}
};
__device__ int thread(int number = threadIdx.x) { return number; }
// CHECK: part(float *)
// CHECK: leaves early {{.*}}: this branch skips a barrier of the block
__global__ void part(float *out) {
  const Own both{static_cast<int>(threadIdx.x)};
  auto [number, block] = both;
  if (number > 100)
    return;
  __syncthreads();
  out[threadIdx.x] = 1;
}
// CHECK: initialised(float *)
// CHECK: leaves early {{.*}}: this branch skips a barrier of the block
__global__ void initialised(float *out) {
  const Own own;
  if (own.thread > 100)
    return;
  __syncthreads();
  out[threadIdx.x] = 1;
}
// CHECK: aggregate(float *)
// CHECK: leaves early {{.*}}: this branch skips a barrier of the block
__global__ void aggregate(float *out) {
  const Own own{.block = 3};
  if (own.thread > 100)
    return;
  __syncthreads();
  out[threadIdx.x] = 1;
}
// CHECK: constructed(float *)
// CHECK: leaves early {{.*}}: this branch skips a barrier of the block
__global__ void constructed(float *out) {
  const Made made;
  if (made.thread > 100)
    return;
  __syncthreads();
  out[threadIdx.x] = 1;
}
// CHECK: by_default(float *)
// CHECK: leaves early {{.*}}: this branch skips a barrier of the block
__global__ void by_default(float *out) {
  if (thread() < 64) {
    __syncthreads();
    out[threadIdx.x] = 1;
  }
}
// CHECK: uniform(float *, int)
__global__ void uniform(float *out, int n) {
  const int table[] = {1, 2, 3};
  Range range{n};
  if (range.begin > 100 || table[n % 3] == 2)
    return;
  __syncthreads();
  out[threadIdx.x] = 1;
}
