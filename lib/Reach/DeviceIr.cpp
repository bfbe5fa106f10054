#include "cufuse/Reach/DeviceIr.h"

#include "cufuse/Reach/AllIn.h"
#include "cufuse/Support/GuardedThread.h"

#include <clang/AST/Attr.h>
#include <clang/AST/Mangle.h>
#include <clang/Basic/CodeGenOptions.h>
#include <clang/CodeGen/ModuleBuilder.h>
#include <clang/Lex/HeaderSearch.h>
#include <clang/Lex/Preprocessor.h>
#include <fmt/core.h>
#include <llvm/ADT/StringSwitch.h>
#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/InstructionSimplify.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassInstrumentation.h>
#include <llvm/IR/PassManager.h>
#include <llvm/IR/ReplaceConstant.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include <unordered_map>

namespace cufuse {

namespace {

/// Beyond it, calls stay: what is not seen is not known.
constexpr unsigned MaxInstructions = 400000;

bool hasErrors(const clang::FunctionDecl &F) {
  return F.isInvalidDecl() || (F.getBody() && llvm::isa<clang::RecoveryExpr>(F.getBody()));
}

/// Does it make the same of the same operands wherever it stands?
bool onlyComputes(const llvm::Instruction &I) {
  if (auto *Call = llvm::dyn_cast<llvm::CallInst>(&I))
    return Call->doesNotAccessMemory() && Call->doesNotThrow() && Call->willReturn() && !Call->isConvergent() &&
           !Call->getType()->isVoidTy() && !Call->hasOperandBundles();
  return llvm::isa<llvm::BinaryOperator, llvm::UnaryOperator, llvm::CastInst, llvm::CmpInst, llvm::GetElementPtrInst,
                   llvm::SelectInst, llvm::ExtractValueInst, llvm::InsertValueInst, llvm::ExtractElementInst,
                   llvm::InsertElementInst, llvm::ShuffleVectorInst>(I);
}

/// What is taken out of a structure is what was put there, also where one lies in another.
void takeMembers(llvm::Function &F) {
  for (llvm::BasicBlock &Block : F)
    for (llvm::Instruction &I : Block)
      if (auto *Member = llvm::dyn_cast<llvm::ExtractValueInst>(&I))
        if (llvm::Value *Put = llvm::FindInsertedValue(Member->getAggregateOperand(), Member->getIndices()))
          Member->replaceAllUsesWith(Put);
}

/// One instruction for one value. Every access to memory and every branch stays: the text has them, too.
void uniteValues(llvm::Function &F) {
  llvm::DominatorTree Dominators(F);
  llvm::AssumptionCache Assumptions(F);
  const llvm::SimplifyQuery Query(F.getDataLayout(), nullptr, &Dominators, &Assumptions);
  std::unordered_map<size_t, llvm::SmallVector<llvm::Instruction *, 1>> Known;
  for (const llvm::DomTreeNode *Node : llvm::depth_first(Dominators.getRootNode()))
    for (llvm::Instruction &I : llvm::make_early_inc_range(*Node->getBlock())) {
      if (llvm::isInstructionTriviallyDead(&I)) {
        I.eraseFromParent();
        continue;
      }
      if (llvm::Value *Simple = llvm::simplifyInstruction(&I, Query.getWithInstruction(&I)); Simple && Simple != &I) {
        I.replaceAllUsesWith(Simple);
        if (llvm::isInstructionTriviallyDead(&I))
          I.eraseFromParent();
        continue;
      }
      if (!onlyComputes(I))
        continue;
      auto &Same = Known[llvm::hash_combine(I.getOpcode(), I.getType(),
                                            llvm::hash_combine_range(I.value_op_begin(), I.value_op_end()))];
      auto Before = llvm::find_if(Same, [&](const llvm::Instruction *Other) {
        return Other->isIdenticalToWhenDefined(&I) && Dominators.dominates(Other, &I);
      });
      if (Before == Same.end()) {
        Same.push_back(&I);
        continue;
      }
      (*Before)->andIRFlags(&I);
      I.replaceAllUsesWith(*Before);
      I.eraseFromParent();
    }
}

/// The built-ins are variables for Clang. Each use has an object of its own, which the registers fill.
void readBuiltins(llvm::Module &Module) {
  for (size_t B = 0; B < BuiltinNames.size(); ++B) {
    llvm::GlobalVariable *Variable = Module.getNamedGlobal(BuiltinNames[B]);
    if (!Variable)
      continue;
    llvm::convertUsersOfConstantsToInstructions(Variable);
    for (llvm::User *User : llvm::make_early_inc_range(Variable->users())) {
      auto *Cast = llvm::dyn_cast<llvm::AddrSpaceCastInst>(User);
      if (!Cast)
        continue;
      for (llvm::User *Each : llvm::make_early_inc_range(Cast->users()))
        if (auto *Copy = llvm::dyn_cast<llvm::MemCpyInst>(Each)) {
          llvm::IRBuilder<> Build(Copy);
          fillFromRegisters(Build, Copy->getRawDest(), static_cast<Builtin>(B));
          Copy->eraseFromParent();
        }
      if (!Cast->use_empty()) {
        llvm::IRBuilder<> AtEntry(&*Cast->getFunction()->getEntryBlock().begin()), Build(Cast);
        llvm::Value *Object = AtEntry.CreateAlloca(Variable->getValueType());
        fillFromRegisters(Build, Object, static_cast<Builtin>(B));
        Cast->replaceAllUsesWith(Object);
      }
      Cast->eraseFromParent();
    }
    if (Variable->use_empty())
      Variable->eraseFromParent();
  }
}

/// Makes one function of a kernel and of what it calls.
class Flattener {
public:
  /// `Compared`: what follows from other code goes, accesses and conditions among it.
  explicit Flattener(bool Compared) : Compared(Compared) {
    Analyses.registerPass([] { return llvm::PassInstrumentationAnalysis(); });
    Analyses.registerPass([] { return llvm::DominatorTreeAnalysis(); });
    Analyses.registerPass([] { return llvm::AssumptionAnalysis(); });
    Analyses.registerPass([] { return llvm::TargetLibraryAnalysis(); });
    Analyses.registerPass([] { return llvm::TargetIRAnalysis(); });
  }

  void flatten(llvm::Function &F) {
    if (!Entered.insert(&F).second)
      return;
    if (!Compared)
      nameExtremes(F);
    bool Inlined = inlineCalls(F);
    simplify(F);
    // What a pointer leads to may be known only when the variables are in registers.
    for (unsigned Round = 0; Round < 2 && inlineCalls(F); ++Round, Inlined = true)
      simplify(F);
    if (Inlined)
      simplify(F);
    // Where a condition is known in a callee already, no block ends.
    if (Compared)
      for (llvm::BasicBlock &Block : llvm::make_early_inc_range(F))
        llvm::MergeBlockIntoPredecessor(&Block);
    Done.insert(&F);
  }

private:
  /// Says what `max` of integers is, which LLVM knows by a name of its own.
  static void nameExtremes(llvm::Function &F) {
    for (llvm::Instruction &I : llvm::make_early_inc_range(llvm::instructions(F)))
      if (auto *Call = llvm::dyn_cast<llvm::CallInst>(&I); Call && Call->getCalledFunction())
        if (const auto Which = llvm::StringSwitch<llvm::Intrinsic::ID>(Call->getCalledFunction()->getName())
                                   .Cases({"__nv_max", "__nv_llmax"}, llvm::Intrinsic::smax)
                                   .Cases({"__nv_min", "__nv_llmin"}, llvm::Intrinsic::smin)
                                   .Cases({"__nv_umax", "__nv_ullmax"}, llvm::Intrinsic::umax)
                                   .Cases({"__nv_umin", "__nv_ullmin"}, llvm::Intrinsic::umin)
                                   .Default(llvm::Intrinsic::not_intrinsic)) {
          llvm::IRBuilder<> Build(Call);
          Call->replaceAllUsesWith(Build.CreateBinaryIntrinsic(Which, Call->getArgOperand(0), Call->getArgOperand(1)));
          Call->eraseFromParent();
        }
  }

  bool inlineCalls(llvm::Function &F) {
    bool Changed = false;
    std::vector<llvm::CallBase *> Calls;
    for (llvm::BasicBlock &Block : F)
      for (llvm::Instruction &I : Block)
        if (auto *Call = llvm::dyn_cast<llvm::CallBase>(&I))
          Calls.push_back(Call);
    for (llvm::CallBase *Call : Calls) {
      auto *Callee = llvm::dyn_cast<llvm::Function>(Call->getCalledOperand()->stripPointerCasts());
      if (!Callee || Callee->isDeclaration() || Callee->getFunctionType() != Call->getFunctionType())
        continue;
      flatten(*Callee);
      if (!Done.contains(Callee)) // it calls itself
        continue;
      const unsigned Size = Callee->getInstructionCount();
      if (Instructions + Size > MaxInstructions)
        continue;
      llvm::InlineFunctionInfo Info;
      if (llvm::InlineFunction(*Call, Info, /*MergeAttributes=*/false, nullptr, /*InsertLifetime=*/!Compared)
              .isSuccess()) {
        Instructions += Size;
        Changed = true;
      }
    }
    return Changed;
  }

  void simplify(llvm::Function &F) {
    auto Promote = [&] {
      llvm::SROAPass(llvm::SROAOptions::PreserveCFG).run(F, Analyses);
      Analyses.clear(F, F.getName());
      takeMembers(F);
      if (Compared)
        llvm::EarlyCSEPass().run(F, Analyses);
      else
        uniteValues(F);
      Analyses.clear(F, F.getName());
    };
    Promote();
    bool Changed = false;
    for (llvm::BasicBlock &Block : F)
      Changed |= llvm::ConstantFoldTerminator(&Block, /*DeleteDeadConditions=*/true);
    if (!Changed)
      return;
    llvm::removeUnreachableBlocks(F);
    Promote();
  }

  const bool Compared;
  llvm::FunctionAnalysisManager Analyses;
  llvm::DenseSet<llvm::Function *> Entered, Done;
  unsigned Instructions = 0;
};

/// The definition of what the user or a library wrote; null for what the compiler makes around it.
const clang::FunctionDecl *withText(const clang::FunctionDecl *F) {
  auto *Method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(F);
  return Method && Method->isLambdaStaticInvoker() ? nullptr : withBody(F); // it calls the lambda's operator
}

/// Collects what the kernel's code names, and what that names. What no text declares stands for what it names in turn.
class ReferenceCollector {
public:
  ReferenceCollector(clang::CodeGenerator &Generator, std::vector<CodeReference> &Found, std::string &HiddenState)
      : Generator(Generator), Found(Found), HiddenState(HiddenState) {}

  void collect(const llvm::Function &Kernel, const clang::FunctionDecl &Declared) {
    body(Kernel, Declared);
    while (!Bodies.empty()) {
      const auto [F, Of] = Bodies.back();
      Bodies.pop_back();
      body(*F, *Of);
    }
  }

private:
  void body(const llvm::Function &F, const clang::FunctionDecl &From) {
    for (const llvm::Instruction &I : llvm::instructions(F))
      for (const llvm::Value *Operand : I.operands())
        if (auto *Constant = llvm::dyn_cast<llvm::Constant>(Operand))
          value(*Constant, From, I.getDebugLoc());
  }

  void value(const llvm::Constant &V, const clang::FunctionDecl &From, const llvm::DILocation *At) {
    if (llvm::isa<llvm::ConstantData>(V) || !Seen.insert({&V, &From}).second)
      return;
    auto *Global = llvm::dyn_cast<llvm::GlobalValue>(&V);
    const clang::Decl *Declared = Global ? Generator.GetDeclForMangledName(Global->getName()) : nullptr;
    if (auto *Function = llvm::dyn_cast<llvm::Function>(&V)) {
      auto *Named = llvm::dyn_cast_or_null<clang::FunctionDecl>(Declared);
      if (Named && Named->hasAttr<clang::CUDAGlobalAttr>()) // launched, it stays what it is in the program
        return;
      const clang::FunctionDecl *Text = withText(Named);
      if (Text)
        Found.push_back({&From, Named, At});
      if (!Function->isDeclaration() && (!Text || Entered.insert(Function).second))
        Bodies.push_back({Function, Text ? Text : &From});
      return;
    }
    if (auto *Variable = llvm::dyn_cast_or_null<clang::VarDecl>(Declared))
      Found.push_back({&From, Variable, At});
    else if (auto *Hidden = llvm::dyn_cast<llvm::GlobalVariable>(&V); Hidden && !Hidden->isConstant())
      HiddenState = Hidden->getName();
    for (const llvm::Value *Operand : V.operands())
      if (auto *Constant = llvm::dyn_cast<llvm::Constant>(Operand))
        value(*Constant, From, At);
  }

  clang::CodeGenerator &Generator;
  std::vector<CodeReference> &Found;
  std::string &HiddenState;
  std::vector<std::pair<const llvm::Function *, const clang::FunctionDecl *>> Bodies;
  llvm::DenseSet<std::pair<const llvm::Value *, const clang::FunctionDecl *>> Seen;
  llvm::DenseSet<const llvm::Function *> Entered;
};

} // namespace

class DeviceIrBuilder {
  static bool isCopy(const clang::FunctionDecl *F) {
    if (auto *Constructor = llvm::dyn_cast_or_null<clang::CXXConstructorDecl>(F))
      return Constructor->isCopyOrMoveConstructor();
    auto *Method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(F);
    return Method && (Method->isCopyAssignmentOperator() || Method->isMoveAssignmentOperator());
  }

public:
  DeviceIrBuilder(const ParsedUnit &Unit, const Reached &Reach, llvm::function_ref<void(DeviceIr &)> Change = nullptr)
      : Unit(Unit), Reach(Reach), Change(Change) {}

  std::unique_ptr<DeviceIr> run(llvm::ArrayRef<const clang::FunctionDecl *> Also = {}) {
    for (const clang::FunctionDecl *Each : Also) {
      add(Each);
      keep(Each);
    }
    if (!Reach.Kernel->hasAttr<clang::CUDAGlobalAttr>())
      keep(Reach.Kernel);
    for (const auto &[Function, Use] : Reach.Functions)
      if (Function != Reach.Kernel)
        add(Function);
    for (const auto &[Function, Use] : Reach.Functions)
      for (const CallSite &Call : Use.Calls)
        if (const clang::FunctionDecl *Definition = withBody(Call.Callee))
          add(Definition);
    // Intrinsics and what only generated code calls show when the module is made.
    constexpr unsigned MaxRounds = 12;
    for (unsigned Round = 0; Round < MaxRounds; ++Round) {
      const size_t Known = Definitions.size() + Variables.size();
      std::unique_ptr<DeviceIr> Ir = generate();
      if (!Ir)
        return nullptr;
      if (Definitions.size() + Variables.size() > Known && Round + 1 < MaxRounds)
        continue;
      if (Change)
        Change(*Ir);
      else
        keepMentioned(*Ir);
      Flattener Flattener(/*Compared=*/static_cast<bool>(Change));
      Flattener.flatten(*Ir->Kernel);
      for (llvm::Function &F : *Ir->Module)
        if (!F.isDeclaration() && F.hasAddressTaken()) // a pointer may lead to it
          Flattener.flatten(F);
      return Ir;
    }
    return nullptr;
  }

private:
  /// Code is made of it, though nobody may call it.
  static void keep(const clang::FunctionDecl *F) {
    if (!F->hasAttr<clang::UsedAttr>())
      const_cast<clang::FunctionDecl *>(F)->addAttr(clang::UsedAttr::CreateImplicit(F->getASTContext()));
  }

  /// A pointer may lead to all that is named other than by a call: also in the value of a table, which the module does
  /// not have.
  void keepMentioned(DeviceIr &Ir) const {
    llvm::DenseSet<const clang::FunctionDecl *> Mentioned;
    for (const auto &[Function, Use] : Reach.Functions)
      for (const CallSite &Call : Use.Calls)
        if (!Call.Call && Call.IsRun && !llvm::isa<clang::CXXConstructorDecl, clang::CXXDestructorDecl>(Call.Callee))
          Mentioned.insert(Call.Callee->getCanonicalDecl());
    for (llvm::Function &F : *Ir.Module)
      if (const clang::ValueDecl *Of = Ir.declared(F);
          Of && Mentioned.contains(llvm::cast<clang::FunctionDecl>(Of->getCanonicalDecl())))
        llvm::appendToCompilerUsed(*Ir.Module, {&F});
  }

  void add(const clang::FunctionDecl *Definition) {
    if (!Definition->isDependentContext() && !hasErrors(*Definition) && !Definition->hasAttr<clang::CUDAGlobalAttr>())
      Definitions.insert(Definition);
  }

  std::unique_ptr<DeviceIr> generate() {
    clang::ASTContext &Ast = Unit.ast();
    clang::DiagnosticOptions DiagnosticOptions;
    clang::IgnoringDiagConsumer Ignore;
    clang::DiagnosticsEngine Diagnostics(clang::DiagnosticIDs::create(), DiagnosticOptions, &Ignore,
                                         /*ShouldOwnClient=*/false);
    Diagnostics.setSourceManager(&Ast.getSourceManager());
    clang::CodeGenOptions Options;
    Options.OptimizationLevel = 1; // at 0, functions would be marked as not to be touched
    // Nothing is taken for granted that nvcc does not.
    Options.StrictReturn = false;
    Options.NullPointerIsValid = true;
    Options.AssumeSaneOperatorNew = false;
    Options.setFiniteLoops(clang::CodeGenOptions::FiniteLoopsKind::Never);
    Options.DisableLifetimeMarkers = true;
    Options.setDebugInfo(llvm::codegenoptions::DebugLineTablesOnly);
    Options.DebugColumnInfo = true;
    const clang::Preprocessor &Preprocessor = Unit.preprocessor();

    std::unique_ptr<DeviceIr> Ir(new DeviceIr);
    Ir->Unit = &Unit;
    Ir->Reach = &Reach;
    Ir->Context = std::make_unique<llvm::LLVMContext>();
    for (const char *Scope : {"block", "cluster", "device"}) // by the same numbers in all that is compared
      Ir->Context->getOrInsertSyncScopeID(Scope);
    std::unique_ptr<clang::CodeGenerator> Generator(clang::CreateLLVMCodeGen(
        Diagnostics, "kernel", Ast.getSourceManager().getFileManager().getVirtualFileSystemPtr(),
        Preprocessor.getHeaderSearchInfo().getHeaderSearchOpts(), Preprocessor.getPreprocessorOpts(), Options,
        *Ir->Context));
    Generator->Initialize(Ast);
    auto Give = [&](const clang::FunctionDecl *F) {
      Generator->HandleTopLevelDecl(clang::DeclGroupRef(*F->redecls_begin())); // which is F
    };
    for (const clang::VarDecl *Variable : Variables)
      Generator->HandleTopLevelDecl(clang::DeclGroupRef(const_cast<clang::VarDecl *>(Variable)));
    for (const clang::FunctionDecl *F : Definitions)
      Give(F);
    Give(Reach.Kernel);
    Generator->HandleTranslationUnit(Ast);
    if (!Generator->GetModule() || Diagnostics.hasErrorOccurred())
      return nullptr;
    readBuiltins(*Generator->GetModule());
    for (llvm::GlobalVariable &Variable : Generator->GetModule()->globals())
      if (auto *Declared =
              llvm::dyn_cast_or_null<clang::VarDecl>(Generator->GetDeclForMangledName(Variable.getName()))) {
        Ir->Declared[&Variable] = Declared;
        if (const clang::VarDecl *Definition = Declared->getDefinition();
            Change && Variable.isDeclaration() && Definition && !Definition->isInvalidDecl())
          Variables.insert(Definition);
      }
    for (llvm::Function &F : *Generator->GetModule()) {
      if (F.isIntrinsic())
        continue;
      auto *Declared = llvm::dyn_cast_or_null<clang::FunctionDecl>(Generator->GetDeclForMangledName(F.getName()));
      if (Declared)
        Ir->Declared[&F] = Declared;
      if (!F.isDeclaration() && (Declared ? Declared->getCanonicalDecl() == Reach.Kernel->getCanonicalDecl()
                                          : F.getCallingConv() == llvm::CallingConv::PTX_Kernel))
        Ir->Kernel = &F;
      if (F.getSubprogram() && isCopy(Declared)) {
        if (Declared->isDefaulted())
          Ir->ImplicitCopies.insert(F.getSubprogram());
        else if (Ast.getSourceManager().isInSystemHeader(Declared->getLocation()))
          Ir->LibraryCopies.insert(F.getSubprogram());
      }
      if (F.isDeclaration() && Declared) {
        Ir->Declarations[&F] = Declared;
        if (const clang::FunctionDecl *Definition = withBody(Declared))
          add(Definition);
      }
    }
    if (Ir->Kernel)
      ReferenceCollector(*Generator, Ir->References, Ir->HiddenState).collect(*Ir->Kernel, *Reach.Kernel);
    Ir->Module.reset(Generator->ReleaseModule().release());
    return Ir->Kernel ? std::move(Ir) : nullptr;
  }

  const ParsedUnit &Unit;
  const Reached &Reach;
  const llvm::function_ref<void(DeviceIr &)> Change;
  llvm::SetVector<const clang::FunctionDecl *> Definitions;
  llvm::SetVector<const clang::VarDecl *> Variables; ///< Whose values are asked for.
};

DeviceIr::~DeviceIr() { Module.reset(); }

static std::unique_ptr<DeviceIr> generateGuarded(const Reached &Reach,
                                                 llvm::function_ref<std::unique_ptr<DeviceIr>()> Generate) {
  if (Reach.HasErrors)
    return nullptr;
  constexpr unsigned StackBytes = 128u << 20;
  std::unique_ptr<DeviceIr> Ir;
  // Clang may fail on what only its syntax accepts.
  if (!runGuarded([&] { Ir = Generate(); }, StackBytes))
    return nullptr;
  return Ir;
}

std::unique_ptr<DeviceIr> DeviceIr::generate(const ParsedUnit &Unit, const Reached &Reach) {
  return generateGuarded(Reach, [&] { return DeviceIrBuilder(Unit, Reach).run(); });
}

std::unique_ptr<DeviceIr> DeviceIr::generate(const ParsedUnit &Unit, const Reached &Reach,
                                             llvm::ArrayRef<const clang::FunctionDecl *> Also,
                                             llvm::function_ref<void(DeviceIr &)> Change) {
  return generateGuarded(Reach, [&] { return DeviceIrBuilder(Unit, Reach, Change).run(Also); });
}

const clang::FunctionDecl *DeviceIr::declaration(const llvm::Function &F) const { return Declarations.lookup(&F); }

const llvm::GlobalVariable *DeviceIr::variable(const clang::VarDecl &Variable) const {
  return Module->getNamedGlobal(clang::ASTNameGenerator(Unit->ast()).getName(&Variable));
}

const clang::GCCAsmStmt *DeviceIr::assembly(const llvm::Instruction &I) const {
  if (Assembly.empty())
    for (const auto &[Global, Of] : Declared)
      if (auto *Function = withBody(llvm::dyn_cast<clang::FunctionDecl>(Of)))
        for (const auto *S : allIn<clang::GCCAsmStmt>(*Function->getBody()))
          Assembly.try_emplace(S->getAsmStringExpr()->getBeginLoc().getRawEncoding(), S);
  const llvm::MDNode *Place = I.getMetadata("srcloc");
  auto *Number = Place && Place->getNumOperands() > 0
                     ? llvm::mdconst::dyn_extract<llvm::ConstantInt>(Place->getOperand(0))
                     : nullptr;
  return Number ? Assembly.lookup(Number->getZExtValue()) : nullptr;
}

llvm::StringRef intrinsicName(const llvm::Value *V) {
  auto *Call = llvm::dyn_cast<llvm::IntrinsicInst>(V);
  return Call ? Call->getCalledFunction()->getName() : llvm::StringRef();
}

llvm::Value *readRegister(llvm::IRBuilderBase &Build, Builtin Variable, unsigned Dimension) {
  const std::string Name =
      fmt::format("llvm.nvvm.read.ptx.sreg.{}.{:c}", BuiltinRegisters[static_cast<size_t>(Variable)], 'x' + Dimension);
  return Build.CreateIntrinsic(llvm::Intrinsic::lookupIntrinsicID(Name), {});
}

void fillFromRegisters(llvm::IRBuilderBase &Build, llvm::Value *Object, Builtin Variable) {
  for (unsigned I = 0; I < 3; ++I)
    Build.CreateStore(readRegister(Build, Variable, I), Build.CreateConstGEP1_32(Build.getInt32Ty(), Object, I));
}

bool isArithmetic(const llvm::CallBase &Call) {
  const llvm::Function *Callee = Call.getCalledFunction();
  return Callee && Callee->getName().starts_with("__nv_") && !Callee->getName().contains("atomic") &&
         !Callee->getName().contains("malloc");
}

} // namespace cufuse
