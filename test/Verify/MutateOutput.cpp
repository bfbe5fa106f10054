// Changes fused texts, and says what the verification makes of each change.
//
//   cufuse-mutate-output CUFUSE FILE [LINK | INTERMEDIATE | --reassociate ...]
//
// FILE holds kernels, and a comment for each change: a line `// KERNEL: WHAT`, then `//- OLD` and `//+ NEW`, one line
// each; without NEW, the old text is removed. All kernels are fused at once, and all changes are made in one text, each
// at the first place of its kernel's own namespace; a change of `*` is made in a text of its own, at the first place of
// all. One line each on stdout: `caught`, `missed` or `not found`, and the change; `false alarm` for a kernel that
// nothing was changed in. With links (`a.out=b.in`) and dead intermediates (`a.out`), the kernels are composed; changes
// are made in texts of their own then.
#include "../FuseJobs.h"

#include "cufuse/Driver/Compose.h"
#include "cufuse/Verify/VerifyFused.h"

#include <llvm/Support/MemoryBuffer.h>

using namespace cufuse;

namespace {

struct TextChange {
  std::string Kernel, What, Old, New;
};

std::vector<TextChange> readChanges(llvm::StringRef Text) {
  std::vector<TextChange> Changes;
  llvm::SmallVector<llvm::StringRef> Lines;
  Text.split(Lines, '\n');
  for (size_t I = 0; I + 1 < Lines.size(); ++I) {
    llvm::StringRef Head = Lines[I], Old = Lines[I + 1];
    if (!Head.consume_front("// ") || !Old.consume_front("//- "))
      continue;
    const auto [Kernel, What] = Head.split(": ");
    llvm::StringRef New = I + 2 < Lines.size() ? Lines[I + 2] : "";
    Changes.push_back({Kernel.str(), What.str(), Old.str(), New.consume_front("//+ ") ? New.str() : ""});
  }
  return Changes;
}

class Mutator {
public:
  Mutator(const Toolchain &Tools, std::vector<LoadedKernel> Loaded) : Tools(Tools), Kernels(std::move(Loaded)) {
    std::vector<const KernelFacts *> Facts;
    for (const LoadedKernel &Kernel : Kernels) {
      Facts.push_back(&Kernel.Facts);
      // Those behind the first are parts of their blocks.
      Config.Constituents.push_back({BlockShape{Facts.size() == 1 ? 64u : 32u, 1, 1}});
    }
    Config.Shape = Geometry::Blocks;
    const std::vector<std::string> Names = constituentNames(Facts);
    for (size_t I = 0; I < Kernels.size(); ++I)
      Constituents.push_back({Names[I], &Kernels[I].Facts, &Kernels[I].Text,
                              Kernels[I].Parsed.Unit ? &Kernels[I].Parsed : nullptr,
                              Kernels[I].Parsed.Unit ? nullptr : &Kernels[I].Parts});
    findForeignMacros(Constituents);
    Options.Name = "fused";
    Options.SourceFile = "fused.cu";
    Options.HeaderFile = "fused.h";
    Options.Command = "a test";
    Plan = need(planFusion(Facts, Config, Kernels.front().Arch));
    Fused = need(emitFused(Constituents, Plan, Options));
  }

  /// What is said of the text, and which kernels are named in it.
  std::string verify(const FusedSource &Text) const {
    ParseRequest Request;
    Request.Flags = Kernels.front().Flags;
    Request.Arch = Kernels.front().Arch;
    Request.ExtraIncludeFolders = {llvm::sys::path::parent_path(Kernels.front().Spec.File).str()};
    std::string Said;
    llvm::raw_string_ostream Out(Said);
    if (llvm::Error Error =
            verifyFused(Tools, Text, Constituents, Plan, Options, std::move(Request), Kernels.front().Errors))
      report(std::move(Error), Out);
    return Said;
  }

  /// In the text of one kernel, which may also stand in the header, or anywhere.
  bool make(const TextChange &Each, FusedSource &Text) const {
    for (std::string *In : {&Text.Source, &Text.Header}) {
      size_t From = 0, To = In->size();
      if (Each.Kernel != "*") {
        const std::string Name = "cufuse_" + Each.Kernel;
        From = In->find("namespace " + Name + " {");
        if (From == std::string::npos)
          continue;
        To = In->find("} // namespace fused_text::" + Name + "\n", From);
      }
      size_t At = In->find(Each.Old, From);
      // Comments are copied, too.
      while (At != std::string::npos && llvm::StringRef(*In).substr(In->rfind('\n', At) + 1).starts_with("//"))
        At = In->find(Each.Old, At + 1);
      if (At == std::string::npos || At >= To)
        continue;
      In->replace(At, Each.Old.size(), Each.New);
      return true;
    }
    return false;
  }

  const FusedSource &fused() const { return Fused; }
  llvm::ArrayRef<LoadedKernel> kernels() const { return Kernels; }

private:
  const Toolchain &Tools;
  std::vector<LoadedKernel> Kernels;
  FusionConfig Config;
  std::vector<Constituent> Constituents;
  EmitOptions Options;
  FusionPlan Plan;
  FusedSource Fused;
};

std::vector<LoadedKernel> compose(const Toolchain &Tools, llvm::ArrayRef<KernelSpec> Specs,
                                  llvm::ArrayRef<const char *> Words) {
  FuseRequest Request;
  for (const llvm::StringRef Word : Words)
    if (Word == "--reassociate")
      Request.Composition.Reassociate = true;
    else if (Word.contains('='))
      Request.Links.push_back(need(parseLink(Word)));
    else
      Request.Dead.push_back(Word.str());
  const BlockShape Block{64, 1, 1};
  Request.Blocks = {{"", Block}};
  std::vector<LoadedKernel> Kernels = need(readKernels(Tools, Specs, InputFlags{}));
  if (llvm::Error Error = checkAll(Kernels))
    stop(std::move(Error));
  return need(compose(std::move(Kernels), Request));
}

void say(const char *Outcome, const TextChange &Each) {
  llvm::outs() << Outcome << ": " << Each.Kernel << ": " << Each.What << '\n';
}

} // namespace

int main(int Count, char **Arguments) {
  if (Count < 3)
    stop(badUsage("usage: cufuse-mutate-output CUFUSE FILE [LINK | INTERMEDIATE | --reassociate ...]"));
  const Toolchain Tools = need(findToolchain(Arguments[1]));
  const std::string File = Arguments[2];
  const auto Buffer = llvm::MemoryBuffer::getFile(File);
  if (!Buffer)
    stop(badInput("cannot read '" + File + "'"));
  const std::vector<TextChange> Changes = readChanges((*Buffer)->getBuffer());

  std::vector<LoadedKernel> Kernels;
  {
    std::vector<KernelSpec> Specs;
    for (const LoadedKernel &Each : need(readAllKernels(Tools, File, {}, Instances::All)))
      Specs.push_back(Each.Spec);
    Kernels = Count == 3 ? need(readKernels(Tools, Specs, InputFlags{}))
                         : compose(Tools, Specs, llvm::ArrayRef(Arguments + 3, Arguments + Count));
  }
  if (llvm::Error Error = checkAll(Kernels))
    stop(std::move(Error));
  const Mutator Mutator(Tools, std::move(Kernels));

  if (const std::string Said = Mutator.verify(Mutator.fused()); !Said.empty()) {
    llvm::outs() << "false alarm: " << Said << '\n';
    return 1;
  }
  FusedSource All = Mutator.fused();
  std::vector<TextChange> Made;
  for (const TextChange &Each : Changes)
    if (Each.Kernel != "*") {
      if (Mutator.make(Each, All))
        Made.push_back(Each);
      else
        say("not found", Each);
    }
  const std::string Said = Mutator.verify(All);
  for (const TextChange &Each : Made)
    say(Said.find("of " + Each.Kernel + ", ") != std::string::npos ? "caught" : "missed", Each);
  for (const LoadedKernel &Kernel : Mutator.kernels())
    if (llvm::none_of(Made, [&](const TextChange &Each) { return Each.Kernel == Kernel.Facts.Name; }) &&
        Said.find("of " + Kernel.Facts.Name + ", ") != std::string::npos)
      llvm::outs() << "false alarm: " << Kernel.Facts.Name << '\n';
  for (const TextChange &Each : Changes)
    if (Each.Kernel == "*") {
      FusedSource One = Mutator.fused();
      say(!Mutator.make(Each, One) ? "not found" : Mutator.verify(One).empty() ? "missed" : "caught", Each);
    }
  llvm::outs() << Said;
  return 0;
}
