#include "cufuse/Driver/ReadKernels.h"

#include "Parts.h"
#include "cufuse/Compile/Nvcc.h"
#include "cufuse/Extract/TakeText.h"
#include "cufuse/Facts/CollectFacts.h"
#include "cufuse/Facts/FindKernel.h"
#include "cufuse/Facts/WriteOutMacros.h"
#include "cufuse/Kernel/Counters.h"
#include "cufuse/Kernel/Wrapping.h"
#include "cufuse/ReadAccesses/CollectAccesses.h"
#include "cufuse/Support/Error.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

#include <map>
#include <thread>

namespace cufuse {

llvm::Expected<CompileFlags> compileFlags(const std::string &File, const InputFlags &Input) {
  auto Flags =
      TRY(Input.BuildDirectory.empty() ? llvm::Expected<CompileFlags>(translateFlags(Input.Written, Input.Folder))
                                       : flagsFromDatabase(Input.BuildDirectory, File));
  if (!Flags.Unclear.empty())
    return badUsage(Flags.Unclear, "write the flags out");
  TRY(checkArguments(Flags.Nvcc));
  return Flags;
}

namespace {

/// One file, as Clang and as nvcc read it.
struct ReadFile {
  std::unique_ptr<ParsedUnit> Unit;
  std::vector<Blocker> OtherText;
};

/// Reads the file for the architecture that is asked for, else for the lowest of those in the flags: what is allowed
/// there is allowed for the others.
llvm::Expected<ReadFile> readFile(const Toolchain &Tools, ParseRequest Request) {
  auto Answer = TRY(askNvcc(Tools, Request.File, Request.Flags, Request.Arch));
  if (Request.Arch.empty()) {
    if (Answer.Steps.empty() && !Request.Flags.Arch)
      return badUsage("which architectures " + llvm::join(Request.Flags.Architectures, " ") +
                          " means is only known to nvcc, which is not at hand",
                      "name one with --arch");
    Request.Arch = Answer.Steps.empty() ? *Request.Flags.Arch : Answer.Steps.front().Arch;
  }
  Request.Predefined = Answer.Predefined;
  for (const NvccStep &Step : Answer.Steps)
    Request.Compared.push_back(Step.Arch);
  Request.Compared.push_back(Request.Arch);
  auto Unit = TRY(parseWrittenOut(Tools, Request));
  auto OtherText = otherText(Tools, Answer, Unit->usersText());
  if (OtherText)
    return ReadFile{std::move(Unit), std::move(*OtherText)};
  // Clang knows the place.
  if (llvm::none_of(Unit->errors(), [](const ParseError &Each) { return Each.MissingFile; }))
    return OtherText.takeError();
  llvm::consumeError(OtherText.takeError());
  return ReadFile{std::move(Unit), {}};
}

llvm::Expected<ParseRequest> parseRequest(const std::string &File, const InputFlags &Input) {
  ParseRequest Request;
  Request.File = File;
  if (llvm::StringRef Arch = Input.Arch;
      !Arch.empty() && (!Arch.consume_front("sm_") || Arch.empty() || !isdigit(Arch[0])))
    return badUsage("there is no architecture '" + Input.Arch + "'", "use one like sm_80 or sm_90a");
  Request.Flags = TRY(compileFlags(File, Input));
  Request.Arch = Input.Arch.empty() && Request.Flags.Architectures.empty() ? DefaultArch : Input.Arch;
  return Request;
}

/// A file with what is asked of it once.
struct OpenFile {
  explicit OpenFile(ReadFile Read) : Unit(std::move(Read.Unit)), OtherText(std::move(Read.OtherText)), Host(*Unit) {}
  std::shared_ptr<const ParsedUnit> Unit;
  std::vector<Blocker> OtherText;
  HostCode Host;
};

/// One reason at one place is enough.
void addBlockers(llvm::ArrayRef<Blocker> Found, std::vector<Blocker> &Blockers) {
  for (const Blocker &B : Found)
    if (llvm::none_of(Blockers,
                      [&](const Blocker &Known) { return Known.Kind == B.Kind && Known.Where.str() == B.Where.str(); }))
      Blockers.push_back(B);
}

LoadedKernel understand(const OpenFile &File, const clang::FunctionDecl &Kernel, KernelSpec Spec, bool Accesses) {
  const ParsedUnit &Unit = *File.Unit;
  struct Code { // what is known of accesses keeps it
    std::shared_ptr<const ParsedUnit> Unit;
    Reached Reach;
    std::unique_ptr<DeviceIr> Ir;
  };
  auto Own = std::make_shared<Code>();
  Own->Unit = File.Unit;
  Reached &Reach = Own->Reach;
  Own->Ir = reach(Unit, Kernel, Reach);
  const std::shared_ptr<const DeviceIr> Ir(Own, Own->Ir.get());
  LoadedKernel Loaded{std::move(Spec), {}, {}, Unit.request().Flags, Unit.request().Arch};
  Loaded.Predefined = Unit.request().Predefined;
  Loaded.Parsed = {File.Unit, Reach.Kernel};
  for (const ParseError &Error : Unit.errors())
    Loaded.Errors.insert(Error.key());
  Loaded.Facts = collectFacts(Unit, File.Host, Reach, Ir.get());
  if (!Loaded.Facts.IsTemplate) {
    if (Accesses && !Reach.HasErrors) {
      Loaded.Accesses = collectAccesses(Unit, Reach, Ir);
      Loaded.Shape = recogniseShape(Loaded.Facts, Loaded.Accesses);
      if (Loaded.Shape.Shape != KernelShape::Pointwise && !Loaded.Accesses.Quotients.empty()) {
        KernelAccesses Ended = endedByElements(Loaded.Accesses);
        if (ShapeFacts Shape = recogniseShape(Loaded.Facts, Ended); Shape.Shape == KernelShape::Pointwise) {
          Loaded.Accesses = std::move(Ended);
          Loaded.Shape = std::move(Shape);
        }
      }
      if (Loaded.Shape.Shape != KernelShape::Pointwise)
        Loaded.Map = recogniseMap(Loaded.Facts, Loaded.Accesses);
      Loaded.Accesses = withoutWraps(countedFromThreads(withoutWraps(std::move(Loaded.Accesses))));
    }
  }
  std::set<std::string> Named; // its block is that of the launch that it is named by
  for (const clang::CUDAKernelCallExpr *Launch : launchesAt(Unit, Loaded.Spec))
    Named.insert(Unit.place(Launch->getBeginLoc()).str());
  llvm::erase_if(Loaded.Facts.Launches,
                 [&](const LaunchFacts &Each) { return !Named.empty() && !Named.count(Each.Where.str()); });
  Loaded.Facts.Blockers = checkFusable(Unit, File.Host, Reach, Ir.get(), Loaded.Facts);
  llvm::append_range(Loaded.Facts.Blockers, File.OtherText);
  if (!Loaded.Facts.IsTemplate) {
    Loaded.Text = takeText(Unit, File.Host, Reach, Ir.get(), Loaded.Facts);
    addBlockers(Loaded.Text.Blockers, Loaded.Facts.Blockers);
  }
  // Such a kernel is no text for Clang: all else follows from that.
  auto IsTiles = [](const Blocker &B) { return B.Kind == BlockerKind::TileKernel; };
  if (llvm::any_of(Loaded.Facts.Blockers, IsTiles))
    llvm::erase_if(Loaded.Facts.Blockers, [&](const Blocker &B) { return !IsTiles(B); });
  return Loaded;
}
} // namespace

void link(LoadedKernel &Kernel, LinkedText Linked) {
  Kernel.Text = withLinks(std::move(Kernel.Text), Linked);
  Kernel.Linked = std::move(Linked);
  addBlockers(Kernel.Text.Blockers, Kernel.Facts.Blockers);
}

llvm::Expected<std::vector<LoadedKernel>> readKernels(const Toolchain &Tools, llvm::ArrayRef<KernelSpec> Kernels,
                                                      const InputFlags &Flags, bool Accesses) {
  return readKernels(Tools, Kernels, std::vector<InputFlags>(Kernels.size(), Flags), Accesses);
}

llvm::Expected<std::vector<LoadedKernel>> readKernels(const Toolchain &Tools, llvm::ArrayRef<KernelSpec> Kernels,
                                                      llvm::ArrayRef<InputFlags> Flags, bool Accesses) {
  // One parse per file and flags.
  struct File {
    ParseRequest Request;
    std::vector<KernelSpec> Specs = {};
    std::optional<llvm::Expected<ReadFile>> Read = std::nullopt;
    std::unique_ptr<OpenFile> Open = nullptr;
  };
  std::map<std::pair<std::string, InputFlags>, File> Files;
  for (size_t I = 0; I < Kernels.size(); ++I) {
    const KernelSpec &Spec = Kernels[I];
    auto [Entry, New] = Files.try_emplace({Spec.File, Flags[I]});
    if (New) {
      Entry->second.Request = TRY(parseRequest(Spec.File, Flags[I]));
    }
    Entry->second.Specs.push_back(Spec);
  }
  for (auto &[Key, Each] : Files)
    Each.Request.Probes = [Specs = Each.Specs](clang::ASTContext &Ast) { return probesFor(Specs, Ast); };
  {
    std::vector<std::jthread> Threads;
    for (auto &[Key, Each] : Files)
      Threads.emplace_back([&, &Each = Each] { Each.Read.emplace(readFile(Tools, Each.Request)); });
  }
  llvm::Error Failures = llvm::Error::success();
  for (auto &[Key, Each] : Files)
    if (!*Each.Read)
      Failures = llvm::joinErrors(std::move(Failures), Each.Read->takeError());
  if (Failures)
    return std::move(Failures);

  for (auto &[Key, Each] : Files)
    Each.Open = std::make_unique<OpenFile>(std::move(**Each.Read));
  std::vector<LoadedKernel> Loaded;
  for (size_t I = 0; I < Kernels.size(); ++I) {
    const OpenFile &File = *Files.find({Kernels[I].File, Flags[I]})->second.Open;
    if (auto Kernel = findKernel(*File.Unit, Kernels[I]))
      Loaded.push_back(understand(File, **Kernel, Kernels[I], Accesses));
    else
      Failures = llvm::joinErrors(std::move(Failures), Kernel.takeError());
  }
  if (Failures)
    return std::move(Failures);
  nameIncludes(Loaded);
  separateMacros(Loaded);
  return Loaded;
}

llvm::Expected<std::vector<LoadedKernel>> readAllKernels(const Toolchain &Tools, const std::string &File,
                                                         const InputFlags &Flags, Instances Which) {
  auto Read = TRY(readFile(Tools, TRY(parseRequest(File, Flags))));
  const OpenFile Open(std::move(Read));
  std::vector<LoadedKernel> Loaded;
  for (const clang::FunctionDecl *Kernel : allKernels(*Open.Unit)) {
    std::vector<const clang::FunctionDecl *> Definitions;
    if (const clang::FunctionTemplateDecl *Template = Kernel->getDescribedFunctionTemplate())
      for (const clang::FunctionDecl *Instance : Template->specializations())
        if (const clang::FunctionDecl *Definition = Instance->getDefinition();
            Definition && Definition->isTemplateInstantiation())
          Definitions.push_back(Definition);
    if (Definitions.empty())
      Definitions.push_back(Kernel);
    const size_t Others = Which == Instances::First ? Definitions.size() - 1 : 0;
    Definitions.resize(Definitions.size() - Others);
    for (const clang::FunctionDecl *Definition : Definitions)
      Loaded.push_back(understand(Open, *Definition, {File, qualifiedNameOf(*Definition), 0}, true));
    Loaded.back().OtherInstances = Others;
  }
  // Errors that hide kernels are better than an empty answer.
  for (const ParseError &Error : Open.Unit->errors())
    if (Error.MissingFile || Loaded.empty())
      return badInput(Error.Text, "correct the error, or pass the missing flags after `--`", Error.Where);
  return Loaded;
}

} // namespace cufuse
