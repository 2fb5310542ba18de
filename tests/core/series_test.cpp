#include "passmeter/series.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace passmeter {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// Unknown is never 0: before the first value everything is NaN.
TEST(Series, IsUnknownWhileEmpty) {
  const Series series;
  std::vector<float> scratch;
  for (const double value : {series.ema(), series.mean(), series.last(), series.min(), series.max()}) {
    EXPECT_TRUE(std::isnan(value));
  }
  const Percentiles percentiles = series.percentiles(scratch);
  for (const double value :
       {percentiles.p50, percentiles.p95, percentiles.p99, percentiles.p50_low, percentiles.p50_high}) {
    EXPECT_TRUE(std::isnan(value));
  }
  EXPECT_EQ(percentiles.samples, 0u);
  EXPECT_TRUE(series.spikes().empty());
  EXPECT_EQ(series.accepted(), 0u);
}

// The first value seeds EMA, minimum and maximum, which would otherwise start from 0.
TEST(Series, FirstValueSeeds) {
  for (const double value : {5.0, -5.0, 0.0, 1e12}) {
    Series series;
    series.add(value, Verdict::accepted, 0);
    EXPECT_EQ(series.ema(), value);
    EXPECT_EQ(series.mean(), value);
    EXPECT_EQ(series.last(), value);
    EXPECT_EQ(series.min(), value);
    EXPECT_EQ(series.max(), value);
  }
}

// EMA, mean, minimum and maximum of a short row of values worked out by hand.
TEST(Series, AddsUp) {
  Series series(0.5);
  for (const double value : {10.0, 20.0, 6.0}) series.add(value, Verdict::accepted, 0);
  EXPECT_DOUBLE_EQ(series.ema(), 10.5);  // 10, 15, 10.5
  EXPECT_DOUBLE_EQ(series.mean(), 12);
  EXPECT_EQ(series.last(), 6);
  EXPECT_EQ(series.min(), 6);
  EXPECT_EQ(series.max(), 20);
  EXPECT_EQ(series.accepted(), 3u);
}

// A step is followed at the rate alpha says: after n values (1 - alpha)^n of it are left.
TEST(Series, EmaForgetsAtTheRateOfAlpha) {
  for (const double alpha : {0.01, 0.1, 0.5, 1.0}) {
    Series series(alpha);
    series.add(0, Verdict::accepted, 0);
    for (int i = 0; i < 50; ++i) series.add(1000, Verdict::accepted, 0);
    EXPECT_NEAR(series.ema(), 1000 * (1 - std::pow(1 - alpha, 50)), 1e-9);
  }
}

struct Alpha {
  double given, used;
};

// Alpha outside (0, 1] and a window of 0 are replaced as documented.
TEST(Series, ReplacesBadParameters) {
  for (const Alpha& row : {Alpha{2, 1}, Alpha{0, 0.1}, Alpha{-1, 0.1}, Alpha{nan, 0.1}, Alpha{0.25, 0.25}}) {
    EXPECT_EQ(Series(row.given).alpha(), row.used);
  }
  EXPECT_EQ(Series(0.1, 0).window(), 1u);
}

// A rejected value is counted under its reason and changes nothing else.
TEST(Series, RejectedValuesDoNotEnter) {
  for (std::size_t i = 1; i < verdict_count; ++i) {
    const auto verdict = static_cast<Verdict>(i);
    Series series;
    std::vector<float> scratch;
    series.add(100, Verdict::accepted, 0);
    EXPECT_EQ(series.add(1e9, verdict, 1), verdict);
    series.reject(verdict);
    EXPECT_EQ(series.verdicts()[verdict], 2u);
    EXPECT_EQ(series.verdicts().rejected(), 2u);
    EXPECT_EQ(series.accepted(), 1u);
    EXPECT_EQ(series.ema(), 100);
    EXPECT_EQ(series.mean(), 100);
    EXPECT_EQ(series.last(), 100);
    EXPECT_EQ(series.max(), 100);
    EXPECT_EQ(series.spikes().size(), 1u);
    EXPECT_EQ(series.percentiles(scratch).samples, 1u);
  }
}

// NaN and infinity that come as accepted are nonfinite; those that were rejected anyway keep their reason.
TEST(Series, NonfiniteValuesAreRejected) {
  Series series;
  series.add(7, Verdict::accepted, 0);
  for (const double value : {nan, infinity, -infinity}) {
    EXPECT_EQ(series.add(value, Verdict::accepted, 0), Verdict::nonfinite);
    EXPECT_EQ(series.add(value, Verdict::late, 0), Verdict::late);
  }
  EXPECT_EQ(series.verdicts()[Verdict::nonfinite], 3u);
  EXPECT_EQ(series.verdicts()[Verdict::late], 3u);
  EXPECT_EQ(series.ema(), 7);
}

// After millions of values the mean is still that of an exact sum.
TEST(Series, MeanIsStableOverMillionsOfValues) {
  Series series(0.1, 16);
  std::mt19937_64 random(1);
  std::uint64_t sum = 0;
  constexpr std::uint64_t count = 3'000'000;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t value = 1'000'000'000 + random() % 1000;
    sum += value;
    series.add(static_cast<double>(value), Verdict::accepted, i);
  }
  const double whole = static_cast<double>(sum / count);
  const double rest = static_cast<double>(sum % count) / static_cast<double>(count);
  EXPECT_NEAR(series.mean() - whole, rest, 1e-3);  // 1e-12 of the value
}

// The eight largest values are kept in order, with their frames; of equal ones the earlier frames.
TEST(Series, KeepsTheLargestValues) {
  Series series;
  for (std::uint64_t frame = 0; frame < 1000; ++frame) {
    series.add(static_cast<double>((frame * 7919) % 1000), Verdict::accepted, frame);
  }
  const auto spikes = series.spikes();
  ASSERT_EQ(spikes.size(), 8u);
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(spikes[i].value, 999.0 - static_cast<double>(i));
    EXPECT_EQ((spikes[i].frame * 7919) % 1000, 999 - i);
  }

  Series equal;
  for (std::uint64_t frame = 20; frame > 0; --frame) equal.add(5, Verdict::accepted, frame);
  for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(equal.spikes()[i].frame, i + 1);
}

// reset() forgets values and counts; the next value seeds again.
TEST(Series, ResetForgetsEverything) {
  Series series(0.3, 4);
  std::vector<float> scratch;
  for (int i = 0; i < 9; ++i) series.add(100 + i, Verdict::accepted, 0);
  series.reject(Verdict::late);
  series.reset();
  EXPECT_EQ(series.accepted(), 0u);
  EXPECT_EQ(series.verdicts().rejected(), 0u);
  EXPECT_TRUE(std::isnan(series.ema()));
  EXPECT_TRUE(series.spikes().empty());
  EXPECT_EQ(series.percentiles(scratch).samples, 0u);
  EXPECT_EQ(series.alpha(), 0.3);
  EXPECT_EQ(series.window(), 4u);

  series.add(3, Verdict::accepted, 5);
  EXPECT_EQ(series.ema(), 3);
  EXPECT_EQ(series.min(), 3);
  EXPECT_EQ(series.max(), 3);
  EXPECT_EQ(series.percentiles(scratch).p50, 3);
}

}  // namespace
}  // namespace passmeter
