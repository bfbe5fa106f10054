"""Makes a graph that goes wrong smaller."""
import copy

from shrink import shrink


def simpler(graph):
    """The graph with one thing less."""
    if len(graph.nodes) > 1:
        for at in range(len(graph.nodes)):
            smaller = copy.deepcopy(graph)
            del smaller.nodes[at]
            smaller.dead = {name for name in smaller.dead if smaller.mayDie(name)}
            # What is left out is named by the places of nodes.
            smaller.lost = {
                lost if isinstance(lost, str) else (lost[0], lost[1] - (lost[1] > at))
                for lost in smaller.lost if isinstance(lost, str) or lost[1] != at
            }
            if smaller.links()[0]:
                yield smaller
    for field, plain in (("options", []), ("dead", set()), ("lost", set()), ("grid", 1), ("cooperative", False)):
        if getattr(graph, field) != plain:
            smaller = copy.deepcopy(graph)
            setattr(smaller, field, plain)
            yield smaller
    for name in sorted(graph.dead):
        smaller = copy.deepcopy(graph)
        smaller.dead.discard(name)
        yield smaller
    if any(array.offset for array in graph.arrays.values()):
        smaller = copy.deepcopy(graph)
        smaller.arrays = {name: array._replace(offset=0) for name, array in graph.arrays.items()}
        yield smaller
    for at, node in enumerate(graph.nodes):
        for change in node.kernel.simpler():
            smaller = copy.deepcopy(graph)
            # Several nodes may have one kernel.
            change(smaller.nodes[at].kernel)
            names = {parameter.name for parameter in smaller.nodes[at].kernel.parameters()}
            for other in smaller.nodes:
                if other.kernel is smaller.nodes[at].kernel:
                    for gone in set(other.bound) - names:
                        del other.bound[gone]
            smaller.dead = {name for name in smaller.dead if smaller.mayDie(name)}
            if smaller.links()[0]:
                yield smaller


def smallest(batch, fails, budget):
    """Of one graph: fewer kernels and sizes, no options, plainer kernels."""
    graph = batch.cases[0]

    def of(candidate):
        return type(batch)(batch.seed, [candidate])

    def written(candidate):
        """What it is to cufuse; nothing where a kernel has lost what its text needs."""
        try:
            texts = [node.kernel.text() for node in candidate.nodes]
            return candidate.arguments() + texts + sorted(candidate.dead)
        except (StopIteration, KeyError, IndexError):
            return None

    def with_sizes(sizes):
        candidate = copy.deepcopy(graph)
        candidate.sizes = sizes
        return candidate

    found = True
    while found and budget[0] > 0:
        found = False
        for candidate in simpler(graph):
            if budget[0] <= 0:
                break
            if written(candidate) in (None, written(graph)):
                continue
            budget[0] -= 1
            if fails(of(candidate)):
                graph, found = candidate, True
                break
    return of(with_sizes(shrink(graph.sizes, lambda sizes: bool(sizes) and fails(of(with_sizes(sizes))), budget)))
