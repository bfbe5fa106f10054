"""The parts of cufuse (lib/CMakeLists.txt), their files, and what the files include."""

import collections
import os
import re


class Part:
    def __init__(self, name, clang, links):
        self.name, self.clang, self.links = name, clang, links
        self.sees = set()  # What it links, itself or by another part, and itself.


class Tree:
    def __init__(self, root):
        self.root = root
        with open(os.path.join(root, "lib/CMakeLists.txt")) as file:
            self.cmake = re.sub(r"#.*", "", file.read())
        self.parts = {}
        self.problems = []
        self.generated = {}  # What the build writes, by name: a part's, behind that part's line.
        lines = re.findall(r"^\s*(?:cufuse_part\(([^)]*)\)|file\(CONFIGURE OUTPUT (\S+))", self.cmake, re.M)
        for words, output in lines:
            if output:
                self.generated[os.path.basename(output.strip('"'))] = name
                continue
            name, *words = words.split()
            links = [word[len("cufuse_") :] for word in words if word.startswith("cufuse_")]
            self.add(Part(name, "CLANG" in words, links))
        self.files = []  # Paths from the root.
        for top in ("include/cufuse", "lib"):
            for folder, _, names in sorted(os.walk(os.path.join(root, top))):
                self.files += sorted(os.path.relpath(os.path.join(folder, name), root) for name in names)
        self.includes = {path: self.read(path) for path in self.files}

    def add(self, part):
        part.sees = {part.name}
        for link in part.links:
            if link in self.parts:
                part.sees |= self.parts[link].sees
        self.parts[part.name] = part

    def read(self, path):
        """The #includes of a file: a line, and the name with its < or "."""
        with open(os.path.join(self.root, path), errors="replace") as file:
            return [
                (number, match[1], match[2])
                for number, line in enumerate(file, 1)
                if (match := re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line))
            ]

    def part_of(self, path):
        """The part whose folder a file lies in, and nothing below that folder."""
        match = re.fullmatch(r"(?:include/cufuse|lib)/([^/]+)/[^/]+", path)
        return self.parts.get(match[1]) if match else None

    def resolve(self, path, name):
        """The file of cufuse that an #include in `path` means, or None."""
        for folder in ("include", os.path.dirname(path), "lib/Cuda"):
            candidate = os.path.normpath(os.path.join(folder, name))
            if candidate in self.includes:
                return candidate
        return None

    def reached(self, path):
        """Everything that a file includes, through headers of cufuse, too: how each is reached first."""
        chain = {path: [path]}
        outside = {}
        queue = collections.deque([path])
        while queue:
            at = queue.popleft()
            for _, quote, name in self.includes[at]:
                inside = self.resolve(at, name) if quote == '"' else None
                if inside is None:
                    outside.setdefault(name, chain[at])
                elif inside not in chain:
                    chain[inside] = chain[at] + [inside]
                    queue.append(inside)
        return chain, outside
