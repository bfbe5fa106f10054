#include "cufuse/Facts/FindKernel.h"

#include "cufuse/Facts/CollectFacts.h"
#include "cufuse/Reach/AllIn.h"

#include <clang/AST/Attr.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/QualTypeNames.h>
#include <clang/Basic/SourceManager.h>
#include <fmt/core.h>
#include <llvm/ADT/SmallVectorExtras.h>
#include <llvm/ADT/StringExtras.h>

#include <map>

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
  return (At == llvm::StringRef::npos ? Name : Name.drop_front(At + 2)).trim().str();
}

/// A kernel that may be meant.
struct Candidate {
  const clang::FunctionDecl *Kernel;
  std::string Probe;    ///< What C++ calls it from outside all namespaces.
  bool IsWhole = false; ///< Nothing that one can write is left out of its name.
};

/// Is `Written` the name of the kernel, or its end? Inline and unnamed namespaces need not be written.
std::optional<Candidate> candidate(const KernelSpec &Spec, const clang::FunctionDecl &Kernel) {
  const std::string Name = Spec.name();
  llvm::StringRef Written = Name, Whole = Spec.Kernel;
  const bool FromGlobal = Written.consume_front("::");
  Whole.consume_front("::");
  llvm::SmallVector<llvm::StringRef> Parts;
  Written.split(Parts, "::");
  if (!Kernel.getDeclName().isIdentifier() || Kernel.getName() != Parts.pop_back_val().trim())
    return std::nullopt;
  Candidate Found{&Kernel, Whole.str(), true};
  for (const clang::DeclContext *Scope = Kernel.getDeclContext()->getRedeclContext(); !Scope->isTranslationUnit();
       Scope = Scope->getParent()->getRedeclContext()) {
    auto *Named = llvm::dyn_cast<clang::NamedDecl>(Scope);
    auto *Namespace = llvm::dyn_cast<clang::NamespaceDecl>(Scope);
    if (!Named || (Namespace && Namespace->isAnonymousNamespace()))
      continue;
    const bool IsInline = Namespace && Namespace->isInline();
    if (!Parts.empty() && Parts.back().trim() == Named->getName()) {
      Parts.pop_back();
    } else if (Parts.empty()) {
      Found.Probe = Named->getName().str() + "::" + Found.Probe;
      Found.IsWhole &= IsInline;
    } else if (!IsInline) {
      return std::nullopt;
    }
  }
  Found.Probe = "::" + Found.Probe;
  return Parts.empty() && (!FromGlobal || Found.IsWhole) ? std::optional(Found) : std::nullopt;
}

/// The kernels that `Spec` may mean. A whole name wins over the end of one. Where there is neither, it may go through
/// an alias or a using-declaration, which C++ knows.
std::vector<Candidate> candidates(const KernelSpec &Spec, llvm::ArrayRef<const clang::FunctionDecl *> Kernels) {
  std::vector<Candidate> Found;
  for (const clang::FunctionDecl *Kernel : Kernels)
    if (auto Each = candidate(Spec, *Kernel))
      Found.push_back(std::move(*Each));
  if (llvm::any_of(Found, [](const Candidate &C) { return C.IsWhole; }))
    llvm::erase_if(Found, [](const Candidate &C) { return !C.IsWhole; });
  return Found;
}
std::vector<Candidate> byAlias(const KernelSpec &Spec, llvm::ArrayRef<const clang::FunctionDecl *> Kernels) {
  std::vector<Candidate> Found;
  const std::string Name = unqualified(Spec.name());
  for (const clang::FunctionDecl *Kernel : Kernels)
    if (Kernel->getDeclName().isIdentifier() && Kernel->getName() == Name)
      Found.push_back({Kernel, (llvm::StringRef(Spec.Kernel).starts_with("::") ? "" : "::") + Spec.Kernel});
  return Found;
}

/// What the definition was instantiated from, or itself.
const clang::FunctionDecl *patternOf(const clang::FunctionDecl &Definition) {
  const clang::FunctionDecl *Pattern = Definition.getTemplateInstantiationPattern();
  return (Pattern ? Pattern : &Definition)->getCanonicalDecl();
}

/// The definitions that C++ finds for the candidates: each is one of them, or made from one.
std::vector<const clang::FunctionDecl *> resolved(const ParsedUnit &Unit, llvm::ArrayRef<Candidate> Candidates) {
  std::vector<const clang::FunctionDecl *> Found;
  for (const Candidate &Each : Candidates) {
    const clang::FunctionDecl *Definition = withBody(Unit.probe(Each.Probe));
    if (Definition && !llvm::is_contained(Found, Definition) && llvm::any_of(Candidates, [&](const Candidate &C) {
          return C.Kernel->getCanonicalDecl() == patternOf(*Definition);
        }))
      Found.push_back(Definition);
  }
  return Found;
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
  clang::PrintingPolicy Policy(Kernel.getASTContext().getPrintingPolicy());
  Policy.SuppressUnwrittenScope = true;
  for (const clang::ParmVarDecl *Parameter : Kernel.parameters())
    Types.push_back(clang::TypeName::getFullyQualifiedName(Parameter->getType(), Kernel.getASTContext(), Policy));
  return fmt::format("{}({})", qualifiedNameOf(Kernel), llvm::join(Types, ", "));
}

std::vector<const clang::FunctionDecl *> allKernels(clang::ASTContext &Ast) {
  KernelCollector Collector(Ast.getSourceManager());
  // Not what is precompiled.
  for (clang::Decl *D : Ast.getTranslationUnitDecl()->noload_decls())
    Collector.TraverseDecl(D);
  return std::move(Collector.Found);
}

std::vector<const clang::FunctionDecl *> allKernels(const ParsedUnit &Unit) { return allKernels(Unit.ast()); }

static bool needsProbe(const KernelSpec &Spec) { return Spec.hasTemplateArguments() || Spec.hasSignature(); }

std::vector<std::string> probesFor(llvm::ArrayRef<KernelSpec> Specs, clang::ASTContext &Ast) {
  std::vector<std::string> Probes;
  const std::vector<const clang::FunctionDecl *> Kernels = allKernels(Ast);
  for (const KernelSpec &Spec : Specs) {
    std::vector<Candidate> Candidates = candidates(Spec, Kernels);
    if (!Candidates.empty() && !needsProbe(Spec))
      continue;
    for (const Candidate &Each : Candidates.empty() ? byAlias(Spec, Kernels) : Candidates)
      if (!llvm::is_contained(Probes, Each.Probe))
        Probes.push_back(Each.Probe);
  }
  return Probes;
}

/// The instances that the file has; where `OfProbes`, those that a probe has asked for, too, of which some are only
/// declared. Without one, the kernel itself.
static std::vector<const clang::FunctionDecl *> instances(const ParsedUnit &Unit, const clang::FunctionDecl &Kernel,
                                                          bool OfProbes = false) {
  const clang::FunctionTemplateDecl *Template = Kernel.getDescribedFunctionTemplate();
  std::vector<const clang::FunctionDecl *> Found;
  if (Template)
    for (const clang::FunctionDecl *Instance : Template->specializations()) {
      const clang::FunctionDecl *Definition = withBody(Instance);
      if (OfProbes ||
          (Definition && !Definition->isDependentContext() && !Unit.inProbe(Instance->getPointOfInstantiation())))
        Found.push_back(Definition ? Definition : Instance);
    }
  return Found.empty() ? std::vector{&Kernel} : Found;
}

/// Choices that name the kernels, as they may be given: by names that only one has, unless a probe has asked for more,
/// else by signatures. What arguments a template has that the file does not instantiate, is left to be filled in.
static std::string choices(const ParsedUnit &Unit, llvm::ArrayRef<const clang::FunctionDecl *> Kernels,
                           bool OfProbes = false) {
  for (auto *Naming : {qualifiedNameOf, signatureOf}) {
    if (OfProbes && Naming == qualifiedNameOf)
      continue;
    std::map<std::string, const clang::FunctionDecl *> Owners;
    std::vector<std::string> Names, Forms;
    bool Tells = true;
    for (const clang::FunctionDecl *Kernel : Kernels)
      for (const clang::FunctionDecl *Instance : instances(Unit, *Kernel, OfProbes)) {
        std::string Name = Naming(*Instance);
        if (Name.find("(lambda") != std::string::npos || Name.find("(unnamed") != std::string::npos)
          continue;
        const clang::FunctionTemplateDecl *Template = Instance->getDescribedFunctionTemplate();
        if (Template) {
          const auto Parameters =
              llvm::map_to_vector(*Template->getTemplateParameters(),
                                  [](const clang::NamedDecl *Parameter) { return Parameter->getNameAsString(); });
          Name.insert(visibleName(*Instance).size(), fmt::format("<{}>", llvm::join(Parameters, ", ")));
        }
        // Of overloaded templates, one name may fit several.
        const auto [Owner, IsNew] = Owners.try_emplace(Naming == signatureOf ? Name : visibleName(*Instance), Kernel);
        Tells &= Owner->second == Kernel;
        if (std::vector<std::string> &To = Template ? Forms : Names; !llvm::is_contained(To, Name))
          To.push_back(Name);
      }
    if (!Tells)
      continue;
    const char *By = Naming == signatureOf ? "signature" : "name";
    std::string Text = Names.empty() ? "" : fmt::format("choose one by its {}: {}", By, llvm::join(Names, ", "));
    if (!Forms.empty() && (Names.empty() || !OfProbes))
      Text +=
          fmt::format("{} with its arguments: {}", Names.empty() ? "name one" : ", or one", llvm::join(Forms, ", "));
    return Text;
  }
  const bool OfLines = llvm::all_of(Kernels, [&](const clang::FunctionDecl *Kernel) {
    const auto Instances = instances(Unit, *Kernel);
    return Instances.size() == 1 && !Instances.front()->getDescribedFunctionTemplate();
  });
  if (!OfLines)
    return "put one of them into a namespace that has a name";
  const auto Lines = llvm::map_to_vector(Kernels, [&](const clang::FunctionDecl *Kernel) {
    return fmt::format("@{}", Unit.place(Kernel->getLocation()).Line);
  });
  return "choose one by its line: " + llvm::join(Lines, ", ");
}

/// Clang says so, and not which argument or parameter is wrong.
static bool isOfOverloads(llvm::StringRef Error) {
  return Error.contains("overloaded function") || Error.starts_with("static_cast");
}

/// Why C++ finds none of the candidates, or none that is sure to be the only one.
static llvm::Error unresolved(const ParsedUnit &Unit, const KernelSpec &Spec, llvm::ArrayRef<Candidate> Candidates) {
  const clang::FunctionDecl &Kernel = *Candidates.front().Kernel;
  const clang::FunctionTemplateDecl *Template = Kernel.getDescribedFunctionTemplate();
  for (const ParseError &Error : Unit.errors())
    if (const clang::Decl &Whole = Template ? *Template : static_cast<const clang::Decl &>(Kernel);
        liesIn(Unit, Error, Whole)) {
      const bool OfHead =
          Unit.ast().getSourceManager().isBeforeInTranslationUnit(Error.Location, Kernel.getBody()->getBeginLoc());
      return badInput(fmt::format("'{}' does not name a kernel: Clang does not accept its {}: {}", Spec.Kernel,
                                  OfHead ? "head" : "text", Error.Text),
                      "correct the error, or pass the missing flags after `--`", Error.Where);
    }
  std::string Why = Unit.probeError(Candidates.front().Probe), Remedy;
  const bool OfOverloads = isOfOverloads(Why);
  if (Spec.hasSignature() || (OfOverloads && (Candidates.size() > 1 || !Template))) {
    Remedy = choices(Unit, llvm::map_to_vector(Candidates, [](const Candidate &Each) { return Each.Kernel; }),
                     /*OfProbes=*/true);
    if (OfOverloads)
      Why = Spec.hasSignature() ? "none of this name has these parameters" : "not exactly one of this name fits";
  } else if (OfOverloads) {
    const unsigned Count = Template->getTemplateParameters()->size();
    std::string Parameters;
    llvm::raw_string_ostream Out(Parameters);
    Template->getTemplateParameters()->print(Out, Unit.ast(), Unit.ast().getPrintingPolicy(), /*OmitTemplateKW=*/true);
    Why = fmt::format("{} takes {} template argument{}: {}", visibleName(Kernel), Count, Count == 1 ? "" : "s",
                      llvm::StringRef(Parameters).trim().str());
    Remedy = choices(Unit, &Kernel);
  }
  if (Why.empty())
    Why = Unit.probe(Candidates.front().Probe) ? "its file does not define it"
          : Unit.errors().empty()              ? "it cannot be instantiated"
                                               : Unit.errors().front().Text;
  return badInput(fmt::format("'{}' does not name a kernel: {}", Spec.Kernel, Why), Remedy,
                  Unit.place(Template ? Template->getLocation() : Kernel.getLocation()));
}

/// The kernels whose head has the line.
static std::vector<const clang::FunctionDecl *> startingAt(const ParsedUnit &Unit, const KernelSpec &Spec) {
  const clang::SourceManager &Sources = Unit.ast().getSourceManager();
  std::vector<const clang::FunctionDecl *> Found;
  for (const clang::FunctionDecl *Kernel : allKernels(Unit)) {
    const clang::Decl *Template = Kernel->getDescribedFunctionTemplate();
    const clang::SourceLocation Begin =
        Sources.getExpansionLoc((Template ? Template : static_cast<const clang::Decl *>(Kernel))->getBeginLoc());
    if (!Spec.Column && Sources.isInMainFile(Begin) && Unit.place(Begin).Line <= Spec.Line &&
        Spec.Line <= Unit.place(Kernel->getLocation()).Line)
      Found.push_back(Kernel);
  }
  return Found;
}

std::vector<const clang::CUDAKernelCallExpr *> launchesAt(const ParsedUnit &Unit, const KernelSpec &Spec) {
  if (!Spec.Line || !startingAt(Unit, Spec).empty())
    return {};
  const clang::SourceManager &Sources = Unit.ast().getSourceManager();
  auto Launches = allIn<clang::CUDAKernelCallExpr>(
      Unit.ast(), [&](clang::SourceLocation At) { return Unit.inLibrary(At); }, /*Instances=*/true);
  llvm::erase_if(Launches, [&](const clang::CUDAKernelCallExpr *Launch) {
    const SourcePlace Place = Unit.place(Launch->getBeginLoc());
    return !Sources.isInMainFile(Sources.getExpansionLoc(Launch->getBeginLoc())) || Place.Line != Spec.Line ||
           (Spec.Column && Place.Column != Spec.Column) || !Launch->getDirectCallee();
  });
  return Launches;
}

llvm::Expected<const clang::FunctionDecl *> findKernel(const ParsedUnit &Unit, const KernelSpec &Spec) {
  const std::vector<const clang::FunctionDecl *> Kernels = allKernels(Unit);
  // A missing header may hide anything, the kernel included.
  for (const ParseError &Error : Unit.errors())
    if (Error.MissingFile)
      return badInput(Error.Text, "pass the flags of your build after `--`", Error.Where);

  std::vector<const clang::FunctionDecl *> Matches;
  if (Spec.Line) {
    Matches = startingAt(Unit, Spec);
    for (const clang::CUDAKernelCallExpr *Launch : launchesAt(Unit, Spec))
      if (const clang::FunctionDecl *Kernel = withBody(Launch->getDirectCallee());
          Kernel && !llvm::is_contained(Matches, Kernel))
        Matches.push_back(Kernel);
  } else if (const std::vector<Candidate> Candidates = candidates(Spec, Kernels); Candidates.empty()) {
    Matches = resolved(Unit, byAlias(Spec, Kernels));
  } else {
    // One name for several scopes: C++ finds that of one, and does not say so.
    const bool SharesName = llvm::any_of(Candidates, [&](const Candidate &A) {
      return llvm::any_of(Candidates, [&](const Candidate &B) {
        return A.Probe == B.Probe && !A.Kernel->getDeclContext()->Equals(B.Kernel->getDeclContext());
      });
    });
    if (needsProbe(Spec) && !SharesName) {
      Matches = resolved(Unit, Candidates);
      // Several overloads of one scope may fit, beside one of another.
      const bool MayBeMore = llvm::any_of(Candidates, [&](const Candidate &A) {
        return !Spec.hasSignature() && isOfOverloads(Unit.probeError(A.Probe)) &&
               llvm::count_if(Candidates, [&](const Candidate &B) { return A.Probe == B.Probe; }) > 1;
      });
      if (Matches.empty() || MayBeMore)
        return unresolved(Unit, Spec, Candidates);
    } else {
      for (const Candidate &Each : Candidates)
        Matches.push_back(Each.Kernel);
      // Specialisations count as what their template is instantiated to.
      llvm::erase_if(Matches, [&](const clang::FunctionDecl *Kernel) {
        const clang::FunctionTemplateDecl *Template = Kernel->getPrimaryTemplate();
        return Template && llvm::any_of(Candidates, [&](const Candidate &C) {
                 return C.Kernel->getCanonicalDecl() == Template->getTemplatedDecl()->getCanonicalDecl();
               });
      });
    }
  }

  if (Matches.empty()) {
    if (Spec.Line)
      return badInput(
          fmt::format("no kernel of the file starts, or is launched, on line {} of '{}'", Spec.Line, Spec.File));
    const std::string Wanted = unqualified(Spec.name());
    std::vector<std::string> Near, All;
    for (const clang::FunctionDecl *Kernel : Kernels) {
      const std::string Name = visibleName(*Kernel);
      if (llvm::is_contained(All, Name))
        continue;
      All.push_back(Name);
      if (llvm::StringRef(unqualified(Name)).edit_distance(Wanted) <= std::max<size_t>(2, Wanted.size() / 3))
        Near.push_back(Name);
    }
    std::string Text = fmt::format("no kernel '{}' in '{}'", Spec.name(), Spec.File);
    for (const ParseError &Error : Unit.errors())
      // One may stand inside of what an open brace begins.
      if (Kernels.empty() || llvm::StringRef(Error.Text).starts_with("expected '}'"))
        return badInput(Text + ": Clang reports " + Error.Text,
                        "correct the error, or pass the missing flags after `--`", Error.Where);
    return badInput(Text, Kernels.empty() ? "the file defines none"
                          : Near.empty()  ? "it has " + llvm::join(All, ", ")
                                          : "did you mean " + llvm::join(Near, ", ") + "?");
  }
  if (Matches.size() > 1)
    return badInput(fmt::format("'{}' names {} kernels in '{}'", Spec.str(), Matches.size(), Spec.File),
                    choices(Unit, Matches));
  const clang::FunctionDecl *Kernel = Matches.front();
  const std::vector<const clang::FunctionDecl *> Instances = instances(Unit, *Kernel);
  // An explicit specialisation is another text.
  if (Instances.size() == 1 && !Instances.front()->getDescribedFunctionTemplate() &&
      (!Kernel->getDescribedFunctionTemplate() || Instances.front()->isTemplateInstantiation()))
    return Instances.front();
  return badInput(fmt::format("'{}' is a template", visibleName(*Kernel)), choices(Unit, Kernel),
                  Unit.place(Kernel->getLocation()));
}

} // namespace cufuse
