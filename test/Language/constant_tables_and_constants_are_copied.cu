// Tables with an initialiser in every spelling, and host constants used in device code.
// RUN: %cufuse fuse %s:encode %s:decode %s:weigh --block 64 --block 64 --block 64 -o %t.cu
// RUN: %FileCheck %s < %t.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -cubin -o %t.cubin %t.cu

// CHECK: __constant__ unsigned char Table[4] = {1, 2, 3, 4};
// CHECK-NOT: __constant__ float Unused

__constant__ unsigned char Table[4] = {1, 2, 3, 4};
__device__ __constant__ const float2 Pairs[] = {{1, 2}, {3, 4}};
static __device__ const int Shifts[2][2] = {{1, 2}, {3, 4}};
__constant__ float Unused[3] = {1, 2, 3};
static __constant__ float Weights[2] = {1, 2};
constexpr int Rounds = 3;
const float Scale = 0.5f;
static const unsigned Mask = 0xff;
enum { Offset = 7, Count = Offset + Rounds };
enum class Kind : unsigned char { A, B };
using Word = unsigned;
typedef Word Words[2];
template <typename T> using Pointer = T *;
template <typename T> constexpr T Half = T(0.5);
struct Config {
  static constexpr int Depth = 5;
  enum { Lanes = 32 };
};
#define TABLE_AT(i) Table[(i) % 4]

__global__ void encode(Pointer<Word> data) {
  Words words = {1, 2};
  for (int r = 0; r < Rounds; ++r)
    data[threadIdx.x] ^= TABLE_AT(r) + words[r % 2] + Shifts[r & 1][0];
  data[threadIdx.x] += Scale * Half<float> + Config::Depth + Config::Lanes + (Kind::B == Kind(data[0]));
}
// A region that is skipped here is no host code's.
__global__ void weigh(float *data) {
#if __CUDA_ARCH__ >= 800
  data[threadIdx.x] = __ldcg(data + threadIdx.x) * Weights[threadIdx.x & 1];
#else
  data[threadIdx.x] *= Weights[threadIdx.x & 1];
#endif
}
__global__ void decode(Word *data) { data[threadIdx.x] = (data[threadIdx.x] & Mask) + Count + Pairs[threadIdx.x % 2].x; }
