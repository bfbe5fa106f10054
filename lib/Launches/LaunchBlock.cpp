#include "HostValues.h"

#include "cufuse/Reach/AllIn.h"
#include "cufuse/Reach/Declarations.h"

#include <clang/AST/ExprCXX.h>

#include <algorithm>
#include <climits>
#include <map>

namespace cufuse {

namespace {

bool mayChange(const clang::VarDecl &Variable) {
  if (Variable.getType().isConstQualified())
    return false;
  auto IsChangedIn = [&](const clang::Decl &Code) { return changedIn(Code, /*ByConst=*/false).contains(&Variable); };
  if (auto *Function = llvm::dyn_cast<clang::FunctionDecl>(Variable.getDeclContext()))
    return IsChangedIn(*Function);
  return llvm::any_of(Variable.getASTContext().getTranslationUnitDecl()->decls(),
                      [&](const clang::Decl *D) { return inUsersFile(D) && IsChangedIn(*D); });
}

class BlockReader {
public:
  explicit BlockReader(const clang::ASTContext &Context) : Context(Context) {}
  /// With variables of which no value is written: all that it comes to, or those alone.
  BlockReader(const clang::ASTContext &Context, std::int64_t Drawn, std::set<const clang::VarDecl *> &Open, bool All)
      : Context(Context), Drawn(Drawn), Open(&Open), All(All) {}

  /// Of a `dim3`, as far as constants are written; of a number, also where it is one for want of the other's type.
  WrittenSizes sizes(const clang::Expr *E) {
    // What a launch is given is not converted to dim3 yet where another argument's type is dependent.
    if (const auto Threads = integer(E))
      return {*Threads, 1, 1};
    auto *Construct = llvm::dyn_cast_or_null<clang::CXXConstructExpr>(inside(E));
    if (!Construct || Construct->getNumArgs() == 0 || Construct->getNumArgs() > 3)
      return {};
    // Only its own constructors and conversions say what another class makes of its arguments.
    const clang::CXXRecordDecl *Record = Construct->getConstructor()->getParent();
    if (!Record->getIdentifier() || Record->getName() != "dim3" || !Record->getDeclContext()->isTranslationUnit())
      return {};
    if (Construct->getConstructor()->isCopyOrMoveConstructor())
      return sizes(Construct->getArg(0));
    WrittenSizes Sizes = {1, 1, 1};
    for (unsigned I = 0; I < Construct->getNumArgs(); ++I)
      if (!llvm::isa<clang::CXXDefaultArgExpr>(Construct->getArg(I)))
        Sizes[I] = integer(Construct->getArg(I));
    return Sizes;
  }

  std::optional<std::int64_t> integer(const clang::Expr *E) {
    clang::Expr::EvalResult Known;
    if (isOpen(E) || !E->getType()->isIntegralOrEnumerationType())
      return std::nullopt;
    if (E->EvaluateAsInt(Known, Context))
      return Known.Val.getInt().tryExtValue();
    const clang::Expr *Inside = inside(E);
    if (Inside && Inside != E)
      return integer(Inside);
    if (auto *Call = llvm::dyn_cast_or_null<clang::CallExpr>(Inside))
      return called(*Call);
    if (auto *Choice = llvm::dyn_cast_or_null<clang::ConditionalOperator>(Inside)) {
      const auto Which = integer(Choice->getCond());
      return Which ? integer(*Which ? Choice->getTrueExpr() : Choice->getFalseExpr()) : std::nullopt;
    }
    if (const auto Of = Inside ? Given.find(variableIn(Inside)) : Given.end(); Of != Given.end())
      return Of->second;
    if (const clang::VarDecl *V = Open && Inside ? variableIn(Inside) : nullptr;
        V && V->hasLocalStorage() && !V->getType().isVolatileQualified() && (All || Open->count(V)) && !mayChange(*V)) {
      Open->insert(V);
      return Drawn;
    }
    if (auto *List = llvm::dyn_cast_or_null<clang::InitListExpr>(Inside); List && List->getNumInits() == 1)
      return integer(List->getInit(0));
    if (auto *Computed = llvm::dyn_cast_or_null<clang::BinaryOperator>(Inside))
      return computed(*Computed);
    auto *Cast = llvm::dyn_cast_or_null<clang::CastExpr>(Inside);
    const auto Value =
        Cast && Cast->getCastKind() == clang::CK_IntegralCast ? integer(Cast->getSubExpr()) : std::nullopt;
    return Value ? Context.MakeIntValue(*Value, E->getType()).tryExtValue() : std::nullopt;
  }

private:
  /// `(n + 255) / 256`, of small numbers.
  std::optional<std::int64_t> computed(const clang::BinaryOperator &E) {
    const auto Left = integer(E.getLHS()), Right = Left ? integer(E.getRHS()) : std::nullopt;
    auto IsSmall = [](std::int64_t N) { return 0 <= N && N <= INT_MAX; };
    if (!Right || !IsSmall(*Left) || !IsSmall(*Right))
      return std::nullopt;
    std::int64_t Value = -1;
    if (E.getOpcode() == clang::BO_Add)
      Value = *Left + *Right;
    else if (E.getOpcode() == clang::BO_Sub)
      Value = *Left - *Right;
    else if (E.getOpcode() == clang::BO_Mul)
      Value = *Left * *Right;
    else if (E.getOpcode() == clang::BO_Div && *Right > 0)
      Value = *Left / *Right;
    else if (E.getOpcode() == clang::BO_Rem && *Right > 0)
      Value = *Left % *Right;
    else if (E.isComparisonOp() && E.getOpcode() != clang::BO_Cmp)
      Value = E.isEqualityOp() ? (*Left == *Right) == (E.getOpcode() == clang::BO_EQ)
              : E.getOpcode() == clang::BO_LT || E.getOpcode() == clang::BO_GE
                  ? (*Left < *Right) == (E.getOpcode() == clang::BO_LT)
                  : (*Left > *Right) == (E.getOpcode() == clang::BO_GT);
    return IsSmall(Value) ? std::optional(Value) : std::nullopt;
  }

  /// Of a function that does no more than to return it, `divideUp(n, 256)`, or the smaller or larger of two numbers.
  std::optional<std::int64_t> called(const clang::CallExpr &Call) {
    const clang::FunctionDecl *Callee = Call.getDirectCallee(), *Made = Callee ? withBody(Callee) : nullptr;
    if (!Callee || !Callee->getIdentifier() || llvm::isa<clang::CXXMethodDecl>(Callee) || Variables-- <= 0)
      return std::nullopt;
    std::vector<std::int64_t> Arguments;
    for (const clang::Expr *Each : Call.arguments())
      if (auto *Default = llvm::dyn_cast<clang::CXXDefaultArgExpr>(Each);
          const auto Number = integer(Default ? Default->getExpr() : Each))
        Arguments.push_back(*Number);
      else
        return std::nullopt;
    const bool IsLeast = Callee->getName() == "min";
    if (Arguments.size() == 2 && (IsLeast || Callee->getName() == "max") && !inUsersFile(Callee))
      return IsLeast ? std::min(Arguments[0], Arguments[1]) : std::max(Arguments[0], Arguments[1]);
    const clang::Expr *Returned = returnedBy(*Callee);
    if (!Returned || Made->getNumParams() != Arguments.size())
      return std::nullopt;
    std::map<const clang::VarDecl *, std::int64_t> Own;
    for (size_t I = 0; I < Arguments.size(); ++I)
      if (const clang::QualType T = Made->getParamDecl(I)->getType();
          T->isReferenceType() && !T.getNonReferenceType().isConstQualified())
        return std::nullopt;
      else
        Own[Made->getParamDecl(I)] = Arguments[I];
    std::swap(Given, Own);
    const auto Value = integer(Returned);
    std::swap(Given, Own);
    return Value;
  }

  /// Only an instantiation says what it is. Lists in brackets or braces have no type, or none that means anything,
  /// where the type of what they initialise is dependent, although nothing in them is.
  static bool isOpen(const clang::Expr *E) {
    return E->getType().isNull() || E->isInstantiationDependent() || E->containsErrors();
  }

  /// Of a function without arguments that does no more than to return it.
  static const clang::Expr *returned(const clang::Expr &E) {
    auto *Call = llvm::dyn_cast<clang::CallExpr>(&E);
    const clang::FunctionDecl *Callee = Call && Call->getNumArgs() == 0 ? Call->getDirectCallee() : nullptr;
    return Callee && !llvm::isa<clang::CXXMemberCallExpr>(Call) ? returnedBy(*Callee) : nullptr;
  }

  /// Without what makes no value another one, and with variables' initialisers in their place.
  const clang::Expr *inside(const clang::Expr *E) {
    while (!isOpen(E)) {
      E = E->IgnoreParens();
      auto *Cast = llvm::dyn_cast<clang::CastExpr>(E);
      auto *Named = llvm::dyn_cast<clang::DeclRefExpr>(E);
      auto *Variable = Named ? llvm::dyn_cast<clang::VarDecl>(Named->getDecl()) : nullptr;
      if (Cast && llvm::is_contained({clang::CK_NoOp, clang::CK_LValueToRValue, clang::CK_ConstructorConversion},
                                     Cast->getCastKind()))
        E = Cast->getSubExpr();
      else if (auto *Full = llvm::dyn_cast<clang::FullExpr>(E))
        E = Full->getSubExpr();
      else if (auto *Temporary = llvm::dyn_cast<clang::MaterializeTemporaryExpr>(E))
        E = Temporary->getSubExpr();
      else if (const clang::Expr *Returned = Variables > 0 ? returned(*E) : nullptr; Returned && Variables-- > 0)
        E = Returned;
      else if (Variable && Variable->getAnyInitializer() && !llvm::isa<clang::ParmVarDecl>(Variable) &&
               Variables-- > 0 && !mayChange(*Variable))
        E = Variable->getAnyInitializer();
      else
        return E;
    }
    return nullptr;
  }

  const clang::ASTContext &Context;
  const std::int64_t Drawn = 0;
  std::set<const clang::VarDecl *> *const Open = nullptr;
  const bool All = false;
  std::map<const clang::VarDecl *, std::int64_t> Given; ///< Of the function that is called.
  int Variables = 32;                                   ///< To be followed yet: `dim3 b = b;` has no end.
};

} // namespace

static WrittenSizes sizesOf(const clang::CUDAKernelCallExpr &Launch, unsigned Argument, BlockReader Reader) {
  // In device code the configuration is another call.
  const clang::FunctionDecl *Configure = Launch.getConfig()->getDirectCallee();
  const bool FromHost = Configure && (Configure->getName() == "__cudaPushCallConfiguration" ||
                                      Configure->getName() == "cudaConfigureCall");
  return FromHost ? Reader.sizes(Launch.getConfig()->getArg(Argument)) : WrittenSizes();
}

WrittenLaunch writtenAs(const clang::CUDAKernelCallExpr &Launch, const clang::ASTContext &Context,
                        std::optional<std::int64_t> Drawn) {
  std::set<const clang::VarDecl *> OfGrid;
  auto Reader = [&](bool All) { return Drawn ? BlockReader(Context, *Drawn, OfGrid, All) : BlockReader(Context); };
  WrittenLaunch Found{sizesOf(Launch, 0, Reader(/*All=*/true)), sizesOf(Launch, 1, Reader(/*All=*/false)), {}};
  for (const clang::Expr *Each : Launch.arguments())
    Found.Arguments.push_back(Reader(/*All=*/false).integer(Each));
  return Found;
}

std::optional<BlockShape> blockOf(const clang::CUDAKernelCallExpr &Launch, const clang::ASTContext &Context) {
  const WrittenSizes Sizes = sizesOf(Launch, 1, BlockReader(Context));
  if (!Sizes[0] || !Sizes[1] || !Sizes[2])
    return std::nullopt;
  return BlockShape{static_cast<unsigned>(*Sizes[0]), static_cast<unsigned>(*Sizes[1]),
                    static_cast<unsigned>(*Sizes[2])};
}

} // namespace cufuse
