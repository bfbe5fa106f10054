"""layers.py ROOT: every file of lib/ and include/cufuse includes only what its part links, and CONTRIBUTING.md lists the
parts.

Says what is not so, one line each, then how much was looked at; the status is 1 if anything is not so.
"""

import os
import re
import sys

from parts import Tree

tree = Tree(sys.argv[1])
problems = []


def check_parts():
    for name, part in tree.parts.items():
        for link in part.links:
            above = list(tree.parts)[: list(tree.parts).index(name)]
            outside = os.path.exists(os.path.join(tree.root, "CMakeLists.txt")) and link in outside_libraries()
            if link not in above and not outside:
                problems.append(f"lib/CMakeLists.txt: {name} links {link}, which does not stand above it")
        if not any(tree.part_of(path) is part for path in tree.files):
            problems.append(f"lib/CMakeLists.txt: {name} has no folder")
    # Only cufuse_part gives a library its sources: those of its folder.
    for word in re.findall(r"add_library|target_sources|SOURCES", tree.cmake):
        problems.append(f"lib/CMakeLists.txt: {word} names sources; a part has those of its folder")


def check_guide():
    """CONTRIBUTING.md lists the parts, in order, and marks those that may include Clang."""
    with open(os.path.join(tree.root, "CONTRIBUTING.md"), encoding="utf-8") as file:
        listed = [(name, bool(mark)) for name, mark in re.findall(r"^\| `(\w+)`( \u2605)? \|", file.read(), re.M)]
    there = [(name, part.clang) for name, part in tree.parts.items()]
    for name, clang in sorted(set(listed) ^ set(there)):
        where = "CONTRIBUTING.md" if (name, clang) in listed else "lib/CMakeLists.txt"
        problems.append(f"{where}: only here there is a part {name} {'with' if clang else 'without'} Clang")
    if sorted(listed) == sorted(there) and listed != there:
        problems.append("CONTRIBUTING.md: the parts are in another order than in lib/CMakeLists.txt")


def outside_libraries():
    with open(os.path.join(tree.root, "CMakeLists.txt")) as file:
        return re.findall(r"add_library\(cufuse_(\w+) INTERFACE\)", file.read())


def check_file(path):
    part = tree.part_of(path)
    if part is None:
        if path not in ("lib/CMakeLists.txt", "lib/ClangHeaders.h", "lib/CommonHeaders.h"):
            problems.append(f"{path}: lies in the folder of no part")
        return
    for line, quote, name in tree.includes[path]:
        where = f"{path}:{line}"
        if quote == "<":
            if re.match(r"clang(-c)?/", name) and not part.clang:
                problems.append(f"{where}: {part.name} must not include Clang")
            continue
        target = tree.resolve(path, name)
        other = tree.part_of(target) if target else tree.parts.get(tree.generated.get(name))
        if other is None:
            problems.append(f"{where}: there is no {name}")
            continue
        if target and target.startswith("lib/") and other is not part and other.name != "Cuda":
            problems.append(f"{where}: {name} is private to {other.name}")
        if other.name not in part.sees:
            problems.append(f"{where}: {part.name} does not link {other.name}")
        used.add((part.name, other.name))
    # Through headers of parts that may, too.
    if not part.clang:
        for name, chain in tree.reached(path)[1].items():
            if re.match(r"clang(-c)?/", name) and len(chain) > 1:
                problems.append(f"{path}: {part.name} includes Clang by {' and '.join(chain[1:])}")
                break


used = set()
check_parts()
check_guide()
for path in tree.files:
    check_file(path)
for name, part in tree.parts.items():
    for link in part.links:
        if link in tree.parts and (name, link) not in used:
            problems.append(f"lib/CMakeLists.txt: {name} links {link}, and includes nothing of it")
print("".join(line + "\n" for line in problems), end="")
print(f"{len(tree.parts)} parts, {sum(map(len, tree.includes.values()))} includes, {len(problems)} against the order")
sys.exit(1 if problems else 0)
