"""usage: kept_cases.py FOLDER

Writes what scripts/bench-paper would have kept of four cases, with round figures.
"""
import json
import os
import sys

GPU = {"name": "NVIDIA H200", "driver": "580.95", "arch": "sm_90a", "multiprocessors": 132, "dram_bytes_per_us": 4e6}
KEY = "warps match 256+256 x1+1 none"
OCCUPANCY = "sm__warps_active.avg.pct_of_peak_sustained_active"
ISSUE = "smsp__issue_active.avg.pct_of_peak_sustained_active"
STALL = "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio"


def run(given, shaped, fused, hfuse, limit, advice, **more):
    def times(serial, streams, graph):
        return {"serial": serial, "streams": streams, "streams-reversed": streams + 1, "graph": graph}

    strongest = min(given + (shaped or ()))
    return {"command": "cufuse tune", "started": "2026-11-21T10:00:00Z", "gpu": GPU, "advice": advice, "sentence": "",
            "times": {"given": times(*given), "shaped": times(*shaped) if shaped else {}, "bound": {}},
            "in_graph": None, "winner": {"key": KEY, "us": fused, "noise": 0.003, "resident": 4, "registers": 40},
            "hfuse": {"key": KEY, "us": hfuse, "noise": 0.003, "resident": 4, "registers": 40},
            "factors": {"launch_shapes": min(given) / strongest, "binding": 1, "fusion": strongest / fused, "fusion_noise": 0.004},
            "limit": {"us": limit, "by": "DRAM bandwidth", "quick": False, "demands_us": {}}, "measured": 120,
            "counts": {"measured": 120, "only-screened": 30, "crashed": 2, "compile-failed": 5}, "space": 600, "seconds": 18.2,
            "busy": 0.84, "steps": [], "solo_failed": 0, "solo_counters": {}, "counters": {}, **more}


def case(name, of, title, kernels, runs):
    with open(os.path.join(sys.argv[1], name + ".case.json"), "w") as file:
        json.dump({"name": name, "set": of, "title": title, "kernels": kernels, "blocks": None, "commit": "0123456789ab",
                   "cuda": "release 13.0, V13.0.1", "runs": runs}, file)


counted = run((2000, 1900, 1800), (1700, 1600, 1500), 1200, 1400, 1000, "fuse",
              solo_counters={"a": {OCCUPANCY: 90, ISSUE: 40}, "b": {OCCUPANCY: 80, ISSUE: 30}},
              counters={OCCUPANCY: 48, ISSUE: 55, STALL: 9.1, "dram__bytes_read.sum": 2e9, "dram__bytes_write.sum": 0.5e9})
whole = {**counted, "winner": {**counted["winner"], "us": 1195}, "measured": 560, "seconds": 140,
         "started": "2026-11-21T10:00:40Z"}
case("im2col_maxpool", "paper", "im2col + maxpool", ["im2col", "maxpool"],
     {"auto": counted, "hfuse": counted, "exhaustive": whole})
alone = run((2100, 2050, 2000), None, 2040, 2080, 1900, "leave-alone", solo_counters={"a": {OCCUPANCY: 90}})
case("ethash_sha256", "paper", "ethash + sha256", ["ethash", "sha256"], {"auto": alone, "hfuse": alone})
small = run((6.3, 7, 2.7), None, 3.1, 3.1, 2, "fuse", in_graph=2.4, as_graph=2.4)
case("histogram_maxpool_8", "small", "histogram + maxpool, 8 blocks", ["histogram", "maxpool"], {"auto": small, "hfuse": small})
slow = run((2000, 1900, 1800), None, 1700, 1500, 1000, "fuse")
case("im2col_maxpool_1to4", "ratio", "im2col + maxpool, 1:4", ["im2col", "maxpool"], {"auto": slow, "hfuse": slow})
