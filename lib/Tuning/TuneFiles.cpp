#include "TuningKind.h"

#include "cufuse/Driver/CheckPaths.h"
#include "cufuse/Driver/FromDatabase.h"

#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>

namespace cufuse {

std::vector<std::string> sourcesOf(const TuneRequest &Request, const TuningSubject &Subject) {
  std::vector<std::string> Sources = {Request.Output};
  const std::string Stem = llvm::StringRef(Request.Output).drop_back(3).str();
  // One for each launch that has several kernels.
  for (size_t I = 2; !Subject.Work.Links.empty() && I <= Subject.Kernels.size() / 2; ++I)
    Sources.push_back(fmt::format("{}_{}.cu", Stem, I));
  for (const WorkloadKernel &Kernel : Subject.Work.Kernels)
    if (Request.EmitSolo)
      Sources.push_back(fmt::format("{}.{}.cu", Stem, Kernel.Name));
  return Sources;
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
  std::vector<std::string> Outputs = Request.OtherOutputs;
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
  if (llvm::Error Error = checkOutputs(All, Inputs))
    return Error;
  for (const std::string &Report : Request.OtherOutputs)
    if (llvm::Error Error = checkReplaced(Report, {"<!DOCTYPE html>\n<!-- Written by cufuse tune -->", "{\n \""}))
      return Error;
  for (const std::string &Source : sourcesOf(Request, Subject))
    if (llvm::Error Error = checkReplaced(Source))
      return Error;
  return tryOutputs(Outputs);
}

} // namespace cufuse
