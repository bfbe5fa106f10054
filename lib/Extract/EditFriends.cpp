#include "EditText.h"

#include <clang/AST/Attr.h>
#include <clang/AST/DeclFriend.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>

namespace cufuse {

namespace {

struct Finder : clang::ConstDynamicRecursiveASTVisitor {
  std::vector<const clang::FriendDecl *> Kernels;
  bool VisitFriendDecl(const clang::FriendDecl *Friend) override {
    const clang::NamedDecl *Named = Friend->getFriendDecl();
    const clang::FunctionDecl *Function = Named ? Named->getAsFunction() : nullptr;
    if (Function && Function->hasAttr<clang::CUDAGlobalAttr>() && !Function->isThisDeclarationADefinition())
      Kernels.push_back(Friend);
    return true;
  }
};

} // namespace

void editFriends(TextEdits &Edits, const clang::Decl &Whole) {
  Finder Find;
  Find.TraverseDecl(&Whole);
  for (const clang::FriendDecl *Friend : Find.Kernels)
    if (Friend->getBeginLoc().isFileID() && Friend->getEndLoc().isFileID()) {
      const Slice Text = Edits.Text.declaration(*Friend);
      Edits.All.push_back({{Text.File, Text.Begin}, Text.End - Text.Begin, ""});
    }
}

} // namespace cufuse
