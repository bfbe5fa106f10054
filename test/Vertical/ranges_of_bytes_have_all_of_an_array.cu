// What a launch compares of arrays that might overlap is at least what its kernels use of them.
// RUN: rm -rf %t && mkdir %t && cd %t
// A part that may have less than no elements makes the whole no shorter.
// RUN: %cufuse fuse %s:withNext %s:plusOne --link withNext.out=plusOne.in --link withNext.n=plusOne.n --dead withNext.out \
// RUN:   --block 64 -o next.cu
// RUN: FileCheck %s --check-prefix=NEXT < next.cu
// NEXT: in){{.*}}, larger(4ll * n, 4ll * m + 4ll * n - 4ll)
// Of a copy, or an atomic operation on more than an element, the length is what it changes, not one element.
// RUN: %exits 1 %cufuse fuse %s:plusOne %s:copies --link plusOne.out=copies.in --link plusOne.n=copies.n --dead plusOne.out \
// RUN:   --block 64 -o copies.cu 2>&1 | FileCheck %s --check-prefix=COPY
// COPY: error: two pointers may lead to the same memory, {{.*}}copies: kept{{.*}} [MayAlias]
// RUN: %cufuse fuse %s:plusOne %s:counts --link plusOne.out=counts.in --link plusOne.n=counts.n --dead plusOne.out --block 64 \
// RUN:   -o counts.cu
// RUN: FileCheck %s --check-prefix=WIDE < counts.cu
// WIDE: stores(sums, 4ll + 4ll * n)
// A mean for each block in x is none for each in x and y.
// RUN: %cufuse fuse %s:means %s:centre %s:twice --link means.mean=centre.mean --link means.in=centre.in \
// RUN:   --link means.columns=centre.columns --link means.columns=twice.columns --link centre.out=twice.in --dead centre.out \
// RUN:   --distinct --block 64 -o means.cu 2>&1 | FileCheck %s --check-prefix=MEANS
// MEANS: note: In turn,
// Quotients and remainders of an element, as they are permuted, stay among so many elements as are a multiple of all: of
// none, nothing is divided.
// RUN: %cufuse fuse %s:plusOne %s:toHeads --link plusOne.out=toHeads.in --link plusOne.n=toHeads.n --dead plusOne.out \
// RUN:   --block 64 -o heads.cu
// RUN: FileCheck %s --check-prefix=HEADS < heads.cu
// HEADS: (n > 0 && meet({{.*}}, out, 4ll * ((static_cast<long long>(n) - 1ll) / ([[ALL:static_cast<long long>\(heads\) \* seq \* size]])) * {{[a-z. *]*}} + 4ll * {{[a-z. *]*}}))
// What only one of several indices has must be in the range of `int`, too.
// RUN: %cufuse fuse %s:backBy %s:plusOne --link backBy.out=plusOne.in --link backBy.n=plusOne.n --dead backBy.out --block 64 \
// RUN:   -o back.cu
// RUN: FileCheck %s --check-prefix=BACK < back.cu
// BACK: backBy_by > 2147483647u
// In turn, each kernel may have elements where the others have none.
// RUN: %cufuse fuse %s:plusOne %s:plusTable %s:plusOne --link plusOne_0.out=plusTable.in --link plusTable.out=plusOne_1.in \
// RUN:   --link plusTable.n=plusOne_1.n --block 64 -o table.cu
// RUN: FileCheck %s --check-prefix=TABLE < table.cu
// TABLE: (([[A:[a-zA-Z_0-9]+]] > 0 || [[B:[a-zA-Z_0-9]+]] > 0) && anyMeet(
// TABLE-NOT: ({{[a-zA-Z_0-9]+}} > 0 && {{meet|anyMeet}}(
// What a kernel only reads may be one array for all that `__restrict__` says, and another kernel changes that; or it
// changes other elements.
// RUN: %exits 1 %cufuse fuse %s:gathers %s:addsBack --link gathers.out=addsBack.out --link gathers.x=addsBack.x \
// RUN:   --link gathers.n=addsBack.n --block 64 -o no.cu 2>&1 | FileCheck %s --check-prefix=READ
// READ: error: two pointers may lead to the same memory, {{.*}} addsBack: x[i] at {{.*}}; gathers: table[order[i]] at {{.*}} [MayAlias]
// READ: note: which elements of gathers.table are used is not known at the launch; if they never do, say --distinct
// RUN: %exits 1 %cufuse fuse %s:gathers %s:turns --link gathers.table=turns.table --link gathers.x=turns.x \
// RUN:   --link gathers.n=turns.n --block 64 -o no.cu 2>&1 | FileCheck %s --check-prefix=TURNED
// TURNED: error: two pointers may lead to the same memory, {{.*}} turns: table[2 * n - 1 - i] at {{.*}}; gathers: out[i] at {{.*}} [MayAlias]

__global__ void withNext(const float *in, float *out, int n, int m) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float sum = in[i];
    if (i < m - 1)
      sum += in[n + i];
    out[i] = sum;
  }
}

__global__ void plusOne(const float *in, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] + 1;
}

__global__ void backBy(const float *in, float *out, int n, unsigned by) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    int j = i - by;
    if (j < 0)
      j = 0;
    out[i] = in[j];
  }
}

__global__ void plusTable(const float *in, const float *table, float *out, int n, int width) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] + table[i / width];
}

__global__ void gathers(const float *__restrict__ table, const int *__restrict__ order, const float *__restrict__ x,
                        float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = table[order[i]] + x[i];
}

__global__ void addsBack(float *__restrict__ x, const float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] += out[i];
}

__global__ void turns(const float *__restrict__ table, float *__restrict__ x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] += table[2 * n - 1 - i];
}

__global__ void copies(const float *in, float *out, const float *from, float *kept, int n, int m) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    out[i] = in[i];
    if (i == 0)
      memcpy(kept, from, m * sizeof(float));
  }
}

__global__ void counts(const float *in, float *out, unsigned *sums, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    out[i] = in[i];
    atomicAdd(reinterpret_cast<unsigned long long *>(sums + i), 1ull);
  }
}

__global__ void means(const float *in, float *mean, int columns) {
  __shared__ float parts[64];
  float sum = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    sum += in[blockIdx.x * columns + i];
  parts[threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int other = 1; other < 64; ++other)
      sum += parts[other];
    mean[blockIdx.x] = sum / columns;
  }
}

__global__ void centre(const float *in, const float *mean, float *out, int columns) {
  const int row = blockIdx.y * gridDim.x + blockIdx.x;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    out[row * columns + i] = in[row * columns + i] - mean[row];
}

__global__ void twice(const float *in, float *out, int columns) {
  const int row = blockIdx.y * gridDim.x + blockIdx.x;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    out[row * columns + i] = 2 * in[row * columns + i];
}

__global__ void toHeads(const float *in, float *out, int seq, int heads, int size, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    const int d = i % size, h = i / size % heads, s = i / (size * heads) % seq, b = i / (size * heads * seq);
    out[((b * heads + h) * seq + s) * size + d] = in[i];
  }
}
