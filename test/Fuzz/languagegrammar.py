"""Productions of `fuzz language`, and the pieces of programs that are drawn from them.

A production is text with places that are filled when it is drawn:

    $i        a suffix for names; that of the other kernel's production, too, where the two are twins
    $c0..$c5  constants; twins have others
    $M        a macro's name, of few; $hA, $hB: names of headers, whose text is in `files`
    $S $T     the kernel's folder, and a type that the other kernel does not have
    $A $L     how many threads of the block are still there, and how many are left by a production that is an `exit`
    @(x@|y@)  one of these; twins have the same
"""
import random
import re

MACROS = ("WIDTH", "FACTOR", "LIMIT", "SCALE", "TILE", "ROWS", "size", "rank", "Threads", "N")


class Production:

    def __init__(self,
                 name,
                 classes,
                 body,
                 weight=1.0,
                 top="",
                 files=None,
                 shared=None,
                 file="",
                 param=None,
                 attribute="",
                 flags=(),
                 sync=False,
                 exit=False,
                 warp=False,
                 last=False,
                 opens=False,
                 dynamic=False,
                 needs_all=False,
                 wraps=True,
                 refuse=False,
                 fuses=False,
                 odd=False,
                 seldom=False,
                 assembles=False,
                 host="",
                 own_macro=False,
                 open_pack=False):
        """`classes`: of the lists in languageclasses.py. `top`: where headers are included; `files`: text of
        headers of one kernel's folder, by letter or name, `shared`: beside the folders; `file`: in front of the kernel; `param`: the
        type of one more parameter, `extra`. `sync`, `warp`: has barriers or warp primitives; `last`: some lanes go
        round a warp primitive; `opens`: declares what lives to the kernel's end; `needs_all`: no thread may have
        left; `refuse`: cufuse must not fuse it; `fuses`: nor refuse it; `assembles`: ptxas must take what is made of
        it; `odd`: where it leads, the same threads
        play both kernels, and its block is not of whole warps; `seldom`: what goes wrong shows in few programs, so it leads more
        often. `host`: a function of the file that is called before the launches."""
        self.name, self.classes, self.body, self.weight = name, classes.split(), body, weight
        self.top, self.files, self.shared, self.file, self.param = top, files or {}, shared or {}, file, param
        self.attribute, self.flags, self.sync, self.exit = attribute, flags, sync, exit
        self.warp, self.last = warp, last
        self.opens, self.dynamic, self.needs_all, self.refuse = opens, dynamic, needs_all, refuse
        self.fuses, self.odd, self.seldom, self.assembles, self.host = fuses, odd, seldom or odd, assembles, host
        self.wraps = wraps and not (exit or last or opens or param)
        self.own_macro, self.open_pack = own_macro, open_pack


HOLE = re.compile(r"\$(c\d|h[A-C]|[iMALST])")
CHOICE = re.compile(r"@\(((?:(?!@\().)*?)@\)", re.S)
# What a piece's statements stand in.
WRAPS = ("plain", "plain", "plain", "condition", "loop", "lambda", "helper", "helper of a class", "template")


class Piece:
    """A production as it stands in one kernel. `number`: its name; equal for twins."""

    def __init__(self, production, program, number, side, alive, leave, macros):
        self.production, self.number, self.side = production, number, side
        shape, own = random.Random(f"{program} {number}"), random.Random(f"{program} {number} {side}")
        suffix = f"{number}_p{program}"
        free = [name for name in MACROS if name not in macros] or [f"MACRO{number}"]
        holes = {"i": suffix, "M": shape.choice(free), "A": str(alive), "L": str(leave), "S": side, "T": {"a": "long", "b": "int"}[side]}
        holes.update({f"c{k}": str(own.randrange(3, 120)) for k in range(6)})
        holes.update({f"h{letter}": f"h{number}{letter}{side}.h" for letter in "ABC"})
        self.macro = holes["M"] if "$M" in repr(vars(production)) else None

        def fill(text):
            while match := CHOICE.search(text):
                text = text[:match.start()] + shape.choice(match[1].split("@|")) + text[match.end():]
            return HOLE.sub(lambda match: holes[match[1]], text)

        self.top, self.file, self.body = fill(production.top), fill(production.file), fill(production.body)
        self.files = {
            holes.get("h" + name) or fill(name): fill(text) + "\n"
            for name, text in production.files.items()
        }
        # What both kernels include has one text.
        self.shared = {fill(name): fill(text) + "\n" for name, text in production.shared.items()}
        self.param = fill(production.param) if production.param else None
        self.host = fill(production.host)
        self.wrap = shape.choice(WRAPS) if production.wraps else "none"
        if self.file and not self.top and not production.open_pack and not production.fuses and shape.random() < 0.3:
            name = f"h{number}Z{side}.h"
            guard = shape.choice(("#pragma once\n", f"#ifndef PIECE_H\n#define PIECE_H\n", ""))
            end = "\n#endif\n" if "#ifndef" in guard else "\n"
            self.files[name] = guard.replace("PIECE_H", f"PIECE{number}_H") + self.file + end
            self.file = f'#include "{name}"'
        self.wrapped(suffix)

    def wrapped(self, suffix):
        """Puts the body into what it stands in."""
        parameters = ("unsigned &v, const unsigned t, const unsigned b, const unsigned all, const unsigned *in, "
                      "unsigned *out, "
                      "unsigned *sums, const unsigned n, const unsigned seed")
        arguments = "v, t, b, all, in, out, sums, n, seed"
        body, wrap = self.body, self.wrap
        if wrap == "condition":
            body = f"if (blockIdx.x % 3u != {self.number % 3}u) {{\n{body}\n}}"
        elif wrap == "loop":
            body = f"for (unsigned turn = 0; turn < 2u; ++turn) {{\n{body}\n}}"
        elif wrap == "lambda":
            body = f"[&] {{\n{body}\n}}();"
        elif wrap in ("helper", "helper of a class", "template"):
            name = f"wrap{suffix}"
            head = f"__device__ void {name}({parameters}) {{\n{body}\n}}"
            call = f"{name}({arguments});"
            if wrap == "helper of a class":
                head = f"struct Wrap{suffix} {{ unsigned by; __device__ void run({parameters}) const {{\n{body}\n}} }};"
                call = f"Wrap{suffix}{{3}}.run({arguments});"
            elif wrap == "template":
                head, call = f"template <typename T> {head}", f"{name}<unsigned>({arguments});"
            self.file, body = self.file + "\n" + head, call
        keeps_open = self.production.exit or self.production.opens
        self.body = body if keeps_open else f"{{\n{body}\n}}"
