#include "Parts.h"

#include "cufuse/Frontend/ForeignMacros.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVectorExtras.h>
#include <llvm/ADT/StringExtras.h>

namespace cufuse {

/// Identifiers and numbers, once each.
static std::set<llvm::StringRef> wordsOf(llvm::StringRef Text) {
  auto IsPart = [](char C) { return llvm::isAlnum(C) || C == '_'; };
  std::set<llvm::StringRef> Words;
  while (!(Text = Text.drop_until(IsPart)).empty()) {
    Words.insert(Text.take_while(IsPart));
    Text = Text.drop_while(IsPart);
  }
  return Words;
}

bool isMacroOutside(llvm::ArrayRef<Constituent> Constituents, llvm::StringRef Name) {
  return llvm::any_of(Constituents, [&](const Constituent &C) { return C.Text->OutsideMacros.contains(Name); });
}

void writeOurs(Writer &To, llvm::ArrayRef<Constituent> Constituents, const EmitOptions &Options,
               llvm::function_ref<void(Writer &)> Emit, llvm::StringRef Included) {
  Writer Own(Options.SourceFile, false);
  Emit(Own);
  const std::string All = Own.text() + Included.str();
  std::set<std::string> Hidden;
  for (const llvm::StringRef Word : wordsOf(All))
    // Those are the toolkit's and the compiler's; two are macros inside Clang's own header.
    if (!Word.starts_with("__") && !Word.starts_with("cuda") && Word != "dim3" && Word != "uint3" &&
        isMacroOutside(Constituents, Word))
      Hidden.insert(Word.str());
  for (const std::string &Name : Hidden)
    To.line("#pragma push_macro(\"{0}\")\n#undef {0}", Name);
  To.write(Own);
  for (const std::string &Name : Hidden)
    To.line("#pragma pop_macro(\"{}\")", Name);
}

std::set<std::string> saveMacros(Writer &To, llvm::ArrayRef<Constituent> Constituents, const Constituent &C) {
  const KernelText &Text = *C.Text;
  std::set<std::string> Names = C.Foreign;
  llvm::copy_if(Text.BodyMacros, std::inserter(Names, Names.end()),
                [&](const std::string &Name) { return isMacroOutside(Constituents, Name); });
  for (const std::string &Name : Names) {
    To.line("#pragma push_macro(\"{}\")", Name);
    if (!Text.OutsideMacros.contains(Name))
      To.line("#undef {}", Name);
  }
  return Names;
}

void restoreMacros(Writer &To, const std::set<std::string> &Names) {
  for (const std::string &Name : Names)
    To.line("#pragma pop_macro(\"{}\")", Name);
}

/// Those that no other kernel's headers change.
std::vector<MacroText> MacroComparison::expected(const Constituent &C) const {
  std::vector<MacroText> Expected;
  if (Options.KernelOnly) // it is compiled as it was read
    return Expected;
  for (const auto &Macro : C.Text->OutsideMacros) {
    const MacroText &Said = Macro.second;
    auto IsAnothers = [&](llvm::StringRef Word) {
      return !C.Text->OutsideMacros.contains(Word) && isMacroOutside(Constituents, Word);
    };
    if (!Said.Call.empty() && !llvm::is_contained(C.Text->BodyMacros, Macro.first()) &&
        llvm::none_of(wordsOf(Said.Text), IsAnothers))
      Expected.push_back(Said);
  }
  llvm::sort(Expected, [](const MacroText &A, const MacroText &B) { return A.Call < B.Call; });
  return Expected;
}

/// Compilers' constant expressions would be too deep.
static bool isLong(const MacroText &Macro) { return Macro.Text.size() > 256; }

static unsigned long long hashOfWords(llvm::StringRef Text) {
  unsigned long long Hash = 0xcbf29ce484222325;
  for (const unsigned char Char : Text)
    if (Char != ' ')
      Hash = (Hash ^ Char) * 0x100000001b3;
  return Hash;
}

void MacroComparison::writePrelude(Writer &To) const {
  if (llvm::all_of(Constituents, [&](const Constituent &C) { return expected(C).empty(); }))
    return;
  writeOurs(To, Constituents, Options, [&](Writer &Own) {
    Own.line("namespace {} {{", Options.Name);
    Own.write("/// Are they the same but for blanks?\n"
              "constexpr bool cufuseSame(const char *a, const char *b) {\n"
              "  return *a == ' ' ? cufuseSame(a + 1, b)\n"
              "       : *b == ' ' ? cufuseSame(a, b + 1)\n"
              "                   : *a == *b && (*a == 0 || cufuseSame(a + 1, b + 1));\n"
              "}");
    if (llvm::any_of(Constituents, [&](const Constituent &C) { return llvm::any_of(expected(C), isLong); }))
      Own.write("#if __cplusplus >= 201402L\n"
                "/// Of all but blanks.\n"
                "constexpr unsigned long long cufuseHash(const char *text) {\n"
                "  unsigned long long hash = 0xcbf29ce484222325;\n"
                "  for (; *text; ++text)\n"
                "    if (*text != ' ')\n"
                "      hash = (hash ^ static_cast<unsigned char>(*text)) * 0x100000001b3;\n"
                "  return hash;\n"
                "}\n"
                "#endif");
    Own.line("}} // namespace {}", Options.Name);
    Own.blank();
  });
}

/// Where a macro says something else, the text is another kernel than was fused.
void MacroComparison::write(Writer &To, const Constituent &C) {
  std::vector<MacroText> New;
  for (const MacroText &Each : expected(C))
    if (Compared.insert({Each.Call, Each.Text}).second)
      New.push_back(Each);
  if (New.empty())
    return;
  To.write("#define CUFUSE_TEXT(...) #__VA_ARGS__\n#define CUFUSE_EXPANDED(...) CUFUSE_TEXT(__VA_ARGS__)");
  for (const MacroText &Each : New) {
    if (isLong(Each)) {
      To.line("#if __cplusplus >= 201402L\nstatic_assert({}::cufuseHash(CUFUSE_EXPANDED({})) == 0x{:x}, \"fused with "
              "other flags or headers\");\n#endif",
              Options.Name, Each.Call, hashOfWords(Each.Text));
      continue;
    }
    std::string Text;
    for (char Char : Each.Text)
      Text += (Char == '"' || Char == '\\' ? "\\" : "") + std::string(1, Char);
    To.line("static_assert({}::cufuseSame(CUFUSE_EXPANDED({}), \"{}\"), \"fused with other flags or headers\");",
            Options.Name, Each.Call, Text);
  }
  To.write("#undef CUFUSE_TEXT\n#undef CUFUSE_EXPANDED");
}

void findForeignMacros(std::vector<Constituent> &Constituents) {
  const auto Texts = llvm::map_to_vector(Constituents, [](const Constituent &C) { return C.Text; });
  for (Constituent &C : Constituents)
    C.Foreign = foreignMacros(*C.Text, C.Text->Body, Texts);
}

} // namespace cufuse
