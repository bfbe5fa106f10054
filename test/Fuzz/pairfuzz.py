"""Random kernels fused in twos to fives, run, and compared bit for bit with the kernels alone."""
import collections
import concurrent.futures
import copy
import itertools
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

import batch as batches
from counts import Counts
from kernels import everything, without
from shrink import shrink

SHRINK_ATTEMPTS, SHRINK_SECONDS, RECORDED = 120, 120, 5

# cufuse, the tool that fuses many in one process (or None), what compiles and runs programs, and text to change in
# every fused source, as (old, new): a planted bug.
Tools = collections.namedtuple("Tools", "cufuse many backend plant")
# `batch`: fusions to a program; `devices`: GPUs, over which the programs are spread; `facts`: for the record.
Backend = collections.namedtuple("Backend", "name compile run_seconds batch devices facts")
Outcome = collections.namedtuple("Outcome", "pair verdict said")  # verdict: same, refused, or what is wrong


def tail(text, size=1500):
    return text if len(text) <= size else "…" + text[-size:]


def plant(pairs, folder, change):
    """Puts the bug into the outputs; a source that it does not fit is left as it is."""
    for pair in pairs:
        path = os.path.join(folder, pair.name + ".cu")
        with open(path) as file:
            text = file.read()
        batches.write(path, text.replace(*change))


def run_batch(batch, folder, tools):
    """The outcome of every pair of the batch, in order."""
    batches.write_sources(batch, folder)
    outcomes, good = {}, []
    for name, (status, said) in batches.fuse(batch, folder, tools).items():
        if status == 0:
            good.append(next(pair for pair in batch.pairs if pair.name == name))
        else:
            outcomes[name] = Outcome(name,
                                     "refused" if status == 1 and "refused: " in said else f"cufuse status {status}",
                                     said)
    if tools.plant:
        plant(good, folder, tools.plant)
    outcomes.update(run_good(batch, good, folder, tools))
    return [outcomes[pair.name] for pair in batch.pairs]


def run_good(batch, pairs, folder, tools):
    if not pairs:
        return {}
    batches.write(os.path.join(folder, "main.cu"), batches.program(batch, pairs))
    program, said = tools.backend.compile(folder)
    if not program:
        if len(pairs) == 1:
            return {pairs[0].name: Outcome(pairs[0].name, "does not compile", said)}
        # Find whose fault it is.
        half = len(pairs) // 2
        outcomes = run_good(batch, pairs[:half], folder, tools)
        outcomes.update(run_good(batch, pairs[half:], folder, tools))
        return outcomes
    outcomes = {}
    environment = dict(os.environ, EMULATED_SEED=str(batch.seed), EMULATED_RESIDENT=str(1 + batch.seed % 3))
    if tools.backend.devices:
        environment["CUDA_VISIBLE_DEVICES"] = str(batch.seed % tools.backend.devices)
    left = list(pairs)
    while left:
        try:
            process = subprocess.run([program] + [pair.name for pair in left],
                                     cwd=folder,
                                     capture_output=True,
                                     text=True,
                                     errors="replace",
                                     timeout=tools.backend.run_seconds,
                                     env=environment)
            output = process.stdout + process.stderr
        except subprocess.TimeoutExpired as late:
            output = (late.stdout or b"").decode("utf-8", "replace") + "(killed after its time)"
        found = batches.verdicts(output, left)
        if not found:  # Not even the first began.
            found = {left[0].name: "the program does not start: " + tail(output, 200)}
        for name, said in found.items():
            verdict = "same" if said == "same" else "differs" if " differs" in said else "fails" if said.startswith(
                "error: ") else "crashes or hangs"
            outcomes[name] = Outcome(name, verdict, said)
        left = [pair for pair in left if pair.name not in found]
    return outcomes


def only(batch, pair):
    """A batch with nothing but what this fusion needs."""
    files, members, letters = [], [], {}
    for member in pair.members:
        if member.file not in letters:
            letters[member.file] = len(files)
            file = batch.files[member.file]
            files.append(copy.copy(file))
            files[-1].kernels = []
            files[-1].origin = {}
        file = files[letters[member.file]]
        if member.kernel not in file.origin:
            file.origin[member.kernel] = len(file.kernels)
            file.kernels.append(batch.files[member.file].kernels[member.kernel])
        members.append(member._replace(file=letters[member.file], kernel=file.origin[member.kernel]))
    return batches.Batch(batch.seed, files, [pair._replace(members=members)])


def simpler_pairs(pair):
    """The fusion with one thing less."""
    for at, member in enumerate(pair.members):
        if len(pair.members) > 1:
            yield pair._replace(members=pair.members[:at] + pair.members[at + 1:])
        for change in ({
                "copies": 1
        }, {
                "unroll": 0
        }, {
                "bound": ()
        }, {
                "resident": 1
        }, {
                "grid": (1, 1, 1)
        }, {
                "block": (32, 1, 1)
        }, {
                "block": (batches.threads(member.block), 1, 1)
        }):
            if member._replace(**change) != member:
                yield pair._replace(members=pair.members[:at] + [member._replace(**change)] + pair.members[at + 1:])
    if pair.resident:
        yield pair._replace(resident=0)
    if pair.policy != "match":
        yield pair._replace(policy="match")
    if pair.policy.count("-") > 1:
        yield pair._replace(policy=pair.policy.rsplit("-", 1)[0])


def shrunk(batch, pair, verdict, tools):
    """A batch of one fusion with the same verdict: fewer members, plainer shapes, fewer statements, less prelude."""
    budget, end = [SHRINK_ATTEMPTS], time.monotonic() + SHRINK_SECONDS

    def fails(candidate):
        if time.monotonic() > end:
            budget[0] = 0
            return False
        with tempfile.TemporaryDirectory(prefix="cufuse-fuzz") as folder:
            return run_batch(candidate, folder, tools)[0].verdict == verdict

    batch = only(batch, pair)
    simpler = True
    while simpler and budget[0] > 0:
        simpler = False
        for candidate in simpler_pairs(batch.pairs[0]):
            budget[0] -= 1
            if fails(only(batch, candidate)):
                batch, simpler = only(batch, candidate), True
                break
    for place, at in [(file, at) for file in range(len(batch.files)) for at in range(len(batch.files[file].kernels))]:

        def with_kernel(change, place=place, at=at):
            candidate = copy.deepcopy(batch)
            change(candidate.files[place].kernels[at])
            return candidate

        def drop(field, value):

            def change(kernel):
                setattr(kernel, field, value)

            return change

        for field, value in (("late_exit", None), ("tail", []), ("bounds", 0), ("template", 0), ("structure", False)):
            if getattr(batch.files[place].kernels[at], field) != value and budget[0] > 0:
                budget[0] -= 1
                candidate = with_kernel(drop(field, value))
                if fails(candidate):
                    batch = candidate
        kernel = batch.files[place].kernels[at]
        ids = [id(statement) for statement in everything(kernel.body)]
        body = kernel.body

        def with_body(kept, body=body, kernel=kernel):
            kept = set(kept)
            smaller = copy.copy(kernel)
            smaller.body = without(body, lambda statement: id(statement) not in kept)
            return smaller

        def body_fails(kept, place=place, at=at, with_body=with_body):
            candidate = copy.copy(batch)
            candidate.files = list(batch.files)
            candidate.files[place] = copy.copy(batch.files[place])
            candidate.files[place].kernels = list(batch.files[place].kernels)
            candidate.files[place].kernels[at] = with_body(kept)
            return fails(candidate)

        kept = shrink(ids, body_fails, budget)
        batch.files[place].kernels[at] = with_body(kept)
    for place, file in enumerate(batch.files):

        def parts_fail(parts, place=place):
            candidate = copy.copy(batch)
            candidate.files = list(batch.files)
            candidate.files[place] = copy.copy(batch.files[place])
            candidate.files[place].parts = parts
            return fails(candidate)

        # Without a part that is used, the file does not compile: another verdict.
        file.parts = shrink(file.parts, parts_fail, budget)
    return batch


def record(batch, outcome, tools, out, title):
    folder = os.path.join(out, title)
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    again = run_batch(batch, folder, tools)[0]
    said = again.said
    if again.verdict != outcome.verdict:
        said = f"{outcome.said}\n(on the last run: {again.verdict}: {again.said})"
    batches.write(
        os.path.join(folder, "README.txt"),
        "{}: {}\n{}\n\ncufuse {}\n".format(title, outcome.verdict, said,
                                           shlex.join(batches.arguments(batch, batch.pairs[0]))))
    return folder


def one_batch(arguments):
    seed, pairs, tools = arguments
    with tempfile.TemporaryDirectory(prefix="cufuse-fuzz") as folder:
        return run_batch(batches.make_batch(seed, pairs), folder, tools)


class Findings:
    """Counts the outcomes; says and writes what is wrong."""

    def __init__(self, tools, out, may_shrink, counts):
        self.tools, self.out, self.may_shrink, self.counts = tools, out, may_shrink, counts
        self.recorded = collections.Counter()

    def add(self, seed, size, outcomes):
        self.counts.batches += 1
        for outcome in outcomes:
            self.counts.verdicts[outcome.verdict] += 1
            if outcome.verdict == "refused":
                self.counts.refusals.update(batches.blockers(outcome.said))
            elif outcome.verdict != "same":
                print(f"batch {seed}: {outcome.pair} {outcome.verdict}: {tail(outcome.said, 300)}", flush=True)
                self.write(seed, size, outcome)

    def write(self, seed, size, outcome):
        """The first of a kind is worth the time that shrinking takes."""
        self.recorded[outcome.verdict] += 1
        times = self.recorded[outcome.verdict]
        if times > RECORDED:
            return
        batch = batches.make_batch(seed, size)
        pair = next(pair for pair in batch.pairs if pair.name == outcome.pair)
        shrinking = self.may_shrink and times == 1
        small = shrunk(batch, pair, outcome.verdict, self.tools) if shrinking else only(batch, pair)
        title = f"batch{seed}-{outcome.pair}-" + outcome.verdict.replace(" ", "-")
        print("  see " + record(small, outcome, self.tools, self.out, title), flush=True)


def fuzz(tools, count, seed, out, jobs, log=None, may_shrink=True, path=None, commit=""):
    """Runs `count` fusions in batches seed, seed + 1, …; returns the number that went wrong. The counts are kept in the
    file `path`: a run that was interrupted goes on from there."""
    each = tools.backend.batch
    what = {"backend": tools.backend.name, "count": count, "seed": seed, "batch": each, "commit": commit}
    counts = Counts(path, what, tools.backend.facts)
    findings = Findings(tools, out, may_shrink, counts)
    sizes = [each] * (count // each) + ([count % each] if count % each else [])
    work = ((seed + at, size, tools) for at, size in enumerate(sizes) if at >= counts.batches)
    with concurrent.futures.ProcessPoolExecutor(jobs) as pool:
        # A few batches ahead at a time, so that an endless run holds no endless list; counted in their order.
        running = collections.deque()
        while True:
            for arguments in itertools.islice(work, 4 * jobs - len(running)):
                running.append((arguments[:2], pool.submit(one_batch, arguments)))
            if not running:
                break
            (number, size), future = running.popleft()
            findings.add(number, size, future.result())
            counts.save()
            if log:
                with open(log, "a") as file:
                    file.write(counts.text() + "\n")
    print(counts.text())
    print("refusals: " + (", ".join(f"{times} {name}" for name, times in counts.refusals.most_common()) or "none"))
    passed, failed, skipped = counts.totals()
    print(f"{passed} passed, {failed} failed, {skipped} skipped", flush=True)
    return failed or (0 if passed else 1)


def gpu_backend(arch):
    """nvcc, and the GPUs that are there. Large programs: the headers and the kernels alone are compiled once in each."""

    def said(*command):
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip().splitlines()

    nvcc = shutil.which("nvcc") or os.path.join(os.environ.get("CUDA_HOME", "/usr/local/cuda"), "bin", "nvcc")
    gpus = said("nvidia-smi", "--query-gpu=name,compute_cap", "--format=csv,noheader")
    if arch == "native":  # Asked once: nvcc would ask in every compilation.
        arch = "sm_" + gpus[0].split()[-1].replace(".", "")
    facts = {"arch": arch, "gpus": gpus, "nvcc": said(nvcc, "--version")[-1]}
    return Backend("gpu", GpuCompile(nvcc, arch), 180, 60, len(gpus), facts)


class GpuCompile:
    """A class, so that other processes can be sent it."""

    def __init__(self, nvcc, arch):
        self.nvcc, self.arch = nvcc, arch

    def __call__(self, folder):
        program = os.path.join(folder, "program")
        command = [
            self.nvcc, "-std=c++17", f"-arch={self.arch}", "-I",
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

    def __init__(self, folder):
        self.folder = folder

    def __call__(self, folder):
        here = os.path.dirname(os.path.abspath(__file__))
        program = os.path.join(folder, "program")
        command = [
            sys.executable,
            os.path.join(self.folder, "run.py"), "-I", here, "-I", folder, "-o", program,
            os.path.join(folder, "main.cu")
        ]
        process = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        return (program, "") if process.returncode == 0 else (None, tail(process.stdout + process.stderr))


def emulator_backend(root):
    return Backend("emulator", EmulatorCompile(os.path.join(root, "test", "Emulated")), 1200, 15, 0, {})
