// One search: a strategy decides what to evaluate next; this keeps what is known, the budget and the trace.
#pragma once

#include "cufuse/Model/Predict.h"
#include "cufuse/Search/Evaluator.h"
#include "cufuse/Search/Trace.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/Support/Error.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace cufuse {

/// Candidates that must be measured, where there are as many, before a search speaks against fusing; and of how many
/// one must have been tried. (The automatic search was within 0.5 % of the best with one of 26, in docs/results.md.)
constexpr size_t EnoughMeasured = 8, EnoughShare = 32;

struct Budget {
  double Seconds = 0;    ///< Of this sitting; 0: no limit.
  unsigned Measured = 0; ///< Candidates measured, those of earlier sittings among them; 0: no limit.
};

/// For a progress line.
struct Progress {
  size_t Candidates = 0, Tried = 0, Measured = 0;
  std::string BestKey; ///< Empty before the first is measured.
  double BestMicroseconds = 0;
  double Seconds = 0; ///< Of this sitting.
  double Left = 0;    ///< Seconds, at most; 0 where there is no limit.
};

/// The world outside a search.
struct SearchSeams {
  std::function<double()> Now;                              ///< Seconds, from any start.
  std::function<bool()> Interrupted = [] { return false; }; ///< The user has asked to stop.
  std::function<void(const Progress &)> Report = [](const Progress &) {};
};

class Search {
public:
  /// What the trace already knows of the candidates is not evaluated again, but for what crashed, hung or could not be
  /// compiled, loaded or launched: that may have been no fault of theirs. The references outlive the search.
  Search(const Problem &P, std::vector<Candidate> Candidates, Evaluator &World, Trace &Record, Budget Limit,
         SearchSeams Seams);

  /// What is known of a candidate.
  struct State {
    std::optional<Evaluation> Screened, Short, Full;
    bool Underway = false; ///< Being evaluated.
    /// The most that is known: full before short before screened.
    const Evaluation *last() const { return Full ? &*Full : Short ? &*Short : Screened ? &*Screened : nullptr; }
    bool failed() const { return last() && last()->Outcome != Fate::Measured; }
    bool isMeasured() const {
      return (Full && Full->Outcome == Fate::Measured) || (Short && Short->Outcome == Fate::Measured);
    }
  };

  const Problem &problem() const { return P; }
  const std::vector<Candidate> &candidates() const { return Candidates; }
  const State &state(size_t Index) const { return States[Index]; }
  /// By the model, with ptxas' figures where known.
  const Prediction &predicted(size_t Index) const { return Predictions[Index]; }

  /// Evaluate those that have not been, in this order, as far as the budget goes.
  void screen(llvm::ArrayRef<size_t> Indices);
  void measure(llvm::ArrayRef<size_t> Indices, Effort How);
  /// Chosen meanwhile; nothing ends it. False if nothing was evaluated.
  bool measure(llvm::function_ref<std::vector<size_t>()> Next, Effort How);
  /// Nothing new can be tried. What has been measured may still be measured fully: some of the seconds are kept for
  /// that, and only an interruption or the end of the time prevents it.
  bool isSpent() const;

  size_t measuredCount() const { return Measured; }
  size_t underwayCount() const { return Underway; }
  /// The shortest time among those with a full measurement, or among all while there is none.
  std::optional<size_t> best() const;
  /// Measured, from the shortest time on; a full measurement counts before a short one.
  std::vector<size_t> ranking() const;

private:
  Prediction predict(size_t Index) const;
  void note(State &Of, std::optional<Effort> How, const Evaluation &Result);
  void take(size_t Index, std::optional<Effort> How, const Evaluation &Result);
  bool evaluate(llvm::function_ref<std::vector<size_t>()> Next, std::optional<Effort> How);
  bool isLate(std::optional<Effort> How) const;
  bool isFull() const { return Limit.Measured > 0 && Measured >= Limit.Measured; }

  const Problem &P;
  std::vector<Candidate> Candidates;
  std::vector<State> States;
  std::vector<Prediction> Predictions; ///< By what the states know.
  Evaluator &World;
  Trace &Record;
  Budget Limit;
  SearchSeams Seams;
  size_t Measured = 0, Underway = 0;
  double Start = 0, Before = 0;
};

/// Decides what to try next.
struct Strategy {
  /// What it chooses from.
  std::function<std::vector<Candidate>(const Problem &)> Candidates;
  /// Returns when it is done or the budget is spent. May be called again on the same trace, to resume.
  std::function<void(Search &)> Run;
};

/// `auto`, `exhaustive`, `hfuse`, `random`. Fails with the names there are. The seed is that of `random`.
llvm::Expected<Strategy> makeStrategy(llvm::StringRef Name, std::uint64_t Seed = 0);

} // namespace cufuse
