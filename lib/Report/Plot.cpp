#include "Plot.h"

#include <fmt/core.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace cufuse {

namespace {
constexpr double Width = 560, Height = 300;
constexpr double Left = 64, Right = 16, Top = 14, Bottom = 46;
constexpr double RowHeight = 25, NameWidth = 200, ValueWidth = 84;

std::string numberOf(double Value) {
  if (std::abs(Value) >= 1000)
    return fmt::format("{:.0f}", Value);
  return fmt::format("{:g}", std::round(Value * 1000) / 1000);
}

std::string open(double W, double H, const std::string &Title) {
  return fmt::format("<svg viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\" aria-label=\"{}\">\n", W, H, escapeHtml(Title));
}

std::string text(double X, double Y, const char *Class, const std::string &Content, const std::string &More = {}) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"{}\"{}>{}</text>\n", X, Y, Class, More,
                     escapeHtml(Content));
}

std::string line(double X1, double Y1, double X2, double Y2, const char *Class) {
  return fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" class=\"{}\"/>\n", X1, Y1, X2, Y2,
                     Class);
}

std::string uprightAxis(const std::vector<double> &Ticks, double Low, double High, const std::string &Name) {
  std::string Out;
  for (double Tick : Ticks) {
    const double Y = Top + (High - Tick) / (High - Low) * (Height - Top - Bottom);
    Out += line(Left, Y, Width - Right, Y, "grid") + text(Left - 8, Y + 4, "tick end", numberOf(Tick));
  }
  const double Middle = Top + (Height - Top - Bottom) / 2;
  return Out + text(14, Middle, "axis mid", Name, fmt::format(" transform=\"rotate(-90 14 {:.1f})\"", Middle));
}
} // namespace

std::string escapeHtml(llvm::StringRef Text) {
  std::string Out;
  llvm::raw_string_ostream Stream(Out);
  llvm::printHTMLEscaped(Text, Stream);
  return Out;
}

std::vector<double> roundTicks(double Low, double High, unsigned Wanted) {
  if (!(High > Low))
    High = Low + 1;
  const double Raw = (High - Low) / Wanted, Power = std::pow(10, std::floor(std::log10(Raw)));
  double Step = 10 * Power;
  for (double Round : {5.0, 2.5, 2.0, 1.0})
    if (Raw <= Round * Power)
      Step = Round * Power;
  std::vector<double> Ticks;
  for (double Tick = std::floor(Low / Step) * Step; Tick < High + Step * 0.999; Tick += Step)
    Ticks.push_back(std::abs(Tick) < Step * 1e-9 ? 0 : Tick);
  return Ticks;
}

std::string plotLegend(const std::vector<PlotSeries> &Series) {
  std::string Out = "<ul class=\"legend\">";
  for (const PlotSeries &S : Series)
    Out += fmt::format("<li><i class=\"s{}\"></i>{}</li>", S.Colour, escapeHtml(S.Name));
  return Out + "</ul>\n";
}

std::string xyPlot(const XyPlot &P) {
  double X0 = std::numeric_limits<double>::infinity(), X1 = -X0, Y0 = X0, Y1 = X1;
  auto Clip = [&](double Y) { return P.YMost > 0 ? std::min(Y, P.YMost) : Y; };
  for (const PlotSeries &S : P.Series)
    for (const PlotPoint &Point : S.Points) {
      X0 = std::min(X0, Point.X);
      X1 = std::max(X1, Point.X);
      Y0 = std::min(Y0, Clip(Point.Y));
      Y1 = std::max(Y1, Clip(Point.Y));
    }
  if (!(X0 <= X1))
    return {};
  for (const PlotLevel &L : P.Levels) {
    Y0 = std::min(Y0, L.Y);
    Y1 = std::max(Y1, L.Y);
  }
  const std::vector<double> YTicks = roundTicks(Y0, Y1, 6);
  const double Low = YTicks.front(), High = YTicks.back(), Margin = X1 > X0 ? (X1 - X0) * 0.03 : 1;
  auto AtX = [&](double X) { return Left + (X - X0 + Margin) / (X1 - X0 + 2 * Margin) * (Width - Left - Right); };
  auto AtY = [&](double Y) { return Top + (High - Clip(Y)) / (High - Low) * (Height - Top - Bottom); };

  std::string Out = open(Width, Height, P.Title) + uprightAxis(YTicks, Low, High, P.YAxis);
  for (double Tick : roundTicks(X0, X1, 7))
    if (Tick >= X0 - Margin && Tick <= X1 + Margin)
      Out += text(AtX(Tick), Height - Bottom + 18, "tick mid", numberOf(Tick));
  Out += text(Left + (Width - Left - Right) / 2, Height - 8, "axis mid", P.XAxis);
  for (const PlotSeries &S : P.Series) {
    if (S.Line && S.Points.size() > 1) {
      std::string Path;
      for (const PlotPoint &Point : S.Points)
        Path += fmt::format("{}{:.1f} {:.1f}", Path.empty() ? "M" : " L", AtX(Point.X), AtY(Point.Y));
      Out += fmt::format("<path d=\"{}\" class=\"line s{}\"/>\n", Path, S.Colour);
    }
    if (S.Dots)
      for (const PlotPoint &Point : S.Points)
        Out +=
            fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.4\" class=\"dot s{}\"><title>{}</title></circle>\n",
                        AtX(Point.X), AtY(Point.Y), S.Colour, escapeHtml(Point.Label));
  }
  double LastLabel = -100;
  std::vector<PlotLevel> Levels = P.Levels;
  std::sort(Levels.begin(), Levels.end(), [](const PlotLevel &A, const PlotLevel &B) { return A.Y > B.Y; });
  for (const PlotLevel &L : Levels) {
    const double Y = AtY(L.Y);
    Out += line(Left, Y, Width - Right, Y, "level");
    // Names of levels that nearly coincide go below one another.
    LastLabel = std::max(Y - 5, LastLabel + 13);
    Out += text(Width - Right - 4, LastLabel, "tick end halo", L.Name);
  }
  return Out + "</svg>\n";
}

std::string barPlot(const BarPlot &P) {
  if (P.Bars.empty())
    return {};
  double Most = 0;
  for (const Bar &B : P.Bars)
    Most = std::max(Most, B.Length);
  const double H = RowHeight * P.Bars.size() + (P.Levels.empty() ? 6 : 26), Space = Width - NameWidth - ValueWidth;
  std::string Out = open(Width, H, P.Title);
  double Y = 2;
  for (const Bar &B : P.Bars) {
    const double Long = Most > 0 ? B.Length / Most * Space : 0;
    Out += text(NameWidth - 10, Y + 16, "label end", B.Name);
    Out +=
        fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"2\" class=\"bar s{}\"/>\n",
                    NameWidth, Y + 3, Long, RowHeight - 7, B.Colour);
    Out += text(NameWidth + Long + 8, Y + 16, "label", B.Value);
    Y += RowHeight;
  }
  for (const PlotLevel &L : P.Levels)
    if (L.Y > 0 && L.Y <= Most) {
      const double X = NameWidth + L.Y / Most * Space;
      Out += line(X, 0, X, Y + 2, "level") + text(X, Y + 16, "tick mid", L.Name);
    }
  return Out + "</svg>\n";
}

std::string groupedBars(const GroupedBars &P) {
  if (P.Groups.empty() || P.Series.empty())
    return {};
  std::string Out = open(Width, Height, P.Title) + uprightAxis(roundTicks(0, P.Most, 5), 0, P.Most, P.YAxis);
  const double GroupWidth = (Width - Left - Right) / P.Groups.size();
  const double BarWidth = std::min(46.0, GroupWidth * 0.82 / P.Series.size());
  for (size_t G = 0; G < P.Groups.size(); ++G) {
    const double Middle = Left + GroupWidth * (G + 0.5);
    for (size_t I = 0; I < P.Series.size(); ++I) {
      const double Value = P.Groups[G].Values[I];
      if (Value < 0)
        continue;
      const double Tall = std::min(Value, P.Most) / P.Most * (Height - Top - Bottom);
      const double X = Middle + BarWidth * (I - P.Series.size() / 2.0);
      Out += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" class=\"bar s{}\">"
                         "<title>{}: {:.1f}</title></rect>\n",
                         X + 1, Height - Bottom - Tall, BarWidth - 2, Tall, I, escapeHtml(P.Series[I]), Value);
      Out += text(X + BarWidth / 2, Height - Bottom - Tall - 4, "tick mid", fmt::format("{:.0f}", Value));
    }
    Out += text(Middle, Height - Bottom + 20, "label mid", P.Groups[G].Name);
  }
  return Out + "</svg>\n";
}

} // namespace cufuse
