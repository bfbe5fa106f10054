#include "HostValues.h"

#include "cufuse/Reach/AllIn.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>
#include <clang/Basic/SourceManager.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVector.h>

#include <tuple>

namespace cufuse {

namespace {

bool isLoop(const clang::Stmt *S, const clang::ASTContext &Context) {
  bool Again = true;
  auto *Do = llvm::dyn_cast<clang::DoStmt>(S); // `do … while (0)` of a macro is none
  if (Do && !Do->getCond()->isValueDependent() && Do->getCond()->EvaluateAsBooleanCondition(Again, Context) && !Again)
    return false;
  return llvm::isa<clang::ForStmt, clang::WhileStmt, clang::DoStmt, clang::CXXForRangeStmt>(S);
}

using KnownUses = std::map<const clang::FunctionDecl *, std::unique_ptr<Uses>>;

class Walk : HostValues {
public:
  Walk(const ParsedUnit &Unit, KnownUses &Known, unsigned Depth) : HostValues(Unit), Known(Known), Depth(Depth) {}

  std::vector<Launch> of(const clang::FunctionDecl &Function) {
    Frames = {{&usesIn(Function), {}, Value{{"this"}, {}, "this"}}};
    walk(Function.getBody());
    if (InLoops.empty())
      return std::move(Found);
    Walk Again(Unit, Known, Depth); // with what later turns begin with
    Again.Views.swap(InLoops);
    return Again.of(Function);
  }

private:
  const Uses &usesIn(const clang::FunctionDecl &Function) {
    auto &Uses = Known[&Function];
    if (!Uses)
      Uses = std::make_unique<class Uses>(Function, Unit);
    return *Uses;
  }

  /// Whatever is known of memory may be otherwise behind it.
  void unknown(const clang::Stmt *S, clang::QualType Stored = {}) {
    Found.push_back({"", S, Path, std::nullopt, std::nullopt, std::nullopt, {}, Stored});
    ++Time;
  }

  void walk(const clang::Stmt *S) {
    if (!S || llvm::isa<clang::LambdaExpr, clang::UnaryExprOrTypeTraitExpr, clang::CXXThrowExpr>(S))
      return;
    if (auto *Declaration = llvm::dyn_cast<clang::DeclStmt>(S)) { // one after the other
      for (const clang::Decl *D : Declaration->decls())
        if (auto *V = llvm::dyn_cast<clang::VarDecl>(D)) {
          if (V->getType()->isVariablyModifiedType())
            unknown(S);
          walk(V->getInit());
          declare(*V, *S);
        }
      return;
    }
    auto *If = llvm::dyn_cast<clang::IfStmt>(S);
    const bool Loops = isLoop(S, Unit.ast());
    const bool Branches =
        If || Loops || llvm::isa<clang::SwitchStmt, clang::ConditionalOperator, clang::CXXCatchStmt>(S);
    if (llvm::isa<clang::SwitchCase>(S))
      ++Path.back().Number;
    if (llvm::isa<clang::LabelStmt>(S))
      unknown(S);
    if (llvm::isa<clang::SwitchCase, clang::LabelStmt>(S)) // from wherever it comes
      for (const clang::VarDecl *V : Frames.back().Used->Assigned)
        forget(V, /*OfLoop=*/false);
    if (Branches)
      Path.push_back({S, 0, Loops, Frames.back().Number});
    if (Loops)
      forget(*S, Loops);
    Time += Loops; // what it changes is another value in the next turn
    const bool IsScope = Branches || llvm::isa<clang::CompoundStmt, clang::ExprWithCleanups>(S);
    const size_t Before = Objects.size();
    const auto *Compound = llvm::dyn_cast<clang::CompoundStmt>(S);
    if (!Compound)
      misread(S, S->getBeginLoc(), S->getEndLoc());
    clang::SourceLocation Read = S->getBeginLoc();
    const size_t Around = Path.size();
    const bool IsBlock = Compound && (Path.empty() || !llvm::isa<clang::SwitchStmt>(Path.back().Of));
    for (const clang::Stmt *Child : S->children()) {
      if (Compound) {
        misread(Child, Read, Child->getBeginLoc());
        Read = Child->getEndLoc();
      }
      if (If || llvm::isa<clang::ConditionalOperator>(S))
        ++Path.back().Number;
      if (auto *Logical = llvm::dyn_cast<clang::BinaryOperator>(S);
          Logical && Logical->isLogicalOp() && Child == Logical->getRHS())
        Path.push_back({S, 1, /*IsLoop=*/false, Frames.back().Number});
      const size_t First = Found.size();
      const auto Known = If ? std::tuple(Time, Times, Frames.back().Given)
                            : std::tuple(Time, decltype(Times)(), decltype(Frame::Given)());
      walk(Child);
      // Nothing of it stands before what follows, and nothing is changed there.
      if (If && Child && (endsIn(Child) || (Child == If->getThen() && hasFailed(*If->getCond()))) &&
          std::all_of(Found.begin() + First, Found.end(), [](const Launch &L) { return L.Kernel.empty(); })) {
        Found.resize(First);
        std::tie(Time, Times, Frames.back().Given) = Known;
      } else if (Child && (Loops || mayLeaveOut(*S, *Child))) {
        forget(Loops ? *S : *Child, Loops); // what a loop begins with, it changes later
      }
      if (const clang::Stmt *Jump = IsBlock ? leavesBy(Child) : nullptr) // what follows, it may leave out
        Path.push_back({Jump, 1, /*IsLoop=*/false, Frames.back().Number});
    }
    if (Compound)
      misread(S, Read, S->getEndLoc());
    Path.resize(Around, {});
    if (IsScope)
      endScope(Before);
    if (Branches)
      Path.pop_back();
    if (const clang::Expr *To = assignedBy(S)) {
      const clang::VarDecl *V = variableIn(To);
      if (V && Frames.back().Used->isPlain(*V))
        assign(*V, *S);
      else if (auto *Assignment = llvm::dyn_cast<clang::BinaryOperator>(S))
        changeAt(*To, Assignment->getRHS(), *S);
      else
        changeAt(*To, nullptr, *S);
    } else if (auto *Default = llvm::dyn_cast<clang::CXXDefaultArgExpr>(S)) {
      walk(Default->getExpr());
    } else if (auto *OfMember = llvm::dyn_cast<clang::CXXDefaultInitExpr>(S)) {
      walk(OfMember->getExpr());
    } else if (auto *Made = llvm::dyn_cast<clang::CXXConstructExpr>(S)) {
      construct(*Made);
    } else if (auto *Temporary = llvm::dyn_cast<clang::CXXBindTemporaryExpr>(S)) {
      Objects.push_back({Temporary->getType(), S});
    } else if (auto *Call = llvm::dyn_cast<clang::CUDAKernelCallExpr>(S); Call && Call->getDirectCallee()) {
      Launch New{kernelName(*Call->getDirectCallee()),
                 Call,
                 Path,
                 sizes(*Call->getConfig()->getArg(0)),
                 sizes(*Call->getConfig()->getArg(1)),
                 handed(*passed(Call->getConfig()->getArg(3))),
                 {}};
      New.Elements = elements(*Call->getConfig()->getArg(0), *Call->getConfig()->getArg(1));
      New.Blocks = blocks(*Call->getConfig()->getArg(0));
      for (unsigned I = 0; I < Call->getNumArgs(); ++I)
        New.Arguments.push_back(handed(*beforeCast(Call->getArg(I))));
      Found.push_back(std::move(New));
    } else if (auto *Other = llvm::dyn_cast<clang::CallExpr>(S)) {
      call(*Other);
    } else if (!isHarmless(*S)) {
      unknown(S);
    }
  }

  /// What Clang does not understand is in no tree: where it has found an error, anything may stand.
  void misread(const clang::Stmt *S, clang::SourceLocation From, clang::SourceLocation To) {
    const clang::SourceManager &Sources = Unit.ast().getSourceManager();
    From = Sources.getExpansionLoc(From), To = Sources.getExpansionLoc(To);
    for (const ParseError &Error : Unit.errors())
      if (const clang::SourceLocation At = Sources.getExpansionLoc(Error.Location);
          At.isValid() && !Sources.isBeforeInTranslationUnit(At, From) && !Sources.isBeforeInTranslationUnit(To, At)) {
        unknown(S);
        Found.back().Misread = At;
        return;
      }
  }

  /// May control come to the end of it without all of that part? Conditions are always asked.
  static bool mayLeaveOut(const clang::Stmt &Of, const clang::Stmt &Part) {
    if (auto *If = llvm::dyn_cast<clang::IfStmt>(&Of))
      return &Part == If->getThen() || &Part == If->getElse();
    if (auto *Choice = llvm::dyn_cast<clang::ConditionalOperator>(&Of))
      return &Part != Choice->getCond();
    if (auto *Switch = llvm::dyn_cast<clang::SwitchStmt>(&Of))
      return &Part == Switch->getBody();
    if (auto *Operator = llvm::dyn_cast<clang::BinaryOperator>(&Of))
      return Operator->isLogicalOp() && &Part == Operator->getRHS();
    if (llvm::isa<clang::DoStmt>(Of)) // once
      return llvm::any_of(allIn<clang::Stmt>(Part), [](const clang::Stmt *Each) {
        return llvm::isa<clang::BreakStmt, clang::ContinueStmt>(Each);
      });
    return llvm::isa<clang::CXXTryStmt>(Of);
  }

  /// What it has becomes another value, which is read by whatever name.
  void changeAt(const clang::Expr &To, const clang::Expr *From, const clang::Stmt &By) {
    const clang::Expr *Place = To.IgnoreParenImpCasts();
    while (auto *Element = llvm::dyn_cast<clang::ArraySubscriptExpr>(Place))
      Place = Element->getBase()->IgnoreParenImpCasts();
    auto *Member = llvm::dyn_cast<clang::MemberExpr>(Place);
    const clang::ValueDecl *V = Member ? Member->getMemberDecl() : variableIn(Place);
    const bool IsNamed =
        V && (Place == To.IgnoreParenImpCasts() ? !V->getType()->isReferenceType() : V->getType()->isArrayType());
    const size_t Before = Views.size();
    if (From)
      view(IsNamed ? V : nullptr, To.getType(), *From);
    if (Views.size() > Before && llvm::any_of(Path, [](const Branch &Each) { return Each.IsLoop; }))
      InLoops = Views;
    if (!isOfHost(&To) ||
        (llvm::isa<clang::ArraySubscriptExpr>(To.IgnoreParens()) && !To.getType()->isArithmeticType()))
      return unknown(&By, heldBy(&To));
    ++Time;
  }

  /// What the toolkit's functions say of their success.
  static bool isStatus(const clang::Expr *E) {
    const auto *Enum = E->IgnoreParenImpCasts()->getType()->getAs<clang::EnumType>();
    const llvm::StringRef Name = Enum ? Enum->getDecl()->getName() : "";
    return Name.contains_insensitive("error") || Name.contains_insensitive("status") || Name == "CUresult";
  }
  /// `status != cudaSuccess`, or `status` alone, of the toolkit's, whose 0 is success: no launch counts behind another
  /// that has failed.
  bool hasFailed(const clang::Expr &Condition) const {
    const clang::Expr *E = Condition.IgnoreParenImpCasts();
    auto *Compared = llvm::dyn_cast<clang::BinaryOperator>(E);
    if (!Compared)
      return isStatus(E) && Unit.inToolkit(E->getType()->castAs<clang::EnumType>()->getDecl()->getLocation());
    auto IsSuccess = [&](const clang::Expr *Side) {
      auto *Named = llvm::dyn_cast<clang::DeclRefExpr>(Side->IgnoreParenImpCasts());
      auto *Constant = Named ? llvm::dyn_cast<clang::EnumConstantDecl>(Named->getDecl()) : nullptr;
      return Constant && Constant->getInitVal() == 0;
    };
    return Compared->getOpcode() == clang::BO_NE && hasFailed(*Compared->getLHS()) && hasFailed(*Compared->getRHS()) &&
           (IsSuccess(Compared->getLHS()) || IsSuccess(Compared->getRHS()));
  }

  /// Where control may leave what stands around the statement, but for what has failed, which ends all.
  const clang::Stmt *leavesBy(const clang::Stmt *S, bool InLoop = false, bool InSwitch = false) const {
    using namespace clang;
    if (!S || isa<Expr, DeclStmt>(S))
      return nullptr;
    if (isa<ReturnStmt, GotoStmt>(S) || (isa<BreakStmt>(S) && !InLoop && !InSwitch) ||
        (isa<ContinueStmt>(S) && !InLoop))
      return S;
    auto *If = dyn_cast<IfStmt>(S);
    const bool Loops = isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt>(S);
    for (const Stmt *Child : S->children())
      if (!(If && Child == If->getThen() && hasFailed(*If->getCond())))
        if (const Stmt *Jump = leavesBy(Child, InLoop || Loops, InSwitch || isa<SwitchStmt>(S)))
          return Jump;
    return nullptr;
  }

  /// Does control not come out of it?
  bool endsIn(const clang::Stmt *S) const {
    const auto Jumps = [](const clang::Stmt *Each) {
      return llvm::isa<clang::BreakStmt, clang::ContinueStmt, clang::GotoStmt, clang::IndirectGotoStmt,
                       clang::LabelStmt, clang::SwitchCase>(Each);
    };
    return llvm::none_of(allIn<clang::Stmt>(*S), Jumps) && endsAt(S);
  }
  bool endsAt(const clang::Stmt *S) const {
    if (auto *Block = llvm::dyn_cast<clang::CompoundStmt>(S))
      return !Block->body_empty() && endsAt(Block->body_back());
    if (auto *E = llvm::dyn_cast<clang::Expr>(S))
      S = E->IgnoreImplicit();
    auto *Call = llvm::dyn_cast<clang::CallExpr>(S);
    return llvm::isa<clang::CXXThrowExpr>(S) || (Frames.size() == 1 && llvm::isa<clang::ReturnStmt>(S)) ||
           (Call && Call->getDirectCallee() && Call->getDirectCallee()->isNoReturn());
  }

  /// Not of calls and assignments: has it no effect, but for that of what it is made of?
  bool isHarmless(const clang::Stmt &S) const {
    using namespace clang;
    if (auto *Load = llvm::dyn_cast<ImplicitCastExpr>(&S); Load && Load->getCastKind() == CK_LValueToRValue)
      return !mayBeStored(Load->getSubExpr());
    return isLoop(&S, Unit.ast()) ||
           llvm::isa<CompoundStmt, IfStmt, DoStmt, SwitchStmt, SwitchCase, NullStmt, ReturnStmt, BreakStmt,
                     ContinueStmt, AttributedStmt, ExprWithCleanups, ConstantExpr, SubstNonTypeTemplateParmExpr,
                     ParenExpr, CastExpr, IntegerLiteral, FloatingLiteral, StringLiteral, CharacterLiteral,
                     CXXBoolLiteralExpr, CXXNullPtrLiteralExpr, GNUNullExpr, PredefinedExpr, DeclRefExpr, MemberExpr,
                     ArraySubscriptExpr, UnaryOperator, BinaryOperator, ConditionalOperator, StmtExpr,
                     MaterializeTemporaryExpr, InitListExpr, ImplicitValueInitExpr, CXXScalarValueInitExpr,
                     CXXThisExpr>(&S);
  }

  static bool isOfHost(const clang::Expr *Place) {
    Place = Place->IgnoreParenImpCasts();
    if (auto *Member = llvm::dyn_cast<clang::MemberExpr>(Place); Member && !Member->isArrow() && !isReference(*Member))
      return isOfHost(Member->getBase());
    auto *Element = llvm::dyn_cast<clang::ArraySubscriptExpr>(Place);
    if (Element && Element->getBase()->IgnoreParenImpCasts()->getType()->isArrayType())
      return isOfHost(Element->getBase());
    const clang::VarDecl *V = variableIn(Place);
    return V && !V->getType()->isReferenceType() && !V->getType().isVolatileQualified() &&
           !V->hasAttr<clang::CUDADeviceAttr>() && !V->hasAttr<clang::HIPManagedAttr>();
  }

  /// May one of the launches store what is loaded there? Variables and members of the host's structures are none of
  /// theirs, unless they are given such a structure.
  bool mayBeStored(const clang::Expr *Place) const {
    Place = Place->IgnoreParenImpCasts();
    auto *Call = llvm::dyn_cast<clang::CallExpr>(Place); // of `std::min`, one of its arguments
    if (Place->getType().isVolatileQualified())
      return true;
    if (!Place->isGLValue() ||
        (Call && Call->getDirectCallee() && !llvm::isa<clang::CXXMethodDecl>(Call->getDirectCallee()) &&
         Call->getDirectCallee()->isInStdNamespace()))
      return false;
    if (isOfHost(Place))
      return false;
    const clang::QualType Held = heldBy(Place);
    return Held.isNull() || llvm::any_of(Found, [&](const Launch &L) {
             return !L.Kernel.empty() && mayUse(*llvm::cast<clang::CallExpr>(L.Call)->getDirectCallee(), Held,
                                                /*Loads=*/false);
           });
  }

  /// Where a pointer or a reference leads: the structure, or the value. Null of the device's variables.
  static clang::QualType heldBy(const clang::Expr *Place) {
    Place = Place->IgnoreParenImpCasts();
    if (auto *Member = llvm::dyn_cast<clang::MemberExpr>(Place); Member && !isReference(*Member))
      return Member->isArrow() ? Member->getBase()->getType()->getPointeeType() : heldBy(Member->getBase());
    const clang::VarDecl *V = variableIn(Place);
    return (V && !V->getType()->isReferenceType()) || Place->getType().isVolatileQualified() ? clang::QualType()
                                                                                             : Place->getType();
  }

  void declare(const clang::VarDecl &V, const clang::Stmt &At) {
    const clang::QualType Of = V.getType().getNonReferenceType(); // a temporary may live as long
    if (!V.getType()->isLValueReferenceType() || Of.isConstQualified())
      Objects.push_back({Of, &At});
    // `const int n = rows * columns;` is the product, and `float *y = x;` is x.
    const Frame &Own = Frames.back();
    Frames.back().Given.erase(&V);
    if (!V.getInit())
      return;
    if (auto Init = Own.Used->isPlain(V) ? handed(*V.getInit()) : std::nullopt)
      Frames.back().Given[&V] = std::move(Init);
    else
      view(&V, V.getType(), *V.getInit());
  }

  void call(const clang::CallExpr &Call) {
    const clang::FunctionDecl *Callee = Call.getDirectCallee();
    auto *Method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(Callee);
    if (Callee && Callee->isNoReturn())
      return;
    // Another body may run, or it reads what kernels store.
    if (!Callee || (Method && Method->isVirtual()) || Callee->hasAttr<clang::WeakAttr>() ||
        llvm::any_of(Call.arguments(), [&](const clang::Expr *E) { return mayBeStored(E); }))
      return unknown(&Call);
    if (Callee == Unit.ast().getcudaConfigureCallDecl())
      return;
    if (const auto Filled = filledBy(Call, Unit)) {
      for (const clang::Expr *Each : *Filled)
        fill(*Each, Call);
      return;
    }
    // A structure's assignment, or what changes a clock's time, changes what stands at its left.
    if (auto *Operator = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&Call);
        Operator && Method && Operator->isAssignmentOp() && (Method->isTrivial() || isOfChrono(*Method)))
      return changeAt(*Call.getArg(0), Call.getArg(1), Call);
    if (isSwap(Call) && swap(Call))
      return;
    const std::string Name = Callee->getNameAsString();
    const bool IsGetter = Method && Method->isConst() && Method->param_empty() && Method->getIdentifier();
    const bool LeadsToMemory = (Method && Method->isInstance() && (!Method->isConst() || Name == "operator()")) ||
                               llvm::any_of(Call.arguments(), [&](const clang::Expr *E) {
                                 const clang::Expr *Place = addressed(E);
                                 const bool OfHost = Place && isOfHost(Place);
                                 Time += OfHost; // what is put there is read by its name
                                 return leadsToMemory(*E) && !OfHost;
                               });
    if (Unit.inLibrary(Callee->getLocation())) {
      const std::string Class = Method ? Method->getParent()->getNameAsString() : "";
      // Clocks are as builtin as printf.
      const bool IsKnown =
          Callee->isInStdNamespace() || isOfChrono(*Callee) || Callee->getBuiltinID() || computesNumber(Call, Unit) ||
          (!Method &&
           llvm::is_contained({"clock", "clock_gettime", "fflush", "gettimeofday", "omp_get_wtime", "time"}, Name));
      if (!(saysPlace(Call, Unit) || (IsGetter && Name != "wait" && !llvm::StringRef(Class).contains("future")) ||
            (IsKnown && !LeadsToMemory)))
        unknown(&Call);
      return;
    }
    if (!Callee->hasBody(Callee)) {
      // Who is given a status checks it.
      const bool IsCheck = !Method && llvm::any_of(Call.arguments(), isStatus);
      if (!(IsGetter || (IsCheck && !LeadsToMemory)))
        unknown(&Call);
      return;
    }
    const unsigned Object = llvm::isa<clang::CXXOperatorCallExpr>(Call) && Method && Method->isInstance();
    Frame Inner{&usesIn(*Callee), {}, thisOf(Call)};
    for (unsigned I = 0; I < Callee->getNumParams() && I + Object < Call.getNumArgs(); ++I)
      if (const clang::ParmVarDecl *P = Callee->getParamDecl(I); Inner.Used->isPlain(*P))
        Inner.Given[P] = handed(*passed(Call.getArg(I + Object)));
    enter(*Callee, std::move(Inner), Call);
  }

  /// The function with the body, at a call of it.
  void enter(const clang::FunctionDecl &Callee, Frame Inner, const clang::Stmt &At) {
    if (Frames.size() > Depth || Callee.isDependentContext() || Callee.hasAttr<clang::WeakAttr>() ||
        Callee.hasAttr<clang::CUDAGlobalAttr>() ||
        (Callee.hasAttr<clang::CUDADeviceAttr>() && !Callee.hasAttr<clang::CUDAHostAttr>()))
      return unknown(&At);
    Inner.Number = ++Calls;
    Frames.push_back(std::move(Inner));
    const size_t Before = Objects.size();
    if (auto *Constructor = llvm::dyn_cast<clang::CXXConstructorDecl>(&Callee))
      for (const clang::CXXCtorInitializer *Each : Constructor->inits())
        walk(Each->getInit());
    endScope(Before);
    walk(Callee.getBody());
    Frames.pop_back();
  }

  /// What a function of the toolkit fills, which changes nothing else.
  void fill(const clang::Expr &Result, const clang::Stmt &At) {
    const clang::Expr *Place = addressed(&Result);
    const clang::Expr *Other = Result.IgnoreParenCasts();
    if (const clang::VarDecl *V = Place ? variableIn(Place) : nullptr; V && Frames.back().Used->isPlain(*V))
      setFresh(*V);
    else if (Place ? isOfHost(Place) : Other->getType()->isArrayType() && isOfHost(Other))
      ++Time;
    else if (!Other->isNullPointerConstant(Unit.ast(), clang::Expr::NPC_ValueDependentIsNotNull))
      unknown(&At, Place ? heldBy(Place) : clang::QualType());
  }

  void construct(const clang::CXXConstructExpr &Made) {
    const clang::FunctionDecl *Constructor = Made.getConstructor();
    if (llvm::any_of(Made.arguments(), [&](const clang::Expr *E) { return mayBeStored(E); }))
      return unknown(&Made);
    if (Made.getConstructor()->isTrivial())
      return;
    if (!Unit.inLibrary(Constructor->getLocation()) && Constructor->hasBody(Constructor))
      return enter(*Constructor, {&usesIn(*Constructor), {}}, Made);
    if (!Unit.inLibrary(Constructor->getLocation()) ||
        llvm::any_of(Made.arguments(), [](const clang::Expr *E) { return leadsToMemory(*E); }))
      unknown(&Made);
  }

  /// What runs where such an object ends.
  void destroy(clang::QualType T, const clang::Stmt &At) {
    if (endsQuietly(T))
      return;
    const clang::CXXRecordDecl &Record = *T->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
    const clang::FunctionDecl *Destructor = Record.getDestructor();
    if (Unit.inLibrary(Record.getLocation()) || !Destructor ||
        (Record.hasUserDeclaredDestructor() && !Destructor->isDefaulted() && !Destructor->hasBody(Destructor)))
      return unknown(&At);
    if (!Destructor->isDefaulted())
      enter(*Destructor, {&usesIn(*Destructor), {}}, At);
    for (const clang::FieldDecl *Field : Record.fields())
      destroy(Field->getType(), At);
    for (const clang::CXXBaseSpecifier &Base : Record.bases())
      destroy(Base.getType(), At);
  }

  /// Those that were made since end.
  void endScope(size_t Before) {
    while (Objects.size() > Before) {
      const auto [Type, At] = Objects.pop_back_val();
      destroy(Type, *At);
    }
  }

  KnownUses &Known;
  const unsigned Depth;
  std::vector<Branch> Path;
  std::vector<Launch> Found;
  std::set<const clang::ValueDecl *> InLoops; ///< `Views`, where loops make some.
  unsigned Calls = 0;
  llvm::SmallVector<std::pair<clang::QualType, const clang::Stmt *>> Objects; ///< That end with their scopes.
};

} // namespace

struct HostLaunches::Known {
  KnownUses Of;
};

HostLaunches::HostLaunches(const ParsedUnit &Unit) : Unit(Unit), Uses(std::make_unique<Known>()) {
  for (const auto *F : allIn<clang::FunctionDecl>(
           Unit.ast(), [&](clang::SourceLocation At) { return Unit.inLibrary(At); }, /*Instances=*/true))
    if (F->doesThisDeclarationHaveABody() && !F->isImplicit() && !F->isDependentContext() &&
        !F->hasAttr<clang::CUDAGlobalAttr>())
      All.push_back(F);
}
HostLaunches::~HostLaunches() = default;

std::vector<Launch> HostLaunches::of(const clang::FunctionDecl &Function, unsigned Depth) {
  return Walk(Unit, Uses->Of, Depth).of(Function);
}

} // namespace cufuse
