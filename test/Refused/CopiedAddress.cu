// Of a function and of a table, the fused file has a copy: what others are given, or compare with, is another address.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse %s:ops --block 64 -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=STORED '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse %s:chosenOps --block 64 -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=TABLE '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse %s:part --block 64 -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=PART '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse %s:made --block 64 -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=VIRTUAL '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse %s:isTwice --block 64 -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=COMPARED '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse %s:ends --block 64 -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=END '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse %s:bits --block 64 -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=BITS '--implicit-check-not={{(error|refused):}}'
// RUN: test ! -e %t/out.cu
// RUN: %cufuse fuse %s:own --block 64 --name own -o %t/own.cu
// RUN: %cufuse fuse %s:walked --block 64 --name walked -o %t/walked.cu
// RUN: %cufuse fuse %s:local --block 64 --name local -o %t/local.cu
// RUN: %cufuse fuse %s:named --block 64 --name named -o %t/named.cu

using Function = float (*)(float);
struct Shape {
  __device__ virtual float area() const = 0;
};
struct Square : Shape {
  float side;
  __device__ explicit Square(float side) : side(side) {}
  __device__ float area() const override { return side * side; }
};
struct Node {
  const Node *next;
  float value;
};
__device__ float twice(float x) { return 2 * x; }
__device__ float half(float x) { return x / 2; }
__device__ const Function functions[2] = {twice, half};
__device__ const float weights[4] = {1, 2, 3, 4};
__device__ const Node nil = {nullptr, 0};

// STORED: {{.*}}CopiedAddress.cu:[[@LINE+1]]:{{[0-9]+}}: error: ops: others would see an address of the output's copies, where they know that of the program: the address of {{twice|half}} is stored in ops [CopiedAddress]
__global__ void ops(Function *to) { to[threadIdx.x] = threadIdx.x % 2 ? twice : half; }

// TABLE: [[@LINE+1]]:{{[0-9]+}}: error: chosenOps: {{.*}} functions is stored in chosenOps{{.*}} [CopiedAddress]
__global__ void chosenOps(Function *to) { to[threadIdx.x] = functions[threadIdx.x % 2]; }

// PART: error: part: {{.*}} weights is stored in part{{.*}} [CopiedAddress]
__global__ void part(const float **to) { to[threadIdx.x] = weights + threadIdx.x % 4; }

// VIRTUAL: error: made: {{.*}} a table of virtual functions is stored in Shape{{.*}} [CopiedAddress]
// VIRTUAL: error: made: {{.*}} Square::area is stored in Square{{.*}} [CopiedAddress]
__global__ void made(Square *to) { new (to + threadIdx.x) Square(threadIdx.x); }

// COMPARED: [[@LINE+1]]:{{[0-9]+}}: error: isTwice: {{.*}} twice is compared in isTwice{{.*}} [CopiedAddress]
__global__ void isTwice(float *data, Function f) { data[threadIdx.x] = f == twice; }

// END: error: ends: {{.*}} nil is compared in ends{{.*}} [CopiedAddress]
__global__ void ends(float *data, const Node *const *first) {
  for (const Node *node = first[threadIdx.x]; node != &nil; node = node->next)
    data[threadIdx.x] += node->value;
}

// BITS: error: bits: {{.*}} weights is {{.*}} in bits{{.*}} [CopiedAddress]
__global__ void bits(unsigned *to) { to[threadIdx.x] = reinterpret_cast<size_t>(weights) % 512; }

// The kernel's own ends: what is called, loaded, compared with each other, printed.
__global__ void own(float *data, bool up) {
  const Function f = up ? twice : half;
  data[threadIdx.x] = f(data[threadIdx.x]) + (f == half) + functions[threadIdx.x % 2](1);
}
__global__ void walked(float *data) {
  for (const float *w = weights; w != weights + 4; ++w)
    data[threadIdx.x] += *w * (w - weights);
  for (const Node *node = &nil; node; node = node->next)
    data[threadIdx.x] += node->value;
}
__global__ void local(float *data) {
  const Square a(data[threadIdx.x]), b(2);
  const Shape *shapes[2] = {&a, &b};
  const Function f[2] = {twice, half};
  data[threadIdx.x] = f[threadIdx.x % 2](shapes[threadIdx.x / 2 % 2]->area());
}
__global__ void named(const char **to, float *data) {
  to[threadIdx.x] = "weight";
  printf("%s %f\n", to[threadIdx.x], data[threadIdx.x] * weights[threadIdx.x % 4]);
}
