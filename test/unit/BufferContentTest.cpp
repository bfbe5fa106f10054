#include "cufuse/Runner/BufferContent.h"

#include "cufuse/Support/Error.h"

#include <gmock/gmock.h>
#include <llvm/ADT/ScopeExit.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/raw_ostream.h>

#include <cmath>
#include <cstring>
#include <limits>

namespace cufuse {
namespace {

template <typename T> std::vector<T> elements(ElementType Type, std::uint64_t Count, Initializer Init) {
  BufferSpec Spec;
  Spec.Type = Type;
  Spec.Count = Count;
  Spec.Init = Init;
  std::vector<std::uint8_t> Content(Count * sizeof(T));
  // In two pieces: what an element is does not depend on the others.
  const std::uint64_t Split = Count / 3 * sizeof(T);
  const llvm::MutableArrayRef<std::uint8_t> All(Content);
  llvm::cantFail(fillContent(Spec, 0, All.take_front(Split)));
  llvm::cantFail(fillContent(Spec, Count / 3, All.drop_front(Split)));
  std::vector<T> Elements(Count);
  std::memcpy(Elements.data(), Content.data(), Content.size());
  return Elements;
}

template <typename T> llvm::ArrayRef<std::uint8_t> bytes(const std::vector<T> &Elements) {
  return {reinterpret_cast<const std::uint8_t *>(Elements.data()), Elements.size() * sizeof(T)};
}

TEST(BufferContent, SameSeedSameContent) {
  const Initializer Init{Initializer::Uniform, -1, 1, 7, ""};
  // More elements than one thread takes, and fewer: an element depends on its index alone.
  const auto Many = elements<float>(ElementType::F32, 300000, Init), Few = elements<float>(ElementType::F32, 10, Init);
  EXPECT_TRUE(std::equal(Few.begin(), Few.end(), Many.begin()));
  EXPECT_NE(Many, elements<float>(ElementType::F32, 300000, {Initializer::Uniform, -1, 1, 8, ""}));
  // What was recorded once: results of different versions can be compared.
  const auto Bits = elements<std::uint64_t>(ElementType::U64, 2, {Initializer::RandomBits, 0, 0, 3, ""});
  EXPECT_EQ(Bits[0], 8740921216807157327u);
  EXPECT_EQ(Bits[1], 10026334527595613153u);
}

TEST(BufferContent, UniformStaysInItsBoundsAndFillsThem) {
  const auto Values = elements<double>(ElementType::F64, 200000, {Initializer::Uniform, 2, 5, 1, ""});
  const auto [Least, Most] = std::minmax_element(Values.begin(), Values.end());
  EXPECT_GE(*Least, 2);
  EXPECT_LT(*Least, 2.001);
  EXPECT_LT(*Most, 5);
  EXPECT_GT(*Most, 4.999);
}

TEST(BufferContent, UniformIsWithinItsBoundsAsTheTypeHasThem) {
  const auto Integers = elements<std::int32_t>(ElementType::I32, 60000, {Initializer::Uniform, -3, 3, 1, ""});
  for (int Value = -3; Value < 3; ++Value)
    EXPECT_NEAR(std::count(Integers.begin(), Integers.end(), Value), 10000, 500);
  const auto Halves = elements<std::uint16_t>(ElementType::F16, 1 << 20, {Initializer::Uniform, 0, 1, 1, ""});
  EXPECT_LT(*std::max_element(Halves.begin(), Halves.end()), 0x3C00); // 1
}

TEST(BufferContent, NormalHasItsMeanAndDeviation) {
  const auto Values = elements<double>(ElementType::F64, 200000, {Initializer::Normal, 3, 2, 1, ""});
  double Sum = 0, Squares = 0;
  for (double Value : Values) {
    Sum += Value;
    Squares += Value * Value;
  }
  const double Mean = Sum / Values.size();
  EXPECT_NEAR(Mean, 3, 0.02);
  EXPECT_NEAR(std::sqrt(Squares / Values.size() - Mean * Mean), 2, 0.02);
}

TEST(BufferContent, NumbersAreConvertedToTheType) {
  const Initializer Steps{Initializer::Iota, -1.5, 100, 0, ""};
  EXPECT_THAT(elements<std::int8_t>(ElementType::I8, 4, Steps), testing::ElementsAre(-1, 98, 127, 127));
  EXPECT_THAT(elements<std::uint8_t>(ElementType::U8, 4, Steps), testing::ElementsAre(0, 98, 198, 255));
  EXPECT_THAT(elements<std::int64_t>(ElementType::I64, 1, {Initializer::Constant, 1e30, 0, 0, ""}),
              testing::ElementsAre(std::numeric_limits<std::int64_t>::max()));
  // 1 + 2^-8 lies between two of these: to even. 1 + 2^-8 + 2^-16 is nearer to the upper.
  EXPECT_THAT(elements<std::uint16_t>(ElementType::BF16, 1, {Initializer::Constant, 1.00390625, 0, 0, ""}),
              testing::ElementsAre(0x3F80));
  EXPECT_THAT(elements<std::uint16_t>(ElementType::BF16, 1, {Initializer::Constant, 1.0039215, 0, 0, ""}),
              testing::ElementsAre(0x3F81));
  EXPECT_THAT(elements<std::uint16_t>(ElementType::F16, 1, {Initializer::Constant, -2, 0, 0, ""}),
              testing::ElementsAre(0xC000));
  EXPECT_THAT(elements<std::uint16_t>(ElementType::F16, 1, {Initializer::Constant, 1e6, 0, 0, ""}),
              testing::ElementsAre(0x7C00));
}

TEST(BufferContent, FilesMustHaveTheLength) {
  llvm::SmallString<128> Path;
  int Number = 0;
  ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("content", "bin", Number, Path));
  llvm::scope_exit Clean([&] { llvm::sys::fs::remove(Path); });
  llvm::raw_fd_ostream(Number, /*shouldClose=*/true) << "abcd";
  const Initializer Init{Initializer::File, 0, 0, 0, std::string(Path)};
  EXPECT_THAT(elements<std::uint16_t>(ElementType::U16, 2, Init), testing::ElementsAre(0x6261, 0x6463));
  BufferSpec Spec;
  Spec.Name = "x";
  Spec.Type = ElementType::U32;
  Spec.Count = 2;
  Spec.Init = Init;
  std::vector<std::uint8_t> Bytes(8);
  EXPECT_THAT(llvm::toString(fillContent(Spec, 0, Bytes)), testing::HasSubstr("has 4 bytes; buffer 'x' takes 8"));
  Spec.Init.Path = "/nowhere/at/all";
  EXPECT_THAT(llvm::toString(fillContent(Spec, 0, Bytes)), testing::HasSubstr("cannot read '/nowhere/at/all'"));
}

TEST(Comparison, IsBitwiseWithoutATolerance) {
  const std::vector<float> A{1, 2, 3, 0.0f}, B{1, 2.0000002f, 4, -0.0f};
  EXPECT_FALSE(firstDifference(ElementType::F32, {}, bytes(A), bytes(A)));
  const auto Found = firstDifference(ElementType::F32, {}, bytes(A), bytes(B));
  ASSERT_TRUE(Found);
  EXPECT_EQ(Found->Index, 1u);
  EXPECT_EQ(Found->Expected, "2");
  EXPECT_EQ(Found->Found, "2.00000024");
  EXPECT_EQ(Found->Count, 3u);
}

TEST(Comparison, ToleranceIsAbsoluteOrRelativeToTheExpected) {
  const std::vector<double> A{100, 0.001}, B{101, 0.002};
  EXPECT_FALSE(firstDifference(ElementType::F64, {0.0011, 0.01}, bytes(A), bytes(B)));
  EXPECT_EQ(firstDifference(ElementType::F64, {0, 0.01}, bytes(A), bytes(B))->Index, 1u);
  EXPECT_EQ(firstDifference(ElementType::F64, {0.0011, 0}, bytes(A), bytes(B))->Index, 0u);
}

TEST(Comparison, InfinitiesAgreeWithThemselvesWhateverTheTolerance) {
  const float Infinity = std::numeric_limits<float>::infinity();
  const std::vector<float> A{Infinity, Infinity, Infinity, -Infinity, 1},
      B{Infinity, 3, -Infinity, -Infinity, Infinity};
  const auto Found = firstDifference(ElementType::F32, {1e9, 1}, bytes(A), bytes(B));
  ASSERT_TRUE(Found);
  EXPECT_EQ(Found->Index, 1u);
  EXPECT_EQ(Found->Count, 3u);
}

TEST(Comparison, WhatNobodyStoredIsNoExpectedNan) {
  float Poisoned = 0;
  std::memcpy(&Poisoned, &Poison, sizeof Poisoned);
  const std::vector<float> A{std::nanf("")}, B{Poisoned};
  EXPECT_TRUE(firstDifference(ElementType::F32, {1e9, 1}, bytes(A), bytes(B)));
}

TEST(Comparison, WhatNobodyStoredIsNoExpectedNanOfHalves) {
  std::vector<std::uint16_t> B(2);
  std::memcpy(B.data(), &Poison, sizeof Poison);
  const std::vector<std::uint16_t> A{B[0], 0x7E00}; // a NaN in place of the second
  const auto Found = firstDifference(ElementType::F16, {1e9, 1}, bytes(A), bytes(B));
  ASSERT_TRUE(Found);
  EXPECT_EQ(Found->Index, 1u);
}

TEST(Comparison, NotANumberAgreesWithItsKindOnly) {
  const float Nan = std::nanf("");
  const std::vector<float> A{Nan, 1}, B{-Nan, Nan};
  const auto Found = firstDifference(ElementType::F32, {1e9, 1}, bytes(A), bytes(B));
  ASSERT_TRUE(Found);
  EXPECT_EQ(Found->Index, 1u);
  EXPECT_EQ(Found->Count, 1u);
}

TEST(Comparison, InfinitiesAgreeWithThemselvesOnly) {
  const float Infinity = std::numeric_limits<float>::infinity();
  const std::vector<float> A{Infinity, Infinity}, B{Infinity, 1};
  EXPECT_EQ(firstDifference(ElementType::F32, {1, 0}, bytes(A), bytes(B))->Index, 1u);
}

// In double, both are 2^63.
TEST(Comparison, LongIntegersKeepTheirDigits) {
  const std::vector<std::int64_t> A{9223372036854775807}, B{9223372036854775800};
  EXPECT_FALSE(firstDifference(ElementType::I64, {7, 0}, bytes(A), bytes(B)));
  EXPECT_TRUE(firstDifference(ElementType::I64, {6, 0}, bytes(A), bytes(B)));
}

TEST(Comparison, FindsTheFirstOfManyPieces) {
  std::vector<std::uint8_t> A(1 << 20, 1), B = A;
  B[900000] = B[700001] = 2;
  const auto Found = firstDifference(ElementType::U8, {}, A, B);
  ASSERT_TRUE(Found);
  EXPECT_EQ(Found->Index, 700001u);
  EXPECT_EQ(Found->Count, 2u);
}

// What a kernel leaves alone must not look like a result.
TEST(Comparison, PoisonDiffersFromZeroInEveryType) {
  std::vector<std::uint32_t> Poisoned(2, Poison), Zero(2, 0);
  for (ElementType Type : {ElementType::I8, ElementType::F16, ElementType::BF16, ElementType::F32, ElementType::F64})
    EXPECT_EQ(firstDifference(Type, {1e-3, 1e-3}, bytes(Zero), bytes(Poisoned))->Count, 8u / bytesOf(Type));
}

} // namespace
} // namespace cufuse
