#include "cufuse/Frontend/PreprocessorLog.h"

#include "cufuse/Frontend/RawTokens.h"

#include <clang/Lex/MacroArgs.h>
#include <clang/Lex/MacroInfo.h>
#include <clang/Lex/PPCallbacks.h>
#include <clang/Lex/Preprocessor.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/STLExtras.h>

namespace cufuse {

namespace {

bool isUsers(clang::SourceLocation Where, const clang::SourceManager &Sources) {
  return Where.isFileID() && !Sources.isInSystemHeader(Where) && !Sources.isWrittenInBuiltinFile(Where) &&
         !Sources.isWrittenInCommandLineFile(Where) && !Sources.isWrittenInScratchSpace(Where);
}

class Recorder : public clang::PPCallbacks {
public:
  Recorder(clang::Preprocessor &Preprocessor, PreprocessorLog &Log)
      : Preprocessor(Preprocessor), Sources(Preprocessor.getSourceManager()), Log(Log) {}

  void MacroDefined(const clang::Token &Name, const clang::MacroDirective *Directive) override {
    if (!isUsers(Name.getLocation()))
      return;
    UsersMacros.insert(Directive->getMacroInfo());
    Log.Macros.push_back({Name.getIdentifierInfo()->getName().str(), Name.getLocation(), Directive->getMacroInfo()});
  }

  void MacroUndefined(const clang::Token &Name, const clang::MacroDefinition &Definition,
                      const clang::MacroDirective *) override {
    if (isUsers(Name.getLocation()))
      Log.Macros.push_back({Name.getIdentifierInfo()->getName().str(), Name.getLocation(), nullptr});
  }

  void InclusionDirective(clang::SourceLocation Hash, const clang::Token &, llvm::StringRef FileName, bool IsAngled,
                          clang::CharSourceRange, clang::OptionalFileEntryRef File, llvm::StringRef SearchPath,
                          llvm::StringRef, const clang::Module *, bool,
                          clang::SrcMgr::CharacteristicKind Kind) override {
    if (const clang::FileEntry *Includer = Sources.getFileEntryForID(Sources.getFileID(Hash)); Includer && File)
      Log.IncludedBy[Includer].insert(&File->getFileEntry());
    if (isUsers(Hash))
      Log.Includes.push_back({Hash, FileName.str(), IsAngled, clang::SrcMgr::isSystem(Kind), File, SearchPath.str()});
  }

  void MacroExpands(const clang::Token &Name, const clang::MacroDefinition &Definition, clang::SourceRange Range,
                    const clang::MacroArgs *) override {
    noteUse(Name, Definition, Range.getBegin());
    const clang::SourceLocation Where = Sources.getExpansionLoc(Range.getBegin());
    if (Definition.getMacroInfo() && Definition.getMacroInfo()->isBuiltinMacro() && isUsers(Where)) {
      const llvm::StringRef Builtin = Name.getIdentifierInfo()->getName();
      if (Builtin == "__LINE__")
        Log.PlaceUses[Where].Line = true;
      else if (PlaceUse *Use = Builtin == "__COUNTER__" ? &Log.PlaceUses[Where] : nullptr; Use && !Use->Counter)
        Use->Counter = Preprocessor.getCounterValue();
    }
    if (!Definition.getMacroInfo() || !UsersMacros.contains(Definition.getMacroInfo()) || !isUsers(Where))
      return;
    MacroUse Use{Name.getIdentifierInfo()->getName().str(), Where};
    if (Log.Uses.empty() || Log.Uses.back().Where != Use.Where || Log.Uses.back().Name != Use.Name)
      Log.Uses.push_back(std::move(Use));
  }
  void Ifdef(clang::SourceLocation Where, const clang::Token &Name, const clang::MacroDefinition &Definition) override {
    noteUse(Name, Definition, Where);
  }
  void Ifndef(clang::SourceLocation Where, const clang::Token &Name,
              const clang::MacroDefinition &Definition) override {
    noteUse(Name, Definition, Where);
  }
  void Defined(const clang::Token &Name, const clang::MacroDefinition &Definition, clang::SourceRange Range) override {
    noteUse(Name, Definition, Range.getBegin());
  }

  void PragmaDirective(clang::SourceLocation Where, clang::PragmaIntroducerKind Kind) override {
    Preprocessor.setPragmasEnabled(true);
    // Also out of a macro, as far as that spells it.
    const llvm::StringRef Text = Sources.getBufferData(Sources.getFileID(Sources.getSpellingLoc(Where)))
                                     .substr(Sources.getFileOffset(Sources.getSpellingLoc(Where)));
    if (!isUsers(Sources.getExpansionLoc(Where)))
      return;
    RawLexer Lexer(Text, 0);
    Lexer.next();
    std::vector<RawToken> Line = Lexer.restOfLine();
    std::string Said;
    if (Kind == clang::PIK__Pragma && Line.size() > 1)
      for (const RawToken &T : rawTokens(llvm::StringRef(Line[1].Spelling).trim('"')))
        Said += " " + T.Spelling;
    else if (Kind == clang::PIK_HashPragma)
      for (const RawToken &T : llvm::drop_begin(Line))
        Said += (T.SpaceBefore ? " " : "") + T.Spelling;
    const llvm::StringRef Name = llvm::StringRef(Said).ltrim();
    if (llvm::any_of(llvm::ArrayRef({"nv_diag", "diag_", "diagnostic "}),
                     [&](llvm::StringRef Prefix) { return Name.starts_with(Prefix); }))
      Log.Pragmas.push_back({Sources.getExpansionLoc(Where), "#pragma" + Said});
    // Where no loop follows, nvcc ignores what Clang would take for a part of a declaration.
    if (Kind == clang::PIK_HashPragma &&
        (Name.starts_with("unroll") || Name.starts_with("nounroll") || Name.starts_with("clang loop")) &&
        !isLoop(Lexer)) {
      Preprocessor.DiscardUntilEndOfDirective();
      Preprocessor.setPragmasEnabled(false); // until the next one
    }
  }

  void SourceRangeSkipped(clang::SourceRange Range, clang::SourceLocation) override {
    if (isUsers(Range.getBegin()))
      Log.Skipped.push_back(Range);
  }

private:
  bool isUsers(clang::SourceLocation Where) const { return cufuse::isUsers(Where, Sources); }
  void noteUse(const clang::Token &Name, const clang::MacroDefinition &Definition, clang::SourceLocation Use) {
    const clang::MacroInfo *Info = Definition.getMacroInfo();
    if (!Info || !UsersMacros.contains(Info))
      return;
    // A use inside the expansion of another macro counts where that macro is written out.
    const clang::FileID UseFile = Sources.getFileID(Sources.getExpansionLoc(Use));
    if (UseFile != Sources.getFileID(Info->getDefinitionLoc()) && Seen.insert({Info, UseFile}).second)
      Log.Configuration.push_back({Name.getIdentifierInfo()->getName().str(), Info, Sources.getExpansionLoc(Use)});
  }

  /// Does the text go on with a loop, maybe by a macro?
  bool isLoop(RawLexer &Text) const {
    RawToken T = Text.next();
    for (; T.Spelling == "#" && T.StartsLine; T = Text.next())
      Text.restOfLine();
    const clang::IdentifierInfo *Name = T.IsIdentifier ? Preprocessor.getIdentifierInfo(T.Spelling) : nullptr;
    for (int Depth = 0; Name && Name->hasMacroDefinition(); ++Depth) {
      const clang::MacroInfo *Info = Preprocessor.getMacroInfo(Name);
      if (!Info || Info->getNumTokens() == 0 || Depth > 32)
        return true; // for all we know
      Name = Info->getReplacementToken(0).getIdentifierInfo();
    }
    return Name && (Name->isStr("for") || Name->isStr("while") || Name->isStr("do"));
  }

  clang::Preprocessor &Preprocessor;
  const clang::SourceManager &Sources;
  PreprocessorLog &Log;
  llvm::DenseSet<const clang::MacroInfo *> UsersMacros;
  std::set<std::pair<const clang::MacroInfo *, clang::FileID>> Seen;
};

} // namespace

std::unique_ptr<clang::PPCallbacks> recordPreprocessor(clang::Preprocessor &Preprocessor, PreprocessorLog &Log) {
  return std::make_unique<Recorder>(Preprocessor, Log);
}

void recordPoppedMacros(const clang::Preprocessor &Preprocessor, PreprocessorLog &Log) {
  const clang::SourceManager &Sources = Preprocessor.getSourceManager();
  std::map<std::string, std::set<clang::SourceLocation>> Known;
  for (const MacroEvent &Event : Log.Macros)
    Known[Event.Name].insert(Event.Where);
  const size_t Reported = Log.Macros.size();
  for (const auto &[Name, Places] : Known)
    for (const clang::MacroDirective *Each =
             Preprocessor.getLocalMacroDirectiveHistory(Preprocessor.getIdentifierInfo(Name));
         Each; Each = Each->getPrevious()) {
      const clang::SourceLocation Where = Each->getLocation();
      if (Places.contains(Where) || !isUsers(Where, Sources))
        continue;
      // What it was before is undefined at the same place.
      if (auto *Restored = llvm::dyn_cast<clang::DefMacroDirective>(Each))
        Log.Macros.push_back({Name, Where.getLocWithOffset(1), Restored->getInfo()});
      else if (llvm::isa<clang::UndefMacroDirective>(Each))
        Log.Macros.push_back({Name, Where, nullptr});
    }
  if (Log.Macros.size() != Reported)
    llvm::sort(Log.Macros, [&](const MacroEvent &A, const MacroEvent &B) {
      return Sources.isBeforeInTranslationUnit(A.Where, B.Where);
    });
}

} // namespace cufuse
