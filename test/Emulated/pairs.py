#!/usr/bin/env python3
"""Fuses every pair of the samples and runs all of them on the emulator, against the unfused kernels on it.

usage: pairs.py --fuser CUFUSE-FUSE-PAIRS --out FOLDER [--pairs A:B,C:D] [--configurations match,blocks-stride] [--seeds 1,2]
                [--jobs N]

Per unordered pair (a sample with itself included) and configuration: outputs bit for bit those of the unfused launches,
and right, on equal and on different grids, once per seed. One translation unit holds many fused kernels, since reading
the headers takes longer than the kernels. The last line is `N passed, N failed`.
"""
import argparse
import concurrent.futures
import itertools
import os
import re
import shutil
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SAMPLES = os.path.join(os.path.dirname(os.path.dirname(HERE)), "samples")
sys.dont_write_bytecode = True
sys.path[:0] = [HERE, os.path.join(SAMPLES, "driver")]
import run as emulator  # noqa: E402
from generate import source as case_source  # noqa: E402

GRIDS = (("5", "5"), ("3", "8"), ("9", "4"))
BATCH = 26


def index():
    with open(os.path.join(SAMPLES, "index.txt")) as file:
        return {line.split()[0]: line.split()[1:] for line in file}


def source_of(sample):
    return os.path.join(SAMPLES, sample, sample + ".cu")


def fuse(options, samples, cases):
    """The names of the fused kernels, whose sources and cases for the driver then lie in the folder."""
    lines = {}
    for configuration, pair in cases:
        name = "_".join([*pair, *configuration.split("-")])
        lines[name] = " ".join([name, configuration] + [f"{source_of(sample)}:{samples[sample][0]} {samples[sample][1]}"
                                                 for sample in pair])
        with open(os.path.join(options.out, name + ".cpp"), "w") as file:
            file.write(case_source(name, pair).replace(" registration(", f" {name}_registration("))
    emulator.execute([options.fuser, options.out], "\n".join(lines.values()))
    return list(lines)


def compile_batch(options, number, names):
    unit = os.path.join(options.out, f"batch{number}.cu")
    with open(unit, "w") as file:
        file.writelines(f'#include "{name}.cu"\n#include "{name}.cpp"\n' for name in names)
    emulator.compile_source(unit, unit + ".o", folders(options), level="-O1", relocatable=True)
    return unit + ".o"


def compile_other(options, source):
    target = os.path.join(options.out, os.path.basename(source) + ".o")
    emulator.compile_source(source, target, folders(options), ["SAMPLE_NO_MAIN"], level="-O1", relocatable=True)
    return target


def folders(options):
    return [options.out, SAMPLES, *(os.path.join(SAMPLES, sample) for sample in index())]


def run(options, name, seed):
    """What went wrong, empty if nothing did. A process that begins takes longer than the kernels: all grids in one."""
    environment = dict(os.environ, EMULATED_SEED=str(seed))
    process = subprocess.run([os.path.join(options.out, "pairs"), "run", name, "--blocks", *itertools.chain(*GRIDS)],
                             capture_output=True, text=True, env=environment)
    if process.returncode == 0 and len(re.findall(r": equal$", process.stdout, re.M)) == len(GRIDS):
        return ""
    return f"{name}, seed {seed}: status {process.returncode}: {process.stdout}{process.stderr}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fuser", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--pairs", default="")
    parser.add_argument("--configurations", default="match,stride")
    parser.add_argument("--seeds", default="1,2")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    samples = index()
    pairs = ([tuple(pair.split(":")) for pair in options.pairs.split(",")] if options.pairs
             else list(itertools.combinations_with_replacement(samples, 2)))
    shutil.rmtree(options.out, ignore_errors=True)
    os.makedirs(options.out)
    started = time.monotonic()

    def stage(what):
        print(f"==> {what}: {time.monotonic() - started:.0f} s", flush=True)

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        used = dict.fromkeys(sample for pair in pairs for sample in pair)
        others = [source_of(sample) for sample in used] + [os.path.join(SAMPLES, "driver", "driver.cpp")]
        objects = [pool.submit(compile_other, options, source) for source in others]
        emulator.runtime()
        cases = itertools.product(options.configurations.split(","), pairs)
        fused = fuse(options, samples, cases)
        stage(f"{len(fused)} fused")
        batches = [fused[at:at + BATCH] for at in range(0, len(fused), BATCH)]
        objects += [pool.submit(compile_batch, options, *batch) for batch in enumerate(batches)]
        emulator.link([future.result() for future in objects], os.path.join(options.out, "pairs"))
        stage("compiled")
        runs = list(itertools.product(fused, options.seeds.split(",")))
        wrong = [result for result in pool.map(lambda one: run(options, *one), runs) if result]
        stage(f"{len(runs)} runs")
    print("\n".join(wrong))
    print(f"{len(runs) - len(wrong)} passed, {len(wrong)} failed")
    return 1 if wrong or not runs else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except emulator.Failed as error:
        sys.exit(f"pairs.py: {error}")
