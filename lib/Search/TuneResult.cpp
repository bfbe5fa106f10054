#include "cufuse/Search/TuneResult.h"

#include "cufuse/Search/Json.h"
#include "cufuse/Support/Error.h"

#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>

namespace cufuse {

unsigned effortOf(const TuneResult &R) {
  constexpr unsigned Whole = 1u << 30;
  return (R.Restricted ? 0 : Whole) + countFates(R.Tried).of(Fate::Measured);
}

bool isOf(const Problem &P, const TraceEntry &E) {
  const size_t Count = P.Constituents.size();
  if (E.Result.Grids.size() > Count)
    return false;
  if (!P.Graph)
    return E.Tried.Groups.empty() && E.Tried.Config.Constituents.size() == Count;
  return !E.Tried.Groups.empty() && llvm::all_of(E.Tried.Groups, [&](const LaunchGroup &Group) {
    return !Group.Kernels.empty() && llvm::all_of(Group.Kernels, [&](const std::string &Kernel) {
      return llvm::any_of(P.Constituents, [&](const ConstituentProblem &C) { return C.Name == Kernel; });
    });
  });
}

llvm::Expected<TuneResult> parseTuneResult(llvm::StringRef Text, const std::string &Name) {
  auto Result = parseJson<TuneResult>(Text, "result");
  if (!Result)
    return badInput(fmt::format("'{}' is no result of cufuse tune: {}", Name, llvm::toString(Result.takeError())));
  return Result;
}

} // namespace cufuse
