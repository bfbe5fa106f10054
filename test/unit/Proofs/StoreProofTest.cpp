#include "cufuse/Dependence/StoreProof.h"

#include "TestKernel.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cufuse {
namespace {

using testing::HasSubstr;

std::optional<Blocker> prove(TestKernel &Kernel, StoreProof &Proof, std::optional<BlockShape> Block) {
  return proveStoredOnce(Kernel.node(), "out", Block, Proof);
}

std::string reason(TestKernel &Kernel, BlockShape Block) {
  StoreProof Proof;
  const auto Refused = prove(Kernel, Proof, Block);
  return Refused ? Refused->Fact : "";
}

TEST(StoreProof, AThreadForEachElement) {
  TestKernel Kernel;
  Kernel.array("out");
  Kernel.number("n");
  Kernel.store("out", "blockIdx.x * blockDim.x + threadIdx.x",
               {Kernel.where("blockIdx.x * blockDim.x + threadIdx.x", "n")});
  StoreProof Proof;
  ASSERT_EQ(prove(Kernel, Proof, BlockShape{128}), std::nullopt);
  EXPECT_EQ(Proof.Elements, Kernel.value("n"));
  EXPECT_TRUE(std::any_of(Proof.Requirements.begin(), Proof.Requirements.end(), [&](const AtMost &R) {
    return R.Left == Kernel.value("n") && R.Right == Kernel.value("128 * gridDim.x");
  }));
}

TEST(StoreProof, WhatIsStoredTwiceOrSometimesIsRefused) {
  TestKernel Twice, Beside, Late, Some, Repeated;
  for (TestKernel *Kernel : {&Twice, &Beside, &Late, &Some, &Repeated}) {
    Kernel->array("out");
    Kernel->number("n");
  }
  const std::string Index = "blockIdx.x * blockDim.x + threadIdx.x";
  Twice.store("out", Index, {Twice.where(Index, "n")});
  Twice.store("out", Index, {Twice.where(Index, "n")});
  EXPECT_THAT(reason(Twice, {64}), HasSubstr("under ''"));
  Beside.store("out", Index, {Beside.where(Index, "n")});
  Beside.store("out", Index + " + 1", {Beside.where(Index, "n")});
  EXPECT_THAT(reason(Beside, {64}), HasSubstr(" and out["));
  Late.store("out", Index, {Late.where(Index, "n - 1")});
  StoreProof Proof;
  EXPECT_EQ(prove(Late, Proof, BlockShape{64}), std::nullopt);
  EXPECT_EQ(Proof.Elements, Late.value("n - 1"));
  Some.store("out", Index, {Some.where(Index, "n", /*Exact=*/false)});
  EXPECT_THAT(reason(Some, {64}), HasSubstr("under"));
  Repeated.store("out", "blockIdx.x", {Repeated.where("blockIdx.x", "n")});
  EXPECT_THAT(reason(Repeated, {64}), HasSubstr("once for every threadIdx.x"));
}

TEST(StoreProof, BothSidesOfACondition) {
  TestKernel Kernel;
  Kernel.array("out");
  Kernel.number("n");
  const std::string Index = "blockIdx.x * blockDim.x + threadIdx.x";
  const PathStep Guard = Kernel.where(Index, "n"), Asked = Kernel.where("0", "n", /*Exact=*/false);
  Kernel.store("out", Index, {Guard, Asked});
  Kernel.store("out", Index, {Guard, Kernel.unless(Asked)});
  EXPECT_EQ(reason(Kernel, {64}), "");
}

TEST(StoreProof, TilesWithoutGuardsFillTheRowsOfTheLaunch) {
  TestKernel Kernel;
  Kernel.array("out");
  Kernel.number("columns");
  Kernel.store("out", "(blockIdx.x * blockDim.x + threadIdx.x) * columns + blockIdx.y * blockDim.y + threadIdx.y", {});
  StoreProof Proof;
  ASSERT_EQ(prove(Kernel, Proof, BlockShape{8, 4}), std::nullopt);
  const Polynomial Columns = Kernel.value("columns"), Tiles = Kernel.value("4 * gridDim.y");
  for (const auto &[Left, Right] : {std::pair(Columns, Tiles), {Tiles, Columns}})
    EXPECT_TRUE(std::any_of(Proof.Requirements.begin(), Proof.Requirements.end(),
                            [&](const AtMost &R) { return R.Left == Left && R.Right == Right; }));
}

/// Kernels of one to three digits, each of which may count as it should, or leave out, repeat, or overlap.
class DrawnStore {
public:
  explicit DrawnStore(Draw &Random) : Random(Random) {
    Kernel.array("out");
    for (const char *Name : {"rows", "columns", "n"})
      Kernel.number(Name);
    Block = Random.of<BlockShape>({{8}, {4}, {4, 2}, {2, 4}, {2, 2, 2}, {6}});
    std::string Index;
    std::string Scale = "1";
    const int Digits = Random.number(1, 3);
    for (int D = 0; D < Digits; ++D) {
      const std::string Radix = Random.of<std::string>({"rows", "columns", "n", "4", "8", "n - 1"});
      const std::string Value = digit(Digits == 1 ? 0 : D);
      if (!Random.once(8))
        Path.push_back(Kernel.where(Value, Radix, !Random.once(20)));
      Index += fmt::format("{}({}) * ({})", D ? " + " : "", Value, Scale);
      Scale = Random.once(10) ? Scale : fmt::format("({}) * ({})", Scale, Radix);
    }
    if (Random.once(15))
      Index += " + 1";
    const unsigned Width = Random.once(8) ? 2 : 1;
    if (Width == 2)
      Index = "2 * (" + Index + ")";
    for (size_t I = Path.size(); I > 1; --I)
      std::swap(Path[I - 1], Path[Random.number(0, I - 1)]);
    Path.insert(Path.begin(), Loops.begin(), Loops.end());
    if (Random.once(6)) {
      const PathStep Asked = Kernel.where("rows", "columns", !Random.once(2));
      for (const PathStep &Step : {Asked, Kernel.unless(Asked)})
        if (!Random.once(6)) {
          Path.push_back(Step);
          Kernel.store("out", Index, Path, Width);
          Path.pop_back();
        }
    }
    if (Kernel.Accesses.Sites.empty())
      Kernel.store("out", Index, Path, Width);
  }

  TestKernel Kernel;
  BlockShape Block;

private:
  std::string digit(int Dimension) { return counter(Dimension) + (Random.once(15) ? " + 1" : ""); }

  std::string counter(int Dimension) {
    const char Name = "xyz"[Random.once(8) ? 0 : Dimension];
    const int Threads = Name == 'x' ? Block.X : Name == 'y' ? Block.Y : Block.Z;
    const std::string Linear = fmt::format("blockIdx.{0} * blockDim.{0} + threadIdx.{0}", Name);
    const std::string Variable = fmt::format("i{}", Kernel.Accesses.Loops.size());
    switch (Random.number(0, 6)) {
    case 0:
    case 1:
      return Linear;
    case 2: // a tile: every thread takes several
    case 3: {
      const int Turns = Random.number(1, 3), Step = Random.once(6) ? Threads + 1 : Threads,
                Tile = Random.once(6) ? Turns * Threads + 1 : Turns * Threads;
      const unsigned Loop = Kernel.loop(Variable, "0", "1");
      Loops.push_back(Kernel.in(Loop, Variable, std::to_string(Turns)));
      return fmt::format("blockIdx.{0} * {1} + threadIdx.{0} + {2} * {3}", Name, Tile, Step, Variable);
    }
    case 4: { // over the grid
      const unsigned Loop = Kernel.loop(Variable, Random.once(6) ? fmt::format("threadIdx.{}", Name) : Linear,
                                        Random.once(6) ? fmt::format("blockDim.{}", Name)
                                                       : fmt::format("blockDim.{0} * gridDim.{0}", Name));
      Loops.push_back(Kernel.in(Loop, Variable, Random.of<std::string>({"n", "columns", "8"})));
      return Variable;
    }
    case 5: { // over a row of the block
      const unsigned Loop = Kernel.loop(Variable, fmt::format("threadIdx.{}", Name), fmt::format("blockDim.{}", Name));
      Loops.push_back(Kernel.in(Loop, Variable, Random.of<std::string>({"columns", "8", "16"})));
      return Variable;
    }
    default: // the place in a tile, from the thread's number
      return Random.once(2) ? fmt::format("threadIdx.{} % 2", Name)
                            : fmt::format("blockIdx.{0} * {1} + threadIdx.{0} / 2", Name, Threads / 2);
    }
  }

  Draw &Random;
  std::vector<PathStep> Loops, Path;
};

Values drawnArguments(Draw &Random) {
  Values Arguments;
  for (const char *Name : {"rows", "columns", "n"})
    Arguments[Name] = Random.once(10) ? Random.number(-3, 0) : Random.number(1, 12);
  return Arguments;
}

BlockShape drawnGrid(Draw &Random) {
  auto Size = [&] { return static_cast<unsigned>(Random.once(2) ? 1 : Random.number(2, 4)); };
  return {Size(), Size(), Size()};
}

Values withGrid(Values Arguments, BlockShape Grid) {
  Arguments[builtinAtom(Builtin::GridDim, 0)] = Grid.X;
  Arguments[builtinAtom(Builtin::GridDim, 1)] = Grid.Y;
  Arguments[builtinAtom(Builtin::GridDim, 2)] = Grid.Z;
  return Arguments;
}

// The proof of a drawn kernel against the launches that it speaks of.
TEST(StoreProof, WhatIsProvedIsSo) {
  Draw Random(11);
  unsigned Proved = 0, Launches = 0, Loaded = 0;
  for (int I = 0; I < 6000; ++I) {
    DrawnStore Drawn(Random);
    TestKernel &Kernel = Drawn.Kernel;
    StoreProof Proof;
    // What is loaded in one place, however often there, is so as what is stored.
    const std::vector<AccessSite> Sites = Kernel.Accesses.Sites;
    const bool Loads = Random.once(3);
    for (const AccessSite &Site : Sites)
      if (Loads && Random.once(2))
        Kernel.Accesses.Sites.push_back(Site);
    if (Loads)
      for (AccessSite &Site : Kernel.Accesses.Sites)
        Site.What = AccessSite::Kind::Load;
    if (Loads ? proveLoadedOnce(Kernel.node(), Sites.front().Parameter, Drawn.Block, Proof)
              : prove(Kernel, Proof, Drawn.Block))
      continue;
    ++Proved;
    Loaded += Loads && Kernel.Accesses.Sites.size() > Sites.size();
    for (int J = 0; J < 12; ++J) {
      const Values Arguments = drawnArguments(Random);
      const BlockShape Grid = drawnGrid(Random);
      const Values All = withGrid(Arguments, Grid);
      if (!std::all_of(Proof.Requirements.begin(), Proof.Requirements.end(),
                       [&](const AtMost &R) { return valueOf(R.Left, All, {}) <= valueOf(R.Right, All, {}); }))
        continue;
      ++Launches;
      std::map<std::int64_t, unsigned> Stored, Wanted;
      for (const AccessSite &Site : Sites)
        Kernel.run(Site, Arguments, Drawn.Block, Grid, [&](std::int64_t First, const Values &) {
          for (unsigned K = 0; K < Site.Width; ++K)
            ++Stored[First + K];
        });
      for (std::int64_t Element = 0; Element < valueOf(Proof.Elements, All, {}); ++Element)
        Wanted[Element] = 1;
      ASSERT_EQ(Stored, Wanted) << Kernel.Accesses.Sites.front().Text << ", block " << Drawn.Block.str() << ", grid "
                                << Grid.str() << ", " << testing::PrintToString(Arguments) << ": "
                                << Proof.Elements.str();
    }
  }
  EXPECT_GT(Proved, 500u);
  EXPECT_GT(Loaded, 50u);
  EXPECT_GT(Launches, 1000u);
}

TEST(StoreProof, AccessesAreNoMoreThanCounted) {
  Draw Random(12);
  unsigned Counted = 0;
  for (int I = 0; I < 4000; ++I) {
    DrawnStore Drawn(Random);
    TestKernel &Kernel = Drawn.Kernel;
    const VerticalNode Node = Kernel.node();
    const AccessSite &Site = Kernel.Accesses.Sites.front();
    const auto Times = accessesPerElement(Node, Site, Drawn.Block);
    if (!Times)
      continue;
    ++Counted;
    for (int J = 0; J < 6; ++J) {
      const Values Arguments = drawnArguments(Random);
      BlockShape Grid = drawnGrid(Random);
      // As many dimensions as the kernel reads.
      for (int D = 2; D > 0; --D) {
        const auto Reads = [&](Builtin B) { return Kernel.Facts.Reads[static_cast<size_t>(B)][D]; };
        if (Reads(Builtin::BlockIdx) || Reads(Builtin::GridDim))
          break;
        (D == 2 ? Grid.Z : Grid.Y) = 1;
      }
      std::map<std::int64_t, std::int64_t> Accesses;
      Kernel.run(Site, Arguments, Drawn.Block, Grid, [&](std::int64_t First, const Values &) { ++Accesses[First]; });
      const std::int64_t Most = valueOf(*Times, withGrid(Arguments, Grid), {});
      for (const auto &[Element, Each] : Accesses)
        ASSERT_LE(Each, Most) << Site.Text << ", block " << Drawn.Block.str() << ", grid " << Grid.str() << ", "
                              << testing::PrintToString(Arguments) << ": " << Times->str();
    }
  }
  EXPECT_GT(Counted, 1000u);
}

} // namespace
} // namespace cufuse
