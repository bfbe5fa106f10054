#include "Figures.h"
#include "cufuse/Report/Report.h"

#include <fmt/core.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>

namespace cufuse {

namespace {
constexpr const char *Style =
#include "Style.inc"
    ;

std::string escapeHtml(llvm::StringRef Text) {
  std::string Out;
  llvm::raw_string_ostream Stream(Out);
  llvm::printHTMLEscaped(Text, Stream);
  return Out;
}

std::string section(const std::string &Title, const std::string &Content) {
  return Content.empty() ? "" : fmt::format("<section>\n<h2>{}</h2>\n{}</section>\n", escapeHtml(Title), Content);
}

/// `Longest`: of all bars.
std::string table(const Table &T, double Longest = 0) {
  if (T.Rows.empty() || T.Head.size() < 2)
    return {};
  std::string Out = "<div class=\"scroll\"><table>\n<thead><tr>";
  auto Cell = [&](size_t Column, const char *Tag, const std::string &Text, double Bar = 0) {
    Out += fmt::format("<{0}{1}{2}>{3}</{0}>", Tag,
                       T.Numeric[Column]                    ? " class=\"n\""
                       : static_cast<int>(Column) == T.Keys ? " class=\"key\""
                                                            : "",
                       Bar > 0 ? fmt::format(" style=\"--bar: {:.1f}%\"", 100 * Bar / Longest) : "", escapeHtml(Text));
  };
  for (size_t I = 0; I < T.Head.size(); ++I)
    Cell(I, "th", T.Head[I]);
  Out += "</tr></thead>\n<tbody>\n";
  for (size_t R = 0; R < T.Rows.size(); ++R) {
    Out += static_cast<int>(R) == T.Marked ? "<tr class=\"marked\">" : "<tr>";
    for (size_t I = 0; I < T.Rows[R].size(); ++I)
      Cell(I, "td", T.Rows[R][I], static_cast<int>(I) == T.Drawn ? T.Bars[R] : 0);
    Out += "</tr>\n";
  }
  return Out + "</tbody></table></div>\n";
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
  const Table Fused = candidateTable(R, S), Without = baselineTable(R, S);
  double Longest = 0;
  for (const Table *Each : {&Fused, &Without})
    for (double Bar : Each->Bars)
      Longest = std::max(Longest, Bar);

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
  Out += section("Fused", table(Fused, Longest));
  Out += section("Without fusion", table(Without, Longest));
  Out += section("Kernels tuned alone", table(soloTable(R)));
  Out += section("The limit", Limit);
  Out += section("Counters", table(counterTable(R, S)));
  Out += section("What became of the candidates", table(fateTable(R, S)));
  Out += section("How it was measured", Facts + table(stepTable(R)));
  Out += section("To make it again", fmt::format("<pre>{}</pre>\n", escapeHtml(R.Command)));
  return Out + "</main>\n</body>\n</html>\n";
}

} // namespace cufuse
