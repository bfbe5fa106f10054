#include "TuningKind.h"

#include "cufuse/Driver/CheckPaths.h"
#include "cufuse/Driver/FromDatabase.h"
#include "cufuse/Support/Error.h"

#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>

namespace cufuse {

std::string numbered(llvm::StringRef Source, size_t Number) {
  return fmt::format("{}_{}.cu", Source.drop_back(3).str(), Number);
}

std::vector<std::string> sourcesOf(const TuneRequest &Request, const TuningSubject &Subject, bool OfAny) {
  std::vector<std::string> Sources = {Request.Output};
  const std::string Stem = llvm::StringRef(Request.Output).drop_back(3).str();
  // One for each launch that has several kernels, or for each kernel of a list of sizes.
  const size_t Launches = Subject.isLinked() ? Subject.Kernels.size() / 2 : 0;
  const bool IsList = OfAny || Request.List;
  for (size_t I = IsList ? 1 : 2; I <= (IsList ? std::max<size_t>(Launches, MostOfList) : Launches); ++I)
    Sources.push_back(numbered(Request.Output, I));
  for (const WorkloadKernel &Kernel : Subject.Work.Kernels)
    if (Request.EmitSolo)
      Sources.push_back(fmt::format("{}.{}.cu", Stem, Kernel.Name));
  return Sources;
}

/// What stands above the first `#include`, with the command; "" where there is no file.
static std::string headOf(const std::string &Source) {
  const auto Text = llvm::expectedToOptional(textOfFile(Source));
  return Text ? Text->substr(0, Text->find("\n#")) : "";
}

bool isOfTuning(const std::string &Source, const std::string &Output) {
  const std::string Text = headOf(Source);
  const llvm::StringRef Head = Text;
  return Head.contains("cufuse tune") && (Source == Output || Head.contains(llvm::sys::path::filename(Output)));
}

std::vector<std::string> filesOf(const TuneRequest &Request, const Workload &Work) {
  std::vector<std::string> Files = Request.Workloads;
  llvm::append_range(Files, dataFiles(Work));
  return Files;
}

std::vector<std::string> textsOf(llvm::ArrayRef<LoadedKernel> Kernels) {
  std::vector<std::string> Files;
  for (const LoadedKernel &Kernel : Kernels)
    llvm::append_range(Files, Kernel.Text.Dependencies);
  return Files;
}

llvm::Error checkTuneFiles(const TuneRequest &Request, const TuningSubject &Subject) {
  std::vector<std::string> Outputs(Request.OtherOutputs.begin(), Request.OtherOutputs.end());
  for (const std::string &Source : sourcesOf(Request, Subject))
    Outputs.insert(Outputs.end(), {Source, llvm::StringRef(Source).drop_back(3).str() + ".h"});
  Outputs.push_back(Request.Trace);
  for (const std::string &Output : Outputs) {
    const llvm::StringRef Folder = llvm::sys::path::parent_path(Output);
    if (!Folder.empty() && !llvm::sys::fs::is_directory(Folder))
      return badInput(fmt::format("cannot write '{}': there is no folder '{}'", Output, Folder.str()), "make it");
  }
  std::vector<std::string> Inputs = filesOf(Request, Subject.Work), All = Outputs;
  llvm::append_range(Inputs, textsOf(Subject.Kernels));
  All.push_back(Request.Database); // makes its folder
  TRY(checkOutputs(All, Inputs));
  constexpr std::array<llvm::StringRef, 2> Begins = {"<!DOCTYPE html>\n<!-- Written by cufuse tune -->",
                                                     "{\n \"#\": \"Written by cufuse tune\""};
  for (size_t I = 0; I < Begins.size(); ++I)
    TRY(checkReplaced(Request.OtherOutputs[I], {Begins[I]}));
  for (const std::string &Source : sourcesOf(Request, Subject)) {
    if (Source != Request.Output && llvm::sys::fs::exists(Source) && !isOfTuning(Source, Request.Output))
      return badInput(fmt::format("'{}' is there, and another command has made it", Source),
                      "choose another name for the output, or remove it");
    TRY(checkReplaced(Source));
  }
  return tryOutputs(Outputs);
}

} // namespace cufuse
