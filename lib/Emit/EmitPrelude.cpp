#include "EmitPrelude.h"

#include "EmittedCuda.h"

#include <fmt/core.h>

#include <set>

namespace cufuse {

namespace {

/// Which parts of the prelude some constituent needs.
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
  auto Add = [&](llvm::StringRef File, llvm::ArrayRef<Given> Values = {}) {
    Out.blank();
    Out.write(emitted(File, Values));
  };
  Add(cuda::Grid, {{"DYNAMIC", Need.Dynamic}});
  if (Plan.interleaves())
    Add(cuda::Share);
  // A partition that is the whole block is the block: the kernel alone stays what it was, to the register. Else no loop
  // must count in the register of ::threadIdx.x: behind it, ptxas 13.0 takes `threadIdx.x - First` from what that has
  // become (docs/soundness.md). LLVM lets none where the rank is a remainder, which costs nothing, or where it does not
  // see the subtraction.
  const Given Reductions{"REDUCTIONS", Need.Reductions}, PlaysOnce{"PLAYS_ONCE", Plan.playsOnce()};
  const Given Whole = Need.Whole ? Given{"WHOLE_THREADS", constant(Plan.BlockThreads)} : Given{"WHOLE_THREADS", false};
  Add(cuda::Partition, {{"KEEPS_BLOCK", Plan.keepsBlock()},
                        Whole,
                        {"SYNC", Need.Sync},
                        Reductions,
                        {"NAMED", Need.Named},
                        {"DYNAMIC", Need.Dynamic},
                        {"INDICES", Need.Indices},
                        {"POOL", Plan.Grid == GridPolicy::Pool},
                        {"COPIES", Need.Copies},
                        {"BULK_COPIES", Need.BulkCopies},
                        {"EXIT", Need.Exit},
                        PlaysOnce});
  if (Plan.Shape == Geometry::Blocks && Plan.Grid == GridPolicy::Pool)
    Add(cuda::Ticket);
  if (Need.DropOut)
    Add(cuda::DropOutPartition, {Reductions, PlaysOnce});
  if (Plan.Registers.Policy == RegisterPolicy::Split)
    Add(cuda::Registers);
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
