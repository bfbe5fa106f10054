#include "Synthetic.h"

#include "cufuse/Gpu/RegisterBound.h"
#include "cufuse/Model/Predict.h"
#include "cufuse/Search/Space.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace cufuse {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

std::vector<std::string> keysOf(const std::vector<Candidate> &Space) {
  std::vector<std::string> Keys;
  for (const Candidate &C : Space)
    Keys.push_back(C.key());
  return Keys;
}

SoloShape shape(BlockShape Block, unsigned Registers, std::uint64_t Blocks = 100'000) {
  SoloShape S;
  S.Block = Block;
  S.Blocks = Blocks;
  S.Resources = ResourceUse{};
  S.Resources->Registers = Registers;
  return S;
}

ConstituentProblem fixed(const char *Name, BlockShape Block, unsigned Registers) {
  return {Name, {shape(Block, Registers)}, {0}, {}};
}

ConstituentProblem tunable(const char *Name, unsigned Registers) {
  ConstituentProblem C{Name, {}, {0}, {}};
  for (const BlockShape &Block : anyBlock())
    C.Shapes.push_back(shape(Block, Registers));
  return C;
}

Problem problem(std::vector<ConstituentProblem> Constituents) {
  return {"test", {"NVIDIA H200", "sm_90a", "580", 132, 4.8e6}, std::move(Constituents)};
}

class Rules : public testing::TestWithParam<unsigned> {};

TEST_P(Rules, HoldForEveryCandidate) {
  const Problem P = syntheticProblem(GetParam());
  const SmLimits Sm = smLimits(P.Gpu.Arch);
  const std::vector<Candidate> Space = enumerateSpace(P);
  ASSERT_GT(Space.size(), 50u);
  EXPECT_LT(Space.size(), 2400u); // an exhaustive search takes minutes, not hours
  for (const Candidate &Tried : Space) {
    SCOPED_TRACE(Tried.key());
    const FusionConfig &C = Tried.Config;
    const unsigned Threads = fusedThreads(C);
    EXPECT_LE(Threads, MaxBlockThreads);
    EXPECT_GT(predict(P, C).ResidentBlocks, 0u);
    if (C.Registers.MinBlocks > 0)
      EXPECT_LE(C.Registers.MinBlocks * Threads, Sm.Threads);
    if (C.Shape == Geometry::Blocks && C.Grid == GridPolicy::Stride) {
      unsigned Roles = 0, Following = 0;
      for (const ConstituentConfig &Part : C.Constituents) {
        Following += Part.ResidentBlocks == 0;
        Roles += Part.ResidentBlocks;
      }
      EXPECT_GE(Roles, 1u);
      EXPECT_LE(Following, 1u);
      EXPECT_LE((Roles + Following) * Threads, Sm.Threads);
      EXPECT_LE(Roles, Sm.Blocks);
    }
    unsigned Budgets = 0;
    for (size_t I = 0; I < C.Constituents.size(); ++I) {
      const ConstituentConfig &Part = C.Constituents[I];
      EXPECT_TRUE(Part.Copies == 1 || !P.Constituents[I].isTunable() || C.Shape != Geometry::Warps);
      if (C.Registers.Policy != RegisterPolicy::Split)
        continue;
      EXPECT_EQ(Part.Block.threads() % 128, 0u);
      EXPECT_EQ(Part.RegisterBudget % 8, 0u);
      EXPECT_GE(Part.RegisterBudget, 24u);
      EXPECT_LE(Part.RegisterBudget, 256u);
      Budgets += static_cast<unsigned>(Part.Block.threads()) * Part.Copies * Part.RegisterBudget;
    }
    if (C.Registers.Policy == RegisterPolicy::Split) {
      EXPECT_EQ(C.Shape, Geometry::Warps);
      EXPECT_GE(C.Registers.MinBlocks, 1u);
      EXPECT_LE(Budgets, Threads * C.Registers.Count); // or the block hangs
      EXPECT_EQ(C.Registers.Count, registersForResidency(Sm, Threads, C.Registers.MinBlocks));
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Problems, Rules, testing::Range(0u, 8u));

TEST(Space, HasEveryGeometryAndMode) {
  const Problem P = problem({tunable("a", 32), tunable("b", 96)});
  std::set<std::pair<Geometry, GridPolicy>> Shapes;
  std::set<RegisterPolicy> Registers;
  for (const Candidate &C : enumerateSpace(P)) {
    Shapes.emplace(C.Config.Shape, C.Config.Grid);
    Registers.insert(C.Config.Registers.Policy);
  }
  EXPECT_EQ(Shapes.size(), 7u); // `Threads` in one shot only
  EXPECT_EQ(Registers,
            (std::set{RegisterPolicy::None, RegisterPolicy::Free, RegisterPolicy::Bound, RegisterPolicy::Split}));
}

TEST(Space, HasTheBestOfTheDesignsTable) {
  // BLAKE2b + Ethash: side by side, a register bound of 80; histogram + max-pool: 128 and 384 threads, four blocks.
  EXPECT_THAT(keysOf(enumerateSpace(problem({fixed("ethash", {128}, 64), fixed("blake2b", {128}, 104)}))),
              Contains("warps match 128+128 x1+1 bound/3")); // 65536 / (3 · 256) = 85, given as 80
  EXPECT_EQ(registersForResidency(SmLimits(), 256, 3), 80u);
  EXPECT_THAT(keysOf(enumerateSpace(problem({tunable("histogram", 32), tunable("maxpool", 32)}))),
              testing::AllOf(Contains("warps match 128+384 x1+1 bound/4"), Contains("blocks match 256+256 x1+1 none"),
                             Contains("threads match 256+256 x1+1 none")));
}

TEST(Space, BestShapesAloneThatDifferAreEvenedByCopies) {
  ConstituentProblem Large = tunable("batchnorm", 32), Small = tunable("upsample", 32);
  for (SoloShape &Shape : Large.Shapes)
    Shape.Microseconds = Shape.Block.threads() == 512 ? 700 : 900;
  for (SoloShape &Shape : Small.Shapes)
    Shape.Microseconds = Shape.Block.threads() == 128 ? 700 : 900;
  EXPECT_THAT(keysOf(enumerateSpace(problem({Large, Small}))),
              testing::AllOf(Contains("blocks match 512+128 x1+4 none"), Contains("threads match 512+128 x1+4 none"),
                             testing::Not(Contains("blocks match 256+128 x1+2 none")),
                             testing::Not(Contains("blocks match 256+256 x1+1 none")), // slower than the best, both
                             Contains("warps match 256+256 x1+1 none")));
}

TEST(Space, OnTheSameThreadsALargerGridTakesTurns) {
  Problem P = problem({fixed("batchnorm", {512}, 32), fixed("upsample", {512}, 32), fixed("im2col", {128}, 32)});
  P.Constituents[0].Shapes[0].Blocks = 100;
  P.Constituents[1].Shapes[0].Blocks = 799;
  P.Constituents[2].Shapes[0].Blocks = 1200;
  const auto Keys = keysOf(enumerateSpace(P));
  EXPECT_THAT(Keys, testing::AllOf(Contains("threads match 512+512+128 x1+1+4 none"),
                                   Contains("threads match 512+512+128 x1+1+4 t1+7+3 none")));
  P.Constituents[1].Shapes[0].Blocks = 100'000; // which would leave most of the GPU idle
  EXPECT_THAT(keysOf(enumerateSpace(P)), Contains("threads match 512+512+128 x1+1+4 t1+1+3 none"));
  for (const std::string &Key : Keys)
    EXPECT_TRUE(Key.find(" t1+") == std::string::npos || Key.starts_with("threads match")) << Key;
}

TEST(Space, TwoBlocksThatDoNotFitSideBySideStillHaveOtherGeometries) {
  for (const Candidate &C : enumerateSpace(problem({fixed("a", {1024}, 32), fixed("b", {512}, 32)})))
    EXPECT_NE(C.Config.Shape, Geometry::Warps) << C.key();
}

TEST(Space, BudgetsNeedATargetThatHasThem) {
  for (const char *Arch : {"sm_90", "sm_80", "sm_89"}) {
    Problem P = problem({tunable("a", 32), tunable("b", 96)});
    P.Gpu.Arch = Arch;
    for (const Candidate &C : enumerateSpace(P))
      EXPECT_NE(C.Config.Registers.Policy, RegisterPolicy::Split) << Arch << " " << C.key();
  }
}

TEST(Space, WithoutKnownRegistersTheBoundIsLeftToTheFuser) {
  Problem P = problem({fixed("a", {256}, 32), fixed("b", {256}, 32)});
  P.Constituents[0].Shapes[0].Resources.reset();
  const auto Keys = keysOf(enumerateSpace(P));
  EXPECT_THAT(Keys, Contains("warps match 256+256 x1+1 bound"));
}

TEST(Space, UnrollFactorsAndBoundArgumentsAreCarried) {
  Problem P = problem({fixed("a", {256}, 32), fixed("b", {256}, 32)});
  const size_t Without = enumerateSpace(P).size();
  P.Constituents[0].Unrolls = {0, 4};
  P.Constituents[1].Bound = {{"stride", "2"}};
  const std::vector<Candidate> Space = enumerateSpace(P);
  EXPECT_EQ(Space.size(), 2 * Without);
  EXPECT_THAT(keysOf(Space), Contains("warps match 256+256 x1+1 none u4+0 bind ()+(stride=2)"));
}

TEST(Space, MoreUnrolledThanAloneAreResidentBlocksBesideTheOthers) {
  Problem P = problem({fixed("a", {256}, 32), fixed("b", {256}, 32)});
  P.Constituents[0].Unrolls = {4, 2, 8};
  const std::vector<Candidate> Space = enumerateSpace(P);
  EXPECT_THAT(keysOf(Space), Contains("warps match 256+256 x1+1 none u2+0"));
  EXPECT_THAT(keysOf(Space), Contains("blocks stride 256+256 x1+1 r2+0 none u8+0"));
  for (const Candidate &C : Space)
    if (C.Config.Constituents[0].Unroll == 8) {
      EXPECT_EQ(C.Config.Shape, Geometry::Blocks) << C.key();
      EXPECT_EQ(C.Config.Grid, GridPolicy::Stride) << C.key();
      EXPECT_GT(C.Config.Constituents[0].ResidentBlocks, 0u) << C.key();
      EXPECT_EQ(C.Config.Constituents[1].ResidentBlocks, 0u) << C.key();
    }
  // The compiler's own choice is not known: no factor is more than it.
  P.Constituents[0].Unrolls = {0, 2};
  EXPECT_THAT(keysOf(enumerateSpace(P)), Contains("warps match 256+256 x1+1 none u2+0"));
}

TEST(Space, OneCompiledKernelServesAllNumbersOfResidentBlocks) {
  const Problem P = problem({fixed("a", {256}, 32), fixed("b", {256}, 32)});
  std::set<std::string> Compiled;
  for (const Candidate &C : enumerateSpace(P))
    if (C.Config.Shape == Geometry::Blocks && C.Config.Grid == GridPolicy::Stride &&
        C.Config.Registers.Policy == RegisterPolicy::None && C.Config.Constituents[0].Copies == 1)
      Compiled.insert(C.compiled().key());
  EXPECT_THAT(Compiled, ElementsAre("blocks stride 256+256 x1+1 r0+1 none", "blocks stride 256+256 x1+1 r1+0 none",
                                    "blocks stride 256+256 x1+1 r1+1 none"));
  Candidate Side{FusionConfig{{{{256}}, {{256}}}}};
  EXPECT_EQ(Side.compiled().key(), Side.key());
}

TEST(Space, ThreeKernelsHaveOne) {
  const auto Space = enumerateSpace(problem({fixed("a", {128}, 64), fixed("b", {128}, 32), fixed("c", {256}, 40)}));
  const auto Keys = keysOf(Space);
  EXPECT_THAT(Keys, Contains("warps match 128+128+256 x1+1+1 none"));
  EXPECT_GT(Space.size(), 100u);
}

TEST(Space, ManyKernelsHaveSomeOfTheirWays) {
  EXPECT_FALSE(isSpaceSampled(problem({tunable("a", 32), tunable("b", 32), tunable("c", 32)})));
  for (const size_t Count : {7, 10, 20}) {
    std::vector<ConstituentProblem> Many;
    for (size_t I = 0; I < Count; ++I) {
      Many.push_back(tunable(("k" + std::to_string(I)).c_str(), 32));
      if (I % 2)
        Many.back().Unrolls = {2, 4, 8};
      for (SoloShape &S : Many.back().Shapes)
        S.Microseconds = 100 + 0.1 * static_cast<double>(S.Block.threads()) / 1024;
    }
    const Problem P = problem(Many);
    EXPECT_TRUE(isSpaceSampled(P)) << Count;
    const std::vector<std::string> Keys = keysOf(enumerateSpace(P));
    EXPECT_GT(Keys.size(), 500u) << Count;
    EXPECT_LT(Keys.size(), 40000u) << Count;
    EXPECT_EQ(keysOf(enumerateSpace(P)), Keys) << Count;
    EXPECT_EQ(enumerateHfuseSpace(P).empty(), Count > 8) << Count; // 128 threads each
  }
}

TEST(Space, ManyKernelsHaveWaysWhateverTheirUnrollingAndTheirBestBlocks) {
  std::vector<ConstituentProblem> Many;
  for (unsigned I = 0; I < 20; ++I) {
    Many.push_back(tunable(("k" + std::to_string(I)).c_str(), 32));
    Many.back().Unrolls = {2, 0, 4, 8};
    for (SoloShape &S : Many.back().Shapes) // some are best with 512 threads, others with 1024
      S.Microseconds = 100 + std::abs(static_cast<double>(S.Block.threads()) - (I % 2 ? 1024 : 512));
  }
  EXPECT_GT(enumerateSpace(problem(Many)).size(), 100u);
}

TEST(Space, OneKernelHasNone) { EXPECT_THAT(enumerateSpace(problem({tunable("a", 32)})), IsEmpty()); }

TEST(HfuseSpace, IsStepsOf128ThreadsUpTo1024WithAndWithoutTheBound) {
  const auto Keys = keysOf(enumerateHfuseSpace(problem({tunable("a", 32), tunable("b", 40)})));
  EXPECT_EQ(Keys.size(), 14u); // 128 … 896
  // b1 = 65536 / (32 · 384) = 5, b2 = 65536 / (40 · 640) = 2, 2048 / 1024 = 2.
  EXPECT_THAT(Keys,
              testing::AllOf(Contains("warps match 384+640 x1+1 none"), Contains("warps match 384+640 x1+1 bound/2"),
                             Contains("warps match 128+896 x1+1 bound/1")));
}

TEST(HfuseSpace, FixedBlocksKeepTheirSize) {
  EXPECT_THAT(keysOf(enumerateHfuseSpace(problem({fixed("a", {64}, 104), fixed("b", {128}, 64)}))),
              UnorderedElementsAre("warps match 64+128 x1+1 none", "warps match 64+128 x1+1 bound/8"));
  EXPECT_THAT(keysOf(enumerateHfuseSpace(problem({fixed("a", {16, 16}, 32), tunable("b", 32)}))),
              UnorderedElementsAre("warps match 16x16+768 x1+1 none", "warps match 16x16+768 x1+1 bound/2"));
}

TEST(HfuseSpace, WhereNotOneBlockFitsThereIsNoBound) {
  // 80 registers for 896 threads exceed the register file.
  const auto Keys = keysOf(enumerateHfuseSpace(problem({tunable("a", 80), tunable("b", 24)})));
  EXPECT_THAT(Keys, testing::Not(Contains("warps match 896+128 x1+1 bound/1")));
}

} // namespace
} // namespace cufuse
