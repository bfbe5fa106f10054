// Names of hardware counters, as the CUPTI Range Profiler knows them on GH100, in groups by the passes that they take:
// each pass is another run of the kernel.
#pragma once

#include <string>
#include <vector>

namespace cufuse::metric {

constexpr const char *Cycles = "sm__cycles_elapsed.max";
constexpr const char *Nanoseconds = "gpu__time_duration.sum";
/// Achieved occupancy, per cent of the warps that an SM can hold.
constexpr const char *Occupancy = "sm__warps_active.avg.pct_of_peak_sustained_active";
/// Per cent of the cycles of a scheduler in which it issued.
constexpr const char *IssueUtilization = "smsp__issue_active.avg.pct_of_peak_sustained_active";
/// Issue slots that were used.
constexpr const char *Issued = "smsp__issue_active.sum";
constexpr const char *Instructions = "smsp__inst_executed.sum";
constexpr const char *DramRead = "dram__bytes_read.sum", *DramWritten = "dram__bytes_write.sum";
constexpr const char *L2Bytes = "lts__t_bytes.sum";
/// Per cent of what L1 takes from and gives to the SM, of what L2 takes from the SMs, and of what passes between the
/// two halves of L2, each of which holds the memory beside it.
constexpr const char *L1Wavefronts = "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed";
constexpr const char *L2Input = "lts__xbar2lts_cycles_active.avg.pct_of_peak_sustained_elapsed";
constexpr const char *L2Fabric = "lts__ltcfabric2ltc_cycles_active.avg.pct_of_peak_sustained_elapsed";
/// Warps waiting for memory (long scoreboard) and at barriers, per issued instruction.
constexpr const char *MemoryStall = "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio";
constexpr const char *BarrierStall = "smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio";
constexpr const char *L1HitRate = "l1tex__t_sector_hit_rate.pct", *L2HitRate = "lts__t_sector_hit_rate.pct";
/// Sectors of 32 bytes of local memory: spills, mostly.
constexpr const char *LocalLoadSectors = "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum";
constexpr const char *LocalStoreSectors = "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum";
/// Warp instructions by the pipe that executes them.
constexpr const char *PipeAlu = "sm__inst_executed_pipe_alu.sum", *PipeFma = "sm__inst_executed_pipe_fma.sum";
constexpr const char *PipeFp64 = "sm__inst_executed_pipe_fp64.sum", *PipeXu = "sm__inst_executed_pipe_xu.sum";
constexpr const char *PipeLsu = "sm__inst_executed_pipe_lsu.sum", *PipeTensor = "sm__inst_executed_pipe_tensor.sum";

/// One pass: where the time goes.
std::vector<std::string> onePass();
/// Two passes: why.
std::vector<std::string> twoPasses();
/// Demands on what the SMs share, for the limit that resources set: DRAM bytes, the caches, issue slots, each pipe.
std::vector<std::string> demands();

} // namespace cufuse::metric
