#include "cufuse/Driver/FromDatabase.h"

#include "cufuse/Search/Verdict.h"
#include "cufuse/Support/ArtifactCache.h"
#include "cufuse/Support/Error.h"
#include "cufuse/Support/FileStore.h"
#include "cufuse/Support/NvccEnvironment.h"
#include "cufuse/Support/Stdout.h"

#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/FileSystem.h>

namespace cufuse {

static llvm::Error appendTexts(llvm::ArrayRef<std::string> Files, std::vector<std::string> &To) {
  for (const std::string &File : Files) {
    To.push_back(TRY(textOfFile(File)));
  }
  return llvm::Error::success();
}

llvm::Expected<std::string> sourcesHash(llvm::ArrayRef<LoadedKernel> Kernels) {
  std::vector<std::string> Parts;
  for (const LoadedKernel &Kernel : Kernels) {
    Parts.push_back(Kernel.Facts.Signature);
    TRY(appendTexts(Kernel.Text.Dependencies, Parts));
  }
  return contentHash(Parts);
}

std::string flagsHash(llvm::ArrayRef<LoadedKernel> Kernels) {
  std::vector<std::string> Parts;
  for (const LoadedKernel &Kernel : Kernels) {
    // The headers that were found count by their texts, wherever they lie.
    Parts.insert(Parts.end(), {"kernel", Kernel.Arch, Kernel.Flags.Standard, Kernel.Flags.Relocatable ? "rdc" : ""});
    for (const std::string &Macro : Kernel.Flags.Macros)
      if (llvm::StringRef(Macro).starts_with("-D") || llvm::StringRef(Macro).starts_with("-U"))
        Parts.push_back(Macro);
    llvm::append_range(Parts, Kernel.Flags.Settings);
  }
  return contentHash(Parts);
}

llvm::Expected<std::string> textsHash(llvm::ArrayRef<std::string> Files) {
  std::vector<std::string> Parts;
  TRY(appendTexts(Files, Parts));
  return contentHash(Parts);
}

std::vector<std::string> dataFiles(const Workload &Work) {
  std::vector<std::string> Files;
  for (const BufferSpec &Buffer : Work.Buffers)
    if (Buffer.Init.What == Initializer::File)
      Files.push_back(Buffer.Init.Path);
  return Files;
}

llvm::Expected<std::string> workloadHash(llvm::ArrayRef<std::string> Files, const Workload &Read,
                                         const std::string &Texts) {
  auto Now = TRY(textsHash(Files));
  if (Now != Texts)
    return badInput("a workload file was changed while it was read", "run this again");
  std::vector<std::string> Parts = {Now};
  for (const WorkloadKernel &Kernel : Read.Kernels)
    for (const auto &[Name, Value] : Kernel.Sizes)
      Parts.push_back(Kernel.Name + "." + Name + "=" + Value.str());
  for (const std::string &File : dataFiles(Read)) // which may be larger than the memory
    Parts.push_back(hashOfFile(File));
  return contentHash(Parts);
}

std::string toolsHash(NvccCompiler &Nvcc, const std::string &Version) {
  const auto Compiler = llvm::expectedToOptional(Nvcc.version());
  if (!Compiler)
    return "unknown"; // no result is of these tools
  std::vector<std::string> Parts = {Version, *Compiler};
  // A script around it may have flags of its own.
  if (auto Script = llvm::expectedToOptional(textOfFile(Nvcc.path()));
      Script && llvm::StringRef(*Script).starts_with("#!"))
    Parts.push_back(std::move(*Script));
  llvm::append_range(Parts, nvccEnvironment());
  return contentHash(Parts);
}

/// Which parts of the key no result has, whatever the others are.
static llvm::Expected<std::string> othersIn(TuningDatabase &Database, const TuningKey &Key) {
  std::vector<std::string> Others;
  for (const auto &[Part, Name] : {std::pair(&TuningKey::Sources, "kernels, sources or headers"),
                                   {&TuningKey::Flags, "flags"},
                                   {&TuningKey::Gpu, "GPUs"},
                                   {&TuningKey::Workload, "workloads"},
                                   {&TuningKey::Tools, "versions of nvcc or cufuse"}}) {
    TuningKey Alone;
    Alone.*Part = Key.*Part;
    if (!TRY(Database.find(Alone)))
      Others.push_back(Name);
  }
  return Others.empty() ? "" : ": its results are of other " + listed(Others);
}

/// As a workload has them: for each kernel, but the same ones once.
static std::string flagsOf(llvm::ArrayRef<LoadedKernel> Kernels) {
  std::vector<std::string> All;
  for (const LoadedKernel &Kernel : Kernels) {
    std::vector<std::string> Words = Kernel.Flags.Nvcc;
    if (!Kernel.Flags.Standard.empty())
      Words.push_back("-std=" + Kernel.Flags.Standard);
    if (std::string One = fmt::format("`flags: [{}]`", llvm::join(Words, ", ")); !llvm::is_contained(All, One))
      All.push_back(std::move(One));
  }
  return listed(All);
}

llvm::Expected<TunedConfig> findTuned(const DatabaseQuery &Query, llvm::ArrayRef<LoadedKernel> Kernels) {
  if (!llvm::sys::fs::exists(Query.Path))
    return badInput(fmt::format("there is no tuning database '{}'", Query.Path),
                    "make it with `cufuse tune … --database FILE.db`");
  auto Sources = TRY(sourcesHash(Kernels));
  std::string Workload;
  if (!Query.Workloads.empty()) {
    auto Texts = TRY(textsHash(Query.Workloads));
    Workload = TRY(workloadHash(Query.Workloads, TRY(readWorkload(Query.Workloads, Query.Settings)), Texts));
  }
  auto Database = TRY(TuningDatabase::open(Query.Path));
  const TuningKey Key{Sources, flagsHash(Kernels), Query.Gpu, "", Workload, Query.Tools};
  auto Found = TRY(Database.find(Key));
  if (!Found)
    return badInput(fmt::format("'{}' has no result for these kernels, sources, headers, flags, nvcc and cufuse{}{}{}",
                                Query.Path, Query.Gpu.empty() ? "" : " on " + Query.Gpu,
                                Workload.empty() ? "" : " and this workload", TRY(othersIn(Database, Key))),
                    fmt::format("tune them as they are now, in the same order, with these flags in the workload ({}): "
                                "`cufuse tune … --arch {} --database FILE.db`",
                                flagsOf(Kernels), Kernels.front().Arch));
  TuneResult &Result = *Found;
  Result.RequiredSpeedup = Query.RequiredSpeedup;
  const Summary Verdict = summarize(Result);
  const std::string Where = printable(
      fmt::format("tuned on {}, driver {}, {}", Result.What.Gpu.Name, Result.What.Gpu.Driver, Result.Started));
  const std::string Sentence = printable(Verdict.Sentence);
  if (Verdict.What == Advice::Undecided || Verdict.What == Advice::Unknown)
    return fail(ExitCode::Undecided, fmt::format("{} ({})", Sentence, Where), "tune them again");
  if (Verdict.What != Advice::Fuse)
    return fail(ExitCode::NotAdvised, fmt::format("{} ({})", Sentence, Where));
  TunedConfig Tuned{Verdict.Winner->Which.Config, {Where, Sentence}};
  const std::vector<std::uint64_t> &Grids = Verdict.Winner->Result.Grids; // chosen by the search
  for (const auto &[I, Constituent, Config] : llvm::enumerate(Result.What.Constituents, Tuned.Config.Constituents))
    for (const SoloShape &Shape : Constituent.Shapes)
      if (Shape.Block == Config.Block)
        Tuned.Facts.push_back(fmt::format("{}: block {}, tuned with a grid of {} blocks", printable(Constituent.Name),
                                          Shape.Block.str(),
                                          I < Grids.size() && Grids[I] > 0 ? Grids[I] : Shape.Blocks));
  return Tuned;
}

} // namespace cufuse
