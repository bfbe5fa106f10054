#include "cufuse/Verify/VerifyFused.h"

#include "CheckReached.h"
#include "Neutral.h"

#include "cufuse/Frontend/RawTokens.h"
#include "cufuse/Reach/AllIn.h"
#include "cufuse/Support/Error.h"
#include "cufuse/Verify/CompareWithInput.h"

#include <clang/AST/Attr.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/MacroInfo.h>
#include <fmt/core.h>
#include <fmt/ranges.h>
#include <llvm/Support/Path.h>

namespace cufuse {

namespace {

/// First, barrier, x, y, z of a partition.
using PartitionNumbers = std::array<unsigned, 5>;

template <typename Decl> const Decl *findIn(const clang::DeclContext *In, llvm::StringRef Name) {
  for (const clang::NamedDecl *D : In->lookup(&In->getParentASTContext().Idents.get(Name)))
    if (auto *Found = llvm::dyn_cast<Decl>(D))
      return Found;
  return nullptr;
}

/// Is it what plays the partition, by the namespace that its text has?
bool playsIn(const clang::FunctionDecl &Body, llvm::StringRef Space) {
  const clang::DeclContext *Context = Body.getDeclContext();
  while (Context && !Context->isTranslationUnit()) {
    if (auto *Namespace = llvm::dyn_cast<clang::NamespaceDecl>(Context);
        Namespace && Namespace->getQualifiedNameAsString() == Space)
      return true;
    Context = Context->getParent();
  }
  return false;
}

/// Does a cast leave the bytes what they are, and their alignment? An instance that is nowhere completed has no use.
bool keepsBytes(const clang::ASTContext &Context, const clang::ExplicitCastExpr &Cast) {
  const clang::QualType From = Cast.getSubExpr()->getType(), To = Cast.getType();
  if (const clang::CXXRecordDecl *Class = To->getAsCXXRecordDecl(); Class && !Class->hasDefinition())
    return llvm::isa<clang::ClassTemplateSpecializationDecl>(Class);
  return Context.getTypeSizeInChars(From) == Context.getTypeSizeInChars(To) &&
         Context.getTypeAlignInChars(From) == Context.getTypeAlignInChars(To);
}

/// The argument is the fused kernel's parameter at this place, or a value that it is bound to.
bool passes(const clang::Expr *Argument, const clang::FunctionDecl &Kernel, unsigned At, bool MayBeBound,
            bool IsOpaque) {
  const clang::QualType Type = Argument->getType();
  while (true) {
    const clang::Expr *Inner = Argument->IgnoreParenImpCasts();
    if (MayBeBound && llvm::isa<clang::CXXStaticCastExpr>(Inner))
      return true;
    if (auto *Copy = llvm::dyn_cast<clang::CXXConstructExpr>(Inner);
        Copy && Copy->getNumArgs() == 1 && Copy->getConstructor()->isCopyOrMoveConstructor() &&
        (Copy->getConstructor()->isTrivial() || copiesBytes(*Copy->getConstructor()->getParent())))
      Inner = Copy->getArg(0);
    else if (auto *Temporary = llvm::dyn_cast<clang::MaterializeTemporaryExpr>(Inner))
      Inner = Temporary->getSubExpr();
    else if (auto *Full = llvm::dyn_cast<clang::FullExpr>(Inner))
      Inner = Full->getSubExpr();
    else if (auto *Name = llvm::dyn_cast<clang::DeclRefExpr>(Inner))
      // Of the kernel, which it may change.
      if (auto *Own = llvm::dyn_cast<clang::VarDecl>(Name->getDecl());
          IsOpaque && Own && Own->isLocalVarDecl() && Own->getInit())
        Inner = Own->getInit();
    // The header and the kernel have it by the bytes that it has.
    if (auto *Known = llvm::dyn_cast<clang::ExplicitCastExpr>(Inner);
        Known && IsOpaque && Kernel.getASTContext().hasSameUnqualifiedType(Known->getType(), Type) &&
        keepsBytes(Kernel.getASTContext(), *Known))
      Inner = Known->getSubExpr();
    if (Inner == Argument)
      break;
    Argument = Inner;
  }
  auto *Reference = llvm::dyn_cast<clang::DeclRefExpr>(Argument);
  return Reference && At < Kernel.getNumParams() && Reference->getDecl() == Kernel.getParamDecl(At);
}

/// Each call hands the kernel's own arguments on, those that are linked to another's left aside.
llvm::Error compareArguments(const clang::CallExpr &Call, const clang::FunctionDecl &Kernel,
                             llvm::ArrayRef<Constituent> Constituents, const FusionPlan &Plan, unsigned Which) {
  unsigned Next = 0;
  for (unsigned I = 0; I < Which; ++I) {
    Next += llvm::count_if(Constituents[I].Text->Parameters, [](const ParameterText &P) { return P.Given.empty(); });
    Next += addedParameters(*Constituents[I].Facts, Plan, I).size();
  }
  const std::vector<ParameterText> &Own = Constituents[Which].Text->Parameters;
  if (Call.getNumArgs() < Own.size())
    return defect(fmt::format("{} is called with {} arguments", Constituents[Which].Name, Call.getNumArgs()));
  for (size_t I = 0; I < Own.size(); ++I) {
    if (!Own[I].Given.empty())
      continue;
    const bool Bound = llvm::any_of(Plan.Roles[Which].Bound, [&](const auto &B) { return B.first == Own[I].Name; });
    if (!passes(Call.getArg(Call.getNumArgs() - Own.size() + I), Kernel, Next++, Bound, Own[I].Opaque.has_value()))
      return defect(fmt::format("{} is given something else for {}", Constituents[Which].Name, Own[I].Name));
  }
  return llvm::Error::success();
}

/// The functions that play a kernel of a composition: what the composition's own text calls in the kernel's.
std::set<const clang::FunctionDecl *> bodiesOf(const ComposedPart &Part, const PlayedKernel &Played,
                                               const Reached &Reach) {
  std::set<const clang::FunctionDecl *> Bodies;
  for (const auto &[Function, Use] : Reach.Functions) {
    if (namespaceAround(Function) != Played.Around && Function != Reach.Kernel)
      continue;
    for (const CallSite &Call : Use.Calls)
      if (Call.Call && Call.Callee->getNameAsString() == Part.Facts.Name && playsIn(*Call.Callee, Played.Space))
        Bodies.insert(Call.Callee);
  }
  return Bodies;
}

/// All functions of that name, as instantiated.
void functionsIn(const clang::DeclContext &Context, llvm::StringRef Name,
                 std::vector<const clang::FunctionDecl *> &Found) {
  for (const clang::Decl *D : Context.decls())
    if (llvm::isa<clang::NamespaceDecl, clang::LinkageSpecDecl>(D))
      functionsIn(*llvm::cast<clang::DeclContext>(D), Name, Found);
    else if (auto *Named = llvm::dyn_cast<clang::NamedDecl>(D);
             !Named || !Named->getIdentifier() || Named->getName() != Name)
      continue;
    else if (auto *Template = llvm::dyn_cast<clang::FunctionTemplateDecl>(D))
      Found.insert(Found.end(), Template->spec_begin(), Template->spec_end());
    else if (auto *Function = llvm::dyn_cast<clang::FunctionDecl>(D))
      Found.push_back(Function);
}

/// The same function in another parse of the output, whose text has the same lines. Null if it is not there.
const clang::FunctionDecl *sameIn(const ParsedUnit &Other, const ParsedUnit &Unit, const clang::FunctionDecl &F) {
  auto Described = [](const ParsedUnit &In, const clang::FunctionDecl &Of) {
    std::string Text = sourceOf(In, Of.getLocation()).str() + " ";
    llvm::raw_string_ostream Out(Text);
    Of.getNameForDiagnostic(Out, In.ast().getPrintingPolicy(), /*Qualified=*/true);
    return Text;
  };
  // In its outermost namespace, which only the output has: headers that are parsed already are read no further.
  auto *Outermost = F.getDeclContext();
  while (!Outermost->getParent()->isTranslationUnit())
    Outermost = Outermost->getParent();
  clang::ASTContext &There = Other.ast();
  const clang::IdentifierInfo &Name = There.Idents.get(llvm::cast<clang::NamespaceDecl>(Outermost)->getName());
  std::vector<const clang::FunctionDecl *> All;
  for (const clang::NamedDecl *Found : There.getTranslationUnitDecl()->lookup(&Name))
    if (auto *Namespace = llvm::dyn_cast<clang::NamespaceDecl>(Found))
      for (const clang::NamespaceDecl *Each : Namespace->redecls())
        functionsIn(*Each, F.getName(), All);
  for (const clang::FunctionDecl *Each : All)
    if (const clang::FunctionDecl *Definition = withBody(Each);
        Definition && Described(Other, *Definition) == Described(Unit, F))
      return Definition;
  return nullptr;
}

/// Each partition's body against the kernel in its own file, or the bodies of all that were composed.
llvm::Error compareBodies(const ParsedUnit &Unit, const ParsedUnit &Neutral, const clang::FunctionDecl &Kernel,
                          const Reached &Reach, llvm::ArrayRef<const clang::CallExpr *> Calls,
                          llvm::ArrayRef<Constituent> Constituents, const FusionPlan &Plan,
                          const EmitOptions &Options) {
  std::vector<Blocker> Refusals;
  SharedVariables Shared;
  auto Compare = [&](const ParsedKernel &Input, const std::set<const clang::FunctionDecl *> &Bodies,
                     const PlayedKernel &Played) -> llvm::Error {
    if (Bodies.size() != 1)
      return defect(fmt::format("{} bodies of {} are called for one partition", Bodies.size(), Played.Facts.Name));
    const clang::FunctionDecl *Body = *Bodies.begin();
    if (&Neutral != &Unit)
      Body = sameIn(Neutral, Unit, *withBody(Body));
    if (!Body)
      return defect(fmt::format("the neutral reading has no {}", Played.Facts.Name));
    llvm::append_range(Refusals, compareWithInput(Input, Neutral, *Body, Played, Shared));
    return llvm::Error::success();
  };
  for (const PartitionPlan &P : Plan.Partitions) {
    const Constituent &C = Constituents[P.Constituent];
    const std::string Around = partitionNamespace(Options.Name, Constituents, Plan, P);
    if (C.Parts)
      for (const ComposedPart &Part : *C.Parts) {
        const PlayedKernel Played{Part.Facts, Plan, P, Options.Name, Around, Around + "::cufuse_" + Part.Name, &Part};
        TRY(Compare(Part.Parsed, bodiesOf(Part, Played, Reach), Played));
      }
    std::set<const clang::FunctionDecl *> Bodies;
    for (const clang::CallExpr *Call : Calls)
      if (const clang::FunctionDecl *Callee = Call->getDirectCallee();
          Callee && Callee->getNameAsString() == C.Facts->Name && playsIn(*Callee, Around))
        if (Bodies.insert(Callee);
            llvm::Error Error = compareArguments(*Call, Kernel, Constituents, Plan, P.Constituent))
          return Error;
    if (C.Parsed)
      TRY(Compare(*C.Parsed, Bodies, {*C.Facts, Plan, P, Options.Name, Around, Around}));
  }
  return refuse(Refusals);
}

/// Plays every partition once, and what it reaches sees the partitions instead of the block.
llvm::Error verifyKernel(const ParsedUnit &Unit, const ParsedUnit &Neutral, const clang::FunctionDecl &Kernel,
                         llvm::ArrayRef<Constituent> Constituents, const FusionPlan &Plan, const EmitOptions &Options) {
  const auto Bodies = allIn<clang::CallExpr>(*Kernel.getDefinition()->getBody());
  unsigned Played = 0;
  for (const clang::CallExpr *Call : Bodies)
    if (const clang::FunctionDecl *Callee = Call->getDirectCallee())
      // A function of ours may have a kernel's name.
      Played += llvm::any_of(Plan.Partitions, [&](const PartitionPlan &P) {
        return Callee->getNameAsString() == Constituents[P.Constituent].Facts->Name &&
               Callee->hasAttr<clang::CUDADeviceAttr>() &&
               playsIn(*Callee, partitionNamespace(Options.Name, Constituents, Plan, P));
      });
  if (Played != Plan.Partitions.size() && !isMainAlone(Constituents, Plan))
    return defect(fmt::format("{} of {} bodies are called", Played, Plan.Partitions.size()));

  const Reached Reach = reach(Unit, Kernel);
  TRY(compareBodies(Unit, Neutral, *Kernel.getDefinition(), Reach, Bodies, Constituents, Plan, Options));
  return refuse(checkReached(Unit, Reach, Bodies, Plan,
                             llvm::any_of(Constituents, [](const Constituent &C) { return C.Text->LoadsFresh; })));
}

constexpr llvm::StringLiteral OutputFolder = "/cufuse-output/";

/// How outputs are parsed.
struct OutputParser {
  const Toolchain &Tools;
  const EmitOptions &Options;
  const ParseRequest &Request;
  const std::set<std::string> &KnownErrors;

  bool isKnown(const ParseError &Error) const { return KnownErrors.count(Error.key()) != 0; }

  /// In a folder of its own, so that `#include "NAME.h"` finds the text and nothing on disk.
  llvm::Expected<std::unique_ptr<ParsedUnit>> parse(const FusedSource &Fused) const {
    ParseRequest Own = Request;
    Own.File = OutputFolder.str() + Options.SourceFile;
    Own.Overlay = {{Own.File, Fused.Source}, {OutputFolder.str() + Options.HeaderFile, Fused.Header}};
    if (!Options.Prelude.empty())
      Own.Overlay.push_back({OutputFolder.str() + Options.Prelude, preludeText()});
    Own.Probes = nullptr;
    return cufuse::parse(Tools, std::move(Own));
  }

  /// Does the output parse under another name, or with other constituents?
  bool parsesAs(llvm::ArrayRef<Constituent> Constituents, const FusionPlan &Plan, const std::string &Name) const {
    EmitOptions Other = Options;
    Other.Name = Name;
    const auto Emitted = llvm::expectedToOptional(emitFused(Constituents, Plan, Other));
    const auto Parsed = Emitted ? llvm::expectedToOptional(parse(*Emitted)) : std::nullopt;
    return Parsed && llvm::all_of((*Parsed)->errors(), [this](const ParseError &Error) { return isKnown(Error); });
  }

  /// Does the output parse that has this constituent only?
  bool parsesAlone(const Constituent &C, const FusionPlan &Plan, unsigned Which) const {
    FusionConfig Alone;
    Alone.Constituents.resize(1);
    for (const PartitionPlan &P : Plan.Partitions)
      if (P.Constituent == Which)
        Alone.Constituents[0].Block = P.Block;
    Alone.Constituents[0].Unroll = Plan.Roles[Which].Unroll;
    const auto Planned = llvm::expectedToOptional(planFusion({C.Facts}, Alone, Request.Arch));
    return Planned && parsesAs(C, *Planned, Options.Name);
  }
};

std::vector<const ParsedUnit *> unitsOf(llvm::ArrayRef<Constituent> Constituents) {
  std::vector<const ParsedUnit *> Units;
  for (const Constituent &C : Constituents) {
    if (C.Parsed)
      Units.push_back(C.Parsed->Unit.get());
    if (C.Parts)
      for (const ComposedPart &Part : *C.Parts)
        Units.push_back(Part.Parsed.Unit.get());
  }
  return Units;
}

/// Who defines a macro of the user's that is in force there.
std::string usersMacro(const ParsedUnit &Unit, llvm::StringRef Name, clang::SourceLocation At) {
  const clang::SourceManager &Sources = Unit.ast().getSourceManager();
  const clang::MacroDirective *Known =
      Unit.preprocessor().getLocalMacroDirectiveHistory(Unit.preprocessor().getIdentifierInfo(Name));
  const auto Found =
      Known ? Known->findDirectiveAtLoc(Sources.getExpansionLoc(At), Sources) : clang::MacroDirective::DefInfo();
  if (!Found || Found.isUndefined())
    return {};
  const clang::SourceLocation Where = Found.getMacroInfo()->getDefinitionLoc();
  if (Sources.isWrittenInCommandLineFile(Where))
    return "a flag";
  return Unit.inToolkit(Where) || Sources.isInMainFile(Where) ? "" : "a header";
}

/// A macro of the user's whose name we write in the line, between the user's own words, where it cannot be hidden, or
/// for what the toolkit means by it.
llvm::Error macroLikeOurs(const ParsedUnit &Unit, const ParseError &Error, bool IsOurs, const SourcePlace &Known) {
  RawLexer Lexer(Error.Where.LineText, 0);
  for (RawToken T = Lexer.next(); !T.IsEnd; T = Lexer.next())
    for (const llvm::StringRef Name : {llvm::StringRef(T.Spelling), llvm::StringRef(T.Spelling).trim('_')})
      if (IsOurs ||
          llvm::is_contained({"sync",    "syncCount",     "syncAnd",       "syncOr", "syncNamed", "named",  "leave",
                              "indices", "dynamicOffset", "dynamicShared", "rank",   "inside",    "beyond", "once",
                              "next",    "each",          "device",        "shared", "dim3",      "uint3"},
                             Name))
        if (const std::string Where = T.IsIdentifier ? usersMacro(Unit, Name, Error.Location) : ""; !Where.empty())
          return badInput(
              fmt::format("{} defines the macro '{}', which is a name that the output needs: {}", Where, Name.str(),
                          Error.Text),
              Where == "a flag" ? "rename the macro" : "rename the macro, or undefine it at the header's end", Known);
  return llvm::Error::success();
}

/// A macro of a header that the headers of another kernel define otherwise: which, and where each file has it.
Blocker otherMacro(const ParseError &Error, llvm::ArrayRef<Constituent> Constituents) {
  const llvm::StringRef Name =
      llvm::StringRef(Error.Where.LineText).split("CUFUSE_EXPANDED(").second.take_until([](char C) {
        return C == '(' || C == ')';
      });
  std::set<std::string> Places;
  for (const ParsedUnit *Unit : unitsOf(Constituents))
    if (const clang::MacroInfo *Info =
            Name.empty() ? nullptr : Unit->preprocessor().getMacroInfo(Unit->preprocessor().getIdentifierInfo(Name)))
      Places.insert(Unit->place(Info->getDefinitionLoc()).str());
  const auto User = llvm::find_if(
      Constituents, [&](const Constituent &C) { return !C.Text->OutsideMacros.lookup(Name).Call.empty(); });
  if (Places.size() < 2 || User == Constituents.end())
    return {BlockerKind::OtherMeaning, Constituents.front().Facts->Where, Error.Text};
  return {BlockerKind::FilesDisagree, User->Facts->Where,
          fmt::format("the macro {} that {} needs is defined at {}", Name.str(), User->Facts->Name,
                      listed(std::vector(Places.begin(), Places.end())))};
}

/// A bug of ours, unless the error lies in the text of one of several files that are right without the others.
llvm::Error doesNotParse(const OutputParser &Parser, const FusedSource &Fused, const ParsedUnit &Unit,
                         const ParseError &Error, llvm::ArrayRef<Constituent> Constituents, const FusionPlan &Plan) {
  const EmitOptions &Options = Parser.Options;
  std::set<std::string> Files;
  std::vector<std::string> Kernels;
  auto Add = [&](const KernelFacts &Facts) {
    Files.insert(Facts.Where.File);
    Kernels.push_back(fmt::format("{} of {}", Facts.Name, llvm::sys::path::filename(Facts.Where.File).str()));
  };
  for (const Constituent &C : Constituents)
    if (C.Parts)
      llvm::for_each(*C.Parts, [&](const ComposedPart &Part) { Add(Part.Facts); });
    else
      Add(*C.Facts);
  const SourcePlace Where = sourceOf(Unit, Error.Location);
  const bool IsOurs = llvm::StringRef(Where.File).starts_with(OutputFolder) || Where.File == Options.SourceFile ||
                      Where.File == Options.HeaderFile;
  // Of what we wrote, the user knows no place.
  const SourcePlace Known = IsOurs ? Constituents.front().Facts->Where : Where;
  if (Parser.parsesAs(Constituents, Plan, Options.Name + "_of_cufuse"))
    return badInput(fmt::format("the name of the output, '{}', or one that begins with it, means something else in the "
                                "kernels' files or their headers: {}",
                                Options.Name, Error.Text),
                    "choose another one with --name", Known);
  bool AreApart = Files.size() > 1 && !IsOurs, NeedsPointers = false;
  if (!IsOurs && llvm::any_of(Constituents, [](const Constituent &C) { return C.Parts != nullptr; })) {
    // Where pointers would do, objects do not.
    const std::optional<std::string> Text = neutralText(Fused.Source, Constituents, Plan, Options);
    auto Neutral = TRY(Parser.parse({Text.value_or(Fused.Source), Fused.Header, ""}));
    NeedsPointers = llvm::none_of(Neutral->errors(), [&](const ParseError &Each) {
      return sourceOf(*Neutral, Each.Location).str() == Where.str();
    });
    AreApart &= !NeedsPointers;
  }
  for (unsigned I = 0; AreApart && I < Constituents.size(); ++I)
    AreApart = Constituents[I].Parts || Parser.parsesAlone(Constituents[I], Plan, I);
  if (AreApart)
    return refuse(
        {BlockerKind::FilesDisagree, Where, fmt::format("for {}, {}", fmt::join(Kernels, " and "), Error.Text)});
  TRY(macroLikeOurs(Unit, Error, IsOurs, Known));
  if (!IsOurs)
    return refuse({NeedsPointers ? BlockerKind::IntermediateEscapes : BlockerKind::OtherMeaning, Where, Error.Text});
  for (const ParsedUnit *Unit : unitsOf(Constituents))
    for (const ParseError &Broken : Unit->errors())
      if (Unit->inToolkit(Broken.Location))
        return badInput("a header of the toolkit means something else with the macros of the flags: " + Broken.Text,
                        "rename the macro that it names, too", Broken.Where);
  return defect(fmt::format("the fused source does not parse: {}:{}: {}\n{}",
                            llvm::sys::path::filename(Error.Where.File).str(), Error.Where.Line, Error.Text,
                            Error.Where.snippet()));
}

/// The output's namespaces are new names at the scope of the headers that it includes.
llvm::Error checkNames(llvm::ArrayRef<Constituent> Constituents, const EmitOptions &Options) {
  if (llvm::StringRef(Options.Name).ends_with(textsNamespace("")))
    return badUsage(fmt::format("'{}' may be the namespace of another output's text", Options.Name),
                    "choose another --name");
  for (const ParsedUnit *Unit : unitsOf(Constituents)) {
    clang::ASTContext &Context = Unit->ast();
    const clang::SourceManager &Sources = Context.getSourceManager();
    if (Options.Name == "main" || Context.Idents.get(Options.Name).getTokenID() != clang::tok::identifier)
      return badUsage(fmt::format("'{}' cannot be the name of a namespace", Options.Name), "choose another --name");
    for (const std::string &Name : {Options.Name, textsNamespace(Options.Name)})
      for (const clang::NamedDecl *D : Context.getTranslationUnitDecl()->lookup(&Context.Idents.get(Name))) {
        const clang::SourceLocation At = Sources.getExpansionLoc(D->getLocation());
        // What the kernel's own file declares is copied into a namespace, and users may add to one of theirs.
        if (At.isInvalid() || Sources.isInMainFile(At) ||
            (llvm::isa<clang::NamespaceDecl>(D) && !Sources.isInSystemHeader(At)))
          continue;
        return badUsage(fmt::format("'{}' is declared by a header of the output: {}", Name, Unit->place(At).str()),
                        "choose another --name");
      }
  }
  return llvm::Error::success();
}

} // namespace

llvm::Error verifyPlan(const FusionPlan &Plan) {
  unsigned First = 0, Barriers = 0, Threads = 0;
  for (size_t I = 0; I < Plan.Partitions.size(); ++I) {
    const PartitionPlan &P = Plan.Partitions[I];
    const bool NewRole = I > 0 && Plan.Partitions[I - 1].Constituent != P.Constituent;
    // Side by side they divide threads and barriers, in turns only barriers, in different blocks nothing.
    if (NewRole && Plan.Shape != Geometry::Warps)
      First = 0;
    if (NewRole && Plan.Shape == Geometry::Blocks)
      Barriers = 0;
    if (P.First != First)
      return defect(fmt::format("partition starts at thread {} instead of {}", P.First, First));
    if (P.OfLanes ? WarpSize % P.PaddedThreads != 0 || P.PaddedThreads != P.Block.threads() || P.Barrier != 0
                  : P.PaddedThreads % WarpSize != 0 || P.PaddedThreads < P.Block.threads() ||
                        P.PaddedThreads >= P.Block.threads() + WarpSize)
      return defect(fmt::format("partition of {} threads is padded to {}", P.Block.threads(), P.PaddedThreads));
    // The whole warpgroup takes part in its setmaxnreg.
    const unsigned Unit = Plan.Registers.Policy == RegisterPolicy::Split ? 128 : WarpSize;
    if (P.First % Unit != 0 || P.Reserved % Unit != 0 || P.Reserved < P.Beside * P.PaddedThreads ||
        P.Reserved >= P.Beside * P.PaddedThreads + Unit)
      return defect(fmt::format("partition of {} threads takes {} from {}", P.PaddedThreads, P.Reserved, P.First));
    if (P.Beside > 1 && !P.OfLanes &&
        (P.Synchronises || P.PaddedThreads != P.Block.threads() || Plan.Partitions.size() > 1))
      return defect(fmt::format("{} blocks of {} threads in one text", P.Beside, P.Block.threads()));
    if (P.Barrier != 0 && P.Barrier != ++Barriers)
      return defect(fmt::format("barrier {} instead of {}", P.Barrier, Barriers));
    Barriers += P.NamedBarriers;
    if (P.WholeBlock && (Plan.Shape != Geometry::Blocks || P.Barrier != 0 || P.Block.threads() != Plan.BlockThreads))
      return defect(fmt::format("a partition of {} threads is not the whole block", P.Block.threads()));
    const bool HasBarrier0 = P.WholeBlock || P.NamedBarriers == MaxNamedBarriers;
    if (P.Synchronises != (P.Barrier != 0 || ((HasBarrier0 || P.OfLanes || P.OfPart) && P.Synchronises)))
      return defect("a partition has no barrier to synchronise by");
    First += P.Reserved;
    Threads = std::max(Threads, First);
    if (Barriers > MaxNamedBarriers)
      return defect(fmt::format("{} barriers", Barriers));
  }
  if (Threads != Plan.BlockThreads || Threads > MaxBlockThreads)
    return defect(fmt::format("{} threads", Threads));
  unsigned long long Budgets = 0;
  for (const RolePlan &Role : Plan.Roles)
    Budgets += 1ull * Role.Threads * Role.Registers;
  if (Budgets > 1ull * Plan.BlockThreads * Plan.Registers.Count && Plan.Registers.Policy == RegisterPolicy::Split)
    return defect(fmt::format("{} registers for {} threads launched with {}", Budgets, Threads, Plan.Registers.Count));
  return llvm::Error::success();
}

llvm::Error verifyFused(const Toolchain &Tools, const FusedSource &Fused, llvm::ArrayRef<Constituent> Constituents,
                        const FusionPlan &Plan, const EmitOptions &Options, ParseRequest Request,
                        const std::set<std::string> &KnownErrors) {
  TRY(verifyPlan(Plan));
  TRY(checkNames(Constituents, Options));
  const OutputParser Parser{Tools, Options, Request, KnownErrors};
  auto Parsed = TRY(Parser.parse(Fused));
  const ParsedUnit &Unit = *Parsed;
  clang::ASTContext &Context = Unit.ast();
  const ParseError *OtherMacro = nullptr;
  for (const ParseError &Error : Unit.errors())
    if (Parser.isKnown(Error))
      continue;
    else if (Error.Text.find("::cufuseSame(") != std::string::npos)
      OtherMacro = &Error; // of another kernel's header; what comes of it is said better below
    else if (rebindsLibraries(Constituents, Plan) && Context.getSourceManager().isInSystemHeader(Error.Location))
      // A member of theirs may have the name of a built-in.
      return refuse({BlockerKind::LibraryUsesBlock, Error.Where, Error.Text});
    else if (Constituents.size() > 1 && !Options.LineDirectives) {
      // Where the text is from, its directives say.
      EmitOptions WithLines = Options;
      WithLines.LineDirectives = true;
      auto Text = TRY(emitFused(Constituents, Plan, WithLines));
      TRY(verifyFused(Tools, Text, Constituents, Plan, WithLines, std::move(Request), KnownErrors));
      return badInput(fmt::format("without #line, the output is no valid program: {}", Error.Text),
                      "leave --no-line-directives out: the kernels' text depends on its lines",
                      Constituents.front().Facts->Where);
    } else
      return doesNotParse(Parser, Fused, Unit, Error, Constituents, Plan);

  auto *Space = findIn<clang::NamespaceDecl>(Context.getTranslationUnitDecl(), Options.Name);
  if (!Space)
    return defect("the fused source has no namespace " + Options.Name);
  auto *Partition = findIn<clang::ClassTemplateDecl>(Space, "CufusePartition");
  if (!Partition && !Plan.keepsGrid())
    return defect("the fused source has no partitions");

  // One each, but for kernels in different blocks or at different times, which may be equal.
  std::multiset<PartitionNumbers> Expected, Found;
  for (const PartitionPlan &P : Plan.Partitions)
    if (const PartitionNumbers Numbers{P.First, P.Barrier, P.Block.X, P.Block.Y, P.Block.Z};
        Plan.Shape == Geometry::Warps || !Expected.count(Numbers))
      Expected.insert(Numbers);
  if (Partition)
    for (const clang::ClassTemplateSpecializationDecl *Special : Partition->specializations()) {
      PartitionNumbers Numbers{};
      for (unsigned I = 0; I < Numbers.size(); ++I)
        Numbers[I] = Special->getTemplateArgs()[I].getAsIntegral().getZExtValue();
      Found.insert(Numbers);
    }
  if (Partition && Found != Expected)
    return defect("the partitions in the fused source are not those of the plan");

  // Lanes would be reduced with those of other blocks.
  auto *Cub = findIn<clang::NamespaceDecl>(Context.getTranslationUnitDecl(), "cub");
  if (auto *Reduce = Cub ? findIn<clang::ClassTemplateDecl>(Cub, "BlockReduce") : nullptr)
    for (const auto *Each : Reduce->specializations())
      for (const PartitionPlan &P : Plan.Partitions)
        if (P.OfLanes && P.PaddedThreads < WarpSize && Each->getTemplateArgs()[1].getAsIntegral() != P.PaddedThreads)
          return badInput("a cub::BlockReduce is not of the block's lanes", "name it without ::, or say --block 32");

  std::unique_ptr<ParsedUnit> Neutral;
  if (const std::optional<std::string> Text = neutralText(Fused.Source, Constituents, Plan, Options)) {
    Neutral = TRY(Parser.parse({*Text, Fused.Header, ""}));
  }
  for (const char *Name : {"fused", "fused_bound"}) {
    std::vector<const clang::FunctionDecl *> Kernels;
    if (auto *Kernel = findIn<clang::FunctionDecl>(Space, Name))
      Kernels.push_back(Kernel);
    else if (auto *Template = findIn<clang::FunctionTemplateDecl>(Space, Name))
      Kernels.assign(Template->spec_begin(), Template->spec_end());
    if (Kernels.empty() && llvm::StringRef(Name) == "fused_bound" && !Plan.hasBound())
      continue;
    if (Kernels.empty())
      return defect(fmt::format("the fused source has no kernel {}", Name));
    for (const clang::FunctionDecl *Kernel : Kernels) {
      if (!Kernel->getDefinition())
        return defect(fmt::format("the fused source does not define {}", Name));
      TRY(verifyKernel(Unit, Neutral ? *Neutral : Unit, *Kernel, Constituents, Plan, Options));
    }
  }
  return OtherMacro ? refuse(otherMacro(*OtherMacro, Constituents)) : llvm::Error::success();
}

} // namespace cufuse
