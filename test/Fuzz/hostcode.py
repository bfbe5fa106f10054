"""Random host code around launches, for `cufuse inspect`: templates whose configurations are dependent, lambdas,
macros, classes, and expressions that say nothing about the block. It is mostly CUDA; what is not must be said to be
none."""

KERNELS = """
template <typename T> struct Part { T *at; int n; const int m; };
__global__ void one(Part<int> p) { p.at[threadIdx.x] = 1; }
template <typename T> __global__ void two(T *at, int n) { if (threadIdx.x < n) at[threadIdx.x] = n; }
template <typename T, int N> __global__ void three(Part<T> p) {
  __shared__ T held[N]; held[threadIdx.x % N] = 0; p.at[0] = held[0]; }
namespace in { __global__ void four(int *at) { *at = blockDim.x; } }
struct Sizes {
  int x; dim3 block; static constexpr int Threads = 64;
  operator dim3() const { return block; } operator int() const { return x; } };
int count(int); template <typename T> int count(); extern dim3 far; enum Size { Small = 32, Large = 256 };
"""
TYPES = ("dim3", "int", "unsigned", "const dim3", "auto", "uint3", "long long", "unsigned __int128", "float", "bool",
         "char", "const int", "Size", "static dim3", "static const int", "constexpr int", "dim3 &", "const dim3 &",
         "dim3 *", "Sizes")
DEPENDENT = ("T", "const T", "auto", "typename Traits<T>::Block", "Part<T>", "decltype(T())", "T *", "T &&")


class HostCode:

    def __init__(self, rng):
        self.rng, self.serial = rng, 0

    def number(self, names, depth=0, dependent=False):
        rng = self.rng
        leaves = [
            "32", "64u", "0", "-1", "1 << 40", "count(3)", "Small", "Sizes::Threads", "sizeof(int)", "1e3", "'a'",
            "nullptr", "{}", "-1ll", "(unsigned __int128)1 << 90", "far.x", "warpSize", "__LINE__", "1 / 0", "INT",
            "BLOCK"
        ] + names * 3
        if dependent:
            leaves += [
                "sizeof(T)", "T::Size", "N", "p.n", "p.m", "p.n / 4", "count<T>()", "T(3)", "T{}",
                "static_cast<int>(T{})", "sizeof...(X)", "std_size(p)", "p.at[0]", "x..."
            ] * 2
        if depth > 2 or rng.random() < 0.5:
            return rng.choice(leaves)
        a, b = (self.number(names, depth + 1, dependent) for _ in range(2))
        return rng.choice(("({a}) + ({b})", "({a}) * ({b})", "({a}) / ({b})", "({a}) ? {a} : {b}", "({a}, {b})",
                           "({a})", "int({a})", "count({a})", "[&] {{ return {a}; }}()", "({a}) % 7", "dim3({a}).x",
                           "dim3({a}, {b}).y", "static_cast<unsigned>({a})")).format(a=a, b=b)

    def configuration(self, names, dependent):
        rng = self.rng
        parts = [self.number(names, 1, dependent) for _ in range(rng.choice((0, 1, 1, 2, 3, 3, 4)))]
        forms = ["dim3({})", "dim3{{{}}}", "{{{}}}", "Sizes{{{}}}.block", "dim3(dim3({}))", "(dim3({}))", "uint3{{{}}}"]
        if dependent:
            forms += ["T({})", "T{{{}}}", "Part<T>{{nullptr, {}}}.n"]
        if rng.random() < 0.4:
            return rng.choice(names + ["far", "64", "BLOCK"])
        return rng.choice(forms).format(", ".join(parts)) if rng.random() < 0.7 else self.number(names, 0, dependent)

    def launch(self, names, dependent):
        rng = self.rng
        kernel = rng.choice(("one", "one", "two<int>", "two", "three<int, 4>", "in::four", "(one)", "::one", "pointer",
                             "&one") + (("two<T>", "three<T, N>", "three<T, sizeof(T)>") if dependent else ()))
        arguments = rng.choice(("p", "{nullptr, 1, 2}", "nullptr, 3", "nullptr", "", "p.at, p.n", "{}"))
        more = rng.choice(("", "", "", ", 0", ", 48, nullptr", ", n, 0"))
        grid = self.configuration(names, dependent)
        launch = f"{kernel}<<<{grid}, {self.configuration(names, dependent)}{more}>>>({arguments});"
        return rng.choice(
            ("{}", "{}", "{}", "if (n) {}", "for (int i = 0; i < n; ++i) {}", "[&] {{ {} }}();",
             "[=](auto y) {{ {} }}(3);", "LAUNCH({})", "do {{ {} }} while (n--);", "try {{ {} }} catch (...) {{}}",
             "if constexpr (sizeof(n) == 4) {}", "switch (n) {{ case 1: {} }}")).format(launch)

    def statement(self, names, dependent):
        rng = self.rng
        self.serial += 1
        name = f"v{self.serial}"
        kind = rng.choice(("variable", "variable", "variable", "launch", "launch", "write", "self", "pair"))
        if kind == "launch" or (kind in ("write", "pair") and not names):
            return self.launch(names, dependent)
        if kind == "write":
            return rng.choice(("{0} = {1};", "{0}.x = {1};", "++{0};", "{0} += {1};", "take(&{0}, {1});",
                               "change({0});", "[&] {{ {0} = {1}; }}();")).format(rng.choice(names),
                                                                                  self.number(names, 1, dependent))
        if kind == "pair":
            return f"auto [a{self.serial}, b{self.serial}] = {rng.choice(names)};"
        init = self.configuration(names, dependent)
        if kind == "self":
            init = name
        type_ = rng.choice(TYPES + (DEPENDENT if dependent else ()))
        text = rng.choice(("{t} {n} = {i};", "{t} {n}({i});", "{t} {n}{{{i}}};", "{t} {n}(({i}), 2);", "{t} {n};",
                           "{t} {n} = {{{i}, 4}};")).format(t=type_, n=name, i=init)
        names.append(name)
        return text

    def function(self):
        rng = self.rng
        self.serial += 1
        dependent = rng.random() < 0.6
        head = rng.choice(
            ("template <typename T> ", "template <typename T, int N = 4> ", "template <typename T, typename... X> ",
             "template <template <typename> class P, typename T = int> ",
             "template <class T> struct H{n} {{ ")) if dependent else ""
        head = head.format(n=self.serial)
        names = ["n"]
        body = [self.statement(names, dependent) for _ in range(rng.randrange(1, 8))]
        parameters = "int n, Part<T> p = {}" if dependent else "int n, Part<int> p = {}"
        if dependent and "X" in head:
            parameters += ", X... x"
        kind = rng.choice(
            ("void", "void", "__host__ void", "static void", "inline auto", "__host__ __device__ void", "int"))
        lines = [f"{head}{kind} f{self.serial}({parameters}) {{", *body, "}" + (" };" if "struct" in head else "")]
        text = "\n  ".join(lines)
        if dependent and "struct" not in head and "P," not in head and rng.random() < 0.6:
            argument = rng.choice(("int", "dim3", "Sizes", "float"))
            text += f"\nvoid use{self.serial}() {{ f{self.serial}<{argument}>(3); }}"
        return text

    def file(self):
        rng = self.rng
        parts = [
            KERNELS, "#define INT int\n#define BLOCK dim3(32, 4)\n#define LAUNCH(...) __VA_ARGS__",
            "template <typename T> struct Traits { using Block = dim3; };",
            "template <typename T> void take(T *, int);", "template <typename T> void change(T &);"
        ]
        return "\n".join(parts + [self.function() for _ in range(rng.randrange(1, 6))]) + "\n"
