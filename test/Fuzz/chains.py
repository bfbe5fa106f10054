"""Random graphs of dependent kernels, with the links, options and sizes to fuse and run them with."""
import collections

from chainkernels import make_pointwise
from chainrows import make_opaque, make_row

# One launch: `bound` says which array each parameter of the kernel is.
Node = collections.namedtuple("Node", "kernel bound block")
# `content`: elements (as many as rows * columns), scalars (of rows), shares (of columns), counts, or indices.
Array = collections.namedtuple("Array", "name type content offset")

WRITES = ("out", "both")
SIZES = [(0, 7), (1, 1), (1, 3), (3, 7), (5, 13), (4, 32), (2, 64), (7, 33), (3, 100), (2, 257), (1, 1024), (2, 1100)]
TYPES = [("float", ), ("float", ), ("int", ), ("float", "int"), ("__half", "float"), ("__nv_bfloat16", "float"),
         ("double", "float"), ("unsigned char", "int", "float"), ("unsigned", "long long"), ("float", "double", "int"),
         ("__half", ), ("long long", "int")]


class Graph:
    """Nodes run in their order. `lost` names links that are left out, `dead` arrays that nobody reads afterwards."""

    def __init__(self, name):
        self.name, self.nodes, self.arrays = name, [], {}
        self.sizes, self.options, self.grid = [], [], 1
        self.dead, self.lost, self.cooperative = set(), set(), False
        self.seed = 0

    def kernels(self):
        """Each once: a kernel may be launched several times."""
        return list({id(node.kernel): node.kernel for node in self.nodes}.values())

    def names(self):
        """Of the nodes, as cufuse has them: nodes of one name are numbered."""
        names = [node.kernel.name for node in self.nodes]
        return [
            name if names.count(name) == 1 else f"{name}_{names[:at].count(name)}" for at, name in enumerate(names)
        ]

    def uses(self):
        """(node, parameter, array) in order."""
        for at, node in enumerate(self.nodes):
            for parameter in node.kernel.parameters():
                if parameter.name in node.bound:
                    yield at, parameter, node.bound[parameter.name]

    def written(self, array):
        return any(known == array and parameter.role in WRITES for _, parameter, known in self.uses())

    def mayDie(self, array):
        """Does whoever writes it last have a reader behind it?"""
        writers = [at for at, parameter, known in self.uses() if known == array and parameter.role in WRITES]
        readers = [at for at, parameter, known in self.uses() if known == array and parameter.role not in WRITES]
        return bool(writers) and any(reader > writers[-1] for reader in readers)

    def links(self):
        """The text of all --link, and of all --dead."""
        names, links, dead = self.names(), [], []
        source = {}  # array: who stored it last, or else loads it first
        for at, parameter, array in self.uses():
            here = f"{names[at]}.{parameter.name}"
            known = source.get(array)
            if known and known[0] != at:
                stored = known[2]
                if stored or self.written(array) or (array, at) not in self.lost:
                    links.append(f"{known[1]}={here}")
                    if stored and array in self.dead and known[1] not in dead:
                        dead.append(known[1])
            if parameter.role in WRITES:
                source[array] = (at, here, True)
            elif not known:
                source[array] = (at, here, False)
        return links + self.size_links(names), dead

    def size_links(self, names):
        known, links, turned = {}, [], None
        opaque = [at for at, node in enumerate(self.nodes) if node.kernel.kind == "opaque"]
        if len(opaque) == 1 and not self.cooperative and "turned" not in self.lost and self.leadsTo(opaque[0]):
            symbols = {symbol: name for name, _, symbol in self.nodes[opaque[0]].kernel.sizes}
            if "rows" in symbols:
                turned = f"{names[opaque[0]]}.{symbols['rows']}*{symbols['columns']}"
        for at, node in enumerate(self.nodes):
            own = {}
            for name, _, symbol in node.kernel.sizes:
                here = f"{names[at]}.{name}"
                if (symbol, at) in self.lost:
                    continue
                if symbol == "n" and turned and at < opaque[0]:
                    links.append(f"{turned}={here}")
                elif symbol in known:
                    links.append(f"{known[symbol]}={here}")
                elif symbol == "n" and "product" in known:
                    links.append(f"{known['product']}={here}")
                else:
                    own[symbol] = here
            known = {**own, **known}
            if "rows" in own and "columns" in own:
                known["product"] = own["rows"] + "*" + own["columns"].split(".")[1]
            for name, kind, literal in node.kernel.values:
                if (kind, literal) in known and ("value", at) not in self.lost:
                    links.append(f"{known[kind, literal]}={names[at]}.{name}")
                known.setdefault((kind, literal), f"{names[at]}.{name}")
        return links

    def leadsTo(self, last):
        """Are all nodes before this one pointwise, and does it depend on what each of them stores?"""
        reached = {last}
        for at in reversed(range(last)):
            made = {array for node, parameter, array in self.uses() if node == at and parameter.role in WRITES}
            if any(node in reached and array in made for node, _, array in self.uses()):
                reached.add(at)
        return len(reached) == last + 1 and not any(node.kernel.near for node in self.nodes[:last])

    def root(self):
        """The node whose block the fused kernel has."""
        opaque = [node for node in self.nodes if node.kernel.kind == "opaque"]
        return (opaque or self.nodes)[0]

    def arguments(self):
        """Of `cufuse fuse`."""
        links, dead = self.links()
        words = ["fuse", "--vertical"] + [node.kernel.place() for node in self.nodes]
        words += [word for link in links for word in ("--link", link)]
        if self.cooperative:
            for name, node in zip(self.names(), self.nodes):
                words += ["--block", f"{name}={shape(node.block)}"]
            words.append("--cooperative")
        else:
            words += [word for each in dead for word in ("--dead", each)] + ["--block", shape(self.root().block)]
            for name, value in self.options:
                words += ["--" + name] + [value] * bool(value)
        return words + ["--name", self.name, "-o", self.name + ".cu"]

    def job(self, kernels):
        """Of `cufuse-fuse-chains`, which is given these kernels."""
        links, dead = self.links()
        members = [(kernels.index(node.kernel), shape((node if self.cooperative else self.root()).block)) for node in self.nodes]
        fields = [self.name, self.name + ".cu", " ".join(f"{at}={block}" for at, block in members), " ".join(links)]
        if self.cooperative:
            fields += ["", "cooperative"]
        else:
            known = {"grid-policy": "stride", "distinct": "distinct"}
            fields += [" ".join(dead), " ".join(known.get(name) or f"{name}={value}" for name, value in self.options)]
        return ";".join(fields)


def shape(block):
    return "x".join(str(size) for size in block if size > 1 or size == block[0])


def threads(block):
    return block[0] * block[1] * block[2]


class Builder:
    """Adds nodes to a graph."""

    def __init__(self, rng, name):
        self.rng, self.graph = rng, Graph(name)
        self.types = rng.choice(TYPES)
        self.aligned = False
        self.tree = False  # Does each kernel take one intermediate?
        self.guard = rng.choice(("", "", "", "if", "return"))  # of rows
        self.letters = rng.choice(("a", "a", "ab"))

    def type(self):
        return self.rng.choice(self.types)

    def array(self, kind, content):
        name = f"a{len(self.graph.arrays)}"
        offset = 0 if self.rng.random() < 0.7 else self.rng.randrange(1, 4)
        self.graph.arrays[name] = Array(name, kind, content, offset)
        return name

    def of(self, content, made=None):
        """Arrays of a content; `made`: whether a node stores them."""
        return [
            array.name for array in self.graph.arrays.values()
            if array.content == content and (made is None or self.graph.written(array.name) == made)
        ]

    def choose(self, content, kind=None, first=False):
        """An array to load: mostly a recent intermediate."""
        rng = self.rng
        made, given = self.of(content, True), self.of(content, False)
        if kind:
            made, given = ([a for a in known if self.graph.arrays[a].type == kind] for known in (made, given))
        if made and self.tree:
            if first or rng.random() < 0.1:
                return made[-1] if rng.random() < 0.85 else rng.choice(made)
        elif made and rng.random() < 0.8:
            return rng.choice(made[-2:])
        if given and rng.random() < 0.5:
            return rng.choice(given)
        return self.array(kind or self.type(), content)

    def add(self, kernel, bound, block):
        for parameter in kernel.parameters():
            if parameter.role == "index":
                bound[parameter.name] = (self.of("indices") or [self.array("int", "indices")])[0]
            elif parameter.role in ("in", "both", "out") and parameter.name not in bound:
                content = {"column": "shares", "shares": "shares", "counts": "counts"}.get(parameter.what)
                if not content:
                    content = "scalars" if parameter.what == "scalars" or parameter.name.startswith("scalar") else "elements"
                bound[parameter.name] = self.array(parameter.type, content)
        if not kernel.letter:
            kernel.letter = self.rng.choice(self.letters)
        self.graph.nodes.append(Node(kernel, bound, block))

    def name(self):
        return f"{self.graph.name}k{len(self.graph.kernels())}"

    def pointwise(self, width, near, block):
        rng, graph = self.rng, self.graph
        if self.again(width, block):
            return
        inputs = [self.choose("elements", first=True)]
        while len(inputs) < 3 and rng.random() < 0.45:
            more = self.choose("elements")
            if more not in inputs or rng.random() < 0.3:
                inputs.append(more)
        wants = {"broadcasts": True}
        if width > 1:
            wants = {"groups": width}
            self.aligned = True
        if rng.random() < 0.2 and not self.tree and len(set(inputs)) == len(inputs):
            wants["update"] = True
        types = [graph.arrays[name].type for name in inputs]
        outs = [self.type()] + ([self.type()] if rng.random() < 0.2 else [])
        outs = outs[1:] if "update" in wants else outs
        kernel = make_pointwise(rng, self.name(), types, outs, wants, near)
        bound = {}
        left = list(inputs)
        if "update" in wants:
            bound["x"] = left.pop(0)
        bound.update(zip([p.name for p in kernel.inputs if p.mode != "index"], left))
        self.alias(kernel, bound)
        self.add(kernel, bound, block)

    def alias(self, kernel, bound):
        """A kernel without __restrict__ may be given one array twice, if each thread keeps to its own element."""
        plain = {"own", "pointer", "moved", "twice", "sides", "late"}
        parameters = kernel.inputs + kernel.outputs
        if any(p.restrict or p.mode not in plain for p in parameters) or kernel.guard in ("odd", ):
            return
        fits = [p.name for p in kernel.inputs if kernel.outputs and p.type == kernel.outputs[0].type]
        if fits and not self.graph.written(bound[fits[0]]) and self.rng.random() < 0.6:
            bound[kernel.outputs[0].name] = bound[fits[0]]

    def again(self, width, block):
        """The kernel of an earlier node, on other arrays."""
        rng = self.rng
        if rng.random() > 0.12:
            return False
        for node in reversed(self.graph.nodes):
            kernel = node.kernel
            if kernel.kind != "pointwise" or (width == 1) != (kernel.width == 1):
                continue
            bound = {}
            for parameter in kernel.parameters():
                if parameter.role in ("in", "both"):
                    bound[parameter.name] = self.choose("elements", parameter.type, first=not bound)
            if len(set(bound.values())) == len(bound):
                self.add(kernel, bound, block)
                return True
        return False

    def row(self, near, block):
        rng, graph = self.rng, self.graph
        elements = [self.choose("elements", first=True)]
        if rng.random() < 0.4:
            elements.append(self.choose("elements"))
        elements = list(dict.fromkeys(elements))
        known = self.of("scalars", True)
        scalars = list(dict.fromkeys(rng.choice(known) for _ in range(rng.choice((1, 1, 2))))) if known and rng.random() < 0.8 else []
        out = rng.choice((([self.type()], []), ([self.type()], []), ([], [self.type()]), ([self.type()], [self.type()])))
        kernel = make_row(rng, self.name(), [graph.arrays[a].type for a in elements],
                          [graph.arrays[a].type for a in scalars], out, block[0], near)
        if rng.random() < 0.9:
            kernel.guarded(self.guard)
        names = [i.name for i in kernel.inputs]
        self.add(kernel, dict(zip(names, elements + scalars)), block)

    def opaque(self, block, last, first):
        name = self.choose("elements", first=True)
        kernel = make_opaque(self.rng, self.name(), self.graph.arrays[name].type, self.type(), last, first)
        if kernel.form == "rowOf":
            name = self.choose("scalars", kernel.inputs[0].type)
        self.add(kernel, {"in": name}, kernel.shape or block)


def make_graph(rng, name):
    """2 to 6 kernels, of which at least two have something to do with each other."""
    while True:
        graph = draw(rng, name)
        if graph.links()[0]:
            return graph


def draw(rng, name):
    build = Builder(rng, name)
    graph = build.graph
    graph.seed = rng.randrange(1000)
    style = rng.choice(("flat", ) * 5 + ("rows", ) * 4 + ("mixed", ) * 4 + ("any", ))
    count = rng.choice((2, 2, 3, 3, 3, 4, 4, 5, 6))
    near = rng.randrange(count) if rng.random() < 0.3 else None
    flat = (rng.choice((32, 64, 96, 128)), 1, 1)
    rows = (rng.choice((32, 64, 128)), 1, 1)
    graph.cooperative = style == "any" or rng.random() < 0.06
    width = rng.choice((2, 4, 4, 8)) if style == "flat" and rng.random() < 0.3 else 1
    middle = rng.randrange(count)
    build.tree = style == "mixed"
    for at in range(count):
        if style == "flat":
            build.pointwise(width if rng.random() < 0.75 else 1, at == near, flat)
        elif style == "rows":
            if rng.random() < (0.25 if at else 0.35) and not build.guard:
                build.pointwise(1, at == near, rows)
            else:
                build.row(at == near, rows)
        elif style == "mixed":
            if at == middle:
                build.opaque(flat, at == count - 1, at == 0)
            else:
                build.pointwise(1, at == near, flat)
        else:
            rng.choice((lambda: build.opaque(rows, True, True), lambda at=at: build.pointwise(1, at == near, flat),
                        lambda at=at: build.row(at == near, rows)))()
    finish(rng, build, 0.9 if style == "mixed" else 0.6)
    return graph


def finish(rng, build, often):
    graph = build.graph
    if build.aligned:
        graph.arrays = {name: array._replace(offset=0) for name, array in graph.arrays.items()}
    graph.dead = {name for name in graph.arrays if graph.mayDie(name) and rng.random() < often}
    for at in range(len(graph.nodes)):
        for symbol in ("n", "rows", "columns"):
            if rng.random() < 0.015:
                graph.lost.add((symbol, at))
        if rng.random() < 0.5:
            graph.lost.add(("value", at))
        for name in graph.arrays:
            if rng.random() < 0.4:
                graph.lost.add((name, at))
    if rng.random() < 0.2:
        graph.lost.add("turned")
    graph.sizes = sorted(rng.sample(SIZES, 4))
    graph.grid = rng.choice((1, 2, 5))
    if graph.cooperative:
        graph.dead = set()
        return
    if rng.random() < 0.3:
        graph.options.append(("vectorize", str(rng.choice((2, 4, 8, 16)))))
    if rng.random() < often:
        graph.options.append(("recompute", rng.choice(("2", "3", "any", "any", "any"))))
    if rng.random() < 0.1:
        graph.options.append(("grid-policy", "stride"))
    if rng.random() < 0.25 and all(len(set(node.bound.values())) == len(node.bound) for node in graph.nodes):
        graph.options.append(("distinct", ""))
        for kernel in graph.kernels():
            kernel.inputs = [given._replace(restrict=False) for given in kernel.inputs]
            kernel.outputs = [output._replace(restrict=False) for output in kernel.outputs]


def room(content):
    """Elements of an array, as an expression of the sizes; near misses go a little beyond."""
    return {"scalars": "rows + 70", "shares": "columns + 70", "counts": "16"}.get(content, "n + 300")

