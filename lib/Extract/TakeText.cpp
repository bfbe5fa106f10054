#include "cufuse/Extract/TakeText.h"

#include "SpellType.h"
#include "TextParts.h"

#include "cufuse/Facts/HostText.h"
#include "cufuse/Reach/AllIn.h"
#include "cufuse/Reach/DeviceIr.h"
#include "cufuse/Reach/DynamicShared.h"

#include <clang/AST/Attr.h>
#include <fmt/core.h>
#include <llvm/ADT/StringExtras.h>

namespace cufuse {

namespace {

/// One thing to emit, before it is text: a declaration or a macro directive, ordered by its place.
struct Item {
  clang::SourceLocation Where;
  const clang::Decl *Unit = nullptr;
  const MacroEvent *Macro = nullptr;
  Slice Text;
  const PragmaEvent *Pragma = nullptr;
  std::set<unsigned> Packing = {}; ///< Of the records that it defines.
  bool IsAlone = false;            ///< A type whose text goes on with variables of the program.
};

class Builder {
public:
  Builder(const ParsedUnit &Unit, const HostCode &Host, const Reached &Reach, const DeviceIr *Ir,
          const KernelFacts &Facts)
      : Unit(Unit), Host(Host), Reach(Reach), Ir(Ir), Facts(Facts), Sources(Unit.ast().getSourceManager()), Text(Unit),
        Chosen(selectCopied(Unit, Reach)), Controls(*Reach.Kernel->getBody()) {}

  KernelText run() {
    for (const clang::VarDecl *Global : Reach.Globals)
      if (Host.mustStayShared(*Global, *Reach.Kernel))
        HostShared.insert(Global->getCanonicalDecl());
    Result.HasHostShared = !HostShared.empty();
    Result.HasConstants =
        llvm::any_of(Reach.Constants, [this](const clang::VarDecl *V) { return !HostShared.count(V); }) ||
        includesConstants(Unit, Chosen);
    for (const auto &[Function, Use] : Reach.Functions) {
      llvm::append_range(Variables, Use.Shared);
      if (!Use.System && Function->getBody())
        llvm::copy_if(allIn<clang::VarDecl>(*Function->getBody()), std::back_inserter(Variables),
                      [](const clang::VarDecl *Each) {
                        return Each->isStaticLocal() && !Each->hasAttr<clang::CUDASharedAttr>();
                      });
    }
    for (const clang::VarDecl *Global : Reach.Globals)
      if (const clang::VarDecl *Definition = Global->getDefinition(); Definition && !HostShared.count(Global))
        Variables.push_back(Definition);
    LaunchEdits = declareLaunched(Reach, Chosen, Text, Result);
    Linked = linkedPointers(Text, Reach, parameterNames());
    Result.Calls = std::move(Linked.Calls);
    Result.MovesPointers = Linked.Moves;
    takeSignature(Unit, Reach, Facts, Chosen, Result);
    registerVariables(Unit, Chosen, HostShared, Result);
    items();
    Renamed = RenamedVariables(Unit, Reach, Chosen, Facts);
    includes();
    Result.Libraries = collectLibraries(Reach, Chosen, Text);
    if (!Result.Libraries.empty())
      Result.BeforeLibraries = headersBeforeLibraries(Unit);
    for (const std::vector<std::string> &Namespaces : Chosen.EmptyNamespaces)
      Result.Body.push_back({Piece::Kind::Using, Namespaces, ""});
    // What is said of warnings holds for this text alone.
    const bool Warns = llvm::any_of(Items, [](const Item &I) { return I.Pragma; });
    if (Warns)
      pragma("#pragma nv_diagnostic push");
    for (const auto &[Name, References] : Renamed.Builtins)
      pragma(fmt::format("#pragma push_macro(\"{0}\")\n#undef {0}", Name));
    for (const Item &I : Items)
      piece(I);
    for (const auto &[Name, References] : Renamed.Builtins)
      pragma(fmt::format("#pragma pop_macro(\"{}\")", Name));
    if (Warns)
      pragma("#pragma nv_diagnostic pop");
    if (Reach.Kernel->hasAttr<clang::DeprecatedAttr>()) // nvcc warns where it is called
      pragma("#pragma nv_diag_suppress 1215, 1444");
    usings();
    architectures();
    outsideMacros();
    Result.Dependencies = Unit.dependencies();
    return std::move(Result);
  }

private:
  void includes() {
    Result.Includes = collectIncludes(Reach, Chosen, Text, BodyNames,
                                      [this](clang::SourceLocation Where) { return isInside(Where); });
    for (const IncludeEvent &Include : Unit.log().Includes)
      for (IncludeLine &Line : Result.Includes)
        if (Host.hostText().mayDiffer(Include.Hash) && Line.Where.str() == Unit.place(Include.Hash).str()) {
          Line.ForDevice = !Line.ForArguments;
          if (Line.ForArguments)
            block(BlockerKind::HostReadsOther, Include.Hash, "whether the file is included depends on __CUDA_ARCH__");
        }
  }

  void usings() {
    for (const auto &[Namespaces, Lines] : Chosen.Usings)
      (Namespaces.empty() ? Result.Usings : Result.NestedUsings[Chosen.opened(Namespaces)]) = Lines;
    for (Piece &P : Result.Body)
      if (P.What != Piece::Kind::Shared)
        P.Namespaces = Chosen.opened(P.Namespaces);
  }

  void block(BlockerKind Kind, clang::SourceLocation Where, std::string Fact) {
    Result.Blockers.push_back({Kind, Unit.place(Where), std::move(Fact)});
  }

  /// What another architecture compiles was not analysed, where what the kernel needs asks for it, or has a name that
  /// such text of a file speaks of, or where a library of the block may.
  void architectures() {
    const HostText &Other = Host.hostText();
    auto AsksBy = [&](const std::string &Name) {
      return Other.depends(Name) ||
             (Unit.ast().Idents.get(Name).getTokenID() == clang::tok::identifier && Other.mayDeclare(Name));
    };
    auto Asks = [&](const clang::Decl *Whole) {
      return Other.mayDiffer(Whole->getSourceRange()) || llvm::any_of(Text.names(Text.declaration(*Whole)), AsksBy);
    };
    if (Result.Libraries.empty() && llvm::none_of(Reach.Units, Asks) && llvm::none_of(BodyNames, AsksBy) &&
        llvm::none_of(Unit.log().Includes, [&](const IncludeEvent &E) { return Other.mayDiffer(E.Hash); }))
      return;
    for (llvm::StringRef Arch : Unit.request().Compared) {
      unsigned Number = 0;
      if (Arch.consume_front("sm_") && !Arch.consumeInteger(10, Number))
        Result.Architectures.insert(Number * 10);
    }
  }

  /// Where a macro that conditions of the text have asked says something else, it is another kernel than was fused.
  void outsideMacros() {
    Result.OutsideMacros = macrosOutside(Unit, Chosen, BodyNames);
    std::string Checks;
    for (const std::string &Name : Asked.Missing)
      if (!Result.OutsideMacros.contains(Name))
        Checks += fmt::format("{}#ifdef {}\n#error \"fused with other flags or headers\"\n#endif",
                              Checks.empty() ? "" : "\n", Name);
    if (!Checks.empty())
      Result.Body.insert(Result.Body.begin(), {Piece::Kind::Macro, {}, Checks});
  }

  /// Copied declarations and the macro directives between them that their text needs, in the order of the file.
  void items() {
    for (const clang::Decl *Whole : Chosen.Units) {
      // Declared once, in place of its first declaration.
      const bool IsShared = HostShared.count(Whole->getCanonicalDecl());
      if (IsShared && !Whole->isFirstDecl())
        continue;
      Items.push_back({Whole->getBeginLoc(), Whole, nullptr, Text.declaration(*Whole)});
      if (!IsShared && Text.offset(Whole->getEndLoc()).first != Items.back().Text.File)
        block(BlockerKind::UneditableText, Whole->getLocation(), "it ends in another file than it begins in");
    }
    for (Item &I : Items)
      I.Packing = recordPacking(*I.Unit);
    mergeOverlapping();
    for (const Item &I : Items)
      BodyNames.merge(Text.names(I.Text));
    namesOfExpansions();
    addNamesInMacros(Unit.log(), BodyNames);
    dropped(*Unit.ast().getTranslationUnitDecl());
    // nvcc's is that of the command line; Clang's follows #line.
    if (BodyNames.count("__BASE_FILE__"))
      block(BlockerKind::OtherMeaning, Reach.Kernel->getLocation(), "__BASE_FILE__ is the fused file there");
    for (const MacroEvent &Event : Unit.log().Macros) {
      if (!BodyNames.count(Event.Name) || isInside(Event.Where) || !inCopiedFile(Event.Where))
        continue;
      Items.push_back({Event.Where, nullptr, &Event, {}});
    }
    for (const PragmaEvent &Event : Unit.log().Pragmas)
      if (!isInside(Event.Where) && inCopiedFile(Event.Where))
        Items.push_back({Event.Where, nullptr, nullptr, {}, &Event});
    std::sort(Items.begin(), Items.end(), [&](const Item &A, const Item &B) {
      return Sources.isBeforeInTranslationUnit(Sources.getExpansionLoc(A.Where), Sources.getExpansionLoc(B.Where));
    });
    std::vector<Slice> Copied;
    for (const Item &I : Items)
      if (I.Unit)
        llvm::append_range(Copied, Text.withIncluded(I.Text));
    Asked = macrosAsked(Text, Copied, Chosen.Absorbed, BodyNames);
    BodyNames.insert(Asked.There.begin(), Asked.There.end());
  }

  /// Clang drops a statement that names a template which it does not accept, and says nothing of it: what else stands
  /// there, nobody has seen.
  void dropped(const clang::DeclContext &In) {
    if (Unit.errors().empty())
      return;
    for (const clang::Decl *D : In.noload_decls())
      if (auto *Template = llvm::dyn_cast<clang::TemplateDecl>(D);
          Template && Template->isInvalidDecl() && BodyNames.count(Template->getNameAsString())) {
        const auto Error = llvm::find_if(Unit.errors(), [&](const auto &Each) { return liesIn(Unit, Each, *D); });
        const bool Known = Error != Unit.errors().end();
        block(BlockerKind::BrokenCode, Known ? Error->Location : D->getLocation(),
              Known ? Error->Text : Template->getNameAsString() + " is not valid");
      } else if (llvm::isa<clang::NamespaceDecl, clang::LinkageSpecDecl>(D)) {
        dropped(llvm::cast<clang::DeclContext>(*D));
      }
  }

  /// Macros that the text expands, whose names `##` may have formed.
  void namesOfExpansions() {
    std::map<TextPlace, unsigned> Ends;
    for (const Item &I : Items)
      for (const Slice &S : Text.withIncluded(I.Text))
        Ends.insert({{S.File, S.Begin}, S.End});
    for (const MacroUse &Use : Unit.log().Uses) {
      const auto At = Text.offset(Use.Where);
      auto Behind = Ends.upper_bound(At);
      if (Behind == Ends.begin())
        continue;
      const auto &[Begin, End] = *std::prev(Behind);
      if (Begin.first == At.first && At.second < End)
        BodyNames.insert(Use.Name);
    }
  }

  /// `typedef struct S {…} T;` and `struct S {…} s, t;` are several declarations in one text.
  void mergeOverlapping() {
    std::sort(Items.begin(), Items.end(), [](const Item &A, const Item &B) {
      return std::tuple(A.Text.File.getHashValue(), A.Text.Begin, A.Text.End) <
             std::tuple(B.Text.File.getHashValue(), B.Text.Begin, B.Text.End);
    });
    std::vector<Item> Merged;
    auto IsShared = [&](const Item &I) { return HostShared.count(I.Unit->getCanonicalDecl()) > 0; };
    for (Item &I : Items)
      if (auto *Tag = llvm::dyn_cast<clang::TagDecl>(I.Unit);
          Tag && Tag->getDeclName() && !Tag->getBeginLoc().isMacroID() && !Tag->getEndLoc().isMacroID() &&
          llvm::any_of(Items, [&](const Item &Other) {
            return IsShared(Other) && Other.Text.File == I.Text.File && Other.Text.Begin < I.Text.End &&
                   I.Text.Begin < Other.Text.End;
          })) {
        I.Text.Begin = Text.offset(Tag->getBeginLoc()).second;
        I.Text.End = Text.end(Tag->getEndLoc()).second;
        I.IsAlone = true;
      }
    for (const Item &I : Items) {
      const bool Overlaps =
          !Merged.empty() && Merged.back().Text.File == I.Text.File && I.Text.Begin < Merged.back().Text.End;
      if (Overlaps && IsShared(I) != IsShared(Merged.back()) && !I.IsAlone && !Merged.back().IsAlone)
        block(BlockerKind::UneditableText, I.Unit->getLocation(),
              "variables of the program and other things are declared at once");
      // Each variable of the program is declared by itself.
      if (!Overlaps || IsShared(I) || I.IsAlone) {
        Merged.push_back(I);
      } else {
        Item &Known = Merged.back();
        Known.Text.End = std::max(Known.Text.End, I.Text.End);
        Known.Packing.insert(I.Packing.begin(), I.Packing.end());
      }
      Merged.back().Where = IsShared(Merged.back()) ? I.Unit->getLocation() : Text.location(Merged.back().Text);
    }
    Items = std::move(Merged);
  }

  bool isInside(clang::SourceLocation Where) {
    const auto [File, Offset] = Text.offset(Where);
    return llvm::any_of(Items, [&, File = File, Offset = Offset](const Item &I) {
      return I.Unit && I.Text.File == File && I.Text.Begin <= Offset && Offset < I.Text.End;
    });
  }

  /// Macros of an included header come with it, unless a declaration was copied out of that header.
  bool inCopiedFile(clang::SourceLocation Where) {
    const clang::FileID File = Text.offset(Where).first;
    return Chosen.Absorbed.count(File) ||
           llvm::any_of(Items, [&](const Item &I) { return I.Unit && I.Text.File == File; });
  }

  void piece(const Item &I) {
    if (I.Macro)
      return macro(*I.Macro);
    if (I.Pragma)
      return pragma(I.Pragma->Text);
    auto *Variable = llvm::dyn_cast<clang::VarDecl>(I.Unit);
    if (HostShared.count(I.Unit->getCanonicalDecl()))
      return declareHostShared(Unit, *Variable, Chosen, Result);
    if (Variable && isDynamicShared(*Variable))
      return fileScopeDynamicShared(*Variable);
    Piece P;
    P.Namespaces = namespacesAround(I.Unit->getLexicalDeclContext());
    outerFunctions(I.Unit, P.Namespaces);
    TextEdits Edits{Text, I.Text, Result.Blockers};
    edit(I, Edits);
    P.Includes = includesInside(Chosen, Edits);
    if (auto Known = Linked.Functions.find(I.Unit->getCanonicalDecl()); Known != Linked.Functions.end())
      P.Function = Known->second;
    P.Where = Unit.place(Text.location(I.Text));
    // As a #line of the user's says, which __LINE__ follows.
    if (const clang::PresumedLoc Said = Sources.getPresumedLoc(Text.location(I.Text));
        Said.isValid() && Said.getLine() != P.Where.Line) {
      P.Where.Line = Said.getLine();
      P.Where.File = Said.getFilename();
    }
    P.Written = Text.withoutConditionals(I.Text) + (I.IsAlone ? ";" : "");
    if (auto Brought = Chosen.Brought.find(I.Unit); Brought != Chosen.Brought.end())
      P.Written += Brought->second;
    for (PlacedEdit &E : Edits.All)
      P.Edits.push_back(inPiece(I, std::move(E)));
    llvm::append_range(Result.Blockers, makeEdits(P, {}));
    if (llvm::all_of(P.Edits, [](const Edit &E) { return E.Made <= Edit::When::Unrolled; }))
      P.Edits.clear(); // Nothing depends on links.
    if (P.Text == OutputText(P.Written))
      mayStandOutside(P, *I.Unit, Reach, Text);
    for (const std::string &Name : macrosDefinedIn(Text, I.Text))
      remember(Result.BodyMacros, Name);
    if (I.Packing.size() > 1)
      block(BlockerKind::UneditableText, I.Unit->getLocation(), "records inside it are packed differently");
    appendPacked(Result.Body, std::move(P), I.Packing);
  }

  void pragma(const std::string &Directive) { Result.Body.push_back({Piece::Kind::Macro, {}, Directive}); }

  void macro(const MacroEvent &Macro) {
    Piece P{Piece::Kind::Macro, {}, Renamed.directiveOf(Text, Macro)};
    P.Where = Unit.place(Macro.Where);
    Result.Body.push_back(std::move(P));
    remember(Result.BodyMacros, Macro.Name);
  }

  std::vector<std::string> parameterNames() const {
    std::vector<std::string> Names;
    for (const ParameterFacts &P : Facts.Parameters)
      Names.push_back(P.Name);
    return Names;
  }

  void edit(const Item &I, TextEdits &Edits) {
    Renamed.edit(Edits);
    if (const clang::FunctionDecl *Kernel = kernelIn(I.Unit)) {
      editKernelHead(Edits, *Kernel, *Reach.Kernel, bodyParameters(), !Facts.sharesIndices());
      editLinkedParameters(Edits, *Kernel, *Reach.Kernel, parameterNames());
      editRowLoops(Edits, Controls);
      editKnownConditions(Edits, Controls);
    }
    editFriends(Edits, *I.Unit);
    llvm::copy_if(Linked.Edits, std::back_inserter(Edits.All),
                  [&](const PlacedEdit &E) { return Edits.holds(Sources.getComposedLoc(E.At.first, E.At.second)); });
    if (auto Head = Linked.Templates.find(I.Unit); Head != Linked.Templates.end())
      if (const std::vector<TextToken> Tokens = Text.tokensIn(I.Text); !Tokens.empty())
        Edits.All.push_back({{I.Text.File, Tokens[0].Offset}, 0, Head->second, Edit::When::Linked});
    if (const FunctionUse &Kernel = Reach.Functions.begin()->second;
        Facts.announcesExits() && Edits.holds(Kernel.Function->getBody()->getBeginLoc()))
      editReturns(Edits, Kernel, !Facts.ExitsBeforeBarrier.empty());
    auto OutOfReach = dynamicSharedOutOfReach(*I.Unit);
    for (const clang::VarDecl *Variable : Variables)
      if (!Edits.holds(Variable->getLocation()) || !VariablesSeen.insert(Text.offset(Variable->getLocation())).second)
        continue;
      else if (isDynamicShared(*Variable))
        editDynamicShared(Edits, *Variable, OutOfReach[Variable->getLocation()]);
      else if (align(Edits, *Variable) && Variable->hasAttr<clang::CUDASharedAttr>())
        Result.SharedOfLanes += editStaticShared(Edits, *Variable);
    for (const auto &[Function, Use] : Reach.Functions)
      for (const clang::GCCAsmStmt *Assembly : Use.Assembly)
        if (Edits.holds(Assembly->getAsmLoc()) && AssemblySeen.insert(Text.offset(Assembly->getAsmLoc())).second)
          editAssembly(Edits, *Assembly, Renamed);
    llvm::copy_if(LaunchEdits, std::back_inserter(Edits.All), [&](const PlacedEdit &Launch) {
      return Edits.holds(Sources.getComposedLoc(Launch.At.first, Launch.At.second));
    });
    if (Facts.sharesIndices())
      editReaders(Edits, Reach, Facts);
    if (Facts.GridStrideLoop && Renamed.Builtins.empty())
      editGridStrideLoop(Edits, gridStrideLoop(*Reach.Kernel));
    globalQualifiers(Edits);
    qualifyCallees(Edits, Reach, Chosen);
  }

  /// Writes out what the accesses to a variable ask, in any instance of its text: alone, the first of a kind of memory
  /// lies at its beginning. Gives whether each of several in an array has it, too.
  bool align(TextEdits &Edits, const clang::VarDecl &Variable) {
    constexpr unsigned Vectors = 16, LeastOfBulk = 128; // bytes (PTX ISA, cp.async.bulk.tensor)
    const std::uint64_t Bytes = Unit.ast().getTypeSizeInChars(Variable.getType()).getQuantity();
    const unsigned Most = Facts.CopiesInBulk && Variable.hasAttr<clang::CUDASharedAttr>()
                              ? std::clamp<std::uint64_t>(llvm::bit_floor(Bytes), LeastOfBulk, BulkAlignment)
                              : Vectors;
    unsigned Asked = 0;
    for (const clang::VarDecl *Each : Variables)
      if (Ir && Each->getLocation() == Variable.getLocation())
        Asked = std::max(Asked, Ir->alignmentAsked(*Each, Most));
    if (Asked > 0)
      editAlignment(Edits, Variable, Asked);
    return Asked == 0 || Bytes % Asked == 0;
  }

  /// Text of a file that is included inside the declaration, which stays an #include, cannot be changed.
  Edit inPiece(const Item &I, PlacedEdit E) {
    Edit Own{0, E.Length, std::move(E.Text), E.Made, std::move(E.Parameter), E.Control, std::move(E.Cannot)};
    if (E.At.first == I.Text.File && E.At.second >= I.Text.Begin && E.At.second + E.Length <= I.Text.End)
      Own.At = E.At.second - I.Text.Begin;
    else if (!Own.Cannot)
      Own.Cannot = {BlockerKind::UneditableText, Unit.place(Sources.getComposedLoc(E.At.first, E.At.second)),
                    "a file included inside it holds a part"};
    return Own;
  }

  static void remember(std::vector<std::string> &Names, const std::string &Name) {
    if (!llvm::is_contained(Names, Name))
      Names.push_back(Name);
  }

  /// The declaration of the kernel (or of another specialisation of its template) that the unit is.
  const clang::FunctionDecl *kernelIn(const clang::Decl *Whole) {
    auto *Function = llvm::dyn_cast<clang::FunctionDecl>(Whole);
    if (auto *Template = llvm::dyn_cast<clang::FunctionTemplateDecl>(Whole))
      Function = Template->getTemplatedDecl();
    if (!Function || !Function->hasAttr<clang::CUDAGlobalAttr>())
      return nullptr;
    auto Root = [](const clang::FunctionDecl *F) -> const clang::Decl * {
      if (const clang::FunctionTemplateDecl *T = F->getPrimaryTemplate())
        return T->getCanonicalDecl();
      if (const clang::FunctionTemplateDecl *T = F->getDescribedFunctionTemplate())
        return T->getCanonicalDecl();
      return F->getCanonicalDecl();
    };
    return Root(Function) == Root(Reach.Kernel) ? Function : nullptr;
  }

  std::string bodyParameters() const {
    std::vector<std::string> Added;
    if (Facts.reads(Builtin::BlockIdx))
      Added.push_back("const " + toolkitType(*Reach.Kernel, "uint3") + " " + Renamed.nameFor("blockIdx"));
    if (Facts.reads(Builtin::GridDim))
      Added.push_back("const " + toolkitType(*Reach.Kernel, "dim3") + " " + Renamed.nameFor("gridDim"));
    if (!Facts.DynamicShared.empty())
      Added.push_back("const unsigned cufuse_dynamicOffset");
    return llvm::join(Added, ", ");
  }

  /// `extern __shared__ T name[];` at file scope: a macro stands for the partition's part.
  void fileScopeDynamicShared(const clang::VarDecl &Variable) {
    auto Spelled = spellType(Unit.ast(), Unit.ast().getBaseElementType(Variable.getType()), "", Chosen);
    const clang::ArrayType *Array = Unit.ast().getAsArrayType(Variable.getType());
    if (!Spelled || (Array && Unit.ast().getAsArrayType(Array->getElementType())))
      return; // nothing has its name
    Result.Body.push_back({Piece::Kind::Macro,
                           {},
                           outputText("#define {} cufuse_partition::dynamicShared<{}{}>(cufuse_dynamicOffset)",
                                      Renamed.nameFor(Variable), *Spelled, Array ? "[]" : "")});
    remember(Result.BodyMacros, Renamed.nameFor(Variable));
  }

  /// Has a copied function of outer namespaces the parameters of one in those inside?
  bool meet(const std::vector<std::string> &Outer, const std::vector<std::string> &Whole, llvm::StringRef Name) const {
    auto Named = [&](const clang::Decl *D) {
      const clang::FunctionDecl *Function = D->getAsFunction();
      return Function && Function->getNameAsString() == Name ? Function : nullptr;
    };
    auto HaveSame = [&](const clang::FunctionDecl &A, const clang::FunctionDecl &B) {
      return llvm::equal(A.parameters(), B.parameters(), [&](const clang::ParmVarDecl *P, const clang::ParmVarDecl *Q) {
        return Unit.ast().hasSameUnqualifiedType(P->getType(), Q->getType());
      });
    };
    return llvm::any_of(Chosen.Units, [&](const clang::Decl *D) {
      const clang::FunctionDecl *One = Named(D);
      return One && namespacesAround(D->getLexicalDeclContext()) == Outer &&
             llvm::any_of(Chosen.Units, [&](const clang::Decl *Each) {
               const clang::FunctionDecl *Two = Named(Each);
               const auto Inner = namespacesAround(Each->getLexicalDeclContext());
               return Two && Inner.size() > Outer.size() && Inner.size() <= Whole.size() &&
                      std::equal(Inner.begin(), Inner.end(), Whole.begin()) && HaveSame(*One, *Two);
             });
    });
  }

  /// Functions at outer scopes that a unit found through its arguments' types, although a function of the same name at
  /// an inner scope hides them: the types are not where the copies are, so a using-declaration finds them. Not beside
  /// one that has the same parameters, which a namespace in front of the name tells apart.
  void outerFunctions(const clang::Decl *Whole, const std::vector<std::string> &Namespaces) {
    auto Needed = Reach.References.find(Whole);
    if (Needed == Reach.References.end() || Namespaces.empty())
      return;
    for (const clang::Decl *Function : Needed->second) {
      if (!llvm::isa<clang::FunctionDecl, clang::FunctionTemplateDecl>(Function) || !Chosen.Units.contains(Function))
        continue;
      const std::string Name = llvm::cast<clang::NamedDecl>(Function)->getNameAsString();
      const std::vector<std::string> Outer = namespacesAround(Function->getLexicalDeclContext());
      if (Outer.size() >= Namespaces.size() || !std::equal(Outer.begin(), Outer.end(), Namespaces.begin()))
        continue;
      for (const clang::Decl *Other : Chosen.Units) {
        const std::vector<std::string> Inner = namespacesAround(Other->getLexicalDeclContext());
        if (llvm::isa<clang::FunctionDecl, clang::FunctionTemplateDecl>(Other) && Inner.size() > Outer.size() &&
            Inner.size() <= Namespaces.size() && std::equal(Inner.begin(), Inner.end(), Namespaces.begin()) &&
            llvm::cast<clang::NamedDecl>(Other)->getNameAsString() == Name && !meet(Outer, Namespaces, Name) &&
            OuterSeen.insert({Namespaces, Name}).second)
          Result.Body.push_back(
              {Piece::Kind::Using, Namespaces,
               outputText("using {}::{}{};", OutputText(OutputText::Slot::Path), namespacePath(*Function), Name)});
      }
    }
  }

  /// `::name` of a copied declaration means the copy, and that of a barrier of the block the partition's. What
  /// built-ins are is a macro.
  void globalQualifiers(TextEdits &Edits) {
    std::set<std::string> Roots;
    for (const clang::Decl *Whole : Chosen.Units) {
      auto *Named = llvm::dyn_cast<clang::NamedDecl>(Whole);
      if (!Named || HostShared.count(Whole->getCanonicalDecl()))
        continue;
      const std::string Name = namespacePath(*Named) + Named->getNameAsString();
      Roots.insert(Name.substr(0, Name.find("::")));
    }
    for (const BarrierFacts &Barrier : Facts.Barriers)
      Roots.insert(Barrier.Call);
    for (clang::SourceLocation Qualifier : Reach.GlobalQualifiers) {
      const auto At = Text.offset(Qualifier);
      if (!Edits.holds(Qualifier) || llvm::any_of(Edits.All, [&](const PlacedEdit &E) { return E.At == At; }))
        continue;
      const std::vector<TextToken> Tokens = Text.tokensIn(Text.behind(At));
      if (Qualifier.isMacroID() || Tokens.size() < 2 || !Tokens[0].is("::"))
        continue;
      if (llvm::is_contained(BuiltinNames, Tokens[1].Text))
        Edits.All.push_back({At, 2, At.second > 0 && llvm::isAlpha(Text.buffer(At.first)[At.second - 1]) ? " " : ""});
      else if ((Roots.count(Tokens[1].Text.str()) ||
                (Tokens[1].is("operator") &&
                 llvm::any_of(Roots, [](llvm::StringRef Root) { return Root.starts_with("operator"); })))) {
        Edits.All.push_back({At, 2, "::" + OutputText(OutputText::Slot::Path) + "::"});
      }
    }
  }

  const ParsedUnit &Unit;
  const HostCode &Host;
  const Reached &Reach;
  const DeviceIr *Ir; ///< Null where it is not known.
  const KernelFacts &Facts;
  const clang::SourceManager &Sources;
  SourceText Text;
  SelectCopied Chosen;
  const ControlStatements Controls;
  KernelText Result;
  std::set<const clang::Decl *> HostShared; ///< Canonical.
  std::vector<Item> Items;
  std::set<std::string> BodyNames; ///< Identifiers of the pieces.
  AskedMacros Asked;
  std::set<TextPlace> VariablesSeen, AssemblySeen;
  std::vector<const clang::VarDecl *> Variables; ///< Of functions, and those of the text's own.
  std::vector<PlacedEdit> LaunchEdits;
  LinkedPointers Linked;
  RenamedVariables Renamed;
  std::set<std::pair<std::vector<std::string>, std::string>> OuterSeen;
};

} // namespace

KernelText takeText(const ParsedUnit &Unit, const HostCode &Host, const Reached &Reach, const DeviceIr *Ir,
                    const KernelFacts &Facts) {
  return Builder(Unit, Host, Reach, Ir, Facts).run();
}

} // namespace cufuse
