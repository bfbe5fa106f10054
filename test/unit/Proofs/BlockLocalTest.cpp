#include "cufuse/Dependence/BlockLocal.h"

#include "TestKernel.h"
#include "cufuse/Support/Error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace cufuse {
namespace {

using testing::HasSubstr;

void withParameters(TestKernel &Kernel) {
  Kernel.array("in");
  Kernel.array("out");
  Kernel.number("rows");
  Kernel.number("columns");
}

/// `for (i = threadIdx.x; i < columns; i += blockDim.x)`
PathStep overRow(TestKernel &Kernel, const std::string &Length = "columns", const std::string &Start = "threadIdx.x",
                 const std::string &Step = "blockDim.x", const std::string &Column = "i") {
  return Kernel.in(Kernel.loop("i", Start, Step), Column, Length);
}

llvm::Expected<BlockLocalPlan> plan(TestKernel &A, TestKernel &B, const std::vector<std::string> &Numbers,
                                    BlockShape Block, VerticalGraph &Graph) {
  std::vector<LinkText> Links = {llvm::cantFail(parseLink("a.out=b.in"))};
  for (const std::string &Link : Numbers)
    Links.push_back(llvm::cantFail(parseLink(Link)));
  Graph = llvm::cantFail(linkKernels({A.node(), B.node()}, Links, {"a.out"}));
  return planBlockLocal(Graph, Block);
}

std::string refusal(TestKernel &A, TestKernel &B) {
  VerticalGraph Graph;
  auto Plan = plan(A, B, {"a.rows=b.rows", "a.columns=b.columns"}, {64}, Graph);
  return Plan ? "" : llvm::toString(Plan.takeError());
}

/// Stores a row, a scalar of it if `Index` is that.
struct Producer : TestKernel {
  explicit Producer(const std::string &Index = "blockIdx.x * columns + i") : TestKernel("a") {
    withParameters(*this);
    const PathStep Row = where("blockIdx.x", "rows");
    const bool Scalar = Index == "blockIdx.x";
    store("out", Index, {Row, Scalar ? where("threadIdx.x", "1") : overRow(*this)});
  }
};
struct Consumer : TestKernel {
  explicit Consumer(const std::string &Index = "blockIdx.x * columns + i", const std::string &Length = "columns")
      : TestKernel("b") {
    withParameters(*this);
    const PathStep Row = where("blockIdx.x", "rows"), Turn = overRow(*this, Length);
    load("in", Index, {Row, Turn});
    store("out", "blockIdx.x * columns + i", {Row, Turn});
  }
};

TEST(BlockLocal, RowsAndScalarsStayInTheirBlock) {
  for (const std::string Index : {"blockIdx.x * columns + i", "blockIdx.x"}) {
    Producer A(Index);
    Consumer B(Index);
    VerticalGraph Graph;
    auto Plan = plan(A, B, {"a.rows=b.rows", "a.columns=b.columns"}, {64}, Graph);
    ASSERT_TRUE(bool(Plan)) << llvm::toString(Plan.takeError());
    EXPECT_EQ(Plan->Values[0], Index == "blockIdx.x" ? RowValue::Scalar : RowValue::Element);
    EXPECT_EQ(Plan->Barriers[1].empty(), Index != "blockIdx.x"); // other threads read the scalar
    EXPECT_EQ(Plan->keepsRows(), Index != "blockIdx.x");
  }
}

TEST(BlockLocal, WhatOtherThreadsOrBlocksHaveIsRefused) {
  Producer A, Scalar("blockIdx.x");
  Consumer Beside("blockIdx.x * columns + i + 1"), Above("blockIdx.x * columns + columns + i"),
      Shorter("blockIdx.x * columns + i", "columns - 1"), OfRow;
  EXPECT_THAT(refusal(A, Beside), HasSubstr("NotByRow"));
  EXPECT_THAT(refusal(A, Above), HasSubstr("NotByRow"));
  EXPECT_THAT(refusal(A, Shorter), HasSubstr("DifferentBounds"));
  EXPECT_THAT(refusal(Scalar, OfRow), HasSubstr("NotByRow"));
}

TEST(BlockLocal, WhatIsStillUnderWayInDynamicSharedMemoryIsRefused) {
  Producer A;
  Consumer B;
  A.Facts.DynamicShared.push_back({"scratch", "float", 0, "", {}});
  EXPECT_EQ(refusal(A, B), "");
  A.Facts.KeptMbarrier = A.Facts.Where;
  EXPECT_THAT(refusal(A, B), HasSubstr("KeptMbarrier"));
  A.Facts.KeptMbarrier.reset();
  A.Facts.CopiesAsynchronously = true;
  EXPECT_THAT(refusal(A, B), HasSubstr("NotByRow"));
  A.Facts.CopiesAsynchronously = false;
  B.Facts.DynamicShared = A.Facts.DynamicShared;
  B.Facts.KeptMbarrier = B.Facts.Where; // nothing follows the last kernel
  EXPECT_EQ(refusal(A, B), "");
}

TEST(BlockLocal, WhatIsNotAlwaysStoredIsRefused) {
  TestKernel A("a");
  withParameters(A);
  const PathStep Turn = overRow(A);
  A.store("out", "blockIdx.x * columns + i", {Turn, A.where("i", "3")});
  Consumer B;
  EXPECT_THAT(refusal(A, B), HasSubstr("StoredSometimes"));

  TestKernel Guarded("a"), Unguarded("b");
  withParameters(Guarded);
  withParameters(Unguarded);
  Guarded.store("out", "blockIdx.x", {Guarded.where("blockIdx.x", "rows"), Guarded.where("threadIdx.x", "1")});
  const PathStep Each = overRow(Unguarded);
  Unguarded.load("in", "blockIdx.x", {Each});
  Unguarded.store("out", "blockIdx.x * columns + i", {Each});
  EXPECT_THAT(refusal(Guarded, Unguarded), HasSubstr("StoredSometimes"));
}

/// Who accesses what in the fused kernel: (block, thread, element). A pointwise kernel is called for the row's elements.
using Accesses = std::multiset<std::tuple<std::int64_t, std::int64_t, std::int64_t>>;
Accesses accesses(const TestKernel &Kernel, AccessSite::Kind What, const std::string &Parameter, bool ByElement,
                  const Values &Arguments, std::int64_t Length, BlockShape Block, BlockShape Grid) {
  Accesses All;
  for (const AccessSite &Site : Kernel.Accesses.Sites)
    if (Site.What == What && Site.Parameter == Parameter)
      Kernel.run(Site, Arguments, Block, ByElement ? BlockShape{64} : Grid, [&](std::int64_t Index, const Values &Of) {
        if (ByElement)
          All.insert({Index / Length, Index % Length % Block.X, Index});
        else
          All.insert({Of.at("blockIdx.x"), Of.at("threadIdx.x"), Index});
      });
  return All;
}

// What is planned is right for every launch that meets the requirements: a thread loads of a row what itself has
// stored, once, and of a scalar what its block has; and nobody else stores there.
TEST(BlockLocal, ThreadsTakeWhatTheirBlockHasMade) {
  Draw Random(77);
  unsigned Elements = 0, Scalars = 0, Pointwise = 0;
  for (int I = 0; I < 5000; ++I) {
    TestKernel A("a"), B("b");
    const BlockShape Block{static_cast<unsigned>(Random.of<int>({2, 4, 8}))};
    auto Steps = [&](TestKernel &Kernel, bool Scalar, const std::string &Column) {
      std::vector<PathStep> Path;
      if (!Random.once(3))
        Path.push_back(Kernel.where("blockIdx.x", Random.once(6) ? "rows - 1" : "rows", !Random.once(8)));
      if (Scalar)
        Path.push_back(Kernel.where("threadIdx.x", Random.once(8) ? "2" : "1"));
      else
        Path.push_back(overRow(Kernel, Random.once(8) ? "columns - 1" : "columns",
                               Random.once(10) ? "threadIdx.x + 1" : "threadIdx.x",
                               Random.once(6)    ? std::to_string(Block.X)
                               : Random.once(10) ? "4"
                                                 : "blockDim.x"));
      if (Random.once(10))
        Path.push_back(Kernel.where("threadIdx.x", "columns"));
      return Path;
    };
    const std::string Stride = Random.once(4) ? "(columns + 1)" : "columns";
    auto Index = [&](bool Scalar, const std::string &Column) {
      return Scalar ? std::string("blockIdx.x")
                    : "blockIdx.x * " + (Random.once(10) ? std::string("8") : Stride) + " + " + Column +
                          (Random.once(12) ? " + 1" : "");
    };
    const bool Scalar = Random.once(3);
    // At most one of them is pointwise, with as many elements as the rows have.
    const int Maps = Random.number(0, 5);
    std::vector<std::string> Numbers = {"a.columns=b.columns", "a.rows=b.rows"};
    auto Map = [&](TestKernel &Kernel) {
      Kernel.array("in");
      Kernel.array("out");
      Kernel.number("n");
      const PathStep Guard = Kernel.where(Linear, "n");
      Kernel.load("in", Linear, {Guard});
      Kernel.store("out", Linear, {Guard});
      Numbers = {&Kernel == &A ? "b.rows*columns=a.n" : "a.rows*columns=b.n"};
    };
    if (Maps == 0 && !Scalar)
      Map(A);
    else {
      withParameters(A);
      const std::string Column = Random.once(12) ? "2 * i" : "i";
      A.store("out", Index(Scalar, Column), Steps(A, Scalar, Column));
    }
    if (Maps == 1 && !Scalar)
      Map(B);
    else {
      withParameters(B);
      const std::string Column = Random.once(12) ? "2 * i" : "i";
      const std::vector<PathStep> Own = Steps(B, false, Column);
      B.load("in", Index(Scalar, Column), Own);
      B.store("out", "blockIdx.x * columns + i", Own);
    }
    VerticalGraph Graph;
    auto Plan = plan(A, B, Numbers, Block, Graph);
    if (!Plan) {
      llvm::consumeError(Plan.takeError());
      continue;
    }
    ++(Plan->Values[0] == RowValue::Scalar ? Scalars : Elements);
    Pointwise += Plan->ByElement[0] || Plan->ByElement[1];
    for (int J = 0; J < 5; ++J) {
      const std::int64_t Rows = Random.number(0, 4), Columns = Random.number(0, 9);
      const BlockShape Grid{
          static_cast<unsigned>(Random.once(2) ? std::max<std::int64_t>(Rows, 1) : Random.number(1, 4))};
      const Values Arguments = {{"rows", Rows}, {"columns", Columns}, {"n", Rows * Columns}};
      Values Named = {{"gridDim.x", Grid.X}, {"gridDim.y", 1}, {"gridDim.z", 1}};
      for (const std::string Node : {"a.", "b."})
        for (const auto &[Name, Value] : Arguments)
          Named[Node + Name] = Value;
      if (!llvm::all_of(Plan->Requirements, [&](const AtMost &R) {
            return valueOf(R.Left, Named, Graph.Quotients) <= valueOf(R.Right, Named, Graph.Quotients);
          }))
        continue;
      const std::int64_t Length = Plan->keepsRows() ? valueOf(Plan->Length, Named, Graph.Quotients) : 0;
      const Accesses Made = accesses(A, AccessSite::Kind::Store, "out", Plan->ByElement[0], Arguments, Length, Block,
                                     Grid),
                     Taken =
                         accesses(B, AccessSite::Kind::Load, "in", Plan->ByElement[1], Arguments, Length, Block, Grid);
      std::map<std::int64_t, std::vector<std::pair<std::int64_t, std::int64_t>>> Makers;
      for (const auto &[Of, Thread, Element] : Made)
        Makers[Element].push_back({Of, Thread});
      for (const auto &[Of, Thread, Element] : Taken) {
        const auto &Who = Makers[Element];
        ASSERT_EQ(Who.size(), 1u) << testing::PrintToString(Arguments);
        EXPECT_EQ(Who[0].first, Of);
        if (Plan->Values[0] == RowValue::Element)
          EXPECT_EQ(Who[0].second, Thread);
      }
    }
  }
  EXPECT_GT(Elements, 300u);
  EXPECT_GT(Scalars, 100u);
  EXPECT_GT(Pointwise, 50u);
}

} // namespace
} // namespace cufuse
