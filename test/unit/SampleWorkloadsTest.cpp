// The workload files of the samples, and the one in the documentation, against the kernels they describe.
#include "TemporaryFolder.h"

#include "cufuse/Driver/Fuser.h"
#include "cufuse/Workload/PackArguments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

#include <filesystem>
#include <fstream>

namespace cufuse {
namespace {

namespace fs = std::filesystem;

const fs::path SourceFolder = CUFUSE_SOURCE_DIR;

std::vector<std::string> sampleNames() {
  std::vector<std::string> Names;
  std::ifstream Index(SourceFolder / "samples/index.txt");
  for (std::string Line; std::getline(Index, Line);)
    Names.push_back(Line.substr(0, Line.find(' ')));
  return Names;
}

class SampleWorkloads : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(All, SampleWorkloads, testing::ValuesIn(sampleNames()),
                         [](const auto &Info) { return Info.param; });

std::uint64_t blocksOf(const PackedKernel &Packed) {
  return 1ull * Packed.Launch.Grid[0] * Packed.Launch.Grid[1] * Packed.Launch.Grid[2];
}

TEST_P(SampleWorkloads, PackForTheirKernel) {
  auto Tools = findToolchain("");
  if (!Tools) {
    llvm::consumeError(Tools.takeError());
    GTEST_SKIP() << "there is no CUDA toolkit";
  }
  const std::string File = (SourceFolder / "samples" / GetParam() / "workload.yaml").string();
  auto W = readWorkload({File}, {});
  ASSERT_TRUE(static_cast<bool>(W)) << llvm::toString(W.takeError());
  const WorkloadKernel &Kernel = W->Kernels.at(0);
  auto Loaded = readKernels(*Tools, {Kernel.Spec}, InputFlags{Kernel.Flags, "", "", Kernel.Folder});
  ASSERT_TRUE(static_cast<bool>(Loaded)) << llvm::toString(Loaded.takeError());
  const KernelFacts &Facts = Loaded->at(0).Facts;
  EXPECT_EQ(Loaded->at(0).Flags.Nvcc, Kernel.Flags);
  for (const BlockShape &Block : Kernel.Blocks) {
    auto Packed = packKernel(Facts, Kernel, W->Buffers, Block);
    ASSERT_TRUE(static_cast<bool>(Packed)) << llvm::toString(Packed.takeError());
    EXPECT_LE(Block.threads(), Facts.MaxThreads.value_or(MaxBlockThreads));
    std::uint64_t Bytes = 0;
    for (const KernelArgument &Argument : Packed->Arguments)
      Bytes += Argument.Bytes.size();
    EXPECT_EQ(Bytes, Facts.ParameterBytes);
  }
  auto Bound = boundArguments(Facts, Kernel);
  ASSERT_TRUE(static_cast<bool>(Bound)) << llvm::toString(Bound.takeError());
  EXPECT_EQ(Bound->size(), Kernel.Bindable.size());

  // The block is the one that the sample itself launches, and `blocks` is what it says.
  if (!Facts.Launches.empty() && Facts.Launches[0].Block)
    EXPECT_EQ(Kernel.Blocks[0].str(), Facts.Launches[0].Block->str());
  for (const unsigned Blocks : {8u, 48u, 264u}) {
    auto Small = readWorkload({File}, {fmt::format("blocks={}", Blocks)});
    ASSERT_TRUE(static_cast<bool>(Small)) << llvm::toString(Small.takeError());
    auto Packed = packKernel(Facts, Small->Kernels[0], Small->Buffers, Kernel.Blocks[0]);
    ASSERT_TRUE(static_cast<bool>(Packed)) << llvm::toString(Packed.takeError());
    EXPECT_NEAR(static_cast<double>(blocksOf(*Packed)), Blocks, 0.22 * Blocks) << Blocks;
  }
}

/// The elements that kernels index with `int`s stay below 2^31, as does every grid.
TEST_P(SampleWorkloads, StayWithinTheirIndices) {
  auto W = readWorkload({(SourceFolder / "samples" / GetParam() / "workload.yaml").string()}, {});
  ASSERT_TRUE(static_cast<bool>(W)) << llvm::toString(W.takeError());
  for (const BufferSpec &Buffer : W->Buffers)
    EXPECT_LT(Buffer.Count, 1u << 31) << Buffer.Name;
}

std::vector<std::string> words(const std::string &Text) {
  std::vector<std::string> Found(1);
  for (const char C : Text)
    if (llvm::isAlnum(C) || C == '_')
      Found.back() += C;
    else
      Found.emplace_back();
  return Found;
}

TEST(WorkloadReference, TheExampleIsRead) {
  std::ifstream File(SourceFolder / "docs/workload.md");
  const TemporaryFolder Folder;
  Folder.put("table.bin", std::string(4096, 'x'));
  std::string Example, Reference;
  bool Inside = false;
  for (std::string Line; std::getline(File, Line);) {
    if (Line == "```")
      Inside = false;
    else if (Inside)
      Example += Line + '\n';
    else
      Reference += Line + '\n';
    Inside |= Line == "```yaml";
  }
  auto W = readWorkload({Folder.put("example.yaml", Example)}, {"rows=512"});
  ASSERT_TRUE(static_cast<bool>(W)) << llvm::toString(W.takeError());
  ASSERT_EQ(W->Kernels.size(), 2u);
  EXPECT_EQ(W->Kernels[0].Name, "normalise");
  EXPECT_TRUE(W->Kernels[1].AnyGrid);
  EXPECT_GT(W->Kernels[0].Blocks.size(), 1u);
  EXPECT_EQ(W->Buffers.size(), 6u);
  for (const char *Key : {"kernel",      "name", "flags",   "block",   "grid",        "dynamic_bytes", "arguments",
                          "bindable",    "type", "count",   "init",    "output",      "accumulated",   "tolerance",
                          "multiple_of", "max",  "tunable", "default", "absolute",    "relative",      "zero",
                          "constant",    "iota", "uniform", "normal",  "random_bits", "file"})
    EXPECT_TRUE(llvm::is_contained(words(Reference), Key)) << Key;
}

} // namespace
} // namespace cufuse
