#include "cufuse/Gpu/Metrics.h"
#include "cufuse/Runner/CuptiRangeProfiler.h"
#include "cufuse/Support/Error.h"

#include <gmock/gmock.h>

namespace cufuse {
namespace {

/// The plan for a chip that need not be here.
std::optional<MetricPlan> planFor(const std::vector<std::string> &Metrics, std::string &Why) {
#if __has_feature(address_sanitizer)
  Why = "libcupti loads a library with RTLD_DEEPBIND, which AddressSanitizer does not allow";
  return std::nullopt;
#endif
  auto Plan = planMetrics("GH100", Metrics);
  if (Plan)
    return std::move(*Plan);
  Why = llvm::toString(Plan.takeError());
  return std::nullopt;
}

#define PLAN_OR_SKIP(Plan, Metrics)                                                                                    \
  std::string Why;                                                                                                     \
  const auto Plan = planFor(Metrics, Why);                                                                             \
  if (!Plan && (Why.find("libcupti") != std::string::npos || Why.find("without the headers") != std::string::npos))    \
    GTEST_SKIP() << Why;                                                                                               \
  ASSERT_TRUE(Plan) << Why

TEST(Metrics, OnePassIsOne) {
  PLAN_OR_SKIP(Plan, metric::onePass());
  EXPECT_EQ(Plan->Passes, 1u);
  EXPECT_FALSE(Plan->ConfigImage.empty());
}

TEST(Metrics, TwoPassesAreTwo) {
  PLAN_OR_SKIP(Plan, metric::twoPasses());
  EXPECT_EQ(Plan->Passes, 2u);
}

TEST(Metrics, DemandsTakeAtMostThreePasses) {
  PLAN_OR_SKIP(Plan, metric::demands());
  EXPECT_LE(Plan->Passes, 3u);
}

TEST(Metrics, UnknownOnesAreNamed) {
  PLAN_OR_SKIP(Known, metric::onePass());
  EXPECT_FALSE(planFor({"sm__cycles_elapsed.max", "sm__cycles_wasted.sum"}, Why));
  EXPECT_THAT(Why, testing::HasSubstr("GH100 has no metric sm__cycles_wasted.sum"));
}

} // namespace
} // namespace cufuse
