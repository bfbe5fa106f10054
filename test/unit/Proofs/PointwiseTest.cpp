#include "cufuse/Dependence/Pointwise.h"

#include "TestKernel.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cufuse {
namespace {

using testing::HasSubstr;

std::string whyNot(TestKernel &Kernel) {
  const ShapeFacts Shape = recogniseShape(Kernel.Facts, Kernel.Accesses);
  return Shape.Reasons.empty() ? "" : Shape.Reasons.front().What;
}

TEST(Pointwise, AThreadOrATurnForEachElement) {
  TestKernel Plain, Strided;
  for (TestKernel *Kernel : {&Plain, &Strided}) {
    Kernel->array("in");
    Kernel->array("out");
    Kernel->number("n");
  }
  const PathStep Guard = Plain.where(Linear, "n");
  Plain.load("in", Linear, {Guard});
  Plain.store("out", Linear, {Guard});
  const PathStep Turn = Strided.in(Strided.loop("i", Linear, "blockDim.x * gridDim.x"), "i", "n");
  Strided.load("in", "i", {Turn});
  Strided.store("out", "i", {Turn});
  for (TestKernel *Kernel : {&Plain, &Strided}) {
    EXPECT_EQ(whyNot(*Kernel), "");
    EXPECT_EQ(Kernel->node().Shape->Bound, Kernel->value("n"));
    EXPECT_TRUE(isOwn(Kernel->Accesses.Sites[0], Kernel->Accesses, Kernel->Shape));
    EXPECT_TRUE(touchesEach("in", Kernel->Accesses, Kernel->Shape));
  }
  EXPECT_TRUE(Strided.Shape.Strided);
}

TEST(Pointwise, OtherUsesOfTheThreadAreReasons) {
  auto With = [](auto Change) {
    TestKernel Kernel;
    Kernel.array("out");
    Kernel.number("n");
    Kernel.store("out", Linear, {Kernel.where(Linear, "n")});
    Change(Kernel);
    return whyNot(Kernel);
  };
  EXPECT_EQ(With([](TestKernel &) {}), "");
  EXPECT_THAT(With([](TestKernel &K) { K.Accesses.Uses.push_back({K.value("threadIdx.x"), "threadIdx.x", {}}); }),
              HasSubstr("depends on the thread other than by its linear index"));
  EXPECT_THAT(With([](TestKernel &K) { K.store("out", "threadIdx.x", {K.where(Linear, "n")}); }),
              HasSubstr("no function of the thread's linear index"));
  EXPECT_THAT(With([](TestKernel &K) { K.store("out", Linear, {K.where(Linear, "n - 1")}); }),
              HasSubstr("different bounds"));
  EXPECT_THAT(With([](TestKernel &K) { K.store("out", Linear); }), HasSubstr("no condition bounds"));
  EXPECT_THAT(With([](TestKernel &K) { K.Facts.Barriers.push_back({}); }), HasSubstr("synchronises"));
  EXPECT_THAT(With([](TestKernel &K) { K.Accesses.Parameters[0].Volatile = true; }), HasSubstr("volatile"));
}

/// What `inElement` gives, in which a quotient is an atom by its text: `(DIVIDEND / DIVISOR)`.
std::int64_t valueInElement(const Polynomial &P, Values Of) {
  for (const std::string &Atom : P.atoms())
    if (const size_t At = Atom.rfind(" / "); Atom.front() == '(')
      Of[Atom] = valueOf(Atom.substr(1, At - 1), Of) / valueOf(Atom.substr(At + 3, Atom.size() - At - 4), Of);
  return valueOf(P, Of, {});
}

TEST(Pointwise, AnElementIsTheThreadsLinearIndex) {
  Draw Random(21);
  unsigned Known = 0;
  for (int I = 0; I < 3000; ++I) {
    TestKernel Kernel;
    Kernel.number("n");
    auto Part = [&]() -> std::string {
      switch (Random.number(0, 4)) {
      case 0:
        return "threadIdx.x";
      case 1:
        return "blockIdx.x * blockDim.x";
      case 2:
        return "n";
      default:
        return fmt::format("{} * ({})", Random.number(1, 4), Linear);
      }
    };
    std::string Text = Part() + Random.of<std::string>({" + ", " - "}) + Part();
    if (Random.once(3))
      Text = fmt::format("({}) {} {}", Text, Random.of<std::string>({"/", "%"}), Random.number(1, 4));
    const Polynomial P = Kernel.value(Text);
    const auto Got = inElement(P, Kernel.Accesses, ShapeFacts());
    if (!Got)
      continue;
    ++Known;
    for (int J = 0; J < 10; ++J) {
      const std::int64_t Threads = Random.number(1, 8), Block = Random.number(0, 3),
                         Thread = Random.number(0, Threads - 1);
      const Values Of = {{"threadIdx.x", Thread},
                         {"blockIdx.x", Block},
                         {"blockDim.x", Threads},
                         {"n", Random.number(0, 20)},
                         {ElementAtom, Block * Threads + Thread}};
      ASSERT_EQ(valueInElement(*Got, Of), valueOf(Text, Of)) << Text << " as " << Got->str();
    }
  }
  EXPECT_GT(Known, 300u);
}

/// One to three stores of several elements a thread, complete or nearly so.
class DrawnGroups {
public:
  explicit DrawnGroups(Draw &Random) : Random(Random), Width(Random.of<int>({1, 2, 4})) {
    Kernel.array("in");
    Kernel.array("out");
    Kernel.number("n");
    Strided = Random.once(3);
    Thread = Linear;
    if (Strided) {
      const bool Scaled = Random.once(2);
      const std::string Factor = Scaled ? std::to_string(Width) : "1";
      const unsigned Loop =
          Kernel.loop("i", fmt::format("({}) * {}", Linear, Factor),
                      fmt::format("blockDim.x * {} * {}", Random.once(6) ? "2" : "gridDim.x", Factor));
      Thread = Scaled && Width > 1 ? "" : "i";
      Start = Scaled ? "i" : fmt::format("{} * i", Width);
      // Further than all elements, so that conditions inside decide.
      Around = {Kernel.in(Loop, "i",
                          Random.once(4) ? "n"
                          : Scaled       ? "n"
                                         : fmt::format("(n + {}) / {}", Width - 1, Width))};
    } else {
      Start = fmt::format("{} * ({})", Width, Linear);
    }
    accesses();
    if (Random.once(10)) // once more, or elsewhere
      access(Random.once(2) ? Start : Start + " + 1", {full()});
    if (Random.once(2)) {
      Loading = true;
      accesses();
    }
  }

  TestKernel Kernel;

private:
  PathStep full() { return Kernel.where(fmt::format("{} + {}", Start, Random.once(8) ? Width : Width - 1), "n"); }
  void accesses() {
    const PathStep Full = full();
    switch (Random.number(0, 3)) {
    case 0: // whole groups, and the rest one by one
      whole({Full});
      rest({Kernel.unless(Full)});
      break;
    case 1: // whole groups alone
      whole({Full});
      break;
    case 2: // each by itself
      each({});
      break;
    default:
      whole(Random.once(2) ? std::vector<PathStep>{Full} : std::vector<PathStep>{});
      if (Random.once(2))
        each({Kernel.unless(Full)});
    }
  }
  void access(const std::string &Index, std::vector<PathStep> Path, unsigned Wide = 1) {
    Path.insert(Path.begin(), Around.begin(), Around.end());
    if (Random.once(25))
      Path.push_back(
          Kernel.where(Random.once(2) ? "0" : fmt::format("{} + {}", Start, Width - 1), "n", /*Exact=*/false));
    if (Loading)
      Kernel.load("in", Index, Path, Wide);
    else
      Kernel.store("out", Index, Path, Wide);
  }
  std::string variable() const { return fmt::format("k{}", Kernel.Accesses.Loops.size()); }
  void whole(const std::vector<PathStep> &Path) {
    if (Random.once(2))
      return access(Start, Path, Width);
    for (int K = Random.once(10) ? 1 : 0; K < Width; ++K)
      access(fmt::format("{} + {}", Start, Random.once(20) ? 0 : K), Path);
  }
  void each(std::vector<PathStep> Path) {
    if (Random.once(2)) {
      const std::string K = variable();
      const unsigned Loop = Kernel.loop(K, "0", "1");
      Path.push_back(Kernel.in(Loop, K, std::to_string(Random.once(8) ? Width - 1 : Width)));
      Path.push_back(Kernel.where(Start + " + " + K, Random.once(10) ? "n - 1" : "n"));
      return access(Start + " + " + K, Path);
    }
    for (int K = 0; K < Width; ++K) {
      std::vector<PathStep> Own = Path;
      Own.push_back(Kernel.where(fmt::format("{} + {}", Start, K), "n"));
      access(fmt::format("{} + {}", Start, K), Own);
    }
  }
  void rest(std::vector<PathStep> Path) {
    const std::string K = variable();
    const unsigned Loop = Kernel.loop(K, Random.once(8) ? "1" : "0", "1");
    Path.push_back(Kernel.in(Loop, Start + " + " + K + (Random.once(8) ? " - 1" : ""), "n"));
    access(Start + " + " + K, Path);
  }

  Draw &Random;
  const int Width;
  bool Strided = false, Loading = false;
  std::string Thread, Start;
  std::vector<PathStep> Around;
};

// Which thread stores which element, and how often, against what is said of the kernel.
TEST(Pointwise, GroupsAreStoredAsIsSaid) {
  Draw Random(22);
  unsigned Known = 0, Wide = 0, Tails = 0;
  for (int I = 0; I < 2500; ++I) {
    DrawnGroups Drawn(Random);
    TestKernel &Kernel = Drawn.Kernel;
    const ShapeFacts &Shape = *Kernel.node().Shape;
    if (Shape.Shape != KernelShape::Pointwise)
      continue;
    const bool Whole = !storesOtherwise("out", Kernel.Accesses, Shape),
               Each = touchesEach("out", Kernel.Accesses, Shape), Loads = touchesEach("in", Kernel.Accesses, Shape);
    ++Known;
    Wide += Shape.Width > 1;
    Tails += Shape.Width > 1 && Shape.Tail;
    const std::int64_t Width = Shape.Width;
    for (int J = 0; J < 10; ++J) {
      const Values Arguments = {{"n", Random.number(-4, 40)}};
      const BlockShape Block{static_cast<unsigned>(Random.number(1, 8))};
      // Without a loop, the launch covers the elements.
      const BlockShape Grid{static_cast<unsigned>(Shape.Strided ? Random.number(1, 4) : 48 / Block.X + 1)};
      const std::int64_t Bound = valueOf(Shape.Bound, Arguments, Kernel.Accesses.Quotients);
      const std::int64_t Elements = Shape.Width == 1 || Shape.Tail ? Bound : Bound - Bound % Width;
      std::map<std::int64_t, unsigned> Stored, Loaded;
      for (const AccessSite &Site : Kernel.Accesses.Sites) {
        const bool Own = isOwn(Site, Kernel.Accesses, Shape);
        Kernel.run(Site, Arguments, Block, Grid, [&](std::int64_t First, const Values &Of) {
          const std::int64_t Element =
              Shape.Strided
                  ? Of.at("i") / *Kernel.Accesses.Loops[Shape.Loop].Start.split("threadIdx.x").first.asConstant()
                  : valueOf(Linear, Of);
          for (unsigned K = 0; K < Site.Width; ++K)
            ++(Site.What == AccessSite::Kind::Store ? Stored : Loaded)[First + K];
          if (Own && (Width > 1 || Element < Bound)) { // of one element, no other turn is taken
            ASSERT_GE(First, Width * Element) << Site.Text;
            ASSERT_LE(First + Site.Width, std::min(Width * (Element + 1), Bound)) << Site.Text << " n " << Bound;
          }
        });
      }
      for (std::int64_t Element = 0; Element < Elements; ++Element) {
        if (Whole)
          ASSERT_GE(Stored[Element], 1u) << Kernel.Accesses.Sites[0].Text << " at " << Element << " of " << Bound;
        if (Loads)
          ASSERT_GE(Loaded[Element], 1u) << Kernel.Accesses.Sites.back().Text << " at " << Element << " of " << Bound;
        if (Each)
          ASSERT_GE(Stored[Element], 1u) << Kernel.Accesses.Sites[0].Text << " at " << Element << " of " << Bound;
      }
      if (Whole && Elements > 0)
        ASSERT_EQ(Stored.rbegin()->first, Elements - 1) << Kernel.Accesses.Sites[0].Text;
    }
  }
  EXPECT_GT(Known, 1000u);
  EXPECT_GT(Wide, 500u);
  EXPECT_GT(Tails, 300u);
}

// A condition that is taken as known where all elements of the thread are below the bound.
TEST(Pointwise, ConditionsHoldOnWholeTurns) {
  Draw Random(23);
  unsigned Known = 0;
  for (int I = 0; I < 2000; ++I) {
    DrawnGroups Drawn(Random);
    TestKernel &Kernel = Drawn.Kernel;
    const ShapeFacts &Shape = *Kernel.node().Shape;
    if (Shape.Shape != KernelShape::Pointwise || Shape.Strided)
      continue;
    for (AccessSite Site : Kernel.Accesses.Sites)
      for (size_t Step = 0; Step < Site.Path.size(); ++Step) {
        if (Site.Path[Step].What != PathStep::Kind::Branch || !Site.Path[Step].Taken ||
            !holdsOnWholeTurns(Site, Step, Kernel.Accesses, Shape))
          continue;
        ++Known;
        // Those who come here, and those who come through.
        AccessSite Through = Site;
        Through.Path.resize(Step + 1);
        AccessSite Here = Through;
        Here.Path.pop_back();
        for (std::int64_t N : {-3, 0, 1, 7, 8, 30}) {
          auto Whole = [&](const AccessSite &Each) {
            unsigned Count = 0;
            Kernel.run(Each, {{"n", N}}, {4}, {6}, [&](std::int64_t, const Values &Of) {
              Count += Shape.Width * (valueOf(Linear, Of) + 1) <=
                       valueOf(Shape.Bound, {{"n", N}}, Kernel.Accesses.Quotients);
            });
            return Count;
          };
          ASSERT_EQ(Whole(Through), Whole(Here)) << Site.Text << ", n = " << N;
        }
      }
  }
  EXPECT_GT(Known, 300u);
}

} // namespace
} // namespace cufuse
