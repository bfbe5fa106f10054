#include "cufuse/Analysis/FindKernel.h"

#include "cufuse/Analysis/Reach.h"

#include <clang/AST/Attr.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/Basic/SourceManager.h>
#include <fmt/core.h>
#include <llvm/ADT/StringExtras.h>

namespace cufuse {

namespace {

struct KernelCollector : clang::ConstDynamicRecursiveASTVisitor {
  explicit KernelCollector(const clang::SourceManager &Sources) : Sources(Sources) {}
  bool TraverseDecl(MaybeConst<clang::Decl> *D) override {
    if (D && !llvm::isa<clang::TranslationUnitDecl>(D) && Sources.isInSystemHeader(D->getLocation()))
      return true;
    return clang::ConstDynamicRecursiveASTVisitor::TraverseDecl(D);
  }
  bool VisitFunctionDecl(const clang::FunctionDecl *F) override {
    if (F->hasAttr<clang::CUDAGlobalAttr>() && F->isThisDeclarationADefinition() && !F->isTemplateInstantiation())
      Found.push_back(F);
    return true;
  }
  // Kernels do not stand inside functions.
  bool TraverseStmt(MaybeConst<clang::Stmt> *) override { return true; }
  const clang::SourceManager &Sources;
  std::vector<const clang::FunctionDecl *> Found;
};

/// Without unnamed namespaces, which nobody can write.
std::string visibleName(const clang::FunctionDecl &Kernel) {
  std::string Name;
  llvm::raw_string_ostream Out(Name);
  clang::PrintingPolicy Policy(Kernel.getASTContext().getPrintingPolicy());
  Policy.SuppressUnwrittenScope = true;
  Kernel.printQualifiedName(Out, Policy);
  return Name;
}

std::string unqualified(llvm::StringRef Name) {
  const size_t At = Name.rfind("::");
  return (At == llvm::StringRef::npos ? Name : Name.drop_front(At + 2)).str();
}

/// `Written` is the whole qualified name of the kernel, or its end.
enum class Match { No, End, Whole };
Match names(llvm::StringRef Written, const clang::FunctionDecl &Kernel) {
  const bool FromGlobal = Written.consume_front("::");
  const std::string Whole = Kernel.getQualifiedNameAsString();
  const std::string Visible = visibleName(Kernel);
  if (Whole == Written || Visible == Written)
    return Match::Whole;
  return !FromGlobal && llvm::StringRef(Visible).ends_with(("::" + Written).str()) ? Match::End : Match::No;
}

/// The arguments, those in packs one by one.
std::vector<clang::TemplateArgument> flattened(llvm::ArrayRef<clang::TemplateArgument> Arguments) {
  std::vector<clang::TemplateArgument> Flat;
  for (const clang::TemplateArgument &Argument : Arguments) {
    if (Argument.getKind() == clang::TemplateArgument::Pack)
      for (const clang::TemplateArgument &Inner : flattened(Argument.pack_elements()))
        Flat.push_back(Inner);
    else
      Flat.push_back(Argument);
  }
  return Flat;
}

} // namespace

std::string qualifiedNameOf(const clang::FunctionDecl &Kernel) {
  const clang::TemplateArgumentList *Arguments = Kernel.getTemplateSpecializationArgs();
  if (!Arguments)
    return visibleName(Kernel);
  clang::PrintingPolicy Policy(Kernel.getASTContext().getPrintingPolicy());
  Policy.SuppressUnwrittenScope = true;
  // Clang leaves out the template arguments of a function that is itself an argument.
  std::vector<std::string> Texts;
  for (const clang::TemplateArgument &Argument : flattened(Arguments->asArray())) {
    auto *Function = Argument.getKind() == clang::TemplateArgument::Declaration
                         ? llvm::dyn_cast<clang::FunctionDecl>(Argument.getAsDecl())
                         : nullptr;
    llvm::raw_string_ostream Text(Texts.emplace_back());
    if (Function)
      Text << '&' << qualifiedNameOf(*Function);
    else
      Argument.print(Policy, Text, /*IncludeType=*/true);
  }
  return fmt::format("{}<{}>", visibleName(Kernel), llvm::join(Texts, ", "));
}

std::string signatureOf(const clang::FunctionDecl &Kernel) {
  std::vector<std::string> Types;
  for (const clang::ParmVarDecl *Parameter : Kernel.parameters())
    Types.push_back(Parameter->getType().getAsString(Kernel.getASTContext().getPrintingPolicy()));
  return fmt::format("{}({})", qualifiedNameOf(Kernel), llvm::join(Types, ", "));
}

std::vector<const clang::FunctionDecl *> allKernels(const ParsedUnit &Unit) {
  KernelCollector Collector(Unit.ast().getSourceManager());
  Collector.TraverseAST(Unit.ast());
  return std::move(Collector.Found);
}

bool needsProbe(const KernelSpec &Spec) { return Spec.hasTemplateArguments() || Spec.hasSignature(); }

llvm::Expected<const clang::FunctionDecl *> findKernel(const ParsedUnit &Unit, const KernelSpec &Spec, size_t Probe) {
  const std::vector<const clang::FunctionDecl *> Kernels = allKernels(Unit);
  const clang::SourceManager &Sources = Unit.ast().getSourceManager();
  std::vector<const clang::FunctionDecl *> Matches;
  bool Exact = false;
  for (const clang::FunctionDecl *Kernel : Kernels) {
    const clang::SourceLocation Begin = Sources.getExpansionLoc(Kernel->getBeginLoc());
    const clang::Decl *Whole = Kernel->getDescribedFunctionTemplate();
    const clang::SourceLocation TemplateBegin = Whole ? Sources.getExpansionLoc(Whole->getBeginLoc()) : Begin;
    const unsigned First = Unit.place(TemplateBegin).Line;
    const unsigned Last = Unit.place(Kernel->getLocation()).Line;
    if (Spec.Line) {
      if (Sources.isInMainFile(Begin) && First <= Spec.Line && Spec.Line <= Last)
        Matches.push_back(Kernel);
      continue;
    }
    // A whole qualified name wins over the end of one.
    const Match Found = names(Spec.name(), *Kernel);
    if (Found == Match::Whole && !Exact) {
      Exact = true;
      Matches.clear();
    }
    if (Found == Match::Whole || (Found == Match::End && !Exact))
      Matches.push_back(Kernel);
  }
  // A missing header may hide anything, the kernel included.
  for (const ParseError &Error : Unit.errors())
    if (Error.MissingFile)
      return badInput(Error.Text, "pass the flags of your build after `--`", Error.Where);

  if (needsProbe(Spec)) {
    const clang::FunctionDecl *Named = Unit.probe(Probe);
    if (const clang::FunctionDecl *Definition = withBody(Named)) {
      if (!Definition->hasAttr<clang::CUDAGlobalAttr>())
        return badInput(fmt::format("'{}' is not a kernel", Spec.Kernel), "name a __global__ function",
                        Unit.place(Definition->getLocation()));
      return Definition;
    }
    if (!Matches.empty())
      return badInput(fmt::format("'{}' does not name a kernel: {}", Spec.Kernel,
                                  !Unit.probeError(Probe).empty() ? Unit.probeError(Probe)
                                  : !Unit.errors().empty()        ? Unit.errors().front().Text
                                                                  : "it cannot be instantiated"),
                      "", Unit.place(Matches.front()->getLocation()));
  }

  if (Matches.empty()) {
    if (Spec.Line)
      return badInput(fmt::format("no kernel starts on line {} of '{}'", Spec.Line, Spec.File));
    const std::string Wanted = unqualified(Spec.name());
    std::vector<std::string> Near, All;
    for (const clang::FunctionDecl *Kernel : Kernels) {
      const std::string Name = Kernel->getQualifiedNameAsString();
      All.push_back(Name);
      if (llvm::StringRef(unqualified(Name)).edit_distance(Wanted) <= std::max<size_t>(2, Wanted.size() / 3))
        Near.push_back(Name);
    }
    std::string Text = fmt::format("no kernel '{}' in '{}'", Spec.name(), Spec.File);
    if (Kernels.empty() && !Unit.errors().empty())
      return badInput(Text + ": Clang reports " + Unit.errors().front().Text,
                      "correct the error, or pass the missing flags after `--`", Unit.errors().front().Where);
    return badInput(Text, Kernels.empty() ? "the file defines none"
                          : Near.empty()  ? "it has " + llvm::join(All, ", ")
                                          : "did you mean " + llvm::join(Near, ", ") + "?");
  }
  if (Matches.size() > 1) {
    std::vector<std::string> Choices;
    for (const clang::FunctionDecl *Kernel : Matches)
      Choices.push_back(signatureOf(*Kernel));
    return badInput(fmt::format("'{}' names {} kernels in '{}'", Spec.str(), Matches.size(), Spec.File),
                    "choose one by its signature: " + llvm::join(Choices, ", "));
  }
  const clang::FunctionDecl *Kernel = Matches.front();
  const clang::FunctionTemplateDecl *Template = Kernel->getDescribedFunctionTemplate();
  if (!Template)
    return Kernel;
  std::vector<const clang::FunctionDecl *> Instances;
  std::vector<std::string> Choices;
  for (const clang::FunctionDecl *Instance : Template->specializations())
    if (const clang::FunctionDecl *Definition = withBody(Instance); Definition && !Definition->isDependentContext()) {
      Instances.push_back(Definition);
      Choices.push_back(qualifiedNameOf(*Definition));
    }
  if (Instances.size() == 1)
    return Instances.front();
  return badInput(fmt::format("'{}' is a template", Kernel->getQualifiedNameAsString()),
                  Choices.empty() ? "name it with its arguments, like k<float, 4>"
                                  : "name one of " + llvm::join(Choices, ", "),
                  Unit.place(Kernel->getLocation()));
}

} // namespace cufuse
