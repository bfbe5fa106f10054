#include "cufuse/Analysis/Uniformity.h"

#include "cufuse/Analysis/BuiltinVariables.h"

#include <clang/AST/Attr.h>

namespace cufuse {

namespace {

/// The variable whose object an lvalue lies in, if it is plain.
const clang::VarDecl *target(const clang::Expr *E) {
  while (true) {
    E = E->IgnoreParenImpCasts();
    if (auto *Member = llvm::dyn_cast<clang::MemberExpr>(E); Member && !Member->isArrow())
      E = Member->getBase();
    else if (auto *Element = llvm::dyn_cast<clang::ArraySubscriptExpr>(E))
      E = Element->getBase();
    else
      break;
  }
  auto *Reference = llvm::dyn_cast<clang::DeclRefExpr>(E);
  if (!Reference)
    return nullptr;
  if (auto *Binding = llvm::dyn_cast<clang::BindingDecl>(Reference->getDecl()))
    return llvm::dyn_cast_or_null<clang::VarDecl>(Binding->getDecomposedDecl());
  return llvm::dyn_cast<clang::VarDecl>(Reference->getDecl());
}

/// The array of variables that a pointer is made of, if it is.
const clang::Expr *decayed(const clang::Expr *E) {
  for (E = E->IgnoreParens(); auto *Cast = llvm::dyn_cast<clang::CastExpr>(E); E = Cast->getSubExpr()->IgnoreParens())
    if (Cast->getCastKind() == clang::CK_ArrayToPointerDecay)
      return Cast->getSubExpr()->getType()->getArrayElementTypeNoTypeQual() &&
                     !Cast->getType()->getPointeeType().isConstQualified()
                 ? Cast->getSubExpr()
                 : nullptr;
  return nullptr;
}

/// Does the pointer promise that nobody writes what it leads to while the kernel runs? A `const T *__restrict__` of the
/// kernel itself does.
bool leadsToReadOnly(const clang::Expr *Pointer, const clang::FunctionDecl *Kernel) {
  auto *Reference = llvm::dyn_cast<clang::DeclRefExpr>(Pointer->IgnoreParenImpCasts());
  auto *Parameter = Reference ? llvm::dyn_cast<clang::ParmVarDecl>(Reference->getDecl()) : nullptr;
  return Parameter && Parameter->getDeclContext() == Kernel && Parameter->getType().isRestrictQualified() &&
         Parameter->getType()->getPointeeType().isConstQualified();
}

} // namespace

/// Walks a body once, raising the variables it assigns. Conditions raise what is assigned under them.
struct Uniformity::Walker {
  Uniformity &U;
  bool Changed = false;
  Uniform Escape = Uniform::Yes; ///< The least uniform condition under which the current loop may be left early.
  Uniform Jump = Uniform::Yes;   ///< The same for `goto`.

  /// The variable is written after its declaration.
  void write(const clang::VarDecl *V, Uniform Level) {
    if (V)
      Changed |= U.Written.insert(V).second;
    raise(V, Level);
  }

  void raise(const clang::VarDecl *V, Uniform Level) {
    if (!V || Level == Uniform::Yes)
      return;
    Uniform &Current = U.Variables.try_emplace(V, Uniform::Yes).first->second;
    if (Level > Current) {
      Current = Level;
      Changed = true;
    }
  }

  void loop(const clang::Stmt *Condition, std::initializer_list<const clang::Stmt *> Parts, Uniform Control) {
    const Uniform Outer = std::exchange(Escape, Uniform::Yes);
    auto *E = llvm::dyn_cast_or_null<clang::Expr>(Condition);
    const Uniform Inner = std::max(Control, E ? U.of(E) : Uniform::Yes);
    for (const clang::Stmt *Part : Parts)
      walk(Part, Inner);
    if (Escape > Inner) {
      const Uniform Left = Escape;
      for (const clang::Stmt *Part : Parts)
        walk(Part, Left);
    }
    Escape = Outer;
  }

  void call(const clang::CallExpr *Call, Uniform Control) {
    const clang::FunctionDecl *Callee = Call->getDirectCallee();
    const clang::FunctionDecl *Definition = withBody(Callee);
    if (!Definition)
      Definition = Callee;
    const bool Varies = !Callee || U.variesByItself(*Definition);
    // Operators that are members pass the object first.
    const auto *Method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(Callee);
    const unsigned Skip = llvm::isa<clang::CXXOperatorCallExpr>(Call) && Method;
    // What the callee may leave in objects that it is given.
    Uniform Left = Varies ? Uniform::No : std::max(Uniform::Unknown, Control);
    for (const clang::Expr *Argument : Call->arguments())
      Left = std::max(Left, U.of(Argument));
    if (Method && Method->isInstance() && !Method->isConst()) {
      auto *Member = llvm::dyn_cast<clang::CXXMemberCallExpr>(Call);
      write(target(Member ? Member->getImplicitObjectArgument() : Call->getArg(0)), Left);
    }
    for (unsigned I = 0; I < Call->getNumArgs(); ++I) {
      const clang::Expr *Argument = Call->getArg(I);
      if (Definition && I >= Skip && I - Skip < Definition->getNumParams()) {
        const clang::ParmVarDecl *Parameter = Definition->getParamDecl(I - Skip);
        raise(Parameter, U.of(Argument));
        if (Parameter->getType()->isReferenceType() && !Parameter->getType().getNonReferenceType().isConstQualified())
          write(target(Argument), Left);
        else if (const clang::Expr *Array = decayed(Argument))
          write(target(Array), Left);
      }
    }
  }

  void walk(const clang::Stmt *S, Uniform Control) {
    if (!S)
      return;
    if (auto *If = llvm::dyn_cast<clang::IfStmt>(S)) {
      walk(If->getInit(), Control);
      walk(If->getConditionVariableDeclStmt(), Control);
      walk(If->getCond(), Control);
      const Uniform Inner = std::max(Control, U.of(If->getCond()));
      walk(If->getThen(), Inner);
      walk(If->getElse(), Inner);
      return;
    }
    if (auto *For = llvm::dyn_cast<clang::ForStmt>(S)) {
      walk(For->getInit(), Control);
      return loop(For->getCond(), {For->getConditionVariableDeclStmt(), For->getCond(), For->getBody(), For->getInc()},
                  Control);
    }
    if (auto *While = llvm::dyn_cast<clang::WhileStmt>(S))
      return loop(While->getCond(), {While->getConditionVariableDeclStmt(), While->getCond(), While->getBody()},
                  Control);
    if (auto *Do = llvm::dyn_cast<clang::DoStmt>(S))
      return loop(Do->getCond(), {Do->getBody(), Do->getCond()}, Control);
    if (auto *Range = llvm::dyn_cast<clang::CXXForRangeStmt>(S)) {
      walk(Range->getRangeInit(), Control);
      return loop(Range->getRangeInit(), {Range->getLoopVarStmt(), Range->getBody()}, Control);
    }
    if (auto *Switch = llvm::dyn_cast<clang::SwitchStmt>(S)) {
      walk(Switch->getInit(), Control);
      walk(Switch->getConditionVariableDeclStmt(), Control);
      return loop(Switch->getCond(), {Switch->getCond(), Switch->getBody()}, Control);
    }
    if (auto *Choice = llvm::dyn_cast<clang::AbstractConditionalOperator>(S)) {
      walk(Choice->getCond(), Control);
      const Uniform Inner = std::max(Control, U.of(Choice->getCond()));
      walk(Choice->getTrueExpr(), Inner);
      walk(Choice->getFalseExpr(), Inner);
      return;
    }
    if (llvm::isa<clang::BreakStmt, clang::ContinueStmt>(S))
      Escape = std::max(Escape, Control);
    if (llvm::isa<clang::GotoStmt, clang::IndirectGotoStmt>(S))
      Jump = std::max(Jump, Control);
    if (auto *Decls = llvm::dyn_cast<clang::DeclStmt>(S))
      for (const clang::Decl *D : Decls->decls())
        if (auto *V = llvm::dyn_cast<clang::VarDecl>(D); V && V->getInit()) {
          raise(V, std::max(Control, U.of(V->getInit())));
          // Another name of the object.
          if (V->getType()->isReferenceType() && !V->getType().getNonReferenceType().isConstQualified())
            write(target(V->getInit()), Uniform::Unknown);
          else if (const clang::Expr *Array = decayed(V->getInit()))
            write(target(Array), Uniform::Unknown);
        }
    if (auto *Binary = llvm::dyn_cast<clang::BinaryOperator>(S)) {
      if (Binary->isAssignmentOp()) {
        Uniform Level = std::max(Control, U.of(Binary->getRHS()));
        // Writing one element by a varying index makes the array differ between threads.
        if (auto *Element = llvm::dyn_cast<clang::ArraySubscriptExpr>(Binary->getLHS()->IgnoreParenImpCasts()))
          Level = std::max(Level, U.of(Element->getIdx()));
        write(target(Binary->getLHS()), Level);
        if (const clang::Expr *Array = decayed(Binary->getRHS()))
          write(target(Array), Uniform::Unknown);
      } else if (Binary->isLogicalOp()) {
        walk(Binary->getLHS(), Control);
        walk(Binary->getRHS(), std::max(Control, U.of(Binary->getLHS())));
        return;
      }
    }
    if (auto *Unary = llvm::dyn_cast<clang::UnaryOperator>(S)) {
      if (Unary->isIncrementDecrementOp())
        write(target(Unary->getSubExpr()), Control);
      else if (Unary->getOpcode() == clang::UO_AddrOf)
        write(target(Unary->getSubExpr()), Uniform::Unknown);
    }
    if (auto *Assembly = llvm::dyn_cast<clang::GCCAsmStmt>(S))
      for (const clang::Expr *Output : Assembly->outputs())
        write(target(Output), Uniform::No);
    // A launch gives its arguments to another grid.
    if (auto *Call = llvm::dyn_cast<clang::CallExpr>(S); Call && !llvm::isa<clang::CUDAKernelCallExpr>(Call))
      call(Call, Control);
    if (auto *Lambda = llvm::dyn_cast<clang::LambdaExpr>(S)) {
      walk(Lambda->getBody(), Uniform::No); // called from anywhere
      return;
    }
    for (const clang::Stmt *Child : S->children())
      walk(Child, Control);
  }
};

Uniformity::Uniformity(const Reached &Reach, Among Threads) : Reach(Reach), Threads(Threads) {
  findVarying();
  Walker W{*this};
  do {
    W.Changed = false;
    for (const auto &[Function, Use] : Reach.Functions) {
      if (Use.System)
        continue;
      W.Jump = Uniform::Yes;
      W.walk(Function->getBody(), Uniform::Yes);
      if (W.Jump > Uniform::Yes)
        W.walk(Function->getBody(), W.Jump);
    }
  } while (W.Changed);
  if (Threads == Among::Warp)
    SmallNumbers = dividesThreadNumbers();
}

bool Uniformity::variesByItself(const clang::FunctionDecl &F) const {
  const Intrinsic Kind = classify(F);
  return Kind == Intrinsic::None ? Varies.contains(withBody(&F)) : Kind != Intrinsic::Barrier;
}

void Uniformity::findVarying() {
  auto ReadsThread = [](const BuiltinRead &Read) { return Read.Builtin == static_cast<unsigned>(Builtin::ThreadIdx); };
  auto CallsVarying = [&](const CallSite &Call) { return variesByItself(*Call.Callee); };
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (const auto &[Function, Use] : Reach.Functions)
      if (!Varies.contains(Function) &&
          (!Use.Assembly.empty() || llvm::any_of(Use.Reads, ReadsThread) || llvm::any_of(Use.Calls, CallsVarying)))
        Changed |= Varies.insert(Function).second;
  }
}

Uniform Uniformity::of(const clang::Expr *E) const {
  if (!E)
    return Uniform::Yes;
  E = E->IgnoreParenImpCasts();
  if (auto *Object = llvm::dyn_cast<clang::PseudoObjectExpr>(E))
    return of(Object->getSyntacticForm());
  if (Threads == Among::Warp && byWarps(E) != WarpRule::None)
    return Uniform::Yes;
  if (auto *Property = llvm::dyn_cast<clang::MSPropertyRefExpr>(E))
    return of(Property->getBaseExpr());
  if (auto *Opaque = llvm::dyn_cast<clang::OpaqueValueExpr>(E))
    return of(Opaque->getSourceExpr());
  if (auto *Reference = llvm::dyn_cast<clang::DeclRefExpr>(E)) {
    // What stands for a part of an object is as uniform as the whole.
    const clang::VarDecl *V = target(Reference);
    if (!V)
      return llvm::isa<clang::BindingDecl>(Reference->getDecl()) ? Uniform::No : Uniform::Yes;
    if (const std::optional<Builtin> Known = builtinVariable(*V))
      return *Known == Builtin::ThreadIdx ? Uniform::No : Uniform::Yes;
    if (V->hasAttr<clang::CUDAConstantAttr>() || V->isConstexpr())
      return Uniform::Yes;
    if (V->hasGlobalStorage())
      return isTable(*V) ? Uniform::Yes : Uniform::Unknown;
    auto Known = Variables.find(V);
    return Known == Variables.end() ? Uniform::Yes : Known->second;
  }
  if (auto *Default = llvm::dyn_cast<clang::CXXDefaultArgExpr>(E))
    return of(Default->getExpr());
  if (auto *Default = llvm::dyn_cast<clang::CXXDefaultInitExpr>(E))
    return of(Default->getExpr());
  if (auto *Construct = llvm::dyn_cast<clang::CXXConstructExpr>(E))
    if (variesByItself(*Construct->getConstructor()))
      return Uniform::No;
  if (auto *Call = llvm::dyn_cast<clang::CallExpr>(E)) {
    const clang::FunctionDecl *Callee = Call->getDirectCallee();
    if (Callee && classify(*Callee) == Intrinsic::Barrier)
      return Uniform::Yes;
    if (!Callee || variesByItself(*Callee))
      return Uniform::No;
    const auto Entered = Reach.Functions.find(withBody(Callee));
    bool ByValue = Entered == Reach.Functions.end() || Entered->second.System;
    Uniform Level = Uniform::Yes;
    for (const clang::Expr *Argument : Call->arguments()) {
      Level = std::max(Level, of(Argument));
      ByValue &= !Argument->getType()->isPointerType();
    }
    if (auto *Member = llvm::dyn_cast<clang::CXXMemberCallExpr>(Call)) {
      Level = std::max(Level, of(Member->getImplicitObjectArgument()));
      ByValue &= !Member->getImplicitObjectArgument()->getType()->isPointerType();
    }
    return ByValue ? Level : std::max(Level, Uniform::Unknown);
  }
  Uniform Level = Uniform::Yes;
  const bool Loads = [&] {
    if (auto *Unary = llvm::dyn_cast<clang::UnaryOperator>(E))
      return Unary->getOpcode() == clang::UO_Deref && !leadsToReadOnly(Unary->getSubExpr(), Reach.Kernel);
    if (auto *Element = llvm::dyn_cast<clang::ArraySubscriptExpr>(E)) {
      if (leadsToReadOnly(Element->getBase(), Reach.Kernel))
        return false;
      const clang::VarDecl *Array = target(Element);
      return !(Array && (Array->hasAttr<clang::CUDAConstantAttr>() || Array->isConstexpr() ||
                         (Array->hasLocalStorage() && Array->getType()->isArrayType())));
    }
    if (auto *Member = llvm::dyn_cast<clang::MemberExpr>(E))
      return Member->isArrow() && !leadsToReadOnly(Member->getBase(), Reach.Kernel);
    return llvm::isa<clang::LambdaExpr, clang::CXXThisExpr>(E);
  }();
  if (Loads)
    Level = Uniform::Unknown;
  for (const clang::Stmt *Child : E->children())
    if (auto *Inner = llvm::dyn_cast_or_null<clang::Expr>(Child))
      Level = std::max(Level, of(Inner));
  return Level;
}

} // namespace cufuse
