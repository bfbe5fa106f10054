// What is compiled for a candidate: no GPU, and a compiler that only looks.
#include "TemporaryFolder.h"

#include "cufuse/Driver/FuseEvaluator.h"

#include <gmock/gmock.h>
#include <llvm/Support/ThreadPool.h>

namespace cufuse {
namespace {

using testing::HasSubstr;

class LookingCompiler : public Compiler {
public:
  llvm::Expected<CompiledKernels> compile(const CompileJob &Job) override {
    std::lock_guard Guard(Lock);
    Jobs.push_back(Job);
    return llvm::createStringError("not compiled");
  }
  std::mutex Lock;
  std::vector<CompileJob> Jobs;
};

TEST(FuseEvaluator, TheCapIsSetAtTheKernelThatIsLaunched) {
  auto Tools = findToolchain("");
  if (!Tools) {
    llvm::consumeError(Tools.takeError());
    GTEST_SKIP() << "there is no CUDA toolkit";
  }
  const TemporaryFolder Folder;
  const std::string File = Folder.put("a.cu", "__global__ void first(int *x, int n) { x[threadIdx.x] = n; }\n"
                                              "__global__ void second(int *x, int n) { x[threadIdx.x] = n; }\n");
  const std::vector<LoadedKernel> Kernels =
      llvm::cantFail(loadKernels(*Tools, {{File, "first", 0}, {File, "second", 0}}, InputFlags()));
  EmitOptions Emit;
  Emit.Name = "both";
  Emit.SourceFile = "both.cu";
  Emit.HeaderFile = "both.h";
  const Fuser Fuse(*Tools, Kernels, Emit);
  const Problem P;
  const PackedShapes Packed(2);
  LookingCompiler Compiler;
  llvm::DefaultThreadPool Pool(llvm::hardware_concurrency(1));
  BusyClock Busy;
  RunnerPool Gpus({}, {}, Busy);
  FuseEvaluator World(Fuse, P, Packed, Compiler, Pool, Gpus, {"sm_90a", {}});
  Candidate Free;
  Free.Config.Constituents = {{.Block = {128}}, {.Block = {128}}};
  Free.Config.Registers = {RegisterPolicy::Count, 40, 0};
  Candidate Bound = Free;
  Bound.Config.Constituents[1].Bound = {{"n", "3"}};
  std::vector<Fate> Fates;
  World.screen({Free, Bound}, [&](size_t, const Evaluation &Result) {
    Fates.push_back(Result.Outcome);
    EXPECT_EQ(Result.Why, "not compiled");
    return true;
  });
  EXPECT_THAT(Fates, testing::ElementsAre(Fate::CompileFailed, Fate::CompileFailed));
  ASSERT_EQ(Compiler.Jobs.size(), 2u);
  EXPECT_EQ(Compiler.Jobs[0].Cap.MaxRegisters, 40u);
  EXPECT_EQ(Compiler.Jobs[0].Entry, "_ZN4both5fusedE");
  EXPECT_EQ(Compiler.Jobs[1].Entry, "_ZN4both11fused_boundE");
  EXPECT_THAT(Compiler.Jobs[1].Files.front().Text, HasSubstr("fused_bound("));
}

} // namespace
} // namespace cufuse
