#include "cufuse/Facts/CollectFacts.h"

#include "cufuse/Code/Meetings.h"

#include "cufuse/Code/DeviceConvergence.h"
#include "cufuse/Code/SpinLoops.h"
#include "cufuse/Facts/FindKernel.h"
#include "cufuse/Facts/GridStrideLoop.h"
#include "cufuse/Reach/Assembly.h"
#include "cufuse/Reach/DynamicShared.h"
#include "cufuse/Reach/Layout.h"

#include <clang/AST/Mangle.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>
#include <fmt/core.h>

namespace cufuse {

namespace {

/// Where user code makes the function load by the texture or read-only cache, if it does.
clang::SourceLocation readOnlyLoad(const clang::FunctionDecl &Function, const FunctionUse &Use) {
  if (isLdg(Function))
    return {}; // its calls count
  if (Use.System && llvm::any_of(Use.Calls, [](const CallSite &Call) { return isLdg(*Call.Callee); }))
    return Use.EnteredAt;
  const clang::IdentifierInfo *Name = Function.getIdentifier();
  if (Use.System && Name &&
      (Name->isStr("__ldu") || Name->getName().starts_with("tex") ||
       (Name->getName().starts_with("surf") && Name->getName().contains("read"))))
    return Use.EnteredAt;
  for (const clang::GCCAsmStmt *Assembly : Use.Assembly)
    for (const std::string Text = Assembly->getAsmString(); const PtxStatement &S : ptxStatements(Text))
      if (llvm::is_contained({"tex", "tld4", "ldu", "suld"}, S.name()) || S.hasAny({"nc"}))
        return Use.System ? Use.EnteredAt : Assembly->getAsmLoc();
  return {};
}

/// Where the function begins what ends with the whole grid only: a kernel, or a copy by the device's runtime.
clang::SourceLocation gridLaunch(const FunctionUse &Use) {
  if (!Use.Launches.empty())
    return Use.System ? Use.EnteredAt : Use.Launches[0].Where;
  for (const CallSite &Call : Use.Calls)
    if (const clang::IdentifierInfo *Name = Call.Callee->getIdentifier();
        Name && Name->getName().ltrim("_").starts_with("cuda") && Call.Callee->isExternC())
      return Use.System ? Use.EnteredAt : Call.Where;
  return {};
}

/// Adds what the device's code shows and the syntax does not. Whatever either of them sees counts.
void addDeviceFacts(const DeviceIr *Ir, KernelFacts &Facts) {
  if (!Ir) {
    const Finding Unknown{"its code cannot be generated, so it is not known who skips what", Facts.Name, Facts.Where};
    Facts.WarpPrimitives.push_back(Unknown);
    Facts.ExitsBeforeWarpPrimitive.push_back(Unknown);
    Facts.CopiesAsynchronously = Facts.CopiesInBulk = true;
    Facts.SpinLoop = {"its code cannot be generated, so it is not known for what it waits", Facts.Name, Facts.Where};
    if (Facts.ExitsBeforeBarrier.empty() && (!Facts.Barriers.empty() || !Facts.LibraryBarriers.empty()))
      Facts.ExitsBeforeBarrier.push_back(Unknown);
    return;
  }
  DeviceConvergence Found = findDivergence(*Ir);
  if (Found.BeforeBarrier)
    Facts.ExitsBeforeBarrier.push_back(std::move(*Found.BeforeBarrier));
  Facts.SignedThreadNumber = Found.WarpsBeforeWarpPrimitive && Found.SignedThreadNumber;
  // Where lanes leave, no shape is allowed that whole warps would be.
  if (Found.LanesBeforeWarpPrimitive)
    Facts.ExitsBeforeWarpPrimitive.push_back(std::move(*Found.LanesBeforeWarpPrimitive));
  else if (Found.WarpsBeforeWarpPrimitive)
    Facts.ExitsBeforeWarpPrimitive.push_back(std::move(*Found.WarpsBeforeWarpPrimitive));
  for (Finding &Primitive : Found.WarpPrimitives)
    if (llvm::none_of(Facts.WarpPrimitives, [&](const Finding &Known) {
          return Known.Where.Line == Primitive.Where.Line && Known.Where.File == Primitive.Where.File &&
                 Known.OfBlockReduce == Primitive.OfBlockReduce;
        }))
      Facts.WarpPrimitives.push_back(std::move(Primitive));
  Facts.AsksLane = asksLane(*Ir);
  Facts.SpinLoop = findSpinLoop(*Ir);
  Facts.CopiesAsynchronously = Found.CopiesAsynchronously;
  Facts.CopiesInBulk = Found.CopiesInBulk;
  Facts.KeptMbarrier = std::move(Found.Mbarrier);
  // The asynchronous proxy sees what a launch before stored, but nothing of the same launch without a fence.
  if (Found.CopiesInBulk && !Facts.DynamicShared.empty())
    Facts.DynamicAlignment = std::max(Facts.DynamicAlignment, BulkAlignment);
  if (Found.CopiesInBulk)
    Facts.ReadOnlyLoads.push_back({"cp.async.bulk", Facts.Name, Facts.Where});
}

/// As nvcc does, by the bounds that are written last: on any declaration of the kernel, and of a template on any before
/// the instance.
std::optional<unsigned> maxThreads(const clang::FunctionDecl &Kernel) {
  const clang::SourceManager &Sources = Kernel.getASTContext().getSourceManager();
  const clang::CUDALaunchBoundsAttr *Last = nullptr;
  auto Add = [&](const clang::FunctionDecl *Declaration) {
    for (const auto *Each : Declaration->specific_attrs<clang::CUDALaunchBoundsAttr>())
      if (!Last || Sources.isBeforeInTranslationUnit(Last->getLocation(), Each->getLocation()))
        Last = Each;
  };
  for (const clang::FunctionDecl *Each : Kernel.redecls())
    Add(Each);
  if (const clang::FunctionDecl *Pattern = Kernel.getTemplateInstantiationPattern())
    for (const clang::FunctionDecl *Each : Pattern->redecls())
      if (Sources.isBeforeInTranslationUnit(Each->getLocation(), Kernel.getPointOfInstantiation()))
        Add(Each);
  clang::Expr::EvalResult Value;
  if (const clang::Expr *Threads = Last ? Last->getMaxThreads() : nullptr;
      Threads && !Threads->isValueDependent() && Threads->EvaluateAsInt(Value, Kernel.getASTContext()))
    return Value.Val.getInt().getZExtValue();
  return std::nullopt;
}

} // namespace

std::string spaceOf(const clang::VarDecl &Variable) {
  for (const auto *Annotation : Variable.specific_attrs<clang::AnnotateAttr>())
    if (Annotation->getAnnotation() == "cufuse_managed")
      return "__managed__";
  if (Variable.hasAttr<clang::CUDAConstantAttr>())
    return "__constant__";
  return Variable.hasAttr<clang::CUDASharedAttr>() ? "__shared__" : "__device__";
}

std::vector<std::string> parameterNames(const clang::FunctionDecl &Kernel) {
  std::vector<std::string> Names;
  for (const clang::ParmVarDecl *Parameter : Kernel.parameters())
    Names.push_back(Parameter->getNameAsString());
  for (size_t I = 0; I < Names.size(); ++I) {
    // The parameters of a pack share a name.
    auto IsTaken = [&](const std::string &Name) {
      const auto Found = std::find(Names.begin(), Names.end(), Name);
      return Found != Names.end() && (Names[I].empty() || Found < Names.begin() + I);
    };
    const std::string Base = Names[I].empty() ? fmt::format("arg{}", I) : Names[I];
    std::string Own = Base;
    for (unsigned N = 1; IsTaken(Own); ++N)
      Own = fmt::format("{}_{}", Base, N);
    Names[I] = Own;
  }
  return Names;
}

KernelFacts collectFacts(const ParsedUnit &Unit, const HostCode &Host, const Reached &Reach, const DeviceIr *Ir) {
  const clang::FunctionDecl &Kernel = *Reach.Kernel;
  clang::ASTContext &Context = Unit.ast();
  const clang::PrintingPolicy &Policy = Context.getPrintingPolicy();
  KernelFacts Facts;
  Facts.Name = Kernel.getNameAsString();
  Facts.QualifiedName = qualifiedNameOf(Kernel);
  Facts.Signature = signatureOf(Kernel);
  if (!Kernel.isDependentContext())
    Facts.MangledName = clang::ASTNameGenerator(Context).getName(&Kernel);
  Facts.Where = Unit.place(Kernel.getLocation());
  Facts.IsTemplate = Kernel.isDependentContext();
  if (const clang::FunctionTemplateDecl *Template =
          Facts.IsTemplate ? Kernel.getDescribedFunctionTemplate() : Kernel.getPrimaryTemplate())
    for (const clang::NamedDecl *Parameter : *Template->getTemplateParameters()) {
      std::string Text;
      llvm::raw_string_ostream Out(Text);
      Parameter->print(Out, Policy);
      Facts.TemplateParameters.push_back(Text);
    }
  const std::vector<std::string> Names = parameterNames(Kernel);
  for (const clang::ParmVarDecl *Parameter : Kernel.parameters()) {
    ParameterFacts Found{Names[Facts.Parameters.size()], Parameter->getType().getAsString(Policy)};
    if (const clang::QualType T = Parameter->getType();
        !T->isReferenceType() && !T->isIncompleteType() && !T->isDependentType()) {
      Found.Bytes = Context.getTypeSizeInChars(T).getQuantity();
      Found.Alignment = Context.getTypeAlignInChars(T).getQuantity();
      Found.Fields = fieldsOf(Context, T);
      Facts.ParameterBytes += Found.Bytes;
    }
    Facts.Parameters.push_back(std::move(Found));
  }
  Facts.MaxThreads = maxThreads(Kernel);
  Facts.Launches = Host.launches(Kernel);
  // The first token of a macro stands for the loop's; what the macro has before it would come between the two.
  if (const clang::ForStmt *Loop = gridStrideLoop(Kernel).Loop)
    if (const clang::SourceLocation At = Loop->getBeginLoc();
        At.isFileID() || clang::Lexer::isAtStartOfMacroExpansion(At, Context.getSourceManager(), Context.getLangOpts()))
      Facts.GridStrideLoop = Unit.place(Context.getSourceManager().getExpansionLoc(At));

  auto AddShared = [&](const clang::VarDecl &Shared, const std::string &Function, bool IsKernels) {
    const clang::QualType Type = Shared.getType();
    SharedArray Array{Shared.getNameAsString(), Type.getAsString(Policy), 0, Function,
                      Unit.place(Shared.getLocation())};
    if (Shared.hasExternalStorage()) {
      Facts.DynamicShared.push_back(Array);
      if (!Type->isDependentType())
        Facts.DynamicAlignment =
            std::max<unsigned>(Facts.DynamicAlignment, Context.getDeclAlign(&Shared).getQuantity());
      Facts.HelperHasDynamicShared |= !IsKernels;
      return;
    }
    if (!Type->isIncompleteType() && !Type->isDependentType())
      Array.Bytes = Context.getTypeSizeInChars(Type).getQuantity();
    Facts.StaticShared.push_back(Array);
  };
  for (const auto &[Function, Use] : Reach.Functions) {
    if (const clang::SourceLocation At = gridLaunch(Use); At.isValid() && !Facts.GridLaunch)
      Facts.GridLaunch = {"", Kernel.getNameAsString(), Unit.place(At)};
    if (const clang::SourceLocation At = readOnlyLoad(*Function, Use); At.isValid())
      Facts.ReadOnlyLoads.push_back({Use.EnteredAs ? Use.EnteredAs->getNameAsString() : "ld.global.nc",
                                     Kernel.getNameAsString(), Unit.place(At)});
    if (Use.System) {
      Facts.MultiWarpTiles |= Function->getIdentifier() && Function->getName().starts_with("sync_warps");
      auto *Method = llvm::dyn_cast<clang::CXXMethodDecl>(Function);
      Facts.UsesAnyGroup |= Method && isOfGroups(Method->getParent(), {"thread_group"});
      for (const BuiltinRead &Read : Use.Reads) {
        Facts.ReadByLibrary[Read.Builtin] = true;
        // What it reads of the grid, the launcher allows.
        if (Read.Builtin == static_cast<unsigned>(Builtin::BlockIdx) ||
            Read.Builtin == static_cast<unsigned>(Builtin::GridDim))
          for (int I = 0; I < 3; ++I)
            Facts.Reads[Read.Builtin][I] |= Read.Dimension < 0 || Read.Dimension == I;
      }
      for (const CallSite &Call : Use.Calls)
        if (std::string Name = Call.Callee->getNameAsString();
            classify(*Call.Callee) == Intrinsic::Barrier && !llvm::is_contained(Facts.LibraryBarriers, Name))
          Facts.LibraryBarriers.push_back(std::move(Name));
      continue;
    }
    const bool IsKernel = Function == Reach.Kernel;
    const std::string Name = qualifiedNameOf(*Function);
    if (!IsKernel && Function->getIdentifier())
      Facts.Helpers.push_back(Name);
    for (const BuiltinRead &Read : Use.Reads) {
      Facts.ReadByHelper[Read.Builtin] |= !IsKernel || Read.OutsideBody;
      for (int I = 0; I < 3; ++I)
        Facts.Reads[Read.Builtin][I] |= Read.Dimension < 0 || Read.Dimension == I;
    }
    for (const CallSite &Call : Use.Calls) {
      const SourcePlace Where = Unit.place(Call.Where);
      const bool IsLdg = isLdg(*Call.Callee);
      Facts.LoadsByLdg |= IsLdg;
      if (const clang::IdentifierInfo *Id = Call.Callee->getIdentifier(); Id && Id->isStr("__ldg")) {
        // What the user calls so may be more than a load.
        if (const auto *Named = Call.Call ? Call.Call->getCallee()->IgnoreParenImpCasts() : nullptr;
            !IsLdg || !Named || !llvm::isa<clang::DeclRefExpr>(Named) ||
            llvm::cast<clang::DeclRefExpr>(Named)->hasQualifier())
          Facts.ReadOnlyLoads.push_back({"__ldg", Kernel.getNameAsString(), Where});
      }
      switch (classify(*Call.Callee)) {
      case Intrinsic::Barrier:
        Facts.Barriers.push_back({Call.Callee->getNameAsString(), Name, Where});
        break;
      case Intrinsic::WarpPrimitive:
        Facts.WarpPrimitives.push_back({Call.Callee->getNameAsString(), Name, Where});
        break;
      case Intrinsic::Atomic:
        Facts.Atomics.push_back({Call.Callee->getNameAsString(), Name, Where});
        break;
      default:
        break;
      }
    }
    for (const clang::GCCAsmStmt *Assembly : Use.Assembly)
      if (isBlockBarrier(*Assembly))
        Facts.Barriers.push_back({"bar.sync", Name, Unit.place(Assembly->getAsmLoc())});
    for (const clang::VarDecl *Shared : Use.Shared)
      AddShared(*Shared, Name, IsKernel);
    if (!IsKernel)
      continue;
    const auto *Body = llvm::dyn_cast<clang::CompoundStmt>(Function->getBody());
    for (const clang::ReturnStmt *Return : Use.Returns)
      if (!Body || Body->body_back() != Return)
        Facts.EarlyExits.push_back({"return", Name, Unit.place(Return->getBeginLoc())});
  }
  Facts.HelperHasDynamicShared |=
      !Facts.DynamicShared.empty() &&
      llvm::any_of(Reach.Units, [](const clang::Decl *Unit) { return !dynamicSharedOutOfReach(*Unit).empty(); });
  for (const clang::FunctionDecl *Function : libraryFunctionsOfLinker(Reach))
    Facts.LibraryFunctionsOfLinker.push_back(Function->getQualifiedNameAsString());
  for (const NamedBarrier &B : Ir ? namedBarriers(*Ir) : std::vector<NamedBarrier>()) {
    for (unsigned Number = 1; Number <= MaxNamedBarriers; ++Number)
      if (B.Number.value_or(Number) == Number)
        Facts.NamedBarriers.insert(Number);
    Facts.ArrivesAtBarriers |= B.Arrives;
  }
  if (!Facts.IsTemplate && !Reach.HasErrors)
    addDeviceFacts(Ir, Facts);
  // The parser has made the destructor of the library's barriers one of no code.
  for (const auto &[Function, Use] : Reach.Functions)
    for (const clang::GCCAsmStmt *Assembly : Use.Assembly)
      if (llvm::StringRef(Assembly->getAsmString()).contains("mbarrier.inval"))
        Facts.KeptMbarrier.reset();
  for (const clang::VarDecl *Global : Reach.Globals)
    if (Global->hasAttr<clang::CUDASharedAttr>())
      AddShared(*Global, "", /*IsKernels=*/false); // any function may name it
    else
      Facts.Globals.push_back({Global->getQualifiedNameAsString(), spaceOf(*Global),
                               Host.mustStayShared(*Global, *Reach.Kernel), Ir ? Ir->changeOf(*Global) : Change::Any});
  return Facts;
}

} // namespace cufuse
