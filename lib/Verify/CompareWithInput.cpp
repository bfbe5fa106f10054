#include "cufuse/Verify/CompareWithInput.h"

#include "Neutral.h"
#include "SameCode.h"

#include "cufuse/Reach/Assembly.h"
#include "cufuse/Reach/ControlStatements.h"
#include "cufuse/Support/GuardedThread.h"

#include <clang/AST/Attr.h>
#include <clang/Basic/SourceManager.h>
#include <fmt/core.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/GlobalVariable.h>

namespace cufuse {

namespace {

/// What a fusion may change in a kernel's code, beside what the neutral reading takes back.
class BodyComparison : public SameCode {
public:
  BodyComparison(const DeviceIr &A, const DeviceIr &B, const PlayedKernel &Played, SharedVariables &Shared)
      : A(A), B(B), Played(Played), Own(Shared) {
    // A class that only a pointer to its members names may be complete in the output alone.
    KnowsMore = llvm::any_of(llvm::cast<clang::FunctionDecl>(A.declared(A.kernel()))->parameters(), [](const auto *P) {
      auto *Member = P->getType()->template getAs<clang::MemberPointerType>();
      return Member && !Member->getMostRecentCXXRecordDecl()->hasDefinition();
    });
  }

protected:
  std::string nameOf(const llvm::GlobalValue &Global) const override {
    if (Global.getName().starts_with(neutral::Own)) {
      for (size_t I = 0; I < BuiltinNames.size(); ++I)
        if (Global.getName().contains(BuiltinNames[I]) ||
            Global.getName().contains(fmt::format(".{}.", BuiltinRegisters[I])))
          return fmt::format("{} of the fused block", BuiltinNames[I]);
      return "a barrier of the fused block";
    }
    for (const DeviceIr *Ir : {&A, &B})
      if (const clang::ValueDecl *Declared = Ir->declared(Global))
        return Declared->getNameAsString();
    return SameCode::nameOf(Global);
  }

  std::optional<bool> variable(const llvm::GlobalVariable &OfA, const llvm::GlobalVariable &OfB) override;
  bool assembly(const llvm::CallBase &OfA, const llvm::CallBase &OfB) override;

private:
  bool operands(const llvm::CallBase &OfA, const llvm::CallBase &OfB, const clang::GCCAsmStmt &Written,
                llvm::ArrayRef<AssemblyMention> Added, llvm::ArrayRef<unsigned> Renumbered);
  bool isAdded(const AssemblyMention &M, const llvm::Value &Operand) const;
  std::optional<unsigned> ownNumber(unsigned Named) const;

  const DeviceIr &A, &B;
  const PlayedKernel &Played;
  SharedVariables &Own;
};

std::optional<bool> BodyComparison::variable(const llvm::GlobalVariable &OfA, const llvm::GlobalVariable &OfB) {
  constexpr unsigned Shared = 3;
  // All dynamic shared memory begins at one place.
  const bool IsDynamic = OfA.isDeclaration() && OfA.getAddressSpace() == Shared;
  if (IsDynamic || OfB.getName() == neutral::DynamicShared)
    return (IsDynamic && OfB.getName() == neutral::DynamicShared) ||
           differ(fmt::format("`{}` is not the partition's part of the memory", nameOf(OfA)));
  auto *DeclaredA = llvm::dyn_cast_or_null<clang::VarDecl>(A.declared(OfA)),
       *DeclaredB = llvm::dyn_cast_or_null<clang::VarDecl>(B.declared(OfB));
  if (OfB.getAddressSpace() == Shared && DeclaredB &&
      Own.try_emplace(DeclaredB, Played.Space).first->second != Played.Space)
    return differ(fmt::format("`{}` is one with another kernel's", nameOf(OfA)));
  if (!DeclaredA || !DeclaredB || DeclaredA->isStaticLocal() || OfA.getAddressSpace() == Shared)
    return std::nullopt;
  // An object of the program, wherever it is defined.
  if (OfB.isDeclaration())
    return (DeclaredA->hasExternalFormalLinkage() && OfB.getName() == OfA.getName() && sameType(OfA, OfB)) ||
           differ(fmt::format("`{}` is another object of the program", nameOf(OfA)));
  if (isTable(*DeclaredA))
    return std::nullopt;
  // The copies of a text keep their names behind its namespace.
  const std::string NameA = DeclaredA->getQualifiedNameAsString(), NameB = DeclaredB->getQualifiedNameAsString();
  if (NameB != NameA && NameB != Played.Space + "::" + NameA)
    return differ("the variable", NameA, NameB);
  if (llvm::any_of(Played.Facts.Globals, [&](const GlobalFacts &G) { return G.HostShared && G.Name == NameA; }))
    return differ(fmt::format("the output has an own `{}`, which the program must share", nameOf(OfA)));
  return std::nullopt;
}

/// What the partition has for a barrier that the kernel names.
std::optional<unsigned> BodyComparison::ownNumber(unsigned Named) const {
  if (Played.Facts.namesAnyBarrier())
    return Named;
  const std::set<unsigned> &All = Played.Facts.NamedBarriers;
  const auto At = All.find(Named);
  if (At == All.end())
    return std::nullopt;
  return Played.Partition.Barrier + 1 + std::distance(All.begin(), At);
}

/// Is the operand what the partition has for what the text mentions?
bool BodyComparison::isAdded(const AssemblyMention &M, const llvm::Value &Operand) const {
  auto *Number = llvm::dyn_cast<llvm::ConstantInt>(&Operand);
  if (M.What == AssemblyMention::Kind::Register)
    return intrinsicName(&Operand) == fmt::format("llvm.nvvm.read.ptx.sreg.{}.{}",
                                                  BuiltinRegisters[static_cast<size_t>(M.Variable)],
                                                  "xyz"[M.Dimension]);
  if (M.What == AssemblyMention::Kind::WarpId) {
    auto *Quotient = llvm::dyn_cast<llvm::BinaryOperator>(&Operand);
    auto *Rank = Quotient ? llvm::dyn_cast<llvm::CallBase>(Quotient->getOperand(0)) : nullptr;
    auto *By = Quotient ? llvm::dyn_cast<llvm::ConstantInt>(Quotient->getOperand(1)) : nullptr;
    return Rank && By && Quotient->getOpcode() == llvm::Instruction::UDiv && By->equalsInt(WarpSize) &&
           Rank->getCalledFunction() && Rank->getCalledFunction()->getName() == neutral::Rank;
  }
  return Number && Number->getZExtValue() == (M.HasCount ? ownNumber(M.Number) : Played.Partition.PaddedThreads);
}

bool BodyComparison::assembly(const llvm::CallBase &OfA, const llvm::CallBase &OfB) {
  const clang::GCCAsmStmt *Written = A.assembly(OfA);
  if (!Written || A.unit().ast().getSourceManager().isInSystemHeader(Written->getAsmLoc()))
    return SameCode::assembly(OfA, OfB);
  const AssemblyScan Scan = scanAssembly(*Written);
  if (Scan.Mentions.empty())
    return SameCode::assembly(OfA, OfB);
  if (isBlockBarrier(*Written))
    return intrinsicName(&OfB) == "llvm.nvvm.barrier.cta.sync.aligned.all" ||
           differ("a barrier in assembly is not the partition's in the output");
  const clang::GCCAsmStmt *Other = OfB.isInlineAsm() ? B.assembly(OfB) : nullptr;
  if (!Other)
    return SameCode::assembly(OfA, OfB);
  // What the text must be, with the operands that follow those of the statement.
  std::string Text = Written->getAsmString();
  std::vector<AssemblyMention> Added; // a barrier without a number: how many threads wait
  std::vector<unsigned> Renumbered;
  const unsigned First = Written->getNumOutputs() + Written->getNumInputs();
  auto Same = [](const AssemblyMention &X, const AssemblyMention &Y) {
    return X.What == Y.What && X.Variable == Y.Variable && X.Dimension == Y.Dimension && X.Number == Y.Number &&
           X.HasCount == Y.HasCount;
  };
  auto Operand = [&](AssemblyMention M) {
    const auto Known = llvm::find_if(Added, [&](const AssemblyMention &Each) { return Same(Each, M); });
    const size_t Index = Known - Added.begin();
    if (Known == Added.end())
      Added.push_back(M);
    return fmt::format("%{}", First + Index);
  };
  struct Change {
    unsigned At, Length;
    std::string By;
  };
  std::vector<Change> Changes;
  for (const AssemblyMention &M : Scan.Mentions) {
    AssemblyMention Number = M;
    Number.HasCount = true;
    if (M.IsOperand)
      Renumbered.push_back(M.Number);
    else
      Changes.push_back({M.At, M.Length, Operand(Number)});
    AssemblyMention Count = M;
    Count.HasCount = false;
    Count.Number = 0;
    if (M.What == AssemblyMention::Kind::Barrier && !M.HasCount)
      Changes.push_back({M.At + M.Length, 0, ", " + Operand(Count)});
  }
  for (const Change &Each : llvm::reverse(Changes))
    Text.replace(Each.At, Each.Length, Each.By);
  if (Text != Other->getAsmString())
    return differ("the text of the assembly", Text, Other->getAsmString());
  auto Differ = [this] { return differ("assembly has other operands"); };
  if (Written->getNumOutputs() != Other->getNumOutputs() || Written->isVolatile() != Other->isVolatile() ||
      Written->getNumInputs() + Added.size() != Other->getNumInputs() || Written->isAsmGoto() || Other->isAsmGoto() ||
      Written->getNumClobbers() != Other->getNumClobbers())
    return Differ();
  for (unsigned I = 0; I < Written->getNumClobbers(); ++I)
    if (Written->getClobber(I) != Other->getClobber(I))
      return differ("assembly clobbers something else");
  for (unsigned I = 0; I < Written->getNumOutputs(); ++I)
    if (Written->getOutputConstraint(I) != Other->getOutputConstraint(I) ||
        Written->getOutputName(I) != Other->getOutputName(I))
      return Differ();
  for (unsigned I = 0; I < Written->getNumInputs(); ++I)
    if (Written->getInputConstraint(I) != Other->getInputConstraint(I) ||
        Written->getInputName(I) != Other->getInputName(I))
      return Differ();
  if (!takesOperands(*Written))
    return differ(
        "assembly may write an output without `&` before it reads what becomes an operand; say \"=&r\" or \"+&r\"");
  return operands(OfA, OfB, *Written, Added, Renumbered);
}

/// The addresses of outputs, the inputs, those that are added in the output, and what is also an output.
bool BodyComparison::operands(const llvm::CallBase &OfA, const llvm::CallBase &OfB, const clang::GCCAsmStmt &Written,
                              llvm::ArrayRef<AssemblyMention> Added, llvm::ArrayRef<unsigned> Renumbered) {
  if (OfA.arg_size() + Added.size() != OfB.arg_size())
    return differ("assembly has other operands");
  const unsigned Behind = OfA.arg_size() - Written.getNumPlusOperands(), Inputs = Behind - Written.getNumInputs();
  for (unsigned I = 0; I < OfA.arg_size(); ++I) {
    const llvm::Value *ValueA = OfA.getArgOperand(I), *ValueB = OfB.getArgOperand(I < Behind ? I : I + Added.size());
    if (I < Inputs || I >= Behind || !llvm::is_contained(Renumbered, I - Inputs + Written.getNumOutputs())) {
      if (!value(ValueA, ValueB))
        return false;
      continue;
    }
    auto *Number = llvm::dyn_cast<llvm::ConstantInt>(ValueA), *Own = llvm::dyn_cast<llvm::ConstantInt>(ValueB);
    auto *Call = llvm::dyn_cast<llvm::CallBase>(ValueB);
    const bool Asks = Call && Call->getCalledFunction() && Call->getCalledFunction()->getName() == neutral::Barrier;
    if (Asks ? !value(ValueA, Call->getArgOperand(0))
             : !Number || !Own || Own->getZExtValue() != ownNumber(Number->getZExtValue()))
      return differ("a barrier in assembly is not the partition's in the output");
  }
  for (size_t I = 0; I < Added.size(); ++I)
    if (!isAdded(Added[I], *OfB.getArgOperand(Behind + I)))
      return differ("an operand of assembly is not the partition's in the output");
  return true;
}

/// Does the body say that its thread leaves, at each `return` of its own and at the end, and nowhere else?
bool announcesExits(const clang::FunctionDecl &Body, const Reached &Reach, const PlayedKernel &Played) {
  const FunctionUse &Use = Reach.Functions.find(&Body)->second;
  auto Leaves = [&](const clang::Stmt *S) {
    auto *E = llvm::dyn_cast_or_null<clang::Expr>(S);
    if (auto *Both = E ? llvm::dyn_cast<clang::BinaryOperator>(E->IgnoreParenImpCasts()) : nullptr;
        Both && Both->getOpcode() == clang::BO_Comma)
      E = Both->getRHS();
    auto *Call = E ? llvm::dyn_cast<clang::CallExpr>(E->IgnoreParenImpCasts()) : nullptr;
    return Call && isOfPartition(Call->getDirectCallee(), "leave", Played);
  };
  size_t Calls = 0, Needed = 0;
  for (const auto &[Function, Any] : Reach.Functions)
    Calls +=
        llvm::count_if(Any.Calls, [&](const CallSite &Call) { return isOfPartition(Call.Callee, "leave", Played); });
  if (Played.Facts.announcesExits())
    for (const clang::ReturnStmt *Return : Use.Returns) {
      ++Needed;
      if (!Leaves(Return->getRetValue()))
        return false;
    }
  auto *Block = llvm::cast<clang::CompoundStmt>(Body.getBody());
  if (!Played.Facts.ExitsBeforeBarrier.empty() &&
      (Block->body_empty() || !llvm::isa<clang::ReturnStmt>(Block->body_back()))) {
    ++Needed;
    if (Block->body_empty() || !Leaves(Block->body_back()))
      return false;
  }
  return Calls == Needed;
}

/// Is it `for (unsigned of = 0; row.each(of, of == 0); ++of)`? What the compared code takes for one turn is that.
bool countsFor(const clang::Stmt &Control, const clang::CXXMemberCallExpr &Asks) {
  auto *Loop = llvm::dyn_cast<clang::ForStmt>(&Control);
  auto *Variable = Loop ? counted(*Loop) : nullptr;
  auto *Step = Loop ? llvm::dyn_cast_or_null<clang::UnaryOperator>(Loop->getInc()) : nullptr;
  auto Names = [&](const clang::Expr *E) {
    auto *Named = llvm::dyn_cast<clang::DeclRefExpr>(E->IgnoreParenImpCasts());
    return Named && Named->getDecl() == Variable;
  };
  return Variable && Step && Step->isIncrementOp() && Names(Step->getSubExpr()) && Names(Asks.getArg(0));
}

/// Are turns and rows of a composition asked for what they know, and for nothing else?
bool asksAsPlanned(const clang::FunctionDecl &Kernel, const clang::FunctionDecl &Body, const Reached &Reach,
                   const LinkedText &Linked) {
  const ControlStatements Written(*Kernel.getBody()), All(*Body.getBody());
  auto AskedBy = [](const clang::Stmt &Control) -> const clang::CXXMemberCallExpr * {
    const clang::Expr *Condition = conditionOf(Control);
    auto *Call = Condition ? llvm::dyn_cast<clang::CXXMemberCallExpr>(Condition->IgnoreParenImpCasts()) : nullptr;
    return Call && Call->getMethodDecl() && asksForTurn(*Call->getMethodDecl()) ? Call : nullptr;
  };
  // The text has no question of its own whether a row has an element.
  std::vector<const clang::Stmt *> Controls;
  size_t Inside = 0;
  for (const clang::Stmt *Each : All.all())
    if (auto *Call = AskedBy(*Each); Call && Call->getMethodDecl()->getParent()->getName() == "CufuseRow" &&
                                     Call->getMethodDecl()->getName() != "next" &&
                                     (llvm::isa<clang::IfStmt>(Each) || countsFor(*Each, *Call)))
      ++Inside;
    else
      Controls.push_back(Each);
  if (Written.all().size() != Controls.size() || Inside != (Linked.AsksElement ? 2 * Linked.RowLoops.size() : 0))
    return false;
  const size_t Calls = llvm::count_if(Reach.Functions.find(&Body)->second.Calls,
                                      [](const CallSite &Call) { return asksForTurn(*Call.Callee); });
  size_t Expected = Inside + Inside / 2; // and for the element
  for (unsigned I = 0; I < Controls.size(); ++I) {
    const clang::Stmt *Control = Controls[I];
    if (Control->getStmtClass() != Written.all()[I]->getStmtClass())
      return false;
    auto *Call = AskedBy(*Control);
    const clang::CXXMethodDecl *Asked = Call ? Call->getMethodDecl() : nullptr;
    const bool IsRow = llvm::is_contained(Linked.RowLoops, I);
    if (!Asked) {
      if (IsRow)
        return false;
      continue;
    }
    ++Expected;
    const llvm::StringRef Question = Asked->getName();
    if (Question == "next") {
      auto *Loop = llvm::dyn_cast<clang::ForStmt>(Control);
      auto *Declares = Loop ? llvm::dyn_cast_or_null<clang::DeclStmt>(Loop->getInit()) : nullptr;
      auto *Index = llvm::dyn_cast<clang::DeclRefExpr>(Call->getArg(0)->IgnoreParenImpCasts());
      if (!IsRow || !Declares || !Index || !llvm::is_contained(Declares->decls(), Index->getDecl()))
        return false;
      continue;
    }
    using Kind = KnownCondition::Kind;
    const Kind What = Question == "inside" ? Kind::Holds : Question == "beyond" ? Kind::Fails : Kind::Once;
    if (!llvm::is_contained(Linked.Known, KnownCondition{What, I}))
      return false;
  }
  return Calls == Expected;
}

} // namespace

SourcePlace sourceOf(const ParsedUnit &Output, clang::SourceLocation Where) {
  SourcePlace Place = Output.place(Where);
  const clang::SourceManager &Sources = Output.ast().getSourceManager();
  if (const auto Presumed = Sources.getPresumedLoc(Sources.getExpansionLoc(Where)); Presumed.isValid()) {
    Place.File = Presumed.getFilename();
    Place.Line = Presumed.getLine();
  }
  return Place;
}

std::vector<Blocker> compareWithInput(const ParsedKernel &Input, const ParsedUnit &Output,
                                      const clang::FunctionDecl &Body, const PlayedKernel &Played,
                                      SharedVariables &Shared) {
  const clang::FunctionDecl &Kernel = *Input.Kernel;
  auto Differs = [&](const std::string &What, SourcePlace Where, const SourcePlace &There) {
    Blocker Difference{BlockerKind::OtherMeaning, std::move(Where), fmt::format("of {}, {}", Played.Facts.Name, What)};
    if (!There.File.empty())
      Difference.Fact += fmt::format(", and is there {}", There.str());
    if (What.find("__PRETTY_FUNCTION__") != std::string::npos)
      Difference.Fact += ", where the function is called otherwise";
    return std::vector<Blocker>{Difference};
  };
  const SourcePlace Here = Input.Unit->place(Kernel.getLocation());
  const clang::FunctionDecl *Instead = withBody(&Body);
  if (!Instead || Instead->getNumParams() < Kernel.getNumParams())
    return Differs("the output does not define it", Here, {});
  const SourcePlace There = sourceOf(Output, Instead->getLocation());
  PlayedKernel Own = Played;
  Own.OwnParameters = Kernel.getNumParams();
  // A reference to the parameter of the fused kernel, which no kernel may write, or to a copy.
  for (unsigned I = 0; I < Kernel.getNumParams(); ++I) {
    const clang::ParmVarDecl &Own = *Kernel.getParamDecl(I),
                             &Given = *Instead->getParamDecl(Instead->getNumParams() - Kernel.getNumParams() + I);
    if (Given.getType()->isReferenceType() && !Own.getType()->isReferenceType() &&
        !Own.hasAttr<clang::CUDAGridConstantAttr>() && !isCopiedByCode(Own))
      return Differs(fmt::format("`{}` is not the kernel's own", Own.getNameAsString()), Here, There);
  }
  const Reached OfA = reach(*Input.Unit, Kernel);
  Reached OfB = reach(Output, *Instead);
  if (Played.Part) // what composes it does not fit its pointers
    OfB.HasErrors = false;
  if (!announcesExits(*Instead, OfB, Own))
    return Differs("a thread does not say that it leaves", Here, There);
  if (Played.Part && !asksAsPlanned(*OfA.Kernel, *Instead, OfB, Played.Part->Linked))
    return Differs("the turn is asked for what it does not know", Here, There);
  const std::unique_ptr<DeviceIr> A = codeOf(*Input.Unit, OfA, Own), B = neutralCode(Output, OfB, Own);
  std::optional<CodeDifference> Found;
  constexpr unsigned StackBytes = 128u << 20; // values are compared down to where they come from
  if (!A || !B ||
      !runGuarded([&] { Found = BodyComparison(*A, *B, Own, Shared).compare(A->kernel(), B->kernel()); }, StackBytes))
    return Differs("there is no code to compare", Here, There);
  if (!Found)
    return {};
  std::string Function;
  const SourcePlace At = Found->InA ? A->place(*Found->InA, &Function) : Here;
  return Differs(Found->What +
                     (Function.empty() || Function == Played.Facts.Name ? "" : fmt::format(", in `{}`", Function)),
                 At, Found->InB ? sourceOf(Output, B->where(*Found->InB)) : There);
}

} // namespace cufuse
