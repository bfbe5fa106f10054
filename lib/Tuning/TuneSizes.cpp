#include "cufuse/Tuning/Tune.h"

#include "cufuse/Support/Error.h"
#include "cufuse/Workload/Expression.h"

#include <fmt/format.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/Sequence.h>

#include <cmath>
#include <limits>
#include <map>

namespace cufuse {

namespace {

constexpr double MostLost = 1.02; ///< A fused kernel that takes so many times as long as the kernels apart is none.

/// One size of the list, and what was found there.
struct SizePoint {
  std::string Name; ///< `n=1024`
  std::vector<std::string> Settings;
  std::optional<TuneAnswer> Answer = {};
  std::map<std::string, double> Costs = {}; ///< Of candidates, by key, in times of the kernels apart.

  double apart() const { return Answer->Verdict.StrongestBaseline->Result.Microseconds; }
  /// Of the best way there is.
  double best() const {
    double Least = 1;
    for (const auto &[Key, Cost] : Costs)
      Least = std::min(Least, Cost);
    return Least;
  }
};

/// `1024,65536` at the commas that are in no brackets.
std::vector<std::string> valuesOf(llvm::StringRef List) {
  std::vector<std::string> Values(1);
  int Depth = 0;
  for (const char C : List) {
    Depth += C == '(' ? 1 : C == ')' ? -1 : 0;
    if (C == ',' && Depth == 0)
      Values.emplace_back();
    else
      Values.back() += C;
  }
  return Values;
}

/// Refuses a list that goes down: what is launched apart are few elements.
llvm::Error checkAscends(llvm::StringRef Setting, llvm::ArrayRef<std::string> Values) {
  double Last = -std::numeric_limits<double>::infinity();
  for (const std::string &Each : Values) {
    const auto Read = llvm::expectedToOptional(parseExpression(Each, {}));
    const auto Value = Read ? llvm::expectedToOptional(evaluate(*Read, {})) : std::nullopt;
    if (!Value) // which is said when it is set
      return llvm::Error::success();
    if (Value->real() < Last)
      return badUsage(fmt::format("--set {}: {} comes behind a larger size", Setting.str(), Each),
                      "give the sizes from the smallest on");
    Last = Value->real();
  }
  return llvm::Error::success();
}

llvm::Expected<std::vector<SizePoint>> pointsOf(llvm::ArrayRef<std::string> Settings) {
  std::vector<std::pair<llvm::StringRef, std::vector<std::string>>> Lists;
  size_t Count = 1;
  for (llvm::StringRef Each : Settings) {
    const auto [Name, Value] = Each.split('=');
    Lists.emplace_back(Name, valuesOf(Value));
    if (const size_t Own = Lists.back().second.size(); Own > 1) {
      if (Count > 1 && Own != Count)
        return badUsage(fmt::format("--set {}: a list of {} sizes, and another has {}", Each.str(), Own, Count),
                        "give each list as many");
      TRY(checkAscends(Each, Lists.back().second));
      Count = Own;
    }
  }
  std::vector<SizePoint> Points(Count);
  for (const auto &[Name, Values] : Lists)
    for (size_t I = 0; I < Count; ++I) {
      Points[I].Settings.push_back(fmt::format("{}={}", Name.str(), Values[Values.size() > 1 ? I : 0]));
      if (Values.size() > 1)
        Points[I].Name += (Points[I].Name.empty() ? "" : ", ") + Points[I].Settings.back();
    }
  return Points;
}

/// In times of the strongest baseline: the winner as it was confirmed beside that, the others beside the winner. None
/// where nothing was confirmed.
std::map<std::string, double> costsOf(const TuneAnswer &Answer) {
  const Summary &Verdict = Answer.Verdict;
  std::map<std::string, double> Costs;
  if (!Verdict.Winner || !Answer.Result.Unconfirmed.empty() || Verdict.Fusion <= 0)
    return Costs;
  for (const Ranked &Each : Verdict.Candidates)
    if (isMeasured(Each.Result))
      Costs.try_emplace(Each.Which.key(), Each.Result.Microseconds);
  const auto OfWinner = Costs.find(Verdict.Winner->Which.key());
  if (OfWinner == Costs.end())
    return {};
  for (const double Confirmed = OfWinner->second * Verdict.Fusion; auto &[Key, Cost] : Costs)
    Cost /= Confirmed;
  return Costs;
}

/// A candidate, from one of the points on; the kernels apart before.
struct Choice {
  std::string Key;
  size_t From = 0;
  double Lost = std::numeric_limits<double>::infinity(); ///< At most, in times of the best of each point.
  double Time = 0;                                       ///< The logarithms of all costs.
};

/// None where no candidate pays at any size and all that are larger.
std::optional<Choice> choose(llvm::ArrayRef<SizePoint> Points, double Required) {
  std::optional<Choice> Best;
  for (const auto &[Key, OfLargest] : Points.back().Costs)
    for (size_t From = 0; From < Points.size(); ++From) {
      Choice This{Key, From, 1, 0};
      bool Pays = true;
      for (const auto &[I, P] : llvm::enumerate(Points)) {
        const auto Own = P.Costs.find(Key);
        const double Cost = I < From ? 1 : Own == P.Costs.end() ? MostLost * 2 : Own->second;
        Pays &= Cost <= (I == From ? 1 / Required : MostLost);
        This.Lost = std::max(This.Lost, Cost / P.best());
        This.Time += std::log(Cost);
      }
      if (Pays && (!Best || std::pair(This.Lost, This.Time) < std::pair(Best->Lost, Best->Time)))
        Best = This;
    }
  return Best;
}

std::string said(const SizePoint &P, const std::string &Key) {
  const auto Own = P.Costs.find(Key);
  std::string Text = fmt::format("{}: the kernels apart take {:.1f} us", P.Name, P.apart());
  if (Own != P.Costs.end())
    Text += fmt::format(", fused {:.1f} us, {:.2f} times as fast", Own->second * P.apart(), 1 / Own->second);
  if (P.best() < (Own == P.Costs.end() ? 1 : std::min(Own->second, 1.0)))
    Text += fmt::format("; the best for this size takes {:.1f} us", P.best() * P.apart());
  return Text + ".";
}

} // namespace

llvm::Expected<TuneAnswer> tuneSizes(const TuneRequest &Request,
                                     llvm::function_ref<llvm::Expected<TuneAnswer>(const TuneRequest &Request)> Run) {
  std::vector<SizePoint> Points = TRY(pointsOf(Request.Settings));
  if (Points.size() == 1)
    return Run(Request);
  for (const auto &[Is, Option] : {std::pair(Request.WithoutGpu, "--no-gpu"), {!Request.Trace.empty(), "--trace"}})
    if (Is)
      return badUsage(fmt::format("{} is for one size, and --set has a list", Option),
                      "give one size, or leave it out");
  TuneRequest One = Request;
  One.IsOfList = true;
  for (SizePoint &P : Points) {
    One.Settings = P.Settings;
    auto Answer = Run(One);
    if (!Answer || Answer->Result.Interrupted || Answer->Result.Modelled)
      return Answer;
    if (!Answer->Verdict.StrongestBaseline)
      return badInput(fmt::format("the kernels apart could not be measured for {}", P.Name));
    P.Costs = costsOf(*Answer);
    P.Answer.emplace(std::move(*Answer));
  }
  const auto Chosen = choose(Points, Request.RequiredSpeedup);
  std::vector<std::string> Notes;
  for (const SizePoint &P : Points)
    Notes.push_back(said(P, Chosen                     ? Chosen->Key
                            : P.Answer->Verdict.Winner ? P.Answer->Verdict.Winner->Which.key()
                                                       : ""));
  if (!Chosen) {
    Notes.push_back("No fused kernel pays from one of these sizes on.");
    Points.back().Answer->Files.clear();
    llvm::append_range(Points.back().Answer->Result.Notes, Notes);
    return std::move(*Points.back().Answer);
  }

  One.Settings = Points[Chosen->From].Settings;
  One.Only = Chosen->Key;
  One.ApartBelow = Chosen->From > 0;
  TuneAnswer Answer = TRY(Run(One));
  Notes.push_back(fmt::format("Over these sizes {} loses at most {:.1f} % against the best for each.", Chosen->Key,
                              100 * (Chosen->Lost - 1)));
  if (Chosen->From > 0)
    Notes.push_back(fmt::format("It pays from {} on{}.", Points[Chosen->From].Name,
                                Answer.ApartBelow > 0
                                    ? fmt::format(": for less than {} elements, `launch` with `apart` launches the "
                                                  "kernels themselves",
                                                  Answer.ApartBelow)
                                    : ": launch the kernels themselves below, since the launcher counts no elements"));
  llvm::append_range(Answer.Result.Notes, Notes);
  return Answer;
}

} // namespace cufuse
