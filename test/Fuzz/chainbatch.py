"""Batches of graphs; their fusion, and the program that runs each one launch by launch, and fused."""
import os
import random
import re

from batch import dim3, fuse_alone, fuse_many
import chainshrink
from campaign import write
from chains import make_graph, room

ONE_BY_ONE = "/// For every so many elements, one."
BY_ELEMENT = "/// In turn, a thread so many elements of every kernel"
FIELDS = re.compile(r"namespace (\w+) \{\n/// One launch of .*\n(?:///.*\n)*struct Launch \{\n(?:.*;.*\n)*"
                    r"  struct Arguments \{\n((?:.*;\n)*)  \} arguments;")
MACROS = ("MIX", "EACH", "START", "INSIDE")
NAMES = ("bent", "shares", "Chosen", "loaded", "stored")  # of what may stand before a kernel


class ChainBatch:
    """`cases` are graphs; as `campaign` has it."""

    environment = {"EMULATED_MULTIPROCESSORS": "1"}  # The whole grid takes turns.
    refusing = (2, )  # Links that mean nothing without the form that a near miss has lost.

    def __init__(self, seed, graphs):
        self.seed, self.cases = seed, graphs

    def files(self):
        """{letter: kernels}"""
        found = {}
        for kernel in self.kernels():
            found.setdefault(kernel.letter, []).append(kernel)
        return found

    def kernels(self):
        return [kernel for graph in self.cases for kernel in graph.kernels()]

    def write_sources(self, folder):
        for letter, kernels in self.files().items():
            write(os.path.join(folder, letter + ".cu"), source(kernels))

    def fuse(self, folder, tools):
        if tools.many:
            kernels = self.kernels()
            jobs = [graph.job(kernels) for graph in self.cases]
            return fuse_many(tools, [kernel.place() for kernel in kernels], jobs, self.cases, folder)
        return {graph.name: fuse_alone(tools, graph.arguments(), folder) for graph in self.cases}

    def command(self, graph):
        return graph.arguments()

    def ways(self, graph, folder):
        with open(os.path.join(folder, graph.name + ".cu")) as file:
            return ways(file.read())

    def describe(self, _case):
        return ""

    def alone(self, graph):
        return ChainBatch(self.seed, [graph])

    def smaller(self, fails, budget):
        return chainshrink.smallest(self, fails, budget)

    def program(self, graphs, folder):
        lines = ['#include "ChainHarness.h"', ""]
        for letter in self.files():
            lines += [f"namespace alone_{letter} {{", f'#include "{letter}.cu"', "}"]
            lines += [f"#undef {macro}" for macro in MACROS]
        for graph in graphs:
            lines += [f'#include "{graph.name}.cu"', comparison(graph, folder)]
        lines += ["int main(int count, char **names) {"]
        for graph in graphs:
            lines += [
                "  for (int i = 1; i < count; ++i)", f'    if (!std::strcmp(names[i], "{graph.name}"))',
                f"      run_{graph.name}();"
            ]
        return "\n".join(lines + ["}"]) + "\n"


def make_batch(seed, size):
    return ChainBatch(seed, [make_graph(random.Random(f"{seed} {at}"), f"g{at}") for at in range(size)])


def source(kernels):
    """A file. What stands before its kernels has names that other files have, too."""
    lines = ["#include <cuda_bf16.h>", "#include <cuda_fp16.h>"]
    for at, kernel in enumerate(kernels):
        text = kernel.text()
        if at:
            text = re.sub(rf"\b({'|'.join(NAMES)})\b", rf"\1_{at}", text)
        lines.append(text + "".join(f"#undef {macro}\n" for macro in MACROS if f"#define {macro}" in text))
    return "\n".join(lines)


def ways(text):
    """How the kernels of a fused source became one."""
    if "this_grid().sync()" in text:
        return ["whole grid"]
    if "cufuseTurn<" in text or ONE_BY_ONE in text:
        return ["one loop"]
    if "/// By row, since" in text:
        return ["by row"]
    if BY_ELEMENT in text:
        return ["in turn by element"]
    if "/// In turn, " in text:
        return ["in turn"]
    return [way for way, said in (("at stores", " stores "), ("at loads", " loads ")) if re.search(f"^/// Where .*{said}", text, re.M)]


def root(text):
    """The node whose launch an inlined kernel has."""
    return in_block(text)[-1]


def in_block(text):
    """The nodes that have the fused kernel's block."""
    return re.findall(r"^  cufuse_(\w+?)::", text, re.M)


def bound_text(node, parameter):
    if parameter.name in node.bound:
        return node.bound[parameter.name]
    if parameter.role == "size":
        return {"less": "(n > 0 ? n - 1 : 0)"}.get(parameter.what, parameter.what)
    return parameter.what


def comparison(graph, folder):
    """The function that runs a graph in its sizes."""
    with open(os.path.join(folder, graph.name + ".cu")) as file:
        fused = file.read()
    with open(os.path.join(folder, graph.name + ".h")) as file:
        header = file.read()
    way, names = ways(fused), graph.names()
    dead = "Anything" if way[:1] in (["by row"], ["in turn"], ["in turn by element"]) else "Untouched"
    lines = [f"static void run_{graph.name}() {{", f'  std::printf("{graph.name} starts\\n");', "  std::fflush(stdout);"]
    lines += ["  int declined = 0;", "  for (const ChainSize size : {"]
    lines.append("           " + ", ".join(f"ChainSize{{{rows}, {columns}}}" for rows, columns in graph.sizes) + "}) {")
    lines.append("    [[maybe_unused]] const long long rows = size.rows, columns = size.columns, n = rows * columns;")
    lines.append(f'    ChainMemory memory("{graph.name}", size, {graph.seed});')
    used = {array for _, _, array in graph.uses()}
    for array in graph.arrays.values():
        if array.name in used:
            below = ", n > 0 ? n : 1" if array.content == "indices" else ""
            use = dead if array.name in graph.dead else "Live"
            lines.append(f'    {array.type} *{array.name} = memory.array<{array.type}>("{array.name}", {room(array.content)}, '
                         f"{array.offset}, ChainMemory::{use}{below});")
    lines.append("    const bool good = memory.same([&] {")
    for node in graph.nodes:
        kernel = node.kernel
        arguments = ", ".join(bound_text(node, parameter) for parameter in kernel.parameters())
        grid = f"dim3({kernel.grid(node.block[0])})"
        lines.append(f"      alone_{kernel.letter}::{kernel.spelled()}<<<{grid}, {dim3(node.block)}>>>({arguments});")
    lines.append("    }, [&] {")
    values = {
        f"{name}_{parameter.name}": bound_text(node, parameter)
        for name, node in zip(names, graph.nodes) for parameter in node.kernel.parameters()
    }
    # Where no other argument of that name remains, it is the parameter's alone. An intermediate may have gone.
    links, gone = graph.links()
    gone = set(gone) | {link.split("=")[1] for link in links}
    for last in ({link.split("=")[0] for link in links}, set()):
        for name, node in zip(names, graph.nodes):
            for parameter in node.kernel.parameters():
                if f"{name}.{parameter.name}" not in gone | last:
                    values.setdefault(parameter.name, values[f"{name}_{parameter.name}"])
    launches = []
    if way == ["in turn"]:  # which all kernels of a block are launched with
        played = [graph.nodes[names.index(name)] for name in in_block(fused)]
        first, *others = sorted({node.kernel.grid(node.block[0]) for node in played})
        for other in others:
            lines.append(f"      if (!sameGrid(dim3({first}), dim3({other})))")
            lines.append("        return cudaErrorInvalidConfiguration;")
    for at, (space, fields) in enumerate(FIELDS.findall(header)):
        launch = f"launch{at}"
        launches.append(launch)
        lines.append(f"      {graph.name}::{space}::Launch {launch}{{}};")
        lines.append(f"      {launch}.grid = dim3({grid_of(graph, way, fused, at)});")
        for field in re.findall(r"(\w+)(?:\[\d+\])?[;,]", fields):
            value = values[f"{names[at]}_{field}" if graph.cooperative else field]
            lines.append(f"      {launch}.arguments.{field} = {value};")
    lines += [f"      return {graph.name}::launch({', '.join(launches)});", "    }, declined);", "    if (!good)", "      return;"]
    lines += ["  }", f'  std::printf("{graph.name} same, %d declined\\n", declined);', "  std::fflush(stdout);", "}"]
    return "\n".join(lines) + "\n"


def grid_of(graph, way, fused, at):
    if graph.cooperative:
        node = graph.nodes[at]
    elif way in (["one loop"], ["in turn by element"]):
        return str(graph.grid)
    elif way == ["by row"]:
        return "rows + (rows == 0)"
    else:
        node = graph.nodes[graph.names().index(root(fused))]
    return node.kernel.grid(node.block[0])
