#include "EditHostBranches.h"

#include "cufuse/Analysis/Reach.h"

#include <llvm/ADT/STLExtras.h>

namespace cufuse {

namespace {

/// What stands behind the `#`, without spaces and comments.
std::string directive(llvm::ArrayRef<TextToken> Tokens, size_t Hash) {
  std::string Text;
  for (size_t I = Hash + 1; I < Tokens.size() && !Tokens[I].StartsLine; ++I)
    if (Tokens[I].Kind != clang::tok::comment)
      Text += Tokens[I].Text;
  return Text;
}

/// Is the region that the directive at this place begins one that only the host reads? Not where anything but the
/// device counts, as which device it is.
bool isHosts(llvm::ArrayRef<TextToken> Tokens, unsigned Begin) {
  static const std::set<std::string> OfDevice = {"ifdef__CUDA_ARCH__", "ifdefined(__CUDA_ARCH__)",
                                                 "ifdefined__CUDA_ARCH__"};
  static const std::set<std::string> OfHost = {"ifndef__CUDA_ARCH__", "if!defined(__CUDA_ARCH__)",
                                               "if!defined__CUDA_ARCH__"};
  std::vector<std::string> Open;
  for (size_t I = 0; I < Tokens.size() && Tokens[I].Offset <= Begin; ++I) {
    if (!Tokens[I].is("#") || !Tokens[I].StartsLine)
      continue;
    const std::string Text = directive(Tokens, I);
    const llvm::StringRef Name = Text;
    if (Tokens[I].Offset == Begin)
      return OfHost.count(Text) || (Name.starts_with("else") && !Open.empty() && OfDevice.count(Open.back()));
    if (Name.starts_with("if"))
      Open.push_back(Text);
    else if (Name.starts_with("el") && !Open.empty())
      Open.back() = Text;
    else if (Name.starts_with("endif") && !Open.empty())
      Open.pop_back();
  }
  return false;
}

} // namespace

std::set<std::string> namesLeftOut(const ParsedUnit &Unit, const SelectCopied &Chosen) {
  const clang::SourceManager &Sources = Unit.ast().getSourceManager();
  std::set<std::string> Names;
  eachTopLevel(Unit, [&](const clang::Decl *D) {
    auto *Named = llvm::dyn_cast<clang::NamedDecl>(D);
    if (Named && !llvm::isa<clang::NamespaceDecl>(D) && Named->getDeclName() &&
        !Chosen.Units.contains(enclosingUnit(D)) &&
        Chosen.Absorbed.count(Sources.getFileID(Sources.getExpansionLoc(D->getLocation()))))
      Names.insert(Named->getNameAsString());
  });
  return Names;
}

void editHostBranches(TextEdits &Edits, const std::set<std::string> &LeftOut) {
  SourceText &Text = Edits.Text;
  const Slice &S = Edits.Of;
  for (const clang::SourceRange &Skipped : Text.unit().log().Skipped) {
    const auto [File, Hash] = Text.offset(Skipped.getBegin());
    if (File != S.File || Hash < S.Begin || Hash >= S.End)
      continue;
    // The lines between the two directives.
    const llvm::StringRef Buffer = Text.buffer(File);
    const size_t Begin = Buffer.find('\n', Hash) + 1;
    const size_t End = Buffer.rfind('\n', Buffer.rfind('#', Text.offset(Skipped.getEnd()).second)) + 1;
    if (Begin == 0 || End <= Begin || End > S.End)
      continue;
    const Slice Lines{File, static_cast<unsigned>(Begin), static_cast<unsigned>(End)};
    if (llvm::none_of(Text.tokensIn(Lines),
                      [&](const TextToken &T) { return T.isIdentifier() && LeftOut.count(T.Text.str()); }) ||
        !isHosts(Text.tokens(File), Hash))
      continue;
    Edits.All.push_back(
        {{File, Lines.Begin}, Lines.End - Lines.Begin, std::string(Buffer.slice(Begin, End).count('\n'), '\n')});
  }
}

} // namespace cufuse
