"""Batches of generated files and the fusions to make of them; their fusion, compilation and run.

One batch is three files, some kernels in each, and many fusions of two to five kernels. All fusions of a batch are
compiled into one program that runs each kernel alone and fused and compares them.
"""
import collections
import os
import random
import re
import subprocess
import sys

import pairshrink
from campaign import write
from kernels import MACROS, make_file

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scripts"))
from configurations import options_of  # noqa: E402

# One kernel in a fusion: which, how it is launched, and its choices. `bound`: parameters and the literals they are bound
# to, `resident`: fused blocks that play it, `budget`: of its registers, `turns`: times that a fused block plays it.
Member = collections.namedtuple("Member", "file kernel block copies grid unroll bound resident budget turns")
# `resident`: fused blocks on a multiprocessor, 0 where that is open.
Pair = collections.namedtuple("Pair", "name members policy resident")
INPUT_WORDS = 509  # of Harness.h: what a kernel is given for `n`

FLAT = [(size, 1, 1) for size in (32, 64, 96, 128, 160, 256)]
SPACE = [(32, 2, 1), (8, 8, 1), (16, 4, 2), (4, 4, 4), (1, 64, 1), (8, 2, 8), (2, 4, 32), (32, 1, 3)]
PARTIAL = [(1, 1, 1), (7, 1, 1), (33, 1, 1), (50, 1, 1), (100, 1, 1), (200, 1, 1), (255, 1, 1), (5, 7, 1), (33, 3, 1),
           (3, 5, 7), (2, 3, 8), (1, 1, 37), (10, 10, 2), (1, 50, 1)]
# As scripts/configurations.py reads them.
CONFIGURATIONS = ("match", "match", "stride", "stride", "pool", "match-free", "match-split",
                  "stride-split", "blocks-match", "blocks-match", "blocks-stride", "blocks-pool", "threads-match")
GRIDS = {
    1: [(1, 1, 1), (2, 1, 1), (3, 1, 1), (5, 1, 1), (7, 1, 1)],
    2: [(1, 1, 1), (3, 2, 1), (2, 3, 1), (1, 4, 1), (5, 1, 1)],
    3: [(1, 1, 1), (2, 2, 2), (1, 3, 2), (3, 1, 2), (1, 1, 5)]
}


class Batch:
    """As `campaign` has it."""

    refusing = ()

    def __init__(self, seed, files, pairs):
        self.seed, self.files, self.cases = seed, files, pairs
        self.environment = {"EMULATED_RESIDENT": str(1 + seed % 3)}

    def kernel(self, member):
        return self.files[member.file].kernels[member.kernel]

    def write_sources(self, folder):
        for file in self.files:
            write(os.path.join(folder, file.letter + ".cu"), file.text())

    def fuse(self, folder, tools):
        return fuse(self, folder, tools)

    def program(self, pairs, _folder):
        return program(self, pairs)

    def command(self, pair):
        return arguments(self, pair)

    def ways(self, _pair, _folder):
        return ()

    def describe(self, _case):
        return ""

    def alone(self, pair):
        return pairshrink.alone(self, pair)

    def smaller(self, fails, budget):
        return pairshrink.smaller(self, fails, budget)


def threads(block):
    return block[0] * block[1] * block[2]


def make_batch(seed, pairs, files=3, kernels=6):
    rng = random.Random(seed)
    sources = [make_file(rng, "abc"[at], kernels) for at in range(files)]
    batch = Batch(seed, sources, [])
    for number in range(pairs):
        order = rng.sample(range(files), files)
        if rng.random() < 0.1:
            order[1] = order[0]
        configuration = rng.choice(CONFIGURATIONS)
        alone = "blocks" in configuration or "threads" in configuration
        # Most partial warps are refused there.
        whole = ("threads" in configuration or configuration == "blocks-pool") and rng.random() < 0.9
        budgets = "split" in configuration
        members, left = [], 1024
        for file in (order + rng.choices(range(files), k=2))[:rng.choice((2, 2, 2, 2, 2, 3, 3, 4, 5))]:
            index = rng.randrange(kernels)
            kernel = sources[file].kernels[index]
            block = rng.choice(rng.choice((FLAT, SPACE) if whole or kernel.whole_warps else (FLAT, SPACE, PARTIAL, PARTIAL)))
            unit = 128 if budgets else 32
            padded = (threads(block) + unit - 1) // unit * unit
            copies = min(rng.choice((1, 1, 1, 2, 3)), left // padded)
            if copies:
                left -= 0 if alone else copies * padded
                members.append(
                    Member(file, index, block, copies, rng.choice(GRIDS[kernel.dimensions]), choose_unroll(rng, kernel),
                           choose_bound(rng, kernel, seed_of(batch, len(members))),
                           rng.choice((1, 1, 2, 3)) if configuration in ("blocks-stride", "blocks-pool") else 1,
                           rng.choice((24, 32, 40, 56, 64)) if budgets else 0,
                           # Not drawn: other fusions stay as they are.
                           (1, 1, 2, 3)[(number + len(members)) % 4] if configuration == "threads-match" else 1))
        if configuration == "blocks-stride" and len(members) > 1 and rng.random() < 0.4:
            members[0] = members[0]._replace(resident=0)  # It follows the others.
        resident = 0 if "match" in configuration or "blocks" in configuration else rng.choice((0, 0, 1, 2))
        if not budgets and "free" not in configuration and rng.random() < 0.2:
            configuration += "-r48"
        batch.cases.append(Pair(f"p{number}", members, configuration, resident))
    return batch


def choose_unroll(rng, kernel):
    unrollable = any(loop.unrollable for loop in kernel.strides())
    return rng.choice((0, 2, 3, 4, 7)) if unrollable or rng.random() < 0.03 else 0


def choose_bound(rng, kernel, seed):
    """Some arguments as they will be given, some other ones: then the general kernel is launched."""
    bound = []
    for name, value in (("n", INPUT_WORDS), ("seed", seed)):
        if not kernel.structure and rng.random() < 0.15:
            value += 0 if rng.random() < 0.7 else 1
            bound.append((name, rng.choice((f"{value}", f"{value}u", f"0x{value:x}", f"{value}LL", f"{value}.0"))))
    return tuple(bound)


def seed_of(batch, place):
    """What the kernel at this place of a fusion is given for `seed`."""
    return batch.seed % 1000 + place


def shape(block):
    return "x".join(str(size) for size in block)


def dim3(sizes):
    return f"dim3({', '.join(map(str, sizes))})"


def fuse(batch, folder, tools):
    """{pair: (status, what was said)}, with the outputs in the folder."""
    if not tools.many:
        return {pair.name: fuse_alone(tools, arguments(batch, pair), folder) for pair in batch.cases}
    wanted = [f"{file.letter}.cu:{kernel.spelled()}" for file in batch.files for kernel in file.kernels]
    indices = {spelled: at for at, spelled in enumerate(wanted)}
    jobs = []
    for pair in batch.cases:
        members = ",".join("{}={}*{}{}".format(
            indices[f"{batch.files[m.file].letter}.cu:{batch.kernel(m).spelled()}"], shape(m.block), m.copies,
            "".join(f";{choice}" for choice in choices(m))) for m in pair.members)
        jobs.append(f"{pair.name}:{pair.policy}:{pair.resident}:{members}")
    return fuse_many(tools, wanted, jobs, batch.cases, folder)


def fuse_many(tools, kernels, jobs, cases, folder):
    """{case: (status, what was said)} by the tool that fuses many in one process."""
    process = subprocess.run([tools.many, tools.cufuse] + kernels + ["--"] + jobs,
                             cwd=folder,
                             capture_output=True,
                             text=True,
                             timeout=3600)
    results = {}
    for line in process.stdout.splitlines():
        name, status, said = line.split(" ", 2)
        results[name] = int(status), said.replace("\t", "\n")
    left = [(job, case) for job, case in zip(jobs, cases) if case.name not in results]
    if len(left) > 1:  # The first one crashes it, or files are not even read.
        for job, case in left:
            results.update(fuse_many(tools, kernels, [job], [case], folder))
    elif left:
        results[left[0][1].name] = process.returncode or 70, process.stderr[-2000:]
    return results


def fuse_alone(tools, words, folder):
    process = subprocess.run([tools.cufuse] + words, cwd=folder, capture_output=True, text=True, timeout=3600)
    return process.returncode, process.stderr


def choices(member):
    """As cufuse-fuse-many reads them."""
    return [f"{what}={getattr(member, what)}" for what in ("unroll", "resident", "budget", "turns")
           ] + [f"bind={name}={value}" for name, value in member.bound]


def arguments(batch, pair):
    words = ["fuse"] + [f"{batch.files[m.file].letter}.cu:{batch.kernel(m).spelled()}" for m in pair.members]
    for m in pair.members:
        words += ["--block", shape(m.block)]
    for m in pair.members:
        words += ["--copies", str(m.copies)]
    for m, name in zip(pair.members, constituent_names(batch, pair)):
        words += ["--unroll", f"{name}={m.unroll}"] if m.unroll else []
        words += ["--resident", f"{name}={m.resident}"] if m.resident != 1 else []
        words += ["--turns", f"{name}={m.turns}"] if m.turns > 1 else []
        for parameter, value in m.bound:
            words += ["--bind", f"{name}.{parameter}={value}"]
    words += ["--resident", str(pair.resident)] if pair.resident else []
    budgets = ":".join(str(m.budget) for m in pair.members)
    words += options_of(re.sub(r"\bsplit\b", f"split={budgets}", pair.policy))
    return words + ["--name", pair.name, "-o", pair.name + ".cu"]


def originals(file):
    """The kernels as they are, in a namespace, with a function that launches each."""
    lines = [f"namespace original_{file.letter} {{", f'#include "{file.letter}.cu"']
    for kernel in file.kernels:
        last = "numbers" if kernel.structure else "side.n, side.seed"
        lines += [
            f"void launch_{kernel.name}(const Side &side) {{",
            "  Numbers numbers{};\n  numbers.n = side.n;\n  numbers.seed = side.seed;" if kernel.structure else "",
            f"  {kernel.spelled()}<<<side.grid, side.block, side.shared>>>(side.in, side.out, side.sums, {last});", "}"
        ]
    return "\n".join(lines) + "\n}\n" + "".join(f"#undef {name}\n" for name in MACROS)


def constituent_names(batch, pair):
    """As cufuse names them: kernels of one name are numbered."""
    names = [batch.kernel(member).name for member in pair.members]
    seen = collections.Counter()
    result = []
    for name in names:
        result.append(name if names.count(name) == 1 else f"{name}_{seen[name]}")
        seen[name] += 1
    return result


def comparison(batch, pair):
    """The function that runs one fusion."""
    lines = [f"static bool run_{pair.name}() {{"]
    sides = []
    for at, (member, name) in enumerate(zip(pair.members, constituent_names(batch, pair))):
        kernel, file = batch.kernel(member), batch.files[member.file]
        bytes_ = 4 * (threads(member.block) + at) if kernel.dynamic() else 0
        side = f"side{at}"
        sides.append(side)
        lines += [
            f"  Side {side}({dim3(member.grid)}, {dim3(member.block)}, {bytes_}, {seed_of(batch, at)}u);",
            f"  original_{file.letter}::launch_{kernel.name}({side});",
            f'  finished("{pair.name}: {file.letter}.cu {name} alone");',
            f"  const std::vector<unsigned> alone{at} = {side}.take();", f"  {side}.clear();",
            f"  {pair.name}::{name}::Launch launch{at}{{}};", f"  launch{at}.grid = {side}.grid;"
        ]
        if kernel.dynamic():
            lines.append(f"  launch{at}.dynamicSharedBytes = {side}.shared;")
        fields = {"in": "in", "out": "out", "sums": "sums"}
        fields.update({"numbers.n": "n", "numbers.seed": "seed"} if kernel.structure else {"n": "n", "seed": "seed"})
        lines += [f"  launch{at}.arguments.{field} = {side}.{value};" for field, value in fields.items()]
    launches = ", ".join(f"launch{at}" for at in range(len(sides)))
    lines += [
        f'  require({pair.name}::launch({launches}, nullptr), "{pair.name}: launch");',
        f'  finished("{pair.name} fused");', "  bool good = true;"
    ]
    for at, name in enumerate(constituent_names(batch, pair)):
        lines.append(f'  good &= same("{pair.name}", "{name}", alone{at}, side{at}.take());')
    return "\n".join(lines + ["  return good;", "}"]) + "\n"


def program(batch, pairs):
    """One source that holds the kernels, these fusions and a main that runs them, or those that its arguments name."""
    used = sorted({member.file for pair in pairs for member in pair.members})
    lines = ['#include "Harness.h"', "#include <cstring>"] + [originals(batch.files[file]) for file in used]
    lines += [f'#include "{pair.name}.cu"' for pair in pairs] + [comparison(batch, pair) for pair in pairs]
    lines += [
        "int main(int count, char **names) {", "  auto run = [&](const char *name, bool (*compare)()) {",
        "    for (int i = 1; i < count; ++i)", "      if (!std::strcmp(names[i], name)) {",
        '        std::printf("%s starts\\n", name);', "        std::fflush(stdout);", "        if (compare())",
        '          std::printf("%s same\\n", name);', "        std::fflush(stdout);", "      }", "  };"
    ]
    lines += [f'  run("{pair.name}", run_{pair.name});' for pair in pairs]
    return "\n".join(lines + ["}"]) + "\n"
