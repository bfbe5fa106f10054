#include "Figures.h"
#include "cufuse/Report/Report.h"

#include <fmt/core.h>

namespace cufuse {

namespace {
constexpr const char *Style =
#include "Style.inc"
    ;

std::string section(const std::string &Title, const std::string &Content) {
  return Content.empty() ? "" : fmt::format("<section>\n<h2>{}</h2>\n{}</section>\n", escapeHtml(Title), Content);
}

std::string table(const Table &T) {
  if (T.Rows.empty() || T.Head.size() < 2)
    return {};
  std::string Out = "<div class=\"scroll\"><table>\n<thead><tr>";
  auto Cell = [&](size_t Column, const char *Tag, const std::string &Text) {
    Out += fmt::format("<{0}{1}>{2}</{0}>", Tag,
                       T.Numeric[Column]                    ? " class=\"n\""
                       : static_cast<int>(Column) == T.Keys ? " class=\"key\""
                                                            : "",
                       escapeHtml(Text));
  };
  for (size_t I = 0; I < T.Head.size(); ++I)
    Cell(I, "th", T.Head[I]);
  Out += "</tr></thead>\n<tbody>\n";
  for (size_t R = 0; R < T.Rows.size(); ++R) {
    Out += static_cast<int>(R) == T.Marked ? "<tr class=\"marked\">" : "<tr>";
    for (size_t I = 0; I < T.Rows[R].size(); ++I)
      Cell(I, "td", T.Rows[R][I]);
    Out += "</tr>\n";
  }
  return Out + "</tbody></table></div>\n";
}

std::string figure(const std::string &Caption, const std::string &Plot, const std::string &Legend) {
  return Plot.empty()
             ? ""
             : fmt::format("<figure><figcaption>{}</figcaption>\n{}{}</figure>\n", escapeHtml(Caption), Plot, Legend);
}

std::string xyFigure(const std::string &Caption, const XyPlot &P) {
  return figure(Caption, xyPlot(P), plotLegend(P.Series));
}

std::string tile(const char *Class, const std::string &Name, const std::string &Value) {
  return fmt::format("<div{}><dt>{}</dt><dd>{}</dd></div>\n", Class, escapeHtml(Name), escapeHtml(Value));
}

std::string tiles(const Summary &S) {
  if (!S.StrongestBaseline || !S.Winner)
    return {};
  std::string Out = "<dl class=\"tiles\">\n" + tile("", "launch shapes", timesText(S.LaunchShapes)) +
                    tile("", "binding", timesText(S.Binding)) + tile("", "fusion", timesText(S.Fusion)) +
                    tile(" class=\"total\"", "together, over the best as given", timesText(S.total()));
  if (S.Limit.Microseconds > 0)
    Out += tile("", "share of the limit", percentText(S.Limit.share(S.Winner->Result.Microseconds)));
  return Out + "</dl>\n";
}
} // namespace

std::string htmlReport(const TuneResult &R, const Summary &S) {
  std::string Plots = figure("Time without and with fusion", barPlot(timePlot(R, S)), "");
  const GroupedBars Utilisation = utilisationPlot(R, S);
  std::vector<PlotSeries> Kernels;
  for (const std::string &Name : Utilisation.Series)
    Kernels.push_back({Name, static_cast<unsigned>(Kernels.size()), false, true, {}});
  Plots += figure("Utilisation before and after", groupedBars(Utilisation), plotLegend(Kernels));
  Plots += xyFigure("Time over partition, by register mode (warps side by side)", partitionPlot(R, S));
  Plots += xyFigure("All candidates, in the order in which they were measured", searchPlot(R, S));

  std::string Limit = table(demandTable(S));
  if (!Limit.empty() && R.What.Graph)
    Limit = "<p class=\"soft\">Whatever is fused, the arrays that stay are moved once.</p>\n" + Limit;
  else if (!Limit.empty())
    Limit = fmt::format("<p class=\"soft\">No fusion can be faster than {}, which {} sets: the demands of all "
                        "constituents on a shared resource add up, and none is done before it would be alone.</p>\n",
                        escapeHtml(timeText(S.Limit.Microseconds)), escapeHtml(S.Limit.By)) +
            Limit;
  std::string Facts = "<dl class=\"facts\">\n";
  for (const auto &[Name, Value] : measurementFacts(R, S))
    Facts += fmt::format("<dt>{}</dt><dd>{}</dd>\n", escapeHtml(Name), escapeHtml(Value));
  Facts += "</dl>\n";
  for (const std::string &Note : R.Notes)
    Facts += fmt::format("<p>Note: {}</p>\n", escapeHtml(Note));

  std::string Out =
      "<!DOCTYPE html>\n<!-- Written by cufuse tune -->\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
  Out += fmt::format("<title>{}: cufuse tune</title>\n<style>\n{}</style>\n</head>\n<body>\n<main>\n",
                     escapeHtml(R.What.Workload), Style);
  Out += fmt::format("<header>\n<h1>{}</h1>\n<p>cufuse tune on {}</p>\n</header>\n", escapeHtml(R.What.Workload),
                     escapeHtml(R.What.Gpu.Name.empty() ? "no GPU" : R.What.Gpu.Name));
  Out += fmt::format("<p class=\"verdict{}\">{}</p>\n", S.What == Advice::Fuse ? " fuse" : "", escapeHtml(S.Sentence));
  Out += tiles(S);
  Out += section("Fused", table(candidateTable(R, S)));
  Out += section("Without fusion", table(baselineTable(R, S)));
  Out += section("Plots", Plots.empty() ? "" : "<div class=\"plots\">\n" + Plots + "</div>\n");
  Out += section("Kernels tuned alone", table(soloTable(R)));
  Out += section("The limit", Limit);
  Out += section("Counters", table(counterTable(R, S)));
  Out += section("What became of the candidates", table(fateTable(R, S)));
  Out += section("How it was measured", Facts + table(stepTable(R)));
  Out += section("To make it again", fmt::format("<pre>{}</pre>\n", escapeHtml(R.Command)));
  return Out + "</main>\n</body>\n</html>\n";
}

} // namespace cufuse
