// Conditions that say no more than that the thread's elements are below the bound are known in turns whose elements all
// are; others stay as they are, and those of `if` that have a name.
// RUN: %cufuse fuse --vertical %s:returning %s:looping %s:partial --link returning.out=looping.in \
// RUN:   --link looping.out=partial.in --link returning.n=looping.n --link returning.n=partial.n --dead returning.out \
// RUN:   --dead looping.out --block 64 --vectorize 4 -o %t.cu
// RUN: FileCheck %s --input-file %t.cu
// RUN: %cufuse fuse %s:named %s:negated %s:numbered --link named.out=negated.in --link negated.out=numbered.in \
// RUN:   --link named.n=negated.n --link named.n=numbered.n --dead named.out --dead negated.out --block 64 --vectorize 4 \
// RUN:   -o %t.named.cu
// RUN: FileCheck %s --check-prefix=NAMED --input-file %t.named.cu

__global__ void returning(const float *__restrict__ in, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK: {{^}}  if (cufuse_turn.beyond(i >= n))
  if (i >= n)
    return;
  // CHECK: {{^}}  if (in[i] > 7.0f)
  if (in[i] > 7.0f)
    out[i] = 1.0f;
  else
    out[i] = in[i];
}

__global__ void looping(const float *__restrict__ in, float *__restrict__ out, int n) {
  // CHECK: {{^}}  for (int i = blockIdx.x * blockDim.x + threadIdx.x; cufuse_turn.once(i < n); i += blockDim.x * gridDim.x) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
    float x = in[i];
    // CHECK: {{^}}    for (int k = 0; k < 3; ++k)
    for (int k = 0; k < 3; ++k)
      x *= x;
    out[i] = x;
  }
}

__global__ void partial(const float *__restrict__ in, const float *__restrict__ other, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK: {{^}}  if (i < n && other[0] > in[i]) {
  if (i < n && other[0] > in[i]) {
    // CHECK: {{^}}    if (cufuse_turn.inside(i < n))
    if (i < n)
      out[i] = in[i];
  // CHECK: {{^}}  } else if (cufuse_turn.inside(i < n))
  } else if (i < n)
    out[i] = 0.0f;
}
// CHECK: cufuseTurn<4>(first,
// CHECK: cufuseTurn<1>(rest,

__global__ void named(const float *__restrict__ in, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  // NAMED: {{^}}  if (const bool inside = i < n)
  if (const bool inside = i < n)
    out[i] = in[i] * 3;
}

__global__ void negated(const float *__restrict__ in, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  // NAMED: {{^}}  if (cufuse_turn.inside(!!(i < n)))
  if (!!(i < n))
    out[i] = in[i] + 1;
}

__global__ void numbered(const float *__restrict__ in, float *__restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // NAMED: {{^}}  while (int inside = cufuse_turn.once(i < n)) {
  while (int inside = i < n) {
    out[i] = in[i] + inside;
    i += blockDim.x * gridDim.x;
  }
}
