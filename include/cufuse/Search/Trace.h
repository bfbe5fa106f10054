// Everything a search has tried, in the order of trying, kept in a file that only grows: what was written before an
// interruption is there when the search is resumed.
#pragma once

#include "cufuse/Search/Evaluator.h"

#include <llvm/Support/Error.h>
#include <llvm/Support/JSON.h>
#include <llvm/Support/raw_ostream.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cufuse {

struct TraceEntry {
  Candidate Tried;
  std::optional<Effort> Measured; ///< With which effort; nothing: screened only.
  Evaluation Result;
  double Predicted = 0; ///< Microseconds, by the model, before the result was known; 0: not asked.
  double At = 0;        ///< Seconds of tuning so far, all sittings together.
};

/// Candidates by what became of them at last.
struct FateCounts {
  std::array<unsigned, FateCount> Of{}; ///< By fate; `Measured`: with a time.
  unsigned OnlyScreened = 0;            ///< Could be measured, and were not.
  unsigned of(Fate F) const { return Of[static_cast<unsigned>(F)]; }
  unsigned total() const;
};
FateCounts countFates(const std::vector<TraceEntry> &Entries);

class Trace {
public:
  /// Kept in memory only.
  Trace() = default;
  /// Kept in the file: JSON lines, the first of them `{"cufuse_trace": 1, "key": KEY, "about": ABOUT}`, then one entry
  /// each. A file of the same key is continued, and its last line left out if it is incomplete. Fails when the file
  /// cannot be read or written, is no trace, or has another key: then its results are of something else.
  static llvm::Expected<Trace> open(const std::string &Path, const std::string &Key, llvm::json::Value About);

  const std::vector<TraceEntry> &entries() const { return Entries; }
  /// Of the last entry: where the next sitting's time goes on.
  double seconds() const { return Entries.empty() ? 0 : Entries.back().At; }

  /// Appends, and hands the line to the system before it returns. A file that cannot be written to any more stays as
  /// it is, and is an error of `close`.
  void append(TraceEntry Entry);
  llvm::Error close();

private:
  void write(const llvm::json::Value &Line);
  void end();

  std::vector<TraceEntry> Entries;
  std::string Path;
  std::unique_ptr<llvm::raw_fd_ostream> File; ///< Null once it has ended.
  std::error_code Failed;
};

/// A recorded trace, for replaying: its header's `about` and its entries.
struct RecordedTrace {
  std::string Key;
  llvm::json::Value About = nullptr;
  std::vector<TraceEntry> Entries;
  std::uint64_t CompleteBytes = 0; ///< Of the file, up to the last complete line.
};
/// Fails with the line that is wrong; an incomplete last line is not.
llvm::Expected<RecordedTrace> parseTrace(llvm::StringRef Text, const std::string &Name);

} // namespace cufuse
