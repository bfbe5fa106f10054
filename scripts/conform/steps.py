"""Runs commands and keeps what they said, so that a second run does only what changed."""
import concurrent.futures
import hashlib
import json
import os
import signal
import subprocess
import sys
import threading
import time


def digest(*parts):
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def digest_of_file(path):
    try:
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""


class Steps:
    """Memory of results in WORK/state.jsonl: one line per result, under a key of all that it depends on."""

    def __init__(self, work, cufuse, nvcc, arch, jobs):
        self.work, self.cufuse, self.nvcc, self.arch, self.jobs = work, cufuse, nvcc, arch, jobs
        os.makedirs(os.path.join(work, "out"), exist_ok=True)
        version = subprocess.run([nvcc, "--version"], capture_output=True, text=True).stdout
        here = os.path.dirname(os.path.abspath(__file__))
        parts = ("chains.py", "compile.py", "measure.py", "templates.py", "units.py")
        scripts = [digest_of_file(os.path.join(here, name)) for name in parts]
        self.nvcc_key, self.cufuse_key = [version, arch, scripts], [digest_of_file(cufuse), arch, scripts]
        self.lock, self.known, self.running, self.stopped = threading.Lock(), {}, set(), False
        self.computing = {}  # of each key, a lock: two of one key write the same files
        self.done = 0  # what was not known before
        path = os.path.join(work, "state.jsonl")
        if os.path.exists(path):
            with open(path) as file:
                for line in file:
                    try:
                        key, result = json.loads(line)
                        self.known[key] = result
                    except ValueError:
                        pass  # the last line of a run that was killed
        self.state = open(path, "a")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.state.close()

    def remember(self, key, compute):
        """The known result under the key, else the computed one."""
        key = digest(*key)
        with self.lock:
            computing = self.computing.setdefault(key, threading.Lock())
        with computing:
            with self.lock:
                if key in self.known:
                    return self.known[key]
            result = compute()
            with self.lock:
                if not self.stopped:
                    self.known[key] = result
                    self.done += 1
                    self.state.write(json.dumps([key, result]) + "\n")
                    self.state.flush()
            return result

    def output_file(self, key, suffix):
        return os.path.join(self.work, "out", digest(key)[:16] + suffix)

    def run(self, command, seconds):
        """Status (None: it took too long), stdout and stderr. What the command started ends with it."""
        with self.lock:
            if self.stopped:
                return None, "", "interrupted"
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, cwd=self.work, start_new_session=True)
            self.running.add(process)
        try:
            out, err = process.communicate(timeout=seconds)
            status = process.returncode
        except subprocess.TimeoutExpired:
            end(process)
            out, err = process.communicate()
            status = None
        finally:
            with self.lock:
                self.running.discard(process)
        return status, out.decode(errors="replace"), err.decode(errors="replace")

    def in_parallel(self, stage, function, items):
        """The function's results, in order, with a bar where a person looks on."""
        started, bar = time.monotonic(), Bar(stage, len(items))
        pool = concurrent.futures.ThreadPoolExecutor(self.jobs)
        try:
            futures = [pool.submit(function, item) for item in items]
            for done, future in enumerate(concurrent.futures.as_completed(futures), 1):
                future.result()
                bar.show(done)
            return [future.result() for future in futures]
        except BaseException:
            with self.lock:
                self.stopped = True
                running = list(self.running)
            for process in running:
                end(process)
            raise
        finally:
            pool.shutdown(cancel_futures=True)
            bar.end(time.monotonic() - started)


def end(process):
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


class Bar:
    WIDTH = 40

    def __init__(self, stage, total):
        self.stage, self.total, self.terminal = stage, total, sys.stderr.isatty()

    def show(self, done):
        if self.terminal:
            filled = self.WIDTH * done // self.total
            bar = "#" * filled + "." * (self.WIDTH - filled)
            print(f"\r{self.stage:<10} [{bar}] {done}/{self.total}", end="", file=sys.stderr, flush=True)

    def end(self, seconds):
        if self.terminal:
            print("\r\x1b[K", end="", file=sys.stderr)
        print(f"==> {self.stage}: {self.total} in {seconds:.0f} s", file=sys.stderr, flush=True)
