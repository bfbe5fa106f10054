#include "ProgramSymbols.h"

#include "SpellType.h"

#include <fmt/core.h>

namespace cufuse {

ProgramSymbols hostShared(const ParsedUnit &Unit, const clang::VarDecl &Variable, const SelectCopied &Chosen) {
  ProgramSymbols Result;
  const clang::VarDecl *Definition = Variable.getDefinition();
  const clang::VarDecl &Source = Definition ? *Definition : Variable;
  auto Copied = [&](const clang::Decl *D) { return Chosen.copies(D); };
  std::string Bounds;
  clang::QualType T = Source.getType();
  while (const clang::ConstantArrayType *Array = Unit.ast().getAsConstantArrayType(T)) {
    Bounds += fmt::format("[{}]", Array->getSize().getZExtValue());
    T = Array->getElementType();
  }
  auto Spelled = spellType(Unit.ast(), T, Variable.getNameAsString(), Copied);
  if (!Spelled) {
    Result.Blockers.push_back(
        {BlockerKind::HostSharedInternal, Unit.place(Variable.getLocation()), Variable.getQualifiedNameAsString()});
    return Result;
  }
  Piece P;
  P.What = Piece::Kind::Shared;
  P.Namespaces = namespacesAround(Variable.getDeclContext());
  P.Text = outputText("extern {} {}{};", spaceOf(Source), *Spelled, Bounds);
  if (const clang::APValue *Value = Source.getInit() ? Source.evaluateValue() : nullptr)
    if (const auto Initial = spellValue(*Value))
      if (!Spelled->has(OutputText::Slot::Path)) // which no other object could declare
        Result.Values.emplace_back(P.Text.text(),
                                   fmt::format("{} {}{} = {};", spaceOf(Source), Spelled->text(), Bounds, *Initial));
  Piece Using;
  Using.What = Piece::Kind::Using;
  Using.Namespaces = P.Namespaces;
  Using.Text = fmt::format("using ::{}{};", namespacePath(Variable), Variable.getNameAsString());
  Result.Declarations.push_back(std::move(P));
  // The copy of the namespace would hide the variable.
  if (!Using.Namespaces.empty())
    Result.Declarations.push_back(std::move(Using));
  return Result;
}

ProgramSymbols launchedKernels(const ParsedUnit &Unit, const Reached &Reach, const SelectCopied &Chosen,
                               SourceText &Text) {
  ProgramSymbols Result;
  std::map<std::pair<clang::FileID, unsigned>, PlacedEdit> Edits;
  std::set<const clang::FunctionDecl *> Declared;
  for (const auto &[Function, Use] : Reach.Functions)
    for (const DeviceLaunch &Launch : Use.Launches) {
      const auto *Name = Launch.Launch
                             ? llvm::dyn_cast<clang::DeclRefExpr>(Launch.Launch->getCallee()->IgnoreParenImpCasts())
                             : nullptr;
      if (!Name || !Launch.Kernel || Name->getLocation().isMacroID())
        continue; // a blocker already
      const clang::FunctionDecl &Child = *Launch.Kernel->getCanonicalDecl();
      const auto Begin = Text.offset(Name->getBeginLoc());
      const unsigned End = Text.offset(Name->getLocation()).second + Child.getNameAsString().size();
      const PlacedEdit Named{Begin, End - Begin.second, "::" + namespacePath(Child) + Child.getNameAsString()};
      if (Edits.try_emplace(Begin, Named).first->second.Text != Named.Text)
        Result.Blockers.push_back({BlockerKind::DeviceLaunch, Unit.place(Launch.Where), "one of several kernels"});
      if (!Declared.insert(&Child).second)
        continue;
      std::vector<OutputText> Types;
      for (const clang::ParmVarDecl *Parameter : Child.parameters()) {
        auto Spelled =
            spellType(Unit.ast(), Parameter->getType(), "", [&](const clang::Decl *D) { return Chosen.copies(D); });
        if (!Spelled || Spelled->has(OutputText::Slot::Path))
          Result.Blockers.push_back(
              {BlockerKind::DeviceLaunch, Unit.place(Launch.Where),
               fmt::format("{}, with a parameter whose type is defined in its file,", Child.getNameAsString())});
        Types.push_back(Spelled.value_or(OutputText()));
      }
      Piece P;
      P.What = Piece::Kind::Shared;
      P.Namespaces = namespacesAround(Child.getDeclContext());
      P.Text = outputText("{}__global__ void {}({});", Child.isExternC() ? "extern \"C\" " : "",
                          Child.getNameAsString(), joined(Types, ", "));
      Result.Declarations.push_back(std::move(P));
    }
  for (const auto &[At, Named] : Edits)
    Result.Edits.push_back(Named);
  return Result;
}

} // namespace cufuse
