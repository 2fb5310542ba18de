#include "passmeter/frame_sample.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

namespace passmeter {
namespace {

constexpr double ms = 1e6;

Interval interval(double begin_ms, double end_ms, std::uint32_t parent = Interval::no_parent) {
  Interval result;
  result.pass = PassId{0};
  result.parent = parent;
  result.verdict = Verdict::accepted;
  result.begin_ns = begin_ms * ms;
  result.end_ns = end_ms * ms;
  result.inclusive_ns = result.exclusive_ns = (end_ms - begin_ms) * ms;
  return result;
}

FrameTimes measure(const std::vector<Interval>& intervals) {
  IntervalScratch scratch;
  return measure_frame(intervals, scratch);
}

struct Frame {
  const char* name;
  std::vector<Interval> intervals;
  double busy, span, sum;
  bool overlapping;
};

// Busy is the union, span from first begin to last end, sum what the top-level passes add up to.
TEST(MeasureFrame, AddsUpIntervals) {
  const Frame table[] = {
      {"one", {interval(3, 5)}, 2, 2, 2, false},
      {"one after the other", {interval(0, 2), interval(2, 5)}, 5, 5, 5, false},
      {"with a gap", {interval(0, 2), interval(4, 5)}, 3, 5, 3, false},
      {"out of order", {interval(4, 5), interval(0, 2)}, 3, 5, 3, false},
      {"overlapping", {interval(0, 3), interval(2, 5)}, 5, 5, 6, true},
      {"one within another", {interval(0, 9), interval(2, 5)}, 9, 9, 12, true},
      {"the same twice", {interval(1, 2), interval(1, 2)}, 1, 1, 2, true},
      {"empty ones", {interval(1, 1), interval(1, 1), interval(2, 2)}, 0, 1, 0, false},
      {"child inside", {interval(0, 6), interval(2, 5, 0)}, 6, 6, 6, false},
      {"children one after the other",
       {interval(0, 6), interval(1, 3, 0), interval(3, 5, 0)},
       6,
       6,
       6,
       false},
      {"children out of order", {interval(0, 6), interval(3, 5, 0), interval(1, 3, 0)}, 6, 6, 6, false},
      {"children that overlap", {interval(0, 6), interval(1, 4, 0), interval(3, 5, 0)}, 6, 6, 6, true},
      {"cousins at the same time as nobody",
       {interval(0, 3), interval(1, 2, 0), interval(3, 6), interval(4, 5, 2)},
       6,
       6,
       6,
       false},
      {"grandchildren one after the other",
       {interval(0, 9), interval(1, 8, 0), interval(2, 3, 1), interval(4, 7, 1)},
       9,
       9,
       9,
       false},
      {"grandchildren that overlap",
       {interval(0, 9), interval(1, 8, 0), interval(2, 5, 1), interval(4, 7, 1)},
       9,
       9,
       9,
       true},
  };
  for (const Frame& frame : table) {
    const FrameTimes times = measure(frame.intervals);
    EXPECT_DOUBLE_EQ(times.busy_ns, frame.busy * ms) << frame.name;
    EXPECT_DOUBLE_EQ(times.span_ns, frame.span * ms) << frame.name;
    EXPECT_DOUBLE_EQ(times.sum_ns, frame.sum * ms) << frame.name;
    EXPECT_EQ(times.overlapping, frame.overlapping) << frame.name;
  }
}

// Overlapping passes summed made frames larger than they were.
TEST(Case08, OverlappingPassesAreNotSummed) {
  std::vector<Interval> intervals{interval(0, 8), interval(1, 9), interval(2, 10)};
  FrameTimes times = measure(intervals);
  EXPECT_DOUBLE_EQ(times.busy_ns, 10 * ms);
  EXPECT_DOUBLE_EQ(times.span_ns, 10 * ms);
  EXPECT_TRUE(times.overlapping);

  intervals.push_back(interval(20, 21));
  times = measure(intervals);
  EXPECT_DOUBLE_EQ(times.busy_ns, 11 * ms);
  EXPECT_DOUBLE_EQ(times.span_ns, 21 * ms);
  EXPECT_DOUBLE_EQ(times.sum_ns, 25 * ms);
}

// Where passes overlap, as on tilers, the flag says so, so that nobody blames the last one.
TEST(Case09, OverlapIsFlagged) {
  EXPECT_TRUE(measure({interval(0, 8), interval(7, 9)}).overlapping);
  EXPECT_FALSE(measure({interval(0, 8), interval(8, 9)}).overlapping);
}

// Passes shorter than the clock's quantum have no length and begin where the next one does. Whatever the
// order they are looked at in, they touch it.
TEST(Case09, NoLengthIsNoOverlap) {
  for (int shorts = 1; shorts < 10; ++shorts) {
    std::vector<Interval> nested{interval(0, 9)};
    std::vector<Interval> flat{interval(5, 9)};
    for (int i = 0; i < shorts; ++i) {
      nested.push_back(interval(0, 0, 0));
      nested.push_back(interval(0, 0, static_cast<std::uint32_t>(nested.size() - 1)));
      flat.push_back(interval(0, 0));
    }
    nested.push_back(interval(0, 9, 0));
    flat.push_back(interval(0, 5));
    EXPECT_FALSE(measure(nested).overlapping) << shorts;
    EXPECT_FALSE(measure(flat).overlapping) << shorts;
    flat.push_back(interval(0, 1));
    EXPECT_TRUE(measure(flat).overlapping) << shorts;
  }
}

// Without a complete set of accepted top-level passes a frame is unknown, not smaller.
TEST(MeasureFrame, IsUnknownWhenAPassIsMissing) {
  std::vector<Interval> intervals{interval(0, 2), interval(2, 5)};
  intervals[1].verdict = Verdict::unwritten;
  for (const FrameTimes& times : {measure(intervals), measure({})}) {
    EXPECT_TRUE(std::isnan(times.busy_ns));
    EXPECT_TRUE(std::isnan(times.span_ns));
    EXPECT_TRUE(std::isnan(times.sum_ns));
    EXPECT_FALSE(times.overlapping);
  }
}

// A rejected child leaves the frame as it is: its parent covers its time.
TEST(MeasureFrame, DoesNotMindARejectedChild) {
  std::vector<Interval> intervals{interval(0, 6), interval(2, 5, 0)};
  intervals[1].verdict = Verdict::negative;
  EXPECT_DOUBLE_EQ(measure(intervals).busy_ns, 6 * ms);
}

// Durations without a place in time add up; where they lie can't be told.
TEST(MeasureFrame, KnowsOnlyTheSumOfDurations) {
  std::vector<Interval> intervals{interval(0, 2), interval(2, 5), interval(2, 4, 1)};
  for (Interval& i : intervals) i.begin_ns = i.end_ns = std::nan("");
  const FrameTimes times = measure(intervals);
  EXPECT_DOUBLE_EQ(times.sum_ns, 5 * ms);
  EXPECT_TRUE(std::isnan(times.busy_ns));
  EXPECT_TRUE(std::isnan(times.span_ns));
  EXPECT_FALSE(times.overlapping);
}

// Against a count of covered microseconds, for intervals thrown at random.
TEST(MeasureFrame, AgreesWithCountingCells) {
  std::mt19937 random(3);
  IntervalScratch scratch;
  for (int round = 0; round < 300; ++round) {
    std::vector<Interval> intervals;
    std::vector<int> cover(400);
    const auto count = 1 + random() % 12;
    for (std::uint_fast32_t i = 0; i < count; ++i) {
      const auto begin = static_cast<int>(random() % 300);
      const auto end = begin + static_cast<int>(random() % 60);
      intervals.push_back(interval(begin, end));
      for (int cell = begin; cell < end; ++cell) ++cover[static_cast<std::size_t>(cell)];
    }
    const FrameTimes times = measure_frame(intervals, scratch);
    const auto busy = std::count_if(cover.begin(), cover.end(), [](int n) { return n > 0; });
    const bool crowded = std::any_of(cover.begin(), cover.end(), [](int n) { return n > 1; });
    EXPECT_NEAR(times.busy_ns, static_cast<double>(busy) * ms, 1);
    EXPECT_TRUE(times.overlapping || !crowded);
    EXPECT_LE(times.busy_ns, times.span_ns + 1);
    EXPECT_LE(times.busy_ns, times.sum_ns + 1);
  }
}

}  // namespace
}  // namespace passmeter
