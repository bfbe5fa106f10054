#include "Parts.h"

#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/MemoryBuffer.h>

#include <map>

namespace cufuse {

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

/// May it leave a `#pragma pack` on for what follows it?
static bool mayLeavePacking(const IncludeLine &Include) {
  int Open = 0;
  for (const std::string &Path : Include.Reads)
    if (const auto Text = llvm::MemoryBuffer::getFile(Path))
      for (llvm::StringRef Line, Rest = (*Text)->getBuffer(); !Rest.empty();) {
        std::tie(Line, Rest) = Rest.split('\n');
        if (!Line.ltrim().consume_front("#") || !Line.contains("pragma") || !Line.contains("pack"))
          continue;
        if (!Line.contains("push") && !Line.contains("pop"))
          return true;
        Open += Line.contains("push") ? 1 : -1;
      }
  return Open != 0;
}

void includeLines(Writer &To, llvm::ArrayRef<Constituent> Constituents, const EmitOptions &Options,
                  std::vector<IncludeLine> KernelText::*List, bool ForArgumentsOnly, std::set<std::string> &Seen) {
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
  // The header's reader has what follows as it was, whichever of the headers is to end it.
  const bool Packs = ForArgumentsOnly && llvm::any_of(Constituents, [&](const Constituent &C) {
                       return llvm::any_of(C.Text->*List, [](const IncludeLine &Include) {
                         return Include.ForArguments && mayLeavePacking(Include);
                       });
                     });
  if (Packs)
    To.line("#pragma pack(push, cufuse)");
  for (const Constituent &C : Constituents)
    for (const IncludeLine &Include : C.Text->*List) {
      const std::string Line = written(Include);
      if ((Include.IsUnneeded && !Options.AllIncludes) || (ForArgumentsOnly && !Include.ForArguments) ||
          !Seen.insert(Line).second)
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
  if (Packs)
    To.line("#pragma pack(pop, cufuse)");
}

llvm::Error checkIncludes(llvm::ArrayRef<Constituent> Constituents, const EmitOptions &Options) {
  std::vector<Blocker> Refusals;
  for (const auto List : {&KernelText::Includes, &KernelText::Libraries}) {
    std::map<std::string, const IncludeLine *> Seen;
    for (const Constituent &C : Constituents)
      for (const IncludeLine &Include : C.Text->*List) {
        if (Include.IsUnneeded && !Options.AllIncludes)
          continue;
        if (Include.MayBeAnother)
          Refusals.push_back(
              {BlockerKind::IncludeClash, Include.Where, fmt::format("{} is {}", Include.Text, Include.Path)});
        auto [Known, New] = Seen.try_emplace(Include.Text, &Include);
        if (New)
          continue;
        if (Known->second->Path != Include.Path && !llvm::sys::fs::equivalent(Known->second->Path, Include.Path))
          Refusals.push_back({BlockerKind::IncludeClash, Include.Where,
                              fmt::format("{} is {} and {}", Include.Text, Known->second->Path, Include.Path)});
        else if (!Known->second->isReadLike(Include))
          Refusals.push_back(
              {BlockerKind::HeaderConfiguration, Include.Where,
               fmt::format("{}, by other macros, packing or linkage at {}", Include.Path, Known->second->Where.str())});
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

} // namespace cufuse
