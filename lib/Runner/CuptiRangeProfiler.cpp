#include "cufuse/Runner/CuptiRangeProfiler.h"

#include "cufuse/Support/Error.h"

#include <fmt/core.h>

#ifdef CUFUSE_HAS_CUPTI
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>
#include <dlfcn.h>
#include <llvm/ADT/SmallString.h>
#include <llvm/Support/Path.h>

#include <cstdlib>
#endif

namespace cufuse {

#ifdef CUFUSE_HAS_CUPTI

#define CUFUSE_CUPTI_FUNCTIONS(X)                                                                                      \
  X(cuptiGetResultString)                                                                                              \
  X(cuptiProfilerInitialize)                                                                                           \
  X(cuptiDeviceGetChipName)                                                                                            \
  X(cuptiProfilerHostInitialize)                                                                                       \
  X(cuptiProfilerHostDeinitialize)                                                                                     \
  X(cuptiProfilerHostConfigAddMetrics)                                                                                 \
  X(cuptiProfilerHostGetConfigImageSize)                                                                               \
  X(cuptiProfilerHostGetConfigImage)                                                                                   \
  X(cuptiProfilerHostGetNumOfPasses)                                                                                   \
  X(cuptiProfilerHostEvaluateToGpuValues)                                                                              \
  X(cuptiRangeProfilerEnable)                                                                                          \
  X(cuptiRangeProfilerDisable)                                                                                         \
  X(cuptiRangeProfilerGetCounterDataSize)                                                                              \
  X(cuptiRangeProfilerCounterDataImageInitialize)                                                                      \
  X(cuptiRangeProfilerSetConfig)                                                                                       \
  X(cuptiRangeProfilerStart)                                                                                           \
  X(cuptiRangeProfilerStop)                                                                                            \
  X(cuptiRangeProfilerDecodeData)

namespace {

struct CuptiFunctions {
#define X(Name) decltype(&::Name) Name = nullptr;
  CUFUSE_CUPTI_FUNCTIONS(X)
#undef X

  static llvm::Expected<CuptiFunctions> load();
  llvm::Error must(CUptiResult Result, const char *Doing) const;
};

/// Parameters with their size, as every call wants them.
template <typename T> T sized(size_t Size) {
  T Parameters = {};
  Parameters.structSize = Size;
  return Parameters;
}
#define CUFUSE_SIZED(Type) sized<Type>(Type##_STRUCT_SIZE)

/// The host side: from metric names to a configuration and from raw counts to values.
class MetricHost {
public:
  MetricHost(const CuptiFunctions &Cupti) : Cupti(Cupti) {}
  MetricHost(const MetricHost &) = delete;
  MetricHost &operator=(const MetricHost &) = delete;
  ~MetricHost();
  llvm::Error add(const std::string &Chip, llvm::ArrayRef<const char *> Metrics);
  llvm::Expected<MetricPlan> plan(const std::string &Chip, llvm::ArrayRef<const char *> Metrics);

  const CuptiFunctions &Cupti;
  CUpti_Profiler_Host_Object *Object = nullptr;
};

} // namespace

/// libcupti looks for libnvperf_host by name alone: the one beside it is loaded first.
static void loadPerfworks(void *CuptiFunction) {
  Dl_info Info;
  if (!::dladdr(CuptiFunction, &Info) || !Info.dli_fname)
    return;
  llvm::SmallString<128> Beside(llvm::sys::path::parent_path(Info.dli_fname));
  llvm::sys::path::append(Beside, "libnvperf_host.so");
  ::dlopen(Beside.c_str(), RTLD_NOW | RTLD_GLOBAL);
}

llvm::Expected<CuptiFunctions> CuptiFunctions::load() {
  std::vector<std::string> Places = {""};
  for (const char *Variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char *Folder = std::getenv(Variable))
      Places.push_back(Folder);
  Places.push_back("/usr/local/cuda");
  void *Library = nullptr;
  for (const std::string &Place : Places)
    for (const char *Folder : {"/extras/CUPTI/lib64/", "/lib64/", "/lib/"})
      for (const char *Name : {"libcupti.so.13", "libcupti.so.12", "libcupti.so"})
        if (!Library)
          Library = ::dlopen(Place.empty() ? Name : (Place + Folder + Name).c_str(), RTLD_NOW);
  if (!Library)
    return fail(ExitCode::MissingTool, "libcupti is neither on the loader's path nor in the CUDA toolkit",
                "install CUPTI of the CUDA toolkit, or set CUDA_HOME");
  CuptiFunctions Loaded;
#define X(Name)                                                                                                        \
  Loaded.Name = reinterpret_cast<decltype(Loaded.Name)>(::dlsym(Library, #Name));                                      \
  if (!Loaded.Name)                                                                                                    \
    return fail(ExitCode::MissingTool, "libcupti has no " #Name, "install CUPTI of CUDA 12.6 or later");
  CUFUSE_CUPTI_FUNCTIONS(X)
#undef X
  loadPerfworks(reinterpret_cast<void *>(Loaded.cuptiProfilerInitialize));
  return Loaded;
}

llvm::Error CuptiFunctions::must(CUptiResult Result, const char *Doing) const {
  if (Result == CUPTI_SUCCESS)
    return llvm::Error::success();
  const char *Name = nullptr;
  if (cuptiGetResultString(Result, &Name) != CUPTI_SUCCESS)
    Name = "an unknown error";
  return fail(ExitCode::MissingTool, fmt::format("CUPTI, {}: {}", Doing, Name),
              Result == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES
                  ? "the driver gives counters to the administrator only: set NVreg_RestrictProfilingToAdminUsers=0"
                  : "");
}

MetricHost::~MetricHost() {
  auto Parameters = CUFUSE_SIZED(CUpti_Profiler_Host_Deinitialize_Params);
  Parameters.pHostObject = Object;
  if (Object)
    Cupti.cuptiProfilerHostDeinitialize(&Parameters);
}

/// All at once: each call begins a pass of its own.
llvm::Error MetricHost::add(const std::string &Chip, llvm::ArrayRef<const char *> Metrics) {
  auto Initialize = CUFUSE_SIZED(CUpti_Profiler_Host_Initialize_Params);
  Initialize.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
  Initialize.pChipName = Chip.c_str();
  TRY(Cupti.must(Cupti.cuptiProfilerHostInitialize(&Initialize), "describing the chip"));
  Object = Initialize.pHostObject;
  auto Parameters = CUFUSE_SIZED(CUpti_Profiler_Host_ConfigAddMetrics_Params);
  Parameters.pHostObject = Object;
  Parameters.ppMetricNames = const_cast<const char **>(Metrics.data());
  Parameters.numMetrics = Metrics.size();
  return Cupti.must(Cupti.cuptiProfilerHostConfigAddMetrics(&Parameters), "adding metrics");
}

llvm::Expected<MetricPlan> MetricHost::plan(const std::string &Chip, llvm::ArrayRef<const char *> Metrics) {
  if (llvm::Error Error = add(Chip, Metrics)) {
    // Which one it was, the call does not say.
    std::string Unknown;
    for (const char *Metric : Metrics)
      if (llvm::Error One = MetricHost(Cupti).add(Chip, Metric)) {
        llvm::consumeError(std::move(One));
        Unknown += (Unknown.empty() ? "" : ", ") + std::string(Metric);
      }
    if (Unknown.empty())
      return std::move(Error);
    llvm::consumeError(std::move(Error));
    return badInput(fmt::format("{} has no metric {}", Chip, Unknown));
  }
  auto Size = CUFUSE_SIZED(CUpti_Profiler_Host_GetConfigImageSize_Params);
  Size.pHostObject = Object;
  TRY(Cupti.must(Cupti.cuptiProfilerHostGetConfigImageSize(&Size), "sizing the configuration"));
  MetricPlan Plan;
  Plan.ConfigImage.resize(Size.configImageSize);
  auto Get = CUFUSE_SIZED(CUpti_Profiler_Host_GetConfigImage_Params);
  Get.pHostObject = Object;
  Get.configImageSize = Plan.ConfigImage.size();
  Get.pConfigImage = Plan.ConfigImage.data();
  TRY(Cupti.must(Cupti.cuptiProfilerHostGetConfigImage(&Get), "making the configuration"));
  auto Count = CUFUSE_SIZED(CUpti_Profiler_Host_GetNumOfPasses_Params);
  Count.configImageSize = Plan.ConfigImage.size();
  Count.pConfigImage = Plan.ConfigImage.data();
  TRY(Cupti.must(Cupti.cuptiProfilerHostGetNumOfPasses(&Count), "counting the passes"));
  Plan.Passes = Count.numOfPasses;
  return Plan;
}

static std::vector<const char *> pointersTo(llvm::ArrayRef<std::string> Names) {
  std::vector<const char *> Pointers;
  for (const std::string &Name : Names)
    Pointers.push_back(Name.c_str());
  return Pointers;
}

llvm::Expected<MetricPlan> planMetrics(const std::string &Chip, llvm::ArrayRef<std::string> Metrics) {
  auto Loaded = TRY(CuptiFunctions::load());
  MetricHost Host(Loaded);
  return Host.plan(Chip, pointersTo(Metrics));
}

namespace {

class RangeProfiler final : public CuptiRangeProfiler {
public:
  RangeProfiler(CuptiFunctions Functions, std::vector<std::string> Metrics)
      : Cupti(Functions), Host(Cupti), Metrics(std::move(Metrics)), Names(pointersTo(this->Metrics)) {}
  ~RangeProfiler() override {
    auto Disable = CUFUSE_SIZED(CUpti_RangeProfiler_Disable_Params);
    Disable.pRangeProfilerObject = Object;
    if (Object)
      Cupti.cuptiRangeProfilerDisable(&Disable);
  }
  llvm::Error open(CUcontext CudaContext, unsigned Device);
  llvm::Expected<std::map<std::string, double>> measure(llvm::function_ref<llvm::Error()> Launch) override;

private:
  CuptiFunctions Cupti;
  MetricHost Host;
  std::vector<std::string> Metrics;
  std::vector<const char *> Names;
  MetricPlan Plan;
  CUpti_RangeProfiler_Object *Object = nullptr;
  std::vector<std::uint8_t> Counts;
};

} // namespace

llvm::Error RangeProfiler::open(CUcontext CudaContext, unsigned Device) {
  auto Initialize = CUFUSE_SIZED(CUpti_Profiler_Initialize_Params);
  TRY(Cupti.must(Cupti.cuptiProfilerInitialize(&Initialize), "initializing"));
  auto Chip = CUFUSE_SIZED(CUpti_Device_GetChipName_Params);
  Chip.deviceIndex = Device;
  TRY(Cupti.must(Cupti.cuptiDeviceGetChipName(&Chip), "naming the chip"));
  Plan = TRY(Host.plan(Chip.pChipName, Names));
  auto Enable = CUFUSE_SIZED(CUpti_RangeProfiler_Enable_Params);
  Enable.ctx = CudaContext;
  TRY(Cupti.must(Cupti.cuptiRangeProfilerEnable(&Enable), "enabling"));
  Object = Enable.pRangeProfilerObject;
  auto Size = CUFUSE_SIZED(CUpti_RangeProfiler_GetCounterDataSize_Params);
  Size.pRangeProfilerObject = Object;
  Size.pMetricNames = Names.data();
  Size.numMetrics = Names.size();
  Size.maxNumOfRanges = 1;
  Size.maxNumRangeTreeNodes = 1;
  TRY(Cupti.must(Cupti.cuptiRangeProfilerGetCounterDataSize(&Size), "sizing the counts"));
  Counts.resize(Size.counterDataSize);
  return llvm::Error::success();
}

llvm::Expected<std::map<std::string, double>> RangeProfiler::measure(llvm::function_ref<llvm::Error()> Launch) {
  auto Clear = CUFUSE_SIZED(CUpti_RangeProfiler_CounterDataImage_Initialize_Params);
  Clear.pRangeProfilerObject = Object;
  Clear.counterDataSize = Counts.size();
  Clear.pCounterData = Counts.data();
  TRY(Cupti.must(Cupti.cuptiRangeProfilerCounterDataImageInitialize(&Clear), "clearing the counts"));
  auto Config = CUFUSE_SIZED(CUpti_RangeProfiler_SetConfig_Params);
  Config.pRangeProfilerObject = Object;
  Config.configSize = Plan.ConfigImage.size();
  Config.pConfig = Plan.ConfigImage.data();
  Config.counterDataImageSize = Counts.size();
  Config.pCounterDataImage = Counts.data();
  Config.range = CUPTI_AutoRange;
  Config.replayMode = CUPTI_KernelReplay;
  Config.maxRangesPerPass = 1;
  Config.numNestingLevels = 1;
  Config.minNestingLevel = 1;
  TRY(Cupti.must(Cupti.cuptiRangeProfilerSetConfig(&Config), "configuring"));
  auto Start = CUFUSE_SIZED(CUpti_RangeProfiler_Start_Params);
  Start.pRangeProfilerObject = Object;
  TRY(Cupti.must(Cupti.cuptiRangeProfilerStart(&Start), "starting"));
  llvm::Error Launched = Launch();
  auto Stop = CUFUSE_SIZED(CUpti_RangeProfiler_Stop_Params);
  Stop.pRangeProfilerObject = Object;
  const CUptiResult Stopped = Cupti.cuptiRangeProfilerStop(&Stop);
  if (Launched)
    return std::move(Launched);
  TRY(Cupti.must(Stopped, "stopping"));
  auto Decode = CUFUSE_SIZED(CUpti_RangeProfiler_DecodeData_Params);
  Decode.pRangeProfilerObject = Object;
  TRY(Cupti.must(Cupti.cuptiRangeProfilerDecodeData(&Decode), "decoding"));
  std::vector<double> Values(Names.size());
  auto Evaluate = CUFUSE_SIZED(CUpti_Profiler_Host_EvaluateToGpuValues_Params);
  Evaluate.pHostObject = Host.Object;
  Evaluate.pCounterDataImage = Counts.data();
  Evaluate.counterDataImageSize = Counts.size();
  Evaluate.ppMetricNames = Names.data();
  Evaluate.numMetrics = Names.size();
  Evaluate.pMetricValues = Values.data();
  TRY(Cupti.must(Cupti.cuptiProfilerHostEvaluateToGpuValues(&Evaluate), "evaluating"));
  std::map<std::string, double> Result;
  for (size_t I = 0; I < Metrics.size(); ++I)
    Result[Metrics[I]] = Values[I];
  return Result;
}

llvm::Expected<std::unique_ptr<CuptiRangeProfiler>> CuptiRangeProfiler::make(CUctx_st *CudaContext, unsigned Device,
                                                                             std::vector<std::string> Metrics) {
  auto Loaded = TRY(CuptiFunctions::load());
  auto Profiler = std::make_unique<RangeProfiler>(Loaded, std::move(Metrics));
  TRY(Profiler->open(CudaContext, Device));
  return Profiler;
}

#else

static llvm::Error notBuilt() {
  return fail(ExitCode::MissingTool, "this cufuse was built without the headers of CUPTI");
}

llvm::Expected<MetricPlan> planMetrics(const std::string &, llvm::ArrayRef<std::string>) { return notBuilt(); }

llvm::Expected<std::unique_ptr<CuptiRangeProfiler>> CuptiRangeProfiler::make(CUctx_st *, unsigned,
                                                                             std::vector<std::string>) {
  return notBuilt();
}

#endif

} // namespace cufuse
