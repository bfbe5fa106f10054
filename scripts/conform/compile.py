"""What nvcc says of a file: whether it compiles, and what its kernels need."""
import os
import re
import subprocess

from conform.steps import digest_of_file

NVCC_SECONDS = 300
ENTRY = re.compile(r"Compiling entry function '(\w+)'")
FUNCTION = re.compile(r"Function properties for (\w+)")
SPILLS = re.compile(r"(\d+) bytes spill stores, (\d+) bytes spill loads")
USED = re.compile(r"Used (\d+) registers(?:, used (\d+) barriers)?")
SHARED = re.compile(r"(\d+) bytes smem")
MISSING = re.compile(r"fatal error: (\S+): No such file|could not open source file \"([^\"]+)\"")
ERROR = re.compile(r"\b(error|fatal|undefined)\b", re.I)


def resources(output):
    """Readable name -> registers, spills in bytes, static shared bytes, barriers, as `ptxas -v` says."""
    found, entry, function = {}, None, None
    for line in output.splitlines():
        if match := ENTRY.search(line):
            entry = match[1]
            found[entry] = {"registers": None, "spills": 0, "shared": 0, "barriers": 0}
        elif match := FUNCTION.search(line):
            function = match[1]
        elif (match := SPILLS.search(line)) and function in found:
            found[function]["spills"] = int(match[1]) + int(match[2])
        elif (match := USED.search(line)) and entry:
            shared = SHARED.search(line)
            found[entry].update(registers=int(match[1]), barriers=int(match[2] or 0),
                                shared=int(shared[1]) if shared else 0)
    # A static kernel's symbol begins with the length and the text of its file's mark.
    symbols = [re.sub(r"^__nv_static_(\d+)_(.*)$", lambda mark: mark[2][int(mark[1]) + 1:], entry) for entry in found]
    filtered = subprocess.run(["c++filt"], input="\n".join(symbols), capture_output=True, text=True).stdout
    return dict(zip(filtered.splitlines(), found.values()))


def normal(name):
    """A kernel's name with its template arguments, spelled so that nvcc's and Clang's agree where they can."""
    name = name.replace("(anonymous namespace)::", "").removeprefix("void ")
    depth = 0
    for at, char in enumerate(name):
        depth += (char == "<") - (char == ">")
        if char == "(" and depth == 0:
            name = name[:at]
            break
    name = re.sub(r"\((?:bool|unsigned int|int|unsigned long|long|[\w:]+)\)(?=-?\d)", "", name.replace(" ", ""))
    name = re.sub(r"\b(\d+)[uUlL]+\b", r"\1", name)
    return re.sub(r"\btrue\b", "1", re.sub(r"\bfalse\b", "0", name))


def resources_of(kernel, entries):
    """Those of the kernel called so, or of the only one with its unqualified name; None where it is not clear."""
    same = {normal(name): used for name, used in entries.items()}
    if normal(kernel) in same:
        return same[normal(kernel)]
    plain = normal(kernel).split("<")[0]
    near = [used for name, used in same.items() if name.split("<")[0] == plain]
    return near[0] if len(near) == 1 else None


def compiled(steps, source, flags):
    """Whether nvcc takes the file, its first error, the kernels' resources, and the command."""
    cubin = os.path.join(steps.work, "out", os.path.basename(source) + f".{os.getpid()}.{id(flags)}.cubin")
    command = [steps.nvcc, "-cubin", "-arch=" + steps.arch, "-Xptxas", "-v", *flags, source]
    status, out, err = steps.run(command + ["-o", cubin], NVCC_SECONDS)
    if os.path.exists(cubin):
        os.remove(cubin)
    result = {"accepted": status == 0, "timeout": status is None, "command": command + ["-o", "/dev/null"]}
    if status == 0:
        result["kernels"] = resources(out + err)
    else:
        lines = (out + err).strip().splitlines()
        result["error"] = next((line.strip() for line in lines if ERROR.search(line)), (lines or [""])[-1].strip())
        result["missing"] = next((match[1] or match[2] for match in map(MISSING.search, lines) if match), None)
    return result


def accept(steps, tree, unit):
    """Compiles the unit as it is. Where no command is known, folders with the headers that nvcc misses are added."""
    def compute():
        flags, result = list(unit.flags), None
        for _ in range(12):
            result = compiled(steps, unit.path, flags)
            folder = tree.folder_with(result["missing"], unit.path) if result.get("missing") and unit.guessed else None
            if not folder or folder in flags:
                break
            flags += ["-I", folder]
        return {**result, "flags": flags}

    return steps.remember(["accept", steps.nvcc_key, unit.path, unit.flags, tree.digest(unit.path)], compute)


def compiled_with(steps, tree, unit, flags, kernel):
    """Compiles the unit with one more kernel in it, an instance of a template."""
    text = f'#include "{unit.path}"\nnamespace {{ auto *const conformance_use = &{kernel}; }}\n'

    def compute():
        path = steps.output_file(text + " ".join(flags), ".instance.cu")
        with open(path, "w") as file:
            file.write(text)
        result = compiled(steps, path, flags)
        os.remove(path)
        return result

    return steps.remember(["instance", steps.nvcc_key, text, flags, tree.digest(unit.path)], compute)


def compiled_output(steps, path, flags, inputs):
    """Compiles what cufuse wrote; equal text is compiled once."""
    texts = [digest_of_file(path), digest_of_file(path[:-3] + ".h")]
    return steps.remember(["output", steps.nvcc_key, texts, flags, inputs], lambda: compiled(steps, path, flags))
