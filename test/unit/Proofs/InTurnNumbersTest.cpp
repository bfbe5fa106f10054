// By which numbers teams know their panels.
#include "cufuse/Dependence/InTurn.h"

#include "TestKernel.h"
#include "cufuse/Support/Error.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cufuse {
namespace {

const std::vector<std::string> Same = {"a.x=b.x", "a.width=b.width", "a.pitch=b.pitch", "a.rows=b.rows", "a.n=b.n"};

struct Kernel : TestKernel {
  explicit Kernel(const std::string &Name) : TestKernel(Name) {
    array("x");
    array("y");
    for (const char *Number : {"width", "pitch", "rows", "n"})
      number(Number);
  }
};

/// A row of x for each thread.
struct RowOfThread : Kernel {
  RowOfThread(const std::string &Name, const std::string &Of, const std::string &Turns, bool Loads) : Kernel(Name) {
    const PathStep Own = where(Linear, "n"), Each = in(loop("k", "0", "1"), "k", Turns);
    (Loads ? load("x", "(" + Of + ") * pitch + k", {Own, Each}) : store("x", "(" + Of + ") * pitch + k", {Own, Each}));
    store("y", Linear, {Own});
  }
};

/// A row of x for each block.
struct Rows : Kernel {
  Rows(const std::string &Name, const std::string &Block, const std::string &Length, bool Loads = false)
      : Kernel(Name) {
    Facts.Barriers.push_back({"__syncthreads", Facts.Name, Facts.Where});
    const PathStep Row = in(loop("i", "threadIdx.x", "blockDim.x"), "i", Length);
    (Loads ? load("x", "(" + Block + ") * pitch + i", {Row}) : store("x", "(" + Block + ") * pitch + i", {Row}));
    store("y", "blockIdx.x * width + i", {Row});
  }
};

struct Flat : Kernel {
  explicit Flat(const std::string &Name) : Kernel(Name) {
    load("x", Linear, {where(Linear, "n")});
    store("y", Linear, {where(Linear, "n")});
  }
};

VerticalGraph linked(Kernel &A, Kernel &B) {
  std::vector<LinkText> All;
  for (const std::string &Link : Same)
    All.push_back(llvm::cantFail(parseLink(Link)));
  return llvm::cantFail(linkKernels({A.node(), B.node()}, All, {}));
}

std::string refusal(Kernel &A, Kernel &B) {
  VerticalGraph Graph = linked(A, B);
  auto Plan = planInTurn(Graph, {64});
  return Plan ? "" : llvm::toString(Plan.takeError());
}

std::vector<std::string> needs(const InTurnPlan &Plan) {
  std::vector<std::string> All;
  for (const AtMost &Each : Plan.Requirements)
    All.push_back(Each.Left.str() + " <= " + Each.Right.str());
  return All;
}

TEST(InTurn, NumbersMayBePermuted) {
  const std::string H = "(" + Linear + ") % width", T = "(" + Linear + ") / width % rows",
                    B = "(" + Linear + ") / (width * rows)",
                    Of = fmt::format("(({2}) * width + {0}) * rows + {1}", H, T, B);
  RowOfThread A("a", Of, "pitch", false);
  for (const std::string &Turns : {std::string("pitch"), T + " + 1"}) {
    RowOfThread Next("b", Of, Turns, true);
    VerticalGraph Graph = linked(A, Next);
    auto Plan = planInTurn(Graph, {64});
    ASSERT_TRUE(bool(Plan)) << llvm::toString(Plan.takeError());
    EXPECT_EQ(Plan->By, Team::Element);
    EXPECT_THAT(needs(*Plan), testing::IsSupersetOf({"1 <= a.width", "1 <= a.rows * a.width"}));
  }
  const std::string Forgets = fmt::format("({0}) * rows + {1}", H, T);
  for (const std::string &Other : {fmt::format("(({2}) * rows + {1}) * width + {0}", H, T, B),
                                   fmt::format("(({2}) * width + {0}) * rows + {0}", H, T, B), Forgets,
                                   fmt::format("(({2}) * rows + {0}) * rows + {1}", H, T, B), Linear}) {
    RowOfThread Next("b", Other, "pitch", true);
    EXPECT_NE(refusal(A, Next), "") << Other;
  }
  RowOfThread First("a", Forgets, "pitch", false), Meets("b", Forgets, "pitch", true);
  EXPECT_NE(refusal(First, Meets), "");
}

TEST(InTurn, GridsMayHaveSoManyBlocksAsAnArgumentSays) {
  Rows A("a", "blockIdx.y * rows + blockIdx.x", "width"), B("b", "blockIdx.y * gridDim.x + blockIdx.x", "width", true);
  VerticalGraph Graph = linked(A, B);
  EXPECT_THAT(needs(llvm::cantFail(planInTurn(Graph, {64}))),
              testing::IsSupersetOf({"a.rows <= gridDim.x", "gridDim.x <= a.rows"}));
  // The last dimension counts fastest; a pointwise kernel has the panel's elements.
  Rows Heads("a", "blockIdx.x * rows + blockIdx.y", "pitch");
  Flat Each("b");
  VerticalGraph Turned = linked(Heads, Each);
  auto Plan = planInTurn(Turned, {64});
  ASSERT_TRUE(bool(Plan)) << llvm::toString(Plan.takeError());
  EXPECT_TRUE(Plan->LastFirst);
  EXPECT_THAT(needs(*Plan), testing::IsSupersetOf({"a.rows <= gridDim.y", "gridDim.y <= a.rows"}));
}

} // namespace
} // namespace cufuse
