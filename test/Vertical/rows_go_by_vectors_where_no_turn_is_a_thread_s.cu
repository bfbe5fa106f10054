// With --reassociate, a thread has other elements of the row than by separate launches. So it may leave nothing but a sum, or
// its like, from one turn to the next, and do nothing in a turn that depends on which thread it is: else, rows go as before, and
// a note says why.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: sh fuse.sh %cufuse scan ofThread ofLane byTable inShared shuffled counted difference chosen turns walking twiceAdded partial \
// RUN:   everySecond norms staged positive sumOfLargest largestOfSums sumOfSquares sumOfFirst \
// RUN:   ofNeighbour ofFirstLane sumOfPositive ofThirdLane largestOfCounts differenceOfParts weighted halfOfATree middleOfAScan someThreads ofOneWarp aLittle | FileCheck %s
// RUN: sh fuse.sh %cufuse 'reduced<0>' 'reduced<1>' 'reduced<2>' 'reduced<3>' 'reduced<4>' 'reducedByWarps<float>' softmax softmaxByWarps endOfAScan lessAll | cut -c 1-36 | uniq -c | FileCheck %s --check-prefix=SUMS
// SUMS: {{^ *}}10 cufuse: note: By row, 4 elements of

//--- fuse.sh
fuse=$1; shift
for k; do
  n=${k%%<*}
  $fuse fuse kernels.cu:twice "kernels.cu:$k" --link twice.out=$n.in --link twice.columns=$n.columns --dead twice.out --distinct \
    --reassociate --block 64 -o $n.cu 2>&1 | grep note:
done

//--- kernels.cu

__global__ void twice(const float *in, float *out, int columns) {
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    out[blockIdx.x * columns + i] = 2 * in[blockIdx.x * columns + i];
}

// CHECK: note: By row, but one element of a thread at a time, as by separate launches: scan: it leaves {{.*}} to the next turn, which is no sum
__global__ void scan(const float *in, float *out, int columns) {
  float all = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    out[blockIdx.x * columns + i] = all += in[blockIdx.x * columns + i];
}

// CHECK: ofThread: {{.*}} depends on the thread
__global__ void ofThread(const float *in, float *out, int columns) {
  const float own = threadIdx.x;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    out[blockIdx.x * columns + i] = in[blockIdx.x * columns + i] * own;
}

// CHECK: ofLane: {{.*}} depends on the thread
__global__ void ofLane(const float *in, float *out, int columns) {
  int lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  float factor = 1;
  if (lane == 3)
    factor = 2.5f;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    out[blockIdx.x * columns + i] = in[blockIdx.x * columns + i] * factor;
}

// CHECK: byTable: {{.*}} depends on the thread
__global__ void byTable(const float *in, float *out, const float *table, int columns) {
  const float factor = table[threadIdx.x];
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    out[blockIdx.x * columns + i] = in[blockIdx.x * columns + i] * factor;
}

// CHECK: inShared: it stores to
__global__ void inShared(const float *in, float *out, int columns) {
  __shared__ float tile[1024];
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    tile[i % 1024] = in[blockIdx.x * columns + i];
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    out[blockIdx.x * columns + i] = tile[i % 1024];
}

// CHECK: In turn, {{.*}} twice, then shuffled
__global__ void shuffled(const float *in, float *out, int columns) {
  for (int i = threadIdx.x; i < columns; i += blockDim.x) {
    const float own = in[blockIdx.x * columns + i];
    out[blockIdx.x * columns + i] = __shfl_xor_sync(~0u, own, 1);
  }
}

// CHECK: counted: it leaves {{.*}} to the next turn, which is no sum
__global__ void counted(const float *in, float *out, int columns) {
  float decay = 1;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) {
    decay = decay * 0.5f + in[blockIdx.x * columns + i];
    out[blockIdx.x * columns + i] = in[blockIdx.x * columns + i];
  }
  if (threadIdx.x == 0)
    out[blockIdx.x * columns] = decay;
}

// CHECK: difference: it leaves {{.*}} to the next turn, which is no sum
__global__ void difference(const float *in, float *out, int columns) {
  float last = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    last = in[blockIdx.x * columns + i] - last;
  __shared__ float all;
  if (threadIdx.x == 0)
    all = last;
  __syncthreads();
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    out[blockIdx.x * columns + i] = all;
}

// CHECK: chosen: it leaves largest to the next turn, which is no sum
__global__ void chosen(const float *in, float *out, int columns) {
  float largest = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    if (in[blockIdx.x * columns + i] > largest) {
      largest = in[blockIdx.x * columns + i];
      out[blockIdx.x * columns + i] = 1;
    }
  if (threadIdx.x == 0)
    out[blockIdx.x * columns] = largest;
}

// CHECK: turns: it leaves turn to the next turn, which is no sum
__global__ void turns(const float *in, float *out, int columns) {
  int turn = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    out[blockIdx.x * columns + i] = in[blockIdx.x * columns + i] * turn++;
}

// CHECK: walking: it leaves {{.*}} to the next turn, which is no sum
__global__ void walking(const float *in, float *out, const float *other, int columns) {
  other += threadIdx.x;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) {
    out[blockIdx.x * columns + i] = in[blockIdx.x * columns + i] * *other;
    other += blockDim.x;
  }
}

// CHECK: twiceAdded: it leaves {{.*}} to the next turn, which is no sum
__global__ void twiceAdded(const float *in, float *out, int columns) {
  float all = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    all = all + (all + in[blockIdx.x * columns + i]);
  __shared__ float parts[64];
  parts[threadIdx.x] = all;
  __syncthreads();
  out[blockIdx.x] = parts[0];
}

// What a thread has of a sum is its own until threads exchange it, and of some threads until its place is no thread's.
// CHECK: partial: {{.*}} goes by how the row is divided among threads
__global__ void partial(const float *in, float *out, int columns) {
  float all = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    all += in[blockIdx.x * columns + i];
  out[blockIdx.x * 64 + threadIdx.x] = all;
}

// CHECK: everySecond: {{.*}} goes by how the row is divided among threads
__global__ void everySecond(const float *in, float *out, int columns) {
  float all = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    all += in[blockIdx.x * columns + i];
  for (int apart = 2; apart < 32; apart *= 2)
    all += __shfl_xor_sync(~0u, all, apart);
  out[blockIdx.x * 2 + threadIdx.x % 2] = all;
}

// CHECK: norms: {{.*}} goes by how the row is divided among threads
__global__ void norms(const float *in, float *out, int columns) {
  float all = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    all += in[blockIdx.x * columns + i];
  __shared__ float parts[64];
  parts[threadIdx.x] = sqrtf(all);
  __syncthreads();
  if (threadIdx.x == 0)
    out[blockIdx.x] = parts[0] + parts[63];
}

// CHECK: staged: {{.*}} goes by how the row is divided among threads
__global__ void staged(const float *in, float *out, int columns) {
  __shared__ float parts[64];
  float all = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    all += in[blockIdx.x * columns + i];
  parts[threadIdx.x] = all;
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = parts[threadIdx.x ^ 1];
}

// CHECK: positive: {{.*}} goes by how the row is divided among threads
__global__ void positive(const float *in, float *out, int columns) {
  float all = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    all += in[blockIdx.x * columns + i];
  const int many = __syncthreads_count(all > 0);
  if (threadIdx.x == 0)
    out[blockIdx.x] = many;
}

// Parts of threads become one by what made each of them.
template <typename F> __device__ float together(float part, F by) {
  __shared__ float parts[64];
  parts[threadIdx.x] = part;
  __syncthreads();
  for (int half = 32; half > 0; half /= 2) {
    if (threadIdx.x < half)
      parts[threadIdx.x] = by(parts[threadIdx.x], parts[threadIdx.x + half]);
    __syncthreads();
  }
  const float all = parts[0];
  __syncthreads();
  return all;
}
struct Add {
  __device__ float operator()(float a, float b) const { return a + b; }
};
struct Larger {
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};

// CHECK: sumOfLargest: {{.*}} goes by how the row is divided among threads
__global__ void sumOfLargest(const float *in, float *out, int columns) {
  float most = 0, sum = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) {
    most = fmaxf(most, in[blockIdx.x * columns + i]);
    sum += in[blockIdx.x * columns + i];
  }
  out[2 * blockIdx.x] = together(most, Add());
  out[2 * blockIdx.x + 1] = together(sum, Add());
}

// CHECK: largestOfSums: {{.*}} goes by how the row is divided among threads
__global__ void largestOfSums(const float *in, float *out, int columns) {
  float all = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    all += in[blockIdx.x * columns + i];
  for (int reach = 16; reach > 0; reach /= 2)
    all = fmaxf(all, __shfl_xor_sync(0xffffffffu, all, reach));
  out[blockIdx.x] = all;
}

// CHECK: sumOfSquares: {{.*}} goes by how the row is divided among threads
__global__ void sumOfSquares(const float *in, float *out, int columns) {
  __shared__ float parts[64];
  float all = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    all += in[blockIdx.x * columns + i];
  parts[threadIdx.x] = all;
  __syncthreads();
  float squares = 0;
  for (int i = 0; i < 64; ++i)
    squares += parts[i] * parts[i];
  out[blockIdx.x] = squares;
}

// CHECK: sumOfFirst: {{.*}} goes by how the row is divided among threads
__global__ void sumOfFirst(const float *in, float *out, int columns) {
  __shared__ float first;
  float all = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    all += in[blockIdx.x * columns + i];
  if (threadIdx.x == 0)
    first = all;
  __syncthreads();
  out[blockIdx.x] = first;
}

// What another thread has alone is no more of the row than what it has itself; together with that it is.
// CHECK: ofNeighbour: {{.*}} goes by how the row is divided among threads
__global__ void ofNeighbour(const float *in, float *out, int columns) {
  float all = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    all += in[blockIdx.x * columns + i];
  const float next = __shfl_down_sync(~0u, all, 1);
  if (threadIdx.x == 0)
    out[blockIdx.x] = next;
}

// CHECK: ofFirstLane: {{.*}} goes by how the row is divided among threads
__global__ void ofFirstLane(const float *in, double *out, int columns) {
  double all = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    all += in[blockIdx.x * columns + i];
  out[blockIdx.x] = __shfl_sync(~0u, all, 0);
}

// CHECK: sumOfPositive: {{.*}} goes by how the row is divided among threads
__global__ void sumOfPositive(const float *in, float *out, int columns) {
  __shared__ float parts[64];
  float all = 0, sum = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    all += in[blockIdx.x * columns + i];
  parts[threadIdx.x] = all;
  __syncthreads();
  for (int i = 0; i < 64; ++i)
    sum += parts[i] > 0 ? parts[i] : 0;
  out[blockIdx.x] = sum;
}

// CHECK: ofThirdLane: {{.*}} depends on the thread
__global__ void ofThirdLane(const float *in, float *out, int columns) {
  float all = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    all += in[blockIdx.x * columns + i];
  const float third = __shfl_sync(~0u, all, 3);
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    out[blockIdx.x * columns + i] = in[blockIdx.x * columns + i] - third;
}

// The larger of two is a choice of one, in memory too.
// CHECK: largestOfCounts: {{.*}} goes by how the row is divided among threads
__global__ void largestOfCounts(const float *in, int *out, int columns) {
  __shared__ int parts[64];
  int count = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    if (in[blockIdx.x * columns + i] > 3)
      ++count;
  parts[threadIdx.x] = count;
  __syncthreads();
  for (int k = 32; k > 0; k /= 2) {
    if (threadIdx.x < k && parts[threadIdx.x] < parts[threadIdx.x + k])
      parts[threadIdx.x] = parts[threadIdx.x + k];
    __syncthreads();
  }
  out[blockIdx.x] = parts[0];
}

// CHECK: differenceOfParts: {{.*}} goes by how the row is divided among threads
__global__ void differenceOfParts(const float *in, float *out, int columns) {
  float all = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    all += in[blockIdx.x * columns + i];
  for (int reach = 16; reach > 0; reach /= 2)
    all -= __shfl_xor_sync(~0u, all, reach);
  if (threadIdx.x == 0)
    out[blockIdx.x] = all;
}

// CHECK: weighted: {{.*}} goes by how the row is divided among threads
__global__ void weighted(const float *in, float *out, int columns) {
  __shared__ float parts[64];
  float all = 0, sum = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    all += in[blockIdx.x * columns + i];
  parts[threadIdx.x] = all;
  __syncthreads();
  for (int i = 0; i < 64; ++i)
    sum += i * parts[i];
  out[blockIdx.x] = sum;
}

__global__ void softmax(const float *in, float *out, int columns) {
  float most = -1e30f, sum = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    most = fmaxf(most, in[blockIdx.x * columns + i]);
  most = together(most, Larger());
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    sum += expf(in[blockIdx.x * columns + i] - most);
  sum = together(sum, Add());
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    out[blockIdx.x * columns + i] = expf(in[blockIdx.x * columns + i] - most) / sum;
}

__global__ void softmaxByWarps(const float *in, float *out, int columns) {
  __shared__ float parts[2];
  double sum = 0;
  float most = -1e30f;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    most = fmaxf(most, in[blockIdx.x * columns + i]);
  for (int reach = 16; reach > 0; reach /= 2)
    most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, reach));
  if (threadIdx.x % 32 == 0)
    parts[threadIdx.x / 32] = most;
  __syncthreads();
  most = fmaxf(parts[0], parts[1]);
  __syncthreads();
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    sum += expf(in[blockIdx.x * columns + i] - most);
  for (int reach = 16; reach > 0; reach /= 2)
    sum += __shfl_xor_sync(0xffffffffu, sum, reach);
  if (threadIdx.x % 32 == 0)
    parts[threadIdx.x / 32] = sum;
  __syncthreads();
  float all = threadIdx.x % 32 < 2 ? parts[threadIdx.x % 32] : 0;
  for (int reach = 1; reach > 0; reach /= 2)
    all += __shfl_xor_sync(0xffffffffu, all, reach);
  all = __shfl_sync(0xffffffffu, all, 0);
  const float mean = all / columns;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    out[blockIdx.x * columns + i] = expf(in[blockIdx.x * columns + i] - most) / all + mean * mean;
}

template <int Of>
__device__ void step(float &all, float &more, float v) {
  if (Of == 0)
    all += v;
  else if (Of == 1)
    all = v > all ? v : all;
  else if (Of == 2)
    all *= v;
  else if (Of == 3)
    all = fmaxf(all, fabsf(v));
  else if (v > 0)
    all += v * v, more -= v;
}

// Sums, products, extremes, and sums of some elements.
// By warps, and by their first threads.
template <typename T> __global__ void reducedByWarps(const T *in, T *out, T *norm, int columns) {
  __shared__ T parts[32];
  T all = 0, largest = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) {
    const T v = in[blockIdx.x * columns + i];
    all += v;
    largest = v > largest ? v : largest;
  }
  for (int apart = 16; apart > 0; apart /= 2) {
    all += __shfl_down_sync(~0u, all, apart);
    const T other = __shfl_xor_sync(~0u, largest, apart);
    largest = other > largest ? other : largest;
  }
  if (threadIdx.x % 32 == 0)
    parts[threadIdx.x / 32] = all * 0.5f;
  __syncthreads();
  all = threadIdx.x < blockDim.x / 32 ? parts[threadIdx.x] : 0;
  for (int apart = 16; apart > 0; apart /= 2)
    all += __shfl_xor_sync(~0u, all, apart);
  if (threadIdx.x == 0)
    norm[blockIdx.x] = sqrtf(all), parts[0] = all;
  __syncthreads();
  all = parts[0];
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    out[blockIdx.x * columns + i] = in[blockIdx.x * columns + i] * all;
}

template <int Of> __global__ void reduced(const float *in, float *out, int columns) {
  __shared__ float parts[64];
  float all = Of == 2, more = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    step<Of>(all, more, in[blockIdx.x * columns + i]);
  parts[threadIdx.x] = Of == 4 ? all + more : all;
  __syncthreads();
  if (threadIdx.x == 0) {
    float total = parts[0];
    for (int i = 1; i < 64; ++i)
      total = Of == 2 ? total * parts[i] : Of == 1 || Of == 3 ? fmaxf(total, parts[i]) : total + parts[i];
    out[blockIdx.x] = total;
  }
}

// The parts of some threads are no more of the row than one thread's.
// CHECK: halfOfATree: {{.*}} goes by how the row is divided among threads
__global__ void halfOfATree(const float *in, float *out, int columns) {
  __shared__ float parts[64];
  float all = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    all += in[blockIdx.x * columns + i];
  parts[threadIdx.x] = all;
  __syncthreads();
  for (int k = 16; k > 0; k /= 2) {
    if (threadIdx.x < k)
      parts[threadIdx.x] += parts[threadIdx.x + k];
    __syncthreads();
  }
  out[blockIdx.x] = parts[0];
}

template <int At> __device__ float scanned(float own) {
  __shared__ float parts[64];
  parts[threadIdx.x] = own;
  __syncthreads();
  for (int far = 1; far < 64; far *= 2) {
    const float before = threadIdx.x >= far ? parts[threadIdx.x - far] : 0;
    __syncthreads();
    parts[threadIdx.x] += before;
    __syncthreads();
  }
  return parts[At];
}
// CHECK: middleOfAScan: {{.*}} goes by how the row is divided among threads
__global__ void middleOfAScan(const float *in, float *out, int columns) {
  float all = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    all += in[blockIdx.x * columns + i];
  const float some = scanned<10>(all);
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    out[blockIdx.x * columns + i] = in[blockIdx.x * columns + i] - some;
}
__global__ void endOfAScan(const float *in, float *out, int columns) {
  float all = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    all += in[blockIdx.x * columns + i];
  const float sum = scanned<63>(all);
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    out[blockIdx.x * columns + i] = in[blockIdx.x * columns + i] - sum;
}

__device__ void sumUp(float &sum, float own, int threads) {
  if (threadIdx.x == 0)
    sum = 0;
  __syncthreads();
  if (threadIdx.x < threads)
    atomicAdd(&sum, -own);
  __syncthreads();
}
// CHECK: someThreads: {{.*}} goes by how the row is divided among threads
__global__ void someThreads(const float *in, float *out, int columns) {
  __shared__ float sum;
  float all = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    all += in[blockIdx.x * columns + i];
  sumUp(sum, all, 32);
  out[blockIdx.x] = sum;
}
__global__ void lessAll(const float *in, float *out, int columns) {
  __shared__ float sum;
  float all = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    all += in[blockIdx.x * columns + i];
  sumUp(sum, all, 64);
  out[blockIdx.x] = sum;
}

// CHECK: ofOneWarp: {{.*}} depends on the thread
__global__ void ofOneWarp(const float *in, float *out, int columns) {
  float all = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    all += in[blockIdx.x * columns + i];
  for (int apart = 16; apart > 0; apart /= 2)
    all += __shfl_xor_sync(~0u, all, apart);
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    out[blockIdx.x * columns + i] = in[blockIdx.x * columns + i] - all;
}

// CHECK: aLittle: {{.*}} depends on the thread
__global__ void aLittle(const float *in, float *out, int columns) {
  const float own = 1 + threadIdx.x * 1e-6f;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    out[blockIdx.x * columns + i] = in[blockIdx.x * columns + i] * own;
}
