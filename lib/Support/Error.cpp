#include "cufuse/Support/Error.h"

#include <fmt/core.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/raw_ostream.h>

#include <set>

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

std::string Message::str() const { return Rule.empty() ? Text : fmt::format("{} [{}]", Text, Rule); }

/// What a message is, where it has no place. With one it is an error: that is the word that others look for.
static const char *wordFor(ExitCode Code, const Message &M) {
  if (Code == ExitCode::NotAdvised)
    return "not advised";
  if (Code == ExitCode::Undecided)
    return "undecided";
  return M.Rule.empty() ? "error" : "refused";
}

static void print(ExitCode Code, const Message &M, llvm::raw_ostream &Out) {
  const bool HasPlace = M.Where.isValid();
  const std::string Place = HasPlace ? M.Where.str() : "cufuse";
  if (!M.Text.empty())
    Out << Place << ": " << (HasPlace ? "error" : wordFor(Code, M)) << ": " << llvm::StringRef(M.str()).rtrim() << '\n'
        << M.Where.snippet();
  if (!M.Remedy.empty())
    Out << Place << ": note: " << M.Remedy << '\n';
}

void Failure::log(llvm::raw_ostream &Out) const {
  for (const Message &M : Messages)
    print(Code, M, Out);
}

llvm::Error fail(ExitCode Code, std::string Text, std::string Remedy, SourcePlace Where) {
  return llvm::make_error<Failure>(Code, std::vector<Message>{{std::move(Where), std::move(Text), std::move(Remedy)}});
}

llvm::Error defect(std::string Text) {
  return fail(ExitCode::Defect, std::move(Text),
              "this is a bug in cufuse: please report it with the command and inputs");
}

std::string listed(llvm::ArrayRef<std::string> Words) {
  return Words.size() < 2 ? llvm::join(Words, "") : llvm::join(Words.drop_back(), ", ") + " and " + Words.back();
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
          Add(One.str());
          Add(One.Remedy);
        }
      },
      [&](const llvm::ErrorInfoBase &Other) { Add(Other.message()); });
  return Text;
}

ExitCode report(llvm::Error Error, llvm::raw_ostream &Out) {
  ExitCode Code = ExitCode::Done;
  std::set<std::string> Said; // a header that is missing for one kernel, or file, is for others
  llvm::handleAllErrors(
      std::move(Error),
      [&](const Failure &F) {
        for (const Message &M : F.Messages)
          if (Said.insert((M.Rule.empty() ? "" : M.Where.str()) + "\n" + M.str() + "\n" + M.Remedy).second)
            print(F.Code, M, Out);
        Code = std::max(Code, F.Code);
      },
      [&](const llvm::ErrorInfoBase &Other) {
        Out << "cufuse: error: " << Other.message() << '\n';
        Code = ExitCode::Defect;
      });
  return Code;
}

} // namespace cufuse
