#include "../TemporaryFolder.h"
#include "SampleResult.h"
#include "Synthetic.h"

#include "cufuse/Report/Report.h"
#include "cufuse/Search/Json.h"
#include "cufuse/Support/Error.h"
#include "cufuse/Support/Process.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <llvm/Support/Program.h>
#include <llvm/Support/Unicode.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>

namespace cufuse {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

size_t occurrences(const std::string &Text, const std::string &Of) {
  size_t Count = 0;
  for (size_t At = Text.find(Of); At != std::string::npos; At = Text.find(Of, At + 1))
    ++Count;
  return Count;
}

class Report : public testing::Test {
protected:
  static const TuneResult &sample() {
    static const TuneResult R =
        sampleResult(4, {{Fate::WrongResult, 0.1}, {Fate::TimedOut, 0.05}, {Fate::CompileFailed, 0.05}});
    return R;
  }
  const TuneResult &R = sample();
  const Summary S = summarize(R);
};

TEST_F(Report, TextBeginsWithTheVerdictAndStaysNarrow) {
  const std::string Text = textReport(R, S);
  EXPECT_EQ(Text.rfind(S.Sentence, 0), 0u);
  EXPECT_THAT(Text, HasSubstr(S.Winner->Which.key()));
  EXPECT_THAT(Text, HasSubstr("gave wrong results"));
  EXPECT_THAT(Text, HasSubstr("launch shapes 1."));
  std::istringstream Lines(Text.substr(Text.find('\n')));
  for (std::string Line; std::getline(Lines, Line);)
    EXPECT_LE(llvm::sys::unicode::columnWidthUTF8(Line), 120) << Line;
}

TEST_F(Report, MeasurementsOfEarlierRunsAreNoShareOfTheSpace) {
  TuneResult Resumed = R;
  Resumed.Strategy = "hfuse";
  Resumed.SpaceSize = 4;
  EXPECT_THAT(textReport(Resumed, S), HasSubstr("hfuse: 4 candidates, and "));
  EXPECT_THAT(textReport(R, S), HasSubstr(fmt::format("of {} candidates measured", R.SpaceSize)));
}

TEST_F(Report, HtmlHasEveryPart) {
  const std::string Html = htmlReport(R, S);
  for (const char *Part :
       {"<title>im2col-upsample: cufuse tune</title>", "Without fusion", "Kernels tuned alone", "The limit",
        "What became of the candidates", "How it was measured", "To make it again", "best of HFUSE&apos;s search",
        "prefers-color-scheme: dark", "Utilisation before and after", "GPU or compilers busy 91 % of it"})
    EXPECT_THAT(Html, HasSubstr(Part));
  EXPECT_EQ(occurrences(Html, "<svg "), 4u);
  EXPECT_THAT(Html, HasSubstr(R.Command));
  EXPECT_THAT(Html, HasSubstr("upsample&lt;4&gt;"));
  EXPECT_THAT(Html, Not(HasSubstr("upsample<4>")));
  EXPECT_EQ(occurrences(Html, "<tr class=\"marked\">"), 2u); // the strongest baseline and the winner
}

TEST_F(Report, HtmlLoadsNothing) {
  const std::string Html = htmlReport(R, S);
  for (const char *Loader : {"http:", "https:", "src=", "href=", "@import", "url(", "<script"})
    EXPECT_THAT(Html, Not(HasSubstr(Loader)));
}

TEST_F(Report, EveryMeasurementIsADot) {
  size_t Measurements = 0;
  for (const TraceEntry &E : R.Tried)
    Measurements += E.Measured && E.Result.Outcome == Fate::Measured;
  const std::string Html = htmlReport(R, S);
  const size_t Plot = Html.find("All candidates, in the order in which they were measured</figcaption>");
  ASSERT_NE(Plot, std::string::npos);
  EXPECT_EQ(occurrences(Html.substr(Plot), "<circle "), Measurements);
}

TEST_F(Report, FailuresAreCountedByCause) {
  const std::string Html = htmlReport(R, S);
  for (Fate F : {Fate::WrongResult, Fate::TimedOut, Fate::CompileFailed}) {
    const unsigned Count = S.Counts.of(F);
    EXPECT_GT(Count, 0u);
    EXPECT_THAT(Html, HasSubstr(fmt::format("injected fault {} ({})", static_cast<int>(F), Count)));
  }
}

TEST_F(Report, JsonIsReadBackWhole) {
  const std::string Json = jsonReport(R, S);
  TuneResult Again = llvm::cantFail(parseTuneResult(Json, "report.json"));
  const Summary SAgain = summarize(Again);
  EXPECT_EQ(jsonReport(Again, SAgain), Json);
  EXPECT_EQ(htmlReport(Again, SAgain), htmlReport(R, S));
  EXPECT_EQ(textReport(Again, SAgain), textReport(R, S));
}

TEST_F(Report, JsonThatIsNoResultIsRefusedWithTheField) {
  auto Wrong = [](const std::string &Text) {
    auto Result = parseTuneResult(Text, "x.json");
    return Result ? std::string() : llvm::toString(Result.takeError());
  };
  EXPECT_THAT(Wrong("{"), HasSubstr("x.json"));
  EXPECT_THAT(Wrong("{\"cufuse_tune\": 2}"), HasSubstr("command"));
  EXPECT_THAT(Wrong("{\"cufuse_tune\": 1}"), HasSubstr("version"));
  // Whoever looks for the candidates' kernels in the problem must find them.
  TuneResult Other = R;
  Other.Tried.front().Tried.Config.Constituents.pop_back();
  EXPECT_THAT(Wrong(jsonReport(Other, S)), HasSubstr("a candidate is of other kernels than the problem"));
  Other = R;
  Other.Tried.front().Result.Resources.emplace();
  Other.Tried.front().Result.Grids = {1, 2, 3, 4, 5, 6};
  EXPECT_THAT(Wrong(jsonReport(Other, S)), HasSubstr("a candidate is of other kernels than the problem"));
  Other = R;
  Other.Tried.front().Tried.Config.Constituents.front().Copies = 0;
  EXPECT_THAT(Wrong(jsonReport(Other, S)), HasSubstr("at least one copy"));
}

TEST_F(Report, WithoutMeasurementsItSaysSo) {
  TuneResult Modelled = R;
  Modelled.Modelled = true;
  Modelled.Baselines.clear();
  Modelled.Solo.clear();
  for (TraceEntry &E : Modelled.Tried) {
    E.Measured.reset();
    E.Result.Microseconds = 0;
    E.Result.Samples = 0;
  }
  const Summary Without = summarize(Modelled);
  EXPECT_THAT(Without.Sentence, HasSubstr("Nothing was measured"));
  ASSERT_TRUE(Without.Winner);
  EXPECT_THAT(textReport(Modelled, Without), HasSubstr("predicted"));
  EXPECT_THAT(htmlReport(Modelled, Without), HasSubstr("Nothing was measured"));
}

TEST(EmptyReport, HasNoPlotAndNoTile) {
  TuneResult R;
  R.What = syntheticProblem(0);
  const Summary S = summarize(R);
  EXPECT_EQ(S.What, Advice::Unknown);
  EXPECT_THAT(htmlReport(R, S), Not(HasSubstr("<svg ")));
  EXPECT_THAT(htmlReport(R, S), Not(HasSubstr("class=\"tiles\"")));
  EXPECT_FALSE(textReport(R, S).empty());
}

/// A headless Chromium, where there is one.
std::string browser() {
  for (const char *Name : {"chromium", "chromium-browser", "google-chrome"})
    if (auto Found = llvm::sys::findProgramByName(Name))
      return *Found;
  return {};
}

// What only a browser knows: whether text fits where it was put. The probe is appended to the page, and its findings
// are read from the document afterwards.
constexpr const char *Probe = R"html(<script>
  const wrong = [];
  const say = (what, element) => wrong.push(what + ': ' + element.textContent.trim().slice(0, 60));
  if (document.documentElement.scrollWidth > innerWidth) wrong.push('the page is wider than the window');
  let texts = 0;
  for (const svg of document.querySelectorAll('svg')) {
    const frame = svg.getBoundingClientRect();
    if (frame.width < 200 || frame.height < 20) wrong.push('a plot has no size');
    for (const text of svg.querySelectorAll('text')) {
      const box = text.getBoundingClientRect();
      ++texts;
      if (box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 1 || box.bottom > frame.bottom + 1)
        say('outside its plot', text);
    }
    const ticks = [...svg.querySelectorAll('text')].map(t => [t, t.getBoundingClientRect()]);
    for (let i = 0; i < ticks.length; ++i)
      for (let j = 0; j < i; ++j) {
        const [a, b] = [ticks[i][1], ticks[j][1]];
        if (a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 3 && b.top < a.bottom - 3)
          say('overlaps ' + ticks[j][0].textContent, ticks[i][0]);
      }
  }
  const colour = getComputedStyle(document.querySelector('circle')).fill;
  document.body.innerHTML = '<pre id="found">plots ' + document.querySelectorAll('svg').length + '; texts ' + texts +
    '; circle ' + colour + '; wrong ' + wrong.length + '\n' + wrong.join('\n') + '</pre>';
</script></body>)html";

TEST_F(Report, IsDrawnByABrowser) {
  const std::string Browser = browser();
  if (Browser.empty())
    GTEST_SKIP() << "no Chromium";
  const TemporaryFolder Folder;
  std::string Html = htmlReport(R, S);
  const std::string Page = Folder.at("page.html"), Probed = Folder.at("probed.html"), Picture = Folder.at("page.png");
  std::ofstream(Page) << Html;
  Html.replace(Html.find("</body>"), 7, Probe);
  std::ofstream(Probed) << Html;
  auto Run = [&](std::vector<std::string> More) {
    std::vector<std::string> Command{Browser,         "--headless",        "--no-sandbox",
                                     "--disable-gpu", "--hide-scrollbars", "--user-data-dir=" + Folder.at("profile")};
    Command.insert(Command.end(), More.begin(), More.end());
    auto Result = runProcess(Command, 120);
    return Result ? Result->Output : llvm::toString(Result.takeError());
  };
  for (const char *Size : {"1200,1000", "420,900"}) {
    const std::string Dom = Run({fmt::format("--window-size={}", Size), "--dump-dom", "file://" + Probed});
    EXPECT_THAT(Dom, HasSubstr("plots 4; ")) << Size;
    EXPECT_THAT(Dom, HasSubstr("wrong 0\n")) << Size;
    EXPECT_THAT(Dom, HasSubstr("circle rgb(10, 111, 194)")) << Size; // the style sheet reaches the plots
  }
  Run({"--window-size=1200,2600", "--screenshot=" + Picture, "file://" + Page});
  EXPECT_GT(fs::exists(Picture) ? fs::file_size(Picture) : 0, 50'000u);
  if (const char *Keep = std::getenv("CUFUSE_KEEP_REPORT")) // for looking at it
    fs::copy(Folder.Path, Keep, fs::copy_options::recursive | fs::copy_options::overwrite_existing);
}

} // namespace
} // namespace cufuse
