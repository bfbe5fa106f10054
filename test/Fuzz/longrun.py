"""Long runs: they say now and then how far they are, and what they have found when they are interrupted."""
import collections
import concurrent.futures
import contextlib
import itertools
import multiprocessing
import os
import signal
import sys
import tempfile
import time

SIGNALS = signal.SIGINT, signal.SIGTERM


class Interrupted(BaseException):
    """By one of SIGNALS. The work ends, the counts are printed."""

    last = None

    def __init__(self, number):
        super().__init__(number)
        self.status = 128 + number


def interrupt(number, _frame):
    for other in SIGNALS:  # The next one ends the process, whatever it does.
        signal.signal(other, signal.SIG_DFL)
    Interrupted.last = Interrupted(number)
    raise Interrupted.last


def run(main):
    """The status of `main()`, which may end with Interrupted. The temporary files of all its processes are gone
    afterwards."""
    for number in SIGNALS:
        signal.signal(number, interrupt)
    with tempfile.TemporaryDirectory(prefix="cufuse-fuzz", ignore_cleanup_errors=True) as folder:
        tempfile.tempdir = os.environ["TMPDIR"] = folder
        try:
            return main()
        except Interrupted as interrupted:
            return interrupted.status


@contextlib.contextmanager
def together():
    """What happens here is not interrupted in between."""
    signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)


class Progress:
    """Says `text()` every `seconds`, to stderr."""

    def __init__(self, text, seconds):
        self.text, self.seconds, self.said = text, seconds, time.monotonic()

    def left(self):
        """Seconds to the next line."""
        return max(0.0, self.said + self.seconds - time.monotonic())

    def say(self):
        if Interrupted.last:  # It was raised where Python ignores exceptions: in a hook of fork, in __del__.
            raise Interrupted.last
        if not self.left():
            print(self.text(), file=sys.stderr, flush=True)
            self.said = time.monotonic()


def kill(process):
    """With what it has started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.kill()


def in_order(function, work, jobs, progress):
    """(arguments, function(arguments)) for each of `work`, by so many processes. A few are begun ahead, so that endless
    work is no endless list."""
    with concurrent.futures.ProcessPoolExecutor(jobs, initializer=os.setpgrp) as pool:
        running = collections.deque()
        work = iter(work)
        try:
            while True:
                for arguments in itertools.islice(work, 4 * jobs - len(running)):
                    running.append((arguments, pool.submit(function, arguments)))
                if not running:
                    return
                arguments, future = running.popleft()
                while not concurrent.futures.wait([future], progress.left()).done:
                    progress.say()
                yield arguments, future.result()
                progress.say()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            workers = multiprocessing.active_children()
            for process in workers:
                kill(process)
            for process in workers:  # A pool that was shut down once does not wait for them: they would go on making files.
                process.join()
            raise
