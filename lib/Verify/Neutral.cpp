#include "Neutral.h"

#include "cufuse/Kernel/Accesses.h"
#include "cufuse/Support/Text.h"

#include <clang/AST/DeclTemplate.h>
#include <fmt/core.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Support/Regex.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

namespace cufuse {

namespace {

/// What CUDA's barriers are, called by name: those of ours stand for them.
constexpr const char *Barriers[] = {"__syncthreads_count", "__syncthreads_and", "__syncthreads_or", "__barrier_sync",
                                    "__barrier_sync_count"};

llvm::StringRef nameIn(const clang::FunctionDecl &F) { return F.getIdentifier() ? F.getName() : ""; }

llvm::StringRef classOf(const clang::FunctionDecl *F) {
  auto *Method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(F);
  return Method && Method->getParent()->getIdentifier() ? Method->getParent()->getName() : "";
}

/// Is it CUDA's own, at file scope?
bool isBarrier(const clang::FunctionDecl *F) {
  return F && F->getDeclContext()->getRedeclContext()->isTranslationUnit() && llvm::is_contained(Barriers, nameIn(*F));
}

/// Is it of cooperative groups for the grid, or for a cluster? A kernel that waits so is refused, or has the whole grid
/// to itself. All else of such groups is not played where the kernel has only code for groups of any kind.
bool isOfGrids(const clang::FunctionDecl &F, bool HasAnyGroup) {
  auto *Method = llvm::dyn_cast<clang::CXXMethodDecl>(&F);
  if (Method && HasAnyGroup && isOfGroups(Method->getParent(), {"grid_group", "cluster_group"}))
    return true;
  auto *Space = llvm::dyn_cast<clang::NamespaceDecl>(F.getDeclContext());
  if (!Space || !Space->getIdentifier() || !Space->getASTContext().getSourceManager().isInSystemHeader(F.getLocation()))
    return false;
  static const llvm::Regex Grids("^cooperative_groups::.*details::(grid|cluster)$"); // with the version between
  return Grids.match(Space->getQualifiedNameAsString()) &&
         (HasAnyGroup || Space->getName() == "cluster" || nameIn(F).contains("sync") ||
          nameIn(F).starts_with("barrier_"));
}

std::vector<const clang::FunctionDecl *> barriers(clang::ASTContext &Context) {
  std::vector<const clang::FunctionDecl *> All;
  for (const char *Name : Barriers)
    for (const clang::NamedDecl *D : Context.getTranslationUnitDecl()->lookup(&Context.Idents.get(Name)))
      if (auto *Function = llvm::dyn_cast<clang::FunctionDecl>(D))
        if (const clang::FunctionDecl *Definition = withBody(Function))
          All.push_back(Definition);
  return All;
}

/// A number that nobody writes: where the partition's part of the dynamic shared memory begins.
constexpr unsigned Beginning = 0x5eedc0de;

/// `!a` and `a && b` are values or branches, depending on whether they hold temporary objects: here they are branches.
bool branchesAtOnce(llvm::Function &F) {
  using namespace llvm::PatternMatch;
  bool Changed = false;
  for (llvm::BasicBlock &Block : llvm::make_early_inc_range(F)) {
    auto *Branch = llvm::dyn_cast<llvm::BranchInst>(Block.getTerminator());
    if (!Branch || !Branch->isConditional())
      continue;
    for (llvm::Value *Negated = nullptr; match(Branch->getCondition(), m_Not(m_Value(Negated)));) {
      auto *Not = llvm::dyn_cast<llvm::Instruction>(Branch->getCondition());
      Branch->setCondition(Negated);
      Branch->swapSuccessors();
      if (Not && Not->use_empty())
        Not->eraseFromParent();
    }
    // A block that does nothing but choose by what those before it know.
    auto *Chosen = llvm::dyn_cast<llvm::PHINode>(Branch->getCondition());
    llvm::BasicBlock *Then = Branch->getSuccessor(0), *Else = Branch->getSuccessor(1);
    if (!Chosen || Chosen->getParent() != &Block || !Chosen->hasOneUse() || Then == Else || Then == &Block ||
        Else == &Block || Block.sizeWithoutDebug() != 2)
      continue;
    const std::vector<llvm::BasicBlock *> Before(llvm::pred_begin(&Block), llvm::pred_end(&Block));
    if (!llvm::all_of(Before, [&](llvm::BasicBlock *From) {
          auto *By = llvm::dyn_cast<llvm::BranchInst>(From->getTerminator());
          auto Clashes = [&](llvm::BasicBlock *To) {
            return !To->phis().empty() && llvm::is_contained(llvm::successors(From), To);
          };
          return By && llvm::count(llvm::successors(From), &Block) == 1 && !Clashes(Then) && !Clashes(Else) &&
                 (By->isUnconditional() || llvm::isa<llvm::ConstantInt>(Chosen->getIncomingValueForBlock(From)));
        }))
      continue;
    for (llvm::BasicBlock *From : Before) {
      llvm::Value *Known = Chosen->getIncomingValueForBlock(From);
      auto *Constant = llvm::dyn_cast<llvm::ConstantInt>(Known);
      for (llvm::BasicBlock *To : {Then, Else})
        if (!Constant || To == (Constant->isOne() ? Then : Else))
          for (llvm::PHINode &Each : To->phis())
            Each.addIncoming(Each.getIncomingValueForBlock(&Block), From);
      if (Constant) {
        From->getTerminator()->replaceSuccessorWith(&Block, Constant->isOne() ? Then : Else);
      } else {
        auto *Instead = llvm::BranchInst::Create(Then, Else, Known, From->getTerminator()->getIterator());
        Instead->setDebugLoc(Branch->getDebugLoc());
        From->getTerminator()->eraseFromParent();
      }
    }
    llvm::DeleteDeadBlock(&Block);
    Changed = true;
  }
  return Changed;
}

/// Without blocks that do nothing but go on: there is one more behind a call that is left out.
void goOnAtOnce(llvm::Function &F) {
  for (llvm::BasicBlock &Block : llvm::make_early_inc_range(llvm::drop_begin(F))) {
    llvm::BasicBlock *Next = Block.getSingleSuccessor();
    if (!Next || Next == &Block || Block.sizeWithoutDebug() != 1 || !Next->phis().empty() ||
        !llvm::isa<llvm::BranchInst>(Block.getTerminator()))
      continue;
    Block.replaceAllUsesWith(Next);
    Block.eraseFromParent();
  }
}

/// What Clang makes of the same text in one form, and without what groups of the grid do.
void normalise(const DeviceIr &Ir, bool HasAnyGroup) {
  for (llvm::Function &F : *Ir.kernel().getParent())
    if (auto *Of = llvm::dyn_cast_or_null<clang::FunctionDecl>(Ir.declared(F)); Of && isOfGrids(*Of, HasAnyGroup)) {
      F.deleteBody();
      F.setComdat(nullptr);
    } else if (!F.isDeclaration()) {
      goOnAtOnce(F);
      while (branchesAtOnce(F)) // what is chosen by a block that is gone may be another such block's choice
        ;
    }
}

/// In a composition, the block is a constant; an element is all of its block.
void fixBlock(const DeviceIr &Ir, const PlayedKernel &Played) {
  const BlockShape &Block = Played.Partition.Block;
  auto Is = [&](const std::string &Register, unsigned Value) {
    if (llvm::Function *Read = Ir.kernel().getParent()->getFunction("llvm.nvvm.read.ptx.sreg." + Register))
      for (llvm::User *Use : Read->users())
        Use->replaceAllUsesWith(llvm::ConstantInt::get(Use->getType(), Value));
  };
  for (unsigned I = 0; Played.Part && I < 3; ++I) {
    Is(fmt::format("ntid.{}", "xyz"[I]), Played.Part->AsElement ? 1 : std::array{Block.X, Block.Y, Block.Z}[I]);
    if (Played.Part->AsElement)
      Is(fmt::format("tid.{}", "xyz"[I]), 0);
  }
}

class Neutraliser {
public:
  Neutraliser(DeviceIr &Ir, const PlayedKernel &Played)
      : Ir(Ir), Module(*Ir.kernel().getParent()), Context(Module.getContext()), Played(Played) {}

  void run() {
    // A fused block that is the kernel's own has its grid and barrier.
    const bool IsOwn = Played.Plan.keepsGrid() && !(Played.Part && Played.Part->AsElement);
    std::vector<llvm::Function *> All;
    for (llvm::Function &F : Module)
      if (!F.isDeclaration())
        All.push_back(&F);
    if (IsOwn)
      fixBlock(Ir, Played);
    else
      for (llvm::Function *F : All)
        nameOwn(*F);
    for (llvm::Function *F : All)
      stand(*F);
    parameters();
    normalise(Ir, Played.Facts.UsesAnyGroup);
  }

private:
  const clang::FunctionDecl *declared(const llvm::Function *F) const {
    return F ? llvm::dyn_cast_or_null<clang::FunctionDecl>(Ir.declared(*F)) : nullptr;
  }

  llvm::Value *marker(llvm::IRBuilder<> &Build, llvm::StringRef Name, llvm::ArrayRef<llvm::Value *> Arguments) {
    std::vector<llvm::Type *> Types(Arguments.size(), Build.getInt32Ty());
    llvm::FunctionCallee Marker =
        Module.getOrInsertFunction(Name, llvm::FunctionType::get(Build.getInt32Ty(), Types, false));
    auto *Function = llvm::cast<llvm::Function>(Marker.getCallee());
    Function->setDoesNotAccessMemory();
    Function->setDoesNotThrow();
    Function->setWillReturn();
    return Build.CreateCall(Marker, Arguments);
  }

  /// Gives the function another body, which `Make` writes; it returns what is returned.
  void rewrite(llvm::Function &F, llvm::function_ref<llvm::Value *(llvm::IRBuilder<> &)> Make) {
    const llvm::DebugLoc Where = llvm::DILocation::get(Context, 0, 0, F.getSubprogram());
    const auto Linkage = F.getLinkage();
    llvm::DISubprogram *Subprogram = F.getSubprogram();
    if (!F.isDeclaration()) {
      F.deleteBody();
      F.setLinkage(Linkage);
    }
    F.setSubprogram(Subprogram);
    llvm::IRBuilder<> Build(llvm::BasicBlock::Create(Context, "", &F));
    if (Subprogram)
      Build.SetCurrentDebugLocation(Where);
    llvm::Value *Result = Make(Build);
    if (F.getReturnType()->isVoidTy())
      Build.CreateRetVoid();
    else
      Build.CreateRet(Result);
  }

  /// By what `Instead` says of each.
  void replaceCalls(llvm::Function &F, llvm::function_ref<llvm::Value *(llvm::CallBase &)> Instead) {
    for (llvm::User *User : llvm::make_early_inc_range(F.users()))
      if (auto *Call = llvm::dyn_cast<llvm::CallBase>(User)) {
        if (llvm::Value *By = Instead(*Call))
          Call->replaceAllUsesWith(By);
        Call->eraseFromParent();
      }
  }

  void returnsBuiltin(llvm::Function &F, Builtin Variable) {
    const BlockShape &Block = Played.Partition.Block;
    rewrite(F, [&](llvm::IRBuilder<> &Build) {
      llvm::Value *Result = llvm::PoisonValue::get(F.getReturnType());
      for (unsigned I = 0; I < 3; ++I)
        Result = Build.CreateInsertValue(Result,
                                         Played.Part && Variable == Builtin::BlockDim
                                             ? Build.getInt32(std::array{Block.X, Block.Y, Block.Z}[I])
                                             : readRegister(Build, Variable, I),
                                         I);
      return Result;
    });
  }

  /// The block's barrier, by the name that CUDA has for it.
  void callsBarrier(llvm::Function &F, llvm::StringRef Name) {
    for (llvm::Function &Each : Module)
      if (const clang::FunctionDecl *Declared = declared(&Each);
          isBarrier(Declared) && nameIn(*Declared) == Name && Each.getFunctionType() == F.getFunctionType())
        return rewrite(F, [&](llvm::IRBuilder<> &Build) {
          return Build.CreateCall(&Each, llvm::SmallVector<llvm::Value *>(llvm::make_pointer_range(F.args())));
        });
  }

  void synchronises(llvm::Function &F) {
    rewrite(F, [&](llvm::IRBuilder<> &Build) {
      return Build.CreateIntrinsic(llvm::Intrinsic::nvvm_barrier_cta_sync_aligned_all, {}, {Build.getInt32(0)});
    });
  }

  /// A function that stands for something else becomes that.
  void stand(llvm::Function &F) {
    const clang::FunctionDecl *Of = declared(&F);
    if (!Of)
      return;
    const llvm::StringRef Name = nameIn(*Of);
    auto Is = [&](llvm::StringRef Member) { return Name == Member && isOfPartition(Of, Member, Played); };
    const std::string Around = namespaceAround(Of);
    if (Is("threadIdx"))
      returnsBuiltin(F, Builtin::ThreadIdx);
    else if (Is("blockDim"))
      returnsBuiltin(F, Builtin::BlockDim);
    else if (Is("rank"))
      rewrite(F, [&](llvm::IRBuilder<> &Build) { return marker(Build, neutral::Rank, {}); });
    else if (Is("sync"))
      synchronises(F);
    else if (Is("syncCount"))
      callsBarrier(F, "__syncthreads_count");
    else if (Is("syncAnd"))
      callsBarrier(F, "__syncthreads_and");
    else if (Is("syncOr"))
      callsBarrier(F, "__syncthreads_or");
    else if (Is("leave"))
      replaceCalls(F, [](llvm::CallBase &) { return nullptr; });
    else if (Is("dynamicShared"))
      rewrite(F, [&](llvm::IRBuilder<> &Build) { return dynamicShared(Build, F.getArg(0)); });
    else if (Is("indices"))
      indices(F);
    else if (Around == Played.Around && Name == "cufuse_barrier")
      rewrite(F, [&](llvm::IRBuilder<> &Build) { return marker(Build, neutral::Barrier, {F.getArg(0)}); });
    else if (Around == Played.Around && Name.starts_with("__barrier_sync"))
      callsBarrier(F, Name);
    else if (Around == Played.Output && classOf(Of) == "CufuseBlock")
      ofLibraries(F, Name);
    else if (Played.Part && Around == Played.Around && classOf(Of) == "CufuseRow" && Name == "each")
      takesOne(F);
    else if (Played.Part && (Around == Played.Around || Around == "cufuse") && asksForTurn(*Of))
      replaceCalls(F, [](llvm::CallBase &Call) { // what was written is given last
        return Call.getArgOperand(Call.arg_size() - 1);
      });
  }

  /// A loop over the elements of a turn, which has one there: it ends behind its first turn.
  void takesOne(llvm::Function &F) {
    for (llvm::User *User : F.users())
      if (auto *Call = llvm::dyn_cast<llvm::CallBase>(User)) {
        llvm::BasicBlock *Asks = Call->getParent();
        const llvm::DominatorTree Dominators(*Asks->getParent());
        if (auto *Branch = llvm::dyn_cast<llvm::BranchInst>(Asks->getTerminator()); Branch && Branch->isConditional())
          for (llvm::BasicBlock *Before : llvm::to_vector(llvm::predecessors(Asks)))
            if (Dominators.dominates(Asks, Before))
              Before->getTerminator()->replaceSuccessorWith(Asks, Branch->getSuccessor(1));
      }
    replaceCalls(F, [](llvm::CallBase &Call) { return Call.getArgOperand(Call.arg_size() - 1); });
  }

  /// The headers of libraries know the partition by the thread.
  void ofLibraries(llvm::Function &F, llvm::StringRef Name) {
    for (size_t I = 0; I < BuiltinNames.size(); ++I)
      if (Name == BuiltinNames[I])
        returnsBuiltin(F, static_cast<Builtin>(I));
    if (Name == "__syncthreads")
      synchronises(F);
    else
      callsBarrier(F, Name);
  }

  /// Of a kernel that keeps its grid, the text may have the number itself.
  unsigned beginning() const { return Played.Plan.keepsGrid() ? 0 : Beginning; }

  llvm::Value *dynamicShared(llvm::IRBuilder<> &Build, llvm::Value *Offset) {
    constexpr unsigned Shared = 3;
    auto *Memory = Module.getNamedGlobal(neutral::DynamicShared);
    if (!Memory)
      Memory = new llvm::GlobalVariable(Module, llvm::ArrayType::get(Build.getInt8Ty(), 0), false,
                                        llvm::GlobalValue::ExternalLinkage, nullptr, neutral::DynamicShared, nullptr,
                                        llvm::GlobalValue::NotThreadLocal, Shared);
    llvm::Value *Distance = Build.CreateZExt(Build.CreateSub(Offset, Build.getInt32(beginning())), Build.getInt64Ty());
    return Build.CreatePtrAdd(llvm::ConstantExpr::getAddrSpaceCast(Memory, Build.getPtrTy()), Distance);
  }

  /// In place of what a kernel's functions find in shared memory.
  void indices(llvm::Function &F) {
    const auto *Method = llvm::cast<clang::CXXMethodDecl>(declared(&F));
    const clang::ASTContext &Ast = Method->getASTContext();
    const auto Bytes = Ast.getTypeSizeInChars(Method->getReturnType().getNonReferenceType()).getQuantity();
    replaceCalls(F, [&](llvm::CallBase &Call) {
      llvm::Value *Memory = local(*Call.getFunction(), Bytes);
      llvm::IRBuilder<> Build(&Call);
      fillFromRegisters(Build, Memory, Builtin::BlockIdx);
      fillFromRegisters(Build, Build.CreateConstGEP1_32(Build.getInt32Ty(), Memory, 3), Builtin::GridDim);
      Build.CreateStore(Build.getInt32(beginning()), Build.CreateConstGEP1_32(Build.getInt32Ty(), Memory, 6));
      return Memory;
    });
  }

  llvm::Value *local(llvm::Function &In, unsigned long long Bytes) {
    llvm::IRBuilder<> Build(&*In.getEntryBlock().begin());
    llvm::AllocaInst *Memory = Build.CreateAlloca(llvm::ArrayType::get(Build.getInt8Ty(), Bytes));
    Memory->setAlignment(llvm::Align(16));
    return Memory;
  }

  /// Those that the fusion has added, and the pointers in its objects.
  void parameters() {
    llvm::Function &F = Ir.kernel();
    const clang::FunctionDecl *Declared = declared(&F);
    for (llvm::Argument &A : F.args()) {
      const clang::TagDecl *Tag = Declared->getParamDecl(A.getArgNo())->getType()->getAsTagDecl();
      if (!Tag || Tag->getName() != "cufuse_pointer" || !A.hasByValAttr())
        continue;
      llvm::Value *Object = local(F, 8);
      A.replaceAllUsesWith(Object);
      A.removeAttr(llvm::Attribute::ByVal);
      llvm::IRBuilder<>(llvm::cast<llvm::Instruction>(Object)->getNextNode()).CreateStore(&A, Object);
    }
    for (unsigned I = 0; I + Played.OwnParameters < F.arg_size(); ++I) {
      llvm::Argument *A = F.getArg(I);
      const clang::TagDecl *Tag = Declared->getParamDecl(I)->getType()->getAsTagDecl();
      if (Tag && Tag->getName().starts_with("Cufuse")) // the turn or the row, which is not asked
        continue;
      if (Tag) {
        llvm::Value *Memory = local(F, 12);
        llvm::IRBuilder<> Build(llvm::cast<llvm::Instruction>(Memory)->getNextNode());
        fillFromRegisters(Build, Memory, Tag->getName() == "uint3" ? Builtin::BlockIdx : Builtin::GridDim);
        A->replaceAllUsesWith(Memory);
      } else {
        A->replaceAllUsesWith(llvm::ConstantInt::get(A->getType(), beginning()));
      }
    }
  }

  /// Reads of the fused block, and its barriers.
  void nameOwn(llvm::Function &F) {
    if (isBarrier(declared(&F)))
      return;
    for (llvm::Instruction &I : llvm::instructions(F)) {
      auto *Call = llvm::dyn_cast<llvm::CallBase>(&I);
      llvm::Function *Callee = Call ? Call->getCalledFunction() : nullptr;
      if (Callee && (isBarrier(declared(Callee)) || isOfBlock(*Callee))) {
        auto Own = Module.getOrInsertFunction((neutral::Own + Callee->getName()).str(), Callee->getFunctionType(),
                                              Callee->getAttributes());
        Call->setCalledFunction(Own);
      }
    }
  }

  static bool isOfBlock(const llvm::Function &Intrinsic) {
    llvm::StringRef Name = Intrinsic.getName();
    if (!Name.consume_front("llvm.nvvm."))
      return false;
    if (Name.starts_with("barrier.cta.") || Name.starts_with("barrier0"))
      return true;
    return Name.consume_front("read.ptx.sreg.") && llvm::is_contained(BuiltinRegisters, Name.substr(0, Name.find('.')));
  }

  DeviceIr &Ir;
  llvm::Module &Module;
  llvm::LLVMContext &Context;
  const PlayedKernel &Played;
};

/// A kind of `cufuse_pointer` that is the pointer itself, in place of another. The user's headers, which come before
/// it, may have macros of one letter.
constexpr const char *Memory =
    "namespace cufuse_neutral { "
    "template <bool Constant, typename Own> struct like { using type = Own; }; "
    "template <typename Own> struct like<true, Own> { using type = const Own; }; "
    "template <typename Kind, typename Own> using access = decltype((*(const Kind *)nullptr).template at<Own>(0)); "
    "template <typename Kind, typename Value, bool Constant = __is_const(__remove_reference_t(access<Kind, Value>)) || "
    "__is_same(access<Kind, Value>, Value)> struct memory { "
    "typename like<Constant, Value>::type *address; "
    "template <typename Own> __device__ auto &at(long long index) const { "
    "return reinterpret_cast<typename like<Constant, Own>::type *>(address)[index]; } "
    "template <typename Own> __device__ memory moved(long long by) const { "
    "return {reinterpret_cast<decltype(address)>(&at<Own>(by))}; } "
    "template <typename To> __device__ memory<Kind, Value, Constant || __is_const(To)> as() const { "
    "return {address}; } }; } ";

/// `cufuse_pointer<T, Kind>` with that in place of its kind.
std::string asPointer(llvm::StringRef Object) {
  unsigned Depth = 0;
  size_t Comma = Object.size(); // the last outside all brackets but the outermost
  for (size_t At = Object.find('<') + 1; At < Object.size(); ++At) {
    Depth += llvm::StringRef("<(").contains(Object[At]);
    Depth -= llvm::StringRef(">)").contains(Object[At]);
    if (Object[At] == ',' && Depth == 0)
      Comma = At;
  }
  const llvm::StringRef Element = Object.slice(Object.find('<') + 1, Comma),
                        Kind = Object.substr(Comma + 1).trim().drop_back();
  return fmt::format("cufuse_pointer<{0}, cufuse_neutral::memory<{1}, {0}>>", Element.str(), Kind.str());
}

} // namespace

std::optional<std::string> neutralText(llvm::StringRef Source, llvm::ArrayRef<Constituent> Constituents,
                                       const FusionPlan &Plan, const EmitOptions &Options) {
  std::string Text = Source.str();
  bool Changed = false;
  for (const PartitionPlan &P : Plan.Partitions) {
    const Constituent &C = Constituents[P.Constituent];
    const std::string Path = partitionNamespace(Options.Name, Constituents, Plan, P);
    for (const Piece &Each : C.Text->Body)
      if (const unsigned Factor = Plan.Roles[P.Constituent].Unroll; Factor > 0 && Each.Unrolled) {
        auto In = [&](const OutputText &Form) {
          return Form.with(OutputText::Slot::Factor, OutputText::constant(Factor))
              .with(OutputText::Slot::Path, Path)
              .text();
        };
        const std::string Plain = In(Each.Text),
                          Unrolled = // but for the pragma, which changes nothing
                          replaced(In(*Each.Unrolled), fmt::format("_Pragma(\"unroll {}\") ", Factor), "");
        if (Unrolled != Plain && llvm::StringRef(Text).contains(Unrolled)) {
          Text = replaced(Text, Unrolled, Plain);
          Changed = true;
        }
      }
    for (const ComposedPart &Part : C.Parts ? *C.Parts : std::vector<ComposedPart>()) {
      Changed = true;
      // Nobody else calls it so.
      if (const std::string Space = Path + "::cufuse_" + Part.Name; Part.Facts.MangledName.starts_with("_Z"))
        Text += fmt::format("\nnamespace cufuse_neutral {{ __device__ auto cufuse_{}_{} = &{}::{}; }}", P.First,
                            Part.Name, Space, Part.Callee.with(OutputText::Slot::Path, Space).text());
    }
  }
  // By whichever cache it loads.
  if (constexpr const char *Fresh = "#define __ldg cufuse_ldg\n"; llvm::StringRef(Text).contains(Fresh)) {
    Text = replaced(Text, Fresh, "\n");
    Changed = true;
  }
  if (!Changed)
    return std::nullopt;
  auto Hinted = [&](const char *Name, llvm::StringRef Head, llvm::StringRef As, llvm::StringRef More) {
    Text = replaced(Text, fmt::format("{}{} }}", Head.str(), As.str()),
                    fmt::format("{}return ::{}(&*p{}); }}", Head.str(), Name, More.str()));
  };
  for (const char *Name : CachedLoads)
    Hinted(Name, fmt::format("auto {}(cufuse_pointer<T, Kind> p) {{ ", Name), "return *p;", "");
  for (const char *Name : CachedStores)
    Hinted(Name, fmt::format("void {}(cufuse_pointer<T, Kind> p, const Value &value) {{ ", Name), "*p = value;",
           ", value");
  Text = replaced(Text, "return reinterpret_cast<const void *>(1);", "return &*p;"); // as Casts.cuh has it
  // Each block's own shared memory is that of its kernel, and a reduction is of as many threads as the text has said.
  static const llvm::Regex Own(" auto &[A-Za-z_0-9]+ = [A-Za-z_0-9]+_ofCopies\\[cufuse_partition::copy\\(\\)\\];");
  Text = replaced(Text, "_ofCopies[cufuse_partition::Copies]", "");
  while (Own.match(Text))
    Text = Own.sub("", Text);
  for (const PartitionPlan &P : Plan.Partitions)
    Text = replaced(Text, fmt::format("sizeof...(More) == 0 ? {} : Given", P.Block.X), "true ? Given : Given");
  static const llvm::Regex Alias("^using (cufuse_linked_[A-Za-z_0-9]+) = (cufuse_pointer<.*>);$");
  // Before all, where the user's macros have names that are put aside for the output's own.
  bool HasMemory = llvm::StringRef(Text).contains("#pragma push_macro(");
  std::string Result = HasMemory ? Memory : "";
  for (llvm::StringRef Line : llvm::split(Text, '\n')) {
    llvm::SmallVector<llvm::StringRef, 3> Parts;
    if (!HasMemory && Line.starts_with("namespace ")) { // behind what is included, which stays precompiled
      Result += Memory;
      HasMemory = true;
    }
    if (Alias.match(Line, &Parts))
      Result += fmt::format("using {} = {};", Parts[1].str(), asPointer(Parts[2]));
    else
      Result += Line;
    Result += '\n';
  }
  return Result;
}

std::string namespaceAround(const clang::Decl *D) {
  const clang::DeclContext *Around = D->getDeclContext()->getEnclosingNamespaceContext();
  while (Around->isInlineNamespace()) // the output's own, whose name has a hash
    Around = Around->getParent();
  auto *Namespace = llvm::dyn_cast<clang::NamespaceDecl>(Around);
  return Namespace ? Namespace->getQualifiedNameAsString() : "";
}

bool isOfPartition(const clang::FunctionDecl *F, llvm::StringRef Member, const PlayedKernel &Played) {
  auto *Method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(F);
  if (!Method || nameIn(*Method) != Member || namespaceAround(Method) != Played.Output)
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

bool asksForTurn(const clang::FunctionDecl &F) {
  return (classOf(&F) == "CufuseTurn" && !llvm::isa<clang::CXXConstructorDecl>(F)) ||
         (classOf(&F) == "CufuseRow" && llvm::is_contained({"next", "inside", "each", "element"}, nameIn(F)));
}

std::unique_ptr<DeviceIr> codeOf(const ParsedUnit &Input, const Reached &Reach, const PlayedKernel &Played) {
  return DeviceIr::generate(Input, Reach, {}, [&](DeviceIr &Ir) {
    fixBlock(Ir, Played);
    normalise(Ir, Played.Facts.UsesAnyGroup);
  });
}

std::unique_ptr<DeviceIr> neutralCode(const ParsedUnit &Output, const Reached &Reach, const PlayedKernel &Played) {
  return DeviceIr::generate(Output, Reach, barriers(Output.ast()),
                            [&](DeviceIr &Ir) { Neutraliser(Ir, Played).run(); });
}

} // namespace cufuse
