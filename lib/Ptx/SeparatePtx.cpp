#include "cufuse/Ptx/SeparatePtx.h"

#include "PtxModule.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

namespace cufuse {

std::vector<std::string> separatePtx(llvm::StringRef Ptx, llvm::ArrayRef<std::string> Marks) {
  auto Module = llvm::expectedToOptional(readPtxModule(Ptx));
  std::vector<std::string> Texts(Marks.size());
  // Debug information names everything; but for the strings, which stand alone.
  if (!Module || llvm::any_of(llvm::split(Ptx, '\n'), [](llvm::StringRef Line) {
        return Line.ltrim().starts_with(".section") && !Line.contains(".debug_str");
      }))
    return {};
  auto Take = [&](size_t Count, llvm::StringRef Head) {
    const bool Shared = llvm::none_of(Marks, [&](const std::string &Mark) { return Head.contains(Mark); });
    for (size_t I = 0; I < Marks.size(); ++I)
      if (Shared || Head.contains(Marks[I]))
        Texts[I] += Ptx.take_front(Count);
    Ptx = Ptx.drop_front(Count);
  };
  for (const PtxItem &Item : Module->Items) {
    Take(Item.Whole.begin() - Ptx.begin(), "");
    // The end of its line goes with it.
    const llvm::StringRef Behind = Ptx.drop_front(Item.Whole.size()).take_until([](char C) { return C == '\n'; });
    const bool IsLast = Behind.trim().empty() || Behind.ltrim().starts_with("//");
    Take(std::min(Item.Whole.size() + (IsLast ? Behind.size() + 1 : 0), Ptx.size()), Item.Head.split('{').first);
  }
  Take(Ptx.size(), "");
  return Texts;
}

} // namespace cufuse
