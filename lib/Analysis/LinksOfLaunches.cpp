#include "cufuse/Analysis/LinksOfLaunches.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/Mangle.h>
#include <clang/Basic/SourceManager.h>
#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

#include <functional>
#include <map>

namespace cufuse {

namespace {

constexpr unsigned MostCalls = 3; ///< Between a function and the launches that are looked for.

/// A value that two launches may have in common: a product, of one factor for a variable.
struct Value {
  std::vector<std::string> Factors; ///< In order of the alphabet; variables by number.
  std::set<const clang::VarDecl *> Of = {};
  bool operator==(const Value &Other) const { return Factors == Other.Factors; }
};

/// A launch, or another call, or an object that is made, which may use memory.
struct Launch {
  std::string Kernel; ///< Mangled; empty for other calls.
  const clang::Expr *Call;
  clang::SourceLocation At; ///< In the function that is looked at, maybe of a call.
  /// The loops and conditions around it, with the number of the branch.
  std::vector<std::pair<const clang::Stmt *, unsigned>> Path;
  std::vector<std::optional<Value>> Arguments;
};

bool isLoop(const clang::Stmt *S) {
  return llvm::isa<clang::ForStmt, clang::WhileStmt, clang::DoStmt, clang::CXXForRangeStmt>(S);
}

/// May one run of the function come to both, as often to the one as to the other?
bool mayFollow(const Launch &First, const Launch &Second) {
  auto Loops = [](const Launch &L) {
    return llvm::to_vector(llvm::make_filter_range(L.Path, [](const auto &Step) { return isLoop(Step.first); }));
  };
  return Loops(First) == Loops(Second) && llvm::none_of(First.Path, [&](const auto &One) {
           return llvm::any_of(
               Second.Path, [&](const auto &Other) { return One.first == Other.first && One.second != Other.second; });
         });
}

/// Where a function's variables may be changed, but by their initialisers; null stands for `this`.
class Changes : public clang::ConstDynamicRecursiveASTVisitor {
public:
  explicit Changes(const clang::Stmt *Body) { TraverseStmt(Body); }
  std::map<const clang::ValueDecl *, std::vector<clang::SourceLocation>> Of;
  std::set<const clang::ValueDecl *> Aliased; ///< Something else may change them, wherever it stands.

  bool VisitBinaryOperator(const clang::BinaryOperator *E) override {
    return !E->isAssignmentOp() || change(E->getLHS());
  }
  bool VisitUnaryOperator(const clang::UnaryOperator *E) override {
    return !(E->isIncrementDecrementOp() || E->getOpcode() == clang::UO_AddrOf) || change(E->getSubExpr());
  }
  bool VisitCallExpr(const clang::CallExpr *E) override {
    const clang::FunctionDecl *Callee = E->getDirectCallee();
    const unsigned Object =
        llvm::isa<clang::CXXOperatorCallExpr>(E) && llvm::isa_and_nonnull<clang::CXXMethodDecl>(Callee);
    for (unsigned I = 0; I < E->getNumArgs(); ++I) {
      const bool OfMember = Object && I == 0;
      const bool Known = Callee && I >= Object && I - Object < Callee->getNumParams();
      const clang::QualType T = Known ? Callee->getParamDecl(I - Object)->getType() : clang::QualType();
      if (OfMember ? !llvm::cast<clang::CXXMethodDecl>(Callee)->isConst() : !Known || mayChangeBy(T))
        change(E->getArg(I));
    }
    return true;
  }
  bool VisitCXXMemberCallExpr(const clang::CXXMemberCallExpr *E) override {
    return (E->getMethodDecl() && E->getMethodDecl()->isConst()) || change(E->getImplicitObjectArgument());
  }
  bool VisitCXXConstructExpr(const clang::CXXConstructExpr *E) override {
    for (unsigned I = 0; I < E->getNumArgs() && I < E->getConstructor()->getNumParams(); ++I)
      if (mayChangeBy(E->getConstructor()->getParamDecl(I)->getType()))
        change(E->getArg(I));
    return true;
  }
  bool VisitVarDecl(const clang::VarDecl *V) override {
    if (auto *Of = V->getInit() && mayChangeBy(V->getType()) ? variableOf(V->getInit()) : nullptr)
      if (auto *Reference = llvm::dyn_cast<clang::DeclRefExpr>(Of))
        Aliased.insert(Reference->getDecl());
    return true;
  }
  bool VisitLambdaExpr(const clang::LambdaExpr *E) override {
    for (const clang::LambdaCapture &Each : E->captures())
      if (Each.capturesVariable() && Each.getCaptureKind() == clang::LCK_ByRef)
        Aliased.insert(Each.getCapturedVar());
      else if (Each.capturesThis())
        Of[nullptr].push_back(E->getBeginLoc());
    return true;
  }

private:
  /// What is given to such a parameter: itself, or the members of what it points to.
  static bool mayChangeBy(clang::QualType T) {
    const clang::QualType To = T->isReferenceType() ? T.getNonReferenceType() : T->getPointeeType();
    return !To.isNull() && !To.isConstQualified() && (T->isReferenceType() || To->isRecordType());
  }
  /// A name, `this`, or neither.
  static const clang::Expr *variableOf(const clang::Expr *E) {
    while (true) {
      E = E->IgnoreParenCasts();
      if (auto *Member = llvm::dyn_cast<clang::MemberExpr>(E))
        E = Member->getBase();
      else if (auto *Element = llvm::dyn_cast<clang::ArraySubscriptExpr>(E);
               Element && Element->getBase()->IgnoreParenImpCasts()->getType()->isArrayType())
        E = Element->getBase();
      else if (auto *Address = llvm::dyn_cast<clang::UnaryOperator>(E);
               Address && llvm::is_contained({clang::UO_AddrOf, clang::UO_Deref}, Address->getOpcode()))
        E = Address->getSubExpr();
      else
        return E;
    }
  }
  bool change(const clang::Expr *E) {
    E = E->IgnoreParenCasts();
    if (auto *Either = llvm::dyn_cast<clang::ConditionalOperator>(E))
      return change(Either->getTrueExpr()) && change(Either->getFalseExpr());
    // `*host = 1` changes what a pointer leads to, which is no argument, but `*this = …` and `structure->x = …` do.
    auto *Deref = llvm::dyn_cast<clang::UnaryOperator>(E);
    if (Deref && Deref->getOpcode() == clang::UO_Deref && !E->getType()->isRecordType())
      return true;
    E = variableOf(E);
    if (auto *Reference = llvm::dyn_cast<clang::DeclRefExpr>(E))
      Of[Reference->getDecl()].push_back(E->getExprLoc());
    else if (llvm::isa<clang::CXXThisExpr>(E))
      Of[nullptr].push_back(E->getExprLoc());
    return true;
  }
};

/// The user's functions with a body, instances of templates among them.
class Functions : public clang::ConstDynamicRecursiveASTVisitor {
public:
  explicit Functions(const ParsedUnit &Unit) : Unit(Unit) {
    ShouldVisitTemplateInstantiations = true;
    TraverseAST(Unit.ast());
  }
  bool TraverseDecl(MaybeConst<clang::Decl> *D) override {
    if (D && !llvm::isa<clang::TranslationUnitDecl>(D) && Unit.inLibrary(D->getLocation()))
      return true;
    auto *F = llvm::dyn_cast_or_null<clang::FunctionDecl>(D);
    if (F && F->doesThisDeclarationHaveABody() && !F->isDependentContext() && !F->hasAttr<clang::CUDAGlobalAttr>())
      All.push_back(F);
    return clang::ConstDynamicRecursiveASTVisitor::TraverseDecl(D);
  }
  const Changes &changes(const clang::FunctionDecl &Function) {
    auto &Known = ChangedIn[&Function];
    if (!Known)
      Known = std::make_unique<Changes>(Function.getBody());
    return *Known;
  }

  const ParsedUnit &Unit;
  std::vector<const clang::FunctionDecl *> All;

private:
  std::map<const clang::FunctionDecl *, std::unique_ptr<Changes>> ChangedIn;
};

/// May a call with such an argument use a kernel's memory? Text, streams, events, files and what launches are made of
/// lead to none.
bool leadsToMemory(clang::QualType T) {
  T = T.getNonReferenceType();
  const bool Pointer = T->isPointerType();
  if (Pointer)
    T = T->getPointeeType();
  if (const clang::RecordDecl *Record = T->getAsRecordDecl())
    return !Record->isInStdNamespace() &&
           !llvm::is_contained({"dim3", "CUstream_st", "CUevent_st", "_IO_FILE"}, Record->getName());
  return Pointer && !(T.isConstQualified() && T->isCharType());
}

/// The launches of a function, in order, those of the functions that it calls among them.
class Launches {
public:
  Launches(Functions &Of, unsigned Depth) : Of(Of), Unit(Of.Unit), Names(Unit.ast()), Depth(Depth) {}

  std::vector<Launch> of(const clang::FunctionDecl &Function) {
    Frames = {{&Of.changes(Function), {}}};
    walk(Function.getBody(), clang::SourceLocation());
    return std::move(Found);
  }

private:
  struct Frame {
    const Changes *Changed;
    std::map<const clang::ValueDecl *, std::optional<Value>> Given; ///< What calls give parameters.
  };

  /// `At`: where the outermost call stands; invalid in the function itself.
  void walk(const clang::Stmt *S, clang::SourceLocation At) {
    if (!S || llvm::isa<clang::LambdaExpr>(S))
      return;
    if (auto *Call = llvm::dyn_cast<clang::CUDAKernelCallExpr>(S); Call && Call->getDirectCallee()) {
      Launch New{Names.getName(Call->getDirectCallee()), Call, At.isValid() ? At : Call->getBeginLoc(), Path, {}};
      for (const clang::Expr *Argument : Call->arguments())
        New.Arguments.push_back(value(Argument));
      Found.push_back(std::move(New));
      return;
    }
    auto *If = llvm::dyn_cast<clang::IfStmt>(S);
    const bool Branches = If || isLoop(S) || llvm::isa<clang::SwitchStmt, clang::ConditionalOperator>(S);
    if (llvm::isa<clang::SwitchCase>(S))
      ++Path.back().second;
    if (Branches)
      Path.push_back({S, 0});
    for (const clang::Stmt *Child : S->children()) {
      if (If || llvm::isa<clang::ConditionalOperator>(S))
        ++Path.back().second;
      walk(Child, At);
    }
    if (Branches)
      Path.pop_back();
    const clang::SourceLocation Begin = At.isValid() ? At : S->getBeginLoc();
    if (auto *Made = llvm::dyn_cast<clang::CXXConstructExpr>(S);
        Made && Made->getConstructor()->isUserProvided() && !Unit.inLibrary(Made->getConstructor()->getLocation()))
      Found.push_back({"", Made, Begin, Path, {}});
    auto *Call = llvm::dyn_cast<clang::CallExpr>(S);
    const clang::FunctionDecl *Callee = Call ? Call->getDirectCallee() : nullptr;
    if (!Callee || Frames.size() > Depth || !Callee->hasBody(Callee) || Callee->isDependentContext() ||
        (Callee->hasAttr<clang::CUDADeviceAttr>() && !Callee->hasAttr<clang::CUDAHostAttr>())) {
      auto *Member = llvm::dyn_cast_or_null<clang::CXXMemberCallExpr>(Call);
      // Who is given a status checks it.
      const bool IsUsers = Callee && !Unit.inLibrary(Callee->getLocation()) && !Callee->isConstexpr() &&
                           llvm::none_of(Call->arguments(), [](const clang::Expr *E) {
                             return E->IgnoreParenImpCasts()->getType()->isEnumeralType();
                           });
      if (Call && (IsUsers || !Callee || (Member && !(Member->getMethodDecl() && Member->getMethodDecl()->isConst())) ||
                   llvm::any_of(Call->arguments(), [](const clang::Expr *E) { return leadsToMemory(E->getType()); })))
        Found.push_back({"", Call, Begin, Path, {}});
      return;
    }
    const unsigned Object = llvm::isa<clang::CXXOperatorCallExpr>(Call) && llvm::isa<clang::CXXMethodDecl>(Callee);
    Frame Inner{&Of.changes(*Callee), {}};
    for (unsigned I = 0; I < Callee->getNumParams() && I + Object < Call->getNumArgs(); ++I)
      Inner.Given[Callee->getParamDecl(I)] = value(Call->getArg(I + Object));
    Frames.push_back(std::move(Inner));
    walk(Callee->getBody(), Begin);
    Frames.pop_back();
  }

  std::optional<Value> value(const clang::Expr *E) {
    E = E->IgnoreParenImpCasts();
    if (auto *Default = llvm::dyn_cast<clang::CXXDefaultArgExpr>(E))
      return value(Default->getExpr());
    if (auto *Cast = llvm::dyn_cast<clang::ExplicitCastExpr>(E)) {
      // Another view of the same memory, or the same number.
      const clang::QualType To = Cast->getType(), From = Cast->getSubExprAsWritten()->getType();
      const bool Same = (To->isPointerType() && From->isPointerType()) ||
                        (To->isIntegralOrEnumerationType() && From->isIntegralOrEnumerationType());
      return Same ? value(Cast->getSubExpr()) : std::nullopt;
    }
    if (auto *Reference = llvm::dyn_cast<clang::DeclRefExpr>(E))
      if (auto *Variable = llvm::dyn_cast<clang::VarDecl>(Reference->getDecl()))
        return ofVariable(*Variable);
    if (llvm::isa<clang::CXXThisExpr>(E))
      return Frames.size() == 1 ? std::optional(Value{{"this"}, {nullptr}}) : std::nullopt;
    if (auto *Product = llvm::dyn_cast<clang::BinaryOperator>(E); Product && Product->getOpcode() == clang::BO_Mul) {
      auto Left = value(Product->getLHS());
      const auto Right = value(Product->getRHS());
      if (!Left || !Right || !E->getType()->isIntegerType())
        return std::nullopt;
      llvm::append_range(Left->Factors, Right->Factors);
      llvm::sort(Left->Factors);
      Left->Of.insert(Right->Of.begin(), Right->Of.end());
      return Left;
    }
    // A member, or what a member function that changes nothing says: by name.
    const clang::Expr *Base = nullptr;
    std::string Name;
    if (auto *Member = llvm::dyn_cast<clang::MemberExpr>(E)) {
      Base = Member->getBase();
      Name = Member->getMemberDecl()->getDeclName().getAsString();
    } else if (auto *Call = llvm::dyn_cast<clang::CXXMemberCallExpr>(E);
               Call && Call->getNumArgs() == 0 && Call->getMethodDecl() && Call->getMethodDecl()->isConst()) {
      Base = Call->getImplicitObjectArgument();
      Name = Call->getMethodDecl()->getNameAsString() + "()";
    }
    auto Of = Base ? value(Base) : std::nullopt;
    if (!Of || Of->Factors.size() != 1)
      return std::nullopt;
    Of->Factors.front() += "." + Name;
    return Of;
  }

  std::optional<Value> ofVariable(const clang::VarDecl &Variable) {
    const Frame &Own = Frames.back();
    const bool Changed = isChanged(Own, &Variable);
    if (Own.Changed->Aliased.count(&Variable) || Variable.getType().isVolatileQualified())
      return std::nullopt;
    if (const auto Given = Own.Given.find(&Variable); Given != Own.Given.end())
      return Changed ? std::nullopt : Given->second;
    // `const int n = rows * columns;` is the product, and `float *y = x;` is x.
    if (Variable.isLocalVarDecl() && !Changed && Variable.getInit() && Variable.getType()->isScalarType())
      if (auto Init = value(Variable.getInit());
          Init && llvm::none_of(Init->Of, [&](const clang::VarDecl *Each) { return isChanged(Own, Each); }))
        return Init;
    if (Frames.size() > 1 && Variable.hasLocalStorage())
      return std::nullopt;
    const auto Number = Numbers.try_emplace(&Variable, Numbers.size()).first->second;
    return Value{{fmt::format("{}", Number)}, {&Variable}};
  }

  static bool isChanged(const Frame &Own, const clang::VarDecl *Variable) {
    return Own.Changed->Of.count(Variable) || Own.Changed->Aliased.count(Variable);
  }

  Functions &Of;
  const ParsedUnit &Unit;
  clang::ASTNameGenerator Names;
  const unsigned Depth;
  std::vector<Frame> Frames;
  std::vector<std::pair<const clang::Stmt *, unsigned>> Path;
  std::vector<Launch> Found;
  std::map<const clang::VarDecl *, size_t> Numbers;
};

/// The last launch of the first kernel before the next kernel's, and so on to the first launch of the last kernel that
/// has all before it.
std::vector<const Launch *> oneAfterTheOther(llvm::ArrayRef<Launch> All, llvm::ArrayRef<std::string> Kernels) {
  size_t Next = 0, End = 0;
  for (; End < All.size() && Next < Kernels.size(); ++End)
    Next += All[End].Kernel == Kernels[Next];
  std::vector<const Launch *> Chosen;
  if (Next < Kernels.size())
    return Chosen;
  for (size_t I = Kernels.size(); I-- > 0;) {
    while (All[--End].Kernel != Kernels[I]) {
    }
    Chosen.insert(Chosen.begin(), &All[End]);
  }
  return Chosen;
}

/// What gives the parameter of a later kernel's launch the same value: a parameter of this one, or a product of some.
std::string sameAs(const Value &Taken, clang::QualType Type, const Launch &Earlier, const LaunchedKernel &Kernel) {
  const auto Parameters = Kernel.Kernel->parameters();
  std::string Whole;
  std::vector<std::string> Left = Taken.Factors, Product;
  for (size_t I = 0; I < Parameters.size() && I < Earlier.Arguments.size(); ++I) {
    const std::optional<Value> &Given = Earlier.Arguments[I];
    const clang::QualType Own = Parameters[I]->getType();
    auto AreBoth = [&](auto Is) { return Is(Own) && Is(Type); };
    const bool Integers = AreBoth([](clang::QualType T) { return T->isIntegralOrEnumerationType(); });
    if (!Given || !(Integers || AreBoth([](clang::QualType T) { return T->isPointerType(); }) ||
                    Own.getCanonicalType().getUnqualifiedType() == Type.getCanonicalType().getUnqualifiedType()))
      continue;
    const std::string Name = Parameters[I]->getNameAsString();
    if (*Given == Taken && (Whole.empty() || Kernel.Stores.count(Name)))
      Whole = Name;
    const auto Factor = llvm::find(Left, Given->Factors.front());
    if (!Integers || Given->Factors.size() > 1 || Factor == Left.end())
      continue;
    Left.erase(Factor);
    Product.push_back(Name);
  }
  return !Whole.empty() ? Whole : Left.empty() ? llvm::join(Product, "*") : "";
}

} // namespace

std::optional<LaunchLinks> linksOfLaunches(const ParsedUnit &Unit, llvm::ArrayRef<LaunchedKernel> Kernels) {
  clang::ASTContext &Context = Unit.ast();
  const clang::SourceManager &Sources = Context.getSourceManager();
  clang::ASTNameGenerator Names(Context);
  std::vector<std::string> Wanted;
  for (const LaunchedKernel &Each : Kernels)
    Wanted.push_back(Names.getName(Each.Kernel));
  Functions Of(Unit);
  std::optional<LaunchLinks> Parted;
  for (unsigned Calls = 0; Calls <= MostCalls; ++Calls) // the function that is nearest to the launches
    for (const clang::FunctionDecl *Function : Of.All) {
      const std::vector<Launch> All = Launches(Of, Calls).of(*Function);
      const std::vector<const Launch *> Chosen = oneAfterTheOther(All, Wanted);
      if (Chosen.empty() || llvm::any_of(Chosen, [&](const Launch *L) { return !mayFollow(*Chosen[0], *L); }))
        continue;
      auto IsKept = [&](const Value &V, const Launch &From, const Launch &To) {
        const auto &Changed = Of.changes(*Function).Of;
        return llvm::all_of(V.Of, [&](const clang::VarDecl *Variable) {
          if (Variable && Variable->hasGlobalStorage() && llvm::any_of(Of.All, [&](const clang::FunctionDecl *Other) {
                const Changes &There = Of.changes(*Other);
                return There.Aliased.count(Variable) || (Other != Function && There.Of.count(Variable));
              }))
            return false;
          const auto Known = Changed.find(Variable);
          return Known == Changed.end() || llvm::none_of(Known->second, [&](clang::SourceLocation At) {
                   return Sources.isBeforeInTranslationUnit(From.At, At) &&
                          Sources.isBeforeInTranslationUnit(At, To.At);
                 });
        });
      };
      LaunchLinks Result;
      for (const Launch *Each = Chosen.front(); Each < Chosen.back(); ++Each)
        if (!llvm::is_contained(Chosen, Each) && !Result.Between)
          Result.Between = Unit.place(Each->Call->getBeginLoc());
      auto Link = [&](size_t From, size_t To, unsigned Parameter) {
        const std::optional<Value> &Taken = Chosen[To]->Arguments[Parameter];
        const clang::ParmVarDecl *P = Kernels[To].Kernel->getParamDecl(Parameter);
        const std::string Same = Taken && IsKept(*Taken, *Chosen[std::min(From, To)], *Chosen[std::max(From, To)])
                                     ? sameAs(*Taken, P->getType(), *Chosen[From], Kernels[From])
                                     : "";
        return Same.empty()
                   ? Same
                   : fmt::format("{}.{}={}.{}", Kernels[From].Name, Same, Kernels[To].Name, P->getNameAsString());
      };
      auto Parameters = [&](size_t Kernel) {
        return std::min<size_t>(Chosen[Kernel]->Arguments.size(), Kernels[Kernel].Kernel->getNumParams());
      };
      for (size_t To = 0; To < Chosen.size(); ++To) {
        Result.Places.push_back(Unit.place(Chosen[To]->Call->getBeginLoc()));
        for (size_t I = 0; I < Parameters(To); ++I) {
          std::string Best; // to the last that stores it, else to the first
          for (size_t From = 0; From < To; ++From)
            if (const std::string Each = Link(From, To, I); !Each.empty())
              if (const std::string Name = llvm::StringRef(Each).split('=').first.split('.').second.str();
                  Best.empty() || Kernels[From].Stores.count(Name))
                Best = Each;
          if (!Best.empty())
            Result.Links.push_back(Best);
        }
        // A number of an earlier kernel may be a product of this one's.
        for (size_t From = 0; From < To; ++From)
          for (size_t I = 0; I < Parameters(From); ++I)
            if (const std::string Each = Link(To, From, I); llvm::StringRef(Each).contains('*'))
              Result.Links.push_back(Each);
      }
      if (!Result.Between)
        return Result;
      Parted = Parted ? Parted : std::move(Result);
    }
  return Parted;
}

std::vector<LaunchChain> launchChains(const ParsedUnit &Unit) {
  std::vector<LaunchChain> Chains;
  std::set<std::vector<const clang::Expr *>> Known;
  Functions Of(Unit);
  for (const clang::FunctionDecl *Function : Of.All) {
    const std::vector<Launch> All = Launches(Of, MostCalls).of(*Function);
    for (size_t I = 0, End; I < All.size(); I = End) {
      for (End = I + 1;
           End < All.size() && !All[I].Kernel.empty() && !All[End].Kernel.empty() && All[End].Path == All[I].Path;)
        ++End;
      std::vector<const clang::Expr *> Calls;
      for (const Launch &Each : llvm::ArrayRef(All).slice(I, End - I))
        Calls.push_back(Each.Call);
      if (Calls.size() < 2 || !Known.insert(Calls).second)
        continue;
      Chains.push_back({});
      for (const clang::Expr *Call : Calls) {
        Chains.back().Kernels.push_back(llvm::cast<clang::CallExpr>(Call)->getDirectCallee());
        Chains.back().Places.push_back(Unit.place(Call->getBeginLoc()));
      }
    }
  }
  return Chains;
}

} // namespace cufuse
