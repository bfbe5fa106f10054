#include "cufuse/Dependence/Links.h"

#include "TestKernel.h"
#include "cufuse/Dependence/LoopLegality.h"
#include "cufuse/Dependence/Streams.h"
#include "cufuse/Support/Error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cufuse {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// `out[e] = f(in[e])`, or `out[e] += …` in place, below n.
class Map : public TestKernel {
public:
  explicit Map(const std::string &Name, const std::string &LoadedAt = Linear) : TestKernel(Name) {
    array("in");
    array("out");
    number("n");
    const PathStep Guard = where(Linear, "n");
    load("in", LoadedAt, {Guard});
    store("out", Linear, {Guard});
  }
};
class InPlace : public TestKernel {
public:
  explicit InPlace(const std::string &Name) : TestKernel(Name) {
    array("data");
    number("n");
    const PathStep Guard = where(Linear, "n");
    load("data", Linear, {Guard});
    store("data", Linear, {Guard});
  }
};

llvm::Expected<VerticalGraph> link(std::vector<TestKernel *> Kernels, const std::vector<std::string> &Links,
                                   const std::vector<std::string> &Dead = {}) {
  std::vector<VerticalNode> Nodes;
  for (TestKernel *Kernel : Kernels)
    Nodes.push_back(Kernel->node());
  std::vector<LinkText> Texts;
  for (const std::string &Link : Links)
    Texts.push_back(llvm::cantFail(parseLink(Link)));
  return linkKernels(Nodes, Texts, Dead);
}

std::string failure(llvm::Expected<VerticalGraph> Graph) { return Graph ? "" : llvm::toString(Graph.takeError()); }

TEST(Links, PointersToArraysAreWrittenAsSuch) {
  Map A("a"), B("b");
  B.Accesses.Parameters[0].Element = "float[6][6]";
  B.Accesses.Parameters[0].BuiltinType = true;
  VerticalGraph Graph;
  Graph.Nodes = {A.node(), B.node()};
  Graph.Flows = {{0, 1, "out", "in", false}};
  EXPECT_THAT(pointerText(Graph, 1, "in", "float[6][6]", "p"), testing::EndsWith("<float (*)[6][6]>(p)"));
}

TEST(Links, ProducersComeBeforeTheirConsumers) {
  Map A("a"), B("b"), C("c");
  const VerticalGraph Graph =
      llvm::cantFail(link({&C, &B, &A}, {"a.out=b.in", "b.out=c.in", "a.n=b.n", "b.n=c.n"}, {"a.out"}));
  EXPECT_THAT(Graph.Order, ElementsAre(2, 1, 0));
  EXPECT_TRUE(Graph.OneLoop);
  EXPECT_EQ(Graph.Flows.size(), 2u);
  EXPECT_EQ(Graph.argument(0, "n"), Polynomial::atom("a.n"));
  EXPECT_EQ(Graph.inArguments(0, C.value("2 * n + 1")), Polynomial::atom("a.n") * 2 + 1);
  EXPECT_EQ(Graph.memory(0, "in"), std::pair(1u, std::string("out")));
  EXPECT_FALSE(Graph.isLive(2, "out"));
  EXPECT_TRUE(Graph.isLive(1, "out"));
  EXPECT_TRUE(Graph.isLive(0, "out"));
}

TEST(Links, WhatIsTakenUnchangedComesFromWhereItWasMade) {
  Map A("a"), B("b"), C("c");
  const VerticalGraph Graph = llvm::cantFail(link({&A, &B, &C}, {"a.out=b.in", "b.in=c.in"}));
  EXPECT_EQ(Graph.Shared.size(), 0u);
  ASSERT_TRUE(Graph.flowTo(2, "in"));
  EXPECT_EQ(Graph.flowTo(2, "in")->Producer, 0u);
}

TEST(Links, WhatIsChangedInPlaceIsNotLeft) {
  Map A("a");
  InPlace B("b");
  const VerticalGraph Graph = llvm::cantFail(link({&A, &B}, {"a.out=b.data"}));
  ASSERT_TRUE(Graph.changedInPlace(0, "out"));
  EXPECT_FALSE(Graph.isLive(0, "out"));
  EXPECT_TRUE(Graph.isLive(1, "data"));
}

TEST(Links, ProductsOfArguments) {
  TestKernel A("a");
  A.array("out");
  A.number("rows");
  A.number("columns");
  A.store("out", Linear, {A.where(Linear, "rows * columns")});
  Map B("b");
  const VerticalGraph Graph = llvm::cantFail(link({&A, &B}, {"a.out=b.in", "a.rows*columns=b.n"}));
  EXPECT_EQ(Graph.argument(1, "n"), Polynomial::atom("a.rows") * Polynomial::atom("a.columns"));
}

TEST(Links, WhatMeansNothingIsBadUsage) {
  Map A("a"), B("b"), C("c");
  EXPECT_THAT(failure(link({&A, &B}, {"a.out=b.in", "b.out=a.in"})), HasSubstr("in a circle"));
  EXPECT_THAT(failure(link({&A, &B}, {"a.out=b.none"})), HasSubstr("no parameter 'none'"));
  EXPECT_THAT(failure(link({&A, &B}, {"a.out=c.in"})), HasSubstr("'c' is none of the kernels"));
  EXPECT_THAT(failure(link({&A, &B}, {"a.in=a.out"})), HasSubstr("linked to itself"));
  EXPECT_THAT(failure(link({&A, &B, &C}, {"a.out=c.in", "b.out=c.in"})), HasSubstr("linked twice"));
  EXPECT_THAT(failure(link({&A, &B}, {"a.out=b.in"}, {"b.out"})), HasSubstr("names no intermediate"));
  EXPECT_THAT(failure(link({&A, &B}, {"a.out=b.n"})), HasSubstr("b.n is int"));
  EXPECT_THAT(failure(link({&A, &B}, {"a.in=b.out", "a.in=b.in"})), HasSubstr("both are __restrict__"));
}

TEST(Streams, IntermediatesAndOwnElementsStayInRegisters) {
  Map A("a"), B("b");
  const VerticalGraph Graph = llvm::cantFail(link({&A, &B}, {"a.out=b.in", "a.n=b.n"}, {"a.out"}));
  const std::vector<Stream> Streams = planStreams(Graph);
  ASSERT_EQ(Streams.size(), 3u);
  EXPECT_TRUE(Streams[0].Loads && !Streams[0].Stores); // a.in
  EXPECT_TRUE(!Streams[1].Loads && !Streams[1].Stores);
  EXPECT_THAT(Streams[1].Users, ElementsAre(std::pair(0u, std::string("out")), std::pair(1u, std::string("in"))));
  EXPECT_TRUE(!Streams[2].Loads && Streams[2].Stores); // b.out
}

TEST(Streams, WhatMayBeAliasedStaysInMemory) {
  Map A("a"), B("b");
  A.Accesses.Parameters[0].Restrict = false; // a.in
  const VerticalGraph Graph = llvm::cantFail(link({&A, &B}, {"a.out=b.in", "a.n=b.n"}, {"a.out"}));
  for (const Stream &S : planStreams(Graph))
    EXPECT_NE(S.Users.front(), std::pair(0u, std::string("in")));
}

TEST(OneLoop, OtherElementsOfAnIntermediateAreRefused) {
  Map A("a"), B("b"), Beside("b", Linear + " + 1");
  const VerticalGraph Graph = llvm::cantFail(link({&A, &B}, {"a.out=b.in", "a.n=b.n"}));
  ASSERT_TRUE(Graph.OneLoop);
  EXPECT_TRUE(static_cast<bool>(checkOneLoop(Graph, 1)));
  EXPECT_FALSE(llvm::cantFail(link({&A, &Beside}, {"a.out=b.in", "a.n=b.n"})).OneLoop);
}

} // namespace
} // namespace cufuse
