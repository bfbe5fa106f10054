// The tables and plots of a report, before they are text or HTML.
#pragma once

#include "Plot.h"
#include "cufuse/Search/TuneResult.h"
#include "cufuse/Search/Verdict.h"

#include <string>
#include <vector>

namespace cufuse {

struct Table {
  std::vector<std::string> Head;
  std::vector<bool> Numeric; ///< By column: aligned to the right.
  std::vector<std::vector<std::string>> Rows = {};
  int Marked = -1; ///< The row that matters most.
  int Keys = -1;   ///< The column with keys of candidates.
};

std::string timeText(double Microseconds); ///< `1.234 ms`, `12.34 µs`
std::string timesText(double Factor);      ///< `1.23×`; `–` for 0.
std::string percentText(double Share);     ///< `12.3 %`

/// The unfused launches, on every level that was measured.
Table baselineTable(const TuneResult &R, const Summary &S);
/// At most so many bytes, whole characters, with `…` in the place of what is cut.
std::string shortened(const std::string &Text, size_t Most);

/// The winner, the best of each geometry or choice of links, HFUSE's best.
Table candidateTable(const TuneResult &R, const Summary &S);
Table soloTable(const TuneResult &R);
/// What became of the candidates, and for those that failed the reasons, the most frequent first; then the variants of
/// constituents alone that were left out.
Table fateTable(const TuneResult &R, const Summary &S);
/// Where the time of the tuning went.
Table stepTable(const TuneResult &R);
/// Counters of the constituents alone and of the profiled candidates.
Table counterTable(const TuneResult &R, const Summary &S);
/// The demands on each resource that the limit is made of.
Table demandTable(const Summary &S);

/// Name and value, a line each: noise, clock, samples, time spent.
std::vector<std::pair<std::string, std::string>> measurementFacts(const TuneResult &R, const Summary &S);

BarPlot timePlot(const TuneResult &R, const Summary &S);
/// Of `Warps` candidates of two constituents in which both have one copy or fixed copies: time over the share of the
/// block's threads that the first has, the best for each register mode.
XyPlot partitionPlot(const TuneResult &R, const Summary &S);
/// Time of all candidates in the order in which they were tried, by geometry or choice of links, and the best so
/// far.
XyPlot searchPlot(const TuneResult &R, const Summary &S);
/// As in HFUSE's figure: issue slots, occupancy, DRAM before and after.
GroupedBars utilisationPlot(const TuneResult &R, const Summary &S);

std::string phraseOf(Regime R);

} // namespace cufuse
