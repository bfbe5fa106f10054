#include "cufuse/Search/Trace.h"

#include "cufuse/Search/Json.h"
#include "cufuse/Support/Error.h"
#include "cufuse/Support/FileStore.h"

#include <fmt/core.h>
#include <llvm/Support/FileSystem.h>

#include <filesystem>
#include <map>
#include <numeric>

namespace cufuse {

namespace json = llvm::json;

static constexpr const char *Remedy = "name another file, or remove it to begin anew";

unsigned FateCounts::total() const { return std::accumulate(Of.begin(), Of.end(), OnlyScreened); }

FateCounts countFates(const std::vector<TraceEntry> &Entries) {
  std::map<std::string, const TraceEntry *> Last;
  for (const TraceEntry &E : Entries)
    Last[E.Tried.key()] = &E;
  FateCounts Counts;
  for (const auto &[Key, E] : Last)
    ++(E->Result.Outcome == Fate::Measured && !E->Measured ? Counts.OnlyScreened
                                                           : Counts.Of[static_cast<unsigned>(E->Result.Outcome)]);
  return Counts;
}

/// The header.
template <typename Io> static void fields(Io &IO, FieldsOf<Io, RecordedTrace> T) {
  IO.version("cufuse_trace", 1);
  IO("key", T.Key);
}

llvm::Expected<RecordedTrace> parseTrace(llvm::StringRef Text, const std::string &Name) {
  RecordedTrace Recorded;
  for (unsigned Line = 1; Text.contains('\n'); ++Line) {
    const auto [This, Rest] = Text.split('\n');
    llvm::Expected<json::Value> V = json::parse(This);
    json::Path::Root Root(Line == 1 ? "header" : "entry");
    if (!V || !(Line == 1 ? fromJson(*V, Recorded, Root) : fromJson(*V, Recorded.Entries.emplace_back(), Root)))
      return badInput(fmt::format("'{}' line {} is not of a trace: {}", Name, Line,
                                  llvm::toString(V ? Root.getError() : V.takeError())),
                      Remedy);
    Recorded.CompleteBytes += This.size() + 1;
    Text = Rest;
  }
  if (Recorded.CompleteBytes == 0 && !Text.empty())
    return badInput(fmt::format("'{}' is no trace: it has no whole line", Name), Remedy);
  return Recorded;
}

llvm::Expected<Trace> Trace::open(const std::string &Path, const std::string &Key, json::Value About) {
  Trace Opened;
  Opened.Path = Path;
  bool HasHeader = false;
  if (llvm::sys::fs::exists(Path)) {
    // A device may have no end.
    if (!llvm::sys::fs::is_regular_file(Path))
      return badInput(fmt::format("'{}' is no regular file, and so no trace", Path), "name another file");
    auto Text = TRY(textOfFile(Path));
    auto Recorded = TRY(parseTrace(Text, Path));
    HasHeader = Recorded.CompleteBytes > 0;
    if (HasHeader && Recorded.Key != Key)
      return badInput(
          fmt::format("the results in '{}' are of other sources, sizes, data, flags or tools, or of another GPU", Path),
          Remedy);
    std::error_code Error;
    if (Recorded.CompleteBytes < Text.size())
      std::filesystem::resize_file(Path, Recorded.CompleteBytes, Error);
    if (Error)
      return badInput(fmt::format("cannot write '{}': {}", Path, Error.message()));
    Opened.Entries = std::move(Recorded.Entries);
  }
  std::error_code Error;
  Opened.File = std::make_unique<llvm::raw_fd_ostream>(Path, Error, llvm::sys::fs::OF_Append);
  if (Error)
    return badInput(fmt::format("cannot write '{}': {}", Path, Error.message()));
  if (!HasHeader) {
    Opened.write(json::Object{{"cufuse_trace", 1}, {"key", Key}, {"about", std::move(About)}});
    if (llvm::Error Failed = Opened.File ? llvm::Error::success() : Opened.close()) {
      std::filesystem::resize_file(Path, 0, Error); // a part of a header is no trace
      return std::move(Failed);
    }
  }
  return Opened;
}

void Trace::write(const json::Value &Line) {
  if (!File)
    return;
  *File << Line << '\n';
  File->flush();
  // Nothing goes behind a line that is cut: as the last one, it is left out when the trace is read.
  if (File->has_error())
    end();
}

void Trace::end() {
  File->close();
  Failed = File->error();
  File->clear_error();
  File.reset();
}

void Trace::append(TraceEntry Entry) {
  write(toJson(Entry));
  Entries.push_back(std::move(Entry));
}

llvm::Error Trace::close() {
  if (File)
    end();
  if (Failed)
    return badInput(fmt::format("cannot write '{}': {}", Path, Failed.message()));
  return llvm::Error::success();
}

} // namespace cufuse
