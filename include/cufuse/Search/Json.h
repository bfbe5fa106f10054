// The fields of what traces, databases and reports are made of, for both directions (Support/Fields.h).
#pragma once

#include "cufuse/Plan/ConfigNames.h"
#include "cufuse/Search/TuneResult.h"
#include "cufuse/Support/Fields.h"

namespace cufuse {

template <typename Io> void fields(Io &IO, FieldsOf<Io, ConstituentConfig> C) {
  IO("block", C.Block);
  IO("copies", C.Copies);
  IO.optional("turns", C.Turns);
  IO("resident", C.ResidentBlocks);
  IO("budget", C.RegisterBudget);
  IO("unroll", C.Unroll);
  IO("bound", C.Bound);
  // As on the command line.
  IO.require(C.Copies > 0 && C.Turns > 0 && C.Turns <= MaxCount && C.Unroll <= MaxCount && C.ResidentBlocks <= MaxCount,
             "a constituent has at least one copy and one turn, and no count above 1024");
}

/// `cooperative` is not written: no such configuration is searched for.
template <typename Io> void fields(Io &IO, FieldsOf<Io, FusionConfig> C) {
  IO("geometry", C.Shape);
  IO("grid", C.Grid);
  IO("resident", C.ResidentBlocks);
  IO("registers", C.Registers.Policy);
  IO("register_count", C.Registers.Count);
  IO("min_blocks", C.Registers.MinBlocks);
  IO("constituents", C.Constituents);
  IO.require(!C.Constituents.empty() && C.ResidentBlocks <= MaxCount,
             "a configuration is of one constituent at least, and has no count above 1024");
}

template <typename Io> void fields(Io &IO, FieldsOf<Io, ResourceUse> U) {
  IO("registers", U.Registers);
  IO("spill_stores", U.SpillStores);
  IO("spill_loads", U.SpillLoads);
  IO("stack_bytes", U.StackBytes);
  IO("shared_bytes", U.SharedBytes);
  IO("barriers", U.Barriers);
}

template <typename Io> void fields(Io &IO, FieldsOf<Io, Evaluation> E) {
  IO("fate", E.Outcome);
  IO.optional("why", E.Why, !E.Why.empty());
  IO("resources", E.Resources);
  IO.optional("resident_blocks", E.ResidentBlocks, E.Resources.has_value());
  IO.optional("grids", E.Grids, E.Resources && !E.Grids.empty());
  IO.optional("us", E.Microseconds, E.Samples > 0);
  IO.optional("noise", E.RelativeNoise, E.Samples > 0);
  IO.optional("samples", E.Samples, E.Samples > 0);
  IO.optional("clock_mhz", E.ClockMHz, E.Samples > 0);
  IO.optional("rounds", E.Rounds, !E.Rounds.empty());
}

template <typename Io> void fields(Io &IO, FieldsOf<Io, SoloShape> S) {
  IO("block", S.Block);
  IO("blocks", S.Blocks);
  IO("dynamic_bytes", S.DynamicBytes);
  IO("us", S.Microseconds);
  IO("noise", S.RelativeNoise);
  IO("counters", S.Counters);
  IO("resources", S.Resources);
}

template <typename Io> void fields(Io &IO, FieldsOf<Io, ConstituentProblem> C) {
  IO("name", C.Name);
  IO("shapes", C.Shapes);
  IO("unrolls", C.Unrolls);
  IO("bound", C.Bound);
  IO.require(!C.Shapes.empty() && !C.Unrolls.empty(), "a constituent has at least one shape and one unroll factor");
}

template <typename Io> void fields(Io &IO, FieldsOf<Io, GpuFacts> G) {
  IO("name", G.Name);
  IO("arch", G.Arch);
  IO("driver", G.Driver);
  IO("multiprocessors", G.Multiprocessors);
  IO("dram_bytes_per_us", G.DramBytesPerMicrosecond);
}

template <typename Io> void fields(Io &IO, FieldsOf<Io, LaunchGroup> G) {
  IO("kernels", G.Kernels);
  IO("vectorize", G.Vectorize);
  IO("block", G.Block);
}

template <typename Io> void fields(Io &IO, FieldsOf<Io, GraphArray> A) {
  IO("name", A.Name);
  IO("bytes", A.Bytes);
  IO("readers", A.Readers);
  IO("writers", A.Writers);
  IO("dead", A.Dead);
}

template <typename Io> void fields(Io &IO, FieldsOf<Io, GraphFacts> G) {
  IO("arrays", G.Arrays);
  IO("links", G.Links);
}

template <typename Io> void fields(Io &IO, FieldsOf<Io, Problem> P) {
  IO("workload", P.Workload);
  IO("gpu", P.Gpu);
  IO("constituents", P.Constituents);
  IO("graph", P.Graph);
}

template <typename Io> void fields(Io &IO, FieldsOf<Io, TraceEntry> E) {
  IO.derived("key", E.Tried.key());
  IO("at", E.At);
  IO.optional("launches", E.Tried.Groups, !E.Tried.Groups.empty());
  if (E.Tried.Groups.empty())
    IO("config", E.Tried.Config);
  std::string How = E.Measured ? nameOf(*E.Measured).str() : "screen";
  IO("effort", How);
  if constexpr (Io::IsReading) {
    E.Measured.reset();
    for (const Named<Effort> &One : EffortNames)
      if (One.Name == How)
        E.Measured = One.Value;
    IO.require(E.Measured || How == "screen", "an effort is short, full or screen");
  }
  IO.optional("predicted_us", E.Predicted, E.Predicted > 0);
  fields(IO, E.Result);
}

template <typename Io> void fields(Io &IO, FieldsOf<Io, SoloResult> S) {
  IO("constituent", S.Constituent);
  IO("level", S.Level);
  IO("block", S.Block);
  IO("blocks", S.Blocks);
  IO("unroll", S.Unroll);
  IO("bound", S.Bound);
  IO("tried", S.Tried);
  IO("result", S.Result);
  IO("counters", S.Counters);
}

template <typename Io> void fields(Io &IO, FieldsOf<Io, BaselineResult> B) {
  IO("schedule", B.How);
  IO("level", B.Level);
  IO("result", B.Result);
  IO("counters", B.Counters);
  IO.optional("confirmed", B.Confirmed);
}

template <typename Io> void fields(Io &IO, FieldsOf<Io, CandidateProfile> P) {
  IO("key", P.Key);
  IO("counters", P.Counters);
  IO("in_graph", P.InGraph);
  IO("launched", P.Launched);
}

template <typename Io> void fields(Io &IO, FieldsOf<Io, StepTime> S) {
  IO("name", S.Name);
  IO("seconds", S.Seconds);
  IO("busy", S.Busy);
}

template <typename Io> void fields(Io &IO, FieldsOf<Io, TuneResult> R) {
  IO.version("cufuse_tune", 2);
  IO("command", R.Command);
  IO("version", R.Version);
  IO("started", R.Started);
  IO("seconds", R.Seconds);
  IO("busy_share", R.BusyShare);
  IO("steps", R.Steps);
  IO("strategy", R.Strategy);
  IO("space_size", R.SpaceSize);
  IO("required_speedup", R.RequiredSpeedup);
  IO.optional("restricted", R.Restricted);
  IO("modelled", R.Modelled);
  IO("interrupted", R.Interrupted);
  IO.optional("starved", R.Starved);
  IO.optional("alone_left_out", R.AloneLeftOut);
  IO.optional("unconfirmed", R.Unconfirmed);
  IO("notes", R.Notes);
  IO("problem", R.What);
  IO("solo", R.Solo);
  IO("solo_failed", R.SoloFailed);
  IO("baselines", R.Baselines);
  IO("tried", R.Tried);
  IO("profiles", R.Profiles);
  if constexpr (Io::IsReading)
    IO.require(llvm::all_of(R.Tried, [&](const TraceEntry &E) { return isOf(R.What, E); }),
               "a candidate is of other kernels than the problem");
}

} // namespace cufuse
