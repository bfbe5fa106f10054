#include "cufuse/Code/Meetings.h"

#include "cufuse/Ptx/PtxTable.h"
#include "cufuse/Reach/Assembly.h"

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Support/Regex.h>

namespace cufuse {

using llvm::StringRef;

bool isMatrixOperation(const llvm::Value &Call) {
  static const llvm::Regex Names("^llvm\\.nvvm\\.(wmma|mma|ldmatrix|stmatrix|movmatrix|wgmma)\\.");
  return Names.match(intrinsicName(&Call));
}

namespace {

/// Of a function without a body, by what it was declared as.
Meets ofDeclared(const DeviceIr &Ir, const llvm::Function &Callee) {
  const clang::FunctionDecl *Declared = Ir.declaration(Callee);
  if (!Declared)
    return Meets::Nobody; // what Clang itself calls, as printf's back end, or names, as what no pure function is
  switch (classify(*Declared)) {
  case Intrinsic::Barrier:
    return Meets::Block;
  case Intrinsic::WarpPrimitive:
    return Meets::Warp;
  case Intrinsic::None:
    return inUsersFile(Declared) && !Ir.unit().inCompatHeader(Declared->getLocation()) ? Meets::Unknown : Meets::Nobody;
  default:
    return Meets::Nobody;
  }
}

/// Does the function, or what it calls, synchronise in one of these ways, or in one that is not known?
bool synchronises(const DeviceIr &Ir, const llvm::Function &F, llvm::ArrayRef<Meets> Ways) {
  auto IsOne = [&](Meets What) { return What == Meets::Unknown || llvm::is_contained(Ways, What); };
  auto All = calledBy(F);
  All.insert(const_cast<llvm::Function *>(&F));
  return llvm::any_of(All, [&](const llvm::Function *Each) {
    if (Each->isDeclaration())
      return !Each->isIntrinsic() && IsOne(ofDeclared(Ir, *Each));
    return llvm::any_of(llvm::instructions(Each), [&](const llvm::Instruction &I) {
      auto *Call = llvm::dyn_cast<llvm::CallBase>(&I);
      return Call && (Call->isInlineAsm() || llvm::isa<llvm::IntrinsicInst>(Call)) && IsOne(meets(Ir, *Call));
    });
  });
}

/// Does what is called, a function with a body or whatever a pointer leads to?
bool synchronises(const DeviceIr &Ir, const llvm::CallBase &Call, llvm::ArrayRef<Meets> Ways) {
  if (const llvm::Function *Callee = Call.getCalledFunction())
    return synchronises(Ir, *Callee, Ways);
  return llvm::any_of(*Call.getModule(),
                      [&](const llvm::Function &F) { return F.hasAddressTaken() && synchronises(Ir, F, Ways); });
}

/// The most of all that it does.
Meets ofAssembly(const llvm::CallBase &Call) {
  Meets Most = Meets::Nobody;
  for (const PtxStatement &S : assemblyIn(Call)) {
    const PtxFamily *Family = findPtxFamily(S.Opcode);
    if (Family && Family->What == PtxFamily::Kind::Barrier) {
      if (S.IsPredicated || S.hasAny({"red"}) || !llvm::is_contained(S.Operands, ",")) // it has no count
        return Meets::Block;
    } else if ((Family && Family->What == PtxFamily::Kind::Warp) || S.hasAny({"sync"})) {
      Most = Meets::Warp;
    }
  }
  return Most;
}

Meets ofIntrinsic(const llvm::CallBase &Call) {
  StringRef Name = Call.getCalledFunction()->getName();
  if (!Name.consume_front("llvm.nvvm."))
    return Meets::Nobody;
  if (Name == "bar.warp.sync" || isMatrixOperation(Call))
    return Meets::Warp;
  if (Name.starts_with("bar")) // with a count, it is no matter who has left
    return Name.contains(".cluster") || Name.contains(".count") ? Meets::Nobody : Meets::Block;
  for (const char *Asynchronous : {"cp.async", "mbarrier", "tcgen05", "fence", "griddepcontrol", "tex", "sust", "suld",
                                   "nanosleep", "membar", "setmaxnreg"})
    if (Name.starts_with(Asynchronous))
      return Meets::Nobody;
  return Call.getCalledFunction()->isConvergent() ? Meets::Warp : Meets::Nobody;
}

} // namespace

bool asksLane(const DeviceIr &Ir) {
  auto All = calledBy(Ir.kernel());
  All.insert(const_cast<llvm::Function *>(&Ir.kernel()));
  return llvm::any_of(All, [&](const llvm::Function *Each) {
    return llvm::any_of(llvm::instructions(Each), [&](const llvm::Instruction &I) {
      auto *Call = llvm::dyn_cast<llvm::CallBase>(&I);
      if (!Call || Ir.isOfBlockReduce(*Call))
        return false;
      const auto *Assembly = llvm::dyn_cast<llvm::InlineAsm>(Call->getCalledOperand());
      const llvm::StringRef Text = Assembly ? Assembly->getAsmString() : intrinsicName(Call);
      return Text.contains("laneid") || Text.contains("lanemask");
    });
  });
}

const llvm::Value *lanesOf(const llvm::CallBase &Call) {
  StringRef Name = intrinsicName(&Call);
  if (!Name.consume_front("llvm.nvvm."))
    return nullptr;
  if (Name.starts_with("redux.sync."))
    return Call.getArgOperand(1);
  for (const char *First : {"shfl.sync.", "vote.", "match.", "bar.warp.sync"})
    if (Name.starts_with(First))
      return Call.getArgOperand(0);
  return nullptr;
}

bool namesAllLanes(const llvm::CallBase &Call) {
  const llvm::Value *Lanes = lanesOf(Call);
  return Lanes ? llvm::PatternMatch::match(Lanes, llvm::PatternMatch::m_AllOnes()) : isMatrixOperation(Call);
}

Meets meets(const DeviceIr &Ir, const llvm::CallBase &Call) {
  if (Call.isInlineAsm())
    return ofAssembly(Call);
  const llvm::Function *Callee = Call.getCalledFunction();
  if (Callee && Callee->isIntrinsic())
    return ofIntrinsic(Call);
  if (!Callee || !Callee->isDeclaration())
    return synchronises(Ir, Call, {Meets::Block, Meets::Warp}) ? Meets::Unknown : Meets::Nobody;
  return ofDeclared(Ir, *Callee);
}

bool mayMeetInside(const DeviceIr &Ir, const llvm::CallBase &Call, Meets Who) { return synchronises(Ir, Call, Who); }

/// The calls that are left in the kernel, and in what it calls.
static std::vector<const llvm::CallBase *> callsOf(const DeviceIr &Ir) {
  std::vector<const llvm::CallBase *> Calls;
  auto Called = calledBy(Ir.kernel());
  Called.insert(&Ir.kernel());
  for (const llvm::Function *By : Called)
    for (const llvm::Instruction &I : llvm::instructions(By))
      if (auto *Call = llvm::dyn_cast<llvm::CallBase>(&I))
        Calls.push_back(Call);
  return Calls;
}

bool callsThroughPointer(const DeviceIr &Ir) {
  return llvm::any_of(callsOf(Ir), [&](const llvm::CallBase *Call) {
    return Call->isIndirectCall() && (!Call->getDebugLoc() || Ir.functionAt(*Call->getDebugLoc()));
  });
}

std::vector<std::pair<const llvm::CallBase *, const llvm::Function *>> waitsThroughPointers(const DeviceIr &Ir) {
  std::vector<std::pair<const llvm::CallBase *, const llvm::Function *>> Found;
  for (const llvm::CallBase *Call : callsOf(Ir))
    if (Call->isIndirectCall())
      for (const llvm::Function &F : *Call->getModule())
        if (F.hasAddressTaken() && synchronises(Ir, F, Meets::Block))
          Found.push_back({Call, &F});
  return Found;
}

llvm::SmallSetVector<llvm::Function *, 8> calledBy(const llvm::Function &Caller) {
  llvm::SmallSetVector<llvm::Function *, 8> Called;
  auto AddCalled = [&](const llvm::Function &By) {
    for (const llvm::Instruction &I : llvm::instructions(By)) {
      auto *Call = llvm::dyn_cast<llvm::CallBase>(&I);
      if (!Call || Call->isInlineAsm())
        continue;
      if (llvm::Function *Callee = Call->getCalledFunction())
        Called.insert(Callee);
      else
        for (llvm::Function &F : *const_cast<llvm::Module *>(Caller.getParent()))
          if (F.hasAddressTaken())
            Called.insert(&F);
    }
  };
  AddCalled(Caller);
  for (size_t At = 0; At < Called.size(); ++At)
    AddCalled(*Called[At]);
  return Called;
}

std::vector<NamedBarrier> namedBarriers(const DeviceIr &Ir) {
  std::vector<NamedBarrier> Found;
  auto Look = [&](const llvm::CallBase &Call) {
    auto Add = [&](const llvm::Value *Number, std::string What, bool HasCount, bool Arrives = false) {
      const llvm::APInt *Known = nullptr;
      const bool IsKnown = Number && llvm::PatternMatch::match(Number, llvm::PatternMatch::m_APInt(Known));
      Found.push_back({&Call, std::move(What), {}, HasCount, Arrives});
      if (IsKnown)
        Found.back().Number = Known->getLimitedValue(MaxNamedBarriers + 1);
    };
    const llvm::Function *Callee = Call.getCalledFunction();
    if (auto *Assembly = llvm::dyn_cast<llvm::InlineAsm>(Call.getCalledOperand())) {
      const size_t Outputs = llvm::count_if(Assembly->ParseConstraints(),
                                            [](const auto &C) { return C.Type == llvm::InlineAsm::isOutput; });
      std::string Text = StringRef(Assembly->getAsmString()).str();
      std::replace(Text.begin(), Text.end(), '$', '%'); // operands, as a source has them
      for (const AssemblyMention &M : scanAssembly(StringRef(Text)).Mentions)
        if (M.What == AssemblyMention::Kind::Barrier && !M.IsOperand && M.Number > 0)
          Found.push_back({&Call, "", M.Number, M.HasCount, M.Arrives});
        else if (M.What == AssemblyMention::Kind::Barrier && M.IsOperand)
          Add(M.Number >= Outputs && M.Number - Outputs < Call.arg_size() ? Call.getArgOperand(M.Number - Outputs)
                                                                          : nullptr,
              "operand %" + std::to_string(M.Number), M.HasCount, M.Arrives);
    } else if (const StringRef Name = intrinsicName(&Call); Name.starts_with("llvm.nvvm.barrier.cta.")) {
      const bool HasCount = Name.contains(".count");
      if (HasCount || !llvm::PatternMatch::match(Call.getArgOperand(0), llvm::PatternMatch::m_Zero()))
        Add(Call.getArgOperand(0), calledAs(Ir, Call), HasCount, Name.contains(".arrive"));
    } else if (const clang::FunctionDecl *Declared = Callee ? Ir.declaration(*Callee) : nullptr;
               Declared && classify(*Declared) == Intrinsic::NamedBarrier) {
      Found.push_back({&Call, calledAs(Ir, Call), MaxNamedBarriers + 1, true, true}); // one that no text names
    }
  };
  for (const llvm::CallBase *Call : callsOf(Ir))
    Look(*Call);
  return Found;
}

std::string calledAs(const DeviceIr &Ir, const llvm::CallBase &Call) {
  for (const PtxStatement &S : assemblyIn(Call))
    if (S.hasAny({"sync", "async", "red"}))
      return S.Opcode.str();
  if (Call.isInlineAsm())
    return "assembly";
  const llvm::Function *Callee = Call.getCalledFunction();
  const clang::FunctionDecl *Declared = Callee ? Ir.declaration(*Callee) : nullptr;
  if (Declared)
    return Declared->getNameAsString();
  if (!Callee)
    return "a call through a pointer";
  // What CUDA calls it is the function that the header has around it.
  if (const llvm::DILocation *At = Call.getDebugLoc())
    if (const llvm::DISubprogram *In = At->getScope()->getSubprogram();
        In && At->getInlinedAt() && In->getName().starts_with("__"))
      return In->getName().str();
  StringRef Name = Callee->getName();
  if (Name.consume_front("llvm.nvvm."))
    return Name.starts_with("barrier") ? "a barrier of the block" : Name.str();
  return "a function that calls itself";
}

bool partsInside(const llvm::CallBase &Call) {
  return llvm::any_of(assemblyIn(Call), [](const PtxStatement &S) {
    const PtxFamily *Family = findPtxFamily(S.Opcode);
    return S.name() == "bra" || S.name() == "brx" ||
           (S.IsPredicated && Family && Family->What == PtxFamily::Kind::Warp);
  });
}

bool ordersParts(const DeviceIr &Ir) {
  return llvm::any_of(llvm::instructions(Ir.kernel()), [&](const llvm::Instruction &I) {
    auto *Call = llvm::dyn_cast<llvm::CallBase>(&I);
    if (!Call)
      return false;
    if (Call->isInlineAsm())
      return ofAssembly(*Call) != Meets::Block && llvm::any_of(assemblyIn(*Call), [](const PtxStatement &S) {
               return llvm::is_contained({"bar", "barrier", "mbarrier"}, S.name());
             });
    const llvm::Function *Callee = Call->getCalledFunction();
    if (Callee && Callee->isIntrinsic())
      return Callee->getName().starts_with("llvm.nvvm.mbarrier") ||
             (Callee->getName().starts_with("llvm.nvvm.barrier") && meets(Ir, *Call) != Meets::Block);
    const clang::FunctionDecl *Declared = Callee ? Ir.declaration(*Callee) : nullptr;
    return Declared && classify(*Declared) == Intrinsic::NamedBarrier;
  });
}

} // namespace cufuse
