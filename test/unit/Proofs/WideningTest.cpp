#include "TestKernel.h"

#include "cufuse/Kernel/Wrapping.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cufuse {
namespace {

const std::string Thread = "(" + Linear + ")";

/// A number that is computed in 32 bits and goes on in 64, beside a polynomial of 64 bits; then the sum may be divided.
class DrawnNumber {
public:
  explicit DrawnNumber(Draw &Random) : Signed(Random.once(2)) {
    Kernel.number("n");
    const std::int64_t Factor = Random.of<std::int64_t>({1, 1, 4, 1000003, 100000007, 1 << 30, 2654435761});
    const std::string By = Random.once(4) ? "n" : std::to_string(Factor);
    // Together they are often a multiple of the linear index, or nothing but the index is left.
    const std::vector<std::pair<std::string, std::string>> Parts = {
        {"blockIdx.x * blockDim.x * {0}", "threadIdx.x * {0}"},
        {"threadIdx.x * {0}", "blockIdx.x * blockDim.x * {0}"},
        {Thread + " * {0}", "n"},
        {Thread + " * {0}", Thread + " - " + Thread + " * {0}"},
        {"blockIdx.x * blockDim.x + n", "threadIdx.x"},
        {"blockIdx.x * blockDim.x * {0} + n", "threadIdx.x * {0}"},
        {"threadIdx.x + {0}", "blockIdx.x * blockDim.x"}};
    const auto &[First, Second] = Random.of(Parts);
    Narrow = fmt::format(fmt::runtime(First), By);
    Other = fmt::format(fmt::runtime(Second), By);
    Divisor = Random.once(3) ? Random.number(2, 9) : 1;
  }

  Polynomial value() {
    Polynomial P = widened(Kernel.value(Narrow), Signed, Kernel.Accesses) + Kernel.value(Other);
    if (Divisor > 1)
      P = *quotient(P, Polynomial(Divisor), Kernel.Accesses.Quotients);
    return P;
  }
  /// As C computes it.
  std::int64_t value(const Values &Of) const {
    const auto Bits = static_cast<std::uint64_t>(valueOf(Narrow, Of));
    const std::int64_t Wide = Signed ? std::int64_t(static_cast<std::int32_t>(Bits)) : static_cast<std::uint32_t>(Bits);
    return (Wide + valueOf(Other, Of)) / Divisor;
  }
  std::string str() const {
    return fmt::format("(({}) {} + {}) / {}", Signed ? "int" : "unsigned", Narrow, Other, Divisor);
  }

  TestKernel Kernel;

private:
  const bool Signed;
  std::string Narrow, Other;
  std::int64_t Divisor;
};

/// Where and how large: also where 32 bits are not enough.
Values drawn(Draw &Random, std::int64_t &Element) {
  const std::int64_t Threads = Random.of<std::int64_t>({1, 32, 96, 256, 1024}), Thread = Random.number(0, Threads - 1),
                     Block = Random.once(2) ? Random.number(0, 100) : Random.number(0, (INT32_MAX - 1024) / Threads);
  Element = Block * Threads + Thread;
  return {{"threadIdx.x", Thread},
          {"blockIdx.x", Block},
          {"blockDim.x", Threads},
          {"n", Random.once(2) ? Random.number(0, 50) : Random.number(0, INT32_MAX)}};
}

// What is said to depend on the element alone is the same where the element is a block of one thread.
TEST(Widening, WhatLosesBitsIsOfTheElementByItself) {
  Draw Random(31);
  unsigned Known = 0;
  for (int I = 0; I < 4000; ++I) {
    DrawnNumber Number(Random);
    if (!inElement(Number.value(), Number.Kernel.Accesses, ShapeFacts()))
      continue;
    ++Known;
    for (int J = 0; J < 40; ++J) {
      std::int64_t Element = 0;
      const Values Of = drawn(Random, Element);
      Values Fused = Of;
      Fused["threadIdx.x"] = 0, Fused["blockDim.x"] = 1, Fused["blockIdx.x"] = Element;
      ASSERT_EQ(Number.value(Of), Number.value(Fused)) << Number.str() << " at " << Element << ", n " << Of.at("n");
    }
  }
  EXPECT_GT(Known, 1000u);
}

// An index that is said to be the element's is that one.
TEST(Widening, AnIndexThatLosesBitsIsNoOther) {
  Draw Random(32);
  unsigned Known = 0;
  for (int I = 0; I < 4000; ++I) {
    DrawnNumber Number(Random);
    AccessSite Site;
    Site.Index = Number.value();
    Number.Kernel.Accesses.Sites.push_back(Site);
    const KernelAccesses Plain = withoutWraps(Number.Kernel.Accesses);
    const auto Index = inElement(*Plain.Sites.front().Index, Plain, ShapeFacts());
    if (!Index || !(*Index == Polynomial::atom(ElementAtom)))
      continue;
    ++Known;
    for (int J = 0; J < 40; ++J) {
      std::int64_t Element = 0;
      const Values Of = drawn(Random, Element);
      ASSERT_EQ(Number.value(Of), Element) << Number.str() << ", n " << Of.at("n");
    }
  }
  EXPECT_GT(Known, 50u);
}

TEST(Widening, IndicesOfEveryDayStayWhatTheyAre) {
  TestKernel Kernel;
  for (const char *Name : {"n", "columns"})
    Kernel.number(Name);
  auto Index = [&](const Polynomial &P) {
    KernelAccesses Accesses = Kernel.Accesses;
    Accesses.Sites.resize(1);
    Accesses.Sites[0].Index = P;
    return withoutWraps(Accesses).Sites[0].Index->str();
  };
  for (const bool Signed : {false, true})
    for (const char *Text : {"blockIdx.x * blockDim.x + threadIdx.x", "blockIdx.x * columns + threadIdx.x", "n + 1",
                             "(blockIdx.y * 16 + threadIdx.y) * columns + blockIdx.x * 16 + threadIdx.x",
                             "(4 * blockIdx.x + 3) % columns", "n * columns"})
      EXPECT_EQ(Index(widened(Kernel.value(Text), Signed, Kernel.Accesses)), Index(Kernel.value(Text))) << Text;
  const Polynomial Hash = Kernel.value("1000003 * blockIdx.x"), Wide = widened(Hash, false, Kernel.Accesses);
  EXPECT_EQ(Index(Wide), Index(Hash));
  EXPECT_NE(Index(Wide - Hash + Kernel.value("threadIdx.x")), "threadIdx.x");
}

} // namespace
} // namespace cufuse
