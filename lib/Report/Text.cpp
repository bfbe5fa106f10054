#include "Figures.h"
#include "cufuse/Report/Report.h"

#include <fmt/core.h>
#include <llvm/Support/Unicode.h>

#include <algorithm>

namespace cufuse {

namespace {
size_t columnsOf(const std::string &Text) {
  return static_cast<size_t>(std::max(0, llvm::sys::unicode::columnWidthUTF8(Text)));
}

/// The columns wanted, each as wide as its widest cell.
std::string print(const Table &T, const std::vector<size_t> &Columns) {
  std::vector<size_t> Widths;
  for (size_t C : Columns) {
    Widths.push_back(columnsOf(T.Head[C]));
    for (const auto &Row : T.Rows)
      Widths.back() = std::max(Widths.back(), columnsOf(Row[C]));
  }
  std::string Out;
  auto Line = [&](const std::vector<std::string> &Row, const char *Margin) {
    std::string Text = Margin;
    for (size_t I = 0; I < Columns.size(); ++I) {
      const std::string &Cell = Row[Columns[I]];
      const std::string Space(Widths[I] - columnsOf(Cell), ' ');
      Text += (I == 0 ? "" : "  ") + (T.Numeric[Columns[I]] ? Space + Cell : Cell + Space);
    }
    Out += Text.substr(0, Text.find_last_not_of(' ') + 1) + "\n";
  };
  Line(T.Head, "  ");
  for (size_t I = 0; I < T.Rows.size(); ++I)
    Line(T.Rows[I], static_cast<int>(I) == T.Marked ? "* " : "  ");
  return Out + "\n";
}
} // namespace

std::string textReport(const TuneResult &R, const Summary &S) {
  std::string Out = S.Sentence + "\n\n";
  if (const Table T = baselineTable(R, S); !T.Rows.empty())
    Out += print(T, {0, 1, 3, 4, 5});
  Table T = candidateTable(R, S);
  T.Head = {"", "Fused", "Time", "/ given", "/ best", "limit", "regs", "spills", "occup.", ""};
  for (auto &Row : T.Rows)
    if (Row[0].find("HFUSE") != std::string::npos)
      Row[1] = "HFUSE: " + Row[1];
    else if (Row[0].find("graph") != std::string::npos)
      Row[1] = "in a graph: " + Row[1];
  if (!T.Rows.empty())
    Out += print(T, {1, 2, 3, 4, 5, 6, 7, 8});
  if (S.StrongestBaseline && S.Winner)
    Out += fmt::format("  launch shapes {} · binding {} · fusion {} = {} over the best as given\n\n",
                       timesText(S.LaunchShapes), timesText(S.Binding), timesText(S.Fusion), timesText(S.total()));
  Table Fates = fateTable(R, S);
  for (auto &Row : Fates.Rows)
    Row[2] = shortened(Row[2], 60);
  Out += print(Fates, {0, 1, 2});
  for (const auto &[Name, Value] : measurementFacts(R, S))
    Out += fmt::format("  {:<11} {}\n", Name, Value);
  for (const std::string &Note : R.Notes)
    Out += "  note: " + Note + "\n";
  return Out;
}

} // namespace cufuse
