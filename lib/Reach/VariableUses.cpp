// What code does with a variable, wherever its address goes.
#include "cufuse/Reach/AllIn.h"
#include "cufuse/Reach/DeviceIr.h"

#include <clang/AST/ExprCXX.h>
#include <llvm/ADT/bit.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Operator.h>

namespace cufuse {

namespace {

/// Where the address of a variable goes.
struct AddressUses {
  explicit AddressUses(const llvm::GlobalVariable &Variable) {
    Addresses.insert(&Variable);
    for (size_t At = 0; At < Addresses.size(); ++At)
      for (const llvm::Use &Use : Addresses[At]->uses()) {
        auto *List = llvm::dyn_cast<llvm::GlobalVariable>(Use.getUser());
        if (llvm::isa<llvm::GEPOperator, llvm::AddrSpaceCastOperator, llvm::BitCastOperator, llvm::PHINode,
                      llvm::SelectInst, llvm::ConstantArray>(Use.getUser()))
          Addresses.insert(Use.getUser());
        else if (!llvm::isa<llvm::CmpInst>(Use.getUser()) && !(List && List->getName().starts_with("llvm.")))
          All.push_back(&Use);
      }
  }
  llvm::SmallSetVector<const llvm::Value *, 16> Addresses; ///< In the variable, itself first.
  std::vector<const llvm::Use *> All;                      ///< Of these, but to compute another one.
};

/// The largest alignment of a class as which the code views memory of another type, in bytes: what a cast, a `new` or a
/// union makes of an address. Clang knows the variable, and says nothing of what nvcc takes from the types of views.
unsigned alignmentOfViews(const Reached &Reach, const clang::ASTContext &Ast) {
  unsigned Most = 1;
  for (const auto &[Function, Use] : Reach.Functions)
    for (const auto *E : allIn<clang::Expr>(*Function->getBody())) {
      auto *Cast = llvm::dyn_cast<clang::CastExpr>(E);
      const bool Makes =
          Cast
              ? llvm::is_contained({clang::CK_BitCast, clang::CK_LValueBitCast, clang::CK_LValueToRValueBitCast,
                                    clang::CK_IntegralToPointer, clang::CK_AddressSpaceConversion, clang::CK_Dependent},
                                   Cast->getCastKind())
              : llvm::isa<clang::CXXNewExpr>(E);
      auto *Member = llvm::dyn_cast<clang::MemberExpr>(E);
      auto *Field = Member ? llvm::dyn_cast<clang::FieldDecl>(Member->getMemberDecl()) : nullptr;
      if (!Makes && !(Field && Field->getParent()->isUnion() && Field->getType()->isAnyPointerType()))
        continue;
      clang::QualType Of = E->getType();
      while (!Of->getPointeeType().isNull())
        Of = Of->getPointeeType();
      Of = Ast.getBaseElementType(Of);
      if (Of->isRecordType() && !Of->isIncompleteType() && !Of->isDependentType())
        Most = std::max<unsigned>(Most, Ast.getTypeAlignInChars(Of).getQuantity());
    }
  return Most;
}

/// The bytes of such a use of an address that is no view of a class, none where that is not known.
std::optional<std::uint64_t> bytesOf(const llvm::Use &Use, const llvm::DataLayout &Layout) {
  auto *Access = llvm::dyn_cast<llvm::Instruction>(Use.getUser());
  auto Of = [&](unsigned Operand, llvm::Type *T) {
    return Use.getOperandNo() == Operand ? std::optional<std::uint64_t>(Layout.getTypeStoreSize(T)) : std::nullopt;
  };
  if (auto *Load = llvm::dyn_cast_or_null<llvm::LoadInst>(Access))
    return Of(0, Load->getType());
  if (auto *Store = llvm::dyn_cast_or_null<llvm::StoreInst>(Access))
    return Of(1, Store->getValueOperand()->getType());
  if (auto *Atomic = llvm::dyn_cast_or_null<llvm::AtomicRMWInst>(Access))
    return Of(0, Atomic->getType());
  if (auto *Atomic = llvm::dyn_cast_or_null<llvm::AtomicCmpXchgInst>(Access))
    return Of(0, Atomic->getNewValOperand()->getType());
  return llvm::isa_and_nonnull<llvm::MemIntrinsic>(Access) ? std::optional<std::uint64_t>(1) : std::nullopt;
}

} // namespace

Change DeviceIr::changeOf(const clang::VarDecl &Variable) const {
  const llvm::GlobalVariable *Global = this->variable(Variable);
  if (!Global)
    return Change::Any;
  bool Adds = false, Reads = false;
  for (const llvm::Use *Use : AddressUses(*Global).All) {
    auto *Atomic = llvm::dyn_cast<llvm::AtomicRMWInst>(Use->getUser());
    if (Atomic && Atomic->use_empty() &&
        llvm::is_contained({llvm::AtomicRMWInst::Add, llvm::AtomicRMWInst::FAdd}, Atomic->getOperation()))
      Adds = true;
    else if (llvm::isa<llvm::LoadInst>(Use->getUser()))
      Reads = true;
    else
      return Change::Any;
  }
  return !Adds ? Change::None : Reads ? Change::Any : Change::Adds;
}

unsigned DeviceIr::alignmentAsked(const clang::VarDecl &Variable, unsigned Unknown) const {
  constexpr std::uint64_t Widest = 16; // bytes of an access to shared memory
  const llvm::GlobalVariable *Global = this->variable(Variable);
  if (!Global)
    return 0;
  const llvm::DataLayout &Layout = Global->getDataLayout();
  if (!Views)
    Views = std::min<unsigned>(alignmentOfViews(*Reach, Unit->ast()), Widest);
  // Which access is which view, the code does not say: a copy of a class is one of its members.
  std::uint64_t Asked = *Views;
  for (const llvm::Use *Use : AddressUses(*Global).All) {
    const auto Bytes = bytesOf(*Use, Layout);
    Asked = std::max<std::uint64_t>(Asked, Bytes ? std::min(*Bytes, Widest) : Unknown);
  }
  Asked = llvm::bit_floor(std::min<std::uint64_t>(Asked, Layout.getTypeAllocSize(Global->getValueType())));
  return Asked > Global->getAlign().valueOrOne().value() ? Asked : 0;
}

} // namespace cufuse
