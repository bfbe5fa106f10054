#include "Buffers.h"

#include "cufuse/Runner/BufferContent.h"
#include "cufuse/Support/Error.h"

#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>

namespace cufuse {

namespace {
constexpr std::uint64_t StagingBytes = 64 << 20; // of each side, when outputs are compared on the host; both to fill
constexpr unsigned MostBlocks = 2048, BlockThreads = 256;

/// Before and behind each buffer: poison that no kernel may change, and nothing may depend on. It keeps the alignment
/// of an allocation.
constexpr std::uint64_t BandBytes = 64 << 10;
constexpr std::uint32_t OtherBands[] = {0x7F000000, 0xFF000000}; // great and small, as integers and as floats

/// void cufuse_differ(const uint32_t *a, const uint32_t *b, uint64_t words, uint32_t *found), for any grid.
/// void cufuse_sum(const uint32_t *a, uint64_t words, uint64_t *sum) adds a hash of each word and its place.
constexpr const char *ComparingPtx = R"(
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
.visible .entry cufuse_sum(.param .u64 a, .param .u64 words, .param .u64 sum) {
  .reg .pred %end;
  .reg .b32 %block, %threads, %thread, %blocks, %x;
  .reg .b64 %i, %step, %words, %a, %p, %v, %w, %total, %sum, %thread64;
  ld.param.u64 %a, [a];
  ld.param.u64 %words, [words];
  ld.param.u64 %sum, [sum];
  mov.u32 %block, %ctaid.x;
  mov.u32 %threads, %ntid.x;
  mov.u32 %thread, %tid.x;
  mov.u32 %blocks, %nctaid.x;
  cvt.u64.u32 %thread64, %thread;
  mul.wide.u32 %i, %block, %threads;
  add.u64 %i, %i, %thread64;
  mul.wide.u32 %step, %blocks, %threads;
  mov.u64 %total, 0;
next:
  setp.ge.u64 %end, %i, %words;
  @%end bra done;
  shl.b64 %p, %i, 2;
  add.u64 %p, %a, %p;
  ld.global.u32 %x, [%p];
  cvt.u64.u32 %v, %x;
  mad.lo.u64 %v, %i, 0x9E3779B97F4A7C15, %v;
  shr.u64 %w, %v, 33;
  xor.b64 %v, %v, %w;
  mul.lo.u64 %v, %v, 0xBF58476D1CE4E5B9;
  shr.u64 %w, %v, 29;
  xor.b64 %v, %v, %w;
  add.u64 %total, %total, %v;
  add.u64 %i, %i, %step;
  bra next;
done:
  red.global.add.u64 [%sum], %total;
  ret;
}
)";

std::uint64_t wholeWords(std::uint64_t Bytes) { return (Bytes + 3) / 4; }
} // namespace

llvm::Error Buffers::allocate(CUdeviceptr &Address, const Buffer &For, std::uint64_t Besides) {
  const std::uint64_t Bytes = std::max<std::uint64_t>(wholeWords(For.Bytes), 1) * 4 + Besides;
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
    TRY(Made->allocate(One.Address, One, 2 * BandBytes));
    One.Address += BandBytes;
    TRY(Made->fill(One));
    Made->TotalBytes += One.Bytes;
    if (!One.Spec.Accumulated)
      continue;
    TRY(Made->allocate(One.Initial, One));
    TRY(check(Cuda, Cuda.cuMemcpyDtoD(One.Initial, One.Address, One.Bytes), RunStatus::LaunchFailed,
              "copying buffer '" + One.Spec.Name + "'"));
  }
  constexpr const char *Loading = "loading what compares outputs";
  const std::pair<CUresult, const char *> Steps[] = {
      {Cuda.cuModuleLoadData(&Made->Module, ComparingPtx), Loading},
      {Cuda.cuModuleGetFunction(&Made->Differ, Made->Module, "cufuse_differ"), Loading},
      {Cuda.cuModuleGetFunction(&Made->Sum, Made->Module, "cufuse_sum"), Loading},
      {Cuda.cuMemAlloc(&Made->Found, 4), "allocating a word"},
      {Cuda.cuMemAlloc(&Made->Sums, std::max<size_t>(3 * Made->All.size(), 1) * sizeof(Hash)), "allocating hashes"}};
  for (const auto &[Result, Doing] : Steps)
    TRY(check(Cuda, Result, RunStatus::LoadFailed, Doing));
  TRY(Made->fillBands(Poison));
  Made->Untouched = TRY(Made->hashes());
  return Made;
}

Buffers::~Buffers() {
  for (const Buffer &One : All) {
    if (One.Address)
      Cuda.cuMemFree(One.Address - BandBytes);
    Cuda.cuMemFree(One.Initial);
    Cuda.cuMemFree(One.Reference);
  }
  Cuda.cuMemFree(Found);
  Cuda.cuMemFree(Sums);
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
    TRY(fillContent(Buffer.Spec, Offset / bytesOf(Buffer.Spec.Type), Piece));
    TRY(check(Cuda, Cuda.cuMemcpyHtoD(Buffer.Address + Offset, Piece.data(), Piece.size()), RunStatus::LaunchFailed,
              Filling));
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
      TRY(poison(One.Address, One, Stream));
    } else if (One.Spec.Accumulated) {
      TRY(check(Cuda, Cuda.cuMemcpyDtoD(One.Address, One.Initial, One.Bytes), RunStatus::LaunchFailed,
                "preparing buffer '" + One.Spec.Name + "'"));
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
      TRY(check(Cuda, Cuda.cuMemcpyDtoD(One.Address, One.Initial, One.Bytes), RunStatus::LaunchFailed,
                "restoring buffer '" + One.Spec.Name + "'"));
  return check(Cuda, Cuda.cuCtxSynchronize(), RunStatus::LaunchFailed, "restoring the outputs");
}

llvm::Error Buffers::keepReference() {
  auto Hashes = TRY(hashes());
  for (size_t I = 0; I < All.size(); ++I)
    All[I].IsInput = !All[I].Spec.Output && !All[I].Spec.Accumulated && Hashes[I].Content == Untouched[I].Content;
  for (Buffer &One : All) {
    if (!One.Spec.Output)
      continue;
    if (!One.Reference)
      TRY(allocate(One.Reference, One));
    if (const std::uint64_t Words = One.Bytes / 4; Words && !One.Spec.Accumulated) {
      TRY(poison(One.Reference, One, nullptr));
      auto IsWritten = TRY(differs(One, Words));
      if (!IsWritten)
        return llvm::make_error<RunError>(RunStatus::WrongResult,
                                          fmt::format("nothing writes to output '{}'", One.Spec.Name));
    }
    TRY(check(Cuda, Cuda.cuMemcpyDtoD(One.Reference, One.Address, wholeWords(One.Bytes) * 4), RunStatus::LaunchFailed,
              "keeping output '" + One.Spec.Name + "'"));
  }
  // Copies on the device do not wait, and other streams do not wait for them.
  return check(Cuda, Cuda.cuCtxSynchronize(), RunStatus::LaunchFailed, "keeping the outputs");
}

llvm::Expected<bool> Buffers::differs(const Buffer &Output, std::uint64_t Words) {
  const std::string Doing = "comparing output '" + Output.Spec.Name + "'";
  CUdeviceptr A = Output.Address, B = Output.Reference, Into = Found;
  std::uint32_t Result = 0;
  void *Arguments[] = {&A, &B, &Words, &Into};
  TRY(check(Cuda, Cuda.cuMemcpyHtoD(Found, &Result, sizeof Result), RunStatus::LaunchFailed, Doing));
  TRY(check(Cuda, Cuda.cuLaunchKernel(Differ, MostBlocks, 1, 1, BlockThreads, 1, 1, 0, nullptr, Arguments, nullptr),
            RunStatus::LaunchFailed, Doing));
  TRY(copyToHost(&Result, Found, sizeof Result, Output));
  return Result != 0;
}

llvm::Error Buffers::copyToHost(void *To, CUdeviceptr From, std::uint64_t Bytes, const Buffer &Of) {
  return check(Cuda, Cuda.cuMemcpyDtoH(To, From, Bytes), RunStatus::LaunchFailed,
               "reading output '" + Of.Spec.Name + "'");
}

llvm::Error Buffers::fillBand(const Buffer &Of, std::uint32_t Word) {
  for (const CUdeviceptr Band : {Of.Address - BandBytes, Of.Address + wholeWords(Of.Bytes) * 4})
    TRY(check(Cuda, Cuda.cuMemsetD32Async(Band, Word, BandBytes / 4, nullptr), RunStatus::LaunchFailed,
              "filling what is beside buffer '" + Of.Spec.Name + "'"));
  return check(Cuda, Cuda.cuCtxSynchronize(), RunStatus::LaunchFailed, "filling what is beside the buffers");
}

llvm::Error Buffers::fillBands(std::uint32_t Word) {
  for (const Buffer &One : All)
    TRY(fillBand(One, Word));
  return llvm::Error::success();
}

llvm::Expected<std::vector<Buffers::Hashes>> Buffers::hashes() {
  constexpr const char *Doing = "looking for what was changed";
  std::vector<Hashes> Result(All.size());
  const size_t Bytes = All.size() * sizeof(Hashes);
  if (Result.empty())
    return Result;
  TRY(check(Cuda, Cuda.cuMemsetD8Async(Sums, 0, Bytes, nullptr), RunStatus::LaunchFailed, Doing));
  CUdeviceptr Into = Sums;
  for (const Buffer &One : All) {
    const std::uint64_t Own = wholeWords(One.Bytes);
    const std::pair<CUdeviceptr, std::uint64_t> Parts[] = {
        {One.Address - BandBytes, BandBytes / 4}, {One.Address, Own}, {One.Address + Own * 4, BandBytes / 4}};
    for (auto [From, Words] : Parts) {
      void *Arguments[] = {&From, &Words, &Into};
      const auto Blocks = static_cast<unsigned>(std::clamp<std::uint64_t>(Words / BlockThreads, 1, MostBlocks));
      TRY(check(Cuda, Cuda.cuLaunchKernel(Sum, Blocks, 1, 1, BlockThreads, 1, 1, 0, nullptr, Arguments, nullptr),
                RunStatus::LaunchFailed, Doing));
      Into += sizeof(Hash);
    }
  }
  TRY(check(Cuda, Cuda.cuMemcpyDtoH(Result.data(), Sums, Bytes), RunStatus::LaunchFailed, Doing));
  return Result;
}

/// Where the band begins to differ, counted from the buffer.
llvm::Expected<std::string> Buffers::describeBand(const Buffer &Of, bool IsBehind) {
  std::vector<std::uint32_t> Words(BandBytes / 4);
  const CUdeviceptr From = IsBehind ? Of.Address + wholeWords(Of.Bytes) * 4 : Of.Address - BandBytes;
  TRY(copyToHost(Words.data(), From, BandBytes, Of));
  if (!IsBehind)
    std::reverse(Words.begin(), Words.end());
  const auto Changed = llvm::find_if(Words, [](std::uint32_t Word) { return Word != Poison; });
  return fmt::format("something is stored {} '{}', {} bytes from it", IsBehind ? "behind" : "before", Of.Spec.Name,
                     (Changed - Words.begin()) * 4);
}

llvm::Expected<std::string> Buffers::describeInput(const Buffer &Input) {
  auto *const Got = static_cast<std::uint8_t *>(Staging), *const Expected = Got + StagingBytes;
  for (std::uint64_t Offset = 0; Offset < Input.Bytes; Offset += StagingBytes) {
    const std::uint64_t Bytes = std::min(StagingBytes, Input.Bytes - Offset), First = Offset / bytesOf(Input.Spec.Type);
    TRY(copyToHost(Got, Input.Address + Offset, Bytes, Input));
    TRY(fillContent(Input.Spec, First, {Expected, Bytes}));
    if (const auto Difference = firstDifference(Input.Spec.Type, {}, llvm::ArrayRef(Expected, Bytes), {Got, Bytes}))
      return fmt::format("the input '{0}' is changed: {0}[{1}] is {2} and was {3}", Input.Spec.Name,
                         First + Difference->Index, Difference->Found, Difference->Expected);
  }
  return fmt::format("the input '{}' is changed", Input.Spec.Name);
}

llvm::Expected<std::string> Buffers::describeTouched() {
  auto Now = TRY(hashes());
  for (size_t I = 0; I < All.size(); ++I) {
    if (Now[I].Before != Untouched[I].Before)
      return describeBand(All[I], /*IsBehind=*/false);
    if (Now[I].Behind != Untouched[I].Behind)
      return describeBand(All[I], /*IsBehind=*/true);
    if (All[I].IsInput && Now[I].Content != Untouched[I].Content)
      return describeInput(All[I]);
  }
  return "";
}

llvm::Error Buffers::untouched() { return wrongIf(""); }

/// Where something is wrong, or touched, all that kernels do not write is made anew.
llvm::Error Buffers::wrongIf(std::string Wrong) {
  auto Touched = TRY(describeTouched());
  if (!Touched.empty())
    Wrong += (Wrong.empty() ? "" : "; ") + Touched;
  if (Wrong.empty())
    return llvm::Error::success();
  for (const Buffer &One : All)
    if (!One.Spec.Output && !One.Spec.Accumulated)
      TRY(fill(One));
  TRY(fillBands(Poison));
  return llvm::make_error<RunError>(RunStatus::WrongResult, Wrong);
}

llvm::Error Buffers::compare() {
  auto Wrong = compareOutputs();
  return Wrong ? wrongIf(std::move(*Wrong)) : Wrong.takeError();
}

llvm::Expected<std::string> Buffers::compareOutputs() {
  std::string Wrong;
  auto *const Got = static_cast<std::uint8_t *>(Staging), *const Expected = Got + StagingBytes;
  for (const Buffer &One : All) {
    if (!One.Spec.Output)
      continue;
    auto Differs = TRY(differs(One, wholeWords(One.Bytes)));
    // A tolerance may allow it.
    std::uint64_t Differ = 0;
    std::string First;
    for (std::uint64_t Offset = 0; Differs && Offset < One.Bytes; Offset += StagingBytes) {
      const std::uint64_t Bytes = std::min(StagingBytes, One.Bytes - Offset);
      TRY(copyToHost(Got, One.Address + Offset, Bytes, One));
      TRY(copyToHost(Expected, One.Reference + Offset, Bytes, One));
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
  return Wrong;
}

llvm::Expected<bool> Buffers::matter(llvm::function_ref<llvm::Error()> Run, const Buffer *Only) {
  bool Differ = false;
  for (const std::uint32_t Word : OtherBands) {
    for (const Buffer &One : All)
      if (!Only || &One == Only)
        TRY(fillBand(One, Word));
    TRY(Run());
    // Bands count as touched now, whatever the outputs are.
    Differ |= !TRY(compareOutputs()).empty();
  }
  TRY(fillBands(Poison));
  return Differ;
}

llvm::Error Buffers::checkReads(llvm::function_ref<llvm::Error()> Run) {
  auto Any = matter(Run, nullptr);
  if (!Any || !*Any)
    return Any.takeError();
  std::string Names;
  for (const Buffer &One : All) {
    auto IsIt = TRY(matter(Run, &One));
    if (IsIt)
      Names += fmt::format("{}'{}'", Names.empty() ? "" : ", ", One.Spec.Name);
  }
  return llvm::make_error<RunError>(
      RunStatus::WrongResult, fmt::format("the results depend on what lies before or behind {}, which is read", Names));
}

} // namespace cufuse
