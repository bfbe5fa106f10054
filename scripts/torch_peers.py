#!/usr/bin/env python3
"""Times a pointwise chain in every way it can be run, in one process: its own kernels one by one and fused, and PyTorch's.

usage: torch_peers.py JOB.json

JOB is a list of cases: {"name", "elements", "columns", "precision", "dropout", "ways": {WAY: [LAUNCH...]}}. A launch is
{"cubin", "kernel", "grid", "block", "values", "programmatic"}: `kernel` begins the mangled name, and a value is a number or the
name of a tensor: "in", "bias", "out", or any other for an intermediate. All ways of a case are CUDA graphs that take turns
(torch_median.py), on inputs that are not in the L2 cache. To the case's own ways come torch.compile for this shape alone
(dynamic=False), by default and with max-autotune. Prints a line of JSON for each case, {WAY: microseconds}, and at the end
{"version": PyTorch's}.
"""
import ctypes
import itertools
import json
import sys

import torch
from cuda.bindings import driver
from torch_median import medians

P, COLD_BYTES = 0.1, 640 << 20


def checked(result):
    error, *values = result
    if error != driver.CUresult.CUDA_SUCCESS:
        raise RuntimeError(str(error))
    return values[0] if values else None


class Launch:

    def __init__(self, cubin, kernel, grid, block, values, programmatic=False):
        self.module = checked(driver.cuModuleLoad(cubin.encode()))
        functions = checked(driver.cuModuleEnumerateFunctions(checked(driver.cuModuleGetFunctionCount(self.module)), self.module))
        [self.function] = [each for each in functions if checked(driver.cuFuncGetName(each)).startswith(kernel.encode())]
        self.values = values
        self.config = driver.CUlaunchConfig()
        self.config.gridDimX, self.config.gridDimY, self.config.gridDimZ = grid, 1, 1
        self.config.blockDimX, self.config.blockDimY, self.config.blockDimZ = block, 1, 1
        if programmatic:
            attribute = driver.CUlaunchAttribute()
            attribute.id = driver.CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION
            attribute.value.programmaticStreamSerializationAllowed = 1
            self.config.attrs, self.config.numAttrs = [attribute], 1

    def __call__(self, tensors):
        values = [tensors[value].data_ptr() if isinstance(value, str) else value for value in self.values]
        types = [ctypes.c_void_p if isinstance(value, str) else ctypes.c_float if isinstance(value, float) else ctypes.c_int
                 for value in self.values]
        self.config.hStream = driver.CUstream(torch.cuda.current_stream().cuda_stream)
        checked(driver.cuLaunchKernelEx(self.config, self.function, (tuple(values), tuple(types)), 0))


def activation(x, bias, dropout):
    y = torch.nn.functional.gelu(x + bias, approximate="tanh")
    return torch.nn.functional.dropout(y, P, True) if dropout else y


def measured(case):
    kind, shape = getattr(torch, case["precision"]), (case["elements"] // case["columns"], case["columns"])
    count = max(2, COLD_BYTES // (case["elements"] * torch.finfo(kind).bits // 8) + 1)
    inputs = [torch.randn(shape, device="cuda", dtype=kind) for _ in range(count)]
    bias, turn = torch.randn(case["columns"], device="cuda", dtype=kind), itertools.cycle(inputs)
    torch._dynamo.reset()
    compiled = {"torch.compile": torch.compile(activation, dynamic=False),
                "max-autotune": torch.compile(activation, dynamic=False, mode="max-autotune-no-cudagraphs")}
    ways, results = {}, {}
    for name, each in case["ways"].items():
        launches = [Launch(**launch) for launch in each]
        names = {value for launch in launches for value in launch.values if isinstance(value, str)} - {"in", "bias"}

        def run(launches=launches, names=names):
            tensors = {"in": next(turn), "bias": bias, **{name: torch.empty_like(inputs[0]) for name in names}}
            for launch in launches:
                launch(tensors)
            return tensors["out"]

        ways[name] = run
    for name, function in compiled.items():
        function(inputs[0], bias, case["dropout"])
        ways[name] = lambda function=function: function(next(turn), bias, case["dropout"])
    # That all compute the same is seen before any time counts: dropped elements are zeros, and which ones differs by the seed.
    expected = activation(inputs[0].float(), bias.float(), False) / (1 - P if case["dropout"] else 1)
    for name, run in ways.items():
        turn = itertools.cycle(inputs)
        found = run().float()
        kept = (found != 0) | (expected.abs() < 1e-2)
        if not torch.allclose(torch.where(kept, found, expected), expected, rtol=2e-2, atol=2e-2) or (
                abs((found == 0).float().mean().item() - (P if case["dropout"] else 0)) > 0.01):
            raise RuntimeError(f"{case['name']}: {name} computes something else")
    turn = itertools.cycle(inputs)
    return dict(zip(ways, medians(*ways.values())))


def main():
    with open(sys.argv[1]) as file:
        cases = json.load(file)
    torch.cuda.init()
    torch.zeros(1, device="cuda")
    with torch.no_grad():
        for case in cases:
            print(json.dumps(measured(case)), flush=True)
    print(json.dumps({"version": torch.__version__}))


if __name__ == "__main__":
    main()
