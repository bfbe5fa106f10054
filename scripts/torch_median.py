"""What launches take on the GPU, for the benchmarks that stand beside PyTorch: one way to time them all."""
import statistics

import torch

CALLS, SAMPLES = 10, 50


def graph_of(run):
    """CALLS of `run()` as one CUDA graph: the GPU waits for no host between them, as it would after PyTorch's guards and
    dispatch."""
    own = torch.cuda.Stream()
    with torch.cuda.stream(own):
        for _ in range(3):
            run()
    own.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(CALLS):
            run()
    return graph


def medians(*runs):
    """Microseconds of each `run()`, medians of SAMPLES. They take turns, so that all see the same clocks."""
    graphs, times = [graph_of(run) for run in runs], [[] for _ in runs]
    for sample in range(SAMPLES + 10):
        for graph, own in zip(graphs, times):
            begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            begin.record()
            graph.replay()
            end.record()
            end.synchronize()
            if sample >= 10:
                own.append(begin.elapsed_time(end) * 1000 / CALLS)
    return [statistics.median(own) for own in times]
