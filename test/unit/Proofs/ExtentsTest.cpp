#include "cufuse/Dependence/Extents.h"

#include "TestKernel.h"

#include <gtest/gtest.h>

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

} // namespace
} // namespace cufuse
