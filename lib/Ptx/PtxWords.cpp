#include "cufuse/Ptx/PtxWords.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

namespace cufuse {

static bool isNameCharacter(char C) { return llvm::isAlnum(C) || C == '_' || C == '$' || C == '.' || C == '%'; }

/// Passes over blanks and comments. True where a line was ended; `Marker` for one of nvcc's comments, which is left.
static bool skipBlanks(llvm::StringRef &Text, llvm::StringRef &Marker) {
  bool NewLine = false;
  for (;;) {
    const llvm::StringRef Rest = Text.ltrim();
    NewLine |= Text.take_front(Text.size() - Rest.size()).contains('\n');
    Text = Rest;
    if (Text.starts_with("//")) {
      const llvm::StringRef Comment = Text.take_until([](char C) { return C == '\n'; });
      if (const llvm::StringRef Said = Comment.drop_front(2).trim();
          Said == "begin inline asm" || Said == "end inline asm") {
        Marker = Comment;
        return NewLine;
      }
      Text = Text.drop_front(Comment.size());
    } else if (Text.starts_with("/*")) {
      const size_t End = Text.find("*/", 2);
      Text = End == llvm::StringRef::npos ? llvm::StringRef() : Text.drop_front(End + 2);
    } else {
      return NewLine;
    }
  }
}

bool takePtxWord(llvm::StringRef &Text, PtxWord &Word, bool Strings) {
  llvm::StringRef Marker;
  Word.StartsLine = skipBlanks(Text, Marker);
  if (Text.empty())
    return false;
  size_t Length = 1;
  Word.What = PtxWord::Kind::Sign;
  if (!Marker.empty()) {
    Length = Marker.size();
    Word.What = Marker.contains("begin") ? PtxWord::Kind::AssemblyBegins : PtxWord::Kind::AssemblyEnds;
  } else if (Text[0] == '"' && Strings) {
    while (Length < Text.size() && Text[Length] != '"')
      Length += Text[Length] == '\\' ? 2 : 1;
    Length = std::min(Length + 1, Text.size());
  } else if (isNameCharacter(Text[0])) {
    Word.What = PtxWord::Kind::Name;
    Length = 0;
    // `::` is a part of qualifiers; `%=` a number that the compiler puts in; `.reg.b32` two directives.
    for (; Length < Text.size(); ++Length)
      if (Text[Length] == '.' && Text[0] == '.' && Length > 0)
        break;
      else if (Text.substr(Length).starts_with("::") && Text.take_front(Length).contains('.'))
        ++Length;
      else if (!isNameCharacter(Text[Length]) && !(Text[Length] == '=' && Length > 0 && Text[Length - 1] == '%'))
        break;
  }
  Word.Text = Text.take_front(Length);
  Text = Text.drop_front(Length);
  return true;
}

void readPtxStatements(llvm::StringRef Text, llvm::function_ref<void(const PtxStatement &)> Take) {
  PtxStatement Open;
  unsigned Assemblies = 0;
  bool Begun = false, Predicate = false;
  auto End = [&] {
    if (Begun)
      Take(Open);
    Begun = Predicate = false;
    Open.IsPredicated = Open.IsLabel = false;
    Open.Operands.clear();
  };
  // Elsewhere, a quote is the end of one of the literals that a source's assembly is written in.
  for (PtxWord Word; takePtxWord(Text, Word, /*Strings=*/Begun && Open.Opcode == ".pragma");) {
    if (Word.What == PtxWord::Kind::AssemblyBegins || Word.What == PtxWord::Kind::AssemblyEnds) {
      End();
      Open.Assembly = Word.What == PtxWord::Kind::AssemblyBegins ? ++Assemblies : 0;
      Open.AssemblyDepth = 0;
      continue;
    }
    // `.loc` ends with its line.
    if (Begun && Word.StartsLine && Open.Opcode == ".loc")
      End();
    if (Word.is(";") || Word.is("\"")) {
      End();
    } else if (Begun) {
      if (Word.is(":") && Open.Operands.empty()) {
        Open.IsLabel = true;
        End();
      } else {
        Open.Operands.push_back(Word.Text);
      }
    } else if (Word.is("{") || Word.is("}")) {
      if (Open.Assembly)
        Open.AssemblyDepth += Word.is("{") ? 1 : Open.AssemblyDepth > 0 ? -1 : 0;
    } else if (Word.is("@")) {
      Open.IsPredicated = Predicate = true;
    } else if (Predicate) {
      Predicate = Word.is("!");
    } else if (Word.What == PtxWord::Kind::Name) {
      Open.Opcode = Word.Text;
      Begun = true;
    }
  }
  End();
}

bool PtxStatement::hasAny(llvm::ArrayRef<llvm::StringRef> Qualifiers) const {
  return llvm::any_of(llvm::split(Opcode.split('.').second, '.'),
                      [&](llvm::StringRef Part) { return llvm::is_contained(Qualifiers, Part); });
}

llvm::StringRef PtxStatement::text() const {
  return {Opcode.data(), size_t((Operands.empty() ? Opcode : Operands.back()).end() - Opcode.data())};
}

std::vector<PtxStatement> ptxStatements(llvm::StringRef Text) {
  std::vector<PtxStatement> All;
  readPtxStatements(Text, [&](const PtxStatement &S) {
    if (!S.IsLabel)
      All.push_back(S);
  });
  return All;
}

llvm::StringRef ptxRegisterName(llvm::StringRef Word) {
  if (!Word.starts_with("%"))
    return {};
  Word = Word.ltrim('%');
  if (Word.empty() || llvm::isDigit(Word[0]) || Word[0] == '=')
    return {};
  return Word.split('.').first;
}

} // namespace cufuse
