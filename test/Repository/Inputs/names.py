"""names.py ROOT LLVM_INCLUDES: no file relies on the precompiled headers for what it names of fmt, LLVM, Clang and std.

A file that says `fmt::` includes fmt itself. What a source names of `clang::` and `llvm::` is defined in a header that its
own #includes lead to; in a header, a declaration is enough. Of `std::`, what the precompiled headers have is asked for.
Text only, which takes a second: that the files compile without the precompiled headers is checked by scripts/lint.
"""

import functools
import os
import re
import sys

from parts import Tree

tree, llvm = Tree(sys.argv[1]), sys.argv[2]
DEFINITION = re.compile(
    r"^\s*(?:class|struct|enum(?: class)?|union|namespace)\s+(?:alignas\([^)]*\)\s*|LLVM_\w+\s+)*(\w+)[^;()\n]*(?:\{|$)"
    r"|^\s*using\s+(\w+)\s*=|^\s*typedef\b.*\b(\w+);|^\s*(?:[\w:<>]+[ *&]+)*(\w+)\(",
    re.M,
)
# TableGen makes the classes of attributes, X-macros the enumerators; these come with their types.
ATTRIBUTES = "clang/AST/Attr.h"
# The headers of the standard library that are precompiled, by what they are included for.
STANDARD = {
    "algorithm": "all_of any_of count count_if find find_if max max_element min none_of sort transform unique",
    "array": "array",
    "functional": "function",
    "map": "map multimap",
    "memory": "make_shared make_unique shared_ptr unique_ptr",
    "optional": "nullopt optional",
    "set": "set",
    "string": "stoi string to_string",
    "variant": "get_if holds_alternative variant visit",
    "vector": "vector",
}
DECLARATION = re.compile(r"\b(?:class|struct|enum(?: class)?)\s+(\w+)\s*(?::\s*\w+\s*)?;")


@functools.cache
def header(name):
    """What a header of LLVM or Clang defines, declares and includes."""
    try:
        with open(os.path.join(llvm, name), errors="replace") as file:
            text = file.read()
    except OSError:
        return frozenset(), frozenset(), ()
    found = frozenset(word for words in DEFINITION.findall(text) for word in words if word)
    found |= frozenset(re.findall(r"\b([a-z]\w+)\(", text))  # Functions whose heads are of several lines.
    included = re.findall(r'^\s*#\s*include\s*["<]([^">]+)[">]', text, re.M)
    return found, frozenset(DECLARATION.findall(text)), tuple(included)


@functools.cache
def closure(name):
    """A header of LLVM or Clang and those that it leads to."""
    seen, queue = {name}, [name]
    while queue:
        new = set(header(queue.pop())[2]) - seen
        seen |= new
        queue += new
    return frozenset(seen)


def without_comments(text):
    text = re.sub(r'R"(\w*)\(.*?\)\1"', '""', text, flags=re.S)
    text = re.sub(r"//.*", "", text)
    return re.sub(r'"(?:[^"\\\n]|\\.)*"', '""', text)


problems = []
for path in tree.files:
    if not path.endswith((".h", ".cpp")):
        continue
    with open(os.path.join(tree.root, path)) as file:
        text = without_comments(file.read())
    chain, outside = tree.reached(path)
    own = [path] + [each for each in chain if os.path.splitext(os.path.basename(each))[0] == os.path.basename(path)[:-4]]
    direct = {name for each in own for _, _, name in tree.includes[each]}
    if "fmt::" in text and not any(name.startswith("fmt/") for name in direct):
        problems.append(f"{path}: names fmt, and does not include it")
    headers = set().union(*(closure(name) for name in outside))
    defined = set().union(*(header(name)[0] for name in headers))
    declared = set().union(*(header(name)[1] for name in headers))
    for each in chain:
        with open(os.path.join(tree.root, each)) as file:
            declared |= set(DECLARATION.findall(file.read()))
    have = defined | declared if path.endswith(".h") else defined
    for namespace, name in sorted(set(re.findall(r"(?<![\w:])(clang|llvm)::(\w+)", text))):
        if name in have or re.match(r"[A-Z]+_", name) or (name.endswith("Attr") and headers & {ATTRIBUTES}):
            continue
        problems.append(f"{path}: names {namespace}::{name}, which none of its includes leads to")
    standard = set(re.findall(r"(?<![\w:])std::(\w+)", text))
    for include, names in STANDARD.items():
        if include not in headers and (used := sorted(standard & set(names.split()))):
            problems.append(f"{path}: names std::{used[0]}, and does not lead to <{include}>")

print("".join(line + "\n" for line in problems), end="")
print(f"{len(tree.files)} files, {len(problems)} names from elsewhere")
sys.exit(1 if problems else 0)
