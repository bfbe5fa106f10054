"""cufuse on damaged input: files, command lines, compile_commands.json, workloads, traces and tuning databases.

Whatever it is given, cufuse ends with 0 to 4, says why on stderr unless it is 0, and leaves no file behind that it does
not promise. Anything else is a finding: it is shrunk and written with its command into the folder of results.
"""
import collections
import functools
import glob
import json
import os
import random
import re
import resource
import shlex
import shutil
import signal
import subprocess
import tempfile
import time

from hostcode import HostCode
from longrun import Interrupted, Progress, in_order
from mutate import mutate, tokens
from shrink import shrink
from tuneinputs import TuneInputs, trace_case, from_database_case, workload_case

KERNEL = re.compile(rb"__global__[\w\s()]*?\bvoid\s+(?:__\w+__\s*\([^)]*\)\s*)?(\w+)\s*\(")
SANITIZER = re.compile(r"(AddressSanitizer|LeakSanitizer|UndefinedBehaviorSanitizer|runtime error):? ?([^\n(]*)")
SHRINK_ATTEMPTS = 120

Result = collections.namedtuple("Result", "status stderr problem")


class Case:
    """Files by name, and the arguments; `{}` in an argument is the folder that the case runs in. `made`: what it may
    leave there besides the fused source; `toolkit`: for CUDA_PATH."""

    def __init__(self, files, arguments, made=(), toolkit=None):
        self.files, self.arguments, self.made, self.toolkit = files, arguments, made, toolkit

    def like(self, files, arguments):
        return Case(files, arguments, self.made, self.toolkit)

    def command(self, cufuse, folder):
        toolkit = ["env", "CUDA_PATH=" + self.toolkit] if self.toolkit else []
        return toolkit + [cufuse] + [argument.replace("{}", folder) for argument in self.arguments]


def is_sanitized(cufuse):
    with open(cufuse, "rb") as file:
        return b"__asan_init" in file.read()


class Runner:

    def __init__(self, cufuse, memory_bytes=6 << 30, symbols=False):
        self.symbols = symbols
        self.cufuse, self.sanitized = os.path.abspath(cufuse), is_sanitized(cufuse)
        # A sanitizer reserves more address space than there is; it has a limit of its own.
        self.memory_bytes = 0 if self.sanitized else memory_bytes
        self.seconds = 180 if self.sanitized else 60

    def limit(self):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (self.seconds, self.seconds + 5))
        if self.memory_bytes:
            resource.setrlimit(resource.RLIMIT_AS, (self.memory_bytes, self.memory_bytes))

    def run(self, case, folder=None):
        """Runs the case in a folder of its own."""
        if folder is None:
            with tempfile.TemporaryDirectory(prefix="cufuse-fuzz") as folder:
                return self.run(case, folder)
        work, temporary = os.path.join(folder, "work"), os.path.join(folder, "tmp")
        os.makedirs(work)
        os.makedirs(temporary)
        for name, data in case.files.items():
            os.makedirs(os.path.dirname(os.path.join(work, name)), exist_ok=True)
            with open(os.path.join(work, name), "wb") as file:
                file.write(data)
        os.makedirs(os.path.join(work, "out"), exist_ok=True)
        environment = dict(os.environ, TMPDIR=temporary, XDG_CACHE_HOME=os.path.join(folder, "cache"))
        environment["ASAN_OPTIONS"] = environment.get("ASAN_OPTIONS", "") + ":hard_rss_limit_mb=8000:abort_on_error=0"
        environment["UBSAN_OPTIONS"] = "print_stacktrace=1"
        if not self.symbols:  # They take a second each time.
            environment["LLVM_DISABLE_SYMBOLIZATION"] = "1"
        try:
            process = subprocess.run(case.command(self.cufuse, "."),
                                     cwd=work,
                                     env=environment,
                                     stdin=subprocess.DEVNULL,
                                     stdout=subprocess.DEVNULL,
                                     stderr=subprocess.PIPE,
                                     preexec_fn=self.limit,
                                     timeout=10 * self.seconds)
        except subprocess.TimeoutExpired as late:
            return Result(-signal.SIGKILL, (late.stderr or b"").decode("utf-8", "replace"), "timeout")
        stderr = process.stderr.decode("utf-8", "replace")
        return Result(process.returncode, stderr, self.problem(case, process.returncode, stderr, work, temporary))

    @staticmethod
    def problem(case, status, stderr, work, temporary):
        """What is wrong, in a few words that are equal for equal causes, or None."""
        if match := SANITIZER.search(stderr):
            return f"{match[1]} {match[2].strip()}"[:80]
        if match := re.search(r"Assertion `(.*)' failed", stderr):
            return f"assertion {match[1]}"[:80]
        if status < 0:
            return "timeout" if -status in (signal.SIGXCPU, signal.SIGKILL) else signal.Signals(-status).name
        if status not in (0, 1, 2, 3, 4):
            # Numbers and names differ from input to input.
            words = re.sub(r"'[^']*'|\S*[/0-9]\S*", "_", stderr.strip().split("\n")[-1])
            return f"status {status}: {words[:60]}"
        if status and not re.search(r"\w", stderr):
            return f"status {status} without a word"
        allowed = {"out/o.cu", "out/o.h", "out/o.d"} | set(case.made) if status == 0 else set(case.made)
        for place, _, names in os.walk(work):
            for name in names:
                path = os.path.relpath(os.path.join(place, name), work)
                if path not in case.files and path not in allowed:
                    return "a file is left" if status else "an unexpected file"
        for name, data in case.files.items():
            with open(os.path.join(work, name), "rb") as file:
                if file.read() != data and name not in case.made:
                    return "an input is changed"
        if os.listdir(temporary):
            return "a temporary is left"
        return None


class Corpus:

    def __init__(self, root, tuning=None):
        self.root, self.tuning = root, tuning
        self.files = []
        for path in sorted(
                glob.glob(os.path.join(root, "test", "[A-Z]*", "*.cu")) +
                glob.glob(os.path.join(root, "samples", "*", "*.cu"))):
            with open(path, "rb") as file:
                text = file.read()
            if names := [name.decode() for name in KERNEL.findall(text)]:
                self.files.append((path, text, names))


BLOCKS = ["32", "64", "100", "256", "1024", "32x8", "8x8x4", "1x1x1", "7x5x3"]
BAD_VALUES = [
    "", "0", "-1", "x", "32x", "x32", "1x2x3x4", "1025", "4294967296", "99999999999999999999", "1e3", "0x10", "٣",
    " 64", "64 ", "=", "=64", "k=", "a=b=c", "\xff", "a" * 5000, "--", "-", "%s%n", "{}", "$(id)", "\n", "64\n",
    "4294967328"
]
BAD_SPECS = [
    ":", "a.cu", "a.cu:", "a.cu::", "a.cu:::", ":k", "a.cu:@", "a.cu:@0", "a.cu:@-1", "a.cu:@99999999999", "a.cu:@1x",
    "", ".", "/", "/dev/null:k", "/dev/zero:k", ".:k", "out:k", "./out.cu:k", "a.cu:k<", "a.cu:k<>", "a.cu:k>",
    "a.cu:k<int", "a.cu:k(", "a.cu:k(int", "a.cu:k)", "a.cu:(k)", "a.cu:*", "a.cu:&k", "a.cu:k;int x",
    "a.cu:k);}struct{", "a.cu:k\n#error", "a.cu:k//", "a.cu:k/*", "a.cu:\"", "a.cu:operator()", "a.cu:~k", "a.cu:k::",
    "a.cu:threadIdx", "a.cu:int", "a.cu:1", "a.cu:k<k<k<k<", "a.cu:[]{}", "a.cu:new k", "a.cu:sizeof k",
    "a.cu:decltype(k)", "a.cu:@1 ", "a.cu: k", "a.cu:k\\"
]
BAD_LITERALS = [
    "3", "-3", "0x1f", "08", "1e5", "1e999", "1e39f", "3foo", "1.5.3", "0x", "0b102", "1'000", "'a'", "\"s\"", "nullptr",
    "18446744073709551615", "18446744073709551616", "3uu", "3lul", "true", "--3", "+3", "1f", "1.f", ".5", "0x1p3", "0x1.8",
    "n", "sizeof(int)", "3;", "3)", "inf", "nan"
]
BAD_FLAGS = [
    "-std=", "-std=c++99", "-std=c89", "-I", "-D", "-U", "-D=", "-D1", "-DA(", "-include", "-include=nothing.h", "-x",
    "c", "-arch", "-arch=sm_0", "-arch=sm_99999", "-arch=native", "-gencode", "-Xcompiler", "-Xclang", "-ast-dump",
    "-E", "-M", "-MD", "-S", "-o", "x.o", "-", "@nothing", "--options-file", "nothing", "-v", "-###", "--help",
    "--version", "-fplugin=x.so", "-emit-llvm", "-Wp,-x", "-Wl,x", "-nostdinc", "-nostdinc++", "-fno-rtti", "-target",
    "spirv64", "-mcpu=z", "-fmodules", "-include-pch", "a.cu", "-rdc", "-rdc=true", "-dc", "-G", "--sysroot=/nothing",
    "-resource-dir", "/nothing", "-isystem", "--cuda-path=/nothing", "-D__global__=", "-DthreadIdx=1", "-Dvoid=int",
    "-D__CUDACC__=", "-U__CUDA_ARCH__", "-D__CUDA_ARCH__=1", "-frtti", "-O9"
]
NAMES = [
    "a b.cu", "a'b.cu", "a\"b.cu", "$a.cu", "a;b.cu", "-a.cu", "a\nb.cu", "ä.cu", "a:b.cu", "#a.cu", "a\\b.cu",
    "a%s.cu", ".cu", "a.cu.cu", "?a.cu", "*a.cu", "sub dir/a.cu", "x" * 200 + ".cu", "a.h", "a.C", "a", "\u202ea.cu",
    "a\\", "??/a.cu", "a\".cu\"", "out/o.cu", "out/o.h"
]


def source_case(rng, corpus):
    arguments, files = [], {}
    kernels = []
    for letter in "abc"[:rng.choice((1, 2, 2, 2, 3))]:
        path, text, names = rng.choice(corpus.files)
        if not files or rng.random() < 0.3:
            text = mutate(rng, text, rng.choice(corpus.files)[1])
        files[letter + ".cu"] = text
        kernels.append((letter + ".cu", rng.choice(names), os.path.dirname(path)))
    flags = ["--"] + [flag for _, _, folder in kernels for flag in ("-I", folder)]
    if rng.random() < 0.3:
        file, _, folder = kernels[0]
        arguments = ["inspect", file] + (["--json"] if rng.random() < 0.5 else ["--full"]) + ["--", "-I", folder]
        return Case({file: files[file]}, arguments)
    arguments = ["fuse", "-o", "out/o.cu"]
    for file, name, _ in kernels:
        line = files[file].count(b"\n") + 1
        arguments.append(f"{file}:@{rng.randrange(1, line + 1)}" if rng.random() < 0.1 else f"{file}:{name}")
        arguments += ["--block", rng.choice(BLOCKS[:4])]
    if rng.random() < 0.2:
        arguments += ["--copies", "2"]
    if rng.random() < 0.2:
        arguments += ["--grid-policy", "stride"]
    if rng.random() < 0.1:
        flags.append(rng.choice(("-std=c++20", "-std=c++14", "-rdc=true")))
    return Case(files, arguments + flags)


def host_case(rng, corpus):
    """Sound kernels, and host functions that launch them."""
    text = HostCode(rng).file().encode()
    if rng.random() < 0.3:
        text = mutate(rng, text, rng.choice(corpus.files)[1])
    if rng.random() < 0.3:
        kernel = rng.choice(("one", "two<int>", "three<int,4>", "in::four"))
        return Case({"a.cu": text}, ["fuse", "-o", "out/o.cu", "a.cu:" + kernel, "a.cu:in::four"] + (["--block", "64"] * rng.choice((0, 2))))
    return Case({"a.cu": text}, ["inspect", "a.cu"] + (["--json"] if rng.random() < 0.5 else ["--full"]))


def command_case(rng, corpus):
    """A sound file, and a command line that is not."""
    path, text, names = rng.choice(corpus.files)
    file = rng.choice(NAMES) if rng.random() < 0.4 else "a.cu"
    good = [f"{file}:{rng.choice(names)}", "--block", rng.choice(BLOCKS)]
    arguments = [rng.choice(("fuse", "fuse", "fuse", "fuse", "inspect")), "-o", "out/o.cu"] + good
    if arguments[0] == "inspect":
        arguments = ["inspect", file]
    flags = ["--", "-I", os.path.dirname(path)]
    for _ in range(rng.choice((1, 1, 2, 3))):
        if not arguments:
            break # all deleted
        value = rng.choice(BAD_VALUES)
        at = rng.randrange(1, len(arguments) + 1)
        change = rng.randrange(10)
        if change == 0:
            arguments.insert(at, rng.choice(BAD_SPECS))
        elif change == 1:
            arguments += [
                rng.choice(("--block", "--copies", "--registers", "--name", "--arch", "--stop-after", "--grid-policy",
                            "--depfile", "-p", "--geometry", "--resident", "--unroll", "--bind", "--link",
                            "--dead", "--vectorize", "--recompute", "--from-db", "--gpu", "--workload", "--set")), value
            ]
        elif change == 9:
            name = rng.choice(names)
            parameter = rng.choice(re.findall(rb"(\w+)\s*[,)]", text) or [b"n"]).decode()
            arguments += rng.choice(
                (["--bind", f"{name}.{parameter}={rng.choice(BAD_LITERALS)}"], ["--unroll", rng.choice(
                    ("2", "7", "1024", "1025", "0", name + "=3"))], ["--resident", rng.choice(("0", "3", name + "=0"))],
                 ["--registers", rng.choice(("split=24", "split=24:40", "split=", "split=:", "split=255", "free"))],
                 ["--geometry", rng.choice(("blocks", "threads"))], ["--grid-policy", rng.choice(("stride", "pool"))],
                 ["--vertical"], ["--cooperative"]))
        elif change == 2:
            flags.insert(rng.randrange(1, len(flags) + 1), rng.choice(BAD_FLAGS))
        elif change == 3:
            arguments.insert(at, value)
        elif change == 4:
            del arguments[at - 1]
        elif change == 5:
            arguments += [
                "--depfile",
                rng.choice(("out/o.d", "out/o.cu", "out/o.h", file, ".", "/nothing/o.d", "out"))
            ]
        elif change == 6:
            arguments += [
                "-o",
                rng.choice((file, "a.cu", "out", "out/.cu", ".cu", "/nothing/o.cu", "nothing/o.cu", "out/o.h",
                            "/dev/null", "out/x\ny.cu", "out/\xff.cu"))
            ]
        elif change == 7:
            flag = rng.choice(("--block=", "--copies=", "--registers=", "--stop-after="))
            arguments.append(flag + rng.choice(("plan", "emit", "16", "255", "256", "1", "2", "17", "bound",
                                                rng.choice(names) + "=3")))
        else:
            arguments += [f"{file}:{rng.choice(names)}"] * rng.choice((1, 3, 20))
    arguments = [argument.replace("\0", "") for argument in arguments + flags]
    return Case({file: text}, arguments)


# Dependent kernels of samples/, by their folder: the files, and what `fuse --vertical` is told.
VERTICAL = [
    ("elementwise", ("bias.cu", "gelu.cu"), "bias.cu:addBias gelu.cu:gelu --link addBias.out=gelu.in --link "
     "addBias.n=gelu.n --dead addBias.out --block 256"),
    ("rows", ("softmax.cu", ),
     "softmax.cu:exponentials<float> softmax.cu:toShares<float> --link exponentials.out=toShares.in --link "
     "exponentials.columns=toShares.columns --dead exponentials.out --block 256"),
    ("elementwise", ("bias.cu", "gelu.cu"), "bias.cu:addBias gelu.cu:gelu --link addBias.out=gelu.in --link "
     "addBias.n=gelu.n --block 256 --cooperative"),
]
LINKS = [
    "addBias.in=gelu.in", "addBias.out=gelu.out", "addBias.out=gelu.n", "addBias.n=gelu.in", "gelu.out=addBias.in",
    "addBias.out=addBias.in", "exponentials.out=toShares.columns", "exponentials.columns*2=toShares.columns",
    "addBias.n*addBias.columns=gelu.n", "addBias.=gelu.", ".out=.in", "addBias.out=gelu.in=x", "a.b.c=d", "*=*",
    "addBias.out[1]=gelu.in", "3=gelu.n", "addBias.n=3"
]


def vertical_case(rng, corpus):
    folder, names, words = rng.choice(VERTICAL)
    folder = os.path.join(corpus.root, "samples", folder)
    files = {}
    for name in names:
        with open(os.path.join(folder, name), "rb") as file:
            files[name] = file.read()
    if rng.random() < 0.6:
        name = rng.choice(names)
        files[name] = mutate(rng, files[name], rng.choice(corpus.files)[1])
    arguments = ["fuse", "--vertical", "-o", "out/o.cu"] + words.split()
    if rng.random() < 0.3:
        at = rng.choice([at for at, word in enumerate(arguments) if word.startswith("--")])
        del arguments[at:at + rng.choice((1, 2))]
    for _ in range(rng.choice((0, 1, 1, 2))):
        arguments += rng.choice(
            (["--link", rng.choice(LINKS + BAD_VALUES)], ["--dead", rng.choice(BAD_VALUES + ["gelu.out", "out", "n"])],
             ["--vectorize", rng.choice(BAD_VALUES + ["2", "4", "16", "3"])],
             ["--recompute", rng.choice(BAD_VALUES + ["2", "any"])], ["--cooperative"],
             ["--geometry", "blocks"], ["--unroll", "4"], ["--registers", "64"], ["--copies", "2"],
             ["--bind", f"gelu.n={rng.choice(BAD_LITERALS)}"], ["--grid-policy", rng.choice(("stride", "pool"))]))
    return Case(files, arguments + ["--", "-I", folder])


def database_case(rng, corpus):
    _, text, names = rng.choice(corpus.files)
    flags = rng.sample(BAD_FLAGS, rng.choice((0, 1, 2))) + ["-I", ".", "-c", "a.cu"]
    entry = {
        "directory": rng.choice((".", "", "/nothing", "out")),
        "file": rng.choice(("a.cu", "./a.cu", "", "/", "../work/a.cu")),
        "arguments": ["nvcc"] + flags
    }
    if rng.random() < 0.4:
        del entry["arguments"]
        entry["command"] = rng.choice(
            ("", "nvcc", "nvcc " + " ".join(flags), "nvcc 'a", "nvcc \\", "nvcc \"", "nvcc @a.cu -c a.cu"))
    if rng.random() < 0.3:
        entry[rng.choice(list(entry))] = rng.choice((None, 1, [], {}, [1], [[]], True))
    if rng.random() < 0.3:
        entry["output"] = "a.o"
    data = json.dumps([entry] * rng.choice((1, 1, 1, 0, 2, 50))).encode()
    for _ in range(rng.choice((0, 1, 1, 3))):
        data = mutate(rng, data, text)
    arguments = rng.choice((["inspect",
                             "a.cu"], ["fuse", "-o", "out/o.cu", "a.cu:" + rng.choice(names), "--block", "64"]))
    return Case({
        "a.cu": text,
        "compile_commands.json": data
    }, arguments + ["-p", rng.choice((".", ".", ".", "out", "nothing", "a.cu"))])


def make_case(seed, corpus):
    rng = random.Random(seed)
    kind = rng.random()
    make = source_case
    for least, other in ((0.42, host_case), (0.5, command_case), (0.72, database_case), (0.77, vertical_case), (0.87, tuning_case)):
        make = other if kind >= least else make
    return make(rng, corpus)


def tuning_case(rng, corpus):
    if not corpus.tuning.trace:  # No compiler: only what is read before it is needed.
        return Case(*workload_case(rng, corpus, BAD_VALUES))
    return Case(*rng.choice((workload_case, workload_case, trace_case, from_database_case))(rng, corpus, BAD_VALUES))


def shrunk(runner, case, problem):
    """The smallest case found with the same problem: arguments first, then each file by lines and by tokens."""
    budget = [SHRINK_ATTEMPTS]

    def fails(smaller):
        return runner.run(smaller).problem == problem

    arguments = shrink(case.arguments, lambda rest: fails(case.like(case.files, rest)), budget)
    case = case.like(case.files, arguments)
    for name in sorted(case.files):
        if len(case.files) > 1 and budget[0] > 0:
            without = case.like({other: data for other, data in case.files.items() if other != name}, case.arguments)
            budget[0] -= 1
            if fails(without):
                case = without
                continue
        for split in (lambda data: data.splitlines(keepends=True), tokens):
            parts = shrink(split(case.files[name]),
                           lambda rest, name=name: fails(case.like({
                               **case.files, name: b"".join(rest)
                           }, case.arguments)),
                           budget)
            case = case.like({**case.files, name: b"".join(parts)}, case.arguments)
    return case


def record(runner, case, seed, problem, out):
    """Writes the files, the command and what it said into a folder of its own."""
    folder = os.path.join(out, f"{seed}-" + re.sub(r"\W+", "-", problem)[:50].strip("-"))
    shutil.rmtree(folder, ignore_errors=True)
    result = Runner(runner.cufuse, symbols=True).run(case, folder)
    shutil.rmtree(os.path.join(folder, "cache"), ignore_errors=True)
    with open(os.path.join(folder, "command.sh"), "w", errors="surrogateescape") as file:
        file.write("#!/bin/sh\n# seed {}: {}\ncd \"$(dirname \"$0\")/work\" && exec {}\n".format(
            seed, problem, shlex.join(case.command(runner.cufuse, "."))))
    with open(os.path.join(folder, "stderr.txt"), "w", errors="surrogateescape") as file:
        file.write(f"status {result.status}\n{result.stderr}")
    return folder


def attempt(arguments):
    seed, cufuse, root, tuning = arguments
    runner = Runner(cufuse)
    case = make_case(seed, Corpus(root, tuning))
    result = runner.run(case)
    return seed, result.status, result.problem


def fuzz(cufuse, root, count, seed, out, jobs, seconds=10):
    """Runs cases seed … seed + count - 1; returns the number of findings. Equal problems are recorded once. The counts are
    said every `seconds`."""
    tuning = TuneInputs(cufuse, root, tempfile.mkdtemp())
    corpus, runner, say = Corpus(root, tuning), Runner(cufuse), functools.partial(print, flush=True)
    statuses, problems, start = collections.Counter(), collections.Counter(), time.monotonic()

    def text():
        done, took = sum(statuses.values()), time.monotonic() - start
        return f"{done} cases of {count} in {took:.0f} s, {done / took:.1f} per second: " + ", ".join(
            f"{times} with status {status}" for status, times in sorted(statuses.items())) + f", {sum(problems.values())} wrong"

    interrupted = None
    work = ((seed + at, cufuse, root, tuning) for at in range(count))
    try:
        for _, (number, status, problem) in in_order(attempt, work, jobs, Progress(text, seconds)):
            statuses[status] += 1
            if not problem:
                continue
            problems[problem] += 1
            if problems[problem] == 1:
                case = make_case(number, corpus)
                if problem != "timeout":  # Each attempt would take as long.
                    case = shrunk(runner, case, problem)
                say(f"{problem}: {record(runner, case, number, problem, out)}")
            else:
                say(f"{problem}: seed {number}")
    except Interrupted as signal:
        interrupted = signal
        say("interrupted; these are the counts until now")
    say("statuses: " + ", ".join(f"{status}: {times}" for status, times in sorted(statuses.items())))
    for problem, times in problems.most_common():
        say(f"{times:6} {problem}")
    wrong = sum(problems.values())
    say(f"{sum(statuses.values()) - wrong} passed, {wrong} failed, 0 skipped")
    if interrupted:
        raise interrupted
    return wrong
