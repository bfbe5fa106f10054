// Which differences of two kernels are seen in their code, and which are none.
#include "../../lib/Verify/SameCode.h"
#include "cufuse/Facts/FindKernel.h"
#include "cufuse/Reach/DeviceIr.h"

#include <fmt/core.h>
#include <llvm/IR/Function.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cufuse {
namespace {

constexpr const char *Around = R"(
__device__ int global, other;
__device__ const int numbers[] = {4, 5}, others[] = {4, 6};
__device__ float undefined(float);
__device__ float undefined2(float);
__device__ int even(int x);
__device__ int odd(int x) { return x == 0 ? 0 : even(x - 1); }
__device__ int even(int x) { return x == 0 ? 1 : odd(x - 1); }
__device__ int even2(int x);
__device__ int odd2(int x) { return x == 0 ? 0 : even2(x - 1); }
__device__ int even2(int x) { return x == 0 ? 1 : odd2(x - 1); }
__device__ int even3(int x);
__device__ int odd3(int x) { return x == 0 ? 2 : even3(x - 1); }
__device__ int even3(int x) { return x == 0 ? 1 : odd3(x - 1); }
struct Pair { int a, b; };
struct OtherPair { int b, a; };
struct Large { int v[40]; };
struct Base { __device__ virtual int get() { return 1; } };
struct First : Base { __device__ int get() override { return 2; } };
struct Second : Base { __device__ int get() override { return 3; } };
__device__ int get(Base &b) { return b.get(); }
__device__ int one(int v) { return v; }
__device__ int two(int v) { return 2 * v; }
__device__ int (*const functions[])(int) = {one, two};
__device__ int (*const exchanged[])(int) = {two, one};
)";

struct TwoTexts {
  const char *What, *A, *B;
};

/// Of `(int *x, float *f, int n)`.
constexpr TwoTexts Same[] = {
    {"names", "int i = threadIdx.x; if (i < n) x[i] = 1;", "int other = threadIdx.x; if (other < n) x[other] = 1;"},
    {"helpers", "x[0] = two(n);", "int v = n; x[0] = 2 * v;"},
    {"an unused load", "x[0] = 1;", "int unused = x[1]; x[0] = 1;"},
    {"an unused variable", "x[0] = 1;", "Pair p = {1, 2}; p.a = 3; x[0] = 1;"},
    {"where a built-in is read", "int i = threadIdx.x, j = blockIdx.x; x[i] = j;",
     "int j = blockIdx.x, i = threadIdx.x; x[i] = j;"},
    {"an unrolled loop", "for (int k = 0; k < n; ++k) x[k] = k;",
     "_Pragma(\"unroll 4\") for (int k = 0; k < n; ++k) x[k] = k;"},
    {"recursion", "x[0] = even(n);", "x[0] = even2(n);"},
    {"names of classes", "Pair p = {1, 2}; x[0] = p.a + ((int *)&p)[n];",
     "OtherPair p = {1, 2}; x[0] = p.b + ((int *)&p)[n];"},
    {"text", "printf(\"a %d\", n);", "printf(\"a %d\", n);"},
};

constexpr TwoTexts Different[] = {
    {"a lost barrier", "x[0] = 1; __syncthreads(); x[1] = 2;", "x[0] = 1; x[1] = 2;"},
    {"a warp's barrier", "x[0] = 1; __syncwarp(); x[1] = 2;", "x[0] = 1; x[1] = 2;"},
    {"a lost store", "x[0] = 1; x[1] = 2;", "x[1] = 2;"},
    {"the order of stores", "x[0] = 1; x[n] = 2;", "x[n] = 2; x[0] = 1;"},
    {"the order of a load and a store", "int v = x[n]; x[0] = 1; x[1] = v;", "x[0] = 1; int v = x[n]; x[1] = v;"},
    {"signedness", "x[0] = n / 3;", "x[0] = (unsigned)n / 3;"},
    {"signedness of a comparison", "if (n < 3) x[0] = 1;", "if ((unsigned)n < 3u) x[0] = 1;"},
    {"signedness of a shift", "x[0] = n >> 3;", "x[0] = (unsigned)n >> 3;"},
    {"what overflows", "x[0] = n + 1;", "x[0] = (unsigned)n + 1u;"},
    {"another atomic", "atomicAdd(x, n);", "atomicMax(x, n);"},
    {"an atomic of another scope", "atomicAdd(x, n);", "atomicAdd_block(x, n);"},
    {"a lost atomic", "atomicAdd(x, n);", "x[0] += n;"},
    {"swapped operands", "x[0] = n - threadIdx.x;", "x[0] = threadIdx.x - n;"},
    {"another constant", "x[0] = n * 3;", "x[0] = n * 4;"},
    {"another constant of a store", "f[0] = 0.5f;", "f[0] = 0.25f;"},
    {"the precision", "f[0] = f[1] * 0.5f;", "f[0] = f[1] * 0.5;"},
    {"the sign of zero", "f[0] = 0.f;", "f[0] = -0.f;"},
    {"another element", "x[1] = n;", "x[2] = n;"},
    {"another index", "x[n] = 1;", "x[threadIdx.x] = 1;"},
    {"another parameter", "x[0] = 1;", "((int *)f)[0] = 1;"},
    {"another variable", "global = n;", "other = n;"},
    {"two variables that are one", "global = n; other = 1;", "global = n; global = 1;"},
    {"one variable that is two", "global = n; global = 1;", "global = n; other = 1;"},
    {"a table's value", "x[0] = numbers[n];", "x[0] = others[n];"},
    {"functions in a table", "x[0] = functions[n](3);", "x[0] = exchanged[n](3);"},
    {"a virtual function", "First o; x[0] = get(o);", "Second o; x[0] = get(o);"},
    {"another function", "f[0] = undefined(f[1]);", "f[0] = undefined2(f[1]);"},
    {"recursion", "x[0] = even(n);", "x[0] = even3(n);"},
    {"`volatile`", "x[0] = *(volatile int *)x;", "x[0] = *x;"},
    {"a dead volatile load", "(void)*(volatile int *)x;", ""},
    {"a built-in", "x[threadIdx.x] = 1;", "x[threadIdx.y] = 1;"},
    {"shared memory's size", "__shared__ int s[32]; s[n] = x[0]; x[1] = s[0];",
     "__shared__ int s[33]; s[n] = x[0]; x[1] = s[0];"},
    {"shared memory", "__shared__ int s[32]; s[n] = x[0]; x[1] = s[0];", "int s[32]; s[n] = x[0]; x[1] = s[0];"},
    {"local memory's size", "int s[32]; s[n] = x[0]; x[1] = s[0];", "int s[33]; s[n] = x[0]; x[1] = s[0];"},
    {"two arrays that are one", "int s[8], t[8]; s[n] = 1; t[n + 1] = 2; x[0] = s[1] + t[2];",
     "int s[8]; s[n] = 1; s[n + 1] = 2; x[0] = s[1] + s[2];"},
    {"a branch", "if (n > 3) x[0] = 1; else x[0] = 2;", "if (n > 3) x[0] = 2; else x[0] = 1;"},
    {"a loop's step", "for (int k = 0; k < n; ++k) x[k] = k;", "for (int k = 0; k < n; k += 2) x[k] = k;"},
    {"a loop's start", "for (int k = 0; k < n; ++k) x[k] = k;", "for (int k = 1; k < n; ++k) x[k] = k;"},
    {"where a loop goes on", "for (int k = 0; k < n; ++k) { if (x[k]) break; x[k] = k; }",
     "for (int k = 0; k < n; ++k) { if (x[k]) continue; x[k] = k; }"},
    {"a value of another turn", "int v = 0; for (int k = 0; k < n; ++k) { x[k] = v; v = k; }",
     "int v = 0; for (int k = 0; k < n; ++k) { v = k; x[k] = v; }"},
    {"a case", "switch (n) { case 1: x[0] = 5; break; default: x[0] = 6; }",
     "switch (n) { case 2: x[0] = 5; break; default: x[0] = 6; }"},
    {"assembly", "int y; asm(\"add.s32 %0, %1, 1;\" : \"=r\"(y) : \"r\"(n)); x[0] = y;",
     "int y; asm(\"sub.s32 %0, %1, 1;\" : \"=r\"(y) : \"r\"(n)); x[0] = y;"},
    {"an operand of assembly", "int y; asm(\"add.s32 %0, %1, 1;\" : \"=r\"(y) : \"r\"(n)); x[0] = y;",
     "int y; asm(\"add.s32 %0, %1, 1;\" : \"=r\"(y) : \"r\"(n + 1)); x[0] = y;"},
    {"assembly that may be left out", "int y; asm volatile(\"mov.u32 %0, 1;\" : \"=r\"(y)); x[0] = y;",
     "int y; asm(\"mov.u32 %0, 1;\" : \"=r\"(y)); x[0] = y;"},
    {"what assembly clobbers", "asm volatile(\"membar.gl;\" ::: \"memory\");", "asm volatile(\"membar.gl;\");"},
    {"a read by the cache of constants", "f[0] = __ldg(f + 1);", "f[0] = f[1];"},
    {"a fence", "x[0] = 1; __threadfence(); x[1] = 2;", "x[0] = 1; __threadfence_block(); x[1] = 2;"},
    {"a shuffle", "x[0] = __shfl_xor_sync(~0u, n, 1);", "x[0] = __shfl_xor_sync(~0u, n, 2);"},
    {"an exit", "if (n == 7) return; x[0] = 1;", "x[0] = 1;"},
    {"a trap", "if (n == 7) __trap(); x[0] = 1;", "x[0] = 1;"},
    {"text", "printf(\"a %d\", n);", "printf(\"b %d\", n);"},
    {"rounding", "f[0] = __fadd_rn(f[1], f[2]);", "f[0] = __fadd_rz(f[1], f[2]);"},
    {"contraction", "f[0] = __fmul_rn(f[1], f[2]) + f[3];", "f[0] = f[1] * f[2] + f[3];"},
};

class SameCodeTest : public testing::Test {
protected:
  void read(llvm::ArrayRef<TwoTexts> Cases) {
    auto Tools = findToolchain("");
    if (!Tools) {
      llvm::consumeError(Tools.takeError());
      GTEST_SKIP() << "there is no CUDA toolkit";
    }
    std::string Text = Around;
    for (const TwoTexts &Each : Cases)
      for (const char *Body : {Each.A, Each.B})
        Text += fmt::format("__global__ void kernel{}(int *x, float *f, int n) {{ {} }}\n", Kernels++, Body);
    ParseRequest Request;
    Request.File = "/same.cu";
    Request.Overlay = {{Request.File, Text}};
    auto Parsed = parse(*Tools, Request);
    ASSERT_TRUE(bool(Parsed)) << llvm::toString(Parsed.takeError());
    Unit = std::move(*Parsed);
    ASSERT_EQ(Unit->errors().size(), 0u) << Unit->errors()[0].Text;
    All = allKernels(*Unit);
    ASSERT_EQ(All.size(), 2 * Cases.size());
  }
  std::optional<CodeDifference> compare(unsigned At) const {
    Reached OfA, OfB;
    const std::unique_ptr<DeviceIr> A = reach(*Unit, *All[At], OfA), B = reach(*Unit, *All[At + 1], OfB);
    EXPECT_TRUE(A && B);
    return A && B ? SameCode().compare(A->kernel(), B->kernel()) : CodeDifference{"no code"};
  }

  std::shared_ptr<const ParsedUnit> Unit;
  std::vector<const clang::FunctionDecl *> All;
  unsigned Kernels = 0;
};

TEST_F(SameCodeTest, SaysNothingOfWhatIsTheSame) {
  ASSERT_NO_FATAL_FAILURE(read(Same));
  for (size_t I = 0; !IsSkipped() && I < std::size(Same); ++I)
    if (const auto Found = compare(2 * I))
      ADD_FAILURE() << Same[I].What << ": " << Found->What;
}

TEST_F(SameCodeTest, FindsWhatIsPlanted) {
  ASSERT_NO_FATAL_FAILURE(read(Different));
  for (size_t I = 0; !IsSkipped() && I < std::size(Different); ++I) {
    const auto Found = compare(2 * I);
    EXPECT_TRUE(Found) << Different[I].What;
    if (Found)
      RecordProperty(Different[I].What, Found->What);
  }
}

} // namespace
} // namespace cufuse
