// Without a link, --vertical takes the links of what the file's launches hand to two kernels, also by functions that launch
// them, members, and products. It says which.
// RUN: %cufuse fuse --vertical %s:scale %s:shift --distinct --dead scale.out --name fused -o %t.cu 2>%t.log
// RUN: FileCheck %s --check-prefix=LINKS --input-file=%t.log
// RUN: FileCheck %s --check-prefix=FUSED --input-file=%t.cu
// LINKS: linked as launched at {{.*}}.cu:[[#]]:[[#]] and {{.*}}: --link scale.out=shift.in --link shift.rows*columns=scale.n
// FUSED: Dependent kernels as one
//
// A link that is given stands, in whatever direction; the others are added.
// RUN: %cufuse fuse --auto-link --link scale.out=shift.in %s:scale %s:shift --distinct --name fused -o %t.cu 2>%t.log
// RUN: FileCheck %s --check-prefix=REST --input-file=%t.log
// RUN: %cufuse fuse --vertical --link scale.out=shift.in %s:scale %s:shift --distinct --name fused --dry-run -o %t.cu 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REST
// RUN: %cufuse fuse --vertical --link turn.n=scale.n %s:scale %s:turn --distinct --name fused --dry-run -o %t.cu 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: linked as launched at {{.*}}: --link scale.in=turn.in --link scale.in=turn.out{{$}}
// REST: linked as launched
// REST-NOT: scale.out=shift.in
// REST-SAME: --link shift.rows*columns=scale.n
//
// What is assigned between the launches is what it is then.
// RUN: %cufuse fuse --vertical %s:scale %s:turn --distinct --name fused --dry-run -o %t.cu 2>%t.log || true
// RUN: FileCheck %s --check-prefix=CHANGED --input-file=%t.log
// CHANGED: linked as launched at {{.*}}: --link scale.in=turn.in --link scale.in=turn.out --link scale.n=turn.n{{$}}
//
// What stands between them may use their memory.
// RUN: %exits 1 %cufuse fuse --vertical %s:shift %s:turn --name fused -o %t.cu 2>&1 | FileCheck %s --check-prefix=BETWEEN
// BETWEEN: .cu:[[#]]:3: error: between the launches at {{.*}} and {{.*}} stands what may use the kernels' memory
// BETWEEN: if the kernels may run together, write --link
// Of whom the user links arrays, the user knows.
// RUN: %cufuse fuse --vertical %s:shift %s:turn --link shift.in=turn.out --name fused --dry-run -o %t.cu 2>&1 | FileCheck %s --check-prefix=KNOWN
// KNOWN: linked as launched at {{.*}}: --link shift.out=turn.in --link shift.columns=turn.n
//
// A loop may run one of them many times, and of two branches only one runs.
// RUN: %exits 1 %cufuse fuse --vertical %s:turn %s:scale --name fused -o %t.cu 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: no function of these files launches the kernels one after the other
// RUN: %cufuse fuse --vertical %s:turn %s:scale --link turn.out=scale.in --link turn.n=scale.n --name fused --dry-run -o %t.cu 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ALONE
// ALONE: note: no function of these files launches the kernels one after the other: linked as given alone
//
// Kernels that have an element for each block have one grid.
// RUN: %exits 1 %cufuse fuse --vertical %s:rowSum %s:centre --block 32 --name fused -o %t.cu 2>&1 | FileCheck %s --check-prefix=GRIDS
// GRIDS: .cu:[[#]]:3: error: the launches at {{.*}} and {{.*}} are not seen to have one grid
// RUN: %cufuse fuse --vertical %s:rowSum %s:centre --cooperative --block 32 --block 32 --name fused --dry-run -o %t.cu 2>&1 \
// RUN:   | FileCheck %s --check-prefix=COOPERATIVE
// COOPERATIVE: linked as launched at {{.*}}: --link rowSum.x=centre.x --link rowSum.sum=centre.sum --link rowSum.columns=centre.columns
// RUN: %cufuse fuse --vertical %s:rowSum %s:centre --link rowSum.sum=centre.sum --distinct --block 32 --name fused --dry-run -o %t.cu 2>&1 \
// RUN:   | FileCheck %s --check-prefix=SAME
// SAME: linked as launched at {{.*}}: --link rowSum.x=centre.x
// RUN: %cufuse fuse --vertical %s:rowMax %s:centre --distinct --block 32 --name fused --dry-run -o %t.cu 2>&1 | FileCheck %s --check-prefix=PRODUCT
// PRODUCT: linked as launched at {{.*}} --link rowMax.most=centre.sum --link rowMax.columns=centre.columns
// RUN: %cufuse fuse --vertical %s:centre %s:rowSum --distinct --block 32 --name fused --dry-run -o %t.cu 2>&1 | FileCheck %s --check-prefix=GRID
// GRID: linked as launched at {{.*}} --link centre.out=rowSum.x --link centre.columns=rowSum.columns
//
// The address of a member, or of an element, is the same wherever it is said; that of another member may be in the same
// array.
// RUN: %cufuse fuse --vertical %s:reset %s:add --distinct --name fused --dry-run -o %t.cu 2>&1 | FileCheck %s --check-prefix=MEMBER
// MEMBER: linked as launched at {{.*}} --link reset.first=add.first --link reset.out=add.in --link reset.n=add.n{{$}}
// RUN: %exits 1 %cufuse fuse --vertical %s:add %s:reset --name fused -o %t.cu 2>&1 | FileCheck %s --check-prefix=MEMBERS
// MEMBERS: it is not seen whether the launches at {{.*}} share an array that one of them stores
//
// Elements of arrays of pointers are arrays, and a null pointer is none. Clocks change nothing.
// RUN: %cufuse fuse --vertical %s:fill %s:lift --distinct --name fused --dry-run -o %t.cu 2>&1 | FileCheck %s --check-prefix=ELEMENTS
// ELEMENTS: linked as launched at {{.*}}: --link fill.x=lift.x --link fill.n=lift.n{{$}}
//
// A part of an array is no other array, and a kernel that only this file knows is no other file's.
// RUN: %exits 1 %cufuse fuse --vertical %s:turn %s:centre --block 32 --name fused -o %t.cu 2>&1 | FileCheck %s --check-prefix=PARTS
// PARTS: .cu:[[#]]:3: error: it is not seen whether the launches at {{.*}} and {{.*}} share an array that one of them stores
// RUN: %cufuse fuse --vertical %s:turn %s:centre --link turn.in=centre.out --cooperative --block 32 --name fused --dry-run -o %t.cu 2>&1 \
// RUN:   | FileCheck %s --check-prefix=TOLD
// TOLD: linked as launched at
// RUN: echo 'static __global__ void own(const float *in, float *out, int n) { out[blockIdx.x * 256 + threadIdx.x] = 0; }' > %t.other.cu
// RUN: %cufuse fuse --vertical %s:scale %s:own --distinct --name fused --dry-run -o %t.cu
// RUN: %exits 1 %cufuse fuse --vertical %s:scale %t.other.cu:own --distinct --block 256 --name fused -o %t.cu 2>&1 | FileCheck %s --check-prefix=NONE
//
// Of a multiple, the number is a factor.
// RUN: %cufuse fuse --vertical %s:both %s:lower --distinct --name fused --dry-run -o %t.cu 2>&1 | FileCheck %s --check-prefix=MULTIPLE
// MULTIPLE: linked as launched at {{.*}}: --link both.x=lower.in --link both.pairs*2=lower.n; their grids are not seen to be one
//
// inspect lists the launches that follow each other.
// RUN: %cufuse inspect --chains %s | FileCheck %s --check-prefix=CHAINS
// CHAINS: .cu:[[#]]:{{.*}} and {{.*}}.cu:[[#]]:{{.*}}: one after the other
// CHAINS-NEXT: cufuse fuse --vertical {{.*}}.cu:scale {{.*}}.cu:shift -o fused.cu
// CHAINS-NEXT: : one after the other
// CHAINS-NEXT: cufuse fuse --vertical {{.*}}.cu:scale {{.*}}.cu:turn -o fused.cu
// CHAINS-NOT: shift {{.*}}:scale
// CHAINS: cufuse fuse --vertical {{.*}}.cu:lower {{.*}}.cu:raise -o fused.cu
// Of three, each of which takes what the one before stores, behind the pairs.
// CHAINS: cufuse fuse --vertical {{.*}}.cu:lower {{.*}}.cu:turn -o fused.cu
// CHAINS: cufuse fuse --vertical {{.*}}.cu:turn {{.*}}.cu:raise -o fused.cu
// CHAINS-NEXT: .cu:[[#]]:3, {{.*}}.cu:[[#]]:3 and {{.*}}.cu:[[#]]:3: one after the other
// CHAINS-NEXT: cufuse fuse --vertical {{.*}}.cu:lower {{.*}}.cu:turn {{.*}}.cu:raise -o fused.cu
// Its commands can be pasted: with the parameters of overloads, quotes inside quotes, and none for a lambda.
// CHAINS: cufuse fuse --vertical '{{.*}}.cu:twice(const float *, float *, int)' '{{.*}}.cu:plus<'\''x'\''>' -o fused.cu
// CHAINS: : one is for a type that has no name outside of its file
// CHAINS-NOT: cufuse fuse
#include <sys/time.h>
__global__ void scale(const float *in, float *out, float a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = a * in[i];
}
__global__ void shift(const float *in, float *out, float b, int rows, int columns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows * columns)
    out[i] = in[i] + b;
}
__global__ void turn(const float *in, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = -in[i];
}
__global__ void lower(const float *in, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] - 1;
}
__global__ void raise(const float *in, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] + 1;
}
__global__ void rowSum(float *sum, const float *x, int columns) {
  float all = 0;
  for (int i = threadIdx.x; i < columns; i += 32)
    all += x[blockIdx.x * columns + i];
  for (int reach = 16; reach; reach /= 2)
    all += __shfl_xor_sync(~0u, all, reach);
  if (threadIdx.x == 0)
    sum[blockIdx.x] = all;
}
__global__ void centre(float *out, const float *x, const float *sum, int columns) {
  for (int i = threadIdx.x; i < columns; i += 32)
    out[blockIdx.x * columns + i] = x[blockIdx.x * columns + i] - sum[blockIdx.x] / columns;
}

__global__ void rowMax(float *most, const float *x, int columns) {
  float all = x[blockIdx.x * columns];
  for (int i = 1; i < columns; ++i)
    all = fmaxf(all, x[blockIdx.x * columns + i]);
  if (threadIdx.x == 0)
    most[blockIdx.x] = all;
}

struct Buffers {
  float *x, *t, *y;
  const float *data() const { return x; }
};
void scaled(const float *x, float *y, float a, int count) { scale<<<(count + 255) / 256, 256>>>(x, y, a, count); }
void check(cudaError_t error, const char *file);
void ofWrappers(Buffers b, int rows, int columns) {
  const int n = rows * columns;
  scaled(b.data(), b.t, 2.f, n);
  check(cudaGetLastError(), __FILE__);
  shift<<<(n + 255) / 256, 256>>>(b.t, b.y, 1.f, rows, columns);
}
void ofPointersThatChange(float *x, float *y, int n) {
  scale<<<(n + 255) / 256, 256>>>(x, y, 2.f, n);
  y = x;
  turn<<<(n + 255) / 256, 256>>>(y, x, n);
}
void ofCopies(float *x, float *y, float *host, int n) {
  shift<<<(n + 255) / 256, 256>>>(x, y, 2.f, 1, n);
  cudaMemcpy(y, host, n * sizeof(float), cudaMemcpyHostToDevice);
  turn<<<(n + 255) / 256, 256>>>(y, x, n);
}
void ofLoops(float *x, float *y, int n) {
  for (int i = 0; i < 3; ++i)
    turn<<<(n + 255) / 256, 256>>>(x, y, n);
  scale<<<(n + 255) / 256, 256>>>(y, x, 2.f, n);
}
// Nobody comes to both.
void ofBranches(float *x, float *y, int n, bool forth) {
  if (forth)
    shift<<<(n + 255) / 256, 256>>>(x, y, 2.f, 1, n);
  else
    scale<<<(n + 255) / 256, 256>>>(y, x, 2.f, n);
}
// The first launches' rows are not the second's, but for the last two.
void ofRows(float *x, float *sum, float *out, float *u, int rows, int first, int columns) {
  rowSum<<<rows, 32>>>(sum, x, columns);
  centre<<<first, 32>>>(out, x, sum, columns);
  cudaMemset(u, 0, 4);
  const dim3 grid(rows / 2);
  centre<<<grid, 32>>>(out, x, sum, columns);
  rowSum<<<grid, 32>>>(u, out, columns);
}
void ofProducts(float *x, float *u, float *out, int rows, int heads, int columns) {
  const int grid = rows * heads;
  rowMax<<<grid, 32>>>(u, x, columns);
  centre<<<rows * heads, 32>>>(out, x, u, columns);
}
// Variables of a function that is called are those of this call.
void called(float *x, int n);
void calls(float *x) { called(x, 5); }
void called(float *x, int n) {
  float *t = nullptr, *y = nullptr;
  cudaMalloc((void **)&t, n * sizeof(float));
  cudaMalloc((void **)&y, n * sizeof(float));
  lower<<<(n + 255) / 256, 256>>>(x, t, n);
  raise<<<(n + 255) / 256, 256>>>(t, y, n);
}
__global__ void fill(float *x, float value, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] = value;
}
__global__ void lift(float *x, float *more, float by, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] += by;
  if (i < n && more)
    more[i] += by;
}
void ofElements(int device, int n) {
  float *x[2];
  cudaMalloc(&x[device], n * sizeof(float));
  fill<<<(n + 255) / 256, 256>>>(x[device], 1, n);
  lift<<<(n + 255) / 256, 256>>>(x[device], nullptr, 2, n);
}
void ofParts(float *x, float *sum, float *out, int rows, int columns) {
  turn<<<rows, 32>>>(x, out, columns);
  centre<<<rows, 32>>>(x, out + columns, sum, columns);
}
static __global__ void own(const float *in, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = -in[i];
}
void ofOwn(float *x, float *y, float *z, int n) {
  scale<<<(n + 255) / 256, 256>>>(x, y, 2.f, n);
  own<<<(n + 255) / 256, 256>>>(y, z, n);
}
__global__ void both(float *x, int pairs) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < pairs)
    reinterpret_cast<float2 *>(x)[i] = make_float2(1, 2);
}
void ofPairs(float *x, float *y, int pairs) {
  timeval now;
  both<<<(pairs + 255) / 256, 256>>>(x, pairs);
  gettimeofday(&now, nullptr);
  lower<<<(2 * pairs + 255) / 256, 256>>>(x, y, 2 * pairs);
}
struct State {
  int n;
  float first, second;
};
__global__ void reset(const float *first, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = *first;
}
__global__ void add(const float *first, const float *in, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] + *first;
}
void ofMembers(State *b, float *x, float *y, int n) {
  reset<<<1, 64>>>(&b->first, &x[0], n);
  add<<<1, 64>>>(&b->first, x, &y[1], n);
}
void ofOthers(State *b, float *x, float *y, int n) {
  add<<<1, 64>>>(x, &x[1], &b->first, n);
  reset<<<1, 64>>>(&b->second, y, n);
}
void ofThree(float *x, float *y, float *z, float *u, int n) {
  lower<<<(n + 255) / 256, 256>>>(x, y, n);
  turn<<<(n + 255) / 256, 256>>>(y, z, n);
  raise<<<(n + 255) / 256, 256>>>(z, u, n);
}
__global__ void twice(const float *in, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = 2 * in[i];
}
__global__ void twice(const double *in, double *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = 2 * in[i];
}
template <char C> __global__ void plus(const float *in, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] + C;
}
template <typename F> __global__ void apply(float *out, int n, F f) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = f(out[i]);
}
void ofNames(float *x, float *y, float *z, int n) {
  twice<<<(n + 255) / 256, 256>>>(x, y, n);
  plus<'x'><<<(n + 255) / 256, 256>>>(y, z, n);
  apply<<<(n + 255) / 256, 256>>>(z, n, [] __host__ __device__(float v) { return v + 1; });
}
