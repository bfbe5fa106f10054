// Text under construction: counts lines for #line, and marks the constants that a configuration chooses.
#pragma once

#include "cufuse/Fusion/Closure.h"

#include <fmt/format.h>
#include <llvm/ADT/StringRef.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace cufuse {

/// A value of the configuration, marked so that `Writer::structure` can leave it out.
template <typename T> std::string constant(const T &Value) { return fmt::format("\3{}\4", Value); }

/// Puts the namespace of a constituent's text in place of its mark.
inline std::string withPath(std::string Text, const std::string &Path) {
  for (size_t At; (At = Text.find(PathMark)) != std::string::npos;)
    Text.replace(At, 1, Path);
  return Text;
}

/// Chooses between the forms of the grid-stride loop. A factor of 0 leaves it as it is.
inline std::string unrolled(llvm::StringRef Text, unsigned Factor) {
  std::string Result;
  bool Stands = true;
  for (const char C : Text) {
    if (C == UnrolledMark || C == NotUnrolledMark)
      Stands = (C == UnrolledMark) == (Factor > 0);
    else if (C == EndMark)
      Stands = true;
    else if (Stands && C == FactorMark)
      Result += constant(Factor);
    else if (Stands)
      Result += C;
  }
  return Result;
}

/// `Head` and a list, with line breaks before column 120 and an indent of `Indent` behind them.
inline std::string wrapped(std::string Head, const std::vector<std::string> &List, const std::string &Tail,
                           size_t Indent) {
  constexpr size_t Columns = 120;
  std::string Text = std::move(Head);
  size_t Column = Text.size() - (Text.rfind('\n') + 1);
  for (size_t I = 0; I < List.size(); ++I) {
    const std::string Next = List[I] + (I + 1 < List.size() ? "," : Tail);
    if (I > 0 && Column + 1 + Next.size() > Columns) {
      Text += "\n" + std::string(Indent, ' ');
      Column = Indent;
    } else if (I > 0) {
      Text += ' ';
      ++Column;
    }
    Text += Next;
    Column += Next.size();
  }
  return List.empty() ? Text + Tail : Text;
}

class Writer {
public:
  Writer(std::string File, bool LineDirectives) : File(std::move(File)), LineDirectives(LineDirectives) {}

  template <typename... Values> void line(fmt::format_string<Values...> Format, Values &&...Arguments) {
    write(fmt::format(Format, std::forward<Values>(Arguments)...));
  }
  /// One or several whole lines.
  void write(std::string_view Lines) {
    Text += Lines;
    Text += '\n';
  }
  void blank() {
    if (!Text.empty() && !std::string_view(Text).ends_with("\n\n"))
      Text += '\n';
  }
  /// Text of the user, from a line of a file.
  void user(std::string_view Lines, const std::string &FromFile, unsigned FromLine) {
    if (LineDirectives)
      write(fmt::format("#line {} {}", FromLine, quoted(FromFile)));
    write(Lines);
    if (LineDirectives)
      write(fmt::format("#line {} {}", std::count(Text.begin(), Text.end(), '\n') + 2, quoted(File)));
  }

  std::string text() const { return filtered(true); }
  std::string structure() const { return filtered(false); }

private:
  static std::string quoted(const std::string &Path) {
    std::string Quoted = "\"";
    for (char C : Path) {
      if (C == '"' || C == '\\')
        Quoted += '\\';
      Quoted += C;
    }
    return Quoted + '"';
  }
  std::string filtered(bool Constants) const {
    std::string Result;
    Result.reserve(Text.size());
    bool Inside = false;
    for (char C : Text) {
      if (C == '\3' || C == '\4')
        Inside = C == '\3';
      else if (Constants || !Inside)
        Result += C;
    }
    return Result;
  }

  std::string File;
  bool LineDirectives;
  std::string Text;
};

} // namespace cufuse
