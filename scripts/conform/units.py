"""The translation units of a tree, the flags they are compiled with, and what each depends on."""
import json
import os
import re
import shlex

from conform.steps import digest, digest_of_file

HEADER_FOLDERS = ("include", "includes", "inc", "common")
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"]+)[>"]', re.M)
# Options of a command that the measurement sets itself (with their value), or that only write files.
OWN_WITH_VALUE = {"-o", "--output-file", "-MF", "-MT", "-MQ", "-x", "-arch", "--gpu-architecture", "-code",
                  "--gpu-code", "-gencode", "--generate-code"}
OWN = {"-c", "--compile", "-dc", "--device-c", "-MD", "-MMD", "-cubin", "-ptx", "-fatbin"}
PATHS = ("-I", "-isystem", "-include", "-iquote", "--options-file", "-optf")


class Unit:
    def __init__(self, path, name, flags, guessed):
        self.path, self.name, self.flags = path, name, flags
        self.guessed = guessed  # no command is known: folders are searched for what is missing

    def folder(self):
        return os.path.dirname(self.path)


class Tree:
    """The files below a folder, by name: which of them an #include may mean."""

    def __init__(self, root):
        self.root, self.folders, self.files, self.by_name = root, [], [], {}
        for folder, folders, names in os.walk(root):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            self.folders.append(folder)
            self.files += [os.path.join(folder, name) for name in sorted(names)]
        for path in self.files:
            self.by_name.setdefault(os.path.basename(path), []).append(path)
        self.digests, self.includes = {}, {}

    def name(self, path):
        inside = os.path.relpath(path, self.root)
        return path if inside.startswith("..") else inside

    def candidates(self, include, source):
        """The files that `#include "include"` in `source` may mean: one beside it, else every one so called."""
        beside = os.path.normpath(os.path.join(os.path.dirname(source), include))
        if beside in self.by_name.get(os.path.basename(beside), ()):
            return [beside]
        tail = "/" + re.sub(r"^(\.\.?/)+", "", include)
        return [path for path in self.by_name.get(os.path.basename(include), ()) if path.endswith(tail)]

    def digest(self, path):
        """Changes with the file and with every file of the tree that it may include."""
        seen, waiting = {path}, [path]
        while waiting:
            source = waiting.pop()
            if source not in self.includes:
                self.digests[source] = digest_of_file(source)
                try:
                    with open(source, encoding="latin-1") as file:
                        self.includes[source] = INCLUDE.findall(file.read())
                except OSError:
                    self.includes[source] = []
            for include in self.includes[source]:
                for found in self.candidates(include, source):
                    if found not in seen:
                        seen.add(found)
                        waiting.append(found)
        return digest(*sorted((source, self.digests[source]) for source in seen))

    def folder_with(self, header, source):
        """The folder from which `header` is found; among several the one nearest to `source`."""
        tail = "/" + re.sub(r"^(\.\.?/)+", "", header)
        folders = [path[:-len(tail)] for path in self.by_name.get(os.path.basename(header), ()) if path.endswith(tail)]
        return max(folders, default=None, key=lambda path: (len(os.path.commonpath([path, source])), -len(path), path))


def units_of_folder(tree, flags):
    """Every .cu file, with the given flags and the folders that usually hold headers."""
    header_folders = sorted(folder for folder in tree.folders if os.path.basename(folder).lower() in HEADER_FOLDERS)

    def searched(path):
        upwards = [path[:at] for at, char in enumerate(path) if char == "/" and at >= len(tree.root)]
        return [folder for above in reversed(upwards) for folder in header_folders
                if os.path.dirname(folder) == above] + [tree.root]

    return [Unit(path, tree.name(path), flags + [word for folder in searched(path) for word in ("-I", folder)], True)
            for path in tree.files if path.endswith(".cu")]


def absolute(flags, directory):
    """The flags as they mean the same from every folder."""
    result, value = [], None
    for flag in flags:
        joined = next((option for option in PATHS if flag.startswith(option) and flag != option), None)
        if value in PATHS:
            kept = value == "-include" and not os.path.exists(os.path.join(directory, flag))
            flag = flag if kept else os.path.join(directory, flag)
        elif joined:
            path = flag[len(joined):].removeprefix("=")
            # Both spellings as one: `-I dir`.
            result.append(joined)
            flag = os.path.join(directory, path)
        value = flag
        result.append(flag)
    return result


def units_of_commands(tree, database):
    """The CUDA files that a compile_commands.json has a command for; of several for one file the first."""
    with open(database) as file:
        entries = json.load(file)
    units = {}
    for entry in entries:
        words = entry.get("arguments") or shlex.split(entry["command"])
        path = os.path.normpath(os.path.join(entry["directory"], entry["file"]))
        if path in units or not (path.endswith(".cu") or ("-x", "cu") in zip(words, words[1:])):
            continue
        flags, words = [], iter(words[1:])
        for word in words:
            if word in OWN_WITH_VALUE:
                next(words, None)
            elif word in ("-dc", "--device-c"):
                flags.append("-rdc=true")
            elif (word not in OWN and word.split("=")[0] not in OWN_WITH_VALUE and
                  os.path.normpath(os.path.join(entry["directory"], word)) != path):
                flags.append(word)
        units[path] = Unit(path, tree.name(path), absolute(flags, entry["directory"]), False)
    return list(units.values())
