#include "cufuse/Gpu/Metrics.h"

namespace cufuse::metric {

/// Warp instructions per cycle are those of compute capability 9.0: its results per cycle (CUDA C++ Programming Guide,
/// Throughput of Native Arithmetic Instructions: 32-bit integer addition and logic, 32-bit floating-point addition,
/// 64-bit floating-point addition, reciprocal) over the lanes of a warp.
static constexpr Metric Table[] = {
    {Cycles, 1, true, "cycles"},
    {Occupancy, 1, false, "achieved occupancy, %"},
    {Issue, 1, false, "issue slots used, %", "issue slots"},
    {"smsp__inst_executed.sum", 1, false, "warp instructions"},
    {DramRead, 1, true, "DRAM bytes read"},
    {DramWritten, 1, true, "DRAM bytes written"},
    {"gpu__time_duration.sum", 1, true, "duration, ns"},
    // Warps waiting for memory (long scoreboard) and at barriers.
    {"smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio", 2, false,
     "memory stall, warps per issue"},
    {"smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio", 2, false, "barrier stall, warps per issue"},
    {"l1tex__t_sector_hit_rate.pct", 2, false, "L1 hit rate, %"},
    {"lts__t_sector_hit_rate.pct", 2, false, "L2 hit rate, %"},
    // Sectors of 32 bytes of local memory: spills, mostly.
    {"l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", 2},
    {"l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum", 2},
    {"smsp__issue_active.sum", 0, true},
    {"lts__t_bytes.sum", 0, true},
    // What L1 takes from and gives to the SM, what L2 takes from the SMs, and what passes between the two halves of L2,
    // each of which holds the memory beside it.
    {"l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed", 0, true, "L1 data, %", "L1 cache"},
    {"lts__xbar2lts_cycles_active.avg.pct_of_peak_sustained_elapsed", 0, true, "L2 input, %", "L2 cache"},
    {"lts__ltcfabric2ltc_cycles_active.avg.pct_of_peak_sustained_elapsed", 0, true, "L2 fabric, %", "L2 fabric"},
    {"sm__inst_executed_pipe_alu.sum", 0, true, nullptr, "ALU pipe", 64 / 32.0},
    {"sm__inst_executed_pipe_fma.sum", 0, true, nullptr, "FMA pipe", 128 / 32.0},
    {"sm__inst_executed_pipe_fp64.sum", 0, true, nullptr, "FP64 pipe", 64 / 32.0},
    {"sm__inst_executed_pipe_xu.sum", 0, true, nullptr, "XU pipe", 16 / 32.0},
    {"sm__inst_executed_pipe_lsu.sum", 0, true},
    {"sm__inst_executed_pipe_tensor.sum", 0, true},
};

llvm::ArrayRef<Metric> all() { return Table; }

static std::vector<std::string> names(bool (*Is)(const Metric &)) {
  std::vector<std::string> Names;
  for (const Metric &Each : Table)
    if (Is(Each))
      Names.push_back(Each.Name);
  return Names;
}

std::vector<std::string> onePass() {
  return names([](const Metric &M) { return M.Pass == 1; });
}
std::vector<std::string> twoPasses() {
  return names([](const Metric &M) { return M.Pass > 0; });
}
std::vector<std::string> demands() {
  return names([](const Metric &M) { return M.IsDemand; });
}

} // namespace cufuse::metric
