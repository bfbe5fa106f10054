#include "TextParts.h"

#include "SpellType.h"

#include "cufuse/Reach/Declarations.h"

#include <fmt/core.h>
#include <llvm/Support/xxhash.h>

namespace cufuse {

void declareHostShared(const ParsedUnit &Unit, const clang::VarDecl &Variable, const SelectCopied &Chosen,
                       KernelText &To) {
  const clang::VarDecl *Definition = Variable.getDefinition();
  const clang::VarDecl &Source = Definition ? *Definition : Variable;
  std::string Bounds;
  clang::QualType T = Source.getType();
  while (const clang::ConstantArrayType *Array = Unit.ast().getAsConstantArrayType(T)) {
    Bounds += fmt::format("[{}]", Array->getSize().getZExtValue());
    T = Array->getElementType();
  }
  auto Spelled = spellType(Unit.ast(), T, Variable.getNameAsString(), Chosen);
  if (!Spelled)
    return To.Blockers.push_back(
        {BlockerKind::HostSharedInternal, Unit.place(Variable.getLocation()), Variable.getQualifiedNameAsString()});
  const std::vector<std::string> Namespaces = namespacesAround(Variable.getDeclContext());
  const OutputText Declaration =
      outputText("extern {}{} {}{};", Source.isExternC() ? "\"C\" " : "", spaceOf(Source), *Spelled, Bounds);
  if (const clang::APValue *Value = Source.getInit() ? Source.evaluateValue() : nullptr)
    if (const auto Initial = spellValue(*Value))
      if (!Spelled->has(OutputText::Slot::Path)) // which no other object could declare
        To.SharedValues.emplace_back(Declaration.text(),
                                     fmt::format("{}{} {}{} = {};{}", Source.isExternC() ? "extern \"C\" { " : "",
                                                 spaceOf(Source), Spelled->text(), Bounds, *Initial,
                                                 Source.isExternC() ? " }" : ""));
  To.Body.push_back({Piece::Kind::Shared, Namespaces, Declaration});
  // The copy of the namespace would hide the variable.
  if (!Namespaces.empty())
    To.Body.push_back({Piece::Kind::Using, Namespaces,
                       fmt::format("using ::{}{};", namespacePath(Variable), Variable.getNameAsString())});
}

std::vector<PlacedEdit> declareLaunched(const Reached &Reach, const SelectCopied &Chosen, SourceText &Text,
                                        KernelText &To) {
  const ParsedUnit &Unit = Text.unit();
  std::map<TextPlace, PlacedEdit> Edits;
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
        To.Blockers.push_back({BlockerKind::DeviceLaunch, Unit.place(Launch.Where), "one of several kernels"});
      if (!Declared.insert(&Child).second)
        continue;
      std::vector<OutputText> Types;
      for (const clang::ParmVarDecl *Parameter : Child.parameters()) {
        auto Spelled = spellType(Unit.ast(), Parameter->getType(), "", Chosen);
        if (!Spelled || Spelled->has(OutputText::Slot::Path))
          To.Blockers.push_back(
              {BlockerKind::DeviceLaunch, Unit.place(Launch.Where),
               fmt::format("{}, with a parameter whose type is defined in its file,", Child.getNameAsString())});
        Types.push_back(Spelled.value_or(OutputText()));
      }
      To.HasHostShared = true;
      To.Body.push_back({Piece::Kind::Shared, namespacesAround(Child.getDeclContext()),
                         outputText("{}__global__ void {}({});", Child.isExternC() ? "extern \"C\" " : "",
                                    Child.getNameAsString(), joined(Types, ", "))});
    }
  const auto Named = llvm::make_second_range(Edits);
  return {Named.begin(), Named.end()};
}

void mayStandOutside(Piece &P, const clang::Decl &Whole, const Reached &Reach, SourceText &Text) {
  const ParsedUnit &Unit = Text.unit();
  const auto *Function = llvm::dyn_cast<clang::FunctionDecl>(&Whole);
  const auto Use = Function ? Reach.Functions.find(Function) : Reach.Functions.end();
  const auto Needs = Reach.References.find(&Whole);
  if (Use == Reach.Functions.end() || Function == Reach.Kernel || !Function->isFirstDecl() || !P.Namespaces.empty() ||
      Function->isTemplated() || (Needs != Reach.References.end() && !Needs->second.empty()) ||
      SelectCopied::usesBlock(Use->second))
    return;
  const std::set<std::string> Names = Text.names(Text.declaration(Whole));
  // In relocatable code, another object may define it, too.
  if ((Unit.request().Flags.Relocatable && Function->hasExternalFormalLinkage() && !Function->isInlined()) ||
      llvm::any_of(Unit.log().Macros, [&](const MacroEvent &Event) { return Names.count(Event.Name) > 0; }))
    return;
  P.ForLibrary = llvm::any_of(Reach.Functions, [&](const auto &Each) {
    return Each.second.System &&
           llvm::any_of(Each.second.Calls, [&](const CallSite &Call) { return withBody(Call.Callee) == Function; });
  });
  if (P.ForLibrary || Function->isOverloadedOperator())
    P.Once = fmt::format("CUFUSE_ONCE_{:016x}", llvm::xxh3_64bits(P.Where.str() + P.Written));
}

} // namespace cufuse
