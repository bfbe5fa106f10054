// What is read decides whether the loop goes on, and the address has the loop's counter: but many of its values may lead
// to one place, where the loop waits for what another block writes.
// RUN: %cufuse inspect --full %s | %FileCheck %s
__device__ int clampTo(int i, int low, int high) { return i < low ? low : i > high ? high : i; }

// CHECK-LABEL: {{^}}mail(
// CHECK: [SpinLoop]
__global__ void mail(int *box, int *out, int n) {
  const int me = blockIdx.x;
  atomicExch(&box[(me + n - 1) % n * n + me], me + 1);
  int message = 0;
  for (int turn = me + 1; message == 0; ++turn) {
    int from = turn;
    while (from >= n)
      from -= n;
    message = atomicExch(&box[me * n + from], 0);
  }
  out[me] = message;
}
// CHECK-LABEL: {{^}}clamped(
// CHECK: [SpinLoop]
__global__ void clamped(int *done, int n) {
  for (int k = blockIdx.x + 1; atomicAdd(&done[clampTo(k, 0, n - 1)], 0) == 0; ++k)
    ;
  atomicExch(&done[blockIdx.x], 1);
}
// CHECK-LABEL: {{^}}byTable(
// CHECK: [SpinLoop]
__global__ void byTable(int *done, const int *of, int n) {
  for (int k = 0; atomicAdd(&done[of[k]], 0) == 0; ++k)
    ;
  atomicExch(&done[blockIdx.x], 1);
}
// CHECK-LABEL: {{^}}byArgument(
// CHECK: [SpinLoop]
__global__ void byArgument(volatile int *done, int stride) {
  for (int k = 0; done[k * stride] == 0; ++k)
    ;
  done[blockIdx.x] = 1;
}
// CHECK-LABEL: {{^}}scaled(
// CHECK: [SpinLoop]
__global__ void scaled(volatile int *done, float scale) {
  for (int k = 0; done[int(k * scale)] == 0; ++k)
    ;
  done[blockIdx.x] = 1;
}
// CHECK-LABEL: {{^}}upToTheLast(
// CHECK: [SpinLoop]
__global__ void upToTheLast(volatile int *f, int n) {
  int d = 0;
  for (int j = 0; d != 2; ++j) {
    int k = j;
    if (k >= n)
      k = n - 1;
    d = f[k];
  }
  f[blockIdx.x] = 2;
}
// CHECK-LABEL: {{^}}ofTwo(
// CHECK: [SpinLoop]
__global__ void ofTwo(volatile int *f, int n) {
  int d = 0;
  for (int j = 0; d != 2; ++j)
    d = f[j > n];
  f[blockIdx.x] = 2;
}
// CHECK-LABEL: {{^}}swapped(
// CHECK: [SpinLoop]
__global__ void swapped(int *f, int n) {
  for (int j = blockIdx.x; atomicCAS(&f[j < n ? j : n - 1], 1, 0) == 0; ++j)
    ;
  f[n + blockIdx.x] = 1;
  __threadfence();
  atomicExch(&f[blockIdx.x], 1);
}
// CHECK-LABEL: {{^}}otherPointer(
// CHECK: [SpinLoop]
__global__ void otherPointer(volatile int *f, int n) {
  for (unsigned j = 0;; ++j) {
    const volatile int *p = j < 8 ? f + j : f + n;
    if (*p)
      break;
  }
  f[blockIdx.x] = 1;
}
// CHECK-LABEL: {{^}}takenAway(
// CHECK: [SpinLoop]
__global__ void takenAway(volatile int *f, int n) {
  for (int j = 0, last = 0;; last = j++)
    if (f[n + j - last])
      break;
  f[blockIdx.x] = 1;
}
// A counter of few bits comes round.
// CHECK-LABEL: {{^}}ring(
// CHECK: [SpinLoop]
__global__ void ring(volatile int *f, int *out) {
  f[blockIdx.x & 255] = 1;
  unsigned char at = 0;
  while (f[at] == 0)
    ++at;
  *out = at;
}
// CHECK-LABEL: {{^}}ringOfShorts(
// CHECK: [SpinLoop]
__global__ void ringOfShorts(int *f, int *out) {
  f[blockIdx.x] = 1;
  unsigned short at = 0;
  while (atomicAdd(&f[at], 0) == 0)
    at += 3;
  *out = at;
}
// CHECK-LABEL: {{^}}castToFewBits(
// CHECK: [SpinLoop]
__global__ void castToFewBits(volatile int *f, int *out) {
  f[blockIdx.x] = 1;
  int at = 0;
  while (!f[at + 40000])
    at = (short)(at + 1);
  *out = at;
}
// CHECK-LABEL: {{^}}shiftedOut(
// CHECK: [SpinLoop]
__global__ void shiftedOut(volatile int *f, int *out) {
  f[blockIdx.x] = 1;
  unsigned at = 0;
  while (!f[at * 0x40000000u])
    ++at;
  *out = at;
}
// CHECK-LABEL: {{^}}boundedByMore(
// CHECK: [SpinLoop]
__global__ void boundedByMore(int *f, const int *in, int *out, int places) {
  f[blockIdx.x] = 1;
  for (unsigned char at = 0; at < places; ++at) {
    if (atomicAdd(&f[at], 0))
      break;
    out[at] = in[at];
  }
}
// One counter takes back what the other has added.
// CHECK-LABEL: {{^}}fromTheNewest(
// CHECK: [SpinLoop]
__global__ void fromTheNewest(volatile int *f, int *out) {
  f[blockIdx.x] = 1;
  for (int end = gridDim.x;; ++end)
    for (int back = 1; back <= end; ++back)
      if (f[end - back]) {
        *out = 1;
        return;
      }
}
// CHECK-LABEL: {{^}}backAndForth(
// CHECK: [SpinLoop]
__global__ void backAndForth(volatile int *f, int *out, const int *in, int a, int b) {
  f[blockIdx.x] = 1;
  if (a <= 0 || b <= 0)
    return;
  int at = 0;
  while (!f[at]) {
    at += a;
    out[at] = in[at];
    at -= b;
  }
}
// Stores with a hint are stores.
// CHECK-LABEL: {{^}}stored(
// CHECK: [SpinLoop]
__global__ void stored(int *done, unsigned *looks) {
  __stcg(&done[blockIdx.x], 1);
  while (__ldcg(&done[blockIdx.x + 1]) == 0)
    atomicAdd(looks, 1u);
}

// From place to place, it comes to an end.
// CHECK-LABEL: {{^}}byParts(
// CHECK-NOT: [SpinLoop]
__global__ void byParts(volatile int *f, int *out) {
  f[blockIdx.x] = 1;
  for (int base = 0;; base += 32)
    for (int j = 0; j < 32; ++j)
      if (f[base + j]) {
        *out = 1;
        return;
      }
}
// CHECK-LABEL: {{^}}boundedByAsMuch(
// CHECK-NOT: [SpinLoop]
__global__ void boundedByAsMuch(int *f, const int *in, int *out, unsigned char places) {
  f[blockIdx.x] = 1;
  for (unsigned char at = 0; at < places; ++at) {
    if (atomicAdd(&f[at], 0))
      break;
    out[at] = in[at];
  }
  for (unsigned short at = 0; at < 1000; ++at) {
    if (atomicAdd(&f[at], 0))
      break;
    out[at] = in[at];
  }
}
// CHECK-LABEL: {{^}}walks(
// CHECK-NOT: [SpinLoop]
__global__ void walks(volatile int *f, int n) {
  for (int j = 0; f[(blockIdx.x * 64 + j * 2) * 4 + 1 + n] != 2; ++j)
    ;
  f[blockIdx.x] = 2;
}
// CHECK-LABEL: {{^}}inTwoSteps(
// CHECK-NOT: [SpinLoop]
__global__ void inTwoSteps(volatile int *f, int *out) {
  f[blockIdx.x] = 1;
  for (const volatile int *p = f; !*p; p += 2)
    *out = *++p;
}
