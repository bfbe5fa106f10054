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
from languagevertical import Chain


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


def find(make_batch, tools, names, count, seed):
    """Prints where each class is found; returns how many are not."""
    left = [name for name in CLASSES if "all" in names or name in names]
    if unknown := [name for name in names if name != "all" and name not in CLASSES]:
        raise SystemExit(f"'{unknown[0]}' is no class; there are: {', '.join(CLASSES)}")
    tried, total, size = dict.fromkeys(left, 0), len(left), tools.backend.batch
    for batch_seed in range(seed, seed + (count + size - 1) // size):
        if not left:
            break
        cases = make_batch(batch_seed, size).cases
        places = {case.name: (batch_seed - seed) * size + at + 1 for at, case in enumerate(cases)}
        cases = [case for case in cases if classes_of(case) & set(left)]
        failed = wrong(cases, batch_seed, tools)
        for case in cases:
            classes = sorted(classes_of(case) & set(left))
            for name in classes:
                tried[name] += 1
            if case.name not in failed or wrong([reduced(case, "")], batch_seed, tools):
                continue
            for name in classes:
                alone = wrong([reduced(case, name)], batch_seed, tools).get(case.name)
                if alone:
                    left.remove(name)
                    print(
                        f"{name}: found by program {places[case.name]} ({tried[name]} with it): {alone.verdict}: "
                        f"{alone.said.splitlines()[-1]}",
                        flush=True)
    for name in left:
        print(f"{name}: not found in {count} programs, of which {tried[name]} had it: {CLASSES[name]}")
    print(f"{total - len(left)} passed, {len(left)} failed, 0 skipped", flush=True)
    return len(left)
