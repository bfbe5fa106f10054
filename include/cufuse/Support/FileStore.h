// Output files, written whole or not at all.
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Support/Error.h>

#include <chrono>
#include <string>
#include <utility>

namespace cufuse {

struct OutputFile {
  std::string Path;
  std::string Text;
};

/// The path of what has this name in the folder.
std::string within(llvm::StringRef Folder, llvm::StringRef Name);

std::string absolute(llvm::StringRef Path);
/// The path from the folder, where there is one.
std::string absolute(const std::string &Path, const std::string &Folder);

/// The folder that the file lies in, `.` where its name says none.
std::string folderOf(llvm::StringRef File);

/// Fails as bad input where it cannot be read.
llvm::Expected<std::string> textOfFile(const std::string &Path);

/// Writes every file beside its destination and renames them only when all of them are complete; on an error nothing
/// is left behind and nothing that existed has changed. A file that already has this text is left alone, so that build
/// systems see no change.
llvm::Error writeFiles(llvm::ArrayRef<OutputFile> Files);

/// Fails as `writeFiles` would, for files that are still to be made: tries to make one beside each. Empty paths are
/// none.
llvm::Error tryOutputs(llvm::ArrayRef<std::string> Outputs);

/// A file that one process at a time uses. One that is new and stays empty is removed in the end.
class FileLock {
public:
  /// `Busy`: the message where another has it, with `{}` for the path.
  static llvm::Expected<FileLock> take(const std::string &Path, const char *Busy);
  FileLock(FileLock &&Other) noexcept : Path(std::move(Other.Path)), Descriptor(std::exchange(Other.Descriptor, -1)) {}
  FileLock &operator=(FileLock &&) = delete;
  ~FileLock();

private:
  FileLock() = default;
  std::string Path;
  int Descriptor = -1;
};

/// Refuses an output that would replace an input or another output, by whatever path either is reached: links, `..`,
/// other names of the file. Empty paths are none.
llvm::Error checkOutputs(llvm::ArrayRef<std::string> Outputs, llvm::ArrayRef<std::string> Inputs);

/// By the clock that stamps files, which goes in ticks of some milliseconds.
using FileTime = std::chrono::nanoseconds;
/// What changes whenever a file does, or what stands at its path, but for changes within one tick of the clock; empty
/// where there is none.
std::string lookOf(const std::string &Path);
/// Of the clock that stamps what is in this folder, which must be writable. What was changed before has an earlier
/// time, what is changed once this has returned has this or a later one. Waits for a tick.
FileTime nextFileTime(const std::string &Folder);
/// Whether the file, or what stands at its path, was changed at that time or later. One that cannot be looked at may
/// have been.
bool changedSince(const std::string &Path, FileTime When);

} // namespace cufuse
