// Kernels that load the same array load it once when they are one: so the text says, and so does nvcc's code.
// RUN: rm -rf %t && mkdir %t
// RUN: %cufuse fuse --vertical %s:sine %s:cosine --link sine.x=cosine.x --link sine.n=cosine.n --block 128 --name pair \
// RUN:   -o %t/pair.cu
// RUN: FileCheck %s --check-prefix=TEXT --input-file %t/pair.cu
// RUN: %nvcc -std=c++17 -arch=sm_90a -ptx -o %t/pair.ptx %t/pair.cu
// RUN: FileCheck %s --check-prefix=PTX --input-file %t/pair.ptx --implicit-check-not=ld.global
// RUN: %cufuse fuse --vertical %s:sine %s:cosine --link sine.x=cosine.x --link sine.n=cosine.n --block 128 --name pair \
// RUN:   --vectorize 4 -o %t/wide.cu
// RUN: %nvcc -std=c++17 -arch=sm_90a -ptx -o %t/wide.ptx %t/wide.cu
// RUN: FileCheck %s --check-prefix=WIDE --input-file %t/wide.ptx --implicit-check-not=v4.f32
// REQUIRES: nvcc

// TEXT: float cufuse_sine_x = x[first];
// TEXT: cufuse_sine::sine({{.*}}, {&cufuse_sine_x}, {&cufuse_sine_out}, n);
// TEXT-NEXT: cufuse_cosine::cosine({{.*}}, {&cufuse_sine_x}, {&cufuse_cosine_out}, n);
// PTX: .entry
// PTX: ld.global.nc.f32
// PTX: st.global.f32
// PTX: st.global.f32
// WIDE: ld.global.nc.v4.f32
// WIDE: st.global.v4.f32
// WIDE: st.global.v4.f32
__global__ void sine(const float *__restrict__ x, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = __sinf(x[i]);
}
__global__ void cosine(const float *__restrict__ x, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = __cosf(x[i]);
}
