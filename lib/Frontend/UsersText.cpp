#include "cufuse/Frontend/UsersText.h"

#include "LaunchBrackets.h"

#include <fmt/core.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringSet.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/xxhash.h>

namespace cufuse {

namespace fs = llvm::sys::fs;

std::string realPath(llvm::StringRef Path) {
  llvm::SmallString<256> Real;
  return fs::real_path(Path, Real) ? Path.str() : std::string(Real);
}

ToolkitFiles::ToolkitFiles(const Toolchain &Tools)
    : Folders{realPath(Tools.CudaPath + "/include"), realPath(Tools.CudaPath + "/targets"),
              realPath(Tools.ResourceDir)} {}

LibraryFiles::LibraryFiles(const Toolchain &Tools) : ToolkitFiles(Tools) {
  Folders.insert(Folders.end(), {"/usr/include", "/usr/lib/gcc"});
}

bool ToolkitFiles::contains(llvm::StringRef Path) {
  auto [Entry, New] = Known.try_emplace(Path, false);
  if (New) {
    const std::string Real = realPath(Path);
    Entry->second = Path.starts_with(VirtualFolder) || llvm::any_of(Folders, [&](const std::string &Folder) {
                      return llvm::StringRef(Real).starts_with(Folder + "/");
                    });
  }
  return Entry->second;
}

std::optional<MacroDefinition> readDefinition(llvm::StringRef Text, std::string &Name) {
  const std::vector<RawToken> Tokens = rawTokens(Text);
  if (Tokens.empty() || !Tokens[0].IsIdentifier)
    return std::nullopt;
  MacroDefinition Definition;
  Name = Tokens[0].Spelling;
  size_t At = 1;
  if (At < Tokens.size() && Tokens[At].Spelling == "(" && !Tokens[At].SpaceBefore) {
    Definition.IsFunction = true;
    for (++At; At < Tokens.size() && Tokens[At].Spelling != ")"; ++At)
      if (Tokens[At].Spelling == "...") {
        Definition.Variadic = true;
        // GNU: `name...` names the rest.
        if (Tokens[At - 1].Spelling == "(" || Tokens[At - 1].Spelling == ",")
          Definition.Parameters.push_back("__VA_ARGS__");
      } else if (Tokens[At].Spelling != ",")
        Definition.Parameters.push_back(Tokens[At].Spelling);
    ++At;
  }
  for (; At < Tokens.size(); ++At)
    Definition.Body.push_back(Tokens[At].Spelling);
  return Definition;
}

/// Macros that say the same under every compiler, however its libraries define them.
static bool isStandard(llvm::StringRef Name) {
  static const llvm::StringSet<> Names = {
      // C++, by header.
      "assert", "errno", "NULL", "offsetof", "INFINITY", "NAN", "HUGE_VAL", "HUGE_VALF", "HUGE_VALL", "isnan", "isinf",
      "isfinite", "isnormal", "signbit", "fpclassify", "FP_NAN", "FP_INFINITE", "FP_ZERO", "FP_SUBNORMAL", "FP_NORMAL",
      "EXIT_SUCCESS", "EXIT_FAILURE", "RAND_MAX", "stdin", "stdout", "stderr", "EOF", "BUFSIZ", "CLOCKS_PER_SEC",
      "va_start", "va_end", "va_arg", "va_copy", "CHAR_BIT", "SEEK_SET", "SEEK_CUR", "SEEK_END", "static_assert",
      "alignas", "alignof", "bool", "true", "false", "setjmp", "FLT_EVAL_METHOD", "FLT_ROUNDS", "FLT_RADIX",
      "DECIMAL_DIG", "MB_LEN_MAX", "_Bool", "complex", "I", "noreturn", "thread_local",
      // A variable; the toolkit's macro of that name takes an argument.
      "__func__",
      // CUDA.
      "__host__", "__device__", "__global__", "__shared__", "__constant__", "__managed__", "__forceinline__",
      "__noinline__", "__launch_bounds__", "__grid_constant__", "__cluster_dims__", "__block_size__", "__maxnreg__",
      "__align__", "__builtin_align__", "__inline_hint__", "__nv_pure__", "__restrict__", "__cudart_builtin__",
      "__device_builtin__", "__tile_global__", "CUDARTAPI", "CUDART_CB", "__CUDA_ARCH_HAS_FEATURE__"};
  if (Names.contains(Name))
    return true;
  // Limits: INT_MAX, UINT64_C, FLT_EPSILON; CUDA's ordered scopes, which are no macros for nvcc.
  for (llvm::StringRef Prefix : {"FLT_", "DBL_", "LDBL_", "__NV_ATOMIC_", "__NV_THREAD_SCOPE_"})
    if (Name.starts_with(Prefix))
      return true;
  const bool Type = llvm::any_of(llvm::ArrayRef<llvm::StringRef>{"INT", "UINT", "CHAR", "SCHAR", "UCHAR", "SHRT",
                                                                 "USHRT", "LONG", "ULONG", "LLONG", "ULLONG", "SIZE",
                                                                 "SSIZE", "PTRDIFF", "WCHAR", "WINT", "SIG_ATOMIC"},
                                 [&](llvm::StringRef Prefix) { return Name.starts_with(Prefix); });
  return Type && (Name.ends_with("_MAX") || Name.ends_with("_MIN") || Name.ends_with("_C") || Name.ends_with("_WIDTH"));
}

static bool isIdentifier(llvm::StringRef Text) { return !Text.empty() && (isalpha(Text[0]) || Text[0] == '_'); }

static void append(llvm::StringRef Name, FindDefinition Find, llvm::StringSet<> &Seen, std::string &Out) {
  if (!Seen.insert(Name).second)
    return;
  const auto Found = Find(Name);
  // For another compiler, it may be no macro at all.
  if (!Found || (!Found->Users && isStandard(Name)))
    return;
  Out += "\x1e" + Name.str();
  Out +=
      fmt::format("\x1d{}{}{}{}", Found->IsFunction, Found->Variadic, Found->Users, llvm::join(Found->Parameters, ","));
  for (const std::string &Token : Found->Body)
    for (const std::string &Part : asNvccReads(Token))
      Out += "\x1f" + Part;
  for (const std::string &Token : Found->Body)
    if (isIdentifier(Token) && !llvm::is_contained(Found->Parameters, Token))
      append(Token, Find, Seen, Out);
}

std::uint64_t meaningOf(llvm::StringRef Name, FindDefinition Find) {
  llvm::StringSet<> Seen;
  std::string Out;
  append(Name, Find, Seen, Out);
  return Out.empty() ? 0 : llvm::xxh3_64bits(Out);
}

std::uint64_t combined(std::uint64_t A, std::uint64_t B) { return llvm::xxh3_64bits(fmt::format("{:x} {:x}", A, B)); }

bool isSwallowedPragma(llvm::ArrayRef<RawToken> Line) {
  // Those that speak to the compiler about itself change no program.
  static const llvm::StringSet<> Names = {"once",  "push_macro", "pop_macro", "message", "GCC",
                                          "clang", "region",     "endregion", "mark",    "warning"};
  return Line.size() < 2 || Names.contains(Line[1].Spelling);
}

std::string digestOf(const UsersText &Text) {
  std::string All;
  for (const UsersToken &T : Text.Tokens)
    All += fmt::format("{}:{}{:x}\n", T.Spelling.size(), T.Spelling, T.Meaning);
  const llvm::XXH128_hash_t Hash = llvm::xxh3_128bits(llvm::arrayRefFromStringRef(All));
  return fmt::format("{:016x}{:016x}", Hash.high64, Hash.low64);
}

SourcePlace placeOf(const UsersText &Text, const UsersToken &Token) {
  SourcePlace Place{Text.Files[Token.File], Token.Line, 1, {}};
  if (auto Buffer = llvm::MemoryBuffer::getFile(Place.File)) {
    llvm::StringRef Rest = (*Buffer)->getBuffer();
    for (unsigned I = 1; I < Token.Line; ++I)
      Rest = Rest.split('\n').second;
    Place.LineText = Rest.split('\n').first.rtrim('\r').str();
    const size_t At = Place.LineText.find(Token.Spelling);
    Place.Column = At == std::string::npos ? 1 : At + 1;
  }
  return Place;
}

/// The innermost condition that the place is under; the place itself where there is none.
static SourcePlace conditionAround(SourcePlace Place) {
  auto Buffer = llvm::MemoryBuffer::getFile(Place.File);
  if (!Buffer)
    return Place;
  std::vector<SourcePlace> Open;
  llvm::StringRef Rest = (*Buffer)->getBuffer();
  for (unsigned Line = 1; Line < Place.Line; ++Line) {
    const auto [Text, Next] = Rest.split('\n');
    Rest = Next;
    llvm::StringRef Directive = Text.ltrim();
    if (!Directive.consume_front("#"))
      continue;
    Directive = Directive.ltrim();
    if (Directive.starts_with("if"))
      Open.push_back({Place.File, Line, static_cast<unsigned>(Text.find('#') + 1), Text.rtrim('\r').str()});
    else if (Directive.starts_with("endif") && !Open.empty())
      Open.pop_back();
  }
  return Open.empty() ? Place : Open.back();
}

/// nvcc's preprocessor leaves nothing of these pragmas.
static bool popsMacros(const UsersText &Text) {
  return llvm::any_of(Text.Files, [](const std::string &File) {
    auto Buffer = llvm::MemoryBuffer::getFile(File);
    return Buffer && (*Buffer)->getBuffer().contains("pop_macro");
  });
}

std::optional<TextDifference> firstDifference(const UsersText &Ours, const UsersText &Theirs,
                                              const std::string &Architecture) {
  const size_t Common = std::min(Ours.Tokens.size(), Theirs.Tokens.size());
  for (size_t I = 0; I < Common; ++I) {
    const UsersToken &A = Ours.Tokens[I], &B = Theirs.Tokens[I];
    if (A.Spelling == B.Spelling && A.Meaning == B.Meaning)
      continue;
    if (A.Spelling == B.Spelling)
      return TextDifference{placeOf(Ours, A),
                            fmt::format("for {}, nvcc expands '{}' otherwise than cufuse{}", Architecture, A.Spelling,
                                        popsMacros(Ours) ? ", which does not see what `#pragma pop_macro` restores for "
                                                           "nvcc: `#undef` and `#define` it instead"
                                                         : "")};
    const SourcePlace X = placeOf(Ours, A), Y = placeOf(Theirs, B);
    const bool SameFile = fs::equivalent(X.File, Y.File);
    return TextDifference{
        conditionAround(SameFile && Y.Line < X.Line ? Y : X),
        fmt::format("for {}, nvcc reads '{}' where cufuse reads '{}'", Architecture, B.Spelling, A.Spelling)};
  }
  if (Ours.Tokens.size() == Theirs.Tokens.size())
    return std::nullopt;
  const bool More = Ours.Tokens.size() > Common;
  const UsersText &Longer = More ? Ours : Theirs;
  const UsersToken &First = Longer.Tokens[Common];
  return TextDifference{conditionAround(placeOf(Longer, First)),
                        fmt::format("for {}, {} reads '{}' and {} does not", Architecture, More ? "cufuse" : "nvcc",
                                    First.Spelling, More ? "nvcc" : "cufuse")};
}

} // namespace cufuse
