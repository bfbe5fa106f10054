// Where the text has what the device code does: by its debug information.
#include "cufuse/Reach/DeviceIr.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/Expr.h>
#include <clang/Basic/SourceManager.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Instruction.h>
#include <llvm/Support/Regex.h>

namespace cufuse {

namespace {

/// The statements and declarations of a body by where they start: as the debug information says, which Clang takes from
/// the same locations.
struct FindPlaces : clang::ConstDynamicRecursiveASTVisitor {
  explicit FindPlaces(const clang::SourceManager &Sources) : Sources(Sources) { ShouldVisitImplicitCode = true; }
  bool VisitStmt(const clang::Stmt *S) override {
    add(S->getBeginLoc());
    add(S->getEndLoc());
    if (auto *E = llvm::dyn_cast<clang::Expr>(S))
      add(E->getExprLoc());
    return true;
  }
  bool VisitDecl(const clang::Decl *D) override {
    add(D->getLocation());
    return true;
  }
  void add(clang::SourceLocation Location) {
    if (const clang::PresumedLoc Here = Sources.getPresumedLoc(Sources.getFileLoc(Location)); Here.isValid())
      Found.try_emplace({Here.getLine(), Here.getColumn()}, Location);
  }
  const clang::SourceManager &Sources;
  DeviceIr::Places Found;
};

} // namespace

bool DeviceIr::isOfGroups(const llvm::Instruction &I) const {
  static const llvm::Regex Groups("/cooperative_groups(\\.h|/details/)");
  return isOfLibrary(I, Groups);
}

bool DeviceIr::isOfBlockReduce(const llvm::Instruction &I) const {
  static const llvm::Regex Reduce("/cub/block/block_reduce\\.cuh$");
  return isOfLibrary(I, Reduce);
}

bool DeviceIr::isOfLibrary(const llvm::Instruction &I, const llvm::Regex &Headers) const {
  const llvm::DILocation *Group = I.getDebugLoc();
  while (Group && !Headers.match(Group->getFilename()))
    Group = Group->getInlinedAt();
  if (!Group)
    return false;
  clang::SourceManager &Sources = Unit->ast().getSourceManager();
  auto IsUsers = [&](const llvm::DILocation &At) { // the library may have called it
    const auto File = Sources.getFileManager().getOptionalFileRef(At.getFilename());
    const clang::FileID Id = File ? Sources.translateFile(*File) : clang::FileID();
    return Id.isInvalid() || !Sources.isInSystemHeader(Sources.getLocForStartOfFile(Id));
  };
  for (const llvm::DILocation *At = I.getDebugLoc();; At = At->getInlinedAt()) {
    if (IsUsers(*At))
      return false;
    if (At == Group)
      return true;
  }
}

bool DeviceIr::isOfImplicitCopy(const llvm::Instruction &I) const {
  bool IsImplicit = false;
  for (const llvm::DILocation *At = I.getDebugLoc(); At; At = At->getInlinedAt()) {
    const llvm::DISubprogram *In = At->getScope()->getSubprogram();
    const bool IsThisImplicit = ImplicitCopies.contains(In);
    if (!IsThisImplicit && !LibraryCopies.contains(In)) // a constructor without a text may have made what is copied
      return IsImplicit && !In->isArtificial();
    IsImplicit |= IsThisImplicit;
  }
  return false;
}

const DeviceIr::Places &DeviceIr::placesIn(const clang::FunctionDecl &Function) const {
  auto [Known, New] = PlacesIn.try_emplace(&Function);
  if (New) {
    FindPlaces Find(Unit->ast().getSourceManager());
    Find.TraverseDecl(&Function);
    Known->second = std::move(Find.Found);
  }
  return Known->second;
}

clang::SourceLocation DeviceIr::where(const CodeReference &Reference) const {
  if (!Reference.At)
    return Reference.From->getLocation();
  const Places &In = placesIn(*Reference.From);
  const auto Found = In.find({Reference.At->getLine(), Reference.At->getColumn()});
  return Found != In.end() ? Found->second : Reference.From->getLocation();
}

const clang::FunctionDecl *DeviceIr::functionAt(const llvm::DILocation &At) const {
  const auto [Known, New] = FunctionsAt.try_emplace(&At, nullptr);
  if (!New)
    return Known->second;
  const llvm::DISubprogram *In = At.getScope()->getSubprogram();
  for (const auto &[Reached, Use] : Reach->Functions)
    if (!Use.System && In && In->getName().starts_with(Reached->getNameAsString()) &&
        placesIn(*Reached).contains({At.getLine(), At.getColumn()}))
      return FunctionsAt[&At] = Reached;
  return nullptr;
}

SourcePlace DeviceIr::place(const llvm::Instruction &I, std::string *Function) const {
  return Unit->place(where(I, Function));
}

clang::SourceLocation DeviceIr::where(const llvm::Instruction &I, std::string *Function) const {
  const clang::FunctionDecl *In = nullptr;
  const llvm::DILocation *At = I.getDebugLoc();
  while (At && !(In = functionAt(*At)))
    At = At->getInlinedAt();
  if (Function)
    *Function = (In ? In : Reach->Kernel)->getNameAsString();
  return In ? placesIn(*In).at({At->getLine(), At->getColumn()}) : Reach->Kernel->getLocation();
}

const llvm::DILocation *DeviceIr::outsideCopies(const llvm::DILocation *At) const {
  while (At && At->getInlinedAt() &&
         (ImplicitCopies.contains(At->getScope()->getSubprogram()) ||
          LibraryCopies.contains(At->getScope()->getSubprogram())))
    At = At->getInlinedAt();
  return At;
}

} // namespace cufuse
