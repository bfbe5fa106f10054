#include "cufuse/Frontend/Flags.h"

#include "cufuse/Support/Error.h"

#include <clang/Tooling/CompilationDatabase.h>
#include <llvm/ADT/StringSwitch.h>
#include <llvm/Support/Path.h>

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
      .Cases({"--use_fast_math", "-use_fast_math"}, "-use_fast_math")
      .Cases({"--compiler-options", "-Xcompiler"}, "-Xcompiler")
      .Default(Name);
}

/// Flags whose value may be the next argument.
bool takesValue(llvm::StringRef Name) {
  return llvm::StringSwitch<bool>(Name)
      .Cases({"-I", "-D", "-U", "-include", "-isystem", "-iquote", "-idirafter", "-std"}, true)
      .Cases({"-arch", "-gencode", "-code", "-rdc", "-Xcompiler", "-Xptxas", "--ptxas-options"}, true)
      .Cases({"-Xcudafe", "-Xlinker", "--linker-options", "-Xnvlink", "-Xarchive", "-Xfatbin"}, true)
      .Cases({"-o", "--output-file", "-MF", "-MT", "-MQ", "-ccbin", "--compiler-bindir"}, true)
      .Cases({"-maxrregcount", "--maxrregcount", "-x", "-t", "--threads", "-L", "-l"}, true)
      .Cases({"-diag-suppress", "--diag-suppress", "-diag-error", "--diag-error"}, true)
      .Cases({"-diag-warn", "--diag-warn", "-Werror", "--options-file", "-optf", "-split-compile"}, true)
      .Default(false);
}

/// Flags whose value may follow without a space or `=`.
bool takesJoinedValue(llvm::StringRef Name) {
  return Name == "-I" || Name == "-D" || Name == "-U" || Name == "-isystem" || Name == "-L" || Name == "-l";
}

std::vector<Flag> split(llvm::ArrayRef<std::string> Written) {
  std::vector<Flag> Flags;
  for (size_t I = 0; I < Written.size(); ++I) {
    const llvm::StringRef Text = Written[I];
    Flag Next{Text.str(), "", {Text.str()}};
    const auto [Head, Tail] = Text.split('=');
    if (takesJoinedValue(Text.take_front(2)) && Text.size() > 2) {
      Next.Name = Text.take_front(2).str();
      Next.Value = Text.drop_front(2).str();
    } else if (const llvm::StringRef Name = canonical(Head); Head.size() < Text.size() && Text.starts_with("-")) {
      Next.Name = Name.str();
      Next.Value = Tail.str();
    } else {
      Next.Name = Name.str();
      if (takesValue(Name) && Name != "-Werror" && I + 1 < Written.size()) {
        Next.Value = Written[++I];
        Next.Written.push_back(Next.Value);
      }
    }
    Flags.push_back(std::move(Next));
  }
  return Flags;
}

std::string absolute(const std::string &Path, const std::string &Directory) {
  if (Directory.empty() || llvm::sys::path::is_absolute(Path))
    return Path;
  llvm::SmallString<256> Whole(Directory);
  llvm::sys::path::append(Whole, Path);
  return std::string(Whole);
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

CompileFlags translateFlags(llvm::ArrayRef<std::string> Written, const std::string &Directory) {
  CompileFlags Result;
  for (const Flag &F : split(Written)) {
    const llvm::StringRef Name = F.Name;
    auto Parse = [&](std::vector<std::string> Clang) {
      Result.Clang.insert(Result.Clang.end(), Clang.begin(), Clang.end());
    };
    bool Compiles = true; // nvcc needs it, too, when it compiles the result
    if (Name == "-I" || Name == "-isystem" || Name == "-iquote" || Name == "-idirafter")
      Parse({F.Name, absolute(F.Value, Directory)});
    else if (Name == "-include")
      Parse({F.Name, F.Value});
    else if (Name == "-D" || Name == "-U")
      Parse({F.Name + F.Value});
    else if (Name == "-std")
      Parse({"-std=" + F.Value});
    else if (Name == "-arch" || Name == "-gencode") {
      if (auto Arch = architecture(F.Value))
        Result.Arch = Arch;
      Compiles = false;
    } else if (Name == "-rdc")
      Result.Relocatable = F.Value == "true";
    else if (Name == "-dc") {
      Result.Relocatable = true;
      Result.Nvcc.push_back("-rdc=true");
      Compiles = false;
    } else if (Name == "-use_fast_math")
      Parse({"-D__USE_FAST_MATH__"});
    else if (Name == "-Xcompiler") {
      llvm::SmallVector<llvm::StringRef> Host;
      llvm::StringRef(F.Value).split(Host, ',');
      for (llvm::StringRef H : Host)
        if (H.starts_with("-D") || H.starts_with("-U") || H.starts_with("-I"))
          Parse({H.str()});
    } else if (Name == "-c" || Name == "--compile" || Name == "-o" || Name == "--output-file" || Name == "-x" ||
               Name.starts_with("-M") || Name == "-code" || Name == "-cubin" || Name == "-ptx" || Name == "-fatbin")
      Compiles = false;
    else if (!Name.starts_with("-"))
      Compiles = false; // an input file
    else
      Result.Ignored.push_back(F.Written.front());
    if (!Compiles)
      continue;
    std::vector<std::string> Nvcc = F.Written;
    if (!Directory.empty() && (Name == "-I" || Name == "-isystem"))
      Nvcc = {F.Name, absolute(F.Value, Directory)};
    Result.Nvcc.insert(Result.Nvcc.end(), Nvcc.begin(), Nvcc.end());
  }
  if (Result.Relocatable)
    Result.Clang.insert(Result.Clang.end(), {"-fgpu-rdc", "-D__CUDACC_RDC__"});
  return Result;
}

llvm::Expected<CompileFlags> flagsFromDatabase(const std::string &BuildDirectory, const std::string &File) {
  std::string Why;
  auto Database = clang::tooling::CompilationDatabase::loadFromDirectory(BuildDirectory, Why);
  if (!Database)
    return badInput("cannot read compile_commands.json in '" + BuildDirectory + "': " + llvm::StringRef(Why).trim().str());
  auto Commands = Database->getCompileCommands(File);
  if (Commands.empty())
    return badInput("compile_commands.json in '" + BuildDirectory + "' has no command for '" + File + "'",
                    "pass the flags after `--`");
  const auto &Command = Commands.front();
  llvm::ArrayRef<std::string> Line = Command.CommandLine;
  return translateFlags(Line.drop_front(), Command.Directory);
}

} // namespace cufuse
