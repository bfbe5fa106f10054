#include "cufuse/Support/Error.h"

#include <fmt/format.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/raw_ostream.h>

namespace cufuse {

char Failure::ID = 0;

std::string SourcePlace::str() const { return isValid() ? fmt::format("{}:{}:{}", File, Line, Column) : std::string(); }

std::string SourcePlace::snippet() const {
  if (!isValid() || LineText.empty())
    return {};
  std::string Caret;
  for (unsigned I = 1; I < Column && I <= LineText.size(); ++I)
    Caret += LineText[I - 1] == '\t' ? '\t' : ' ';
  return fmt::format("{:5} | {}\n      | {}^\n", Line, LineText, Caret);
}

void Failure::log(llvm::raw_ostream &Out) const {
  for (const Message &M : Messages) {
    Out << M.Where.snippet()
        << (Code == ExitCode::BadInput     ? "cufuse: refused: "
            : Code == ExitCode::NotAdvised ? "cufuse: not advised: "
            : Code == ExitCode::Undecided  ? "cufuse: undecided: "
                                           : "cufuse: error: ");
    if (M.Where.isValid())
      Out << M.Where.str() << ": ";
    Out << M.Text;
    if (!M.Remedy.empty())
      Out << "; " << M.Remedy;
    Out << '\n';
  }
}

llvm::Error fail(ExitCode Code, std::string Text, std::string Remedy, SourcePlace Where) {
  return llvm::make_error<Failure>(Code, std::vector<Message>{{std::move(Where), std::move(Text), std::move(Remedy)}});
}

llvm::Error defect(std::string Text) {
  return fail(ExitCode::Defect, std::move(Text),
              "this is a bug in cufuse: please report it with the command and inputs");
}

std::string textOf(llvm::Error Error) {
  std::string Text;
  auto Add = [&](llvm::StringRef Part) {
    if (!Part.empty())
      Text += (Text.empty() ? "" : "; ") + llvm::join(llvm::split(Part.trim(), '\n'), " ");
  };
  llvm::handleAllErrors(
      std::move(Error),
      [&](const Failure &F) {
        for (const Message &One : F.Messages) {
          Add(One.Text);
          Add(One.Remedy);
        }
      },
      [&](const llvm::ErrorInfoBase &Other) { Add(Other.message()); });
  return Text;
}

ExitCode report(llvm::Error Error, llvm::raw_ostream &Out) {
  ExitCode Code = ExitCode::Done;
  llvm::handleAllErrors(
      std::move(Error),
      [&](const Failure &F) {
        F.log(Out);
        Code = std::max(Code, F.Code);
      },
      [&](const llvm::ErrorInfoBase &Other) {
        Out << "cufuse: error: " << Other.message() << '\n';
        Code = ExitCode::Defect;
      });
  return Code;
}

} // namespace cufuse
