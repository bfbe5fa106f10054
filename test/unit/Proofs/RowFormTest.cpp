#include "../../../lib/Dependence/RowForm.h"

#include "TestKernel.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

namespace cufuse {
namespace {

TestKernel &withRows(TestKernel &Kernel) {
  Kernel.array("in");
  Kernel.array("out");
  Kernel.number("rows");
  Kernel.number("columns");
  return Kernel;
}

TEST(RowForm, ElementsAndScalarsOfARow) {
  TestKernel Kernel;
  withRows(Kernel);
  const PathStep Row = Kernel.where("blockIdx.x", "rows");
  const PathStep Turn = Kernel.in(Kernel.loop("i", "threadIdx.x", "blockDim.x"), "i", "columns");
  Kernel.load("in", "blockIdx.x * columns + i", {Row, Turn});
  Kernel.store("out", "blockIdx.x", {Row, Kernel.where("threadIdx.x", "1")});
  const VerticalNode Node = Kernel.node();
  const auto Element = rowAccess(Node, Kernel.Accesses.Sites[0], {64});
  ASSERT_TRUE(Element);
  EXPECT_FALSE(Element->Scalar);
  EXPECT_EQ(Element->Stride, Kernel.value("columns"));
  EXPECT_EQ(Element->Length, Kernel.value("columns"));
  EXPECT_TRUE(Element->OfBlock && Element->EveryTurn);
  EXPECT_EQ(Element->Rows.size(), 1u);
  const auto Scalar = rowAccess(Node, Kernel.Accesses.Sites[1], {64});
  ASSERT_TRUE(Scalar);
  EXPECT_TRUE(Scalar->Scalar && Scalar->OfBlock);
}

// Every block has the whole row, each thread its share of it, whatever else is drawn around the access.
TEST(RowForm, ThreadsAccessTheirShareOfTheRow) {
  Draw Random(31);
  unsigned Elements = 0, Scalars = 0;
  for (int I = 0; I < 8000; ++I) {
    TestKernel Kernel;
    withRows(Kernel);
    const BlockShape Block{static_cast<unsigned>(Random.of<int>({2, 4, 8}))};
    std::vector<PathStep> Path;
    auto Condition = [&] {
      switch (Random.number(0, 3)) {
      case 0:
        return Kernel.where("threadIdx.x", Random.of<std::string>({"1", "2"}));
      case 1:
        return Kernel.where("blockIdx.x", "rows", !Random.once(3));
      case 2:
        return Kernel.where("0", "columns", !Random.once(3));
      default:
        return Kernel.where("threadIdx.x + blockIdx.x", "rows");
      }
    };
    while (Random.once(2))
      Path.push_back(Condition());
    const unsigned Loop =
        Kernel.loop("i", Random.once(5) ? "threadIdx.x + 1" : "threadIdx.x",
                    Random.of<std::string>({"blockDim.x", "blockDim.x", std::to_string(Block.X), "4"}));
    if (!Random.once(3))
      Path.push_back(Kernel.in(Loop, "i", Random.once(5) ? "columns - 1" : "columns"));
    const bool Inside = !Path.empty() && Path.back().What == PathStep::Kind::Loop;
    if (Random.once(4))
      Path.push_back(Condition());
    const std::string Stride = Random.of<std::string>({"columns", "(columns + 1)", "16", "blockDim.x"});
    Kernel.store("out",
                 Inside           ? fmt::format("blockIdx.x * {} + i", Stride)
                 : Random.once(4) ? "2 * blockIdx.x"
                                  : "blockIdx.x",
                 Path);
    const AccessSite &Site = Kernel.Accesses.Sites[0];
    const auto Got = rowAccess(Kernel.node(), Site, Block);
    if (!Got || !Got->OfBlock || !Got->EveryTurn)
      continue;
    ++(Got->Scalar ? Scalars : Elements);
    for (int J = 0; J < 5; ++J) {
      const BlockShape Grid{static_cast<unsigned>(Random.number(1, 4))};
      const Values Arguments = {{"rows", Random.number(0, 5)}, {"columns", Random.number(0, 20)}};
      std::map<std::pair<std::int64_t, std::int64_t>, std::vector<std::int64_t>> Wanted, Seen;
      for (unsigned B = 0; B < Grid.X; ++B)
        for (unsigned T = 0; T < Block.X; ++T) {
          Values Of = Arguments;
          Of["blockIdx.x"] = B;
          if (!std::all_of(Got->Rows.begin(), Got->Rows.end(),
                           [&](const Less &L) { return valueOf(L.Left, Of, {}) < valueOf(L.Right, Of, {}); }))
            continue;
          if (Got->Scalar && T == 0)
            Wanted[{B, T}] = {B};
          else if (!Got->Scalar)
            for (std::int64_t E = T; E < valueOf(Got->Length, Of, {}); E += Block.X)
              Wanted[{B, T}].push_back(B * valueOf(Got->Stride, Of, {}) + E);
        }
      Kernel.run(Site, Arguments, Block, Grid, [&](std::int64_t Index, const Values &Of) {
        Seen[{Of.at("blockIdx.x"), Of.at("threadIdx.x")}].push_back(Index);
      });
      ASSERT_EQ(Seen, Wanted) << Site.Text << " " << testing::PrintToString(Arguments);
    }
  }
  EXPECT_GT(Elements, 300u);
  EXPECT_GT(Scalars, 100u);
}

} // namespace
} // namespace cufuse
