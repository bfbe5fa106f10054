#include "cufuse/Search/Search.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringMap.h>

#include <algorithm>

namespace cufuse {

namespace {
constexpr double FullShare = 0.08; // of the seconds, for full measurements at the end

/// What is of the candidate itself. What else failed may have been the GPU's, the compiler's or the disk's fault.
bool stays(Fate F) {
  using enum Fate;
  return F == Measured || F == WrongResult || F == Discarded || F == Impossible;
}
} // namespace

Search::Search(const Problem &P, std::vector<Candidate> Those, Evaluator &World, Trace &Record, Budget Limit,
               SearchSeams Given)
    : P(P), Candidates(std::move(Those)), States(Candidates.size()), World(World), Record(Record), Limit(Limit),
      Seams(std::move(Given)), Start(Seams.Now()), Before(Record.seconds()) {
  llvm::StringMap<size_t> ByKey;
  for (size_t I = 0; I < Candidates.size(); ++I)
    ByKey[Candidates[I].key()] = I;
  for (const TraceEntry &E : Record.entries())
    if (auto Found = ByKey.find(E.Tried.key()); Found != ByKey.end() && stays(E.Result.Outcome))
      note(States[Found->second], E.Measured, E.Result);
  for (size_t I = 0; I < Candidates.size(); ++I)
    Predictions.push_back(predict(I));
}

void Search::note(State &Of, std::optional<Effort> How, const Evaluation &Result) {
  const bool Before = Of.isMeasured();
  (How ? *How == Effort::Full ? Of.Full : Of.Short : Of.Screened) = Result;
  Measured += !Before && Of.isMeasured();
}

Prediction Search::predict(size_t Index) const {
  const Evaluation *Last = States[Index].last();
  const auto Compiled = Last ? Last->Resources : std::optional<ResourceUse>();
  if (P.Graph)
    return {predictLaunches(P, Candidates[Index].Groups, Compiled), Last ? Last->ResidentBlocks : 0, 0};
  return cufuse::predict(P, Candidates[Index].Config, Compiled);
}

bool Search::isLate(std::optional<Effort> How) const {
  const double Seconds = Limit.Seconds * (How == Effort::Full ? 1 : 1 - FullShare);
  return Seams.Interrupted() || (Seconds > 0 && Seams.Now() - Start >= Seconds);
}

bool Search::isSpent() const { return isLate(Effort::Short) || isFull(); }

void Search::take(size_t Index, std::optional<Effort> How, const Evaluation &Result) {
  State &Known = States[Index];
  const double Guess = Known.last() ? 0 : predicted(Index).Microseconds;
  const double Seconds = Seams.Now() - Start;
  Record.append({Candidates[Index], How, Result, Guess, Before + Seconds});
  note(Known, How, Result);
  Predictions[Index] = predict(Index);

  Progress Now{Candidates.size(), 0, Measured, {}, 0, Seconds, std::max(0.0, Limit.Seconds - Seconds)};
  Now.Tried = std::count_if(States.begin(), States.end(), [](const State &S) { return S.last() != nullptr; });
  if (auto Best = best()) {
    Now.BestKey = Candidates[*Best].key();
    Now.BestMicroseconds = States[*Best].last()->Microseconds;
  }
  Seams.Report(Now);
}

bool Search::evaluate(llvm::function_ref<std::vector<size_t>()> Next, std::optional<Effort> How) {
  std::vector<size_t> Asked; // by position
  bool AnyNew = false;
  auto Hand = [&] {
    std::vector<Candidate> Those;
    if (isLate(How))
      return Those;
    for (size_t I : Next()) {
      State &Known = States[I];
      const bool Done = Known.failed() || (!How                    ? Known.last() != nullptr
                                           : *How == Effort::Short ? Known.isMeasured()
                                                                   : Known.Full.has_value());
      if (Done || Known.Underway || (isFull() && !Known.isMeasured()))
        continue;
      AnyNew |= !Known.isMeasured();
      Known.Underway = true;
      ++Underway;
      Asked.push_back(I);
      Those.push_back(Candidates[I]);
    }
    return Those;
  };
  auto Take = [&](size_t Position, const Evaluation &Result) {
    States[Asked[Position]].Underway = false;
    --Underway;
    take(Asked[Position], How, Result);
    return !isLate(How) && !(AnyNew && isFull());
  };
  World.evaluate(Hand, How, Take);
  for (size_t I : Asked) // those that were not waited for
    States[I].Underway = false;
  Underway = 0;
  return !Asked.empty();
}

void Search::screen(llvm::ArrayRef<size_t> Indices) { evaluate(once(Indices), std::nullopt); }
void Search::measure(llvm::ArrayRef<size_t> Indices, Effort How) { evaluate(once(Indices), How); }
bool Search::measure(llvm::function_ref<std::vector<size_t>()> Next, Effort How) { return evaluate(Next, How); }

std::vector<size_t> Search::ranking() const {
  std::vector<size_t> Ranked;
  for (size_t I = 0; I < States.size(); ++I)
    if (States[I].isMeasured() && !States[I].failed())
      Ranked.push_back(I);
  llvm::sort(Ranked, [&](size_t A, size_t B) {
    return std::pair(States[A].last()->Microseconds, A) < std::pair(States[B].last()->Microseconds, B);
  });
  return Ranked;
}

std::optional<size_t> Search::best() const {
  std::optional<size_t> Best;
  auto Rank = [&](size_t I) { return std::pair(!States[I].Full.has_value(), States[I].last()->Microseconds); };
  for (size_t I = 0; I < States.size(); ++I)
    if (States[I].isMeasured() && !States[I].failed() && (!Best || Rank(I) < Rank(*Best)))
      Best = I;
  return Best;
}

} // namespace cufuse
