#include "TextUses.h"

#include "Parameters.h"

#include "cufuse/Reach/AllIn.h"
#include "cufuse/Reach/Declarations.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/ParentMap.h>
#include <llvm/Analysis/CaptureTracking.h>
#include <llvm/IR/Module.h>

namespace cufuse {

namespace {

bool isInMacro(const clang::Expr &E) { return E.getBeginLoc().isMacroID() || E.getEndLoc().isMacroID(); }

/// May what a parameter of the type is given be changed through it? Null: what `...` takes, or an unknown callee.
bool changesArgument(clang::QualType T) {
  return T.isNull() || (T->isLValueReferenceType() && !T.getNonReferenceType().isConstQualified());
}

clang::QualType typeOfParameter(const clang::FunctionDecl *Callee, unsigned I) {
  return Callee && I < Callee->getNumParams() ? Callee->getParamDecl(I)->getType() : clang::QualType();
}

/// Does a template's argument follow from what is given for a parameter?
bool deducesFrom(const clang::FunctionDecl *Callee, unsigned Parameter) {
  const clang::FunctionTemplateDecl *Template = Callee ? Callee->getPrimaryTemplate() : nullptr;
  if (!Template)
    return false;
  const clang::FunctionDecl *Written = Template->getTemplatedDecl(); // a pack is one parameter there
  return Parameter >= Written->getNumParams() || Written->getParamDecl(Parameter)->getType()->isDependentType();
}

/// Its code, without the calls that were inlined there; null where there is none.
const llvm::Function *codeOf(const clang::FunctionDecl &F, const DeviceIr &Ir) {
  for (const llvm::Function &Each : *Ir.kernel().getParent())
    if (const clang::ValueDecl *Of = Ir.declared(Each);
        Of && Of->getCanonicalDecl() == F.getCanonicalDecl() && !Each.isDeclaration())
      return &Each;
  return nullptr;
}

/// Where an expression stands in a call.
struct Passed {
  const clang::FunctionDecl *Callee = nullptr;
  std::optional<unsigned> Argument; ///< Nothing: it is the object.
};

class Uses {
public:
  Uses(const DeviceIr &Ir, const clang::FunctionDecl &Kernel)
      : Ir(Ir), Kernel(Kernel), Context(Kernel.getASTContext()), Parents(const_cast<clang::Stmt *>(Kernel.getBody())) {
    enter(Kernel);
  }

  std::vector<TextUse> run() {
    for (unsigned I = 0; I < Kernel.getNumParams(); ++I)
      if (const clang::ParmVarDecl *P = Kernel.getParamDecl(I); P->getType()->isPointerType()) {
        Parameter = I;
        Bytes = sizeOf(P->getType()->getPointeeType());
        TextUse Whole;
        Whole.Direct = true;
        Derived.clear();
        variable(*P, Whole);
      }
    return std::move(Found);
  }

private:
  std::uint64_t sizeOf(clang::QualType T) const {
    return T->isIncompleteType() || T->isDependentType() ? 0 : Context.getTypeSizeInChars(T).getQuantity();
  }
  const clang::Stmt *parent(const clang::Stmt *S) const { return Parents.getParent(S); }

  void enter(const clang::FunctionDecl &Function) {
    if (!Entered.insert(&Function).second)
      return;
    Parents.addStmt(Function.getBody());
    for (const auto *E : allIn<clang::DeclRefExpr>(*Function.getBody()))
      if (auto *Variable = llvm::dyn_cast<clang::VarDecl>(E->getDecl()))
        Mentions[Variable].push_back(E);
  }

  /// Every mention of what holds such a pointer.
  void variable(const clang::VarDecl &Variable, const TextUse &Use) {
    if (Derived.insert(&Variable).second)
      for (const clang::DeclRefExpr *E : Mentions[&Variable])
        pointer(E, Use);
  }

  void add(TextUse Use, const clang::Expr *At) {
    Use.Parameter = Parameter;
    Use.At = At;
    auto Place = [&](clang::SourceLocation Where) {
      if (const LineAndColumn Here = placeOf(Where, Context); !llvm::is_contained(Use.Places, Here))
        Use.Places.push_back(Here);
    };
    for (const clang::Stmt *S = At; S && llvm::isa<clang::Expr>(S); S = parent(S)) {
      Place(llvm::cast<clang::Expr>(S)->getExprLoc());
      if (auto *Operator = llvm::dyn_cast<clang::CXXOperatorCallExpr>(S))
        Place(Operator->getOperatorLoc());
    }
    Found.push_back(std::move(Use));
  }
  /// A use that no object follows.
  void other(TextUse Use, const clang::Expr *Mention) {
    Use.Direct = Use.Loads = Use.Stores = false;
    add(std::move(Use), Mention);
  }

  static const clang::VarDecl *declaredBy(const clang::Stmt *S, const clang::Stmt *Init, bool *Alone = nullptr) {
    auto *Declarations = llvm::dyn_cast_or_null<clang::DeclStmt>(S);
    if (!Declarations)
      return nullptr;
    if (Alone)
      *Alone = Declarations->isSingleDecl();
    for (const clang::Decl *D : Declarations->decls())
      if (auto *Variable = llvm::dyn_cast<clang::VarDecl>(D); Variable && Variable->getInit() == Init)
        return Variable;
    return nullptr;
  }

  /// From a pointer into the array to what is done with it.
  void pointer(const clang::Expr *E, TextUse Use) {
    const clang::Expr *const Mention = E;
    bool Moved = false; // and its value may be left unused
    while (true) {
      const clang::Stmt *Around = parent(E);
      bool Alone = false;
      if (const clang::VarDecl *Variable = declaredBy(Around, E, &Alone)) {
        if (!Variable->getType()->isPointerType() || !Variable->hasLocalStorage())
          return other(Use, Mention);
        Use.Direct &= Alone && !Variable->getBeginLoc().isMacroID() && !Variable->getEndLoc().isMacroID();
        return variable(*Variable, Use);
      }
      auto *Outer = llvm::dyn_cast_or_null<clang::Expr>(Around);
      if (llvm::isa_and_nonnull<clang::LambdaExpr>(Outer)) // which captures it, and names it
        return;
      if (!Outer)
        return Moved ? void() : other(Use, Mention);
      if (auto *Element = llvm::dyn_cast<clang::ArraySubscriptExpr>(Outer)) {
        if (Element->getBase() != E)
          return other(Use, Mention);
        Use.Direct &= Element->getLHS() == E; // not `i[p]`
        return element(Element, Element, Use);
      }
      if (auto *Member = llvm::dyn_cast<clang::MemberExpr>(Outer)) {
        Use.Whole = false;
        return llvm::isa<clang::FieldDecl>(Member->getMemberDecl()) ? element(Member, Member, Use)
                                                                    : other(Use, Mention);
      }
      if (auto *Unary = llvm::dyn_cast<clang::UnaryOperator>(Outer)) {
        if (Unary->getOpcode() == clang::UO_Deref)
          return element(Unary, Unary, Use);
        if (!Unary->isIncrementDecrementOp())
          return other(Use, Mention);
        Moved = true;
        E = Outer;
        continue;
      }
      if (comparedWithNull(*Outer) == E)
        return;
      if (auto *Call = llvm::dyn_cast<clang::CallExpr>(Outer))
        return cached(*Call, E, Use) || handedOn(*Call, E, Use) ? void() : other(Use, Mention);
      if (auto *Binary = llvm::dyn_cast<clang::BinaryOperator>(Outer)) {
        if (Binary->getOpcode() == clang::BO_Comma && Moved && Binary->getLHS() == E)
          return;
        if (Binary->isAssignmentOp() && Binary->getRHS() == E) { // back to where it came from
          auto *To = llvm::dyn_cast<clang::DeclRefExpr>(Binary->getLHS()->IgnoreParens());
          if (!To || !Derived.count(To->getDecl()))
            return other(Use, Mention);
        } else if (Binary->isAssignmentOp() && Binary->getLHS() == E) {
          if (Binary->getOpcode() == clang::BO_Assign) // what it gets says where it leads
            return;
        } else if (!Binary->isAdditiveOp() && Binary->getOpcode() != clang::BO_Comma) {
          return other(Use, Mention);
        }
        if (!Binary->getType()->isPointerType())
          return other(Use, Mention);
        Moved |= Binary->isAssignmentOp();
        Use.Direct &= Binary->isAssignmentOp() || Binary->getOpcode() == clang::BO_Comma || Binary->getLHS() == E;
      } else if (auto *Cast = llvm::dyn_cast<clang::CastExpr>(Outer)) {
        if (!pointerCast(*Cast, Use))
          return other(Use, Mention);
      } else if (!llvm::isa<clang::ParenExpr, clang::ExprWithCleanups>(Outer)) {
        return other(Use, Mention);
      }
      E = Outer;
    }
  }

  /// A pointer to whole numbers of elements, or the same again.
  bool pointerCast(const clang::CastExpr &Cast, TextUse &Use) const {
    switch (Cast.getCastKind()) {
    case clang::CK_LValueToRValue:
      return true;
    case clang::CK_NoOp:
      Use.Direct &= !llvm::isa<clang::ExplicitCastExpr>(Cast);
      // What is read or written there each time, as the text has it, is no value that an object has.
      return !Cast.getType()->isPointerType() || !Cast.getType()->getPointeeType().isVolatileQualified();
    case clang::CK_BitCast: {
      const clang::QualType To = Cast.getType()->getPointeeType();
      const std::uint64_t Wide = To.isNull() || To.isVolatileQualified() ? 0 : sizeOf(To);
      if (Bytes == 0 || Wide == 0 || Wide % Bytes != 0)
        return false;
      Use.Width = Wide / Bytes;
      Use.Direct &= llvm::isa<clang::ExplicitCastExpr>(Cast) && !isInMacro(Cast) && Wide > Bytes;
      return true;
    }
    default:
      return false;
    }
  }

  /// `__ldg(p)`
  bool cached(const clang::CallExpr &Call, const clang::Expr *Pointer, TextUse Use) {
    const clang::FunctionDecl *Callee = Call.getDirectCallee();
    const llvm::StringRef Name = Callee && Callee->getIdentifier() ? Callee->getName() : "";
    Use.Loads = llvm::is_contained(CachedLoads, Name);
    Use.Stores = llvm::is_contained(CachedStores, Name);
    if (Call.getNumArgs() == 0 || Call.getArg(0) != Pointer || !(Use.Loads || Use.Stores))
      return false;
    Use.Direct &= !Call.getBeginLoc().isMacroID();
    Use.Deduced = Use.Loads && isDeduced(&Call);
    add(std::move(Use), &Call);
    return true;
  }

  /// To a function of the user's that stands by itself, or to a lambda.
  bool handedOn(const clang::CallExpr &Call, const clang::Expr *Pointer, const TextUse &Use) {
    const Passed P = passed(Call, Pointer);
    const clang::FunctionDecl *Callee = withBody(P.Callee);
    if (!Use.Direct || !Callee || !inUsersFile(Callee) || !P.Argument || *P.Argument >= Callee->getNumParams())
      return false;
    const clang::ParmVarDecl &To = *Callee->getParamDecl(*P.Argument);
    auto *Method = llvm::dyn_cast<clang::CXXMethodDecl>(Callee);
    if (!To.getType()->isPointerType() || (Method && !Method->getParent()->isLambda()))
      return false;
    if (!Method)
      enter(*Callee);
    variable(To, Use);
    return true;
  }

  /// From an element, or a part of it, to what is done with it.
  void element(const clang::Expr *E, const clang::Expr *At, TextUse Use) {
    auto Other = [&] {
      Use.Direct = Use.Loads = Use.Stores = false;
      add(std::move(Use), At);
    };
    auto Load = [&](bool ByReference) {
      Use.Loads = true;
      Use.ByReference |= ByReference;
      Use.Deduced |= isDeduced(E);
      Use.Direct &= !isKept(E);
      add(std::move(Use), At);
    };
    auto Store = [&](bool Compound) {
      Use.Stores = true;
      Use.Loads = Use.Compound = Compound;
      Use.Direct &= Use.Whole;
      add(std::move(Use), At);
    };
    while (true) {
      const clang::Stmt *Around = parent(E);
      bool Alone = false;
      if (const clang::VarDecl *Variable = declaredBy(Around, E, &Alone)) { // a reference
        if (!Variable->getType().getNonReferenceType().isConstQualified()) {
          Use.Direct &= Alone && !Variable->getBeginLoc().isMacroID() && !Variable->getLocation().isMacroID();
          Use.Deduced = true;
          for (const clang::DeclRefExpr *Name : Mentions[Variable])
            element(Name, Name, Use);
          return;
        }
        for (const clang::DeclRefExpr *Name : Mentions[Variable])
          Use.Places.push_back(placeOf(Name->getExprLoc(), Context));
        Use.Deduced = true;
        return Load(/*ByReference=*/true);
      }
      auto *Outer = llvm::dyn_cast_or_null<clang::Expr>(Around);
      if (!Outer)
        return Other();
      if (auto *Member = llvm::dyn_cast<clang::MemberExpr>(Outer)) {
        if (auto *Method = llvm::dyn_cast<clang::CXXMethodDecl>(Member->getMemberDecl()))
          return Method->isConst() ? Load(/*ByReference=*/true) : Other();
        if (!llvm::isa<clang::FieldDecl>(Member->getMemberDecl()))
          return Other();
        Use.Whole = false;
      } else if (auto *Cast = llvm::dyn_cast<clang::CastExpr>(Outer)) {
        if (Cast->getCastKind() == clang::CK_LValueToRValue) {
          E = Outer;
          return Load(false);
        }
        if (Cast->getCastKind() != clang::CK_NoOp)
          return Other();
      } else if (auto *Unary = llvm::dyn_cast<clang::UnaryOperator>(Outer)) {
        if (Unary->isIncrementDecrementOp())
          return Store(/*Compound=*/true);
        auto *Element = llvm::dyn_cast<clang::ArraySubscriptExpr>(E->IgnoreParens());
        if (Unary->getOpcode() != clang::UO_AddrOf || !Use.Whole)
          return Other();
        Use.Direct &= Element && !Unary->getBeginLoc().isMacroID() && !isInMacro(*Element);
        return pointer(Unary, Use);
      } else if (auto *Binary = llvm::dyn_cast<clang::BinaryOperator>(Outer)) {
        if (!Binary->isAssignmentOp() || Binary->getLHS() != E)
          return Other();
        Use.Direct &= !llvm::isa<clang::InitListExpr>(Binary->getRHS()->IgnoreParens());
        return Store(Binary->isCompoundAssignmentOp());
      } else if (auto *Either = llvm::dyn_cast<clang::ConditionalOperator>(Outer)) {
        if (Either->getCond() == E || !Either->getType().isConstQualified())
          return Other();
      } else if (llvm::isa<clang::CallExpr, clang::CXXConstructExpr>(Outer)) {
        return argument(*Outer, E, Use, Other, Load, Store);
      } else if (!llvm::isa<clang::ParenExpr, clang::MaterializeTemporaryExpr, clang::ExprWithCleanups>(Outer)) {
        return Other();
      }
      E = Outer;
    }
  }

  template <typename Other, typename Load, typename Store>
  void argument(const clang::Expr &Call, const clang::Expr *E, TextUse &Use, Other IsOther, Load IsLoad,
                Store IsStore) {
    const Passed P = passed(Call, E);
    if (auto *Operator = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&Call);
        Operator && Operator->isAssignmentOp() && Operator->getNumArgs() == 2 && Operator->getArg(0) == E &&
        assignsWhole(P.Callee)) {
      Use.Direct &= !llvm::isa<clang::InitListExpr>(Operator->getArg(1)->IgnoreParens());
      return IsStore(Operator->getOperator() != clang::OO_Equal);
    }
    if (!P.Argument) {
      auto *Method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(P.Callee);
      return Method && Method->isConst() ? IsLoad(true) : IsOther();
    }
    return changesArgument(typeOfParameter(P.Callee, *P.Argument)) ? IsOther() : IsLoad(true);
  }

  static Passed passed(const clang::Expr &Call, const clang::Stmt *E) {
    Passed P;
    if (auto *Construct = llvm::dyn_cast<clang::CXXConstructExpr>(&Call)) {
      P.Callee = Construct->getConstructor();
      for (unsigned I = 0; I < Construct->getNumArgs(); ++I)
        if (Construct->getArg(I) == E)
          P.Argument = I;
      return P;
    }
    auto &Called = llvm::cast<clang::CallExpr>(Call);
    P.Callee = Called.getDirectCallee();
    const unsigned Object =
        llvm::isa<clang::CXXOperatorCallExpr>(Call) && llvm::isa_and_nonnull<clang::CXXMethodDecl>(P.Callee) ? 1 : 0;
    for (unsigned I = Object; I < Called.getNumArgs(); ++I)
      if (Called.getArg(I) == E)
        P.Argument = I - Object;
    return P;
  }

  /// Does an operator of a class leave nothing of what it assigns to as it was? Those of libraries do.
  bool assignsWhole(const clang::FunctionDecl *Callee) const {
    auto *Method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(Callee);
    return Callee && (!inUsersFile(Callee) || (Method && !Method->isUserProvided()) ||
                      Callee->getOverloadedOperator() != clang::OO_Equal);
  }

  /// Does its type matter to what stands around it?
  bool isDeduced(const clang::Stmt *E) const {
    for (const clang::Stmt *Around = parent(E); Around; E = Around, Around = parent(E)) {
      if (const clang::VarDecl *Variable = declaredBy(Around, E))
        return Variable->getType()->isReferenceType() || Variable->getType()->getContainedAutoType();
      if (!llvm::isa<clang::Expr>(Around))
        return false;
      if (auto *Call = llvm::dyn_cast<clang::CallExpr>(Around)) {
        if (llvm::isa<clang::CXXMemberCallExpr>(Call) && Call->getCallee() == E)
          return true;
        if (const Passed P = passed(*Call, E); P.Argument && deducesFrom(P.Callee, *P.Argument))
          return true;
      }
    }
    return false;
  }

  /// Does the statement around leave a pointer or a reference to something that is there behind it, too?
  bool refersLater(const clang::Stmt *E) const {
    for (const clang::Stmt *Around = parent(E); Around; E = Around, Around = parent(E)) {
      if (const clang::VarDecl *Variable = declaredBy(Around, E))
        return leadsToPointer(Variable->getType());
      auto *Binary = llvm::dyn_cast<clang::BinaryOperator>(Around);
      auto *Call = llvm::dyn_cast<clang::CXXOperatorCallExpr>(Around);
      if ((Binary && Binary->isAssignmentOp() && leadsToPointer(Binary->getLHS()->getType())) ||
          (Call && Call->isAssignmentOp() && leadsToPointer(Call->getArg(0)->getType())))
        return true;
      if (!llvm::isa<clang::Expr>(Around))
        break;
    }
    return false;
  }

  /// By its code, which may be inlined elsewhere: may the address of the argument, or of its object, go to somebody?
  bool mayKeep(const Passed &P, bool Later) const {
    auto *Method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(P.Callee);
    auto *Made = llvm::dyn_cast_or_null<clang::CXXConstructorDecl>(P.Callee);
    if (Method && !Method->isUserProvided() &&
        (Made ? Made->isCopyOrMoveConstructor()
              : Method->isCopyAssignmentOperator() || Method->isMoveAssignmentOperator()))
      return false;
    const llvm::Function *Code = P.Callee ? codeOf(*P.Callee, Ir) : nullptr;
    const unsigned At =
        Code ? P.Argument.value_or(-1) + (Method && Method->isInstance()) + Code->hasStructRetAttr() : 0;
    const bool ByResult = Later || !Code || Code->getReturnType()->isAggregateType();
    const bool IsAny = Method && Method->isVirtual(); // another body may run
    return IsAny || !Code || At >= Code->arg_size() || !Code->getArg(At)->getType()->isPointerTy() ||
           llvm::PointerMayBeCaptured(Code->getArg(At), /*ReturnCaptures=*/ByResult);
  }

  /// Does a call around it keep a reference to it, or to a copy that ends with the statement?
  bool isKept(const clang::Stmt *E) const {
    const bool Later = refersLater(E);
    for (const clang::Stmt *Around = parent(E); Around && llvm::isa<clang::Expr>(Around);
         E = Around, Around = parent(E))
      if (llvm::isa<clang::CallExpr, clang::CXXConstructExpr>(Around)) {
        const Passed P = passed(*llvm::cast<clang::Expr>(Around), E);
        const clang::QualType To = P.Argument ? typeOfParameter(P.Callee, *P.Argument) : clang::QualType();
        if ((To.isNull() || To->isReferenceType()) && mayKeep(P, Later))
          return true;
      }
    return false;
  }

  const DeviceIr &Ir;
  const clang::FunctionDecl &Kernel;
  const clang::ASTContext &Context;
  clang::ParentMap Parents;
  std::set<const clang::FunctionDecl *> Entered;
  std::map<const clang::VarDecl *, std::vector<const clang::DeclRefExpr *>> Mentions;
  std::set<const clang::ValueDecl *> Derived; ///< What holds a pointer that comes from the parameter.
  unsigned Parameter = 0;
  std::uint64_t Bytes = 0; ///< Of an element.
  std::vector<TextUse> Found;
};

} // namespace

std::vector<TextUse> textUsesOf(const DeviceIr &Ir, const clang::FunctionDecl &Kernel) {
  return Uses(Ir, Kernel).run();
}

} // namespace cufuse
