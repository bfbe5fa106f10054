#include "cufuse/Kernel/KernelSpec.h"

#include "Complaint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cufuse {
namespace {

using testing::HasSubstr;

KernelSpec spec(const char *Text) {
  auto Spec = parseKernelSpec(Text);
  EXPECT_TRUE(static_cast<bool>(Spec)) << Text << ": " << llvm::toString(Spec.takeError());
  return Spec ? *Spec : KernelSpec{};
}

/// The message of a text that must be bad usage.
template <typename Value> std::string usage(llvm::Expected<Value> Parsed) {
  if (Parsed)
    return "accepted";
  llvm::Error Error = Parsed.takeError();
  EXPECT_TRUE(Error.isA<Failure>());
  std::string Text;
  llvm::handleAllErrors(std::move(Error), [&](const Failure &F) {
    EXPECT_EQ(F.Code, ExitCode::BadUsage);
    Text = complaintOf(llvm::make_error<Failure>(F.Code, F.Messages));
  });
  return Text;
}

TEST(KernelSpec, FileAndKernelAreSplitAtTheFirstSingleColonBehindTheExtension) {
  EXPECT_EQ(spec("a.cu:k").File, "a.cu");
  EXPECT_EQ(spec("a.cu:k").Kernel, "k");
  EXPECT_EQ(spec("dir/a.b.cuh:ns::k").File, "dir/a.b.cuh");
  EXPECT_EQ(spec("dir/a.b.cuh:ns::k").Kernel, "ns::k");
  EXPECT_EQ(spec("a.cu:::k").Kernel, "::k");
  EXPECT_EQ(spec("host:8/a.cu:k").File, "host:8/a.cu");
  EXPECT_EQ(spec("host:8/a.cu:k").Kernel, "k");
  EXPECT_EQ(spec("../x.y/a.cu:k<sizeof(int), 'a'>").File, "../x.y/a.cu");
  EXPECT_EQ(spec("a.cu: k<float, 4> ").Kernel, "k<float, 4>");
}

TEST(KernelSpec, ArgumentsAndSignaturesStayBehindTheName) {
  const KernelSpec Arguments = spec("a.cu:ns::k<a::b<int>, 4>");
  EXPECT_EQ(Arguments.name(), "ns::k");
  EXPECT_TRUE(Arguments.hasTemplateArguments());
  EXPECT_FALSE(Arguments.hasSignature());
  const KernelSpec Signature = spec("a.cu:k (int *, int)");
  EXPECT_EQ(Signature.name(), "k");
  EXPECT_TRUE(Signature.hasSignature());
  EXPECT_FALSE(Signature.hasTemplateArguments());
  EXPECT_FALSE(spec("a.cu:k").hasSignature());
}

TEST(KernelSpec, ParenthesesInTemplateArgumentsAreNoSignature) {
  const KernelSpec Spec = spec("a.cu:k<sizeof(int)>");
  EXPECT_EQ(Spec.name(), "k");
  EXPECT_TRUE(Spec.hasTemplateArguments());
  EXPECT_FALSE(Spec.hasSignature());
  EXPECT_TRUE(spec("a.cu:k<sizeof(int)>(int *)").hasSignature());
}

TEST(KernelSpec, LineIsAPositiveNumber) {
  EXPECT_EQ(spec("a.cu:@12").Line, 12u);
  EXPECT_EQ(spec("a.cu:@12").File, "a.cu");
  EXPECT_EQ(spec("a.cu:@12").Kernel, "");
  for (const char *Text : {"a.cu:@0", "a.cu:@", "a.cu:@-1", "a.cu:@1x", "a.cu:@k"})
    EXPECT_THAT(usage(parseKernelSpec(Text)), HasSubstr("is not a line number; write FILE.cu:@LINE")) << Text;
}

TEST(KernelSpec, WhatNamesNoKernelIsBadUsage) {
  for (const char *Text : {"", "a.cu", "a.cu:", ":k", "k", "a:k", "ns::k"})
    EXPECT_THAT(usage(parseKernelSpec(Text)), HasSubstr("names no kernel; write FILE.cu:KERNEL or FILE.cu:@LINE"))
        << Text;
}

TEST(KernelSpec, IsWrittenAsItIsRead) {
  for (const char *Text : {"a.cu:k", "dir/a.cu:ns::k<float, 4>", "a.cu:@7", "a.cu:k(int *)"})
    EXPECT_EQ(spec(Text).str(), Text);
}

TEST(BlockShape, HasOneToThreeSizes) {
  auto Shape = [](const char *Text) { return llvm::cantFail(parseBlockShape(Text)); };
  EXPECT_EQ(Shape("256"), (BlockShape{256, 1, 1}));
  EXPECT_EQ(Shape("32x8"), (BlockShape{32, 8, 1}));
  EXPECT_EQ(Shape("8x8x4"), (BlockShape{8, 8, 4}));
  for (const char *Text : {"", "x", "32x", "x8", "1x1x1x1", "32X8", "32*8", "-1", "3.5", "99999999999"})
    EXPECT_THAT(usage(parseBlockShape(Text)), HasSubstr("is not a block shape; write 256, 32x8 or 8x8x4")) << Text;
}

TEST(BlockShape, IsValidWithinTheLimitsOfABlock) {
  EXPECT_TRUE((BlockShape{1, 1, 1}.isValid()));
  EXPECT_TRUE((BlockShape{1024, 1, 1}.isValid()));
  EXPECT_TRUE((BlockShape{1, 1024, 1}.isValid()));
  EXPECT_TRUE((BlockShape{16, 1, 64}.isValid()));
  EXPECT_FALSE((BlockShape{1025, 1, 1}.isValid()));
  EXPECT_FALSE((BlockShape{1, 1, 65}.isValid()));
  EXPECT_FALSE((BlockShape{0, 1, 1}.isValid()));
  EXPECT_FALSE((BlockShape{32, 0, 1}.isValid()));
  EXPECT_FALSE((BlockShape{65536, 65536, 1}.isValid()));       // 2^32 threads
  EXPECT_FALSE((BlockShape{1u << 31, 1u << 31, 4}.isValid())); // 2^64 threads
}

} // namespace
} // namespace cufuse
