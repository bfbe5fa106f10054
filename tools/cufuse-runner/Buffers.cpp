#include "Buffers.h"

#include "cufuse/Profile/BufferContent.h"
#include "cufuse/Support/Error.h"

#include <fmt/format.h>

namespace cufuse {

constexpr std::uint64_t StagingBytes = 64 << 20;

llvm::Expected<std::unique_ptr<Buffers>> Buffers::make(const CudaDriver &Cuda, std::vector<BufferSpec> Specs) {
  std::unique_ptr<Buffers> Made(new Buffers(Cuda));
  auto Allocate = [&](CUdeviceptr &Address, const Buffer &For) -> llvm::Error {
    if (const CUresult Result = Cuda.cuMemAlloc(&Address, std::max<std::uint64_t>(For.Bytes, 1));
        Result != CUDA_SUCCESS)
      return badInput(fmt::format("no device memory for buffer '{}' ({} bytes, {} in other buffers): {}", For.Spec.Name,
                                  For.Bytes, Made->TotalBytes, Cuda.describe(Result)));
    return llvm::Error::success();
  };
  for (BufferSpec &Spec : Specs) {
    Buffer &One = Made->All.emplace_back();
    One.Spec = std::move(Spec);
    if (One.Spec.Count > (std::uint64_t(1) << 46) / bytesOf(One.Spec.Type))
      return badInput(fmt::format("buffer '{}' is larger than any GPU", One.Spec.Name));
    One.Bytes = One.Spec.Count * bytesOf(One.Spec.Type);
    if (llvm::Error Error = Allocate(One.Address, One))
      return std::move(Error);
    if (llvm::Error Error = Made->fill(One))
      return std::move(Error);
    Made->TotalBytes += One.Bytes;
    if (!One.Spec.Accumulated)
      continue;
    if (llvm::Error Error = Allocate(One.Initial, One))
      return std::move(Error);
    if (llvm::Error Error = check(Cuda, Cuda.cuMemcpyDtoD(One.Initial, One.Address, One.Bytes), RunStatus::LaunchFailed,
                                  "copying buffer '" + One.Spec.Name + "'"))
      return std::move(Error);
  }
  if (const CUresult Result = Cuda.cuMemHostAlloc(&Made->Staging, StagingBytes, 0); Result != CUDA_SUCCESS)
    return badInput("no page-locked memory: " + Cuda.describe(Result));
  return Made;
}

Buffers::~Buffers() {
  for (const Buffer &One : All) {
    Cuda.cuMemFree(One.Address);
    Cuda.cuMemFree(One.Initial);
  }
  Cuda.cuMemFreeHost(Staging);
}

std::optional<CUdeviceptr> Buffers::find(llvm::StringRef Name) const {
  for (const Buffer &One : All)
    if (One.Spec.Name == Name)
      return One.Address;
  return std::nullopt;
}

llvm::Error Buffers::fill(const Buffer &Buffer) {
  auto Content = contentOf(Buffer.Spec);
  if (!Content)
    return Content.takeError();
  return check(Cuda, Cuda.cuMemcpyHtoD(Buffer.Address, Content->data(), Buffer.Bytes), RunStatus::LaunchFailed,
               "filling buffer '" + Buffer.Spec.Name + "'");
}

llvm::Error Buffers::prepare(CUstream Stream) {
  for (const Buffer &One : All) {
    CUresult Result = CUDA_SUCCESS;
    if (One.Spec.Accumulated) {
      Result = Cuda.cuMemcpyDtoD(One.Address, One.Initial, One.Bytes);
    } else if (One.Spec.Output) {
      const std::uint64_t Words = One.Bytes / 4;
      if (Words)
        Result = Cuda.cuMemsetD32Async(One.Address, Poison, Words, Stream);
      if (Result == CUDA_SUCCESS && One.Bytes % 4)
        Result = Cuda.cuMemsetD8Async(One.Address + Words * 4, Poison & 0xFF, One.Bytes % 4, Stream);
    }
    if (llvm::Error Error = check(Cuda, Result, RunStatus::LaunchFailed, "preparing buffer '" + One.Spec.Name + "'"))
      return Error;
  }
  return check(Cuda, Cuda.cuCtxSynchronize(), RunStatus::LaunchFailed, "preparing the outputs");
}

llvm::Error Buffers::keepReference() {
  for (Buffer &One : All) {
    if (!One.Spec.Output)
      continue;
    One.Reference.resize(One.Bytes);
    if (llvm::Error Error = check(Cuda, Cuda.cuMemcpyDtoH(One.Reference.data(), One.Address, One.Bytes),
                                  RunStatus::LaunchFailed, "reading output '" + One.Spec.Name + "'"))
      return Error;
  }
  return llvm::Error::success();
}

llvm::Error Buffers::compare() {
  std::string Wrong;
  for (const Buffer &One : All) {
    if (!One.Spec.Output)
      continue;
    std::uint64_t Differ = 0;
    std::string First;
    const llvm::ArrayRef<std::uint8_t> Reference = One.Reference;
    for (std::uint64_t Offset = 0; Offset < One.Bytes; Offset += StagingBytes) {
      const std::uint64_t Bytes = std::min(StagingBytes, One.Bytes - Offset);
      if (llvm::Error Error = check(Cuda, Cuda.cuMemcpyDtoH(Staging, One.Address + Offset, Bytes),
                                    RunStatus::LaunchFailed, "reading output '" + One.Spec.Name + "'"))
        return Error;
      const auto Difference = firstDifference(One.Spec.Type, One.Spec.Compare, Reference.slice(Offset, Bytes),
                                              llvm::ArrayRef(static_cast<const std::uint8_t *>(Staging), Bytes));
      if (!Difference)
        continue;
      Differ += Difference->Count;
      if (First.empty())
        First =
            fmt::format("{}[{}] is {} and should be {}", One.Spec.Name,
                        Offset / bytesOf(One.Spec.Type) + Difference->Index, Difference->Found, Difference->Expected);
    }
    if (Differ)
      Wrong += fmt::format("{}{}; {} of {} elements differ", Wrong.empty() ? "" : "; ", First, Differ, One.Spec.Count);
  }
  if (Wrong.empty())
    return llvm::Error::success();
  // What writes wrong outputs may have written to the inputs.
  for (const Buffer &One : All)
    if (!One.Spec.Output && !One.Spec.Accumulated)
      if (llvm::Error Error = fill(One))
        return Error;
  return llvm::make_error<RunError>(RunStatus::WrongResult, Wrong);
}

} // namespace cufuse
