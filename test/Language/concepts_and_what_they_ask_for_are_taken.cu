// Concepts, and the functions that their requirements look for, come with the kernel: without them another branch is taken.
// RUN: rm -rf %t && mkdir %t
// RUN: %cufuse fuse %s:asks %s:constrained --block 64 --block 64 -o %t/out.cu -- -std=c++20
// RUN: FileCheck %s --input-file %t/out.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -std=c++20 -cubin -o %t/out.cubin %t/out.cu

// CHECK: namespace {{.*}}_asks {
// CHECK: concept Measured =
// CHECK-NOT: concept Unused
// CHECK: namespace {{.*}}_constrained {
// CHECK: concept Small =
// CHECK: concept Smallest =

struct Length {
  int value;
};
struct Weight {
  int value;
};
__device__ int measure(Length length) { return length.value; }
template <typename T> concept Measured = requires(T t) { measure(t); };
template <typename T> concept Unused = sizeof(T) == 3;
template <typename T> __device__ int either() {
  if constexpr (requires(T t) { measure(t); })
    return measure(T{5});
  else
    return 7;
}
// Another file may define it: nobody calls it here.
__device__ int weigh(Weight weight);
__global__ void asks(int *data) {
  static_assert(Measured<Length> && !Measured<Weight>);
  data[threadIdx.x] = Measured<Length> * 100 + either<Length>() * 10 + either<Weight>();
  if constexpr (requires(Weight w) { weigh(w); } && !noexcept(weigh(Weight{})))
    data[threadIdx.x] += sizeof(weigh(Weight{})) + decltype(weigh(Weight{})){3};
}

namespace sizes {
template <typename T> concept Small = sizeof(T) <= 4;
template <typename T> concept Smallest = Small<T> && sizeof(T) == 1;
} // namespace sizes
__device__ int rank(sizes::Small auto) { return 1; }
__device__ int rank(sizes::Smallest auto) { return 2; }
template <sizes::Small T> __device__ int twice(T x) { return x * 2; }
__global__ void constrained(int *data) { data[threadIdx.x] = rank(3) + rank('a') * 10 + twice(short{4}); }
