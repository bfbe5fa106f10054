#include "cufuse/Profile/RunnerJson.h"

#include <llvm/ADT/StringExtras.h>

namespace cufuse {

using llvm::json::Object;
using llvm::json::Path;
using llvm::json::Value;

template <typename Enum> struct Spelling {
  Enum Value;
  const char *Name;
};

constexpr Spelling<ElementType> Types[] = {
    {ElementType::I8, "i8"},   {ElementType::U8, "u8"},     {ElementType::I16, "i16"}, {ElementType::U16, "u16"},
    {ElementType::I32, "i32"}, {ElementType::U32, "u32"},   {ElementType::I64, "i64"}, {ElementType::U64, "u64"},
    {ElementType::F16, "f16"}, {ElementType::BF16, "bf16"}, {ElementType::F32, "f32"}, {ElementType::F64, "f64"}};
constexpr Spelling<Initializer::Kind> Initializers[] = {
    {Initializer::Zero, "zero"},       {Initializer::Constant, "constant"}, {Initializer::Iota, "iota"},
    {Initializer::Uniform, "uniform"}, {Initializer::Normal, "normal"},     {Initializer::RandomBits, "random-bits"},
    {Initializer::File, "file"}};
constexpr Spelling<Schedule::Kind> Kinds[] = {{Schedule::Serial, "serial"},
                                              {Schedule::Streams, "streams"},
                                              {Schedule::StreamsReversed, "streams-reversed"},
                                              {Schedule::Graph, "graph"}};
constexpr Spelling<RunStatus> Statuses[] = {
    {RunStatus::Done, "done"},       {RunStatus::WrongResult, "wrong-result"},   {RunStatus::LoadFailed, "load-failed"},
    {RunStatus::Crashed, "crashed"}, {RunStatus::LaunchFailed, "launch-failed"}, {RunStatus::TimedOut, "timed-out"}};

template <typename Enum, size_t N> static const char *spell(const Spelling<Enum> (&All)[N], Enum Value) {
  for (const auto &One : All)
    if (One.Value == Value)
      return One.Name;
  return "?";
}

const char *nameOf(RunStatus Status) { return spell(Statuses, Status); }

/// Reads an object's fields and knows, at the end, which keys nobody asked for.
namespace {
class Fields {
public:
  Fields(const Value &Json, Path Where) : Where(Where), From(Json.getAsObject()) {
    if (!From)
      Where.report("expected an object");
  }

  template <typename T> Fields &read(llvm::StringLiteral Key, T &Out, bool Required = false) {
    if (const Value *Found = find(Key, Required))
      readAs(*Found, Out, Key);
    return *this;
  }
  template <typename Enum, size_t N>
  Fields &choose(llvm::StringLiteral Key, const Spelling<Enum> (&All)[N], Enum &Out, bool Required = false) {
    if (const Value *Found = find(Key, Required)) {
      const auto Name = Found->getAsString();
      const auto *Chosen =
          llvm::find_if(All, [&](const Spelling<Enum> &One) { return Name && *Name == llvm::StringRef(One.Name); });
      if (Chosen != std::end(All))
        Out = Chosen->Value;
      else
        fault("not one of the known names", Key);
    }
    return *this;
  }
  template <typename T, typename Read> Fields &readEach(llvm::StringLiteral Key, std::vector<T> &Out, Read ReadOne) {
    if (const Value *Found = find(Key, false)) {
      const llvm::json::Array *Each = Found->getAsArray();
      if (!Each) {
        fault("expected an array", Key);
        return *this;
      }
      Out.resize(Each->size());
      for (size_t I = 0; I < Each->size() && Good; ++I)
        Good = ReadOne((*Each)[I], Out[I], Where.field(Key).index(I));
    }
    return *this;
  }
  Fields &fault(llvm::StringLiteral Message, llvm::StringLiteral Key) {
    Where.field(Key).report(Message);
    Good = false;
    return *this;
  }
  bool done() {
    if (From && Good)
      for (const auto &Entry : *From)
        if (!llvm::is_contained(Known, llvm::StringRef(Entry.first))) {
          Where.field(Entry.first).report("unknown key");
          return false;
        }
    return From && Good;
  }

private:
  template <typename T> void readAs(const Value &Json, T &Out, llvm::StringLiteral Key) {
    Good &= fromJSON(Json, Out, Where.field(Key));
  }
  void readAs(const Value &Json, Value &Out, llvm::StringLiteral) { Out = Json; }
  /// llvm::json takes any integer for these.
  void readAs(const Value &Json, unsigned &Out, llvm::StringLiteral Key) {
    const std::optional<int64_t> Number = Json.getAsInteger();
    if (!Number || *Number < 0 || *Number > UINT32_MAX)
      fault("expected an integer from 0 to 4294967295", Key);
    else
      Out = static_cast<unsigned>(*Number);
  }

  const Value *find(llvm::StringLiteral Key, bool Required) {
    Known.push_back(Key);
    const Value *Found = From && Good ? From->get(Key) : nullptr;
    if (From && Good && Required && !Found)
      fault("missing", Key);
    return Found;
  }

  Path Where;
  const Object *From;
  llvm::SmallVector<llvm::StringRef, 12> Known;
  bool Good = true;
};
} // namespace

static Value toJSON(const BufferSpec &Buffer) {
  Object Init{{"kind", spell(Initializers, Buffer.Init.What)}};
  if (Buffer.Init.What == Initializer::File) {
    Init["path"] = Buffer.Init.Path;
  } else {
    Init["a"] = Buffer.Init.A;
    Init["b"] = Buffer.Init.B;
    Init["seed"] = Buffer.Init.Seed;
  }
  return Object{{"name", Buffer.Name},
                {"type", spell(Types, Buffer.Type)},
                {"count", Buffer.Count},
                {"init", std::move(Init)},
                {"output", Buffer.Output},
                {"accumulated", Buffer.Accumulated},
                {"compare", Object{{"absolute", Buffer.Compare.Absolute}, {"relative", Buffer.Compare.Relative}}}};
}

static bool readBuffer(const Value &Json, BufferSpec &Out, Path Where) {
  Fields All(Json, Where);
  All.read("name", Out.Name, true).choose("type", Types, Out.Type, true).read("count", Out.Count, true);
  All.read("output", Out.Output).read("accumulated", Out.Accumulated);
  Value Init = Object{{"kind", "zero"}}, Compare = Object{};
  All.read("init", Init).read("compare", Compare);
  Fields OfInit(Init, Where.field("init"));
  OfInit.choose("kind", Initializers, Out.Init.What, true).read("a", Out.Init.A).read("b", Out.Init.B);
  OfInit.read("seed", Out.Init.Seed).read("path", Out.Init.Path);
  Fields OfCompare(Compare, Where.field("compare"));
  OfCompare.read("absolute", Out.Compare.Absolute).read("relative", Out.Compare.Relative);
  return All.done() && OfInit.done() && OfCompare.done();
}

static Value toJSON(const KernelArgument &Argument) {
  Object Json{{"bytes", llvm::toHex(Argument.Bytes, /*LowerCase=*/true)}};
  llvm::json::Array Addresses;
  for (const KernelArgument::Address &One : Argument.Addresses)
    Addresses.push_back(Object{{"offset", One.Offset}, {"buffer", One.Buffer}, {"plus", One.Plus}});
  if (!Addresses.empty())
    Json["addresses"] = std::move(Addresses);
  if (Argument.ZeroedBytes)
    Json["zeroedBytes"] = Argument.ZeroedBytes;
  return Json;
}

static bool readAddress(const Value &Json, KernelArgument::Address &Out, Path Where) {
  return Fields(Json, Where).read("offset", Out.Offset).read("buffer", Out.Buffer, true).read("plus", Out.Plus).done();
}

static bool readArgument(const Value &Json, KernelArgument &Out, Path Where) {
  std::string Hex, Bytes;
  Fields All(Json, Where);
  All.read("bytes", Hex).readEach("addresses", Out.Addresses, readAddress).read("zeroedBytes", Out.ZeroedBytes);
  if (Hex.size() % 2 || !llvm::tryGetFromHex(Hex, Bytes))
    All.fault("expected pairs of hexadecimal digits", "bytes");
  Out.Bytes.assign(Bytes.begin(), Bytes.end());
  return All.done();
}

static Value shapeJson(const std::array<std::uint32_t, 3> &Shape) {
  return llvm::json::Array{Shape[0], Shape[1], Shape[2]};
}

static Value toJSON(const KernelLaunch &Launch) {
  llvm::json::Array Arguments;
  for (const KernelArgument &Argument : Launch.Arguments)
    Arguments.push_back(toJSON(Argument));
  return Object{{"cubin", Launch.Cubin},
                {"kernel", Launch.Kernel},
                {"grid", shapeJson(Launch.Grid)},
                {"block", shapeJson(Launch.Block)},
                {"dynamicBytes", Launch.DynamicBytes},
                {"arguments", std::move(Arguments)}};
}

static bool readLaunch(const Value &Json, KernelLaunch &Out, Path Where) {
  std::vector<std::uint32_t> Grid{1, 1, 1}, Block{1, 1, 1};
  Fields All(Json, Where);
  All.read("cubin", Out.Cubin, true).read("kernel", Out.Kernel, true).read("grid", Grid).read("block", Block);
  All.read("dynamicBytes", Out.DynamicBytes).readEach("arguments", Out.Arguments, readArgument);
  if (Grid.size() != 3)
    All.fault("expected three numbers", "grid");
  else if (Block.size() != 3)
    All.fault("expected three numbers", "block");
  else {
    std::copy(Grid.begin(), Grid.end(), Out.Grid.begin());
    std::copy(Block.begin(), Block.end(), Out.Block.begin());
  }
  return All.done();
}

static Value toJSON(const Stopping &Stop) {
  return Object{{"relativeNoise", Stop.RelativeNoise},
                {"minSamples", Stop.MinSamples},
                {"maxSamples", Stop.MaxSamples},
                {"maxSeconds", Stop.MaxSeconds}};
}

static bool readStop(const Value &Json, Stopping &Out, Path Where) {
  return Fields(Json, Where)
      .read("relativeNoise", Out.RelativeNoise)
      .read("minSamples", Out.MinSamples)
      .read("maxSamples", Out.MaxSamples)
      .read("maxSeconds", Out.MaxSeconds)
      .done();
}

Value toJSON(const Schedule &Schedule) {
  llvm::json::Array Launches;
  for (const KernelLaunch &Launch : Schedule.Launches)
    Launches.push_back(toJSON(Launch));
  Object Json{{"name", Schedule.Name},
              {"how", spell(Kinds, Schedule.How)},
              {"launches", std::move(Launches)},
              {"verify", Schedule.Verify},
              {"counters", Schedule.Counters}};
  if (Schedule.Stop)
    Json["stop"] = toJSON(*Schedule.Stop);
  return Json;
}

bool fromJSON(const Value &Json, Schedule &Out, Path Where) {
  Value Stop = nullptr;
  const bool Read = Fields(Json, Where)
                        .read("name", Out.Name, true)
                        .choose("how", Kinds, Out.How)
                        .readEach("launches", Out.Launches, readLaunch)
                        .read("verify", Out.Verify)
                        .read("counters", Out.Counters)
                        .read("stop", Stop)
                        .done();
  return Read && (Stop.kind() == Value::Null || readStop(Stop, Out.Stop.emplace(), Where.field("stop")));
}

Value toJSON(const RunnerJob &Job) {
  llvm::json::Array Buffers, Schedules;
  for (const BufferSpec &Buffer : Job.Buffers)
    Buffers.push_back(toJSON(Buffer));
  for (const Schedule &Schedule : Job.Schedules)
    Schedules.push_back(toJSON(Schedule));
  return Object{{"buffers", std::move(Buffers)},
                {"schedules", std::move(Schedules)},
                {"stop", toJSON(Job.Stop)},
                {"flushL2", Job.FlushL2},
                {"passes", Job.Passes},
                {"metrics", Job.Metrics},
                {"scheduleSeconds", Job.ScheduleSeconds}};
}

bool fromJSON(const Value &Json, RunnerJob &Out, Path Where) {
  Fields All(Json, Where);
  Value Stop = Object{};
  All.readEach("buffers", Out.Buffers, readBuffer);
  All.readEach("schedules", Out.Schedules,
               [](const Value &One, Schedule &Into, Path At) { return fromJSON(One, Into, At); });
  All.read("stop", Stop).read("flushL2", Out.FlushL2).read("passes", Out.Passes).read("metrics", Out.Metrics);
  All.read("scheduleSeconds", Out.ScheduleSeconds);
  return All.done() && readStop(Stop, Out.Stop, Where.field("stop"));
}

Value toJSON(const RunOutcome &Outcome) {
  Object Json{{"name", Outcome.Name}, {"status", nameOf(Outcome.Status)}};
  if (!Outcome.What.empty())
    Json["what"] = llvm::json::fixUTF8(Outcome.What);
  if (const auto &Time = Outcome.Time)
    Json["time"] = Object{{"microseconds", Time->Microseconds}, {"relativeNoise", Time->RelativeNoise},
                          {"samples", Time->Samples},           {"passes", Time->Passes},
                          {"clockMHz", Time->ClockMHz},         {"referenceMicroseconds", Time->ReferenceMicroseconds}};
  Object Counters;
  for (const auto &[Metric, Number] : Outcome.Counters)
    Counters[Metric] = Number;
  if (!Counters.empty())
    Json["counters"] = std::move(Counters);
  if (!Outcome.CountersNote.empty())
    Json["countersNote"] = llvm::json::fixUTF8(Outcome.CountersNote);
  return Json;
}

bool fromJSON(const Value &Json, RunOutcome &Out, Path Where) {
  Fields All(Json, Where);
  All.read("name", Out.Name, true).choose("status", Statuses, Out.Status, true).read("what", Out.What);
  All.read("counters", Out.Counters).read("countersNote", Out.CountersNote);
  Value Read = nullptr;
  All.read("time", Read);
  if (Read.kind() == Value::Null)
    return All.done();
  Timing &Into = Out.Time.emplace();
  Fields OfTime(Read, Where.field("time"));
  OfTime.read("microseconds", Into.Microseconds, true).read("relativeNoise", Into.RelativeNoise);
  OfTime.read("samples", Into.Samples).read("passes", Into.Passes).read("clockMHz", Into.ClockMHz);
  OfTime.read("referenceMicroseconds", Into.ReferenceMicroseconds);
  return All.done() && OfTime.done();
}

} // namespace cufuse
