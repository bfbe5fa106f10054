#include "cufuse/Dependence/Extents.h"

#include "TestKernel.h"

#include <gtest/gtest.h>
#include <llvm/ADT/STLExtras.h>

namespace cufuse {
namespace {

const std::string Element = "(blockIdx.x * blockDim.x + threadIdx.x)";

// Elements of [a, b, c, d] go to another order of the last three: all that is stored is in the extent, which ends at the
// latest with the block of `b * c * d` that the last element is in.
TEST(Extents, DigitsOfAMixedRadixFillWholeNumbers) {
  Draw By(1);
  for (unsigned Turn = 0; Turn < 60; ++Turn) {
    TestKernel K;
    for (const char *Array : {"in", "out"})
      K.array(Array);
    for (const char *Number : {"b", "c", "d", "n"})
      K.number(Number);
    const bool Nested = By.once(2);
    const std::string Digits[] = {Element + " % d", Element + " / d % c",
                                  Nested ? Element + " / d / c % b" : Element + " / (c * d) % b",
                                  Nested ? Element + " / d / c / b" : Element + " / (b * c * d)"};
    const std::string Sizes[] = {"d", "c", "b"};
    std::vector<unsigned> Order = {0, 1, 2};
    for (unsigned I : {2, 1})
      std::swap(Order[I], Order[By.number(0, I)]);
    std::string Index = Digits[3];
    for (unsigned Digit : Order)
      Index = "(" + Index + ") * " + Sizes[Digit] + " + " + Digits[Digit];
    const PathStep Inside = K.where(Element, "n");
    K.load("in", Element, {Inside});
    K.store("out", Index, {Inside});
    VerticalGraph Graph = llvm::cantFail(linkKernels({K.node()}, {}, {}));
    measureExtents(Graph, {64});
    const auto Found = Graph.Extents.find({0, "out"});
    ASSERT_NE(Found, Graph.Extents.end()) << Index;
    ASSERT_EQ(Found->second.size(), 1u) << Index;
    const Extent &Part = Found->second.front();
    Values Of;
    for (const char *Number : {"b", "c", "d", "n"})
      Of[Number] = Of[K.Facts.Name + "." + Number] = By.number(1, *Number == 'n' ? 200 : 5);
    for (const AtMost &Each : Part.Needs)
      EXPECT_LE(valueOf(Each.Left, Of, Graph.Quotients), valueOf(Each.Right, Of, Graph.Quotients)) << Index;
    const std::int64_t Block = Of["b"] * Of["c"] * Of["d"], Whole = (Of["n"] + Block - 1) / Block * Block,
                       End = valueOf(Part.End, Of, Graph.Quotients);
    EXPECT_EQ(valueOf(Part.Least, Of, Graph.Quotients), 0) << Index;
    EXPECT_LE(End, Whole) << Index;
    K.run(*K.node().sites("out").front(), Of, {64}, {4},
          [&](std::int64_t At, const Values &) { EXPECT_TRUE(0 <= At && At < End) << Index << ": " << At; });
  }
}

// Whatever an index is made of: where the launch meets what is asked, all accesses are in one of the parts.
TEST(Extents, AccessesAreInside) {
  Draw By(2);
  unsigned Known = 0, Met = 0;
  for (unsigned Turn = 0; Turn < 400; ++Turn) {
    TestKernel K;
    for (const char *Array : {"in", "out"})
      K.array(Array);
    for (const char *Number : {"b", "c", "d", "n"})
      K.number(Number);
    const std::vector<std::string> Parts = {Element,
                                            Element + " / d",
                                            Element + " % d",
                                            Element + " / d % c",
                                            Element + " / d / c",
                                            Element + " / (c * d)",
                                            Element + " / c % b",
                                            Element + " / 4",
                                            Element + " % 4",
                                            Element + " / 8 % b",
                                            "(" + Element + " + d) / c",
                                            "1"};
    std::string Index = "0";
    for (unsigned Each = By.number(1, 4); Each > 0; --Each)
      Index += By.of<std::string>({" + ", " + ", " - "}) + By.of<std::string>({"1", "2", "4", "c", "d", "c * d", "b"}) +
               " * (" + By.of(Parts) + ")";
    const PathStep Inside = K.where(Element, "n");
    K.store("in", Element, {Inside});
    K.load("out", Index, {Inside});
    VerticalGraph Graph = llvm::cantFail(linkKernels({K.node()}, {}, {}));
    measureExtents(Graph, {32});
    const auto Found = Graph.Extents.find({0, "out"});
    if (Found == Graph.Extents.end())
      continue;
    ++Known;
    for (unsigned Launch = 0; Launch < 4; ++Launch) {
      Values Of;
      for (const char *Number : {"b", "c", "d", "n"})
        Of[Number] = Of[K.Facts.Name + "." + Number] = By.number(1, *Number == 'n' ? 120 : 6);
      auto In = [&](const Polynomial &P) { return valueOf(P, Of, Graph.Quotients); };
      const bool Meets = llvm::all_of(Found->second, [&](const Extent &Part) {
        return llvm::all_of(Part.Needs, [&](const AtMost &Each) { return In(Each.Left) <= In(Each.Right); });
      });
      Met += Meets;
      if (Meets)
        K.run(*K.node().sites("out").front(), Of, {32}, {4}, [&](std::int64_t At, const Values &) {
          EXPECT_TRUE(llvm::any_of(Found->second,
                                   [&](const Extent &Part) { return In(Part.Least) <= At && At < In(Part.End); }))
              << Index << ": " << At;
        });
    }
  }
  EXPECT_GT(Known, 100u);
  EXPECT_GT(Met, 2 * Known);
}

} // namespace
} // namespace cufuse
