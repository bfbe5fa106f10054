#include "cufuse/Runner/StoppingCriterion.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace cufuse {
namespace {

std::vector<double> upTo(unsigned Count) {
  std::vector<double> Samples(Count);
  std::iota(Samples.begin(), Samples.end(), 1);
  return Samples;
}

TEST(Median, OfAnEvenNumberLiesBetween) {
  EXPECT_DOUBLE_EQ(medianOf({4, 1, 3, 2}).Value, 2.5);
  EXPECT_DOUBLE_EQ(medianOf({4, 1, 3}).Value, 3);
}

// Conover's table: of 100 samples numbers 40 and 61, of 25 numbers 7 and 19 with the continuity taken outwards.
TEST(Median, IntervalComesFromRanks) {
  EXPECT_NEAR(medianOf(upTo(100)).RelativeNoise, (61 - 40) / 2.0 / 50.5, 1e-12);
  EXPECT_NEAR(medianOf(upTo(25)).RelativeNoise, (19 - 7) / 2.0 / 13, 1e-12);
  EXPECT_NEAR(medianOf(upTo(10)).RelativeNoise, (10 - 1) / 2.0 / 5.5, 1e-12);
}

TEST(Median, OrderAndOutliersDoNotMatter) {
  std::vector<double> Samples = upTo(100);
  std::reverse(Samples.begin(), Samples.end());
  Samples.front() = 1e9;
  EXPECT_NEAR(medianOf(Samples).RelativeNoise, (61 - 40) / 2.0 / 50.5, 1e-12);
}

TEST(Median, OfFewSamplesIsAsNoisyAsTheirRange) {
  EXPECT_DOUBLE_EQ(medianOf({9, 10, 11}).RelativeNoise, 0.1);
  EXPECT_DOUBLE_EQ(medianOf({10}).RelativeNoise, 1);
}

TEST(StoppingCriterion, WaitsForTheMinimumOfSamples) {
  const std::vector<double> Same(9, 5.0);
  EXPECT_FALSE(isEnough({}, Same, 0.1));
  EXPECT_TRUE(isEnough({}, std::vector<double>(10, 5.0), 0.1));
}

TEST(StoppingCriterion, WaitsForTheNoiseToFall) {
  Stopping Limits;
  Limits.RelativeNoise = 0.01;
  // Two values in turn, 10 % apart: the interval holds both until it is narrower than the difference, which is never.
  std::vector<double> Bimodal, Quiet;
  for (unsigned I = 0; I < 100; ++I) {
    Bimodal.push_back(I % 2 ? 100 : 110);
    Quiet.push_back(100 + std::sin(I));
  }
  EXPECT_FALSE(isEnough(Limits, Bimodal, 0.1));
  EXPECT_TRUE(isEnough(Limits, Quiet, 0.1));
}

TEST(StoppingCriterion, EndsAtTheMaximumOfSamplesOrSeconds) {
  const std::vector<double> Noisy = upTo(200);
  EXPECT_TRUE(isEnough({}, Noisy, 0.1));
  EXPECT_FALSE(isEnough({}, llvm::ArrayRef(Noisy).take_front(50), 1.9));
  EXPECT_TRUE(isEnough({}, llvm::ArrayRef(Noisy).take_front(50), 2.0));
  // A kernel of many seconds is not measured ten times; nor is it once.
  EXPECT_TRUE(isEnough({}, llvm::ArrayRef(Noisy).take_front(3), 60));
  EXPECT_FALSE(isEnough({}, llvm::ArrayRef(Noisy).take_front(2), 60));
}

} // namespace
} // namespace cufuse
