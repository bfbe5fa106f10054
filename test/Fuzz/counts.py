"""What a run has found so far, kept in a file so that it can be interrupted, and go on."""
import collections
import json
import os
import time


class Counts:
    """`what` identifies the run: what its first part found is read from `path`. `save` writes both, and `facts`."""

    def __init__(self, path, what, facts):
        self.path, self.what, self.facts, self.start = path, what, facts, time.monotonic()
        self.batches, self.before = 0, 0.0  # batches done, seconds that earlier runs took
        self.verdicts, self.refusals, self.ways = (collections.Counter() for _ in range(3))
        if path and os.path.exists(path):
            with open(path) as file:
                kept = json.load(file)
            if kept["run"] != what:
                raise SystemExit(f"{path} is of another run: {kept['run']}; this is {what}")
            self.batches, self.before = kept["batches"], kept["seconds"]
            self.verdicts.update(kept["verdicts"])
            self.refusals.update(kept["refusals"])
            self.ways.update(kept.get("ways", {}))

    def seconds(self):
        return self.before + time.monotonic() - self.start

    def totals(self):
        """Passed, failed, skipped."""
        same, refused = self.verdicts["same"], self.verdicts["refused"]
        return same, sum(self.verdicts.values()) - same - refused, refused

    def text(self):
        done, seconds = sum(self.verdicts.values()), self.seconds()
        return f"{done} fusions of {self.what['count']} in {seconds:.0f} s, {done / seconds:.1f} per second: " + (", ".join(
            f"{times} {verdict}" for verdict, times in self.verdicts.most_common()) or "none yet")

    def save(self):
        if not self.path:
            return
        kept = dict(run=self.what, batches=self.batches, seconds=round(self.seconds(), 1), **self.facts)
        kept.update(verdicts=dict(self.verdicts.most_common()), refusals=dict(self.refusals.most_common()))
        if self.ways:
            kept.update(ways=dict(self.ways.most_common()))
        text = json.dumps(kept, indent=2)
        with open(self.path + ".new", "w") as file:
            file.write(text + "\n")
        os.replace(self.path + ".new", self.path)
