// Every call made to fail, and the context lost before every call.
#include <functional>

#include "fake_rig.h"

namespace passmeter::gl {
namespace {

constexpr std::int64_t a_ns = 2 * ms, b_ns = 3 * ms, c_ns = 5 * ms;

void draw(FakeRig& rig) {
  rig.frame([&] {
    {
      auto a = rig.timer->scope(rig.timer->pass("A"));
      rig.fake.advance(a_ns);
      rig.pass("B", b_ns);
    }
    rig.pass("C", c_ns);
  });
}

struct Context {
  Flavour flavour;
  Clock clock;
  int latency;
};

constexpr Context contexts[] = {
    {Flavour::desktop, Clock::timestamp, 0},    {Flavour::desktop, Clock::timestamp, 2},
    {Flavour::desktop, Clock::time_elapsed, 0}, {Flavour::desktop, Clock::time_elapsed, 2},
    {Flavour::desktop, Clock::fence, 1},        {Flavour::gles3, Clock::timestamp, 1},
    {Flavour::gles3, Clock::time_elapsed, 1},   {Flavour::gles2, Clock::time_elapsed, 0},
};

void prepare(FakeRig& rig, const Context& context) {
  rig.fake.set_reset_notification(true);
  rig.fake.set_latency_frames(context.latency);
  rig.make({"A", "B", "C"}, {.clock = context.clock});
  ASSERT_EQ(rig.timer->clock(), context.clock);
}

/// How many calls the timer makes in 20 frames of which nothing goes wrong.
std::uint64_t calls_of_a_run(const Context& context) {
  FakeRig rig(context.flavour);
  prepare(rig, context);
  rig.fake.reset_counters();
  for (int i = 0; i < 20; ++i) draw(rig);
  return rig.fake.total_calls();
}

/// The next 8 frames come out, and each time in them is what the script made it.
void expect_next_frames_right(FakeRig& rig, const Context& context) {
  const std::uint64_t first = rig.timer->frames();
  rig.seen.clear();
  for (int i = 0; i < 8; ++i) draw(rig);
  for (int i = 0; i < 12; ++i) {
    rig.fake.next_frame();
    rig.timer->poll();
  }
  int frames = 0;
  for (const Seen& seen : rig.seen) {
    if (seen.frame < first) continue;
    ++frames;
    ASSERT_EQ(seen.intervals.size(), 3u);
    for (const Interval& interval : seen.intervals) EXPECT_EQ(interval.verdict, Verdict::accepted);
    if (context.clock == Clock::fence) continue;
    EXPECT_EQ(seen.intervals[0].inclusive_ns, static_cast<double>(a_ns + b_ns));
    EXPECT_EQ(seen.intervals[1].inclusive_ns, static_cast<double>(b_ns));
    EXPECT_EQ(seen.intervals[2].inclusive_ns, static_cast<double>(c_ns));
  }
  EXPECT_EQ(frames, 8);
}

void expect_nothing_stuck(const FakeRig& rig) {
  EXPECT_EQ(rig.timer->report().frames_in_flight, 0u);
  for (const char* pass : {"A", "B", "C"}) EXPECT_EQ(rig.row(pass).in_flight, 0u) << pass;
}

// Lost before the k-th call, for each k: nothing of the lost frames reaches the statistics, restore() starts
// again, and no call is ever made about an object of the lost context.
TEST(GlFaults, LossAtEveryCall) {
  for (const Context& context : contexts) {
    const std::uint64_t calls = calls_of_a_run(context);
    ASSERT_GT(calls, 100u);
    for (std::uint64_t k = 1; k <= calls; ++k) {
      SCOPED_TRACE("clock " + std::to_string(static_cast<int>(context.clock)) + ", lost at call " +
                   std::to_string(k));
      FakeRig rig(context.flavour);
      prepare(rig, context);
      rig.fake.lose_context_at(k);
      for (int i = 0; i < 20; ++i) draw(rig);
      draw(rig);
      EXPECT_TRUE(rig.fake.lost());
      EXPECT_EQ(rig.timer->state(), State::lost);
      EXPECT_EQ(rig.timer->report().frames_in_flight, 0u);
      for (const Seen& seen : rig.seen) {
        for (const Interval& interval : seen.intervals) {
          if (interval.verdict == Verdict::accepted && context.clock != Clock::fence) {
            EXPECT_GT(interval.inclusive_ns, 0);
          }
        }
      }
      rig.fake.restore();
      EXPECT_TRUE(rig.timer->restore());
      expect_next_frames_right(rig, context);
      expect_nothing_stuck(rig);
      if (::testing::Test::HasFailure()) return;
    }
  }
}

// The k-th call fails with an error, for each k. Without glGetError the timer cannot know, so the calls that
// follow from it (ending what was not begun, asking about what was not made) fail as well: the driver lists
// them. But no frame is stuck, nothing leaks, and frames are right again soon.
TEST(GlFaults, ErrorAtEveryCall) {
  for (const Context& context : contexts) {
    const std::uint64_t calls = calls_of_a_run(context);
    for (std::uint64_t k = 1; k <= calls; ++k) {
      SCOPED_TRACE("clock " + std::to_string(static_cast<int>(context.clock)) + ", failed call " +
                   std::to_string(k));
      FakeRig rig(context.flavour);
      prepare(rig, context);
      rig.fake.fail_call(k);
      rig.leaks_allowed = true;
      for (int i = 0; i < 20; ++i) draw(rig);
      for (const std::string& violation : rig.fake.violations()) {
        const bool follows = violation.find("no such query is active") != std::string::npos ||
                             violation.find("glGetQueryObject: no query") != std::string::npos ||
                             violation.find("is active") != std::string::npos;
        EXPECT_TRUE(follows) << violation;
      }
      rig.fake.clear_violations();
      rig.timer->restore();
      // What went wrong in the last of the 20 frames may still be in flight.
      for (int i = 0; i < 4; ++i) draw(rig);
      for (const std::string& violation : rig.fake.violations()) {
        EXPECT_NE(violation.find("is active"), std::string::npos) << violation;
      }
      rig.fake.clear_violations();
      expect_next_frames_right(rig, context);
      expect_nothing_stuck(rig);
      rig.timer.reset();
      // Where deleting was what failed, there is one left.
      EXPECT_EQ(rig.fake.live_queries(), 0u);
      EXPECT_LE(rig.fake.live_syncs(), 1u);
      if (::testing::Test::HasFailure()) return;
    }
  }
}

// The driver refuses to make queries: the frames are counted, the diagnostic says so, and it recovers.
TEST(GlFaults, QueryCreationRefused) {
  for (const Clock clock : {Clock::timestamp, Clock::time_elapsed}) {
    FakeRig rig;
    rig.make({"a"}, {.clock = clock});
    rig.fake.fail_query_creation(3);
    for (int i = 0; i < 3; ++i) rig.frame_of("a", ms);
    EXPECT_EQ(rig.row("a").verdicts.accepted(), 0u);
    EXPECT_EQ(rig.row("a").marks(), 3u);
    EXPECT_GE(rig.timer->diagnostic_count(Diagnostic::feature_refused), 1u);
    rig.frame_of("a", 2 * ms);
    EXPECT_EQ(rig.row("a").last, 2.0 * ms);
  }
}

// After a loss that only the application noticed, its word is enough; the lost ids are never used again.
TEST(GlFaults, NotifyLostAndRestore) {
  for (const Flavour flavour : {Flavour::desktop, Flavour::gles3, Flavour::webgl2}) {
    for (const Clock clock : {Clock::time_elapsed, Clock::fence}) {
      FakeRig rig(flavour);
      rig.fake.set_reset_notification(false);
      rig.make({"a"}, {.clock = clock});
      rig.fake.hold_all();
      for (int i = 0; i < 3; ++i) rig.frame_of("a", ms);
      rig.timer->begin_frame();
      auto scope = rig.timer->scope(rig.timer->pass("a"));
      rig.fake.lose_context();
      rig.fake.reset_counters();
      rig.timer->notify_lost();
      rig.timer->notify_lost();
      scope.close();
      rig.timer->end_frame();
      rig.frame_of("a", ms);
      EXPECT_EQ(rig.fake.total_calls(), 0u);
      EXPECT_EQ(rig.timer->state(), State::lost);
      EXPECT_EQ(rig.row("a").verdicts[Verdict::lost], 4u);
      EXPECT_FALSE(rig.timer->restore());  // still lost
      EXPECT_EQ(rig.timer->state(), State::lost);
      rig.fake.restore();
      rig.fake.release_all();
      EXPECT_TRUE(rig.timer->restore());
      for (int i = 0; i < 8; ++i) rig.frame_of("a", 2 * ms);
      rig.timer->poll();
      EXPECT_EQ(rig.row("a").verdicts.accepted(), 8u);
      EXPECT_EQ(rig.fake.debug_group_depth(), 0);
    }
  }
}

// Destroyed after a loss it makes no call.
TEST(GlFaults, DestroyedWhileLost) {
  FakeRig rig;
  rig.make({"a"});
  rig.fake.hold_all();
  for (int i = 0; i < 3; ++i) rig.frame_of("a", ms);
  rig.timer->notify_lost();
  rig.fake.destroy_context();
  rig.timer.reset();
  rig.leaks_allowed = true;  // the context took its objects along
}

// The reset status is asked for once a frame where the context tells it, and never elsewhere.
TEST(GlFaults, ResetStatusOnceAFrame) {
  for (const bool tells : {true, false}) {
    for (const int latency : {0, 2}) {
      FakeRig rig;
      rig.fake.set_reset_notification(tells);
      rig.fake.set_latency_frames(latency);
      rig.make({"a"});
      for (int i = 0; i < 10; ++i) rig.frame_of("a", ms);
      rig.fake.reset_counters();
      for (int i = 0; i < 100; ++i) rig.frame_of("a", ms);
      EXPECT_EQ(rig.fake.calls("glGetGraphicsResetStatus"), tells ? 100u : 0u);
    }
  }
}

}  // namespace
}  // namespace passmeter::gl
