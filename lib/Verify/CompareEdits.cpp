// The differences that a fusion makes, each with what must stand there instead.
#include "Comparison.h"

#include "cufuse/Analysis/Assembly.h"
#include "cufuse/Analysis/BuiltinVariables.h"

#include <clang/AST/Attr.h>
#include <fmt/core.h>
#include <llvm/ADT/ScopeExit.h>
#include <llvm/Support/SaveAndRestore.h>

namespace cufuse {

namespace {

bool isVector(clang::QualType T) {
  const clang::TagDecl *Tag = T->getAsTagDecl();
  return Tag && Tag->getIdentifier() &&
         (Tag->getName() == "uint3" || Tag->getName() == "dim3" || Tag->getName().starts_with("__cuda_builtin_"));
}

/// The same where the value is a `uint3` or a `dim3`: also without copies and conversions between these.
const clang::Expr *plainVector(const clang::Expr *E) {
  while (true) {
    E = unwrapped(E);
    if (!isVector(E->getType()))
      return E;
    if (auto *Construct = llvm::dyn_cast<clang::CXXConstructExpr>(E);
        Construct && Construct->getNumArgs() == 1 && isVector(Construct->getArg(0)->getType()))
      E = Construct->getArg(0);
    else if (auto *Cast = llvm::dyn_cast<clang::CastExpr>(E);
             Cast && (Cast->getCastKind() == clang::CK_UserDefinedConversion ||
                      Cast->getCastKind() == clang::CK_ConstructorConversion))
      E = Cast->getSubExpr();
    else if (auto *Call = llvm::dyn_cast<clang::CXXMemberCallExpr>(E);
             Call && llvm::isa_and_nonnull<clang::CXXConversionDecl>(Call->getMethodDecl()))
      E = Call->getImplicitObjectArgument();
    else
      return E;
  }
}

std::optional<Builtin> builtinVariable(const clang::Expr *E) {
  auto *Reference = llvm::dyn_cast<clang::DeclRefExpr>(E);
  return Reference && isVector(E->getType()) ? cufuse::builtinVariable(*Reference->getDecl()) : std::nullopt;
}

/// `V.x` as Clang reads it of its own built-in variables: the object and the dimension.
std::optional<std::pair<const clang::Expr *, int>> property(const clang::Expr *E) {
  auto *Pseudo = llvm::dyn_cast<clang::PseudoObjectExpr>(unwrapped(E));
  auto *Reference =
      Pseudo ? llvm::dyn_cast<clang::MSPropertyRefExpr>(Pseudo->getSyntacticForm()->IgnoreParens()) : nullptr;
  if (!Reference || !isVector(Reference->getBaseExpr()->getType()))
    return std::nullopt;
  const clang::Expr *Base = unwrapped(Reference->getBaseExpr());
  if (auto *Opaque = llvm::dyn_cast<clang::OpaqueValueExpr>(Base))
    Base = unwrapped(Opaque->getSourceExpr());
  const llvm::StringRef Name = Reference->getPropertyDecl()->getName();
  if (Name.size() != 1 || Name[0] < 'x' || Name[0] > 'z')
    return std::nullopt;
  return std::pair(Base, Name[0] - 'x');
}

/// The same of a structure.
std::optional<std::pair<const clang::Expr *, int>> member(const clang::Expr *E) {
  auto *Member = llvm::dyn_cast<clang::MemberExpr>(unwrapped(E));
  auto *Field = Member ? llvm::dyn_cast<clang::FieldDecl>(Member->getMemberDecl()) : nullptr;
  if (!Field || Member->isArrow() || !isVector(Member->getBase()->getType()))
    return std::nullopt;
  return std::pair(Member->getBase(), static_cast<int>(Field->getFieldIndex()));
}

const clang::CallExpr *callIn(const clang::Stmt *S) {
  if (auto *Return = llvm::dyn_cast_or_null<clang::ReturnStmt>(S))
    S = Return->getRetValue();
  auto *E = llvm::dyn_cast_or_null<clang::Expr>(S);
  return E ? llvm::dyn_cast<clang::CallExpr>(unwrapped(E)) : nullptr;
}

const clang::VarDecl *variableIn(const clang::Expr *E) {
  auto *Reference = llvm::dyn_cast<clang::DeclRefExpr>(E->IgnoreParenImpCasts());
  return Reference ? llvm::dyn_cast<clang::VarDecl>(Reference->getDecl()) : nullptr;
}

/// The array in `array[…]`.
const clang::VarDecl *arrayIn(const clang::Expr *E) {
  auto *Element = llvm::dyn_cast<clang::ArraySubscriptExpr>(E->IgnoreParenImpCasts());
  return Element ? variableIn(Element->getBase()) : nullptr;
}

const clang::Stmt *inLoop(const clang::Stmt *S) {
  while (auto *Attributed = llvm::dyn_cast<clang::AttributedStmt>(S))
    S = Attributed->getSubStmt();
  auto *Loop = llvm::dyn_cast<clang::ForStmt>(S);
  return Loop ? Loop->getBody() : nullptr;
}

const clang::Expr *assigned(const clang::Stmt *S, const clang::VarDecl *&To) {
  auto *E = llvm::dyn_cast_or_null<clang::Expr>(S);
  auto *Assignment = E ? llvm::dyn_cast<clang::BinaryOperator>(unwrapped(E)) : nullptr;
  if (!Assignment || Assignment->getOpcode() != clang::BO_Assign)
    return nullptr;
  To = arrayIn(Assignment->getLHS());
  return To ? Assignment->getRHS() : nullptr;
}

} // namespace

const clang::Expr *unwrapped(const clang::Expr *E) {
  while (true) {
    E = E->IgnoreParens();
    if (auto *Full = llvm::dyn_cast<clang::FullExpr>(E))
      E = Full->getSubExpr();
    else if (auto *Temporary = llvm::dyn_cast<clang::MaterializeTemporaryExpr>(E))
      E = Temporary->getSubExpr();
    else if (auto *Cast = llvm::dyn_cast<clang::ImplicitCastExpr>(E);
             Cast && (Cast->getCastKind() == clang::CK_LValueToRValue || Cast->getCastKind() == clang::CK_NoOp))
      E = Cast->getSubExpr();
    else
      return E;
  }
}

bool Comparison::isOfPartition(const clang::Decl *B, llvm::StringRef Member) const {
  auto *Method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(B);
  if (!Method || !Method->getIdentifier() || Method->getName() != Member || !isOfOutput(Method))
    return false;
  auto *Class = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(Method->getParent());
  const PartitionPlan &P = Played.Partition;
  const bool Meets = Member.starts_with("sync") || Member == "leave";
  if (!Class || Class->getName() != (P.DropsOut && Meets                ? "CufuseDropOutPartition"
                                     : P.ExitsLast && Member == "leave" ? "CufuseLastPartition"
                                                                        : "CufusePartition"))
    return false;
  const unsigned Numbers[] = {P.First, P.Barrier, P.Block.X, P.Block.Y, P.Block.Z};
  const clang::TemplateArgumentList &Arguments = Class->getTemplateArgs();
  for (unsigned I = 0; I < std::size(Numbers); ++I)
    if (I >= Arguments.size() || Arguments[I].getKind() != clang::TemplateArgument::Integral ||
        Arguments[I].getAsIntegral() != Numbers[I])
      return false;
  return true;
}

const clang::CallExpr *Comparison::partitionCall(const clang::Stmt *B, llvm::StringRef Member) const {
  const clang::CallExpr *Call = callIn(B);
  return Call && isOfPartition(Call->getDirectCallee(), Member) ? Call : nullptr;
}

/// A fused block that is the kernel's own has its grid, and is what libraries see. An element is never the block's.
bool Comparison::mayReadBlock(Builtin Variable) const {
  if (Played.Part && Played.Part->AsElement)
    return false;
  if (System)
    return Played.Plan.keepsGrid();
  return Played.Plan.keepsGrid() && (Variable == Builtin::BlockIdx || Variable == Builtin::GridDim);
}

/// What stands for a built-in in the output.
std::optional<Builtin> Comparison::builtinOf(const clang::Expr *B) const {
  B = plainVector(B);
  if (const std::optional<Builtin> Raw = builtinVariable(B))
    return mayReadBlock(*Raw) ? Raw : std::nullopt;
  if (auto *Reference = llvm::dyn_cast<clang::DeclRefExpr>(B)) {
    const auto Known = AddedBuiltins.find(llvm::dyn_cast<clang::ParmVarDecl>(Reference->getDecl()));
    return Known == AddedBuiltins.end() ? std::nullopt : std::optional(Known->second);
  }
  if (auto *Call = llvm::dyn_cast<clang::CallExpr>(B)) {
    const clang::FunctionDecl *Callee = Call->getDirectCallee();
    if (const std::optional<Builtin> Composed = composedBuiltin(Callee))
      return Composed;
    if (Played.Part && Played.Part->AsElement)
      return std::nullopt;
    if (isOfPartition(Callee, "threadIdx"))
      return Builtin::ThreadIdx;
    if (isOfPartition(Callee, "blockDim"))
      return Builtin::BlockDim;
    // The headers of libraries know the partition by the thread.
    auto *Method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(Callee);
    if (System && Method && isOfOutput(Method) && Method->getParent()->getName() == "CufuseBlock")
      for (size_t I = 0; I < BuiltinNames.size(); ++I)
        if (Method->getName() == BuiltinNames[I])
          return static_cast<Builtin>(I);
    return std::nullopt;
  }
  if (auto *Member = llvm::dyn_cast<clang::MemberExpr>(B);
      Member && partitionCall(Member->getBase(), "indices") && Played.Plan.sharesIndices(Played.Facts))
    for (Builtin Each : {Builtin::BlockIdx, Builtin::GridDim})
      if (Member->getMemberDecl()->getNameAsString() == BuiltinNames[static_cast<size_t>(Each)])
        return Each;
  return std::nullopt;
}

std::optional<bool> Comparison::builtin(const clang::Expr *A, const clang::Expr *B) {
  if (const auto OfA = property(A)) {
    const std::string Name = "xyz"[OfA->second] + std::string();
    auto OfB = member(B);
    if (!OfB)
      OfB = property(B);
    const std::optional<Builtin> Variable = builtinVariable(OfA->first);
    if (!OfB || OfB->second != OfA->second)
      return differ(fmt::format("`{}.{}` is not what stands in the output",
                                Variable ? BuiltinNames[static_cast<size_t>(*Variable)] : "a built-in's copy", Name));
    if (!Variable)
      return expression(OfA->first, unwrapped(OfB->first));
    return builtinOf(OfB->first) == Variable || differ(fmt::format("`{}.{}` is not the partition's in the output",
                                                                   BuiltinNames[static_cast<size_t>(*Variable)], Name));
  }
  if (!isVector(A->getType()))
    return std::nullopt;
  const std::optional<Builtin> Variable = builtinVariable(plainVector(A));
  if (!Variable)
    return std::nullopt;
  return (builtinOf(B) == Variable && isVector(B->getType()) && type(A->getType(), B->getType())) ||
         differ(fmt::format("`{}` is not the partition's in the output", BuiltinNames[static_cast<size_t>(*Variable)]));
}

std::optional<bool> Comparison::barrier(const clang::CallExpr *A, const clang::Expr *B) {
  const clang::FunctionDecl *Callee = A->getDirectCallee();
  const Intrinsic Kind = Callee ? classify(*Callee) : Intrinsic::None;
  if (Kind != Intrinsic::Barrier && Kind != Intrinsic::NamedBarrier)
    return std::nullopt;
  const std::string Name = Callee->getNameAsString();
  if (System && (Played.Plan.keepsGrid() || llvm::StringRef(Name).contains("bar_warp")))
    return std::nullopt;
  auto *Call = llvm::dyn_cast<clang::CallExpr>(unwrapped(B));
  const clang::FunctionDecl *Instead = Call ? Call->getDirectCallee() : nullptr;
  if (!Instead || Instead->getNameAsString() != Name || Call->getNumArgs() != A->getNumArgs())
    return differ(fmt::format("`{}` is not the partition's in the output", Name));
  auto *Method = llvm::dyn_cast<clang::CXXMethodDecl>(Instead);
  if (System && Method && isOfOutput(Method) && Method->getParent()->getName() == "CufuseBlock") {
    // It has the parameters of ours.
  } else {
    auto *Space = llvm::dyn_cast<clang::NamespaceDecl>(Instead->getDeclContext());
    const clang::FunctionDecl *Definition = withBody(Instead);
    if (!Space || Space->getQualifiedNameAsString() != Played.Around || !Definition)
      return differ(fmt::format("`{}` is not the partition's in the output", Name));
    static const std::pair<llvm::StringRef, llvm::StringRef> Members[] = {{"__syncthreads", "sync"},
                                                                          {"__syncthreads_count", "syncCount"},
                                                                          {"__syncthreads_and", "syncAnd"},
                                                                          {"__syncthreads_or", "syncOr"}};
    auto *Body = llvm::cast<clang::CompoundStmt>(Definition->getBody());
    for (const auto &[Builtin, Member] : Members)
      if (Name == Builtin) {
        const clang::CallExpr *Inner = Body->size() == 1 ? partitionCall(Body->body_front(), Member) : nullptr;
        if (!Inner || Inner->getNumArgs() != Definition->getNumParams() ||
            (Inner->getNumArgs() == 1 && variableIn(Inner->getArg(0)) != Definition->getParamDecl(0)))
          return differ(fmt::format("`{}` is not the partition's in the output", Name));
      }
  }
  for (unsigned I = 0; I < A->getNumArgs(); ++I)
    if (!expression(A->getArg(I), Call->getArg(I)))
      return false;
  return true;
}

std::optional<bool> Comparison::edited(const clang::Expr *A, const clang::Expr *B) {
  if (const std::optional<bool> Same = builtin(A, B))
    return Same;
  if (const std::optional<bool> Same = linked(A, B))
    return Same;
  if (auto *Call = llvm::dyn_cast<clang::CallExpr>(A))
    if (const std::optional<bool> Same = barrier(Call, B))
      return Same;
  // Which of two is read is known before it is read where both are objects, as the partition's built-ins are.
  if (auto *Read = llvm::dyn_cast<clang::ImplicitCastExpr>(B); Read && Read->getCastKind() == clang::CK_LValueToRValue)
    if (auto *ChoiceA = llvm::dyn_cast<clang::ConditionalOperator>(A); ChoiceA && A->isPRValue())
      if (auto *ChoiceB = llvm::dyn_cast<clang::ConditionalOperator>(Read->getSubExpr()->IgnoreParens()))
        return expression(ChoiceA->getCond(), ChoiceB->getCond()) &&
               expression(unwrapped(ChoiceA->getTrueExpr()), unwrapped(ChoiceB->getTrueExpr())) &&
               expression(unwrapped(ChoiceA->getFalseExpr()), unwrapped(ChoiceB->getFalseExpr())) &&
               type(A->getType(), B->getType());
  // A load that goes ahead of an unrolled loop's body.
  // What is loaded, and no conversion of it.
  if (auto *Load = Ahead.empty() ? nullptr : llvm::dyn_cast<clang::CastExpr>(B);
      Load && llvm::isa<clang::ArraySubscriptExpr>(Load->getSubExpr()->IgnoreParens()))
    if (const auto Value = Ahead.find(arrayIn(B)); Value != Ahead.end())
      return expression(A, Value->second);
  // Dynamic shared memory that is declared at file scope, or named where a function's reference cannot be.
  if (auto *Reference = llvm::dyn_cast<clang::DeclRefExpr>(A))
    if (auto *Variable = llvm::dyn_cast<clang::VarDecl>(Reference->getDecl());
        Variable && Variable->hasAttr<clang::CUDASharedAttr>() && Variable->hasExternalStorage() &&
        Variable->getDeclContext()->isFileContext())
      if (const clang::CallExpr *Call = callIn(B))
        return (isOfPartition(Call->getDirectCallee(), "dynamicShared") && Call->getNumArgs() == 1 &&
                isDynamicOffset(Call->getArg(0)) && type(A->getType(), B->getType())) ||
               differ(fmt::format("`{}` is not the partition's part of the memory", nameOf(Variable)));
  return std::nullopt;
}

bool Comparison::isDynamicOffset(const clang::Expr *B) const {
  B = B->IgnoreParenImpCasts();
  if (AddedOffset && variableIn(B) == AddedOffset)
    return true;
  if (auto *Member = llvm::dyn_cast<clang::MemberExpr>(B))
    return partitionCall(Member->getBase(), "indices") &&
           Member->getMemberDecl()->getNameAsString() == "dynamicOffset" && Played.Plan.sharesIndices(Played.Facts);
  auto *Number = llvm::dyn_cast<clang::IntegerLiteral>(B);
  return Number && Number->getValue() == 0 && Played.Plan.keepsGrid() && Played.Facts.sharesIndices();
}

std::optional<bool> Comparison::dynamicShared(const clang::VarDecl *A, const clang::VarDecl *B) {
  if (!A->hasAttr<clang::CUDASharedAttr>() || !A->hasExternalStorage())
    return std::nullopt;
  const clang::CallExpr *Call = partitionCall(B->getInit(), "dynamicShared");
  if (!B->getType()->isLValueReferenceType() || !Call || Call->getNumArgs() != 1 || !isDynamicOffset(Call->getArg(0)))
    return differ(fmt::format("`{}` is not the partition's part of the memory", nameOf(A)));
  Added.insert(B);
  return type(A->getType(), B->getType().getNonReferenceType());
}

std::optional<bool> Comparison::editedStatement(const clang::Stmt *A, const clang::Stmt *B) {
  const bool IsKernel = FunctionA == Kernel;
  if (auto *Return = llvm::dyn_cast<clang::ReturnStmt>(A); Return && IsKernel && Played.Facts.announcesExits()) {
    // `return leave();`, or `return E, leave();`
    auto *Leaves = llvm::dyn_cast<clang::ReturnStmt>(B);
    const clang::Expr *Value = Leaves && Leaves->getRetValue() ? unwrapped(Leaves->getRetValue()) : nullptr;
    const auto *Both = Return->getRetValue() ? llvm::dyn_cast_or_null<clang::BinaryOperator>(Value) : nullptr;
    const bool IsBoth = Both && Both->getOpcode() == clang::BO_Comma;
    if (!Value || IsBoth != (Return->getRetValue() != nullptr) ||
        !partitionCall(IsBoth ? Both->getRHS() : Value, "leave"))
      return differ("the thread does not say that it leaves");
    return !IsBoth || expression(Return->getRetValue(), Both->getLHS());
  }
  if (IsKernel && A == Kernel->getBody() && !Played.Facts.ExitsBeforeBarrier.empty() &&
      llvm::isa<clang::CompoundStmt>(B)) {
    std::vector<const clang::Stmt *> OfA(A->child_begin(), A->child_end()), OfB(B->child_begin(), B->child_end());
    if (OfA.empty() || !llvm::isa<clang::ReturnStmt>(OfA.back())) {
      if (OfB.empty() || llvm::isa<clang::ReturnStmt>(OfB.back()) || !partitionCall(OfB.back(), "leave"))
        return differ("the thread does not say that it leaves at the end");
      OfB.pop_back();
    }
    return sequence(OfA, OfB);
  }
  if (auto *Assembly = llvm::dyn_cast<clang::GCCAsmStmt>(A))
    return assembly(Assembly, B);
  if (auto *LoopA = llvm::dyn_cast<clang::ForStmt>(A))
    if (auto *LoopB = llvm::dyn_cast<clang::ForStmt>(B)) {
      if (const std::optional<bool> Same = rowLoop(LoopA, LoopB))
        return Same;
      return unrolledLoop(LoopA, LoopB);
    }
  return std::nullopt;
}

bool Comparison::assembly(const clang::GCCAsmStmt *A, const clang::Stmt *B) {
  const PartitionPlan &P = Played.Partition;
  const AssemblyScan Scan = scanAssembly(*A);
  const bool Edited = !Scan.Mentions.empty() && !System;
  if (Edited && isBlockBarrier(*A))
    return partitionCall(B, "sync") || differ("a barrier in assembly is not the partition's in the output");
  auto *Other = llvm::dyn_cast<clang::GCCAsmStmt>(B);
  if (!Other)
    return differ("the statement", A->getStmtClassName(), B->getStmtClassName());
  // What the text must be, with the operands that follow those of the statement.
  std::string Text = A->getAsmString();
  std::vector<AssemblyMention> Operands; ///< A barrier without a number: how many threads wait.
  std::vector<unsigned> Renumbered;
  const unsigned First = A->getNumOutputs() + A->getNumInputs();
  auto Same = [](const AssemblyMention &X, const AssemblyMention &Y) {
    return X.What == Y.What && X.Variable == Y.Variable && X.Dimension == Y.Dimension && X.Number == Y.Number &&
           X.HasCount == Y.HasCount;
  };
  auto Operand = [&](AssemblyMention M) {
    const auto Known = llvm::find_if(Operands, [&](const AssemblyMention &Each) { return Same(Each, M); });
    const size_t Index = Known - Operands.begin();
    if (Known == Operands.end())
      Operands.push_back(M);
    return fmt::format("%{}", First + Index);
  };
  struct Change {
    unsigned At, Length;
    std::string By;
  };
  std::vector<Change> Changes;
  for (const AssemblyMention &M : Edited ? Scan.Mentions : std::vector<AssemblyMention>()) {
    AssemblyMention Number = M;
    Number.HasCount = true;
    if (M.IsOperand)
      Renumbered.push_back(M.Number);
    else
      Changes.push_back({M.At, M.Length, Operand(Number)});
    AssemblyMention Count = M;
    Count.HasCount = false;
    Count.Number = 0;
    if (M.What == AssemblyMention::Kind::Barrier && !M.HasCount)
      Changes.push_back({M.At + M.Length, 0, ", " + Operand(Count)});
  }
  for (const Change &Each : llvm::reverse(Changes))
    Text.replace(Each.At, Each.Length, Each.By);
  if (Text != Other->getAsmString())
    return differ("the text of the assembly", Text, Other->getAsmString());
  if (A->getNumOutputs() != Other->getNumOutputs() || A->getNumInputs() + Operands.size() != Other->getNumInputs() ||
      A->isVolatile() != Other->isVolatile() || A->isAsmGoto() || Other->isAsmGoto() ||
      A->getNumClobbers() != Other->getNumClobbers())
    return differ("assembly has other operands");
  for (unsigned I = 0; I < A->getNumClobbers(); ++I)
    if (A->getClobber(I) != Other->getClobber(I))
      return differ("assembly clobbers something else");
  for (unsigned I = 0; I < A->getNumOutputs(); ++I)
    if (A->getOutputConstraint(I) != Other->getOutputConstraint(I) || A->getOutputName(I) != Other->getOutputName(I))
      return differ("assembly has other operands");
    else if (!expression(A->getOutputExpr(I), Other->getOutputExpr(I)))
      return false;
  if (Edited && !takesOperands(*A))
    return differ("an operand of assembly may share a register with an output");
  auto IsBarrier = [&](const clang::CallExpr *Call) {
    auto *Space = Call && Call->getDirectCallee()
                      ? llvm::dyn_cast<clang::NamespaceDecl>(Call->getDirectCallee()->getDeclContext())
                      : nullptr;
    return Space && Space->getQualifiedNameAsString() == Played.Around &&
           Call->getDirectCallee()->getNameAsString() == "cufuse_barrier" && Call->getNumArgs() == 1;
  };
  for (unsigned I = 0; I < A->getNumInputs(); ++I) {
    if (A->getInputConstraint(I) != Other->getInputConstraint(I) || A->getInputName(I) != Other->getInputName(I))
      return differ("assembly has other operands");
    const clang::Expr *OfB = Other->getInputExpr(I);
    if (llvm::is_contained(Renumbered, A->getNumOutputs() + I)) {
      const clang::CallExpr *Call = callIn(OfB->IgnoreImpCasts());
      if (!IsBarrier(Call))
        return differ("a barrier in assembly is not the partition's in the output");
      if (!expression(A->getInputExpr(I)->IgnoreImpCasts(), Call->getArg(0)->IgnoreImpCasts()))
        return false;
    } else if (!expression(A->getInputExpr(I), OfB)) {
      return false;
    }
  }
  for (size_t I = 0; I < Operands.size(); ++I) {
    const AssemblyMention &M = Operands[I];
    const clang::Expr *OfB = Other->getInputExpr(A->getNumInputs() + I);
    clang::Expr::EvalResult Number;
    auto Is = [&](unsigned Wanted) { return OfB->EvaluateAsInt(Number, ContextB) && Number.Val.getInt() == Wanted; };
    const auto Read = member(OfB) ? member(OfB) : property(OfB);
    bool Right = false;
    if (M.What == AssemblyMention::Kind::Register)
      Right = Read && Read->second == M.Dimension && builtinOf(Read->first) == M.Variable;
    else if (M.What == AssemblyMention::Kind::WarpId) {
      auto *Quotient = llvm::dyn_cast<clang::BinaryOperator>(unwrapped(OfB));
      Right = Quotient && Quotient->getOpcode() == clang::BO_Div &&
              partitionCall(Quotient->getLHS()->IgnoreImpCasts(), "rank") &&
              Quotient->getRHS()->EvaluateAsInt(Number, ContextB) && Number.Val.getInt() == WarpSize;
    } else if (!M.HasCount)
      Right = Is(P.PaddedThreads);
    else if (Played.Facts.namesAnyBarrier())
      Right = Is(M.Number);
    else {
      const std::set<unsigned> &Named = Played.Facts.NamedBarriers;
      const auto At = Named.find(M.Number);
      Right = At != Named.end() && Is(P.Barrier + 1 + std::distance(Named.begin(), At));
    }
    if (!Right)
      return differ("an operand of assembly is not the partition's in the output");
  }
  return true;
}

/// `for (…; condition;) { at, taken, values; take turns; load for each; if taken: body }`, for the loop in EditLoops.h.
std::optional<bool> Comparison::unrolledLoop(const clang::ForStmt *A, const clang::ForStmt *B) {
  if (Played.Plan.Roles[Played.Partition.Constituent].Unroll == 0 || B->getInc() || !A->getInc())
    return std::nullopt;
  auto *Outer = llvm::dyn_cast<clang::CompoundStmt>(B->getBody());
  auto Fail = [&] { return differ("the loop is not unrolled as it should be"); };
  if (!Outer || Outer->size() < 5)
    return Fail();
  if (!statement(A->getInit(), B->getInit()) || !statement(A->getCond(), B->getCond()))
    return false;
  std::vector<const clang::Stmt *> Parts(Outer->body_begin(), Outer->body_end());
  llvm::erase_if(Parts, [](const clang::Stmt *S) { return llvm::isa<clang::DeclStmt, clang::NullStmt>(S); });
  if (Parts.size() != 3)
    return Fail();
  auto *Take = llvm::dyn_cast_or_null<clang::CompoundStmt>(inLoop(Parts[0]));
  auto *Load = llvm::dyn_cast_or_null<clang::CompoundStmt>(inLoop(Parts[1]));
  auto *Run = llvm::dyn_cast_or_null<clang::IfStmt>(inLoop(Parts[2]));
  auto *Body = Run ? llvm::dyn_cast<clang::CompoundStmt>(Run->getThen()) : nullptr;
  if (!Take || Take->size() != 3 || !Load || Load->size() < 2 || !Body || Body->body_empty())
    return Fail();

  // taken[turn] = turn == 0 || (taken[turn - 1] && (condition))
  const clang::VarDecl *Taken = nullptr, *At = nullptr;
  const clang::Expr *Right = assigned(Take->body_begin()[0], Taken);
  auto *Or = Right ? llvm::dyn_cast<clang::BinaryOperator>(unwrapped(Right)) : nullptr;
  auto *And = Or ? llvm::dyn_cast<clang::BinaryOperator>(unwrapped(Or->getRHS())) : nullptr;
  if (!And || Or->getOpcode() != clang::BO_LOr || And->getOpcode() != clang::BO_LAnd || arrayIn(And->getLHS()) != Taken)
    return Fail();
  if (!expression(A->getCond(), And->getRHS()))
    return false;
  // at[turn] = taken[turn] ? variable : at[0]
  Right = assigned(Take->body_begin()[1], At);
  auto *Choice = Right ? llvm::dyn_cast<clang::ConditionalOperator>(unwrapped(Right)) : nullptr;
  const clang::VarDecl *Variable = Choice ? variableIn(Choice->getTrueExpr()) : nullptr;
  if (!Variable || arrayIn(Choice->getCond()) != Taken || arrayIn(Choice->getFalseExpr()) != At)
    return Fail();
  // if (taken[turn]) step
  auto *Step = llvm::dyn_cast<clang::IfStmt>(Take->body_begin()[2]);
  if (!Step || arrayIn(Step->getCond()) != Taken || Step->getElse() || arrayIn(Run->getCond()) != Taken ||
      Run->getElse())
    return Fail();
  if (!statement(A->getInc(), Step->getThen()))
    return false;

  const auto Known = Back.find(Variable->getCanonicalDecl());
  if (Known == Back.end())
    return Fail();
  const llvm::SaveAndRestore Count(Counted, llvm::cast<clang::VarDecl>(Known->second));
  const llvm::scope_exit Clear([this] { Ahead.clear(); });
  // The number of the turn under the variable's name.
  auto IsIndex = [&](const clang::Stmt *S) {
    auto *Declares = llvm::dyn_cast<clang::DeclStmt>(S);
    auto *Own =
        Declares && Declares->isSingleDecl() ? llvm::dyn_cast<clang::VarDecl>(Declares->getSingleDecl()) : nullptr;
    if (!Own || !Own->getInit() || arrayIn(Own->getInit()) != At)
      return false;
    Counters.insert(Own);
    return true;
  };
  if (!IsIndex(Load->body_front()))
    return Fail();
  for (const clang::Stmt *Each : llvm::drop_begin(Load->body())) {
    const clang::VarDecl *Value = nullptr;
    const clang::Expr *What = assigned(Each, Value);
    if (!What)
      return Fail();
    Ahead[Value] = What;
  }
  std::vector<const clang::Stmt *> Rest(Body->body_begin(), Body->body_end());
  if (Rest.size() > 1 && IsIndex(Rest.front()))
    Rest.erase(Rest.begin());
  return Rest.size() == 1 ? statement(A->getBody(), Rest[0]) : Fail();
}

/// As the kernel's facts ask for, in front of its own.
bool Comparison::addedParameters(const clang::FunctionDecl *B, unsigned Count) {
  const KernelFacts &Facts = Played.Facts;
  unsigned Next = 0;
  auto Take = [&](llvm::StringRef Type) -> const clang::ParmVarDecl * {
    if (Next == Count || Next == B->getNumParams())
      return nullptr;
    const clang::ParmVarDecl *P = B->getParamDecl(Next++);
    const clang::TagDecl *Tag = P->getType()->getAsTagDecl();
    if (Type.empty() ? !P->getType()->isUnsignedIntegerType() : !Tag || Tag->getName() != Type)
      return nullptr;
    Added.insert(P);
    return P;
  };
  auto Missing = [&] { return differ("the kernel's own parameters are not those that were added"); };
  if (Played.Part && !Played.Part->Linked.RowLoops.empty() && !(Row = Take("CufuseRow")))
    return Missing();
  if (Played.Part && !Played.Part->Linked.Known.empty() && !(Turn = Take("CufuseTurn")))
    return Missing();
  if (!Facts.sharesIndices() || (Played.Part && Played.Part->AsElement)) {
    for (const auto &[Variable, Type] : {std::pair(Builtin::BlockIdx, "uint3"), std::pair(Builtin::GridDim, "dim3")})
      if (Facts.reads(Variable)) {
        const clang::ParmVarDecl *P = Take(Type);
        if (!P)
          return Missing();
        AddedBuiltins[P] = Variable;
      }
    if (!Facts.DynamicShared.empty())
      if (AddedOffset = Take(""); !AddedOffset)
        return Missing();
  }
  return Next == Count || Missing();
}

/// A function that reads the block, called for an element, has its place from the caller, before its own parameters.
std::vector<std::pair<const clang::ParmVarDecl *, Builtin>>
Comparison::addedIndices(const clang::FunctionDecl *A, const clang::FunctionDecl *B) const {
  std::vector<std::pair<const clang::ParmVarDecl *, Builtin>> Indices;
  if (!Played.Part || !Played.Part->AsElement || !A || !B)
    return Indices;
  for (unsigned I = 0; I + A->getNumParams() < B->getNumParams(); ++I) {
    const clang::ParmVarDecl *P = B->getParamDecl(I);
    const clang::TagDecl *Tag = P->getType().isConstQualified() ? P->getType()->getAsTagDecl() : nullptr;
    if (Tag && (Tag->getName() == "uint3" || Tag->getName() == "dim3"))
      Indices.push_back({P, Tag->getName() == "uint3" ? Builtin::BlockIdx : Builtin::GridDim});
  }
  return Indices;
}

std::optional<bool> Comparison::callWithIndices(const clang::CallExpr *A, const clang::CallExpr *B) {
  const auto Indices = addedIndices(A->getDirectCallee(), B->getDirectCallee());
  if (Indices.empty())
    return std::nullopt;
  if (!pair(A->getDirectCallee(), B->getDirectCallee()))
    return false;
  if (A->getNumArgs() + Indices.size() != B->getNumArgs())
    return differ("a call has other arguments");
  for (size_t I = 0; I < Indices.size(); ++I)
    if (builtinOf(B->getArg(I)) != Indices[I].second)
      return differ("a function does not have the block from its caller");
  for (unsigned I = 0; I < A->getNumArgs(); ++I)
    if (!expression(A->getArg(I), B->getArg(I + Indices.size())))
      return false;
  return true;
}

} // namespace cufuse
