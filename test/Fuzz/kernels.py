"""Random CUDA kernels whose results do not depend on the order in which threads run.

A file is a tree of plain lists, so that a shrinker can drop parts of it; barriers that freedom from races needs are
not in the tree but are put in where it is written out. Every thread writes its own slots of `out` and of the shared
tiles and reads others' only behind a barrier; the only shared results are integer atomics that commute. All arithmetic
is unsigned.
"""
import collections

import strides

MAX_THREADS = 256  # Of one block: the size of every tile.
TILES = ("tile", "plane", "dynamic")
LOCALS = 4
MACROS = ("SCALE", "MIX", "BARRIER", "LIMIT", *strides.MACROS)

# A statement: its kind, what it was made of, and the statement lists inside it.
Statement = collections.namedtuple("Statement", "kind data bodies", defaults=((), ))

# What must not follow where threads may have left: it would read of those who left.
NEEDS_ALL = {"shuffle", "call", "counters"}


class Kernel:

    def __init__(self, name):
        self.name = name
        self.body = []
        self.dimensions = 1  # of its grid; it reads so many of blockIdx
        self.whole_warps = False  # it may only run with blocks of whole warps
        self.bounds = 0  # of __launch_bounds__
        self.template = 0  # its template argument
        self.structure = False  # n and seed come in a structure
        self.late_exit = None  # a condition: these threads leave before the last statements, behind every barrier
        self.tail = []

    def spelled(self):
        return f"{self.name}<{self.template}u>" if self.template else self.name

    def uses(self, tile):
        return any(statement.kind == "exchange" and statement.data[0] == tile for statement in everything(self.body))

    def dynamic(self):
        return self.uses("dynamic")

    def strides(self):
        return [s.data[0] for s in everything(self.body + self.tail) if s.kind == "stride"]


def everything(statements):
    for statement in statements:
        yield statement
        for body in statement.bodies:
            yield from everything(body)


def without(statements, drop):
    """The statements less those to drop, inside others, too."""
    return [s._replace(bodies=tuple(without(body, drop) for body in s.bodies)) for s in statements if not drop(s)]


class Expressions:
    """Text of random expressions over the locals, the built-ins and the file's macros and helpers."""

    def __init__(self, rng):
        self.rng = rng

    def leaf(self):
        return self.rng.choice(
            ("v0", "v1", "v2", "v3", "t", "b", "seed", "n", "threadIdx.x", "threadIdx.y", "blockIdx.x", "blockDim.x",
             "blockDim.z", "gridDim.x", "warpSize", f"{self.rng.randrange(1, 1 << self.rng.choice((3, 8, 31)))}u",
             f"table[{self.rng.choice(('v0', 't', 'b', 'v2'))} % 8u]", "LIMIT",
             f"in[{self.rng.choice(('v1', 't', 'v3'))} % n]"))

    def value(self, depth=2):
        if depth == 0 or self.rng.random() < 0.2:
            return self.leaf()
        a, b = self.value(depth - 1), self.value(depth - 1)
        form = self.rng.choice(
            ("({a} + {b})", "({a} - {b})", "({a} * {b})", "({a} ^ {b})", "({a} & {b})", "({a} | {b})", "({a} >> {s}u)",
             "({a} << {s}u)", "({a} < {b} ? {b} : {a})", "SCALE({a})", "MIX({a}, {b})", "twist({a})", "place({a})",
             "umin({a}, {b})", "({a} / ({b} % 7u + 1u))", "widen<unsigned>({a})",
             "static_cast<unsigned>(__popc({a}))"))
        return form.format(a=a, b=b, s=self.rng.randrange(1, 31))

    def condition(self):
        """Differs between the threads of a block."""
        return self.rng.choice((f"t % {self.rng.randrange(2, 9)}u == {self.rng.randrange(2)}u",
                                f"t < {self.rng.choice((1, 5, 31, 32, 40, 64))}u", f"{self.value(1)} % 3u == 0u",
                                f"t / 32u % 2u == {self.rng.randrange(2)}u", "(v0 ^ v1) & 1u",
                                f"threadIdx.x > {self.rng.randrange(8)}u && v2 > v3"))

    def by_warp(self):
        """The same for all lanes of a warp, in blocks whose rows are whole warps."""
        return self.rng.choice((f"t / 32u % 2u == {self.rng.randrange(2)}u", f"t >= {self.rng.choice((32, 64, 96))}u",
                                "(t >> 5) == blockIdx.x % 3u", f"(b * T + t) / 32u % 3u == {self.rng.randrange(3)}u",
                                f"__any_sync(0xffffffffu, {self.value(1)} % 16u == 3u)"))

    def uniform(self):
        """The same for all threads of a block."""
        return self.rng.choice(
            (f"blockIdx.x % 2u == {self.rng.randrange(2)}u", f"(seed >> {self.rng.randrange(8)}u) & 1u",
             "gridDim.x > 2u", f"blockIdx.x < {self.rng.randrange(1, 5)}u", "n % 3u == 1u", "blockDim.x >= 32u",
             "seed % 5u < 3u && blockIdx.x != 1u"))


def _statement(rng, expressions, depth, sync, loops):
    """One random statement; `sync`: all threads of the block come here together."""
    local = rng.randrange(LOCALS)
    kinds = ["set"] * 5 + ["atomic"] * 2 + ["lambda", "cell"]
    if depth < 2:
        kinds += ["if"] * 2 + ["switch", "while", "stride"] + (["ifUniform"] * 2 + ["for"] * 3 if sync else [])
    if sync:
        kinds += ["exchange"] * 6 + ["reduce"] * 2 + [
            "counters", "shuffle", "shuffle", "vote", "syncwarp", "sync", "swapLambda"
        ] + ["call"] * 3
    kind = rng.choice(kinds)
    value = expressions.value

    def body(inner_sync):
        return [_statement(rng, expressions, depth + 1, inner_sync, loops + 1) for _ in range(rng.randrange(1, 4))]

    if kind == "set":
        return Statement(kind, (local, value()))
    if kind == "atomic":
        return Statement(kind, (rng.randrange(5), rng.randrange(16), value(1)))
    if kind in ("lambda", "cell"):
        return Statement(kind, (local, rng.choice(("^", "+")), value(1)))
    if kind == "if":
        return Statement(kind, (expressions.condition(), ), (body(False), body(False) if rng.random() < 0.4 else []))
    if kind == "switch":
        return Statement(kind, (value(1), ), (body(False), body(False)))
    if kind == "while":
        skip = expressions.condition() if rng.random() < 0.5 else None
        return Statement(kind, (value(1), rng.choice(("while", "do", "break")), skip), (body(False), ))
    if kind == "stride":
        return stride(rng, expressions, depth, sync and rng.random() < 0.5)
    if kind == "ifUniform":
        return Statement(kind, (expressions.uniform(), ), (body(True), body(True) if rng.random() < 0.3 else []))
    if kind == "for":
        return Statement(kind, (rng.choice(("2u", "3u", "seed % 3u + 1u", "blockIdx.x % 2u + 1u", "n % 2u + 1u")), ),
                         (body(True), ))
    if kind == "exchange":
        return Statement(kind, (rng.choice(TILES), local, rng.choice(
            (1, 2, 7, 31, 32, 33, 100)), rng.choice(("__syncthreads();", "BARRIER", "wait();"))))
    if kind == "reduce":
        return Statement(kind, (rng.choice(("count", "and", "or")), local, expressions.condition()))
    if kind == "counters":
        return Statement(kind, (local, value(1)))
    if kind == "call":
        return Statement(kind, (rng.choice(("swap", "relay", "deepest<3u>", "total", "Steps::both")), local))
    if kind == "shuffle":
        return Statement(kind, (rng.choice(
            ("rotate", "rotate", "xor", "up", "down")), local, rng.choice((1, 2, 3, 8, 16))))
    if kind == "vote":
        return Statement(kind, (rng.choice(("ballot", "any", "all")), local, expressions.condition()))
    if kind == "swapLambda":
        return Statement(kind, (local, rng.randrange(1, 60)))
    return Statement(kind, ())


def stride(rng, expressions, depth, uniform, may_leave=False):
    """A loop over elements by the size of the launch; `uniform`: the threads of a block go through it together."""
    loop = strides.make_loop(rng, uniform)
    lines = strides.body_lines(rng, loop, lambda: f"v{rng.randrange(LOCALS)}", expressions)
    body = [Statement("text", (line, )) for line in lines]
    for _ in range(rng.randrange(3)):
        body.insert(rng.randrange(len(body) + 1), _statement(rng, expressions, depth + 1, uniform, 1))
    if may_leave and rng.random() < 0.3:
        body.insert(rng.randrange(len(body) + 1), Statement("leave", (expressions.condition(), )))
    return Statement("stride", (loop, ), (body, ))


def make_kernel(rng, name):
    kernel = Kernel(name)
    expressions = Expressions(rng)
    kernel.dimensions = rng.choice((1, 1, 1, 2, 3))
    kernel.bounds = MAX_THREADS if rng.random() < 0.2 else 0
    kernel.template = rng.randrange(1, 9) if rng.random() < 0.3 else 0
    kernel.structure = rng.random() < 0.2
    synchronises = rng.random() < 0.9
    kernel.body = [_statement(rng, expressions, 0, synchronises, 0) for _ in range(rng.randrange(2, 9))]
    if rng.random() < 0.6:
        kernel.body.insert(rng.randrange(len(kernel.body)),
                           stride(rng, expressions, 0, synchronises and rng.random() < 0.3))
    kernel.whole_warps = any(s.kind == "shuffle" and s.data[0] != "rotate" for s in everything(kernel.body))
    if rng.random() < 0.25:  # Whole blocks leave before the barriers.
        kernel.body.insert(rng.randrange(len(kernel.body)), Statement("leaveBlock", (expressions.uniform(), )))
    if rng.random() < 0.05:  # Threads leave before barriers: refused, or to be got right.
        kernel.body = without(kernel.body, lambda s: s.kind in NEEDS_ALL)
        kernel.body.insert(rng.randrange(len(kernel.body) + 1), Statement("leave", (expressions.condition(), )))
    elif rng.random() < 0.1:  # Whole warps leave before barriers and warp primitives.
        kernel.body = without(kernel.body, lambda s: s.kind in NEEDS_ALL - {"shuffle"})
        kernel.body.insert(rng.randrange(len(kernel.body) + 1), Statement("leave", (expressions.by_warp(), )))
        kernel.whole_warps = True
    if rng.random() < 0.4:
        kernel.late_exit = expressions.condition()
        kernel.tail = [_statement(rng, expressions, 1, False, 1) for _ in range(2)]
        if rng.random() < 0.3:
            kernel.tail.append(stride(rng, expressions, 1, False, may_leave=True))
    return kernel


class Writer:
    """The text of one kernel: puts barriers where a tile that was touched is written again."""

    ATOMICS = ("atomicAdd", "atomicXor", "atomicMax", "atomicMin", "atomicOr")

    def __init__(self, kernel):
        self.kernel, self.lines, self.touched, self.depth = kernel, [], set(), 1
        self.serial = 0
        self.loop = ""  # the number of the innermost stride loop

    def line(self, text):
        self.lines.append("  " * self.depth + text)

    def barrier(self, text="__syncthreads();"):
        self.line(text)
        self.touched = set()

    def before_write(self, name):
        if name in self.touched:
            self.barrier()

    def block(self, head, body, end="}"):
        self.line(head + " {")
        self.depth += 1
        for statement in body:
            self.statement(statement)
        self.depth -= 1
        self.line(end)

    def slots(self):
        for local in range(LOCALS):
            self.line(f"out[(b * T + t) * {LOCALS}u + {local}u] = v{local};")

    def statement(self, s):
        getattr(self, "on_" + s.kind)(s, *s.data)

    def on_set(self, _, local, value):
        self.line(f"v{local} = {value};")

    def on_atomic(self, _, which, index, value):
        self.line(f"{self.ATOMICS[which]}(&sums[{which * 16 + index}u], {value});")

    def on_lambda(self, _, local, operator, value):
        self.serial += 1
        self.line(
            f"auto local{self.serial} = [&](unsigned x) {{ return x {operator} {value} {operator} threadIdx.x; }};")
        self.line(f"v{local} = local{self.serial}(v{local});")

    def on_cell(self, _, local, operator, value):
        self.line(f"v{local} = Cell{{v{local}}}.step({value}) {operator} 1u;")

    def on_if(self, s, condition):
        before = set(self.touched)
        self.block(f"if ({condition})", s.bodies[0], "} else {" if s.bodies[1] else "}")
        if s.bodies[1]:
            self.touched = before
            self.depth += 1
            for statement in s.bodies[1]:
                self.statement(statement)
            self.depth -= 1
            self.line("}")

    def on_switch(self, s, value):
        self.line(f"switch ({value} % 3u) {{")
        for label, body in zip(("case 0:", "default:"), s.bodies):
            self.block(label, body, "} break;")
        self.line("}")

    def on_while(self, s, value, form, skip):
        self.serial += 1
        i = f"i{self.serial}"
        head = {"while": f"while ({i}-- > 0u)", "do": "do", "break": "while (true)"}[form]
        self.line(f"unsigned {i} = {value} % 4u;")
        self.line(head + " {")
        self.depth += 1
        if form == "break":
            self.line(f"if ({i}-- == 0u) break;")
        if skip and form != "do":
            self.line(f"if ({skip}) continue;")
        for statement in s.bodies[0]:
            self.statement(statement)
        self.depth -= 1
        self.line(f"}} while ({i}-- > 0u);" if form == "do" else "}")

    def on_ifUniform(self, s, condition):
        self.on_if(s, condition)
        self.touched = self.all_tiles()

    def on_for(self, s, count):
        self.serial += 1
        i = f"i{self.serial}"
        self.touched = self.all_tiles()
        self.block(f"for (unsigned {i} = 0u; {i} < {count}; ++{i})", s.bodies[0])
        self.touched = self.all_tiles()

    def on_text(self, _, text):
        of_template = "if constexpr" in text
        self.line(";" if of_template and not self.kernel.template else text.replace("$", self.loop))

    def on_stride(self, s, loop):
        outer, self.serial = self.loop, self.serial + 1
        self.loop = str(self.serial)
        if loop.uniform:
            self.touched = self.all_tiles()
        grid = " * ".join(f"gridDim.{d}" for d in "xyz"[:self.kernel.dimensions])
        self.line("{")
        self.depth += 1
        *before, head = [text.replace("$grid", grid).replace("$", self.loop) for text in loop.lines]
        for text in before:
            self.line(text)
        if len(s.bodies[0]) == 1 and s.bodies[0][0].kind == "text" and loop.bare:
            self.line(head)
            self.depth += 1
            self.statement(s.bodies[0][0])
            self.depth -= 1
        else:
            self.block(head, s.bodies[0])
        self.depth -= 1
        self.line("}")
        self.loop = outer
        if loop.uniform:
            self.touched = self.all_tiles()

    @staticmethod
    def all_tiles():
        return set(TILES) | {"counters"}

    def on_exchange(self, _, tile, local, distance, barrier):
        at = "{}[{} / 16u][{} % 16u]" if tile == "plane" else "{}[{}]"
        self.before_write(tile)
        mine, other = "t", f"((t + {distance}u) % T)"
        self.line(at.format(tile, mine, mine) + f" = v{local};")
        self.barrier(barrier)
        self.line(f"v{local} += " + at.format(tile, other, other) + ";")
        self.touched.add(tile)

    def on_reduce(self, _, which, local, condition):
        self.line(f"v{local} += static_cast<unsigned>(__syncthreads_{which}({condition})) * 3u;")
        self.touched = set()

    def on_counters(self, _, local, value):
        self.before_write("counters")
        self.line("if (t == 0u)")
        self.line("  for (unsigned c = 0u; c < 8u; ++c)")
        self.line("    counters[c] = c;")
        self.barrier()
        self.line(f"atomicAdd(&counters[v{local} % 8u], {value});")
        self.barrier()
        self.line(f"v{local} ^= counters[t % 8u];")
        self.touched.add("counters")

    def on_call(self, _, helper, local):
        self.line(f"v{local} = {helper}(v{local});")
        self.touched = set()

    def on_swapLambda(self, _, local, distance):
        self.serial += 1
        self.before_write("tile")
        self.line(
            f"auto swap{self.serial} = [&](unsigned x) {{ tile[t] = x; __syncthreads(); "
            f"return tile[(t + {distance}u) % T]; }};"
        )
        self.line(f"v{local} ^= swap{self.serial}(v{local});")
        self.touched = {"tile"}

    def on_shuffle(self, _, which, local, distance):
        call = {
            "rotate":
            f"__shfl_sync(0xffffffffu, v{local}, static_cast<int>((t % 32u + {distance}u) % "
            "(T - t / 32u * 32u < 32u ? T % 32u : 32u)))",
            "xor": f"__shfl_xor_sync(0xffffffffu, v{local}, {distance})",
            "up": f"__shfl_up_sync(0xffffffffu, v{local}, {distance})",
            "down": f"__shfl_down_sync(0xffffffffu, v{local}, {distance})"
        }[which]
        self.line(f"v{local} += {call};")

    def on_vote(self, _, which, local, condition):
        self.line(f"v{local} ^= static_cast<unsigned>(__{which}_sync(0xffffffffu, {condition}));")

    def on_sync(self, _):
        self.barrier()

    def on_syncwarp(self, _):
        self.line("__syncwarp();")

    def on_leaveBlock(self, _, condition):
        self.line(f"if ({condition})")
        self.line("  return;")

    def on_leave(self, _, condition):
        self.line(f"if ({condition}) {{")
        self.depth += 1
        self.slots()
        self.line("return;")
        self.depth -= 1
        self.line("}")

    def text(self):
        k = self.kernel
        dims = "xyz"[:k.dimensions]
        if k.template:
            self.lines.append("template <unsigned Extra>")
        head = f"__launch_bounds__({k.bounds}) " if k.bounds else ""
        tail = "Numbers numbers" if k.structure else "unsigned n, unsigned seed"
        self.lines.append(
            f"__global__ void {head}{k.name}(const unsigned *__restrict__ in, unsigned *out, unsigned *sums, {tail}) {{"
        )
        if k.structure:
            self.line("const unsigned n = numbers.n, seed = numbers.seed;")
        self.line("const unsigned T = blockDim.x * blockDim.y * blockDim.z;")
        self.line("const unsigned t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;")
        b = {
            "x": "blockIdx.x",
            "xy": "blockIdx.y * gridDim.x + blockIdx.x",
            "xyz": "(blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x"
        }[dims]
        self.line(f"const unsigned b = {b};")
        kinds = {s.kind for s in everything(k.body)}
        if k.uses("tile") or "swapLambda" in kinds:
            self.line(f"__shared__ unsigned tile[{MAX_THREADS}];")
        if k.uses("plane"):
            self.line(f"__shared__ unsigned plane[{MAX_THREADS // 16}][16];")
        if "counters" in kinds:
            self.line("__shared__ unsigned counters[8];")
        if k.dynamic():
            self.line("extern __shared__ unsigned dynamic[];")
        self.line(
            f"unsigned v0 = in[(b * T + t) % n]{' + Extra' if k.template else ''}, v1 = t * 3u + seed, v2 = b, "
            "v3 = v0 >> 7u;"
        )
        if "leave" in kinds:  # Those who stay read what those who leave would have written.
            for tile in TILES:
                if k.uses(tile) or (tile == "tile" and "swapLambda" in kinds):
                    self.line("plane[t / 16u][t % 16u] = t;" if tile == "plane" else f"{tile}[t] = t;")
            self.line("__syncthreads();")
        for statement in k.body:
            self.statement(statement)
        if k.late_exit:
            self.on_leave(None, k.late_exit)
            for statement in k.tail:
                self.statement(statement)
        self.slots()
        self.lines.append("}")
        return "\n".join(self.lines) + "\n"


def prelude(rng):
    """What the kernels of a file share; equal names mean different things in different files."""
    pick, odd = rng.choice, lambda: rng.randrange(1, 1 << 20) * 2 + 1
    linear = "(threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x"
    threads = "blockDim.x * blockDim.y * blockDim.z"
    table = ", ".join(f"{odd()}u" for _ in range(8))
    limit = pick((f"#define LIMIT {odd()}u", f"enum : unsigned {{ LIMIT = {odd()}u }};",
                  f"static constexpr unsigned LIMIT = {odd()}u;", f"__device__ const unsigned LIMIT = {odd()}u;"))
    twist = pick((f"x * {odd()}u + threadIdx.x", f"x ^ (threadIdx.x + threadIdx.y * {odd()}u)",
                  f"x + blockDim.x * {odd()}u", f"SCALE(x) + {linear}"))
    place = pick((f"x + blockIdx.x * {odd()}u", f"x ^ (gridDim.x * {odd()}u)", "x + threadIdx.z", f"x - {odd()}u",
                  "MIX(x, blockIdx.x)"))
    step = pick(("threadIdx.x", "blockDim.y", "2u"))
    relay = pick(("swap(twist(x))", "twist(swap(x))", "swap(swap(x) + 1u)"))
    deepest = pick(("relay(x + K)", "relay(relay(x) * K)", "K * relay(place(x))"))
    total = pick(("count", "and", "or"))
    hidden = pick((True, False))
    attribute = pick(("", "static ", "inline ", "__forceinline__ ", "__noinline__ "))
    parts = [
        f"#define SCALE(x) ((x) * {odd()}u + {rng.randrange(99)}u)",
        f"#define MIX(a, b) (((a) << {rng.randrange(1, 31)}u) {pick('+^|')} (b))",
        pick(("#define BARRIER __syncthreads();", "#define BARRIER { wait(); }",
              "#define BARRIER do { __syncthreads(); } while (0);")),
        *strides.macro_lines(rng),
        limit,
        pick((f"__constant__ unsigned table[8] = {{{table}}};", f"__device__ const unsigned table[8] = {{{table}}};",
              f"static __device__ constexpr unsigned table[] = {{{table}}};")),
        f"struct Numbers {{ unsigned {pick(('n, seed', 'seed, n'))}; }};",
        f"{attribute}__device__ void wait() {{ __syncthreads(); }}",
        f"{attribute}__device__ unsigned twist(unsigned x) {{ return {twist}; }}",
        "namespace {" if hidden else "",
        f"__device__ unsigned place(unsigned x) {{ return {place}; }}",
        f"template <typename T> __device__ T widen(T x) {{ return static_cast<T>(x + sizeof(T) * {odd()}u); }}",
        "struct Cell {\n  unsigned value;\n"
        f"  __device__ unsigned step(unsigned by) const {{ return value + by * {step}; }}\n}};",
        f"""__device__ unsigned swap(unsigned x) {{
  __shared__ unsigned box[{MAX_THREADS}];
  const unsigned t = {linear}, T = {threads};
  box[t] = x;
  wait();
  x += box[T - 1u - t];
  __syncthreads();
  return x;
}}""",
        "} // namespace" if hidden else "",
        f"__device__ unsigned relay(unsigned x) {{ return {relay}; }}",
        f"template <unsigned K> __device__ unsigned deepest(unsigned x) {{ return {deepest}; }}",
        f"__device__ unsigned total(unsigned x) {{ return x + unsigned(__syncthreads_{total}(x % 5u > 1u)); }}",
        "struct Steps {\n  static __device__ unsigned both(unsigned x) { return total(relay(x)); }\n};",
    ]
    return parts


class File:

    def __init__(self, letter, parts, kernels):
        self.letter, self.parts, self.kernels = letter, parts, kernels

    def text(self):
        return "\n".join(part for part in self.parts if part) + "\n\n" + "\n".join(
            Writer(kernel).text() for kernel in self.kernels)


def make_file(rng, letter, kernels):
    parts = prelude(rng)
    return File(letter, parts, [make_kernel(rng, f"k{at}") for at in range(kernels)])
