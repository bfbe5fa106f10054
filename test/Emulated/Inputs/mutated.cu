// Two kernels for which every barrier, every index and every byte of shared memory matters. Both read what other threads of
// their block wrote until the very end, so that the next block must not start before.
/// Sums over each block, and of each thread's neighbour; runs long, with many barriers.
__global__ void sums(const unsigned *in, unsigned *out, unsigned n) {
  extern __shared__ unsigned values[];
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  values[threadIdx.x] = i < n ? in[i] : 0;
  __syncthreads();
  unsigned sum = 0;
  for (unsigned step = 1; step < blockDim.x; ++step) {
    sum += values[(threadIdx.x + step) % blockDim.x] * step;
    __syncthreads();
    values[threadIdx.x] += step;
    __syncthreads();
  }
  if (i < n)
    out[i] = sum + values[blockDim.x - 1 - threadIdx.x];
}

/// Every block turns a tile of blockDim.x by blockDim.y, which are not equal.
__global__ void turned(const unsigned *in, unsigned *out, unsigned n) {
  extern __shared__ unsigned tile[];
  __shared__ unsigned rows[64];
  const unsigned first = blockIdx.x * blockDim.x * blockDim.y;
  const unsigned at = threadIdx.y * blockDim.x + threadIdx.x, to = threadIdx.x * blockDim.y + threadIdx.y;
  if (threadIdx.x == 0)
    rows[threadIdx.y % 64] = threadIdx.y * 1000;
  tile[to % 512] = first + at < n ? in[first + at] : 0;
  __syncthreads();
  if (first + at < n)
    out[first + at] = tile[at % 512] * 16 + rows[threadIdx.y % 64] + threadIdx.x;
}
