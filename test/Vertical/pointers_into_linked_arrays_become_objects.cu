// What a kernel derives from a linked pointer keeps its place in the text: variables are declared auto, casts and addresses of
// elements say what they mean for an object.
// RUN: rm -rf %t && mkdir %t
// RUN: %cufuse fuse --vertical %s:make %s:take --link make.out=take.in --link make.n=take.n --dead make.out --block 128 \
// RUN:   --name out -o %t/out.cu
// RUN: FileCheck %s --input-file %t/out.cu

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
