"""Random cases in batches: each is fused, all that can be are compiled into one program, and it says which computes bit
for bit what the kernels do without fusion. What goes wrong is made smaller, and written down.

A batch has a `seed`, an `environment` for its programs, other statuses that are refusals, `refusing`, and `cases`, each with a `name`, and

    write_sources(folder)         writes the kernels
    fuse(folder, tools)           fuses every case in the folder: {name: (status, what was said)}
    program(cases, folder)        the text of a program that runs those whose names are its arguments, after fuse
    command(case)                 the arguments of cufuse
    ways(case, folder)            how it was fused, in words, for the counts, after fuse
    describe(case)                what is to be said with a finding
    alone(case)                   a batch of nothing but what this case needs
    smaller(fails, budget)        of a batch of one case: the smallest one found that still `fails(batch)`
"""
import collections
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

from counts import Counts
from longrun import Interrupted, Progress, in_order, together

SHRINK_ATTEMPTS, SHRINK_SECONDS, RECORDED = 120, 120, 5

# cufuse, the tool that fuses many in one process (or None), what compiles and runs programs, and text to change in
# every fused source, as (old, new): a planted bug.
Tools = collections.namedtuple("Tools", "cufuse many backend plant")
# `batch`: fusions to a program; `devices`: GPUs, over which the programs are spread; `facts`: for the record.
Backend = collections.namedtuple("Backend", "name compile run_seconds batch devices facts")
# `verdict`: same, refused, or what is wrong; `ways`: how it was fused.
Outcome = collections.namedtuple("Outcome", "case verdict said ways", defaults=((), ))


def tail(text, size=1500):
    return text if len(text) <= size else "…" + text[-size:]


def write(path, text):
    with open(path, "w") as file:
        file.write(text)


def plant(cases, folder, change):
    """Puts the bug into the outputs; a source that it does not fit is left as it is."""
    for case in cases:
        path = os.path.join(folder, case.name + ".cu")
        with open(path) as file:
            text = file.read()
        write(path, text.replace(*change))


def run_batch(batch, folder, tools):
    """The outcome of every case of the batch, in order."""
    batch.write_sources(folder)
    outcomes, good = {}, []
    for name, (status, said) in batch.fuse(folder, tools).items():
        if status == 0:
            good.append(next(case for case in batch.cases if case.name == name))
        else:
            refused = (status == 1 and REFUSAL.search(said)) or status in batch.refusing
            outcomes[name] = Outcome(name, "refused" if refused else f"cufuse status {status}", said)
    ways = {case.name: batch.ways(case, folder) for case in good}
    if tools.plant:
        plant(good, folder, tools.plant)
    for name, outcome in run_good(batch, good, folder, tools).items():
        outcomes[name] = outcome._replace(ways=ways[name])
    for case in batch.cases:
        if outcomes[case.name].verdict not in ("same", "refused"):
            said = tail(outcomes[case.name].said, 1000) + batch.describe(case)
            outcomes[case.name] = outcomes[case.name]._replace(said=said)
    return [outcomes[case.name] for case in batch.cases]


def run_good(batch, cases, folder, tools):
    if not cases:
        return {}
    write(os.path.join(folder, "main.cu"), batch.program(cases, folder))
    program, said = tools.backend.compile(folder)
    if not program:
        if len(cases) == 1:
            few = "Register allocation failed" in said  # ptxas, for the limit that was asked for.
            return {cases[0].name: Outcome(cases[0].name, "refused" if few else "does not compile", said + few * "[TooFewRegisters]")}
        # Find whose fault it is.
        half = len(cases) // 2
        outcomes = run_good(batch, cases[:half], folder, tools)
        outcomes.update(run_good(batch, cases[half:], folder, tools))
        return outcomes
    outcomes = {}
    environment = dict(os.environ, EMULATED_SEED=str(batch.seed), **batch.environment)
    if tools.backend.devices:
        environment["CUDA_VISIBLE_DEVICES"] = str(batch.seed % tools.backend.devices)
    left = list(cases)
    while left:
        try:
            process = subprocess.run([program] + [case.name for case in left],
                                     cwd=folder,
                                     capture_output=True,
                                     text=True,
                                     errors="replace",
                                     timeout=tools.backend.run_seconds,
                                     env=environment)
            output = process.stdout + process.stderr
        except subprocess.TimeoutExpired as late:
            output = (late.stdout or b"").decode("utf-8", "replace") + "(killed after its time)"
        found = verdicts(output, left)
        if not found:  # Not even the first began.
            found = {left[0].name: "the program does not start: " + tail(output, 200)}
        for name, said in found.items():
            verdict = "same" if said.startswith("same") else "differs" if " differs" in said else "fails" if said.startswith(
                "error: ") else "crashes or hangs"
            outcomes[name] = Outcome(name, verdict, said)
        left = [case for case in left if case.name not in found]
    return outcomes


def verdicts(output, cases):
    """{case: what its run said} from the program's output: `same` and something, or what went wrong."""
    result = {}
    lines = output.splitlines()
    for case in cases:
        same = [line for line in lines if line == f"{case.name} same" or line.startswith(f"{case.name} same, ")]
        if same:
            result[case.name] = same[0].removeprefix(case.name + " ")
        elif wrong := [line for line in lines if line.startswith((f"{case.name} differs", f"error: {case.name}"))]:
            result[case.name] = wrong[0]
        elif f"{case.name} starts" in lines:
            after = lines[lines.index(f"{case.name} starts") + 1:]
            result[case.name] = "crashed or hung: " + " ".join(after)[:200]
    return result


REFUSAL = re.compile(r"^(cufuse|\S.*:\d+:\d+): (error|refused): ", re.MULTILINE)
BLOCKER = re.compile(r"\[([A-Z]\w+)\]$", re.MULTILINE)


def blockers(said):
    return sorted(set(BLOCKER.findall(said))) or ["other"]


def shrunk(batch, case, verdict, tools):
    """A batch of one case with the same verdict."""
    budget, end = [SHRINK_ATTEMPTS], time.monotonic() + SHRINK_SECONDS

    def fails(candidate):
        if time.monotonic() > end:
            budget[0] = 0
            return False
        with tempfile.TemporaryDirectory(prefix="cufuse-fuzz") as folder:
            return run_batch(candidate, folder, tools)[0].verdict == verdict

    return batch.alone(case).smaller(fails, budget)


def record(batch, outcome, tools, out, title):
    folder = os.path.join(out, title)
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    again = run_batch(batch, folder, tools)[0]
    said = again.said
    if again.verdict != outcome.verdict:
        said = f"{outcome.said}\n(on the last run: {again.verdict}: {again.said})"
    write(
        os.path.join(folder, "README.txt"),
        "{}: {}\n{}\n\ncufuse {}\n".format(title, outcome.verdict, said, shlex.join(batch.command(batch.cases[0]))))
    return folder


def one_batch(arguments):
    make_batch, seed, size, tools = arguments
    with tempfile.TemporaryDirectory(prefix="cufuse-fuzz") as folder:
        return run_batch(make_batch(seed, size), folder, tools)


class Findings:
    """Counts the outcomes; says and writes what is wrong."""

    def __init__(self, make_batch, tools, out, may_shrink, counts):
        self.make_batch, self.tools, self.out, self.may_shrink, self.counts = make_batch, tools, out, may_shrink, counts
        self.recorded = collections.Counter()

    def add(self, seed, size, outcomes):
        # All are counted before one is shrunk, which takes minutes.
        with together():
            self.counts.batches += 1
            for outcome in outcomes:
                self.counts.verdicts[outcome.verdict] += 1
                self.counts.ways.update(outcome.ways)
                if outcome.verdict == "refused":
                    self.counts.refusals.update(blockers(outcome.said))
            self.counts.save()
        for outcome in outcomes:
            if outcome.verdict not in ("same", "refused"):
                print(f"batch {seed}: {outcome.case} {outcome.verdict}: {tail(outcome.said, 500)}", flush=True)
                self.write(seed, size, outcome)

    def write(self, seed, size, outcome):
        """The first of a kind is worth the time that shrinking takes."""
        self.recorded[outcome.verdict] += 1
        times = self.recorded[outcome.verdict]
        if times > RECORDED:
            return
        batch = self.make_batch(seed, size)
        case = next(case for case in batch.cases if case.name == outcome.case)
        shrinking = self.may_shrink and times == 1
        small = shrunk(batch, case, outcome.verdict, self.tools) if shrinking else batch.alone(case)
        title = f"batch{seed}-{outcome.case}-" + outcome.verdict.replace(" ", "-")
        print("  see " + record(small, outcome, self.tools, self.out, title), flush=True)


def fuzz(make_batch, tools, count, seed, out, jobs, log=None, may_shrink=True, path=None, commit="", seconds=10):
    """Runs `count` cases in batches `make_batch(seed, size)`, `make_batch(seed + 1, size)`, …; returns the number that
    went wrong. The counts are kept in the file `path`: a run that was interrupted goes on from there. They are said
    every `seconds`."""
    each = tools.backend.batch
    what = {"backend": tools.backend.name, "count": count, "seed": seed, "batch": each, "commit": commit}
    counts = Counts(path, what, tools.backend.facts)
    findings = Findings(make_batch, tools, out, may_shrink, counts)
    sizes = [each] * (count // each) + ([count % each] if count % each else [])
    work = ((make_batch, seed + at, size, tools) for at, size in enumerate(sizes) if at >= counts.batches)
    interrupted = None
    try:
        for (_, number, size, _), outcomes in in_order(one_batch, work, jobs, Progress(counts.text, seconds)):
            findings.add(number, size, outcomes)
            if log:
                with open(log, "a") as file:
                    file.write(counts.text() + "\n")
    except Interrupted as signal:
        interrupted = signal
        print("interrupted; these are the counts until now")
    print(counts.text())
    if counts.ways:
        print("ways: " + ", ".join(f"{times} {name}" for name, times in counts.ways.most_common()))
    print("refusals: " + (", ".join(f"{times} {name}" for name, times in counts.refusals.most_common()) or "none"))
    passed, failed, skipped = counts.totals()
    print(f"{passed} passed, {failed} failed, {skipped} skipped", flush=True)
    if interrupted:
        raise interrupted
    return failed or (0 if passed else 1)


def gpu_backend(arch, flags=()):
    """nvcc with these flags, and the GPUs that are there. Large programs: the headers and the kernels alone are compiled
    once in each."""

    def said(*command):
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip().splitlines()

    nvcc = shutil.which("nvcc") or os.path.join(os.environ.get("CUDA_HOME", "/usr/local/cuda"), "bin", "nvcc")
    gpus = said("nvidia-smi", "--query-gpu=name,compute_cap", "--format=csv,noheader")
    if arch == "native":  # Asked once: nvcc would ask in every compilation.
        arch = "sm_" + gpus[0].split()[-1].replace(".", "")
        arch += "a" if arch == "sm_90" else ""  # as cufuse fuses: budgets of registers need it
    facts = {"arch": arch, "gpus": gpus, "nvcc": said(nvcc, "--version")[-1]}
    target = arch.removeprefix("sm_")  # In full: -arch=sm_90a may compile for sm_90, too.
    return Backend("gpu", GpuCompile(nvcc, [f"-gencode=arch=compute_{target},code=sm_{target}", *flags]), 180, 60,
                   len(gpus), facts)


class GpuCompile:
    """A class, so that other processes can be sent it."""

    def __init__(self, nvcc, flags):
        self.nvcc, self.flags = nvcc, flags

    def __call__(self, folder):
        program = os.path.join(folder, "program")
        command = [
            self.nvcc, "-std=c++17", *self.flags, "-I",
            os.path.dirname(os.path.abspath(__file__)), "-w", "-o", program, "main.cu"
        ]
        process = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        return (program, "") if process.returncode == 0 else (None, tail(process.stdout + process.stderr))


def main_tools(cufuse, many, backend, change):
    if many and not os.path.exists(many):
        print(f"{many} is missing: one process per fusion", file=sys.stderr)
        many = None
    return Tools(os.path.abspath(cufuse), os.path.abspath(many) if many else None, backend, change)


class EmulatorCompile:
    """The emulator of test/Emulated; its own objects are compiled once."""

    def __init__(self, folder, standard):
        self.folder, self.standard = folder, standard

    def __call__(self, folder):
        here = os.path.dirname(os.path.abspath(__file__))
        program = os.path.join(folder, "program")
        command = [
            sys.executable,
            os.path.join(self.folder, "run.py"), "--std", self.standard, "-I", here, "-I", folder, "-o", program,
            os.path.join(folder, "main.cu")
        ]
        process = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        return (program, "") if process.returncode == 0 else (None, tail(process.stdout + process.stderr))


def emulator_backend(root, standard="c++17"):
    return Backend("emulator", EmulatorCompile(os.path.join(root, "test", "Emulated"), standard), 1200, 15, 0, {})
