// Conditions in a body, in a parameter list, around a head with a shared body: what was compiled is copied, and the macros must be
// the same where the copy is compiled. Macros defined inside a body are there.
// RUN: %cufuse fuse %s:conditional %s:headChosen %s:parameters --block 64 --block 64 --block 64 -o %t.cu -- -DUSE_FAST
// RUN: %FileCheck %s < %t.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -DUSE_FAST -cubin -o %t.cubin %t.cu

// RUN: %exits 1 %nvcc -arch=sm_90a -cubin -o %t.cubin %t.cu 2>&1 | %FileCheck %s --check-prefix=OTHER

// CHECK-NOT: {{#if.* (defined\()?USE_FAST| expf}}
// CHECK: __expf
// CHECK: #define STEP
// CHECK-NOT: {{#if.* (defined\()?USE_FAST| expf|double}}
// CHECK: static_assert({{.*}}::cufuseSame(CUFUSE_EXPANDED(USE_FAST), "1")
// OTHER: fused with other flags or headers

__global__ void conditional(float *data) {
#ifdef USE_FAST
  float value = __expf(data[threadIdx.x]);
#else
  float value = expf(data[threadIdx.x]);
#endif
#define STEP(k) value = value * k + 1.0f;
  STEP(2) STEP(3)
#undef STEP
#if __CUDA_ARCH__ >= 800
  value += 1.0f;
#elif defined(NEVER)
  value += 2.0f;
#endif
  data[threadIdx.x] = value;
}

#if defined(USE_FAST)
__global__ void headChosen(float *data, float scale) {
#else
__global__ void headChosen(float *data, double scale) {
#endif
  data[threadIdx.x] *= scale;
}

__global__ void parameters(float *data
#ifdef USE_FAST
                           , float bias
#endif
) {
#ifdef USE_FAST
  data[threadIdx.x] += bias;
#endif
}
