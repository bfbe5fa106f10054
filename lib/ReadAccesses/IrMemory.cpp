#include "IrMemory.h"

#include "cufuse/Ptx/PtxTable.h"
#include "cufuse/Reach/Assembly.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/StringSet.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>
#include <llvm/Support/Regex.h>

namespace cufuse {

std::string assemblyOf(const llvm::CallBase &Call) {
  std::string Text;
  if (auto *Assembly = llvm::dyn_cast<llvm::InlineAsm>(Call.getCalledOperand()))
    for (char C : Assembly->getAsmString())
      if (!llvm::isSpace(C) && C != '{' && C != '}')
        Text += C;
  return Text;
}

namespace {

/// They print, or end the grid.
const llvm::StringSet<> Reporting = {"vprintf", "__assertfail", "__assert_fail", "__trap", "abort"};

/// The first instruction of an assembly that does more than compute of its operands; empty if there is none.
std::string beyondComputing(const llvm::CallBase &Call) {
  for (const PtxStatement &S : assemblyIn(Call)) {
    const PtxFamily *Family = findPtxFamily(S.Opcode);
    // A special register, or a name of the assembly's own that looks like one.
    const bool Computes = Family && Family->What == PtxFamily::Kind::Computes && !S.text().contains('%');
    if (!Computes && S.Opcode != ".reg")
      return S.text().str();
  }
  return {};
}

class MemoryCollector {
public:
  MemoryCollector(const DeviceIr &Ir, IrValues &Values)
      : Ir(Ir), Values(Values), Layout(Ir.kernel().getParent()->getDataLayout()) {}

  IrMemory run() {
    for (const llvm::Instruction &I : llvm::instructions(Ir.kernel())) {
      if (const llvm::Value *Pointer = llvm::getLoadStorePointerOperand(&I))
        access(llvm::isa<llvm::LoadInst>(I) ? IrAccess::Kind::Load : IrAccess::Kind::Store, I, Pointer,
               Layout.getTypeStoreSize(llvm::getLoadStoreType(&I)),
               I.hasMetadata(llvm::LLVMContext::MD_invariant_load));
      else if (llvm::isa<llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(I))
        access(IrAccess::Kind::Atomic, I, I.getOperand(0), Layout.getTypeStoreSize(I.getOperand(1)->getType()));
      else if (auto *Call = llvm::dyn_cast<llvm::CallBase>(&I))
        call(*Call);
    }
    return std::move(Result);
  }

private:
  void access(IrAccess::Kind What, const llvm::Instruction &By, const llvm::Value *Pointer, std::uint64_t Bytes,
              bool ReadOnlyCache = false, bool Once = false) {
    const IrPlace Place = placeOf(Pointer, Values);
    const auto Chosen =
        Place.Arguments.size() == 1 && !Place.Offset ? chosen(Pointer, *By.getParent()) : std::vector<ChosenIndex>();
    const auto Data = Place.Arguments.size() == 1 && !Place.Offset && Chosen.empty()
                          ? Values.byData([&] { return placeOf(Pointer, Values).Offset; })
                          : std::nullopt;
    for (unsigned Argument : Place.Arguments)
      Result.Accesses.push_back({What, &By, Pointer, Argument, Place.Offset, Bytes, ReadOnlyCache, Chosen, Once, Data});
    for (const llvm::Value *Unknown : Place.Unknown)
      Result.Elsewhere.push_back({&By, llvm::isa<llvm::GlobalVariable>(Unknown)
                                           ? "the variable " + Unknown->getName().str()
                                           : "an address that it computes"});
  }

  std::vector<ChosenIndex> chosen(const llvm::Value *Pointer, const llvm::BasicBlock &At) {
    std::vector<ChosenIndex> Found;
    bool Known = true;
    const bool All = Values.byChoice(Pointer, At, [&](std::vector<Less> Holds) {
      const auto Offset = placeOf(Pointer, Values).Offset;
      Known &= Offset.has_value();
      Found.push_back({Offset.value_or(Polynomial()), std::move(Holds)});
    });
    return All && Known ? Found : std::vector<ChosenIndex>();
  }

  /// Through every pointer it is given.
  bool accessAll(const llvm::CallBase &Call, IrAccess::Kind What, bool ReadOnlyCache = false) {
    const bool Returns = What == IrAccess::Kind::Atomic && !Call.getType()->isVoidTy(); // what was there
    bool Any = false;
    for (const llvm::Use &Argument : Call.args())
      if (Argument->getType()->isPointerTy()) {
        Any = true;
        access(What, Call, Argument, Returns ? Layout.getTypeStoreSize(Call.getType()).getFixedValue() : 0,
               ReadOnlyCache);
      }
    return Any;
  }

  void call(const llvm::CallBase &Call) {
    if (auto *Assembly = llvm::dyn_cast<llvm::InlineAsm>(Call.getCalledOperand()))
      return assembly(Call, *Assembly);
    const llvm::Function *Callee = Call.getCalledFunction();
    if (!Callee) {
      accessAll(Call, IrAccess::Kind::Any);
      return beyond(Call, "what a pointer to a function leads to");
    }
    if (Callee->isIntrinsic())
      return intrinsic(Call, *Callee);
    const clang::FunctionDecl *Declared = Ir.declaration(*Callee);
    const llvm::StringRef Name = Declared && Declared->getIdentifier() ? Declared->getName() : Callee->getName();
    if (llvm::is_contained(CachedLoads, Name) && Call.arg_size() > 0) {
      const bool InMemory = Call.getArgOperand(0)->getType()->isPointerTy() && Call.hasStructRetAttr();
      return access(IrAccess::Kind::Load, Call, Call.getArgOperand(InMemory ? 1 : 0),
                    Call.getType()->isVoidTy() ? 0 : Layout.getTypeStoreSize(Call.getType()), Name == "__ldg");
    }
    if (llvm::is_contained(CachedStores, Name) && Call.arg_size() > 1)
      return access(IrAccess::Kind::Store, Call, Call.getArgOperand(0),
                    Call.isByValArgument(1) ? Layout.getTypeStoreSize(Call.getParamByValType(1))
                                            : Layout.getTypeStoreSize(Call.getArgOperand(1)->getType()));
    const bool Pointers = accessAll(Call, IrAccess::Kind::Any);
    const bool IsAtomic = Name.starts_with("__nv_atomic") || (Declared && classify(*Declared) == Intrinsic::Atomic);
    if (Reporting.contains(Name))
      Result.Reports.push_back({&Call, Name.str()});
    if (Reporting.contains(Name) || (Name.starts_with("__nv_") && !IsAtomic) || (IsAtomic && Pointers))
      return; // libdevice computes
    beyond(Call, Name.str());
  }

  void intrinsic(const llvm::CallBase &Call, const llvm::Function &Callee) {
    const llvm::StringRef Name = Callee.getName();
    if (auto *Copy = llvm::dyn_cast<llvm::MemIntrinsic>(&Call)) {
      auto *Length = llvm::dyn_cast<llvm::ConstantInt>(Copy->getLength());
      const std::uint64_t Bytes = Length ? Length->getZExtValue() : 0;
      if (auto *Transfer = llvm::dyn_cast<llvm::MemTransferInst>(&Call))
        access(Bytes ? IrAccess::Kind::Load : IrAccess::Kind::Any, Call, Transfer->getRawSource(), Bytes);
      access(Bytes ? IrAccess::Kind::Store : IrAccess::Kind::Any, Call, Copy->getRawDest(), Bytes);
      return;
    }
    if (Call.isDebugOrPseudoInst() || Call.isLifetimeStartOrEnd() || llvm::isa<llvm::AssumeInst>(Call))
      return;
    if (Name.starts_with("llvm.nvvm.read.ptx.sreg.")) {
      if (!Values.of(&Call) && Name != "llvm.nvvm.read.ptx.sreg.warpsize")
        Result.Together.push_back({&Call, Name.str()});
      return;
    }
    if (Name == "llvm.trap")
      Result.Reports.push_back({&Call, "__trap"});
    if (Callee.isConvergent())
      Result.Together.push_back({&Call, Name.str()});
    if (Call.doesNotAccessMemory() || Call.onlyAccessesInaccessibleMemory())
      return;
    const bool ReadOnlyCache = Name.starts_with("llvm.nvvm.ldg") || Name.starts_with("llvm.nvvm.ldu");
    const bool Pointers = accessAll(Call,
                                    ReadOnlyCache             ? IrAccess::Kind::Load
                                    : Name.contains("atomic") ? IrAccess::Kind::Atomic
                                                              : IrAccess::Kind::Any,
                                    ReadOnlyCache);
    if (!Pointers && (Name.contains(".tex.") || Name.contains(".suld.") || Name.contains(".sust.") ||
                      Name.contains(".tld4.") || Name.contains(".ldu.") || Name.contains("tensor")))
      beyond(Call, Name.str());
  }

  /// `ld.global.cs.f32 $0, [$1];` and `st.global.cg.f32 [$0], $1;`, as the toolkit's headers have them, are an access
  /// to the one address that they are given.
  bool loadOrStore(const llvm::CallBase &Call, const llvm::InlineAsm &Assembly, llvm::StringRef What) {
    static const llvm::Regex Load("^ld\\.global(\\.[a-z0-9_:]+)* +[{$0-9, }]+, *\\[\\$[0-9]+\\]$"),
        Store("^st\\.global(\\.[a-z0-9_:]+)* +\\[\\$[0-9]+\\], *[{$0-9, }]+$");
    const bool Loads = Load.match(What);
    if (llvm::StringRef(Assembly.getAsmString()).trim().rtrim(";").contains(';') || (!Loads && !Store.match(What)))
      return false;
    const llvm::Value *Address = nullptr;
    std::uint64_t Given = 0;
    for (const llvm::Use &Argument : Call.args()) {
      auto *Number = llvm::dyn_cast<llvm::Operator>(Argument);
      const llvm::Value *Pointer = Argument->getType()->isPointerTy() ? Argument.get()
                                   : Number && Number->getOpcode() == llvm::Instruction::PtrToInt
                                       ? Number->getOperand(0)
                                       : nullptr;
      if (!Pointer)
        Given += Layout.getTypeStoreSize(Argument->getType());
      else if (Address)
        return false;
      else
        Address = Pointer;
    }
    if (!Address || (Loads && Given > 0))
      return false;
    access(Loads ? IrAccess::Kind::Load : IrAccess::Kind::Store, Call, Address,
           Loads ? Layout.getTypeStoreSize(Call.getType()).getFixedValue() : Given, What.contains(".nc"),
           What.starts_with("ld.global.cs"));
    return true;
  }

  void assembly(const llvm::CallBase &Call, const llvm::InlineAsm &Assembly) {
    const std::string What = beyondComputing(Call);
    if (What.empty() || loadOrStore(Call, Assembly, What))
      return;
    Result.Together.push_back({&Call, "inline assembly, " + What});
    accessAll(Call, IrAccess::Kind::Any);
    // A number as wide as an address may be one, or be the handle of a texture.
    for (const llvm::Use &Argument : Call.args())
      if (Argument->getType()->isIntegerTy(64) && !llvm::isa<llvm::ConstantInt>(Argument)) {
        auto *From = llvm::dyn_cast<llvm::Operator>(Argument);
        if (From && From->getOpcode() == llvm::Instruction::PtrToInt)
          access(IrAccess::Kind::Any, Call, From->getOperand(0), 0);
        else
          Result.Elsewhere.push_back({&Call, "inline assembly, " + What});
      }
  }

  void beyond(const llvm::CallBase &Call, const std::string &What) {
    Result.Elsewhere.push_back({&Call, What});
    Result.Together.push_back({&Call, What});
  }

  const DeviceIr &Ir;
  IrValues &Values;
  const llvm::DataLayout &Layout;
  IrMemory Result;
};

void follow(const llvm::Value *V, IrValues &Values, llvm::SmallPtrSetImpl<const llvm::Value *> &Met, IrPlace &Place,
            std::optional<Polynomial> Offset) {
  auto Lead = [&](unsigned Argument) {
    const bool First = Place.Arguments.empty();
    Place.Offset = First || (Place.Offset && Offset && *Place.Offset == *Offset && Place.Arguments[0] == Argument)
                       ? Offset
                       : std::nullopt;
    Place.Arguments.push_back(Argument);
  };
  if (auto *Argument = llvm::dyn_cast<llvm::Argument>(V)) {
    if (Argument->hasByValAttr()) // the thread's own copy
      Place.Locals.push_back(V);
    else
      Lead(Argument->getArgNo());
    return;
  }
  if (llvm::isa<llvm::AllocaInst>(V))
    return Place.Locals.push_back(V);
  if (auto *Global = llvm::dyn_cast<llvm::GlobalVariable>(V)) {
    constexpr unsigned Shared = 3, Constant = 4;
    if (!Global->isConstant() && Global->getAddressSpace() != Shared && Global->getAddressSpace() != Constant)
      Place.Unknown.push_back(V);
    return;
  }
  if (llvm::isa<llvm::ConstantPointerNull, llvm::UndefValue>(V))
    return;
  if (auto *Element = llvm::dyn_cast<llvm::GEPOperator>(V)) {
    llvm::SmallMapVector<llvm::Value *, llvm::APInt, 4> Variables;
    llvm::APInt Constant(64, 0);
    if (!Element->collectOffset(Values.layout(), 64, Variables, Constant))
      Offset = std::nullopt;
    if (Offset)
      Offset = *Offset + Constant.getSExtValue();
    for (const auto &[Variable, Scale] : Variables) {
      const std::optional<Polynomial> Index = Values.of(Variable);
      Offset = Offset && Index ? std::optional(*Offset + *Index * Scale.getSExtValue()) : std::nullopt;
    }
    return follow(Element->getPointerOperand(), Values, Met, Place, Offset);
  }
  if (auto *Cast = llvm::dyn_cast<llvm::Operator>(V); Cast && (Cast->getOpcode() == llvm::Instruction::BitCast ||
                                                               Cast->getOpcode() == llvm::Instruction::AddrSpaceCast))
    return follow(Cast->getOperand(0), Values, Met, Place, Offset);
  if (llvm::isa<llvm::PHINode, llvm::SelectInst>(V)) {
    if (!Met.insert(V).second) { // it moves
      Place.Offset = std::nullopt;
      return;
    }
    auto *I = llvm::cast<llvm::Instruction>(V);
    for (const llvm::Use &From : I->operands())
      if (From->getType()->isPointerTy())
        follow(From, Values, Met, Place, llvm::isa<llvm::PHINode>(V) ? std::nullopt : Offset);
    return;
  }
  if (auto *Call = llvm::dyn_cast<llvm::CallBase>(V))
    if (const llvm::Value *Same = Call->getReturnedArgOperand())
      return follow(Same, Values, Met, Place, Offset);
  Place.Unknown.push_back(V);
}

} // namespace

IrPlace placeOf(const llvm::Value *Pointer, IrValues &Values) {
  IrPlace Place;
  llvm::SmallPtrSet<const llvm::Value *, 8> Met;
  follow(Pointer, Values, Met, Place, Polynomial());
  return Place;
}

std::string nameOf(const llvm::Value &V) {
  const llvm::StringRef Name = V.getName().split('.').first;
  return Name.empty() ? "a value" : Name.str();
}

bool isForAssembly(const llvm::Instruction &I) {
  return llvm::isa<llvm::PtrToIntInst>(I) && llvm::all_of(I.users(), [](const llvm::User *User) {
           auto *Call = llvm::dyn_cast<llvm::CallBase>(User);
           return Call && Call->isInlineAsm();
         });
}

bool isOnlyCompared(const llvm::Instruction &I) {
  llvm::SmallSetVector<const llvm::Value *, 8> Numbers;
  if (llvm::isa<llvm::PtrToIntInst>(I))
    Numbers.insert(&I);
  for (size_t N = 0; N < Numbers.size(); ++N)
    for (const llvm::User *User : Numbers[N]->users())
      if (llvm::isa<llvm::BinaryOperator, llvm::TruncInst, llvm::ZExtInst, llvm::FreezeInst>(User))
        Numbers.insert(User);
      else if (!llvm::isa<llvm::ICmpInst>(User))
        return false;
  return !Numbers.empty();
}

IrMemory memoryOf(const DeviceIr &Ir, IrValues &Values) { return MemoryCollector(Ir, Values).run(); }

} // namespace cufuse
