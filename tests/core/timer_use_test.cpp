// How a timer answers the calls it gets, right ones and wrong ones: nothing is ever an error for the
// renderer.
#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <utility>

#include "timer_fixture.h"

namespace passmeter {
namespace {

using testing::draw_frame;
using testing::draw_nothing;
using testing::draw_pass;
using testing::Log;
using testing::ms;
using testing::row_of;

// A pass that takes 2 ms is reported with 2 ms, its source and its latency.
TEST(TimerUse, MeasuresAPass) {
  ScriptedTimer timer({.passes = {"shadow"}});
  const PassId shadow = timer.pass("shadow");
  for (int i = 0; i < 20; ++i) draw_pass(timer, shadow, 2 * ms);
  const Report report = timer.report();
  EXPECT_EQ(report.backend, "scripted");
  EXPECT_EQ(report.source, Source::timestamp);
  EXPECT_EQ(report.state, State::measuring);
  EXPECT_FALSE(report.reason.empty());
  EXPECT_EQ(report.frames, 20u);
  EXPECT_EQ(report.latency_frames, 1);
  EXPECT_EQ(report.counter_bits, 64u);
  ASSERT_EQ(report.series.size(), 1u);
  EXPECT_EQ(report.series[0].name, "shadow");
  EXPECT_EQ(report.series[0].ema, 2e6);
  EXPECT_EQ(report.series[0].exclusive_ema, 2e6);
  EXPECT_EQ(report.series[0].share, 1);
  EXPECT_EQ(report.series[0].verdicts.accepted(), 19u);
  EXPECT_EQ(report.series[0].in_flight, 1u);
  EXPECT_EQ(report.frame.busy, 2e6);
  EXPECT_EQ(report.frame.cpu_interval, 16e6);
  EXPECT_EQ(report.frame.unexplained, 14e6);
}

// Without passes frames are counted and the frame rate is known; nothing is timed.
TEST(TimerUse, NoPasses) {
  Log log;
  ScriptedTimer timer({.log = log.callback()});
  draw_nothing(timer, 5);
  draw_frame(timer, [&] { EXPECT_FALSE(timer.scope(PassId{0}).active()); });
  const Report report = timer.report();
  EXPECT_EQ(report.frames, 6u);
  EXPECT_TRUE(report.series.empty());
  EXPECT_TRUE(std::isnan(report.frame.busy));
  EXPECT_EQ(report.frame.cpu_interval, 16e6);
  EXPECT_EQ(log.times(Diagnostic::no_passes), 1);
}

// A name given twice is one pass.
TEST(TimerUse, DuplicateName) {
  Log log;
  ScriptedTimer timer({.passes = {"a", "b", "a", "a"}, .log = log.callback()});
  EXPECT_EQ(timer.pass_count(), 2u);
  EXPECT_EQ(timer.pass("a").index, 0u);
  EXPECT_EQ(timer.pass("b").index, 1u);
  EXPECT_EQ(timer.diagnostic_count(Diagnostic::duplicate_name), 2u);
  EXPECT_EQ(log.times(Diagnostic::duplicate_name), 1);
}

// A pass without a name is left out.
TEST(TimerUse, EmptyName) {
  Log log;
  ScriptedTimer timer({.passes = {"", "a"}, .log = log.callback()});
  EXPECT_EQ(timer.pass_count(), 1u);
  EXPECT_EQ(timer.pass_name(timer.pass("a")), "a");
  EXPECT_EQ(log.times(Diagnostic::empty_name), 1);
}

// An unknown name is an invalid id whose scopes measure nothing; the others go on.
TEST(TimerUse, UnknownName) {
  Log log;
  ScriptedTimer timer({.passes = {"a"}, .log = log.callback()}, {.latency_frames = 0});
  const PassId ghost = timer.pass("ghost");
  EXPECT_FALSE(ghost.valid());
  for (int i = 0; i < 3; ++i) {
    draw_frame(timer, [&] {
      EXPECT_FALSE(timer.scope(ghost).active());
      EXPECT_FALSE(timer.scope(PassId{77}).active());
      const auto scope = timer.scope(timer.pass("a"));
      timer.work_ns(ms);
    });
  }
  EXPECT_EQ(timer.diagnostic_count(Diagnostic::unknown_pass), 7u);
  EXPECT_EQ(log.times(Diagnostic::unknown_pass), 1);
  EXPECT_EQ(row_of(timer, "a").verdicts.accepted(), 3u);
}

// An end without a begin does nothing.
TEST(TimerUse, EndWithoutBegin) {
  Log log;
  ScriptedTimer timer({.passes = {"a"}, .log = log.callback()}, {.latency_frames = 0});
  const PassId a = timer.pass("a");
  timer.end_frame();
  timer.close(a);
  draw_frame(timer, [&] {
    timer.close(a);
    timer.open(a);
    timer.work_ns(ms);
    timer.close(a);
    timer.close(a);
  });
  timer.end_frame();
  EXPECT_EQ(timer.diagnostic_count(Diagnostic::end_without_begin), 5u);
  EXPECT_EQ(log.times(Diagnostic::end_without_begin), 1);
  EXPECT_EQ(timer.frames(), 1u);
  EXPECT_EQ(row_of(timer, "a").ema, 1e6);
}

// A frame begun inside a frame ends the open one, whose measurements count.
TEST(TimerUse, FrameBegunTwice) {
  Log log;
  ScriptedTimer timer({.passes = {"a"}, .log = log.callback()}, {.latency_frames = 0});
  const PassId a = timer.pass("a");
  timer.begin_frame();
  {
    const auto scope = timer.scope(a);
    timer.work_ns(ms);
  }
  timer.begin_frame();
  {
    const auto scope = timer.scope(a);
    timer.work_ns(3 * ms);
  }
  timer.end_frame();
  EXPECT_EQ(timer.frames(), 2u);
  const SeriesReport row = row_of(timer, "a");
  EXPECT_EQ(row.verdicts.accepted(), 2u);
  EXPECT_EQ(row.min, 1e6);
  EXPECT_EQ(row.max, 3e6);
  EXPECT_EQ(log.times(Diagnostic::frame_begun_twice), 1);
}

// A scope outside a frame measures nothing.
TEST(TimerUse, ScopeOutsideAFrame) {
  Log log;
  ScriptedTimer timer({.passes = {"a"}, .log = log.callback()});
  EXPECT_FALSE(timer.scope(timer.pass("a")).active());
  draw_nothing(timer, 3);
  EXPECT_FALSE(timer.scope(timer.pass("a")).active());
  EXPECT_EQ(timer.diagnostic_count(Diagnostic::scope_outside_frame), 2u);
  EXPECT_EQ(log.times(Diagnostic::scope_outside_frame), 1);
  EXPECT_EQ(row_of(timer, "a").marks(), 0u);
}

// A scope left open is closed at the end of the frame and counts; its late close() harms nobody.
TEST(TimerUse, ScopeLeftOpen) {
  Log log;
  ScriptedTimer timer({.passes = {"a"}, .log = log.callback()}, {.latency_frames = 0});
  const PassId a = timer.pass("a");
  std::optional<Scope> left_open;
  draw_frame(timer, [&] {
    left_open.emplace(timer.scope(a));
    timer.work_ns(2 * ms);
  });
  EXPECT_EQ(row_of(timer, "a").ema, 2e6);
  draw_frame(timer, [&] {
    const auto scope = timer.scope(a);
    timer.work_ns(ms);
    left_open.reset();  // of the frame before: must not end the one of this frame
    timer.work_ns(ms);
  });
  EXPECT_EQ(row_of(timer, "a").last, 2e6);
  EXPECT_EQ(log.times(Diagnostic::scope_left_open), 1);
  EXPECT_EQ(timer.diagnostic_count(Diagnostic::scope_left_open), 1u);
}

// Closing an outer scope closes the inner one first; closing that again does nothing.
TEST(TimerUse, ClosedOutOfOrder) {
  for (const Source clock : {Source::timestamp, Source::time_elapsed}) {
    Log log;
    ScriptedTimer timer({.passes = {"a", "b"}, .log = log.callback()}, {.clock = clock, .latency_frames = 0});
    draw_frame(timer, [&] {
      auto outer = timer.scope(timer.pass("a"));
      timer.work_ns(ms);
      auto inner = timer.scope(timer.pass("b"));
      timer.work_ns(ms);
      outer.close();
      timer.work_ns(5 * ms);
      inner.close();
    });
    EXPECT_EQ(row_of(timer, "a").ema, 2e6);
    EXPECT_EQ(row_of(timer, "b").ema, 1e6);
    EXPECT_EQ(timer.diagnostic_count(Diagnostic::closed_out_of_order), 1u);
    EXPECT_EQ(log.size(), 1u);
  }
}

// A scope may be moved, closed by hand and closed again.
TEST(TimerUse, ScopesMoveAndCloseOnce) {
  Log log;
  ScriptedTimer timer({.passes = {"a", "b"}, .log = log.callback()}, {.latency_frames = 0});
  draw_frame(timer, [&] {
    Scope first = timer.scope(timer.pass("a"));
    Scope second = std::move(first);
    EXPECT_FALSE(first.active());
    EXPECT_TRUE(second.active());
    first.close();
    timer.work_ns(ms);
    second.close();
    second.close();
    EXPECT_FALSE(second.active());
    timer.work_ns(ms);
    second = timer.scope(timer.pass("b"));
    timer.work_ns(3 * ms);
    second = Scope();
    timer.work_ns(ms);
  });
  EXPECT_EQ(row_of(timer, "a").ema, 1e6);
  EXPECT_EQ(row_of(timer, "b").ema, 3e6);
  EXPECT_EQ(log.size(), 0u);
}

// Scopes over the limit are refused and counted against their passes; those under it are right.
TEST(TimerUse, TooManyScopes) {
  Log log;
  ScriptedTimer timer({.passes = {"a", "b", "c"}, .max_scopes_per_frame = 2, .log = log.callback()},
                      {.latency_frames = 0});
  for (int i = 0; i < 4; ++i) {
    draw_frame(timer, [&] {
      for (const char* name : {"a", "b", "c", "a"}) {
        const auto scope = timer.scope(timer.pass(name));
        timer.work_ns(ms);
      }
    });
  }
  EXPECT_EQ(row_of(timer, "b").verdicts.accepted(), 4u);
  EXPECT_EQ(row_of(timer, "c").verdicts[Verdict::no_free_slot], 4u);
  // One of two scopes of "a" is missing: their sum would be too small.
  EXPECT_EQ(row_of(timer, "a").verdicts[Verdict::no_free_slot], 4u);
  // And so would the frame's.
  EXPECT_EQ(timer.report().frame.verdicts[Verdict::no_free_slot], 4u);
  EXPECT_EQ(timer.report().frame.verdicts.accepted(), 0u);
  EXPECT_EQ(timer.diagnostic_count(Diagnostic::too_many_scopes), 8u);
  EXPECT_EQ(log.times(Diagnostic::too_many_scopes), 1);
}

// A driver that has no query for a scope costs that scope only.
TEST(TimerUse, RefusedScope) {
  ScriptedTimer timer({.passes = {"a", "b"}}, {.latency_frames = 0});
  timer.refuse_scopes(1);
  for (int i = 0; i < 2; ++i) {
    draw_frame(timer, [&] {
      {
        const auto scope = timer.scope(timer.pass("a"));
        timer.work_ns(ms);
      }
      {
        const auto scope = timer.scope(timer.pass("b"));
        timer.work_ns(ms);
      }
    });
  }
  EXPECT_EQ(row_of(timer, "a").verdicts[Verdict::no_free_slot], 1u);
  EXPECT_EQ(row_of(timer, "a").verdicts.accepted(), 1u);
  EXPECT_EQ(row_of(timer, "b").verdicts.accepted(), 2u);
}

// Values out of range are replaced by the nearest valid ones, and said so once.
TEST(TimerUse, BadConfig) {
  Log log;
  ScriptedTimer timer({.passes = {"a"}, .ema_alpha = 7, .frames_in_flight = 1000, .log = log.callback()},
                      {.latency_frames = 100});
  EXPECT_EQ(timer.report().alpha, 1);
  for (int i = 0; i < 90; ++i) draw_pass(timer, timer.pass("a"), ms);
  EXPECT_EQ(timer.report().frames_in_flight, 64u);
  EXPECT_EQ(log.times(Diagnostic::bad_config), 1);
}

// Zero means the default everywhere.
TEST(TimerUse, ZeroIsDefault) {
  Log log;
  ScriptedTimer timer({.passes = {"a"}, .ema_alpha = 0, .percentile_window = 0, .log = log.callback()});
  EXPECT_EQ(timer.report().alpha, 0.1);
  EXPECT_EQ(log.size(), 0u);
}

// Switched off, scopes are inactive and nothing is marked; switched on, it measures again.
TEST(TimerUse, SwitchedOff) {
  ScriptedTimer timer({.passes = {"a"}, .enabled = false}, {.latency_frames = 0});
  const PassId a = timer.pass("a");
  draw_frame(timer, [&] { EXPECT_FALSE(timer.scope(a).active()); });
  EXPECT_EQ(timer.state(), State::switched_off);
  EXPECT_NE(timer.reason()[0], '\0');
  EXPECT_EQ(row_of(timer, "a").marks(), 0u);

  timer.set_enabled(true);
  draw_pass(timer, a, ms);
  EXPECT_EQ(timer.state(), State::measuring);
  EXPECT_EQ(row_of(timer, "a").verdicts.accepted(), 1u);
}

// Switched off in the middle of a frame, what was measured so far is kept, also what is still in flight.
TEST(TimerUse, SwitchedOffInsideAFrame) {
  Log log;
  ScriptedTimer timer({.passes = {"a"}, .log = log.callback()}, {.latency_frames = 2});
  const PassId a = timer.pass("a");
  timer.begin_frame();
  {
    const auto scope = timer.scope(a);
    timer.work_ns(ms);
  }
  timer.set_enabled(false);
  EXPECT_FALSE(timer.scope(a).active());
  timer.end_frame();
  draw_nothing(timer, 10);
  EXPECT_EQ(row_of(timer, "a").in_flight, 1u);
  timer.set_enabled(true);
  draw_nothing(timer, 3);
  EXPECT_EQ(row_of(timer, "a").in_flight, 0u);
  EXPECT_EQ(row_of(timer, "a").ema, 1e6);
  EXPECT_EQ(log.size(), 0u);
}

// What waited while it was switched off says nothing of the latency; what came after does.
TEST(TimerUse, LatencyAfterSwitchingOff) {
  ScriptedTimer timer({.passes = {"a"}}, {.latency_frames = 2});
  for (const int off : {0, 10, 100}) {
    for (int i = 0; i < 5; ++i) draw_pass(timer, timer.pass("a"), ms);
    timer.set_enabled(false);
    draw_nothing(timer, off);
    timer.set_enabled(true);
    EXPECT_EQ(timer.report().latency_frames, 2);
    timer.reset_statistics();
    for (int i = 0; i < 5; ++i) draw_pass(timer, timer.pass("a"), ms);
    EXPECT_EQ(timer.report().latency_frames, 2);
  }
}

// A machine without any timer: a reason, the frame rate, and nothing that looks like a time.
TEST(Case02, NoTimer) {
  Log log;
  ScriptedTimer timer({.passes = {"a"}, .log = log.callback()}, {.clock = Source::none});
  for (int i = 0; i < 100; ++i) draw_pass(timer, timer.pass("a"), ms);
  const Report report = timer.report();
  EXPECT_EQ(report.source, Source::none);
  EXPECT_EQ(report.state, State::unavailable);
  EXPECT_FALSE(report.reason.empty());
  EXPECT_TRUE(std::isnan(report.series[0].ema));
  EXPECT_TRUE(std::isnan(report.frame.busy));
  EXPECT_TRUE(std::isnan(report.frame.unexplained));
  EXPECT_TRUE(std::isnan(report.resolution_ns));
  EXPECT_EQ(report.frame.cpu_interval, 16e6);
  EXPECT_EQ(report.series[0].marks(), 0u);
  EXPECT_EQ(log.times(Diagnostic::feature_missing), 1);
}

// reset_statistics() forgets what was, and what is in flight counts afterwards.
TEST(TimerUse, ResetKeepsWhatIsInFlight) {
  ScriptedTimer timer({.passes = {"a"}}, {.latency_frames = 2});
  const PassId a = timer.pass("a");
  for (int i = 0; i < 10; ++i) draw_pass(timer, a, ms);
  timer.reset_statistics();
  EXPECT_EQ(row_of(timer, "a").verdicts.accepted(), 0u);
  EXPECT_TRUE(std::isnan(row_of(timer, "a").ema));
  EXPECT_EQ(row_of(timer, "a").in_flight, 2u);
  draw_nothing(timer, 3);
  EXPECT_EQ(row_of(timer, "a").verdicts.accepted(), 2u);
  EXPECT_EQ(row_of(timer, "a").in_flight, 0u);
}

// An interval that was no frame does not enter the frame rate.
TEST(TimerUse, SkippedInterval) {
  ScriptedTimer timer({.passes = {"a"}});
  draw_nothing(timer, 10);
  timer.idle_ns(30'000 * ms);
  timer.skip_interval();
  draw_nothing(timer, 10);
  EXPECT_EQ(timer.report().frame.cpu_interval, 16e6);
  EXPECT_EQ(timer.report().frame.interval_p99, 16e6);
}

struct Seen {
  std::vector<std::uint64_t> frames;
  std::vector<std::uint32_t> latencies;
  double inclusive = 0;
};

// The frame callback gets each measured frame once, with its number, latency and intervals.
TEST(TimerUse, FrameCallback) {
  Seen seen;
  TimerConfig config{.passes = {"a", "b"}};
  config.on_frame = {[](void* user, const FrameSample& sample) {
                       auto& to = *static_cast<Seen*>(user);
                       to.frames.push_back(sample.frame);
                       to.latencies.push_back(sample.latency_frames);
                       ASSERT_EQ(sample.intervals.size(), 2u);
                       EXPECT_EQ(sample.source, Source::timestamp);
                       EXPECT_EQ(sample.intervals[0].begin_ns, 0);
                       EXPECT_EQ(sample.intervals[1].parent, 0u);
                       to.inclusive += sample.intervals[0].inclusive_ns;
                     },
                     &seen};
  ScriptedTimer timer(config, {.latency_frames = 2});
  for (int i = 0; i < 5; ++i) {
    draw_frame(timer, [&] {
      const auto outer = timer.scope(timer.pass("a"));
      timer.work_ns(ms);
      const auto inner = timer.scope(timer.pass("b"));
      timer.work_ns(ms);
    });
  }
  EXPECT_EQ(seen.frames, (std::vector<std::uint64_t>{0, 1, 2}));
  EXPECT_EQ(seen.latencies, (std::vector<std::uint32_t>{2, 2, 2}));
  EXPECT_EQ(seen.inclusive, 6e6);
}

// Passes that know nothing of the script take what each_takes_ns() says.
TEST(ScriptedTimerUse, EachTakes) {
  ScriptedTimer timer({.passes = {"a", "b"}}, {.latency_frames = 0});
  GpuTimer& any_timer = timer;
  timer.each_takes_ns(timer.pass("a"), 3 * ms);
  timer.each_takes_ns(timer.pass("b"), ms);
  timer.each_takes_ns(PassId{}, 99 * ms);
  any_timer.begin_frame();
  {
    const auto a = any_timer.scope(any_timer.pass("a"));
    const auto b = any_timer.scope(any_timer.pass("b"));
  }
  any_timer.end_frame();
  EXPECT_EQ(row_of(timer, "a").ema, 4e6);
  EXPECT_EQ(row_of(timer, "b").ema, 1e6);
}

// The scripted clock is the timer's CPU clock, unless the user gives another.
TEST(ScriptedTimerUse, Clocks) {
  ScriptedTimer timer({.passes = {"a"}}, {.start_ns = 500});
  const CpuClock clock = timer.scripted_clock();
  EXPECT_EQ(clock.now(), 500);
  timer.work_ns(20);
  timer.idle_ns(-5);
  EXPECT_EQ(clock.now(), 520);

  std::int64_t mine = 0;
  TimerConfig config{.passes = {"a"}};
  config.cpu_clock = {[](void* user) { return *static_cast<std::int64_t*>(user) += 1000; }, &mine};
  ScriptedTimer other(config);
  draw_nothing(other, 3);
  EXPECT_GT(mine, 0);
}

}  // namespace
}  // namespace passmeter
