// Every form of a pointwise kernel is recognised, and of others it is said what forbids it: not of row kernels, which are
// fused by row.
// RUN: %cufuse inspect --full %s | FileCheck %s

// CHECK-LABEL: {{^}}guarded(
// CHECK: shape            pointwise: elements below n{{$}}
// CHECK-NEXT: load             in[element], {{.*}}:[[#@LINE+7]], if i < n{{$}}
// CHECK-NEXT: load             bias[element - (element / columns) * columns], {{.*}}, if i < n{{$}}
// CHECK-NEXT: store            out[element], {{.*}}:[[#@LINE+5]], if i < n{{$}}
__global__ void guarded(const float *__restrict__ in, const float *__restrict__ bias, float *__restrict__ out, int n,
                        int columns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] + bias[i % columns];
}

// CHECK-LABEL: {{^}}leaves(
// CHECK: shape            pointwise: elements below columns * rows{{$}}
// CHECK-NEXT: load             in[element], {{.*}}, if not (!(i < rows * columns)){{$}}
// CHECK-NEXT: store            out[element],
__global__ void leaves(const float *in, float *out, unsigned rows, unsigned columns) {
  const size_t i = threadIdx.x + static_cast<size_t>(blockDim.x) * blockIdx.x;
  if (!(i < rows * columns))
    return;
  const size_t row = i / columns, column = i % columns;
  out[row * columns + column] = in[columns * row + column] * row;
}

// CHECK-LABEL: {{^}}strides(
// CHECK: shape            pointwise: elements below n, by a loop over the grid
// CHECK: load             in[element],
// CHECK: load             in[element + 1],
// CHECK: store            out[2 * element + 1],
__global__ void strides(const double *in, double *out, long n) {
  const long first = blockDim.x * blockIdx.x + threadIdx.x;
  const long step = gridDim.x * blockDim.x;
  for (long i = first; i < n; i += step) {
    const double *next = in + i + 1;
    if (in[i] > 0)
      out[2 * i + 1] = *next;
  }
}

#define EACH(i, n) for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += blockDim.x * gridDim.x)

// CHECK-LABEL: {{^}}while_and_macro(
// CHECK: shape            opaque
// CHECK: not pointwise    {{.*}}:[[#@LINE+5]]:3: it has several loops over the grid
__global__ void while_and_macro(float *x, float *y, int n) {
  EACH(i, n) {
    x[i] = 1;
  }
  EACH(j, n)
    y[j] = x[j];
}

// CHECK-LABEL: {{^}}carries(
// CHECK: shape            opaque
// CHECK: not pointwise    {{.*}}:[[#@LINE+5]]:3: sum is carried from one element to the next
// CHECK: not pointwise    {{.*}}:[[#@LINE+6]]:3: the index of 'total[first]' is no function of the thread's
__global__ void carries(const float *in, float *total, int n) {
  float sum = 0;
  int first = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = first; i < n; i += blockDim.x * gridDim.x)
    sum += in[i];
  total[first] = sum;
}

// CHECK-LABEL: {{^}}others(
// CHECK: shape            opaque
// CHECK: not pointwise    {{.*}} it synchronises: __syncthreads
// CHECK: not pointwise    {{.*}}:[[#@LINE+6]]:7: 'threadIdx.x == 0' depends on the thread
// CHECK: load             x[0], {{.*}}, if threadIdx.x == 0 and count{{$}}
__device__ float sum(const float *of, int count) { return count ? *of : 0; }
__global__ void others(float *x, float *y, int n) {
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0)
    y[i] = sum(x, n);
}

// CHECK-LABEL: {{^}}unbounded(
// CHECK: shape            opaque
// CHECK: not pointwise    {{.*}} no condition bounds the element of 'x[i]'
__global__ void unbounded(float *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i] = x[i] + 1;
}

// CHECK-LABEL: {{^}}differs(
// CHECK: shape            opaque
// CHECK: not pointwise    {{.*}} stores have different bounds: n and m
__global__ void differs(float *x, float *y, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] = 1;
  if (i < m)
    y[i] = 1;
}

// CHECK-LABEL: {{^}}rows(
// CHECK: shape            row-wise
// CHECK-NOT: not pointwise
// CHECK: store            out[blockIdx.x * columns + i'], {{.*}}, if i < columns
__global__ void rows(const float *in, float *out, int columns) {
  __shared__ float sum;
  const float *row = in + blockIdx.x * columns;
  if (threadIdx.x == 0)
    sum = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    atomicAdd(&sum, row[i]);
  __syncthreads();
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    out[blockIdx.x * columns + i] = row[i] / sum;
}

// The variable changes in a way that is not followed, so no index is claimed.
// CHECK-LABEL: {{^}}jumps(
// CHECK: shape            opaque
// CHECK: store            x[unknown]
__global__ void jumps(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  do {
    if (i < n)
      x[i] = 1;
    i = i * 2 + 1;
  } while (i < n);
}

// CHECK-LABEL: {{^}}changed(
// CHECK: store            x[element + 1]
__device__ void next(int &i) { ++i; }
__global__ void changed(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  next(i);
  if (i < n)
    x[i] = 1;
}

// A byte does not hold an index.
// CHECK-LABEL: {{^}}narrow(
// CHECK: store            x[unknown]
__global__ void narrow(float *x, int n) {
  unsigned char i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] = 1;
}

// What a pointer leads to may change anywhere.
// CHECK-LABEL: {{^}}pointed(
// CHECK: store            x[7]
__global__ void pointed(float *x, int n) {
  int i = 0;
  int *p = &i;
  i = blockIdx.x * blockDim.x + threadIdx.x;
  *p = 7;
  if (i < n)
    x[i] = 1;
}

// A thread that stops at an element leaves out all its later ones.
// CHECK-LABEL: {{^}}stops(
// CHECK: shape            opaque
// CHECK: its loop over the grid may be left early
__global__ void stops(const float *__restrict__ in, float *__restrict__ out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n && in[i] > 0; i += blockDim.x * gridDim.x)
    out[i] = in[i];
}

// What a loop changes by another name, it carries on as well.
// CHECK-LABEL: {{^}}byPointer(
// CHECK: sum is carried from one element to the next
__global__ void byPointer(const float *__restrict__ in, float *__restrict__ out, int n) {
  float sum = 0, *p = &sum;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
    *p += in[i];
    out[i] = *p;
  }
}

// CHECK-LABEL: {{^}}byLambda(
// CHECK: sum is carried from one element to the next
__global__ void byLambda(const float *__restrict__ in, float *__restrict__ out, int n) {
  float sum = 0;
  const auto add = [&](float v) { return sum += v; };
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    out[i] = add(in[i]);
}

// CHECK-LABEL: {{^}}byMember(
// CHECK: sum is carried from one element to the next
struct Sum {
  float &to;
  __device__ float add(float v) const { return to += v; }
};
__global__ void byMember(const float *__restrict__ in, float *__restrict__ out, int n) {
  float sum = 0;
  const Sum all{sum};
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    out[i] = all.add(in[i]);
}
