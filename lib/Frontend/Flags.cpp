#include "cufuse/Frontend/Flags.h"

#include "cufuse/Frontend/ReadFiles.h"
#include "cufuse/Support/Error.h"
#include "cufuse/Support/FileStore.h"

#include <clang/Tooling/JSONCompilationDatabase.h>
#include <fmt/core.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringSwitch.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/StringSaver.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <utility>

namespace cufuse {

namespace {

/// One flag, its value split off: `-I dir`, `-Idir`, `--std c++17` and `-std=c++17` all arrive alike.
struct Flag {
  std::string Name; ///< Canonical: `-I`, `-std`, `-arch`, …
  std::string Value;
  std::vector<std::string> Written;
};

/// Long names and their short form.
llvm::StringRef canonical(llvm::StringRef Name) {
  return llvm::StringSwitch<llvm::StringRef>(Name)
      .Cases({"--include-path"}, "-I")
      .Cases({"--define-macro"}, "-D")
      .Cases({"--undefine-macro"}, "-U")
      .Cases({"--pre-include"}, "-include")
      .Cases({"--system-include"}, "-isystem")
      .Cases({"--std", "-std"}, "-std")
      .Cases({"--gpu-architecture", "-arch", "--gpu-arch"}, "-arch")
      .Cases({"--generate-code", "-gencode"}, "-gencode")
      .Cases({"--gpu-code", "-code"}, "-code")
      .Cases({"--relocatable-device-code", "-rdc", "--relocatable-device-code"}, "-rdc")
      .Cases({"--device-c", "-dc", "--device-w", "-dw"}, "-dc")
      .Cases({"--dlink-time-opt", "-dlto", "--lto", "-lto"}, "-dlto")
      .Cases({"--use_fast_math", "-use_fast_math"}, "-use_fast_math")
      .Cases({"--ftz", "-ftz"}, "-ftz")
      .Cases({"--prec-div", "-prec-div"}, "-prec-div")
      .Cases({"--prec-sqrt", "-prec-sqrt"}, "-prec-sqrt")
      .Cases({"--fmad", "-fmad"}, "-fmad")
      .Cases({"--compiler-options", "-Xcompiler"}, "-Xcompiler")
      .Default(Name);
}

/// Flags whose value may be the next argument: those of `nvcc --help`, and some of host compilers.
bool takesValue(llvm::StringRef Name) {
  static constexpr llvm::StringLiteral Names =
      " -I -D -U -include -isystem -iquote -idirafter -std -arch -gencode -code -rdc -ftz -prec-div -prec-sqrt "
      "-fmad -x --x -m --machine -e --entries -o --output-file -MF --dependency-output -MT "
      "--dependency-target-name -MQ -Xcompiler -Xptxas --ptxas-options -Xcicc -Xcudafe -Xlinker --linker-options "
      "-Xnvlink --nvlink-options -Xarchive --archive-options -Xfatbin -l --library -L --library-path -odir "
      "--output-directory -ccbin --compiler-bindir -arbin --archiver-binary -ldir --libdevice-directory "
      "-target-dir --target-directory -opt-info --optimization-info -O --optimize -Ofc --Ofast-compile -dopt "
      "--dopt -ftemplate-backtrace-limit --ftemplate-backtrace-limit -ftemplate-depth --ftemplate-depth "
      "-static-global-template-stub --static-global-template-stub -device-entity-has-hidden-visibility "
      "--device-entity-has-hidden-visibility -t --threads -split-compile --split-compile -split-compile-extended "
      "--split-compile-extended -fdevice-time-trace --fdevice-time-trace -keep-dir --keep-dir -time --time "
      "-run-args --run-args -idp --input-drive-prefix -ddp --dependency-drive-prefix -dp --drive-prefix "
      "-maxrregcount --maxrregcount -cudart --cudart -cudadevrt --cudadevrt -default-stream --default-stream "
      "-Werror --Werror -diag-error --diag-error -diag-suppress --diag-suppress -diag-warn --diag-warn "
      "-brief-diag --brief-diagnostics -jtd --jump-table-density -device-stack-protector "
      "--device-stack-protector -compress-mode --compress-mode -frandom-seed --frandom-seed -sanitize --sanitize "
      "-optf --options-file ";
  return Names.contains((" " + Name + " ").str());
}

/// Flags whose value is a list, for nvcc.
bool takesList(llvm::StringRef Name) {
  return Name == "-I" || Name == "-isystem" || Name == "-include" || Name == "-D" || Name == "-U";
}

/// The parts between commas outside of double quotes.
std::vector<std::string> partsOf(llvm::StringRef List) {
  std::vector<std::string> Parts(1);
  bool Quoted = false;
  for (char C : List) {
    Quoted ^= C == '"';
    if (C == ',' && !Quoted)
      Parts.emplace_back();
    else
      Parts.back() += C;
  }
  return Parts;
}

/// `-Werror` alone is nvcc's, too; with a value, it is of these kinds.
bool isWarning(llvm::ArrayRef<std::string> Written, size_t At) {
  return At < Written.size() && llvm::StringSwitch<bool>(llvm::StringRef(Written[At]).split(',').first)
                                    .Cases({"all-warnings", "cross-execution-space-call", "reorder"}, true)
                                    .Cases({"default-stream-launch", "missing-launch-bounds"}, true)
                                    .Cases({"ext-lambda-captures-this", "deprecated-declarations"}, true)
                                    .Default(false);
}

/// Flags whose value may follow without a space or `=`.
bool takesJoinedValue(llvm::StringRef Name) {
  return Name == "-I" || Name == "-D" || Name == "-U" || Name == "-isystem" || Name == "-L" || Name == "-l";
}

/// The arguments in a response file, in which double quotes alone mean the same to nvcc.
std::vector<std::string> responseFile(const std::string &Path, std::string &Unclear) {
  auto Text = llvm::MemoryBuffer::getFile(Path);
  if (!Text) {
    Unclear = "cannot read the flags in '" + Path + "'";
    return {};
  }
  if ((*Text)->getBuffer().find_first_of("'\\\f\v") != llvm::StringRef::npos)
    Unclear = "nvcc reads ' and \\ in '" + Path + "' otherwise than a shell does";
  return wordsOf((*Text)->getBuffer());
}

/// `Read`: the files of flags in it. `Depth`: of response files in response files.
std::vector<Flag> split(llvm::ArrayRef<std::string> Written, const std::string &Directory, std::string &Unclear,
                        std::vector<std::string> &Read, unsigned Depth = 0) {
  std::vector<Flag> Flags;
  for (size_t I = 0; I < Written.size(); ++I) {
    const llvm::StringRef Text = Written[I];
    Flag Next{Text.str(), "", {Text.str()}};
    const auto [Head, Tail] = Text.split('=');
    if (takesJoinedValue(Text.take_front(2)) && Text.size() > 2 && Text != "-lto") {
      llvm::StringRef Value = Text.drop_front(2);
      Value.consume_front("="); // nvcc takes -I=dir, too
      Next.Name = Text.take_front(2).str();
      Next.Value = Value.str();
    } else if (const llvm::StringRef Name = canonical(Head); Head.size() < Text.size() && Text.starts_with("-")) {
      Next.Name = Name.str();
      Next.Value = Tail.str();
    } else {
      Next.Name = Name.str();
      if (takesValue(Name) && ((Name != "-Werror" && Name != "--Werror") || isWarning(Written, I + 1)) &&
          I + 1 < Written.size()) {
        Next.Value = Written[++I];
        Next.Written.push_back(Next.Value);
      }
    }
    if (Next.Name == "--options-file" || Next.Name == "-optf") {
      llvm::SmallVector<llvm::StringRef> Files;
      llvm::StringRef(Next.Value).split(Files, ',');
      if (Depth > 16)
        Unclear = "too many files of flags in '" + Next.Value + "'";
      else
        for (llvm::StringRef File : Files)
          for (Flag &Inner : split(responseFile(Read.emplace_back(absolute(File.str(), Directory)), Unclear), Directory,
                                   Unclear, Read, Depth + 1))
            Flags.push_back(std::move(Inner));
      continue;
    }
    if (const auto Parts = partsOf(Next.Value); takesList(Next.Name) && Parts.size() > 1)
      for (const std::string &Part : Parts)
        Flags.push_back({Next.Name, Part, {Next.Name, Part}});
    else
      Flags.push_back(std::move(Next));
  }
  return Flags;
}

/// What the flags of arithmetic come to, by name, as the last of each was written: nvcc's defaults are none.
std::vector<std::string> arithmeticOf(std::map<std::string, std::string> Written) {
  const bool IsFast = Written.contains("-use_fast_math");
  std::vector<std::string> All;
  if (IsFast)
    All.push_back("-use_fast_math");
  for (const auto &[Name, Usual] : {std::pair("-ftz", !IsFast ? "false" : "true"),
                                    {"-prec-div", !IsFast ? "true" : "false"},
                                    {"-prec-sqrt", !IsFast ? "true" : "false"},
                                    {"-fmad", "true"}})
    if (const std::string &Value = Written.try_emplace(Name, Usual).first->second; Value != Usual)
      All.push_back(fmt::format("{}={}", Name, Value));
  return All;
}

/// `arch=compute_90a,code=sm_90a`, `compute_80`, `sm_80`, `native` → `sm_…`, or nothing.
std::optional<std::string> architecture(llvm::StringRef Value) {
  for (llvm::StringRef Prefix : {"sm_", "compute_"})
    if (size_t At = Value.rfind(Prefix); At != llvm::StringRef::npos) {
      const llvm::StringRef Number = Value.drop_front(At + Prefix.size()).take_while([](char C) { return isalnum(C); });
      if (!Number.empty())
        return "sm_" + Number.str();
    }
  return std::nullopt;
}

} // namespace

std::vector<std::string> wordsOf(llvm::StringRef CommandLine) {
  llvm::BumpPtrAllocator Memory;
  llvm::StringSaver Saver(Memory);
  llvm::SmallVector<const char *> Words;
  llvm::cl::TokenizeGNUCommandLine(CommandLine, Saver, Words);
  return {Words.begin(), Words.end()};
}

std::string laterStandard(const std::string &A, const std::string &B) {
  // c++98 and c++03 come before all others; without a flag, nvcc takes C++17.
  auto Year = [](llvm::StringRef Standard) {
    int Number = 17;
    Standard.take_back(2).getAsInteger(10, Number);
    return Number >= 90 ? Number - 100 : Number;
  };
  return Year(B) > Year(A) ? B : A;
}

/// Are variables shared with other objects, as far as the flag says so? Optimising at link time has nvcc share them.
static std::optional<bool> relocates(const Flag &F) {
  if (F.Name == "-rdc")
    return F.Value == "true";
  return F.Name == "-dc" || F.Name == "-dlto" ? std::optional(true) : std::nullopt;
}

CompileFlags translateFlags(llvm::ArrayRef<std::string> Written, const std::string &Directory) {
  CompileFlags Result;
  std::string HostOption; ///< Whose value comes by the next -Xcompiler.
  std::map<std::string, std::string> Arithmetic;
  std::vector<std::string> Read;
  auto OfEnvironment = [&](const char *Variable) {
    std::string Unclear;
    if (const char *Flags = getenv(Variable))
      for (const Flag &F : split(wordsOf(Flags), Directory, Unclear, Read))
        Result.Relocatable = relocates(F).value_or(Result.Relocatable);
  };
  OfEnvironment("NVCC_PREPEND_FLAGS");
  for (const Flag &F : split(Written, Directory, Result.Unclear, Read)) {
    const llvm::StringRef Name = F.Name;
    Result.Relocatable = relocates(F).value_or(Result.Relocatable);
    auto Parse = [&](std::vector<std::string> Clang) {
      Result.Clang.insert(Result.Clang.end(), Clang.begin(), Clang.end());
    };
    auto Include = [&](const std::string &File) {
      const std::string Beside = absolute(File, Directory);
      Result.Macros.insert(Result.Macros.end(), {"-include", llvm::sys::fs::exists(Beside) ? Beside : File});
      return Result.Macros.back();
    };
    bool Compiles = Name != "-include"; // nvcc needs it, too, when it compiles the result
    if (Name == "-I" || Name == "-isystem" || Name == "-iquote" || Name == "-idirafter")
      Parse({F.Name, absolute(F.Value, Directory)});
    else if (Name == "-include")
      Result.Nvcc.insert(Result.Nvcc.end(), {"-include", Include(F.Value)});
    else if (Name == "-D" || Name == "-U")
      Result.Macros.push_back(F.Name + F.Value);
    else if (Name == "-std") {
      Result.Standard = F.Value;
      Compiles = false;
    } else if (Name == "-arch" || Name == "-gencode" || Name == "-code") {
      if (auto Arch = architecture(F.Value); Arch && Name != "-code")
        Result.Arch = Arch;
      Result.Architectures.insert(Result.Architectures.end(), F.Written.begin(), F.Written.end());
      Compiles = false;
    } else if (Name == "-dc" || Name == "-dlto") {
      if (!llvm::is_contained(Result.Nvcc, "-rdc=true"))
        Result.Nvcc.push_back("-rdc=true");
      Compiles = false;
    } else if (Name == "-Xcompiler") {
      for (std::string &Host : partsOf(F.Value)) {
        std::erase(Host, '"');
        const llvm::StringRef H = Host;
        if (H.starts_with("@"))
          Result.Unclear = fmt::format("only the host compiler reads the flags in '{}'", H.drop_front());
        else if (H.starts_with("-D") || H.starts_with("-U"))
          Result.Macros.push_back(Host);
        else if (HostOption == "-include") { // nvcc hands it on as it is
          Include(Host);
          HostOption.clear();
        } else if (!HostOption.empty())
          Parse({std::exchange(HostOption, ""), absolute(Host, Directory)});
        else if (H == "-include" || H == "-imacros")
          HostOption = "-include";
        else
          for (const char *Option : {"-I", "-iquote"})
            if (H == Option)
              HostOption = Option;
            else if (H.starts_with(Option))
              Parse({Option, absolute(H.substr(strlen(Option)).str(), Directory)});
      }
    } else if (Name == "-c" || Name == "--compile" || Name == "-o" || Name == "--output-file" || Name == "-x" ||
               Name.starts_with("-M") || Name == "-cubin" || Name == "-ptx" || Name == "-fatbin")
      Compiles = false;
    else if (!Name.starts_with("-"))
      Compiles = false; // an input file
    else
      Result.Ignored.push_back(F.Written.front());
    if (Name == "-use_fast_math" || Name == "-ftz" || Name == "-prec-div" || Name == "-prec-sqrt" || Name == "-fmad")
      Arithmetic[F.Name] = F.Value;
    if (!Compiles)
      continue;
    if (Name != "-I" && Name != "-isystem" && Name != "-iquote" && Name != "-idirafter" && Name != "-D" &&
        Name != "-U" && !Name.ends_with("-forward-unknown-to-host-compiler"))
      Result.Settings.push_back(F.Name + "=" + F.Value);
    std::vector<std::string> Nvcc = F.Written;
    if (!Directory.empty() && (Name == "-I" || Name == "-isystem"))
      Nvcc = {F.Name, absolute(F.Value, Directory)};
    else if (Name == "-rdc") // a cubin is compiled without it
      Nvcc = {"-rdc=" + F.Value};
    Result.Nvcc.insert(Result.Nvcc.end(), Nvcc.begin(), Nvcc.end());
  }
  OfEnvironment("NVCC_APPEND_FLAGS");
  Result.Arithmetic = arithmeticOf(std::move(Arithmetic));
  llvm::sort(Result.Settings);
  for (const char *Variable : {"NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS"})
    if (const char *Flags = getenv(Variable))
      for (const std::string &Word : wordsOf(Flags))
        if (llvm::StringRef(Word).contains("-include") || llvm::StringRef(Word).contains("-imacros") ||
            llvm::StringRef(Word).contains("optf") || llvm::StringRef(Word).contains("options-file"))
          Result.Unclear = fmt::format("'{}' in {} is not read", Word, Variable);
  if (Result.Relocatable)
    Result.Clang.insert(Result.Clang.end(), {"-fgpu-rdc", "-D__CUDACC_RDC__"});
  return Result;
}

std::vector<std::string> besideInput(const std::string &Folder) {
  const bool IsPlain =
      llvm::all_of(Folder, [](char C) { return llvm::isAlnum(C) || llvm::StringRef("/._+-").contains(C); });
  return {"-Xcompiler",
          (IsPlain ? "-iquote," : "-iquote,\"") + (Folder.empty() ? "." : Folder) + (IsPlain ? "" : "\"")};
}

static std::string databaseOf(const std::string &BuildDirectory) {
  return within(BuildDirectory, "compile_commands.json");
}

/// Those of the file, at least one.
static llvm::Expected<std::vector<clang::tooling::CompileCommand>> commandsOf(const std::string &File,
                                                                              const std::string &BuildDirectory) {
  std::string Why;
  // Only what is written there: Clang's tools would guess a command for other files.
  auto Database = clang::tooling::JSONCompilationDatabase::loadFromFile(
      databaseOf(BuildDirectory), Why, clang::tooling::JSONCommandLineSyntax::AutoDetect);
  if (!Database)
    return badInput("cannot read compile_commands.json in '" + BuildDirectory +
                    "': " + llvm::StringRef(Why).trim().str());
  llvm::SmallString<256> Absolute(absolute(File));
  llvm::sys::path::remove_dots(Absolute, /*remove_dot_dot=*/true);
  auto Commands = Database->getCompileCommands(Absolute);
  if (Commands.empty())
    return badInput("compile_commands.json in '" + BuildDirectory + "' has no command for '" + File + "'",
                    "pass the flags after `--`");
  return Commands;
}

std::vector<std::string> filesOfFlags(const std::string &File, llvm::ArrayRef<std::string> Written,
                                      const std::string &Folder, const std::string &BuildDirectory) {
  std::vector<std::string> Found;
  std::string Unclear;
  if (BuildDirectory.empty()) {
    split(Written, Folder, Unclear, Found);
    return Found;
  }
  Found = {databaseOf(BuildDirectory)};
  if (const auto Commands = llvm::expectedToOptional(commandsOf(File, BuildDirectory)))
    for (const clang::tooling::CompileCommand &Each : *Commands)
      split(Each.CommandLine, Each.Directory, Unclear, Found);
  return Found;
}

/// What a compiler is given by a command, unless something else than its words may be.
static llvm::Expected<CompileFlags> flagsOfCommand(const clang::tooling::CompileCommand &Command,
                                                   const std::string &File, const std::string &BuildDirectory) {
  auto NotRead = [&](const std::string &Why) {
    return badInput(fmt::format("the command for '{}' in '{}' is not read: {}", File, databaseOf(BuildDirectory), Why),
                    "pass the flags after `--`");
  };
  // Of several commands, those behind the first can only look at what that has made.
  const auto Line = llvm::ArrayRef(Command.CommandLine).take_until([](llvm::StringRef Word) {
    return Word == "&&" || Word == "||" || Word == "|" || Word.ends_with(";");
  });
  auto VariableOf = [](llvm::StringRef Word) {
    const auto [Name, Value] = Word.split('=');
    const bool Sets = Name != Word && llvm::all_of(Name, [](char C) { return llvm::isAlnum(C) || C == '_'; });
    return Sets ? Name : "";
  };
  // What stands before it launches it. nvcc may have another name, like nvcc_wrapper, where it is not far.
  const auto *Compiler = llvm::find_if(Line, [&](const std::string &Word) {
    const llvm::StringRef Name = llvm::sys::path::filename(Word);
    return !llvm::StringRef(Word).starts_with("-") && VariableOf(Word).empty() &&
           (Name == "nvcc" || Name.starts_with("clang") || (Name.starts_with("nvcc") && &Word - Line.begin() < 2));
  });
  const bool IsFound = Compiler != Line.end();
  // Then flags are none, either: `sh -c 'nvcc … FILE'`.
  if (!IsFound && llvm::none_of(Line, [&](const std::string &Word) {
        return llvm::sys::fs::equivalent(absolute(Word, Command.Directory), File);
      }))
    return NotRead("neither nvcc nor the file is a word of it, up to a second command");
  for (const std::string &Word : llvm::make_range(Line.begin(), Compiler))
    if (const llvm::StringRef Name = VariableOf(Word);
        Name.starts_with("NVCC_") || Name == "CPATH" || Name.ends_with("INCLUDE_PATH"))
      return NotRead(fmt::format("compilers read '{}'", Word));
  for (llvm::StringRef Word : Line)
    if (Word.contains('`') || (Word.contains('$') && !Word.contains("$ORIGIN")))
      return NotRead(fmt::format("a shell reads '{}' otherwise than it stands there", Word.str()));
  CompileFlags Flags =
      translateFlags(IsFound ? llvm::ArrayRef(Compiler + 1, Line.end()) : Line.drop_front(), Command.Directory);
  if (IsFound && !llvm::sys::path::filename(*Compiler).starts_with("clang"))
    Flags.Compiler = llvm::sys::path::has_parent_path(*Compiler) ? absolute(*Compiler, Command.Directory) : *Compiler;
  return Flags;
}

llvm::Expected<CompileFlags> flagsFromDatabase(const std::string &BuildDirectory, const std::string &File) {
  const auto Commands = TRY(commandsOf(File, BuildDirectory));
  CompileFlags Flags = TRY(flagsOfCommand(Commands.front(), File, BuildDirectory));
  // One file of several targets or configurations.
  for (const clang::tooling::CompileCommand &Command : llvm::drop_begin(Commands))
    if (const CompileFlags Other = TRY(flagsOfCommand(Command, File, BuildDirectory));
        Other.Compiler != Flags.Compiler || Other.Nvcc != Flags.Nvcc || Other.Architectures != Flags.Architectures ||
        Other.Standard != Flags.Standard)
      return badInput("compile_commands.json in '" + BuildDirectory + "' has several commands for '" + File +
                          "', which differ",
                      "pass the flags of one of them after `--`");
  return Flags;
}

} // namespace cufuse
