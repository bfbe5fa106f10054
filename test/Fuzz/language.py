"""Random programs of several files, fused and compared with their launches: `fuzz language`.

A program is two kernels in files of their own, with their headers, or a chain of two for --vertical. Their
statements are drawn from productions, of which each means something that a fusion must keep; languageclasses.py
names what was once lost. All programs of a batch are preprocessed one by one and compiled as one file: a program's
names hold _pN, and get behind it the letter of what they stand in.
"""
import copy
import os
import random
import re
import shutil
import subprocess
import tempfile

from batch import CONFIGURATIONS, dim3, fuse_alone, options_of, shape, threads
from campaign import tail, write
from languagegrammar import MACROS, Piece
from languagesync import SYNC
from languagetext import TEXT
from languagevertical import TWISTS, Chain, make_chain
from shrink import shrink

PRODUCTIONS = TEXT + SYNC
# Barriers that nobody has counted show beside others.
PLAIN = [production.name for production in PRODUCTIONS if production.classes == ["plain"] and production.sync]


def leads():
    """What leads in turn: all productions, those of classes that few of them draw several times, and more often what
    shows in few programs."""
    of = {name: [each for each in PRODUCTIONS if name in each.classes] for each in PRODUCTIONS for name in each.classes}
    rare = [own[at % len(own)] for own in of.values() for at in range(4 - len(own))]
    return PRODUCTIONS + rare + [production for production in PRODUCTIONS if production.seldom] * 3


LEADS = leads()
BLOCKS = [(64, 1, 1), (64, 1, 1), (128, 1, 1), (128, 1, 1), (96, 1, 1), (100, 1, 1), (50, 1, 1), (16, 4, 1), (33, 3, 1),
          (160, 1, 1)]
# Names of a kernel's five parameters.
PARAMETERS = [("in", "out", "sums", "n", "seed")] * 5 + [("in", "out", "sums", "N", "seed"),
                                                         ("x_in", "out", "sums", "size", "seed"),
                                                         ("in", "out", "sums", "rank", "blocks")]
COMMENT = "/* every thread has four words of `out` of its own; v is what it computes */"
COMPILER = os.environ.get("EMULATED_CXX", "clang++-22")


class Kernel:
    """One kernel and its files. `drawn`: productions and their numbers."""

    def __init__(self, program, side, drawn, block, leave, grid, names):
        self.program, self.side, self.drawn, self.block, self.leave = program, side, drawn, block, leave
        self.grid, self.names = grid, names
        self.name, self.file, self.parameters = names

    def pieces(self):
        alive, macros, pieces = threads(self.block), set(), []
        for production, number in self.drawn:
            piece = Piece(production, self.program, number, self.side, alive, self.leave, macros)
            macros |= {piece.macro}
            alive = self.leave if production.exit else alive
            pieces.append(piece)
        return pieces

    def dynamic(self):
        return any(production.dynamic for production, _ in self.drawn)

    def param(self):
        return next((piece.param for piece in self.pieces() if piece.param), None)

    def text(self, pieces):
        given = self.parameters
        extra = self.param()
        attributes = " ".join(piece.production.attribute for piece in pieces)
        lines = [piece.top for piece in pieces if piece.top] + [piece.file for piece in pieces if piece.file]
        lines += [
            f"__global__ void {attributes} {self.name}(const unsigned *{given[0]}, unsigned *{given[1]}, "
            f"unsigned *{given[2]}, unsigned "
            f"{given[3]}, unsigned {given[4]}{f', {extra} extra' if extra else ''}) {{  {COMMENT}"
        ]
        for name, own, kind in zip(PARAMETERS[0], given,
                                   ("unsigned *", "unsigned *", "unsigned *", "unsigned ", "unsigned ")):
            if name != own:
                lines.append(f"const {kind}{name} = {own};")
        lines += [
            "const unsigned all = blockDim.x * blockDim.y * blockDim.z;",
            "const unsigned t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;",
            "const unsigned b = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;", "unsigned v = "
            "in[(b * all + t) "
            "% n];"
        ]
        lines += [piece.body for piece in pieces]
        return "\n".join(lines + ["out[(b * all + t) * 4u] = v;", "}"]) + "\n"

    def write(self, folder):
        pieces, base = self.pieces(), os.path.join(folder, f"p{self.program}")
        path = os.path.join(folder, self.file)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        write(path, self.text(pieces))
        for piece in pieces:
            for name, text in piece.files.items():
                write(os.path.join(os.path.dirname(path), name), text)
            for name, text in piece.shared.items():
                write(os.path.join(base, name), text)


class Program:
    """Two kernels side by side, in one configuration."""

    def __init__(self, number, kernels, configuration, resident, copies, turns):
        self.number, self.name, self.kernels_, self.configuration = number, f"p{number}", kernels, configuration
        self.resident, self.copies, self.turns = resident, copies, turns

    @property
    def flags(self):
        flags = dict.fromkeys(production.flags for production in self.productions())
        return tuple(flag for group in flags for flag in group)

    @property
    def refuse(self):
        return any(production.refuse for production in self.productions())

    def productions(self):
        return [production for kernel in self.kernels_ for production, _ in kernel.drawn]

    def has(self, what):
        return any(getattr(production, what) for production in self.productions())

    def plainest(self):
        """The program with nothing in it but what must not be refused, as nothing but that can be."""
        program = copy.deepcopy(self)
        program.configuration, program.resident, program.copies, program.turns = "warps-match", 0, (1, 1), (1, 1)
        for kernel in program.kernels_:
            kernel.block, kernel.leave = (64, 1, 1), 63
            kernel.drawn = [part for part in kernel.drawn if part[0].fuses]
        return program

    @property
    def classes(self):
        """Of the program, besides those of its productions."""
        first, second = self.kernels_
        return ["text.S8"] if os.path.basename(first.file) == os.path.basename(second.file) else []

    def parts(self):
        return [(kernel, "drawn") for kernel in self.kernels_]

    def write_sources(self, folder):
        for kernel in self.kernels_:
            kernel.write(folder)

    def kernels(self):
        return [f"{kernel.file}:{kernel.name}" for kernel in self.kernels_]

    def command(self):
        words = ["fuse", *self.kernels()]
        for kernel in self.kernels_:
            words += ["--block", shape(kernel.block)]
        for copies in self.copies:
            words += ["--copies", str(copies)]
        for kernel, turns in zip(self.kernels_, self.turns):
            words += ["--turns", f"{kernel.name}={turns}"] if turns > 1 else []
        words += ["--resident", str(self.resident)] if self.resident else []
        words += options_of(self.configuration) + ["--name", self.name, "-o", self.name + ".cu"]
        return words + (["--", *self.flags] if self.flags else [])

    def job(self, first_kernel):
        members = ",".join(f"{first_kernel + at}={shape(kernel.block)}*{copies}" +
                           (f";turns={turns}" if turns > 1 else "")
                           for at, (kernel, copies, turns) in enumerate(zip(self.kernels_, self.copies, self.turns)))
        return f"{self.name}:{self.configuration}:{self.resident}:{members}"

    def sides(self):
        return [(kernel.side, kernel.file) for kernel in self.kernels_]

    def comparison(self, header, _fused):
        lines, launches = [f"static bool run_{self.name}() {{", '  stage("alone");'], []
        for at, kernel in enumerate(self.kernels_):
            side, name = f"side{at}", kernel.name.replace(f"_p{self.number}", f"_p{self.number}{kernel.side}")
            # cufuse has another name where two parameters would have one.
            fused = next(space for space in re.findall(r"^namespace (\w+) {", header, re.M)
                         if space.rstrip("_") == kernel.name).replace(f"_p{self.number}", f"_p{self.number}f")
            bytes_ = 4 * (threads(kernel.block) + 8 * at) if kernel.dynamic() else 0
            extra = kernel.param()
            lines.append(f"  Side {side}({dim3(kernel.grid)}, {dim3(kernel.block)}, {bytes_}, "
                         f"{self.number % 1000 + at}u);")
            if extra:
                lines.append(f"  {extra.replace(f'_p{self.number}', f'_p{self.number}{kernel.side}')} extra{at}{{}}; "
                             f"extra{at}.tag = 5; "
                             f"extra{at}.value = 77777u;")
            for piece in kernel.pieces():
                if piece.host:
                    lines.append(f"  {piece.host.replace(f'_p{self.number}', f'_p{self.number}{kernel.side}')}();")
            lines += [
                f"  {name}<<<{side}.grid, {side}.block, {side}.shared>>>({side}.in, {side}.out, {side}.sums, "
                f"{side}.n, {side}.seed"
                f"{f', extra{at}' if extra else ''});", f'  finished("{self.name}: {kernel.side} alone");',
                f"  const std::vector<unsigned> alone{at} = {side}.take();", f"  {side}.clear();",
                f"  {self.name}::{fused}::Launch launch{at}{{}};", f"  launch{at}.grid = {side}.grid;",
                f"  giveShared(launch{at}, {side}.shared, 0);"
            ]
            lines += [
                f"  launch{at}.arguments.{own} = {side}.{name};" for own, name in zip(kernel.parameters, PARAMETERS[0])
            ]
            if extra:
                lines.append(f"  launch{at}.arguments.extra.tag = 5; launch{at}.arguments.extra.value = 77777u;")
            launches.append(f"launch{at}")
        lines += [
            '  stage("fused");', f'  require({self.name}::launch({", ".join(launches)}, nullptr), '
            f'"{self.name}: launch");', f'  finished("{self.name}: fused");', "  bool good = true;"
        ]
        lines += [
            f'  good &= same("{self.name}", "{kernel.side}", alone{at}, side{at}.take());'
            for at, kernel in enumerate(self.kernels_)
        ]
        return "\n".join(lines + ["  return good;", "}"]) + "\n"


def draw_kernel(rng, program, side, other, draw, lead=None, alone=False):
    """`other`: the kernel before; some productions are drawn again, as twins, under the same names. `lead`: the
    production that it has in any case, or alone."""
    block = rng.choice([shape for shape in BLOCKS if threads(shape) % 32 or not (lead and lead.odd)])
    size = threads(block)
    # A barrier that counts warps notices only those of which no lane is left.
    leave = min(rng.choice((size // 2, 32, 32, 64, size - 1, rng.randrange(1, size))), size - 1)
    chosen, has = [], set()

    def fits(production):
        return not (production.exit and "exit" in has or production.last and "last" in has
                    or production.param and "param" in has or production.needs_all and "exit" in has
                    or production.open_pack and "pack" in has or production.own_macro and "macro" in has
                    or production.flags and "flags" in has or "last" in has and
                    (production.warp or production.exit or production.sync or production.opens))

    def add(production, number):
        if not fits(production):
            return
        chosen.append((production, number))
        has.update(kind for kind, is_so in (("exit", production.exit), ("last", production.last),
                                            ("param", production.param), ("pack", production.open_pack),
                                            ("macro", production.own_macro), ("flags", production.flags)) if is_so)

    if other and not lead and rng.random() < (0.75 if alone else 0.5):
        for production, number in other.drawn:
            if (alone or rng.random() < 0.7) and not production.flags:
                add(production, number)
    pool = [production for production in PRODUCTIONS if not draw or production.name in draw]
    for at in range(rng.choice((0, 0, 1)) if chosen else 1 if alone else rng.choice((1, 1, 2, 2, 3))):
        if pool:
            drawn = rng.choices(pool, [production.weight for production in pool])[0]
            add(lead if lead and not at else drawn, (0 if side == "a" else 10) + at)
    grid = (rng.choice((1, 2, 3, 5, 7)), 1, 1)
    name, file = rng.choice((("first", 0), ("first", 0), ("first", 1), ("k", 0)))
    if other:
        name = {"first": "second", "k": "k"}[other.name.split("_")[0]]
    name = f"{name}_p{program}" + ("_x" if other and name == "k" else "")
    kernel = Kernel(program, side, chosen, block, leave, grid, (name, "", PARAMETERS[0]))
    # One file's name in two folders, as often as two names.
    same = other.file.endswith("k.cu") if other else not file
    path = f"p{program}/{side}/" + ("k.cu" if same else f"{side}.cu")
    parameters = rng.choice(PARAMETERS)
    texts = " ".join(text for piece in kernel.pieces()
                     for text in (piece.top, piece.file, *piece.files.values(), *piece.shared.values()))
    taken = any(re.search(rf"#define {name}\b", texts) for name in parameters)
    return Kernel(program, side, chosen, block, leave, grid, (name, path, PARAMETERS[0] if taken else parameters))


def draw_program(rng, number, turn, draw=None):
    """Every third program is a chain. All productions take turns in the others, all twists in every second chain, so
    that chance leaves none out; two of three times there is nothing else that could hide what goes wrong."""
    vertical = {twist.name for twist in TWISTS}
    if turn % 3 == 2 if not draw else any(name in vertical for name in draw):
        return make_chain(rng, number, draw, TWISTS[turn // 6 % len(TWISTS)] if turn % 6 == 2 and not draw else None)
    place = turn - turn // 3
    lead = LEADS[place % len(LEADS)] if not draw else None
    alone = lead is not None and (place + place // len(LEADS)) % 3 > 0
    first = draw_kernel(rng, number, "a", None, draw, lead, alone)
    odd = lead is not None and lead.odd
    both = odd and rng.random() < 0.3
    kernels = [first, draw_kernel(rng, number, "b", first, PLAIN if alone else draw, lead if both else None, alone)]
    configuration = rng.choice(
        [word for word in CONFIGURATIONS if "split" not in word and ("threads" in word or not odd)])
    apart = "blocks" in configuration or "threads" in configuration
    copies = (1, 1) if apart else tuple(rng.choice((1, 1, 1, 2)) for _ in kernels)
    if "blocks" in configuration:
        copies = tuple(rng.choice((1, 1, 2)) for _ in kernels)
    turns = tuple(rng.choice((1, 1, 2, 3)) for _ in kernels) if configuration == "threads-match" else (1, 1)
    resident = 0 if "match" in configuration or "blocks" in configuration else rng.choice((0, 0, 1, 2))
    if "threads" in configuration and rng.random() < 0.8 and not odd:  # Blocks of other sizes are mostly refused.
        for at, kernel in enumerate(kernels):
            if threads(kernel.block) % 32:
                kernels[at] = Kernel(number, kernel.side, kernel.drawn, (64, 1, 1), min(kernel.leave, 63), kernel.grid,
                                     kernel.names)
    return Program(number, kernels, configuration, resident, copies, turns)


class LanguageBatch:
    """As `campaign` has it."""

    refusing = ()

    def __init__(self, seed, cases):
        self.seed, self.cases, self.environment = seed, cases, {"EMULATED_RESIDENT": str(1 + seed % 3)}

    def write_sources(self, folder):
        for case in self.cases:
            case.write_sources(folder)

    def fuse(self, folder, tools):
        results = {}
        for kind, tool in ((Program, tools.many), (Chain, tools.many
                                                   and tools.many.replace("fuse-many", "fuse-chains"))):
            cases = [case for case in self.cases if isinstance(case, kind)]
            together = [case for case in cases if tool and not case.flags]
            results.update(fuse_together(tool, tools.cufuse, together, folder))
            for case in cases:
                if case not in together:
                    results[case.name] = fuse_alone(tools, case.command(), folder)
        for case in self.cases:
            status, said = results[case.name]
            if case.refuse and status == 0:
                results[case.name] = "0 where it must refuse", said
            elif status == 1 and isinstance(case, Program) and case.has("fuses"):
                results[case.name] = self.refused(case, tools) or results[case.name]
            elif status == 0 and isinstance(case, Program) and case.has("assembles"):
                results[case.name] = assembled(case, folder) or results[case.name]
        return {case.name: results[case.name] for case in self.cases}

    def refused(self, case, tools):
        """What cufuse says where it refuses what it must not."""
        with tempfile.TemporaryDirectory(prefix="cufuse-fuzz") as folder:
            case.plainest().write_sources(folder)
            status, said = fuse_alone(tools, case.plainest().command(), folder)
            return (f"{status} where it must fuse", said) if status else None

    def program(self, cases, folder):
        lines = ['#include "Harness.h"', '#include "LanguageHarness.h"', "#include <cstring>"]
        for case in cases:
            for side, file in case.sides():
                lines.append(preprocessed(folder, file, case, side))
            lines.append(preprocessed(folder, case.name + ".cu", case, "f"))
            with open(os.path.join(folder, case.name + ".h")) as header, open(
                    os.path.join(folder, case.name + ".cu"), errors="replace") as fused:
                lines.append(case.comparison(header.read(), fused.read()))
        lines += [
            "int main(int count, char **names) {", "  auto run = [&](const char *name, bool (*compare)()) {",
            "    for (int i = 1; i < count; ++i)", "      if (!std::strcmp(names[i], name)) {",
            '        std::printf("%s starts\\n", name);', "        std::fflush(stdout);", "        if "
            "(compare())", '          std::printf("%s same\\n", name);', "        std::fflush(stdout);", "      }",
            "  };"
        ]
        lines += [f'  run("{case.name}", run_{case.name});' for case in cases]
        return "\n".join(lines + ["}"]) + "\n"

    def command(self, case):
        return case.command()

    def ways(self, case, _folder):
        return ("vertical" if isinstance(case, Chain) else case.configuration, )

    def describe(self, case):
        return "\ndrawn: " + ", ".join(dict.fromkeys(production.name for production in case.productions()))

    def alone(self, case):
        return LanguageBatch(self.seed, [case])

    def smaller(self, fails, budget):
        case = copy.deepcopy(self.cases[0])
        for holder, field in case.parts():

            def still(items, holder=holder, field=field):
                setattr(holder, field, items)
                return fails(self.alone(copy.deepcopy(case)))

            setattr(holder, field, shrink(getattr(holder, field), still, budget))
        return self.alone(case)


def fuse_together(tool, cufuse, cases, folder):
    """{case: (status, what was said)} by the tool that fuses many in one process; where it ends early, by halves."""
    if not cases:
        return {}
    kernels, jobs = [], []
    for case in cases:
        jobs.append(case.job(len(kernels)))
        kernels += case.kernels()
    process = subprocess.run([tool, cufuse, *kernels, "--", *jobs],
                             cwd=folder,
                             capture_output=True,
                             text=True,
                             errors="replace",
                             timeout=3600)
    results = {}
    for line in process.stdout.splitlines():
        if re.match(r"p\d+ \d+ ", line):
            name, status, said = line.split(" ", 2)
            results[name] = int(status), said.replace("\t", "\n")
    left = [case for case in cases if case.name not in results]
    if len(cases) == 1 and left:
        return {left[0].name: (process.returncode or 70, tail(process.stderr))}
    half = len(left) // 2 or 1
    for part in (left[:half], left[half:]):
        results.update(fuse_together(tool, cufuse, part, folder))
    return results


def includes(folder, case):
    """A fused source stands beside none of the headers of its inputs."""
    folders = dict.fromkeys(os.path.dirname(path) for _, path in case.sides())
    return [f"-I{os.path.join(folder, place)}" for place in folders]


def assembled(case, folder):
    """What ptxas says against it, where there is nvcc."""
    nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    if not os.path.exists(nvcc):
        return None
    process = subprocess.run(
        [nvcc, "-arch=sm_90", "-cubin", "-w", "-o", os.devnull, *case.flags, *includes(folder, case), case.name + ".cu"],
        cwd=folder,
        capture_output=True,
        text=True,
        errors="replace")
    return ("0 and does not assemble", tail(process.stdout + process.stderr)) if process.returncode else None


def preprocessed(folder, file, case, letter):
    """The text of a file and its headers, whose macros are gone, and whose names have got the letter. Headers of
    CUDA are empty: the program has included them."""
    stubs = os.path.join(folder, "stubs")
    os.makedirs(stubs, exist_ok=True)
    for name in ("cuda_runtime.h", "cstddef", "cstdint", "cstring", "type_traits", "cooperative_groups.h"):
        write(os.path.join(stubs, name), "")
    standard = [flag for flag in case.flags if flag.startswith("-std=")] or ["-std=c++17"]
    # Of several architectures, the output must be right for each.
    architectures = re.findall(r"arch=compute_(\d+)", " ".join(case.flags)) or ["90"]
    architecture = architectures[0 if case.number % 4 else -1]
    process = subprocess.run([
        COMPILER, "-E", "-P", "-x", "c++", *standard, "-w", "-nostdinc", "-nostdinc++", "-isystem", stubs,
        "-D__CUDACC__=1", "-D__NVCC__=1", "-DEMULATED=1", f"-D__CUDA_ARCH__={architecture}0", *includes(folder, case),
        os.path.join(folder, file)
    ],
                             capture_output=True,
                             text=True,
                             errors="replace")
    text = process.stdout if not process.returncode else f"#error {process.stderr.splitlines()[0]}"
    text = text.replace(f"_p{case.number}", f"_p{case.number}{letter}")
    space = f"program{case.number}{letter}"
    return f"#pragma pack(push, {space})\n#pragma pack()\n{text}\n#pragma pack(pop, {space})"


class Maker:
    """Makes batches, of nothing but the productions `draw` where there are any. A class, so that other processes
    can be sent it."""

    def __init__(self, draw=None):
        known = {production.name for production in PRODUCTIONS + TWISTS}
        if unknown := [name for name in draw or () if name not in known]:
            raise SystemExit(f"'{unknown[0]}' is no production; there are: {', '.join(sorted(known))}")
        self.draw = draw

    def __call__(self, seed, size):
        return LanguageBatch(seed, [
            draw_program(random.Random(f"{seed} {at}"), seed * 100 + at, seed * size + at, self.draw)
            for at in range(size)
        ])
