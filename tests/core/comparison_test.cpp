#include "passmeter/comparison.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "passmeter/series.h"

namespace passmeter {
namespace {

constexpr double us = 1e3;

SeriesReport row(std::string name, double p50, double low, double high) {
  SeriesReport result;
  result.name = std::move(name);
  result.p50 = result.mean = result.ema = p50;
  result.p50_low = low;
  result.p50_high = high;
  result.verdicts[Verdict::accepted] = 400;
  return result;
}

SeriesReport nothing(std::string name) {
  SeriesReport result;
  result.name = std::move(name);
  return result;
}

Report report_of(std::vector<SeriesReport> rows, double resolution_ns = 1,
                 Source source = Source::timestamp) {
  Report report;
  report.source = source;
  report.resolution_ns = resolution_ns;
  report.series = std::move(rows);
  return report;
}

ComparisonRow compare_one(const SeriesReport& left, const SeriesReport& right, double resolution_ns = 0) {
  return compare(report_of({left}, resolution_ns), report_of({right}, resolution_ns)).rows.at(0);
}

// Rows are paired by name in the left report's order; what only one side has is there, its ratio unknown.
TEST(Compare, PairsByName) {
  Report left = report_of({row("b", 20, 19, 21), row("a", 10, 9, 11), row("l", 5, 4, 6)});
  Report right = report_of({row("r", 7, 6, 8), row("a", 10, 9, 11), row("b", 10, 9, 11)});
  left.series[1].unit = Unit::nanoseconds;
  right.series.push_back(row("objects", 3, 2, 4));
  right.series.back().unit = Unit::count;
  const Comparison comparison = compare(left, right);

  ASSERT_EQ(comparison.rows.size(), 4u);
  EXPECT_EQ(comparison.rows[0].name, "b");
  EXPECT_DOUBLE_EQ(comparison.rows[0].ratio, 2);
  EXPECT_EQ(comparison.rows[1].name, "a");
  EXPECT_DOUBLE_EQ(comparison.rows[1].ratio, 1);
  EXPECT_EQ(comparison.rows[2].name, "l");
  EXPECT_EQ(comparison.rows[2].left_ns, 5);
  EXPECT_TRUE(std::isnan(comparison.rows[2].right_ns));
  EXPECT_TRUE(std::isnan(comparison.rows[2].ratio));
  EXPECT_EQ(comparison.rows[2].verdict, Difference::undecided);
  EXPECT_EQ(comparison.rows[3].name, "r");
  EXPECT_EQ(comparison.rows[3].right_ns, 7);
  EXPECT_EQ(comparison.left.series.size(), 3u);
  EXPECT_EQ(comparison.right.series.size(), 4u);
}

struct Verdicts {
  const char* name;
  SeriesReport left, right;
  Difference verdict;
};

// The verdict follows from the band: above 1, below 1, or holding it.
// A count that has a pass's name is not its time.
TEST(Compare, ACountOfTheSameNameIsLeftOut) {
  SeriesReport count = row("particles", 1000, 1000, 1000);
  count.unit = Unit::count;
  const SeriesReport time = row("particles", 2e6, 2e6, 2e6);
  const Comparison one = compare(report_of({time}), report_of({count}));
  ASSERT_EQ(one.rows.size(), 1u);
  EXPECT_EQ(one.rows[0].left_ns, 2e6);
  EXPECT_TRUE(std::isnan(one.rows[0].right_ns));
  const Comparison other = compare(report_of({count}), report_of({time}));
  ASSERT_EQ(other.rows.size(), 1u);
  EXPECT_EQ(other.rows[0].right_ns, 2e6);
}

TEST(Compare, JudgesByTheBand) {
  const Verdicts table[] = {
      {"far apart", row("p", 200, 198, 202), row("p", 100, 99, 101), Difference::left_slower},
      {"the other way", row("p", 100, 99, 101), row("p", 200, 198, 202), Difference::right_slower},
      {"alike", row("p", 100, 99, 101), row("p", 100.5, 99, 102), Difference::same},
      {"apart, but noisy", row("p", 120, 90, 150), row("p", 100, 80, 130), Difference::same},
      {"nothing on the right", row("p", 100, 99, 101), nothing("p"), Difference::undecided},
      {"no interval", row("p", 100, unknown, unknown), row("p", 50, 49, 51), Difference::undecided},
      {"zero on the right", row("p", 100, 99, 101), row("p", 0, 0, 0), Difference::undecided},
      {"zero on the left", row("p", 0, 0, 0), row("p", 100, 99, 101), Difference::right_slower},
  };
  for (const Verdicts& entry : table) {
    EXPECT_EQ(compare_one(entry.left, entry.right).verdict, entry.verdict) << entry.name;
  }
}

// Asymmetric intervals stay asymmetric: the left's upper and the right's lower side make the band's upper
// end.
TEST(Compare, KeepsSidesApart) {
  const ComparisonRow left_tail = compare_one(row("p", 100, 100, 120), row("p", 100, 100, 100));
  EXPECT_DOUBLE_EQ(left_tail.low, 1);
  EXPECT_DOUBLE_EQ(left_tail.high, 1.2);
  const ComparisonRow right_tail = compare_one(row("p", 100, 100, 100), row("p", 100, 100, 125));
  EXPECT_DOUBLE_EQ(right_tail.low, 0.8);
  EXPECT_DOUBLE_EQ(right_tail.high, 1);
  const ComparisonRow both = compare_one(row("p", 100, 97, 103), row("p", 100, 100 / 1.04, 100 / 0.96));
  EXPECT_NEAR(both.low, 0.95, 1e-9);  // 3 and 4 make 5
  EXPECT_NEAR(both.high, 1.05, 1e-9);
}

// A coarse clock widens the band by half its quantum at each end of each side; a fence by all of it.
TEST(Compare, ResolutionWidensTheBand) {
  const SeriesReport steady = row("p", 1000 * us, 1000 * us, 1000 * us);
  const ComparisonRow coarse = compare(report_of({steady}, 100 * us), report_of({steady}, 0)).rows.at(0);
  EXPECT_NEAR(coarse.low, 0.95, 1e-9);
  EXPECT_NEAR(coarse.high, 1.05, 1e-9);
  const ComparisonRow fence =
      compare(report_of({steady}, 100 * us, Source::fence), report_of({steady}, 0)).rows.at(0);
  EXPECT_NEAR(fence.low, 0.9, 1e-9);
  EXPECT_NEAR(fence.high, 1.1, 1e-9);
  const ComparisonRow unknown_resolution =
      compare(report_of({steady}, unknown), report_of({steady}, unknown)).rows.at(0);
  EXPECT_EQ(unknown_resolution.verdict, Difference::same);
}

// Below the resolution the median is 0 or one quantum; the means are compared instead.
TEST(Compare, UsesTheMeanBelowTheResolution) {
  SeriesReport left = row("p", 0, 0, 65'536);
  left.mean = 30'000;
  left.below_resolution = true;
  left.verdicts[Verdict::accepted] = 10'000;
  const SeriesReport right = row("p", 30'100, 30'000, 30'200);
  const ComparisonRow found = compare(report_of({left}, 65'536), report_of({right}, 1)).rows.at(0);
  EXPECT_EQ(found.left_ns, 30'000);
  EXPECT_EQ(found.verdict, Difference::same);
  EXPECT_GT(found.low, 0.95);
  EXPECT_LT(found.high, 1.05);
}

// Below a fence's resolution nothing can be said.
TEST(Compare, SaysNothingBelowAFencesResolution) {
  SeriesReport left = row("p", 30'000, 29'000, 31'000);
  left.below_resolution = true;
  const Comparison comparison =
      compare(report_of({left}, 1e6, Source::fence), report_of({row("p", 100, 99, 101)}));
  EXPECT_EQ(comparison.rows[0].verdict, Difference::undecided);
  EXPECT_TRUE(std::isnan(comparison.rows[0].low));
}

// Whatever the numbers, the band is never inside out.
TEST(Compare, BandIsNeverInverted) {
  std::mt19937_64 random(11);
  const auto number = [&random] { return static_cast<double>(random() % 1'000'000); };
  int known = 0;
  for (int i = 0; i < 20'000; ++i) {
    const auto any_row = [&] {
      const double middle = number();
      SeriesReport r = row("p", middle, std::max(0.0, middle - number()), middle + number());
      r.below_resolution = random() % 4 == 0;
      r.mean = number();
      return r;
    };
    const ComparisonRow found = compare_one(any_row(), any_row(), random() % 3 == 0 ? number() : 1);
    if (!std::isfinite(found.low) || !std::isfinite(found.high)) continue;
    ++known;
    ASSERT_LE(found.low, found.ratio);
    ASSERT_GE(found.high, found.ratio);
    ASSERT_GE(found.low, 0);
  }
  EXPECT_GT(known, 5000);
}

// Two series of the same noisy work are told apart in at most a few cases of a hundred; one 10 % slower
// always.
TEST(Compare, TellsWorkApartButNotNoise) {
  std::mt19937_64 random(5);
  std::vector<float> scratch;
  const auto series_of = [&](double scale) {
    Series series(0.1, 512);
    for (int i = 0; i < 300; ++i) {
      const double noise = static_cast<double>(random() % 1000) / 1000;
      series.add(scale * (1e6 + 1e5 * noise * noise), Verdict::accepted, 0);
    }
    const Percentiles p = series.percentiles(scratch);
    return row("p", p.p50, p.p50_low, p.p50_high);
  };
  int false_alarms = 0;
  for (int i = 0; i < 200; ++i) {
    false_alarms += compare_one(series_of(1), series_of(1)).verdict != Difference::same;
    EXPECT_EQ(compare_one(series_of(1.1), series_of(1)).verdict, Difference::left_slower);
    EXPECT_EQ(compare_one(series_of(1), series_of(1.1)).verdict, Difference::right_slower);
  }
  EXPECT_LE(false_alarms, 14);
}

}  // namespace
}  // namespace passmeter
