// What a kernel derives from a linked pointer keeps its place in the text: variables are declared auto, casts and addresses of
// elements say what they mean for an object.
// RUN: rm -rf %t && mkdir %t
// RUN: %cufuse fuse --vertical %s:make %s:take --link make.out=take.in --link make.n=take.n --dead make.out --block 128 \
// RUN:   --name out -o %t/out.cu
// RUN: FileCheck %s --input-file %t/out.cu
// Macros of a type go with it, and those of an access say the same of an object.
// RUN: %cufuse fuse --in-registers --vertical %s:makeByMacros %s:takeByMacros --link makeByMacros.out=takeByMacros.in \
// RUN:   --link makeByMacros.n=takeByMacros.n --dead makeByMacros.out --block 128 --name macros -o %t/macros.cu
// RUN: FileCheck %s --check-prefix=MACROS --input-file %t/macros.cu

__global__ void make(float *__restrict__ out, int n) {
  const int first = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  // CHECK: {{^}}  const auto vectors = cufuse_as<float4>(out);
  float4 *vectors = reinterpret_cast<float4 *>(out);
  // CHECK: {{^}}  const auto end = (out + (first));
  float *const end = &out[first];
  if (first + 4 <= n)
    vectors[first / 4] = make_float4(1, 2, 3, first);
  else
    for (int i = 0; i < 4 && first + i < n; ++i)
      // CHECK: {{^}}      *(end + i) = i;
      *(end + i) = i;
}

__global__ void take(const float *__restrict__ in, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK: {{^}}  if (cufuse_turn.inside(4 * i + 3 < n))
  if (4 * i + 3 < n)
    // CHECK: {{^}}    cufuse_as<float4>(out)[i] = __ldg(cufuse_as<const float4>((in + (4 * i))));
    reinterpret_cast<float4 *>(out)[i] = __ldg((const float4 *)&in[4 * i]);
  else
    for (int j = 4 * i; j < n; ++j)
      out[j] = in[j];
}

#define REAL float
#define RESTRICT __restrict__
#define POINTER(T) T *__restrict__
#define AT(p, i) p[i]
#define COUNT int n
__device__ REAL twice(const REAL *from, int i) { return 2 * from[i]; }
// MACROS: makeByMacros({{.*}}const cufuse_linked_out out, const cufuse_linked_in in, COUNT)
__global__ void makeByMacros(REAL *RESTRICT out, POINTER(const REAL) in, COUNT) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    // MACROS: {{^}}    AT(out, i) = AT(in, i) + 1;
    AT(out, i) = AT(in, i) + 1;
}
__global__ void takeByMacros(REAL const *RESTRICT in, POINTER(REAL) out, COUNT) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    AT(out, i) = 3 + AT(in, i) + twice(in, i);
}
