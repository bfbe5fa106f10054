#include "TextParts.h"

#include "cufuse/Reach/CopiedFiles.h"
#include "cufuse/Support/FileStore.h"

#include <clang/AST/Attr.h>
#include <clang/Lex/Preprocessor.h>
#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/Path.h>

#include <iterator>
#include <tuple>
#include <utility>

namespace cufuse {

namespace {

class Collection {
public:
  Collection(const Reached &Reach, const SelectCopied &Chosen, SourceText &Text)
      : Unit(Text.unit()), Reach(Reach), Chosen(Chosen), Text(Text), Sources(Unit.ast().getSourceManager()) {}

  std::vector<IncludeLine> run(const std::set<std::string> &Names,
                               llvm::function_ref<bool(clang::SourceLocation)> IsCopied) {
    std::vector<IncludeLine> Lines;
    for (const IncludeEvent &Include : Unit.log().Includes) {
      if (!Include.File || !isAbsorbed(Include.Hash) || IsCopied(Include.Hash) || isReadAnyway(Include))
        continue;
      const clang::FileID Included = Sources.translateFile(*Include.File);
      if (Chosen.Absorbed.count(Included) || Chosen.InsideDeclarations.count(Include.Hash.getRawEncoding()))
        continue;
      Lines.push_back(lineOf(Include, [this](const ConfigurationUse &Use) {
        return isAbsorbed(Use.Info->getDefinitionLoc()) && !isAbsorbed(Use.Use);
      }));
      Lines.back().IsUnneeded = true;
    }
    for (clang::SourceLocation Place : parameterTypes())
      for (IncludeLine *Line : providersOf(Sources.getFileID(Sources.getExpansionLoc(Place)), Lines))
        Line->ForArguments = true, Line->IsUnneeded = false;
    need(Names, Lines);
    reliedOn(Lines);
    return Lines;
  }

  std::vector<IncludeLine> libraries() {
    std::vector<clang::SourceLocation> Places;
    for (const auto &[Function, Use] : Reach.Functions)
      if (Use.System && SelectCopied::usesBlock(Use))
        Places.push_back(Function->getLocation());
    const std::set<unsigned> Found = includesOf(
        Places, [this](clang::FileID File) { return !Sources.isInSystemHeader(Sources.getLocForStartOfFile(File)); });
    std::vector<IncludeLine> Lines;
    for (const IncludeEvent &Include : Unit.log().Includes)
      if (Include.File && !Unit.inCompatHeader(Include.Hash) && Found.count(Include.Hash.getRawEncoding()))
        Lines.push_back(lineOf(Include, [this](const ConfigurationUse &Use) {
          return Sources.isInSystemHeader(Use.Use) && !Unit.inCompatHeader(Use.Info->getDefinitionLoc());
        }));
    return Lines;
  }

private:
  /// The lines through which a file is read, of which one is enough; all of the standard library's where it is not seen
  /// through which, since Clang's CUDA wrapper has read some of its headers before the file. None for what nvcc reads
  /// before every file.
  std::vector<IncludeLine *> providersOf(clang::FileID Id, llvm::MutableArrayRef<IncludeLine> Lines) {
    const clang::FileEntry *File = Id.isValid() ? Sources.getFileEntryForID(Id) : nullptr;
    const clang::SourceLocation Begin = Id.isValid() ? Sources.getLocForStartOfFile(Id) : clang::SourceLocation();
    if (!File || isAbsorbed(Begin))
      return {};
    IncludeLine *Best = nullptr;
    for (IncludeLine &Line : Lines) {
      if (fileOf(Line) == File)
        return {&Line};
      if (readWith(Line).count(File) && (!Best || std::tuple(Line.IsUnneeded, readWith(Line).size()) <
                                                      std::tuple(Best->IsUnneeded, readWith(*Best).size())))
        Best = &Line;
    }
    if (Unit.inToolkit(Begin) && !isOfLanguage(Begin) &&
        includesOf(Begin, [this](clang::FileID Each) { return Chosen.Absorbed.count(Each); }).empty())
      return {};
    if (Best)
      return {Best};
    std::vector<IncludeLine *> All;
    if (isOfLanguage(Begin))
      for (IncludeLine &Line : Lines)
        if (readsStandard(Line))
          All.push_back(&Line);
    return All;
  }
  /// Of the standard library, or what Clang brings in the place of its limits of numbers, which nvcc reads before no
  /// file.
  bool isOfLanguage(clang::SourceLocation At) const {
    const llvm::StringRef File = Sources.getFilename(At);
    return standard(At) || (Unit.inToolkit(At) && (File.ends_with("limits.h") || File.ends_with("float.h")));
  }
  bool readsStandard(const IncludeLine &Line) {
    return llvm::any_of(readWith(Line), [this](const clang::FileEntry *File) {
      const clang::FileID Id = Sources.translateFile(File);
      return Id.isValid() && standard(Sources.getLocForStartOfFile(Id));
    });
  }

  /// Of what the kernel reaches, of the macros that its text names, and of what headers that are needed name in turn.
  /// What this misses, such as a macro of a library in such a header, the output's check finds.
  void need(const std::set<std::string> &Names, llvm::MutableArrayRef<IncludeLine> Lines) {
    auto Need = [&](clang::FileID File, size_t Before) {
      bool IsNew = false;
      for (IncludeLine *Line : providersOf(File, Lines.take_front(Before)))
        IsNew |= std::exchange(Line->IsUnneeded, false);
      return IsNew;
    };
    std::set<clang::FileID> Asked;
    auto NeedAt = [&](clang::SourceLocation Place) {
      const clang::FileID File = Place.isValid() ? Sources.getFileID(Sources.getExpansionLoc(Place)) : clang::FileID();
      if (File.isValid() && Asked.insert(File).second)
        Need(File, Lines.size());
    };
    for (const auto &[Function, Use] : Reach.Functions)
      NeedAt(Function->getLocation());
    for (const clang::Decl *D : Reach.Units)
      NeedAt(D->getLocation());
    for (const clang::NamedDecl *D : Reach.External)
      NeedAt(D->getLocation());
    for (const clang::VarDecl *V : Reach.Globals)
      NeedAt(V->getLocation());
    clang::Preprocessor &Preprocessor = Unit.preprocessor();
    for (const std::string &Name : Names)
      if (const clang::MacroInfo *Info = Preprocessor.getMacroInfo(Preprocessor.getIdentifierInfo(Name)))
        NeedAt(Info->getDefinitionLoc());
    std::set<const clang::FileEntry *> Done;
    for (size_t I = 0; I < Lines.size();) {
      const IncludeLine &Line = Lines[I];
      std::set<const clang::FileEntry *> New;
      if (!Line.IsUnneeded && !llvm::StringRef(Line.Text).ends_with(">"))
        llvm::copy_if(readWith(Line), std::inserter(New, New.end()),
                      [&](const clang::FileEntry *File) { return Done.insert(File).second; });
      bool IsMore = false;
      for (clang::FileID File : namedBy(New))
        IsMore |= Need(File, I + 1);
      for (const ConfigurationUse &Use : Unit.log().Configuration)
        if (New.count(Sources.getFileEntryForID(Sources.getFileID(Use.Use))))
          IsMore |= Need(Sources.getFileID(Use.Info->getDefinitionLoc()), I + 1);
      I = IsMore ? 0 : I + 1;
    }
  }

  /// A header of the project may rely on any header before it. Those of the toolkit are for nvcc alone where it does
  /// not name what they declare: other compilers cannot read them all.
  void reliedOn(std::vector<IncludeLine> &Lines) {
    std::set<const clang::FileEntry *> OfProject;
    std::vector<IncludeLine *> Before;
    for (IncludeLine &Line : llvm::reverse(Lines)) {
      if (!Line.ForArguments && !OfProject.empty()) {
        Line.ForArguments = true;
        Line.ForNvcc = isOfToolkit(Line);
      }
      if (Line.ForArguments && !llvm::StringRef(Line.Text).ends_with(">"))
        OfProject.insert(readWith(Line).begin(), readWith(Line).end());
      Before.insert(Before.begin(), &Line);
    }
    for (clang::FileID Id : namedBy(OfProject)) {
      const clang::FileEntry *File = Sources.getFileEntryForID(Id);
      auto Found = llvm::find_if(Before, [&](const IncludeLine *Line) { return fileOf(*Line) == File; });
      if (Found == Before.end())
        Found = llvm::find_if(Before, [&](const IncludeLine *Line) { return readWith(*Line).count(File) > 0; });
      if (Found != Before.end())
        (*Found)->ForNvcc = false;
    }
  }

  /// The files of what declarations in these name.
  std::set<clang::FileID> namedBy(const std::set<const clang::FileEntry *> &Files) const {
    std::set<clang::FileID> Named;
    if (!Files.empty())
      eachTopLevel(Unit, [&](const clang::Decl *D) {
        if (!llvm::isa<clang::NamespaceDecl, clang::LinkageSpecDecl>(D) &&
            Files.count(Sources.getFileEntryForID(cufuse::fileOf(D))))
          namesAny(*D, [&](const clang::Decl *Each) {
            // Libraries may declare the class again.
            const auto *Tag = llvm::dyn_cast<clang::TagDecl>(Each);
            const clang::Decl *Definition = Tag ? Tag->getDefinition() : nullptr;
            return Named.insert(cufuse::fileOf(Definition ? Definition : Each->getCanonicalDecl())), false;
          });
      });
    return Named;
  }

  const clang::FileEntry *fileOf(const IncludeLine &Line) const {
    const auto File = Sources.getFileManager().getOptionalFileRef(Line.Path);
    return File ? &File->getFileEntry() : nullptr;
  }
  bool isOfToolkit(const IncludeLine &Line) const {
    const auto File = Sources.getFileManager().getOptionalFileRef(Line.Path);
    const clang::FileID Id = File ? Sources.translateFile(*File) : clang::FileID();
    return Id.isValid() && Unit.inToolkit(Sources.getLocForStartOfFile(Id));
  }

  /// A file and all that are read where it is, whatever includes them first.
  const std::set<const clang::FileEntry *> &readWith(const clang::FileEntry *File) {
    auto [Known, New] = Behind.try_emplace(File);
    if (New)
      for (std::vector<const clang::FileEntry *> Left = {File}; !Left.empty();) {
        const clang::FileEntry *Each = Left.back();
        Left.pop_back();
        if (!Known->second.insert(Each).second)
          continue;
        if (auto Included = Unit.log().IncludedBy.find(Each); Included != Unit.log().IncludedBy.end())
          Left.insert(Left.end(), Included->second.begin(), Included->second.end());
      }
    return Known->second;
  }
  const std::set<const clang::FileEntry *> &readWith(const IncludeLine &Line) { return readWith(fileOf(Line)); }

  /// How the pragmas before it in its file pack what it includes; 0 for not at all.
  unsigned packingAt(clang::SourceLocation Hash) const {
    const auto [File, End] = Text.offset(Hash);
    std::vector<unsigned> Packing = {0};
    const std::vector<TextToken> Tokens = Text.tokensIn({File, 0, End});
    auto Is = [&](size_t I, llvm::StringRef Spelling) { return I < Tokens.size() && Tokens[I].is(Spelling); };
    for (size_t I = 0; I < Tokens.size(); ++I) {
      if (!Is(I, "#") || !Is(I + 1, "pragma") || !Is(I + 2, "pack") || !Is(I + 3, "(") ||
          llvm::any_of(Unit.log().Skipped, [&, File = File](clang::SourceRange Skipped) {
            return TextPlace(File, Tokens[I].Offset) > Text.offset(Skipped.getBegin()) &&
                   TextPlace(File, Tokens[I].Offset) < Text.offset(Skipped.getEnd());
          }))
        continue;
      size_t At = I + 4;
      if (Is(At, "pop") && Packing.size() > 1)
        Packing.pop_back();
      if (Is(At, "push")) {
        Packing.push_back(Packing.back());
        At += Is(At + 1, ",") ? 2 : 1;
      }
      if (unsigned Bytes = 0; At < Tokens.size() && !Tokens[At].Text.getAsInteger(10, Bytes))
        Packing.back() = Bytes;
      else if (At == I + 4 && Is(At, ")"))
        Packing.back() = 0;
    }
    return Packing.back();
  }

  /// With the macros that stand before it and have a use that counts.
  IncludeLine lineOf(const IncludeEvent &Include, llvm::function_ref<bool(const ConfigurationUse &)> Counts) {
    IncludeLine Line;
    Line.Path = Include.File->getName().str();
    Line.Where = Unit.place(Include.Hash);
    Line.InLinkage = Chosen.InsideLinkage.count(Include.Hash.getRawEncoding()) != 0;
    Line.Text =
        fmt::format("#include {}{}{}", Include.Angled ? '<' : '"', spelled(Include), Include.Angled ? '>' : '"');
    Line.Packing = Include.System ? 0 : packingAt(Include.Hash); // libraries are shared with other files
    const std::set<const clang::FileEntry *> &Read = readWith(&Include.File->getFileEntry());
    for (const std::string &Path : Unit.dependencies())
      if (const auto File = Sources.getFileManager().getOptionalFileRef(Path);
          File && Read.count(&File->getFileEntry()))
        Line.Reads.push_back(Path);
    for (const ConfigurationUse &Use : Unit.log().Configuration) {
      if (!Counts(Use) || !Read.count(Sources.getFileEntryForID(Sources.getFileID(Use.Use))))
        continue;
      // What the macro is at the #include, after all that was done to it before.
      const MacroEvent *Last = nullptr;
      for (const MacroEvent &Event : Unit.log().Macros)
        if (Event.Name == Use.Macro && Sources.isBeforeInTranslationUnit(Event.Where, Include.Hash))
          Last = &Event;
      if (!Last || !Last->Info || !Counts({Use.Macro, Last->Info, Use.Use}))
        continue;
      MacroLine Define{Use.Macro, directiveOf(Text, *Last)};
      if (!llvm::is_contained(Line.Defines, Define))
        Line.Defines.push_back(std::move(Define));
    }
    return Line;
  }

  /// Named by a flag, with which the output is compiled, too, and not to be read twice.
  bool isReadAnyway(const IncludeEvent &Include) const {
    return Sources.isWrittenInCommandLineFile(Include.Hash) &&
           !Unit.preprocessor().getHeaderSearchInfo().isFileMultipleIncludeGuarded(*Include.File);
  }

  bool isAbsorbed(clang::SourceLocation At) const { return Chosen.Absorbed.count(Text.offset(At).first); }
  bool standard(clang::SourceLocation At) const { return Unit.inStandardLibrary(At); }
  /// Includes of files for which `Ends` holds, by raw location of the `#`, through which these places were first read.
  std::set<unsigned> includesOf(llvm::ArrayRef<clang::SourceLocation> Places,
                                llvm::function_ref<bool(clang::FileID)> Ends) const {
    std::set<unsigned> Found;
    for (clang::SourceLocation Place : Places) {
      clang::FileID File = Place.isValid() ? Sources.getFileID(Sources.getExpansionLoc(Place)) : clang::FileID();
      while (File.isValid() && !Ends(File)) {
        const clang::SourceLocation Includer = Unit.includeOf(File);
        File = Includer.isValid() ? Sources.getFileID(Includer) : clang::FileID();
        if (File.isValid() && Ends(File))
          for (const IncludeEvent &Include : Unit.log().Includes)
            if (Sources.getFileID(Include.Hash) == File &&
                Sources.getSpellingLineNumber(Include.Hash) == Sources.getSpellingLineNumber(Includer))
              Found.insert(Include.Hash.getRawEncoding());
      }
    }
    return Found;
  }

  /// Where the types of the parameters are declared, with sugar and the types in their template arguments.
  std::vector<clang::SourceLocation> parameterTypes() const {
    std::vector<clang::SourceLocation> Places;
    llvm::SmallVector<clang::QualType> Left;
    std::set<const clang::RecordDecl *> Known;
    for (const clang::ParmVarDecl *Parameter : Reach.Kernel->parameters())
      Left.push_back(Parameter->getType());
    while (!Left.empty()) {
      clang::QualType T = Left.pop_back_val();
      for (const clang::Type *Last = nullptr; T.getTypePtr() != Last;) {
        Last = T.getTypePtr();
        if (auto *Typedef = llvm::dyn_cast<clang::TypedefType>(Last))
          Places.push_back(Typedef->getDecl()->getLocation());
        if (T.getSingleStepDesugaredType(Unit.ast()).getTypePtr() != Last)
          T = T.getSingleStepDesugaredType(Unit.ast());
        else if (const clang::ArrayType *Array = Unit.ast().getAsArrayType(T))
          T = Array->getElementType();
        else if (!T->getPointeeType().isNull()) {
          if (auto *Member = T->getAs<clang::MemberPointerType>())
            Left.push_back(Unit.ast().getCanonicalTagType(Member->getMostRecentCXXRecordDecl()));
          T = T->getPointeeType();
        } else if (auto *Function = llvm::dyn_cast<clang::FunctionProtoType>(T)) {
          Left.append(Function->param_type_begin(), Function->param_type_end());
          T = Function->getReturnType();
        }
      }
      const clang::TagDecl *Tag = T->getAsTagDecl();
      if (!Tag)
        continue;
      Places.push_back(Tag->getLocation());
      // The header has a copied class by its members.
      if (auto *Record = llvm::dyn_cast_or_null<clang::RecordDecl>(Tag->getDefinition());
          Record && Chosen.copies(Tag) && !Record->isDependentType() && Known.insert(Record).second)
        for (const clang::FieldDecl *Field : Record->fields())
          Left.push_back(Field->getType());
      if (auto *Instance = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(Tag))
        for (const clang::TemplateArgument &Argument : Instance->getTemplateArgs().asArray())
          for (const clang::TemplateArgument &Each : Argument.getKind() == clang::TemplateArgument::Pack
                                                         ? Argument.pack_elements()
                                                         : llvm::ArrayRef(Argument))
            if (Each.getKind() == clang::TemplateArgument::Type)
              Left.push_back(Each.getAsType());
    }
    return Places;
  }

  /// A file found beside the file that includes it is named from the main file's folder, which the output's build
  /// knows.
  std::string spelled(const IncludeEvent &Include) const {
    if (Include.Angled || Include.SearchPath.empty())
      return Include.Spelled;
    const llvm::StringRef MainFolder = llvm::sys::path::parent_path(Unit.request().File);
    const llvm::StringRef Includer =
        llvm::sys::path::parent_path(Sources.getFileEntryRefForID(Text.offset(Include.Hash).first)->getName());
    if (Include.SearchPath != Includer || Includer == MainFolder)
      return Include.Spelled;
    const std::string Whole = within(Includer, Include.Spelled);
    llvm::StringRef Relative = Whole;
    if (!MainFolder.empty() && Relative.consume_front(MainFolder))
      Relative = Relative.ltrim('/');
    return Relative.str();
  }

  const ParsedUnit &Unit;
  const Reached &Reach;
  const SelectCopied &Chosen;
  SourceText &Text;
  const clang::SourceManager &Sources;
  std::map<const clang::FileEntry *, std::set<const clang::FileEntry *>> Behind;
};

} // namespace

std::string directiveOf(SourceText &Text, const MacroEvent &Event) {
  if (!Event.Info)
    return "#undef " + Event.Name;
  const auto [File, Begin] = Text.offset(Event.Info->getDefinitionLoc());
  return "#define " + Text.buffer(File).slice(Begin, Text.end(Event.Info->getDefinitionEndLoc()).second).str();
}

std::vector<IncludeLine> collectIncludes(const Reached &Reach, const SelectCopied &Chosen, SourceText &Text,
                                         const std::set<std::string> &Names,
                                         llvm::function_ref<bool(clang::SourceLocation)> IsCopied) {
  return Collection(Reach, Chosen, Text).run(Names, IsCopied);
}

std::vector<IncludeLine> includesInside(const SelectCopied &Chosen, TextEdits &Edits) {
  SourceText &Text = Edits.Text;
  std::vector<IncludeLine> Lines;
  for (const IncludeEvent &Include : Text.unit().log().Includes) {
    if (!Include.File || Include.Angled || !Chosen.InsideDeclarations.count(Include.Hash.getRawEncoding()) ||
        !Edits.holds(Include.Hash))
      continue;
    const std::string Plain = fmt::format("#include \"{}\"", Include.Spelled);
    Lines.push_back({Plain, Include.File->getName().str(), Text.unit().place(Include.Hash)});
    const TextPlace At = Text.offset(Include.Hash);
    const std::vector<TextToken> Tokens = Text.tokensIn(Text.behind(At));
    size_t Last = 0;
    while (Last + 1 < Tokens.size() && !Tokens[Last + 1].StartsLine)
      ++Last;
    const unsigned End = Tokens[Last].end();
    if (Tokens.size() > 1 && !Tokens[1].is("include"))
      Edits.refuse(BlockerKind::UneditableText, Include.Hash, "no plain #include names its file");
    else if (Text.buffer(At.first).slice(At.second, End) != Plain)
      Edits.All.push_back({At, End - At.second, Plain});
  }
  return Lines;
}

std::vector<IncludeLine> collectLibraries(const Reached &Reach, const SelectCopied &Chosen, SourceText &Text) {
  return Collection(Reach, Chosen, Text).libraries();
}

std::vector<std::string> headersBeforeLibraries(const ParsedUnit &Unit) {
  // The only one of CUDA 13 fills a cudaLaunchConfig_t; it relies on what the other one includes before it.
  constexpr llvm::StringLiteral Launch = "thrust/system/cuda/detail/core/triple_chevron_launch.h";
  for (const auto &[Includer, Files] : Unit.log().IncludedBy)
    for (const clang::FileEntry *File : Files)
      if (File->tryGetRealPathName().ends_with(Launch))
        return {"#include <cub/util_device.cuh>"};
  return {};
}

static bool definesConstants(const clang::DeclContext &Context, const SelectCopied &Chosen) {
  return llvm::any_of(Context.noload_decls(), [&](const clang::Decl *D) {
    if (llvm::isa<clang::NamespaceDecl, clang::LinkageSpecDecl>(D))
      return definesConstants(*llvm::cast<clang::DeclContext>(D), Chosen);
    auto *Variable = llvm::dyn_cast<clang::VarDecl>(D);
    return Variable && Variable->hasAttr<clang::CUDAConstantAttr>() &&
           Variable->isThisDeclarationADefinition() == clang::VarDecl::Definition && inUsersFile(Variable) &&
           !Chosen.Absorbed.count(fileOf(Variable));
  });
}

bool includesConstants(const ParsedUnit &Unit, const SelectCopied &Chosen) {
  return definesConstants(*Unit.ast().getTranslationUnitDecl(), Chosen);
}

} // namespace cufuse
