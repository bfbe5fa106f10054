// What is known of values: the same in all threads of a block, in all lanes of a warp, or not.
#include "../../lib/Code/DeviceUniformity.h"
#include "cufuse/Facts/FindKernel.h"

#include <llvm/Analysis/CycleAnalysis.h>
#include <llvm/Analysis/UniformityAnalysis.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/PassInstrumentation.h>
#include <llvm/IR/PassManager.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cufuse {
namespace {

/// One line for each value: `is(expected of a block, expected of a warp, value)`, where Y is uniform, N may vary.
constexpr const char *Program = R"(
enum { Y, N };
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
  is(N, N, out[n]); // `is` may store there
  is(N, N, global);
  is(Y, Y, plain(n));
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
  is(N, N, byReference);
  set(byCall);
  is(Y, Y, byCall);
  int *pointer = &byPointer;
  *pointer = threadIdx.x;
  is(N, N, byPointer);
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
    Ir = reach(*Unit, *Kernels[0], Reach);
    ASSERT_TRUE(Ir);
  }

  /// What LLVM makes of the sources of difference.
  struct Analysis {
    Analysis(const DeviceIr &Ir, Among Threads) {
      Manager.registerPass([] { return llvm::PassInstrumentationAnalysis(); });
      Manager.registerPass([] { return llvm::DominatorTreeAnalysis(); });
      Manager.registerPass([] { return llvm::CycleAnalysis(); });
      Manager.registerPass([] { return llvm::UniformityInfoAnalysis(); });
      Manager.registerPass([&Ir, Threads, this] {
        return llvm::TargetIRAnalysis([&Ir, Threads, this](const llvm::Function &F) {
          return llvm::TargetTransformInfo(std::make_unique<ThreadsOfBlock>(Ir, F, Threads, SignedThreadNumber));
        });
      });
      Info = &Manager.getResult<llvm::UniformityInfoAnalysis>(Ir.kernel());
    }
    llvm::FunctionAnalysisManager Manager;
    bool SignedThreadNumber = false;
    const llvm::UniformityInfo *Info;
  };

  std::shared_ptr<const ParsedUnit> Unit;
  Reached Reach;
  std::unique_ptr<DeviceIr> Ir;
};

TEST_F(UniformityTest, OfValuesInATable) {
  ASSERT_NO_FATAL_FAILURE(read(Program));
  if (IsSkipped())
    return;
  const Analysis OfBlock(*Ir, Among::Block), OfWarp(*Ir, Among::WarpOfRows);
  unsigned Values = 0;
  for (const llvm::Instruction &I : llvm::instructions(Ir->kernel())) {
    auto *Call = llvm::dyn_cast<llvm::CallBase>(&I);
    if (!Call || !Call->getCalledFunction() || !Call->getCalledFunction()->getName().contains("is"))
      continue;
    const clang::FunctionDecl *Declared = Ir->declaration(*Call->getCalledFunction());
    if (!Declared || Declared->getNameAsString() != "is")
      continue;
    ++Values;
    auto MayVary = [&](unsigned Argument) {
      return !llvm::cast<llvm::ConstantInt>(Call->getArgOperand(Argument))->isZero();
    };
    const std::string Where = Ir->place(*Call).snippet();
    EXPECT_EQ(OfBlock.Info->isDivergent(Call->getArgOperand(2)), MayVary(0)) << "of a block: " << Where;
    EXPECT_EQ(OfWarp.Info->isDivergent(Call->getArgOperand(2)), MayVary(1)) << "of a warp: " << Where;
  }
  EXPECT_GT(Values, 40u);
}

/// A block reads what others add to at the same time.
TEST_F(UniformityTest, OfWhatAssemblyAddsTo) {
  ASSERT_NO_FATAL_FAILURE(read(R"(
__global__ void adds(unsigned *total, unsigned *out) {
  asm volatile("red.global.add.u32 [%0], 0x1;" ::"l"(total) : "memory");
  __syncthreads();
  out[threadIdx.x] = *total;
})"));
  if (IsSkipped())
    return;
  const Analysis OfBlock(*Ir, Among::Block);
  unsigned Loads = 0;
  for (const llvm::Instruction &I : llvm::instructions(Ir->kernel()))
    if (llvm::isa<llvm::LoadInst>(I)) {
      ++Loads;
      EXPECT_TRUE(OfBlock.Info->isDivergent(&I));
    }
  EXPECT_EQ(Loads, 1u);
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
  EXPECT_TRUE(Analysis(*Ir, Among::WarpOfRows).SignedThreadNumber);
  EXPECT_FALSE(Analysis(*Ir, Among::Block).SignedThreadNumber);
}

TEST_F(UniformityTest, UnsignedThreadNumbersMayBeLarge) {
  ASSERT_NO_FATAL_FAILURE(read(R"(
__global__ void kernel(int *out) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  out[thread / 32] = 0;
})"));
  if (IsSkipped())
    return;
  EXPECT_FALSE(Analysis(*Ir, Among::WarpOfRows).SignedThreadNumber);
}

} // namespace
} // namespace cufuse
