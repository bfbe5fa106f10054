#include "cufuse/Compile/ParsePtxas.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/Support/Regex.h>

namespace cufuse {

/// The number before `Unit` in a line like `0 bytes stack frame, 8 bytes spill stores`.
static unsigned numberBefore(llvm::StringRef Line, llvm::StringRef Unit) {
  const size_t At = Line.find(Unit);
  if (At == llvm::StringRef::npos)
    return 0;
  const llvm::StringRef Before = Line.take_front(At).rtrim();
  unsigned Number = 0;
  Before.take_back(Before.size() - Before.find_last_not_of("0123456789") - 1).getAsInteger(10, Number);
  return Number;
}

std::map<std::string, ResourceUse> parsePtxas(llvm::StringRef Log) {
  std::map<std::string, ResourceUse> Kernels;
  ResourceUse *Entry = nullptr;
  // ptxas describes device functions, too; only what belongs to an entry counts.
  bool InEntry = false;
  static const llvm::Regex Compiling("Compiling entry function '([^']+)'"),
      Properties("Function properties for ([^ ]+)");
  llvm::SmallVector<llvm::StringRef> Match;
  while (!Log.empty()) {
    llvm::StringRef Line;
    std::tie(Line, Log) = Log.split('\n');
    if (Compiling.match(Line, &Match)) {
      Entry = &Kernels[Match[1].str()];
      InEntry = true;
    } else if (Properties.match(Line, &Match)) {
      auto Known = Kernels.find(Match[1].rtrim().str());
      InEntry = Known != Kernels.end();
    } else if (Entry && InEntry && Line.contains("bytes stack frame")) {
      Entry->StackBytes = numberBefore(Line, "bytes stack frame");
      Entry->SpillStores = numberBefore(Line, "bytes spill stores");
      Entry->SpillLoads = numberBefore(Line, "bytes spill loads");
    } else if (Entry && Line.contains("Used ") && Line.contains(" registers")) {
      Entry->Registers = numberBefore(Line, " registers");
      Entry->Barriers = numberBefore(Line, " barriers");
      Entry->SharedBytes = numberBefore(Line, " bytes smem");
    }
  }
  return Kernels;
}

} // namespace cufuse
