// A job's buffers in device memory, and the reference's outputs on the host.
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
  /// Takes the outputs as those that `compare` expects.
  llvm::Error keepReference();
  /// A RunError `WrongResult` names the first element that differs; inputs then hold again what they should.
  llvm::Error compare();

private:
  struct Buffer {
    BufferSpec Spec;
    std::uint64_t Bytes = 0;
    CUdeviceptr Address = 0, Initial = 0; ///< `Initial`: a copy of the content of an accumulated buffer.
    std::vector<std::uint8_t> Reference;
  };

  explicit Buffers(const CudaDriver &Cuda) : Cuda(Cuda) {}
  llvm::Error fill(const Buffer &Buffer);

  const CudaDriver &Cuda;
  std::vector<Buffer> All;
  std::uint64_t TotalBytes = 0;
  void *Staging = nullptr; ///< Page-locked: what comes from the device, piece by piece.
};

} // namespace cufuse
