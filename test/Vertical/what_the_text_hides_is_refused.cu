// What a kernel's compiled code does counts: the thread's place in a condition or taken as a whole, elements reached by
// another name of a local variable or by an assignment that may not happen, and what goes on from one turn of a loop to
// the next. Each of these kernels looks like a function of the element, and is none.
// RUN: %cufuse inspect --full %s | FileCheck %s

// CHECK-LABEL: {{^}}copies(
// CHECK: shape            pointwise: elements below n
__global__ void copies(const float *__restrict__ in, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i];
}
__global__ void makes(float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = 3 * i;
}

// The thread's place decides, without guarding an access.
// CHECK-LABEL: {{^}}firstOfBlock(
// CHECK: shape            opaque
// CHECK-NEXT: not pointwise    {{.*}}'threadIdx.x == 0' depends on the thread other than by its linear index: threadIdx.x
__global__ void firstOfBlock(const float *__restrict__ x, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float v = x[i];
  if (threadIdx.x == 0)
    v = 0;
  out[i] = v;
}
// CHECK-LABEL: {{^}}lowHalf(
// CHECK: shape            opaque
// CHECK-NEXT: not pointwise    {{.*}}'threadIdx.x < 16' depends on the thread other than by its linear index: threadIdx.x
__global__ void lowHalf(const float *__restrict__ in, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] * (threadIdx.x < 16 ? 1 : 2);
}
// CHECK-LABEL: {{^}}asOften(
// CHECK: shape            opaque
// CHECK-NEXT: not pointwise    {{.*}}'k < threadIdx.x' depends on the thread other than by its linear index: threadIdx.x
__global__ void asOften(const float *__restrict__ in, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float times = 0;
  for (int k = 0; k < threadIdx.x; ++k)
    times += 1;
  if (i < n)
    out[i] = in[i] * times;
}
// CHECK-LABEL: {{^}}inSwitch(
// CHECK: shape            opaque
// CHECK-NEXT: not pointwise    {{.*}}blockIdx.x
__global__ void inSwitch(const float *__restrict__ in, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = 1;
  switch (blockIdx.x & 1) {
  case 0:
    v = 2;
  }
  if (i < n)
    out[i] = in[i] * v;
}
// CHECK-LABEL: {{^}}largeGrid(
// CHECK: shape            opaque
// CHECK-NEXT: not pointwise    {{.*}}gridDim.x
__global__ void largeGrid(const float *__restrict__ in, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  struct Chooser {
    bool large;
    __device__ float operator()(float v) const { return large ? v : -v; }
  } choose{gridDim.x > 4};
  if (i < n)
    out[i] = choose(in[i]);
}

// A built-in as a whole.
__device__ unsigned sizeOf(dim3 d) { return d.x; }
// CHECK-LABEL: {{^}}sizedByBlock(
// CHECK: shape            opaque
// CHECK-NEXT: not pointwise    {{.*}}'sizeOf(blockDim)' depends on the thread other than by its linear index: blockDim.x
__global__ void sizedByBlock(const float *__restrict__ in, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] + sizeOf(blockDim);
}
// CHECK-LABEL: {{^}}wholeIndex(
// CHECK: shape            opaque
// CHECK-NEXT: not pointwise    {{.*}}'t.x' depends on the thread other than by its linear index: threadIdx.x
__global__ void wholeIndex(const float *__restrict__ in, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const uint3 t = threadIdx;
  if (i < n)
    out[i] = in[i] + t.x;
}

// Assignments that may not happen.
// CHECK-LABEL: {{^}}sometimes(
// CHECK: load             in[unknown]
__global__ void sometimes(const float *__restrict__ in, const int *__restrict__ flag, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    int j = 0;
    flag[i] > 500 ? (j = i) : 0;
    out[i] = in[j];
  }
}
// CHECK-LABEL: {{^}}shortCut(
// CHECK: load             in[unknown]
__global__ void shortCut(const float *__restrict__ in, const int *__restrict__ flag, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    int j = 0;
    const bool positive = flag[i] > 500 && (j = i) >= 0;
    out[i] = in[j] + positive;
  }
}

// Another name of a local variable.
__device__ int &same(int &a) { return a; }
struct Name {
  int &of;
};
// CHECK-LABEL: {{^}}renamed(
// CHECK: load             in[n - element - 1]
__global__ void renamed(const float *__restrict__ in, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    int j = 0;
    int &r = same(j);
    j = i;
    r = n - 1 - i;
    out[i] = in[j];
  }
}
// CHECK-LABEL: {{^}}held(
// CHECK: load             in[n - element - 1]
__global__ void held(const float *__restrict__ in, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    int j = 0;
    Name other{j};
    j = i;
    other.of = n - 1 - i;
    out[i] = in[j];
  }
}
// CHECK-LABEL: {{^}}eitherOf(
// CHECK: load             in[unknown]
__global__ void eitherOf(const float *__restrict__ in, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    int j = 0, k = 0;
    int &larger = i % 2 ? j : k;
    j = i;
    larger = n - 1 - i;
    out[i] = in[j];
  }
}
// The right side comes first.
// CHECK-LABEL: {{^}}compound(
// CHECK: load             in[element + 1]
__global__ void compound(const float *__restrict__ in, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    int j = i, k = 0;
    k += (k = 1);
    j += k - 1;
    out[i] = in[j];
  }
}
// A reference to an element leads to its neighbours.
__device__ float neighbour(const float &x, int d) { return x + (&x)[d]; }
// CHECK-LABEL: {{^}}besides(
// CHECK: load             in[unknown]
__global__ void besides(const float *__restrict__ in, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = neighbour(in[i], i > 0 ? -1 : 1);
}

// From one element of the thread to the next.
#define SUM_UP                                                                                                         \
  float sum = 0;                                                                                                       \
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {                            \
    sum += x[i];                                                                                                       \
    out[i] = sum;                                                                                                      \
  }
// CHECK-LABEL: {{^}}sumsByMacro(
// CHECK: shape            opaque
// CHECK-NEXT: not pointwise    {{.*}}sum is carried from one element to the next
__global__ void sumsByMacro(const float *__restrict__ x, float *__restrict__ out, int n) { SUM_UP }
// CHECK-LABEL: {{^}}sumsByPointer(
// CHECK: shape            opaque
// CHECK-NEXT: not pointwise    {{.*}}acc is carried from one element to the next
__global__ void sumsByPointer(const float *__restrict__ x, float *__restrict__ out, int n) {
  float acc[2] = {0, 0};
  float *p = &acc[0];
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
    *p += x[i];
    out[i] = *p;
  }
}
// CHECK-LABEL: {{^}}sumsInMemory(
// CHECK: shape            opaque
// CHECK-NEXT: not pointwise    {{.*}}carried from one element to the next
__global__ void sumsInMemory(const float *__restrict__ x, const int *__restrict__ which, float *__restrict__ out, int n) {
  float acc[4] = {0, 0, 0, 0};
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
    float *p = acc + (which[i] & 3);
    *p += x[i];
    out[i] = *p;
  }
}
struct Random {
  mutable unsigned state;
  __device__ float next() const { return (state = state * 1664525u + 1013904223u) >> 8; }
};
// CHECK-LABEL: {{^}}randomised(
// CHECK: shape            opaque
// CHECK-NEXT: not pointwise    {{.*}}random is carried from one element to the next
__global__ void randomised(const float *__restrict__ x, float *__restrict__ out, int n) {
  const Random random{7};
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    out[i] = x[i] + random.next();
}

// A bound that wraps.
// CHECK-LABEL: {{^}}wraps(
// CHECK: shape            opaque
// CHECK-NEXT: not pointwise    {{.*}}no condition bounds the element of 'out[i]'
__global__ void wraps(float *__restrict__ out, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + 0xffffffffu < n)
    out[i] = i;
}
