"""What PyTorch's launches take on the GPU, for the benchmarks that stand beside them."""
import statistics

import torch

CALLS, SAMPLES = 10, 50


def median(run):
    """Microseconds of `run()`, the median of SAMPLES. CALLS of it are one CUDA graph: the GPU waits for no host between
    them, as it would after PyTorch's guards and dispatch."""
    own = torch.cuda.Stream()
    with torch.cuda.stream(own):
        for _ in range(3):
            run()
    own.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(CALLS):
            run()
    times = []
    for _ in range(SAMPLES + 10):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        graph.replay()
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end) * 1000 / CALLS)
    return statistics.median(times[10:])
