#include "UnitsForHost.h"

#include "CheckHostsText.h"
#include "HostVariables.h"

#include "cufuse/Analysis/HostMembers.h"

#include <clang/AST/Attr.h>

namespace cufuse {

namespace {

class HostSelection {
public:
  HostSelection(const ParsedUnit &Unit, const HostCode &Host, const Reached &Reach, SelectCopied &Chosen,
                const llvm::SetVector<const clang::Decl *> &InSignature,
                const std::set<const clang::Decl *> &HostShared, SourceText &Text, KernelText &Result)
      : Unit(Unit), Host(Host), Reach(Reach), Chosen(Chosen), InSignature(InSignature), HostShared(HostShared),
        Sources(Unit.ast().getSourceManager()), Text(Text), Result(Result) {}

  UnitsForHost run() {
    headerUnits();
    unitsOnHost();
    return {std::move(Header), std::move(OnHost)};
  }

private:
  void block(BlockerKind Kind, clang::SourceLocation Where, std::string Fact) {
    Result.Blockers.push_back({Kind, Unit.place(Where), std::move(Fact)});
  }

  /// Copied units that the types of the parameters need: these go to the header.
  void headerUnits() {
    auto Add = [&](const clang::Decl *Whole) {
      if (Whole && Chosen.Units.contains(Whole))
        Header.insert(Whole);
    };
    for (const clang::Decl *Named : InSignature) {
      if (auto *Special = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(Named))
        Named = Special->getSpecializedTemplate();
      for (const clang::Decl *Redeclaration : Named->redecls())
        Add(enclosingUnit(Redeclaration));
      for (const clang::Decl *Whole : Chosen.Units)
        if (auto *Special = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(Whole);
            Special && Special->getSpecializedTemplate()->getCanonicalDecl() == Named->getCanonicalDecl())
          Add(Whole);
      if (auto *Tag = llvm::dyn_cast<clang::TagDecl>(Named); Tag && Tag->getTypedefNameForAnonDecl())
        Add(enclosingUnit(Tag->getTypedefNameForAnonDecl()));
    }
    addNeeded(Header);
    membersForHost();
    directivesForHeader();
    for (const auto &[Function, Use] : Reach.Functions)
      if (Header.contains(enclosingUnit(Function)) && Function != Reach.Kernel && SelectCopied::usesBlock(Use)) {
        const Blocker Found{BlockerKind::RebindingParameter, Unit.place(Function->getLocation()),
                            Function->getQualifiedNameAsString()};
        // The linker would take the program's function, which reads the block, for the output's, or the reverse.
        if (SelectCopied::onlyReadsBlock(Use) && !Unit.request().Flags.Relocatable)
          Result.HeaderReadsBlock = Found;
        else
          Result.Blockers.push_back(Found);
      }
    for (const clang::Decl *Whole : Header)
      for (const clang::VarDecl *Variable : hostVariables(*Whole))
        if (!HostShared.count(Variable->getCanonicalDecl()))
          block(BlockerKind::HostState, Variable->getLocation(), Variable->getQualifiedNameAsString());
  }

  /// What the host may call with them, as far as it means the same there.
  void membersForHost() {
    SelectCopied Without = Chosen;
    Without.Units.remove_if([this](const clang::Decl *D) { return Reach.HostOnly.contains(D); });
    CheckHostsText Alone(Host.hostText(), Text, Without);
    auto MayBeThere = [&](const clang::Decl *Whole) {
      if (Header.contains(Whole))
        return true;
      std::vector<Blocker> Other;
      Alone.declaration(Text.declaration(*Whole), Other);
      return Other.empty() && (!needsInline(*Whole) || Unit.ast().getLangOpts().CPlusPlus17) &&
             !HostShared.count(Whole->getCanonicalDecl()) && hostVariables(*Whole).empty() &&
             llvm::none_of(Reach.Functions, [&](const auto &Each) {
               return enclosingUnit(Each.first) == Whole && SelectCopied::usesBlock(Each.second);
             });
    };
    for (size_t I = 0; I < Header.size(); ++I)
      for (const HostMember &Member : Reach.OfHost) {
        if (Member.For != Header[I])
          continue;
        llvm::SetVector<const clang::Decl *> Needed;
        for (const clang::Decl *Redeclaration : Member.Declared->redecls())
          if (const clang::Decl *Whole = enclosingUnit(Redeclaration); Whole && Chosen.Units.contains(Whole))
            Needed.insert(Whole);
        addNeeded(Needed);
        if (!Member.NamesMore && llvm::all_of(Needed, MayBeThere))
          Header.insert(Needed.begin(), Needed.end());
        else if (Member.Decides)
          block(BlockerKind::HostReadsOther, Member.Declared->getLocation(),
                "a parameter's type may call it there, and it needs what is not copied");
      }
    for (const clang::Decl *Whole : Reach.HostOnly)
      if (!Header.contains(Whole))
        Chosen.Units.remove(Whole);
    membersInIncluded();
  }

  /// A class may be copied out of a header that stays included, as where the kernel's file specialises it.
  void membersInIncluded() {
    std::set<clang::FileID> Files = Chosen.Absorbed;
    for (const clang::Decl *Whole : Header)
      Files.insert(Text.offset(Whole->getLocation()).first);
    if (Files == Chosen.Absorbed)
      return;
    for (const HostMember &Member : hostMembers(Unit, Reach, Files))
      if (Member.Decides && Header.contains(Member.For) && !Header.contains(enclosingUnit(Member.Declared)) &&
          !Chosen.Absorbed.count(Text.offset(Member.For->getLocation()).first))
        block(BlockerKind::HostReadsOther, Member.Declared->getLocation(),
              "a parameter's type may call it there, and of this header only a part is copied");
  }

  void addNeeded(llvm::SetVector<const clang::Decl *> &Units) {
    for (size_t I = 0; I < Units.size(); ++I)
      if (auto Found = Reach.References.find(Units[I]); Found != Reach.References.end())
        for (const clang::Decl *Needed : Found->second)
          if (Chosen.Units.contains(Needed))
            Units.insert(Needed);
  }

  /// Copied variables of the device, which nvcc names in the host's code, and what they need.
  void unitsOnHost() {
    for (const clang::Decl *Whole : Chosen.Units) {
      auto *Template = llvm::dyn_cast<clang::VarTemplateDecl>(Whole);
      auto *Variable = llvm::dyn_cast<clang::VarDecl>(Template ? Template->getTemplatedDecl() : Whole);
      if (Variable && !HostShared.count(Variable->getCanonicalDecl()) && llvm::any_of(Variable->attrs(), [](auto *A) {
            return llvm::isa<clang::CUDAConstantAttr, clang::CUDADeviceAttr>(A) && !A->isImplicit();
          }))
        OnHost.insert(Whole);
    }
    addNeeded(OnHost);
    for (const clang::Decl *Whole : Chosen.Units)
      if (llvm::isa<clang::UsingDirectiveDecl>(Whole) && !OnHost.empty())
        OnHost.insert(Whole);
  }

  /// `using namespace` before one of them and around it, where the header knows the namespace.
  void directivesForHeader() {
    for (const clang::Decl *Whole : Chosen.Units) {
      auto *Directive = llvm::dyn_cast<clang::UsingDirectiveDecl>(Whole);
      if (!Directive || llvm::none_of(Header, [&](const clang::Decl *Each) {
            return Directive->getDeclContext()->Encloses(Each->getDeclContext()) &&
                   Sources.isBeforeInTranslationUnit(Directive->getLocation(), Each->getBeginLoc());
          }))
        continue;
      const clang::NamespaceDecl *Named = Directive->getNominatedNamespace();
      if (llvm::any_of(Header, [&](const clang::Decl *Each) { return Named->Encloses(Each->getDeclContext()); }) ||
          llvm::any_of(Named->redecls(), [&](const clang::NamespaceDecl *Opened) {
            return !Chosen.Absorbed.count(Text.offset(Opened->getLocation()).first);
          }))
        Header.insert(Whole);
    }
  }

  const ParsedUnit &Unit;
  const HostCode &Host;
  const Reached &Reach;
  SelectCopied &Chosen;
  const llvm::SetVector<const clang::Decl *> &InSignature;
  const std::set<const clang::Decl *> &HostShared;
  const clang::SourceManager &Sources;
  SourceText &Text;
  KernelText &Result;
  llvm::SetVector<const clang::Decl *> Header, OnHost;
};

} // namespace

bool needsInline(const clang::Decl &Whole) {
  if (Whole.isTemplated())
    return false;
  if (auto *Function = llvm::dyn_cast<clang::FunctionDecl>(&Whole))
    return Function->isThisDeclarationADefinition() && !Function->isInlined() && Function->hasExternalFormalLinkage();
  auto *Variable = llvm::dyn_cast<clang::VarDecl>(&Whole);
  return Variable && Variable->isStaticDataMember() && !Variable->isInline() &&
         Variable->isThisDeclarationADefinition() == clang::VarDecl::Definition;
}

UnitsForHost unitsForHost(const ParsedUnit &Unit, const HostCode &Host, const Reached &Reach, SelectCopied &Chosen,
                          const llvm::SetVector<const clang::Decl *> &InSignature,
                          const std::set<const clang::Decl *> &HostShared, SourceText &Text, KernelText &Result) {
  return HostSelection(Unit, Host, Reach, Chosen, InSignature, HostShared, Text, Result).run();
}

} // namespace cufuse
