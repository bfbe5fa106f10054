"""The measurement as a table, as Markdown and as JSON."""
import collections
import json


def write_json(path, measured):
    with open(path, "w") as file:
        json.dump(measured, file, indent=1)
        file.write("\n")


def failures(measured):
    """What, why and the command that shows it, of everything that is a bug of cufuse."""
    found = [(file["file"], f"cufuse inspect: {file['error']}", file["command"]) for file in measured["files"]
             if file["nvcc"] and file["status"] not in (0, 1)]
    found += [(kernel["kernel"], kernel["why"], kernel["command"]) for kernel in measured["kernels"]
              if kernel["outcome"] == "failed"]
    found += [(" + ".join(pair["kernels"]), pair["why"], pair["command"]) for pair in measured["pairs"]
              if pair["outcome"] == "failed"]
    return found


def share(part, whole):
    return f"{part} ({100 * part / whole:.0f} %)" if whole else str(part)


def counts(measured):
    files, kernels, pairs = measured["files"], measured["kernels"], measured["pairs"]
    accepted = [file for file in files if file["nvcc"]]
    outcome = collections.Counter(kernel["outcome"] for kernel in kernels)
    known = len(kernels) - outcome["unknown"]
    of_pairs = collections.Counter(pair["outcome"] for pair in pairs)
    compared = [(pair["resources"], pair["alone"]) for pair in pairs
                if pair["outcome"] == "fused" and pair["resources"] and all(pair["alone"])]

    def above(field, together):
        more = [used[field] - together(alone[field] for alone in parts) for used, parts in compared]
        most = f", at most {max(more)} more" if any(difference > 0 for difference in more) else ""
        return share(sum(difference > 0 for difference in more), len(more)) + most

    def apart(entries):
        return sum(entry["outcome"] == "fused" and entry.get("geometry") == "blocks" for entry in entries)

    # Only the linker knows that of relocatable code.
    unknown = any("-rdc=true" in file["flags"] for file in accepted)
    return [("files", str(len(files))),
            ("nvcc accepts", share(len(accepted), len(files))),
            ("of these Clang reads", share(sum(file["clang"] for file in accepted), len(accepted))),
            ("kernels in them", str(len(kernels))),
            ("templates no arguments were found for", str(outcome["unknown"])),
            ("fusable, of the other kernels", share(outcome["fused"], known)),
            ("with blocks of their own only", str(apart(kernels))),
            ("refused", share(outcome["refused"], known)),
            ("failed", share(outcome["failed"], known)),
            ("pairs of fusable kernels", f"{len(pairs)}, {sum(pair['within'] for pair in pairs)} within one file"),
            ("fused and compiled", share(of_pairs["fused"], len(pairs))),
            ("with blocks of their own only", str(apart(pairs))),
            ("refused", share(of_pairs["refused"], len(pairs))),
            ("failed", share(of_pairs["failed"], len(pairs))),
            ("pairs compared with their kernels alone", str(len(compared))),
            ("more registers than the larger kernel", above("registers", max)),
            ("more spills than both", above("spills", sum)),
            ("more static shared memory than both",
             "unknown with -rdc=true" if unknown else above("shared", sum))]


def blocker_rows(measured):
    """Per blocker: kernels that have it, kernels that have only it, pairs, and the first kernel with it."""
    rows = {}
    for part in ("kernels", "pairs"):
        for entry in measured[part]:
            kinds = {blocker["kind"] for blocker in entry.get("blockers", ())}
            for kind in kinds:
                row = rows.setdefault(kind, {"kernels": 0, "only": 0, "pairs": 0, "example": ""})
                row[part] += 1
                row["only"] += part == "kernels" and len(kinds) == 1
                if not row["example"]:
                    blocker = next(blocker for blocker in entry["blockers"] if blocker["kind"] == kind)
                    place = f"{blocker['file']}:{blocker['line']}" if blocker["file"] else ""
                    row["example"] = place or entry.get("kernel") or " + ".join(entry["kernels"])
    ordered = sorted(rows.items(), key=lambda row: (-row[1]["kernels"], -row[1]["pairs"], row[0]))
    return [[kind, str(row["kernels"]), str(row["only"]), str(row["pairs"]), row["example"]] for kind, row in ordered]


HEAD = ["blocker", "kernels", "only it", "pairs", "example"]


def unread(measured):
    return [(file["file"], file["error"]) for file in measured["files"] if file["nvcc"] and file["status"] == 1]


def text(measured):
    def aligned(rows):
        widths = [max(map(len, column)) for column in zip(*rows)]
        return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows]

    lines = [f"{measured['tree']} {measured['commit']}".strip(), ""] + aligned(counts(measured))
    if rows := blocker_rows(measured):
        lines += [""] + aligned([HEAD] + rows)
    lines += [f"\nClang does not read {file}: {error}" for file, error in unread(measured)]
    for what, why, command in failures(measured):
        lines += ["", f"FAILED {what}", f"  {why}", f"  {command}"]
    return "\n".join(lines + ["", f"{measured['new']} results are new, the others were known"])


def markdown(measured):
    def table(head, rows):
        return ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |"
                for row in [head, ["---"] * len(head)] + rows]

    lines = [f"## {measured['tree']}", ""]
    lines += [f"Commit {measured['commit']}:" if measured["commit"] else "", "", f"    {measured['command']}", ""]
    lines += table(["", ""], [list(row) for row in counts(measured)])
    if rows := blocker_rows(measured):
        lines += [""] + table(HEAD, rows)
    if found := failures(measured):
        lines += [""] + table(["failed", "why"], [[what, why] for what, why, _ in found])
    return "\n".join(lines)
