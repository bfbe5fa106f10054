// What is known of a kernel's accesses, from its code.
#include "cufuse/Dependence/Pointwise.h"
#include "cufuse/Facts/CollectFacts.h"
#include "cufuse/Facts/FindKernel.h"
#include "cufuse/Kernel/Wrapping.h"
#include "cufuse/ReadAccesses/CollectAccesses.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <llvm/ADT/StringExtras.h>

#include <functional>
#include <random>

namespace cufuse {
namespace {

struct ReadKernel {
  std::string Name;
  KernelAccesses Accesses;
  ShapeFacts Shape;
};

/// All kernels of a text.
std::vector<ReadKernel> readText(const std::string &Text) {
  auto Tools = findToolchain("");
  if (!Tools) {
    llvm::consumeError(Tools.takeError());
    return {};
  }
  ParseRequest Request;
  Request.File = "/sites.cu";
  Request.Overlay = {{Request.File, Text}};
  auto Parsed = parse(*Tools, Request);
  if (!Parsed) {
    ADD_FAILURE() << llvm::toString(Parsed.takeError());
    return {};
  }
  const ParsedUnit &Unit = **Parsed;
  EXPECT_THAT(Unit.errors(), testing::IsEmpty());
  const HostCode Host(Unit);
  std::vector<ReadKernel> All;
  for (const clang::FunctionDecl *Kernel : allKernels(Unit)) {
    Reached Reach;
    const std::shared_ptr<const DeviceIr> Ir = reach(Unit, *Kernel, Reach);
    const KernelFacts Facts = collectFacts(Unit, Host, Reach, Ir.get());
    ReadKernel One{Facts.Name, collectAccesses(Unit, Reach, Ir), {}};
    One.Shape = recogniseShape(Facts, One.Accesses);
    One.Accesses = withoutWraps(std::move(One.Accesses));
    All.push_back(std::move(One));
  }
  return All;
}

std::string str(const PathStep &Step, const KernelAccesses &Accesses) {
  std::vector<std::string> Parts;
  for (const Less &L : Step.Holds)
    Parts.push_back(fmt::format("{} < {}", L.Left.str(), L.Right.str()));
  const std::string Holds = llvm::join(Parts, " && ") + (Step.Exact ? "" : "?");
  if (Step.What == PathStep::Kind::Unknown)
    return "?";
  if (Step.What == PathStep::Kind::Branch)
    return Step.Holds.empty() && !Step.Taken ? "not " + Holds : Holds;
  const LoopAccess &Loop = Accesses.Loops[Step.Id];
  return fmt::format("for {} = {}, +{}: {}", Loop.Atom, Loop.Start.str(), Loop.Step.str(), Holds);
}

/// `out[i] if i < n`, where an object could follow; `out*` where not.
std::vector<std::string> sitesOf(const ReadKernel &Kernel) {
  std::vector<std::string> Lines;
  for (const AccessSite &Site : Kernel.Accesses.Sites) {
    const char *Kinds[] = {"load", "store", "atomic", "escape"};
    std::string Line = fmt::format("{} {}{}[{}]", Kinds[int(Site.What)], Site.Parameter, Site.Direct ? "" : "*",
                                   Site.Index ? Site.Index->str() : "?");
    if (Site.Width > 1)
      Line += fmt::format("..{}", Site.Width);
    std::vector<std::string> Steps;
    for (const PathStep &Step : Site.Path)
      Steps.push_back(str(Step, Kernel.Accesses));
    if (!Steps.empty())
      Line += " if " + llvm::join(Steps, ", ");
    Lines.push_back(Line);
  }
  return Lines;
}

const char *const Spellings = R"(
struct View { float *p; __device__ float &operator[](int i) const { return p[i]; } };
struct Index { int i; __device__ operator int() const { return i; } };
__device__ int id() { return blockIdx.x * blockDim.x + threadIdx.x; }
__device__ void storeTo(float *p, int i, float v) { p[i] = v; }
__device__ float loadFrom(const float *p, int i) { return __ldg(p + i); }
template <typename F> __device__ void each(int n, F f) { for (int i = id(); i < n; i += blockDim.x * gridDim.x) f(i); }
#define LDG(x) __ldg(&(x))
#define EACH(i, n) for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += blockDim.x * gridDim.x)

__global__ void plain(const float *in, float *out, int n) { int i = id(); if (i < n) out[i] = 2 * in[i]; }
__global__ void localView(float *in, float *out, int n) { View a{in}, b{out}; int i = id(); if (i < n) b[i] = 2 * a[i]; }
__global__ void indexClass(const float *in, float *out, int n) { Index i{id()}; if (i < n) out[i] = 2 * in[i]; }
__global__ void pointerWalk(const float *in, float *out, int n) { int i = id(); in += i; out += i; if (i < n) *out = 2 * *in; }
__global__ void reference(const float *in, float *out, int n) { int i = id(); if (i < n) { float &o = out[i]; o = 2 * in[i]; } }
__global__ void inner(const float *in, float *out, int n) { int i = id(); if (i < n) { float s = 0; for (int k = 0; k < 4; ++k) s += in[i] * k; out[i] = s; } }
__global__ void jump(const float *in, float *out, int n) { int i = id(); if (i >= n) goto end; out[i] = 2 * in[i]; end:; }
__global__ void helper(const float *in, float *out, int n) { int i = id(); if (i < n) storeTo(out, i, 2 * loadFrom(in, i)); }
__global__ void lambda(const float *in, float *out, int n) { each(n, [=](int i) { out[i] = 2 * in[i]; }); }
__global__ void sizes(const float *in, float *out, size_t n) { size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; if (i < n) out[i] = 2 * in[i]; }
__global__ void doWhile(const float *in, float *out, int n) { int i = id(); if (i >= n) return; do { out[i] = 2 * in[i]; i += blockDim.x * gridDim.x; } while (i < n); }
__global__ void ldgMacro(const float *in, float *out, int n) { EACH(i, n) out[i] = 2 * LDG(in[i]); }
__global__ void row(const float *x, float *out, int columns) {
  const int row = blockIdx.x;
  x += row * columns;
  out += (size_t)row * columns;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    out[i] = x[i];
}
__global__ void constantBlock(const float *in, float *out, int n) { int i = blockIdx.x * 256 + threadIdx.x; if (i < n) out[i] = in[i]; }
__global__ void packed(const float *in, float *out, int n) {
  int i = id();
  if (4 * i + 3 < n) {
    float4 v = reinterpret_cast<const float4 *>(in)[i];
    v.x *= 2;
    reinterpret_cast<float4 *>(out)[i] = v;
  }
}
__global__ void planes(const float *in, float *out, int w, int h) {
  int x = id(), y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h) out[y * w + x] = in[y * w + x];
}
__global__ void expected(const float *in, float *out, int n) { int i = id(); if (__builtin_expect(i < n, 1)) out[i] = in[i]; }
__global__ void either(const float *in, float *out, int n, int m) {
  int i = id();
  if (i < n && i < m) out[i] = 1; else out[i] = in[i];
}
__global__ void updates(float *x, int n) { int i = id(); if (i < n) { x[i] += 1; x[i] = x[i] * 2; } }
__global__ void twice(const float *in, float *out, int n) {
  int i = id();
  bool inside = i < n && n > 3;
  if (inside) { out[i] = 1; out[i] = in[i]; }
}
__global__ void after(float *out, int n) {
  int i = id();
  for (; i < n; i += 3) out[i] = 1;
  out[i] = 2;
}
__global__ void compares(const float *in, float *out, int n) { int i = id(); if (in && i < n) out[i] = 1; }
struct Fields { unsigned low : 5, kind : 3, high : 24; int left; };
__global__ void bitFields(float *out) { Fields f; f.kind = 5; f.high = blockIdx.x; f.low = threadIdx.x; f.left = 9; out[f.high * 32 + f.low] = f.kind; }
)";

constexpr const char *I = "blockDim.x * blockIdx.x + threadIdx.x";

TEST(Sites, OfEverydaySpellings) {
  const std::vector<ReadKernel> Kernels = readText(Spellings);
  if (Kernels.empty())
    GTEST_SKIP() << "there is no CUDA toolkit";
  // Where `@` is the linear index.
  const std::map<std::string, std::vector<std::string>> Expected = {
      {"plain", {"load in[@] if @ < n", "store out[@] if @ < n"}},
      {"localView", {"load in*[@] if @ < n", "store out*[@] if @ < n"}},
      {"indexClass", {"load in[@] if @ < n", "store out[@] if @ < n"}},
      {"pointerWalk", {"load in[@] if @ < n", "store out[@] if @ < n"}},
      {"reference", {"load in[@] if @ < n", "store out[@] if @ < n"}},
      {"inner", {"load in[@] if @ < n, for k = 0, +1: k < 4", "store out[@] if @ < n"}},
      {"jump", {"load in[@] if @ < n", "store out[@] if @ < n"}},
      {"helper", {"load in[@] if @ < n", "store out[@] if @ < n"}},
      {"lambda",
       {"load in[i] if for i = @, +blockDim.x * gridDim.x: i < n",
        "store out[i] if for i = @, +blockDim.x * gridDim.x: i < n"}},
      {"sizes", {"load in[@] if @ < n", "store out[@] if @ < n"}},
      {"doWhile", {"load in[i] if @ < n, ?", "store out[i] if @ < n, ?"}},
      {"ldgMacro",
       {"load in*[i] if for i = @, +blockDim.x * gridDim.x: i < n",
        "store out[i] if for i = @, +blockDim.x * gridDim.x: i < n"}},
      {"row",
       {"load x[blockIdx.x * columns + i] if for i = threadIdx.x, +blockDim.x: i < columns",
        "store out[blockIdx.x * columns + i] if for i = threadIdx.x, +blockDim.x: i < columns"}},
      {"constantBlock",
       {"load in[256 * blockIdx.x + threadIdx.x] if 256 * blockIdx.x + threadIdx.x < n",
        "store out[256 * blockIdx.x + threadIdx.x] if 256 * blockIdx.x + threadIdx.x < n"}},
      {"packed",
       {"load in[4 * blockDim.x * blockIdx.x + 4 * threadIdx.x]..4 if 4 * blockDim.x * blockIdx.x + 4 * threadIdx.x < "
        "n - 3",
        "store out[4 * blockDim.x * blockIdx.x + 4 * threadIdx.x]..4 if 4 * blockDim.x * blockIdx.x + 4 * threadIdx.x "
        "< "
        "n - 3"}},
      {"planes",
       {"load in[blockDim.y * blockIdx.y * w + blockDim.x * blockIdx.x + threadIdx.y * w + threadIdx.x] if @ < w && "
        "blockDim.y * blockIdx.y + threadIdx.y < h",
        "store out[blockDim.y * blockIdx.y * w + blockDim.x * blockIdx.x + threadIdx.y * w + threadIdx.x] if @ < w && "
        "blockDim.y * blockIdx.y + threadIdx.y "
        "< h"}},
      {"expected", {"load in[@] if @ < n", "store out[@] if @ < n"}},
      {"either", {"store out[@] if @ < n && @ < m", "load in[@] if not ?", "store out[@] if not ?"}},
      {"updates", {"load x[@] if @ < n", "store x[@] if @ < n", "load x[@] if @ < n", "store x[@] if @ < n"}},
      {"twice",
       {"store out[@] if @ < n && 0 < n - 3", "load in[@] if @ < n && 0 < n - 3",
        "store out[@] if @ < n && 0 < n - 3"}},
      {"after", {"store out[i] if for i = @, +3: i < n", "store out[?]"}},
      {"compares", {"store out[@] if @ < n?"}},
      {"bitFields",
       {"store out[32 * blockIdx.x + threadIdx.x - 536870912 * (blockIdx.x / 16777216) - 32 * (threadIdx.x / 32)]"}},
  };
  EXPECT_EQ(Kernels.size(), Expected.size());
  for (const ReadKernel &Kernel : Kernels) {
    std::vector<std::string> Wanted = Expected.at(Kernel.Name);
    for (std::string &Line : Wanted)
      for (size_t At; (At = Line.find('@')) != std::string::npos;)
        Line.replace(At, 1, I);
    EXPECT_EQ(sitesOf(Kernel), Wanted) << Kernel.Name;
  }
}

/// A program of a thread, as text and to be run. Each store has an array of its own.
class Drawn {
public:
  explicit Drawn(unsigned Seed) : Engine(Seed) {
    Body = "  int a = blockIdx.x * blockDim.x + threadIdx.x, b = threadIdx.x;\n";
    Run = [](State &S) {
      S["a"] = S["blockIdx.x"] * S["blockDim.x"] + S["threadIdx.x"];
      S["b"] = S["threadIdx.x"];
    };
    Variables = {"a", "b"};
    std::tie(Text, Do) = statements(3);
  }

  /// Indices by array.
  using Stores = std::map<std::string, std::multiset<std::int64_t>>;
  struct State : std::map<std::string, std::int64_t> {
    Stores Stored;
    bool Left = false, Broken = false, Next = false; ///< By return, break, continue.
    unsigned Steps = 0;
  };
  using Action = std::function<void(State &)>;
  using Number = std::function<std::int64_t(State &)>;
  using Truth = std::function<bool(State &)>;

  std::string kernel(const std::string &Name) const {
    std::string Parameters;
    for (unsigned I = 0; I < Arrays; ++I)
      Parameters += fmt::format("float *x{}, ", I);
    return fmt::format("__global__ void {}({}int n, int m) {{\n{}{}}}\n", Name, Parameters, Body, Text);
  }
  void run(State &S) const {
    Run(S);
    Do(S);
  }

private:
  unsigned below(unsigned N) { return Engine() % N; }

  std::pair<std::string, Number> number(unsigned Depth) {
    switch (below(Depth ? 9 : 3)) {
    case 0: {
      const std::int64_t N = below(5);
      return {std::to_string(N), [N](State &) { return N; }};
    }
    case 1: {
      const std::string V = Variables[below(Variables.size())];
      return {V, [V](State &S) { return S[V]; }};
    }
    case 2: {
      const std::string V = std::vector<std::string>{"n", "m", "threadIdx.x", "blockIdx.x", "blockDim.x"}[below(5)];
      return {"(int)" + V, [V](State &S) { return S[V]; }};
    }
    case 3: { // of what is not negative
      const auto [Of, By] = std::pair(Variables[below(2)], 1 + below(5));
      return {fmt::format("({} / {})", Of, By), [=](State &S) { return S[Of] / By; }};
    }
    case 4: {
      const auto [Of, By] = std::pair(Variables[below(2)], 1 + below(5));
      return {fmt::format("({} % {})", Of, By), [=](State &S) { return S[Of] % By; }};
    }
    default: {
      const auto L = number(Depth - 1), R = number(Depth - 1);
      const char Operator = "+-*++"[below(5)];
      return {fmt::format("({} {} {})", L.first, Operator, R.first), [=](State &S) {
                const std::int64_t A = L.second(S), B = R.second(S);
                return Operator == '+' ? A + B : Operator == '-' ? A - B : A * B;
              }};
    }
    }
  }

  std::pair<std::string, Truth> condition(unsigned Depth) {
    if (Depth && below(3) == 0) {
      const auto L = condition(Depth - 1), R = condition(Depth - 1);
      if (below(2))
        return {fmt::format("({} && {})", L.first, R.first), [=](State &S) { return L.second(S) && R.second(S); }};
      return {fmt::format("({} || {})", L.first, R.first), [=](State &S) { return L.second(S) || R.second(S); }};
    }
    if (Depth && below(5) == 0) {
      const auto C = condition(Depth - 1);
      return {"!" + C.first, [=](State &S) { return !C.second(S); }};
    }
    const auto L = number(1), R = number(1);
    const unsigned Which = below(6);
    static const char *const Operators[] = {"<", "<=", ">", ">=", "==", "!="};
    return {fmt::format("({} {} {})", L.first, Operators[Which], R.first), [=](State &S) {
              const std::int64_t A = L.second(S), B = R.second(S);
              return Which == 0   ? A < B
                     : Which == 1 ? A <= B
                     : Which == 2 ? A > B
                     : Which == 3 ? A >= B
                     : Which == 4 ? A == B
                                  : A != B;
            }};
  }

  std::pair<std::string, Action> statements(unsigned Depth) {
    std::string Text;
    std::vector<Action> All;
    for (unsigned Left = 1 + below(3); Left > 0; --Left) {
      const auto [Each, Do] = statement(Depth);
      Text += Each;
      All.push_back(Do);
    }
    return {Text, [All](State &S) {
              for (const Action &Each : All)
                if (!S.Left && !S.Broken && !S.Next)
                  Each(S);
            }};
  }

  std::pair<std::string, Action> statement(unsigned Depth) {
    switch (below(Depth ? 8 : 2)) {
    default: {
      const std::string Array = fmt::format("x{}", Arrays++);
      const auto Index = number(2);
      return {fmt::format("{}[{}] = 1;\n", Array, Index.first),
              [=](State &S) { S.Stored[Array].insert(Index.second(S)); }};
    }
    case 2: {
      const auto Value = number(1);
      std::vector<std::string> Assignable;
      llvm::copy_if(Variables, std::back_inserter(Assignable), [](const std::string &V) { return V[0] == 'v'; });
      if (!Assignable.empty() && below(2)) {
        const std::string V = Assignable[below(Assignable.size())];
        return {fmt::format("{} = {};\n", V, Value.first), [=](State &S) { S[V] = Value.second(S); }};
      }
      const std::string V = fmt::format("v{}", NextName++);
      return {fmt::format("{} = {};\n", declared(V), Value.first), [=](State &S) { S[V] = Value.second(S); }};
    }
    case 3:
    case 4: {
      const auto C = condition(2);
      const auto Then = scope(Depth - 1);
      if (below(2))
        return {fmt::format("if ({}) {{\n{}}}\n", C.first, Then.first), [=](State &S) {
                  if (C.second(S))
                    Then.second(S);
                }};
      const auto Else = scope(Depth - 1);
      return {fmt::format("if ({}) {{\n{}}} else {{\n{}}}\n", C.first, Then.first, Else.first),
              [=](State &S) { C.second(S) ? Then.second(S) : Else.second(S); }};
    }
    case 5: {
      const auto C = condition(1);
      const unsigned What = Loops ? below(3) : 0;
      return {fmt::format("if ({}) {};\n", C.first,
                          What == 0   ? "return"
                          : What == 1 ? "break"
                                      : "continue"),
              [=](State &S) {
                if (C.second(S))
                  (What == 0 ? S.Left : What == 1 ? S.Broken : S.Next) = true;
              }};
    }
    case 6:
    case 7: {
      const std::string V = fmt::format("i{}", NextName++);
      const auto Start = number(1), End = number(1);
      const std::string Step = std::vector<std::string>{"1", "3", "(int)blockDim.x"}[below(3)];
      Variables.push_back(V);
      ++Loops;
      const auto Body = scope(Depth - 1);
      --Loops;
      Variables.erase(llvm::find(Variables, V));
      auto Turns = [=](State &S) {
        for (S[V] = Start.second(S); S[V] < End.second(S) && !S.Left && ++S.Steps < 4000;
             S[V] += Step == "1"   ? 1
                     : Step == "3" ? 3
                                   : S["blockDim.x"]) {
          Body.second(S);
          S.Next = false;
          if (std::exchange(S.Broken, false))
            break;
        }
      };
      if (below(3) == 0) // whose step comes last
        return {fmt::format("for (int {0} = {1}; {0} < {2}; {0} = {0} + {3}) {{\n{4}}}\n", V, Start.first, End.first,
                            Step, Body.first),
                Turns};
      return {fmt::format("for (int {0} = {1}; {0} < {2}; {0} += {3}) {{\n{4}}}\n", V, Start.first, End.first, Step,
                          Body.first),
              Turns};
    }
    }
  }

  std::string declared(const std::string &V) {
    Variables.push_back(V);
    return "int " + V;
  }
  std::pair<std::string, Action> scope(unsigned Depth) {
    const std::vector<std::string> Before = Variables;
    const auto Inner = statements(Depth);
    Variables = Before;
    return Inner;
  }

  std::mt19937 Engine;
  std::vector<std::string> Variables;
  unsigned Arrays = 0, NextName = 0, Loops = 0;
  std::string Body, Text;
  Action Run, Do;
};

/// What the polynomials, conditions and loops of a site say, for one thread.
class Predicted {
public:
  Predicted(const AccessSite &Site, const KernelAccesses &Accesses, Drawn::State Thread)
      : Site(Site), Accesses(Accesses), Thread(std::move(Thread)) {
    walk(0);
  }
  bool Exact = true; ///< These, else some of them.
  bool Known = true; ///< None but these.
  std::multiset<std::int64_t> Indices;

private:
  std::int64_t value(const Polynomial &P) {
    std::int64_t Sum = 0;
    for (const auto &[Atoms, Factor] : P.terms()) {
      std::int64_t Term = Factor;
      for (const std::string &Atom : Atoms)
        if (auto Known = Thread.find(Atom); Known != Thread.end())
          Term *= Known->second;
        else if (auto Q = Accesses.Quotients.find(Atom); Q != Accesses.Quotients.end())
          Term *= value(Q->second.Dividend) / std::max<std::int64_t>(1, value(Q->second.Divisor));
        else
          this->Known = false;
      Sum += Term;
    }
    return Sum;
  }
  void walk(size_t Depth) {
    if (Depth == Site.Path.size()) {
      const std::int64_t At = value(*Site.Index);
      Indices.insert(At);
      return;
    }
    const PathStep &Step = Site.Path[Depth];
    auto Holds = [&] {
      return llvm::all_of(Step.Holds, [&](const Less &L) { return value(L.Left) < value(L.Right); });
    };
    if (Step.What != PathStep::Kind::Loop) {
      Exact &= Step.Exact && Step.What == PathStep::Kind::Branch;
      if (Holds())
        walk(Depth + 1);
      return;
    }
    const LoopAccess &Loop = Accesses.Loops[Step.Id];
    Exact &= Step.Exact && !Loop.LeftEarly;
    unsigned Turns = 0;
    for (Thread[Loop.Atom] = value(Loop.Start); ++Turns < 400; Thread[Loop.Atom] += value(Loop.Step))
      if (Holds())
        walk(Depth + 1);
      else if (Step.Exact)
        break;
    Known &= Turns < 400;
    Thread.erase(Loop.Atom);
  }

  const AccessSite &Site;
  const KernelAccesses &Accesses;
  Drawn::State Thread;
};

/// Drawn programs, compiled by Clang and run: what is known of their accesses is so for every thread.
TEST(Sites, OfDrawnKernelsAreWhatTheirThreadsAccess) {
  constexpr unsigned Count = 400;
  std::string Text;
  std::vector<Drawn> Programs;
  for (unsigned Seed = 0; Seed < Count; ++Seed) {
    Programs.emplace_back(Seed);
    Text += Programs.back().kernel(fmt::format("k{}", Seed));
  }
  const std::vector<ReadKernel> Kernels = readText(Text);
  if (Kernels.empty())
    GTEST_SKIP() << "there is no CUDA toolkit";
  ASSERT_EQ(Kernels.size(), Count);
  unsigned All = 0, Located = 0, Exact = 0;
  for (unsigned K = 0; K < Count; ++K)
    for (const auto &[N, M, Block, Thread] :
         {std::tuple(0, 0, 0, 0), std::tuple(1, 5, 0, 3), std::tuple(7, 2, 1, 2), std::tuple(13, 9, 2, 0)}) {
      Drawn::State S;
      S["n"] = N, S["m"] = M, S["blockIdx.x"] = Block, S["threadIdx.x"] = Thread, S["blockDim.x"] = 4;
      const Drawn::State Before = S;
      Programs[K].run(S);
      if (S.Steps >= 4000)
        continue;
      for (const AccessSite &Site : Kernels[K].Accesses.Sites) {
        ++All;
        if (!Site.Index)
          continue;
        const Predicted P(Site, Kernels[K].Accesses, Before);
        const std::multiset<std::int64_t> &Is = S.Stored[Site.Parameter];
        Located += P.Known;
        if (P.Known && P.Exact) {
          ++Exact;
          ASSERT_EQ(P.Indices, Is) << Site.Text << " in thread " << Thread << " of block " << Block << ", n " << N
                                   << ", m " << M << ":\n"
                                   << Programs[K].kernel("k") << llvm::join(sitesOf(Kernels[K]), "\n");
        } else if (P.Known && llvm::none_of(Site.Path, [](const PathStep &Step) {
                     return Step.What == PathStep::Kind::Unknown;
                   })) {
          for (const std::int64_t At : Is)
            ASSERT_TRUE(P.Indices.count(At)) << Site.Text << " at " << At << " in thread " << Thread << " of block "
                                             << Block << ", n " << N << ", m " << M << ":\n"
                                             << Programs[K].kernel("k") << llvm::join(sitesOf(Kernels[K]), "\n");
        }
      }
    }
  // The draw is worth something.
  EXPECT_GT(Located, All / 2);
  EXPECT_GT(Exact, All / 3);
}

TEST(Sites, MembersOfElementsAreFollowedInHelpers) {
  const std::vector<ReadKernel> Kernels = readText(R"(
struct Half {
  unsigned short bits;
  __device__ operator float() const { return bits; }
};
__device__ float difference(const Half *row, int i, int half) { return float(row[half + i]) - float(row[i]); }
__global__ void kernel(const Half *in, float *out, int half) {
  out[blockIdx.x] = difference(in + blockIdx.x, threadIdx.x, half);
})");
  ASSERT_EQ(Kernels.size(), 1u);
  EXPECT_THAT(sitesOf(Kernels[0]), testing::IsSupersetOf({testing::HasSubstr("[blockIdx.x + half + threadIdx.x]"),
                                                          testing::HasSubstr("[blockIdx.x + threadIdx.x]")}));
}

} // namespace
} // namespace cufuse
