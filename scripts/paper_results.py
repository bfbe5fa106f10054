"""What scripts/bench-paper keeps of each case, and the document that is made of it."""
import json
import math

LEVELS = ("given", "shaped", "bound")
SCHEDULES = ("serial", "streams", "streams-reversed", "graph")
OCCUPANCY = "sm__warps_active.avg.pct_of_peak_sustained_active"
ISSUE = "smsp__issue_active.avg.pct_of_peak_sustained_active"
MEMORY_STALL = "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio"
L2_FABRIC = "lts__ltcfabric2ltc_cycles_active.avg.pct_of_peak_sustained_elapsed"
BARRIER_STALL = "smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio"
LOCAL = ("l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum")


def fused_of(ranked):
    """Of the candidate that a summary names; None where nothing was measured."""
    if not ranked or not ranked["result"].get("us"):
        return None
    result = ranked["result"]
    return {"key": ranked["key"], "us": result["us"], "noise": result["noise"], "resident": result["resident_blocks"],
            "registers": result["resources"]["registers"] if result.get("resources") else None}


def digest(answer):
    """The figures of one `cufuse tune --json`."""
    summary = answer["summary"]
    times = {level: {} for level in LEVELS}
    for baseline in answer["baselines"]:
        if baseline["result"].get("us"):
            times[baseline["level"]][baseline["schedule"]] = baseline["result"]["us"]
    key = summary["winner"]["key"] if summary.get("winner") else None
    profile = next((p for p in reversed(answer["profiles"]) if p["key"] == key), {})
    last = {solo["constituent"]: solo["counters"] for solo in answer["solo"] if solo["counters"]}
    return {
        "command": answer["command"], "started": answer["started"], "gpu": answer["problem"]["gpu"],
        "advice": summary["advice"], "sentence": summary["sentence"], "regime": summary["regime"], "times": times,
        "in_graph": summary.get("winner_in_graph", {}).get("us"), "winner": fused_of(summary.get("winner")), "hfuse": fused_of(summary.get("hfuse")),
        "factors": {name: summary[name] for name in ("launch_shapes", "binding", "fusion", "fusion_noise")},
        "limit": summary.get("limit"), "measured": summary["counts"]["measured"], "counts": summary["counts"],
        "space": answer["space_size"], "seconds": answer["seconds"], "busy": answer["busy_share"],
        "steps": answer["steps"], "solo_failed": len(answer["solo_failed"]), "solo_counters": last,
        "counters": profile.get("counters", {}), "as_graph": profile.get("in_graph", {}).get("us")}


def mean(numbers):
    """Geometric, of those that are numbers; nan where there are none."""
    logs = [math.log(number) for number in numbers if number and number > 0 and not math.isnan(number)]
    return math.exp(sum(logs) / len(logs)) if logs else math.nan


def number(value, digits):
    return "–" if value is None or math.isnan(value) else f"{value:.{digits}f}"


def percent(value):
    return "–" if value is None or math.isnan(value) else f"{100 * value:.0f} %"


class Row:
    """A case with what follows from its digests; nan where something was not measured."""

    def __init__(self, case):
        self.case, self.name, self.default = case, case["title"], case["runs"]["auto"]
        run = self.default
        self.times = run["times"]
        self.serial = self.times["given"].get("serial", math.nan)
        self.given, self.shaped, self.bound = (self.best(level) for level in LEVELS)
        self.strongest = min((us for us in (self.given, self.shaped, self.bound) if not math.isnan(us)), default=math.nan)
        self.fused = run["winner"]["us"] if run["winner"] else math.nan
        self.limit = run["limit"]["us"] if run["limit"] else math.nan
        # What a user gets who follows the advice.
        self.as_graph = run.get("as_graph") or math.nan
        self.effective = run["in_graph"] or self.fused  # As what it competes with.
        self.chosen = self.effective if run["advice"] == "fuse" else self.strongest
        hfuse, whole = case["runs"].get("hfuse"), case["runs"].get("exhaustive")
        self.hfuse = hfuse["hfuse"]["us"] if hfuse and hfuse["hfuse"] else math.nan
        self.whole = whole["winner"]["us"] if whole and whole["winner"] else math.nan

    def best(self, level):
        return min(self.times[level].values(), default=math.nan)

    def graph(self):
        """The fastest of the graphs with parallel branches."""
        return min((self.times[level]["graph"] for level in LEVELS if "graph" in self.times[level]), default=math.nan)

    def share(self):
        """Of the time between the strongest baseline and the limit; all of it where a fused kernel is below the limit."""
        if not self.limit < self.strongest:
            return math.nan
        return min((self.strongest - self.chosen) / (self.strongest - self.limit), 1)

    def problems(self):
        noise = max(self.default["factors"]["fusion_noise"], 0.01)
        if not self.chosen <= self.strongest * (1 + noise):
            yield "what is recommended is slower than the strongest baseline"
        if self.hfuse < min(self.chosen, self.strongest) * (1 - noise):
            yield "HFUSE's search found a faster kernel"
        if self.whole < self.fused * 0.99:
            yield "the exhaustive search found one that is more than 1 % faster"

    def described(self, counters, us):
        """What a kernel does, by its counters; its time in µs."""
        parts = []
        for name, metric in (("occupancy", OCCUPANCY), ("issue slots", ISSUE)):
            if metric in counters:
                parts.append(f"{name} {counters[metric]:.0f} %")
        read, written = counters.get("dram__bytes_read.sum"), counters.get("dram__bytes_write.sum")
        peak = self.default["gpu"]["dram_bytes_per_us"]
        if read is not None and written is not None and peak and us and not math.isnan(us):
            parts.append(f"DRAM {100 * (read + written) / peak / us:.0f} %")
        if L2_FABRIC in counters:
            parts.append(f"L2 fabric {counters[L2_FABRIC]:.0f} %")
        for name, metric in (("memory", MEMORY_STALL), ("barrier", BARRIER_STALL)):
            if counters.get(metric, 0) >= 0.5:
                parts.append(f"{counters[metric]:.1f} warps wait for {name} per issue")
        if any(counters.get(metric, 0) > 0 for metric in LOCAL):
            parts.append("local memory is used")
        return ", ".join(parts) or "no counters"

    def reason(self):
        """Why the best fused kernel falls short of the limit, by its counters and those of the kernels alone. Where the
        advice is not to fuse, the latter are what is recommended."""
        limit = f"limit by {self.default['limit']['by']}" if self.default["limit"] else "no limit"
        alone = [f"{name} alone: {self.described(counters, counters.get('gpu__time_duration.sum', math.nan) / 1000)}"
                 for name, counters in self.default["solo_counters"].items()]
        fused = "fused: " + self.described(self.default["counters"], self.fused)
        return "; ".join([limit] + ([fused] + alone if self.default["advice"] == "fuse" else alone + [fused]))


def table(head, rows):
    """`head`: (title, whether its column is of numbers)."""
    lines = ["| " + " | ".join(title for title, _ in head) + " |",
             "|" + "|".join("---:" if numeric else "---" for _, numeric in head) + "|"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def means(rows, groups, figures):
    """A line of geometric means for each group of rows that is not empty: `figures` of a row, in order."""
    for title, belongs in groups:
        chosen = [row for row in rows if belongs(row)]
        if chosen:
            yield [f"**geometric mean, {title} ({len(chosen)})**"] + [
                number(mean(figure(row) for row in chosen), 3) if figure else "" for figure in figures]


LEARNING = ("batchnorm", "histogram", "im2col", "maxpool", "upsample")
GROUPS = (("deep learning", lambda row: row.case["kernels"][0] in LEARNING),
          ("hashes", lambda row: row.case["kernels"][0] not in LEARNING), ("all", lambda row: True))


def time_table(rows):
    head = [("pair", False)] + [(title, True) for title in (
        "serial", "streams", "graph", "serial, best shapes", "streams, best shapes", "graph, best shapes", "best bound",
        "HFUSE's search", "cufuse", "exhaustive", "limit")]
    body = []
    for row in rows:
        cells = []
        for level in ("given", "shaped"):
            times = row.times[level] or row.times["given"]
            cells += [times.get("serial", math.nan),
                      min(times.get("streams", math.nan), times.get("streams-reversed", math.nan)),
                      times.get("graph", math.nan)]
        cells += [row.bound, row.hfuse, row.fused, row.whole, row.limit]
        body.append([row.name] + [number(us, 1) for us in cells])
    return table(head, body)


def factor_table(rows):
    """Fusion counts against the strongest baseline; where the advice is not to fuse, it is 1."""
    figures = [lambda row: row.serial / row.chosen, lambda row: row.given / row.chosen,
               lambda row: min(row.given, row.shaped if not math.isnan(row.shaped) else row.given) / row.chosen,
               lambda row: row.strongest / row.chosen, lambda row: row.strongest / row.effective,
               lambda row: row.default["factors"]["launch_shapes"], lambda row: row.default["factors"]["binding"],
               lambda row: row.given / row.hfuse]
    head = [("pair", False)] + [(title, True) for title in (
        "over serial as given", "over best as given", "over best shapes", "over strongest", "fused over strongest",
        "by launch shapes", "by binding", "HFUSE over best as given", "of the limit")] + [("advice", False), ("candidate", False)]
    body = [[row.name] + [number(figure(row), 2) for figure in figures] +
            [percent(row.share()), row.default["advice"], f"`{row.default['winner']['key']}`" if row.default["winner"] else "–"]
            for row in rows]
    for line in means(rows, GROUPS, figures):
        belongs = next(belongs for title, belongs in GROUPS if f", {title} (" in line[0])
        shares = [row.share() for row in rows if belongs(row) and not math.isnan(row.share())]
        body.append(line + [percent(sum(shares) / len(shares) if shares else math.nan), "", ""])
    return table(head, body)


def search_table(rows):
    head = [("pair", False)] + [(title, True) for title in (
        "seconds", "busy", "measured", "of", "exhaustive measured", "cufuse over exhaustive", "share of its measurements",
        "exhaustive, seconds", "failed or discarded")]
    body = []
    for row in rows:
        run, whole = row.default, row.case["runs"].get("exhaustive")
        failed = sum(count for fate, count in run["counts"].items() if fate not in ("measured", "only-screened"))
        body.append([row.name, f"{run['seconds']:.1f}", percent(run["busy"]), str(run["measured"]), str(run["space"])] +
                    ([str(whole["measured"]), number(row.fused / row.whole, 3), percent(run["measured"] / whole["measured"]),
                      f"{whole['seconds']:.0f}"] if whole and whole["measured"] else ["–"] * 4) + [str(failed)])
    return table(head, body)


def small_table(rows):
    figures = [lambda row: row.serial / row.fused, lambda row: row.times["given"].get("graph", math.nan) / row.as_graph,
               lambda row: row.graph() / row.as_graph, lambda row: row.strongest / row.effective]
    head = [("pair", False)] + [(title, True) for title in (
        "serial", "streams", "graph", "best graph", "strongest", "fused", "fused, in a graph", "over serial", "over graph, in one",
        "over best graph", "over strongest")]
    head += [("regime", False), ("advice", False), ("candidate", False)]
    body = [[row.name] + [number(us, 2) for us in (
        row.serial, row.times["given"].get("streams"), row.times["given"].get("graph"), row.graph(), row.strongest, row.fused,
        row.as_graph)] +
            [number(figure(row), 2) for figure in figures] +
            [row.default.get("regime", "–"), row.default["advice"], f"`{row.default['winner']['key']}`" if row.default["winner"] else "–"]
            for row in rows]
    groups = (("launch-bound", lambda row: row.default.get("regime") == "launch-bound"), GROUPS[-1])
    for line in means(rows, groups, [None] * 7 + figures):
        body.append(line + ["", "", ""])
    return table(head, body)


def document(cases, context):
    """The section of docs/results.md. `context`: the command, and a line for each case that failed."""
    sets = {name: [Row(case) for case in cases if case["set"] == name] for name in ("paper", "shapes", "small", "ratio")}
    gpus = sorted({f"{case['runs']['auto']['gpu']['name']}, driver {case['runs']['auto']['gpu']['driver']}" for case in cases})
    started = sorted(run["started"] for case in cases for run in case["runs"].values())
    commits = sorted({case["commit"] for case in cases})
    lines = ["Written by `scripts/bench-paper`; every figure is of the runs named here.", "",
             f"- command: `{context['command']}`", f"- GPU: {'; '.join(gpus)}", f"- CUDA: {'; '.join(sorted({case['cuda'] for case in cases}))}",
             f"- commit: {', '.join(commits)}", f"- measured: {started[0]} to {started[-1]}", ""]
    if len(commits) > 1:
        lines += ["The cases are of different commits.", ""]
    if rows := sets["paper"]:
        lines += ["## The pairs of the HFUSE paper", "",
                  "Times of one pass in µs, medians. `as given`: the launch shapes of the workload; `best shapes`: each kernel in its "
                  "own best one; `best bound`: with arguments bound and loops unrolled, too, by the best schedule.", "",
                  time_table(rows), "", "### Factors", "",
                  "What a user gets who follows the advice (the fused kernel, or the strongest baseline), over each baseline. "
                  "`fused over strongest` is the best fused candidate whatever the advice; `of the limit` the share of the time "
                  "between the strongest baseline and the resource limit that is saved (all of it where a fused kernel is below "
                  "the limit, since its resident blocks compute once what each block of the kernels alone computes anew). Fused "
                  "kernels may play several blocks in turn (`t` in the candidate); alone, a block plays one, although some "
                  "kernels would be faster otherwise.", "",
                  factor_table(rows), "", "### What holds the winners back", "",
                  table([("pair", False), ("advice", False), ("counters, of what is recommended first", False)],
                        [[row.name, row.default["advice"], row.reason()] for row in rows]), "",
                  "### The search", "", search_table(rows), ""]
    if rows := sets["shapes"]:
        lines += ["## The pairs by launch shapes alone", "",
                  "With `--no-binding --no-unrolling`, which leaves the kernels' code as it is, as HFUSE does.", "",
                  factor_table(rows), ""]
    if rows := sets["small"]:
        lines += ["## Small kernels", "",
                  "So many blocks of each kernel; times of one pass in µs: of launches in a loop, and of a graph in one of some 200 µs. "
                  "`serial`, `streams` and `graph` are in the launch shapes given; best and strongest ones also in the best shapes and "
                  "bound. The fused kernel is compared with graphs as a graph; its loop and `serial` are timed in turn, since what a launch "
                  "costs the host changes within seconds.", "", small_table(rows), ""]
    if rows := sets["ratio"]:
        lines += ["## Sizes that differ", "",
                  "The grids of the two kernels are scaled so that the product of the factors is 1; 1:1 is about 1 ms each.", "",
                  factor_table(rows), ""]
    problems = [f"- {row.name}: {problem}" for rows in sets.values() for row in rows for problem in row.problems()]
    missing = [f"- {name}" for name in context.get("failed", [])]
    lines += (["## Not as it should be", ""] + problems + missing + [""]) if problems or missing else []
    return "\n".join(lines)


def compact_sweep(answer):
    """The sweep of `cufuse tune --strategy exhaustive --json`, as bench/Search/Sweeps keeps it: what a row has is
    in bench/Search/RecordedSweep.cpp."""
    problem = answer["problem"]
    shapes = [[shape["block"] for shape in constituent["shapes"]] for constituent in problem["constituents"]]
    rows = {}
    for entry in answer["tried"]:
        config, resources = entry["config"], entry.get("resources")
        parts = [[shapes[i].index(part["block"]), part["copies"], part["resident"], part["budget"], part["unroll"],
                  1 if part["bound"] else 0] + ([part["turns"]] if part.get("turns", 1) > 1 else [])
                 for i, part in enumerate(config["constituents"])]
        row = rows.setdefault(entry["key"], {
            "config": [config["geometry"], config["grid"], config["resident"], config["registers"],
                       config["register_count"], config["min_blocks"], parts]})
        row["fate"] = entry["fate"]
        if resources:
            row["use"] = [resources["registers"], resources["spill_stores"], resources["spill_loads"],
                          resources["shared_bytes"], resources["barriers"], entry["resident_blocks"]]
        if entry.get("us"):
            row[entry["effort"]] = [float(f"{entry['us']:.5g}"), round(entry["noise"], 3)]
    body = [json.dumps([row["config"], row["fate"], row.get("use", []), row.get("short", []), row.get("full", [])],
                       separators=(",", ":")) for row in rows.values()]
    head = json.dumps({"cufuse_sweep": 2, "version": answer["version"], "started": answer["started"], "problem": problem},
                      separators=(",", ":"))
    return head[:-1] + ',"rows":[\n' + ",\n".join(body) + "\n]}\n"
