"""After how many programs `fuzz language` finds each class of wrong output, in a cufuse that has these bugs: one
from before they were mended, or one that has been given them.

The programs are those of a plain run, in its order; left out are those in which nothing draws a class that is still
looked for. A program counts for a class if it goes wrong, still does with nothing in it but what draws the class and what
is plain, and no longer does with what is plain alone.
"""
import copy
import tempfile

from campaign import run_batch
from language import LanguageBatch
from languageclasses import CLASSES
from longrun import Interrupted, Progress


def classes_of(case):
    return {name for production in case.productions() for name in production.classes} | set(case.classes)


def reduced(case, name):
    """The case with nothing but what draws the class and what is plain."""
    case = copy.deepcopy(case)
    for holder, field in case.parts():
        setattr(holder, field, [part for part in getattr(holder, field) if {name, "plain"} & set(part[0].classes)])
    return case


def wrong(cases, seed, tools):
    if not cases:
        return {}
    with tempfile.TemporaryDirectory(prefix="cufuse-fuzz") as folder:
        outcomes = run_batch(LanguageBatch(seed, cases), folder, tools)
    return {outcome.case: outcome for outcome in outcomes if outcome.verdict not in ("same", "refused")}


class Search:
    def __init__(self, names):
        if unknown := [name for name in names if name != "all" and name not in CLASSES]:
            raise SystemExit(f"'{unknown[0]}' is no class; there are: {', '.join(CLASSES)}")
        self.left = [name for name in CLASSES if "all" in names or name in names]
        self.tried, self.total, self.programs = dict.fromkeys(self.left, 0), len(self.left), 0

    def text(self):
        found = self.total - len(self.left)
        return f"{found} classes of {self.total} found in {self.programs} programs; left: {', '.join(self.left)}"

    def batch(self, cases, seed, tools):
        """What this batch finds."""
        places = {case.name: self.programs + at + 1 for at, case in enumerate(cases)}
        self.programs += len(cases)
        cases = [case for case in cases if classes_of(case) & set(self.left)]
        failed = wrong(cases, seed, tools)
        for case in cases:
            classes = sorted(classes_of(case) & set(self.left))
            for name in classes:
                self.tried[name] += 1
            if case.name not in failed or wrong([reduced(case, "")], seed, tools):
                continue
            for name in classes:
                alone = wrong([reduced(case, name)], seed, tools).get(case.name)
                if alone:
                    self.left.remove(name)
                    print(
                        f"{name}: found by program {places[case.name]} ({self.tried[name]} with it): {alone.verdict}: "
                        f"{alone.said.splitlines()[-1]}",
                        flush=True)


def find(make_batch, tools, names, count, seed, seconds=10):
    """Prints where each class is found; returns how many are not. How far it is is said every `seconds`."""
    search, size, interrupted = Search(names), tools.backend.batch, None
    progress = Progress(search.text, seconds)
    try:
        for batch_seed in range(seed, seed + (count + size - 1) // size):
            if not search.left:
                break
            search.batch(make_batch(batch_seed, size).cases, batch_seed, tools)
            progress.say()
    except Interrupted as signal:
        interrupted = signal
        print("interrupted; these are the counts until now")
    for name in search.left:
        print(f"{name}: not found in {search.programs} programs, of which {search.tried[name]} had it: {CLASSES[name]}")
    print(f"{search.total - len(search.left)} passed, {len(search.left)} failed, 0 skipped", flush=True)
    if interrupted:
        raise interrupted
    return len(search.left)
