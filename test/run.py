#!/usr/bin/env python3
"""Runs the tests of a build folder and ends with the line `N passed, N failed, N skipped`.

usage: run.py BUILD [LIT OPTIONS, OR FILES AND FOLDERS OF test/ ...]

lit runs both its own tests and the GoogleTest executable, case by case. The status is 0 only if something passed and
nothing failed; a test that should fail and passes counts as failed.
"""
import os
import signal
import subprocess
import sys
import xml.etree.ElementTree


def run(command):
    """Its status. Whoever ends us ends all that it has started."""
    lit = subprocess.Popen(command, start_new_session=True)

    def end(number, _):
        os.killpg(lit.pid, signal.SIGKILL)
        sys.exit(128 + number)

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, end)
    return lit.wait()


def main():
    build, arguments = os.path.abspath(sys.argv[1]), sys.argv[2:]
    # lit finds the configuration of a test by its place in the build folder.
    source = os.path.dirname(os.path.abspath(__file__))
    existing = [path for path in arguments if os.path.exists(path)]
    paths = {path: os.path.join(build, "test", os.path.relpath(path, source)) for path in existing}
    arguments = [paths.get(argument, argument) for argument in arguments]
    with open(os.path.join(build, "test", "lit.path")) as file:
        lit = file.read().strip()
    results = os.path.join(build, "test", "results.xml")
    if os.path.exists(results):
        os.remove(results)
    if not paths:
        arguments += [os.path.join(build, "test"), os.path.join(build, "test", "unit")]
    command = [sys.executable, lit, "-v", "--show-unsupported", "--xunit-xml-output", results]
    status = run(command + arguments)
    total = failed = skipped = 0
    if os.path.exists(results):
        for suite in xml.etree.ElementTree.parse(results).getroot():
            total += int(suite.get("tests"))
            failed += int(suite.get("failures"))
            skipped += int(suite.get("skipped"))
    passed = total - failed - skipped
    print(f"{passed} passed, {failed} failed, {skipped} skipped", flush=True)
    return 1 if failed or not passed or status else 0


if __name__ == "__main__":
    sys.exit(main())
