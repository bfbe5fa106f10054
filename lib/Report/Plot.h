// Plots as SVG elements of an HTML page, whose style sheet gives them their colours (classes `s0` … `s7`).
#pragma once

#include <llvm/ADT/StringRef.h>

#include <string>
#include <vector>

namespace cufuse {

std::string escapeHtml(llvm::StringRef Text);

struct PlotPoint {
  double X = 0, Y = 0;
  std::string Label; ///< Shown when the pointer rests on it.
};

struct PlotSeries {
  std::string Name;
  unsigned Colour = 0;
  bool Line = false; ///< Joined by lines; dots otherwise.
  bool Dots = true;
  std::vector<PlotPoint> Points;
};

/// A horizontal line with a name.
struct PlotLevel {
  std::string Name;
  double Y = 0;
};

struct XyPlot {
  std::string Title, XAxis, YAxis; ///< The title is for screen readers; the page has its own.
  std::vector<PlotSeries> Series;
  std::vector<PlotLevel> Levels;
  double YMost = 0; ///< Points above are drawn at the upper edge; 0: none.
};
/// Empty when there is no point.
std::string xyPlot(const XyPlot &P);

struct Bar {
  std::string Name, Value; ///< As it is written at its end.
  double Length = 0;
  unsigned Colour = 0;
};
struct BarPlot {
  std::string Title;
  std::vector<Bar> Bars;
  std::vector<PlotLevel> Levels; ///< Vertical lines across all bars.
};
/// Horizontal bars from zero. Empty when there is none.
std::string barPlot(const BarPlot &P);

struct BarGroup {
  std::string Name;
  std::vector<double> Values; ///< One for each series; less than 0: not known.
};
struct GroupedBars {
  std::string Title, YAxis;
  std::vector<std::string> Series;
  std::vector<BarGroup> Groups;
  double Most = 100; ///< Of the axis.
};
/// Upright bars, side by side in each group. Empty when there is none.
std::string groupedBars(const GroupedBars &P);

/// The names of the series with their colours.
std::string plotLegend(const std::vector<PlotSeries> &Series);

/// About `Wanted` round numbers that cover the range.
std::vector<double> roundTicks(double Low, double High, unsigned Wanted);

} // namespace cufuse
