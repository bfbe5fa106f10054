#include "Synthetic.h"

#include "cufuse/Model/Predict.h"
#include "cufuse/Model/ResourceBound.h"

#include <gtest/gtest.h>

namespace cufuse {
namespace {

const GpuFacts H200{"NVIDIA H200", "sm_90a", "580", 132, 4.8e6};

SoloShape solo(double Microseconds, double IssuePercent, double DramBytes) {
  SoloShape S;
  S.Block = {256};
  S.Blocks = 10'000;
  S.Microseconds = Microseconds;
  S.Counters = {{"smsp__issue_active.avg.pct_of_peak_sustained_active", IssuePercent},
                {"dram__bytes_read.sum", DramBytes},
                {"dram__bytes_write.sum", 0}};
  return S;
}

TEST(ResourceBound, TheBusiestResourceSetsIt) {
  // 90 % of 1000 µs and 80 % of 800 µs of issue slots; 480 MB and 960 MB at 4.8 TB/s.
  const ResourceBound B = resourceBound({solo(1000, 90, 4.8e8), solo(800, 80, 9.6e8)}, {"a", "b"}, H200);
  EXPECT_DOUBLE_EQ(B.Microseconds, 1540);
  EXPECT_EQ(B.By, "issue slots");
  EXPECT_DOUBLE_EQ(B.Demands.at("DRAM bandwidth"), 300);
  EXPECT_FALSE(B.Quick);
  EXPECT_DOUBLE_EQ(B.SerialMicroseconds, 1800);
  EXPECT_DOUBLE_EQ(B.share(1800), 0);
  EXPECT_DOUBLE_EQ(B.share(1670), 0.5);
  EXPECT_DOUBLE_EQ(B.share(1540), 1);
}

TEST(ResourceBound, NoCompanyMakesTheLongestShorter) {
  const ResourceBound B = resourceBound({solo(1000, 20, 0), solo(800, 30, 0)}, {"a", "b"}, H200);
  EXPECT_DOUBLE_EQ(B.Microseconds, 1000);
  EXPECT_EQ(B.By, "a");
}

TEST(ResourceBound, WithoutCountersItIsTheQuickForm) {
  SoloShape A, B;
  A.Microseconds = 600;
  B.Microseconds = 400;
  const ResourceBound Bound = resourceBound({A, B}, {"a", "b"}, H200);
  EXPECT_TRUE(Bound.Quick);
  // 1 + min / max times as fast as serial launches.
  EXPECT_DOUBLE_EQ(Bound.SerialMicroseconds / Bound.Microseconds, 1 + 400.0 / 600);
}

TEST(ResourceBound, WhereNothingCanBeGainedTheShareIsZero) {
  EXPECT_EQ(resourceBound({solo(1000, 100, 0), solo(800, 100, 0)}, {"a", "b"}, H200).share(1799), 0);
}

TEST(ResourceBound, PeakOfUnknownBandwidthGivesNoDemand) {
  GpuFacts Unknown = H200;
  Unknown.DramBytesPerMicrosecond = 0;
  EXPECT_FALSE(demandsOf(solo(1000, 50, 1e9), Unknown).contains("DRAM bandwidth"));
}

Problem pair(SoloShape A, SoloShape B) {
  ResourceUse Light;
  Light.Registers = 32;
  A.Resources = B.Resources = Light;
  return {"pair", H200, {{"a", {A}, {0}, {}}, {"b", {B}, {0}, {}}}};
}

FusionConfig warps(unsigned First, unsigned Second) {
  FusionConfig C;
  C.Constituents = {{{First}}, {{Second}}};
  return C;
}

TEST(Predict, DifferentResourcesPayMoreThanTheSame) {
  const Problem Different = pair(solo(1000, 80, 0), solo(1000, 10, 3.8e9)),
                Same = pair(solo(1000, 80, 0), solo(1000, 80, 0));
  EXPECT_LT(predict(Different, warps(256, 256)).Microseconds, 0.9 * predict(Same, warps(256, 256)).Microseconds);
  EXPECT_GE(predict(Same, warps(256, 256)).Microseconds, 1600);
}

TEST(Predict, NeverBelowTheLimit) {
  for (unsigned Seed = 0; Seed < 8; ++Seed) {
    const Problem P = syntheticProblem(Seed);
    std::vector<SoloShape> Solo;
    for (const ConstituentProblem &C : P.Constituents)
      Solo.push_back(C.best());
    const double Limit = resourceBound(Solo, {"a", "b"}, P.Gpu).Microseconds;
    for (unsigned First : {64, 256, 512})
      EXPECT_GE(predict(P, warps(First, 512)).Microseconds, Limit * 0.999);
  }
}

TEST(Predict, SpillsAndFewerResidentBlocksCost) {
  const Problem P = pair(solo(1000, 60, 0), solo(1000, 60, 0));
  ResourceUse Light, Heavy, Spilling;
  Light.Registers = 32;
  Heavy.Registers = 128;
  Spilling = Light;
  Spilling.SpillStores = Spilling.SpillLoads = 64;
  const double Best = predict(P, warps(256, 256), Light).Microseconds;
  EXPECT_GT(predict(P, warps(256, 256), Heavy).Microseconds, 1.2 * Best);
  EXPECT_GT(predict(P, warps(256, 256), Spilling).Microseconds, 1.05 * Best);
  EXPECT_EQ(predict(P, warps(256, 256), Light).ResidentBlocks, 4u);
}

TEST(Predict, MoreLoadsInFlightMakeUpForFewerWarps) {
  Problem P = pair(solo(1000, 20, 0), solo(1000, 20, 0));
  P.Constituents[0].Unrolls = {4, 2, 16};
  FusionConfig Few = warps(256, 256);
  Few.Shape = Geometry::Blocks;
  Few.Grid = GridPolicy::Stride;
  Few.Constituents[0].ResidentBlocks = 2;
  Few.Constituents[1].ResidentBlocks = 0;
  auto With = [&](unsigned Unroll) {
    Few.Constituents[0].Unroll = Unroll;
    return predict(P, Few).Microseconds;
  };
  EXPECT_LT(With(16), 0.8 * With(4));
  EXPECT_EQ(With(2), With(4)) << "what fewer cost is in the time alone";
}

TEST(Predict, SmallGridsRunBesideEachOther) {
  SoloShape A = solo(7, 20, 0), B = solo(4, 20, 0);
  A.Blocks = B.Blocks = 8; // of 132 multiprocessors
  const Problem P = pair(A, B);
  FusionConfig Own = warps(256, 256), InTurn = Own;
  Own.Shape = Geometry::Blocks;
  InTurn.Shape = Geometry::Threads;
  EXPECT_DOUBLE_EQ(predict(P, Own).Microseconds, 7);
  EXPECT_DOUBLE_EQ(predict(P, warps(256, 256)).Microseconds, 7) << "one block of each on an SM, as alone";
  EXPECT_GT(predict(P, InTurn).Microseconds, 10);
}

TEST(Predict, WhatDoesNotFitHasNoBlock) {
  SoloShape Big = solo(1000, 50, 0);
  Big.DynamicBytes = 120 * 1024;
  const Problem P = pair(Big, Big);
  EXPECT_EQ(predict(P, warps(256, 256)).ResidentBlocks, 0u); // side by side: 240 KB
  FusionConfig InTurn = warps(256, 256);
  InTurn.Shape = Geometry::Threads;
  EXPECT_EQ(predict(P, InTurn).ResidentBlocks, 1u);
}

TEST(BlockChoices, AreFewOfMany) {
  std::vector<BlockShape> Allowed{{200}};
  for (unsigned Threads = 32; Threads <= 512; Threads += 32)
    Allowed.push_back({Threads});
  const std::vector<BlockShape> Few{{200}, {64}, {128}, {192}, {256}, {384}, {512}};
  EXPECT_EQ(blockChoices(Allowed), Few);
  EXPECT_EQ(blockChoices({{96}, {32}}), (std::vector<BlockShape>{{96}, {32}}));
}

} // namespace
} // namespace cufuse
