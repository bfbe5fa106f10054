#include "TuneFiles.h"

#include "cufuse/Driver/FromDatabase.h"
#include "cufuse/Support/Error.h"

#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>

namespace cufuse {

/// Each has a header beside it.
static std::vector<std::string> sourcesOf(const TuneRequest &Request, const TuningSubject &Subject) {
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

llvm::Error checkTuneFiles(const TuneRequest &Request, const TuningSubject &Subject) {
  std::vector<std::string> Inputs = Request.Workloads;
  llvm::append_range(Inputs, dataFiles(Subject.Work));
  for (const LoadedKernel &Kernel : Subject.Kernels)
    llvm::append_range(Inputs, Kernel.Text.Dependencies);
  std::vector<std::string> Outputs = Request.OtherOutputs;
  for (const std::string &Source : sourcesOf(Request, Subject))
    Outputs.insert(Outputs.end(), {Source, llvm::StringRef(Source).drop_back(3).str() + ".h"});
  Outputs.push_back(Request.Trace);
  for (const std::string &Output : Outputs) {
    const llvm::StringRef Folder = llvm::sys::path::parent_path(Output);
    if (!Folder.empty() && !llvm::sys::fs::is_directory(Folder))
      return badInput(fmt::format("cannot write '{}': there is no folder '{}'", Output, Folder.str()), "make it");
  }
  Outputs.push_back(Request.Database); // makes its folder
  return checkOutputs(Outputs, Inputs);
}

} // namespace cufuse
