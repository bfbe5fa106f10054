"""Tables of docs/results.md from what scripts/bench-chains keeps: {"card", "nvcc", "notes", "lines": {PART: [line]}}."""
import math

PEAK = 989e12  # FLOP a second of halves, of H100 and H200 by their data sheet
WAYS = {"cublasLt": "cuBLASLt, first", "cublasLt best": "best of six", "programmatic": "programmatic edges", "eager": "eager",
        "eager epilogue": "eager, epilogue", "torch.compile": "torch.compile", "max-autotune": "max-autotune"}
INTRODUCTION = """\
Halves, sums in single precision; ReLU between the products, SiLU and a product in the gated ones (S); no bias. µs of cold inputs.
*Floor*: the larger of operations at {peak:.0f} TFLOP/s and the bytes of inputs and output at {bandwidth:.2f} TB/s, the most that a kernel
that only moves a chain's bytes reached here. *One kernel*: the larger of that kernel's time for these bytes, with one exchange through
a cluster of four, and the operations' time: what a fused kernel cannot beat. *Room*: the best without fusion, over that. *Eager,
epilogue*: the activation in the library's epilogue; of gated chains both first products as one; of attention PyTorch's
scaled_dot_product_attention, which is a fused kernel and no part of what is to be beaten. *Warm*: the best way on one set of inputs.
*Spread*: the widest interquartile range of the row, of its median."""
FUSED = """\
Rows from 32768 on, and few of which a cluster or the whole grid holds the weights, by `cufuse fuse FILE.yaml` with ReLU between the products, as above. Geometric mean {mean:.2f}, least {least:.2f}.
*Error*: the largest against double precision, over that of cuBLAS; sums of small integers are exact, for all rows, one less, 77 and 1."""
ATTENTION = """\
Batch · heads · rows · columns, with a scale before the softmax, and a causal mask where that is said; µs of warm inputs. *Three kernels*: two products of cuBLAS
and a softmax kernel with scores of halves. *Error*: the largest of 400 rows against double precision, over that of three kernels."""
EDGES = """\
cuBLASLt {library}. An empty kernel of 132 blocks behind another takes {full:.2f} µs in a graph, {early:.2f} by a programmatic edge.
Such an edge is right only if the second kernel waits by itself. That is tried: its input is written late, by a kernel that lets it
begin at once. A kernel that does not wait was {seen}. Of the {tried} ways that the library suggests for
second products {waiting} can have such an edge: the others do not wait, or begin with a memset, so that nothing overlaps.
*Programmatic edges* has the best of those that can; of gated chains without one, an edge to the gate alone."""


def needs(case):
    """The operations, and the bytes of the inputs and the output."""
    if case["kind"] == "convolution":
        pixels = case["batch"] * case["side"] ** 2
        weights = 9 * case["channels"] * case["outputs"] + case["outputs"] * case["last"]
        return 2 * pixels * weights, 2 * (pixels * (case["channels"] + case["last"]) + weights)
    if case["kind"] == "attention":
        size = case["batch"] * case["heads"] * case["length"]
        seen = (case["length"] + 1) / 2 if case["causal"] else case["length"]  # keys of a row
        return 4 * size * seen * case["width"], 8 * size * case["width"]
    m, n, k, l = (case[key] for key in "mnkl")
    width = 2 * n if case["kind"] == "gated" else n
    return 2 * m * (k * width + n * l), 2 * (m * k + width * k + l * n + m * l)


def row(*cells):
    return "| " + " | ".join(cells) + " |"


def head(*titles):
    words = ("way", "best")
    return [row(*titles), "|---|" + "".join("---|" if title in words else "---:|" for title in titles[1:])]


class Tables:

    def __init__(self, cases, kept):
        self.cases, self.kept, self.lines, self.notes = cases, kept, kept["lines"], list(kept["notes"])
        self.passed, self.failed, self.skipped = 0, len(self.notes), 0

    def text(self):
        parts = [self.products(), self.fused(), self.attention(), self.edges(), self.clusters(), self.ordered(), [f"- {note}" for note in self.notes],
                 [f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped."]]
        version = next((line["version"] for line in self.lines["torch"] if "version" in line), None)
        first = [f"{self.kept['card']} (name, driver, SM clock when idle, its most, memory clock, °C), "
                 f"nvcc {self.kept['nvcc']}, PyTorch {version}."]
        return "\n\n".join("\n".join(part) for part in [first, *parts] if part)

    def count(self, good, what):
        self.passed, self.failed = self.passed + good, self.failed + (not good)
        if not good:
            self.notes.append(what + ": wrong")
        return good

    def times(self):
        """{case: {way: its line}}, of what was measured and is right."""
        times, missing = {}, {}
        for line in self.lines["pairs"] + self.lines["torch"] + self.lines.get("fused", []):
            if "case" not in line:
                continue
            name = line["case"].replace("_", " ")
            if "cold" not in line:
                self.skipped += 1
                reason = line.get("failed", line.get("what", "none can have them"))
                missing.setdefault((line["way"], reason), []).append(name)
            elif self.count(line.get("right", True), f"{name}, {line['way']}"):
                own = times.setdefault(name, {})
                if line["way"] not in own or line["cold"]["us"] < own[line["way"]]["cold"]["us"]:
                    own[line["way"]] = line
        self.notes += [f"{way}: {reason}: {', '.join(names)}" for (way, reason), names in missing.items()]
        return times

    def fused(self):
        rows, speedups = [], []
        for case in self.cases:
            own = self.measured.get(case["name"], {})
            if "cufuse" not in own or case["kind"] == "attention":
                continue
            line, rivals = own["cufuse"], {way: own[way] for way in WAYS if way in own}
            best = min((each["cold"]["us"] for each in rivals.values()), default=math.nan)
            speedups.append(best / line["cold"]["us"])
            rows.append(row(case["name"], f"{line['cold']['us']:.1f}", f"{line['cold']['low']:.1f}–{line['cold']['high']:.1f}",
                            f"{line['warm']['us']:.1f}", f"{best:.1f}", f"{speedups[-1]:.2f}",
                            f"{line['error'] / line['library error']:.2f}"))
        if not rows:
            return []
        mean = math.exp(sum(map(math.log, speedups)) / len(speedups))
        return ["### As one kernel", "", FUSED.format(mean=mean, least=min(speedups)), "",
                *head("case", "cufuse", "quartiles", "warm", "best without fusion", "times as fast", "error"), *rows]

    def attention(self):
        rows = []
        for case in self.cases:
            own = self.measured.get(case["name"], {})
            if case["kind"] != "attention" or not {"cufuse", "three kernels"} <= own.keys():
                continue
            us = {way: own[way]["warm"]["us"] if way in own else math.nan for way in ("three kernels", "eager epilogue", "cufuse")}
            rows.append(row(case["name"], *(f"{each:.1f}" for each in us.values()), f"{us['three kernels'] / us['cufuse']:.2f}",
                            f"{us['eager epilogue'] / us['cufuse']:.2f}", f"{own['cufuse']['error'] / own['three kernels']['error']:.2f}"))
        return ["### Attention as one kernel", "", ATTENTION, "",
                *head("case", "three kernels", "PyTorch's fused kernel", "cufuse", "times as fast as three", "as fused", "error"),
                *rows] if rows else []

    def products(self):
        self.measured = times = self.times()
        if not self.lines["pairs"] and not self.lines["torch"]:
            return []
        alone = [own["bytes"] for own in times.values() if "bytes" in own]
        bandwidth = max((line["bytes"] / line["cold"]["us"] / 1e6 for line in alone), default=math.nan)
        least = min((line["cold"]["us"] for line in alone), default=0)
        rows, sets = [], {}
        for case in self.cases:
            own = times.get(case["name"], {})
            ways = {way: own[way] for way in WAYS if way in own}
            rivals = {way: line for way, line in ways.items() if case["kind"] != "attention" or way == "eager"}
            if not rivals:
                continue
            flops, moved = needs(case)
            computing, moving = flops / PEAK * 1e6, moved / bandwidth / 1e6
            bound = max(computing, own["bytes"]["cold"]["us"] if "bytes" in own else max(least, moving))
            best = min(rivals, key=lambda way: rivals[way]["cold"]["us"])
            us = rivals[best]["cold"]["us"]
            spread = max((line["cold"]["high"] - line["cold"]["low"]) / line["cold"]["us"] for line in ways.values())
            sets.setdefault(case["group"], []).append(us / bound)
            rows.append(row(case["name"], f"{max(computing, moving):.1f}", f"{bound:.1f}",
                            *(f"{ways[way]['cold']['us']:.1f}" if way in ways else "–" for way in WAYS), WAYS[best],
                            f"{min(line['warm']['us'] for line in rivals.values()):.1f}", f"{spread:.0%}", f"{us / bound:.2f}"))
        return ["### Without fusion", "", INTRODUCTION.format(peak=PEAK / 1e12, bandwidth=bandwidth), "",
                *head("case", "floor", "one kernel", *WAYS.values(), "best", "warm", "spread", "room"), *rows, "",
                *head("set", "cases", "room, geometric mean", "least", "most"),
                *(row(name, str(len(room)), f"{math.exp(sum(map(math.log, room)) / len(room)):.2f}", f"{min(room):.2f}",
                      f"{max(room):.2f}") for name, room in sets.items())]

    def edges(self):
        first = next((line for line in self.lines["pairs"] if "library" in line), None)
        if not first:
            return []
        found = [line for line in self.lines["pairs"] if line.get("way") == "programmatic"]
        text = EDGES.format(library=first["library"], full=first["launch"]["us"], early=first["programmatic launch"]["us"],
                            seen="seen to read too early" if first["overlap"] else "NOT seen to begin early: nothing is shown",
                            tried=sum(line["of"] for line in found), waiting=sum(line["wait"] for line in found))
        early = sorted(line["early"] for line in self.lines["pairs"]
                       if line.get("way") == "cublasLt best" and "early" in line)
        if early:
            text += (f"\nBehind the best first products, a kernel that need not wait began {early[0]:.1f} to {early[-1]:.1f} µs "
                     f"(median {early[len(early) // 2]:.1f}) before one behind a full edge.")
        return [text]

    def clusters(self):
        if not self.lines["clusters"]:
            return []
        text = ["### Distributed shared memory", "",
                "Cycles of a dependent load from the own shared memory, another block's and L2, and of a cluster barrier; TB/s of "
                "16-byte accesses by one block of 512 threads on each multiprocessor.", "",
                *head("cluster", "own", "another block's", "barrier", "blocks at once", "own, TB/s", "the next block's",
                      "all others'", "stores to all others")]
        for line in self.lines["clusters"]:
            rates = [f"{line[key]:.2f}" if key in line else "–"
                     for key in ("own TB/s", "next TB/s", "all TB/s", "stores TB/s")]
            if "own cycles" in line:
                far = f"{line['cycles']:.0f}" if line["cluster"] > 1 else "–"
                text.append(row(str(line["cluster"]), str(line["own cycles"]), far, str(line["barrier cycles"]),
                                str(line["blocks"]), *rates))
            elif "failed" in line:
                self.failed += 1
                text.append(row(str(line["cluster"]), line["failed"], *[""] * 7))
            else:
                text.append(row("L2", "", str(line["L2 cycles"]), "", "", "", f"{line['L2 TB/s']:.2f}", "", ""))
                text.append(row("memory", "", str(line["memory cycles"]), *[""] * 6))
        return text

    def ordered(self):
        if not self.lines["ordered"]:
            return []
        two = {}
        for line in self.lines["ordered"]:
            self.count(line["right"], f"ordered, {line['case']}, {line['way']}")
            if "behind" not in line:
                two[line["case"]] = min(two.get(line["case"], math.inf), line["cold"]["us"])
        text = ["### Two products in one ordered stream", "",
                "The same tile code (128 x 256, `wgmma`, four stages, one block on a multiprocessor) as launches and as one "
                "persistent kernel, cold inputs. *Behind*: panels of 128 rows.", "",
                *head("m, n, k, l", "way", "µs", "quartiles", "over the best two launches")]
        for line in self.lines["ordered"]:
            cold, way = line["cold"], line["way"] + (f", {line['behind']} behind" if "behind" in line else "")
            text.append(row(line["case"], way, f"{cold['us']:.1f}", f"{cold['low']:.1f}–{cold['high']:.1f}",
                            f"{two[line['case']] / cold['us']:.2f}"))
        return text
