"""Chains of two kernels for `fuzz language`, fused with --vertical: what looks as if it worked on each element
alone, and does, or does not.

In a twist, `i` is the element, `v` its value, `x` and `w` are arrays that are only read, `n` is the number of
elements.
"""
import os
import random
import re

from languagegrammar import CHOICE, HOLE


class Twist:

    def __init__(self,
                 name,
                 classes,
                 inside="",
                 before="",
                 file="",
                 role="any",
                 loop=None,
                 at="i",
                 store="$to[$at] = v;",
                 load=None,
                 element=None,
                 weight=1.0,
                 third=False,
                 product=False,
                 address=False,
                 library="",
                 guard="i < n",
                 macro=False,
                 barrier=False):
        """`inside`: statements between load and store; `at`: the element loaded; `role`: of the producer, the
        consumer or either; `loop`: only in a loop of the launch's size; `element`: the type of what is between the
        kernels; `barrier`: has one, and is in no loop; `address`: the consumer has that of what the producer stores, as
        a number `where`; `library`: text of a system's header."""
        self.name, self.classes, self.inside, self.before, self.file, self.role = name, classes.split(
        ), inside, before, file, role
        self.loop, self.at, self.store, self.load, self.element, self.weight = loop, at, store, load, element, weight
        self.third, self.product, self.guard, self.macro, self.barrier = third, product, guard, macro, barrier
        self.address, self.library = address, library


STRUCT = "struct Element$i { unsigned value; unsigned count; "
TWISTS = [
    Twist("arithmetic", "plain", "v = v * $c0 + @(w[i]@|3u@|i@);", weight=3),
    Twist("neighbour", "plain", "v += $from[n - 1 - i];", role="next"),
    Twist("thread in a condition",
          "vertical.1", "@(if (threadIdx.x == 0) v = 0;@|v += threadIdx.x < 16 ? $c0 : $c1;@|"
          "for (unsigned k = 0; k < threadIdx.x; ++k) v += $c0;@|v += blockDim.x > 1 ? $c0 : $c1;@|if (blockIdx.x % 2) "
          "v ^= $c0;@|"
          "v += gridDim.x > 1 && v > 5 ? $c0 : $c1;@|while (threadIdx.x > 7 && v % 2 == 0) v = v * 2 + 1;@|"
          "switch (threadIdx.x) { case 0: v = 0; break; case 5: v += $c0; }@)",
          weight=4),
    Twist("thread in a condition in front",
          "vertical.1",
          "v += extra;",
          before="unsigned extra = 0;\nfor (unsigned k = 0; k < threadIdx.x; ++k) "
          "extra += $c0;",
          weight=2),
    Twist("block in a condition of a helper",
          "vertical.1",
          "v = pick$i(v);",
          weight=2,
          file="__device__ unsigned pick$i(unsigned v) { return threadIdx.x % 2 ? v + $c0 : v; }"),
    Twist("whole built-in",
          "vertical.2", "@(const uint3 whole = threadIdx; v += whole.x;@|v += dim$i(blockDim) + dim$i(gridDim);@|"
          "const auto &whole = threadIdx; v += whole.x * $c0;@|auto whole = blockIdx; v ^= whole.x;@)",
          weight=4,
          file="__device__ unsigned dim$i(dim3 d) { return d.x; }"),
    Twist("assignment in one arm",
          "vertical.3",
          role="next",
          load="int j = 0; @(w[i] % 3 > 1 ? (j = i) : 0@|w[i] % 3 > 1 && (j = i) >= 0@|"
          "w[i] % 3 > 1 || (j = i) < 0@); unsigned v = $from[j];",
          weight=7),
    Twist("aliased index",
          "vertical.4",
          role="next",
          file="__device__ int &pick$i(int &a) { return a; }\nstruct Ref$i { int &r; };",
          load="int j = 0, k = 0; @(Ref$i f{j}; j = i; f.r = n - 1 - i;@|int &r = pick$i(j); j = i; r = n - 1 - i;@|"
          "int &r = w[i] % 2 ? j : k; j = i; r = n - 1 - i;@|int *p = &pick$i(j); j = i; *p = n - 1 - i;@|auto f = "
          "[&j](int a) { j = a; };"
          " j = i; f(n - 1 - i);@) unsigned v = $from[j];",
          weight=8),
    Twist("loop of a macro with state", "vertical.5", macro=True, role="first", weight=8),
    Twist(
        "state behind a pointer",
        "vertical.6",
        loop=True,
        file="struct Ref$i { unsigned &r; __device__ void add(unsigned v) const "
        "{ r += v; } };\n__device__ Ref$i make$i(unsigned &a) { return {a}; }",
        before="unsigned acc[2] = {};\n@(unsigned *p = &acc[0];@|unsigned *p = acc + 1;@|const Ref$i f = "
               "make$i(acc[0]); "
        "unsigned *p = &f.r;@|"
        "unsigned &r = acc[1]; unsigned *p = &r;@)",
        inside="*p += v; v = *p;",
        weight=6),
    Twist("state of an object",
          "vertical.6",
          loop=True,
          weight=3,
          file="struct Ref$i { unsigned &r; __device__ void add(unsigned v) const "
          "{ r += v; } };\n__device__ Ref$i make$i(unsigned &a) { return {a}; }",
          before="unsigned sum = 0;\nconst Ref$i f = make$i(sum);",
          inside="f.add(v); v = sum;"),
    Twist("state of a mutable member",
          "vertical.7",
          loop=True,
          weight=4,
          file="struct Rng$i { mutable unsigned s; __device__ unsigned next() "
          "const { s = s * 1664525u + 1013904223u; return s >> 8; } };",
          before="@(const @|@)Rng$i rng{7};",
          inside="v += rng.next();"),
    Twist("address in an integer",
          "vertical.8",
          role="next",
          file="__device__ unsigned peek$i(unsigned long long at, int i) { return reinterpret_cast<const unsigned "
          "*>(at)[i]; }",
          inside="v += peek$i(@(where@|reinterpret_cast<unsigned long long>($from)@), n - 1 - i);",
          address=True,
          weight=7),
    Twist("product that wraps",
          "vertical.9",
          product=True,
          role="next",
          inside="v += static_cast<unsigned>(total / 7);",
          weight=6),
    Twist("guard that wraps",
          "vertical.10",
          guard="static_cast<unsigned>(i) + 0xffffffffu < static_cast<unsigned>(n)",
          weight=6),
    Twist("part of an element",
          "vertical.12 vertical.18",
          role="first",
          element=STRUCT + "__device__ Element$i &operator=(unsigned v) "
          "{ value = v; return *this; } };",
          store="$to[$at] = v + $c0;",
          weight=5),
    Twist("element made of another", "vertical.12", role="first", element=STRUCT + "};", store="$to[$at].value = v;"),
    Twist("element without a default",
          "vertical.17",
          role="first",
          element=STRUCT + "__device__ Element$i(unsigned v) : value(v), count(1) {} };",
          store="$to[$at] = Element$i(v);",
          weight=4),
    Twist("element in shared memory",
          "plain",
          weight=3,
          role="first",
          inside="__shared__ unsigned held[64]; held[threadIdx.x] = v; __syncthreads(); v = "
          "held[63 - threadIdx.x];",
          guard="true",
          barrier=True),
    Twist("stored twice", "vertical.18", store="($to[$at] = v) *= 2u;", role="first"),
    Twist("stored twice at stores",
          "vertical.18",
          store="($to[$at] = held[63 - threadIdx.x]) *= 2u;",
          role="first",
          weight=2,
          before="__shared__ unsigned held[64]; held[threadIdx.x] = i < n ? x[i] : 0; __syncthreads();",
          barrier=True),
    Twist("lane",
          "vertical.13",
          inside='unsigned lane; asm("mov.u32 %0, %%@(laneid@|tid.x@|ntid.x@|ctaid.x@);" : "=r"(lane)); v += lane;',
          weight=2),
    Twist("active lanes", "vertical.13", inside="v += __popc(__activemask());", weight=0.5),
    Twist("lane of a library",
          "vertical.13",
          library="inline __device__ unsigned lane$i() {\n  unsigned lane;\n"
          '  asm("mov.u32 %0, %%laneid;" : "=r"(lane));\n  return lane;\n}\n',
          inside="v += lane$i();",
          weight=4),
    Twist("reference beyond the element",
          "vertical.14",
          role="next",
          file="__device__ unsigned pair$i(const unsigned &x, int d) { return x + (&x)[d]; }",
          load="unsigned v = pair$i($from[i], i > 0 ? -1 : 1);",
          weight=8),
    Twist(
        "order of evaluation",
        "vertical.15",
        role="next",
        load="int k = 0; @(k += (k = 1); int j = i + k - 1;@|k = 1; k -= (k = 2); ++k; int j = i + k;@) "
        "unsigned v = $from[j];",
        weight=7),
    Twist("third kernel", "vertical.16", third=True, role="next", weight=6),
]
OF_NUMBERS = {"reference beyond the element", "address in an integer", "neighbour"}


class Chain:
    """Two kernels, or three, of one file. A piece is a twist and the number that it is drawn from."""
    flags, classes, refuse = (), (), False

    def __init__(self, number, first, next_, options, dead, grid):
        self.number, self.name, self.first, self.next = number, f"p{number}", first, next_
        self.options, self.dead, self.grid = options, dead, grid

    def productions(self):
        return [twist for twist, _ in self.first + self.next]

    def parts(self):
        return [(self, "first"), (self, "next")]

    def loops(self):
        return any(twist.loop for twist in self.productions()) or self.grid < 5

    def element(self):
        return next(((twist, at) for twist, at in self.first if twist.element), None)

    def third(self):
        return any(twist.third for twist in self.productions())

    def product(self):
        return any(twist.product for twist, _ in self.next)

    def address(self):
        return any(twist.address for twist, _ in self.next)

    def filler(self, twist, at):
        rng, suffix = random.Random(f"{self.number} {at}"), f"{at}_p{self.number}"

        def fill(text, source="", target=""):
            while match := CHOICE.search(text):
                text = text[:match.start()] + rng.choice(match[1].split("@|")) + text[match.end():]
            text = text.replace("$from", source).replace("$to", target).replace("$at", "i")
            return HOLE.sub(lambda match: suffix if match[1] == "i" else str(rng.randrange(3, 120)), text)

        return fill

    def kernel(self, name, parameters, pieces, source, target, element, value):
        files, before, inside, load, store, guard = [], [], [], None, None, "i < n"
        macro = False
        for twist, at in pieces:
            fill = self.filler(twist, at)
            files.append(f'#include "library{at}.h"' if twist.library else fill(twist.file))
            before.append(fill(twist.before))
            if twist.load and load is None:
                load = fill(twist.load, source).replace(f"= {source}[j]", f"= {source}[j]{value}")
            inside.append(fill(twist.inside, source, target))
            store = store or (fill(twist.store, source, target) if twist.store != "$to[$at] = v;" else None)
            guard = twist.guard if twist.guard != "i < n" else guard
            macro = macro or twist.macro
        load = load or f"unsigned v = {source}[i]{value};"
        store = store or f"{target}[i] = {'v' if not element or value else '{v, 1u}'};"
        before, inside = "\n".join(filter(None, before)), "\n".join(filter(None, inside))
        head = f"__global__ void {name}_p{self.number}({parameters}) {{\n"
        index = "blockIdx.x * blockDim.x + threadIdx.x"
        if macro:
            loop = f"for (int i = {index}; i < n; i += blockDim.x * gridDim.x)"
            files.append(f"#define BODY unsigned sum = 0; {loop} {{ sum += {source}[i]; {target}[i] = sum; }}")
            body = "BODY\n"
        elif self.loops():
            loop = f"for (int i = {index}; i < n; i += blockDim.x * gridDim.x)"
            body = f"{before}\n{loop} {{\n{load}\n{inside}\n{store}\n}}\n"
        else:
            body = f"const int i = {index};\n{before}\nif ({guard}) {{\n{load}\n{inside}\n{store}\n}}\n"
        return "\n".join(filter(None, files)) + "\n" + head + body + "}\n"

    def text(self):
        element, definition, value = "unsigned", "", ""
        if self.element():
            twist, at = self.element()
            element, value = f"Element{at}_p{self.number}", ".value"
            definition = self.filler(twist, at)(twist.element) + "\n"
        extra = ", int rows, int columns" if self.product() else ""
        total = ", long long total" if self.product() else ""
        where = ", unsigned long long where" if self.address() else ""
        read = "const unsigned *__restrict__"
        text = self.kernel("first", f"{read} x, {read} w, {element} *__restrict__ mid, int n{extra}", self.first, "x",
                           "mid", element if value else "", "")
        parameters = f"const {element} *__restrict__ in, {read} w, unsigned *__restrict__ out, int n{total}{where}"
        text += self.kernel("next", parameters, self.next, "in", "out", "", value)
        if self.third():
            parameters = f"const {element} *__restrict__ in, unsigned *__restrict__ last, int n"
            text += (f"__global__ void third_p{self.number}({parameters}) {{\n"
                     "const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                     f"if (i < n) last[i] = in[i]{value} + in[n - 1 - i]{value};\n}}\n")
        return definition, text

    def write_sources(self, folder):
        os.makedirs(os.path.join(folder, self.name), exist_ok=True)
        definition, text = self.text()
        for twist, at in self.first + self.next:
            if twist.library:
                with open(os.path.join(folder, self.name, f"library{at}.h"), "w") as file:
                    file.write("#pragma once\n#pragma GCC system_header\n" + self.filler(twist, at)(twist.library))
        with open(os.path.join(folder, self.name, "k.cu"), "w") as file:
            file.write(('#include "types.h"\n' if definition else "") + text)
        if definition:
            with open(os.path.join(folder, self.name, "types.h"), "w") as file:
                file.write("#pragma once\n" + definition)

    def kernels(self):
        names = ["first", "next"] + (["third"] if self.third() else [])
        return [f"{self.name}/k.cu:{name}_p{self.number}" for name in names]

    def links(self):
        p = f"_p{self.number}"
        links = [f"first{p}.mid=next{p}.in", f"first{p}.n=next{p}.n"]
        if self.product():
            links.append(f"first{p}.rows*columns=next{p}.total")
        if self.third():
            links += [f"next{p}.in=third{p}.in", f"next{p}.n=third{p}.n"]
        return links

    def deads(self):
        return [f"first_p{self.number}.mid"] if self.dead else []

    def command(self):
        words = ["fuse", "--vertical", *self.kernels()]
        for link in self.links():
            words += ["--link", link]
        for name in self.deads():
            words += ["--dead", name]
        for option in self.options:
            words += ["--distinct"] if option == "distinct" else ["--" + option.split("=")[0], option.split("=")[1]]
        return words + ["--block", "64", "--name", self.name, "-o", self.name + ".cu"]

    def job(self, first_kernel):
        members = " ".join(f"{first_kernel + k}=64" for k in range(len(self.kernels())))
        words = (members, *map(" ".join, (self.links(), self.deads(), self.options)))
        return f"{self.name};{self.name}.cu;{';'.join(words)}"

    def sides(self):
        return [("k", f"{self.name}/k.cu")]

    def comparison(self, header, fused):
        """The function that runs it: all arrays have 512 words."""
        # One loop over all elements has any grid.
        # In turn, the grid of all may have to reach all elements in one turn.
        own = 5 if re.search(r"\bn > 64ll \* grid\.x", fused) else self.grid
        # Of a kernel without a guard, whole blocks alone.
        n = 64 * own if re.search(r"64ll \* grid\.x (>|!=) n\b|\bn != 64ll \* grid\.x", fused) else 300
        grid = 4 if "cufuseTurn<" in fused or "/// For every so many elements, one." in fused else own
        p, space = f"_p{self.number}k", f"{self.name}"
        element = f"Element{self.element()[1]}{p}" if self.element() else "unsigned"
        between = f"reinterpret_cast<{element} *>(arrays.mid)"
        product, third = self.product(), self.third()
        where = "reinterpret_cast<unsigned long long>(arrays.mid)"
        launch = re.search(r"namespace (\w+) \{\n/// One launch of",
                           header)[1].replace(f"_p{self.number}", f"_p{self.number}f")
        fields = re.search(r"struct Arguments \{\n(.*?)\n  \} arguments;", header, re.S)[1]
        lines = [
            f"static bool run_{self.name}() {{", "  LanguageArrays arrays;", "  auto alone = [&] {",
            f"    first{p}<<<{own}, 64>>>(arrays.x, arrays.w, {between}, "
            f"{n}{', 65536, 65537' if product else ''});",
            f"    next{p}<<<{own}, 64>>>({between}, arrays.w, arrays.out, "
            f"{n}{', 65536ll * 65537' if product else ''}{f', {where}' if self.address() else ''});"
        ]
        if third:
            lines.append(f"    third{p}<<<{own}, 64>>>({between}, arrays.last, {n});")
        lines += [
            "  };", '  stage("alone");', "  alone();", f'  finished("{self.name}: alone");',
            f"  const std::vector<unsigned> before = arrays.take({'false' if self.dead else 'true'});",
            "  arrays.clear();", f"  {space}::{launch}::Launch launch{{}};", f"  launch.grid = {grid};"
        ]
        for field in re.findall(r"(\w+)[;,]", fields):
            short = field.split(f"_p{self.number}_")[-1]
            value = {
                "n": str(n),
                "rows": "65536",
                "columns": "65537",
                "total": "65536ll * 65537",
                "where": where
            }.get(short, f"arrays.{short}")
            if short == "in":
                value = "arrays.mid"
            name = field.replace(f"_p{self.number}", f"_p{self.number}f")
            lines.append(f"  assign(launch.arguments.{name}, {value});")
        lines += [
            '  stage("fused");', f"  const cudaError_t error = {space}::launch(launch, nullptr);",
            # Numbers beyond `int` may be refused.
            *(["  if (error == cudaErrorInvalidConfiguration)", "    return true;"] if product else []),
            f'  require(error, "{self.name}: launch");',
            f'  finished("{self.name}: fused");',
            f'  return same("{self.name}", "chain", before, arrays.take({"false" if self.dead else "true"}));', "}"
        ]
        return "\n".join(lines) + "\n"


def make_chain(rng, number, draw=None, lead=None):
    """`lead`: the twist that it has in any case."""
    twists = [twist for twist in TWISTS if not draw or twist.name in draw or twist.name == "arithmetic"]

    def pick(role, count, others=()):
        # A number that is read beyond is an element of its own.
        whole = {twist.name for twist, _ in others if twist.element}
        fitting = [
            twist for twist in twists if twist.role in ("any", role) and not (whole and twist.name in OF_NUMBERS)
        ]
        weights = [twist.weight * (4 if draw and twist.name in draw else 1) for twist in fitting]
        chosen = rng.choices(fitting, weights, k=count)
        if lead in fitting and (role == "next" or lead.role == "first"):
            chosen = [lead] + chosen[1:]
        return [(twist, at + (0 if role == "first" else 10)) for at, twist in enumerate(chosen)]

    first = pick("first", rng.choice((0, 1, 1, 2)))
    next_ = pick("next", rng.choice((0, 1, 1, 2)), first)
    # A thread takes several elements, so that what it carries from one to the next shows.
    grids = (2, 3) if any(twist.loop or twist.macro for twist, _ in first + next_) else (5, 5, 6, 2)
    if any(twist.barrier for twist, _ in first + next_):
        first, next_ = ([(twist, at) for twist, at in pieces if not twist.loop] for pieces in (first, next_))
        grids = (5, 5, 6)
    # In vectors, an element has another lane.
    lanes = any("vertical.13" in twist.classes for twist, _ in first + next_)
    options = [
        option for option, part in (("vectorize=4", 0.8 if lanes else 0.15), ("recompute=any", 0.3), ("distinct", 0.2))
        if rng.random() < part
    ]
    dead = rng.random() < 0.6 and not any(twist.address for twist, _ in next_)
    return Chain(number, first, next_, options, dead, rng.choice(grids))
