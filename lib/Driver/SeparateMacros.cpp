#include "Parts.h"

#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/MemoryBuffer.h>

#include <map>

namespace cufuse {

namespace {

/// For each macro, the flags that speak of it.
std::map<std::string, std::vector<std::string>> settings(const std::vector<std::string> &Flags) {
  std::map<std::string, std::vector<std::string>> Settings;
  for (const std::string &Flag : Flags)
    Settings[macroOfFlag(Flag)].push_back(Flag);
  Settings.erase("");
  return Settings;
}

bool isMentioned(const std::string &Path, const std::string &Macro) {
  auto Text = llvm::MemoryBuffer::getFile(Path);
  return Text && hasWord((*Text)->getBuffer(), Macro);
}

bool pastes(const std::string &Path) {
  auto Text = llvm::MemoryBuffer::getFile(Path);
  return Text && (*Text)->getBuffer().contains("##");
}

/// As a directive says it.
std::string directive(const std::string &Macro, llvm::ArrayRef<std::string> Flags) {
  llvm::StringRef Last = Flags.empty() ? llvm::StringRef() : llvm::StringRef(Flags.back());
  if (!Last.consume_front("-D"))
    return "#undef " + Macro;
  const auto [Name, Value] = Last.split('=');
  return fmt::format("#undef {}\n#define {} {}", Macro, Name.str(), Last.contains('=') ? Value.str() : "1");
}

} // namespace

std::string macroOfFlag(llvm::StringRef Flag) {
  if (!Flag.consume_front("-D") && !Flag.consume_front("-U"))
    return {};
  return Flag.split('=').first.split('(').first.str();
}

void separateMacros(std::vector<LoadedKernel> &Kernels) {
  std::map<std::string, std::set<std::vector<std::string>>> Said;
  for (const LoadedKernel &Kernel : Kernels)
    for (const auto &[Macro, Flags] : settings(Kernel.Flags.Macros))
      Said[Macro].insert(Flags);
  for (const LoadedKernel &Kernel : Kernels) {
    const auto Own = settings(Kernel.Flags.Macros);
    for (auto &[Macro, Ways] : Said)
      if (!Own.count(Macro))
        Ways.insert({});
  }
  for (const auto &[Macro, Ways] : Said)
    for (LoadedKernel &Kernel : Kernels) {
      if (Ways.size() == 1)
        break;
      Kernel.OwnMacros.insert(Macro);
      KernelText &Text = Kernel.Text;
      // What any macro says depends on the file, then.
      for (auto &Outside : Text.OutsideMacros)
        Outside.second = {};
      const std::string Directive = directive(Macro, settings(Kernel.Flags.Macros)[Macro]);
      // Where macros of a header name it, too, or any makes names.
      if (llvm::any_of(Text.Body, [&](const Piece &P) { return hasWord(P.Text.written(), Macro); }) ||
          llvm::any_of(Text.Dependencies, pastes) ||
          llvm::any_of(llvm::ArrayRef(Text.Dependencies).drop_front(!Text.Dependencies.empty()),
                       [&](const std::string &Path) { return isMentioned(Path, Macro); })) {
        Text.Body.insert(Text.Body.begin(), {Piece::Kind::Macro, {}, Directive});
        if (!llvm::is_contained(Text.BodyMacros, Macro))
          Text.BodyMacros.push_back(Macro);
      }
      for (const auto List : {&KernelText::Includes, &KernelText::Libraries})
        for (IncludeLine &Include : Text.*List)
          if (llvm::any_of(Include.Reads, [&](const std::string &Path) { return isMentioned(Path, Macro); }))
            Include.Defines.push_back({Macro, Directive, true});
    }
}

} // namespace cufuse
