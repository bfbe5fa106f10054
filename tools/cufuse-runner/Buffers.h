// A job's buffers in device memory, and beside them the reference's outputs.
#pragma once

#include "CudaDriver.h"

namespace cufuse {

class Buffers {
public:
  /// Allocates and fills. Fails with ExitCode::BadInput when they do not fit or a file cannot be read.
  static llvm::Expected<std::unique_ptr<Buffers>> make(const CudaDriver &Cuda, std::vector<BufferSpec> Specs);
  ~Buffers();

  /// The device address, or nothing when no buffer has the name.
  std::optional<CUdeviceptr> find(llvm::StringRef Name) const;
  std::uint64_t bytes() const { return TotalBytes; }

  /// Before a checked run: outputs hold the poison, or what they start from when kernels accumulate into them.
  llvm::Error prepare(CUstream Stream);
  /// Whether kernels read what they have written to an output in an earlier pass.
  bool accumulate() const;
  /// What kernels accumulate into holds again what it starts from, before anything else runs.
  llvm::Error restore();
  /// Takes the outputs as those that `compare` expects. Fails with `WrongResult` for one that nothing was written to:
  /// no result could differ from it.
  llvm::Error keepReference();
  /// A RunError `WrongResult` names the first element that differs; inputs then hold again what they should.
  llvm::Error compare();

private:
  struct Buffer {
    BufferSpec Spec;
    std::uint64_t Bytes = 0;
    CUdeviceptr Address = 0;
    CUdeviceptr Initial = 0;   ///< A copy of the content of an accumulated buffer.
    CUdeviceptr Reference = 0; ///< What the reference leaves in an output.
  };

  explicit Buffers(const CudaDriver &Cuda) : Cuda(Cuda) {}
  llvm::Error allocate(CUdeviceptr &Address, const Buffer &For);
  llvm::Error fill(const Buffer &Buffer);
  llvm::Error poison(CUdeviceptr Address, const Buffer &Output, CUstream Stream);
  /// Whether any bit of so many words differs from the reference's; compared on the device.
  llvm::Expected<bool> differs(const Buffer &Output, std::uint64_t Words);
  llvm::Error copyToHost(void *To, CUdeviceptr From, std::uint64_t Bytes, const Buffer &Of);

  const CudaDriver &Cuda;
  std::vector<Buffer> All;
  std::uint64_t TotalBytes = 0;
  void *Staging = nullptr; ///< Page-locked: what goes to the device or comes from it, piece by piece.
  CUmodule Module = nullptr;
  CUfunction Differ = nullptr;
  CUdeviceptr Found = 0; ///< One word, not 0 when `Differ` has found a difference.
};

} // namespace cufuse
