#include "cufuse/Runner/Metrics.h"

namespace cufuse::metric {

std::vector<std::string> onePass() {
  return {Cycles, Occupancy, IssueUtilization, Instructions, DramRead, DramWritten, Nanoseconds};
}

std::vector<std::string> twoPasses() {
  std::vector<std::string> All = onePass();
  for (const char *More : {MemoryStall, BarrierStall, L1HitRate, L2HitRate, LocalLoadSectors, LocalStoreSectors})
    All.push_back(More);
  return All;
}

std::vector<std::string> demands() {
  return {Cycles,   Nanoseconds, Issued,  DramRead, DramWritten, L2Bytes, L1Wavefronts, L2Input,
          L2Fabric, PipeAlu,     PipeFma, PipeFp64, PipeXu,      PipeLsu, PipeTensor};
}

} // namespace cufuse::metric
