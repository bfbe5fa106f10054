// What cufuse-runner is asked to run and what it answers: plain data, with JSON on both sides. No CUDA, no Clang.
#pragma once

#include "cufuse/Support/Names.h"

#include <llvm/ADT/STLExtras.h>

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace cufuse {

/// A GPU as its driver describes it.
struct DeviceInfo {
  unsigned Index = 0; ///< In the order of CUDA's driver.
  std::string Name;
  std::string Arch;    ///< `sm_90`
  unsigned Driver = 0; ///< Of CUDA: 13000 is 13.0.
  unsigned Multiprocessors = 0;
  std::uint64_t MemoryBytes = 0, L2Bytes = 0;
  double ClockMHz = 0;           ///< The highest of an SM.
  double DramBytesPerSecond = 0; ///< By memory clock and bus width.
};

enum class ElementType { I8, U8, I16, U16, I32, U32, I64, U64, F16, BF16, F32, F64 };

inline constexpr Named<ElementType> ElementTypeNames[] = {
    {ElementType::I8, "i8"},   {ElementType::U8, "u8"},     {ElementType::I16, "i16"}, {ElementType::U16, "u16"},
    {ElementType::I32, "i32"}, {ElementType::U32, "u32"},   {ElementType::I64, "i64"}, {ElementType::U64, "u64"},
    {ElementType::F16, "f16"}, {ElementType::BF16, "bf16"}, {ElementType::F32, "f32"}, {ElementType::F64, "f64"}};
constexpr llvm::ArrayRef<Named<ElementType>> namesOf(ElementType) { return ElementTypeNames; }

constexpr unsigned bytesOf(ElementType Type) {
  constexpr unsigned Bytes[] = {1, 1, 2, 2, 4, 4, 8, 8, 2, 2, 4, 8}; // in the order of the enumeration
  return Bytes[static_cast<unsigned>(Type)];
}

struct Initializer {
  enum Kind { Zero, Constant, Iota, Uniform, Normal, RandomBits, File } What = Zero;
  double A = 0, B = 0; ///< The constant; first and step; bounds [A, B); mean and standard deviation.
  std::uint64_t Seed = 0;
  std::string Path; ///< Raw little-endian bytes.
};

/// As JSON spells them.
inline constexpr Named<Initializer::Kind> InitializerNames[] = {
    {Initializer::Zero, "zero"},       {Initializer::Constant, "constant"}, {Initializer::Iota, "iota"},
    {Initializer::Uniform, "uniform"}, {Initializer::Normal, "normal"},     {Initializer::RandomBits, "random-bits"},
    {Initializer::File, "file"}};
constexpr llvm::ArrayRef<Named<Initializer::Kind>> namesOf(Initializer::Kind) { return InitializerNames; }

/// How an output is compared with that of the unfused launches; zero and zero: bit for bit.
struct Tolerance {
  double Absolute = 0, Relative = 0;
};

/// A device allocation. Outputs are poisoned before each checked run, or set to their initial content where kernels
/// accumulate into them.
struct BufferSpec {
  std::string Name;
  ElementType Type = ElementType::U8;
  std::uint64_t Count = 0; ///< Elements.
  Initializer Init;
  bool Output = false;
  bool Accumulated = false; ///< Kernels read what they add to: it starts from `Init`.
  Tolerance Compare;
};

/// A kernel parameter as bytes, with device addresses to be put in.
struct KernelArgument {
  std::vector<std::uint8_t> Bytes;
  struct Address {
    std::uint32_t Offset; ///< Bytes into the parameter.
    std::string Buffer;
    std::uint64_t Plus = 0; ///< Bytes behind the buffer's start.
  };
  std::vector<Address> Addresses;
  /// Not zero: the parameter is the address of this many zeroed bytes, zeroed again before each launch, in the stream,
  /// as part of what is timed.
  std::uint32_t ZeroedBytes = 0;
};

struct KernelLaunch {
  std::string Cubin;  ///< Path.
  std::string Kernel; ///< Mangled name; a prefix of it where only one entry function of the file has it.
  std::array<std::uint32_t, 3> Grid{1, 1, 1}, Block{1, 1, 1};
  std::uint32_t DynamicBytes = 0;
  std::vector<KernelArgument> Arguments;
};

/// When to stop: relative noise is the half-width of the median's 95 % confidence interval over the median.
struct Stopping {
  double RelativeNoise = 0.005;
  unsigned MinSamples = 10, MaxSamples = 200;
  double MaxSeconds = 2; ///< Per schedule.
};

/// Something that is timed as a whole, or several of them in turn.
struct Schedule {
  std::string Name; ///< Of the candidate or the baseline.
  enum Kind {
    Serial,          ///< One stream.
    Streams,         ///< One stream each, first to last, joined by events.
    StreamsReversed, ///< The same, launched last to first.
    Graph,           ///< A CUDA graph with a branch each; one for all passes of a sample.
  } How = Serial;
  std::vector<KernelLaunch> Launches;
  bool Verify = true;                ///< Compare the outputs with those of the reference first.
  bool Counters = false;             ///< Collect the job's metrics, too (single launches only).
  std::optional<Stopping> Stop = {}; ///< Instead of the job's.
  /// Sampled in rounds with this one: once each in every round, by the rule of this one. None of them has others.
  std::vector<Schedule> Beside = {};
};

inline constexpr Named<Schedule::Kind> ScheduleNames[] = {{Schedule::Serial, "serial"},
                                                          {Schedule::Streams, "streams"},
                                                          {Schedule::StreamsReversed, "streams-reversed"},
                                                          {Schedule::Graph, "graph"}};
constexpr llvm::ArrayRef<Named<Schedule::Kind>> namesOf(Schedule::Kind) { return ScheduleNames; }

struct Timing {
  double Microseconds = 0; ///< Median of one pass through the schedule.
  double RelativeNoise = 0;
  unsigned Samples = 0;
  unsigned Passes = 1;              ///< In each sample, one after the other; more than one for short schedules.
  double ReferenceMicroseconds = 0; ///< Median of the reference's samples, taken in turn with these and as these.
  double ClockMHz = 0;              ///< SM clock seen while it ran; 0 where it could not be read.
  std::vector<double> Rounds = {};  ///< The samples, where others were sampled in the same rounds.
};

enum class RunStatus { Done, WrongResult, LoadFailed, LaunchFailed, Crashed, TimedOut };

inline constexpr Named<RunStatus> RunStatusNames[] = {
    {RunStatus::Done, "done"},       {RunStatus::WrongResult, "wrong-result"},   {RunStatus::LoadFailed, "load-failed"},
    {RunStatus::Crashed, "crashed"}, {RunStatus::LaunchFailed, "launch-failed"}, {RunStatus::TimedOut, "timed-out"}};
constexpr llvm::ArrayRef<Named<RunStatus>> namesOf(RunStatus) { return RunStatusNames; }

struct RunOutcome {
  std::string Name; ///< Of the schedule.
  RunStatus Status = RunStatus::Done;
  std::string What; ///< Why not `Done`, in a sentence: the CUDA error, the first differing element, the signal.
  std::optional<Timing> Time = {};
  std::map<std::string, double> Counters = {}; ///< By metric name of the CUPTI Range Profiler; empty unless asked for.
  std::string CountersNote = {};               ///< Why there are none, where they were asked for.
  std::vector<RunOutcome> Beside = {};         ///< Of the schedules beside it.
};

/// Its CUDA context is lost with whatever crashed in it.
inline bool isContextLost(const RunOutcome &Outcome) {
  return Outcome.Status == RunStatus::Crashed || llvm::any_of(Outcome.Beside, isContextLost);
}

/// One sitting: buffers are made once, the first schedule is the reference that outputs are compared with and that all
/// timings are interleaved with.
struct RunnerJob {
  std::vector<BufferSpec> Buffers;
  std::vector<Schedule> Schedules;
  Stopping Stop;
  /// Between samples, where the buffers together are less than four times the L2.
  bool FlushL2 = true;
  /// Passes per sample; 0: one, or as many as make 200 µs where the reference takes less than 50 µs.
  unsigned Passes = 0;
  std::vector<std::string> Metrics; ///< To be collected for schedules with `Counters`, besides times.
  /// A schedule that takes longer is `TimedOut`; one with a stopping rule of its own after 5 s already, unless the
  /// reference takes as long as that.
  unsigned ScheduleSeconds = 20;
};

} // namespace cufuse
