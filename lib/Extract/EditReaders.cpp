#include "EditText.h"

#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

namespace cufuse {

namespace {

/// Is there another body for some template arguments, whose head would no longer be the template's?
bool isSpecialised(const clang::FunctionDecl &Function) {
  const clang::FunctionTemplateDecl *Template = Function.getPrimaryTemplate();
  return Template && llvm::any_of(Template->specializations(), [](const clang::FunctionDecl *Each) {
           return Each->getTemplateSpecializationKind() != clang::TSK_ImplicitInstantiation;
         });
}

class Inserter {
public:
  explicit Inserter(TextEdits &Edits) : Edits(Edits), Text(Edits.Text) {}

  /// Behind the parenthesis that is the next token behind `Name`, before what else stands in it.
  void insert(clang::SourceLocation Name, bool InMacro, const std::string &What) {
    if (!Edits.holds(Name))
      return;
    PlacedEdit E{Text.end(Name), 0, "", Edit::When::Element};
    const std::vector<TextToken> Tokens = Text.tokensIn(Text.behind(E.At));
    if (InMacro || Tokens.size() < 2 || !Tokens[0].is("("))
      return cannot(Name, "a call or a head that is not written as `name(`");
    const bool Void = Tokens.size() > 2 && Tokens[1].is("void") && Tokens[2].is(")");
    E.At.second = Tokens[0].end();
    E.Length = Void ? Tokens[2].Offset - Tokens[0].end() : 0;
    E.Text = What + (Void || Tokens[1].is(")") ? "" : ", ");
    if (Seen.insert(E.At).second)
      Edits.All.push_back(std::move(E));
  }
  void cannot(clang::SourceLocation Where, std::string Fact) {
    if (!Edits.holds(Where))
      return;
    PlacedEdit E{Text.offset(Where), 0, "", Edit::When::Element};
    E.Cannot = {BlockerKind::UneditableText, Text.unit().place(Where), std::move(Fact)};
    Edits.All.push_back(std::move(E));
  }

private:
  TextEdits &Edits;
  SourceText &Text;
  std::set<TextPlace> Seen; ///< By another instance of a template.
};

} // namespace

void editReaders(TextEdits &Edits, const Reached &Reach, const KernelFacts &Facts) {
  std::set<const clang::FunctionDecl *> Readers =
      readersOf(Reach, [](Builtin B) { return B == Builtin::BlockIdx || B == Builtin::GridDim; });
  std::erase_if(Readers, [](const auto *F) { return isLambda(*F); }); // it has the parameters of the function around it
  std::vector<std::pair<const char *, const char *>> Added;
  if (Facts.reads(Builtin::BlockIdx))
    Added.push_back({"uint3", "blockIdx"});
  if (Facts.reads(Builtin::GridDim))
    Added.push_back({"dim3", "gridDim"});
  const std::string Arguments =
      llvm::join(llvm::map_range(Added, [](const auto &Each) { return std::string(Each.second); }), ", ");
  Inserter Into(Edits);
  for (const clang::FunctionDecl *Reader : Readers) {
    std::vector<std::string> Parameters;
    for (const auto &[Type, Name] : Added)
      Parameters.push_back(fmt::format("const {} {}", toolkitType(*Reader, Type), Name));
    const clang::FunctionDecl *Pattern = Reader->getTemplateInstantiationPattern();
    if (isSpecialised(*Reader))
      Into.cannot(Reader->getLocation(), Reader->getNameAsString() + " is specialised");
    else
      for (const clang::FunctionDecl *Each : (Pattern ? Pattern : Reader)->redecls())
        Into.insert(Each->getLocation(), Each->getLocation().isMacroID(), llvm::join(Parameters, ", "));
  }
  for (const auto &[Function, Use] : Reach.Functions)
    for (const CallSite &Call : Use.Calls)
      if (Readers.count(withBody(Call.Callee))) {
        const clang::SourceLocation Name = Call.Call ? Call.Call->getCallee()->getEndLoc() : Call.Where;
        Into.insert(Name, Name.isMacroID(), Arguments);
      }
}

} // namespace cufuse
