// What is compiled for a candidate: no GPU, and a compiler that only looks.
#include "TemporaryFolder.h"

#include "../../lib/Tuning/TuningKind.h"

#include <gmock/gmock.h>
#include <llvm/Support/ThreadPool.h>

#include <thread>

namespace cufuse {
namespace {

using testing::HasSubstr;

class LookingCompiler : public Compiler {
public:
  llvm::Expected<CompiledKernels> compile(const CompileJob &Job) override {
    Before();
    std::lock_guard Guard(Lock);
    Jobs.push_back(Job);
    return llvm::createStringError("not compiled");
  }
  void prepare(llvm::ArrayRef<const CompileJob *> Together) override {
    std::lock_guard Guard(Lock);
    Prepared.push_back(Together.size());
  }
  std::function<void()> Before = [] {}; ///< Every compilation.
  std::mutex Lock;
  std::vector<CompileJob> Jobs;
  std::vector<size_t> Prepared; ///< So many at a time.
};

/// Of two kernels, on one thread.
class TwoSideBySide : public testing::Test {
protected:
  static void SetUpTestSuite() {
    auto Found = findToolchain("");
    if (!Found)
      return llvm::consumeError(Found.takeError());
    Tools = std::make_unique<Toolchain>(std::move(*Found));
    const std::string File = Folder.put("a.cu", "__global__ void first(int *x, int n) { x[threadIdx.x] = n; }\n"
                                                "__global__ void second(int *x, int n) { x[threadIdx.x] = n; }\n");
    Kernels = llvm::cantFail(readKernels(*Tools, {{File, "first", 0}, {File, "second", 0}}, InputFlags()));
  }
  void SetUp() override {
    if (!Tools)
      GTEST_SKIP() << "there is no CUDA toolkit";
    Subject.Kernels = Kernels;
    Subject.Emit = {"both", "both.cu", "both.h", ""};
    Found.What.Gpu.Arch = "sm_90a";
    Found.Packed.resize(2);
    World = sideBySide({*Tools, Compiler, Pool, Gpus}, Subject, Found);
    Free.Config.Constituents = {{.Block = {128}}, {.Block = {128}}};
    Free.Config.Registers = {RegisterPolicy::Count, 40, 0};
  }

  static inline const TemporaryFolder Folder;
  static inline std::unique_ptr<Toolchain> Tools;
  static inline std::vector<LoadedKernel> Kernels;
  TuningSubject Subject;
  SoloFindings Found;
  LookingCompiler Compiler;
  llvm::DefaultThreadPool Pool{llvm::hardware_concurrency(1)};
  BusyClock Busy;
  RunnerPool Gpus{{}, {}, Busy};
  std::unique_ptr<TuningKind> World;
  Candidate Free;
};

TEST_F(TwoSideBySide, TheCapIsSetAtTheKernelThatIsLaunched) {
  Candidate Bound = Free;
  Bound.Config.Constituents[1].Bound = {{"n", "3"}};
  std::vector<Fate> Fates;
  World->evaluate(once<Candidate>({Free, Bound}), std::nullopt, [&](size_t, const Evaluation &Result) {
    Fates.push_back(Result.Outcome);
    EXPECT_EQ(Result.Why, "not compiled");
    return true;
  });
  EXPECT_THAT(Fates, testing::ElementsAre(Fate::CompileFailed, Fate::CompileFailed));
  ASSERT_EQ(Compiler.Jobs.size(), 2u);
  EXPECT_EQ(Compiler.Jobs[0].Cap.MaxRegisters, 40u);
  EXPECT_THAT(Compiler.Jobs[0].Entry, testing::EndsWith("5fusedE"));
  EXPECT_THAT(Compiler.Jobs[1].Entry, testing::EndsWith("11fused_boundE"));
  for (const CompileJob &Job : Compiler.Jobs)
    EXPECT_THAT(Job.Entry, HasSubstr(Job.Mark));
  EXPECT_NE(Compiler.Jobs[0].Mark, Compiler.Jobs[1].Mark);
  EXPECT_THAT(Compiler.Jobs[1].Files.front().Text, HasSubstr("fused_bound("));
}

TEST_F(TwoSideBySide, CandidatesThatDifferInTheCapAloneAreTheSameSource) {
  std::vector<Candidate> Same(3, Free);
  Same[1].Config.Registers = {RegisterPolicy::Bound, 0, 2};
  Same[2].Config.Registers = {RegisterPolicy::Free, 0, 0};
  World->evaluate(once<Candidate>(Same), std::nullopt, [](size_t, const Evaluation &) { return true; });
  ASSERT_EQ(Compiler.Jobs.size(), 3u);
  for (const CompileJob &Job : Compiler.Jobs) {
    EXPECT_EQ(Job.Mark, Compiler.Jobs[0].Mark);
    EXPECT_EQ(Job.Files.front().Text, Compiler.Jobs[0].Files.front().Text);
  }
}

TEST_F(TwoSideBySide, CandidatesThatDifferInResidentBlocksAreTheSameSource) {
  Free.Config.Shape = Geometry::Blocks;
  Free.Config.Grid = GridPolicy::Stride;
  std::vector<Candidate> Some(3, Free);
  Some[1].Config.Constituents[0].ResidentBlocks = 5;
  Some[2].Config.Constituents[0].ResidentBlocks = 0; // plays otherwise
  World->evaluate(once<Candidate>(Some), std::nullopt, [](size_t, const Evaluation &) { return true; });
  ASSERT_EQ(Compiler.Jobs.size(), 3u);
  EXPECT_EQ(Compiler.Jobs[1].Files.front().Text, Compiler.Jobs[0].Files.front().Text);
  EXPECT_NE(Compiler.Jobs[2].Mark, Compiler.Jobs[0].Mark);
}

TEST_F(TwoSideBySide, CandidatesAreTheKernelAloneAndTheWinnerIsTheWholeOutput) {
  Free.Config.Constituents[1].Bound = {{"n", "3"}};
  World->evaluate(once<Candidate>(Free), std::nullopt, [](size_t, const Evaluation &) { return true; });
  EXPECT_TRUE(World->wholeOf(Free).Launches.empty());
  ASSERT_EQ(Compiler.Jobs.size(), 2u);
  const std::string &Alone = Compiler.Jobs[0].Files.front().Text, &Whole = Compiler.Jobs[1].Files.front().Text;
  for (const char *LeftOut : {" fused(", "cudaError_t launch("}) {
    EXPECT_THAT(Alone, Not(HasSubstr(LeftOut)));
    EXPECT_THAT(Whole, HasSubstr(LeftOut));
  }
  for (const std::string *Text : {&Alone, &Whole})
    EXPECT_THAT(*Text, HasSubstr(" fused_bound("));
}

TEST_F(TwoSideBySide, MoreSourcesThanThreadsArePreparedTogether) {
  std::vector<Candidate> Many(20, Free);
  for (unsigned I = 0; I < Many.size(); ++I)
    Many[I].Config.Constituents[1].Block = {32 * (I + 1)};
  World->evaluate(once<Candidate>(Many), std::nullopt, [](size_t, const Evaluation &) { return true; });
  EXPECT_EQ(Compiler.Jobs.size(), Many.size());
  EXPECT_THAT(Compiler.Prepared, testing::UnorderedElementsAre(8u, 8u, 4u)); // on one thread
}

TEST_F(TwoSideBySide, MoreIsAskedForBeforeTheCompilersAreIdle) {
  // One at a time; the first is not ready before the second has been asked for.
  std::atomic<unsigned> Handed = 0;
  bool InTime = true;
  Compiler.Before = [&] {
    for (unsigned Wait = 0; Handed < 2 && InTime; ++Wait) {
      InTime = Wait < 1000;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  };
  auto Next = [&] {
    std::vector<Candidate> One(++Handed <= 5, Free);
    for (Candidate &C : One)
      C.Config.Constituents[1].Block = {32 * Handed};
    return One;
  };
  std::vector<size_t> Positions;
  World->evaluate(Next, Effort::Short, [&](size_t Position, const Evaluation &) {
    Positions.push_back(Position);
    return true;
  });
  EXPECT_TRUE(InTime);
  EXPECT_THAT(Positions, testing::ElementsAre(0u, 1u, 2u, 3u, 4u)); // on one thread
}

TEST_F(TwoSideBySide, NothingIsAskedForOnceNoMoreIsTaken) {
  unsigned Asked = 0, Taken = 0;
  auto Next = [&] {
    EXPECT_LT(Taken, 3u);
    std::vector<Candidate> One(1, Free);
    One[0].Config.Constituents[1].Block = {32 * (++Asked % 30 + 1)};
    return One;
  };
  World->evaluate(Next, Effort::Short, [&](size_t, const Evaluation &) { return ++Taken < 3; });
  EXPECT_EQ(Taken, 3u);
}

} // namespace
} // namespace cufuse
