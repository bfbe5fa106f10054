#include "GroupFuser.h"
#include "TuningKind.h"

#include "cufuse/Driver/CheckPaths.h"
#include "cufuse/Emit/EmitSeveral.h"
#include "cufuse/Support/Error.h"
#include "cufuse/Workload/Workload.h"

#include <fmt/format.h>
#include <llvm/ADT/STLExtras.h>

#include <cmath>
#include <map>
#include <set>

namespace cufuse {

namespace {

constexpr double MostSlower = 1.02; ///< A fused kernel that takes so many times as long as the kernels apart is none.
constexpr double LittleLost = 1.02; ///< In times of the best for a size: another kernel is not worth its code.

/// Of a candidate at one size.
struct Cost {
  double Time;            ///< In times of the kernels apart.
  std::uint64_t Elements; ///< As its launcher counts them; 0 where it does not, or there are several launches.
};

/// One size of the list, and what was found there.
struct SizePoint {
  std::string Name; ///< `n=1024`
  std::vector<std::string> Settings;
  /// How many there are: as launchers count them where they do at all points, else those of all buffers.
  double Elements = 0;
  std::optional<TuneAnswer> Answer = {};
  std::map<std::string, Cost> Costs = {}; ///< Of candidates, by key.

  double apart() const { return Answer->Verdict.StrongestBaseline->Result.Microseconds; }
  std::uint64_t counted() const {
    std::uint64_t Most = 0;
    for (const auto &[Key, Each] : Costs)
      Most = std::max(Most, Each.Elements);
    return Most;
  }
  /// Of the best way there is.
  double best() const {
    double Least = 1;
    for (const auto &[Key, Each] : Costs)
      Least = std::min(Least, Each.Time);
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

/// Of all buffers.
llvm::Expected<double> elementsOf(const TuneRequest &Request, const SizePoint &P) {
  const auto Work = TRY(readWorkload(Request.Workloads, P.Settings));
  double Sum = 0;
  for (const BufferSpec &Each : Work.Buffers)
    Sum += static_cast<double>(Each.Count);
  return Sum;
}

/// From the smallest on, whatever their order is in the lists: what is launched apart are few elements.
void sortPoints(std::vector<SizePoint> &Points) {
  llvm::stable_sort(Points, [](const SizePoint &A, const SizePoint &B) { return A.Elements < B.Elements; });
}

bool areCounted(llvm::ArrayRef<SizePoint> Points) {
  return llvm::all_of(Points, [](const SizePoint &P) { return P.counted() > 0; });
}

llvm::Expected<std::vector<SizePoint>> pointsOf(const TuneRequest &Request) {
  std::vector<std::pair<llvm::StringRef, std::vector<std::string>>> Lists;
  size_t Count = 1;
  for (llvm::StringRef Each : Request.Settings) {
    const auto [Name, Value] = Each.split('=');
    Lists.emplace_back(Name, valuesOf(Value));
    if (const size_t Own = Lists.back().second.size(); Own > 1) {
      if (Count > 1 && Own != Count)
        return badUsage(fmt::format("--set {}: a list of {} sizes, and another has {}", Each.str(), Own, Count),
                        "give each list as many");
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
  if (Count == 1)
    return Points;
  for (SizePoint &P : Points)
    P.Elements = TRY(elementsOf(Request, P));
  sortPoints(Points);
  return Points;
}

/// In times of the strongest baseline: the winner as it was confirmed beside that. The others were measured in graphs,
/// and each of their launches takes as much longer as those of the winner. None where nothing was confirmed.
std::map<std::string, Cost> costsOf(const TuneAnswer &Answer) {
  const Summary &Verdict = Answer.Verdict;
  std::map<std::string, Cost> Costs;
  if (!Verdict.Winner || !Verdict.StrongestBaseline || !Answer.Result.Unconfirmed.empty() || Verdict.Fusion <= 0)
    return Costs;
  const double Apart = Verdict.StrongestBaseline->Result.Microseconds;
  const auto Winner = llvm::find_if(
      Verdict.Candidates, [&](const Ranked &Each) { return Each.Which.key() == Verdict.Winner->Which.key(); });
  if (Winner == Verdict.Candidates.end())
    return Costs;
  const double Longer = (Apart / Verdict.Fusion - Winner->Result.Microseconds) / Winner->Which.Groups.size();
  for (const Ranked &Each : Verdict.Candidates)
    if (isMeasured(Each.Result))
      Costs.try_emplace(Each.Which.key(), Cost{(Each.Result.Microseconds + Longer * Each.Which.Groups.size()) / Apart,
                                               Answer.Elements.at(Each.Which.key())});
  return Costs;
}

/// Candidates, each from one of the points on until the next one's; the kernels apart before all of them.
struct ChosenSizes {
  struct Part {
    std::string Key;
    size_t From;
  };
  std::vector<Part> Parts = {};
  double Time = 0; ///< The logarithms of all costs.

  /// The key of what is launched there; empty: the kernels apart.
  std::string at(size_t Point) const {
    std::string Key;
    for (const Part &Each : Parts)
      if (Each.From <= Point)
        Key = Each.Key;
    return Key;
  }
};

/// The fastest of all with at most so many candidates, none of which loses more against the best of a point. None where
/// no candidate pays at any size and all that are larger.
std::optional<ChosenSizes> chooseWithin(llvm::ArrayRef<SizePoint> Points, double Required, unsigned Most,
                                        double MostLost) {
  std::vector<ChosenSizes> Until(1);
  for (const auto &[I, P] : llvm::enumerate(Points)) {
    const bool MayBegin = I == 0 || P.Elements > Points[I - 1].Elements;
    // What ends in one candidate goes on alike: of these, the fastest of each length.
    std::map<std::pair<size_t, std::string>, ChosenSizes> Next;
    auto Take = [&, &P = P](ChosenSizes This, const std::string &Key, double Time) {
      if (Time > MostLost * P.best())
        return;
      This.Time += std::log(Time);
      const auto [Known, IsNew] = Next.try_emplace({This.Parts.size(), Key}, This);
      if (!IsNew && This.Time < Known->second.Time)
        Known->second = This;
    };
    for (const ChosenSizes &Before : Until) {
      const std::string Last = Before.Parts.empty() ? "" : Before.Parts.back().Key;
      if (Last.empty())
        Take(Before, "", 1);
      for (const auto &[Key, Own] : P.Costs) {
        ChosenSizes This = Before;
        if (Key != Last && !MayBegin)
          continue;
        if (Key != Last)
          This.Parts.push_back({Key, I});
        const bool FitsOthers =
            This.Parts.size() == 1 || llvm::all_of(This.Parts, [&, &P = P](const ChosenSizes::Part &Each) {
              return P.Costs.contains(Each.Key) && P.Costs.at(Each.Key).Elements > 0;
            });
        if (FitsOthers && This.Parts.size() <= Most && Own.Time <= (Last.empty() ? 1 / Required : MostSlower))
          Take(std::move(This), Key, Own.Time);
      }
    }
    Until.clear();
    for (auto &[Key, Each] : Next)
      Until.push_back(std::move(Each));
  }
  llvm::erase_if(Until, [](const ChosenSizes &Each) { return Each.Parts.empty(); });
  const auto Best =
      llvm::min_element(Until, [](const ChosenSizes &A, const ChosenSizes &B) { return A.Time < B.Time; });
  return Best == Until.end() ? std::nullopt : std::optional(*Best);
}

/// As few candidates as lose little, or as many as may be where all lose more.
std::optional<ChosenSizes> choose(llvm::ArrayRef<SizePoint> Points, double Required, unsigned Most) {
  for (unsigned Count = 1; Count <= Most; ++Count)
    if (auto Found = chooseWithin(Points, Required, Count, LittleLost))
      return Found;
  std::set<double> Losses;
  for (const SizePoint &P : Points) {
    Losses.insert(1 / P.best());
    for (const auto &[Key, Own] : P.Costs)
      Losses.insert(Own.Time / P.best());
  }
  for (const double Loss : Losses)
    if (auto Found = chooseWithin(Points, Required, Most, Loss))
      return Found;
  return std::nullopt;
}

/// At most, in times of the best of a point.
double lossOf(const ChosenSizes &Of, llvm::ArrayRef<SizePoint> Points) {
  double Most = 1;
  for (const auto &[I, P] : llvm::enumerate(Points)) {
    const auto Own = P.Costs.find(Of.at(I));
    Most = std::max(Most, (Own == P.Costs.end() ? 1 : Own->second.Time) / P.best());
  }
  return Most;
}

using FusedGroups = std::vector<std::shared_ptr<const FusedGroup>>;

/// Can a launcher choose among them by the number of elements?
bool areChosenByElements(const FusedGroups &Groups) {
  std::uint64_t Last = 0;
  for (const auto &Each : Groups) {
    if (!Each || Each->Elements <= Last || !Each->Kernel.front().Text.Types.empty())
      return false;
    Last = Each->Elements;
  }
  return true;
}

std::string said(const SizePoint &P, const std::string &Key) {
  const auto Own = P.Costs.find(Key);
  const TuneResult &Result = P.Answer->Result;
  const Summary &Verdict = P.Answer->Verdict;
  const bool IsMeasured = Verdict.Winner && Verdict.Winner->Which.key() == Key; // beside the kernels apart
  std::string Text = fmt::format("{}: the kernels apart take {:.1f} us", P.Name, P.apart());
  if (Own != P.Costs.end())
    Text += fmt::format(", {} {}{:.1f} us, {:.2f} times as fast", Key, IsMeasured ? "" : "about ",
                        Own->second.Time * P.apart(), 1 / Own->second.Time);
  if (P.best() < (Own == P.Costs.end() ? 1 : std::min(Own->second.Time, 1.0)))
    Text += fmt::format("; the best for this size takes {:.1f} us", P.best() * P.apart());
  if (Verdict.Counts.total() < Result.SpaceSize)
    Text += fmt::format("; {} of {} candidates were tried", Verdict.Counts.total(), Result.SpaceSize);
  return Text + ".";
}

/// The files of the kernels, each of which is the best from so many elements on as its launch has, and of what chooses
/// among them, in the output's folder.
llvm::Expected<std::vector<OutputFile>> bySize(const Toolchain &Tools, const std::string &Output, bool ApartBelow,
                                               const FusedGroups &Groups) {
  const FusedGroup &First = *Groups.front();
  std::vector<std::unique_ptr<Fuser>> Fusers;
  std::vector<LaunchedOutput> Launched;
  std::vector<OutputFile> Files;
  EmitOptions Whole = First.Text->options();
  for (const auto &[I, Group] : llvm::enumerate(Groups)) {
    EmitOptions Own = Whole;
    Own.Name += fmt::format("_{}", I + 1);
    Own.SourceFile = numbered(Whole.SourceFile, I + 1);
    Own.HeaderFile = headerOf(Own.SourceFile);
    Fuser &Text = *Fusers.emplace_back(std::make_unique<Fuser>(Tools, Group->Kernel, Own));
    auto Source = TRY(Text.emit(Group->Plan));
    TRY(Text.verify(Source, Group->Plan));
    llvm::append_range(Files, filesOf(Own, std::move(Source)));
    Launched.push_back({Own, &Text.constituents().front(), &Group->Plan, "", I == 0 ? 0 : Group->Elements});
  }
  Whole.Apart = ApartBelow;
  Whole.ApartBelow = ApartBelow ? First.Elements : 0;
  llvm::append_range(Files, filesOf(Whole, emitBySize(Launched, Whole)));
  for (OutputFile &File : Files)
    File.Path = within(folderOf(Output), File.Path);
  return Files;
}

/// Whatever was found there, it is not known whether it is the best over all sizes.
TuneAnswer interrupted(TuneAnswer Answer, const SizePoint &At) {
  Answer.Verdict.What = Advice::Undecided;
  Answer.Verdict.Sentence =
      fmt::format("Undecided which kernel is best over these sizes: the search was interrupted at {}.", At.Name);
  Answer.Files.clear();
  Answer.Stale.clear();
  return Answer;
}

using Runs = llvm::function_ref<llvm::Expected<TuneAnswer>(const TuneRequest &Request)>;

/// The chosen candidates, measured once more, with their files; or why there are none.
llvm::Expected<TuneAnswer> written(const Toolchain &Tools, const TuneRequest &Request,
                                   llvm::MutableArrayRef<SizePoint> Points, const std::optional<ChosenSizes> &Chosen,
                                   Runs Run) {
  std::vector<std::string> Notes;
  for (const auto &[I, P] : llvm::enumerate(Points)) {
    std::string Key = Chosen ? Chosen->at(I) : "";
    if (Key.empty() && P.Answer->Verdict.Winner)
      Key = P.Answer->Verdict.Winner->Which.key();
    Notes.push_back(said(P, Key));
  }
  TuneAnswer Answer = *Points.back().Answer;
  Answer.Files.clear();
  FusedGroups Groups;
  std::vector<std::string> Ways;
  bool IsApartBelow = false;
  if (!Chosen)
    Notes.push_back("No fused kernel pays from one of these sizes on.");
  else
    for (const ChosenSizes::Part &Each : Chosen->Parts) {
      const SizePoint &From = Points[Each.From];
      IsApartBelow = Chosen->Parts.front().From > 0 && areCounted(Points) && From.Costs.at(Each.Key).Elements > 0;
      TuneRequest One = Request;
      One.Settings = From.Settings;
      One.List = SizeOfList{.Only = Each.Key, .ApartBelow = IsApartBelow && Chosen->Parts.size() == 1};
      Answer = TRY(Run(One));
      if (Answer.Result.Interrupted)
        return interrupted(std::move(Answer), From);
      Groups.push_back(Answer.Fused);
      Ways.push_back(Ways.empty() ? Each.Key : fmt::format("{} from {} on", Each.Key, From.Name));
      if (Answer.Files.empty()) {
        Notes.push_back(
            fmt::format("{} did not pay for {} when it was measured again: nothing is written.", Each.Key, From.Name));
        break;
      }
    }
  if (Groups.size() > 1 && !areChosenByElements(Groups))
    return written(Tools, Request, Points, choose(Points, Request.RequiredSpeedup, 1), Run);
  if (!Answer.Files.empty()) {
    const size_t First = Chosen->Parts.front().From;
    Notes.push_back(fmt::format("Over these sizes {} loses at most {:.1f} % against the best for each.",
                                llvm::join(Ways, ", "), 100 * (lossOf(*Chosen, Points) - 1)));
    if (First > 0)
      Notes.push_back(
          fmt::format("It pays from {} on{}.", Points[First].Name,
                      IsApartBelow ? fmt::format(": for less than {} elements, `launch` with `apart` launches the "
                                                 "kernels themselves",
                                                 Groups.front()->Elements)
                                   : ": launch the kernels themselves below, since the launcher counts no elements"));
    if (Groups.size() > 1)
      Answer.Files = TRY(bySize(Tools, Request.Output, IsApartBelow, Groups));
  }
  llvm::append_range(Answer.Result.Notes, Notes);
  return Answer;
}

} // namespace

llvm::Expected<TuneAnswer> tuneSizes(const Toolchain &Tools, const TuneRequest &Request, Runs Run) {
  std::vector<SizePoint> Points = TRY(pointsOf(Request));
  if (Points.size() == 1)
    return Run(Request);
  for (const auto &[Is, Option] : {std::pair(Request.WithoutGpu, "--no-gpu"), {!Request.Trace.empty(), "--trace"}})
    if (Is)
      return badUsage(fmt::format("{} is for one size, and --set has a list", Option),
                      "give one size, or leave it out");
  TuneRequest One = Request;
  One.List.emplace();
  for (SizePoint &P : Points) {
    One.Settings = P.Settings;
    auto Answer = Run(One);
    if (!Answer)
      return Answer;
    if (Answer->Result.Interrupted)
      return interrupted(std::move(*Answer), P);
    if (!Answer->Verdict.StrongestBaseline)
      return badInput(fmt::format("the kernels apart could not be measured for {}", P.Name));
    P.Costs = costsOf(*Answer);
    P.Answer.emplace(std::move(*Answer));
  }
  const bool Counted = areCounted(Points);
  for (SizePoint &P : Points)
    if (Counted)
      P.Elements = static_cast<double>(P.counted());
  sortPoints(Points);
  return written(Tools, Request, Points, choose(Points, Request.RequiredSpeedup, Counted ? MostOfList : 1), Run);
}

} // namespace cufuse
