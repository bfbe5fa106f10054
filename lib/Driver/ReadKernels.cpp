#include "cufuse/Driver/ReadKernels.h"

#include "AskNvcc.h"
#include "cufuse/Analysis/CollectFacts.h"
#include "cufuse/Analysis/FindKernel.h"
#include "cufuse/Analysis/WriteOutMacros.h"
#include "cufuse/Vertical/BlockLocal.h"
#include "cufuse/Vertical/CollectAccesses.h"
#include "cufuse/Vertical/IrWitness.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

#include <deque>
#include <map>
#include <thread>

namespace cufuse {

namespace {

constexpr const char *DefaultArch = "sm_90a";

/// One file, as Clang and as nvcc read it.
struct ReadFile {
  std::unique_ptr<ParsedUnit> Unit;
  std::vector<Blocker> OtherText;
};

/// Reads the file for the architecture that is asked for, else for the lowest of those in the flags: what is allowed
/// there is allowed for the others.
llvm::Expected<ReadFile> readFile(const Toolchain &Tools, ArtifactCache &Cache, ParseRequest Request) {
  auto Answer = askNvcc(Tools, Cache, Request.File, Request.Flags, Request.Arch);
  if (!Answer)
    return Answer.takeError();
  if (Request.Arch.empty()) {
    if (Answer->Steps.empty() && !Request.Flags.Arch)
      return badUsage("which architectures " + llvm::join(Request.Flags.Architectures, " ") +
                          " means is only known to nvcc, which is not at hand",
                      "name one with --arch");
    Request.Arch = Answer->Steps.empty() ? *Request.Flags.Arch : Answer->Steps.front().Arch;
  }
  Request.Predefined = Answer->Predefined;
  for (const NvccStep &Step : Answer->Steps)
    Request.Compared.push_back(Step.Arch);
  Request.Compared.push_back(Request.Arch);
  auto Unit = parseWrittenOut(Tools, Request);
  if (!Unit)
    return Unit.takeError();
  auto OtherText = otherText(Tools, Cache, *Answer, (*Unit)->usersText());
  return ReadFile{std::move(*Unit), std::move(OtherText)};
}

llvm::Expected<ParseRequest> parseRequest(const std::string &File, const InputFlags &Input) {
  ParseRequest Request;
  Request.File = File;
  if (llvm::StringRef Arch = Input.Arch;
      !Arch.empty() && (!Arch.consume_front("sm_") || Arch.empty() || !isdigit(Arch[0])))
    return badUsage("there is no architecture '" + Input.Arch + "'", "use one like sm_80 or sm_90a");
  if (!Input.BuildDirectory.empty()) {
    auto FromDatabase = flagsFromDatabase(Input.BuildDirectory, File);
    if (!FromDatabase)
      return FromDatabase.takeError();
    Request.Flags = std::move(*FromDatabase);
  } else {
    Request.Flags = translateFlags(Input.Written, Input.Folder);
  }
  Request.Arch = Input.Arch.empty() && Request.Flags.Architectures.empty() ? DefaultArch : Input.Arch;
  return Request;
}

/// `WithAccesses`: as vertical fusion and people want to know it.
LoadedKernel understand(const ParsedUnit &Unit, const HostCode &Host, const Reached &Reach, KernelSpec Spec,
                        bool WithAccesses) {
  LoadedKernel Loaded{std::move(Spec), {}, {}, Unit.request().Flags, Unit.request().Arch, {}, {}, {}};
  Loaded.Predefined = Unit.request().Predefined;
  for (const ParseError &Error : Unit.errors())
    Loaded.Errors.insert(Error.key());
  const std::unique_ptr<DeviceIr> Ir = Reach.Kernel->isDependentContext() ? nullptr : DeviceIr::generate(Unit, Reach);
  Loaded.Facts = collectFacts(Unit, Host, Reach, Ir.get());
  if (Loaded.Facts.IsTemplate)
    return Loaded;
  if (WithAccesses && !Reach.HasErrors) {
    Loaded.Accesses = collectAccesses(Unit, Reach);
    Loaded.Shape = recogniseShape(Loaded.Facts, Loaded.Accesses);
    checkByIr(Ir.get(), Loaded.Facts, Loaded.Accesses, Loaded.Shape);
  }
  Loaded.Facts.Blockers = checkFusable(Unit, Host, Reach, Loaded.Facts);
  return Loaded;
}

void takeText(const ParsedUnit &Unit, const HostCode &Host, const Reached &Reach, const LinkedText &Linked,
              LoadedKernel &Loaded) {
  if (Loaded.Facts.IsTemplate)
    return;
  Loaded.Text = takeClosure(Unit, Host, Reach, Loaded.Facts, Linked);
  // One reason at one place is enough.
  for (const Blocker &B : Loaded.Text.Blockers)
    if (std::none_of(Loaded.Facts.Blockers.begin(), Loaded.Facts.Blockers.end(),
                     [&](const Blocker &Known) { return Known.Kind == B.Kind && Known.Where.str() == B.Where.str(); }))
      Loaded.Facts.Blockers.push_back(B);
}

LoadedKernel understand(const ParsedUnit &Unit, const HostCode &Host, const clang::FunctionDecl &Kernel,
                        KernelSpec Spec) {
  const Reached Reach = reach(Unit, Kernel);
  LoadedKernel Loaded = understand(Unit, Host, Reach, std::move(Spec), /*WithAccesses=*/true);
  takeText(Unit, Host, Reach, {}, Loaded);
  return Loaded;
}
} // namespace

llvm::Expected<std::vector<LoadedKernel>> loadKernels(const Toolchain &Tools, llvm::ArrayRef<KernelSpec> Kernels,
                                                      const InputFlags &Flags) {
  return loadKernels(Tools, Kernels, std::vector<InputFlags>(Kernels.size(), Flags));
}

struct ReadKernels::Parsed {
  struct File {
    explicit File(ReadFile Read) : Unit(std::move(Read.Unit)), OtherText(std::move(Read.OtherText)), Host(*Unit) {}
    std::shared_ptr<const ParsedUnit> Unit;
    std::vector<Blocker> OtherText;
    HostCode Host;
  };
  std::deque<File> Files;
  std::vector<LoadedKernel> Kernels;
  std::vector<std::pair<const File *, Reached>> Read; ///< By kernel.
};

ReadKernels::ReadKernels(std::unique_ptr<Parsed> Own) : Own(std::move(Own)) {}
ReadKernels::ReadKernels(ReadKernels &&Other) noexcept = default;
ReadKernels::~ReadKernels() = default;

llvm::ArrayRef<LoadedKernel> ReadKernels::kernels() const { return Own->Kernels; }

LoadedKernel ReadKernels::withText(size_t Kernel, const LinkedText &Linked) const {
  LoadedKernel Loaded = Own->Kernels[Kernel];
  const auto &[File, Reach] = Own->Read[Kernel];
  takeText(*File->Unit, File->Host, Reach, Linked, Loaded);
  Loaded.Linked = Linked;
  return Loaded;
}

llvm::Expected<ReadKernels> ReadKernels::read(const Toolchain &Tools, llvm::ArrayRef<KernelSpec> Kernels,
                                              llvm::ArrayRef<InputFlags> Flags, bool WithAccesses) {
  // One parse per file and flags; a kernel that is asked for twice is probed once.
  struct File {
    ParseRequest Request;
    llvm::Expected<ReadFile> Unit = ReadFile();
    const Parsed::File *Read = nullptr;
  };
  std::map<std::pair<std::string, InputFlags>, File> Files;
  std::vector<size_t> Probes;
  for (size_t I = 0; I < Kernels.size(); ++I) {
    const KernelSpec &Spec = Kernels[I];
    auto [Entry, New] = Files.try_emplace({Spec.File, Flags[I]});
    if (New) {
      auto Request = parseRequest(Spec.File, Flags[I]);
      if (!Request) {
        for (auto &[Key, Other] : Files)
          llvm::consumeError(Other.Unit.takeError());
        return Request.takeError();
      }
      Entry->second.Request = std::move(*Request);
    }
    std::vector<std::string> &Known = Entry->second.Request.Probes;
    const auto At = std::find(Known.begin(), Known.end(), Spec.Kernel);
    Probes.push_back(At - Known.begin());
    if (needsProbe(Spec) && At == Known.end())
      Known.push_back(Spec.Kernel);
  }
  ArtifactCache Cache(defaultCacheFolder());
  {
    std::vector<std::jthread> Threads;
    for (auto &[Key, Each] : Files) {
      llvm::consumeError(Each.Unit.takeError());
      Threads.emplace_back([&, &Each = Each] { Each.Unit = readFile(Tools, Cache, Each.Request); });
    }
  }
  llvm::Error Failures = llvm::Error::success();
  for (auto &[Key, Each] : Files)
    if (!Each.Unit)
      Failures = llvm::joinErrors(std::move(Failures), Each.Unit.takeError());
  if (Failures)
    return std::move(Failures);

  auto Own = std::make_unique<Parsed>();
  for (auto &[Key, Each] : Files)
    Each.Read = &Own->Files.emplace_back(std::move(*Each.Unit));
  for (size_t I = 0; I < Kernels.size(); ++I) {
    const Parsed::File &File = *Files.find({Kernels[I].File, Flags[I]})->second.Read;
    auto Kernel = findKernel(*File.Unit, Kernels[I], Probes[I]);
    if (!Kernel) {
      Failures = llvm::joinErrors(std::move(Failures), Kernel.takeError());
      continue;
    }
    Own->Read.push_back({&File, reach(*File.Unit, **Kernel)});
    Own->Kernels.push_back(understand(*File.Unit, File.Host, Own->Read.back().second, Kernels[I], WithAccesses));
    Own->Kernels.back().Parsed = {File.Unit, Own->Read.back().second.Kernel};
    llvm::append_range(Own->Kernels.back().Facts.Blockers, File.OtherText);
  }
  if (Failures)
    return std::move(Failures);
  return ReadKernels(std::move(Own));
}

llvm::Expected<std::vector<LoadedKernel>> loadKernels(const Toolchain &Tools, llvm::ArrayRef<KernelSpec> Kernels,
                                                      llvm::ArrayRef<InputFlags> Flags, Linker Link) {
  auto Read = ReadKernels::read(Tools, Kernels, Flags, /*WithAccesses=*/bool(Link));
  if (!Read)
    return Read.takeError();
  std::vector<LinkedText> Linked(Kernels.size());
  if (Link) {
    auto Found = Link(Read->kernels());
    if (!Found)
      return Found.takeError();
    Linked = std::move(*Found);
  }
  std::vector<LoadedKernel> Loaded;
  for (size_t I = 0; I < Kernels.size(); ++I)
    Loaded.push_back(Read->withText(I, Linked[I]));
  return Loaded;
}

llvm::Expected<std::vector<LoadedKernel>> loadAllKernels(const Toolchain &Tools, const std::string &File,
                                                         const InputFlags &Flags) {
  auto Request = parseRequest(File, Flags);
  if (!Request)
    return Request.takeError();
  ArtifactCache Cache(defaultCacheFolder());
  auto Read = readFile(Tools, Cache, std::move(*Request));
  if (!Read)
    return Read.takeError();
  const std::unique_ptr<ParsedUnit> *Unit = &Read->Unit;
  const HostCode Host(**Unit);
  std::vector<LoadedKernel> Loaded;
  for (const clang::FunctionDecl *Kernel : allKernels(**Unit)) {
    const KernelSpec Spec{File, qualifiedNameOf(*Kernel), 0};
    const size_t Before = Loaded.size();
    if (const clang::FunctionTemplateDecl *Template = Kernel->getDescribedFunctionTemplate())
      for (const clang::FunctionDecl *Instance : Template->specializations())
        if (const clang::FunctionDecl *Definition = Instance->getDefinition();
            Definition && Definition->isTemplateInstantiation())
          Loaded.push_back(understand(**Unit, Host, *Definition, {File, qualifiedNameOf(*Definition), 0}));
    if (Loaded.size() == Before)
      Loaded.push_back(understand(**Unit, Host, *Kernel, Spec));
  }
  for (LoadedKernel &Kernel : Loaded)
    llvm::append_range(Kernel.Facts.Blockers, Read->OtherText);
  // Errors that hide kernels are better than an empty answer.
  for (const ParseError &Error : (*Unit)->errors())
    if (Error.MissingFile || Loaded.empty())
      return badInput(Error.Text, "correct the error, or pass the missing flags after `--`", Error.Where);
  return Loaded;
}

} // namespace cufuse
