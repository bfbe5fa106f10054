// What the tools share that fuse many sets of kernels in one process.
#pragma once

#include "cufuse/Driver/Fuser.h"
#include "cufuse/Support/FileStore.h"

#include <llvm/ADT/SmallString.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/raw_ostream.h>

namespace cufuse {

[[noreturn]] inline void stop(llvm::Error Error) {
  std::exit(static_cast<int>(report(std::move(Error), llvm::errs())));
}

template <typename T> T need(llvm::Expected<T> Value) {
  if (!Value)
    stop(Value.takeError());
  return std::move(*Value);
}

/// `CUFUSE FILE:KERNEL... -- JOB...`
struct JobArguments {
  Toolchain Tools;
  std::vector<KernelSpec> Kernels;
  std::vector<std::string> Jobs;

  JobArguments(int Count, char **Arguments, const char *Tool) {
    int I = 2;
    for (; I < Count && llvm::StringRef(Arguments[I]) != "--"; ++I)
      Kernels.push_back(need(parseKernelSpec(Arguments[I])));
    if (Kernels.empty())
      stop(badUsage(std::string("usage: ") + Tool + " CUFUSE FILE:KERNEL... -- JOB..."));
    Tools = need(findToolchain(Arguments[1]));
    for (++I; I < Count; ++I)
      Jobs.emplace_back(Arguments[I]);
  }
};

/// A line on stdout: the job's name, its status, and what was said of it.
inline void sayOutcome(const std::string &Name, llvm::Error Outcome) {
  std::string Said;
  llvm::raw_string_ostream Out(Said);
  const int Status = static_cast<int>(report(std::move(Outcome), Out));
  std::replace(Said.begin(), Said.end(), '\n', '\t');
  llvm::outs() << Name << ' ' << Status << ' ' << Said << '\n';
  llvm::outs().flush();
}

/// Fuses checked kernels in the namespace `Name`, and writes `Output`, a `.cu`, and its header.
inline llvm::Error fuseInto(const std::string &Output, const std::string &Name, const Toolchain &Tools,
                            llvm::ArrayRef<LoadedKernel> Kernels, const FusionConfig &Config) {
  llvm::SmallString<128> Header(Output);
  llvm::sys::path::replace_extension(Header, ".h");
  EmitOptions Options;
  Options.Name = Name;
  Options.SourceFile = llvm::sys::path::filename(Output).str();
  Options.HeaderFile = llvm::sys::path::filename(Header).str();
  Options.Command = "a fuzzer's job";
  auto Fused = Fuser(Tools, Kernels, Options).source(Config);
  if (!Fused)
    return Fused.takeError();
  return writeFiles({{Output, Fused->Source}, {std::string(Header), Fused->Header}});
}

} // namespace cufuse
