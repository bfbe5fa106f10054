#include "cufuse/Analysis/HostMembers.h"

#include "NameVisitor.h"

#include <clang/AST/DeclFriend.h>
#include <clang/Basic/SourceManager.h>

#include <set>

namespace cufuse {

namespace {

/// Whether a declaration names a kernel, or something of the user's beside what is known, or is in error.
class NamesMore : NameVisitor {
public:
  explicit NamesMore(llvm::function_ref<bool(const clang::Decl *)> IsKnown) : IsKnown(IsKnown) {}
  bool in(const clang::Decl &D, const clang::SourceManager &In) {
    Sources = &In;
    return D.isInvalidDecl() || !TraverseDecl(&D) || Found;
  }

private:
  void name(const clang::NamedDecl *D, const clang::Expr *, clang::SourceLocation) override {
    if (isKernel(D)) {
      Found = true;
      return;
    }
    const bool Local = D->getParentFunctionOrMethod() || llvm::isa<clang::ParmVarDecl>(D);
    const clang::Decl *Whole = Local || D->isTemplateParameter() ? nullptr : enclosingUnit(D);
    Found |= Whole && inUsersFile(Whole, *Sources) && !IsKnown(Whole);
  }
  bool VisitRecoveryExpr(const clang::RecoveryExpr *) override { return false; }

  llvm::function_ref<bool(const clang::Decl *)> IsKnown;
  const clang::SourceManager *Sources = nullptr;
  bool Found = false;
};

/// Names of functions that a template looks for when it is instantiated.
struct LateNames : clang::ConstDynamicRecursiveASTVisitor {
  explicit LateNames(clang::ASTContext &Context) : Context(Context) {}
  bool VisitUnresolvedLookupExpr(const clang::UnresolvedLookupExpr *E) override {
    if (E->requiresADL())
      Found.insert(E->getName());
    return true;
  }
  bool VisitBinaryOperator(const clang::BinaryOperator *E) override {
    return E->isTypeDependent() ? note(clang::BinaryOperator::getOverloadedOperator(E->getOpcode())) : true;
  }
  bool VisitUnaryOperator(const clang::UnaryOperator *E) override {
    return E->isTypeDependent() ? note(clang::UnaryOperator::getOverloadedOperator(E->getOpcode())) : true;
  }
  bool VisitCXXForRangeStmt(const clang::CXXForRangeStmt *S) override {
    if (S->getRangeInit() && S->getRangeInit()->isTypeDependent())
      for (const char *Name : {"begin", "end"})
        Found.insert(&Context.Idents.get(Name));
    return true;
  }
  bool note(clang::OverloadedOperatorKind Kind) {
    if (Kind != clang::OO_None)
      Found.insert(Context.DeclarationNames.getCXXOperatorName(Kind));
    return true;
  }

  clang::ASTContext &Context;
  llvm::SetVector<clang::DeclarationName> Found; ///< In the order of the text.
};

template <typename Kind> bool isSpecialisedBy(const clang::Decl *D) {
  auto *Own = llvm::dyn_cast<Kind>(D);
  return Own && Own->getTemplateSpecializationKind() == clang::TSK_ExplicitSpecialization;
}

class Search {
public:
  Search(const ParsedUnit &Unit, const Reached &Reach, const std::set<clang::FileID> &Files)
      : Unit(Unit), Reach(Reach), Files(Files), Sources(Unit.ast().getSourceManager()) {}

  std::vector<HostMember> run() {
    for (const clang::ParmVarDecl *Parameter : Reach.Kernel->parameters())
      classesOf(Parameter->getType());
    for (size_t Before = 0; Before != Units.size();) {
      Before = Units.size();
      for (size_t I = 0; I < Units.size(); ++I)
        behind(*Units[I]);
      // When the classes are known: more of them may come.
      for (size_t I = 0; I < Units.size(); ++I)
        foundLate(*Units[I]);
    }
    for (bool Changed = true; Changed;) {
      Changed = false;
      for (HostMember &Member : Found)
        if (!Member.NamesMore && inFile(Member.Declared) && namesMore(*Member.Declared))
          Member.NamesMore = Changed = true;
    }
    return std::move(Found);
  }

private:
  void behind(const clang::Decl &Whole) {
    if (auto Named = Reach.References.find(&Whole); Named != Reach.References.end())
      Units.insert(Named->second.begin(), Named->second.end());
    if (!inFile(&Whole))
      return;
    auto *Template = llvm::dyn_cast<clang::ClassTemplateDecl>(&Whole);
    if (auto *Record = llvm::dyn_cast<clang::CXXRecordDecl>(Template ? Template->getTemplatedDecl() : &Whole)) {
      definedBehind(*Record, &Whole);
      specialised(*Record, &Whole);
    }
    if (Template)
      for (const clang::ClassTemplateSpecializationDecl *Special : Template->specializations())
        if (!Special->isExplicitSpecialization())
          specialised(*Special, &Whole);
    if (auto *Function = llvm::dyn_cast<clang::FunctionTemplateDecl>(&Whole))
      for (const clang::FunctionDecl *Special : Function->specializations())
        takeSpecialised(Special, &Whole);
  }

  bool namesMore(const clang::Decl &D) const {
    return NamesMore([&](const clang::Decl *Whole) {
             return Reach.Units.contains(Whole) || llvm::any_of(Found, [&](const HostMember &Each) {
                      return !Each.NamesMore && enclosingUnit(Each.Declared) == Whole;
                    });
           })
        .in(D, Sources);
  }

  bool inFile(const clang::Decl *D) const {
    return Files.count(Sources.getFileID(Sources.getExpansionLoc(D->getLocation())));
  }

  static bool isOfDevice(const clang::Decl *D) {
    return D->hasAttr<clang::CUDADeviceAttr>() && !D->hasAttr<clang::CUDAHostAttr>();
  }

  void add(const clang::Decl *For, const clang::NamedDecl *D, bool Decides) {
    if (!Seen.insert({For, D->getCanonicalDecl()}).second)
      return;
    Found.push_back({For, D, Decides, false});
    if (const clang::Decl *Whole = enclosingUnit(D))
      Units.insert(Whole);
  }

  void classesOf(clang::QualType T) {
    T = T.getCanonicalType();
    while (!T->getPointeeType().isNull() || T->isArrayType())
      T = T->isArrayType() ? clang::QualType(T->getArrayElementTypeNoTypeQual(), 0) : T->getPointeeType();
    if (const clang::Decl *Tag = patternOf(T))
      unitsOf(*Tag);
    if (auto *Special = llvm::dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(T->getAsCXXRecordDecl()))
      for (const clang::TemplateArgument &Argument : Special->getTemplateArgs().asArray())
        classesIn(Argument);
  }
  void classesIn(const clang::TemplateArgument &Argument) {
    if (Argument.getKind() == clang::TemplateArgument::Type)
      classesOf(Argument.getAsType());
    else if (Argument.getKind() == clang::TemplateArgument::Pack)
      for (const clang::TemplateArgument &Each : Argument.pack_elements())
        classesIn(Each);
    else if (const clang::TemplateDecl *Template = Argument.getKind() == clang::TemplateArgument::Template
                                                       ? Argument.getAsTemplate().getAsTemplateDecl()
                                                       : nullptr)
      unitsOf(*Template);
  }
  void unitsOf(const clang::Decl &D) {
    for (const clang::Decl *Declaration : D.redecls())
      if (const clang::Decl *Whole = enclosingUnit(Declaration))
        Units.insert(Whole);
  }
  /// Of a class or an enumeration; the template of an instance.
  static const clang::Decl *patternOf(clang::QualType T) {
    const clang::CXXRecordDecl *Record = T->getAsCXXRecordDecl();
    return Record ? pattern(Record) : static_cast<const clang::Decl *>(T->getAsTagDecl());
  }

  void definedBehind(const clang::CXXRecordDecl &Record, const clang::Decl *Whole) {
    for (const clang::Decl *Member : Record.decls()) {
      if (auto *Friend = llvm::dyn_cast<clang::FriendDecl>(Member); Friend && Friend->getFriendDecl())
        Member = Friend->getFriendDecl();
      if (auto *Nested = llvm::dyn_cast<clang::CXXRecordDecl>(Member))
        definedBehind(*Nested, Whole);
      if (auto *Template = llvm::dyn_cast<clang::FunctionTemplateDecl>(Member))
        Member = Template->getTemplatedDecl();
      if (auto *Function = llvm::dyn_cast<clang::FunctionDecl>(Member)) {
        const clang::FunctionDecl *Definition = Function->getDefinition();
        if (Definition && !isKernel(Definition) && !isOfDevice(Definition) && isBehind(Definition))
          add(Whole, Definition, false);
      } else if (auto *Variable = llvm::dyn_cast<clang::VarDecl>(Member); Variable && Record.isDependentContext()) {
        for (const clang::VarDecl *Each : Variable->redecls())
          if (Each->isOutOfLine() && !isOfDevice(Each) && isBehind(Each))
            add(Whole, Each, false);
      }
    }
  }
  bool isBehind(const clang::Decl *D) const {
    return D->getLexicalDeclContext()->isFileContext() && D->getLocation().isFileID() && inFile(D);
  }

  void takeSpecialised(const clang::Decl *D, const clang::Decl *Whole) {
    for (auto Is : {isSpecialisedBy<clang::FunctionDecl>, isSpecialisedBy<clang::VarDecl>,
                    isSpecialisedBy<clang::CXXRecordDecl>, isSpecialisedBy<clang::EnumDecl>})
      if (D->getLocation().isValid() && Is(D) && inFile(D) && !isOfDevice(D))
        add(Whole, llvm::cast<clang::NamedDecl>(D), true);
  }

  /// Members of a class, or of an instance of a template, that the file specialises.
  void specialised(const clang::CXXRecordDecl &Record, const clang::Decl *Whole) {
    auto Take = [&](const clang::Decl *D) { takeSpecialised(D, Whole); };
    for (const clang::Decl *Member : Record.decls()) {
      if (auto *Friend = llvm::dyn_cast<clang::FriendDecl>(Member); Friend && Friend->getFriendDecl())
        Member = Friend->getFriendDecl();
      if (auto *Nested = llvm::dyn_cast<clang::CXXRecordDecl>(Member); Nested && !Nested->isInjectedClassName())
        specialised(*Nested, Whole);
      if (auto *Template = llvm::dyn_cast<clang::FunctionTemplateDecl>(Member))
        llvm::for_each(Template->specializations(), Take);
      else if (auto *Template = llvm::dyn_cast<clang::VarTemplateDecl>(Member))
        llvm::for_each(Template->specializations(), Take);
      else if (auto *Template = llvm::dyn_cast<clang::ClassTemplateDecl>(Member))
        llvm::for_each(Template->specializations(), Take);
      else
        Take(Member);
    }
  }

  /// Functions of the classes' namespaces that a template finds by its arguments' types, and that take the file's
  /// types. A template that is included goes with no copy: then they are for the class.
  void foundLate(const clang::Decl &Whole) {
    llvm::SetVector<clang::DeclarationName> Names;
    if (inUsersFile(&Whole, Sources)) {
      LateNames Late(Unit.ast());
      Late.TraverseDecl(&Whole);
      Names = std::move(Late.Found);
    } else if (llvm::isa<clang::ClassTemplateDecl>(&Whole)) {
      Names = foundByLibraries();
    }
    const bool IsCopied = inFile(&Whole);
    llvm::MapVector<const clang::DeclContext *, const clang::Decl *> Scopes; // with a class of each
    for (const clang::Decl *Each : Units)
      if (llvm::isa<clang::CXXRecordDecl, clang::ClassTemplateDecl, clang::EnumDecl>(Each) && inFile(Each))
        Scopes.insert({Each->getDeclContext()->getRedeclContext()->getPrimaryContext(), Each});
    for (const auto &[Scope, Class] : Scopes)
      for (const clang::DeclarationName &Name : Names)
        for (const clang::NamedDecl *D : Scope->lookup(Name))
          if (const clang::FunctionDecl *Function = D->getAsFunction();
              Function && (IsCopied ? inUsersFile(Function, Sources) : inFile(Function)) && !isKernel(Function) &&
              !isOfDevice(Function) &&
              llvm::any_of(Function->parameters(), [&](const clang::ParmVarDecl *P) { return takesOwn(P->getType()); }))
            add(IsCopied ? &Whole : Class, D, true);
  }
  /// What the standard library finds by its arguments' types, through functions of its own.
  llvm::SetVector<clang::DeclarationName> foundByLibraries() const {
    llvm::SetVector<clang::DeclarationName> Names;
    for (const char *Name : {"swap", "begin", "end", "get"})
      Names.insert(&Unit.ast().Idents.get(Name));
    using enum clang::OverloadedOperatorKind;
    for (const auto Kind :
         {OO_EqualEqual, OO_ExclaimEqual, OO_Less, OO_Greater, OO_LessEqual, OO_GreaterEqual, OO_Spaceship})
      Names.insert(Unit.ast().DeclarationNames.getCXXOperatorName(Kind));
    return Names;
  }
  bool takesOwn(clang::QualType T) const {
    T = T.getCanonicalType();
    while (!T->getPointeeType().isNull() || T->isArrayType())
      T = T->isArrayType() ? clang::QualType(T->getArrayElementTypeNoTypeQual(), 0) : T->getPointeeType();
    const clang::Decl *Tag = patternOf(T);
    const clang::Decl *Whole = Tag ? enclosingUnit(Tag) : nullptr;
    const clang::CXXRecordDecl *Record = T->getAsCXXRecordDecl();
    return T->isDependentType() || (Whole && Units.contains(Whole)) ||
           // No other class can be the argument, unless it is made of one.
           (Record && inUsersFile(Record, Sources) && Record->hasDefinition() &&
            llvm::any_of(Record->ctors(), [](const clang::CXXConstructorDecl *C) {
              return C->isConvertingConstructor(/*AllowExplicit=*/false) && !C->isCopyOrMoveConstructor() &&
                     C->getNumParams() > 0;
            }));
  }

  const ParsedUnit &Unit;
  const Reached &Reach;
  const std::set<clang::FileID> &Files;
  const clang::SourceManager &Sources;
  llvm::SetVector<const clang::Decl *> Units;
  std::vector<HostMember> Found;
  std::set<std::pair<const clang::Decl *, const clang::Decl *>> Seen;
};

} // namespace

std::vector<HostMember> hostMembers(const ParsedUnit &Unit, const Reached &Reach,
                                    const std::set<clang::FileID> &Files) {
  return Search(Unit, Reach, Files).run();
}

} // namespace cufuse
