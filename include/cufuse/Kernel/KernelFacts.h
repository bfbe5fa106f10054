// What is known of one kernel (one instantiation, if it is a template) and of everything it calls. Plain data: no
// Clang.
#pragma once

#include "cufuse/Kernel/Blocker.h"
#include "cufuse/Support/BlockShape.h"
#include "cufuse/Support/Error.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace cufuse {

/// Hardware barriers of a block beside 0 (PTX ISA, barrier).
constexpr unsigned MaxNamedBarriers = 15;

/// Which of x, y, z are read.
using Dimensions = std::array<bool, 3>;
inline bool any(const Dimensions &D) { return D[0] || D[1] || D[2]; }

/// The block-level built-in variables, in the order of `KernelFacts::Reads`.
enum class Builtin { ThreadIdx, BlockIdx, BlockDim, GridDim };
constexpr std::array<const char *, 4> BuiltinNames = {"threadIdx", "blockIdx", "blockDim", "gridDim"};
/// Their special registers in PTX, without `%` and dimension.
constexpr std::array<const char *, 4> BuiltinRegisters = {"tid", "ctaid", "ntid", "nctaid"};

/// What the bytes of a scalar mean. `Float` has 2, 4 or 8 of them, `BFloat` 2.
enum class ScalarKind {
  Bool,
  Signed,
  Unsigned,
  Float,
  BFloat,
  Pointer,
  Opaque, ///< Of another kind (a union, a bit-field, a pointer to a function, …): its bytes cannot be written by value.
};

/// A scalar inside a parameter, or the whole of it.
struct FieldFacts {
  std::string Path; ///< `origin.x`, `words[2]`; empty for a parameter that is a scalar itself.
  std::string Type;
  ScalarKind Kind = ScalarKind::Opaque;
  unsigned long long Offset = 0, Bytes = 0; ///< Offset: in bytes from the start of the parameter.
};

struct ParameterFacts {
  std::string Name;             ///< As declared; `arg<N>` when the kernel leaves it unnamed.
  std::string Type;             ///< As the reader knows it.
  unsigned long long Bytes = 0; ///< 0: not known (a reference, a type that depends on template parameters).
  unsigned long long Alignment = 1;
  std::vector<FieldFacts> Fields = {}; ///< Every scalar in it, in order; none for an empty class.
};

/// Something found at a place, in a function that the kernel reaches (or the kernel itself).
struct Finding {
  std::string What;
  std::string Function;
  SourcePlace Where;
  /// Of an exit: all lanes of a warp leave, or none, where rows of the block are whole warps.
  bool ByWarps = false;
  /// The same in a block of one row, and of one plane, of any size.
  bool ByWarpsInOneRow = false, ByWarpsInOnePlane = false;
  bool ByBranch = false; ///< Of an exit: not by a return, but round what others wait at, maybe to the end.
  /// Of a warp primitive: it is of `cub::BlockReduce`, which may be of fewer lanes than a warp.
  bool OfBlockReduce = false;

  /// Do whole warps leave a block of this shape?
  bool isByWarps(const BlockShape &Block) const {
    return ByWarps && (Block.X % WarpSize == 0 || (ByWarpsInOneRow && Block.Y * Block.Z == 1) ||
                       (ByWarpsInOnePlane && Block.Z == 1));
  }
};

struct BarrierFacts {
  std::string Call; ///< `__syncthreads`, `__syncthreads_count`, …
  std::string Function;
  SourcePlace Where;
};

struct SharedArray {
  std::string Name;
  std::string Type;
  unsigned long long Bytes = 0; ///< 0 for dynamic shared memory, whose size is an argument of the launch.
  std::string Function;
  SourcePlace Where;
};

/// What a kernel does to a variable.
enum class Change {
  None,
  Adds, ///< Only that, by atomics whose results nobody reads: others may add at the same time.
  Any,
};

struct GlobalFacts {
  std::string Name;
  std::string Space;       ///< `__constant__`, `__device__`, `__managed__`
  bool HostShared = false; ///< Host code of its file refers to it, or it has no initialiser: it must stay one object.
  Change Does = Change::None;
};

/// A launch of the kernel in its file.
struct LaunchFacts {
  std::optional<BlockShape> Block; ///< None where no constant is written.
  SourcePlace Where;
};

/// What is known of a kernel. Who would notice a wrong fact stands above each group of them (docs/soundness.md).
struct KernelFacts {
  // Names and parameters: nvcc, or `cufuse check` by the entry's name.
  std::string Name;          ///< Without namespaces and template arguments.
  std::string QualifiedName; ///< With both.
  std::string Signature;
  /// By the Itanium C++ ABI; empty for a template without arguments. nvcc writes another one where a kernel, or a type
  /// among its template arguments, has internal linkage: see `entryName`.
  std::string MangledName;
  std::vector<std::string> TemplateParameters;
  bool IsTemplate = false; ///< Without arguments: what it does, and whether it can be fused, is not known.
  SourcePlace Where;
  std::vector<ParameterFacts> Parameters;
  unsigned long long ParameterBytes = 0;

  // What its threads ask and where they wait: the comparison of the output's code, and `cufuse check` by the special
  // registers and barriers of its PTX.

  /// By `Builtin`: the dimensions read anywhere, and whether a function other than the kernel's own body reads it.
  std::array<Dimensions, 4> Reads{};
  std::array<bool, 4> ReadByHelper{};

  /// The same of functions of libraries, which are not copied.
  std::array<bool, 4> ReadByLibrary{};
  std::vector<std::string> LibraryBarriers;          ///< Names of the barriers they call.
  std::vector<std::string> LibraryFunctionsOfLinker; ///< See `libraryFunctionsOfLinker`.
  bool MultiWarpTiles = false; ///< Of cooperative groups: they meet in memory that the driver reserves once per block.
  /// It calls functions of cooperative groups' `thread_group`, which ask what the group is, and have code for grids and
  /// clusters. That is never played: a kernel that makes such groups is refused.
  bool UsesAnyGroup = false;

  std::vector<BarrierFacts> Barriers;
  /// Numbers of hardware barriers that it names, but for 0, the block's; all 15 where only the run knows a number.
  std::set<unsigned> NamedBarriers;
  bool ArrivesAtBarriers = false; ///< Without waiting there.

  // Memory: the comparison of the output's code has the variables, ptxas the sum, and the launch the dynamic part.
  std::vector<SharedArray> StaticShared;
  std::vector<SharedArray> DynamicShared;
  bool HelperHasDynamicShared = false;
  unsigned DynamicAlignment = 1;      ///< Bytes, as declared for the dynamic shared memory.
  std::optional<unsigned> MaxThreads; ///< From __launch_bounds__. A launch would fail.
  std::vector<GlobalFacts> Globals;   ///< Also `cufuse check`: a table that the PTX changes is none.
  std::vector<std::string> Helpers;   ///< Functions of the user's files that the kernel reaches, qualified.

  // How it meets other threads and blocks: nobody, before it runs. The tests of test/Language, the emulator and the
  // fuzzers are for these.
  std::vector<Finding> Atomics;
  std::optional<Finding>
      GridLaunch; ///< Of a kernel, or of a copy by the device's runtime, which ends when the grid does.
  std::vector<Finding> ReadOnlyLoads; ///< By a cache that does not see what the same launch has stored, otherwise.
  bool LoadsByLdg = false;            ///< By `__ldg` in the user's text, for which something else may stand there.
  std::vector<Finding> WarpPrimitives;
  bool AsksLane = false;                     ///< Which of its warp a thread is, but in a reduction of the block.
  std::optional<SourcePlace> GridStrideLoop; ///< See `gridStrideLoop`.
  std::vector<Finding> EarlyExits;           ///< Returns from the kernel before its end.
  /// Where threads may leave although others still wait at a barrier, or in a warp primitive.
  std::vector<Finding> ExitsBeforeBarrier, ExitsBeforeWarpPrimitive;
  bool SignedThreadNumber = false; ///< An exit `ByWarps` is one only for less than 2^31 threads in x.
  std::optional<Finding> SpinLoop; ///< See `findSpinLoop`.
  bool CopiesAsynchronously = false, CopiesInBulk = false; ///< To or from shared memory: somebody has to wait.
  std::optional<SourcePlace> KeptMbarrier;                 ///< One that it initialises, while it invalidates none.
  /// Its text has static shared memory for several blocks of lanes, which meet by themselves.
  bool PlaysLanes = false;
  /// Of products that we wrote for warpgroups or clusters: the registers that warpgroups divide, or 0 where none do.
  std::set<unsigned> WarpgroupBudgets = {};

  // For the choice of a block, which a launch says again; and for messages.
  std::vector<LaunchFacts> Launches;

  std::vector<Blocker> Blockers;

  bool reads(Builtin B) const { return any(Reads[static_cast<size_t>(B)]); }
  bool namesAnyBarrier() const { return NamedBarriers.size() == MaxNamedBarriers; }
  bool usesShared() const { return !StaticShared.empty() || !DynamicShared.empty(); }
  unsigned long long staticSharedBytes() const {
    unsigned long long Sum = 0;
    for (const SharedArray &S : StaticShared)
      Sum += S.Bytes;
    return Sum;
  }
  /// Helpers read a virtual index, so that it must lie in shared memory instead of a parameter of the body.
  bool sharesIndices() const {
    return HelperHasDynamicShared || readElsewhere(Builtin::BlockIdx) || readElsewhere(Builtin::GridDim);
  }
  bool readElsewhere(Builtin B) const {
    return ReadByHelper[static_cast<size_t>(B)] || ReadByLibrary[static_cast<size_t>(B)];
  }
  bool libraryUsesBlock() const {
    return !LibraryBarriers.empty() ||
           std::any_of(ReadByLibrary.begin(), ReadByLibrary.end(), [](bool B) { return B; });
  }
  /// Threads say that they leave, so that the others do not wait for them.
  bool announcesExits() const {
    return !ExitsBeforeBarrier.empty() ||
           std::any_of(ExitsBeforeWarpPrimitive.begin(), ExitsBeforeWarpPrimitive.end(),
                       [&](const Finding &Exit) { return !Exit.ByBranch || (!Exit.ByWarps && !EarlyExits.empty()); });
  }
  bool needsBarrier() const {
    return !Barriers.empty() || !LibraryBarriers.empty() || !NamedBarriers.empty() || sharesIndices();
  }

  /// Adds what the threads of the other kernel do, in whose body this one's continue: all but its names, its parameters
  /// and what is known of its launches.
  void includeWhatItDoes(const KernelFacts &Other);
};

} // namespace cufuse
