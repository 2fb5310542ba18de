// How results come back: late, out of order, not at all, void, after a loss.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "timer_fixture.h"

namespace passmeter {
namespace {

using testing::draw_frame;
using testing::draw_nothing;
using testing::draw_pass;
using testing::Log;
using testing::ms;
using testing::row_of;

constexpr const char* a_pass = "a";

TimerConfig one_pass(std::uint32_t frames_in_flight = 0) {
  TimerConfig config;
  config.passes = {a_pass};
  config.frames_in_flight = frames_in_flight;
  return config;
}

// The latency is measured, whatever it is, and no value is lost to it.
TEST(TimerFlow, MeasuresLatency) {
  for (const std::uint32_t latency : {0u, 1u, 2u, 3u, 7u}) {
    ScriptedTimer timer(one_pass(8), {.latency_frames = latency});
    for (int i = 0; i < 100; ++i) draw_pass(timer, timer.pass(a_pass), ms);
    EXPECT_EQ(timer.report().latency_frames, latency);
    EXPECT_EQ(row_of(timer, a_pass).verdicts.accepted(), 100 - latency);
    EXPECT_EQ(row_of(timer, a_pass).verdicts.rejected(), 0u);
    EXPECT_EQ(row_of(timer, a_pass).in_flight, latency);
  }
}

// More latency than frames in flight: some frames are skipped and counted, the measured ones are right.
TEST(TimerFlow, SkipsWhenEverythingIsInFlight) {
  Log log;
  TimerConfig config = one_pass(2);
  config.log = log.callback();
  ScriptedTimer timer(config, {.latency_frames = 3});
  for (int i = 0; i < 100; ++i) draw_pass(timer, timer.pass(a_pass), (i + 1) * 10'000);
  draw_nothing(timer, 5);
  const SeriesReport row = row_of(timer, a_pass);
  EXPECT_EQ(row.verdicts.accepted() + row.verdicts[Verdict::no_free_slot], 100u);
  EXPECT_GE(row.verdicts.accepted(), 40u);
  EXPECT_EQ(row.verdicts[Verdict::no_free_slot], timer.diagnostic_count(Diagnostic::pool_full));
  const VerdictCounts frames = timer.report().frame.verdicts;
  EXPECT_EQ(frames.accepted(), row.verdicts.accepted());
  EXPECT_EQ(frames[Verdict::no_free_slot], row.verdicts[Verdict::no_free_slot]);
  EXPECT_EQ(log.times(Diagnostic::pool_full), 1);
  for (std::uint32_t i = 0; i < row.spikes_used; ++i) {
    EXPECT_EQ(row.spikes[i].value, static_cast<double>((row.spikes[i].frame + 1) * 10'000));
  }
}

// A ring of 3 whose results are held for 10 frames, then released.
TEST(Case06, RingWhoseResultsAreHeld) {
  ScriptedTimer timer(one_pass(3), {.latency_frames = 0});
  const PassId a = timer.pass(a_pass);
  timer.hold_results(true);
  for (int i = 0; i < 10; ++i) draw_pass(timer, a, ms);
  EXPECT_EQ(row_of(timer, a_pass).in_flight, 3u);
  EXPECT_EQ(row_of(timer, a_pass).verdicts[Verdict::no_free_slot], 7u);
  EXPECT_EQ(row_of(timer, a_pass).verdicts.accepted(), 0u);
  timer.hold_results(false);
  for (int i = 0; i < 10; ++i) draw_pass(timer, a, ms);
  EXPECT_EQ(row_of(timer, a_pass).verdicts.accepted(), 13u);
  EXPECT_EQ(row_of(timer, a_pass).verdicts[Verdict::no_free_slot], 7u);
  EXPECT_EQ(row_of(timer, a_pass).verdicts[Verdict::driver_error], 0u);
}

// A frame that overtakes the one before it is counted under its own number.
TEST(TimerFlow, TakesResultsOutOfOrder) {
  std::vector<std::uint64_t> order;
  TimerConfig config = one_pass(8);
  config.on_frame = {[](void* user, const FrameSample& sample) {
                       static_cast<std::vector<std::uint64_t>*>(user)->push_back(sample.frame);
                     },
                     &order};
  ScriptedTimer timer(config);
  for (const std::uint32_t latency : {4u, 1u, 3u, 0u, 0u, 0u}) {
    timer.set_latency(latency);
    draw_pass(timer, timer.pass(a_pass), static_cast<std::int64_t>(1 + timer.frames()) * ms);
  }
  EXPECT_EQ(order, (std::vector<std::uint64_t>{1, 3, 0, 4, 2, 5}));
  const SeriesReport row = row_of(timer, a_pass);
  EXPECT_EQ(row.verdicts.accepted(), 6u);
  EXPECT_EQ(row.in_flight, 0u);
  ASSERT_EQ(row.spikes_used, 6u);
  for (std::uint32_t i = 0; i < 6; ++i) EXPECT_EQ(row.spikes[i].frame, 5 - i);
}

// Results that never come are given up after the stated number of frames; those around them are not.
TEST(TimerFlow, GivesUpLateResults) {
  TimerConfig config = one_pass(8);
  config.late_after_frames = 5;
  ScriptedTimer timer(config, {.latency_frames = 1});
  const PassId a = timer.pass(a_pass);
  timer.drop_next_results();
  draw_pass(timer, a, ms);
  for (int i = 0; i < 4; ++i) draw_pass(timer, a, ms);
  EXPECT_EQ(row_of(timer, a_pass).verdicts[Verdict::late], 0u);
  EXPECT_EQ(row_of(timer, a_pass).in_flight, 2u);
  draw_pass(timer, a, ms);
  EXPECT_EQ(row_of(timer, a_pass).verdicts[Verdict::late], 1u);
  draw_nothing(timer, 2);
  EXPECT_EQ(row_of(timer, a_pass).verdicts.accepted(), 5u);
  EXPECT_EQ(row_of(timer, a_pass).in_flight, 0u);
}

// The driver refuses to read a frame back: that frame is a driver error, the next is fine.
TEST(TimerFlow, DriverRefusesAFrame) {
  ScriptedTimer timer(one_pass(), {.latency_frames = 0});
  timer.fail_next_frame();
  for (int i = 0; i < 3; ++i) draw_pass(timer, timer.pass(a_pass), ms);
  EXPECT_EQ(row_of(timer, a_pass).verdicts[Verdict::driver_error], 1u);
  EXPECT_EQ(row_of(timer, a_pass).verdicts.accepted(), 2u);
}

// No query is free for a frame: it is skipped and counted although slots are free.
TEST(TimerFlow, DriverHasNoQueries) {
  ScriptedTimer timer(one_pass(), {.latency_frames = 0});
  timer.refuse_frames(true);
  draw_pass(timer, timer.pass(a_pass), ms);
  timer.refuse_frames(false);
  draw_pass(timer, timer.pass(a_pass), ms);
  EXPECT_EQ(row_of(timer, a_pass).verdicts[Verdict::no_free_slot], 1u);
  EXPECT_EQ(row_of(timer, a_pass).verdicts.accepted(), 1u);
}

// A clock interrupted once voids all three frames in flight and none after them.
TEST(Case14, DisjointVoidsWhatIsInFlight) {
  Log log;
  TimerConfig config = one_pass(4);
  config.log = log.callback();
  ScriptedTimer timer(config, {.latency_frames = 3});
  const PassId a = timer.pass(a_pass);
  for (int i = 0; i < 3; ++i) draw_pass(timer, a, 100 * ms);
  EXPECT_EQ(row_of(timer, a_pass).in_flight, 3u);
  timer.interrupt_clock();
  timer.poll();
  EXPECT_EQ(row_of(timer, a_pass).verdicts[Verdict::disjoint], 3u);
  for (int i = 0; i < 3; ++i) draw_pass(timer, a, ms);
  draw_nothing(timer, 3);
  EXPECT_EQ(row_of(timer, a_pass).verdicts[Verdict::disjoint], 3u);
  EXPECT_EQ(row_of(timer, a_pass).verdicts.accepted(), 3u);
  EXPECT_EQ(row_of(timer, a_pass).ema, 1e6);
  EXPECT_EQ(timer.diagnostic_count(Diagnostic::disjoint), 1u);
  EXPECT_EQ(log.times(Diagnostic::disjoint), 1);
}

// After a loss everything in flight is lost and nothing is marked; restore() starts again, and what was in
// flight before never arrives.
TEST(Case18, LossAndRestore) {
  std::vector<std::uint64_t> delivered;
  Log log;
  TimerConfig config = one_pass(4);
  config.log = log.callback();
  config.on_frame = {[](void* user, const FrameSample& sample) {
                       if (sample.intervals[0].verdict == Verdict::accepted) {
                         static_cast<std::vector<std::uint64_t>*>(user)->push_back(sample.frame);
                       }
                     },
                     &delivered};
  ScriptedTimer timer(config, {.latency_frames = 2});
  const PassId a = timer.pass(a_pass);
  for (int i = 0; i < 4; ++i) draw_pass(timer, a, ms);
  timer.lose();
  for (int i = 0; i < 3; ++i) draw_pass(timer, a, ms);
  EXPECT_EQ(timer.state(), State::lost);
  EXPECT_EQ(timer.source(), Source::none);
  EXPECT_EQ(row_of(timer, a_pass).verdicts[Verdict::lost],
            3u);  // two in flight and the frame it was noticed in
  EXPECT_EQ(row_of(timer, a_pass).in_flight, 0u);
  EXPECT_EQ(row_of(timer, a_pass).marks(), 5u);

  timer.allow_restore(false);
  EXPECT_FALSE(timer.restore());
  EXPECT_EQ(timer.state(), State::lost);
  timer.allow_restore(true);
  EXPECT_TRUE(timer.restore());
  EXPECT_EQ(timer.state(), State::measuring);
  for (int i = 0; i < 8; ++i) draw_pass(timer, a, 2 * ms);
  draw_nothing(timer, 2);
  EXPECT_EQ(delivered, (std::vector<std::uint64_t>{0, 1, 7, 8, 9, 10, 11, 12, 13, 14}));
  EXPECT_EQ(row_of(timer, a_pass).last, 2e6);
  EXPECT_EQ(log.times(Diagnostic::lost), 1);
}

// Loss told by the application in the middle of a scope, twice; restore without a loss answers whether it
// measures.
TEST(TimerFlow, LossInsideAScope) {
  ScriptedTimer timer(one_pass(), {.latency_frames = 0});
  EXPECT_TRUE(timer.restore());
  draw_frame(timer, [&] {
    const auto scope = timer.scope(timer.pass(a_pass));
    timer.notify_lost();
    timer.notify_lost();
    EXPECT_FALSE(timer.scope(timer.pass(a_pass)).active());
  });
  EXPECT_EQ(row_of(timer, a_pass).verdicts[Verdict::lost], 1u);
  EXPECT_EQ(timer.diagnostic_count(Diagnostic::lost), 1u);
  EXPECT_TRUE(timer.restore());
  draw_pass(timer, timer.pass(a_pass), ms);
  EXPECT_EQ(row_of(timer, a_pass).verdicts.accepted(), 1u);
}

// What goes wrong in a run of frames, at one time or another. Every mark of it gets one verdict.
void go_wrong(ScriptedTimer& timer, int frame) {
  const PassId outer = timer.pass(a_pass);
  if (frame == 1) timer.interrupt_clock();
  if (frame == 2) timer.refuse_scopes(1);
  if (frame == 3) timer.fail_next_frame();
  timer.hold_results(frame >= 4 && frame < 8);
  timer.zero_stamps(frame >= 10);
  if (frame == 8) timer.open(outer);
  timer.begin_frame();
  if (frame == 5) timer.begin_frame();
  timer.open(outer);
  timer.work_ns(ms);
  timer.open(timer.pass("b"));
  for (int i = 0; frame == 6 && i < 4; ++i) timer.open(outer);
  if (frame % 3 == 0) timer.close(outer);
  timer.end_frame();
  if (frame == 7) timer.end_frame();
}

// The application may answer whatever it is told with notify_lost() and restore(), inside of the log
// callback.
TEST(TimerFlow, LossToldFromTheLog) {
  struct Teller {
    ScriptedTimer* timer = nullptr;
    Diagnostic at = Diagnostic::lost;
    bool told = false;
  };
  for (std::size_t i = 0; i < diagnostic_count; ++i) {
    Teller teller{.at = static_cast<Diagnostic>(i)};
    SCOPED_TRACE(to_string(teller.at));
    TimerConfig config{.passes = {a_pass, "b"}, .frames_in_flight = 2, .max_scopes_per_frame = 4};
    config.log = {[](void* user, Diagnostic diagnostic, const char*) {
                    auto& self = *static_cast<Teller*>(user);
                    if (diagnostic != self.at || self.timer == nullptr) return;
                    self.told = true;
                    self.timer->notify_lost();
                    EXPECT_TRUE(self.timer->restore());
                  },
                  &teller};
    ScriptedTimer timer(config);
    teller.timer = &timer;
    for (int frame = 0; frame < 50; ++frame) {
      go_wrong(timer, frame);
      for (const char* pass : {a_pass, "b"}) EXPECT_LE(row_of(timer, pass).in_flight, 2u) << frame;
      if (frame == 9) timer.notify_lost();
      timer.restore();
    }
    timer.zero_stamps(false);
    draw_nothing(timer, 2);
    for (const char* pass : {a_pass, "b"}) {
      EXPECT_EQ(row_of(timer, pass).in_flight, 0u);
      EXPECT_LE(row_of(timer, pass).marks(), 51u);
    }
    EXPECT_EQ(timer.report().frames_in_flight, 0u);
    EXPECT_EQ(teller.told, timer.diagnostic_count(teller.at) > 0);
    const std::uint64_t before = row_of(timer, a_pass).verdicts.accepted();
    for (int frame = 0; frame < 3; ++frame) draw_pass(timer, timer.pass(a_pass), ms);
    EXPECT_EQ(row_of(timer, a_pass).verdicts.accepted(), before + 2);
  }
}

// Nobody collects for a hundred thousand frames: what is in flight stays at the cap; then one poll takes it
// all.
TEST(Case21, NobodyCollects) {
  TimerConfig config = one_pass(3);
  config.late_after_frames = 1'000'000;
  ScriptedTimer timer(config, {.latency_frames = 0});
  timer.hold_results(true);
  for (int i = 0; i < 100'000; ++i) draw_pass(timer, timer.pass(a_pass), ms);
  EXPECT_EQ(timer.report().frames_in_flight, 3u);
  EXPECT_EQ(row_of(timer, a_pass).verdicts[Verdict::no_free_slot], 99'997u);
  timer.hold_results(false);
  timer.poll();
  EXPECT_EQ(timer.report().frames_in_flight, 0u);
  EXPECT_EQ(row_of(timer, a_pass).verdicts.accepted(), 3u);
}

// All stamps are zero: no sample, a state with its reason; once they are not, it measures again.
TEST(Case29, AllStampsAreZero) {
  for (const bool one_zero : {false, true}) {
    Log log;
    TimerConfig config = one_pass();
    config.log = log.callback();
    ScriptedTimer timer(config, {.one_zero_is_unwritten = one_zero, .latency_frames = 0});
    timer.zero_stamps(true);
    for (int i = 0; i < 60; ++i) draw_pass(timer, timer.pass(a_pass), ms);
    EXPECT_EQ(timer.state(), State::degraded);
    EXPECT_NE(std::string(timer.reason()).find("zero"), std::string::npos) << timer.reason();
    EXPECT_EQ(row_of(timer, a_pass).verdicts.accepted(), 0u);
    EXPECT_EQ(row_of(timer, a_pass).verdicts[Verdict::unwritten], 60u);
    EXPECT_TRUE(std::isnan(row_of(timer, a_pass).ema));
    EXPECT_EQ(log.times(Diagnostic::degraded), 1);

    timer.zero_stamps(false);
    draw_pass(timer, timer.pass(a_pass), ms);
    EXPECT_EQ(timer.state(), State::measuring);
    EXPECT_EQ(timer.source(), Source::timestamp);
    EXPECT_EQ(row_of(timer, a_pass).ema, 1e6);
  }
}

// Values that can't be true are counted under their reasons and leave the average alone.
TEST(TimerFlow, RejectsWhatCannotBeTrue) {
  ScriptedTimer timer(one_pass(), {.one_zero_is_unwritten = true, .latency_frames = 1});
  const PassId a = timer.pass(a_pass);
  struct Stamps {
    std::uint64_t begin, end;
    Verdict verdict;
  };
  const Stamps table[] = {{0, 0, Verdict::unwritten},
                          {500, 0, Verdict::unwritten},
                          {500, 400, Verdict::negative},
                          {500, 3'508'000'000'500, Verdict::implausible}};
  draw_pass(timer, a, ms);
  for (const Stamps& stamps : table) {
    timer.stamp_next(stamps.begin, stamps.end);
    draw_pass(timer, a, ms);
  }
  draw_nothing(timer, 1);
  const SeriesReport row = row_of(timer, a_pass);
  EXPECT_EQ(row.verdicts.accepted(), 1u);
  EXPECT_EQ(row.verdicts[Verdict::unwritten], 2u);
  EXPECT_EQ(row.verdicts[Verdict::negative], 1u);
  EXPECT_EQ(row.verdicts[Verdict::implausible], 1u);
  EXPECT_EQ(row.ema, 1e6);
  EXPECT_EQ(row.max, 1e6);
}

// The machine's uptime instead of an elapsed time, for a query begun 5 ms ago, never reaches the EMA.
TEST(Case46, UptimeIsImplausible) {
  ScriptedTimer timer(one_pass(), {.clock = Source::time_elapsed, .latency_frames = 0});
  timer.elapse_next(3'508'000'000'000);
  draw_pass(timer, timer.pass(a_pass), 5 * ms);
  EXPECT_TRUE(std::isnan(row_of(timer, a_pass).ema));
  draw_pass(timer, timer.pass(a_pass), 2 * ms);
  EXPECT_EQ(row_of(timer, a_pass).verdicts[Verdict::implausible], 1u);
  EXPECT_EQ(row_of(timer, a_pass).ema, 2e6);
}

// A pass read back at once, whose stamps a coarse clock pulled apart by a quantum, is no lie.
TEST(TimerFlow, CoarseStampsArePlausible) {
  ScriptedTimer timer(one_pass(),
                      {.quantum_ticks = 1'000'000, .latency_frames = 0, .start_ns = 1'999'999'000});
  draw_pass(timer, timer.pass(a_pass), 2'000);
  EXPECT_EQ(row_of(timer, a_pass).last, 1e6);
}

// 110 frames whose results are held and then released: every accepted value is its own frame's.
TEST(Case47, HeldAndReleased) {
  ScriptedTimer timer(one_pass(4), {.latency_frames = 0});
  timer.hold_results(true);
  for (int i = 0; i < 110; ++i) draw_pass(timer, timer.pass(a_pass), (i + 1) * 10'000);
  timer.hold_results(false);
  for (int i = 110; i < 114; ++i) draw_pass(timer, timer.pass(a_pass), (i + 1) * 10'000);
  const SeriesReport row = row_of(timer, a_pass);
  EXPECT_EQ(row.verdicts.accepted(), 8u);
  EXPECT_EQ(row.verdicts[Verdict::no_free_slot], 106u);
  ASSERT_EQ(row.spikes_used, 8u);
  for (const Spike& spike : row.spikes)
    EXPECT_EQ(spike.value, static_cast<double>((spike.frame + 1) * 10'000));
}

// Results over 4.29 s and 2.1 s come out exactly, on both clocks.
TEST(Case11, LongResults) {
  for (const Source clock : {Source::timestamp, Source::time_elapsed}) {
    for (const std::int64_t ns : {5'000'000'000, 3'000'000'000}) {
      ScriptedTimer timer(one_pass(), {.clock = clock, .latency_frames = 0});
      draw_pass(timer, timer.pass(a_pass), ns);
      EXPECT_EQ(row_of(timer, a_pass).last, static_cast<double>(ns));
    }
  }
}

// A counter of 36 bits wraps within the pass.
TEST(Case32, PassAcrossAWrap) {
  ScriptedTimer timer(one_pass(),
                      {.counter_bits = 36, .latency_frames = 0, .start_ns = (1ll << 36) - 500'000});
  draw_pass(timer, timer.pass(a_pass), ms);
  EXPECT_EQ(row_of(timer, a_pass).last, 1e6);
}

// Ticks of 52.0833 ns.
TEST(Case30, TicksThatAreNoNanoseconds) {
  ScriptedTimer timer(one_pass(), {.ns_per_tick = 52.0833, .latency_frames = 0});
  timer.stamp_next(7'000, 8'000);
  draw_pass(timer, timer.pass(a_pass), ms);
  EXPECT_NEAR(row_of(timer, a_pass).last, 52'083.3, 0.1);
}

// Passes overlap on some GPUs: the frame is their union, and the report says so.
TEST(Case08, OverlappingPassesInTheReport) {
  ScriptedTimer timer({.passes = {"p", "q", "r", "s"}}, {.latency_frames = 1});
  const auto frame = [&](std::vector<std::pair<int, int>> stamps_ms) {
    draw_frame(timer, [&] {
      std::uint32_t pass = 0;
      for (const auto& [begin, end] : stamps_ms) {
        timer.stamp_next(static_cast<std::uint64_t>((begin + 100) * ms),
                         static_cast<std::uint64_t>((end + 100) * ms));
        const auto scope = timer.scope(PassId{pass++});
      }
    });
    timer.idle_ns(30 * ms);
    draw_nothing(timer, 1);
  };
  frame({{0, 8}, {1, 9}, {2, 10}});
  Report report = timer.report();
  EXPECT_EQ(report.frame.busy, 10e6);
  EXPECT_EQ(report.frame.span, 10e6);
  EXPECT_EQ(report.frame.sum, 24e6);
  EXPECT_TRUE(report.frame.overlapping);
  EXPECT_FALSE(report.hint.empty());

  timer.reset_statistics();
  frame({{0, 8}, {1, 9}, {2, 10}, {20, 21}});
  report = timer.report();
  EXPECT_EQ(report.frame.busy, 11e6);
  EXPECT_EQ(report.frame.span, 21e6);
  EXPECT_EQ(report.frame.sum, 25e6);
  EXPECT_EQ(report.frame.overlapping_frames, 1u);

  frame({{0, 8}, {8, 9}});
  EXPECT_FALSE(timer.report().frame.overlapping);
  EXPECT_EQ(timer.report().frame.overlapping_frames, 1u);
}

// A frame interval at a display's rate with a mostly idle GPU is explained: no pass is to blame. Where two
// rates are close, the nearer one is named.
TEST(TimerFlow, HintsAtVsync) {
  const std::pair<std::int64_t, const char*> displays[] = {
      {16'666'667, " 60 Hz"}, {13'333'333, " 75 Hz"}, {13'550'000, " 75 Hz"}, {13'700'000, " 72 Hz"}};
  for (const auto& [interval_ns, rate] : displays) {
    ScriptedTimer timer(one_pass());
    for (int i = 0; i < 60; ++i) {
      timer.begin_frame();
      {
        const auto scope = timer.scope(timer.pass(a_pass));
        timer.work_ns(2 * ms);
      }
      timer.end_frame();
      timer.idle_ns(interval_ns - 2 * ms);
    }
    EXPECT_NE(timer.report().hint.find(rate), std::string::npos) << timer.report().hint;
  }

  ScriptedTimer busy(one_pass());
  for (int i = 0; i < 60; ++i) draw_pass(busy, busy.pass(a_pass), 15 * ms);
  EXPECT_EQ(busy.report().hint, "");
}

// With fences the resolution is the polling interval, and what lies below it is unknown.
TEST(TimerFlow, FencesAreCoarse) {
  ScriptedTimer timer(one_pass(), {.clock = Source::fence, .quantum_ticks = 4'000'000, .latency_frames = 0});
  for (int i = 0; i < 20; ++i) draw_pass(timer, timer.pass(a_pass), ms);
  const Report report = timer.report();
  EXPECT_EQ(report.source, Source::fence);
  EXPECT_EQ(report.resolution_ns, 4e6);
  EXPECT_TRUE(report.series[0].below_resolution);
  EXPECT_TRUE(std::isnan(report.series[0].ema));
}

}  // namespace
}  // namespace passmeter
