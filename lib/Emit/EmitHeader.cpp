#include "Parts.h"

#include "cufuse/Ptx/PtxExpectation.h"
#include "cufuse/Support/Text.h"

#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVectorExtras.h>
#include <llvm/Support/xxhash.h>

namespace cufuse {

namespace {

constexpr llvm::StringLiteral HeaderBegin = "// How to launch ",
                              MadeBy = "// Made by: ", AsWritten = "// As written: ", OwnSpace = "cufuse_";
/// Stands where a hash of the text will, which has as many digits.
constexpr llvm::StringLiteral Unhashed = "cufusehashofthis";

/// Of all but blanks: an editor's or a repository's way to end lines is no change.
std::string hashOf(llvm::StringRef Text) {
  std::string Said;
  llvm::copy_if(Text, std::back_inserter(Said), [](char C) { return !llvm::isSpace(C); });
  return fmt::format("{:016x}", llvm::xxh3_64bits(llvm::arrayRefFromStringRef(Said)));
}

} // namespace

void writeAsWritten(Writer &To, const EmitOptions &Options) {
  if (!Options.KernelOnly)
    To.line("{}{}; one that is edited is not replaced", AsWritten.str(), constant(Unhashed.str()));
}

OutputText ownSpace() { return outputText("{}{}", OwnSpace.str(), constant(Unhashed.str())); }

void inOwnSpace(Writer &To, llvm::function_ref<void()> Emit) {
  To.line("inline namespace {} {{", ownSpace());
  Emit();
  To.line("}} // namespace {}", ownSpace());
}

std::string hashed(llvm::StringRef Text) { return replaced(Text, Unhashed, hashOf(Text)); }

void writeHashes(FusedSource &Fused) {
  const std::string OfSource = hashOf(Fused.Source), Space = OwnSpace.str();
  Fused.Source = replaced(Fused.Source, Unhashed, OfSource);
  Fused.Header = replaced(Fused.Header, Space + Unhashed.str(), Space + OfSource);
  Fused.Header = hashed(Fused.Header);
}

bool isAsWritten(llvm::StringRef Text) {
  const size_t At = Text.find(("\n" + AsWritten).str());
  if (At == llvm::StringRef::npos) // of all that is ours, only the line can be missing
    return !hasExpectation(Text) && !isLaunchersHeader(Text);
  const llvm::StringRef Hash = Text.substr(At + 1 + AsWritten.size(), Unhashed.size());
  return Hash.size() == Unhashed.size() && hashOf(replaced(Text, Hash, Unhashed)) == Hash;
}

bool isLaunchersHeader(llvm::StringRef Text) {
  return Text.starts_with(HeaderBegin) && Text.split('\n').second.starts_with(MadeBy);
}

/// What a host program names.
static void declarations(Writer &Lines, llvm::ArrayRef<Constituent> Constituents, const FusionPlan &Plan,
                         const EmitOptions &Options) {
  const std::string &Name = Options.Name;
  const bool IsAlone = Constituents.size() == 1;
  std::vector<std::string> Errors;
  if (!llvm::all_of(Constituents, [](const Constituent &C) { return C.Text->Elements; }))
    Errors.push_back("a grid that its kernel cannot have");
  if (Errors.empty() || llvm::any_of(Constituents, [](const Constituent &C) { return !C.Text->LaunchErrors.empty(); }))
    Errors.push_back("arguments that it is not fused for");
  const std::string Returns = "Returns cudaErrorInvalidConfiguration for " + llvm::join(Errors, " or ") + ".";
  if (Options.Apart)
    declareApart(Lines, Options);
  for (unsigned I = 0; I < Constituents.size(); ++I) {
    const Constituent &C = Constituents[I];
    Lines.line("namespace {} {{", C.Name);
    emitArguments(Lines, Constituents, I, Plan, Name);
    if (IsAlone) {
      const std::string Count = C.Text->Elements ? elementCount(C) : "";
      Lines.comment(fmt::format("{}{}.", C.Facts->QualifiedName,
                                Count.empty()                          ? ", as a launch with this grid"
                                : Count.find('(') == std::string::npos ? ", on " + Count + " elements"
                                                                       : ", on all its elements"));
      if (!C.Text->Note.empty())
        Lines.comment(C.Text->Note + (llvm::StringRef(C.Text->Note).ends_with(".") ? "" : "."));
      Lines.comment(Returns);
      Lines.write(plainSignature(C, Plan, Name, "", " = nullptr);"));
      if (Options.Apart)
        emitApart(Lines, Constituents, Plan, Options);
    }
    Lines.line("}} // namespace {}", C.Name);
    Lines.blank();
  }
  if (IsAlone) {
    std::vector<OutputText> Members = launchCall(Constituents, Plan, Name).Members;
    Members.push_back("stream");
    const std::string Head = "  return " + Constituents.front().Name + "::launch(";
    Lines.line("/// The same.\ninline {}", launchSignature(Constituents, " = nullptr) {"));
    Lines.line("{}\n}}", wrapped(Head, Members, ");", Head.size()));
  } else {
    Lines.comment(Plan.isInOrder() ? "Launches all of them: each finds what those before it have stored."
                                   : "Launches all of them at once: they must not depend on each other.");
    Lines.comment(Returns);
    Lines.write(launchSignature(Constituents, " = nullptr);"));
  }
  if (Options.Apart && Constituents.size() > 1)
    emitApart(Lines, Constituents, Plan, Options);
  Lines.blank();
}

void writeHead(Writer &To, llvm::ArrayRef<Constituent> Constituents, const EmitOptions &Options) {
  To.line("{}{}.", HeaderBegin.str(), inComment(listed(llvm::map_to_vector(Constituents, [](const Constituent &C) {
            return C.Facts->QualifiedName;
          }))));
  To.line("{}{}", MadeBy.str(), inComment(Options.Command));
  writeAsWritten(To, Options);
}

std::string emitHeader(llvm::ArrayRef<Constituent> Constituents, const FusionPlan &Plan, const EmitOptions &Options) {
  Writer Lines(Options.HeaderFile, Options.LineDirectives);
  writeHead(Lines, Constituents, Options);
  Writer Declarations("", false);
  Declarations.line("namespace {} {{ inline namespace {} {{", Options.Name, ownSpace());
  declarations(Declarations, Constituents, Plan, Options);
  Declarations.line("}}}} // namespace {}", Options.Name);
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
  includeLines(Lines, Constituents, Options, &KernelText::Includes, true, Seen);
  Lines.blank();
  writeOurs(Lines, Constituents, Options, [&](Writer &Own) { Own.write(Declarations); });
  return Lines.text();
}

} // namespace cufuse
