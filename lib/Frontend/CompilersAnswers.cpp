#include "cufuse/Frontend/CompilersAnswers.h"

#include "cufuse/Frontend/NvccText.h"

#include <clang/Lex/MacroArgs.h>
#include <clang/Lex/MacroInfo.h>
#include <clang/Lex/PPCallbacks.h>
#include <clang/Lex/Preprocessor.h>

#include <map>

namespace cufuse {

namespace {

constexpr llvm::StringLiteral Operators[] = {"__has_builtin", "__has_attribute", "__has_cpp_attribute"};
/// Stands for the answer to the one that was expanded last.
constexpr llvm::StringLiteral AnswerName = "__cufuse_answer";

class Answers : public clang::PPCallbacks {
public:
  Answers(clang::Preprocessor &Preprocessor, const Toolchain &Tools, const CompileFlags &Flags)
      : Preprocessor(Preprocessor), Tools(Tools), Flags(Flags) {}

  /// What the macro expands to is read behind this.
  void MacroExpands(const clang::Token &Name, const clang::MacroDefinition &Definition, clang::SourceRange Range,
                    const clang::MacroArgs *Arguments) override {
    const clang::MacroInfo *Info = Definition.getMacroInfo();
    const llvm::StringRef Operator = Name.getIdentifierInfo()->getName();
    if (!Arguments || !Info || Info->isBuiltinMacro() || !llvm::is_contained(Operators, Operator) ||
        Info->getNumTokens() != 1 || Preprocessor.getSpelling(Info->getReplacementToken(0)) != AnswerName)
      return;
    std::string Question = Operator.str() + "(";
    for (const clang::Token *T = Arguments->getUnexpArgument(0); T->isNot(clang::tok::eof); ++T)
      Question += Preprocessor.getSpelling(*T);
    auto [Known, New] = Macros.try_emplace(Question + ")");
    if (New)
      Known->second = number(answerOf(Tools, Flags, Known->first), Range.getBegin());
    Preprocessor.appendDefMacroDirective(Preprocessor.getIdentifierInfo(AnswerName), Known->second, Range.getBegin());
  }

private:
  clang::MacroInfo *number(unsigned Value, clang::SourceLocation Where) {
    clang::Token T;
    T.startToken();
    T.setKind(clang::tok::numeric_constant);
    Preprocessor.CreateString(std::to_string(Value), T);
    clang::MacroInfo *Info = Preprocessor.AllocateMacroInfo(Where);
    Info->setTokens(T, Preprocessor.getPreprocessorAllocator());
    return Info;
  }

  clang::Preprocessor &Preprocessor;
  const Toolchain &Tools;
  const CompileFlags &Flags;
  std::map<std::string, clang::MacroInfo *> Macros; ///< By question.
};

} // namespace

std::vector<std::string> compilersOperators() {
  std::vector<std::string> All;
  for (llvm::StringRef Operator : Operators)
    All.push_back((Operator + "(x) " + AnswerName).str());
  return All;
}

std::unique_ptr<clang::PPCallbacks> answerAsNvcc(clang::Preprocessor &Preprocessor, const Toolchain &Tools,
                                                 const CompileFlags &Flags) {
  return std::make_unique<Answers>(Preprocessor, Tools, Flags);
}

} // namespace cufuse
