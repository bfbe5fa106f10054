"""Vertical fusion: launches that follow each other, linked as they are launched, fused and compiled."""
import collections
import json
import re
import shlex

from conform.compile import accept
from conform.measure import CUFUSE_SECONDS, Measurement, first_line

# What the text of the fused kernel says of its form.
FORMS = (("very so many", "one loop"), ("n turn, a ", "in turn"), ("By row, since", "by row"),
         ("the last that has plays", "last block"), ("first block that comes plays", "first block"))
BLOCK = "256"  # where no launch says it


class Chains(Measurement):
    def chains(self, file):
        command = [self.steps.cufuse, "inspect", file["unit"].path, "--chains", "--json", "--arch", self.steps.arch, "--", *file["flags"]]

        def compute():
            status, out, err = self.steps.run(command, CUFUSE_SECONDS)
            return {"status": status, "pairs": json.loads(out) if status == 0 else [], "error": first_line(err)}

        key = ["chains", self.steps.cufuse_key, command[2:], self.tree.digest(file["unit"].path)]
        return {**self.steps.remember(key, compute), "command": shlex.join(command)}

    def attempt(self, unit, flags, kernels, more):
        command = [self.steps.cufuse, "fuse", "--vertical", *kernels, *more, "--arch", self.steps.arch]
        digest = self.tree.digest(unit.path)
        output = self.steps.output_file([command[1:], flags], ".cu")
        command += ["-o", output, "--", *flags]

        def compute():
            result, compiled = self.fused(command, output, [*flags, "-I", unit.folder()], [digest])
            return {**result, "form": next((form for mark, form in FORMS if mark in compiled["text"]), "at stores or loads")} \
                if compiled else result

        return self.steps.remember(["chain", self.steps.cufuse_key, self.steps.nvcc_key, command[1:-1], digest], compute)

    def pair(self, pair):
        """The first way in which the kernels fuse: linked, with distinct pointers, with a block that is said, or at
        last by a barrier of the whole grid. `blockers`: why not without one."""
        refused, more = [], []
        for _ in range(4):
            result = self.attempt(pair["unit"], pair["flags"], pair["kernels"], more)
            if result["outcome"] != "refused":
                return result
            refused = result["blockers"]
            kinds = {blocker["kind"] for blocker in refused}
            if "UnknownBlock" in kinds and more.count("--block") < 2:  # by the last block, each has its own
                more = [*more, "--block", BLOCK]
            elif "--distinct" not in more:  # which may be asked by another form than the nearest
                more = [*more, "--distinct"]
            else:
                break
        result = self.attempt(pair["unit"], pair["flags"], pair["kernels"], ["--cooperative"])
        if result["outcome"] == "refused" and "UnknownBlock" in {blocker["kind"] for blocker in result["blockers"]}:
            result = self.attempt(pair["unit"], pair["flags"], pair["kernels"],
                                  ["--cooperative", "--block", BLOCK, "--block", BLOCK])
        return {**result, "form": "whole grid", "blockers": refused} if result["outcome"] == "fused" else {**result, "blockers": refused}

    def everything(self):
        steps = self.steps
        compiled = steps.in_parallel("nvcc", lambda unit: accept(steps, self.tree, unit), self.units)
        accepted = [{"unit": unit, "flags": result["flags"]} for unit, result in zip(self.units, compiled) if result["accepted"]]
        found = steps.in_parallel("chains", self.chains, accepted)
        pairs, seen = [], set()
        for file, result in zip(accepted, found):
            for pair in result["pairs"]:
                place = tuple(pair["places"])  # of a header, in the first file that has it
                if pair["dependent"] and place not in seen:
                    seen.add(place)
                    pairs.append({**pair, **file})
        results = steps.in_parallel("pairs", self.pair, pairs)
        return {"files": len(self.units), "accepted": len(accepted),
                "unread": [{"file": file["unit"].name, "why": result["error"], "status": result["status"], "command": result["command"]}
                           for file, result in zip(accepted, found) if result["status"] != 0],
                "pairs": [{"kernels": [kernel.replace(pair["unit"].path, pair["unit"].name) for kernel in pair["kernels"]],
                           "links": pair["links"], **result} for pair, result in zip(pairs, results)],
                "new": steps.done}


def failures(measured):
    return [(" then ".join(pair["kernels"]), pair["why"], pair["command"]) for pair in measured["pairs"] if pair["outcome"] == "failed"] + \
           [(file["file"], file["why"], file["command"]) for file in measured["unread"] if file["status"] != 1]


def text(measured):
    pairs = measured["pairs"]
    forms = collections.Counter(pair["form"] for pair in pairs if pair["outcome"] == "fused")
    kinds, first, example = collections.Counter(), collections.Counter(), {}
    for pair in pairs:
        of_pair = [blocker["kind"] for blocker in pair.get("blockers", ()) if blocker["kind"] != "other"] or ["other"]
        if pair["outcome"] == "refused" or pair.get("form") == "whole grid":
            first[of_pair[0]] += 1
            for kind in set(of_pair):
                kinds[kind] += 1
                example.setdefault(kind, " then ".join(re.sub(r"^.*:", "", kernel) for kernel in pair["kernels"]))

    def share(part):
        return f"{part} ({100 * part / len(pairs):.0f} %)" if pairs else str(part)

    lines = [f"files {measured['files']}, nvcc accepts {measured['accepted']}", f"dependent neighbours {len(pairs)}"]
    lines += [f"fused, {form} {share(count)}" for form, count in forms.most_common()]
    lines += [f"fused without a barrier of the grid {share(sum(forms.values()) - forms['whole grid'])}",
              f"refused {share(sum(pair['outcome'] == 'refused' for pair in pairs))}",
              f"failed {share(sum(pair['outcome'] == 'failed' for pair in pairs))}"]
    if kinds:
        lines += ["", "blocker  pairs  first  example"]
        lines += [f"{kind}  {count}  {first[kind]}  {example[kind]}" for kind, count in kinds.most_common()]
    lines += ["", *(f"FAILED {what}: {why}\n  {command}" for what, why, command in failures(measured))]
    return "\n".join([*lines, f"{measured['new']} results are new"])
