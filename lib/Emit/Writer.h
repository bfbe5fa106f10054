// Text under construction: counts lines for #line, and keeps apart what a configuration chooses.
#pragma once

#include "cufuse/Kernel/KernelText.h"

#include <fmt/core.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringExtras.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace cufuse {

/// A value of the configuration.
template <typename T> OutputText constant(const T &Value) { return OutputText::constant(Value); }

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
  /// One or several whole lines; an empty one in front where there is none yet.
  void write(const OutputText &Lines) {
    leaveUser();
    const std::string Written = Lines.text();
    const bool HasBlank = Written.starts_with('\n') && std::string_view(Text).ends_with("\n\n");
    Text += Written.substr(HasBlank) + '\n';
    Structure += Lines.structure().substr(HasBlank) + '\n';
  }
  /// A comment of a declaration, broken before column 120.
  void comment(llvm::StringRef Said) {
    llvm::SmallVector<llvm::StringRef> Words;
    const std::string Whole = inComment(Said);
    llvm::SplitString(Whole, Words, " ");
    std::string Line = "///";
    for (llvm::StringRef Word : Words) {
      if (Line.size() + Word.size() >= 120)
        write(std::exchange(Line, "///"));
      Line += " " + Word.str();
    }
    write(Line);
  }
  void blank() {
    if (UserFile.empty() && !Text.empty() && !std::string_view(Text).ends_with("\n\n"))
      write("");
  }
  void write(const Writer &Other) {
    leaveUser();
    Text += Other.Text;
    Structure += Other.Structure;
  }
  /// Text of the user, from a line of a file. What follows closely in the file does so here.
  void user(const OutputText &Lines, const std::string &FromFile, unsigned FromLine) {
    if (LineDirectives) {
      constexpr unsigned Most = 2;
      if (UserFile == FromFile && FromLine >= NextLine && FromLine - NextLine <= Most)
        add(std::string(FromLine - NextLine, '\n'));
      else
        add(fmt::format("{}#line {} {}\n", UserFile.empty() ? "" : "\n", FromLine, quoted(FromFile)));
    }
    const std::string Written = Lines.text();
    Text += Written + '\n';
    Structure += Lines.structure() + '\n';
    if (LineDirectives) {
      UserFile = FromFile;
      NextLine = FromLine + std::count(Written.begin(), Written.end(), '\n') + 1;
    }
  }

  const std::string &text() const { return Text; }
  /// The text without its constants.
  const std::string &structure() const { return Structure; }

private:
  void add(const std::string &Plain) {
    Text += Plain;
    Structure += Plain;
  }
  void leaveUser() {
    if (UserFile.empty())
      return;
    UserFile.clear();
    add(fmt::format("#line {} {}\n", std::count(Text.begin(), Text.end(), '\n') + 2, quoted(File)));
  }
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
  std::string UserFile; ///< Whose text was written last, if any.
  unsigned NextLine = 0;
};

} // namespace cufuse
