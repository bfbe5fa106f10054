#include "CarriedVariables.h"

#include "IrMemory.h"

#include "cufuse/Reach/AllIn.h"

#include <clang/AST/Decl.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

namespace cufuse {

namespace {

bool isUsedOnlyIn(const llvm::Instruction &Variable, const llvm::Loop &L) {
  return llvm::all_of(Variable.users(), [&](const llvm::User *User) {
    auto *I = llvm::dyn_cast<llvm::Instruction>(User);
    const bool Leads = I && llvm::isa<llvm::GetElementPtrInst, llvm::AddrSpaceCastInst>(I);
    return I && (L.contains(I) || (Leads && isUsedOnlyIn(*I, L)));
  });
}

/// Does the variable begin anew in each turn: of a function that is called there, a temporary, or declared there?
bool isOfTurn(const llvm::Instruction &Variable, const llvm::Loop &L, const clang::FunctionDecl &Kernel,
              const IrPaths &Paths) {
  for (const llvm::User *User : Variable.users())
    if (auto *I = llvm::dyn_cast<llvm::Instruction>(User); I && I->isLifetimeStartOrEnd() && L.contains(I))
      return true;
  const clang::Stmt *Statement = Paths.statementOf(L);
  if (!Statement || !isUsedOnlyIn(Variable, L))
    return false;
  // A second variable of the name has a number behind it.
  const std::string Name = nameOf(Variable), Stem = llvm::StringRef(Name).rtrim("0123456789").str();
  const auto Inside = allIn<clang::VarDecl>(*Statement);
  return llvm::none_of(allIn<clang::VarDecl>(*Kernel.getBody()), [&](const clang::VarDecl *Each) {
    return (Each->getNameAsString() == Name || Each->getNameAsString() == Stem) && !llvm::is_contained(Inside, Each);
  });
}

bool isChanged(const llvm::Value &Variable, const llvm::Loop &L, IrValues &Values) {
  auto Leads = [&](const llvm::Value *To) {
    return To->getType()->isPointerTy() && llvm::is_contained(placeOf(To, Values).Locals, &Variable);
  };
  auto Changes = [&](const llvm::Instruction &By) {
    if (By.isDebugOrPseudoInst() || By.isLifetimeStartOrEnd() || !By.mayWriteToMemory())
      return false;
    if (auto *Store = llvm::dyn_cast<llvm::StoreInst>(&By))
      return Leads(Store->getPointerOperand()) || Leads(Store->getValueOperand());
    if (auto *Copy = llvm::dyn_cast<llvm::MemTransferInst>(&By))
      return Leads(Copy->getRawDest());
    return llvm::any_of(By.operands(), [&](const llvm::Use &Each) { return Leads(Each); });
  };
  return llvm::any_of(L.blocks(), [&](const llvm::BasicBlock *Block) { return llvm::any_of(*Block, Changes); });
}

} // namespace

std::vector<const llvm::Value *> carriedVariables(const llvm::Loop &L, const DeviceIr &Ir,
                                                  const clang::FunctionDecl &Kernel, IrValues &Values,
                                                  const IrPaths &Paths) {
  std::vector<const llvm::Value *> Found;
  for (const llvm::Argument &Argument : Ir.kernel().args())
    if (Argument.hasByValAttr() && isChanged(Argument, L, Values))
      Found.push_back(&Argument);
  for (const llvm::Instruction &I : llvm::instructions(Ir.kernel()))
    if (llvm::isa<llvm::AllocaInst>(I) && !isOfTurn(I, L, Kernel, Paths) && isChanged(I, L, Values))
      Found.push_back(&I);
  return Found;
}

} // namespace cufuse
