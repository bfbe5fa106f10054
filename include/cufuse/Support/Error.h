// Errors that reach the user. Every step returns llvm::Expected; the kind decides the exit status.
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/Support/Error.h>

#include <string>
#include <vector>

namespace cufuse {

/// Exit status of the command line.
enum class ExitCode : int {
  Done = 0,
  BadInput = 1,
  BadUsage = 2,
  MissingTool = 3,
  NotAdvised = 4, ///< Could be fused, and should not be.
  Undecided = 5,  ///< Nothing could be found out: interrupted, without time, or everything failed.
  Defect = 70
};

/// A place in a source file as a reader finds it: path as given, line and column counted from 1, and the line itself.
struct SourcePlace {
  std::string File;
  unsigned Line = 0;
  unsigned Column = 0;
  std::string LineText;

  bool isValid() const { return Line != 0; }
  /// `file:line:column`, or "" when there is no place.
  std::string str() const;
  /// The line with a caret under the column, as Clang prints it; "" when there is no line.
  std::string snippet() const;
};

/// One thing to tell the user: where, what is the fact, what can be done about it.
struct Message {
  SourcePlace Where;
  std::string Text; ///< Empty: the remedy is a note on what follows.
  std::string Remedy;
  std::string Rule = {}; ///< The blocker's name, where this is a refusal; "" where it is an ordinary error.

  /// The fact, with the rule behind it: `fact [Rule]`.
  std::string str() const;
};

/// The error type of all steps: an exit status and the messages that explain it, in source order.
class Failure : public llvm::ErrorInfo<Failure> {
public:
  static char ID;
  Failure(ExitCode Code, std::vector<Message> Messages) : Code(Code), Messages(std::move(Messages)) {}
  void log(llvm::raw_ostream &Out) const override;
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }

  const ExitCode Code;
  const std::vector<Message> Messages;
};

llvm::Error fail(ExitCode Code, std::string Text, std::string Remedy = {}, SourcePlace Where = {});
inline llvm::Error badInput(std::string Text, std::string Remedy = {}, SourcePlace Where = {}) {
  return fail(ExitCode::BadInput, std::move(Text), std::move(Remedy), std::move(Where));
}
inline llvm::Error badUsage(std::string Text, std::string Remedy = {}) {
  return fail(ExitCode::BadUsage, std::move(Text), std::move(Remedy));
}
/// A fault of ours, never of the input: the message asks for a report.
llvm::Error defect(std::string Text);

/// The value of an `llvm::Expected`, and nothing of an `llvm::Error`. Where it is an error, the function around returns
/// that.
#define TRY(...)                                                                                                       \
  ({                                                                                                                   \
    auto Tried = __VA_ARGS__;                                                                                          \
    if (llvm::Error Failed = cufuse::errorOf(Tried))                                                                   \
      return cufuse::errorOf(Failed);                                                                                  \
    cufuse::valueOf(Tried);                                                                                            \
  })
inline llvm::Error errorOf(llvm::Error &Tried) { return std::move(Tried); }
template <typename T> llvm::Error errorOf(llvm::Expected<T> &Tried) {
  return Tried ? llvm::Error::success() : Tried.takeError();
}
inline void valueOf(llvm::Error &) {}
template <typename T> T valueOf(llvm::Expected<T> &Tried) { return std::move(*Tried); }

/// `a, b and c`.
std::string listed(llvm::ArrayRef<std::string> Words);

/// What an error says, on one line: to be part of another message or of a record.
std::string textOf(llvm::Error Error);

/// Prints an error as Clang prints its diagnostics, so that editors and CI find the place, and returns the exit status:
///
///     file:line:column: error: fact [Rule]
///        12 |   source line
///           |   ^
///     file:line:column: note: remedy
///
/// Without a place, `cufuse: ` stands in its stead, and the word is `refused` where there is a rule, `not advised`
/// (exit 4), `undecided` (exit 5), else `error`.
ExitCode report(llvm::Error Error, llvm::raw_ostream &Out);

} // namespace cufuse
