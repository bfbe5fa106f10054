#include "cufuse/Compile/ParsePtxas.h"

#include <gtest/gtest.h>

namespace cufuse {
namespace {

// As nvcc 13.0 prints it for a file with two kernels and a function that is not inlined.
TEST(ParsePtxas, DeviceFunctionsAreNotTakenForTheKernelBeforeThem) {
  const auto Kernels = parsePtxas(R"(ptxas info    : 0 bytes gmem, 64 bytes cmem[3]
ptxas info    : Function properties for _Z6helperfPKf$3
    24 bytes stack frame, 4 bytes spill stores, 8 bytes spill loads
ptxas info    : Compile time = 2.775 ms
ptxas info    : Compiling entry function '_Z6secondPf' for 'sm_90a'
ptxas info    : Function properties for _Z6secondPf
    272 bytes stack frame, 268 bytes spill stores, 300 bytes spill loads
ptxas info    : Used 32 registers, used 0 barriers, 272 bytes cumulative stack size
ptxas info    : Compile time = 13.751 ms
ptxas info    : Compiling entry function '_Z5firstPf' for 'sm_90a'
ptxas info    : Function properties for _Z5firstPf
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 168 registers, used 2 barriers, 1024 bytes smem, 372 bytes cmem[0], 4 bytes cmem[2]
ptxas info    : Compile time = 2.394 ms
ptxas info    : Function properties for _Z6helperfPKf
    16 bytes stack frame, 12 bytes spill stores, 12 bytes spill loads
ptxas info    : Compile time = 1.713 ms
)");
  ASSERT_EQ(Kernels.size(), 2u);
  const ResourceUse &First = Kernels.at("_Z5firstPf");
  EXPECT_EQ(First.Registers, 168u);
  EXPECT_EQ(First.Barriers, 2u);
  EXPECT_EQ(First.SharedBytes, 1024u);
  EXPECT_EQ(First.StackBytes, 0u);
  EXPECT_EQ(First.SpillStores, 0u);
  EXPECT_EQ(First.SpillLoads, 0u);
  const ResourceUse &Second = Kernels.at("_Z6secondPf");
  EXPECT_EQ(Second.Registers, 32u);
  EXPECT_EQ(Second.Barriers, 0u);
  EXPECT_EQ(Second.SharedBytes, 0u);
  EXPECT_EQ(Second.StackBytes, 272u);
  EXPECT_EQ(Second.SpillStores, 268u);
  EXPECT_EQ(Second.SpillLoads, 300u);
}

// Older assemblers have no barriers on the line.
TEST(ParsePtxas, LinesWithoutBarriersAndWithWarnings) {
  const auto Kernels = parsePtxas(R"(a.cu(3): warning #177-D: variable "x" was declared but never referenced
ptxas info    : 8 bytes gmem
ptxas info    : Compiling entry function '_ZN2ns1kIfLi4EEEvPT_' for 'sm_80'
ptxas warning : Value of threads per SM for entry _ZN2ns1kIfLi4EEEvPT_ is out of range. .minnctapersm will be ignored
ptxas info    : Function properties for _ZN2ns1kIfLi4EEEvPT_
    8 bytes stack frame, 8 bytes spill stores, 4 bytes spill loads
ptxas info    : Used 255 registers, 49152 bytes smem, 360 bytes cmem[0]
)");
  ASSERT_EQ(Kernels.size(), 1u);
  const ResourceUse &Use = Kernels.at("_ZN2ns1kIfLi4EEEvPT_");
  EXPECT_EQ(Use.Registers, 255u);
  EXPECT_EQ(Use.Barriers, 0u);
  EXPECT_EQ(Use.SharedBytes, 49152u);
  EXPECT_EQ(Use.SpillStores, 8u);
  EXPECT_EQ(Use.SpillLoads, 4u);
}

TEST(ParsePtxas, WindowsLineEndsAreRead) {
  const auto Kernels = parsePtxas("ptxas info    : Compiling entry function 'k' for 'sm_90a'\r\n"
                                  "ptxas info    : Function properties for k\r\n"
                                  "    16 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\r\n"
                                  "ptxas info    : Used 10 registers, used 1 barriers\r\n");
  ASSERT_EQ(Kernels.size(), 1u);
  EXPECT_EQ(Kernels.at("k").StackBytes, 16u);
  EXPECT_EQ(Kernels.at("k").Registers, 10u);
}

TEST(ParsePtxas, WhatIsNotOfPtxasIsNothing) {
  EXPECT_TRUE(parsePtxas("").empty());
  EXPECT_TRUE(parsePtxas("nvcc fatal   : Unsupported gpu architecture 'sm_99'\nUsed 10 registers\n").empty());
  EXPECT_TRUE(parsePtxas("ptxas info    : Function properties for f\n    8 bytes stack frame, 0 bytes spill stores, "
                         "0 bytes spill loads\n")
                  .empty());
}

} // namespace
} // namespace cufuse
