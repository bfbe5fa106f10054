#include "cufuse/Support/Process.h"

#include "cufuse/Support/Error.h"

#include <fmt/format.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/FileUtilities.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Program.h>

namespace cufuse {

llvm::Expected<ProcessResult> runProcess(llvm::ArrayRef<std::string> Arguments, unsigned TimeLimitSeconds) {
  llvm::SmallString<128> LogPath;
  if (std::error_code Error = llvm::sys::fs::createTemporaryFile("cufuse", "log", LogPath))
    return fail(ExitCode::MissingTool, "cannot make a temporary file: " + Error.message());
  llvm::FileRemover RemoveLog(LogPath);
  std::vector<llvm::StringRef> Views(Arguments.begin(), Arguments.end());
  const llvm::StringRef Log = LogPath;
  std::string Why;
  bool Failed = false;
  ProcessResult Result;
  Result.Status = llvm::sys::ExecuteAndWait(Arguments[0], Views, std::nullopt, {llvm::StringRef(), Log, Log},
                                            TimeLimitSeconds, 0, &Why, &Failed);
  if (Failed)
    return fail(ExitCode::MissingTool, fmt::format("cannot run '{}': {}", Arguments[0], Why));
  if (auto Text = llvm::MemoryBuffer::getFile(LogPath))
    Result.Output = (*Text)->getBuffer().str();
  return Result;
}

} // namespace cufuse
