// measure_median() on a scripted clock.
#include <cmath>

#include "fake_rig.h"

namespace passmeter::gl {
namespace {

// Median and quartiles of known times, on each clock, waiting only where it says that it waits.
TEST(GlMedian, KnownTimes) {
  for (const Clock clock : {Clock::timestamp, Clock::time_elapsed, Clock::fence}) {
    FakeRig rig;
    rig.make({"a"}, {.clock = clock});
    rig.fake.allow_waits(true);
    std::int64_t run = 0;
    const MedianResult result = rig.timer->measure_median(5, [&] { rig.fake.advance(++run * ms); });
    EXPECT_TRUE(result.valid);
    EXPECT_EQ(result.runs, 5u);
    EXPECT_EQ(result.rejected, 0u);
    EXPECT_EQ(result.source, rig.timer->source());
    EXPECT_EQ(result.median_ns, 3.0 * ms);
    EXPECT_EQ(result.q1_ns, 2.0 * ms);
    EXPECT_EQ(result.q3_ns, 4.0 * ms);
    EXPECT_EQ(result.min_ns, 1.0 * ms);
    EXPECT_EQ(result.max_ns, 5.0 * ms);
    EXPECT_EQ(result.spread_ns(), 2.0 * ms);
    EXPECT_EQ(rig.row("a").marks(), 0u);
  }
}

// A run whose time cannot be true is left out and counted.
TEST(GlMedian, ImplausibleRunIsLeftOut) {
  FakeRig rig;
  rig.make({"a"}, {.clock = Clock::time_elapsed});
  rig.fake.allow_waits(true);
  rig.fake.push_elapsed({3'508'000'000'000});
  const MedianResult result = rig.timer->measure_median(4, [&] { rig.fake.advance(5 * ms); });
  EXPECT_EQ(result.runs, 3u);
  EXPECT_EQ(result.rejected, 1u);
  EXPECT_EQ(result.median_ns, 5.0 * ms);
}

// A run in which the clock was interrupted is left out, and so is what the timer had in flight.
TEST(GlMedian, DisjointRunIsLeftOut) {
  FakeRig rig(Flavour::gles3);
  rig.make({"a"});
  rig.fake.allow_waits(true);
  rig.fake.hold_all();
  rig.frame_of("a", ms);
  rig.fake.release_all();
  int run = 0;
  const MedianResult result = rig.timer->measure_median(5, [&] {
    rig.fake.advance(5 * ms);
    if (++run == 2) rig.fake.set_disjoint();
  });
  EXPECT_EQ(result.runs, 4u);
  EXPECT_EQ(result.rejected, 1u);
  EXPECT_EQ(rig.row("a").verdicts[Verdict::disjoint], 1u);
  rig.frame_of("a", 2 * ms);
  rig.timer->poll();
  EXPECT_EQ(rig.row("a").ema, 2.0 * ms);
}

// On a coarse clock a run of 30 us reads 0 or one quantum; dropping the latter would leave nothing but zeros.
TEST(GlMedian, Case05CoarseClockKeepsItsQuanta) {
  for (const Clock clock : {Clock::timestamp, Clock::time_elapsed}) {
    FakeRig rig;
    rig.make({"a"}, {.clock = clock});
    rig.fake.allow_waits(true);
    rig.fake.set_quantum(65'536);
    const MedianResult result = rig.timer->measure_median(1000, [&] { rig.fake.advance(30'000); });
    EXPECT_EQ(result.rejected, 0u);
    EXPECT_EQ(result.max_ns, 65'536.0);
  }
}

// Inside a frame, with no runs, or with nothing to measure with, the result is invalid and unknown, not 0.
TEST(GlMedian, InvalidIsUnknown) {
  FakeRig rig;
  rig.make({"a"});
  rig.timer->begin_frame();
  const MedianResult inside = rig.timer->measure_median(3, [] {});
  rig.timer->end_frame();
  EXPECT_FALSE(inside.valid);
  EXPECT_TRUE(std::isnan(inside.median_ns));
  EXPECT_FALSE(rig.timer->measure_median(0, [] {}).valid);
  rig.make({"a"}, {.clock = Clock::none});
  EXPECT_FALSE(rig.timer->measure_median(3, [] {}).valid);
}

}  // namespace
}  // namespace passmeter::gl
