#include "EmitPrelude.h"

#include <set>

namespace cufuse {

namespace {

/// The only place with PTX in it. `{…}` chunks are left out where no constituent needs them.
constexpr const char *PartitionHead =
    R"(/// Threads [First, First + SizeX * SizeY * SizeZ) of the block play one block of a kernel. They synchronise by a
/// hardware barrier of their own, which counts whole warps (PTX ISA, barrier.cta).
template <unsigned First, unsigned Barrier, unsigned SizeX, unsigned SizeY, unsigned SizeZ> struct CufusePartition {
  static constexpr unsigned Threads = SizeX * SizeY * SizeZ;
  static constexpr unsigned PaddedThreads = (Threads + 31) / 32 * 32;
  static_assert(Threads >= 1 && First % 32 == 0 && First + PaddedThreads <= 1024 && Barrier <= 15, "impossible partition");)";

/// A partition that is the whole block is the block: the kernel alone stays what it was, to the register.
constexpr const char *WholeBlockThreads = R"(
  static __device__ __forceinline__ unsigned rank() {
    return SizeY * SizeZ == 1 ? ::threadIdx.x : (::threadIdx.z * SizeY + ::threadIdx.y) * SizeX + ::threadIdx.x;
  }
  static __device__ __forceinline__ uint3 threadIdx() { return uint3{::threadIdx.x, ::threadIdx.y, ::threadIdx.z}; }
  static __device__ __forceinline__ dim3 blockDim() { return ::blockDim; })";

/// No loop must count in the register of ::threadIdx.x: behind it, ptxas 13.0 takes `threadIdx.x - First` from what
/// that has become (docs/soundness.md). LLVM lets none where the rank is a remainder, which costs nothing, or where it
/// does not see the subtraction.
constexpr const char *PartitionThreads = R"(
  static __device__ __forceinline__ unsigned rank() {
    if (First == 0)
      return ::threadIdx.x;
    if ((PaddedThreads & (PaddedThreads - 1)) == 0 && First % PaddedThreads == 0)
      return ::threadIdx.x % PaddedThreads;
    unsigned rank = ::threadIdx.x - First;
    asm("" : "+r"(rank)); // or ptxas subtracts again behind a loop that has changed the copy of threadIdx.x
    return rank;
  }
  static __device__ __forceinline__ uint3 threadIdx() {
    return uint3{SizeY * SizeZ == 1 ? rank() : rank() % SizeX,
                 SizeZ == 1 ? (SizeY == 1 ? 0 : rank() / SizeX) : rank() / SizeX % SizeY,
                 SizeZ == 1 ? 0 : rank() / (SizeX * SizeY)};
  }
  static __device__ __forceinline__ dim3 blockDim() { return dim3(SizeX, SizeY, SizeZ); })";

constexpr const char *Grid =
#include "Grid.inc"
    ;
constexpr const char *Share =
#include "Share.inc"
    ;

constexpr const char *PartitionSync = R"(
  static __device__ __forceinline__ void sync() {
    asm volatile("barrier.cta.sync %0, %1;" ::"n"(Barrier), "n"(PaddedThreads) : "memory");
  })";

constexpr const char *WholeBlockSync = R"(
  static __device__ __forceinline__ void sync() { ::__syncthreads(); })";

constexpr const char *WholeBlockReductions = R"(
  static __device__ __forceinline__ int syncCount(int predicate) { return ::__syncthreads_count(predicate); }
  static __device__ __forceinline__ int syncAnd(int predicate) { return ::__syncthreads_and(predicate); }
  static __device__ __forceinline__ int syncOr(int predicate) { return ::__syncthreads_or(predicate); })";

constexpr const char *PartitionReductions = R"(
  static __device__ __forceinline__ int syncCount(int predicate) {@count@
    int count;
    asm volatile("{ .reg .pred p; setp.ne.s32 p, %1, 0; barrier.cta.red.popc.u32 %0, %2, %3, p; }"
                 : "=r"(count) : "r"(predicate), "n"(Barrier), "n"(PaddedThreads) : "memory");
    return count;
  }
  static __device__ __forceinline__ int syncAnd(int predicate) {@and@
    int all;
    asm volatile("{ .reg .pred p, q; setp.ne.s32 p, %1, 0; barrier.cta.red.and.pred q, %2, %3, p; selp.s32 %0, 1, 0, q; }"
                 : "=r"(all) : "r"(predicate), "n"(Barrier), "n"(PaddedThreads) : "memory");
    return all;
  }
  static __device__ __forceinline__ int syncOr(int predicate) {@or@
    int any;
    asm volatile("{ .reg .pred p, q; setp.ne.s32 p, %1, 0; barrier.cta.red.or.pred q, %2, %3, p; selp.s32 %0, 1, 0, q; }"
                 : "=r"(any) : "r"(predicate), "n"(Barrier), "n"(PaddedThreads) : "memory");
    return any;
  })";

constexpr const char *PartitionNamed = R"(
  /// The hardware barriers that stand for those that the kernel names follow its own.
  static constexpr __device__ unsigned named(unsigned index) { return Barrier + 1 + index; }
  static __device__ __forceinline__ void syncNamed(unsigned barrier, unsigned count) {
    asm volatile("barrier.cta.sync %0, %1;" ::"r"(barrier), "r"(count) : "memory");
  })";

/// Where some partitions are the whole block, and others are not; what `@whole@` stands for tells them apart.
constexpr const char *EitherSync = R"(
  static __device__ __forceinline__ void sync() {
    if (@whole@)
      ::__syncthreads();
    else
      asm volatile("barrier.cta.sync %0, %1;" ::"n"(Barrier), "n"(PaddedThreads) : "memory");
  })";

constexpr const char *PartitionDynamic = R"(
  /// The partition's part of the dynamic shared memory, which starts `offset` bytes into the block's.
  template <typename Array> static __device__ __forceinline__ Array &dynamicShared(unsigned offset) {
    return reinterpret_cast<Array &>(cufuse_dynamicShared[offset]);
  })";

constexpr const char *PartitionIndices = R"(
  /// What functions called by the kernel read of the block they are in.
  struct Indices {
    uint3 blockIdx;
    dim3 gridDim;
    unsigned dynamicOffset;
  };
  static __device__ __forceinline__ Indices &indices() {
    __shared__ __align__(16) unsigned char memory[sizeof(Indices)];
    return reinterpret_cast<Indices &>(memory);
  }
  static __device__ __forceinline__ void enterBlock(uint3 blockIdx, dim3 gridDim, unsigned dynamicOffset) {
    if (rank() == 0)
      indices() = Indices{blockIdx, gridDim, dynamicOffset};
    sync();
  })";

constexpr const char *PartitionPool = R"(
  /// The next of the kernel's blocks that nobody has taken from the pool: one thread takes it for all.
  static __device__ __forceinline__ unsigned next(unsigned *pool) {
    __shared__ unsigned taken;
    sync(); // before the next block uses the same shared memory
    if (rank() == 0)
      taken = atomicAdd(pool, 1u);
    sync();
    return taken;
  })";

constexpr const char *Ticket = R"(
/// Numbers the blocks that come to a multiprocessor (PTX ISA, %smid).
struct CufuseTicket {
  static __device__ __forceinline__ unsigned take(unsigned *tickets) {
    __shared__ unsigned taken;
    if (::threadIdx.x == 0) {
      unsigned multiprocessor;
      asm volatile("mov.u32 %0, %%smid;" : "=r"(multiprocessor));
      taken = atomicAdd(&tickets[multiprocessor % 256], 1u);
    }
    ::__syncthreads();
    return taken;
  }
};)";

constexpr const char *ExitOfThread = R"(
  /// Ends the thread, so that no warp primitive waits for it.
  static __device__ __forceinline__ void leave() { asm volatile("exit;"); })";

constexpr const char *ExitOfWarp = R"(
  /// Only whole warps leave, so that no warp primitive waits for a lane: they go on to the next block.
  static __device__ __forceinline__ void leave() {})";

constexpr const char *FinishCopies = R"(
  /// Waits for the thread's asynchronous copies, whoever has waited for some of them.
  static __device__ __forceinline__ void finishCopies() {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
  })";

constexpr const char *FinishBulkCopies = R"(
  /// Waits for the thread's asynchronous copies, whoever has waited for some of them. The next block's bulk copies find
  /// what this block has left in shared memory (PTX ISA, async proxy).
  static __device__ __forceinline__ void finishCopies() {
#if __CUDA_ARCH__ >= 900
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    asm volatile("fence.proxy.async;" ::: "memory");
#endif
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
  })";

constexpr const char *Registers = R"(
/// All warps of a partition change the registers of their threads from those that the launch gave to those that they
/// need: first some give back, then others take (PTX ISA, setmaxnreg; for -gencode arch=compute_90a,code=sm_90a).
template <unsigned AtLaunch, unsigned Own> __device__ __forceinline__ void cufuseRegisters() {
  if (Own < AtLaunch)
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Own));
  else if (Own > AtLaunch)
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Own));
})";

constexpr const char *DropOutPartition =
    R"(/// A partition whose threads may leave before others synchronise. A warp that has exited never arrives at a hardware barrier
/// with a count, so the threads meet at an mbarrier, from which those that leave drop out (PTX ISA, mbarrier.arrive_drop).
template <unsigned First, unsigned Barrier, unsigned SizeX, unsigned SizeY, unsigned SizeZ>
struct CufuseDropOutPartition : CufusePartition<First, Barrier, SizeX, SizeY, SizeZ> {
  using Whole = CufusePartition<First, Barrier, SizeX, SizeY, SizeZ>;
  struct Meeting {
    unsigned long long barrier;
    int votes;
  };
  static __device__ __forceinline__ Meeting &meeting() {
    __shared__ __align__(8) unsigned char memory[sizeof(Meeting)];
    return reinterpret_cast<Meeting &>(memory);
  }
  static __device__ __forceinline__ unsigned address() {
    return static_cast<unsigned>(__cvta_generic_to_shared(&meeting().barrier));
  }
  /// All threads begin a block of the kernel.
  static __device__ __forceinline__ void begin() {
    if (Whole::rank() == 0) {
      asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(address()), "n"(Whole::Threads) : "memory");
      meeting().votes = 0;
    }
    Whole::sync();
  }
  /// All have left it.
  static __device__ __forceinline__ void end() {
    Whole::sync();
    if (Whole::rank() == 0)
      asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(address()) : "memory");
  }
  static __device__ __forceinline__ void sync() {
    unsigned long long phase;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(phase) : "r"(address()) : "memory");
    unsigned complete;
    do
#if __CUDA_ARCH__ >= 900 // sleeps for a while instead of spinning
      asm volatile("{ .reg .pred p; mbarrier.try_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
#else
      asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
#endif
                   : "=r"(complete) : "r"(address()), "l"(phase) : "memory");
    while (!complete);
  }
  static __device__ __forceinline__ void leave() {
    asm volatile("{ .reg .b64 phase; mbarrier.arrive_drop.shared.b64 phase, [%0]; }" ::"r"(address()) : "memory");)";

constexpr const char *DropOutReductions = R"(  /// The number of threads here with a predicate.
  static __device__ __forceinline__ int syncCount(int predicate) {
    if (predicate)
      atomicAdd(&meeting().votes, 1);
    sync();
    const int count = *const_cast<volatile int *>(&meeting().votes);
    sync();
    atomicExch(&meeting().votes, 0);
    sync();
    return count;
  }
  static __device__ __forceinline__ int syncAnd(int predicate) { return syncCount(!predicate) == 0; }
  static __device__ __forceinline__ int syncOr(int predicate) { return syncCount(predicate) != 0; })";

OutputText replaced(llvm::StringRef Text, llvm::StringRef Mark, const OutputText &By) {
  const auto [Before, Behind] = Text.split(Mark);
  return Before.str() + By + Behind.str();
}

/// What is true of a partition that is the whole block, where there are others, too.
OutputText isWhole(const FusionPlan &Plan) { return "Threads == " + constant(Plan.BlockThreads); }

/// The reductions, where partitions are the whole block first of all.
OutputText partitionReductions(const FusionPlan &Plan, bool SomeAreWhole) {
  OutputText Text;
  llvm::StringRef Left = PartitionReductions;
  for (const char *Kind : {"count", "and", "or"}) {
    const auto [Before, Behind] = Left.split(fmt::format("@{}@", Kind));
    Text += Before.str();
    if (SomeAreWhole)
      Text += outputText("\n    if ({})\n      return ::__syncthreads_{}(predicate);", isWhole(Plan), Kind);
    Left = Behind;
  }
  return Text + Left.str();
}

/// Which chunks of the prelude some constituent needs.
struct Needs {
  bool Sync = false, Reductions = false, Dynamic = false, Indices = false, Exit = false, DropOut = false, Named = false;
  bool Whole = false;                      ///< Some partitions are the whole block, where others are not.
  bool Copies = false, BulkCopies = false; ///< Asynchronous ones may go on after a block's end.

  Needs(llvm::ArrayRef<Constituent> Constituents, const FusionPlan &Plan) {
    for (const PartitionPlan &Partition : Plan.Partitions) {
      const KernelFacts &Facts = *Constituents[Partition.Constituent].Facts;
      Whole |= Partition.WholeBlock;
      Sync |= Partition.Synchronises;
      DropOut |= Partition.DropsOut;
      Exit |= Facts.announcesExits() && !Partition.DropsOut;
    }
    for (const Constituent &C : Constituents) {
      for (const BarrierFacts &Barrier : C.Facts->Barriers)
        Reductions |= isReduction(Barrier.Call);
      for (const std::string &Barrier : C.Facts->LibraryBarriers)
        Reductions |= isReduction(Barrier);
      Dynamic |= !C.Facts->DynamicShared.empty();
      Indices |= Plan.sharesIndices(*C.Facts);
      Named |= !C.Facts->NamedBarriers.empty();
      Copies |= finishesCopies(*C.Facts, Constituents, Plan);
      BulkCopies |= C.Facts->CopiesInBulk;
    }
  }
  static bool isReduction(llvm::StringRef Barrier) { return Barrier.starts_with("__syncthreads_"); }
};

} // namespace

bool finishesCopies(const KernelFacts &Facts, llvm::ArrayRef<Constituent> Constituents, const FusionPlan &Plan) {
  return !Plan.playsOnce() && (Facts.CopiesAsynchronously ||
                               (!Facts.DynamicShared.empty() && llvm::any_of(Constituents, [](const Constituent &C) {
                                 return C.Facts->CopiesInBulk && !C.Facts->DynamicShared.empty();
                               })));
}

namespace {

/// What a library's name is rebound to: a member of the partition.
struct Rebound {
  const char *Type, *Name, *Parameter, *Member, *Argument;
};

/// The names that libraries use, of all constituents.
std::vector<Rebound> reboundForLibraries(llvm::ArrayRef<Constituent> Constituents) {
  std::array<bool, 4> Reads{};
  std::set<std::string> Barriers;
  for (const Constituent &C : Constituents) {
    for (size_t B = 0; B < Reads.size(); ++B)
      Reads[B] |= C.Facts->ReadByLibrary[B];
    Barriers.insert(C.Facts->LibraryBarriers.begin(), C.Facts->LibraryBarriers.end());
  }
  std::vector<Rebound> All;
  auto Variable = [&](Builtin B, Rebound R) {
    if (Reads[static_cast<size_t>(B)])
      All.push_back(R);
  };
  Variable(Builtin::ThreadIdx, {"uint3", "threadIdx", "", "threadIdx", ""});
  Variable(Builtin::BlockDim, {"dim3", "blockDim", "", "blockDim", ""});
  Variable(Builtin::BlockIdx, {"uint3", "blockIdx", "", "indices().blockIdx", nullptr});
  Variable(Builtin::GridDim, {"dim3", "gridDim", "", "indices().gridDim", nullptr});
  for (const Rebound &R :
       {Rebound{"void", "__syncthreads", "", "sync", ""}, Rebound{"void", "__barrier_sync", "unsigned", "sync", ""},
        Rebound{"int", "__syncthreads_count", "int predicate", "syncCount", "predicate"},
        Rebound{"int", "__syncthreads_and", "int predicate", "syncAnd", "predicate"},
        Rebound{"int", "__syncthreads_or", "int predicate", "syncOr", "predicate"}})
    if (Barriers.count(R.Name))
      All.push_back(R);
  return All;
}

/// The partition that a thread belongs to, where that is not known from the namespace.
void emitBlockOfLibraries(Writer &Out, llvm::ArrayRef<Constituent> Constituents, const FusionPlan &Plan) {
  std::vector<const PartitionPlan *> Users;
  for (const PartitionPlan &P : Plan.Partitions)
    if (Constituents[P.Constituent].Facts->libraryUsesBlock())
      Users.push_back(&P);
  Out.blank();
  Out.write("/// What the headers of libraries take for the block: the partition that the thread belongs to. The "
            "compiler knows it\n"
            "/// wherever they are inlined into a body.\n"
            "struct CufuseBlock {");
  for (const Rebound &R : reboundForLibraries(Constituents)) {
    Out.line("  static __device__ __forceinline__ {} {}({}) {{", R.Type, R.Name, R.Parameter);
    for (const PartitionPlan *P : Users) {
      if (P != Users.back())
        Out.line("    if (::threadIdx.x < {})", constant(P->First + P->Reserved));
      Out.line("{}    return {}::{}{};", P != Users.back() ? "  " : "", partitionType(*P), R.Member,
               R.Argument ? fmt::format("({})", R.Argument) : "");
    }
    Out.write("  }");
  }
  Out.write("};");
}

} // namespace

bool rebindsLibraries(llvm::ArrayRef<Constituent> Constituents, const FusionPlan &Plan) {
  return !Plan.keepsGrid() && std::any_of(Constituents.begin(), Constituents.end(),
                                          [](const Constituent &C) { return C.Facts->libraryUsesBlock(); });
}

std::string partitionNamespace(const std::string &Name, llvm::ArrayRef<Constituent> Constituents,
                               const FusionPlan &Plan, const PartitionPlan &P) {
  const std::string Text = textNamespace(Name, Constituents[P.Constituent]);
  return Plan.Roles[P.Constituent].Copies == 1 ? Text : fmt::format("{}::copy{}", Text, P.Copy);
}

OutputText partitionType(const PartitionPlan &P) {
  return outputText("{}<{}, {}, {}, {}, {}>", P.DropsOut ? "CufuseDropOutPartition" : "CufusePartition",
                    constant(P.First), constant(P.Barrier), constant(P.Block.X), constant(P.Block.Y),
                    constant(P.Block.Z));
}

void emitPrelude(Writer &Out, llvm::ArrayRef<Constituent> Constituents, const FusionPlan &Plan,
                 const std::string &Name) {
  const Needs Need(Constituents, Plan);
  Out.line("namespace {} {{", Name);
  Out.blank();
  if (Need.Dynamic) {
    Out.write("extern __shared__ __align__(1024) unsigned char cufuse_dynamicShared[];");
    Out.blank();
  }
  Out.write(Grid);
  if (Plan.interleaves())
    Out.write(Share);
  Out.write(PartitionHead);
  const bool Whole = Plan.keepsBlock();
  Out.write(Whole ? WholeBlockThreads : PartitionThreads);
  if (Need.Sync)
    Out.write(Whole        ? OutputText(WholeBlockSync)
              : Need.Whole ? replaced(EitherSync, "@whole@", isWhole(Plan))
                           : OutputText(PartitionSync));
  if (Need.Reductions)
    Out.write(Whole ? OutputText(WholeBlockReductions) : partitionReductions(Plan, Need.Whole));
  if (Need.Named)
    Out.write(PartitionNamed);
  if (Need.Dynamic)
    Out.write(PartitionDynamic);
  if (Need.Indices)
    Out.write(PartitionIndices);
  if (Plan.Grid == GridPolicy::Pool)
    Out.write(PartitionPool);
  if (Need.Copies)
    Out.write(Need.BulkCopies ? FinishBulkCopies : FinishCopies);
  if (Need.Exit)
    Out.write(Plan.playsOnce() ? ExitOfThread : ExitOfWarp);
  Out.write("};");
  if (Plan.Shape == Geometry::Blocks && Plan.Grid == GridPolicy::Pool)
    Out.write(Ticket);
  if (Need.DropOut) {
    Out.blank();
    Out.write(DropOutPartition);
    if (Plan.playsOnce())
      Out.write("    asm volatile(\"exit;\");");
    Out.write("  }");
    if (Need.Reductions)
      Out.write(DropOutReductions);
    Out.write("};");
  }
  if (Plan.Registers.Policy == RegisterPolicy::Split)
    Out.write(Registers);
  if (rebindsLibraries(Constituents, Plan))
    emitBlockOfLibraries(Out, Constituents, Plan);
  Out.blank();
  Out.line("}} // namespace {}", Name);
  Out.blank();
}

void defineForLibraries(Writer &Out, llvm::ArrayRef<Constituent> Constituents, const std::string &Name, bool Define) {
  for (const Rebound &R : reboundForLibraries(Constituents))
    if (!Define)
      Out.line("#undef {}", R.Name);
    else
      Out.line("#define {0} ::{1}::CufuseBlock::{0}{2}", R.Name, Name,
               llvm::StringRef(R.Name).starts_with("__") ? "" : "()");
  Out.blank();
}

} // namespace cufuse
