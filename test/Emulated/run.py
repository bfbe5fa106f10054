#!/usr/bin/env python3
"""Compiles CUDA sources for the CPU and runs them on the emulator: one fibre per thread, in an order made by a seed.

usage: run.py [--seed N]... [-I FOLDER]... [-D MACRO]... [-o PROGRAM] FILE... [-- ARGUMENTS OF THE PROGRAM]

FILEs are .cu, .cpp and .o; together they have one `main`. All but the .o are CUDA sources, and headers are looked for
in the folders of all of them, so that fused kernels find those of their inputs. The program runs once per --seed (1 by
default); with -o it is kept and, without --seed, not run; with --object FILE.o one source is only compiled. The status
is the program's own, 87 when the emulator has found an error (a line `emulated: …` on stderr says which), 86 when the
program's output differs between seeds, or the compiler's.
"""
import argparse
import concurrent.futures
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, HERE)
from translate import split_headers, translate, Untranslatable  # noqa: E402

INCLUDE = os.path.join(HERE, "include")
# The toolkit's headers stand behind the emulator's: cooperative groups, CUB and libcu++ are the real ones.
NVCC = os.path.realpath(shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc")
TOOLKIT = os.path.join(os.environ.get("CUDA_HOME") or os.environ.get("CUDA_PATH") or os.path.dirname(os.path.dirname(NVCC)),
                       "include")
COMPILER = os.environ.get("EMULATED_CXX", "clang++-22")
FLAGS = ["-g0", "-w", "-fno-pie", "-ffp-contract=off", "-fno-strict-aliasing", "-fwrapv"]
DIFFERS = 86


class Failed(Exception):
    def __init__(self, status, text):
        super().__init__(text)
        self.status = status


def execute(command, text=None):
    process = subprocess.run(command, input=text, capture_output=True, text=True)
    if process.returncode:
        raise Failed(process.returncode, f"{' '.join(command)}\n{process.stderr}")
    return process.stdout


def keep_to_itself(object_file):
    """Without -rdc=true, every file has device code of its own: the linker merges no functions and variables of headers."""
    symbols = (line.split() for line in execute(["readelf", "-sW", object_file]).splitlines())
    merged = [symbol[7] for symbol in symbols
              if len(symbol) > 7 and symbol[4] in ("WEAK", "UNIQUE") and symbol[6] != "UND"]
    if not merged:  # objcopy fails on a list without names
        return
    names = f"{object_file}.names"
    with open(names, "w", encoding="utf-8") as opened:
        opened.write("\n".join(merged))
    execute(["objcopy", "--remove-section=.group", f"--localize-symbols={names}", object_file])
    os.remove(names)


def compile_source(source, target, folders=(), macros=(), standard="c++17", level="-O0", relocatable=False):
    """Preprocesses, translates and compiles one CUDA source: programs that run for long want another level."""
    if relocatable:
        macros = [*macros, "__CUDACC_RDC__=1"]
    text = execute([COMPILER, "-E", "-x", "c++", f"-std={standard}", "-isystem", INCLUDE, "-isystem", TOOLKIT, "-isystem",
                    os.path.join(TOOLKIT, "cccl"), "-include", "cuda_runtime.h", "-D__CUDACC__=1", "-D__NVCC__=1",
                    "-D__CUDA_ARCH__=900", "-D__CUDA_ARCH_FEAT_SM90_ALL=1", *(f"-I{folder}" for folder in folders),
                    *(f"-D{macro}" for macro in macros), "-w", source])
    command = [COMPILER, level, *FLAGS, f"-std={standard}"]
    try:
        headers, rest = split_headers(text, TOOLKIT)
        precompiled = precompiled_headers(command, headers)
        text = translate(rest, TOOLKIT)
    except Untranslatable as error:
        raise Failed(1, f"{source}: {error}")
    execute([*command, *precompiled, "-x", "c++-cpp-output", "-c", "-o", target, "-"], text)
    if not relocatable:
        keep_to_itself(target)


def precompiled_headers(command, text):
    """Flags for headers that have been compiled for every state of them."""
    state = hashlib.sha256("\0".join([*command, TOOLKIT, text]).encode())
    with open(os.path.join(HERE, "translate.py"), "rb") as opened:
        state.update(opened.read())
    base = os.path.join(cache(), "headers", state.hexdigest()[:16])
    source, target = f"{base}.ii", f"{base}.pch"
    if not os.path.exists(target):
        os.makedirs(os.path.dirname(base), exist_ok=True)
        # Others may do the same at the same time.
        temporary = f"{base}.{os.getpid()}.{threading.get_ident()}"
        with open(temporary, "w", encoding="utf-8") as opened:
            opened.write(translate(text, TOOLKIT))
        os.replace(temporary, source)
        execute([*command, "-x", "c++-cpp-output", "-c", "-Xclang", "-emit-pch", "-o", temporary, source])
        os.replace(temporary, target)
    return ["-Xclang", "-include-pch", "-Xclang", target, "-Xclang", "-fno-validate-pch"]


def cache():
    return os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "cufuse-emulated")


def runtime():
    """The objects of the emulator itself, compiled once for every state of its sources."""
    files = [os.path.join(folder, name) for folder, _, names in sorted(os.walk(HERE))
             for name in sorted(names) if name.endswith((".h", ".cpp")) and "Inputs" not in folder]
    state = hashlib.sha256(COMPILER.encode())
    for file in files:
        with open(file, "rb") as opened:
            state.update(opened.read())
    folder = os.path.join(cache(), state.hexdigest()[:16])
    sources = [file for file in files if os.path.dirname(file).endswith("runtime") and file.endswith(".cpp")]
    objects = [os.path.join(folder, os.path.basename(source) + ".o") for source in sources]
    os.makedirs(folder, exist_ok=True)
    for source, target in zip(sources, objects):
        if not os.path.exists(target):
            # Others may do the same at the same time.
            temporary = f"{target}.{os.getpid()}"
            execute([COMPILER, "-std=c++20", "-O2", "-g0", "-fno-pie", "-Wall", "-Wextra", "-isystem", INCLUDE,
                     "-c", "-o", temporary, source])
            os.replace(temporary, target)
    return objects


def link(objects, program):
    execute([COMPILER, "-no-pie", "-o", program, *objects, *runtime(), "-lboost_context"])


def build(sources, program, folders=(), macros=(), standard="c++17", relocatable=False, jobs=2):
    folders = [*folders, *dict.fromkeys(os.path.dirname(source) or "." for source in sources)]
    with tempfile.TemporaryDirectory() as work, concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        objects = [source if source.endswith(".o") else os.path.join(work, f"{i}.o")
                   for i, source in enumerate(sources)]
        waiting = [pool.submit(compile_source, source, target, folders, macros, standard, relocatable=relocatable)
                   for source, target in zip(sources, objects) if source != target]
        for future in waiting:
            future.result()
        link(objects, program)


def run(program, arguments=(), seed=1):
    """The status and what it wrote to stdout; stderr goes through."""
    process = subprocess.run([program, *arguments], stdout=subprocess.PIPE,
                             env=dict(os.environ, EMULATED_SEED=str(seed)))
    return process.returncode if process.returncode >= 0 else 128 - process.returncode, process.stdout


def main():
    arguments, rest = sys.argv[1:], []
    if "--" in arguments:
        at = arguments.index("--")
        arguments, rest = arguments[:at], arguments[at + 1:]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.add_argument("--seed", action="append", type=int, default=[])
    parser.add_argument("-I", action="append", default=[], dest="folders")
    parser.add_argument("-D", action="append", default=[], dest="macros")
    parser.add_argument("--std", default="c++17")
    parser.add_argument("--rdc", action="store_true", help="link the device code of all files")
    parser.add_argument("-o", dest="program")
    parser.add_argument("--object")
    options = parser.parse_args(arguments)
    try:
        if options.object:
            compile_source(options.files[0], options.object, options.folders, options.macros, options.std,
                           relocatable=options.rdc)
            return 0
        with tempfile.TemporaryDirectory() as work:
            program = options.program or os.path.join(work, "program")
            build(options.files, program, options.folders, options.macros, options.std, options.rdc)
            first = None
            for seed in options.seed or ([] if options.program else [1]):
                status, output = run(program, rest, seed)
                if first is None:
                    sys.stdout.buffer.write(output)
                    sys.stdout.flush()
                    first = output
                elif output != first:
                    print(f"run.py: seed {seed} prints something else than seed {options.seed[0]}:", file=sys.stderr)
                    sys.stderr.buffer.write(output)
                    status = status or DIFFERS
                if status:
                    print(f"run.py: status {status} with seed {seed}", file=sys.stderr)
                    return status
    except Failed as error:
        print(f"run.py: {error}", file=sys.stderr)
        return error.status
    return 0


if __name__ == "__main__":
    sys.exit(main())
