#include "WithoutSides.h"

#include "cufuse/Frontend/Sides.h"

#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/Frontend/MultiplexConsumer.h>
#include <clang/Lex/PPCallbacks.h>
#include <clang/Sema/ExternalSemaSource.h>
#include <clang/Sema/Sema.h>
#include <clang/Sema/SemaCUDA.h>
#include <clang/Sema/SemaConsumer.h>
#include <clang/Sema/TemplateInstCallback.h>
#include <llvm/ADT/DenseSet.h>

namespace cufuse {

namespace {

/// Of functions for both sides, Clang puts off what is wrong for the device until it sees code that calls them. Code of
/// the host's is none.
class OwnSide : public clang::ExternalSemaSource {
public:
  explicit OwnSide(clang::Sema &Sema) : Sema(Sema) {}
  void ReadDeclsToCheckForDeferredDiags(llvm::SmallSetVector<clang::Decl *, 4> &Decls) override {
    const bool ForDevice = Sema.getLangOpts().CUDAIsDevice;
    Decls.remove_if([&](const clang::Decl *D) {
      auto *F = llvm::dyn_cast<clang::FunctionDecl>(D);
      return F && (isWritten<clang::CUDADeviceAttr>(*F) ? !ForDevice && !isWritten<clang::CUDAHostAttr>(*F)
                                                        : ForDevice && !F->hasAttr<clang::CUDAGlobalAttr>());
    });
  }

private:
  clang::Sema &Sema;
};

bool isImplicitlyOfDevice(const clang::FunctionDecl &F) {
  return F.hasAttr<clang::CUDADeviceAttr>() && !F.hasAttr<clang::CUDAGlobalAttr>() &&
         !isWritten<clang::CUDADeviceAttr>(F);
}

/// The same of an instance's.
class Instances : public clang::TemplateInstantiationCallback {
public:
  void initialize(const clang::Sema &) override {}
  void finalize(const clang::Sema &) override {}
  void atTemplateBegin(const clang::Sema &, const clang::Sema::CodeSynthesisContext &Made) override {
    auto *F = llvm::dyn_cast_or_null<clang::FunctionDecl>(Made.Entity);
    if (Made.Kind == clang::Sema::CodeSynthesisContext::TemplateInstantiation && F && !F->isConstexpr() &&
        isImplicitlyOfDevice(*F) && Open.insert(F).second)
      F->dropAttr<clang::CUDADeviceAttr>();
  }
  void atTemplateEnd(const clang::Sema &, const clang::Sema::CodeSynthesisContext &Made) override {
    auto *F = llvm::dyn_cast_or_null<clang::FunctionDecl>(Made.Entity);
    if (Made.Kind == clang::Sema::CodeSynthesisContext::TemplateInstantiation && Open.erase(F))
      F->addAttr(clang::CUDADeviceAttr::CreateImplicit(F->getASTContext()));
  }

private:
  llvm::DenseSet<clang::FunctionDecl *> Open;
};

/// A function of the host's is the host's while its own text is read: of libraries, it calls what they have for the
/// host.
class Bodies : public clang::SemaConsumer {
public:
  void InitializeSema(clang::Sema &S) override {
    Sema = &S;
    Sema->TemplateInstCallbacks.push_back(std::make_unique<Instances>());
    Sema->addExternalSource(llvm::makeIntrusiveRefCnt<OwnSide>(*Sema));
  }
  /// Clang asks before each.
  bool shouldSkipFunctionBody(clang::Decl *D) override {
    leave();
    if (clang::FunctionDecl *F = D->getAsFunction(); F && isImplicitlyOfDevice(*F)) {
      F->dropAttr<clang::CUDADeviceAttr>();
      Open.push_back(F);
    }
    return false;
  }
  void HandleInlineFunctionDefinition(clang::FunctionDecl *) override { leave(); }
  void leave() {
    while (!Open.empty() && !Open.back()->Encloses(Sema->CurContext)) {
      Open.back()->addAttr(clang::CUDADeviceAttr::CreateImplicit(Sema->Context));
      Open.pop_back();
    }
  }

private:
  clang::Sema *Sema = nullptr;
  llvm::SmallVector<clang::FunctionDecl *> Open;
};

class Files : public clang::PPCallbacks {
public:
  Files(clang::CompilerInstance &Compiler, LibraryFiles &Libraries) : Compiler(Compiler), Libraries(Libraries) {}

  void FileChanged(clang::SourceLocation Where, FileChangeReason, clang::SrcMgr::CharacteristicKind,
                   clang::FileID) override {
    const llvm::StringRef File = Compiler.getSourceManager().getFilename(Where); // of Clang's own buffers: none
    if (std::exchange(InUsers, !File.empty() && !Libraries.contains(File)) == InUsers)
      return;
    if (InUsers)
      Compiler.getSema().CUDA().PushForceHostDevice();
    else
      Compiler.getSema().CUDA().PopForceHostDevice();
  }

private:
  clang::CompilerInstance &Compiler;
  LibraryFiles &Libraries;
  bool InUsers = false;
};

struct Restore : clang::DynamicRecursiveASTVisitor {
  Restore(const clang::SourceManager &Sources, LibraryFiles &Libraries) : Sources(Sources), Libraries(Libraries) {
    ShouldVisitTemplateInstantiations = true;
  }
  bool TraverseDecl(clang::Decl *D) override {
    return (D && D->getLocation().isValid() && isLibrarys(D->getLocation())) ||
           clang::DynamicRecursiveASTVisitor::TraverseDecl(D);
  }
  bool isLibrarys(clang::SourceLocation At) {
    const llvm::StringRef File = Sources.getFilename(Sources.getExpansionLoc(At));
    return !File.empty() && Libraries.contains(File);
  }
  bool VisitFunctionDecl(clang::FunctionDecl *F) override {
    auto *Method = llvm::dyn_cast<clang::CXXMethodDecl>(F);
    if (!F->isUserProvided() || F->isImplicit() || (Method && Method->getParent()->isLambda()))
      return true;
    const bool IsKernel = F->hasAttr<clang::CUDAGlobalAttr>();
    const bool OfDevice = isWritten<clang::CUDADeviceAttr>(*F), OfHost = isWritten<clang::CUDAHostAttr>(*F);
    const bool OfBoth = !IsKernel && !OfDevice && F->isConstexpr(); // as far as a flag lets them be
    if (!OfDevice && !OfBoth)
      F->dropAttr<clang::CUDADeviceAttr>();
    if (!OfHost && !OfBoth)
      F->dropAttr<clang::CUDAHostAttr>();
    return true;
  }
  const clang::SourceManager &Sources;
  LibraryFiles &Libraries;
};

} // namespace

std::function<void()> readWithoutSides(clang::CompilerInstance &Compiler, LibraryFiles &Libraries) {
  Compiler.getPreprocessor().addPPCallbacks(std::make_unique<Files>(Compiler, Libraries));
  Compiler.getFrontendOpts().SkipFunctionBodies = true; // if a consumer lets it
  auto Own = std::make_unique<Bodies>();
  auto AtToken = [Own = Own.get()] { Own->leave(); };
  std::vector<std::unique_ptr<clang::ASTConsumer>> All;
  All.push_back(Compiler.takeASTConsumer());
  All.push_back(std::move(Own));
  Compiler.setASTConsumer(std::make_unique<clang::MultiplexConsumer>(std::move(All)));
  return AtToken;
}

void restoreSides(clang::ASTContext &Ast, LibraryFiles &Libraries) {
  Restore(Ast.getSourceManager(), Libraries).TraverseAST(Ast);
}

} // namespace cufuse
