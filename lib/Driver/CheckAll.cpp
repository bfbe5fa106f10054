#include "Parts.h"
#include "cufuse/Support/Error.h"

#include <fmt/core.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/MemoryBuffer.h>

#include <map>
#include <set>

namespace cufuse {

bool hasWord(llvm::StringRef Text, llvm::StringRef Word) {
  auto IsPart = [](char C) { return isalnum(static_cast<unsigned char>(C)) || C == '_'; };
  for (size_t At = 0; (At = Text.find(Word, At)) != llvm::StringRef::npos; At += Word.size())
    if ((At == 0 || !IsPart(Text[At - 1])) && (At + Word.size() == Text.size() || !IsPart(Text[At + Word.size()])))
      return true;
  return false;
}

namespace {

/// Files of two kernels with the same text, which say `#pragma once`: gcc may take them for one.
std::optional<std::pair<std::string, std::string>> takenForOne(const LoadedKernel &A, const LoadedKernel &B) {
  std::map<std::string, std::string> Texts; // of A's files that say so
  for (const std::string &File : A.Text.Dependencies)
    if (auto Text = llvm::MemoryBuffer::getFile(File); Text && hasWord((*Text)->getBuffer(), "once"))
      Texts.try_emplace((*Text)->getBuffer().str(), File);
  for (const std::string &File : B.Text.Dependencies)
    if (auto Text = llvm::MemoryBuffer::getFile(File); Text && !Texts.empty())
      if (auto Same = Texts.find((*Text)->getBuffer().str());
          Same != Texts.end() && !llvm::sys::fs::equivalent(Same->second, File))
        return std::pair(Same->second, File);
  return std::nullopt;
}
} // namespace

llvm::Error checkAll(llvm::ArrayRef<LoadedKernel> Kernels) {
  std::vector<Message> Messages;
  std::set<std::string> Seen;
  std::optional<size_t> NeedsRdc; // whose remedy is one flag, for all variables of all kernels
  for (const LoadedKernel &Kernel : Kernels)
    for (const Blocker &B : Kernel.Facts.Blockers) {
      Message M = B.message();
      // What one kernel reaches, others may, too.
      if (!Seen.insert(M.Where.str() + M.str()).second)
        continue;
      M.Text = Kernel.Facts.Name + ": " + M.Text;
      if (B.Kind == BlockerKind::HostSharedNeedsRdc && NeedsRdc) {
        if (Seen.insert(B.Fact).second)
          Messages[*NeedsRdc].Text += ", " + B.Fact;
        continue;
      }
      if (B.Kind == BlockerKind::HostSharedNeedsRdc) {
        NeedsRdc = Messages.size();
        Seen.insert(B.Fact);
      }
      Messages.push_back(std::move(M));
    }
  auto AllSay = [&](BlockerKind Otherwise, auto Flags) {
    for (const LoadedKernel &Kernel : Kernels)
      if (const LoadedKernel &First = Kernels.front(); Flags(Kernel) != Flags(First))
        Messages.push_back(Blocker{Otherwise, Kernel.Facts.Where,
                                   fmt::format("{} is compiled with {}, {} with {}", Kernel.Facts.Name, Flags(Kernel),
                                               First.Facts.Name, Flags(First))}
                               .message());
  };
  AllSay(BlockerKind::HeaderConfiguration, [](const LoadedKernel &Kernel) {
    std::vector<std::string> Flags = Kernel.Flags.Macros;
    std::erase_if(Flags, [](const std::string &Flag) { return !macroOfFlag(Flag).empty(); });
    return Flags.empty() ? "no -include" : llvm::join(Flags, " ");
  });
  for (size_t I = 0; I < Kernels.size(); ++I)
    for (size_t J = 0; J < I; ++J)
      if (const auto Same =
              Kernels[I].Spec.File == Kernels[J].Spec.File ? std::nullopt : takenForOne(Kernels[J], Kernels[I]))
        Messages.push_back(
            Blocker{BlockerKind::FilesDisagree, Kernels[I].Facts.Where,
                    fmt::format("{} and {} have the same text and say #pragma once, so that gcc reads only one of them",
                                Same->first, Same->second)}
                .message());
  AllSay(BlockerKind::FlagsDisagree, [](const LoadedKernel &Kernel) {
    return llvm::join(Kernel.Flags.Arithmetic, " ") + (Kernel.Flags.Arithmetic.empty() ? "" : " ") +
           "-arch=" + Kernel.Arch;
  });
  if (Messages.empty())
    return llvm::Error::success();
  return llvm::make_error<Failure>(ExitCode::BadInput, std::move(Messages));
}

} // namespace cufuse
