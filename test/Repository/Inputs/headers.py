"""headers.py ROOT BUILD [--clang]: every header compiles alone, by itself or as the first of a source's includes.

Without --clang: the headers of parts without Clang; the precompiled header before their sources has nothing of cufuse, and
names.py asks for what it has. With it: those of the others, and all sources without the precompiled headers; that takes
minutes.
"""

import concurrent.futures
import json
import os
import re
import shlex
import subprocess
import sys

from parts import Tree

tree, build = Tree(sys.argv[1]), sys.argv[2]
clang = "--clang" in sys.argv


def command(entry):
    """How the build compiles a source, without its output and the precompiled header."""
    words = shlex.split(entry["command"])
    kept = []
    while words:
        word = words.pop(0)
        if word == "-Xclang" and words[0] in ("-include-pch", "-include"):
            del words[:3]
        elif word in ("-o", "-include"):
            words.pop(0)
        elif word not in ("-c", entry["file"]) and os.path.basename(word) != "ccache":
            kept.append(word)
    return kept + ["-fsyntax-only", "-Wno-pragma-once-outside-header"]


def compiled(entry):
    """The sources of a command: one, or all that CMake includes in a file of its own."""
    if "/Unity/" not in entry["file"]:
        return [entry["file"]]
    with open(entry["file"]) as opened:
        return re.findall(r'^#include "(.*)"', opened.read(), re.M)


with open(os.path.join(build, "compile_commands.json")) as file:
    entries = {os.path.relpath(source, tree.root): entry for entry in json.load(file) for source in compiled(entry)}
sources = [path for path in tree.files if path.endswith(".cpp") and path in entries]
sources = [path for path in sources if tree.part_of(path)]
alike = [path for path in sources if tree.part_of(path).clang == clang]
first = {tree.resolve(path, tree.includes[path][0][2]) for path in alike if tree.includes[path]}
headers = [path for path in tree.files if path.endswith(".h") and tree.part_of(path)]
headers = [path for path in headers if tree.part_of(path).clang == clang]
jobs = [(path, command(entries[path]) + [path]) for path in sources if clang]
for path in headers:
    if path not in first:
        # As a source of its part, or else of one that links it.
        own = tree.part_of(path).name
        like = [source for source in alike if own in tree.part_of(source).sees]
        like.sort(key=lambda source: own != tree.part_of(source).name)
        jobs.append((path, command(entries[like[0]]) + ["-x", "c++", path]))


def compile(job):
    path, words = job
    return path, subprocess.run(words, cwd=tree.root, stderr=subprocess.PIPE, text=True)


failed = 0
with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    for path, done in pool.map(compile, jobs):
        if done.returncode != 0:
            failed += 1
            errors = [line for line in done.stderr.split("\n") if "error:" in line]
            print(f"{path}: does not compile alone\n" + "".join(f"  {line}\n" for line in errors[:8]), end="")
print(f"{len(headers)} headers, {len(first & set(headers))} first in a source, {len(jobs)} compiled, {failed} not alone")
sys.exit(1 if failed else 0)
