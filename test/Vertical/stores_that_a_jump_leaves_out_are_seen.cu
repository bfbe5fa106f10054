// An element that a jump leaves out is not stored, whoever of the text and the compiled code sees the jump.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse --in-registers %s:inSwitch %s:take --block 64 --link inSwitch.mid=take.in --link inSwitch.n=take.n \
// RUN:   -o %t/out.cu -- -std=c++17 2>&1 | FileCheck %s --check-prefix=SWITCH '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse --in-registers %s:declares %s:take --block 64 --link declares.mid=take.in --link declares.n=take.n \
// RUN:   -o %t/out.cu -- -std=c++17 2>&1 | FileCheck %s --check-prefix=DECLARES '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse --in-registers %s:inLabel %s:take --block 64 --link inLabel.mid=take.in --link inLabel.n=take.n \
// RUN:   -o %t/out.cu -- -std=c++17 2>&1 | FileCheck %s --check-prefix=LABEL
// RUN: %exits 1 %cufuse fuse --in-registers %s:tile %s:take --block tile=8x8 --link tile.mid=take.in --link tile.m*n=take.n \
// RUN:   -o %t/out.cu -- -std=c++17 2>&1 | FileCheck %s --check-prefix=TILE '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse --in-registers %s:row %s:takeRow --block 64 --link row.mid=takeRow.in --link row.columns=takeRow.columns \
// RUN:   -o %t/out.cu -- -std=c++17 2>&1 | FileCheck %s --check-prefix=ROW '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse --in-registers %s:ended %s:takeRow --block 64 --link ended.mid=takeRow.in --link ended.columns=takeRow.columns \
// RUN:   -o %t/out.cu -- -std=c++17 2>&1 | FileCheck %s --check-prefix=ENDED
// RUN: %exits 1 %cufuse fuse --in-registers %s:some %s:take --block 64 --link some.mid=take.in --link some.n=take.n -o %t/out.cu \
// RUN:   -- -std=c++17 2>&1 | FileCheck %s --check-prefix=SOME '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse --in-registers %s:falls %s:take --block 64 --link falls.mid=take.in --link falls.n=take.n -o %t/out.cu \
// RUN:   -- -std=c++17 2>&1 | FileCheck %s --check-prefix=FALLS '--implicit-check-not={{(error|refused):}}'
// RUN: ls -A %t | count 0
// Every way stores it, or does so twice.
// RUN: %cufuse fuse --in-registers %s:cases %s:take --block 64 --link cases.mid=take.in --link cases.n=take.n -o %t/cases.cu -- -std=c++17
// RUN: %cufuse fuse --in-registers %s:again %s:takeRow --block 64 --link again.mid=takeRow.in --link again.columns=takeRow.columns \
// RUN:   -o %t/again.cu -- -std=c++17

__global__ void take(const float *__restrict__ in, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] + 1;
}
__global__ void takeRow(const float *__restrict__ in, float *__restrict__ out, int columns) {
  float sum = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    sum += in[blockIdx.x * columns + i];
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    out[blockIdx.x * columns + i] = in[blockIdx.x * columns + i] + sum;
}

__global__ void inSwitch(const float *__restrict__ x, const int *__restrict__ kind, float *__restrict__ mid, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
    if (x[i] > 9) {
      mid[i] = x[i];
    } else {
      switch (kind[i]) {
      case 0:
        continue;
      default:
        break;
      }
      // SWITCH: error: {{.*}} inSwitch: mid[i] at {{[^ ]*}}:[[#@LINE+1]]:7, under 'switch (kind[i])
      mid[i] = 2;
    }
  }
}

__global__ void declares(const float *__restrict__ x, float *__restrict__ mid, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
    if (const int k = int(x[i]) % 3; k == 0)
      continue;
    // DECLARES: error: {{.*}} declares: mid[i] at {{[^ ]*}}:[[#@LINE+2]]:7, under 'k == 0'
    if (x[i] > 9)
      mid[i] = x[i];
    else
      mid[i] = 2;
  }
}

// LABEL: error: {{.*}} inLabel: mid[i] at {{.*}} [StoredSometimes]
__global__ void inLabel(const float *__restrict__ x, float *__restrict__ mid, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
    switch (int(x[i])) {
    case 0:
      goto next;
    }
    mid[i] = x[i];
  next:;
  }
}

__global__ void some(const float *__restrict__ x, float *__restrict__ mid, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    switch (int(x[i])) {
    case 0:
      mid[i] = 1;
      break;
    case 1:
      // SOME: error: {{.*}} some: mid[i] at {{[^ ]*}}:[[#@LINE+1]]:7, under 'switch (int(x[i]))
      mid[i] = 2;
    }
}

__global__ void falls(const float *__restrict__ x, float *__restrict__ mid, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    switch (int(x[i])) {
    case 0:
      // FALLS: error: {{.*}} falls: mid[i] at {{[^ ]*}}:[[#@LINE+1]]:7 and mid[i] at {{[^ ]*}}:[[#@LINE+3]]:7{{.*}} [StoredTwice]
      mid[i] = 1;
    default:
      mid[i] = 2;
    }
}

__global__ void tile(const float *__restrict__ x, float *__restrict__ mid, int m, int n) {
  const int row = blockIdx.y * 8 + threadIdx.y, column = blockIdx.x * 8 + threadIdx.x;
  __syncthreads();
  if (row < m && column < n)
    for (int once = 0; once < 1; ++once) {
      const float v = ({
        if (x[row * n + column] < 0)
          continue;
        x[row * n + column];
      });
      // TILE: error: {{.*}} tile: mid[row * n + column] at {{[^ ]*}}:[[#@LINE+2]]:9, under 'x[row * n + column] < 0'
      if (v > 9)
        mid[row * n + column] = v;
      else
        mid[row * n + column] = 2;
    }
}

__global__ void row(const float *__restrict__ x, float *__restrict__ mid, int columns) {
  for (int i = threadIdx.x; i < columns; i += blockDim.x) {
    if (x[i] > 9)
      // ROW: error: {{.*}} row: mid[blockIdx.x * columns + i] at {{[^ ]*}}:[[#@LINE+1]]:7, not in every turn
      mid[blockIdx.x * columns + i] = x[i];
    switch (i % 3) {
    case 0:
      continue;
    }
    mid[blockIdx.x * columns + i] = 2;
  }
}

__global__ void ended(const float *__restrict__ x, float *__restrict__ mid, int columns) {
  for (int i = threadIdx.x; i < columns; i += blockDim.x) {
    // ENDED: error: {{.*}} ended: mid[blockIdx.x * columns + i] at {{[^ ]*}}:[[#@LINE+1]]:5; {{.*}} [NotByRow]
    mid[blockIdx.x * columns + i] = x[i];
    const float v = ({
      if (x[i] < 0)
        break;
      x[i];
    });
    (void)v;
  }
}

template <int MODE> __device__ float chosen(float x) { return MODE > 1 ? x : -x; }
__global__ void cases(const float *__restrict__ x, float *__restrict__ mid, int n) {
  if (const int i = blockIdx.x * blockDim.x + threadIdx.x; i < n) {
    if (const int k = int(x[i]); k > 3)
      mid[i] = k;
    else if (const int rest = k % 2)
      mid[i] = chosen<1>(rest);
    else
      mid[i] = chosen<2>(x[i]);
  }
}

__global__ void again(const float *__restrict__ x, float *__restrict__ mid, int columns) {
  for (int i = threadIdx.x; i < columns; i += blockDim.x) {
    if (x[i] > 9)
      mid[blockIdx.x * columns + i] = x[i];
    else
      mid[blockIdx.x * columns + i] = 2;
    if (x[i] < 0)
      mid[blockIdx.x * columns + i] = 0;
  }
}
