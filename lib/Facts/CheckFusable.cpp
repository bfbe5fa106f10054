#include "cufuse/Code/CopiedAddresses.h"
#include "cufuse/Code/Meetings.h"

#include "cufuse/Facts/CollectFacts.h"
#include "cufuse/Facts/FindKernel.h"
#include "cufuse/Facts/HostText.h"
#include "cufuse/Frontend/Sides.h"
#include "cufuse/Reach/AllIn.h"
#include "cufuse/Reach/Assembly.h"
#include "cufuse/Reach/BuiltinVariables.h"

#include <clang/AST/Attr.h>
#include <clang/Basic/SourceManager.h>
#include <fmt/core.h>

#include <set>

namespace cufuse {

namespace {

constexpr unsigned MaxDynamicAlignment = 1024; // bytes, of the array in lib/Cuda/Grid.cuh

class Check {
public:
  Check(const ParsedUnit &Unit, const HostCode &Host, const Reached &Reach, const DeviceIr *Ir,
        const KernelFacts &Facts)
      : Unit(Unit), Host(Host), Reach(Reach), Ir(Ir), Facts(Facts), Kernel(*Reach.Kernel),
        OfLinker(libraryFunctionsOfLinker(Reach)), MayCallHost(mayCallHost(Unit)) {}

  std::vector<Blocker> run() {
    errors();
    if (Facts.IsTemplate) // of which there is no instance
      return std::move(Blockers);
    kernel();
    for (const auto &[Function, Use] : Reach.Functions)
      function(Use);
    if (Ir)
      throughPointers(), barriers(), unknownCallees(), copiedAddresses();
    if (Ir && !Ir->hiddenState().empty())
      block(BlockerKind::StaticLocal, Kernel.getLocation(), Ir->hiddenState() + " in " + qualifiedNameOf(Kernel));
    assemblySymbols();
    for (const clang::VarDecl *Global : Reach.Globals)
      global(*Global);
    exits();
    if (Facts.SpinLoop)
      Blockers.push_back({BlockerKind::SpinLoop, Facts.SpinLoop->Where, Facts.SpinLoop->What});
    if (Facts.DynamicAlignment > MaxDynamicAlignment)
      Blockers.push_back({BlockerKind::DynamicAlignment, Facts.DynamicShared.front().Where,
                          fmt::format("{} bytes", Facts.DynamicAlignment)});
    return std::move(Blockers);
  }

private:
  /// Whether --expt-relaxed-constexpr is there, for all that is known.
  static bool mayCallHost(const ParsedUnit &Unit) {
    const auto &Known = Unit.request().Predefined;
    return !Known || llvm::any_of(Known->Macros, [](llvm::StringRef Macro) {
      return Macro.starts_with("__CUDACC_RELAXED_CONSTEXPR__");
    });
  }

  void block(BlockerKind Kind, clang::SourceLocation Where, std::string Fact) {
    Blockers.push_back({Kind, Unit.place(Where), std::move(Fact)});
  }

  void kernel() {
    if (Kernel.isCXXClassMember())
      block(BlockerKind::KernelIsMember, Kernel.getLocation(), qualifiedNameOf(Kernel));
    if (Kernel.getLocation().isMacroID())
      block(BlockerKind::KernelFromMacro, Kernel.getLocation(), Kernel.getNameAsString());
    clusters();
    for (const clang::ParmVarDecl *Parameter : Kernel.parameters())
      if (Parameter->getType()->isReferenceType())
        block(BlockerKind::ReferenceParameter, Parameter->getLocation(), Parameter->getNameAsString());
      else if (!endsQuietly(Parameter->getType()))
        block(BlockerKind::CopiedParameter, Parameter->getLocation(),
              Parameter->getNameAsString() + " has a destructor that runs code");
      else if (Parameter->hasAttr<clang::CUDAGridConstantAttr>())
        for (const auto &[Function, Use] : Reach.Functions)
          if (!Use.System)
            views(*Parameter, *Function);
  }

  /// nvcc makes them of every block of such a kernel, also where one of its declarations, or of its template's, has the
  /// attribute that the definition has not.
  void clusters() {
    clang::SourceLocation Dimensions, Size;
    const clang::FunctionDecl *Template = Kernel.getTemplateInstantiationPattern();
    if (const auto *Primary = Kernel.getPrimaryTemplate(); Primary && !Template) // of an explicit specialisation
      Template = Primary->getTemplatedDecl()->getDefinition();
    for (const clang::FunctionDecl *Of : {Template, &Kernel}) {
      if (!Of)
        continue;
      if (const clang::SourceLocation Late = Unit.lateCluster(*Of); Late.isValid())
        Dimensions = Late;
      if (const auto *Attribute = Of->getAttr<clang::CUDAClusterDimsAttr>())
        Dimensions = Attribute->getLocation();
      for (const auto *Annotation : Of->specific_attrs<clang::AnnotateAttr>())
        if (Annotation->getAnnotation() == ClusterDimsAnnotation)
          Dimensions = Annotation->getLocation();
        else if (Annotation->getAnnotation() == BlockSizeAnnotation)
          Size = Annotation->getLocation();
        else if (Annotation->getAnnotation() == TileAnnotation && Of == &Kernel)
          block(BlockerKind::TileKernel, Annotation->getLocation(), "__tile_global__");
    }
    if (Dimensions.isValid())
      block(BlockerKind::Cluster, Dimensions, "__cluster_dims__");
    // Of one block each where there is no second size, and its launches count clusters.
    if (Size.isValid())
      block(BlockerKind::Cluster, Size, "__block_size__, of which nvcc makes clusters, be it of one block");
  }

  /// Does the end of an object do nothing, also as the host reads it?
  bool endsQuietly(clang::QualType T) const {
    return !anyPart(T, [this](clang::QualType Part) -> std::optional<bool> {
      const clang::CXXRecordDecl *Record = Part->getAsCXXRecordDecl();
      if (!Record || !(Record = Record->getDefinition()) || !Record->hasNonTrivialDestructor())
        return false;
      const clang::CXXDestructorDecl *Own = Record->getDestructor();
      if (!Own || Own->isDeleted())
        return true;
      const clang::FunctionDecl *Defined =
          withBody(llvm::cast<clang::FunctionDecl>(pattern(Own))); // which may have no instance
      const auto *Body = Defined ? llvm::dyn_cast<clang::CompoundStmt>(Defined->getBody()) : nullptr;
      const bool IsQuiet = !Own->isUserProvided() ||
                           (Body && Body->body_empty() && !Host.hostText().mayDiffer(Defined->getSourceRange()));
      return IsQuiet ? std::nullopt : std::optional(true);
    });
  }

  /// Of a type that is so much of another one, in bytes; of what may be any, all.
  unsigned long long bytesOf(clang::QualType Of, clang::QualType T) const {
    const clang::ASTContext &Ast = Unit.ast();
    T = T.getCanonicalType().getUnqualifiedType();
    if (Of->isVoidType() || Of->isCharType() || Ast.hasSameUnqualifiedType(Of, T))
      return Ast.getTypeSizeInChars(T).getQuantity();
    if (const clang::ConstantArrayType *Array = Ast.getAsConstantArrayType(T))
      return Array->getZExtSize() * bytesOf(Of, Array->getElementType());
    const clang::CXXRecordDecl *Record = T->getAsCXXRecordDecl();
    unsigned long long Bytes = 0;
    if (!Record || !Record->hasDefinition())
      return 0;
    for (const clang::CXXBaseSpecifier &Base : Record->bases())
      Bytes += bytesOf(Of, Base.getType());
    for (const clang::FieldDecl *Field : Record->fields())
      Bytes += bytesOf(Of, Field->getType());
    return Bytes;
  }

  /// Alone, the first parameter lies as any view asks, whatever its type does. A view of other memory may be one of it.
  void views(const clang::ParmVarDecl &Parameter, const clang::FunctionDecl &In) {
    const clang::ASTContext &Ast = Unit.ast();
    auto Pointee = [](clang::QualType T) {
      return T->isArrayType() ? clang::QualType(T->getArrayElementTypeNoTypeQual(), 0) : T->getPointeeType();
    };
    for (const auto *Cast : allIn<clang::ExplicitCastExpr>(*In.getBody())) {
      const clang::QualType Written = Cast->getTypeAsWritten(), From = Cast->getSubExprAsWritten()->getType();
      const clang::QualType View = Pointee(Written), Of = Written->isReferenceType() ? From : Pointee(From);
      if (View.isNull() || Of.isNull() || View->isDependentType())
        continue;
      const clang::QualType To = Ast.getBaseElementType(View);
      if (To->isIncompleteType() || To->isFunctionType())
        continue;
      const unsigned Asked = Ast.getTypeAlignInChars(To).getQuantity();
      if (Ast.getTypeAlignInChars(Parameter.getType()).getQuantity() < Asked &&
          bytesOf(Of, Parameter.getType()) >= Asked)
        return block(BlockerKind::CopiedParameter, Cast->getBeginLoc(),
                     fmt::format("{} may be viewed as {}, of {} bytes: declare its class alignas({})",
                                 Parameter.getNameAsString(), To.getUnqualifiedType().getAsString(), Asked, Asked));
    }
  }

  void unknownCallees() {
    if (!callsThroughPointer(*Ir))
      return;
    for (const clang::ParmVarDecl *Parameter : Kernel.parameters())
      if (leadsToCode(Parameter->getType()))
        block(BlockerKind::UnknownCallee, Parameter->getLocation(), Parameter->getNameAsString());
    for (const clang::VarDecl *Global : Reach.Globals)
      if (leadsToCode(Global->getType()) && Host.mustStayShared(*Global, Kernel))
        block(BlockerKind::UnknownCallee, Global->getLocation(), Global->getNameAsString());
    for (const auto &[Function, Use] : Reach.Functions)
      if (Use.HidesCode && !Use.System)
        block(BlockerKind::UnknownCallee, Function->getLocation(),
              Function->getNameAsString() + ", which converts what leads to code");
  }

  void copiedAddresses() {
    for (const CopiedAddress &Address : findCopiedAddresses(
             *Ir, [this](const clang::VarDecl &Variable) { return Host.mustStayShared(Variable, Kernel); })) {
      const auto *Declared = llvm::dyn_cast_or_null<clang::NamedDecl>(Ir->declared(*Address.Of));
      std::string In;
      const clang::SourceLocation At = Ir->where(*Address.By, &In);
      block(BlockerKind::CopiedAddress, At.isValid() ? At : Kernel.getLocation(),
            fmt::format("the address of {} {} in {}",
                        Declared ? Declared->getQualifiedNameAsString() : "a table of virtual functions", Address.What,
                        In.empty() ? Facts.Name : In));
    }
  }

  /// Threads leave through an mbarrier, which sm_80 introduced.
  void exits() {
    unsigned Architecture = 0;
    llvm::StringRef Name = Unit.request().Arch;
    if (!Name.consume_front("sm_") || Name.consumeInteger(10, Architecture) || Architecture >= 80)
      return;
    for (const Finding &Exit : Facts.ExitsBeforeBarrier)
      Blockers.push_back({BlockerKind::ExitNeedsMbarrier, Exit.Where, Exit.What});
  }

  /// Errors count where they lie in what the kernel needs. They may follow from a first one that leaves no declaration.
  void errors() {
    std::vector<const ParseError *> Own;
    for (const ParseError &Error : Unit.errors())
      if (Error.MissingFile || !Error.Location.isValid() ||
          llvm::any_of(Reach.Units, [&](const clang::Decl *Needs) { return liesIn(Unit, Error, *Needs); }))
        Own.push_back(&Error);
    const ParseError *First = Unit.errors().empty() ? nullptr : &Unit.errors().front();
    if ((!Own.empty() || Reach.HasErrors) && First && !llvm::is_contained(Own, First) && !isInDeclaration(*First))
      Own.insert(Own.begin(), First);
    constexpr size_t Most = 4;
    for (const ParseError *Error : llvm::ArrayRef(Own).take_front(Most))
      block(BlockerKind::BrokenCode, Error->Location, Error->Text);
    const bool Reported = !Own.empty();
    if (Reach.HasErrors && !Reported)
      block(BlockerKind::BrokenCode, Reach.ErrorAt,
            !Reach.ErrorFact.empty() ? Reach.ErrorFact
            : Unit.errors().empty()  ? "a declaration is not valid"
                                     : Unit.errors().front().Text);
  }

  bool isInDeclaration(const ParseError &Error) const {
    return llvm::any_of(Unit.ast().getTranslationUnitDecl()->decls(), [&](const clang::Decl *D) {
      return llvm::isa<clang::TagDecl, clang::FunctionDecl>(D) && inUsersFile(D) && liesIn(Unit, Error, *D);
    });
  }

  void function(const FunctionUse &Use) {
    const std::string Name = qualifiedNameOf(*Use.Function);
    if (Use.System)
      return libraryFunction(Use);
    for (const CallSite &Call : Use.Calls) {
      if (classify(Call) == Intrinsic::Cluster)
        block(BlockerKind::Cluster, Call.Where, Call.Callee->getNameAsString() + " in " + Name);
    }
    if (!isWritten<clang::CUDAHostAttr>(*Use.Function) &&
        (isWritten<clang::CUDADeviceAttr>(*Use.Function) || Use.Function->hasAttr<clang::CUDAGlobalAttr>())) {
      if (!MayCallHost)
        constexprOfHost(Use);
      for (const CallSite &Call : Use.Calls)
        if (Call.IsRun && isOfHostAlone(*Call.Callee))
          block(BlockerKind::BrokenCode, Call.Where,
                fmt::format("nvcc calls no function of the host in {}, as {}", Name, qualifiedNameOf(*Call.Callee)));
    }
    for (const CallSite &Call : Use.Calls)
      if (Call.IsRun && isElsewhere(*Call.Callee))
        block(BlockerKind::CodeElsewhere, Call.Where, qualifiedNameOf(*Call.Callee) + " in " + Name);
    if (!Use.Reads.empty())
      for (const clang::DeclRefExpr *Reference : builtinReferences(*Use.Function))
        block(BlockerKind::BuiltinReference, Reference->getLocation(),
              Reference->getDecl()->getNameAsString() + " in " + Name);
    for (const clang::VarDecl *Static : Use.MutableStatics)
      if (Host.mustStayShared(*Static, Kernel))
        block(BlockerKind::StaticLocal, Static->getLocation(), Static->getNameAsString() + " in " + Name);
    for (const DeviceLaunch &Launch : Use.Launches)
      if (const std::string Why = whyUnnamed(Launch); !Why.empty())
        block(BlockerKind::DeviceLaunch, Launch.Where, Why + " in " + Name);
    for (const clang::GCCAsmStmt *Assembly : Use.Assembly)
      assembly(*Assembly, Name);
  }

  /// Where nvcc sees a call of one in the function's own text, also where it is a constant.
  void constexprOfHost(const FunctionUse &Use) {
    const clang::SourceManager &Sources = Unit.ast().getSourceManager();
    const clang::SourceRange Own = Sources.getExpansionRange(pattern(Use.Function)->getSourceRange()).getAsRange();
    for (const CallSite &Call : Use.Calls)
      if (const clang::SourceLocation At = Sources.getExpansionLoc(Call.Where);
          Call.IsRun && Call.Call && isOfHost(*Call.Callee) &&
          Sources.getFileID(At) == Sources.getFileID(Own.getBegin()) &&
          Sources.isPointWithin(At, Own.getBegin(), Own.getEnd()))
        return block(
            BlockerKind::BrokenCode, Call.Where,
            fmt::format("nvcc does not without --expt-relaxed-constexpr: {}, constexpr and not of the device, is "
                        "called in {}",
                        qualifiedNameOf(*Call.Callee), qualifiedNameOf(*Use.Function)));
  }
  bool isOfHost(const clang::FunctionDecl &F) const {
    auto *Method = llvm::dyn_cast<clang::CXXMethodDecl>(&F);
    const clang::CXXRecordDecl *Of = Method ? Method->getParent() : nullptr;
    // nvcc knows these.
    if (F.isInStdNamespace() && F.getIdentifier() && (F.getName() == "move" || F.getName() == "forward"))
      return false;
    if (Of && (Of->isLambda() || (Of->isInStdNamespace() && Of->getName() == "initializer_list")))
      return false;
    const llvm::StringRef File = Unit.ast().getSourceManager().getFilename(F.getLocation());
    if (F.isInStdNamespace() && File.ends_with("/cuda_wrappers/algorithm")) // min and max, Clang's own for the device
      return true;
    return F.isConstexpr() && !F.isConsteval() && !F.isDefaulted() && !F.getBuiltinID() &&
           !isWritten<clang::CUDADeviceAttr>(F);
  }

  static bool isOfHostAlone(const clang::FunctionDecl &F) {
    return !F.hasAttr<clang::CUDADeviceAttr>() && !F.hasAttr<clang::CUDAGlobalAttr>() && F.isUserProvided() &&
           !F.isImplicit() && !F.getBuiltinID();
  }

  /// Is it a function of the program whose body is not here? What CUDA has is known, and so is libdevice's code.
  bool isElsewhere(const clang::FunctionDecl &F) const {
    return !F.hasBody() && inUsersFile(&F) && !Unit.inCompatHeader(F.getLocation()) &&
           !F.hasAttr<clang::CUDAGlobalAttr>() && !F.getBuiltinID() && !F.isDefaulted() && !F.isPureVirtual() &&
           !F.isDeleted() && classify(F) == Intrinsic::None &&
           !(F.isExternC() && (F.getName().starts_with("__nv_") || F.getName().starts_with("__nvvm_")));
  }

  void assembly(const clang::GCCAsmStmt &Assembly, const std::string &In) {
    const AssemblyScan Scan = scanAssembly(Assembly);
    if (!Scan.Unknown.empty())
      block(BlockerKind::InlineAsmBlock, Assembly.getAsmLoc(), Scan.Unknown + " in " + In);
  }

  /// In the output, a variable has another symbol, and one that only assembly names has none.
  void assemblySymbols() {
    std::set<std::string> Declared;
    for (const auto &[Function, Use] : Reach.Functions)
      for (const clang::GCCAsmStmt *Assembly : Use.Assembly)
        Declared.merge(scanAssembly(*Assembly).Declared);
    for (const auto &[Function, Use] : Reach.Functions)
      for (const clang::GCCAsmStmt *Assembly : Use.System ? std::vector<const clang::GCCAsmStmt *>() : Use.Assembly)
        for (const AssemblyScan Scan = scanAssembly(*Assembly); const std::string &Name : Scan.Names)
          if (Scan.Unknown.empty() && !Declared.contains(Name) &&
              !Declared.contains(llvm::StringRef(Name).rtrim("0123456789").str()))
            block(BlockerKind::AssemblySymbol, Assembly->getAsmLoc(), Name + " in " + qualifiedNameOf(*Function));
  }

  /// A barrier that is named and has no count waits for all that have not left; a partition's has a count. Where
  /// threads leave, no hardware barrier is the block's that number 0 could stand for.
  void barriers() {
    std::set<clang::SourceLocation> Known;
    for (const NamedBarrier &B : namedBarriers(*Ir)) {
      std::string In;
      const clang::SourceLocation At = Ir->where(*B.By, &In);
      const bool IsNone = B.Number && (*B.Number == 0 || *B.Number > MaxNamedBarriers);
      if (!(IsNone || (!Facts.ExitsBeforeBarrier.empty() && (!B.HasCount || !B.Number))) || !Known.insert(At).second)
        continue;
      block(BlockerKind::NamedBarrier, At,
            IsNone ? B.What + " in " + In
                   : fmt::format("{} in {}, and threads may leave before: {}",
                                 B.HasCount ? "by a number that may be 0" : "without a count", In,
                                 Facts.ExitsBeforeBarrier.front().What));
    }
  }

  /// Why a declaration in the fused file cannot stand for the kernel that is launched, or "".
  std::string whyUnnamed(const DeviceLaunch &Launch) const {
    if (!Launch.Kernel || !Launch.Launch)
      return Launch.Kernel ? "a mention of " + qualifiedNameOf(*Launch.Kernel) : "a launch through a pointer";
    const clang::FunctionDecl &Child = *Launch.Kernel;
    const std::string Name = qualifiedNameOf(Child);
    if (Child.isTemplateInstantiation() || Child.getPrimaryTemplate())
      return "the template " + Name;
    if (Child.isCXXClassMember() || !Child.hasExternalFormalLinkage())
      return Name + ", which its file keeps to itself,";
    if (!Unit.request().Flags.Relocatable)
      return Name + ", without -rdc=true,";
    if (Launch.Launch->getCallee()->getExprLoc().isMacroID())
      return Name + " out of a macro";
    for (const clang::Expr *Argument : Launch.Launch->arguments())
      if (llvm::isa<clang::CXXDefaultArgExpr>(Argument))
        return Name + " with default arguments";
    for (const clang::ParmVarDecl *Parameter : Child.parameters())
      if (Parameter->hasAttr<clang::CUDAGridConstantAttr>())
        return Name + " with a __grid_constant__";
    return {};
  }

  /// Libraries are included with the built-ins rebound. What they share between all threads of a block cannot be.
  void libraryFunction(const FunctionUse &Use) {
    const std::string Entered =
        Use.EnteredAs ? Use.EnteredAs->getQualifiedNameAsString() : Use.Function->getQualifiedNameAsString();
    std::string What;
    BlockerKind Kind = BlockerKind::LibraryUsesBlock;
    auto Found = [&](BlockerKind K, std::string W) {
      Kind = K;
      What = std::move(W);
    };
    for (const CallSite &Call : Use.Calls)
      if (const Intrinsic Named = classify(Call); Named == Intrinsic::NamedBarrier || Named == Intrinsic::Cluster)
        Found(Named == Intrinsic::Cluster ? BlockerKind::Cluster : BlockerKind::LibraryUsesBlock,
              "calls " + Call.Callee->getNameAsString());
    if (Use.AssemblyUsesBlock)
      Found(BlockerKind::LibraryUsesBlock, "uses the block in assembly");
    for (const clang::GCCAsmStmt *Assembly : Use.Assembly)
      if (llvm::StringRef(Assembly->getAsmString()).contains("griddepcontrol.launch_dependents"))
        Found(BlockerKind::LibraryUsesBlock,
              "lets dependent grids begin, and others' work is not done then: left out, they begin when the grid ends");
    if (!Use.Shared.empty())
      Found(BlockerKind::LibraryUsesBlock, "holds shared memory");
    if (!Use.Launches.empty())
      Found(BlockerKind::LibraryUsesBlock, "launches a kernel");
    if (Unit.request().Flags.Relocatable && OfLinker.contains(Use.Function))
      Found(BlockerKind::LibraryUsesBlock, "is compiled once for the whole program (-rdc=true)");
    if (Use.Function->getIdentifier() && Use.Function->getName().starts_with("sync_grids"))
      Found(BlockerKind::GridGroup, "synchronises the grid");
    // In relocatable code, the linker makes one variable of those of all files.
    if (!Use.MutableStatics.empty() && !(Unit.request().Flags.Relocatable && Use.Function->isExternallyVisible()))
      Found(BlockerKind::StaticLocal, "keeps state in " + Use.MutableStatics.front()->getNameAsString());
    // One report per library function that the user names.
    if (!What.empty() && Libraries.insert(Entered).second)
      block(Kind, Use.EnteredAt.isValid() ? Use.EnteredAt : Kernel.getLocation(), Entered + " " + What);
  }

  void throughPointers() {
    for (const auto &[Call, Waits] : waitsThroughPointers(*Ir)) {
      const auto *F = llvm::dyn_cast_or_null<clang::FunctionDecl>(Ir->declared(*Waits));
      const auto *Method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(F);
      block(BlockerKind::BarrierThroughPointer, Ir->where(*Call),
            (Method && Method->isVirtual() ? "virtual " : "") + (F ? qualifiedNameOf(*F) : Waits->getName().str()));
    }
  }

  void global(const clang::VarDecl &Variable) {
    const std::string Name = Variable.getQualifiedNameAsString();
    if (Variable.hasAttr<clang::CUDASharedAttr>() && !inUsersFile(&Variable))
      return block(BlockerKind::LibraryUsesBlock, Kernel.getLocation(), Name + " is shared memory");
    if (!Host.mustStayShared(Variable, Kernel))
      return;
    // What a template's object is called cannot be said in a declaration of its own.
    if (!Variable.hasExternalFormalLinkage() || Variable.isCXXClassMember() ||
        llvm::isa<clang::VarTemplateSpecializationDecl>(Variable))
      block(BlockerKind::HostSharedInternal, Variable.getLocation(), Name);
    else if (!Unit.request().Flags.Relocatable)
      block(BlockerKind::HostSharedNeedsRdc, Variable.getLocation(), Name);
  }

  const ParsedUnit &Unit;
  const HostCode &Host;
  const Reached &Reach;
  const DeviceIr *Ir;
  const KernelFacts &Facts;
  const clang::FunctionDecl &Kernel;
  const llvm::SetVector<const clang::FunctionDecl *> OfLinker;
  const bool MayCallHost;
  std::vector<Blocker> Blockers;
  std::set<std::string> Libraries;
};

} // namespace

bool liesIn(const ParsedUnit &Unit, const ParseError &Error, const clang::Decl &D) {
  const clang::SourceManager &Sources = Unit.ast().getSourceManager();
  const clang::SourceLocation Begin = Sources.getExpansionLoc(D.getBeginLoc());
  return Error.Location.isValid() && Sources.getFileID(Begin) == Sources.getFileID(Error.Location) &&
         Sources.isPointWithin(Error.Location, Begin, Sources.getExpansionLoc(D.getEndLoc()));
}

std::vector<Blocker> checkFusable(const ParsedUnit &Unit, const HostCode &Host, const Reached &Reach,
                                  const DeviceIr *Ir, const KernelFacts &Facts) {
  return Check(Unit, Host, Reach, Ir, Facts).run();
}

} // namespace cufuse
