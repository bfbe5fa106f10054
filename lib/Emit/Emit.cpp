#include "cufuse/Emit/Emit.h"

#include "EmitKernel.h"
#include "EmitLauncher.h"
#include "EmitPrelude.h"
#include "EmittedCuda.h"
#include "Writer.h"
#include "cufuse/Frontend/ForeignMacros.h"
#include "cufuse/Plan/ExpectPtx.h"

#include <fmt/core.h>
#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/SmallVectorExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/xxhash.h>

#include <map>
#include <set>

namespace cufuse {

namespace {

constexpr llvm::StringLiteral HeaderBegin = "// How to launch ", MadeBy = "// Made by: ", AsWritten = "// As written: ";
/// Stands where a hash of the text will, which has as many digits.
constexpr llvm::StringLiteral Unhashed = "cufusehashofthis";

/// Of all but blanks: an editor's or a repository's way to end lines is no change.
std::string hashOf(llvm::StringRef Text) {
  std::string Said;
  llvm::copy_if(Text, std::back_inserter(Said), [](char C) { return !llvm::isSpace(C); });
  return fmt::format("{:016x}", llvm::xxh3_64bits(llvm::arrayRefFromStringRef(Said)));
}

/// Identifiers and numbers, once each.
std::set<llvm::StringRef> wordsOf(llvm::StringRef Text) {
  auto IsPart = [](char C) { return llvm::isAlnum(C) || C == '_'; };
  std::set<llvm::StringRef> Words;
  while (!(Text = Text.drop_until(IsPart)).empty()) {
    Words.insert(Text.take_while(IsPart));
    Text = Text.drop_while(IsPart);
  }
  return Words;
}

std::string replaced(llvm::StringRef Text, llvm::StringRef What, llvm::StringRef By) {
  return llvm::join(llvm::split(Text, What), By);
}

class Emitter {
public:
  Emitter(llvm::ArrayRef<Constituent> Constituents, const FusionPlan &Plan, const EmitOptions &Options)
      : Constituents(Constituents), Plan(Plan), Options(Options), Out(Options.SourceFile, Options.LineDirectives) {}

  FusedSource run() {
    const auto Facts = llvm::map_to_vector(Constituents, [](const Constituent &C) { return C.Facts; });
    Writer Kernels("", false);
    kernels(Kernels);
    const std::vector<Given> Needs = needsOf(Constituents, Plan, Kernels);
    Out.write(constant(expectationLine(expectPtx(Facts, Plan, Options.Name))));
    heading(Out);
    Out.write(constant(banner()));
    architectureGuard();
    // Before any macro of a user's header.
    constexpr const char *GridBarrier = "#include <cooperative_groups.h>";
    if (Plan.Cooperative && !rebindsLibraries(Constituents, Plan))
      Out.write(GridBarrier);
    if (rebindsLibraries(Constituents, Plan)) {
      Out.write("#include <cuda_runtime.h>");
      std::set<std::string> Before;
      for (const Constituent &C : Constituents)
        Before.insert(C.Text->BeforeLibraries.begin(), C.Text->BeforeLibraries.end());
      for (const std::string &Line : Before)
        Out.write(Line);
      Out.blank();
      ours(Out, [&](Writer &Own) { emitPrelude(Own, Constituents, Plan, Options.Name, Needs); });
      defineForLibraries(Out, Constituents, Options.Name, true);
      includeLines(Out, Constituents, &KernelText::Libraries, false, Included);
      if (Plan.Cooperative)
        Out.write(GridBarrier);
      defineForLibraries(Out, Constituents, Options.Name, false);
      includes();
    } else {
      includes();
      ours(Out, [&](Writer &Own) { emitPrelude(Own, Constituents, Plan, Options.Name, Needs); });
    }
    if (llvm::any_of(Constituents, [&](const Constituent &C) { return !expectedMacros(C).empty(); }))
      ours(Out, [&](Writer &Own) { comparison(Own); });
    for (const PartitionPlan &Partition : Plan.Partitions)
      body(Partition);
    ours(Out, [&](Writer &Own) {
      Own.line("namespace {} {{", Options.Name);
      Own.blank();
      Own.write(Kernels);
      if (!Options.KernelOnly)
        ownSpace(Own, [&] { emitLauncher(Own, Constituents, Plan, Options.Name, Needs); });
      Own.blank();
      Own.line("}} // namespace {}", Options.Name);
    });
    FusedSource Fused{Out.text(), header(), Out.structure()};
    if (!Options.KernelOnly) {
      const std::string OfSource = hashOf(Fused.Source), Space = OwnSpace.str();
      Fused.Source = replaced(Fused.Source, Unhashed, OfSource);
      Fused.Header = replaced(Fused.Header, Space + Unhashed.str(), Space + OfSource);
      Fused.Header = replaced(Fused.Header, Unhashed, hashOf(Fused.Header));
    }
    return Fused;
  }

private:
  /// What a program links and two outputs of one name may both have: `NAME::launch` is this output's all the same.
  static constexpr llvm::StringLiteral OwnSpace = "cufuse_";

  void ownSpace(Writer &To, llvm::function_ref<void()> Emit) const {
    To.line("inline namespace {}{} {{", OwnSpace.str(), constant(Unhashed.str()));
    To.blank();
    Emit();
    To.line("}} // namespace {}{}", OwnSpace.str(), constant(Unhashed.str()));
  }

  void heading(Writer &To) const {
    if (!Options.KernelOnly)
      To.line("{}{}; one that is edited is not replaced", AsWritten.str(), constant(Unhashed.str()));
  }

  /// Macros from outside whose meaning decides what the text is, and that no other kernel's headers change.
  std::vector<MacroText> expectedMacros(const Constituent &C) const {
    std::vector<MacroText> Expected;
    if (Options.KernelOnly) // it is compiled as it was read
      return Expected;
    for (const auto &Macro : C.Text->OutsideMacros) {
      const MacroText &Said = Macro.second;
      auto IsAnothers = [&](llvm::StringRef Word) {
        return !C.Text->OutsideMacros.contains(Word) && isMacroOutside(Word);
      };
      if (!Said.Call.empty() && !llvm::is_contained(C.Text->BodyMacros, Macro.first()) &&
          llvm::none_of(wordsOf(Said.Text), IsAnothers))
        Expected.push_back(Said);
    }
    llvm::sort(Expected, [](const MacroText &A, const MacroText &B) { return A.Call < B.Call; });
    return Expected;
  }

  void comparison(Writer &To) const {
    To.line("namespace {} {{", Options.Name);
    To.write("/// Are they the same but for blanks?\n"
             "constexpr bool cufuseSame(const char *a, const char *b) {\n"
             "  return *a == ' ' ? cufuseSame(a + 1, b)\n"
             "       : *b == ' ' ? cufuseSame(a, b + 1)\n"
             "                   : *a == *b && (*a == 0 || cufuseSame(a + 1, b + 1));\n"
             "}");
    To.line("}} // namespace {}", Options.Name);
    To.blank();
  }

  /// Where a macro says something else, the text is another kernel than was fused.
  void compareMacros(const Constituent &C) {
    std::vector<MacroText> New;
    for (const MacroText &Each : expectedMacros(C))
      if (Compared.insert({Each.Call, Each.Text}).second)
        New.push_back(Each);
    if (New.empty())
      return;
    Out.write("#define CUFUSE_TEXT(...) #__VA_ARGS__\n#define CUFUSE_EXPANDED(...) CUFUSE_TEXT(__VA_ARGS__)");
    for (const MacroText &Each : New) {
      std::string Text;
      for (char Char : Each.Text)
        Text += (Char == '"' || Char == '\\' ? "\\" : "") + std::string(1, Char);
      Out.line("static_assert({}::cufuseSame(CUFUSE_EXPANDED({}), \"{}\"), \"fused with other flags or headers\");",
               Options.Name, Each.Call, Text);
    }
    Out.write("#undef CUFUSE_TEXT\n#undef CUFUSE_EXPANDED");
  }

  void kernels(Writer &To) const {
    if (llvm::any_of(Constituents, [](const Constituent &C) { return C.Text->HasConstants; }))
      To.write(emitted(cuda::PaddedConstants) + "\n");
    if (!Plan.hasBound() || !Options.KernelOnly)
      emitKernel(To, Constituents, Plan, Options.Name, /*Bound=*/false);
    if (Plan.hasBound())
      emitKernel(To, Constituents, Plan, Options.Name, /*Bound=*/true);
  }

  /// Text of ours means what it says, whatever macros the headers of the users define.
  void ours(Writer &To, llvm::function_ref<void(Writer &)> Emit) const {
    Writer Own(Options.SourceFile, false);
    Emit(Own);
    std::set<std::string> Hidden;
    for (const llvm::StringRef Word : wordsOf(Own.text()))
      // Those are the toolkit's and the compiler's; two are macros inside Clang's own header.
      if (!Word.starts_with("__") && !Word.starts_with("cuda") && Word != "dim3" && Word != "uint3" &&
          isMacroOutside(Word))
        Hidden.insert(Word.str());
    for (const std::string &Name : Hidden)
      To.line("#pragma push_macro(\"{0}\")\n#undef {0}", Name);
    To.write(Own);
    for (const std::string &Name : Hidden)
      To.line("#pragma pop_macro(\"{}\")", Name);
  }

  /// Another architecture's text was not analysed.
  void architectureGuard() {
    std::set<unsigned> Allowed;
    bool Asks = false;
    for (const Constituent &C : Constituents)
      if (!C.Text->Architectures.empty()) {
        if (Asks)
          std::erase_if(Allowed, [&](unsigned Each) { return !C.Text->Architectures.contains(Each); });
        else
          Allowed = C.Text->Architectures;
        Asks = true;
      }
    if (!Asks)
      return;
    std::string Condition = "defined(__CUDA_ARCH__)", Names;
    for (unsigned Each : Allowed) {
      Condition += fmt::format(" && __CUDA_ARCH__ != {}", Each);
      Names += fmt::format("{}sm_{}", Names.empty() ? "" : " and ", Each / 10);
    }
    Out.line("#if {}\n#error \"the kernels ask for the architecture, and were fused for {}: fuse them with --arch for "
             "another\"\n#endif",
             Condition, Names);
  }

  std::string banner() const {
    constexpr std::array Heads = {"Kernels side by side in one launch", "Kernels in blocks of one launch",
                                  "Kernels one after the other in one launch"};
    std::string Text = fmt::format("// {}, fused by cufuse. Made by:\n//   {}\n//\n",
                                   Constituents.front().Text->IsComposed ? "Dependent kernels as one in one launch"
                                                                         : Heads[static_cast<size_t>(Plan.Shape)],
                                   inComment(Options.Command));
    for (const PartitionPlan &P : Plan.Partitions) {
      const Constituent &C = Constituents[P.Constituent];
      Text += fmt::format("// threads {:>4} to {:>4}{}: {}, block {}", P.First, P.First + P.PaddedThreads - 1,
                          Plan.Shape == Geometry::Blocks ? " of its blocks" : "", inComment(C.Facts->QualifiedName),
                          P.Block.str());
      if (const unsigned Turns = Plan.Roles[P.Constituent].Turns; Turns > 1)
        Text += fmt::format(", {} times", Turns);
      if (P.Barrier)
        Text += fmt::format(", barrier {}", P.Barrier);
      else if (P.NamedBarriers == MaxNamedBarriers)
        Text += ", all barriers";
      Text += '\n';
    }
    Text.pop_back();
    return Text;
  }

  /// With what stands around it.
  static std::string written(const IncludeLine &Include) {
    std::string Text = Include.Text;
    if (Include.InLinkage)
      Text = "extern \"C\" {\n" + Text + "\n}";
    if (Include.Packing)
      Text = fmt::format("#pragma pack(push, {})\n{}\n#pragma pack(pop)", Include.Packing, Text);
    const char *Condition = Include.ForDevice ? "__CUDA_ARCH__" : Include.ForNvcc ? "__CUDACC__" : nullptr;
    return Condition ? fmt::format("#ifdef {}\n{}\n#endif", Condition, Text) : Text;
  }

  /// Includes of all constituents, in order, but those already seen.
  static void includeLines(Writer &To, llvm::ArrayRef<Constituent> Constituents,
                           std::vector<IncludeLine> KernelText::*List, bool ForArgumentsOnly,
                           std::set<std::string> &Seen) {
    // Each finds the macros of its kernel's file as they were there, and those of no other file.
    std::map<llvm::StringRef, const MacroLine *> Defined;
    auto Undefine = [&](llvm::ArrayRef<MacroLine> But) {
      for (auto Each = Defined.begin(); Each != Defined.end();)
        if (llvm::is_contained(But, *Each->second)) {
          ++Each;
        } else {
          To.line("{}", Each->second->OfCommand || ForArgumentsOnly
                            ? fmt::format("#pragma pop_macro(\"{}\")", Each->first.str())
                            : "#undef " + Each->first.str());
          Each = Defined.erase(Each);
        }
    };
    for (const Constituent &C : Constituents)
      for (const IncludeLine &Include : C.Text->*List) {
        const std::string Line = written(Include);
        if ((ForArgumentsOnly && !Include.ForArguments) || !Seen.insert(Line).second)
          continue;
        Undefine(Include.Defines);
        for (const MacroLine &Define : Include.Defines)
          if (Defined.try_emplace(Define.Name, &Define).second) {
            if (Define.OfCommand || ForArgumentsOnly) // The header's reader may have one of this name.
              To.line("#pragma push_macro(\"{}\")", Define.Name);
            if (ForArgumentsOnly)
              To.line("#undef {}", Define.Name);
            To.write(Define.Text);
          }
        To.write(Line);
      }
    Undefine({});
  }

  void includes() {
    Out.line("#include \"{}\"", Options.HeaderFile);
    Out.blank();
    Writer Lines("", false);
    includeLines(Lines, Constituents, &KernelText::Includes, false, Included);
    if (!Lines.text().empty())
      Out.write(llvm::StringRef(Lines.text()).rtrim().str());
    if (llvm::any_of(Constituents, [](const Constituent &C) { return C.Text->HasHostShared; })) {
      Out.blank();
      Out.write(
          "#ifndef __CUDACC_RDC__\n#error \"variables are shared with other objects: compile with -rdc=true\"\n#endif");
    }
    auto OfLinker = [](const Constituent &C) { return !C.Facts->LibraryFunctionsOfLinker.empty(); };
    if (const auto User = llvm::find_if(Constituents, OfLinker);
        User != Constituents.end() && rebindsLibraries(Constituents, Plan)) {
      Out.blank();
      Out.write(
          fmt::format("#ifdef __CUDACC_RDC__\n#error \"{} uses a part of the block here: the linker must not take "
                      "another file's instead. Compile without -rdc=true\"\n#endif",
                      User->Facts->LibraryFunctionsOfLinker.front()));
    }
    Out.blank();
  }

  /// What the built-ins are in a partition's text.
  std::vector<std::pair<const char *, const char *>> builtinsOf(const KernelFacts &Facts) const {
    std::vector<std::pair<const char *, const char *>> Meanings;
    if (Facts.reads(Builtin::ThreadIdx))
      Meanings.emplace_back("threadIdx", "cufuse_partition::threadIdx()");
    if (Facts.reads(Builtin::BlockDim))
      Meanings.emplace_back("blockDim", "cufuse_partition::blockDim()");
    if (Plan.sharesIndices(Facts) && Facts.reads(Builtin::BlockIdx))
      Meanings.emplace_back("blockIdx", "cufuse_partition::indices().blockIdx");
    if (Plan.sharesIndices(Facts) && Facts.reads(Builtin::GridDim))
      Meanings.emplace_back("gridDim", "cufuse_partition::indices().gridDim");
    return Meanings;
  }

  /// The namespace of a constituent's own text. Nothing of ours is in a scope around it, so that its names keep their
  /// meaning.
  std::string textSpace(const Constituent &C) const { return textNamespace(Options.Name, C); }

  /// One constituent's (or copy's) namespace: what its names mean here, its closure, its kernel as a function.
  void body(const PartitionPlan &Partition) {
    const Constituent &C = Constituents[Partition.Constituent];
    const KernelFacts &Facts = *C.Facts;
    const std::string Path = partitionNamespace(Options.Name, Constituents, Plan, Partition);
    // nvcc reads the file for the host, too, for which the user's text may say something else, or name what is not
    // copied. The host needs the fused kernel's head, and the names of the device's variables.
    Out.write("#ifdef __CUDA_ARCH__ // device code");
    const std::set<std::string> Saved = saveMacros(Out, *C.Text, C.Foreign);
    open(Out, Path);
    Out.blank();
    Out.line("using cufuse_partition = {}::{};", Options.Name, partitionType(Partition));
    if (textNames(*C.Text, "CufuseElementPartition"))
      Out.line("using {}::CufuseElementPartition;", Options.Name);
    ours(Out, [&](Writer &Own) { barriers(Own, C); });
    std::vector<const char *> Macros;
    auto Define = [&](const char *Name, const char *Meaning) {
      Out.line("#define {} {}", Name, Meaning);
      Macros.push_back(Name);
    };
    // Else the compiler would load by the read-only cache what another kernel of the launch has stored.
    if (Plan.Cooperative)
      for (const char *Word : {"__restrict__", "__restrict"})
        Define(Word, "");
    for (const auto &[Name, Meaning] : builtinsOf(Facts))
      Define(Name, Meaning);
    if (Plan.sharesIndices(Facts)) {
      if (!Facts.DynamicShared.empty())
        Define("cufuse_dynamicOffset", "cufuse_partition::indices().dynamicOffset");
    } else if (Facts.sharesIndices() && !Facts.DynamicShared.empty()) {
      Define("cufuse_dynamicOffset", "0u"); // the block's own indices are those of the kernel
    }
    for (const std::string &Line : C.Text->Usings)
      Out.write(Line);
    Out.blank();
    pieces(Out, C.Text->Body, C.Text->NestedUsings, Path, Plan.Roles[Partition.Constituent].Unroll);
    for (const std::string &Name : C.Text->BodyMacros)
      Out.line("#undef {}", Name);
    for (const char *Name : Macros)
      Out.line("#undef {}", Name);
    compareMacros(C);
    Out.blank();
    close(Out, Path);
    restoreMacros(Out, Saved);
    if (!C.Text->OnHost.empty()) {
      Out.write("#else // the names of its variables");
      open(Out, Path);
      pieces(Out, C.Text->OnHost, {}, Path);
      close(Out, Path);
    }
    Out.write("#endif");
    Out.blank();
  }

  /// What stands for the barriers of the block, in the names that the kernel calls them by.
  static void barriers(Writer &To, const Constituent &C) {
    const KernelFacts &Facts = *C.Facts;
    std::set<std::string> Barriers;
    for (const BarrierFacts &Barrier : Facts.Barriers)
      Barriers.insert(Barrier.Call);
    const std::set<unsigned> &Named = Facts.NamedBarriers;
    const bool All = Named.size() == MaxNamedBarriers;
    if (Barriers.empty() && Named.empty())
      return;
    To.write(emitted(cuda::Barriers, {{"SYNC", Barriers.contains("__syncthreads")},
                                      {"ALL_BARRIERS", All},
                                      Named.empty() || All ? Given{"NAMED", false} : Given{"NAMED", placeOf(Named)},
                                      {"COUNTED", textNames(*C.Text, "__barrier_sync_count")},
                                      {"NAMES", !Named.empty()},
                                      {"BARRIER_SYNC", Barriers.contains("__barrier_sync")},
                                      {"COUNT", Barriers.contains("__syncthreads_count")},
                                      {"AND", Barriers.contains("__syncthreads_and")},
                                      {"OR", Barriers.contains("__syncthreads_or")}}));
  }

  /// `barrier == 3 ? 0 : barrier == 7 ? 1 : 2`
  static std::string placeOf(const std::set<unsigned> &Numbers) {
    unsigned Place = Numbers.size() - 1;
    std::string Text = std::to_string(Place);
    for (unsigned Number : llvm::drop_begin(llvm::reverse(Numbers)))
      Text = fmt::format("barrier == {} ? {} : {}", Number, --Place, Text);
    return Text;
  }

  /// Macros of the text that some header defines, too, maybe another constituent's: these keep their meaning behind it.
  /// And names of the text that are macros of another constituent's headers only: here they are none. Out: those to
  /// restore behind the text.
  std::set<std::string> saveMacros(Writer &To, const KernelText &Text, const std::set<std::string> &Foreign) const {
    std::set<std::string> Names = Foreign;
    llvm::copy_if(Text.BodyMacros, std::inserter(Names, Names.end()),
                  [this](const std::string &Name) { return isMacroOutside(Name); });
    for (const std::string &Name : Names) {
      To.line("#pragma push_macro(\"{}\")", Name);
      if (!Text.OutsideMacros.contains(Name))
        To.line("#undef {}", Name);
    }
    return Names;
  }

  static void restoreMacros(Writer &To, const std::set<std::string> &Names) {
    for (const std::string &Name : Names)
      To.line("#pragma pop_macro(\"{}\")", Name);
  }

  bool isMacroOutside(llvm::StringRef Name) const {
    return llvm::any_of(Constituents, [&](const Constituent &C) { return C.Text->OutsideMacros.contains(Name); });
  }

  /// With the grid-stride loop unrolled by a factor, or as it is where that is 0.
  static OutputText inForm(const Piece &P, unsigned Factor) {
    return Factor > 0 && P.Unrolled ? P.Unrolled->with(OutputText::Slot::Factor, constant(Factor)) : P.Text;
  }

  /// Namespaces inside each other, as before C++17.
  static void open(Writer &To, const std::string &Path) {
    std::string Text;
    for (llvm::StringRef Name : llvm::split(Path, "::"))
      Text += fmt::format("{}namespace {} {{", Text.empty() ? "" : " ", Name.str());
    To.line("{}", Text);
  }
  static void close(Writer &To, const std::string &Path) {
    To.line("{} // namespace {}", std::string(llvm::StringRef(Path).count("::") + 1, '}'), Path);
  }

  /// Does a library need the function where it is in the file? Then no kernel has a copy of its own.
  bool standsOutside(const Piece &P) const {
    return llvm::any_of(Constituents, [&](const Constituent &C) {
      return llvm::any_of(C.Text->Body, [&](const Piece &Each) { return Each.ForLibrary && Each.Once == P.Once; });
    });
  }

  /// Pieces in order, with the namespaces around them opened and closed as needed.
  void pieces(Writer &To, llvm::ArrayRef<Piece> Pieces,
              const std::map<std::vector<std::string>, std::vector<std::string>> &NestedUsings, const std::string &Path,
              unsigned Unroll = 0) {
    std::vector<std::string> Open;
    std::set<std::vector<std::string>> Opened;
    auto Begin = [&](llvm::StringRef Name) {
      const bool Inline = Name.consume_front("inline ");
      To.line("{}namespace {}{{", Inline ? "inline " : "", Name.empty() ? "" : Name.str() + " ");
    };
    auto Move = [&](const std::vector<std::string> &Wanted) {
      size_t Common = 0;
      while (Common < Open.size() && Common < Wanted.size() && Open[Common] == Wanted[Common])
        ++Common;
      for (; Open.size() > Common; Open.pop_back())
        To.write("}");
      while (Open.size() < Wanted.size()) {
        Begin(Wanted[Open.size()]);
        Open.push_back(Wanted[Open.size()]);
        if (auto Usings = NestedUsings.find(Open); Usings != NestedUsings.end() && Opened.insert(Open).second)
          for (const std::string &Line : Usings->second)
            To.write(Line);
      }
    };
    for (const Piece &P : Pieces) {
      const OutputText Text = inForm(P, Unroll).with(OutputText::Slot::Path, Path);
      if (!P.Once.empty() && standsOutside(P)) {
        Move({});
        close(To, Path);
        To.line("#ifndef {0}\n#define {0}\n{1}\n#endif", P.Once, Text);
        open(To, Path);
        continue;
      }
      if (P.What != Piece::Kind::Macro)
        Move(P.What == Piece::Kind::Shared ? std::vector<std::string>() : P.Namespaces);
      switch (P.What) {
      case Piece::Kind::Shared:
        close(To, Path);
        llvm::for_each(P.Namespaces, Begin);
        To.write(Text);
        for (size_t I = 0; I < P.Namespaces.size(); ++I)
          To.write("}");
        open(To, Path);
        To.blank();
        break;
      case Piece::Kind::Macro:
      case Piece::Kind::Using:
        To.write(Text);
        break;
      case Piece::Kind::Code:
        To.user(Text, P.Where.File, P.Where.Line);
        To.blank();
        break;
      }
    }
    Move({});
  }

  std::string header() {
    Writer Lines(Options.HeaderFile, Options.LineDirectives);
    Lines.line("{}{}.", HeaderBegin.str(), inComment(listed(llvm::map_to_vector(Constituents, [](const Constituent &C) {
                 return C.Facts->QualifiedName;
               }))));
    Lines.line("{}{}", MadeBy.str(), inComment(Options.Command));
    heading(Lines);
    Writer Declarations("", false);
    Declarations.line("namespace {} {{", Options.Name);
    ownSpace(Declarations, [&] { declarations(Declarations); });
    Declarations.line("}} // namespace {}", Options.Name);
    const llvm::StringRef Declared = Declarations.text();
    Lines.write("#pragma once\n\n#include <cuda_runtime.h>");
    std::set<std::string> Seen;
    for (const auto &[Header, Names] : std::initializer_list<std::pair<const char *, std::vector<const char *>>>{
             {"cstddef", {"size_t", "ptrdiff_t", "nullptr_t"}},
             {"cstdint", {"8_t", "16_t", "32_t", "64_t", "ptr_t", "max_t"}},
             {"cstring", {"std::memcpy"}},
             {"type_traits", {"std::is_"}}})
      if (llvm::any_of(Names, [&](llvm::StringRef Name) { return Declared.contains(Name); })) {
        if (Seen.empty())
          Lines.blank();
        Lines.write(*Seen.insert(fmt::format("#include <{}>", Header)).first);
      }
    includeLines(Lines, Constituents, &KernelText::Includes, true, Seen);
    Lines.blank();
    ours(Lines, [&](Writer &Own) { Own.write(Declarations); });
    return Lines.text();
  }

  /// What a host program names.
  void declarations(Writer &Lines) const {
    for (unsigned I = 0; I < Constituents.size(); ++I) {
      const Constituent &C = Constituents[I];
      Lines.line("namespace {} {{", C.Name);
      emitArguments(Lines, Constituents, I, Plan, Options.Name);
      if (Constituents.size() == 1) {
        const std::string Count = C.Text->Elements ? elementCount(C) : "";
        Lines.line("/// {}{}.", inComment(C.Facts->QualifiedName),
                   Count.empty()                          ? ", as a launch with this grid"
                   : Count.find('(') == std::string::npos ? ", on " + Count + " elements"
                                                          : ", on all its elements");
        Lines.write(plainSignature(C, Plan, Options.Name, "", " = nullptr);"));
      }
      Lines.line("}} // namespace {}", C.Name);
      Lines.blank();
    }
    Lines.line("/// Launches {}, on the current device.{}", Constituents.size() > 1 ? "all of them at once" : "it",
               Constituents.size() == 1 ? ""
               : Plan.Cooperative       ? " Each finds what those before it have stored."
                                        : " The kernels must not depend on each other.");
    Lines.write(
        "/// Returns cudaErrorInvalidConfiguration for a grid that is empty, larger than 2^31 - 1 blocks, or has more\n"
        "/// than one block in a dimension that its kernel does not read; otherwise what the CUDA runtime returns.");
    Lines.line("{} = nullptr);", llvm::StringRef(launchSignature(Constituents)).drop_back().str());
    Lines.blank();
  }

  llvm::ArrayRef<Constituent> Constituents;
  const FusionPlan &Plan;
  const EmitOptions &Options;
  Writer Out;
  std::set<std::string> Included; ///< Lines that the source has.
  std::set<std::pair<std::string, std::string>> Compared;
};

} // namespace

void findForeignMacros(std::vector<Constituent> &Constituents) {
  const auto Texts = llvm::map_to_vector(Constituents, [](const Constituent &C) { return C.Text; });
  for (Constituent &C : Constituents)
    C.Foreign = foreignMacros(*C.Text, C.Text->Body, Texts);
}

/// The first macro that is not the same before two `#include`s, and how it comes to be so.
static std::string otherMacro(const IncludeLine &A, const IncludeLine &B) {
  auto Find = [](const IncludeLine &In, llvm::StringRef Name) {
    const auto Found = llvm::find_if(In.Defines, [&](const MacroLine &M) { return M.Name == Name; });
    return Found == In.Defines.end() ? nullptr : &*Found;
  };
  auto Said = [&](const IncludeLine &In, llvm::StringRef Name) {
    const MacroLine *Known = Find(In, Name);
    return Known ? fmt::format("`{}` at {}",
                               llvm::StringRef(Known->Text).rsplit('\n').second.empty()
                                   ? Known->Text
                                   : llvm::StringRef(Known->Text).rsplit('\n').second.str(),
                               Known->Where.str())
                 : fmt::format("not defined at {}", In.Where.str());
  };
  for (const IncludeLine *Of : {&A, &B})
    for (const MacroLine &Each : Of->Defines) {
      const MacroLine *InA = Find(A, Each.Name), *InB = Find(B, Each.Name);
      if (!InA || !InB || !(*InA == *InB))
        return fmt::format("{} reads {}, which is {}, and {}", B.Path, Each.Name, Said(A, Each.Name),
                           Said(B, Each.Name));
    }
  return B.Path + ", whose macros are defined in another order";
}

llvm::Error checkIncludes(llvm::ArrayRef<Constituent> Constituents) {
  std::vector<Blocker> Refusals;
  for (const auto List : {&KernelText::Includes, &KernelText::Libraries}) {
    std::map<std::string, const IncludeLine *> Seen;
    for (const Constituent &C : Constituents)
      for (const IncludeLine &Include : C.Text->*List) {
        auto [Known, New] = Seen.try_emplace(Include.Text, &Include);
        if (New)
          continue;
        if (Known->second->Path != Include.Path && !llvm::sys::fs::equivalent(Known->second->Path, Include.Path))
          Refusals.push_back({BlockerKind::IncludeClash, Include.Where,
                              fmt::format("{} is {} and {}", Include.Text, Known->second->Path, Include.Path)});
        else if (Known->second->Packing != Include.Packing)
          Refusals.push_back(
              {BlockerKind::HeaderConfiguration, Include.Where, Include.Path + ", under another #pragma pack"});
        else if (Known->second->InLinkage != Include.InLinkage)
          Refusals.push_back(
              {BlockerKind::HeaderConfiguration, Include.Where, Include.Path + ", once inside extern \"C\""});
        else if (Known->second->Defines != Include.Defines)
          Refusals.push_back({BlockerKind::HeaderConfiguration, Include.Where, otherMacro(*Known->second, Include)});
      }
  }
  // One variable cannot have the copies of its type that two namespaces hold.
  std::map<std::string, const Constituent *> Variables;
  for (const Constituent &C : Constituents)
    for (const Piece &P : C.Text->Body)
      if (P.What == Piece::Kind::Shared && P.Text.has(OutputText::Slot::Path) &&
          !Variables.try_emplace(llvm::join(P.Namespaces, "::") + P.Text.written(), &C).second)
        Refusals.push_back({BlockerKind::HostSharedType, C.Facts->Where, P.Text.written()});
  return refuse(Refusals);
}

bool isAsWritten(llvm::StringRef Text) {
  const size_t At = Text.find(("\n" + AsWritten).str());
  if (At == llvm::StringRef::npos)
    return true;
  const llvm::StringRef Hash = Text.substr(At + 1 + AsWritten.size(), Unhashed.size());
  return Hash.size() == Unhashed.size() && hashOf(replaced(Text, Hash, Unhashed)) == Hash;
}

bool isLaunchersHeader(llvm::StringRef Text) {
  return Text.starts_with(HeaderBegin) && Text.split('\n').second.starts_with(MadeBy);
}

llvm::Expected<FusedSource> emitFused(llvm::ArrayRef<Constituent> Constituents, const FusionPlan &Plan,
                                      const EmitOptions &Options) {
  if (llvm::Error Error = checkIncludes(Constituents))
    return std::move(Error);
  return Emitter(Constituents, Plan, Options).run();
}

} // namespace cufuse
