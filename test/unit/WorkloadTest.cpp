#include "cufuse/Workload/Workload.h"

#include "Complaint.h"
#include "TemporaryFolder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cufuse {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

class WorkloadFiles : public testing::Test {
protected:
  std::string put(const std::string &Name, const std::string &Text) { return Folder.put(Name, Text); }
  static std::string textOf(llvm::Error Error) { return llvm::toString(std::move(Error)); }
  Workload read(const std::string &Text, std::vector<std::string> Settings = {}) {
    auto Result = readWorkload({put("w.yaml", Text)}, Settings);
    if (Result)
      return std::move(*Result);
    ADD_FAILURE() << textOf(Result.takeError());
    return {};
  }
  /// What is wrong, from the file's name on.
  std::string complaint(const std::string &Text, std::vector<std::string> Settings = {}) {
    auto Result = readWorkload({put("w.yaml", Text)}, Settings);
    if (Result)
      return "nothing is wrong";
    const std::string All = complaintOf(Result.takeError());
    const size_t At = All.find("w.yaml:");
    return At == std::string::npos ? All : All.substr(At);
  }

  TemporaryFolder Folder;
};

/// Lines 1 to 8, to which a test adds; `in` is its input, `out` its output.
const std::string Small = R"(sizes:
  n: 1000
kernels:
  - kernel: k.cu:scale
    block: 128
    grid: ceil(n / block.x)
    arguments: {in: in, out: out, n: n}
buffers:
  in: {type: f32, count: n, init: zero}
  out: {type: f32, count: n, output: true}
)";
std::string with(std::string Old, std::string New) {
  std::string Text = Small;
  const size_t At = Text.find(Old);
  return At == std::string::npos ? "no '" + Old + "'" : Text.replace(At, Old.size(), New);
}

TEST_F(WorkloadFiles, KernelsHaveTheirLaunchAndArguments) {
  const Workload W = read(Small);
  ASSERT_EQ(W.Kernels.size(), 1u);
  const WorkloadKernel &K = W.Kernels[0];
  EXPECT_EQ(K.Name, "scale");
  EXPECT_EQ(K.Spec.File, Folder.at("k.cu"));
  EXPECT_EQ(K.Spec.Kernel, "scale");
  EXPECT_THAT(K.Blocks, ElementsAre(BlockShape{128, 1, 1}));
  EXPECT_FALSE(K.AnyGrid);
  ASSERT_EQ(K.Arguments.size(), 3u);
  EXPECT_EQ(K.Arguments[2].Parameter, "n");
  EXPECT_EQ(K.Arguments[2].Where.str(), Folder.at("w.yaml") + ":7:38");
  ASSERT_EQ(W.Buffers.size(), 2u);
  EXPECT_EQ(W.Buffers[0].Count, 1000u);
  EXPECT_TRUE(W.Buffers[1].Output);
}

TEST_F(WorkloadFiles, BlocksAreFixedListedOrMultiples) {
  EXPECT_THAT(read(with("block: 128", "block: 8x8x4")).Kernels[0].Blocks, ElementsAre(BlockShape{8, 8, 4}));
  EXPECT_THAT(read(with("block: 128", "block: {default: 32x8, tunable: [64x4, 32x8, 256]}")).Kernels[0].Blocks,
              ElementsAre(BlockShape{32, 8}, BlockShape{64, 4}, BlockShape{256}));
  EXPECT_THAT(read(with("block: 128", "block: {default: 128, tunable: {multiple_of: 64, max: 256}}")).Kernels[0].Blocks,
              ElementsAre(BlockShape{128}, BlockShape{64}, BlockShape{192}, BlockShape{256}));
  EXPECT_EQ(read(with("block: 128", "block: {default: 32x4, tunable: {multiple_of: 32}}")).Kernels[0].Blocks.size(), 8u)
      << "up to 256x4";
}

TEST_F(WorkloadFiles, SizesFollowFromOthersAndFromSettings) {
  const std::string Text = with("n: 1000", "rows: 10\n  n: 100 * rows");
  EXPECT_EQ(read(Text).Buffers[0].Count, 1000u);
  EXPECT_EQ(read(Text, {"rows=20"}).Buffers[0].Count, 2000u);
  EXPECT_EQ(read(Text, {"scale.rows = 2 * 3"}).Buffers[0].Count, 600u);
}

TEST_F(WorkloadFiles, SettingsMustMeanOneSize) {
  EXPECT_THAT(complaint(Small, {"m=3"}), HasSubstr("'m=3' sets no size of the workload; did you mean 'n'?"));
  EXPECT_THAT(complaint(Small, {"n"}), HasSubstr("'n' sets nothing; write NAME=VALUE"));
  EXPECT_THAT(complaint(Small, {"n=1 +"}), HasSubstr("'n=1 +': a number, a name or '(' is missing at the end"));
  EXPECT_THAT(complaint(Small, {"n=m"}), HasSubstr("'n=m': 'm' has no value here"));
  const std::string Path = put("derived.yaml", with("n: 1000", "rows: 10\n  n: 100 * rows"));
  EXPECT_EQ(complaintOf(readWorkload({Path}, {"n=3"}).takeError()),
            "'n=3': n follows from other sizes (" + Path + ":3:3); set rows\n");
}

TEST_F(WorkloadFiles, FilesHaveSizesAndBuffersOfTheirOwn) {
  const std::string A = put("a.yaml", Small), B = put("b.yaml", with("k.cu:scale", "k.cu:ns::shift<int, 3>"));
  auto W = readWorkload({A, B}, {"shift.n=5"});
  ASSERT_TRUE(static_cast<bool>(W)) << textOf(W.takeError());
  EXPECT_EQ(W->Kernels[1].Name, "shift");
  std::vector<std::string> Names;
  for (const BufferSpec &Buffer : W->Buffers)
    Names.push_back(Buffer.Name + " " + std::to_string(Buffer.Count));
  EXPECT_THAT(Names, ElementsAre("scale.in 1000", "scale.out 1000", "shift.in 5", "shift.out 5"));
  EXPECT_EQ(W->Kernels[1].Buffers.at("in"), "shift.in");
  EXPECT_EQ(complaintOf(readWorkload({A, B}, {"n=5"}).takeError()),
            "'n=5': several kernels have a size of that name; write scale.n or shift.n\n");
}

TEST_F(WorkloadFiles, EqualNamesAreNumbered) {
  const std::string A = put("a.yaml", Small);
  auto W = readWorkload({A, A}, {"scale_1.n=7"});
  ASSERT_TRUE(static_cast<bool>(W)) << textOf(W.takeError());
  EXPECT_EQ(W->Kernels[0].Name, "scale_0");
  EXPECT_EQ(W->Kernels[1].Name, "scale_1");
  EXPECT_EQ(W->Buffers[3].Count, 7u);
}

TEST_F(WorkloadFiles, BuffersHaveInitialContent) {
  put("table.bin", std::string(4000, 'x'));
  const auto Init = [&](const std::string &Written) {
    return read(with("init: zero", "init: " + Written)).Buffers[0].Init;
  };
  EXPECT_EQ(Init("zero").What, Initializer::Zero);
  EXPECT_EQ(Init("{constant: 2.5}").A, 2.5);
  EXPECT_EQ(Init("{iota: [1, 0.5]}").B, 0.5);
  EXPECT_EQ(Init("{uniform: [-n, n]}").A, -1000);
  EXPECT_EQ(Init("{normal: [0, 2]}").What, Initializer::Normal);
  EXPECT_EQ(Init("random_bits").What, Initializer::RandomBits);
  EXPECT_EQ(Init("{file: table.bin}").Path, Folder.at("table.bin"));
}

TEST_F(WorkloadFiles, BuffersOfOneFileDifferInTheirRandomness) {
  const Workload W = read(with("output: true", "output: true, accumulated: true, init: random_bits"));
  EXPECT_NE(W.Buffers[0].Init.Seed, W.Buffers[1].Init.Seed);
}

TEST_F(WorkloadFiles, WhatIsNoYamlHasItsPlace) {
  EXPECT_THAT(complaint("sizes: {n: 1\nkernels: ]\n"), StartsWith("w.yaml:2:"));
  EXPECT_THAT(complaint(""), HasSubstr("a mapping was expected here"));
  EXPECT_THAT(complaint(Small + "---\nsizes: {}\n"), HasSubstr("more than one YAML document"));
  EXPECT_THAT(complaint(with("n: 1000", "n: &size 1000")), StartsWith("w.yaml:2:12: anchors and aliases"));
  EXPECT_THAT(complaint(with("n: 1000", "n: !!int 1000")), StartsWith("w.yaml:2:12: the tag '!!int' is not supported"));
  EXPECT_THAT(complaint(with("n: 1000", "? [n]\n  : 1000")), StartsWith("w.yaml:2:5: a key must be a name"));
  EXPECT_THAT(complaint(with("n: 1000", "n: 1000\n  n: 2")), StartsWith("w.yaml:3:3: 'n' stands twice"));
  EXPECT_THAT(complaint(with("n: 1000", "n: " + std::string(40, '[') + std::string(40, ']'))),
              HasSubstr("more than 32 levels of YAML"));
  auto Missing = readWorkload({Folder.at("missing.yaml")}, {});
  EXPECT_THAT(textOf(Missing.takeError()), HasSubstr("missing.yaml': No such file"));
}

TEST_F(WorkloadFiles, EveryErrorHasItsPlace) {
  put("short.bin", "1234");
  put("long.bin", std::string(4001, 'x'));
  struct {
    const char *Old, *New, *Complaint;
  } Wrong[] = {
      // Keys.
      {"sizes:", "sices:", "1:1: a workload has no key 'sices'; did you mean 'sizes'?"},
      {"grid:", "gird:", "6:5: a kernel has no key 'gird'; did you mean 'grid'?"},
      {"output:", "outputs:", "10:30: a buffer has no key 'outputs'; did you mean 'output'?"},
      {"    block: 128\n", "", "4:5: 'block' is missing"},
      {"    grid: ceil(n / block.x)\n", "", "4:5: 'grid' is missing"},
      {"kernel: k.cu:scale", "name: scale", "4:5: 'kernel' is missing"},
      {"kernel: k.cu:scale", "kernel: k.cu:scale\n    name: scale-v2",
       "5:11: 'scale-v2' is not a name; write letters,"},
      {"kernel: k.cu:scale", "kernel: k.cu:scale\n    name: ../../evil", "5:11: '../../evil' is not a name"},
      {"type: f32, ", "", "9:3: 'type' is missing"},
      {"count: n, ", "", "9:3: 'count' is missing"},
      {"n: 1000", "- 1000", "2:3: a mapping was expected here"},
      // Sizes.
      {"n: 1000", "n: [1]", "2:6: a number or an expression was expected here"},
      {"n: 1000", "n-1: 5\n  n: 2", "2:3: 'n-1' is not a name; write letters, digits and underscores"},
      {"n: 1000", "block: 5\n  n: 2", "2:3: 'block' has a meaning of its own in expressions; choose another name"},
      {"n: 1000", "n: 10 *", "2:10: a number, a name or '(' is missing at the end"},
      {"n: 1000", "n: 10 / 0", "2:9: this divides by zero"},
      {"n: 1000", "n: 2 * rows\n  rows: 2", "2:10: the size 'rows' has no value yet; give it before"},
      {"n: 1000", "n: 2 * m", "2:10: 'm' is no size; there is none"},
      {"n: 1000", "in: 2\n  n: 3", "10:3: 'in' is a size, too; choose another name"},
      // Kernels.
      {"k.cu:scale", "scale", "4:13: 'scale' names no kernel; write FILE.cu:KERNEL or FILE.cu:@LINE"},
      {"k.cu:scale", "k.cu:@12", "4:13: a kernel that is chosen by its line needs a name"},
      {"block: 128", "block: 0", "5:12: '0' is not the shape of a block; write 256, 32x8 or 8x8x4"},
      {"block: 128", "block: 64x64", "5:12: '64x64' is not the shape of a block"},
      {"block: 128", "block: {default: 32}", "5:5: 'tunable' is missing"},
      {"block: 128", "block: {default: 32, tunable: {multiple_of: 0}}", "5:49: a positive integer was expected here"},
      {"block: 128", "block: {default: 32, tunable: {step: 3}}", "5:36: tunable has no key 'step'"},
      {"block: 128", "block: {default: 32, tunable: [64, 2000]}", "5:40: '2000' is not the shape of a block"},
      {"ceil(n / block.x)", "[1, 1, 1, 1]", "6:11: a grid has one to three dimensions"},
      {"ceil(n / block.x)", "[ceil(n / 2]", "6:22: ')' is missing at the end"},
      {"ceil(n / block.x)", "{default: n, tunable: yes}", "6:33: true or false was expected here"},
      {"ceil(n / block.x)", "ceil(n / blocks.x)", "6:20: 'blocks.x' is no size or block dimension; there are n"},
      {"ceil(n / block.x)", "in", "6:11: 'in' is no size or block dimension"},
      {"n: n}", "n: m}", "7:38: 'm' is no size, buffer or block dimension; did you mean 'n'?"},
      {"    arguments:", "    dynamic_bytes: 4 * bins\n    arguments:", "7:24: 'bins' is no size or block dimension"},
      {"    arguments:", "    flags: -O3\n    arguments:", "7:12: a list was expected here"},
      {"    arguments:", "    bindable: n\n    arguments:", "7:15: a list was expected here"},
      // Buffers.
      {"f32", "float", "9:14: 'float' is not a type of elements; there are i8, u8,"},
      {"count: n", "count: 0 * n", "9:28: 'in' would have 0 elements; give 1 to 1099511627776"},
      {"count: n", "count: 1000000000000000000",
       "9:26: 'in' would have 1000000000000000000 elements; give 1 to 1099511627776"},
      {"count: n", "count: 0.5", "9:26: 'in' would have 0.5 elements, a real number; write an integer without"},
      {"count: n", "count: 1e3", "9:26: 'in' would have 1000 elements, a real number; write an integer without"},
      {"count: n", "count: block.x", "9:26: 'block.x' is no size; there are n"},
      {", init: zero", "", "9:3: 'in' is no output, so its content must be given; add `init: …`"},
      {"init: zero", "init: nul", "9:35: 'nul' is not an initialiser; there are zero,"},
      {"init: zero", "init: {unifrom: [0, 1]}", "9:36: 'unifrom' is not an initialiser; did you mean 'uniform'?"},
      {"init: zero", "init: {uniform: 1}", "9:35: uniform takes 2 values"},
      {"init: zero", "init: {uniform: [1, 1]}", "9:35: the first bound must be less than the second"},
      {"init: zero", "init: {normal: [0, -1]}", "9:35: a standard deviation is not negative"},
      {"f32, count: n, init: zero", "u8, count: n, init: {constant: 256}",
       "9:45: 256 is no value of the elements of 'in'"},
      {"f32, count: n, init: zero", "i32, count: n, init: {constant: 0.5}",
       "9:46: 0.5 is no value of the elements of 'in'"},
      {"f32, count: n, init: zero", "u64, count: n, init: {constant: 9007199254740993}",
       "9:46: 9007199254740993 would be rounded: elements are computed in double"},
      {"init: zero", "init: {file: missing.bin}", "9:35: cannot read '"},
      {"init: zero", "init: {file: short.bin}", "9:35: '"},
      {"init: zero", "init: {file: long.bin}", "9:35: '"},
      {"init: zero", "init: {file: /dev/zero}", "9:35: '/dev/zero' is no regular file"},
      {"init: zero", "accumulated: true, init: zero", "9:42: only an output is accumulated; add `output: true`"},
      {"output: true", "output: 1", "10:38: true or false was expected here"},
      {"output: true", "output: true, init: zero", "10:50: the content of an output is what the kernel writes"},
      {"init: zero", "init: zero, tolerance: {relative: 1}", "9:52: only an output is compared; add `output: true`"},
      {"output: true", "output: true, tolerance: {relativ: 1}",
       "10:56: a tolerance has no key 'relativ'; did you mean 'relative'?"},
      {"output: true", "output: true, tolerance: {relative: -1}", "10:66: a tolerance is not negative"},
      {"in: in,", "", "9:3: no kernel uses 'in'"},
      {"output: true", "init: zero", "4:5: no buffer is an output"},
  };
  for (const auto &[Old, New, Complaint] : Wrong)
    EXPECT_THAT(complaint(with(Old, New)), StartsWith(std::string("w.yaml:") + Complaint)) << Old << " → " << New;
}

TEST_F(WorkloadFiles, ErrorsShowTheirLine) {
  auto Result = readWorkload({put("w.yaml", with("n: 1000", "n: 10 *"))}, {});
  EXPECT_THAT(textOf(Result.takeError()),
              AllOf(HasSubstr("w.yaml:2:10: error: "), EndsWith("\n    2 |   n: 10 *\n      |          ^\n")));
}

TEST_F(WorkloadFiles, QuotedExpressionsHaveTheirPlace) {
  EXPECT_THAT(complaint(with("n: 1000", "n: \"10 + m\"")), StartsWith("w.yaml:2:12: 'm' is no size"));
  EXPECT_EQ(read(with("grid: ceil(n / block.x)", "grid: ['max(1, n / 128)', 2]")).Kernels[0].Grid.size(), 2u);
}

TEST_F(WorkloadFiles, AllErrorsAreReported) {
  const std::string All = complaint(with("block: 128", "block: big\n    gird: 1"));
  EXPECT_THAT(All, HasSubstr("'gird'"));
  EXPECT_THAT(All, HasSubstr("'big' is not the shape"));
}

TEST_F(WorkloadFiles, KernelsThatRunTogetherDoNotShareAnOutput) {
  const std::string Both = with("buffers:", R"(  - kernel: k.cu:shift
    block: 128
    grid: 1
    arguments: {in: in, out: out}
buffers:)");
  EXPECT_THAT(complaint(Both), StartsWith("w.yaml:14:3: scale and shift both use the output 'out'"));
  std::string Accumulated = Both;
  Accumulated.replace(Accumulated.find("output: true"), 12, "output: true, accumulated: true");
  EXPECT_EQ(read(Accumulated).Kernels.size(), 2u);
}

} // namespace
} // namespace cufuse
