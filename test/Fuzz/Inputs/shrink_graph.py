"""Shrinks a graph of which two kernels that follow each other are said to be wrong."""
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from chainbatch import make_batch  # noqa: E402


def pair(graph):
    """Two kernels, of which the second takes in a loop over the grid what the first one stores."""
    for link in graph.links()[0]:
        taken = link.split("=")[1].split(".")
        for node, name in zip(graph.nodes, graph.names()):
            if name == taken[0] and getattr(node.kernel, "guard", "") == "for" and taken[1] in node.bound:
                return link
    return None


def main():
    batch = make_batch(1, 40)
    graph = next(g for g in batch.cases if len(g.nodes) > 3 and g.options and g.dead and pair(g))
    small = batch.alone(graph).smaller(lambda candidate: pair(candidate.cases[0]) is not None, [2000]).cases[0]
    print("left:", *(node.kernel.place() for node in small.nodes), f"in {len(small.sizes)} size,",
          "nothing dead," if not small.dead else small.dead, "no options" if not small.options else small.options)
    for node in small.nodes:
        print(node.kernel.text())


main()
