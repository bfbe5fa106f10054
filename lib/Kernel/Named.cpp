#include "cufuse/Kernel/Named.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/Regex.h>

namespace cufuse {

static bool isPart(char C) { return llvm::isAlnum(C) || C == '_'; }

std::set<std::string> namesIn(llvm::StringRef Text) {
  std::set<std::string> Names;
  for (llvm::StringRef Line : llvm::split(Text, '\n'))
    for (llvm::StringRef Left = Line.split("//").first; !Left.empty();) {
      const llvm::StringRef Word = Left.take_while(isPart);
      if (!Word.empty() && (Word.begin() == Line.begin() || Word.begin()[-1] != '.'))
        Names.insert(Word.str());
      Left = Left.drop_front(std::max<size_t>(Word.size(), 1));
    }
  return Names;
}

std::set<std::string> namesBehind(llvm::StringRef Text, llvm::StringRef Qualifier) {
  std::set<std::string> Names;
  while (Text.contains(Qualifier)) {
    Text = Text.split(Qualifier).second;
    Names.insert(Text.take_while(isPart).str());
  }
  Names.erase("");
  return Names;
}

std::vector<Declaration> declarationsIn(llvm::StringRef File) {
  static const llvm::Regex Class("struct ([A-Za-z0-9_]+)"), Other("([A-Za-z0-9_]+)(\\(| = )");
  std::vector<Declaration> All(1);
  std::optional<size_t> Indent; // of the last's first line
  bool HasBody = false;
  for (llvm::StringRef Line : llvm::split(File, '\n')) {
    Declaration &Last = All.back();
    const bool IsDirective = Line.starts_with("#"), IsAlone = Last.Text.empty();
    (Last.Text += Line) += '\n';
    const llvm::StringRef Said = Line.split("//").first.trim();
    if (Said.empty() || (IsDirective && !IsAlone))
      continue;
    const size_t Own = Line.find_first_not_of(' ');
    Indent = Indent.value_or(Own);
    llvm::SmallVector<llvm::StringRef> Found;
    if (!HasBody && Last.Name.empty() && (Class.match(Said, &Found) || Other.match(Said, &Found)) &&
        Found[1] != "static_assert")
      Last.Name = Found[1].str();
    Last.IsMember = *Indent > 0;
    Last.IsClass = !Last.IsMember && !HasBody && Said.contains("struct ") && Said.ends_with("{");
    HasBody |= Said.contains('{');
    const bool IsEnd = (Said.ends_with(";") || Said.ends_with("}")) && (!HasBody || Own == *Indent);
    if (!IsDirective && !Last.IsClass && !IsEnd)
      continue;
    if (IsDirective || Said.starts_with("} ")) // an inner class with variables
      Last.Name.clear();
    All.emplace_back();
    Indent = std::nullopt;
    HasBody = false;
  }
  return All;
}

OutputText emittedAsNamed(llvm::StringRef File, llvm::ArrayRef<Given> Values, std::set<std::string> &Named) {
  OutputText Text;
  for (size_t Before = Named.size() + 1; Before != Named.size();) {
    Before = Named.size();
    std::string Kept;
    bool IsClassNamed = true;
    for (const Declaration &Each : declarationsIn(File)) {
      if (Each.IsClass)
        IsClassNamed = Named.contains(Each.Name);
      if (IsClassNamed && (Each.IsClass || Each.Name.empty() || Named.contains(Each.Name)))
        Kept += Each.Text;
      if (const llvm::StringRef Lines = llvm::StringRef(Each.Text).rtrim(); Lines == "};" || Lines.ends_with("\n};"))
        IsClassNamed = true; // of the next one
    }
    if (Kept.empty())
      return {};
    Text = emitted(Kept, Values);
    Named.merge(namesIn(Text.written()));
  }
  return Text;
}

} // namespace cufuse
