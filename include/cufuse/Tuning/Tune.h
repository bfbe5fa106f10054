// `cufuse tune`: from a workload to the fused source that is fastest, or to the reasons not to fuse.
#pragma once

#include "cufuse/Driver/Fuser.h"
#include "cufuse/Search/Search.h"
#include "cufuse/Search/TuneResult.h"
#include "cufuse/Search/Verdict.h"
#include "cufuse/Support/ArtifactCache.h"
#include "cufuse/Support/FileStore.h"

#include <llvm/ADT/STLFunctionalExtras.h>

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>

namespace cufuse {

/// How a run serves a list of sizes.
struct SizeOfList {
  std::string Only = {};   ///< The key of the one candidate to try; empty: all of them.
  bool ApartBelow = false; ///< The launcher launches the kernels apart for less elements than these.
};

constexpr unsigned MostOfList = 4; ///< Kernels among which a launcher chooses.

struct TuneRequest {
  std::vector<std::string> Workloads;      ///< YAML files.
  std::vector<std::string> Settings;       ///< `NAME=VALUE`
  std::string Arch;                        ///< Empty: the GPU's own, else sm_90a.
  std::string Name;                        ///< Of the fused kernel; empty: the kernels' names, joined.
  std::string Output;                      ///< `OUT.cu`
  std::array<std::string, 2> OtherOutputs; ///< Reports that the caller will write: HTML, JSON; empty where none is.
  std::string Trace;                       ///< Path; what it holds is not measured again. Empty: in memory.
  std::string Strategy = "auto";
  std::uint64_t Seed = 0;
  unsigned Measured = 0; ///< Candidates to measure at most; 0: no limit.
  /// From the beginning of the run to the end of the search, which gets half of them at least; 0: no limit. Without,
  /// the automatic search on a GPU has 15 where 16 compilations run at once, and more where fewer do; others have no
  /// limit.
  std::optional<double> Seconds;
  bool WithoutUnrolling = false; ///< Leave loops as they are.
  bool WithoutBinding = false;   ///< Leave arguments as they are, also those that the workload allows to bind.
  double RequiredSpeedup = UsualSpeedup;
  std::vector<unsigned> Devices;        ///< Empty: the first GPU.
  bool WithoutGpu = false;              ///< Rank by the model, also where there is a GPU.
  unsigned Jobs = 0;                    ///< Compilations at once; 0: one for each core.
  std::optional<SizeOfList> List;       ///< Some: of a list of sizes, for linked kernels.
  bool EmitSolo = false;                ///< Write the kernels alone where those, tuned and bound, are the best answer.
  std::string Database;                 ///< Path; empty: the result is not kept.
  std::shared_ptr<ArtifactCache> Cache; ///< Of what is compiled.
  std::string Runner;                   ///< Path of cufuse-runner.
  std::string Command, Version;
};

struct FusedGroup;

struct TuneAnswer {
  TuneResult Result;
  Summary Verdict;
  /// The source of the winner and its header, of a graph those of each fused launch; none where fusing is not
  /// recommended.
  std::vector<OutputFile> Files = {};
  /// Sources, with headers beside them, that an earlier tuning may have written, and this one does not.
  std::vector<std::string> Stale = {};
  std::shared_ptr<const FusedGroup> Fused = {}; ///< What `Files` have, where that is one launch of linked kernels.
  /// By candidate that was measured, as its launcher counts them; 0 where it does not, or there are several launches.
  std::map<std::string, std::uint64_t> Elements = {};
};

/// Reads the workload, measures the constituents alone, searches, and measures the winner once more beside the
/// baselines, all on one GPU. Refuses, before it begins, outputs that would replace what is read or each
/// other. Keeps in the database only what was decided, and by files that have not changed meanwhile; what cannot be
/// kept is a note. Fails for kernels that cannot be fused and workloads that cannot be run; a candidate that fails is
/// an entry of the trace. Of a workload with links, the candidates are the choices of links to fuse.
llvm::Expected<TuneAnswer> tune(const Toolchain &Tools, const TuneRequest &Request, const SearchSeams &Seams);

/// The same where settings are lists, as in `n=1024,65536`: one size after the other, from the smallest on, is tuned.
/// The answer is of as few candidates, each for the sizes from one on, as lose 2 % at most against the best of each
/// size, the kernels apart among them; or of four that lose least. What was found at each size is in its notes. Several
/// are in `OUT_1.cu`, …, and `OUT.cu` has the launcher, which counts elements; where it cannot, one is taken. Where
/// they pay only from a size on, the launcher launches the kernels apart below that. `Run` is `tune`. Only for linked
/// kernels, which have the same candidates at every size, and with a GPU.
llvm::Expected<TuneAnswer> tuneSizes(const Toolchain &Tools, const TuneRequest &Request,
                                     llvm::function_ref<llvm::Expected<TuneAnswer>(const TuneRequest &Request)> Run);

} // namespace cufuse
