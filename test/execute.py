#!/usr/bin/env python3
"""Builds a CUDA program from its sources and runs it on the GPU, or without one on the emulator, in several orders.

usage: execute.py [--rdc] [--nvcc=FLAG]... [-I FOLDER]... [-D MACRO]... SOURCE...

The status is the program's. With --rdc, the device code of all files is linked. FLAGs are for nvcc only.
"""
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


def main():
    try:
        gpu = subprocess.run(["nvidia-smi", "-L"], capture_output=True, timeout=30).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        gpu = False
    flags = [argument.removeprefix("--nvcc=") for argument in sys.argv[1:] if argument.startswith("--nvcc=")]
    arguments = [argument for argument in sys.argv[1:] if not argument.startswith("--nvcc=")]
    if not gpu:
        seeds = [argument for seed in range(1, 5) for argument in ("--seed", str(seed))]
        return subprocess.run([sys.executable, os.path.join(HERE, "Emulated", "run.py"), *seeds, *arguments]).returncode
    if "--rdc" in arguments:
        arguments.remove("--rdc")
        flags.append("-rdc=true")
    with tempfile.TemporaryDirectory() as work:
        program = os.path.join(work, "program")
        built = subprocess.run(["nvcc", "-std=c++17", "-Werror", "all-warnings", "-gencode", "arch=compute_90a,code=sm_90a", "-o", program, *flags, *arguments])
        return built.returncode or subprocess.run([program], timeout=120).returncode


if __name__ == "__main__":
    sys.exit(main())
