"""Prints which class of wrong output is drawn first by which program of `fuzz language`, and the last of them."""
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from campaign import emulator_backend  # noqa: E402
from language import PRODUCTIONS, TWISTS, Maker  # noqa: E402
from languageclasses import CLASSES, NOT_DRAWN  # noqa: E402
from languagefind import classes_of  # noqa: E402

PROGRAMS, SIZE = 500, emulator_backend("").batch
first, drawn, number = {}, set(), 0
make_batch = Maker()
for seed in range(1, PROGRAMS // SIZE + 1):
    for case in make_batch(seed, SIZE).cases:
        number += 1
        drawn |= {production.name for production in case.productions()}
        for name in classes_of(case):
            first.setdefault(name, number)
known = set(CLASSES) | {"plain"}
for name in sorted(set(first) - known):
    print(f"{name} is drawn, and not in the list")
for name in sorted(set(CLASSES) - set(first)):
    print(f"{name} is not drawn: {CLASSES[name]}")
for name in sorted(set(NOT_DRAWN) & set(first)):
    print(f"{name} is drawn although it cannot be: {NOT_DRAWN[name]}")
for production in PRODUCTIONS + TWISTS:
    if production.name not in drawn:
        print(f"'{production.name}' is never drawn")
print(f"{len(set(CLASSES) & set(first))} of {len(CLASSES)} classes in {number} programs")
