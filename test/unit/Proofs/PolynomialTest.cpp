#include "TestKernel.h"
#include "cufuse/Kernel/Wrapping.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cufuse {
namespace {

using testing::ElementsAre;

Polynomial polynomial(const std::string &Text) { return TestKernel().value(Text); }

std::string drawn(Draw &Random, int Depth, bool Quotients = false) {
  if (Depth == 0)
    return Random.once(3) ? std::to_string(Random.number(0, 9)) : Random.of<std::string>({"a", "b", "c"});
  const std::string Left = drawn(Random, Depth - 1, Quotients), Right = drawn(Random, Depth - 1, Quotients);
  if (Quotients && Random.once(3))
    return fmt::format("({}) {} {}", Left, Random.of<std::string>({"/", "%"}), Random.number(1, 9));
  return fmt::format("({}) {} ({})", Left, Random.of<std::string>({"+", "-", "*"}), Right);
}

Values drawnValues(Draw &Random, std::int64_t Least) {
  Values Of;
  for (const char *Name : {"a", "b", "c"})
    Of[Name] = Random.number(Least, 20);
  return Of;
}

TEST(Polynomial, ComputesWhatTheExpressionDoes) {
  Draw Random(1);
  for (int I = 0; I < 2000; ++I) {
    const std::string Text = drawn(Random, 3);
    const Values Of = drawnValues(Random, -20);
    EXPECT_EQ(valueOf(polynomial(Text), Of, {}), valueOf(Text, Of)) << Text;
  }
}

TEST(Polynomial, EqualFunctionsAreEqual) {
  EXPECT_EQ(polynomial("(a + b) * (a - b)"), polynomial("a * a - b * b"));
  EXPECT_EQ(polynomial("a * (b + c) - c * a - b * a"), Polynomial());
  EXPECT_NE(polynomial("a * b"), polynomial("a + b"));
}

TEST(Polynomial, SplitsAtTheFirstPower) {
  const auto [Factor, Rest] = polynomial("4 * a * b + 3 * a - 2 * b + a * a * c + 7").split("a");
  EXPECT_EQ(Factor, polynomial("4 * b + 3"));
  EXPECT_EQ(Rest, polynomial("a * a * c - 2 * b + 7"));
  Draw Random(2);
  for (int I = 0; I < 500; ++I) {
    const Polynomial P = polynomial(drawn(Random, 3));
    const auto [Each, Others] = P.split("b");
    EXPECT_EQ(Each * Polynomial::atom("b") + Others, P);
  }
}

TEST(Polynomial, SubstitutesEverywhereAtOnce) {
  EXPECT_EQ(polynomial("a * a + b").substitute("a", polynomial("a + 1")), polynomial("a * a + 2 * a + 1 + b"));
  Draw Random(3);
  for (int I = 0; I < 500; ++I) {
    const std::string Text = drawn(Random, 3), Other = drawn(Random, 2);
    Values Of = drawnValues(Random, -20);
    const std::int64_t Got = valueOf(polynomial(Text).substitute("a", polynomial(Other)), Of, {});
    Of["a"] = valueOf(Other, Of);
    EXPECT_EQ(Got, valueOf(Text, Of)) << Text << " with a = " << Other;
  }
}

TEST(Polynomial, DividesExactlyOrNotAtAll) {
  EXPECT_EQ(polynomial("8 * a - 4 * b").dividedBy(4), polynomial("2 * a - b"));
  EXPECT_EQ(polynomial("8 * a + 2").dividedBy(4), std::nullopt);
  EXPECT_EQ(polynomial("8 * a").dividedBy(0), std::nullopt);
  EXPECT_EQ(polynomial("8 * a").dividedBy(-4), std::nullopt);
}

TEST(Polynomial, IsWrittenAsInC) {
  EXPECT_EQ(polynomial("n - 1 + 4 * a * b").str(), "4 * a * b + n - 1");
  EXPECT_EQ(polynomial("0 - a").str(), "-a");
  EXPECT_EQ(Polynomial().str(), "0");
  EXPECT_EQ(Polynomial(INT64_MIN).str(), "-9223372036854775808");
  Draw Random(4);
  for (int I = 0; I < 500; ++I) {
    const Polynomial P = polynomial(drawn(Random, 3));
    EXPECT_EQ(polynomial(P.str()), P);
  }
}

TEST(Polynomial, WrapsAsAddressesDo) {
  const Polynomial Large = INT64_MAX;
  EXPECT_EQ(Large + 1, INT64_MIN);
  EXPECT_EQ((Large + Large + 2).asConstant(), 0);
}

TEST(Polynomial, KnowsItsConstantsAndAtoms) {
  EXPECT_EQ(polynomial("a - a + 5").asConstant(), 5);
  EXPECT_EQ(polynomial("a").asConstant(), std::nullopt);
  EXPECT_THAT(polynomial("a * b + c - c").atoms(), ElementsAre("a", "b"));
}

TEST(Wrapping, WhatIsNotNegativeIsNone) {
  TestKernel Kernel;
  EXPECT_FALSE(mayBeNegative(Kernel.value("a % 4 + b"), Kernel.Accesses.Quotients));
  EXPECT_FALSE(mayBeNegative(Kernel.value("a % b"), Kernel.Accesses.Quotients));
  EXPECT_TRUE(mayBeNegative(Kernel.value("a - b"), Kernel.Accesses.Quotients));
  EXPECT_TRUE(mayBeNegative(Kernel.value("a % 4 - 1"), Kernel.Accesses.Quotients));
  unsigned Shown = 0;
  Draw Random(5);
  for (int I = 0; I < 3000; ++I) {
    TestKernel Drawn;
    const std::string Text = drawn(Random, 2, true);
    const Polynomial P = Drawn.value(Text);
    // Dividends that are negative themselves are asked about on their own.
    bool Negative = mayBeNegative(P, Drawn.Accesses.Quotients);
    for (const auto &[Atom, Q] : Drawn.Accesses.Quotients)
      Negative |= mayBeNegative(Q.Dividend, Drawn.Accesses.Quotients);
    if (Negative)
      continue;
    ++Shown;
    for (int J = 0; J < 20; ++J)
      EXPECT_GE(valueOf(P, drawnValues(Random, 0), Drawn.Accesses.Quotients), 0) << Text;
  }
  EXPECT_GT(Shown, 300u);
}

TEST(Wrapping, LargeFactorsLoseBits) {
  constexpr std::int64_t Most = 1000;
  EXPECT_FALSE(mayLoseBits(polynomial("1000 * n"), Most));
  EXPECT_TRUE(mayLoseBits(polynomial("1001 * n"), Most));
  EXPECT_TRUE(mayLoseBits(polynomial("0 - 1001 * n"), Most));
  EXPECT_FALSE(mayLoseBits(polynomial("1000000000"), Most));
  EXPECT_FALSE(mayLoseBits(polynomial("65536 * threadIdx.x"), Most));
  EXPECT_TRUE(mayLoseBits(polynomial("16777216 * threadIdx.x"), Most));
  EXPECT_TRUE(mayLoseBits(polynomial("65536 * threadIdx.x * n"), Most));
  EXPECT_FALSE(mayLoseBits(polynomial("4096 * blockIdx.x"), Most));
  EXPECT_TRUE(mayLoseBits(polynomial("4097 * blockIdx.x"), Most));
  EXPECT_FALSE(mayLoseBits(polynomial("268435456 * n + 1001 * blockIdx.x"), 1, 64));
  EXPECT_TRUE(mayLoseBits(polynomial("268435457 * n"), Most, 64));
}

} // namespace
} // namespace cufuse
