"""Loops by which kernels cover more elements than their launch has threads, as text, in many spellings.

Among them are those that cufuse unrolls by itself, those that it leaves to the compiler, and those that it does not take
for such loops. In the text, `$` stands for the number of the loop: its variable is `i$`.
"""
import collections

MACROS = ("BOUND", "HALF", "ELEMENTS", "WITH_STEP")

# `lines`: what stands before the loop, and its head; `uniform`: the threads of a block go through it together; `bare`: its
# body may be one statement without braces; `unrollable`: `--unroll` finds it.
Loop = collections.namedtuple("Loop", "lines uniform bare unrollable")


def macro_lines(rng):
    return [
        f"#define BOUND {rng.randrange(1, 400)}u", "#define HALF(a) ((a) / 2u)",
        "#define ELEMENTS(i, first, bound, by) for (unsigned i = (first); i < (bound); i += (by))",
        "#define WITH_STEP(i, first, bound, by) const unsigned by_##i = by; "
        "for (unsigned i = first; i < bound; i += by_##i)"
    ]


def make_loop(rng, uniform):
    if uniform:
        first, size, bound = "blockIdx.x", "gridDim.x", rng.randrange(1, 12)
    else:
        first, size = rng.choice((("b * T + t", "T * ($grid)"), ("blockIdx.x * blockDim.x + threadIdx.x",
                                                                "blockDim.x * gridDim.x"),
                                  ("threadIdx.x", "blockDim.x"), ("t", "T"), ("t", "T * gridDim.x")))
        bound = rng.choice((rng.randrange(1, 40), rng.randrange(1, 500), 500))
    lines = [f"unsigned turns$ = 0u; const unsigned *row$ = in + {rng.randrange(8)}u;"]
    if rng.random() < 0.4:
        lines.append(f"{rng.choice(('const ', ''))}unsigned size$ = {size};")
        size = "size$"
    conditions = [f"i$ < {bound}u"] * 3 + [
        f"{bound}u > i$", f"!(i$ >= {bound}u)", f"i$ < {bound}u && i$ < n", f"(i$ < {bound}u)",
        f"i$ < {bound}u && turns$++ < 9u", f"(turns$ += 2u, i$ < {bound}u)", f"i$ < {bound}u && turns$ < 5u"
    ]
    if not uniform:
        conditions += ["i$ < n", "i$ < BOUND", "i$ < HALF(n)", "HALF(n) > i$", "i$ + 3u < n", "i$ < n && v1 != 77u"]
    condition = rng.choice(conditions)
    kind = rng.choice(("unsigned", "unsigned", "int", "int", "unsigned long long", "long long", "unsigned short", "auto"))
    step = rng.choice((f"i$ += {size}", f"i$ += {size}", f"i$ = i$ + {size}", f"i$ = {size} + i$", f"i$ += ({size})"))
    hint = rng.choice([""] * 9 + ["#pragma unroll 2", "#pragma unroll", "#pragma nounroll"])
    if hint:
        lines.append(hint)
    form = rng.choice(["plain"] * 8 + ["outside", "macro", "steps", "two", "comma", "declares"])
    if hint and form in ("outside", "steps"):
        form = "plain"
    head = {
        "plain": f"for ({kind} i$ = {first}; {condition}; {step})",
        "outside": f"for (; {condition}; {step})",
        "macro": f"ELEMENTS(i$, {first}, {bound}u, {size})",
        "steps": f"WITH_STEP(i$, {first}, {bound}u, {size})",
        "two": f"for (unsigned i$ = {first}, j$ = 3u; {condition}; {step})",
        "comma": f"for (unsigned i$ = {first}, j$ = 3u; {condition}; {step}, ++j$)",
        "declares": f"for (unsigned i$ = {first}; const bool goes$ = {condition}; {step})"
    }[form]
    if form == "outside":
        lines.append(f"unsigned i$ = {first};")
    return Loop(lines + [head], uniform, rng.random() < 0.7, form not in ("steps", "comma") and not hint)


def _load(rng):
    return rng.choice(
        ("in[i$]", "in[i$]", "in[i$]", "row$[i$]", "in[i$ % n]", "in[n - 1u - i$]", "in[(i$ * 7u + seed) % n]",
         "in[in[i$] % n]", "(i$ < 40u ? in[i$] : 3u)", "twist(in[i$])", "in[i$] * in[i$]", "in[(i$ + v1) % n]",
         "in[static_cast<int>(i$)]", "in[i$ /* ] ; */ ]", "table[in[i$] % 8u]", "in[turns$ % n]", "SCALE(in[i$])",
         "unsigned(i$ < 9u && in[i$] > 7u)", "row$[HALF(i$)]", "out[(b * T + t) * 4u]"))


def body_lines(rng, loop, local, expressions):
    """Statements that work on the element; all accesses are inside of the buffers however often the variable moves."""
    lines = []
    for _ in range(rng.choice((1, 1, 2, 3))):
        load, v, other = _load(rng), local(), local()
        if loop.uniform:  # Kernels that synchronise inside must agree on what follows.
            lines.append(
                rng.choice((f"{v} += {load};", f"{v} ^= {load} + i$;", "if ((i$ + seed) % 3u == 1u) continue;",
                            "if (in[i$] % 5u == 1u) break;")))
            continue
        lines.append(
            rng.choice(
                (f"{v} += {load};", f"{v} += {load};", f"{v} ^= {load} + i$ /* ; */;",
                 f"{{ const unsigned x = {load}; {v} += x, {other} ^= x * 3u; }}",
                 f"{{ unsigned i = {v}; {other} += i + i$; }}", f"atomicAdd(&sums[{rng.randrange(16)}u], {load});",
                 f"if ({load} % 4u == 1u) continue;", f"if ({load} % 9u == 1u) break;",
                 f"{{ auto f = [&](unsigned x) {{ return x + i$; }}; {v} = f({load}); }}",
                 f"{{ auto f = [=]() mutable {{ return i$ + 1u; }}; {v} ^= unsigned(f()); }}",
                 f"{{ decltype(i$) x = i$; {v} += unsigned(++x) + {load}; }}", "++turns$;",
                 f"for (unsigned k = 0u; k < 2u; ++k) {v} += {load};", f"{v} += __popc({load}), {other} += {load};",
                 f"if constexpr (Extra > {rng.randrange(9)}u) {v} += {load};")))
    if rng.random() < 0.1 and not loop.uniform:  # From here on, nothing is read in its place.
        lines.append(rng.choice(("if (v0 & 1u) ++i$;", "if constexpr (Extra > 4u) ++i$;", "i$ += v2 % 3u;")))
    return lines
