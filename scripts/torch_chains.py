#!/usr/bin/env python3
"""Times chains of products in every way that PyTorch has, as CUDA graphs on cold inputs and on warm ones.

usage: torch_chains.py CASES.json SECONDS [--dry-run]

CASES is a list of {"name", "kind", "compile", ...}: "chain" and "gated" with m, n, k, l (B and D as linear layers keep their
weights, halves), "convolution" with batch, channels, side, outputs, last (a 3 x 3 and a 1 x 1 one, channels last), "attention"
with batch, heads, length, width. Prints a line of JSON for each way of a case as soon as it is measured: first what needs no compilation, then
torch.compile, then max-autotune, each in the order of the cases, and none of them begun once so many seconds are over.
"""
import itertools
import json
import math
import statistics
import sys
import time

COLD = 192 << 20  # bytes of inputs that take turns: more than three times the L2


def ways_of(case, torch):
    """How it is computed, {way: function of a set of inputs}; what is compiled; and a set's shapes, each with its scale."""
    F, kind = torch.nn.functional, case["kind"]
    if kind == "chain":
        m, n, k, l = (case[key] for key in "mnkl")
        zero = torch.zeros(n, device="cuda", dtype=torch.half)
        apart = lambda a, b, d: F.linear(torch.relu(F.linear(a, b)), d)
        epilogue = lambda a, b, d: F.linear(torch._addmm_activation(zero, a, b.t()), d)
        return ({"eager": apart, "eager epilogue": epilogue}, apart,
                [((m, k), 1), ((n, k), k ** -0.5), ((l, n), n ** -0.5)])
    if kind == "gated":
        m, n, k, l = (case[key] for key in "mnkl")
        apart = lambda a, b, c, d: F.linear(F.silu(F.linear(a, b)) * F.linear(a, c), d)

        def joined(a, both, d):
            left, right = F.linear(a, both).chunk(2, -1)
            return F.linear(F.silu(left) * right, d)

        return ({"eager": lambda a, both, d: apart(a, both[:n], both[n:], d), "eager epilogue": joined}, joined,
                [((m, k), 1), ((2 * n, k), k ** -0.5), ((l, n), n ** -0.5)])
    if kind == "convolution":
        batch, channels, side, outputs, last = (case[key] for key in ("batch", "channels", "side", "outputs", "last"))
        zero = torch.zeros(outputs, device="cuda", dtype=torch.half)
        apart = lambda x, v, w: F.conv2d(torch.relu(F.conv2d(x, v, padding=1)), w)
        epilogue = lambda x, v, w: F.conv2d(torch.cudnn_convolution_relu(x, v, zero, (1, 1), (1, 1), (1, 1), 1), w)
        return ({"eager": apart, "eager epilogue": epilogue}, apart,
                [((batch, channels, side, side), 1), ((outputs, channels, 3, 3), (9 * channels) ** -0.5),
                 ((last, outputs, 1, 1), outputs ** -0.5)])
    batch, heads, length, width, causal = (case[key] for key in ("batch", "heads", "length", "width", "causal"))
    hidden = torch.full((length, length), -math.inf, device="cuda", dtype=torch.half).triu(1) if causal else 0
    apart = lambda q, k, v: torch.softmax((q @ k.transpose(-1, -2)) * width ** -0.5 + hidden, -1) @ v
    return ({"eager": apart, "eager epilogue": lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=causal)}, apart,
            [((batch, heads, length, width), 1)] * 3)


class Case:

    def __init__(self, case, torch):
        self.case, self.torch = case, torch
        self.ways, self.compiled, shapes = ways_of(case, torch)
        self.bytes = sum(2 * math.prod(shape) for shape, _ in shapes)
        count = min(400, max(2, COLD // self.bytes + 1))

        def one(shape, scale):
            tensor = torch.randn(shape, device="cuda", dtype=torch.half) * scale
            return tensor.contiguous(memory_format=torch.channels_last) if case["kind"] == "convolution" else tensor

        self.sets = [[one(shape, scale) for shape, scale in shapes] for _ in range(count)]
        self.expected = self.ways["eager"](*self.sets[0]).float()

    def time(self, run, cold):
        """Quartiles of microseconds of a run, of a graph of several."""
        torch = self.torch
        with torch.cuda.stream(torch.cuda.Stream()):
            for _ in range(3):
                run(*self.sets[0])
        torch.cuda.synchronize()

        def sampled(calls, inputs, samples):
            turn, times = itertools.cycle(inputs), []
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                for _ in range(calls):
                    run(*next(turn))
            for sample in range(samples + 3):
                begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
                begin.record()
                graph.replay()
                end.record()
                end.synchronize()
                if sample >= 3:
                    times.append(begin.elapsed_time(end) * 1000 / calls)
            return statistics.quantiles(times, n=4)

        once = sampled(4, self.sets[:1], 3)[1]
        if cold:
            quartiles = sampled(len(self.sets) * max(1, int(min(64, 1500 / once)) // len(self.sets)), self.sets, 15)
        else:
            quartiles = sampled(int(max(4, min(100, 1000 / once))), self.sets[:1], 15)
        return dict(zip(("low", "us", "high"), (round(value, 3) for value in quartiles)))

    def print(self, way, run):
        try:
            found = run(*self.sets[0]).float()
            error = ((found - self.expected).abs().max() / self.expected.abs().max()).item()
            result = {"cold": self.time(run, True), "warm": self.time(run, False), "right": error < 2e-2}
        except Exception as error:  # the other ways and cases go on
            result = {"failed": f"{type(error).__name__}: {error}"[:300]}
        print(json.dumps({"case": self.case["name"], "way": way, **result}), flush=True)


def main():
    with open(sys.argv[1]) as file:
        cases = json.load(file)
    limit = time.monotonic() + float(sys.argv[2])
    if "--dry-run" in sys.argv:
        for case in cases:
            print(json.dumps({"case": case["name"], "way": "dry run", "kind": case["kind"]}))
        return
    import torch
    torch.backends.cudnn.benchmark = True
    print(json.dumps({"version": torch.__version__, "cudnn": torch.backends.cudnn.version()}), flush=True)
    modes = {"eager": None, "torch.compile": "default", "max-autotune": "max-autotune-no-cudagraphs"}
    with torch.no_grad():
        for mode, name in modes.items():
            for case in cases:
                if name and mode not in case["compile"]:
                    continue
                if time.monotonic() > limit:
                    print(json.dumps({"case": case["name"], "way": mode, "failed": "no time left"}), flush=True)
                    continue
                try:
                    own = Case(case, torch)
                except Exception as error:
                    print(json.dumps({"case": case["name"], "way": mode, "failed": str(error)[:300]}), flush=True)
                    continue
                if not name:
                    for way, run in own.ways.items():
                        own.print(way, run)
                else:
                    torch._dynamo.reset()
                    run = torch.compile(own.compiled, dynamic=False, mode=name)
                    own.print(mode, run)
                del own
                torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
