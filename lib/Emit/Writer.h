// Text under construction: counts lines for #line, and keeps apart what a configuration chooses.
#pragma once

#include "cufuse/Kernel/KernelText.h"

#include <fmt/core.h>
#include <llvm/ADT/StringRef.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace cufuse {

/// A value of the configuration.
template <typename T> OutputText constant(const T &Value) { return OutputText::constant(Value); }

/// `Head` and a list, with line breaks before column 120 and an indent of `Indent` behind them.
inline OutputText wrapped(const OutputText &Head, llvm::ArrayRef<OutputText> List, const OutputText &Tail,
                          size_t Indent) {
  constexpr size_t Columns = 120;
  OutputText Text = Head;
  const std::string Before = Head.text();
  size_t Column = Before.size() - (Before.rfind('\n') + 1);
  for (size_t I = 0; I < List.size(); ++I) {
    const OutputText Next = List[I] + (I + 1 < List.size() ? "," : Tail);
    const size_t Size = Next.text().size();
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

/// So that it stays in a comment to the end of a line.
inline std::string inComment(llvm::StringRef Text) {
  std::string Result;
  for (const char C : Text)
    Result += static_cast<unsigned char>(C) < ' ' ? fmt::format("\\x{:02x}", static_cast<unsigned char>(C))
                                                  : std::string(1, C);
  return Result + (Text.ends_with("\\") ? "'" : "");
}

class Writer {
public:
  Writer(std::string File, bool LineDirectives) : File(std::move(File)), LineDirectives(LineDirectives) {}

  template <typename... Values>
  void line(fmt::format_string<detail::Formatted<Values>...> Format, const Values &...Arguments) {
    write(outputText<Values...>(Format, Arguments...));
  }
  /// One or several whole lines.
  void write(const OutputText &Lines) {
    Text += Lines.text() + '\n';
    Structure += Lines.structure() + '\n';
  }
  void blank() {
    if (!Text.empty() && !std::string_view(Text).ends_with("\n\n"))
      write("");
  }
  void write(const Writer &Other) {
    Text += Other.Text;
    Structure += Other.Structure;
  }
  /// Text of the user, from a line of a file.
  void user(const OutputText &Lines, const std::string &FromFile, unsigned FromLine) {
    if (LineDirectives)
      write(fmt::format("#line {} {}", FromLine, quoted(FromFile)));
    write(Lines);
    if (LineDirectives)
      write(fmt::format("#line {} {}", std::count(Text.begin(), Text.end(), '\n') + 2, quoted(File)));
  }

  const std::string &text() const { return Text; }
  /// The text without its constants.
  const std::string &structure() const { return Structure; }

private:
  static std::string quoted(const std::string &Path) {
    std::string Quoted = "\"";
    for (char C : Path) {
      if (C == '"' || C == '\\')
        Quoted += '\\';
      Quoted += static_cast<unsigned char>(C) < ' ' ? fmt::format("\\{:03o}", static_cast<unsigned char>(C))
                                                    : std::string(1, C);
    }
    return Quoted + '"';
  }

  std::string File;
  bool LineDirectives;
  std::string Text, Structure;
};

} // namespace cufuse
