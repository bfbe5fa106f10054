"""Random kernels for graphs: pointwise ones in the forms that are recognised, and in forms that come near to them.

A kernel is plain data, so that a shrinker can make it simpler; `text` writes it out.
"""
import collections
import re

from chainvalues import BYTES, COMPUTE, expression, from_compute, literal, to_compute, vector

# A parameter: `role` is in, out, both, index (of what to gather), size (then `what` is a symbol) or value (a literal).
Parameter = collections.namedtuple("Parameter", "name role type what", defaults=("", ))
# What is loaded from a parameter, and how; what is stored, and how.
Input = collections.namedtuple("Input", "name type mode restrict")
Output = collections.namedtuple("Output", "name type mode value restrict both", defaults=(False, ))

OWN_LOADS = ("own", "own", "own", "own", "pointer", "moved", "walked", "ldg", "twice", "auto", "reference", "helper",
             "captured")
BROADCASTS = ("remainder", "quotient", "first")
OTHER_LOADS = ("gather", "next", "before", "reversed", "half", "flipped", "narrow", "wrapped", "shadowed")
OWN_STORES = ("own", ) * 7 + ("pointer", "pointer", "sides", "sides", "cached", "late", "again", "compound", "helper",
                                "named", "stepped")
OTHER_STORES = ("sometimes", "atomic", "shifted", "reversed", "two", "scattered", "ternary")
GUARDS = ("if", "if", "return", "for", "for", "while", "not", "last")
OTHER_GUARDS = ("carried", "stops", "repeated", "repeated", "continued", "ternary", "and", "less", "break", "twoBounds", "odd", "data", "plane", "from")
GROUPS = ("blocked", ) * 4 + ("blockedBreak", "blockedStride") + ("vector", "vectorTail") * 3
INDICES = ("int", "int", "unsigned", "long long", "size_t")


def pointer(parameter, template):
    """The declaration of an array parameter."""
    const = "const " if isinstance(parameter, Input) else ""
    kind = "T" if parameter.type == template and parameter.mode != "index" else parameter.type
    return f"{const}{kind} *{'__restrict__ ' if parameter.restrict else ''}{parameter.name}"


class Kernel:
    """What all kinds have: `name`, `inputs`, `outputs`, `sizes` (symbols by parameter), `values`, `prelude`."""

    dimensions = 1
    shape = None  # The block, where the kernel has one of its own.
    template = False
    letter = ""  # of its file
    near = False  # Does it come near to its kind, but may not be fused as such?

    def __init__(self, name):
        self.name = name
        self.inputs, self.outputs, self.values = [], [], []
        self.sizes = []  # (parameter, type, symbol)
        self.prelude = []

    def parameters(self):
        """In the order of the text."""
        found = [Parameter(i.name, "index" if i.mode == "index" else "in", i.type, i.mode) for i in self.inputs]
        found += [Parameter(o.name, "both" if o.both else "out", o.type, o.mode) for o in self.outputs]
        found += [Parameter(name, "size", kind, symbol) for name, kind, symbol in self.sizes]
        return found + [Parameter(name, "value", kind, what) for name, kind, what in self.values]

    def head(self, attributes=""):
        parts = [pointer(p, self.template) for p in self.inputs + self.outputs]
        parts += [f"{kind} {name}" for name, kind, _ in self.sizes + self.values]
        start = "template <typename T>\n" if self.template else ""
        return f"{start}__global__ void {attributes}{self.name}({', '.join(parts)}) {{\n"

    def place(self):
        return f"{self.letter}.cu:{self.spelled()}"

    def spelled(self):
        return f"{self.name}<{self.template}>" if self.template else self.name

    def size(self, symbol):
        return next(name for name, _, known in self.sizes if known == symbol)

    def simpler(self):
        """Functions that each take something away."""
        for at in range(len(self.outputs)):
            yield lambda kernel, at=at: kernel.outputs.__setitem__(at, kernel.outputs[at]._replace(value=kernel.plainest()))
            if len(self.outputs) > 1:
                yield lambda kernel, at=at: kernel.outputs.pop(at)
            yield lambda kernel, at=at: kernel.outputs.__setitem__(at, kernel.outputs[at]._replace(mode="own"))
        for at in range(len(self.inputs)):
            yield lambda kernel, at=at: kernel.inputs.pop(at)
            yield lambda kernel, at=at: kernel.inputs.__setitem__(at, kernel.inputs[at]._replace(mode="own"))
        yield lambda kernel: kernel.prelude.clear()
        yield lambda kernel: kernel.values.clear()
        for field, plain in (("index", "int"), ("guard", "if"), ("statements", []), ("reduction", None), ("template", "")):
            if getattr(self, field, plain) != plain:
                yield lambda kernel, field=field, plain=plain: setattr(kernel, field, plain)

    def plainest(self):
        """The simplest expression of what an output may be."""
        return "v0"

    def text(self):
        return "".join(line + "\n" for line in self.prelude) + self.head() + self.body() + "}\n"


class Pointwise(Kernel):
    """Each output from the inputs at the same element, or nearly so."""

    kind = "pointwise"

    def __init__(self, name, compute, index, guard, width):
        super().__init__(name)
        self.compute, self.index, self.guard, self.width = compute, index, guard, width
        self.statements = []
        self.casts = False  # Are small floats converted by casts?
        self.deduces = ""  # How variables that hold an element to be changed are declared, if at all.
        self.macros = False  # Do macros write indices, conditions and loops?

    def grid(self, block):
        """Blocks, as an expression of the sizes."""
        if self.guard in ("for", "while", "blockedStride", "repeated", "stops", "break", "from", "carried"):
            return "2"
        if self.guard == "plane":
            return "2, 2"
        return f"(n + {block * self.width - 1}) / {block * self.width} + (n == 0)"

    def load(self, number):
        """The loaded element as a value."""
        given = self.inputs[number]
        i, name, n = "i", given.name, self.size("n") if any(s[2] == "n" for s in self.sizes) else "0"
        at = {
            "own": f"{name}[{i}]",
            "twice": f"{name}[{i}]",
            "auto": f"{name}Value",
            "reference": f"{name}Value",
            "pointer": f"*({name} + {i})",
            "moved": f"*{name}At",
            "walked": f"*{name}At",
            "captured": f"{name}Of(i)",
            "ldg": f"__ldg(&{name}[{i}])" if BYTES[given.type] != 2 else f"__ldg({name} + {i})",
            "remainder": f"{name}[{i} % columns]",
            "quotient": f"{name}[{i} / columns]",
            "first": f"{name}[0]",
            "gather": f"{name}[from[{i}]]",
            "next": f"{name}[{i} + 1 < {n} ? {i} + 1 : {i}]",
            "before": f"{name}[{i} > 0 ? {i} - 1 : {i}]",
            "reversed": f"{name}[{n} - 1 - {i}]",
            "half": f"{name}[{i} / 2]",
            "flipped": f"{name}[({i} ^ 1) < {n} ? ({i} ^ 1) : {i}]",
            "narrow": f"{name}[static_cast<unsigned char>({i})]",
            "wrapped": f"{name}[(static_cast<unsigned>({i}) << 26) >> 26]",
            "shadowed": f"{name}[{name}Shadow]",
            "helper": f"loaded(&{name}[0], {i})",
            "index": "0"
        }[given.mode]
        value = to_compute(given.type, self.compute, at, self.casts)
        if given.mode == "twice":
            value = f"({value} + {value})"
        return value

    def before_load(self, number):
        given = self.inputs[number]
        if given.mode == "moved":
            return f"const {given.type} *{given.name}At = {given.name} + i;\n"
        if given.mode == "walked":
            return f"const {given.type} *{given.name}At = {given.name};\n{given.name}At += i;\n"
        if given.mode == "captured":
            return f"const auto {given.name}Of = [=]({self.index} at) {{ return {given.name}[at]; }};\n"
        if given.mode in ("auto", "reference"):
            kind = "auto " if given.mode == "auto" else f"{given.type} &"
            return f"const {kind}{given.name}Value = {given.name}[i];\n"
        if given.mode == "shadowed":
            return f"{self.index} {given.name}Shadow = i;\n{{\n  {self.index} i = 0;\n  {given.name}Shadow -= i;\n}}\n" \
                   + (f"if (v{number - 1} > 9)\n  {given.name}Shadow = 0;\n" if number else "")
        return ""

    def store(self, output):
        value = from_compute(self.compute, output.type, output.value)
        other = from_compute(self.compute, output.type, "v0")
        name, n = output.name, self.size("n") if any(s[2] == "n" for s in self.sizes) else "1"
        zero = {"__half": "__float2half(0.0f)", "__nv_bfloat16": "__float2bfloat16(0.0f)"}.get(output.type, "0")
        return {
            "own": f"{name}[i] = {value};",
            "pointer": f"*({name} + i) = {value};",
            "sides": f"if (v0 < {output.value})\n  {name}[i] = {value};\nelse\n  {name}[i] = {other};",
            "cached": f"__stcs(&{name}[i], static_cast<{output.type}>({value}));" if BYTES[output.type] > 2 else f"{name}[i] = {value};",
            "late": f"{output.type} {name}Made = {zero};\nfor (int turn = 0; turn < 3; ++turn)\n"
                    f"  {name}Made = {value};\n{name}[i] = {name}Made;",
            "again": f"{name}[i] = {zero};\n{name}[i] = {value};",
            "compound": f"{name}[i] = {value};\n{name}[i] = {name}[i] + {name}[i];",
            "update": f"{name}[i] = {value};",
            "clamp": f"if (v0 < {output.value})\n  {name}[i] = {value};",
            "sometimes": f"if (v0 < {output.value})\n  {name}[i] = {value};",
            "atomic": f"atomicAdd(&{name}[i], {value});",
            "shifted": f"{name}[i + 1] = {value};",
            "reversed": f"{name}[{n} - 1 - i] = {value};",
            "helper": f"stored({name}, i, static_cast<{output.type}>({value}));",
            "named": f"{output.type} &{name}Element = {name}[i];\n{name}Element = {value};",
            "stepped": f"{output.type} *{name}At = {name} + 1;\n{name}At += i;\n*--{name}At = {value};",
            "two": f"if (i % 2 == 0) {{\n  {name}[i] = {value};\n  {name}[i + 1] = {other};\n}}",
            "scattered": f"{name}[from[i]] = {value};",
            "ternary": f"*(v0 < {output.value} ? {name} + i : i + {name}) = {value};"
        }[output.mode]

    def element(self):
        """What is done for element `i`."""
        lines = []
        for number, given in enumerate(self.inputs):
            if given.mode == "index":
                continue
            lines.append(self.before_load(number) + f"const {self.compute} v{number} = {self.load(number)};")
        for output in self.outputs:
            if output.both:
                at = f"{output.name}[i]"
                if self.deduces:
                    lines.append(f"const {self.deduces} {output.name}Value = {at};")
                    at = f"{output.name}Value"
                value = to_compute(output.type, self.compute, at, self.casts)
                lines.append(f"const {self.compute} v{self.own(output)} = {value};")
        lines += self.statements + [self.store(output) for output in self.outputs]
        return "\n".join(lines) + "\n"

    def own(self, output):
        """The number of the value that is loaded from an output."""
        return sum(given.mode != "index" for given in self.inputs) + self.outputs.index(output)

    def body(self):
        text = self.plain_body()
        if not self.macros:
            return text
        for macro, parameters, what in WRITTEN:
            pattern = re.escape(what)
            for at, parameter in enumerate(parameters):
                pattern = pattern.replace(re.escape(f"<{at}>"), f"(?P<{parameter}>[\\w ]+)", 1).replace(
                    re.escape(f"<{at}>"), f"(?P={parameter})")
            use = macro + (f"({', '.join(f'{chr(92)}g<{p}>' for p in parameters)})" if parameters else "")
            text = re.sub(pattern, use, text)
        return text

    def plain_body(self):
        index, n = self.index, self.size("less" if self.guard == "less" else "n")
        start = "blockIdx.x * blockDim.x + threadIdx.x"
        define = f"const {index} i = {start};\n"
        element = self.element()
        if self.guard in ("blocked", "blockedBreak", "blockedStride", "vector", "vectorTail"):
            return self.groups(n, element)
        if self.guard in ("for", "while"):
            step = "blockDim.x * gridDim.x"
            if self.guard == "for":
                return f"for ({index} i = {start}; i < {n}; i += {step}) {{\n{element}}}\n"
            return f"{index} i = {start};\nwhile (i < {n}) {{\n{{\n{element}}}\ni += {step};\n}}\n"
        if self.guard == "repeated":
            return f"for (int again = 0; again < 2; ++again)\nfor ({index} i = {start}; i < {n}; " \
                   f"i += blockDim.x * gridDim.x) {{\n{element}}}\n"
        if self.guard == "continued":
            return f"for ({index} turn = 0; turn < 1; ++turn) {{\n{define}if (i >= {n})\n  continue;\n{element}}}\n"
        if self.guard == "ternary":
            return f"{define}const {self.compute} ahead = i < {n} ? {self.ahead()} : 0;\nif (i < {n}) {{\n{element}" \
                   f"if (ahead > 1000000)\n  return;\n}}\n"
        if self.guard == "from":
            return f"for ({index} i = {start} + 1; i < {n}; i += blockDim.x * gridDim.x) {{\n{element}}}\n"
        if self.guard == "stops":
            return f"for ({index} i = {start}; i < {n} && {self.ahead()} < 25; i += blockDim.x * gridDim.x) {{\n{element}}}\n"
        if self.guard == "carried":
            output = self.outputs[0]
            return f"{self.compute} sum = 0, *kept = &sum;\nfor ({index} i = {start}; i < {n}; i += blockDim.x * gridDim.x) " \
                   f"{{\n{element}*kept = *kept + v0;\n{output.name}[i] = " \
                   f"{from_compute(self.compute, output.type, '*kept')};\n}}\n"
        if self.guard == "break":
            return f"for ({index} i = {start}; i < {n}; i += blockDim.x * gridDim.x) {{\n{element}" \
                   "if (v0 > 20)\n  break;\n}\n"
        if self.guard == "plane":
            start = "(blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x"
            return f"for ({index} i = {start}; i < {n}; i += blockDim.x * gridDim.x * gridDim.y) {{\n{element}}}\n"
        if self.guard == "data":
            return f"{define}if (i >= {n})\n  return;\n{self.first()}if (first > 20)\n  return;\n{element}"
        if self.guard == "odd":
            return f"{index} i = {start};\nif (i % 2 == 1)\n  i = i - 1;\nif (i < {n}) {{\n{element}}}\n"
        condition = {
            "if": f"i < {n}",
            "less": f"i < {n}",
            "not": f"!(i >= {n})",
            "last": f"{n} > i",
            "and": f"i >= 0 && i < {n}",
            "twoBounds": f"i < {n} && i < {n} / 2 + 5"
        }
        if self.guard == "return":
            return f"{define}if (i >= {n})\n  return;\n{element}"
        return f"{define}if ({condition[self.guard]}) {{\n{element}}}\n"

    def ahead(self):
        """An element that is loaded before the others."""
        own = [given for given in self.inputs if given.mode == "own"]
        return to_compute(own[0].type, self.compute, f"{own[0].name}[i]", self.casts) if own else "1"

    def first(self):
        given = (self.inputs + self.outputs)[0]
        return f"const {self.compute} first = {to_compute(given.type, self.compute, given.name + '[i]')};\n"

    def groups(self, n, element):
        index, width = self.index, self.width
        thread = f"const {index} t = blockIdx.x * blockDim.x + threadIdx.x;\n"
        turn = f"for (int k = 0; k < {width}; ++k) {{\nconst {index} i = {width} * t + k;\n"
        if self.guard == "blocked":
            return f"{thread}{turn}if (i < {n}) {{\n{element}}}\n}}\n"
        if self.guard == "blockedBreak":
            return f"{thread}{turn}if (i >= {n})\n  break;\n{element}}}\n"
        if self.guard == "blockedStride":
            return f"for ({index} t = {width} * (blockIdx.x * blockDim.x + threadIdx.x); t < {n}; " \
                   f"t += {width} * blockDim.x * gridDim.x) {{\nfor (int k = 0; k < {width}; ++k) {{\n" \
                   f"const {index} i = t + k;\nif (i < {n}) {{\n{element}}}\n}}\n}}\n"
        whole = self.vectors()
        if self.guard == "vector":
            return f"{thread}if (t < {n} / {width}) {{\n{whole}}}\n"
        return f"{thread}const {index} start = {width} * t;\nif (start + {width} <= {n}) {{\n{whole}}} else {{\n" \
               f"for ({index} i = start; i < {n}; ++i) {{\n{element}}}\n}}\n"

    def vectors(self):
        """A group of elements by vectors, the `t`-th one."""
        lines, width = [], self.width
        for given in self.inputs + [output for output in self.outputs if output.both]:
            size = width * BYTES[given.type]
            piece = min(size, 16)
            kind, pieces = vector(given.type, piece), size // min(size, 16)
            lines.append(f"{kind} {given.name}Wide[{pieces}];")
            lines += [
                f"{given.name}Wide[{at}] = reinterpret_cast<const {kind} *>({given.name})"
                f"[{pieces} * t + {at}];" if pieces > 1 else
                f"{given.name}Wide[0] = reinterpret_cast<const {kind} *>({given.name})[t];" for at in range(pieces)
            ]
        for output in self.outputs:
            size = width * BYTES[output.type]
            lines.append(f"{vector(output.type, min(size, 16))} {output.name}Made[{size // min(size, 16)}];")
        lines.append(f"for (int k = 0; k < {width}; ++k) {{")
        for number, given in enumerate(self.inputs):
            at = f"reinterpret_cast<const {given.type} *>({given.name}Wide)[k]"
            lines.append(f"const {self.compute} v{number} = {to_compute(given.type, self.compute, at)};")
        for output in self.outputs:
            if output.both:
                at = f"reinterpret_cast<const {output.type} *>({output.name}Wide)[k]"
                lines.append(f"const {self.compute} v{self.own(output)} = {to_compute(output.type, self.compute, at)};")
        lines += self.statements
        for output in self.outputs:
            value = from_compute(self.compute, output.type, output.value)
            lines.append(f"reinterpret_cast<{output.type} *>({output.name}Made)[k] = {value};")
        lines.append("}")
        for output in self.outputs:
            size = width * BYTES[output.type]
            kind, pieces = vector(output.type, min(size, 16)), size // min(size, 16)
            for at in range(pieces):
                index = f"{pieces} * t + {at}" if pieces > 1 else "t"
                lines.append(f"reinterpret_cast<{kind} *>({output.name})[{index}] = {output.name}Made[{at}];")
        return "\n".join(lines) + "\n"


# What macros write: their names, parameters, and text, whose parameters are <0>, <1>, ….
WRITTEN = (("EACH", ("kind", "bound"), "for (<0> i = blockIdx.x * blockDim.x + threadIdx.x; i < <1>; i += blockDim.x * gridDim.x)"),
           ("START", (), "blockIdx.x * blockDim.x + threadIdx.x"), ("INSIDE", ("bound", ), "if (i < <0>)"))


def definition(macro, parameters, what):
    for at, parameter in enumerate(parameters):
        what = what.replace(f"<{at}>", parameter)
    return f"#define {macro}{'(' + ', '.join(parameters) + ')' if parameters else ''} {what}"


HELPERS = """template <typename E, typename I> __device__ E loaded(const E *from, I at) { return from[at]; }
template <typename E, typename I> __device__ void stored(E *to, I at, E value) { to[at] = value; }"""


def add_statements(rng, kernel, leaves):
    """Local code between the loads and the stores."""
    compute = kernel.compute
    kind = rng.random()
    if kind < 0.15:
        kernel.statements.append(f"{compute} sum = {rng.choice(leaves)};\nfor (int turn = 0; turn < 3; ++turn)\n"
                                 f"  sum = sum + {expression(rng, compute, leaves, 1)};")
        return leaves + ["sum"]
    if kind < 0.25:
        kernel.prelude.append(f"#define MIX(a, b) ((a) + (b) * {literal(rng, compute)})")
        kernel.statements.append(f"const {compute} mixed = MIX({rng.choice(leaves)}, {rng.choice(leaves)});")
        return leaves + ["mixed"]
    if kind < 0.4:
        kernel.prelude.append(f"__device__ inline {compute} bent({compute} x) {{ return "
                              f"{expression(rng, compute, ['x'], 2)}; }}")
        kernel.statements.append(f"const {compute} turned = bent({rng.choice(leaves)});")
        return leaves + ["turned"]
    if kind < 0.47:
        kernel.prelude.append(f"__constant__ {compute} shares[3] = {{1, 2, 3}};\nconstexpr int Chosen = "
                              f"{rng.randrange(3)};")
        kernel.statements.append(f"const {compute} part = shares[Chosen] + {rng.choice(leaves)};")
        return leaves + ["part"]
    if kind < 0.55:
        kernel.statements.append(f"{compute} chosen = {rng.choice(leaves)};\nif (chosen > {literal(rng, compute)})\n"
                                 f"  chosen = {expression(rng, compute, leaves, 1)};")
        return leaves + ["chosen"]
    return leaves


def make_pointwise(rng, name, types, out_types, wants, near):
    """A pointwise kernel of inputs and outputs of these types; `wants` says what else it may have: groups, broadcasts,
    an update in place (of the type of the first input, which it then takes). `near`: with one thing that is not
    pointwise, or for which a kernel must be refused in some graphs."""
    compute = COMPUTE[rng.choice(types + out_types)]
    group = "groups" in wants
    guard = rng.choice(GROUPS) if group else rng.choice(GUARDS)
    width = wants["groups"] if group else 1
    kernel = Pointwise(name, compute, rng.choice(INDICES), guard, width)
    twist = rng.choice(("guard", "load", "store", "restrict")) if near and not group else None
    kernel.near = twist is not None
    plain = group
    for at, kind in enumerate(types):
        mode = "own" if plain else rng.choice(OWN_LOADS)
        if twist == "load" and at == 0:
            mode = rng.choice(OTHER_LOADS)
        elif at and "broadcasts" in wants and not plain and rng.random() < 0.4:
            mode = rng.choice(BROADCASTS)
        kernel.inputs.append(Input("in" + "abcdef"[at], kind, mode, True))
    leaves = [f"v{at}" for at in range(len(types))]
    if "update" in wants:
        kernel.inputs.pop(0)
        kernel.outputs.append(Output("x", types[0], rng.choice(("update", "clamp")) if not plain else "update", "", True, True))
        leaves = [f"v{at}" for at in range(len(types))]
    if rng.random() < 0.4:
        kernel.values.append(("by", compute, literal(rng, compute)))
        leaves.append("by")
    if twist == "guard":
        # By "odd", two threads compute one element.
        kernel.guard = rng.choice([g for g in OTHER_GUARDS if g != "odd" or "update" not in wants])
    leaves = add_statements(rng, kernel, leaves)
    for at, kind in enumerate(out_types):
        mode = "own" if plain else rng.choice(OWN_STORES)
        if twist == "store" and at == 0:
            mode = rng.choice([m for m in OTHER_STORES if m != "atomic" or kind in ("int", "unsigned", "float")])
        if kind in ("__half", "__nv_bfloat16") and mode == "compound":
            mode = "own"
        kernel.outputs.append(Output("out" + ("" if at == 0 else str(at)), kind, mode, "", True))
    kernel.outputs = [o._replace(value=expression(rng, compute, leaves, rng.choice((1, 2, 3)))) for o in kernel.outputs]
    if twist == "restrict":
        kernel.inputs = [i._replace(restrict=False) for i in kernel.inputs]
        kernel.outputs = [o._replace(restrict=rng.random() < 0.3) for o in kernel.outputs]
    modes = [p.mode for p in kernel.inputs + kernel.outputs]
    if "gather" in modes or "scattered" in modes:
        kernel.inputs.append(Input("from", "int", "index", True))
    if "helper" in modes:
        kernel.prelude.append(HELPERS)
    size = rng.choice(("int", "int", "unsigned", "long long"))
    kernel.casts, kernel.deduces = rng.random() < 0.4, rng.choice(("", "", "auto", "auto &"))
    if rng.random() < 0.12:
        kernel.macros = True
        kernel.prelude += [definition(*macro) for macro in WRITTEN]
    kernel.sizes.append(("n", size, "less" if kernel.guard == "less" else "n"))
    if kernel.guard == "less" and any(m in modes for m in ("next", "reversed", "flipped")):
        kernel.sizes.append(("all", size, "n"))
    if "remainder" in modes or "quotient" in modes:
        kernel.sizes.append(("columns", "int", "columns"))
    if not group and "update" not in wants and rng.random() < 0.12 and len(set(types)) == 1 and types[0] == out_types[0]:
        kernel.template = types[0]
    return kernel
