// Where both launches are handed the same two pointers, each is linked, although they may lead into one array: whether they
// meet is asked as of any two pointers of a kernel. Accessors may check what they return.
// RUN: rm -rf %t && mkdir %t
// RUN: %cufuse fuse --vertical %s:place %s:move --block 64 --name o -o %t/o.cu 2>&1 | FileCheck %s
// CHECK: linked as launched at {{.*}}: --link place.n=move.n --link place.x=move.x --link place.y=move.y
// RUN: FileCheck %s --check-prefix=MEET --input-file %t/o.cu
// MEET: meet({{.*}}x, {{.*}}y,
// RUN: %cufuse fuse --vertical %s:place %s:moveChecked --block 64 --name o -o %t/o.cu 2>&1 | FileCheck %s --check-prefix=CHECKED
// CHECKED: linked as launched at {{.*}}: --link place.n=moveChecked.n --link place.x=moveChecked.x
// A pointer that one of them alone has may be a part of the other's.
// RUN: %exits 1 %cufuse fuse --vertical %s:place %s:last --block 64 --name o -o %t/o.cu 2>&1 | FileCheck %s --check-prefix=LAST
// LAST: error: it is not seen whether the launches at {{.*}} and {{.*}} share an array that one of them stores
// What a kernel says of its pointers, it says of itself alone.
// RUN: %exits 1 %cufuse fuse --vertical %s:placeApart %s:moveApart --block 64 --name o -o %t/o.cu 2>&1 | FileCheck %s --check-prefix=LAST
#include <cstdio>
#include <cstdlib>
template <typename T> class Memory {
public:
  T *data() {
    if (!first) {
      printf("empty\n");
      exit(1);
    }
    return first;
  }

private:
  T *first;
};

__global__ void place(int n, float *x, float *y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    x[i] = i;
    y[i] = 2 * i;
  }
}
__global__ void move(int n, float *x, float *y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    x[i] += 1;
    y[i] += x[i];
  }
}
__global__ void moveChecked(int n, float *x, float *y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    x[i] += 1;
    y[i] += x[i];
  }
}
__global__ void last(int n, float *z) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    z[i] += 1;
}
__global__ void placeApart(int n, float *__restrict__ x, float *__restrict__ y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] = y[i];
}
__global__ void moveApart(int n, float *__restrict__ x, float *__restrict__ y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[i];
}
void run(float *x, int n) {
  place<<<(n + 63) / 64, 64>>>(n, x, x + n);
  move<<<(n + 63) / 64, 64>>>(n, x, x + n);
}
void runLast(float *x, int n) {
  place<<<(n + 63) / 64, 64>>>(n, x, x + n);
  last<<<(n + 63) / 64, 64>>>(n, x + 3);
}
void runApart(float *x, int n) {
  placeApart<<<(n + 63) / 64, 64>>>(n, x, x + n);
  moveApart<<<(n + 63) / 64, 64>>>(n, x, x + n);
}
void runMemory(Memory<float> &x, int n) {
  place<<<(n + 63) / 64, 64>>>(n, x.data(), x.data() + n);
  moveChecked<<<(n + 63) / 64, 64>>>(n, x.data(), x.data() + n);
}
