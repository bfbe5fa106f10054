#include "Buffers.h"

#include "cufuse/Runner/BufferContent.h"
#include "cufuse/Support/Error.h"

#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>

namespace cufuse {

namespace {
constexpr std::uint64_t StagingBytes = 64 << 20; // of each side, when outputs are compared on the host; both to fill
constexpr unsigned DifferBlocks = 2048, DifferThreads = 256;

/// void cufuse_differ(const uint32_t *a, const uint32_t *b, uint64_t words, uint32_t *found), for any grid.
constexpr const char *DifferPtx = R"(
.version 7.0
.target sm_70
.address_size 64
.visible .entry cufuse_differ(.param .u64 a, .param .u64 b, .param .u64 words, .param .u64 found) {
  .reg .pred %end, %same;
  .reg .b32 %block, %threads, %thread, %blocks, %x, %y;
  .reg .b64 %i, %step, %words, %a, %b, %pa, %pb, %found, %thread64;
  ld.param.u64 %a, [a];
  ld.param.u64 %b, [b];
  ld.param.u64 %words, [words];
  ld.param.u64 %found, [found];
  mov.u32 %block, %ctaid.x;
  mov.u32 %threads, %ntid.x;
  mov.u32 %thread, %tid.x;
  mov.u32 %blocks, %nctaid.x;
  cvt.u64.u32 %thread64, %thread;
  mul.wide.u32 %i, %block, %threads;
  add.u64 %i, %i, %thread64;
  mul.wide.u32 %step, %blocks, %threads;
next:
  setp.ge.u64 %end, %i, %words;
  @%end bra done;
  shl.b64 %pa, %i, 2;
  add.u64 %pb, %b, %pa;
  add.u64 %pa, %a, %pa;
  ld.global.u32 %x, [%pa];
  ld.global.u32 %y, [%pb];
  add.u64 %i, %i, %step;
  setp.eq.u32 %same, %x, %y;
  @%same bra next;
  st.global.u32 [%found], 1;
done:
  ret;
}
)";

std::uint64_t wholeWords(std::uint64_t Bytes) { return (Bytes + 3) / 4; }
} // namespace

llvm::Error Buffers::allocate(CUdeviceptr &Address, const Buffer &For) {
  const std::uint64_t Bytes = std::max<std::uint64_t>(wholeWords(For.Bytes), 1) * 4;
  if (const CUresult Result = Cuda.cuMemAlloc(&Address, Bytes); Result != CUDA_SUCCESS)
    return badInput(fmt::format("no device memory for buffer '{}' ({} bytes, {} in other buffers): {}", For.Spec.Name,
                                For.Bytes, TotalBytes, Cuda.describe(Result)));
  return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<Buffers>> Buffers::make(const CudaDriver &Cuda, std::vector<BufferSpec> Specs) {
  std::unique_ptr<Buffers> Made(new Buffers(Cuda));
  if (const CUresult Result = Cuda.cuMemHostAlloc(&Made->Staging, 2 * StagingBytes, 0); Result != CUDA_SUCCESS)
    return badInput("no page-locked memory: " + Cuda.describe(Result));
  for (BufferSpec &Spec : Specs) {
    Buffer &One = Made->All.emplace_back();
    One.Spec = std::move(Spec);
    if (One.Spec.Count > (std::uint64_t(1) << 46) / bytesOf(One.Spec.Type))
      return badInput(fmt::format("buffer '{}' is larger than any GPU", One.Spec.Name));
    One.Bytes = One.Spec.Count * bytesOf(One.Spec.Type);
    if (llvm::Error Error = Made->allocate(One.Address, One))
      return std::move(Error);
    if (llvm::Error Error = Made->fill(One))
      return std::move(Error);
    Made->TotalBytes += One.Bytes;
    if (!One.Spec.Accumulated)
      continue;
    if (llvm::Error Error = Made->allocate(One.Initial, One))
      return std::move(Error);
    if (llvm::Error Error = check(Cuda, Cuda.cuMemcpyDtoD(One.Initial, One.Address, One.Bytes), RunStatus::LaunchFailed,
                                  "copying buffer '" + One.Spec.Name + "'"))
      return std::move(Error);
  }
  if (llvm::Error Error = check(Cuda, Cuda.cuModuleLoadData(&Made->Module, DifferPtx), RunStatus::LoadFailed,
                                "loading what compares outputs"))
    return std::move(Error);
  if (llvm::Error Error = check(Cuda, Cuda.cuModuleGetFunction(&Made->Differ, Made->Module, "cufuse_differ"),
                                RunStatus::LoadFailed, "loading what compares outputs"))
    return std::move(Error);
  if (llvm::Error Error = check(Cuda, Cuda.cuMemAlloc(&Made->Found, 4), RunStatus::LaunchFailed, "allocating a word"))
    return std::move(Error);
  return Made;
}

Buffers::~Buffers() {
  for (const Buffer &One : All) {
    Cuda.cuMemFree(One.Address);
    Cuda.cuMemFree(One.Initial);
    Cuda.cuMemFree(One.Reference);
  }
  Cuda.cuMemFree(Found);
  if (Module)
    Cuda.cuModuleUnload(Module);
  Cuda.cuMemFreeHost(Staging);
}

std::optional<CUdeviceptr> Buffers::find(llvm::StringRef Name) const {
  for (const Buffer &One : All)
    if (One.Spec.Name == Name)
      return One.Address;
  return std::nullopt;
}

llvm::Error Buffers::fill(const Buffer &Buffer) {
  const std::string Filling = "filling buffer '" + Buffer.Spec.Name + "'";
  if (Buffer.Spec.Init.What == Initializer::Zero)
    return check(Cuda, Buffer.Bytes ? Cuda.cuMemsetD8Async(Buffer.Address, 0, Buffer.Bytes, nullptr) : CUDA_SUCCESS,
                 RunStatus::LaunchFailed, Filling);
  std::uint64_t Offset = 0;
  do { // once for an empty one, whose file may not be
    const llvm::MutableArrayRef<std::uint8_t> Piece(static_cast<std::uint8_t *>(Staging),
                                                    std::min(2 * StagingBytes, Buffer.Bytes - Offset));
    if (llvm::Error Error = fillContent(Buffer.Spec, Offset / bytesOf(Buffer.Spec.Type), Piece))
      return Error;
    if (llvm::Error Error = check(Cuda, Cuda.cuMemcpyHtoD(Buffer.Address + Offset, Piece.data(), Piece.size()),
                                  RunStatus::LaunchFailed, Filling))
      return Error;
  } while ((Offset += 2 * StagingBytes) < Buffer.Bytes);
  return llvm::Error::success();
}

llvm::Error Buffers::poison(CUdeviceptr Address, const Buffer &Output, CUstream Stream) {
  CUresult Result = CUDA_SUCCESS;
  const std::uint64_t Words = Output.Bytes / 4;
  if (Words)
    Result = Cuda.cuMemsetD32Async(Address, Poison, Words, Stream);
  if (Result == CUDA_SUCCESS && Output.Bytes % 4)
    Result = Cuda.cuMemsetD8Async(Address + Words * 4, Poison & 0xFF, Output.Bytes % 4, Stream);
  return check(Cuda, Result, RunStatus::LaunchFailed, "preparing buffer '" + Output.Spec.Name + "'");
}

llvm::Error Buffers::prepare(CUstream Stream) {
  for (const Buffer &One : All) {
    if (One.Spec.Output && !One.Spec.Accumulated) {
      if (llvm::Error Error = poison(One.Address, One, Stream))
        return Error;
    } else if (One.Spec.Accumulated) {
      if (llvm::Error Error = check(Cuda, Cuda.cuMemcpyDtoD(One.Address, One.Initial, One.Bytes),
                                    RunStatus::LaunchFailed, "preparing buffer '" + One.Spec.Name + "'"))
        return Error;
    }
  }
  return check(Cuda, Cuda.cuCtxSynchronize(), RunStatus::LaunchFailed, "preparing the outputs");
}

bool Buffers::accumulate() const {
  return llvm::any_of(All, [](const Buffer &One) { return One.Spec.Output && One.Spec.Accumulated; });
}

llvm::Error Buffers::restore() {
  if (!accumulate())
    return llvm::Error::success();
  for (const Buffer &One : All)
    if (One.Spec.Output && One.Spec.Accumulated)
      if (llvm::Error Error = check(Cuda, Cuda.cuMemcpyDtoD(One.Address, One.Initial, One.Bytes),
                                    RunStatus::LaunchFailed, "restoring buffer '" + One.Spec.Name + "'"))
        return Error;
  return check(Cuda, Cuda.cuCtxSynchronize(), RunStatus::LaunchFailed, "restoring the outputs");
}

llvm::Error Buffers::keepReference() {
  for (Buffer &One : All) {
    if (!One.Spec.Output)
      continue;
    if (!One.Reference)
      if (llvm::Error Error = allocate(One.Reference, One))
        return Error;
    if (const std::uint64_t Words = One.Bytes / 4; Words && !One.Spec.Accumulated) {
      if (llvm::Error Error = poison(One.Reference, One, nullptr))
        return Error;
      auto IsWritten = differs(One, Words);
      if (!IsWritten)
        return IsWritten.takeError();
      if (!*IsWritten)
        return llvm::make_error<RunError>(RunStatus::WrongResult,
                                          fmt::format("nothing writes to output '{}'", One.Spec.Name));
    }
    if (llvm::Error Error = check(Cuda, Cuda.cuMemcpyDtoD(One.Reference, One.Address, wholeWords(One.Bytes) * 4),
                                  RunStatus::LaunchFailed, "keeping output '" + One.Spec.Name + "'"))
      return Error;
  }
  // Copies on the device do not wait, and other streams do not wait for them.
  return check(Cuda, Cuda.cuCtxSynchronize(), RunStatus::LaunchFailed, "keeping the outputs");
}

llvm::Expected<bool> Buffers::differs(const Buffer &Output, std::uint64_t Words) {
  const std::string Doing = "comparing output '" + Output.Spec.Name + "'";
  CUdeviceptr A = Output.Address, B = Output.Reference, Into = Found;
  std::uint32_t Result = 0;
  void *Arguments[] = {&A, &B, &Words, &Into};
  if (llvm::Error Error = check(Cuda, Cuda.cuMemcpyHtoD(Found, &Result, sizeof Result), RunStatus::LaunchFailed, Doing))
    return std::move(Error);
  if (llvm::Error Error = check(
          Cuda, Cuda.cuLaunchKernel(Differ, DifferBlocks, 1, 1, DifferThreads, 1, 1, 0, nullptr, Arguments, nullptr),
          RunStatus::LaunchFailed, Doing))
    return std::move(Error);
  if (llvm::Error Error = copyToHost(&Result, Found, sizeof Result, Output))
    return std::move(Error);
  return Result != 0;
}

llvm::Error Buffers::copyToHost(void *To, CUdeviceptr From, std::uint64_t Bytes, const Buffer &Of) {
  return check(Cuda, Cuda.cuMemcpyDtoH(To, From, Bytes), RunStatus::LaunchFailed,
               "reading output '" + Of.Spec.Name + "'");
}

llvm::Error Buffers::compare() {
  std::string Wrong;
  auto *const Got = static_cast<std::uint8_t *>(Staging), *const Expected = Got + StagingBytes;
  for (const Buffer &One : All) {
    if (!One.Spec.Output)
      continue;
    auto Differs = differs(One, wholeWords(One.Bytes));
    if (!Differs)
      return Differs.takeError();
    // A tolerance may allow it.
    std::uint64_t Differ = 0;
    std::string First;
    for (std::uint64_t Offset = 0; *Differs && Offset < One.Bytes; Offset += StagingBytes) {
      const std::uint64_t Bytes = std::min(StagingBytes, One.Bytes - Offset);
      if (llvm::Error Error = copyToHost(Got, One.Address + Offset, Bytes, One))
        return Error;
      if (llvm::Error Error = copyToHost(Expected, One.Reference + Offset, Bytes, One))
        return Error;
      const auto Difference =
          firstDifference(One.Spec.Type, One.Spec.Compare, llvm::ArrayRef(Expected, Bytes), llvm::ArrayRef(Got, Bytes));
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
