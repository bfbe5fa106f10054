#include "cufuse/Reach/Reach.h"

#include "NameVisitor.h"

#include "cufuse/Reach/Assembly.h"
#include "cufuse/Reach/BuiltinVariables.h"
#include "cufuse/Reach/DeviceIr.h"

#include <clang/AST/Attr.h>
#include <llvm/Support/SaveAndRestore.h>

namespace cufuse {

namespace {

class Walk {
public:
  Walk(const ParsedUnit &Parsed, Reached &Result) : Parsed(Parsed), Result(Result) {}

  std::unique_ptr<DeviceIr> run(const clang::FunctionDecl &Kernel, bool ByCode) {
    Result.Kernel = Kernel.getDefinition();
    unit(&Kernel, nullptr);
    function(&Kernel, {}, nullptr, nullptr);
    if (const clang::TemplateArgumentList *Arguments = Kernel.getTemplateSpecializationArgs())
      for (const clang::TemplateArgument &Argument : Arguments->asArray())
        templateArgument(Argument);
    for (bool Again = true; Again;) {
      while (NextFunction < Pending.size() || NextUnit < PendingUnits.size()) {
        if (NextFunction < Pending.size())
          body(Pending[NextFunction++]);
        else
          text(PendingUnits[NextUnit++]);
      }
      if (std::exchange(ByCode, false))
        Ir = DeviceIr::generate(Parsed, Result);
      Again = anyGroup() || anyOfCode();
    }
    return std::move(Ir);
  }

private:
  struct BodyVisitor;
  struct TextVisitor;

  /// `thread_group::sync()` and its like of cooperative groups do what the group is: a block, lanes, or the grid or a
  /// cluster where the kernel makes such a group somewhere. Adds the latter's code if so.
  bool anyGroup() {
    if (OfLargeGroups.empty() || llvm::none_of(Result.Functions, [](const auto &Each) {
          auto *Made = llvm::dyn_cast<clang::CXXConstructorDecl>(Each.first);
          return Made && isLargeGroup(Made->getParent());
        }))
      return false;
    for (const auto &[From, Call] : std::exchange(OfLargeGroups, {})) {
      Result.Functions[From].Calls.push_back(Call);
      const FunctionUse Use = Result.Functions[From];
      function(Call.Callee, Call.Where, nullptr, &Use);
    }
    SkipsLargeGroups = false;
    return true;
  }

  /// Adds what reached code names, wherever it is from.
  bool anyOfCode() {
    if (!Ir)
      return false;
    const size_t Walked = Result.Functions.size();
    for (const CodeReference &Each : Ir->references()) {
      auto From = Result.Functions.find(Each.From);
      if (From - Result.Functions.begin() >= static_cast<ptrdiff_t>(Walked))
        continue; // or is not reached
      if (auto *Variable = llvm::dyn_cast<clang::VarDecl>(Each.To)) {
        if (!Variable->isLocalVarDecl())
          variable(*Variable, /*IsRun=*/true);
      } else if (const auto &Function = *llvm::cast<clang::FunctionDecl>(Each.To);
                 !(SkipsLargeGroups && isOfLargeGroup(*Each.From, Function)) &&
                 llvm::none_of(From->second.Calls,
                               [&](const CallSite &Call) { return withBody(Call.Callee) == withBody(&Function); })) {
        const CallSite Call{&Function, nullptr, Ir->where(Each)};
        From->second.Calls.push_back(Call);
        const FunctionUse Use = From->second;
        function(&Function, Call.Where, nullptr, &Use);
      }
      mention(Each.To, nullptr);
    }
    return NextFunction < Pending.size() || NextUnit < PendingUnits.size();
  }

  static bool isLargeGroup(const clang::CXXRecordDecl *Record) {
    return isOfGroups(Record, {"grid_group", "cluster_group"});
  }
  /// A call in `thread_group` for what the group is only if it is a grid or a cluster.
  static bool isOfLargeGroup(const clang::FunctionDecl &Caller, const clang::FunctionDecl &Callee) {
    auto *Method = llvm::dyn_cast<clang::CXXMethodDecl>(&Caller);
    return Method && isOfGroups(Method->getParent(), {"thread_group"}) && Callee.getNumParams() == 1 &&
           isLargeGroup(Callee.getParamDecl(0)->getType().getNonReferenceType()->getAsCXXRecordDecl());
  }

  void broken(const clang::Decl *D, std::string Fact = {}) {
    if (Result.HasErrors && Fact.empty())
      return;
    Result.HasErrors = true;
    Result.ErrorAt = D->getLocation();
    Result.ErrorFact = std::move(Fact);
  }

  /// Adds the unit that holds `D` and its other declarations in the user's files.
  void unit(const clang::Decl *D, const clang::Decl *From) {
    for (const clang::Decl *Other : pattern(D)->redecls()) {
      // Clang adds a first declaration of an explicit specialisation that nobody wrote.
      if (auto *Special = llvm::dyn_cast<clang::FunctionDecl>(Other);
          Special && Special->getTemplateSpecializationKind() == clang::TSK_ExplicitSpecialization &&
          Special->getNumTemplateParameterLists() == 0)
        continue;
      const clang::Decl *Whole = enclosingUnit(Other);
      if (!Whole || !inUsersFile(Whole))
        continue;
      if (Result.Units.insert(Whole))
        PendingUnits.push_back(Whole);
      if (From && From != Whole)
        Result.References[From].insert(Whole);
    }
  }

  void function(const clang::FunctionDecl *F, clang::SourceLocation EnteredAt, const clang::FunctionDecl *EnteredAs,
                const FunctionUse *From) {
    const clang::FunctionDecl *Definition = withBody(F);
    if (!Definition || Definition->isDependentContext())
      return;
    const bool System = !inUsersFile(Definition);
    // A name says what a function does only where it is CUDA's.
    if (System && classify(*F) != Intrinsic::None && Parsed.inToolkit(Definition->getLocation()))
      return;
    if (Result.Functions.count(Definition))
      return;
    FunctionUse Use;
    Use.Function = Definition;
    Use.System = System;
    if (System) {
      Use.EnteredAt = From && From->System ? From->EnteredAt : EnteredAt;
      Use.EnteredAs = From && From->System ? From->EnteredAs : F;
    }
    Result.Functions.insert({Definition, std::move(Use)});
    Pending.push_back(Definition);
  }

  void variable(const clang::VarDecl &Variable, bool IsRun) {
    const clang::VarDecl *Pattern = llvm::cast<clang::VarDecl>(pattern(&Variable));
    if (Pattern->hasAttr<clang::CUDAConstantAttr>() && !Parsed.inToolkit(Pattern->getLocation())) // as is warpSize
      Result.Constants.insert(Variable.getCanonicalDecl());
    const bool Users = inUsersFile(&Variable);
    if (Users && Pattern->isStaticDataMember() && llvm::any_of(Pattern->attrs(), [](const clang::Attr *A) {
          return llvm::isa<clang::CUDAConstantAttr, clang::CUDADeviceAttr>(A) && !A->isImplicit();
        }))
      broken(&Variable, "nvcc makes no variable of the device of the member '" + Variable.getNameAsString() + "'");
    if (!Variable.hasGlobalStorage() || Variable.isLocalVarDecl())
      return;
    if (Pattern->hasAttr<clang::CUDASharedAttr>() ||
        ((Users || !Parsed.inToolkit(Variable.getLocation())) &&
         (Pattern->hasAttr<clang::CUDADeviceAttr>() || Pattern->hasAttr<clang::CUDAConstantAttr>())))
      Result.Globals.insert(Variable.getCanonicalDecl());
    // nvcc has no such variable for the device, unless an attribute says so that Clang does not know: `managed`.
    else if (Users && IsRun && !Variable.isConstexpr() && !Variable.getType().isConstant(Variable.getASTContext()))
      broken(&Variable, "'" + Variable.getNameAsString() + "' is no variable of the device");
  }

  void templateArgument(const clang::TemplateArgument &Argument) {
    if (Argument.getKind() == clang::TemplateArgument::Type)
      type(Argument.getAsType());
    else if (Argument.getKind() == clang::TemplateArgument::Template) {
      if (auto *T = Argument.getAsTemplate().getAsTemplateDecl())
        unit(T, nullptr);
    } else if (Argument.getKind() == clang::TemplateArgument::Declaration)
      mention(Argument.getAsDecl(), nullptr);
    else if (Argument.getKind() == clang::TemplateArgument::Pack)
      for (const clang::TemplateArgument &Inner : Argument.pack_elements())
        templateArgument(Inner);
  }

  void type(clang::QualType T) {
    for (clang::QualType Part = T.getCanonicalType(); !Part->getPointeeType().isNull(); Part = Part->getPointeeType())
      if (auto *Member = Part->getAs<clang::MemberPointerType>())
        unit(Member->getMostRecentCXXRecordDecl(), nullptr);
    if (auto *Function = endOf(T)->getAs<clang::FunctionProtoType>()) {
      type(Function->getReturnType());
      for (const clang::QualType Parameter : Function->param_types())
        type(Parameter);
    } else if (const clang::TagDecl *Tag = endOf(T)->getAsTagDecl()) {
      if (!Tag->getParentFunctionOrMethod())
        unit(Tag, nullptr);
      if (const clang::TypedefNameDecl *Named = Tag->getTypedefNameForAnonDecl())
        mention(Named, nullptr);
      if (auto *Special = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(Tag)) {
        unit(Special->getSpecializedTemplate(), nullptr);
        for (const clang::TemplateArgument &Argument : Special->getTemplateArgs().asArray())
          templateArgument(Argument);
      }
    }
  }

  /// A name in text: its unit is needed, and if it is a template, so are all its specialisations, since leaving one out
  /// would silently select another.
  void mention(const clang::NamedDecl *D, const clang::Decl *From) {
    if (llvm::isa<clang::ParmVarDecl, clang::TemplateTypeParmDecl, clang::NonTypeTemplateParmDecl>(D))
      return;
    if (auto *Shadow = llvm::dyn_cast<clang::UsingShadowDecl>(D)) {
      if (Shadow->getIntroducer())
        unit(Shadow->getIntroducer(), From);
      if (!inUsersFile(Shadow))
        Result.External.insert(Shadow);
      D = Shadow->getTargetDecl();
    }
    if (D->isInvalidDecl())
      broken(D);
    if (D->getParentFunctionOrMethod() || D->getLexicalDeclContext()->isFunctionOrMethod())
      return; // local: its function's text holds it
    if (llvm::isa<clang::NamespaceAliasDecl>(D))
      unit(D, From);
    if (auto *Namespace = llvm::dyn_cast<clang::NamespaceDecl>(D))
      Result.Namespaces.insert(Namespace->getCanonicalDecl());
    if (llvm::isa<clang::NamespaceDecl, clang::NamespaceAliasDecl>(D))
      return;
    if (auto *Special = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(D);
        Special && !llvm::isa<clang::ClassTemplatePartialSpecializationDecl>(D)) {
      mention(Special->getSpecializedTemplate(), From);
      if (Special->isExplicitSpecialization())
        unit(Special, From);
      return;
    }
    unit(D, From);
    const clang::Decl *Pattern = pattern(D);
    auto *Function = llvm::dyn_cast<clang::FunctionDecl>(Pattern);
    if (Function && Function->getPrimaryTemplate())
      mention(Function->getPrimaryTemplate(), From);
    else if (Function && Function->getDescribedFunctionTemplate())
      specializations(*Function->getDescribedFunctionTemplate(), From);
    else if (auto *T = llvm::dyn_cast<clang::FunctionTemplateDecl>(Pattern))
      specializations(*T, From);
    else if (auto *T = llvm::dyn_cast<clang::ClassTemplateDecl>(Pattern)) {
      specializations<clang::ClassTemplatePartialSpecializationDecl>(*T, From);
      clang::ASTContext &Context = T->getASTContext();
      for (const clang::NamedDecl *Guide : T->getDeclContext()->lookup(
               Context.DeclarationNames.getCXXDeductionGuideName(const_cast<clang::ClassTemplateDecl *>(T))))
        if (!Guide->isImplicit())
          unit(Guide, From);
    } else if (auto *T = llvm::dyn_cast<clang::VarTemplateDecl>(Pattern))
      specializations<clang::VarTemplatePartialSpecializationDecl>(*T, From);
    const clang::DeclContext *Context = D->getDeclContext()->getRedeclContext();
    if (Context->isFileContext() && !inUsersFile(D))
      Result.External.insert(D);
  }

  template <typename Partial = void, typename Template>
  void specializations(const Template &T, const clang::Decl *From) {
    for (const auto *S : T.specializations())
      if (S->getTemplateSpecializationKind() == clang::TSK_ExplicitSpecialization)
        unit(S, From);
    if constexpr (!std::is_void_v<Partial>) {
      llvm::SmallVector<Partial *> Found;
      T.getPartialSpecializations(Found);
      for (const clang::Decl *P : Found)
        unit(P, From);
    }
  }

  void body(const clang::FunctionDecl *F);
  void text(const clang::Decl *Unit);

  const ParsedUnit &Parsed;
  Reached &Result;
  std::unique_ptr<DeviceIr> Ir;
  std::vector<const clang::FunctionDecl *> Pending;
  std::vector<const clang::Decl *> PendingUnits;
  size_t NextFunction = 0, NextUnit = 0;
  std::vector<std::pair<const clang::FunctionDecl *, CallSite>> OfLargeGroups;
  bool SkipsLargeGroups = true;
};

/// Collects what an instantiated body does.
struct Walk::BodyVisitor : NameVisitor {
  BodyVisitor(Walk &W, FunctionUse &Use) : W(W), Use(Use) {}

  void name(const clang::NamedDecl *D, const clang::Expr *E, clang::SourceLocation Where) override {
    if (auto *Value = llvm::dyn_cast<clang::ValueDecl>(D))
      if (const std::optional<Builtin> B = builtinVariable(*Value)) {
        // Counted by VisitMemberExpr where a dimension is named.
        if (!Members.count(E))
          Use.Reads.push_back({static_cast<unsigned>(*B), -1, Depth > 0, Where});
        return;
      }
    if (isKernel(D)) {
      // It stays what it is in the program: nothing of it becomes part of this kernel.
      auto Call = Callees.find(E);
      if (Call == Callees.end() || !llvm::isa<clang::CUDAKernelCallExpr>(Call->second))
        Use.Launches.push_back({llvm::dyn_cast<clang::FunctionDecl>(D), nullptr, Where});
      return;
    }
    if (auto *Function = llvm::dyn_cast<clang::FunctionDecl>(D)) {
      auto Call = Callees.find(E);
      if (W.SkipsLargeGroups && Use.System && isOfLargeGroup(*Use.Function, *Function))
        return W.OfLargeGroups.push_back(
            {Use.Function, {Function, Call == Callees.end() ? nullptr : Call->second, Where}});
      if (E) { // else it is a candidate of an unresolved name only
        Use.Calls.push_back({Function, Call == Callees.end() ? nullptr : Call->second, Where, Asked == 0});
        W.function(Function, Where, nullptr, &Use);
      }
    }
    if (auto *Variable = llvm::dyn_cast<clang::VarDecl>(D)) {
      W.variable(*Variable, Asked == 0);
      // Whoever names a variable can reach what its initialiser names: a table of functions, of tables, of objects.
      const clang::VarDecl *Initialised = nullptr;
      if (const clang::Expr *Init = Variable->getAnyInitializer(Initialised);
          Init && Variable->hasGlobalStorage() && !Init->isValueDependent() && Initialisers.insert(Init).second)
        TraverseStmt(Init);
    }
    W.mention(D, nullptr);
  }
  bool VisitCallExpr(const clang::CallExpr *Call) override {
    const clang::Expr *Callee = Call->getCallee()->IgnoreParenImpCasts();
    // `F` of `template <void (*F)()>` is `&f`.
    if (auto *Address = llvm::dyn_cast<clang::UnaryOperator>(Callee);
        Address && Call->getDirectCallee() && !llvm::isa<clang::CUDAKernelCallExpr>(Call))
      Callee = Address->getSubExpr()->IgnoreParenImpCasts();
    Callees[Callee] = Call;
    return true;
  }
  bool VisitCastExpr(const clang::CastExpr *Cast) override {
    // Code may come out of what does not say that it leads there, and an object may be filled as bytes.
    switch (Cast->getCastKind()) {
    case clang::CK_BitCast:
    case clang::CK_LValueBitCast:
    case clang::CK_LValueToRValueBitCast:
    case clang::CK_IntegralToPointer:
    case clang::CK_PointerToIntegral:
    case clang::CK_BaseToDerived:
    case clang::CK_AddressSpaceConversion:
    case clang::CK_ReinterpretMemberPointer:
      Use.HidesCode |= leadsToCode(Cast->getType()) != leadsToCode(Cast->getSubExpr()->getType());
      break;
    default:
      break;
    }
    return true;
  }
  bool VisitMemberExpr(const clang::MemberExpr *Member) override {
    if (const auto Read = builtinMember(Member); Read && Members.insert(Read->Named).second)
      Use.Reads.push_back({static_cast<unsigned>(Read->Variable), static_cast<int>(Read->Dimension), Depth > 0,
                           Read->Named->getLocation()});
    return NameVisitor::VisitMemberExpr(Member);
  }
  bool VisitVarDecl(const clang::VarDecl *V) override {
    if (V->isInvalidDecl() && V->hasAttr<clang::CUDASharedAttr>())
      W.broken(V, "shared memory '" + V->getNameAsString() + "' has a constructor or a destructor");
    if (V->hasAttr<clang::CUDASharedAttr>())
      Use.Shared.push_back(V);
    else if (V->isStaticLocal() && !isTable(*V))
      Use.MutableStatics.push_back(V);
    W.type(V->getType());
    if (const auto *Union = V->getType()->getAsCXXRecordDecl(); Union && Union->isUnion())
      Use.HidesCode |= leadsToCode(V->getType());
    return true;
  }
  bool VisitGCCAsmStmt(const clang::GCCAsmStmt *Assembly) override {
    Use.Assembly.push_back(Assembly);
    const AssemblyScan Scan = scanAssembly(*Assembly);
    Use.AssemblyUsesBlock |= !Scan.Mentions.empty() || !Scan.Unknown.empty();
    for (const AssemblyMention &M : Scan.Mentions)
      if (M.What == AssemblyMention::Kind::Register)
        Use.Reads.push_back({static_cast<unsigned>(M.Variable), M.Dimension, Depth > 0, Assembly->getAsmLoc()});
    return true;
  }
  bool VisitCUDAKernelCallExpr(const clang::CUDAKernelCallExpr *Launch) override {
    Use.Launches.push_back({Launch->getDirectCallee(), Launch, Launch->getBeginLoc()});
    return true;
  }
  bool VisitReturnStmt(const clang::ReturnStmt *Return) override {
    if (Functions == 0)
      Use.Returns.push_back(Return);
    return true;
  }
  bool VisitRecoveryExpr(const clang::RecoveryExpr *) override {
    W.broken(Use.Function);
    return true;
  }
  // Default arguments and member initialisers stand in the text of the callee.
  bool TraverseCXXDefaultArgExpr(MaybeConst<clang::CXXDefaultArgExpr> *E) override {
    const llvm::SaveAndRestore Inside(Depth, Depth + 1);
    return NameVisitor::TraverseCXXDefaultArgExpr(E);
  }
  bool TraverseCXXDefaultInitExpr(MaybeConst<clang::CXXDefaultInitExpr> *E) override {
    const llvm::SaveAndRestore Inside(Depth, Depth + 1);
    return NameVisitor::TraverseCXXDefaultInitExpr(E);
  }
  // What stands in these is never run.
  bool TraverseRequiresExpr(MaybeConst<clang::RequiresExpr> *E) override {
    const llvm::SaveAndRestore Inside(Asked, Asked + 1);
    return NameVisitor::TraverseRequiresExpr(E);
  }
  bool TraverseDecltypeTypeLoc(clang::DecltypeTypeLoc Type, bool TraverseQualifier) override {
    const llvm::SaveAndRestore Inside(Asked, Asked + 1);
    return NameVisitor::TraverseDecltypeTypeLoc(Type, TraverseQualifier);
  }
  bool TraverseCXXNoexceptExpr(MaybeConst<clang::CXXNoexceptExpr> *E) override {
    const llvm::SaveAndRestore Inside(Asked, Asked + 1);
    return NameVisitor::TraverseCXXNoexceptExpr(E);
  }
  // What it leads to is in the body that it is an argument of.
  bool TraverseTemplateArgumentLoc(const clang::TemplateArgumentLoc &Argument) override {
    const llvm::SaveAndRestore Inside(Asked, Asked + 1);
    return NameVisitor::TraverseTemplateArgumentLoc(Argument);
  }
  bool TraverseUnaryExprOrTypeTraitExpr(MaybeConst<clang::UnaryExprOrTypeTraitExpr> *E) override {
    const llvm::SaveAndRestore Inside(Asked, Asked + 1);
    return NameVisitor::TraverseUnaryExprOrTypeTraitExpr(E);
  }
  bool TraverseLambdaExpr(MaybeConst<clang::LambdaExpr> *Lambda) override {
    const bool Hides = Lambda->getCaptureDefault() == clang::LCD_None;
    const llvm::SaveAndRestore Inside(Depth, Depth + Hides), Own(Functions, Functions + 1);
    return NameVisitor::TraverseLambdaExpr(Lambda);
  }
  bool TraverseCXXRecordDecl(MaybeConst<clang::CXXRecordDecl> *Record) override {
    if (Record->isLambda())
      return true;
    const llvm::SaveAndRestore Inside(Depth, Depth + 1), Own(Functions, Functions + 1);
    return NameVisitor::TraverseCXXRecordDecl(Record);
  }

  Walk &W;
  FunctionUse &Use;
  std::map<const clang::Expr *, const clang::CallExpr *> Callees;
  std::set<const clang::Expr *> Members, Initialisers;
  unsigned Depth = 0, Functions = 0, Asked = 0;
};

/// Collects what the text of a unit names.
struct Walk::TextVisitor : NameVisitor {
  TextVisitor(Walk &W, const clang::Decl *Unit) : W(W), Unit(Unit) {}
  void name(const clang::NamedDecl *D, const clang::Expr *, clang::SourceLocation) override {
    if (auto *Value = llvm::dyn_cast<clang::ValueDecl>(D); (Value && builtinVariable(*Value)) || isKernel(D))
      return;
    W.mention(D, Unit);
  }
  void globalQualifier(clang::SourceLocation Where) override { W.Result.GlobalQualifiers.push_back(Where); }
  bool VisitRecoveryExpr(const clang::RecoveryExpr *) override {
    W.broken(Unit);
    return true;
  }
  Walk &W;
  const clang::Decl *Unit;
};

void Walk::body(const clang::FunctionDecl *F) {
  // A copy, since walking adds functions to the map.
  FunctionUse Use = Result.Functions.find(F)->second;
  if (F->isInvalidDecl())
    broken(F);
  BodyVisitor Visitor(*this, Use);
  for (const clang::ParmVarDecl *Parameter : F->parameters())
    type(Parameter->getType());
  if (auto *Constructor = llvm::dyn_cast<clang::CXXConstructorDecl>(F))
    for (const clang::CXXCtorInitializer *Initializer : Constructor->inits())
      Visitor.TraverseConstructorInitializer(Initializer);
  Visitor.TraverseStmt(F->getBody());
  Result.Functions[F] = std::move(Use);
}

void Walk::text(const clang::Decl *Unit) {
  TextVisitor Visitor(*this, Unit);
  Visitor.TraverseDecl(Unit);
}

} // namespace

/// Those for which it is so, and among those that may be, what calls them.
static llvm::SetVector<const clang::FunctionDecl *> withCallers(const Reached &Reach,
                                                                llvm::function_ref<bool(const FunctionUse &)> Is,
                                                                llvm::function_ref<bool(const FunctionUse &)> MayBe) {
  llvm::SetVector<const clang::FunctionDecl *> Found;
  for (bool Changed = true; std::exchange(Changed, false);)
    for (const auto &[Function, Use] : Reach.Functions)
      if (MayBe(Use) && (Is(Use) || llvm::any_of(Use.Calls, [&](const CallSite &Call) {
                           return Found.contains(withBody(Call.Callee));
                         })))
        Changed |= Found.insert(Function);
  return Found;
}

std::set<const clang::FunctionDecl *> readersOf(const Reached &Reach, bool (*Counts)(Builtin)) {
  const auto Found = withCallers(
      Reach,
      [&](const FunctionUse &Use) {
        return llvm::any_of(Use.Reads, [&](const auto &Read) { return Counts(static_cast<Builtin>(Read.Builtin)); });
      },
      [&](const FunctionUse &Use) { return !Use.System && Use.Function != Reach.Kernel; });
  return {Found.begin(), Found.end()};
}

llvm::SetVector<const clang::FunctionDecl *> libraryFunctionsOfLinker(const Reached &Reach) {
  auto Found = withCallers(
      Reach,
      [](const FunctionUse &Use) {
        return Use.System && (!Use.Reads.empty() || llvm::any_of(Use.Calls, [](const CallSite &Call) {
                 return classify(*Call.Callee) == Intrinsic::Barrier;
               }));
      },
      [](const FunctionUse &) { return true; });
  Found.remove_if([&](const clang::FunctionDecl *Function) {
    return !Reach.Functions.find(Function)->second.System || Function->hasAttr<clang::AlwaysInlineAttr>() ||
           !Function->isExternallyVisible();
  });
  return Found;
}

Reached reach(const ParsedUnit &Unit, const clang::FunctionDecl &Kernel) {
  Reached Result;
  Walk(Unit, Result).run(Kernel, /*ByCode=*/false);
  return Result;
}

std::unique_ptr<DeviceIr> reach(const ParsedUnit &Unit, const clang::FunctionDecl &Kernel, Reached &Into) {
  return Walk(Unit, Into).run(Kernel, /*ByCode=*/!Kernel.isDependentContext());
}

} // namespace cufuse
