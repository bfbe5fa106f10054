// Kernels that were parsed once, for the texts of any number of fusions.
#pragma once

#include "cufuse/Driver/Pipeline.h"

#include <memory>

namespace cufuse {

class ReadKernels {
public:
  /// Parses each distinct file once (or for each set of flags), in parallel, and collects what is known of each kernel.
  /// `WithAccesses`: as vertical fusion wants to know it.
  static llvm::Expected<ReadKernels> read(const Toolchain &Tools, llvm::ArrayRef<KernelSpec> Kernels,
                                          llvm::ArrayRef<InputFlags> Flags, bool WithAccesses);
  ReadKernels(ReadKernels &&Other) noexcept;
  ~ReadKernels();

  /// Without their texts, and without the blockers of those.
  llvm::ArrayRef<LoadedKernel> kernels() const;
  /// The kernel with its text, changed as `Linked` says.
  LoadedKernel withText(size_t Kernel, const LinkedText &Linked) const;

private:
  struct Parsed;
  explicit ReadKernels(std::unique_ptr<Parsed> Own);
  std::unique_ptr<Parsed> Own;
};

} // namespace cufuse
