#include "cufuse/Plan/ExpectPtx.h"

#include <llvm/ADT/STLExtras.h>

namespace cufuse {

static void allow(PtxExpectation &Expected, const char *Register, llvm::StringRef Components) {
  for (char C : Components)
    Expected.Registers.insert((llvm::Twine(Register) + "." + llvm::Twine(C)).str());
}

PtxExpectation expectPtx(llvm::ArrayRef<const KernelFacts *> Facts, const FusionPlan &Plan, const std::string &Name) {
  PtxExpectation Expected;
  Expected.Name = Name;
  Expected.Threads = Plan.BlockThreads;

  // Where threads and blocks are those of the kernel, or a library counts them for a barrier of the grid, anything may
  // read them. Elsewhere the partition's size is a constant, and its grid a parameter.
  const bool Own = Plan.keepsGrid() || Plan.Cooperative;
  Expected.LibrariesReadThem = Own;
  allow(Expected, "tid", Own || Plan.keepsBlock() ? "xyz" : "x");
  allow(Expected, "ctaid", Own ? "xyz" : "x");
  if (Own || Plan.keepsBlock())
    allow(Expected, "ntid", "xyz");
  if (Own)
    allow(Expected, "nctaid", "xyz");
  else if (Plan.Grid == GridPolicy::Stride && Plan.Shape != Geometry::Blocks)
    allow(Expected, "nctaid", "x");
  if (Own)
    Expected.Registers.insert("warpid");
  if (llvm::any_of(Facts, [](const KernelFacts *F) { return F->UsesAnyGroup; })) {
    Expected.Registers.insert({ClusterRank, "cluster_nctarank"});
    allow(Expected, "ctaid", "xyz");
    allow(Expected, "nctaid", "xyz");
  }

  for (const KernelFacts *F : Facts)
    for (const GlobalFacts &Global : F->Globals)
      if (!Global.HostShared)
        Expected.Tables.insert(Global.Name.substr(Global.Name.rfind(':') + 1));

  for (const KernelFacts *F : Facts) {
    Expected.Budgets.insert(F->WarpgroupBudgets.begin(), F->WarpgroupBudgets.end());
    Expected.Warpgroups |= !F->WarpgroupBudgets.empty();
  }

  for (const PartitionPlan &P : Plan.Partitions) {
    // Whoever names all others has barrier 0, too.
    if (P.Synchronises && (P.Barrier || P.NamedBarriers == MaxNamedBarriers))
      Expected.Barriers[P.Barrier].insert(P.PaddedThreads);
    for (unsigned I = 0; I < P.NamedBarriers; ++I)
      Expected.NamedBarriers.insert(P.NamedBarriers == MaxNamedBarriers ? I + 1 : P.Barrier + 1 + I);
    Expected.Exits |= P.ExitsLast || (Plan.playsOnce() && (P.DropsOut || Facts[P.Constituent]->announcesExits()));
    Expected.BlockBarrier |= P.WholeBlock;
  }
  const bool SharesDynamic = llvm::count_if(Facts, [](const KernelFacts *F) { return !F->DynamicShared.empty(); }) > 1;
  Expected.BlockBarrier |= Plan.keepsBlock() || Plan.isInOrder() ||
                           (Plan.Shape == Geometry::Blocks && Plan.Grid == GridPolicy::Pool) ||
                           (Plan.Shape == Geometry::Threads && (SharesDynamic || Plan.HasOnePlace));
  // Where no block follows another, lanes and copies that are late harm nobody.
  Expected.Warps = Plan.playsOnce() || Plan.Cooperative ||
                   llvm::any_of(Facts, [](const KernelFacts *F) { return !F->WarpPrimitives.empty(); });
  Expected.Warps |= llvm::any_of(Plan.Partitions, [](const PartitionPlan &P) { return P.OfPart && P.Synchronises; });
  Expected.Copies =
      Plan.playsOnce() || llvm::any_of(Facts, [](const KernelFacts *F) { return F->CopiesAsynchronously; });
  Expected.Coherent = Plan.readsFresh();
  Expected.Dependents = Plan.Overlap.Triggers;
  if (Plan.Registers.Policy == RegisterPolicy::Split)
    for (const RolePlan &Role : Plan.Roles)
      Expected.Budgets.insert(Role.Registers);
  return Expected;
}

} // namespace cufuse
