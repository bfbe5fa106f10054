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
  /// Takes the outputs as those that `compare` expects, and what is no output and has not changed as inputs. Fails with
  /// `WrongResult` for an output that nothing was written to: no result could differ from it.
  llvm::Error keepReference();
  /// A RunError `WrongResult` names the first element that differs, of an output or else of an input, or what was
  /// stored beside a buffer; inputs then hold again what they should.
  llvm::Error compare();
  /// The same without the outputs.
  llvm::Error untouched();
  /// Fails with `WrongResult` where the outputs that `Run` makes depend on what lies beside the buffers.
  llvm::Error checkReads(llvm::function_ref<llvm::Error()> Run);

private:
  struct Buffer {
    BufferSpec Spec;
    std::uint64_t Bytes = 0;
    CUdeviceptr Address = 0;   ///< Between two bands.
    CUdeviceptr Initial = 0;   ///< A copy of the content of an accumulated buffer.
    CUdeviceptr Reference = 0; ///< What the reference leaves in an output.
    bool IsInput = false;      ///< The reference does not change it, and nothing else may.
  };
  using Hash = std::uint64_t;
  /// Of a buffer and of the bands beside it.
  struct Hashes {
    Hash Before = 0, Content = 0, Behind = 0;
  };

  explicit Buffers(const CudaDriver &Cuda) : Cuda(Cuda) {}
  llvm::Error allocate(CUdeviceptr &Address, const Buffer &For, std::uint64_t Besides = 0);
  llvm::Error fill(const Buffer &Buffer);
  llvm::Error poison(CUdeviceptr Address, const Buffer &Output, CUstream Stream);
  /// Whether any bit of so many words differs from the reference's; compared on the device.
  llvm::Expected<bool> differs(const Buffer &Output, std::uint64_t Words);
  llvm::Error fillBand(const Buffer &Of, std::uint32_t Word);
  llvm::Error fillBands(std::uint32_t Word);
  /// By buffer; computed on the device.
  llvm::Expected<std::vector<Hashes>> hashes();
  /// What was changed that may not be; empty where nothing was.
  llvm::Expected<std::string> describeTouched();
  llvm::Expected<std::string> describeBand(const Buffer &Of, bool IsBehind);
  llvm::Expected<std::string> describeInput(const Buffer &Input);
  /// Which outputs differ from the reference's; empty where none does.
  llvm::Expected<std::string> compareOutputs();
  llvm::Error wrongIf(std::string Wrong);
  /// Whether other bands make other outputs, those of one buffer or of all.
  llvm::Expected<bool> matter(llvm::function_ref<llvm::Error()> Run, const Buffer *Only);
  llvm::Error copyToHost(void *To, CUdeviceptr From, std::uint64_t Bytes, const Buffer &Of);

  const CudaDriver &Cuda;
  std::vector<Buffer> All;
  std::uint64_t TotalBytes = 0;
  void *Staging = nullptr; ///< Page-locked: what goes to the device or comes from it, piece by piece.
  CUmodule Module = nullptr;
  CUfunction Differ = nullptr, Sum = nullptr;
  CUdeviceptr Found = 0;         ///< One word, not 0 when `Differ` has found a difference.
  CUdeviceptr Sums = 0;          ///< Of `Hashes` for each buffer.
  std::vector<Hashes> Untouched; ///< As they were when the buffers were made.
};

} // namespace cufuse
