#include "cufuse/Reach/CopiedFiles.h"

#include "cufuse/Reach/Declarations.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/Lex/Preprocessor.h>

namespace cufuse {

namespace {

void eachIn(const clang::DeclContext *Context, llvm::function_ref<void(const clang::Decl *)> Visit) {
  for (const clang::Decl *D : Context->noload_decls()) {
    if (!inUsersFile(D))
      continue;
    Visit(D);
    if (llvm::isa<clang::NamespaceDecl, clang::LinkageSpecDecl>(D))
      eachIn(llvm::cast<clang::DeclContext>(D), Visit);
  }
}

struct Names : clang::ConstDynamicRecursiveASTVisitor {
  explicit Names(llvm::function_ref<bool(const clang::Decl *)> Is) : Is(Is) {}
  bool note(const clang::Decl *D) {
    Found |= Is(D);
    return !Found;
  }
  bool VisitDeclRefExpr(const clang::DeclRefExpr *E) override { return note(E->getDecl()); }
  bool VisitTypedefTypeLoc(clang::TypedefTypeLoc L) override { return note(L.getDecl()); }
  bool VisitRecordTypeLoc(clang::RecordTypeLoc L) override { return note(L.getDecl()); }
  bool VisitEnumTypeLoc(clang::EnumTypeLoc L) override { return note(L.getDecl()); }
  bool VisitTemplateSpecializationTypeLoc(clang::TemplateSpecializationTypeLoc L) override {
    const clang::TemplateDecl *Template = L.getTypePtr()->getTemplateName().getAsTemplateDecl();
    return !Template || note(Template);
  }
  llvm::function_ref<bool(const clang::Decl *)> Is;
  bool Found = false;
};

class Absorption {
public:
  explicit Absorption(const ParsedUnit &Unit) : Unit(Unit), Sources(Unit.ast().getSourceManager()) {}

  std::set<clang::FileID> run() {
    absorb();
    return std::move(Copied);
  }

private:
  bool isCopied(const clang::Decl *D) const { return Copied.count(fileOf(D)); }

  /// Would a second object file that includes this declaration define the symbol again?
  static bool definesSymbol(const clang::Decl *D) {
    if (auto *Function = llvm::dyn_cast<clang::FunctionDecl>(D))
      return Function->isThisDeclarationADefinition() && !Function->isInlined() && !Function->isTemplated() &&
             !Function->isTemplateInstantiation() && Function->hasExternalFormalLinkage();
    if (auto *Variable = llvm::dyn_cast<clang::VarDecl>(D))
      return Variable->isThisDeclarationADefinition() == clang::VarDecl::Definition && !Variable->isInline() &&
             !Variable->isTemplated() && Variable->hasExternalFormalLinkage() && Variable->isFileVarDecl();
    return false;
  }

  /// Does the file guard itself, or does a guarded one include it?
  bool mayBeIncludedTwice(clang::FileID File) const {
    const clang::OptionalFileEntryRef Entry = Sources.getFileEntryRefForID(File);
    const clang::SourceLocation Includer = Sources.getIncludeLoc(File);
    return !Entry || Unit.preprocessor().getHeaderSearchInfo().isFileMultipleIncludeGuarded(*Entry) ||
           !Copied.count(Sources.getFileID(Includer));
  }

  void absorb() {
    auto Add = [this](clang::FileID File) {
      // What a flag includes stands in a buffer that also has Clang's macros.
      while (File.isValid() && (Sources.getFileEntryRefForID(File) || File == Sources.getMainFileID()) &&
             Copied.insert(File).second) {
        const clang::SourceLocation Includer = Sources.getIncludeLoc(File);
        File = Includer.isValid() ? Sources.getFileID(Includer) : clang::FileID();
      }
    };
    Add(Sources.getMainFileID());
    eachTopLevel(Unit, [&](const clang::Decl *D) {
      if (definesSymbol(D))
        Add(fileOf(D));
    });
    // A header that relies on declarations of a file before it cannot be included without that file; one without a
    // guard cannot be included by the fused header and its source, or by the program, too.
    for (size_t Before = 0; Before != Copied.size();) {
      Before = Copied.size();
      eachTopLevel(Unit, [&](const clang::Decl *D) {
        if (isCopied(D) || llvm::isa<clang::NamespaceDecl, clang::LinkageSpecDecl>(D))
          return;
        auto Relies = [&](const clang::Decl *Named) {
          const clang::Decl *Whole = enclosingUnit(Named);
          return Whole && inUsersFile(Whole) && isCopied(Whole) &&
                 Sources.isBeforeInTranslationUnit(Whole->getLocation(), D->getLocation());
        };
        if (namesAny(*D, Relies) || !mayBeIncludedTwice(fileOf(D)))
          Add(fileOf(D));
      });
    }
  }

  const ParsedUnit &Unit;
  const clang::SourceManager &Sources;
  std::set<clang::FileID> Copied;
};

} // namespace

std::set<clang::FileID> copiedFiles(const ParsedUnit &Unit) { return Absorption(Unit).run(); }

bool namesAny(const clang::Decl &D, llvm::function_ref<bool(const clang::Decl *)> Is) {
  Names Each(Is);
  Each.TraverseDecl(&D);
  return Each.Found;
}

void eachTopLevel(const ParsedUnit &Unit, llvm::function_ref<void(const clang::Decl *)> Visit) {
  eachIn(Unit.ast().getTranslationUnitDecl(), Visit);
}

} // namespace cufuse
