// A kernel that launches another needs a name for it that means the program's kernel in any file.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse %s:parent --block 64 -o %t/out.cu -- -rdc=true 2>&1 | \
// RUN:   FileCheck %s '--implicit-check-not={{(error|refused):}}'
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse %s:child --block 32 -o %t/out.cu -- -rdc=true
// RUN: %cufuse fuse %s:plain --block 32 -o %t/out.cu -- -rdc=true
struct Own {
  float *data;
};
__global__ void child(float *data) { data[threadIdx.x] *= 2; }
static __global__ void internal(float *data) { data[threadIdx.x] *= 2; }
__global__ void of_own_type(Own own) { own.data[threadIdx.x] *= 2; }
__global__ void defaulted(float *data, int n = 3) { data[threadIdx.x] *= n; }
template <typename T> __global__ void generic(T *data) { data[threadIdx.x] *= 2; }
#define LAUNCH child

__global__ void parent(float *data, int rows) {
  // CHECK: {{[^ ]*}}:[[#@LINE+4]]:3: error: parent: the kernel launches a kernel that the fused file cannot name: internal,
  // CHECK-SAME: which its file keeps to itself, in parent [DeviceLaunch]
  // CHECK: note: launch an ordinary function with external
  // CHECK-SAME: linkage, plainly, and compile with -rdc=true
  internal<<<1, 32>>>(data);
  // CHECK: {{[^ ]*}}:[[#@LINE+1]]:3: error: parent: {{.*}}: defaulted with default arguments in parent
  defaulted<<<1, 32>>>(data);
  // CHECK: {{[^ ]*}}:[[#@LINE+1]]:3: error: parent: {{.*}}: the template generic<float> in parent
  generic<<<1, 32>>>(data);
  // CHECK: {{[^ ]*}}:[[#@LINE+1]]:3: error: parent: {{.*}}: child out of a macro in parent
  LAUNCH<<<1, 32>>>(data);
  void (*chosen)(float *) = rows > 3 ? child : nullptr;
  // CHECK: {{[^ ]*}}:[[#@LINE-1]]:40: error: parent: {{.*}}: a mention of child in parent
  // CHECK: {{[^ ]*}}:[[#@LINE+1]]:3: error: parent: {{.*}}: a launch through a pointer in parent
  chosen<<<1, 32>>>(data);
  // CHECK: {{[^ ]*}}:[[#@LINE+1]]:3: error: parent: {{.*}}: of_own_type, with a parameter whose type is defined in its file,
  of_own_type<<<1, 32>>>(Own{data});
}

__global__ void plain(float *data) {
  if (threadIdx.x == 0)
    child<<<1, 32>>>(data);
}
