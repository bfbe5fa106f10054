"""What `cufuse tune` and `cufuse fuse --from-db` read, damaged: workloads, traces and tuning databases. A case is
(files, arguments, what it may leave behind, toolkit)."""
import glob
import hashlib
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile

from mutate import mutate

SETTINGS = ["--set", "scale.count=4096", "--set", "total.count=4096"]
TUNE = ["tune", "scale.yaml", "total.yaml", "-o", "out/o.cu", "--no-gpu", "--strategy", "hfuse", "--budget", "1",
        "--candidates", "1"]
SCHEMA = """CREATE TABLE tuned (sources TEXT NOT NULL, flags TEXT NOT NULL, gpu TEXT NOT NULL, driver TEXT NOT NULL,
    workload TEXT NOT NULL, tools TEXT NOT NULL, number INTEGER NOT NULL, text TEXT NOT NULL,
    PRIMARY KEY (sources, flags, gpu, driver, workload, tools)); PRAGMA user_version = 2;"""
SIGNATURES = ("scale(const float *, float *, float, int)", "total(const int *, int *, int, int)")


class TuneInputs:
    """Sound ones, made once; the trace is empty where there is no compiler. `toolkit` has a compiler that refuses
    everything, at once."""

    def __init__(self, cufuse, root, folder):
        self.workloads, self.trace, self.result = {}, b"", {}
        self.cache, self.toolkit = os.path.join(folder, "cache"), os.path.join(folder, "cuda")
        inputs = os.path.join(root, "test", "Tune", "Inputs")
        for path in sorted(glob.glob(os.path.join(inputs, "*.yaml"))):
            with open(path, "rb") as file:
                text = file.read()
            self.workloads[os.path.basename(path)] = re.sub(
                rb"(kernel: *)([^\s,]+\.cu)", lambda found: found[1] + os.path.normpath(
                    os.path.join(inputs, found[2].decode())).encode(), text)
        with open(os.path.join(inputs, "pair.cu"), "rb") as file:
            self.pair = file.read()
        nvcc = os.path.join(os.environ.get("CUDA_PATH") or os.environ.get("CUDA_HOME") or "/usr/local/cuda", "bin", "nvcc")
        nvcc = shutil.which(nvcc) or shutil.which("nvcc")
        self.tools = ""
        if not nvcc:
            self.toolkit = None
            return
        said = [subprocess.run([program, "--version"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout
                for program in (os.path.abspath(cufuse), nvcc)]
        self.tools = content_hash([said[0].split()[-1], said[1]] + [
            f"{name}={value}".encode() for name, value in sorted(os.environ.items()) if name.startswith(("NVCC_", "NVVM_"))])
        subprocess.run([sys.executable, os.path.join(inputs, "refusing_toolkit.py"), self.toolkit, nvcc, ""], check=True)
        work = os.path.join(folder, "work")
        os.makedirs(os.path.join(work, "out"))
        for name, text in self.pair_files().items():
            with open(os.path.join(work, name), "wb") as file:
                file.write(text)
        arguments = TUNE + SETTINGS + ["--cache", self.cache, "--trace", "t.jsonl", "--json", "result.json"]
        subprocess.run([os.path.abspath(cufuse)] + arguments, cwd=work, capture_output=True)
        if os.path.exists(os.path.join(work, "result.json")):
            with open(os.path.join(work, "t.jsonl"), "rb") as file:
                self.trace = re.sub(rb'"at":[-+.\de]+', b'"at":1', file.read())
            with open(os.path.join(work, "result.json")) as file:
                self.result = measured(json.load(file))

    def pair_files(self):
        """The workloads scale and total with their source, all in one folder."""
        files = {name: re.sub(rb"kernel: \S*pair", b"kernel: pair", self.workloads[name])
                 for name in ("scale.yaml", "total.yaml")}
        return {"pair.cu": self.pair, **files}


def measured(result):
    """As it would be of a GPU, and of no certain time."""
    result.update(seconds=1, busy_share=0.5, started="2026-01-01T00:00:00Z", modelled=False, command="cufuse tune")
    for entry in result["tried"]:
        entry.update(at=1, effort="full", us=10.0, noise=0.01)
    alone = {"fate": "measured", "us": 20.0, "noise": 0.01}
    result["baselines"] = [{"schedule": "serial", "level": "given", "result": alone, "counters": {}}]
    return result


def workload_case(rng, corpus, values):
    """Up to two workloads, damaged; nothing of them is compiled."""
    tuning = corpus.tuning
    files = {}
    for name in rng.sample(sorted(tuning.workloads), rng.choice((1, 1, 2))):
        text = tuning.workloads[name]
        for _ in range(rng.choice((0, 1, 1, 2))):
            change = rng.randrange(4)
            lines = text.split(b"\n")
            at = rng.randrange(len(lines))
            if change == 0:
                text = mutate(rng, text, rng.choice(sorted(tuning.workloads.values())))
            elif change == 1:
                del lines[at]
                text = b"\n".join(lines)
            elif change == 2:
                lines.insert(at, rng.choice(rng.choice(sorted(tuning.workloads.values())).split(b"\n")))
                text = b"\n".join(lines)
            else:  # One scalar is another.
                scalars = list(re.finditer(rb"[\w.*+/()]+(?=[,\]}\n])", text))
                if scalars:
                    found = rng.choice(scalars)
                    text = text[:found.start()] + rng.choice(values + OTHER_SCALARS).encode(
                        "utf-8", "surrogateescape") + text[found.end():]
        files[name] = text
    arguments = ["tune"] + sorted(files) + ["-o", "out/o.cu", "--no-gpu"]
    for _ in range(rng.choice((0, 0, 1, 2))):
        arguments += [
            rng.choice(("--set", "--set", "--name", "--strategy", "--seed", "--budget", "--candidates", "--devices",
                        "--require-speedup", "--arch", "--jobs")),
            rng.choice(values + ["count=4096", "count=0", "scale.count=9", "count=99999999999999", "count=-1"]).replace("\0", "")
        ]
    return files, arguments, (), tuning.toolkit


def trace_case(rng, corpus, values):
    tuning = corpus.tuning
    trace = b"".join(damaged_json(rng, json.loads(line), values) + b"\n" for line in tuning.trace.splitlines())
    arguments = TUNE + SETTINGS + ["--trace", "t.jsonl", "--cache", tuning.cache]
    return {**tuning.pair_files(), "t.jsonl": trace}, arguments, ("t.jsonl", ), None


def from_database_case(rng, corpus, values):
    tuning = corpus.tuning
    text = damaged_json(rng, tuning.result, values)
    data = database(tuning, text)
    if rng.random() < 0.3:
        data = mutate(rng, data, text)
    arguments = ["fuse", "pair.cu:scale", "pair.cu:total", "--from-db", "t.db", "-o", "out/o.cu"]
    return {"pair.cu": tuning.pair, "t.db": data}, arguments, ("t.db", "t.db-journal"), None


def content_hash(parts):
    return hashlib.sha256(b"".join(b"%d:%s" % (len(part), part) for part in parts)).hexdigest()


def database(tuning, text):
    """One that has this result for the two kernels, as lib/Search/TuningDatabase.cpp writes it."""
    sources = content_hash([part for signature in SIGNATURES for part in (signature.encode(), tuning.pair)])
    flags = content_hash([b"kernel", b"sm_90a", b""] * 2)
    with tempfile.TemporaryDirectory(prefix="cufuse-fuzz") as folder:
        path = os.path.join(folder, "t.db")
        connection = sqlite3.connect(path)
        connection.executescript(SCHEMA)
        connection.execute("INSERT INTO tuned VALUES (?, ?, '', '', '', ?, 1, ?)",
                           (sources, flags, tuning.tools, text.decode("utf-8", "replace")))
        connection.commit()
        connection.close()
        with open(path, "rb") as file:
            return file.read()


OTHER_SCALARS = [
    "0", "-1", "1.5", "1e308", "1e400", "nan", "true", "[]", "{}", "[1, 2]", "{a: b}", "count", "block.x", "n * n * n * n",
    "1 / 0", "ceil(1 / 0)", "2 * (", "&a", "*a", "!!int 3", "|", ">", "'", "\"", "? x", "- -", "4294967296 * 4294967296",
    "f64", "u8", "zero", "{file: nothing}", "{uniform: [1]}", "{normal: [a, b]}", "{iota: []}", "nullptr", "out + 3"
]
OTHER_VALUES = [0, -1, 3, 1e300, 4294967295, 1048576, None, [], {}, "x", True, [0], [[]], [1, 2, 3, 4]]


def places(value):
    """(container, key) of everything in it."""
    keys = value.keys() if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in list(keys):
        yield value, key
        yield from places(value[key])


def damaged_json(rng, value, values):
    """Text of it with some values taken away, doubled or replaced; sometimes not even JSON."""
    value = json.loads(json.dumps(value))
    for _ in range(rng.choice((0, 1, 1, 2, 4))):
        found = list(places(value))
        if not found:
            break
        container, key = rng.choice(found)
        change = rng.random()
        if change < 0.3:
            del container[key]
        elif change < 0.45 and isinstance(container, list):
            container.insert(key, container[key])
        else:
            container[key] = rng.choice((rng.choice(OTHER_VALUES), rng.choice(values), rng.choice(found)[1]))
    text = json.dumps(value).encode()
    return mutate(rng, text, text) if rng.random() < 0.1 else text
