// `typedef struct {…} Name;` with and without a tag, several declarators, enumerations; needed by the body only.
// RUN: %cufuse fuse %s:cStyle %s:sameTypes --block 64 --block 64 -o %t.cu
// RUN: %FileCheck %s < %t.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -cubin -o %t.cubin %t.cu

// CHECK-COUNT-2: typedef struct Node {
// CHECK-NOT: typedef struct Node {

typedef struct {
  int low, high;
} Range;
typedef struct Node {
  int value;
  struct Node *next;
} Node, *NodePointer;
typedef enum { Plus, Minus } Sign;
struct {
  int z;
} typedef Odd;
struct Named {
  float f;
} typedef Renamed, *RenamedPointer;

__device__ float weigh(Range range, NodePointer node, Sign sign, Odd odd, Renamed renamed) {
  return range.low + node->value + (sign == Plus) + odd.z + renamed.f;
}

__global__ void cStyle(float *data) {
  Node node{2, nullptr};
  data[threadIdx.x] = weigh(Range{1, 2}, &node, Minus, Odd{1}, Renamed{2});
}
__global__ void sameTypes(float *data) {
  Node node{3, nullptr};
  data[threadIdx.x] = weigh(Range{1, 2}, &node, Plus, Odd{1}, Renamed{2});
}
