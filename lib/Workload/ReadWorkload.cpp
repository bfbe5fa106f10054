#include "cufuse/Workload/Workload.h"

#include "cufuse/Support/Error.h"

#include "Reader.h"

#include <fmt/core.h>

namespace cufuse {

namespace {

/// `--set NAME=VALUE`.
struct Setting {
  std::string Written, Name;
  Number Value;
};

llvm::Expected<std::vector<Setting>> parseSettings(llvm::ArrayRef<std::string> Written) {
  std::vector<Setting> Settings;
  for (const std::string &Text : Written) {
    const auto [Name, Value] = llvm::StringRef(Text).split('=');
    if (Name.trim().empty() || Value.trim().empty())
      return badUsage(fmt::format("'{}' sets nothing", Text), "write NAME=VALUE");
    auto Parsed = parseExpression(Value, {});
    auto Result = Parsed ? evaluate(*Parsed, {}) : llvm::Expected<Number>(Parsed.takeError());
    if (!Result) {
      Complaints Wrong;
      Wrong.add(Result.takeError());
      return badUsage(fmt::format("'{}': {}", Text, Wrong.messages()[0].Text), "write NAME=VALUE");
    }
    Settings.push_back({Text, Name.trim().str(), *Result});
  }
  return Settings;
}

/// Distributes the settings over the files: each must mean one size of one file.
llvm::Error applySettings(llvm::ArrayRef<Setting> Settings, std::vector<WorkloadFile> &Files) {
  std::map<const WorkloadSize *, std::string> Set; // to the setting
  for (const Setting &S : Settings) {
    std::vector<std::pair<WorkloadFile *, WorkloadSize *>> Meant;
    std::vector<std::string> Known;
    for (WorkloadFile &File : Files)
      for (WorkloadSize &Size : File.Sizes) {
        const std::string Qualified = File.name() + "." + Size.Name;
        Known.push_back(Files.size() > 1 ? Qualified : Size.Name);
        if (S.Name == Size.Name || S.Name == Qualified)
          Meant.push_back({&File, &Size});
      }
    if (Meant.empty())
      return badUsage(fmt::format("'{}' sets no size of the workload", S.Written), suggestion(S.Name, Known));
    if (Meant.size() > 1)
      return badUsage(fmt::format("'{}': several kernels have a size of that name", S.Written),
                      fmt::format("write {}.{} or {}.{}", Meant[0].first->name(), Meant[0].second->Name,
                                  Meant[1].first->name(), Meant[1].second->Name));
    WorkloadSize &Size = *Meant[0].second;
    if (!namesIn(Size.Value).empty())
      return badUsage(fmt::format("'{}': {} follows from other sizes ({})", S.Written, Size.Name, Size.Where.str()),
                      fmt::format("set {}", namesIn(Size.Value)[0]->Text));
    if (const auto [Known, IsNew] = Set.try_emplace(&Size, S.Written); !IsNew)
      return badUsage(fmt::format("'{}' and '{}' are of one size", Known->second, S.Written), "give one of them");
    Size.Value = {Expression::Literal, S.Value, "", {}, Size.Where};
  }
  return llvm::Error::success();
}

/// Kernels of the same name get numbers.
void numberKernels(std::vector<WorkloadFile> &Files) {
  std::map<std::string, unsigned> Count, Next;
  for (const WorkloadFile &File : Files)
    for (const WorkloadKernel &Kernel : File.Kernels)
      ++Count[Kernel.Name];
  for (WorkloadFile &File : Files)
    for (WorkloadKernel &Kernel : File.Kernels)
      if (const std::string Name = Kernel.Name; Count[Name] > 1)
        do
          Kernel.Name = fmt::format("{}_{}", Name, Next[Name]++);
        while (Count.count(Kernel.Name)); // another's own
}

} // namespace

llvm::Expected<Workload> readWorkload(llvm::ArrayRef<std::string> Paths, llvm::ArrayRef<std::string> Written) {
  auto Settings = TRY(parseSettings(Written));
  std::vector<WorkloadFile> Files;
  for (const std::string &Path : Paths) {
    Files.push_back(TRY(readFile(Path)));
  }
  numberKernels(Files);
  TRY(applySettings(Settings, Files));

  if (Files.size() > 1)
    for (const WorkloadFile &File : Files)
      if (!File.Links.empty())
        return badInput("a workload with links is not one of several", "give it alone, or put all kernels into it",
                        File.Links.front().Where);

  Workload Result;
  for (WorkloadFile &File : Files)
    TRY(resolve(File, Files.size() > 1 ? File.name() + "." : "", Result));
  if (std::none_of(Result.Buffers.begin(), Result.Buffers.end(), [](const BufferSpec &B) { return B.Output; }))
    return badInput("no buffer is an output: results could not be compared", "add `output: true` to a buffer",
                    Result.Kernels[0].Where);
  return Result;
}

} // namespace cufuse
