#include "cufuse/Support/Stdout.h"

#include "cufuse/Support/Error.h"

#include <fmt/core.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>

namespace cufuse {

std::string printable(llvm::StringRef Text) {
  std::string Result;
  for (size_t I = 0; I < Text.size(); ++I) {
    const auto C = static_cast<unsigned char>(Text[I]);
    // U+0080 to U+009F are commands, too, which UTF-8 begins with C2.
    const bool Commands =
        C < ' ' || C == 0x7f || (C == 0xc2 && I + 1 < Text.size() && static_cast<unsigned char>(Text[I + 1]) < 0xa0);
    Result += Commands ? fmt::format("\\x{:02x}", C) : std::string(1, Text[I]);
  }
  return Result;
}

int finishStdout(int Status) {
  llvm::outs().flush();
  if (!llvm::outs().has_error())
    return Status;
  const std::string Why = llvm::outs().error().message();
  llvm::outs().clear_error(); // Its destructor would end the program as if that were a bug.
  return std::max(Status, static_cast<int>(report(badInput("cannot write to stdout: " + Why), llvm::errs())));
}

} // namespace cufuse
