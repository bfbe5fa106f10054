#include "SelectCopied.h"

#include "cufuse/Reach/CopiedFiles.h"

#include <clang/Basic/SourceManager.h>
#include <llvm/ADT/StringExtras.h>

#include <functional>

namespace cufuse {

namespace {

class Selection {
public:
  Selection(const ParsedUnit &Unit, const Reached &Reach)
      : Unit(Unit), Reach(Reach), Sources(Unit.ast().getSourceManager()) {}

  SelectCopied run() {
    Result.Absorbed = copiedFiles(Unit);
    units();
    declarationsAround();
    usings();
    bringCopies();
    return std::move(Result);
  }

private:
  bool isAbsorbed(const clang::Decl *D) const { return Result.Absorbed.count(fileOf(D)); }

  static bool isWithin(const clang::Decl &D, const clang::NamespaceDecl &Namespace) {
    for (const clang::DeclContext *C = D.getDeclContext(); C; C = C->getParent())
      if (C->isNamespace() && llvm::cast<clang::NamespaceDecl>(C)->getCanonicalDecl() == Namespace.getCanonicalDecl())
        return true;
    return false;
  }

  void units() {
    // Units that must be rebound, or that need one that is copied, wherever they stand.
    llvm::SetVector<const clang::Decl *> Copied;
    for (const clang::Decl *Whole : Reach.Units)
      if (isAbsorbed(Whole))
        Copied.insert(Whole);
    auto AddFunction = [&](const clang::FunctionDecl *F) {
      bool Changed = false;
      const clang::FunctionDecl *Pattern = F->getTemplateInstantiationPattern();
      for (const clang::Decl *Redeclaration : (Pattern ? Pattern : F)->redecls())
        if (const clang::Decl *Whole = enclosingUnit(Redeclaration); Whole && Reach.Units.contains(Whole))
          Changed |= Copied.insert(Whole);
      return Changed;
    };
    AddFunction(Reach.Kernel);
    for (const auto &[Function, Use] : Reach.Functions)
      if (!Use.System && SelectCopied::usesBlock(Use))
        AddFunction(Function);
    // In whose default arguments and member initialisers a function reads the block.
    for (const auto &[Function, Use] : Reach.Functions)
      for (const BuiltinRead &Read : Use.Reads)
        if (const clang::SourceLocation At = Sources.getExpansionLoc(Read.Where); Read.OutsideBody && !Use.System)
          for (const clang::Decl *Whole : Reach.Units)
            if (Sources.isPointWithin(At, Whole->getBeginLoc(), Whole->getEndLoc()))
              Copied.insert(Whole);
    for (bool Changed = true; Changed;) {
      Changed = false;
      for (const auto &[Whole, Needed] : Reach.References)
        for (const clang::Decl *N : Needed)
          if (Copied.contains(N) && !Copied.contains(Whole))
            Changed |= Copied.insert(Whole);
      // A template finds a free function through its arguments only when it is instantiated.
      for (const auto &[Function, Use] : Reach.Functions)
        if (!Use.System)
          for (const CallSite &Call : Use.Calls) {
            const clang::FunctionDecl *Pattern = Call.Callee->getTemplateInstantiationPattern();
            const clang::Decl *Whole = enclosingUnit(Pattern ? Pattern : Call.Callee);
            if (Whole && Copied.contains(Whole) && !Call.Callee->isCXXClassMember())
              Changed |= AddFunction(Function);
          }
      // A using declaration of the overloads that stay would name the original of the copied one, too, where a header
      // has it that is still included.
      std::set<std::pair<const clang::DeclContext *, clang::DeclarationName>> Overloaded;
      for (const clang::Decl *Whole : Copied)
        if (auto *Function = llvm::dyn_cast<clang::NamedDecl>(Whole);
            Function && Function->isFunctionOrFunctionTemplate() && !isAbsorbed(Whole))
          Overloaded.insert({scopeOf(Function), Function->getDeclName()});
      for (const clang::Decl *Whole : Reach.Units)
        if (auto *Function = llvm::dyn_cast<clang::NamedDecl>(Whole);
            Function && Function->isFunctionOrFunctionTemplate() && !Unit.inCompatHeader(Function->getLocation()) &&
            Overloaded.count({scopeOf(Function), Function->getDeclName()}))
          Changed |= Copied.insert(Whole);
      // What brings up a copied name must bring up the copy.
      auto IsCopied = [&](const clang::UsingShadowDecl *Shadow) {
        const clang::Decl *Of = enclosingUnit(Shadow->getTargetDecl());
        return Of && Copied.contains(Of);
      };
      for (const clang::Decl *Whole : Reach.Units)
        if (auto *Alias = llvm::dyn_cast<clang::NamespaceAliasDecl>(Whole);
            Alias ? llvm::any_of(Copied, [&](const auto *Each) { return isWithin(*Each, *Alias->getNamespace()); })
                  : llvm::isa<clang::UsingDecl>(Whole) &&
                        llvm::any_of(llvm::cast<clang::UsingDecl>(Whole)->shadows(), IsCopied))
          Changed |= Copied.insert(Whole);
      // A template and its specialisations stay together: without one, another would be chosen silently.
      std::set<const clang::Decl *> Templates;
      for (const clang::Decl *Whole : Copied)
        if (const clang::Decl *Template = templateOf(Whole))
          Templates.insert(Template);
      for (const clang::Decl *Whole : Reach.Units)
        if (const clang::Decl *Template = templateOf(Whole); Template && Templates.count(Template))
          Changed |= Copied.insert(Whole);
    }
    for (const clang::Decl *Whole : Copied)
      if (const clang::Decl *Template = templateOf(Whole);
          Template && inUsersFile(Template) && !Reach.Units.contains(Template))
        Result.Units.insert(Template); // the kernel is a specialisation of a template that nothing names
    // In the order of the walk, so that results do not depend on addresses.
    for (const clang::Decl *Whole : Reach.Units)
      if (Copied.contains(Whole))
        Result.Units.insert(Whole);
    // `using namespace` of the files that text is copied from: its names may come through them.
    std::set<const clang::NamespaceDecl *> CopiedNamespaces;
    std::set<clang::FileID> CopiedFiles = Result.Absorbed;
    for (const clang::Decl *Whole : Result.Units)
      CopiedFiles.insert(fileOf(Whole));
    for (const clang::Decl *Whole : Result.Units)
      for (const clang::DeclContext *C = Whole->getDeclContext(); C; C = C->getParent())
        if (auto *Namespace = llvm::dyn_cast<clang::NamespaceDecl>(C))
          CopiedNamespaces.insert(Namespace->getCanonicalDecl());
    for (const clang::NamespaceDecl *Named : Reach.Namespaces)
      if (inUsersFile(Named) && !existsOutside(Named) && !CopiedNamespaces.count(Named)) {
        Result.EmptyNamespaces.push_back(namespacesAround(Named));
        CopiedNamespaces.insert(Named);
      }
    eachTopLevel(Unit, [&](const clang::Decl *D) {
      auto *Directive = llvm::dyn_cast<clang::UsingDirectiveDecl>(D);
      if (!Directive || Directive->isImplicit() || !CopiedFiles.count(fileOf(D)))
        return;
      const clang::NamespaceDecl *Named = Directive->getNominatedNamespace();
      if (CopiedNamespaces.count(Named->getCanonicalDecl()) || (existsOutside(Named) && isRead(Named)))
        Result.Units.insert(D);
    });
  }

  static const clang::DeclContext *scopeOf(const clang::Decl *D) {
    return D->getDeclContext()->getRedeclContext()->getPrimaryContext();
  }

  /// The template that a unit is, or that it specialises.
  static const clang::Decl *templateOf(const clang::Decl *Whole) {
    const clang::Decl *Template = nullptr;
    if (llvm::isa<clang::ClassTemplateDecl, clang::FunctionTemplateDecl, clang::VarTemplateDecl>(Whole))
      Template = Whole;
    else if (auto *Variable = llvm::dyn_cast<clang::VarTemplateSpecializationDecl>(Whole))
      Template = Variable->getSpecializedTemplate();
    else if (auto *Class = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(Whole))
      Template = Class->getSpecializedTemplate();
    else if (auto *Function = llvm::dyn_cast<clang::FunctionDecl>(Whole);
             Function && Function->getTemplateSpecializationKind() == clang::TSK_ExplicitSpecialization)
      Template = Function->getPrimaryTemplate();
    return Template ? Template->getCanonicalDecl() : nullptr;
  }

  /// Is the namespace opened in a file that stays included?
  bool existsOutside(const clang::NamespaceDecl *Namespace) const {
    return !llvm::all_of(Namespace->redecls(), [this](const clang::Decl *Opened) { return isAbsorbed(Opened); });
  }

  /// Does the output read a header that opens the namespace? Those of the standard library are left out where nothing
  /// of them is used, but for what CUDA itself needs of `std`.
  bool isRead(const clang::NamespaceDecl *Namespace) const {
    if (Namespace->isStdNamespace() || llvm::any_of(Namespace->redecls(), [&](const clang::NamespaceDecl *Opened) {
          return !isAbsorbed(Opened) && !Unit.inStandardLibrary(Opened->getLocation());
        }))
      return true;
    return llvm::any_of(Reach.External,
                        [&](const clang::NamedDecl *D) { return Namespace->Encloses(D->getDeclContext()); });
  }

  /// Where a declaration or `extern "C"` holds an #include.
  void declarationsAround() {
    std::map<clang::FileID, std::vector<std::pair<unsigned, unsigned>>> ByFile;
    eachTopLevel(Unit, [&](const clang::Decl *D) {
      const auto [File, Begin] = Sources.getDecomposedLoc(Sources.getExpansionLoc(D->getBeginLoc()));
      if (auto *Linkage = llvm::dyn_cast<clang::LinkageSpecDecl>(D))
        includesInside(*Linkage);
      else if (!llvm::isa<clang::NamespaceDecl>(D) && Result.Absorbed.count(File))
        ByFile[File].push_back({Begin, Sources.getFileOffset(Sources.getExpansionLoc(D->getEndLoc()))});
    });
    for (const IncludeEvent &Include : Unit.log().Includes) {
      const auto [File, Hash] = Sources.getDecomposedLoc(Include.Hash);
      if (llvm::any_of(ByFile[File], [At = Hash](const auto &Each) { return Each.first < At && At < Each.second; }))
        Result.InsideDeclarations.insert(Include.Hash.getRawEncoding());
    }
  }

  /// `extern "C"` around an #include of what has no such around it: the header would mean C++ without.
  void includesInside(const clang::LinkageSpecDecl &Linkage) {
    const auto [File, Begin] = Sources.getDecomposedLoc(Sources.getExpansionLoc(Linkage.getBeginLoc()));
    const unsigned End = Sources.getFileOffset(Sources.getExpansionLoc(Linkage.getEndLoc()));
    if (!Result.Absorbed.count(File) || Linkage.getLanguage() != clang::LinkageSpecLanguageIDs::C)
      return;
    const bool Names = llvm::any_of(Linkage.decls(), [&, Own = File](const clang::Decl *D) {
      return llvm::isa<clang::FunctionDecl, clang::VarDecl>(D) && inUsersFile(D) && fileOf(D) != Own;
    });
    for (const IncludeEvent &Include : Unit.log().Includes) {
      const auto [Includer, Hash] = Sources.getDecomposedLoc(Include.Hash);
      if (Names && Includer == File && Begin < Hash && Hash < End && !Include.System)
        Result.InsideLinkage.insert(Include.Hash.getRawEncoding());
    }
  }

  static std::string joined(const std::vector<std::string> &Path) {
    std::string Text;
    for (llvm::StringRef Part : Path) {
      Part.consume_front("inline ");
      if (!Part.empty())
        Text += "::" + Part.str();
    }
    return Text;
  }

  /// A directive of a header would find what the header has beside the copies, in the namespace that is brought back.
  void bringCopies() {
    for (const clang::Decl *Whole : Result.Units) {
      auto *Directive = llvm::dyn_cast<clang::UsingDirectiveDecl>(Whole);
      auto *In = Directive ? llvm::dyn_cast<clang::NamespaceDecl>(Directive->getDeclContext()) : nullptr;
      if (!In || !existsOutside(In))
        continue;
      const std::string Around = joined(namespacesAround(In)) + "::";
      std::set<std::string> Lines;
      for (const clang::Decl *Each : Result.Units) {
        auto *Named = llvm::dyn_cast<clang::NamedDecl>(Each);
        const clang::Decl *Template = templateOf(Each);
        if (!Named || llvm::isa<clang::NamespaceAliasDecl, clang::UsingDirectiveDecl>(Each) ||
            (Template && Template != Each->getCanonicalDecl()) ||
            !Directive->getNominatedNamespace()->InEnclosingNamespaceSetOf(Each->getDeclContext()) ||
            !Sources.isBeforeInTranslationUnit(Each->getLocation(), Directive->getLocation()) ||
            !In->getPrimaryContext()->lookup(Named->getDeclName()).empty())
          continue;
        const std::string Path = joined(namespacesAround(Each->getDeclContext())) + "::";
        llvm::StringRef Relative = Path;
        if (!Relative.consume_front(Around))
          Relative.consume_front("::");
        Lines.insert(" using " + Relative.str() + Named->getNameAsString() + ";");
      }
      Result.Brought[Whole] = llvm::join(Lines, "");
    }
  }

  /// A copied function hides functions of the same name that stay outside, and a copied namespace hides the rest of it:
  /// both are brought back, so that every name means what it meant.
  void usings() {
    std::set<std::pair<std::vector<std::string>, std::string>> CopiedFunctions;
    std::set<std::vector<std::string>> CopiedNamespaces;
    for (const clang::Decl *Whole : Result.Units) {
      std::vector<std::string> Path = namespacesAround(Whole->getDeclContext());
      if (llvm::isa<clang::FunctionDecl, clang::FunctionTemplateDecl>(Whole))
        CopiedFunctions.insert({Path, llvm::cast<clang::NamedDecl>(Whole)->getNameAsString()});
      else if (auto *Using = llvm::dyn_cast<clang::UsingDecl>(Whole))
        for (const clang::UsingShadowDecl *Shadow : Using->shadows())
          if (Shadow->getTargetDecl()->isFunctionOrFunctionTemplate())
            CopiedFunctions.insert({Path, Using->getNameAsString()});
      for (const clang::DeclContext *C = Whole->getDeclContext(); !C->isTranslationUnit(); C = C->getParent())
        if (auto *Namespace = llvm::dyn_cast<clang::NamespaceDecl>(C)) { // innermost first
          const bool IsNew = CopiedNamespaces.insert(Path).second && existsOutside(Namespace);
          if (IsNew && !Namespace->isAnonymousNamespace())
            Result.Usings[Path].push_back("using namespace " + joined(Path) + ";");
          else if (IsNew && Path.size() > 1)
            Result.Inlined.insert(Path);
          Path.pop_back();
        }
    }
    // Names that come through the directive would lose to copies at outer scopes, so each that is used is declared.
    std::set<std::string> Seen;
    std::function<void(const clang::NamedDecl *)> Declare = [&](const clang::NamedDecl *D) {
      if (auto *Around = llvm::dyn_cast<clang::NamespaceDecl>(D->getDeclContext()))
        Declare(Around);                                 // what is in it may be named by way of it
      if (auto *Tag = llvm::dyn_cast<clang::TagDecl>(D); // declared in a header, and copied where it is defined
          Tag && llvm::any_of(Tag->redecls(), [&](const clang::Decl *Each) { return Result.Units.contains(Each); }))
        return;
      const std::vector<std::string> Path = namespacesAround(D->getDeclContext());
      const std::string Name = D->getNameAsString();
      const bool IsFunction = llvm::isa<clang::FunctionDecl, clang::FunctionTemplateDecl>(D);
      if (Name.empty() || D->isCXXClassMember() || D->getDeclName().getCXXDeductionGuideTemplate() ||
          llvm::isa<clang::UsingDirectiveDecl, clang::ClassTemplateSpecializationDecl>(D))
        return;
      if (!(IsFunction && CopiedFunctions.count({Path, Name})) && !(!Path.empty() && CopiedNamespaces.count(Path)))
        return;
      std::string Line = "using " + joined(Path) + "::" + Name + ";";
      if (auto *Namespace = llvm::dyn_cast<clang::NamespaceDecl>(D);
          Namespace && (Namespace->isInline() || CopiedNamespaces.count(namespacesAround(Namespace))))
        return; // the copy has a directive of its own
      if (llvm::isa<clang::NamespaceDecl, clang::NamespaceAliasDecl>(D))
        Line = "namespace " + Name + " = " + joined(Path) + "::" + Name + ";";
      else if (auto *Enum = llvm::dyn_cast<clang::UsingEnumDecl>(D))
        Line = "using enum ::" + Enum->getEnumDecl()->getQualifiedNameAsString() + ";";
      if (Seen.insert(Line).second)
        Result.Usings[Path].push_back(Line);
    };
    for (const clang::NamedDecl *D : Reach.External)
      Declare(D);
    for (const clang::Decl *Whole : Reach.Units) {
      auto *Named = llvm::dyn_cast<clang::NamedDecl>(Whole);
      if (!Named || Result.Units.contains(Whole))
        continue;
      Declare(Named);
      if (auto *Enum = llvm::dyn_cast<clang::EnumDecl>(Whole); Enum && !Enum->isScoped())
        for (const clang::EnumConstantDecl *Constant : Enum->enumerators())
          Declare(Constant);
    }
  }

  const ParsedUnit &Unit;
  const Reached &Reach;
  const clang::SourceManager &Sources;
  SelectCopied Result;
};

} // namespace

std::vector<std::string> SelectCopied::opened(const std::vector<std::string> &Namespaces) const {
  std::vector<std::string> Opened = Namespaces;
  for (size_t I = 0; I < Namespaces.size(); ++I)
    if (Inlined.count({Namespaces.begin(), Namespaces.begin() + I + 1}))
      Opened[I] = "inline ";
  return Opened;
}

bool SelectCopied::copies(const clang::Decl *D) const {
  const clang::Decl *Whole = enclosingUnit(D);
  if (auto *Special = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(D);
      Special && !Special->isExplicitSpecialization())
    Whole = enclosingUnit(Special->getSpecializedTemplate());
  return Whole && Units.contains(Whole);
}

std::string namespacePath(const clang::Decl &D) {
  std::string Path;
  for (const clang::DeclContext *C = D.getDeclContext(); !C->isTranslationUnit(); C = C->getParent())
    if (auto *Namespace = llvm::dyn_cast<clang::NamespaceDecl>(C);
        Namespace && !Namespace->isAnonymousNamespace() && !Namespace->isInline())
      Path = Namespace->getNameAsString() + "::" + Path;
  return Path;
}

bool SelectCopied::usesBlock(const FunctionUse &Use) { return !Use.Reads.empty() || !onlyReadsBlock(Use); }

bool SelectCopied::onlyReadsBlock(const FunctionUse &Use) {
  return Use.Shared.empty() && !Use.AssemblyUsesBlock && llvm::none_of(Use.Calls, [](const CallSite &Call) {
           return classify(*Call.Callee) == Intrinsic::Barrier || classify(*Call.Callee) == Intrinsic::NamedBarrier;
         });
}

std::vector<std::string> namespacesAround(const clang::DeclContext *Context) {
  std::vector<std::string> Path;
  for (; !Context->isTranslationUnit(); Context = Context->getParent())
    if (auto *Namespace = llvm::dyn_cast<clang::NamespaceDecl>(Context))
      Path.insert(Path.begin(), (Namespace->isInline() ? "inline " : "") + Namespace->getNameAsString());
  return Path;
}

SelectCopied selectCopied(const ParsedUnit &Unit, const Reached &Reach) { return Selection(Unit, Reach).run(); }

} // namespace cufuse
