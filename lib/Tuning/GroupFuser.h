// Kernels of a graph as one: from a choice of links to a text, and to what it is launched with.
#pragma once

#include "TuningSubject.h"
#include "cufuse/Driver/Compose.h"
#include "cufuse/Search/GraphSpace.h"

namespace cufuse {

/// Emitted, and not compiled.
struct FusedGroup {
  std::vector<LoadedKernel> Kernel; ///< The composed one, alone.
  std::unique_ptr<Fuser> Text;      ///< Of that kernel.
  FusionPlan Plan;
  FusedSource Source;
  std::string Entry;          ///< How the name of the kernel begins that the launcher would choose for these arguments.
  PackedKernel Packed;        ///< With the arguments that are left.
  std::uint64_t Elements = 0; ///< As the launcher counts them; 0 where it does not.
};

/// Which kernels load and store which buffers, as far as their accesses show: all they may, where that is not known.
GraphFacts graphOf(const TuningSubject &Subject);

/// What kernels store and nobody compares, as far as their accesses show: a sentence each. Refuses kernels side by side
/// of which one stores into such a buffer of another.
llvm::Expected<std::vector<std::string>> notCompared(const TuningSubject &Subject);

/// Of a workload with links. Not for several threads at once.
class GroupFuser {
public:
  /// The references outlive it.
  GroupFuser(const Toolchain &Tools, const TuningSubject &Subject) : Tools(Tools), Subject(Subject) {}

  /// Widths where the group is one loop; the given block and others of 128, 256 and 512 threads that its launch may
  /// have.
  GroupWays ways(llvm::ArrayRef<unsigned> Members) const;
  /// Refuses what `cufuse fuse --vertical` refuses; kernels that share an array which one of them writes, without a
  /// link; and kernels by row whose blocks or grids differ.
  llvm::Expected<FusedGroup> fuse(llvm::ArrayRef<unsigned> Members, const LaunchGroup &How,
                                  const EmitOptions &Emit) const;

private:
  std::vector<LoadedKernel> kernelsOf(llvm::ArrayRef<unsigned> Members) const;
  std::vector<std::string> namesOf(llvm::ArrayRef<unsigned> Members) const;
  FuseRequest requestFor(llvm::ArrayRef<unsigned> Members) const;
  bool isUsedOutside(const std::string &Buffer, llvm::ArrayRef<unsigned> Members) const;
  llvm::Error checkShared(const VerticalGraph &Graph, llvm::ArrayRef<unsigned> Members) const;
  llvm::Expected<PackedKernel> pack(const VerticalGraph &Graph, const FormProof &Proof,
                                    llvm::ArrayRef<unsigned> Members, const LaunchGroup &How,
                                    const KernelFacts &Composed) const;
  std::uint64_t elementsOf(const VerticalGraph &Graph, const FormProof &Proof, llvm::ArrayRef<unsigned> Members,
                           const PackedKernel &Packed) const;
  std::optional<std::int64_t> valueOf(const VerticalGraph &Graph, llvm::ArrayRef<unsigned> Members,
                                      const Polynomial &P) const;
  std::optional<std::int64_t> valueOf(const VerticalGraph &Graph, llvm::ArrayRef<unsigned> Members,
                                      const std::string &Atom) const;

  const Toolchain &Tools;
  const TuningSubject &Subject;
};

} // namespace cufuse
