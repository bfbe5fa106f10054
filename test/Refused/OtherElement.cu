// A consumer that loads its element's neighbour is refused where the producer stores, and so is one whose index is not
// known: also one that loses bits.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse --vertical %s:scale %s:halo --block 128 \
// RUN:   --link scale.mid=halo.in --link scale.n=halo.n -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=HALO '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse --vertical %s:scale %s:gather --block 128 \
// RUN:   --link scale.mid=gather.in --link scale.n=gather.n -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=GATHER '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse --vertical %s:scale %s:masked --block 128 \
// RUN:   --link scale.mid=masked.in --link scale.n=masked.n -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=MASKED '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse --vertical %s:four %s:bits --distinct --in-registers --block 128 \
// RUN:   --link four.x=bits.x --link four.n=bits.n -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=BITS
// RUN: ls -A %t | count 0

__global__ void scale(const float *__restrict__ in, float *__restrict__ mid, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  __syncthreads();
  if (i < n)
    mid[i] = 2 * in[i];
}

__global__ void halo(const float *__restrict__ in, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    // HALO: {{[^ ]*}}:[[#@LINE+4]]:30: error: a kernel accesses another element of the intermediate than the one it
    // HALO-SAME: works on: halo: in[i - 1] at {{[^ ]*}}:[[#@LINE+3]]:30, whose index is element - 1; scale stores
    // HALO-SAME: mid[i] at {{[^ ]*}}:18:5 [OtherElement]
    // HALO: note: launch it separately
    out[i] = i > 0 ? in[i] - in[i - 1] : 0;
}

__global__ void gather(const float *__restrict__ in, const int *__restrict__ order, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    // GATHER: {{[^ ]*}}:[[#@LINE+1]]:14: error: {{.*}} gather: in[order[i]] at {{.*}}, whose index is not known
    out[i] = in[order[i]];
}

__global__ void masked(const float *__restrict__ in, float *__restrict__ out, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, low = (i << 24) >> 24, same = (4 * i) / 4;
  if (i < n)
    // MASKED: {{[^ ]*}}:[[#@LINE+1]]:25: error: {{.*}} masked: in[low] at {{.*}}, whose index is not known
    out[same] = in[i] + in[low];
}

// One that has an element for each group of another is told so.
__global__ void four(float *x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    // BITS: {{[^ ]*}}:[[#@LINE+2]]:5: error: {{.*}} four: {{.*}} stores 4 elements at a time, bits loads several for one of its own
    // BITS: note: let bits store as many elements as it loads, or use --cooperative
    reinterpret_cast<float4 *>(x)[i] = make_float4(i, 1, 2, 3);
}

__global__ void bits(const float *x, unsigned char *signs, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    const float4 v = reinterpret_cast<const float4 *>(x)[i];
    signs[i] = (v.x < 0) + 2 * (v.y < 0) + 4 * (v.z < 0) + 8 * (v.w < 0);
  }
}
