// What the text's analysis says of values: the same in all threads of a block, in all lanes of a warp, or not.
#include "cufuse/Analysis/Uniformity.h"
#include "cufuse/Analysis/FindKernel.h"

#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cufuse {
namespace {

/// One line for each value: `is(expected of a block, expected of a warp, value)`, where Y is proved to be uniform, U
/// not known and N seen to vary.
constexpr const char *Source = R"(
enum { Y, U, N };
__device__ void is(int ofBlock, int ofWarp, long long value);
__constant__ int table[4];
__device__ int global;
__device__ int own(int x) { return x + threadIdx.x; }
__device__ int plain(int x) { return x + 1; }
__device__ void set(int &x) { x = 3; }
__device__ int odd(int x);
__device__ int even(int x) { return x == 0 ? threadIdx.x : odd(x - 1); }
__device__ int odd(int x) { return x == 0 ? 0 : even(x - 1); }
struct Pair { int first, second; };
__global__ void kernel(int n, const int *__restrict__ in, int *out, Pair pair) {
  is(Y, Y, 7);
  is(Y, Y, n + blockIdx.x * gridDim.y);
  is(Y, Y, blockDim.x);
  is(Y, Y, pair.second);
  is(Y, Y, table[n]);
  is(N, N, threadIdx.x);
  is(N, Y, threadIdx.y);
  is(N, Y, threadIdx.z + 1);
  is(N, N, in[threadIdx.x]);
  is(U, U, out[n]);
  is(U, U, global);
  is(U, U, plain(n));
  is(N, N, own(n));
  is(N, N, plain(threadIdx.x));
  is(N, N, even(n));
  is(N, N, odd(n));
  is(N, N, atomicAdd(out, 1));
  is(N, N, __shfl_xor_sync(0xffffffff, n, 1));
  is(N, Y, __ballot_sync(0xffffffff, threadIdx.x));
  is(N, N, __ballot_sync(0xffff, threadIdx.x));
  is(N, Y, __shfl_sync(0xffffffff, threadIdx.x, 0));
  is(N, N, __shfl_sync(0xffffffff, threadIdx.x, threadIdx.x));
  is(N, N, __shfl_sync(0xffffffff, threadIdx.x, 0, 16));

  // Whole warps of threads.
  is(N, Y, threadIdx.x / 32);
  is(N, Y, threadIdx.x >> 5);
  is(N, N, threadIdx.x >> 4);
  is(N, N, threadIdx.x / 16);
  is(N, N, threadIdx.x % 32);
  is(N, Y, threadIdx.x & ~31);
  is(N, N, threadIdx.x & 31);
  is(N, Y, threadIdx.x < 64);
  is(N, N, threadIdx.x < 48);
  is(N, N, threadIdx.x <= 64);
  is(N, Y, 64 <= threadIdx.x);
  is(N, Y, blockDim.x * blockIdx.x + threadIdx.x < 96);
  is(N, N, n + threadIdx.x < 96);
  is(N, Y, n * 32 + threadIdx.x < 96);
  const int thread = threadIdx.x;
  is(N, Y, thread / 32);
  int changed = threadIdx.x;
  changed += 1;
  is(N, N, changed / 32);
  const short narrow = threadIdx.x;
  is(N, N, narrow / 32);
  const int negative = threadIdx.x - 64;
  is(N, N, negative / 32); // rounded towards zero

  // A variable is what is assigned to it, under which conditions, by whatever name.
  int byCondition = 0, byLoop = 0, byReference = 0, byCall = 0, byPointer = 0, kept = 0, afterBreak = 0;
  if (threadIdx.x == 0)
    byCondition = 1;
  is(N, N, byCondition);
  for (int i = threadIdx.x; i < n; i += 32)
    ++byLoop;
  is(N, N, byLoop);
  int &other = byReference;
  other = threadIdx.x;
  is(N, N, other);
  is(U, U, byReference);
  set(byCall);
  is(U, U, byCall);
  int *pointer = &byPointer;
  *pointer = threadIdx.x;
  is(U, U, byPointer);
  if (n > 3)
    kept = n;
  is(Y, Y, kept);
  if (const int condition = threadIdx.x)
    is(N, N, condition);
  while (const int condition = threadIdx.x)
    is(N, N, condition);
  switch (const int first = n, condition = threadIdx.x; condition) {
  default:
    is(N, N, condition);
    is(Y, Y, first);
  }
  while (true) {
    ++afterBreak;
    if (threadIdx.x > 40)
      break;
  }
  is(N, N, afterBreak);
  int array[2] = {0, 0};
  array[threadIdx.x % 2] = 1;
  is(N, N, array[0]);
  int lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  is(N, N, lane);
  const auto capture = [&] { return kept + threadIdx.x; };
  is(N, N, capture());
}
)";

struct Calls : clang::ConstDynamicRecursiveASTVisitor {
  std::vector<const clang::CallExpr *> Found;
  bool VisitCallExpr(const clang::CallExpr *Call) override {
    const clang::FunctionDecl *Callee = Call->getDirectCallee();
    if (Callee && Callee->getIdentifier() && Callee->getName() == "is")
      Found.push_back(Call);
    return true;
  }
};

/// The only kernel of a text, and what it reaches.
class UniformityTest : public testing::Test {
protected:
  void read(const char *Text) {
    auto Tools = findToolchain("");
    if (!Tools) {
      llvm::consumeError(Tools.takeError());
      GTEST_SKIP() << "there is no CUDA toolkit";
    }
    ParseRequest Request;
    Request.File = "/uniformity.cu";
    Request.Overlay = {{Request.File, Text}};
    auto Parsed = parse(*Tools, Request);
    ASSERT_TRUE(bool(Parsed)) << llvm::toString(Parsed.takeError());
    Unit = std::move(*Parsed);
    ASSERT_THAT(Unit->errors(), testing::IsEmpty());
    const std::vector<const clang::FunctionDecl *> Kernels = allKernels(*Unit);
    ASSERT_EQ(Kernels.size(), 1u);
    Reach = reach(*Unit, *Kernels[0]);
  }

  std::shared_ptr<const ParsedUnit> Unit;
  Reached Reach;
};

TEST_F(UniformityTest, OfValuesInATable) {
  ASSERT_NO_FATAL_FAILURE(read(Source));
  if (IsSkipped())
    return;
  const Uniformity OfBlock(Reach), OfWarp(Reach, Uniformity::Among::Warp);
  Calls Values;
  Values.TraverseStmt(Reach.Kernel->getBody());
  EXPECT_GT(Values.Found.size(), 40u);
  for (const clang::CallExpr *Call : Values.Found) {
    auto Expected = [&](unsigned Argument) {
      clang::Expr::EvalResult Value;
      EXPECT_TRUE(Call->getArg(Argument)->EvaluateAsInt(Value, Unit->ast()));
      return static_cast<Uniform>(Value.Val.getInt().getZExtValue());
    };
    const std::string Where = Unit->place(Call->getBeginLoc()).snippet();
    EXPECT_EQ(OfBlock.of(Call->getArg(2)), Expected(0)) << "of a block: " << Where;
    EXPECT_EQ(OfWarp.of(Call->getArg(2)), Expected(1)) << "of a warp: " << Where;
  }
}

/// Nobody asks for the number that it returns.
TEST_F(UniformityTest, KnowsWithoutBeingAskedThatThreadNumbersMustBeSmall) {
  ASSERT_NO_FATAL_FAILURE(read(R"(
__device__ int warp() {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  return thread / 32;
}
__global__ void kernel(int *out) { out[0] = warp(); })"));
  if (IsSkipped())
    return;
  EXPECT_TRUE(Uniformity(Reach, Uniformity::Among::Warp).needsSmallNumbers());
  EXPECT_FALSE(Uniformity(Reach).needsSmallNumbers());
}

TEST_F(UniformityTest, UnsignedThreadNumbersMayBeLarge) {
  ASSERT_NO_FATAL_FAILURE(read(R"(
__global__ void kernel(int *out) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  out[thread / 32] = 0;
})"));
  if (IsSkipped())
    return;
  EXPECT_FALSE(Uniformity(Reach, Uniformity::Among::Warp).needsSmallNumbers());
}

} // namespace
} // namespace cufuse
