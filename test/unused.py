#!/usr/bin/env python3
"""What an output of cufuse declares and nothing in it names: functions, types, constants, macros, and, as Clang sees them,
variables and parameters.

usage: unused.py CLANG [-I FOLDER]... OUT.cu...

Each OUT.h lies beside its OUT.cu. What the users' text declares is theirs; what it names is used. A line `FILE: NAME` for
each, and status 1 if there is any.
"""
import os
import re
import subprocess
import sys

# What a program calls, what a tuner does, and what a linker finds twice.
ENTRIES = {"launch", "fused", "fused_bound", "fusedOnce", "fused_boundOnce"}
WORDS = {"if", "for", "while", "switch", "return", "operator", "sizeof", "asm", "defined"}


def split(text, own):
    """Lines of ours, and all lines, without comments, strings and what only saves macros."""
    ours, every, of_user = [], [], False
    for line in text.splitlines():
        if match := re.match(r'#line \d+ "(.*)"$', line):
            of_user = match[1] != own
            continue
        if re.match(r"#\s*(pragma|undef|include)\b", line):
            continue
        line = re.sub(r'"(\\.|[^"\\])*"', '""', line).split("//")[0]
        every.append(line)
        if not of_user:
            ours.append(line)
    return "\n".join(ours), "\n".join(every)


def declared(text):
    """Names of functions with a body, types, constants and macros."""
    names = set(re.findall(r"^#define (\w+)", text, re.M))
    names |= set(re.findall(r"\b(?:struct|using) (\w+)(?= \{| :| =)", text))
    names |= set(re.findall(r"\bstatic constexpr [\w ]+? (\w+) =", text))
    for head in re.findall(r"([^;{}#]*)\{", text):
        if match := re.search(r"(\w+)\((?:[^()]|\([^()]*\))*\)(?: const)?(?: &&)?\s*(?:\[\[.*\]\])?$", head.strip()):
            before = head[:head.rindex(match[1] + "(")].rstrip()
            if match[1] not in WORDS and re.search(r"[\w>&*]$", before) and not before.endswith("operator"):
                names.add(match[1])
    return names - ENTRIES


def warned(clang, paths, folders):
    """What Clang says of our lines, read as host code and as device code: all in one file, since headers take long."""
    found, ours = [], tuple(name for path in paths for name in (path, os.path.splitext(path)[0] + ".h"))
    text = ""
    for path in paths:
        with open(path, encoding="utf-8") as file:
            text += f'#line 1 "{path}"\n' + file.read()
    for side in ("--cuda-host-only", "--cuda-device-only"):
        command = [clang, "-x", "cuda", side, "-std=c++17", "-nocudalib", "-fsyntax-only", "-Wno-unknown-cuda-version",
                   "--cuda-gpu-arch=sm_90", f"--cuda-path={os.environ.get('CUDA_HOME') or '/usr/local/cuda'}", "-Wunused",
                   "-Wunused-member-function", "-I.", *(f"-I{folder}" for folder in folders), "-"]
        said = subprocess.run(command, input=text, capture_output=True, text=True).stderr.splitlines()
        # The host only registers the device's variables.
        found += [line for line, shown in zip(said, said[1:] + [""])
                  if "error:" in line or (re.search(r"-Wunused", line) and line.startswith(ours) and
                                          not re.search(r"__(constant|device)__", shown))]
    return found


def main():
    arguments = sys.argv[2:]
    folders = [arguments[at + 1] for at, word in enumerate(arguments) if word == "-I"]
    paths = [word for at, word in enumerate(arguments) if word != "-I" and (at == 0 or arguments[at - 1] != "-I")]
    found = []
    for path in paths:
        texts = []
        for each in (path, os.path.splitext(path)[0] + ".h"):
            with open(each, encoding="utf-8") as file:
                texts.append(split(file.read(), os.path.basename(each)))
        every = "\n".join(text for _, text in texts)
        for ours, _ in texts[:1]:
            for name in sorted(declared(ours)):
                if len(re.findall(rf"\b{name}\b", every)) < 2:
                    found.append(f"{path}: {name}")
    found += warned(sys.argv[1], paths, folders)
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
