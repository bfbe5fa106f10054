#!/usr/bin/env python3
"""usage: untested_blockers.py BLOCKERS.def FOLDER

Lists the blockers that no test in the folder checks for, and the tests that check for none; status 1 if there are any.
A test of a blocker is FOLDER/ENUMERATOR.cu, which runs `%exits 1 %cufuse fuse` and checks the output for [ENUMERATOR].
"""
import pathlib
import re
import sys


def checks(path, name):
    text = path.read_text()
    runs = re.findall(r"^// RUN: ((?:.*\\\n// RUN: )*.*)", text, re.MULTILINE)
    prefixes = set()
    for run in runs:
        if "%exits 1 %cufuse fuse" in run and "FileCheck %s" in run:
            prefixes.add((re.findall(r"--check-prefix=(\w+)", run) or ["CHECK"])[0])
    return any(re.search(rf"// {prefix}(-SAME)?:.*\[{name}\]", text) for prefix in prefixes)


def main():
    names = re.findall(r"^BLOCKER\((\w+)", pathlib.Path(sys.argv[1]).read_text(), re.MULTILINE)
    folder = pathlib.Path(sys.argv[2])
    untested = [name for name in names if not (folder / f"{name}.cu").exists() or not checks(folder / f"{name}.cu", name)]
    strangers = sorted(path.stem for path in folder.glob("*.cu") if path.stem not in names)
    for name in untested:
        print(f"no test for {name}")
    for name in strangers:
        print(f"{name}.cu tests no blocker")
    print(f"{len(names)} blockers, {len(untested)} without a test")
    return 1 if untested or strangers or not names else 0


if __name__ == "__main__":
    sys.exit(main())
