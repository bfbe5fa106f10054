#include "cufuse/Kernel/KernelFacts.h"

namespace cufuse {

void KernelFacts::includeWhatItDoes(const KernelFacts &Other) {
  auto Append = [](auto &To, const auto &From) { To.insert(To.end(), From.begin(), From.end()); };
  for (size_t B = 0; B < BuiltinNames.size(); ++B) {
    for (int D = 0; D < 3; ++D)
      Reads[B][D] |= Other.Reads[B][D];
    ReadByHelper[B] |= Other.ReadByHelper[B];
    ReadByLibrary[B] |= Other.ReadByLibrary[B];
  }
  Append(LibraryBarriers, Other.LibraryBarriers);
  Append(LibraryFunctionsOfLinker, Other.LibraryFunctionsOfLinker);
  MultiWarpTiles |= Other.MultiWarpTiles;
  UsesAnyGroup |= Other.UsesAnyGroup;
  Append(Barriers, Other.Barriers);
  NamedBarriers.insert(Other.NamedBarriers.begin(), Other.NamedBarriers.end());
  ArrivesAtBarriers |= Other.ArrivesAtBarriers;
  Append(StaticShared, Other.StaticShared);
  Append(DynamicShared, Other.DynamicShared);
  HelperHasDynamicShared |= Other.HelperHasDynamicShared;
  DynamicAlignment = std::max(DynamicAlignment, Other.DynamicAlignment);
  if (Other.MaxThreads)
    MaxThreads = std::min(MaxThreads.value_or(*Other.MaxThreads), *Other.MaxThreads);
  Append(Atomics, Other.Atomics);
  if (!GridLaunch)
    GridLaunch = Other.GridLaunch;
  Append(ReadOnlyLoads, Other.ReadOnlyLoads);
  LoadsByLdg |= Other.LoadsByLdg;
  Append(WarpPrimitives, Other.WarpPrimitives);
  AsksLane |= Other.AsksLane;
  Append(EarlyExits, Other.EarlyExits);
  Append(ExitsBeforeBarrier, Other.ExitsBeforeBarrier);
  Append(ExitsBeforeWarpPrimitive, Other.ExitsBeforeWarpPrimitive);
  SignedThreadNumber |= Other.SignedThreadNumber;
  CopiesAsynchronously |= Other.CopiesAsynchronously;
  CopiesInBulk |= Other.CopiesInBulk;
  if (!KeptMbarrier)
    KeptMbarrier = Other.KeptMbarrier;
}

} // namespace cufuse
