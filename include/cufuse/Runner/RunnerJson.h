// The JSON of jobs and outcomes, both ways: `jsonLine`, and `parseJson` with `Strict`. Keys are the fields' names in
// lowerCamelCase, enumerators are lower case with hyphens (`wrong-result`), an argument's bytes are hexadecimal in
// memory order; what has its default may be left out, and a key that is not known is refused.
#pragma once

#include "cufuse/Runner/RunnerJob.h"
#include "cufuse/Support/Fields.h"

namespace cufuse {

template <typename Io> void fields(Io &IO, FieldsOf<Io, DeviceInfo> D) {
  IO("index", D.Index);
  IO("name", D.Name);
  IO("arch", D.Arch);
  IO.optional("driver", D.Driver);
  IO.optional("multiprocessors", D.Multiprocessors);
  IO.optional("memoryBytes", D.MemoryBytes);
  IO.optional("l2Bytes", D.L2Bytes);
  IO.optional("clockMHz", D.ClockMHz);
  IO.optional("dramBytesPerSecond", D.DramBytesPerSecond);
}

template <typename Io> void fields(Io &IO, FieldsOf<Io, Initializer> I) {
  const bool IsFile = I.What == Initializer::File;
  IO("kind", I.What);
  IO.optional("path", I.Path, IsFile);
  IO.optional("a", I.A, !IsFile);
  IO.optional("b", I.B, !IsFile);
  IO.optional("seed", I.Seed, !IsFile);
}

template <typename Io> void fields(Io &IO, FieldsOf<Io, Tolerance> T) {
  IO.optional("absolute", T.Absolute);
  IO.optional("relative", T.Relative);
}

template <typename Io> void fields(Io &IO, FieldsOf<Io, BufferSpec> B) {
  IO("name", B.Name);
  IO("type", B.Type);
  IO("count", B.Count);
  IO.optional("init", B.Init);
  IO.optional("output", B.Output);
  IO.optional("accumulated", B.Accumulated);
  IO.optional("compare", B.Compare);
}

template <typename Io> void fields(Io &IO, FieldsOf<Io, KernelArgument::Address> A) {
  IO.optional("offset", A.Offset);
  IO("buffer", A.Buffer);
  IO.optional("plus", A.Plus);
}

template <typename Io> void fields(Io &IO, FieldsOf<Io, KernelArgument> A) {
  IO.optional("bytes", A.Bytes);
  IO.optional("addresses", A.Addresses, !A.Addresses.empty());
  IO.optional("zeroedBytes", A.ZeroedBytes, A.ZeroedBytes > 0);
}

template <typename Io> void fields(Io &IO, FieldsOf<Io, KernelLaunch> L) {
  IO("cubin", L.Cubin);
  IO("kernel", L.Kernel);
  IO.optional("grid", L.Grid);
  IO.optional("block", L.Block);
  IO.optional("dynamicBytes", L.DynamicBytes);
  IO.optional("arguments", L.Arguments);
}

template <typename Io> void fields(Io &IO, FieldsOf<Io, Stopping> S) {
  IO.optional("relativeNoise", S.RelativeNoise);
  IO.optional("minSamples", S.MinSamples);
  IO.optional("maxSamples", S.MaxSamples);
  IO.optional("maxSeconds", S.MaxSeconds);
}

template <typename Io> void fields(Io &IO, FieldsOf<Io, Schedule> S) {
  IO("name", S.Name);
  IO.optional("how", S.How);
  IO.optional("launches", S.Launches);
  IO.optional("verify", S.Verify);
  IO.optional("counters", S.Counters);
  IO.optional("stop", S.Stop);
  IO.optional("beside", S.Beside, !S.Beside.empty());
}

template <typename Io> void fields(Io &IO, FieldsOf<Io, RunnerJob> J) {
  IO.optional("buffers", J.Buffers);
  IO.optional("schedules", J.Schedules);
  IO.optional("stop", J.Stop);
  IO.optional("flushL2", J.FlushL2);
  IO.optional("passes", J.Passes);
  IO.optional("metrics", J.Metrics);
  IO.optional("scheduleSeconds", J.ScheduleSeconds);
}

template <typename Io> void fields(Io &IO, FieldsOf<Io, Timing> T) {
  IO("microseconds", T.Microseconds);
  IO.optional("relativeNoise", T.RelativeNoise);
  IO.optional("samples", T.Samples);
  IO.optional("passes", T.Passes);
  IO.optional("clockMHz", T.ClockMHz);
  IO.optional("referenceMicroseconds", T.ReferenceMicroseconds);
  IO.optional("rounds", T.Rounds, !T.Rounds.empty());
}

template <typename Io> void fields(Io &IO, FieldsOf<Io, RunOutcome> O) {
  IO("name", O.Name);
  IO("status", O.Status);
  IO.optional("what", O.What, !O.What.empty());
  IO.optional("time", O.Time);
  IO.optional("counters", O.Counters, !O.Counters.empty());
  IO.optional("countersNote", O.CountersNote, !O.CountersNote.empty());
  IO.optional("beside", O.Beside, !O.Beside.empty());
}

} // namespace cufuse
