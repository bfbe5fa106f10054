"""Makes a fusion that goes wrong smaller."""
import copy
import math

from kernels import everything, without
from shrink import shrink


def alone(batch, pair):
    """A batch with nothing but what this fusion needs."""
    files, members, letters = [], [], {}
    for member in pair.members:
        if member.file not in letters:
            letters[member.file] = len(files)
            file = batch.files[member.file]
            files.append(copy.copy(file))
            files[-1].kernels = []
            files[-1].origin = {}
        file = files[letters[member.file]]
        if member.kernel not in file.origin:
            file.origin[member.kernel] = len(file.kernels)
            file.kernels.append(batch.files[member.file].kernels[member.kernel])
        members.append(member._replace(file=letters[member.file], kernel=file.origin[member.kernel]))
    return type(batch)(batch.seed, files, [pair._replace(members=members)])


def simpler_pairs(pair):
    """The fusion with one thing less."""
    for at, member in enumerate(pair.members):
        if len(pair.members) > 1:
            yield pair._replace(members=pair.members[:at] + pair.members[at + 1:])
        for change in ({
                "copies": 1
        }, {
                "unroll": 0
        }, {
                "bound": ()
        }, {
                "resident": 1
        }, {
                "grid": (1, 1, 1)
        }, {
                "block": (32, 1, 1)
        }, {
                "block": (math.prod(member.block), 1, 1)
        }):
            if member._replace(**change) != member:
                yield pair._replace(members=pair.members[:at] + [member._replace(**change)] + pair.members[at + 1:])
    if pair.resident:
        yield pair._replace(resident=0)
    if pair.policy != "match":
        yield pair._replace(policy="match")
    if pair.policy.count("-") > 1:
        yield pair._replace(policy=pair.policy.rsplit("-", 1)[0])


def smaller(batch, fails, budget):
    """Of one fusion: fewer members, plainer shapes, fewer statements, less prelude."""
    simpler = True
    while simpler and budget[0] > 0:
        simpler = False
        for candidate in simpler_pairs(batch.cases[0]):
            budget[0] -= 1
            if fails(alone(batch, candidate)):
                batch, simpler = alone(batch, candidate), True
                break
    for place, at in [(file, at) for file in range(len(batch.files)) for at in range(len(batch.files[file].kernels))]:

        def with_kernel(change, place=place, at=at):
            candidate = copy.deepcopy(batch)
            change(candidate.files[place].kernels[at])
            return candidate

        def drop(field, value):

            def change(kernel):
                setattr(kernel, field, value)

            return change

        for field, value in (("late_exit", None), ("tail", []), ("bounds", 0), ("template", 0), ("structure", False)):
            if getattr(batch.files[place].kernels[at], field) != value and budget[0] > 0:
                budget[0] -= 1
                candidate = with_kernel(drop(field, value))
                if fails(candidate):
                    batch = candidate
        kernel = batch.files[place].kernels[at]
        ids = [id(statement) for statement in everything(kernel.body)]
        body = kernel.body

        def with_body(kept, body=body, kernel=kernel):
            kept = set(kept)
            smaller = copy.copy(kernel)
            smaller.body = without(body, lambda statement: id(statement) not in kept)
            return smaller

        def body_fails(kept, place=place, at=at, with_body=with_body):
            candidate = copy.copy(batch)
            candidate.files = list(batch.files)
            candidate.files[place] = copy.copy(batch.files[place])
            candidate.files[place].kernels = list(batch.files[place].kernels)
            candidate.files[place].kernels[at] = with_body(kept)
            return fails(candidate)

        kept = shrink(ids, body_fails, budget)
        batch.files[place].kernels[at] = with_body(kept)
    for place, file in enumerate(batch.files):

        def parts_fail(parts, place=place):
            candidate = copy.copy(batch)
            candidate.files = list(batch.files)
            candidate.files[place] = copy.copy(batch.files[place])
            candidate.files[place].parts = parts
            return fails(candidate)

        # Without a part that is used, the file does not compile: another verdict.
        file.parts = shrink(file.parts, parts_fail, budget)
    return batch
