// Frames and scopes as a renderer uses and misuses them.
#include <cmath>

#include "counting_new.h"
#include "fake_rig.h"

namespace passmeter::gl {
namespace {

constexpr Clock all_clocks[] = {Clock::timestamp, Clock::time_elapsed, Clock::fence};

// Switched off, a frame makes no GL call at all; switched on again it measures.
TEST(GlFrames, SwitchedOffMakesNoCall) {
  for (const Clock clock : all_clocks) {
    FakeRig rig;
    rig.make({"a"}, {.clock = clock, .debug_groups = true});
    for (int i = 0; i < 10; ++i) rig.frame_of("a", ms);
    rig.timer->set_enabled(false);
    rig.fake.reset_counters();
    for (int i = 0; i < 50; ++i) rig.frame_of("a", ms);
    EXPECT_EQ(rig.fake.total_calls(), 0u);
    EXPECT_EQ(rig.timer->state(), State::switched_off);
    rig.timer->set_enabled(true);
    rig.frame_of("a", 3 * ms);
    rig.timer->poll();
    EXPECT_EQ(rig.row("a").verdicts.accepted(), 11u);
  }
}

// Made switched off, it makes no query until it is switched on.
TEST(GlFrames, ConstructionMakesNoQuery) {
  FakeRig rig;
  TimerConfig config = rig.config({"a"});
  config.enabled = false;
  rig.make(std::move(config));
  rig.frame_of("a", ms);
  EXPECT_EQ(rig.fake.peak_live_queries(), 0u);
  EXPECT_EQ(rig.fake.calls("glQueryCounter"), 0u);
}

// After warm-up a frame allocates nothing, on every clock, nested and with results coming late.
TEST(GlFrames, NoAllocationAfterWarmUp) {
  for (const Clock clock : all_clocks) {
    FakeRig rig;
    TimerConfig config = rig.config({"a", "b", "c"});
    rig.fake.set_latency_frames(2);
    rig.timer = std::make_unique<GlTimer>(std::move(config), &FakeGl::get, GlOptions{.clock = clock});
    const PassId a = rig.timer->pass("a"), b = rig.timer->pass("b"), c = rig.timer->pass("c");
    const auto frame = [&] {
      rig.frame([&] {
        {
          auto outer = rig.timer->scope(a);
          rig.fake.advance(ms);
          auto inner = rig.timer->scope(b);
          rig.fake.advance(ms);
        }
        auto last = rig.timer->scope(c);
        rig.fake.advance(ms);
      });
    };
    for (int i = 0; i < 20; ++i) frame();
    const std::uint64_t before = testing::thread_allocation_count();
    for (int i = 0; i < 200; ++i) frame();
    EXPECT_EQ(testing::thread_allocation_count() - before, 0u);
    EXPECT_GT(rig.row("a").verdicts.accepted(), 200u);
  }
}

#ifndef __EMSCRIPTEN__  // browsers have neither debug groups nor reading without waiting
// Each query costs one call, and a frame that is not ready costs one call.
TEST(GlFrames, FewCallsAFrame) {
  FakeRig rig;
  rig.fake.set_reset_notification(false);
  rig.make({"a", "b"});
  rig.fake.set_latency_frames(1);
  for (int i = 0; i < 10; ++i) {
    rig.frame([&] {
      rig.pass("a", ms);
      rig.pass("b", ms);
    });
  }
  rig.fake.reset_counters();
  for (int i = 0; i < 100; ++i) {
    rig.frame([&] {
      rig.pass("a", ms);
      rig.pass("b", ms);
    });
  }
  EXPECT_EQ(rig.fake.calls("glQueryCounter"), 400u);
  EXPECT_EQ(rig.fake.calls("glGetQueryObjectui64v"), 400u);
  EXPECT_EQ(rig.fake.calls("glGetQueryObjectuiv"), 200u);  // one look too early, one in time
  EXPECT_EQ(rig.fake.total_calls(), 1000u);
}
#endif

// Before OpenGL 4.4, where reading a pending result waits, each query is asked first.
TEST(GlFrames, EachQueryIsAskedBeforeOpenGl44) {
  FakeRig rig;
  rig.fake.set_version("4.3.0 fake");
  rig.fake.set_reset_notification(false);
  rig.make({"a", "b"});
  rig.fake.set_latency_frames(1);
  const auto frame = [&] {
    rig.frame([&] {
      rig.pass("a", ms);
      rig.pass("b", ms);
    });
  };
  for (int i = 0; i < 10; ++i) frame();
  rig.fake.reset_counters();
  for (int i = 0; i < 100; ++i) frame();
  EXPECT_EQ(rig.fake.calls("glGetQueryObjectui64v"), 400u);
  EXPECT_EQ(rig.fake.calls("glGetQueryObjectuiv"), 500u);  // and one look a frame that came too early
  EXPECT_EQ(rig.row("b").ema, 1.0 * ms);
}

// A driver that claims 4.4 and does not answer reading without waiting is read the older way.
TEST(GlFrames, ReadingWithoutWaitingMayBeMissing) {
  for (const Clock clock : {Clock::timestamp, Clock::time_elapsed}) {
    FakeRig rig;
    rig.fake.set_no_wait_ignored(true);
    rig.make({"a", "b"}, {.clock = clock});
    rig.fake.set_latency_frames(1);
    for (int i = 0; i < 100; ++i) {
      rig.frame([&] {
        rig.pass("a", ms);
        rig.pass("b", 2 * ms);
      });
    }
    rig.timer->poll();
    EXPECT_EQ(rig.row("a").verdicts.accepted(), 100u);
    EXPECT_EQ(rig.row("b").ema, 2.0 * ms);
    EXPECT_EQ(rig.fake.waits(), 0u);
  }
}

// An application's TIME_ELAPSED query begun between two scopes is not ended by us, and no old result is taken
// for the second one's.
TEST(GlFrames, ApplicationsOwnQueryBetweenScopes) {
  FakeRig rig;
  rig.make({"a", "b"}, {.clock = Clock::time_elapsed});
  for (int i = 0; i < 3; ++i) {
    rig.frame([&] {
      rig.pass("a", 2 * ms);
      rig.pass("b", 5 * ms);
    });
  }
  const auto gen = reinterpret_cast<void (*)(int, unsigned*)>(FakeGl::get("glGenQueries"));
  const auto begin = reinterpret_cast<void (*)(unsigned, unsigned)>(FakeGl::get("glBeginQuery"));
  const auto end = reinterpret_cast<void (*)(unsigned)>(FakeGl::get("glEndQuery"));
  const auto drop = reinterpret_cast<void (*)(int, const unsigned*)>(FakeGl::get("glDeleteQueries"));
  unsigned own = 0;
  gen(1, &own);
  rig.frame([&] {
    rig.pass("a", 2 * ms);
    begin(gl_enum::time_elapsed, own);
    rig.pass("b", ms);
    end(gl_enum::time_elapsed);
  });
  drop(1, &own);
  EXPECT_EQ(rig.row("a").verdicts.accepted(), 4u);
  EXPECT_EQ(rig.row("b").verdicts.accepted(), 3u);
  EXPECT_EQ(rig.row("b").verdicts[Verdict::no_free_slot], 1u);
  EXPECT_EQ(rig.timer->diagnostic_count(Diagnostic::driver_error), 1u);
}

#ifndef __EMSCRIPTEN__  // browsers have neither debug groups nor reading without waiting
// A long name is cut, a deep nest is grouped as far as the driver goes, and an open scope's group is popped
// when the timer goes: never one of the application's.
TEST(GlFrames, DebugGroupsStayWithinTheDriversLimits) {
  FakeRig rig;
  const std::string long_name(70'000, 'x');
  TimerConfig config = rig.config({long_name});
  config.max_scopes_per_frame = 200;
  rig.make(std::move(config), {.debug_groups = true});
  const PassId pass = rig.timer->pass(long_name);
  rig.frame([&] {
    for (int i = 0; i < 100; ++i) rig.timer->open(pass);
    EXPECT_EQ(rig.fake.debug_group_depth(), 63);
    for (int i = 0; i < 100; ++i) rig.timer->close(pass);
    EXPECT_EQ(rig.fake.debug_group_depth(), 0);
  });
  rig.timer->begin_frame();
  rig.timer->open(pass);
  rig.timer.reset();
  EXPECT_EQ(rig.fake.debug_group_depth(), 0);
}
#endif

// Misuse is answered, counted, and makes no wrong GL call; the frame is measured all the same.
TEST(GlFrames, MisuseIsCountedAndHarmless) {
  for (const Clock clock : all_clocks) {
    FakeRig rig;
    rig.make({"a", "b", "a", ""}, {.clock = clock});
    GlTimer& timer = *rig.timer;
    EXPECT_EQ(timer.diagnostic_count(Diagnostic::duplicate_name), 1u);
    EXPECT_EQ(timer.diagnostic_count(Diagnostic::empty_name), 1u);
    timer.end_frame();
    EXPECT_EQ(timer.diagnostic_count(Diagnostic::end_without_begin), 1u);
    {
      auto scope = timer.scope(timer.pass("a"));
    }
    EXPECT_EQ(timer.diagnostic_count(Diagnostic::scope_outside_frame), 1u);
    timer.begin_frame();
    {
      auto scope = timer.scope(timer.pass("nobody"));
    }
    EXPECT_GE(timer.diagnostic_count(Diagnostic::unknown_pass), 1u);
    auto left_open = timer.scope(timer.pass("a"));
    rig.fake.advance(ms);
    timer.begin_frame();
    EXPECT_EQ(timer.diagnostic_count(Diagnostic::frame_begun_twice), 1u);
    EXPECT_EQ(timer.diagnostic_count(Diagnostic::scope_left_open), 1u);
    auto outer = timer.scope(timer.pass("a"));
    auto inner = timer.scope(timer.pass("b"));
    rig.fake.advance(ms);
    outer.close();
    EXPECT_EQ(timer.diagnostic_count(Diagnostic::closed_out_of_order), 1u);
    inner.close();
    timer.end_frame();
    left_open.close();
    timer.poll();
    EXPECT_EQ(rig.row("a").verdicts.accepted(), 2u);
  }
}

// A timer without passes counts frames and makes no call.
TEST(GlFrames, NoPasses) {
  FakeRig rig;
  rig.make(std::vector<std::string>{});
  rig.fake.reset_counters();
  for (int i = 0; i < 5; ++i) rig.frame([] {});
  EXPECT_EQ(rig.fake.calls("glQueryCounter"), 0u);
  EXPECT_EQ(rig.timer->frames(), 5u);
  EXPECT_EQ(rig.timer->diagnostic_count(Diagnostic::no_passes), 1u);
}

// More scopes than a frame may hold are refused and counted; those within are right.
TEST(GlFrames, TooManyScopes) {
  for (const Clock clock : all_clocks) {
    FakeRig rig;
    TimerConfig config = rig.config({"a", "b"});
    config.max_scopes_per_frame = 4;
    rig.make(std::move(config), {.clock = clock});
    for (int i = 0; i < 3; ++i) {
      rig.frame([&] {
        for (int k = 0; k < 4; ++k) rig.pass("a", ms);
        rig.pass("b", ms);
      });
    }
    rig.timer->poll();
    EXPECT_EQ(rig.row("a").verdicts.accepted(), 3u);
    if (clock != Clock::fence) {
      EXPECT_EQ(rig.row("a").last, 4.0 * ms);
    }
    EXPECT_EQ(rig.row("b").verdicts.accepted(), 0u);
    EXPECT_EQ(rig.row("b").marks(), 3u);
  }
}

// Deeply nested passes fit in the queries that a frame may have, also where each closing begins another
// segment.
TEST(GlFrames, DeepNestingUsesNoMoreThanItsShare) {
  for (const Clock clock : {Clock::timestamp, Clock::time_elapsed}) {
    FakeRig rig;
    TimerConfig config = rig.config({"a"});
    config.max_scopes_per_frame = 32;
    config.frames_in_flight = 2;
    rig.make(std::move(config), {.clock = clock});
    for (int i = 0; i < 3; ++i) {
      rig.frame([&] {
        std::vector<Scope> scopes;
        for (int k = 0; k < 32; ++k) {
          scopes.push_back(rig.timer->scope(rig.timer->pass("a")));
          rig.fake.advance(1'000);
        }
        while (!scopes.empty()) {
          scopes.pop_back();
          rig.fake.advance(1'000);
        }
      });
    }
    EXPECT_EQ(rig.row("a").verdicts.accepted(), 3u);
    EXPECT_EQ(rig.row("a").last, 63'000);
    EXPECT_LE(rig.fake.peak_live_queries(), 2u * 2 * 32);
  }
}

// An application's own TIME_ELAPSED query is neither disturbed nor ended: the frame is refused.
TEST(GlFrames, ApplicationsOwnQueryIsLeftAlone) {
  FakeRig rig;
  rig.make({"a"}, {.clock = Clock::time_elapsed});
  const auto gen = reinterpret_cast<void (*)(int, unsigned*)>(FakeGl::get("glGenQueries"));
  const auto begin = reinterpret_cast<void (*)(unsigned, unsigned)>(FakeGl::get("glBeginQuery"));
  const auto end = reinterpret_cast<void (*)(unsigned)>(FakeGl::get("glEndQuery"));
  const auto remove = reinterpret_cast<void (*)(int, const unsigned*)>(FakeGl::get("glDeleteQueries"));
  unsigned id = 0;
  gen(1, &id);
  begin(gl_enum::time_elapsed, id);
  rig.frame_of("a", ms);
  EXPECT_EQ(rig.fake.active_queries(), 1u);
  EXPECT_FALSE(rig.timer->measure_median(1, [] {}).valid);
  end(gl_enum::time_elapsed);
  EXPECT_GE(rig.timer->diagnostic_count(Diagnostic::driver_error), 1u);
  rig.frame_of("a", 2 * ms);
  EXPECT_EQ(rig.row("a").verdicts.accepted(), 1u);
  EXPECT_EQ(rig.row("a").last, 2.0 * ms);
  remove(1, &id);
}

#ifndef __EMSCRIPTEN__  // browsers have neither debug groups nor reading without waiting
// Debug groups are off by default, and balanced when on.
TEST(GlFrames, DebugGroupsAreOptional) {
  for (const bool on : {false, true}) {
    FakeRig rig;
    rig.make({"a", "b"}, {.debug_groups = on});
    rig.frame([&] {
      auto outer = rig.timer->scope(rig.timer->pass("a"));
      EXPECT_EQ(rig.fake.debug_group_depth(), on ? 1 : 0);
      rig.pass("b", ms);
    });
    EXPECT_EQ(rig.fake.calls("glPushDebugGroup"), on ? 2u : 0u);
    EXPECT_EQ(rig.fake.debug_group_depth(), 0);
  }
}
#endif

// Destroyed in the middle of a frame and with frames in flight, the timer ends and deletes all of its
// objects.
TEST(GlFrames, DestroyedAnytime) {
  for (const Clock clock : all_clocks) {
    FakeRig rig;
    rig.make({"a", "b"}, {.clock = clock});
    rig.fake.hold_all();
    for (int i = 0; i < 3; ++i) rig.frame_of("a", ms);
    rig.timer->begin_frame();
    rig.timer->open(rig.timer->pass("a"));
    rig.timer->open(rig.timer->pass("b"));
    rig.timer.reset();
    EXPECT_EQ(rig.fake.live_queries(), 0u);
    EXPECT_EQ(rig.fake.live_syncs(), 0u);
    EXPECT_EQ(rig.fake.active_queries(), 0u);
  }
}

// Calls from within on_frame are allowed: collecting does not begin again, the rest works.
TEST(GlFrames, CallbackMayCallTheTimer) {
  FakeRig rig;
  TimerConfig config = rig.config({"a"});
  rig.make(std::move(config));
  struct Self {
    GlTimer* timer = nullptr;
    int calls = 0;
  } self;
  TimerConfig again = rig.config({"a"});
  again.on_frame = {[](void* user, const FrameSample&) {
                      Self& it = *static_cast<Self*>(user);
                      ++it.calls;
                      it.timer->poll();
                      static_cast<void>(it.timer->report());
                    },
                    &self};
  rig.timer = std::make_unique<GlTimer>(std::move(again), &FakeGl::get);
  self.timer = rig.timer.get();
  rig.fake.hold_all();
  for (int i = 0; i < 4; ++i) rig.frame_of("a", ms);
  rig.fake.release_all();
  rig.timer->poll();
  EXPECT_EQ(self.calls, 4);
  EXPECT_EQ(rig.row("a").verdicts.accepted(), 4u);
}

}  // namespace
}  // namespace passmeter::gl
