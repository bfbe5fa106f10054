#include "cufuse/Kernel/OutputText.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

#include <cassert>

namespace cufuse {

OutputText::OutputText(std::string Text) {
  if (!Text.empty())
    Parts.push_back({std::nullopt, false, std::move(Text)});
}

void OutputText::append(const Part &P) {
  const bool IsPlain = !P.Open && !P.IsConstant;
  if (IsPlain && !Parts.empty() && !Parts.back().Open && !Parts.back().IsConstant)
    Parts.back().Text += P.Text;
  else
    Parts.push_back(P);
}

OutputText &OutputText::operator+=(const OutputText &Behind) {
  for (const Part &P : Behind.Parts)
    append(P);
  return *this;
}

bool OutputText::has(Slot Open) const {
  return std::any_of(Parts.begin(), Parts.end(), [=](const Part &P) { return P.Open == Open; });
}

OutputText OutputText::with(Slot Open, const OutputText &Value) const {
  OutputText Result;
  for (const Part &P : Parts)
    if (P.Open == Open)
      Result += Value;
    else
      Result.append(P);
  return Result;
}

OutputText OutputText::replaced(llvm::StringRef Stretch, const std::string &By) const {
  OutputText Result;
  for (Part P : Parts) {
    for (size_t At = 0; !P.Open && !P.IsConstant && (At = P.Text.find(Stretch, At)) != std::string::npos;
         At += By.size())
      P.Text.replace(At, Stretch.size(), By);
    Result.append(P);
  }
  return Result;
}

std::string OutputText::text() const {
  assert(llvm::none_of(Parts, [](const Part &P) { return P.Open; }) && "emitted before everything is filled in");
  return written();
}

std::string OutputText::structure() const {
  std::string Result;
  for (const Part &P : Parts)
    if (!P.IsConstant)
      Result += P.Text;
  return Result;
}

std::string OutputText::written() const {
  std::string Result;
  for (const Part &P : Parts)
    Result += P.Text;
  return Result;
}

OutputText joined(llvm::ArrayRef<OutputText> List, const OutputText &Between) {
  OutputText Result;
  for (size_t I = 0; I < List.size(); ++I)
    Result += I == 0 ? List[I] : Between + List[I];
  return Result;
}

OutputText wrapped(const OutputText &Head, llvm::ArrayRef<OutputText> List, const OutputText &Tail, size_t Indent) {
  constexpr size_t Columns = 120;
  OutputText Text = Head;
  const std::string Before = Head.written();
  size_t Column = Before.size() - (Before.rfind('\n') + 1);
  for (size_t I = 0; I < List.size(); ++I) {
    const OutputText Next = List[I] + (I + 1 < List.size() ? "," : Tail);
    const size_t Size = Next.written().size();
    if (I > 0 && Column + 1 + Size > Columns) {
      Text += "\n" + std::string(Indent, ' ');
      Column = Indent;
    } else if (I > 0) {
      Text += " ";
      ++Column;
    }
    Text += Next;
    Column += Size;
  }
  return List.empty() ? Text + Tail : Text;
}

OutputText emitted(llvm::StringRef File, llvm::ArrayRef<Given> Values) {
  constexpr llvm::StringLiteral Prefix = "CUFUSE_";
  auto IsPart = [](char C) { return llvm::isUpper(C) || C == '_'; };
  auto Find = [&](llvm::StringRef Name) -> const OutputText * {
    const auto *Found = llvm::find_if(Values, [&](const Given &G) { return G.Name == Name; });
    return Found != Values.end() && Found->Text ? &*Found->Text : nullptr;
  };
  std::vector<OutputText> Lines;
  std::vector<std::optional<bool>> Around; // Whether the lines of each open #if are wanted; none: that is the output's.
  for (llvm::StringRef Left = File.rtrim('\n'); !Left.empty();) {
    auto [Line, Rest] = Left.split('\n');
    Left = Rest;
    llvm::StringRef Name = Line;
    if (Name.consume_front("#if") && (Name.consume_front("def CUFUSE_") || Name.consume_front("ndef CUFUSE_"))) {
      Around.push_back(Line.starts_with("#ifdef") == (Find(Name) != nullptr));
      continue;
    }
    if (Line.starts_with("#if")) {
      Around.push_back(std::nullopt);
    } else if (Line == "#else" && Around.back()) {
      Around.back() = !*Around.back();
      continue;
    } else if (Line == "#endif") {
      const bool IsOurs = Around.back().has_value();
      Around.pop_back();
      if (IsOurs)
        continue;
    }
    if (llvm::is_contained(Around, false) || (Line.empty() && Lines.empty()))
      continue;
    Name = Line.trim();
    if (Name.consume_front(Prefix) && Name.consume_back(";") && llvm::all_of(Name, IsPart)) {
      if (const OutputText &Value = *Find(Name); !Value.empty())
        Lines.push_back(Value);
      continue;
    }
    OutputText &Text = Lines.emplace_back();
    for (size_t At; (At = Line.find(Prefix)) != llvm::StringRef::npos; Line = Line.drop_front(Name.size())) {
      Text += Line.take_front(At).str();
      Line = Line.drop_front(At + Prefix.size());
      Name = Line.take_while(IsPart);
      Text += *Find(Name);
    }
    Text += Line.str();
  }
  return joined(Lines, "\n");
}

OutputText detail::filled(llvm::StringRef Format, llvm::ArrayRef<Argument> Arguments) {
  OutputText Result;
  std::string Plain;
  size_t Next = 0;
  for (size_t At = 0; At < Format.size(); ++At) {
    const char C = Format[At];
    if (C != '{' || Format.substr(At).starts_with("{{")) {
      Plain += C;
      At += C == '{' || C == '}';
      continue;
    }
    const size_t End = Format.find('}', At);
    const auto [Number, Specification] = Format.slice(At + 1, End).split(':');
    size_t Argument = Next;
    if (Number.getAsInteger(10, Argument))
      ++Next;
    Result += std::exchange(Plain, {});
    Result += Arguments[Argument](Specification);
    At = End;
  }
  return Result + Plain;
}

} // namespace cufuse
