"""Random kernels that work on rows, and others that are neither pointwise nor by row."""

from chainkernels import Input, Kernel, Output
from chainvalues import COMPUTE, expression, from_compute, is_float, literal, to_compute

ROW_LOADS = ("own", "own", "own", "pointer", "ldg", "row")
OTHER_ROW_LOADS = ("neighbour", "otherRow", "head", "reversed", "tail")
OTHER_SCALAR_LOADS = ("otherScalar", "firstScalar")
OTHER_ROW_STORES = ("sometimes", "shifted", "twice", "otherRow", "once")
OTHER_SCALAR_STORES = ("lastThread", "allThreads", "someRows", "data")


class Row(Kernel):
    """A block for each row: loops over its elements, with reductions between. Elements are at `blockIdx.x * pitch + i`."""

    kind = "row"

    def __init__(self, name, compute, index, block):
        super().__init__(name)
        self.compute, self.index, self.block = compute, index, block
        self.guard = ""  # of the rows: "", if, return
        self.reduction = None  # What is added up, over the elements.
        self.method = "tree"  # of the reduction: tree, serial, atomic, shuffle
        self.scalars, self.columns = set(), set()  # Inputs by their names: one for each row, one for each column.
        self.loop = "plain"
        self.thread = "threadIdx.x"  # Or a variable.
        self.pitch = "columns"  # The symbol of the distance of rows.

    def grid(self, block):
        return "rows + (rows == 0)"

    def guarded(self, guard):
        """Under a condition on the rows, or none."""
        self.guard = guard
        self.sizes = [size for size in self.sizes if size[0] != "rows"] + ([("rows", "int", "rows")] if guard else [])

    def distance(self):
        return self.size(self.pitch)

    def load(self, given, number):
        row, i, name, columns = f"blockIdx.x * {self.distance()}", "i", given.name, self.size("columns")
        at = {
            "own": f"{name}[{row} + {i}]",
            "row": f"{name}Row[{i}]",
            "pointer": f"*({name} + {row} + {i})",
            "ldg": f"__ldg({name} + {row} + {i})",
            "neighbour": f"{name}[{row} + (i + 1) % {columns}]",
            "otherRow": f"{name}[(blockIdx.x + 1) % gridDim.x * {self.distance()} + i]",
            "head": f"{name}[{row}]",
            "reversed": f"{name}[{row} + {columns} - 1 - i]",
            "tail": f"{name}[{row} + (i + 1 < {columns} ? i + 1 : i)]",
            "column": f"{name}[i]",
            "scalar": f"{name}[blockIdx.x]",
            "otherScalar": f"{name}[(blockIdx.x + 1) % gridDim.x]",
            "firstScalar": f"{name}[0]"
        }[given.mode]
        return f"const {self.compute} v{number} = {to_compute(given.type, self.compute, at)};\n"

    def loads(self):
        return "".join(self.load(given, number) for number, given in enumerate(self.inputs))

    def around(self, body):
        """The loop over the row."""
        step = str(self.block) if self.loop == "constant" else "blockDim.x"
        start = self.thread + " + 1" if self.loop == "late" else self.thread
        end = {"short": f"{self.size('columns')} - 1"}.get(self.loop, self.size("columns"))
        if self.loop == "while":
            return f"{{\n{self.index} i = {self.thread};\nwhile (i < {end}) {{\n{{\n{body}}}\ni += {step};\n}}\n}}\n"
        return f"for ({self.index} i = {start}; i < {end}; i += {step}) {{\n{body}}}\n"

    def reduced(self):
        """All threads have `sum` behind this."""
        zero = "0"
        add = f"sum = {'fmaxf' if self.compute == 'float' and self.method == 'tree' else ''}" \
              f"{'(sum, ' if self.compute == 'float' and self.method == 'tree' else 'sum + ('}{self.reduction});\n"
        text = f"{self.compute} sum = {zero};\n" + self.around(self.loads() + add)
        if self.method == "atomic":
            return f"__shared__ {self.compute} total;\nif (threadIdx.x == 0)\n  total = 0;\n__syncthreads();\n{text}" \
                   "atomicAdd(&total, sum);\n__syncthreads();\nsum = total;\n"
        text = f"__shared__ {self.compute} parts[{self.block}];\n{text}parts[threadIdx.x] = sum;\n__syncthreads();\n"
        if self.method == "serial":
            return f"{text}sum = 0;\nfor (int j = 0; j < {self.block}; ++j)\n  sum = sum + parts[j];\n"
        return f"{text}for (unsigned half = {self.block} / 2; half > 0; half /= 2) {{\n  if (threadIdx.x < half)\n" \
               "    parts[threadIdx.x] = parts[threadIdx.x] + parts[threadIdx.x + half];\n  __syncthreads();\n}\n" \
               "sum = parts[0];\n"

    def store_scalar(self, output):
        store = f"{output.name}[blockIdx.x] = {from_compute(self.compute, output.type, output.value)};\n"
        condition = {
            "scalar": f"{self.thread} == 0",
            "lastThread": f"threadIdx.x == {self.block - 1}",
            "allThreads": "",
            "someRows": "threadIdx.x == 0 && blockIdx.x > 0",
            "data": "threadIdx.x == 0 && sum > 3"
        }[output.mode]
        return f"if ({condition})\n  {store}" if condition else store

    def store(self, output):
        row, name = f"blockIdx.x * {self.distance()}", output.name
        value = from_compute(self.compute, output.type, output.value)
        return {
            "own": f"{name}[{row} + i] = {value};\n",
            "row": f"{name}Row[i] = {value};\n",
            "sometimes": f"if (v0 < {output.value})\n  {name}[{row} + i] = {value};\n",
            "sides": f"if (v0 < {output.value})\n  {name}[{row} + i] = {value};\nelse\n  {name}[{row} + i] = "
                     f"{from_compute(self.compute, output.type, 'v0')};\n",
            "shifted": f"{name}[{row} + (i + 1) % {self.size('columns')}] = {value};\n",
            "twice": f"{name}[{row} + i] = {from_compute(self.compute, output.type, 'v0')};\n"
                     f"{name}[{row} + i] = {value};\n",
            "otherRow": f"{name}[(gridDim.x - 1 - blockIdx.x) * {self.distance()} + i] = {value};\n",
            "once": f"if (i < {self.size('columns')} / 2)\n  {name}[{row} + i] = {value};\n"
        }[output.mode]

    def body(self):
        text = "" if self.thread == "threadIdx.x" else f"const int {self.thread} = threadIdx.x;\n"
        for parameter in self.inputs + self.outputs:
            if parameter.mode == "row":
                const = "const " if isinstance(parameter, Input) else ""
                text += f"{const}{parameter.type} *{parameter.name}Row = {parameter.name} + blockIdx.x * " \
                        f"{self.distance()};\n"
        if self.reduction:
            text += self.reduced()
        scalars = [o for o in self.outputs if o.name.startswith("scalar")]
        rows = [o for o in self.outputs if not o.name.startswith("scalar")]
        text += "".join(self.store_scalar(output) for output in scalars)
        if rows:
            text += self.around(self.loads() + "".join(self.store(output) for output in rows))
        if self.guard == "if":
            return f"if (blockIdx.x < {self.size('rows')}) {{\n{text}}}\n"
        if self.guard == "return":
            return f"if (blockIdx.x >= {self.size('rows')})\n  return;\n{text}"
        return text


def make_row(rng, name, elements, scalars, out, block, near):
    """`elements` and `scalars`: types of inputs; `out`: types of the elements and of the scalars that it makes."""
    types, made = out
    compute = COMPUTE[rng.choice(elements + types)] if elements + types else "float"
    compute = {"double": "float", "long long": "int", "unsigned": "int"}.get(compute, compute)
    kernel = Row(name, compute, rng.choice(("int", "int", "unsigned", "size_t")), block)
    twist = rng.choice(("load", "store", "loop", "scalar", "restrict")) if near else None
    for at, kind in enumerate(elements):
        mode = rng.choice(OTHER_ROW_LOADS) if twist == "load" and at == 0 else rng.choice(ROW_LOADS)
        kernel.inputs.append(Input("in" + "abcdef"[at], kind, mode, True))
    for at, kind in enumerate(scalars):
        mode = rng.choice(OTHER_SCALAR_LOADS) if twist == "scalar" and at == 0 else "scalar"
        kernel.inputs.append(Input(f"of{at}", kind, mode, True))
    if rng.random() < 0.3:
        kernel.inputs.append(Input("weight", "float" if is_float(compute) else "int", "column", True))
    leaves = [f"v{number}" for number in range(len(kernel.inputs))]
    if made or rng.random() < 0.4:
        kernel.reduction = expression(rng, compute, leaves, 1)
        kernel.method = rng.choice(("tree", "serial") if is_float(compute) else ("tree", "serial", "atomic"))
    if rng.random() < 0.3:
        kernel.values.append(("by", compute, literal(rng, compute)))
        leaves.append("by")
    for at, kind in enumerate(made):
        mode = rng.choice(OTHER_SCALAR_STORES) if twist == "scalar" and at == 0 else "scalar"
        kernel.outputs.append(Output("scalar" + str(at), kind, mode, expression(rng, compute, ["sum"], 1), True))
    for at, kind in enumerate(types):
        mode = rng.choice(OTHER_ROW_STORES) if twist == "store" and at == 0 else rng.choice(("own", "own", "row", "sides"))
        known = leaves + ["sum"] * (2 if kernel.reduction else 0)
        kernel.outputs.append(Output("out" + ("" if at == 0 else str(at)), kind, mode, expression(rng, compute, known), True))
    if twist == "restrict":
        kernel.inputs = [i._replace(restrict=False) for i in kernel.inputs]
    kernel.loop = rng.choice(("short", "late")) if twist == "loop" else rng.choice(("plain", "plain", "plain", "plain", "constant", "constant", "while"))
    kernel.sizes.append(("columns", rng.choice(("int", "int", "unsigned", "size_t")), "columns"))
    kernel.guarded(rng.choice(("", "", "if", "return")))
    kernel.thread = rng.choice(("threadIdx.x", "threadIdx.x", "tid"))
    return kernel


class Opaque(Kernel):
    """Kernels whose text is given, with an expression of the loaded value `v0` (and `v1`) put in."""

    kind = "opaque"

    def __init__(self, name, form, compute, value):
        super().__init__(name)
        self.form, self.compute, self.value = form, compute, value
        self.shape = {"transposed": (16, 4, 1), "product": (8, 8, 1), "plane": (16, 4, 1)}.get(form)
        self.dimensions = 2 if self.shape else 1

    def grid(self, block):
        flat = f"(n + {block - 1}) / {block} + (n == 0)"
        return {
            "transposed": "(columns + 15) / 16 + (columns == 0), (rows + 15) / 16 + (rows == 0)",
            "product": "(columns + 7) / 8 + (columns == 0), (rows + 7) / 8 + (rows == 0)",
            "plane": "(columns + 15) / 16 + (columns == 0), (rows + 3) / 4 + (rows == 0)",
            "spaced": f"(n + {4 * block - 1}) / {4 * block} + (n == 0)",
            "warps": f"(rows * 32 + {block - 1}) / {block} + (rows == 0)",
            "columns": f"(columns + {block - 1}) / {block} + (columns == 0)",
            "rowOf": "rows + (rows == 0)"
        }.get(self.form, flat)

    def body(self):
        given, output = self.inputs[0], self.outputs[0]
        compute = self.compute
        i = "const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        xy = "const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;\n"

        def value(at):
            return to_compute(given.type, compute, at)

        def store(at, text):
            return f"out[{at}] = {from_compute(compute, output.type, text)};\n"

        def with_value(at):
            return f"const {compute} v0 = {value(at)};\n"

        return {
            "transposed": f"__shared__ {given.type} tile[16][17];\nint x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 "
                          "+ threadIdx.y;\nfor (int j = 0; j < 16; j += 4)\n  if (x < columns && y + j < rows)\n"
                          "    tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * columns + x];\n__syncthreads();\n"
                          "x = blockIdx.y * 16 + threadIdx.x;\ny = blockIdx.x * 16 + threadIdx.y;\n"
                          "for (int j = 0; j < 16; j += 4)\n  if (x < rows && y + j < columns) {\n" +
                          with_value("tile[threadIdx.x][threadIdx.y + j]") + store("(y + j) * rows + x", self.value) + "}\n",
            "product": "const int row = blockIdx.y * 8 + threadIdx.y, column = blockIdx.x * 8 + threadIdx.x;\n"
                       f"if (row < rows && column < columns) {{\n{compute} v0 = 0;\nfor (int k = 0; k < columns; ++k)\n"
                       f"  v0 = v0 + {value('in[row * columns + k]')} * other[(k * 3 + column) % 64];\n" +
                       store("row * columns + column", self.value) + "}\n",
            "plane": xy + "if (x < columns && y < rows) {\n" + with_value("in[y * columns + x]") +
                     store("y * columns + x", self.value) + "}\n",
            "spaced": "for (int j = 0; j < 4; ++j) {\nconst int i = blockIdx.x * (blockDim.x * 4) + threadIdx.x + j * "
                      "blockDim.x;\nif (i < n) {\n" + with_value("in[i]") + store("i", self.value) + "}\n}\n",
            "stencil": f"{i}if (i < n) {{\nconst {compute} v0 = {value('in[i]')} + (i > 0 ? {value('in[i - 1]')} : 0) + "
                       f"(i + 1 < n ? {value('in[i + 1]')} : 0);\n" + store("i", self.value) + "}\n",
            "reversed": f"{i}if (i < n) {{\n" + with_value("in[i]") + store("n - 1 - i", self.value) + "}\n",
            "gather": f"{i}if (i < n) {{\n" + with_value("in[from[i]]") + store("i", self.value) + "}\n",
            "scatter": f"{i}if (i < n) {{\n" + with_value("in[i]") + store("from[i]", self.value) + "}\n",
            "warps": f"const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;\nif (row < rows) {{\n{compute} v0 = 0;\n"
                     f"for (int i = threadIdx.x % 32; i < columns; i += 32)\n  v0 = v0 + {value('in[row * columns + i]')};\n"
                     "for (int by = 16; by > 0; by /= 2)\n  v0 = v0 + __shfl_down_sync(0xffffffffu, v0, by);\n"
                     "if (threadIdx.x % 32 == 0)\n" + store("row", self.value) + "}\n",
            "columns": "const int column = blockIdx.x * blockDim.x + threadIdx.x;\nif (column < columns) {\n"
                       f"{compute} v0 = 0;\nfor (int row = 0; row < rows; ++row)\n"
                       f"  v0 = v0 + {value('in[row * columns + column]')};\n" + store("column", self.value) + "}\n",
            "rowOf": "for (int i = threadIdx.x; i < columns; i += blockDim.x) {\n" + with_value("in[blockIdx.x]") +
                     store("blockIdx.x * columns + i", self.value) + "}\n",
            "counted": f"{i}if (i < n) {{\n" + with_value("in[i]") + "atomicAdd(&out[static_cast<unsigned>(v0) % 16u], 1);\n}\n"
        }[self.form]


OPAQUE = {
    "transposed": ("rows", "columns"),
    "product": ("rows", "columns"),
    "plane": ("rows", "columns"),
    "spaced": ("n", ),
    "stencil": ("n", ),
    "reversed": ("n", ),
    "gather": ("n", ),
    "scatter": ("n", ),
    "warps": ("rows", "columns"),
    "columns": ("rows", "columns"),
    "rowOf": ("rows", "columns"),
    "counted": ("n", )
}
MAKES = {"warps": "scalars", "columns": "shares", "counted": "counts"}  # Others make as many elements as they take.


def make_opaque(rng, name, kind, out, last, first):
    """`last`: nothing behind it needs as many elements as it takes. `first`: nothing before it makes any."""
    form = rng.choice([
        f for f in OPAQUE
        if (f != "counted" or not is_float(kind)) and (first or f != "rowOf") and (last or (f not in MAKES and f != "reversed" and f != "scatter"))
    ])
    compute = "float" if is_float(kind) else "int"
    kernel = Opaque(name, form, compute, expression(rng, compute, ["v0"], 1))
    kernel.inputs.append(Input("in", kind, "scalar" if form == "rowOf" else "all", True))
    if form == "product":
        kernel.inputs.append(Input("other", "float" if compute == "float" else "int", "column", True))
    if form in ("gather", "scatter"):
        kernel.inputs.append(Input("from", "int", "index", True))
    kernel.outputs.append(Output("out", "int" if form == "counted" else out, MAKES.get(form, "elements"), "", True))
    kernel.sizes = [(symbol, "int", symbol) for symbol in OPAQUE[form]]
    return kernel
