#include "cufuse/Dependence/InTurn.h"

#include "TestKernel.h"
#include "cufuse/Support/Error.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <llvm/ADT/STLExtras.h>

namespace cufuse {
namespace {

using testing::HasSubstr;

/// What a kernel of a test accesses, by one pattern.
struct Kernel : TestKernel {
  explicit Kernel(const std::string &Name) : TestKernel(Name) {
    array("x");
    array("y");
    array("other");
    for (const char *Number : {"width", "pitch", "rows", "n"})
      number(Number);
  }
  PathStep row(const std::string &Length = "width", const std::string &Start = "threadIdx.x",
               const std::string &Step = "blockDim.x") {
    const std::string Variable = fmt::format("i{}", Accesses.Loops.size());
    return in(loop(Variable, Start, Step), Variable, Length);
  }
  /// Not pointwise, whatever else it does.
  void synchronises() { Facts.Barriers.push_back({"__syncthreads", Facts.Name, Facts.Where}); }
};

llvm::Expected<VerticalGraph> linked(llvm::ArrayRef<Kernel *> Kernels, const std::vector<std::string> &Links,
                                     const std::vector<std::string> &Dead = {}) {
  std::vector<VerticalNode> Nodes;
  for (Kernel *K : Kernels)
    Nodes.push_back(K->node());
  std::vector<LinkText> All;
  for (const std::string &Link : Links)
    All.push_back(llvm::cantFail(parseLink(Link)));
  return linkKernels(std::move(Nodes), All, Dead);
}

/// The refusal, or nothing.
std::string refusal(llvm::ArrayRef<Kernel *> Kernels, const std::vector<std::string> &Links, BlockShape Block = {64}) {
  VerticalGraph Graph = llvm::cantFail(linked(Kernels, Links));
  auto Plan = planInTurn(Graph, Block);
  return Plan ? "" : llvm::toString(Plan.takeError());
}

std::vector<std::string> needs(const InTurnPlan &Plan) {
  std::vector<std::string> All;
  for (const AtMost &Each : Plan.Requirements)
    All.push_back(Each.Left.str() + " <= " + Each.Right.str());
  return All;
}

const std::vector<std::string> Same = {"a.x=b.x", "a.width=b.width", "a.pitch=b.pitch", "a.rows=b.rows", "a.n=b.n"};

/// Stores x by rows, or as `Index` says.
struct Rows : Kernel {
  explicit Rows(const std::string &Name, const std::string &Index = "blockIdx.x * pitch + i0",
                const std::string &Length = "width", bool Loads = false, unsigned Width = 1)
      : Kernel(Name) {
    synchronises();
    const PathStep Row = row(Length);
    (Loads ? load("x", Index, {Row}, Width) : store("x", Index, {Row}, Width));
    store("y", "blockIdx.x * width + i0", {Row});
  }
};
/// One element a thread.
struct Flat : Kernel {
  explicit Flat(const std::string &Name, const std::string &Index = Linear, bool Bounded = true, bool Loads = false)
      : Kernel(Name) {
    const std::vector<PathStep> Path = Bounded ? std::vector{where(Linear, "n")} : std::vector<PathStep>();
    if (Loads)
      load("x", Index, Path);
    else
      store("x", Index, Path);
    store(Loads ? "y" : "other", Linear, Path);
  }
};

TEST(InTurn, ElementsOfAPanelAreItsBlocks) {
  Flat A("a");
  Rows B("b", "blockIdx.x * pitch + i0", "width", true);
  VerticalGraph Graph = llvm::cantFail(linked({&A, &B}, Same));
  auto Plan = planInTurn(Graph, {64});
  ASSERT_TRUE(bool(Plan)) << llvm::toString(Plan.takeError());
  EXPECT_EQ(Plan->By, Team::Block);
  EXPECT_EQ(Plan->Panels[0].str(), "a.pitch");
  EXPECT_THAT(Plan->Barriers[1], HasSubstr("a has stored x"));
  EXPECT_THAT(needs(*Plan), testing::IsSupersetOf({"a.width <= a.pitch", "a.n <= a.pitch * gridDim.x", "gridDim.y <= 1",
                                                   "gridDim.z <= 1", "a.n <= 2147483647"}));
}

TEST(InTurn, RowsBehindAnotherAreItsBlocks) {
  for (const char *Index : {"blockIdx.x * pitch + i0", "blockIdx.x * pitch + width - 1 - i0",
                            "((gridDim.y * blockIdx.z + blockIdx.y) * gridDim.x + blockIdx.x) * pitch + i0",
                            "(blockIdx.y * gridDim.x + blockIdx.x) * pitch + i0",
                            "(blockIdx.x * gridDim.y + blockIdx.y) * pitch + i0"}) { // in a grid of one dimension
    Rows A("a", Index), B("b", Index, "width", true);
    EXPECT_EQ(refusal({&A, &B}, Same), "") << Index;
  }
}

TEST(InTurn, WhatOtherBlocksHaveIsRefused) {
  for (const char *Index :
       {"blockIdx.x * pitch + i0 + 1", "blockIdx.x * pitch + i0 - 1", "blockIdx.x * pitch + pitch + i0",
        "blockIdx.x * width + i0", "i0", "i0 * pitch + blockIdx.x", "blockIdx.x * pitch + 2 * i0",
        "(gridDim.x - 1 - blockIdx.x) * pitch + i0", "blockIdx.y * pitch + i0",
        "blockIdx.x * blockIdx.x * pitch + i0"}) {
    Rows A("a", "blockIdx.x * pitch + i0", "pitch"), B("b", Index, "pitch", true);
    EXPECT_THAT(refusal({&A, &B}, Same), HasSubstr("NotInTurn")) << Index;
  }
  // The last of several in one access.
  Rows A("a", "blockIdx.x * pitch + i0", "pitch"), B("b", "blockIdx.x * pitch + i0", "pitch", true, 2);
  EXPECT_NE(refusal({&A, &B}, Same), "");
  // Behind all rows there is another array.
  Rows Behind("b", "blockIdx.x * pitch + rows + i0", "pitch", true);
  VerticalGraph Graph = llvm::cantFail(linked({&A, &Behind}, Same));
  EXPECT_THAT(needs(llvm::cantFail(planInTurn(Graph, {64}))), testing::Contains("a.pitch * gridDim.x <= a.rows"));
}

TEST(InTurn, LengthsThatNobodyLinkedAreAskedForAtTheLaunch) {
  Rows A("a"), B("b", "blockIdx.x * pitch + i0", "width", true);
  VerticalGraph Graph = llvm::cantFail(linked({&A, &B}, {"a.x=b.x", "a.pitch=b.pitch"}));
  auto Plan = planInTurn(Graph, {64});
  ASSERT_TRUE(bool(Plan));
  EXPECT_THAT(needs(*Plan), testing::IsSupersetOf({"a.width <= a.pitch", "b.width <= a.pitch"}));
  // But where the rows lie must be known.
  EXPECT_THAT(refusal({&A, &B}, {"a.x=b.x", "a.width=b.width"}), HasSubstr("apart"));
}

TEST(InTurn, ValuesOfARowAreItsBlocks) {
  for (const bool Bounded : {true, false}) {
    Kernel A("a");
    A.synchronises();
    A.store("x", "blockIdx.x", {A.where("threadIdx.x", "1")});
    Flat B("b", "(" + Linear + ") / width", Bounded, true);
    VerticalGraph Graph = llvm::cantFail(linked({&A, &B}, Same));
    auto Plan = planInTurn(Graph, {64});
    ASSERT_TRUE(bool(Plan)) << llvm::toString(Plan.takeError());
    EXPECT_EQ(Plan->Panels[1].str(), "a.width");
    EXPECT_THAT(needs(*Plan),
                testing::Contains(Bounded ? "a.n <= a.width * gridDim.x" : "a.width * gridDim.x <= 2147483647"));
  }
  for (const std::string &Index : std::vector<std::string>{"(" + Linear + ") / width + 1", "(" + Linear + ") % width",
                                                           "(" + Linear + " + 1) / width"}) {
    Kernel A("a");
    A.synchronises();
    A.store("x", "blockIdx.x", {A.where("threadIdx.x", "1")});
    Flat B("b", Index, true, true);
    EXPECT_NE(refusal({&A, &B}, Same), "") << Index;
  }
}

TEST(InTurn, SeveralRowsABlock) {
  auto Warps = [](const std::string &Name, const std::string &Of, bool Loads) {
    auto K = std::make_unique<Kernel>(Name);
    K->synchronises();
    const PathStep Row = K->row("width", "threadIdx.x % 32", "32");
    const std::string Index = "(" + Of + " * blockIdx.x + threadIdx.x / 32) * width + i0";
    Loads ? K->load("x", Index, {Row}) : K->store("x", Index, {Row});
    K->store("y", "blockIdx.x");
    return K;
  };
  auto A = Warps("a", "2", false), B = Warps("b", "2", true);
  EXPECT_EQ(refusal({A.get(), B.get()}, Same, {64}), "");
  EXPECT_NE(refusal({A.get(), B.get()}, Same, {96}), "") << "a third warp has another block's row";
  auto C = Warps("b", "4", true);
  EXPECT_EQ(refusal({A.get(), C.get()}, Same, {64}), "") << "a block of b plays two of a";
}

TEST(InTurn, ABlockPlaysSeveralOfAnother) {
  const auto Planned = [](Kernel &A, Kernel &B, const std::vector<std::string> &Links) {
    VerticalGraph Graph = llvm::cantFail(linked({&A, &B}, Links));
    return llvm::cantFail(planInTurn(Graph, {64}));
  };
  // Heads of `width` elements, tokens of so many heads. The heads come first, or last.
  for (const std::string Tokens : {"(rows * width)", "(4 * width)"})
    for (const bool First : {true, false}) {
      Rows A("a", First ? "blockIdx.x * width + i0" : "blockIdx.x * " + Tokens + " + i0", First ? "width" : Tokens),
          B("b", First ? "blockIdx.x * " + Tokens + " + i0" : "blockIdx.x * width + i0", First ? Tokens : "width",
            true);
      const InTurnPlan Plan = Planned(A, B, Same);
      EXPECT_EQ(Plan.Grid, First ? 1u : 0u);
      ASSERT_TRUE(Plan.isNested(First ? 0 : 1));
      EXPECT_EQ(Plan.Panels[First ? 0 : 1].str(), Tokens == "(4 * width)" ? "4" : "a.rows");
      EXPECT_EQ(Plan.Units[First ? 0 : 1].str(), "1");
    }
  // Whether a token has whole heads, the launch says; but not, which of both is the token.
  Rows Head("a", "blockIdx.x * width + i0"), Token("b", "blockIdx.x * pitch + (i0 / 2) * width", "2 * rows", true);
  const InTurnPlan Plan = Planned(Head, Token, Same);
  EXPECT_EQ(Plan.Grid, 1u);
  ASSERT_EQ(Plan.Multiples.size(), 1u);
  EXPECT_EQ(Plan.Multiples[0].first.str() + " % " + Plan.Multiples[0].second.str(), "a.pitch % a.width");
  Rows Either("b", "blockIdx.x * pitch + i0", "pitch", true);
  EXPECT_THAT(refusal({&Head, &Either}, Same), HasSubstr("apart"));
  Rows A("a", "blockIdx.x * width + i0"), B("b", "blockIdx.x * (rows * width) + i0", "rows * width + 1", true);
  EXPECT_NE(refusal({&A, &B}, Same), "") << "one of the next token";
  Rows Longer("a", "blockIdx.x * width + i0", "width + 1"),
      C("b", "blockIdx.x * (rows * width) + i0", "rows * width", true);
  EXPECT_NE(refusal({&Longer, &C}, Same), "") << "one of the next head, maybe of another token";
  A.Facts.KeptMbarrier = A.Facts.Where;
  EXPECT_NE(refusal({&A, &C}, Same), "");
  A.Facts.KeptMbarrier.reset();
  EXPECT_EQ(refusal({&A, &C}, Same), "");
  C.Facts.ExitsBeforeBarrier.push_back({"return", "b", C.Facts.Where}); // nothing follows the last kernel of one block
  EXPECT_EQ(refusal({&A, &C}, Same), "");
  Rows D("a", "blockIdx.x * (rows * width) + i0", "rows * width"), E("b", "blockIdx.x * width + i0", "width", true);
  EXPECT_EQ(refusal({&D, &E}, Same), "");
  E.Facts.ExitsBeforeBarrier.push_back({"return", "b", E.Facts.Where}); // but its own next block
  EXPECT_NE(refusal({&D, &E}, Same), "");
}

TEST(InTurn, WhatIsNoLoadOrStoreOfItsOwnIsRefused) {
  Rows A("a");
  for (const AccessSite::Kind What : {AccessSite::Kind::Atomic, AccessSite::Kind::Escape}) {
    Rows B("b", "blockIdx.x * pitch + i0", "width", true);
    B.Accesses.Sites.front().What = What;
    EXPECT_NE(refusal({&A, &B}, Same), "");
  }
  Rows B("b", "blockIdx.x * pitch + i0", "width", true);
  B.Accesses.Sites.front().ReadOnlyCache = true; // for which the text may have something else
  EXPECT_EQ(refusal({&A, &B}, Same), "");
  B.Facts.ReadOnlyLoads.push_back({"ld.global.nc", "b", B.Facts.Where});
  EXPECT_THAT(refusal({&A, &B}, Same), HasSubstr("ReadOnlyLoad"));
  B.Accesses.Sites.front().ReadOnlyCache = false; // somewhere
  EXPECT_THAT(refusal({&A, &B}, Same), HasSubstr("ReadOnlyLoad"));
  B.Facts.ReadOnlyLoads.clear();
  B.Accesses.Sites.front().Index = std::nullopt;
  EXPECT_NE(refusal({&A, &B}, Same), "");
}

TEST(InTurn, WhoeverLeavesGoesOnUnlessNothingFollows) {
  Rows A("a"), B("b", "blockIdx.x * pitch + i0", "width", true);
  B.Facts.ExitsBeforeBarrier.push_back({"return", "b", B.Facts.Where});
  EXPECT_EQ(refusal({&A, &B}, Same), "");
  A.Facts.ExitsBeforeBarrier.push_back({"return", "a", A.Facts.Where});
  EXPECT_THAT(refusal({&A, &B}, Same), HasSubstr("ExitBeforeNext"));
}

TEST(InTurn, PointersThatNobodyHoldsApartAreRefused) {
  Rows A("a"), B("b", "blockIdx.x * pitch + i0", "width", true);
  A.Accesses.Parameters[1].Restrict = false; // y, which a stores
  EXPECT_THAT(refusal({&A, &B}, Same), HasSubstr("MayAlias"));
}

TEST(InTurn, KernelsWithoutAnythingInCommonMayHaveOtherGrids) {
  Rows A("a"), B("b", "blockIdx.x * pitch + i0", "width", true), C("c");
  EXPECT_THAT(refusal({&A, &B, &C}, {"a.x=b.x", "a.pitch=b.pitch", "a.width=c.width"}),
              HasSubstr("its grid may be another"));
}

TEST(InTurn, DynamicSharedMemoryIsOnePlace) {
  Rows A("a"), B("b", "blockIdx.x * pitch + i0", "width", true), C("c", "blockIdx.x * pitch + i0", "width", true);
  for (Kernel *Each : {static_cast<Kernel *>(&B), static_cast<Kernel *>(&C)})
    Each->Facts.DynamicShared.push_back({"scratch", "float", 0, "", {}});
  VerticalGraph Graph =
      llvm::cantFail(linked({&A, &B, &C}, {"a.x=b.x", "a.x=c.x", "a.pitch=b.pitch", "a.pitch=c.pitch"}));
  auto Plan = planInTurn(Graph, {64});
  ASSERT_TRUE(bool(Plan)) << llvm::toString(Plan.takeError());
  EXPECT_THAT(Plan->Barriers[2], HasSubstr("dynamic shared memory"));
}

TEST(InTurn, GroupsAreWholeInAPanel) {
  Kernel A("a");
  const PathStep Inside = A.where("4 * (" + Linear + ")", "n");
  A.store("x", "4 * (" + Linear + ")", {Inside}, 4);
  Rows B("b", "blockIdx.x * pitch + i0", "width", true);
  VerticalGraph Graph = llvm::cantFail(linked({&A, &B}, Same));
  ASSERT_EQ(A.Shape.Width, 4u);
  auto Plan = planInTurn(Graph, {64});
  ASSERT_TRUE(bool(Plan)) << llvm::toString(Plan.takeError());
  ASSERT_EQ(Plan->Multiples.size(), 1u);
  EXPECT_EQ(Plan->Multiples[0].first.str(), "a.pitch");
  EXPECT_EQ(Plan->Multiples[0].second.str(), "4");
  EXPECT_THAT(needs(*Plan), testing::Contains("a.n <= a.pitch * gridDim.x"));
}

TEST(InTurn, ChainsOfPointwiseKernelsAreByElements) {
  Flat A("a"), B("b", Linear, true, true);
  VerticalGraph Graph = llvm::cantFail(linked({&A, &B}, Same));
  auto Plan = planInTurn(Graph, {64});
  ASSERT_TRUE(bool(Plan)) << llvm::toString(Plan.takeError());
  EXPECT_EQ(Plan->By, Team::Element);
  Flat Beside("b", Linear + " + 1", true, true), Other("b", "(" + Linear + ") / width", true, true);
  EXPECT_NE(refusal({&A, &Beside}, Same), "");
  VerticalGraph Groups = llvm::cantFail(linked({&A, &Other}, Same)); // a block has those of its elements
  EXPECT_EQ(llvm::cantFail(planInTurn(Groups, {64})).By, Team::Block);
  // Of other numbers of elements, each thread plays its own in a launch that has enough of them.
  VerticalGraph Apart = llvm::cantFail(linked({&A, &B}, {"a.x=b.x"}));
  auto Own = planInTurn(Apart, {64});
  ASSERT_TRUE(bool(Own)) << llvm::toString(Own.takeError());
  EXPECT_EQ(Own->By, Team::Thread);
}

struct Pixels : Kernel {
  explicit Pixels(const std::string &Name, bool Loads, const std::string &Index = "Y * width + X", bool InRow = true)
      : Kernel(Name) {
    auto Filled = [](std::string Text) {
      for (const auto &[From, To] :
           {std::pair<std::string, std::string>("X", "(blockIdx.x * blockDim.x + threadIdx.x)"),
            {"Y", "(blockIdx.y * blockDim.y + threadIdx.y)"}})
        for (size_t At; (At = Text.find(From)) != std::string::npos;)
          Text.replace(At, 1, To);
      return Text;
    };
    std::vector<PathStep> Path = {where(Filled("Y"), "rows")};
    if (InRow)
      Path.push_back(where(Filled("X"), "width"));
    Loads ? load("x", Filled(Index), Path) : store("x", Filled(Index), Path);
    store(Loads ? "y" : "other", Filled(Index), Path);
  }
};

TEST(InTurn, PixelsAreTheirThreads) {
  Pixels A("a", false), B("b", true);
  VerticalGraph Graph = llvm::cantFail(linked({&A, &B}, Same));
  auto Plan = planInTurn(Graph, {8, 4});
  ASSERT_TRUE(bool(Plan)) << llvm::toString(Plan.takeError());
  EXPECT_EQ(Plan->By, Team::Thread);
  EXPECT_EQ(Plan->Barriers[1], "");
  EXPECT_THAT(needs(*Plan), testing::Contains("gridDim.z <= 1"));
  Pixels Beside("b", true, "Y * width + X + 1"), Turned("b", true, "X * width + Y");
  for (Pixels *Each : {&Beside, &Turned})
    EXPECT_NE(refusal({&A, Each}, Same, {8, 4}), "") << Each->Accesses.Sites.front().str();
  // Where nothing guards a row, no thread may be behind it.
  Pixels WithoutGuard("a", false, "Y * width + X", false), Beyond("b", true, "Y * width + X", false);
  VerticalGraph Exact = llvm::cantFail(linked({&WithoutGuard, &Beyond}, Same));
  auto Whole = planInTurn(Exact, {8, 4});
  ASSERT_TRUE(bool(Whole)) << llvm::toString(Whole.takeError());
  EXPECT_THAT(needs(*Whole), testing::Contains("8 * gridDim.x <= a.width"));
  EXPECT_NE(refusal({&A, &B}, {"a.x=b.x", "a.rows=b.rows"}, {8, 4}), "") << "other widths";
}

// Against kernels that are drawn: where the plan holds and the launch meets it, no two teams meet in memory.

struct Drawn : Kernel {
  static constexpr unsigned Permuted = 4;
  /// `Kind`: of the elements of a thread, if it has some of its own.
  Drawn(const std::string &Name, Draw &By, bool Loads, std::optional<unsigned> Kind) : Kernel(Name) {
    const bool Flat = !Kind && By.once(3);
    auto Access = [&](const std::string &Index, const std::vector<PathStep> &Path) {
      if (Loads && !By.once(4))
        load("x", Index, Path);
      else
        store("x", Index, Path);
    };
    if (Flat) {
      std::string Element = Linear;
      std::vector<PathStep> Path;
      if (By.once(3)) {
        const unsigned Id = loop("e", Linear, "blockDim.x * gridDim.x");
        Path = {in(Id, "e", "n")};
        Element = "e";
      } else if (By.once(4)) {
        Element = "4 * (" + Linear + ")";
        Path = {where(Element, "n")};
        store("other", Element, Path, 4);
        load("x", Element, Path, 4);
        return;
      } else if (!By.once(5)) {
        Path = {where(Linear, By.of<std::string>({"n", "rows * width", "rows * pitch"}))};
      }
      const std::vector<std::string> Indices = {"E",           "E",       "E",         "(E) / width",
                                                "(E) / pitch", "E + 1",   "2 * (E)",   "(E) % width",
                                                "n - 1 - (E)", "(E) / 2", "E + width", "(E) / 2 * 2"};
      std::string Index = By.of(Indices);
      for (size_t At; (At = Index.find('E')) != std::string::npos;)
        Index.replace(At, 1, Element);
      if (Loads)
        Access(Index, Path);
      else
        store("x", Index, Path);
      store("other", Element, Path);
      return;
    }
    if (Kind && *Kind >= Permuted) {
      permuted(By, Access);
      return;
    }
    synchronises();
    if (Kind) {
      ownElements(By, *Kind, Access);
      return;
    }
    const std::string Length =
        By.of<std::string>({"width", "width", "pitch", "pitch", "width / 2", "rows", "width + 1"});
    const std::string Start = By.of<std::string>({"threadIdx.x", "threadIdx.x", "threadIdx.x", "threadIdx.x - 1", "0",
                                                  "threadIdx.x % 2", "threadIdx.x + blockDim.x"});
    std::vector<PathStep> Path = {row(Length, Start, By.of<std::string>({"blockDim.x", "blockDim.x", "2", "rows"}))};
    if (By.once(3))
      Path.insert(Path.begin(), where("blockIdx.x", "rows", By.once(2)));
    if (By.once(4))
      Path.push_back(where(By.of<std::string>({"i0 + 1", "2 * i0", "rows"}), By.of<std::string>({"width", "pitch"})));
    std::string Block = By.of<std::string>(
        {"blockIdx.x", "blockIdx.x", "blockIdx.x", "blockIdx.x", "(blockIdx.y * gridDim.x + blockIdx.x)",
         "(2 * blockIdx.x + threadIdx.x / 2)", "(blockIdx.x * gridDim.y + blockIdx.y)", "(blockIdx.x / 2)",
         "(blockIdx.x * rows + blockIdx.y)", "(blockIdx.y * rows + blockIdx.x)"});
    if (By.once(4)) { // rows by the grid
      Block = "row";
      Path.insert(Path.begin(), in(loop("row", "blockIdx.x", By.of<std::string>({"gridDim.x", "2 * gridDim.x", "2"})),
                                   "row", By.of<std::string>({"rows", "width"})));
    }
    const std::string Stride = By.of<std::string>({"width", "pitch", "pitch", "(width + 1)", "1", "(2 * width)"});
    const std::string Rest = By.of<std::string>(
        {"i0", "i0", "i0", "i0", "i0 + 1", "2 * i0", "width - 1 - i0", "width / 2 + i0", "i0 % width", "i0 / 2",
         "(i0 / width) * pitch + i0 % width", "0", "threadIdx.x", "i0 * 2 + 1", "rows + i0"});
    Access(Block + " * " + Stride + " + " + Rest, Path);
    store("other", "blockIdx.x");
  }

  /// Rows of threads or blocks, by their number with its digits in another order.
  void permuted(Draw &By, llvm::function_ref<void(const std::string &, const std::vector<PathStep> &)> Access) {
    const bool OfBlocks = By.once(3);
    std::vector<PathStep> Path;
    if (OfBlocks)
      synchronises();
    else
      Path.push_back(where(Linear, By.of<std::string>({"n", "2 * rows * width"})));
    std::string Place =
        By.of<std::string>({"(H * width + L) * rows + M", "(H * width + L) * rows + M", "(M * width + L) * 2 + H",
                            "M * width + L", "(L * rows + M) * 2 + H", "(H * rows + M) * width + L",
                            "(H * width + L) * width + M", "(H * rows + L) * rows + M", "(H * width + L) * rows + L"});
    for (const auto &[Digit, Text] : {std::pair('L', "((E) % width)"),
                                      {'M', "((E) / width % rows)"},
                                      {'H', By.once(2) ? "((E) / width / rows)" : "((E) / (width * rows))"},
                                      {'E', OfBlocks ? "blockIdx.x" : Linear.c_str()}})
      for (size_t At; (At = Place.find(Digit)) != std::string::npos;)
        Place.replace(At, 1, Text);
    Path.push_back(in(loop("k", "0", "1"), "k", By.of<std::string>({"pitch", "pitch", "2", "pitch - 1", "rows"})));
    Access("(" + Place + ") * " + By.of<std::string>({"pitch", "pitch", "pitch", "2", "rows"}) + " + " +
               By.of<std::string>({"k", "k", "k", "0", "k + 1", "pitch - 1 - k", "2 * k"}),
           Path);
    store("other", OfBlocks ? "blockIdx.x" : Linear, {Path.front()});
  }

  /// Of each thread: one, or several of a structure or of several arrays, also in turns of loops.
  void ownElements(Draw &By, unsigned Kind,
                   llvm::function_ref<void(const std::string &, const std::vector<PathStep> &)> Access) {
    const std::string X = "(blockIdx.x * blockDim.x + threadIdx.x)", Y = "(blockIdx.y * blockDim.y + threadIdx.y)";
    const std::vector<std::string> Elements = {X, Y + " * pitch + " + X, Y + " + pitch * " + X, "e"};
    std::string Element = Elements[Kind];
    std::vector<PathStep> Path;
    if (Element == "e")
      Path = {in(loop("e", X, By.once(4) ? "blockDim.x" : "blockDim.x * gridDim.x"), "e", "n")};
    else if (!By.once(4))
      Path = {where(X, By.once(4) ? "n" : "width"), where(Y, "rows")};
    for (unsigned Sites = By.number(1, 2); Sites > 0; --Sites) {
      std::vector<PathStep> Own = Path;
      std::string Index =
          By.of<std::string>({"E", "E", "E", "E", "2 * (E)", "2 * (E) + 1", "3 * (E) + k", "E + n", "E + k * n",
                              "E + 2 * n", "E + k", "E + 1", "k * pitch + E", "E + k * blockDim.x * gridDim.x",
                              "E + 2 * blockDim.x * gridDim.x", "E + k * gridDim.x"});
      if (Index.find('k') != std::string::npos)
        Own.push_back(
            in(loop("k", By.of<std::string>({"0", "0", "1"}), "1"), "k", By.of<std::string>({"3", "3", "2", "rows"})));
      for (size_t At; (At = Index.find('E')) != std::string::npos;)
        Index.replace(At, 1, Element);
      Access(Index, Own);
    }
    store("other", "blockIdx.x");
  }
};

TEST(InTurn, NoTwoTeamsMeetInMemory) {
  constexpr unsigned Graphs = 4000;
  Draw By(1);
  unsigned Planned = 0, Ran = 0, Again = 0, OfPermuted = 0, LastFirst = 0;
  std::array<unsigned, 3> Teams{};
  for (unsigned I = 0; I < Graphs; ++I) {
    const std::optional<unsigned> Kind = By.once(3) ? std::optional<unsigned>(By.number(0, 5)) : std::nullopt;
    Drawn A("a", By, false, Kind), B("b", By, true, Kind);
    std::vector<std::string> Links = {"a.x=b.x"};
    for (const char *Number : {"width", "pitch", "rows", "n"})
      if (!By.once(6))
        Links.push_back(fmt::format("a.{0}=b.{0}", Number));
    const BlockShape Block = {unsigned(By.number(1, 4)), By.once(4) ? 2u : 1u};
    auto Graph = linked({&A, &B}, Links);
    if (!Graph) {
      llvm::consumeError(Graph.takeError());
      continue;
    }
    auto Plan = planInTurn(*Graph, Block);
    if (!Plan) {
      llvm::consumeError(Plan.takeError());
      continue;
    }
    ++Planned;
    ++Teams[static_cast<size_t>(Plan->By)];
    for (unsigned Turn = 0; Turn < 40; ++Turn) {
      const BlockShape Grid = {unsigned(By.number(1, 3)), By.once(3) ? 2u : 1u};
      Values All, Own[2];
      for (unsigned Node = 0; Node < 2; ++Node)
        for (const ParameterAccess &P : Graph->Nodes[Node].Accesses->Parameters)
          if (P.Integer) {
            const SharedArgument *S = Graph->sharedTo(Node, P.Name);
            Own[Node][P.Name] =
                S ? Own[S->Of][S->Factors.front()] : By.number(P.Name == "rows" ? 1 : -1, P.Name == "n" ? 20 : 6);
            All[Graph->Nodes[Node].Name + "." + P.Name] = Own[Node][P.Name];
          }
      All["gridDim.x"] = Grid.X, All["gridDim.y"] = Grid.Y, All["gridDim.z"] = 1;
      auto Divides = [&](const auto &Each) {
        return Each.second.Divisor.asConstant() || valueOf(Each.second.Divisor, All, Graph->Quotients) != 0;
      };
      auto Value = [&](const Polynomial &P) { return valueOf(P, All, Graph->Quotients); };
      if (!llvm::all_of(Graph->Quotients, Divides) ||
          !llvm::all_of(Plan->Requirements, [&](const AtMost &L) { return Value(L.Left) <= Value(L.Right); }) ||
          !llvm::all_of(Plan->Multiples,
                        [&](const auto &M) { return Value(M.second) > 0 && Value(M.first) % Value(M.second) == 0; }))
        continue;
      ++Ran;
      OfPermuted += Kind && *Kind >= Drawn::Permuted;
      LastFirst += Plan->LastFirst;
      bool HasNested = false;
      // By address: the teams that store there, and those that access it, by node.
      std::map<std::int64_t, std::array<std::set<std::int64_t>, 2>> Stored, Touched;
      for (unsigned Node = 0; Node < 2; ++Node) {
        const Kernel &K = Node ? static_cast<const Kernel &>(B) : A;
        const bool IsFree = Plan->ByElement[Node];
        const std::int64_t Nested = Plan->isNested(Node) ? Value(Plan->Panels[Node]) / Value(Plan->Units[Node]) : 1;
        HasNested |= Plan->isNested(Node);
        const std::int64_t Panel = IsFree ? Value(Plan->Panels[Node]) : 0;
        const std::int64_t Blocks = Grid.X * Grid.Y;
        for (const AccessSite &Site : K.Accesses.Sites)
          if (Site.Parameter == "x")
            K.run(Site, Own[Node], IsFree ? BlockShape{8} : Block,
                  IsFree                 ? BlockShape{9}
                  : Plan->isNested(Node) ? BlockShape{unsigned(Nested * Blocks)}
                                         : Grid,
                  [&](std::int64_t Index, const Values &At) {
                    std::int64_t Team = 0;
                    if (IsFree) {
                      const std::int64_t Element =
                          K.Shape.Width *
                          (K.Shape.Strided ? At.at("e") : At.at("blockIdx.x") * 8 + At.at("threadIdx.x"));
                      if (K.Shape.Unbounded && Element >= Blocks * Panel)
                        return;
                      Team = Element / std::max<std::int64_t>(Panel, 1);
                      if (Plan->By == Team::Block)
                        EXPECT_TRUE(Panel > 0 && Team < Blocks) << "an element that nobody plays";
                    } else {
                      const std::int64_t X = At.at("blockIdx.x"), Y = At.at("blockIdx.y");
                      Team = Plan->LastFirst ? X * Grid.Y + Y : (Y * Grid.X + X) / Nested;
                      if (Plan->By == Team::Thread)
                        Team = (Team * 8 + At.at("threadIdx.y")) * 8 + At.at("threadIdx.x");
                    }
                    for (unsigned K = 0; K < Site.Width; ++K) {
                      Touched[Index + K][Node].insert(Team);
                      if (Site.What == AccessSite::Kind::Store)
                        Stored[Index + K][Node].insert(Team);
                    }
                  });
      }
      Again += HasNested;
      for (const auto &[Address, By] : Stored)
        for (unsigned Node = 0; Node < 2; ++Node)
          for (const std::int64_t Team : By[Node])
            for (const std::int64_t Other : Touched[Address][1 - Node])
              ASSERT_EQ(Team, Other) << A.Accesses.Sites[0].str() << " and " << B.Accesses.Sites[0].str() << " at "
                                     << Address << ", " << testing::PrintToString(needs(*Plan));
    }
  }
  fmt::print("{} of {} graphs are proved ({} by block, {} by thread, {} by element), {} launches ran, {} of several "
             "blocks a block, {} of permuted numbers, {} numbered from the last dimension\n",
             Planned, Graphs, Teams[0], Teams[1], Teams[2], Ran, Again, OfPermuted, LastFirst);
  EXPECT_GT(Planned, 400u);
  EXPECT_GT(Ran, 3000u);
  EXPECT_GT(Again, 100u);
  EXPECT_GT(Teams[1], 50u);
  EXPECT_GT(OfPermuted, 10u);
  EXPECT_GT(LastFirst, 5u);
}

} // namespace
} // namespace cufuse
