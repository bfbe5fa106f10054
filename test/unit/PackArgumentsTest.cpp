#include "cufuse/Workload/Launches.h"

#include "Complaint.h"
#include "TemporaryFolder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>

namespace cufuse {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

ParameterFacts scalar(const char *Name, const char *Type, ScalarKind Kind, unsigned Bytes) {
  return {Name, Type, Bytes, Bytes, {{"", Type, Kind, 0, Bytes}}};
}

/// A kernel of these parameters, whose workload file gives `arguments: {…}` in line 7.
struct Packing {
  Packing(std::vector<ParameterFacts> Parameters, const std::string &Arguments, const std::string &More = "") {
    Facts.Name = "k";
    Facts.Parameters = std::move(Parameters);
    const TemporaryFolder Folder;
    auto Read = readWorkload(
        {Folder.put("pack.yaml", "sizes:\n  n: 1000\nkernels:\n  - kernel: k.cu:k\n"
                                 "    block: {default: 64x2, tunable: [32]}\n    grid: [ceil(n / block.x), block.y]\n"
                                 "    arguments: " +
                                     Arguments + "\n" + More +
                                     "  - {kernel: k.cu:other, block: 32, grid: 1, arguments: {a: data, b: out}}\n"
                                     "buffers:\n  data: {type: f32, count: n, init: zero}\n"
                                     "  out: {type: u8, count: n, output: true, accumulated: true}\n")},
        {});
    if (Read)
      W = std::move(*Read);
    else
      ADD_FAILURE() << llvm::toString(Read.takeError());
  }
  llvm::Expected<PackedKernel> pack(BlockShape Block = {64, 2}) const {
    return packKernel(Facts, W.Kernels.at(0), W.Buffers, Block);
  }
  /// The bytes of the only parameter, as an integer.
  std::uint64_t bits() const {
    auto Packed = pack();
    if (!Packed) {
      ADD_FAILURE() << llvm::toString(Packed.takeError());
      return 0;
    }
    std::uint64_t Value = 0;
    const std::vector<std::uint8_t> &Bytes = Packed->Arguments.at(0).Bytes;
    EXPECT_EQ(Bytes.size(), Facts.Parameters[0].Bytes);
    for (size_t I = Bytes.size(); I-- > 0;)
      Value = Value << 8 | Bytes[I];
    return Value;
  }
  /// From the line on.
  std::string complaint() const {
    auto Packed = pack();
    if (Packed)
      return "nothing is wrong";
    const std::string All = complaintOf(Packed.takeError());
    return All.substr(All.find(".yaml:") + 6);
  }
  KernelFacts Facts;
  Workload W;
};

std::uint64_t packed(const ParameterFacts &Parameter, const std::string &Value) {
  return Packing({Parameter}, "{" + Parameter.Name + ": " + Value + "}").bits();
}
std::string complaint(const ParameterFacts &Parameter, const std::string &Value) {
  return Packing({Parameter}, "{" + Parameter.Name + ": " + Value + "}").complaint();
}

const ParameterFacts Int = scalar("p", "int", ScalarKind::Signed, 4), Char = scalar("p", "char", ScalarKind::Signed, 1),
                     Unsigned = scalar("p", "unsigned int", ScalarKind::Unsigned, 4),
                     Wide = scalar("p", "unsigned long long", ScalarKind::Unsigned, 8),
                     Bool = scalar("p", "bool", ScalarKind::Bool, 1),
                     Float = scalar("p", "float", ScalarKind::Float, 4),
                     Double = scalar("p", "double", ScalarKind::Float, 8),
                     Half = scalar("p", "__half", ScalarKind::Float, 2),
                     BFloat = scalar("p", "__nv_bfloat16", ScalarKind::BFloat, 2),
                     Pointer = scalar("p", "const float *", ScalarKind::Pointer, 8),
                     Function = scalar("p", "int (*)(int)", ScalarKind::Opaque, 8);
/// struct { char tag; struct { int x, y; } at; float weights[2]; const float *data; }
const ParameterFacts Struct = {"s",
                               "Job",
                               32,
                               8,
                               {{"tag", "char", ScalarKind::Signed, 0, 1},
                                {"at.x", "int", ScalarKind::Signed, 4, 4},
                                {"at.y", "int", ScalarKind::Signed, 8, 4},
                                {"weights[0]", "float", ScalarKind::Float, 12, 4},
                                {"weights[1]", "float", ScalarKind::Float, 16, 4},
                                {"data", "const float *", ScalarKind::Pointer, 24, 8}}};
const ParameterFacts Empty = {"e", "Functor", 1, 1, {}};

TEST(PackArguments, ScalarsHaveTheBytesOfTheirType) {
  EXPECT_EQ(packed(Int, "-2"), 0xfffffffeu);
  EXPECT_EQ(packed(Int, "n / 3"), 333u);
  EXPECT_EQ(packed(Char, "-128"), 0x80u);
  EXPECT_EQ(packed(Unsigned, "0xffffffff"), 0xffffffffu);
  EXPECT_EQ(packed(Wide, "0xfedcba9876543210"), 0xfedcba9876543210u);
  EXPECT_EQ(packed(Bool, "true"), 1u);
  EXPECT_EQ(packed(Bool, "false"), 0u);
  EXPECT_EQ(packed(Float, "0.1"), std::bit_cast<std::uint32_t>(0.1f));
  EXPECT_EQ(packed(Float, "1e-40"), std::bit_cast<std::uint32_t>(1e-40f)) << "a denormal";
  EXPECT_EQ(packed(Float, "n"), std::bit_cast<std::uint32_t>(1000.0f));
  EXPECT_EQ(packed(Double, "0.1"), std::bit_cast<std::uint64_t>(0.1));
  EXPECT_EQ(packed(Half, "-1.5"), 0xbe00u);
  EXPECT_EQ(packed(BFloat, "1.5"), 0x3fc0u);
  EXPECT_EQ(packed(Int, "block.x + block.y"), 66u);
}

TEST(PackArguments, ValuesMustFit) {
  EXPECT_EQ(complaint(Int, "0x80000000"), "7:20: 'p' is int, which cannot be 2147483648\n");
  EXPECT_EQ(complaint(Int, "1.0"), "7:20: 'p' is int, which cannot be 1\n");
  EXPECT_EQ(complaint(Char, "128"), "7:20: 'p' is char, which cannot be 128\n");
  EXPECT_EQ(complaint(Unsigned, "-1"), "7:20: 'p' is unsigned int, which cannot be -1\n");
  EXPECT_EQ(complaint(Bool, "2"), "7:20: 'p' is bool, which cannot be 2\n");
  EXPECT_EQ(complaint(Float, "1e39"), "7:20: 'p' is float, which cannot be 1e+39\n");
  EXPECT_EQ(complaint(Half, "65520"), "7:20: 'p' is __half, which cannot be 65520\n");
  EXPECT_EQ(complaint(Int, "data"), "7:20: 'data' is no number\n");
  EXPECT_EQ(complaint(Int, "1 / (n - 1000)"), "7:22: this divides by zero\n");
  EXPECT_EQ(complaint(Function, "3"), "7:20: 'p' is int (*)(int), whose value cannot be given here\n");
}

TEST(PackArguments, PointersAreAddressesInBuffers) {
  const auto Address = [](const std::string &Value) {
    auto Packed = Packing({Pointer}, "{p: " + Value + "}").pack();
    EXPECT_TRUE(static_cast<bool>(Packed));
    return Packed->Arguments.at(0);
  };
  ASSERT_EQ(Address("data").Addresses.size(), 1u);
  EXPECT_EQ(Address("data").Addresses[0].Buffer, "data");
  EXPECT_EQ(Address("data").Addresses[0].Plus, 0u);
  EXPECT_EQ(Address("data + n / 2").Addresses[0].Plus, 2000u) << "elements of four bytes";
  EXPECT_EQ(Address("data + n - 1").Addresses[0].Plus, 3996u);
  EXPECT_EQ(Address("out + 3").Addresses[0].Plus, 3u);
  EXPECT_EQ(Address("data").Bytes, std::vector<std::uint8_t>(8));
  EXPECT_THAT(Address("nullptr").Addresses, IsEmpty());
}

TEST(PackArguments, PointersMustLieInTheirBuffer) {
  EXPECT_EQ(complaint(Pointer, "data + n"), "7:25: 'data' has 1000 elements, 'p' would start at element 1000\n");
  EXPECT_EQ(complaint(Pointer, "data - 1"), "7:25: 'data' has 1000 elements, 'p' would start at element -1\n");
  EXPECT_EQ(complaint(Pointer, "data + 0.5"), "7:27: elements are counted in integers\n");
  EXPECT_EQ(complaint(Pointer, "data + out"), "7:27: 'out' is no number\n");
  for (const char *Value : {"n", "0", "2 * data", "n + data"})
    EXPECT_THAT(complaint(Pointer, Value), HasSubstr("'p' is const float *: its value is a buffer; write BUFFER,"))
        << Value;
}

TEST(PackArguments, StructsAreGivenByField) {
  auto Packed = Packing({Struct}, "{s: {weights: [1.5, -2], at: {y: 7, x: n}, data: data + 1, tag: 3}}").pack();
  ASSERT_TRUE(static_cast<bool>(Packed)) << llvm::toString(Packed.takeError());
  std::vector<std::uint8_t> Expected(32);
  Expected[0] = 3;
  Expected[4] = 0xe8, Expected[5] = 3;
  Expected[8] = 7;
  Expected[14] = 0xc0, Expected[15] = 0x3f; // 1.5
  Expected[19] = 0xc0;                      // -2
  EXPECT_EQ(Packed->Arguments[0].Bytes, Expected);
  ASSERT_EQ(Packed->Arguments[0].Addresses.size(), 1u);
  EXPECT_EQ(Packed->Arguments[0].Addresses[0].Offset, 24u);
  EXPECT_EQ(Packed->Arguments[0].Addresses[0].Plus, 4u);
}

TEST(PackArguments, FieldsMustBeThoseOfTheType) {
  const std::string Rest = "weights: [1, 2], data: data, tag: 3";
  EXPECT_EQ(Packing({Struct}, "{s: {at: {x: 1}, " + Rest + "}}").complaint(), "7:29: 's.at.y' has no value\n");
  EXPECT_EQ(Packing({Struct}, "{s: {at: {x: 1, y: 2, z: 3}, " + Rest + "}}").complaint(),
            "7:41: Job has no 'at.z'; did you mean 'at.x' or 'at.y'?\n");
  EXPECT_EQ(Packing({Struct}, "{s: {at: 5, " + Rest + "}}").complaint().substr(0, 21), "7:25: Job has no 'at'");
  EXPECT_EQ(Packing({Struct}, "{s: 5}").complaint(),
            "7:20: 's' is Job; give tag, at.x, at.y, weights[0], weights[1], data\n");
  EXPECT_EQ(
      Packing({Struct}, "{s: {at: {x: 1, y: 2}, weights: [1, 2, 3], data: data, tag: 3}}").complaint().substr(0, 28),
      "7:55: Job has no 'weights[2]");
  EXPECT_THAT(Packing({Int}, "{p: {x: 1}}").complaint(), HasSubstr("7:24: int has no 'x'\n"));
  EXPECT_THAT(Packing({Int}, "{p: {}}").complaint(), HasSubstr("7:20: 'p' is int; give its value\n"));
}

TEST(PackArguments, EmptyClassesAreGivenWithoutValues) {
  EXPECT_EQ(Packing({Empty}, "{e: {}}").bits(), 0u);
  EXPECT_EQ(Packing({Empty}, "{e: 3}").complaint(), "7:20: 'e' is Functor; write {}\n");
}

TEST(PackArguments, EveryParameterIsGiven) {
  ParameterFacts Other = Int;
  Other.Name = "count";
  EXPECT_EQ(Packing({Int, Other}, "{p: 1}").complaint(), "4:5: k: no argument for 'count' (int); add `count: …` to "
                                                         "`arguments`\n");
  EXPECT_THAT(Packing({Int, Other}, "{p: 1, cuont: 2}").complaint(),
              HasSubstr("7:30: k has no parameter 'cuont'; did you mean 'count'?"));
}

TEST(PackArguments, GridAndMemoryFollowFromTheBlock) {
  const Packing C({Int}, "{p: 1}", "    dynamic_bytes: 4 * block.x\n");
  EXPECT_THAT(C.pack({64, 2})->Launch.Grid, ElementsAre(16u, 2u, 1u));
  EXPECT_THAT(C.pack({32, 1})->Launch.Grid, ElementsAre(32u, 1u, 1u));
  EXPECT_EQ(C.pack({64, 2})->Launch.DynamicBytes, 256u);
  EXPECT_EQ(Packing({Int}, "{p: 1}", "    dynamic_bytes: 0 - block.x\n").complaint(),
            "8:22: k: -64 bytes of shared memory are impossible\n");
}

TEST(PackArguments, BlocksAreThoseOfTheWorkload) {
  auto Packed = Packing({Int}, "{p: 1}").pack({96});
  EXPECT_THAT(complaintOf(Packed.takeError()), HasSubstr("4:5: k: its workload does not allow blocks of 96; add"));
}

TEST(PackArguments, ImpossibleGridsAreRefused) {
  const auto Grid = [](const std::string &Written) {
    Packing C({Int}, "{p: 1}");
    auto Parsed = parseExpression(Written, {"w.yaml", 6, 11, ""});
    C.W.Kernels[0].Grid = {*Parsed, *Parsed};
    return C.complaint();
  };
  EXPECT_THAT(Grid("0 * n"), HasSubstr("k: 0 blocks in x are impossible"));
  EXPECT_THAT(Grid("65536 * 1"), HasSubstr("6:17: k: 65536 blocks in y are impossible"));
  EXPECT_THAT(Grid("0.5 * 2"), HasSubstr("k: 1 blocks in x are impossible"));
}

TEST(PackArguments, BoundValuesAreSpelledInCxx) {
  const auto Bound = [](const ParameterFacts &Parameter, const std::string &Value) {
    const Packing C({Parameter}, "{p: " + Value + "}", "    bindable: [p]\n");
    auto Result = boundArguments(C.Facts, C.W.Kernels[0]);
    return Result ? Result->at(0).second : complaintOf(Result.takeError());
  };
  EXPECT_EQ(Bound(Int, "n"), "1000");
  EXPECT_EQ(Bound(Int, "-0x80000000"), "-2147483648");
  EXPECT_EQ(Bound(Unsigned, "3"), "3u");
  EXPECT_EQ(Bound(Wide, "3"), "3ull");
  EXPECT_EQ(Bound(scalar("p", "long long", ScalarKind::Signed, 8), "-0x8000000000000000"), "0x8000000000000000ull");
  EXPECT_EQ(Bound(Bool, "true"), "true");
  EXPECT_EQ(Bound(Float, "0.1"), "0x1.99999ap-4f");
  EXPECT_EQ(Bound(Double, "-2"), "-0x1p+1");
  EXPECT_THAT(Bound(Half, "1"), HasSubstr("8:16: 'p' is __half, which cannot be fixed at compile time"));
  EXPECT_THAT(Bound(Pointer, "data"), HasSubstr("'p' is const float *, which cannot be fixed"));
  EXPECT_THAT(Bound(Int, "block.x"), HasSubstr("7:20: 'block.x' has no value here"));
  EXPECT_THAT(Bound(Int, "0x80000000"), HasSubstr("7:20: 'p' is int, which cannot be 2147483648"));
  const Packing Unknown({Int}, "{p: 1}", "    bindable: [q]\n");
  EXPECT_THAT(complaintOf(boundArguments(Unknown.Facts, Unknown.W.Kernels[0]).takeError()),
              HasSubstr("8:16: k has no parameter 'q'; did you mean 'p'?"));
}

TEST(PackArguments, FusedKernelsTakeTheArgumentsOfTheirConstituents) {
  ParameterFacts First = Int, Second = Pointer;
  First.Name = "n", Second.Name = "data";
  KernelFacts FactsA, FactsB;
  FactsA.Parameters = {First, Second};
  FactsB.Parameters = {Second};
  PackedKernel PackedA{{128}, {}, {{{1, 0, 0, 0}, {}}, {std::vector<std::uint8_t>(8), {{0, "a", 4}}}}};
  PackedKernel PackedB{{256}, {}, {{std::vector<std::uint8_t>(8), {{0, "b", 0}}}}};
  FusedLaunch Fused;
  Fused.Kernel = "_ZN4both5fused";
  Fused.Grid = {7, 1, 1};
  Fused.Block = {384, 1, 1};
  Fused.DynamicBytes = 512;
  Fused.Parameters = {{1, "data", {}, 0}, {0, "n", {}, 0}, {0, "data", {}, 0}, {-1, "", {9, 9}, 0}, {-1, "", {}, 16}};
  auto Launch = launchFused(Fused, {&FactsA, &FactsB}, {PackedA, PackedB}, "f.cubin");
  ASSERT_TRUE(static_cast<bool>(Launch)) << llvm::toString(Launch.takeError());
  EXPECT_EQ(Launch->Cubin, "f.cubin");
  EXPECT_EQ(Launch->Kernel, "_ZN4both5fused");
  EXPECT_THAT(Launch->Grid, ElementsAre(7u, 1u, 1u));
  EXPECT_THAT(Launch->Block, ElementsAre(384u, 1u, 1u));
  EXPECT_EQ(Launch->DynamicBytes, 512u);
  ASSERT_EQ(Launch->Arguments.size(), 5u);
  EXPECT_EQ(Launch->Arguments[0].Addresses[0].Buffer, "b");
  EXPECT_THAT(Launch->Arguments[1].Bytes, ElementsAre(1, 0, 0, 0));
  EXPECT_EQ(Launch->Arguments[2].Addresses[0].Plus, 4u);
  EXPECT_THAT(Launch->Arguments[3].Bytes, ElementsAre(9, 9));
  EXPECT_EQ(Launch->Arguments[4].ZeroedBytes, 16u);

  Fused.Parameters = {{1, "n", {}, 0}};
  EXPECT_THAT(llvm::toString(launchFused(Fused, {&FactsA, &FactsB}, {PackedA, PackedB}, "").takeError()),
              HasSubstr("a parameter 'n' of constituent 1, which has none of that name"));
}

TEST(PackArguments, BaselinesAreSerialAndConcurrent) {
  const Packing C({Int}, "{p: 1}");
  const KernelLaunch One = launchAlone(*C.pack(), "k.cubin", "_Z1ki");
  EXPECT_EQ(One.Kernel, "_Z1ki");
  EXPECT_THAT(One.Block, ElementsAre(64u, 2u, 1u));
  const auto Names = [](const std::vector<Schedule> &Schedules) {
    std::vector<std::string> Found;
    for (const Schedule &S : Schedules)
      Found.push_back(S.Name);
    return Found;
  };
  EXPECT_THAT(Names(baselines({One})), ElementsAre("serial"));
  const std::vector<Schedule> Two = baselines({One, One}, ", best solo shapes");
  EXPECT_THAT(Names(Two), ElementsAre("serial, best solo shapes", "streams, best solo shapes",
                                      "streams reversed, best solo shapes", "graph, best solo shapes"));
  EXPECT_EQ(Two[2].How, Schedule::StreamsReversed);
  EXPECT_EQ(Two[3].Launches.size(), 2u);
  const RunnerJob Job = runnerJob(C.W, Two);
  EXPECT_EQ(Job.Buffers.size(), 2u);
  EXPECT_EQ(Job.Schedules.size(), 4u);
}

} // namespace
} // namespace cufuse
