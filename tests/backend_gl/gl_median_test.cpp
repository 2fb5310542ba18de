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

// A lost context says that everything is available, and 0. Lost at any call, or told so by the work, nothing
// is measured, no call is made afterwards, and the timer can be restored.
TEST(GlMedian, LostContextMeasuresNothing) {
  for (const Clock clock : {Clock::timestamp, Clock::time_elapsed, Clock::fence}) {
    for (std::uint64_t k = 0; k < 40; ++k) {
      SCOPED_TRACE(std::to_string(static_cast<int>(clock)) + ", call " + std::to_string(k));
      FakeRig rig;
      rig.make({"a"}, {.clock = clock});
      rig.fake.allow_waits(true);
      if (k > 0) rig.fake.lose_context_at(k);
      int run = 0;
      const MedianResult result = rig.timer->measure_median(9, [&] {
        rig.fake.advance(ms);
        if (k != 0 || ++run != 3) return;
        rig.fake.lose_context();
        rig.timer->notify_lost();
        rig.fake.reset_counters();
      });
      if (k == 0) {
        EXPECT_EQ(rig.fake.total_calls(), 0u);
      }
      ASSERT_EQ(result.valid, !rig.fake.lost());
      EXPECT_EQ(rig.timer->state(), result.valid ? State::measuring : State::lost);
      if (result.valid) break;  // all calls have been tried
      rig.fake.restore();
      EXPECT_TRUE(rig.timer->restore());
      EXPECT_EQ(rig.timer->measure_median(3, [&] { rig.fake.advance(ms); }).min_ns, 1.0 * ms);
    }
  }
}

// A call that fails leaves its run out: no run is given another one's time.
TEST(GlMedian, FailedCallIsNotAnOldTime) {
  for (const Clock clock : {Clock::timestamp, Clock::time_elapsed}) {
    for (std::uint64_t k = 1; k < 40; ++k) {
      SCOPED_TRACE(std::to_string(static_cast<int>(clock)) + ", call " + std::to_string(k));
      FakeRig rig;
      rig.leaks_allowed = true;  // deleting may be what fails
      rig.make({"a"}, {.clock = clock});
      rig.fake.allow_waits(true);
      rig.fake.fail_call(k);
      int run = 0;
      const MedianResult result = rig.timer->measure_median(5, [&] { rig.fake.advance(++run * ms); });
      EXPECT_EQ(result.runs + result.rejected, 5u);
      if (result.runs == 5) {
        EXPECT_EQ(result.median_ns, 3.0 * ms);
      }
      if (result.valid) {
        EXPECT_GE(result.min_ns, 1.0 * ms);
      }
      rig.fake.clear_violations();
    }
  }
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
