"""The measurement: files, kernels, each kernel with a partner, pairs."""
import collections
import itertools
import json
import math
import os
import random
import re
import shlex

from conform import templates
from conform.compile import accept, compiled_output, compiled_with, resources_of
from conform.steps import digest
from conform.units import Unit

CUFUSE_SECONDS = 120
WITH_VALUE = ("-I", "-isystem", "-iquote", "-include", "-Xcompiler", "-D", "-U", "--options-file", "-optf")
INSTANCES = 4  # guesses that nvcc is asked for
PARTNER = "__global__ void conformancePartner(float *data) { data[blockIdx.x * blockDim.x + threadIdx.x] += 1; }\n"
REFUSED = re.compile(r"(?:(\S[^:]*):(\d+):\d+: error|cufuse: (?:refused|error)): (.*)$")
REMEDY = re.compile(r"\S.*: note: (.*)$")
OTHER_NAME = re.compile(r"does not name a kernel|names \d+ kernels|is a template;|no kernel ")

# Kernels that these keep apart may still share a launch, each with blocks of its own.
NO_ROOM = {"TooManyThreads", "StaticSharedMemory", "TooManyBarriers"}

Member = collections.namedtuple("Member", "unit flags name block")


def shape_of(facts):
    """A block that the kernel is launched with, else one that suits the indices that it reads."""
    for launch in facts["launchBlocks"]:
        if launch:
            return launch
    bounds, dimensions = facts["launchBounds"], facts["dimensions"]
    shape = [8, 8, 4] if "z" in dimensions else [32, 8] if "y" in dimensions else [bounds or 256]
    while bounds and math.prod(shape) > bounds and shape[-1] > 1:
        shape[-1] //= 2
    return "x".join(map(str, shape))


def merged(members):
    """The flags of all members, none twice; for nvcc, with the folders of their files."""
    words = {}
    for member in members:
        flags = iter(member.flags + ["-I", member.unit.folder()])
        for flag in flags:
            words.setdefault((flag, next(flags, "")) if flag in WITH_VALUE else (flag,))
    return list(itertools.chain.from_iterable(words))


class Measurement:
    def __init__(self, steps, tree, units, options):
        self.steps, self.tree, self.options = steps, tree, options
        self.draw = random.Random(options.seed)
        if options.files and options.files < len(units):
            chosen = set(self.draw.sample(range(len(units)), options.files))
            units = [unit for at, unit in enumerate(units) if at in chosen]
        self.units = units
        path = os.path.join(steps.work, "partner.cu")
        with open(path, "w") as file:
            file.write(PARTNER)
        self.partner = Unit(path, "partner.cu", [], False)

    # cufuse's two commands.

    def inspect(self, unit, flags):
        command = [self.steps.cufuse, "inspect", unit.path, "--json", "--arch", self.steps.arch, "--", *flags]

        def compute():
            status, out, err = self.steps.run(command, CUFUSE_SECONDS)
            if status != 0:
                return {"status": status, "error": first_line(err)}
            return {"status": 0, "kernels": [
                {"name": kernel["name"], "signature": kernel["signature"], "file": kernel["place"]["file"],
                 "line": kernel["place"]["line"], "column": kernel["place"]["column"],
                 "launchBounds": kernel["launchBounds"], "launchBlocks": kernel["launchBlocks"],
                 "dimensions": kernel["reads"]["threadIdx"]["dimensions"] + kernel["reads"]["blockDim"]["dimensions"],
                 "blockers": [{"kind": blocker["kind"], "text": blocker["message"], "file": blocker["place"]["file"],
                               "line": blocker["place"]["line"]} for blocker in kernel["blockers"]]}
                for kernel in json.loads(out)]}

        key = ["inspect", self.steps.cufuse_key, unit.path, flags, self.tree.digest(unit.path)]
        return {**self.steps.remember(key, compute), "command": shlex.join(command)}

    def fuse(self, members, stop=None):
        """What fusing these gives: outcome `fused` (with resources), `refused` (blockers) or `failed` (why). Those that
        have no room side by side are tried with blocks of their own, which `geometry` says."""
        result = self.fuse_as("warps", members, stop)
        if result["outcome"] != "refused" or not {blocker["kind"] for blocker in result["blockers"]} <= NO_ROOM:
            return result
        apart = self.fuse_as("blocks", members, stop)
        return result if apart["outcome"] == "refused" else {**apart, "geometry": "blocks"}

    def fuse_as(self, geometry, members, stop):
        flags = members[0].flags
        alike = all(member.flags == flags for member in members)
        where = ["--", *flags] if alike else ["-p", self.steps.work]
        digests = [self.tree.digest(member.unit.path) for member in members]
        command = [self.steps.cufuse, "fuse"] + [f"{member.unit.path}:{member.name}" for member in members]
        for member in members:
            command += ["--block", member.block]
        command += ["--geometry", geometry, "--arch", self.steps.arch]
        key = [command[1:], [member.flags for member in members]]
        output = self.steps.output_file(key, ".cu")
        command += (["--stop-after", stop] if stop else []) + ["-o", output] + where

        def compute():
            result, compiled = self.fused(command, None if stop else output, merged(members), digests)
            return {**result, "resources": next(iter(compiled["kernels"].values()), None)} if compiled else result

        return self.steps.remember(["fuse", self.steps.cufuse_key, self.steps.nvcc_key, key, stop, digests], compute)

    def fused(self, command, output, flags, digests):
        """The outcome of a command of cufuse, and what nvcc says of its output where it is `fused`; without one, nothing."""
        status, _, err = self.steps.run(command, CUFUSE_SECONDS)
        if status == 1:
            return {"outcome": "refused", "blockers": blockers(err)}, None
        if status != 0:
            why = "took too long" if status is None else f"signal {-status}" if status < 0 else f"status {status}"
            return {"outcome": "failed", "why": f"cufuse: {why}: {first_line(err)}", "command": shlex.join(command)}, None
        if not output:
            return {"outcome": "fused"}, None
        with open(output) as file:
            text = file.read()
        compiled = compiled_output(self.steps, output, flags, digests)
        if not compiled["accepted"]:
            why = "took too long" if compiled["timeout"] else compiled["error"]
            return {"outcome": "failed", "why": f"nvcc: {why}",
                    "command": shlex.join(command) + " && " + shlex.join(compiled["command"])}, None
        for path in (output, output[:-3] + ".h"):
            os.remove(path)
        return {"outcome": "fused"}, {**compiled, "text": text}

    # The steps.

    def kernel(self, kernel):
        """Fuses one kernel with the partner, under the first name that cufuse takes for it."""
        unit, flags, facts = kernel["unit"], kernel["flags"], kernel["facts"]
        names = [facts["name"], facts["signature"]]
        if facts["file"] == unit.path:
            names.append(f"@{facts['line']}")
        if kernel["instances"] == 1:
            names.append(facts["name"].split("<")[0])
        for name in dict.fromkeys(names):
            result = self.with_partner(unit, flags, name, facts)
            texts = [blocker["text"] for blocker in result.get("blockers", ())]
            if any("is a template; name one with its arguments" in text for text in texts):
                return self.guess(unit, flags, facts)
            if not any(OTHER_NAME.search(text) for text in texts):
                break
        return {**result, "name": name, "alone": resources_of(facts["name"], kernel["compiled"])}

    def with_partner(self, unit, flags, name, facts):
        partner = Member(self.partner, flags, "conformancePartner", "32")
        return self.fuse([Member(unit, flags, name, shape_of(facts)), partner])

    def guess(self, unit, flags, facts):
        """The same for a template: with the first guessed arguments that both compilers take."""
        written = templates.parameters(facts["file"], facts["line"], facts["column"])
        names = templates.guesses(facts["name"], written) if written else []
        if names:
            tried = self.fuse([Member(unit, flags, name, "32") for name in names], stop="parse")
            if tried["outcome"] == "failed":
                return tried
            wrong = [blocker["text"] for blocker in tried.get("blockers", ())]
            names = [name for name in names if not any(f"'{name}'" in text for text in wrong)]
        for name in names[:INSTANCES]:
            compiled = compiled_with(self.steps, self.tree, unit, flags, name)
            if compiled["accepted"]:
                return {**self.with_partner(unit, flags, name, facts), "name": name, "guessed": True,
                        "alone": resources_of(name, compiled["kernels"])}
        return {"outcome": "unknown", "name": facts["name"]}

    def kernels_of(self, files):
        """One entry per kernel as it stands in the text: the first file that instantiates it, or else just has it."""
        found = {}
        for file in files:
            for at, facts in enumerate(file["inspected"].get("kernels", ())):
                place = (facts["file"], facts["line"], facts["column"])
                known = found.get(place)
                instance = "<" in facts["name"]
                if known and known["unit"] is file["unit"]:
                    known["instances"] += 1
                if not known or (instance and "<" not in known["facts"]["name"]):
                    found[place] = {"unit": file["unit"], "flags": file["flags"], "facts": facts, "instances": 1,
                                    "compiled": file["compiled"]["kernels"]}
        return [found[place] for place in sorted(found)]

    def drawn_pairs(self, kernels):
        """Half of the pairs from within a file, as far as there are any, the rest from anywhere."""
        by_file = {}
        for kernel in kernels:
            by_file.setdefault(kernel["unit"].path, []).append(kernel)
        within = [pair for group in by_file.values() for pair in itertools.combinations(group, 2)]
        pairs = self.draw.sample(within, min(len(within), self.options.pairs // 2))
        taken = {tuple(map(id, pair)) for pair in pairs}
        across = len(kernels) * (len(kernels) - 1) // 2 - len(within)
        wanted = len(pairs) + min(across, self.options.pairs - len(pairs))
        while len(pairs) < wanted:
            pair = self.draw.sample(kernels, 2)
            pair.sort(key=kernels.index)
            if pair[0]["unit"] is not pair[1]["unit"] and tuple(map(id, pair)) not in taken:
                taken.add(tuple(map(id, pair)))
                pairs.append(tuple(pair))
        return pairs

    def pair(self, pair):
        return self.fuse([Member(kernel["unit"], kernel["flags"], kernel["result"]["name"], shape_of(kernel["facts"]))
                          for kernel in pair])

    def everything(self):
        steps = self.steps
        compiled = steps.in_parallel("nvcc", lambda unit: accept(steps, self.tree, unit), self.units)
        files = [{"unit": unit, "compiled": result, "flags": result["flags"]}
                 for unit, result in zip(self.units, compiled)]
        accepted = [file for file in files if file["compiled"]["accepted"]]
        with open(os.path.join(steps.work, "compile_commands.json"), "w") as database:
            json.dump([{"directory": steps.work, "file": file["unit"].path,
                        "arguments": ["nvcc", *file["flags"], "-c", file["unit"].path]} for file in accepted], database)
        results = steps.in_parallel("inspect", lambda file: self.inspect(file["unit"], file["flags"]), accepted)
        for file, result in zip(accepted, results):
            file["inspected"] = result
        kernels = self.kernels_of(accepted)
        for kernel, result in zip(kernels, steps.in_parallel("kernels", self.kernel, kernels)):
            kernel["result"] = result
        pairs = self.drawn_pairs([kernel for kernel in kernels if kernel["result"]["outcome"] == "fused"])
        results = steps.in_parallel("pairs", self.pair, pairs)
        return self.described(files, kernels, pairs, results)

    def described(self, files, kernels, pairs, results):
        """Everything, as JSON takes it; paths as in the tree."""
        def named(kernel):
            return f"{kernel['unit'].name}:{kernel['result'].get('name', kernel['facts']['name'])}"

        def told(result):
            told_blockers = [{**blocker, "file": blocker["file"] and self.tree.name(blocker["file"])}
                             for blocker in result.get("blockers", ())]
            return {**result, "blockers": told_blockers} if told_blockers else result

        return {
            "files": [{"file": file["unit"].name, "flags": file["flags"], "nvcc": file["compiled"]["accepted"],
                       "clang": file["inspected"]["status"] == 0 if "inspected" in file else None,
                       "error": file["compiled"].get("error") or file.get("inspected", {}).get("error"),
                       "status": file.get("inspected", {}).get("status"),
                       "command": file.get("inspected", {}).get("command")} for file in files],
            "kernels": [{"kernel": named(kernel), "file": self.tree.name(kernel["facts"]["file"]),
                         "line": kernel["facts"]["line"], "block": shape_of(kernel["facts"]), **told(kernel["result"])}
                        for kernel in kernels],
            "pairs": [{"kernels": list(map(named, pair)), "within": pair[0]["unit"] is pair[1]["unit"],
                       "alone": [kernel["result"].get("alone") for kernel in pair], **told(result)}
                      for pair, result in zip(pairs, results)],
            "new": self.steps.done}


def first_line(err):
    """The line that says what went wrong."""
    lines = [line for line in err.splitlines() if line.strip()]
    return next((line for line in lines if "cufuse:" in line or "Assertion" in line), (lines or [""])[0])[:400]


def blockers(err):
    """The reasons in cufuse's refusal; those without a blocker's name are of the kind `other`."""
    found = []
    for said in err.splitlines():
        if refused := REFUSED.match(said):
            file, line, text = refused.groups()
            kind = re.search(r"\[(\w+)\]$", text)
            found.append({"kind": kind[1] if kind else "other", "text": text[:400], "file": file or "", "line": int(line or 0)})
        elif found and (remedy := REMEDY.match(said)):
            found[-1]["text"] = f"{found[-1]['text']}; {remedy[1]}"[:400]
    return found or [{"kind": "other", "text": first_line(err), "file": "", "line": 0}]
