// A kernel may use another one's memory without a pointer parameter that leads there: through pointers in structures,
// numbers that are addresses, textures and surfaces. Saying that pointers are distinct says nothing of these.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse --vertical %s:packed %s:shift --block 128 \
// RUN:   --link packed.mid=shift.in --link packed.n=shift.n -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=PACKED
// RUN: %exits 1 %cufuse fuse --vertical %s:packed %s:shift --block 128 --distinct \
// RUN:   --link packed.mid=shift.in --link packed.n=shift.n -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=PACKED
// RUN: %exits 1 %cufuse fuse --vertical %s:both %s:byNumber --block 128 \
// RUN:   --link both.mid=byNumber.in --link both.n=byNumber.n -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: %exits 1 %cufuse fuse --vertical %s:both %s:byTexture --block 128 \
// RUN:   --link both.mid=byTexture.in --link both.n=byTexture.n -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=TEXTURE
// RUN: %exits 1 %cufuse fuse --vertical %s:both %s:bySurface --block 128 \
// RUN:   --link both.mid=bySurface.in --link both.n=bySurface.n -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=SURFACE
// RUN: ls -A %t | count 0

__global__ void shift(const float *__restrict__ in, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    // PACKED: {{[^ ]*}}:[[#@LINE+4]]:5: error: a kernel uses memory that no pointer parameter leads to, and another
    // PACKED-SAME: kernel may access it: shift: out[i] at {{[^ ]*}}; packed uses pointers in arrays,
    // PACKED-SAME: {{[^ ]*}} [HiddenMemory]
    // PACKED: note: pass what it uses as a pointer parameter, or launch it separately
    out[i] = in[i] + 1;
}

struct Arrays {
  float *x;
};
__global__ void packed(Arrays arrays, float *__restrict__ mid, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    mid[i] = arrays.x[i];
}

__global__ void both(float *__restrict__ mid, float *__restrict__ side, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    mid[i] = i;
    // NUMBER: error: {{.*}} both: mid[i] at {{.*}}; byNumber uses an address that it computes, {{.*}} [HiddenMemory]
    // TEXTURE: error: {{.*}} both: mid[i] at {{.*}}; byTexture uses {{.*}} [HiddenMemory]
    // SURFACE: error: {{.*}} both: mid[i] at {{.*}}; bySurface uses {{.*}} [HiddenMemory]
    side[i] = 2 * i;
  }
}

__device__ float at(unsigned long long address, int i) {
  return reinterpret_cast<const float *>(address)[i];
}
__global__ void byNumber(const float *__restrict__ in, unsigned long long side, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] + at(side, n - 1 - i);
}

__global__ void byTexture(const float *__restrict__ in, cudaTextureObject_t side, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] + tex1Dfetch<float>(side, n - 1 - i);
}

__global__ void bySurface(const float *__restrict__ in, cudaSurfaceObject_t side, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float other;
    surf1Dread(&other, side, (n - 1 - i) * 4);
    out[i] = in[i] + other;
  }
}
