#include "cufuse/Frontend/NvccText.h"

#include "CompilerHeaders.h"
#include "DryRun.h"
#include "LaunchBrackets.h"

#include "cufuse/Frontend/RawTokens.h"
#include "cufuse/Support/ArtifactCache.h"
#include "cufuse/Support/Error.h"
#include "cufuse/Support/FileStore.h"
#include "cufuse/Support/NvccEnvironment.h"
#include "cufuse/Support/Process.h"

#include <fmt/core.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/Program.h>

#include <cstdlib>
#include <map>
#include <set>

namespace cufuse {

namespace {

constexpr unsigned TimeLimitSeconds = 120;

/// `-D__CUDA_ARCH__=900 -D__CUDA_ARCH_FEAT_SM90_ALL` → `sm_90a`; nothing where the command is not the device's.
std::optional<std::string> architectureOf(llvm::ArrayRef<std::string> Command) {
  unsigned Number = 0, Family = 0, Specific = 0;
  for (llvm::StringRef Argument : Command)
    if (Argument.consume_front("-D__CUDA_ARCH__="))
      Argument.getAsInteger(10, Number);
    else if (Argument.consume_front("-D__CUDA_ARCH_SPECIFIC__="))
      Argument.getAsInteger(10, Specific);
    else if (Argument.consume_front("-D__CUDA_ARCH_FAMILY_SPECIFIC__="))
      Argument.getAsInteger(10, Family);
  if (Number == 0)
    return std::nullopt;
  return fmt::format("sm_{}{}", Number / 10, Specific ? "a" : Family ? "f" : "");
}

unsigned numberOf(llvm::StringRef Arch) {
  unsigned Number = 0;
  Arch.drop_front(std::min<size_t>(3, Arch.size())).take_while(llvm::isDigit).getAsInteger(10, Number);
  return Number;
}

llvm::Expected<std::vector<NvccStep>> stepsOf(const Toolchain &Tools, const std::string &File,
                                              const CompileFlags &Flags, llvm::ArrayRef<std::string> Architectures) {
  std::vector<std::string> Given = Flags.Nvcc;
  Given.insert(Given.end(), Architectures.begin(), Architectures.end());
  if (!Flags.Standard.empty())
    Given.push_back("-std=" + Flags.Standard);
  auto Result = TRY(dryRun(*Tools.Cache, Tools.Nvcc, Given));
  std::vector<NvccStep> Steps;
  std::string Said;
  for (llvm::StringRef Line : llvm::split(Result.Output, '\n')) {
    if (!Line.consume_front("#$ ")) {
      if (Said.empty())
        Said = Line.str();
      continue;
    }
    std::vector<std::string> Tokens = wordsOf(Line);
    NvccStep Step;
    for (size_t I = 0; I < Tokens.size(); ++I)
      // With --threads, what the step says goes to files.
      if (const llvm::StringRef Token = Tokens[I]; Token == ">" || Token == "2>")
        break;
      else if (Token == "-o")
        ++I;
      else
        Step.Command.push_back(std::move(Tokens[I]));
    const auto Arch = architectureOf(Step.Command);
    if (!Arch || !llvm::is_contained(Step.Command, "-E"))
      continue;
    Step.Command.back() = File; // of /dev/null
    if (auto Program = llvm::sys::findProgramByName(Step.Command[0]))
      Step.Command[0] = *Program;
    Step.Arch = *Arch;
    Steps.push_back(std::move(Step));
  }
  if (Result.Status != 0 || Steps.empty())
    return badUsage("nvcc does not compile with these flags" + (Said.empty() ? "" : ": " + Said),
                    llvm::StringRef(Said).contains("gpu architecture") ? "choose another --arch, or another -arch"
                                                                       : "pass those with which it compiles the file");
  return Steps;
}

/// What a compiler says is wrong first: what comes before leads there.
llvm::StringRef firstError(llvm::StringRef Said) {
  for (llvm::StringRef Line : llvm::split(Said, '\n'))
    if (Line.contains("error:"))
      return Line;
  return Said.split('\n').first;
}

/// Runs the command with another output, which it returns. `Said`: what it writes besides.
llvm::Expected<std::string> output(const Toolchain &Tools, std::vector<std::string> Command,
                                   llvm::ArrayRef<std::string> More, std::string *Said = nullptr) {
  auto Folder = TRY(Tools.Cache->newFolder());
  const std::string Path = within(Folder.path(), "text.ii");
  Command.insert(Command.end(), More.begin(), More.end());
  Command.insert(Command.end(), {"-o", Path});
  auto Result = TRY(runProcess(Command, TimeLimitSeconds, Folder.path()));
  if (Result.Status != 0)
    return badInput(firstError(Result.Output).str());
  if (Said)
    *Said = std::move(Result.Output);
  return textOfFile(Path);
}

/// The step's command without the file, and without what flags include before it.
std::vector<std::string> withoutFile(const NvccStep &Step) {
  std::vector<std::string> Command = Step.Command;
  Command.pop_back();
  for (size_t I = 0; I + 1 < Command.size();)
    if (Command[I] == "-include")
      Command.erase(Command.begin() + I, Command.begin() + I + 2);
    else
      ++I;
  return Command;
}

/// The folders of headers, from what the compiler says with -v.
std::vector<std::string> foldersOf(const NvccStep &Step, llvm::StringRef Said) {
  std::set<std::string> Named, Systems;
  for (size_t I = 0; I < Step.Command.size(); ++I)
    for (llvm::StringRef Flag : {"-isystem", "-I"})
      if (llvm::StringRef Value = Step.Command[I]; Value.consume_front(Flag)) {
        if (Value.empty() && I + 1 < Step.Command.size())
          Value = Step.Command[++I];
        // nvcc gives its own with -I, and they are no less a system's.
        const bool IsUsers = Flag == "-I" && !llvm::sys::fs::exists(within(Value, "cuda_runtime.h"));
        (IsUsers ? Named : Systems).insert(realPath(Value));
      }
  if (const char *Path = std::getenv("CPATH"))
    for (llvm::StringRef Each : llvm::split(Path, ':'))
      Named.insert(realPath(Each.empty() ? "." : Each));
  std::vector<std::string> Folders;
  std::string Duplicate;
  enum { Before, Quoted, Angled } Part = Before;
  for (llvm::StringRef Line : llvm::split(Said, '\n')) {
    if (Line.consume_front("ignoring duplicate directory "))
      Duplicate = realPath(Line.trim('"'));
    else if (Line.contains("non-system directory that duplicates a system directory")) // it has that one's place
      Named.erase(Duplicate), Systems.erase(Duplicate);
    else if (Line.starts_with("#include \"...\""))
      Part = Quoted;
    else if (Line.starts_with("#include <...>"))
      Part = Angled;
    else if (Line.starts_with("End of search list"))
      Part = Before;
    else if (Part != Before && Line.consume_front(" ")) {
      const std::string Real = realPath(Line);
      const char *Kind = Part == Quoted ? "-iquote" : Systems.count(Real) ? "-isystem" : Named.count(Real) ? "-I" : "";
      Folders.push_back(Kind + Real);
    }
  }
  return Folders;
}

/// Does no second quote end the literal on its line? Clang's lexer takes the rest of the line for it.
bool isOpenLiteral(const RawToken &T) {
  const llvm::StringRef Text = T.Spelling;
  const size_t Quote = Text.find_first_of("'\"");
  if (Quote == llvm::StringRef::npos || llvm::isDigit(Text[0]) || Text[0] == '.') // a number's digits may be parted
    return false;
  for (size_t I = Quote + 1; I < Text.size(); ++I)
    if (Text[I] == '\\')
      ++I;
    else if (Text[I] == Text[Quote])
      return false;
  return true;
}

/// The text with spaces for open literals, which only what conditions leave out may have: `don't`. Nothing where it has
/// none.
std::optional<std::string> withoutOpenLiterals(llvm::StringRef Text) {
  std::optional<std::string> Closed;
  RawLexer Lexer(Text, 0);
  for (RawToken T = Lexer.next(); !T.IsEnd; T = Lexer.next())
    if (isOpenLiteral(T)) {
      if (!Closed)
        Closed = Text.str();
      for (size_t I = T.Offset; I < Lexer.offset(); ++I)
        if (Text[I] != '\n' && Text[I] != '\\')
          (*Closed)[I] = ' ';
    }
  return Closed;
}

/// gcc's `-fdirectives-only` looks for the end of a literal behind the end of the line, and in what conditions leave
/// out, too: where a file of the user has an open one there, it is given copies without, of all files of the user.
/// They lie in a folder as the files do in the root: where one includes another by its own folder, it finds the copy.
class Copies {
public:
  static llvm::Expected<Copies> make(const Toolchain &Tools, const NvccStep &Step, llvm::ArrayRef<std::string> Files) {
    Copies Result{Step.Command};
    std::map<std::string, std::string> Texts;
    bool Any = false;
    for (const std::string &File : Files)
      if (auto Buffer = llvm::MemoryBuffer::getFile(File)) {
        auto Closed = withoutOpenLiterals((*Buffer)->getBuffer());
        Any |= Closed.has_value();
        Texts[absolute(File)] = Closed ? std::move(*Closed) : (*Buffer)->getBuffer().str();
      }
    if (!Any)
      return Result;
    auto Folder = TRY(Tools.Cache->newFolder());
    Result.Root = Folder.path();
    Result.Kept.emplace(std::move(Folder));
    for (const auto &[File, Text] : Texts) {
      const std::string Copy = Result.Root + File;
      llvm::consumeError(llvm::errorCodeToError(llvm::sys::fs::create_directories(folderOf(Copy))));
      TRY(writeFiles({{Copy, Text}}));
    }
    Result.search();
    return Result;
  }

  std::vector<std::string> Command;
  std::string Root; ///< Of the copies; empty where there are none.

private:
  explicit Copies(std::vector<std::string> Command) : Command(std::move(Command)) {}

  /// Before each folder of headers, that of its copies.
  void search() {
    std::vector<std::string> Searching;
    const std::string File = Command.back();
    Command.pop_back();
    for (size_t I = 0; I < Command.size(); ++I) {
      for (llvm::StringRef Flag : {"-isystem", "-iquote", "-I"})
        if (llvm::StringRef Value = Command[I]; Value.consume_front(Flag)) {
          if (Value.empty() && I + 1 < Command.size())
            Value = Command[I + 1];
          Searching.insert(Searching.end(), {Flag.str(), Root + absolute(Value)});
        }
      Searching.push_back(Command[I]);
      if (Command[I] == "-include" && I + 1 < Command.size()) {
        const std::string Copy = Root + absolute(Command[++I]);
        Searching.push_back(llvm::sys::fs::exists(Copy) ? Copy : Command[I]);
      }
    }
    Searching.insert(Searching.end(), {"-iquote", folderOf(absolute(File)), Root + absolute(File)});
    Command = std::move(Searching);
  }

  std::optional<OwnFolder> Kept;
};

/// What gcc's `-E -fdirectives-only` writes: of libraries line by line, for the definitions; of users token by token.
class DirectivesOnly {
public:
  /// `Root`: of copies that were read in the place of files.
  DirectivesOnly(llvm::StringRef Output, llvm::StringRef Root, const Toolchain &Tools, const UsersText &Ours)
      : Output(Output), Root(Root), Libraries(Tools), Compilers(Tools), Ours(Ours) {}

  UsersText read() {
    Stack.push_back(fileNumber(""));
    for (size_t At = 0; At < Output.size();)
      At = InUsers ? readUsers(At) : readLibrary(At);
    return std::move(Text);
  }

private:
  unsigned fileNumber(llvm::StringRef Name) {
    Name.consume_front(Root);
    auto [Entry, New] = Numbers.try_emplace(Name, Text.Files.size());
    if (New)
      Text.Files.push_back(Name.str());
    return Entry->second;
  }

  /// `# LINE "FILE" FLAGS`, without the `#`.
  void mark(llvm::StringRef Marker) {
    unsigned Number = 0;
    Marker = Marker.trim();
    Marker.consumeInteger(10, Number);
    Line = Number;
    Marker = Marker.ltrim();
    if (!Marker.consume_front("\""))
      return;
    std::string Name;
    while (!Marker.empty() && Marker[0] != '"') {
      if (Marker[0] == '\\' && Marker.size() > 1)
        Marker = Marker.drop_front();
      Name += Marker[0];
      Marker = Marker.drop_front();
    }
    const llvm::StringRef Flags = Marker.drop_front(std::min<size_t>(1, Marker.size())).trim();
    if (Main.empty())
      Main = Name;
    if (Flags.starts_with("1"))
      Stack.push_back(fileNumber(Name));
    else if (Flags.starts_with("2") && Stack.size() > 1)
      Stack.pop_back();
    else if (Stack.size() == 1 && Number > 0 && Name == Main)
      // Before it come the compiler's definitions, in files of no name. A #line changes no file.
      Stack.front() = fileNumber(Name);
    InUsers = Stack.size() == 1 ? !Text.Files[Stack.front()].empty() : !Libraries.contains(Text.Files[Stack.back()]);
    InCompilers = !InUsers && Compilers.contains(Text.Files[Stack.back()]);
  }

  void directive(llvm::StringRef Line) {
    std::string Name;
    if (Line.consume_front("define")) {
      Line = Line.ltrim();
      Name = Line.take_while([](char C) { return isalnum(static_cast<unsigned char>(C)) || C == '_'; }).str();
      if (InCompilers)
        Macros.erase(Name);
      else
        Macros[Name] = {Line, InUsers};
    } else if (Line.consume_front("undef"))
      Macros.erase(Line.trim());
    else
      return;
    Meanings.clear();
  }

  size_t readLibrary(size_t At) {
    while (At < Output.size() && !InUsers) {
      const size_t End = std::min(Output.find('\n', At), Output.size());
      llvm::StringRef Text = Output.slice(At, End);
      At = End + 1;
      Text = Text.ltrim(); // Definitions may be indented.
      if (!Text.consume_front("#"))
        continue;
      if (Text.size() > 1 && Text[0] == ' ' && llvm::isDigit(Text[1]))
        mark(Text);
      else
        directive(Text.ltrim());
    }
    return At;
  }

  size_t readUsers(size_t At) {
    RawLexer Lexer(Output, At);
    size_t Counted = At;
    while (true) {
      RawToken T = Lexer.next();
      if (T.IsEnd)
        return Output.size();
      Line += Output.slice(Counted, T.Offset).count('\n');
      Counted = T.Offset;
      if (T.Spelling == "#" && T.StartsLine) {
        const std::vector<RawToken> Rest = Lexer.restOfLine();
        const llvm::StringRef Written = Output.slice(T.Offset + 1, Lexer.offset());
        if (!Rest.empty() && llvm::isDigit(Rest[0].Spelling[0])) {
          mark(Written);
          Counted = Lexer.offset();
          if (!InUsers)
            return Counted;
        } else if (!Rest.empty() && Rest[0].Spelling == "pragma")
          pragma(Rest);
        else
          directive(Written.ltrim());
        continue;
      }
      const std::uint64_t Meaning = T.IsIdentifier ? meaning(T.Spelling) : 0;
      for (std::string &Part : asNvccReads(std::move(T.Spelling)))
        add(std::move(Part), Meaning);
    }
  }

  void pragma(llvm::ArrayRef<RawToken> Rest) {
    if (isSwallowedPragma(Rest))
      return;
    add("#pragma", 0);
    for (const RawToken &T : Rest.drop_front())
      add(T.Spelling, meaning(T.Spelling));
  }

  void add(std::string Spelling, std::uint64_t Meaning) {
    if (const size_t At = Text.Tokens.size(); Meaning && At < Ours.Tokens.size())
      for (const std::string &Name : Ours.Tokens[At].Pasted)
        Meaning = combined(Meaning, meaning(Name));
    Text.Tokens.push_back({Stack.back(), Line, std::move(Spelling), Meaning});
  }

  std::uint64_t meaning(llvm::StringRef Name) {
    if (!Macros.count(Name))
      return 0;
    auto [Entry, New] = Meanings.try_emplace(Name, 0);
    if (New)
      Entry->second = meaningOf(Name, [&](llvm::StringRef Other) -> std::optional<MacroDefinition> {
        auto Found = Macros.find(Other);
        if (Found == Macros.end())
          return std::nullopt;
        std::string Ignored;
        auto Definition = readDefinition(Found->second.first, Ignored);
        if (Definition)
          Definition->Users = Found->second.second;
        return Definition;
      });
    return Entry->second;
  }

  llvm::StringRef Output, Root;
  LibraryFiles Libraries;
  CompilerHeaders Compilers;
  const UsersText &Ours;
  UsersText Text;
  llvm::StringMap<unsigned> Numbers;
  llvm::StringMap<std::pair<llvm::StringRef, bool>> Macros; ///< By name: the definition, and whether it is the user's.
  llvm::StringMap<std::uint64_t> Meanings;                  ///< Since the last definition.
  std::vector<unsigned> Stack;                              ///< Files.
  std::string Main;
  unsigned Line = 0;
  bool InUsers = false, InCompilers = false;
};

} // namespace

llvm::Expected<std::vector<NvccStep>> nvccSteps(const Toolchain &Tools, const std::string &File,
                                                const CompileFlags &Flags, const std::string &Arch) {
  if (auto Found = llvm::sys::findProgramByName(Flags.Compiler);
      Found && llvm::sys::fs::can_execute(*Found) && *Found != Tools.Nvcc &&
      (!llvm::sys::fs::equivalent(*Found, Tools.Nvcc) || toolkitOf(*Tools.Cache, *Found) != Tools.CudaPath)) {
    // A wrapper may have flags of its own, and a link another toolkit.
    llvm::StringRef Folder = llvm::sys::path::parent_path(*Found);
    return badUsage(
        fmt::format("'{}' is compiled with {}, and cufuse would read it with {}", File, *Found, Tools.Nvcc),
        llvm::sys::path::filename(*Found) != "nvcc" ? "pass the flags that it gives nvcc after `--`, without -p"
        : Folder.consume_back("/bin") ? fmt::format("export CUDA_PATH='{}'", Folder.str())
                                      : fmt::format("unset CUDA_PATH CUDA_HOME; export PATH='{}':$PATH", Folder.str()));
  }
  std::vector<NvccStep> Steps;
  if (!Arch.empty()) {
    const std::string Number = Arch.substr(std::min<size_t>(3, Arch.size()));
    Steps = TRY(stepsOf(Tools, File, Flags, {"-gencode", "arch=compute_" + Number + ",code=" + Arch}));
  }
  if (Arch.empty() || !Flags.Architectures.empty()) {
    auto Others = TRY(stepsOf(Tools, File, Flags, Flags.Architectures));
    // For -arch=sm_90a, nvcc compiles for sm_90, too: what was asked for comes before its like.
    llvm::sort(Others, [&](const NvccStep &A, const NvccStep &B) {
      return std::tuple(numberOf(A.Arch), A.Arch != Flags.Arch, A.Arch) <
             std::tuple(numberOf(B.Arch), B.Arch != Flags.Arch, B.Arch);
    });
    for (NvccStep &Step : Others)
      if (llvm::none_of(Steps, [&](const NvccStep &Known) { return Known.Command == Step.Command; }))
        Steps.push_back(std::move(Step));
  }
  return Steps;
}

llvm::Expected<Predefined> predefined(const Toolchain &Tools, const NvccStep &Step) {
  std::string Said;
  auto Text = TRY(output(Tools, withoutFile(Step), {"-dM", "-v", "/dev/null"}, &Said));
  Predefined Result{{}, foldersOf(Step, Said)};
  for (llvm::StringRef Line : llvm::split(Text, '\n'))
    if (Line.consume_front("#define "))
      Result.Macros.push_back(Line.str());
  return Result;
}

unsigned answerOf(const Toolchain &Tools, const CompileFlags &Flags, const std::string &Question) {
  constexpr unsigned Bits = 20; // of a year and a month
  // A condition says one of them.
  std::string Asked;
  for (unsigned Bit = 0; Bit < Bits; ++Bit)
    Asked += fmt::format("#if ({}) >> {} & 1\n{}\n#endif\n", Question, Bit, Bit);
  std::vector<std::string> Key = {"what nvcc's compiler has", Asked, Tools.Nvcc, Flags.Standard};
  Key.insert(Key.end(), Flags.Nvcc.begin(), Flags.Nvcc.end());
  llvm::append_range(Key, nvccEnvironment());
  Key.push_back(std::getenv("PATH") ? std::getenv("PATH") : "");
  auto Entry = Tools.Cache->get(Key, [&](const std::string &Folder) -> llvm::Error {
    const std::string File = within(Folder, "question");
    TRY(writeFiles({{File, Asked}}));
    auto Steps = TRY(stepsOf(Tools, File, Flags, {}));
    const std::string Answer =
        llvm::expectedToOptional(output(Tools, withoutFile(Steps.front()), {"-P", File})).value_or("");
    return writeFiles(
        {{within(Folder, "depends"), Steps.front().Command[0] + "\n"}, {within(Folder, "answer"), Answer}});
  });
  const auto Text = llvm::expectedToOptional(Entry ? textOfFile(within(*Entry, "answer")) : Entry.takeError());
  if (!Text)
    return 0;
  unsigned Answer = 0;
  for (unsigned Bit = 0; llvm::StringRef Line : llvm::split(*Text, '\n'))
    if (!Line.getAsInteger(10, Bit) && Bit < Bits)
      Answer |= 1u << Bit;
  return Answer;
}

llvm::Expected<UsersText> nvccText(const Toolchain &Tools, const NvccStep &Step, const UsersText &Ours) {
  auto Read = TRY(Copies::make(Tools, Step, Ours.Files));
  return DirectivesOnly(TRY(output(Tools, Read.Command, {"-fdirectives-only"})), Read.Root, Tools, Ours).read();
}

} // namespace cufuse
