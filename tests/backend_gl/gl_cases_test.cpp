// Failures reported from the field, each with the value it should have had. The numbers are those of
// docs/cases.md.
#include <cmath>
#include <random>

#include "fake_rig.h"

namespace passmeter::gl {
namespace {

// Without timer queries a timer estimates from fences or says that it measures nothing, and the times are
// unknown.
TEST(Case02, MissingExtensionGivesFencesOrNothing) {
  for (const Flavour flavour : {Flavour::gles2, Flavour::gles3, Flavour::webgl1, Flavour::webgl2}) {
    SCOPED_TRACE(static_cast<int>(flavour));
    FakeRig rig(flavour);
    rig.fake.remove_extension("EXT_disjoint_timer_query");
    rig.fake.remove_extension("EXT_disjoint_timer_query_webgl2");
    GlTimer& timer = rig.make({"a"});
    const bool fences = flavour == Flavour::gles3 || flavour == Flavour::webgl2;
    EXPECT_EQ(timer.source(), fences ? Source::fence : Source::none);
    EXPECT_NE(std::string(timer.reason()).find("EXT_disjoint_timer_query"), std::string::npos)
        << timer.reason();
    rig.fake.reset_counters();
    for (int i = 0; i < 100; ++i) {
      rig.frame_of("a", 2 * ms);
      rig.fake.advance(14 * ms);
    }
    EXPECT_EQ(rig.fake.query_calls(), 0u);
    const Report report = timer.report();
    EXPECT_DOUBLE_EQ(report.frame.cpu_interval, 16.0 * ms);
    if (!fences) {
      EXPECT_EQ(rig.fake.total_calls(), 0u);
      EXPECT_TRUE(std::isnan(report.find("a")->ema));
      EXPECT_EQ(report.find("a")->marks(), 0u);
    }
    EXPECT_EQ(rig.fake.errors_raised(), 0u);
  }
}

// A pass much shorter than the counter's step reads 0 or one step; its long-run mean is right all the same.
TEST(Case05, ShortPassesKeepTheirMean) {
  FakeRig rig;
  rig.fake.set_quantum(65'536);
  rig.make({"short"});
  std::mt19937 random(5);
  for (int i = 0; i < 10'000; ++i) {
    rig.fake.advance(static_cast<std::int64_t>(random() % 16'000'000));
    rig.frame_of("short", 30'000);
  }
  // The first few may be taken for implausible: 65 us can't have passed in 30 us, until the step is known.
  EXPECT_GE(rig.row("short").verdicts.accepted(), 9'990u);
  EXPECT_NEAR(rig.row("short").mean, 30'000, 2'000);
  EXPECT_EQ(rig.timer->report().resolution_ns, 65'536);
  EXPECT_TRUE(rig.row("short").below_resolution);

  rig.fake.push_stamps({0x30000, 0x30000});
  rig.frame_of("short", 30'000);
  EXPECT_EQ(rig.row("short").last, 0);
}

// With every slot pending new frames are skipped and counted; the pending ones come out unharmed.
TEST(Case06, FullRingSkipsAndCounts) {
  FakeRig rig;
  TimerConfig config = rig.config({"a"});
  config.frames_in_flight = 3;
  rig.make(std::move(config));
  rig.fake.hold_all();
  for (int i = 0; i < 10; ++i) rig.frame_of("a", (i + 1) * ms);
  EXPECT_EQ(rig.timer->report().frames_in_flight, 3u);
  EXPECT_EQ(rig.row("a").verdicts[Verdict::no_free_slot], 7u);
  rig.fake.release_all();
  rig.timer->poll();
  EXPECT_EQ(rig.row("a").verdicts.accepted(), 3u);
  EXPECT_EQ(rig.row("a").max, 3.0 * ms);
  rig.frame_of("a", 9 * ms);
  EXPECT_EQ(rig.row("a").last, 9.0 * ms);
}

// Passes that overlap on the GPU are not summed: the frame was busy for as long as any of them ran.
TEST(Case08, OverlapIsNotSummed) {
  FakeRig rig;
  rig.make({"a", "b", "c", "d"});
  const auto frame = [&](int passes) {
    rig.frame([&] {
      for (int i = 0; i < passes; ++i) auto scope = rig.timer->scope(PassId{static_cast<std::uint32_t>(i)});
      rig.fake.advance(30 * ms);
    });
  };
  rig.fake.push_stamps({0, 8 * ms, 1 * ms, 9 * ms, 2 * ms, 10 * ms});
  frame(3);
  Report report = rig.timer->report();
  EXPECT_EQ(report.frame.busy, 10.0 * ms);
  EXPECT_EQ(report.frame.span, 10.0 * ms);
  EXPECT_TRUE(report.frame.overlapping);

  rig.timer->reset_statistics();
  rig.fake.push_stamps({0, 8 * ms, 1 * ms, 9 * ms, 2 * ms, 10 * ms, 20 * ms, 21 * ms});
  frame(4);
  report = rig.timer->report();
  EXPECT_EQ(report.frame.busy, 11.0 * ms);
  EXPECT_EQ(report.frame.span, 21.0 * ms);
  EXPECT_EQ(report.frame.sum, 25.0 * ms);
}

// Times over 2^31 and 2^32 ns neither wrap nor turn negative, on both query clocks and with suffixed
// functions.
TEST(Case11, LongTimesAreExact) {
  for (const Flavour flavour :
       {Flavour::desktop, Flavour::gles2, Flavour::gles3, Flavour::webgl1, Flavour::webgl2}) {
    for (const Clock clock : {Clock::timestamp, Clock::time_elapsed}) {
      FakeRig rig(flavour);
      rig.make({"a"}, {.clock = clock});
      if (rig.timer->clock() != clock) continue;  // no timestamps on WebGL
      for (const std::int64_t ns : {5'000'000'000, 3'000'000'000}) {
        rig.frame_of("a", ns);
        rig.timer->poll();
        EXPECT_EQ(rig.row("a").last, static_cast<double>(ns)) << static_cast<int>(flavour);
      }
    }
  }
}

// Where only one TIME_ELAPSED can be active, an inner pass splits the outer one: no error, and both are
// right.
TEST(Case12, NestedElapsedIsSegments) {
  FakeRig rig;
  rig.make({"A", "B"}, {.clock = Clock::time_elapsed});
  rig.frame([&] {
    auto a = rig.timer->scope(rig.timer->pass("A"));
    rig.fake.advance(2 * ms);
    rig.pass("B", 3 * ms);
    rig.fake.advance(1 * ms);
  });
  EXPECT_EQ(rig.row("A").last, 6.0 * ms);
  EXPECT_EQ(rig.row("A").exclusive_ema, 3.0 * ms);
  EXPECT_EQ(rig.row("B").last, 3.0 * ms);
  EXPECT_EQ(rig.row("B").parent, "A");
  EXPECT_EQ(rig.timer->report().frame.busy, 6.0 * ms);
}

// A TIMESTAMP without counter bits is not used: passes are timed with TIME_ELAPSED.
TEST(Case13, NoTimestampBitsMeansTimeElapsed) {
  for (const Flavour flavour : {Flavour::desktop, Flavour::gles2, Flavour::gles3}) {
    FakeRig rig(flavour);
    rig.fake.set_counter_bits(gl_enum::timestamp, 0);
    rig.make({"a"});
    EXPECT_EQ(rig.timer->source(), Source::time_elapsed);
    EXPECT_NE(std::string(rig.timer->reason()).find("0 counter bits"), std::string::npos)
        << rig.timer->reason();
    rig.frame_of("a", 2 * ms);
    EXPECT_EQ(rig.row("a").last, 2.0 * ms);
    EXPECT_EQ(rig.fake.calls("glQueryCounter") + rig.fake.calls("glQueryCounterEXT"), 0u);
  }
}

// GPU_DISJOINT voids what is in flight. It is read once a poll and only after a result became available.
TEST(Case14, DisjointVoidsWhatIsInFlight) {
  for (const Clock clock : {Clock::timestamp, Clock::time_elapsed}) {
    FakeRig rig(Flavour::gles3);
    rig.make({"a"}, {.clock = clock});
    rig.fake.hold_all();
    rig.fake.reset_counters();
    for (int i = 0; i < 3; ++i) rig.frame_of("a", 2 * ms);
    EXPECT_EQ(rig.fake.disjoint_reads(), 0u);
    rig.fake.set_disjoint();
    rig.fake.release_all();
    rig.timer->poll();
    EXPECT_EQ(rig.fake.disjoint_reads(), 1u);
    EXPECT_EQ(rig.row("a").verdicts[Verdict::disjoint], 3u);
    for (int i = 0; i < 3; ++i) {
      rig.fake.reset_counters();
      rig.frame_of("a", 3 * ms);
      EXPECT_EQ(rig.fake.disjoint_reads(), 1u);
    }
    EXPECT_EQ(rig.row("a").verdicts.accepted(), 3u);
    EXPECT_EQ(rig.row("a").mean, 3.0 * ms);
  }
}

// The frame being drawn while a disjoint is noticed is void as well.
TEST(Case14, DisjointVoidsTheOpenFrame) {
  FakeRig rig(Flavour::gles3);
  rig.make({"a", "b"});
  rig.fake.hold_all();
  rig.frame_of("a", 2 * ms);
  rig.frame([&] {
    rig.pass("a", ms);
    rig.fake.set_disjoint();
    rig.fake.release_all();
    rig.timer->poll();
    rig.pass("b", ms);
  });
  EXPECT_EQ(rig.row("a").verdicts[Verdict::disjoint], 2u);
  EXPECT_EQ(rig.row("b").verdicts[Verdict::disjoint], 1u);
  rig.frame_of("a", 5 * ms);
  EXPECT_EQ(rig.row("a").last, 5.0 * ms);
}

// Results that never come do not make anything grow, and are all taken by one poll when they come after all.
TEST(Case21, NothingGrowsWhileNothingComes) {
  for (const Clock clock : {Clock::timestamp, Clock::time_elapsed, Clock::fence}) {
    FakeRig rig;
    TimerConfig config = rig.config({"a"});
    config.frames_in_flight = 3;
    config.late_after_frames = 1'000'000;
    rig.make(std::move(config), {.clock = clock});
    rig.fake.hold_all();
    std::size_t queries = 0;
    for (int i = 0; i < 100'000; ++i) {
      rig.frame_of("a", ms);
      if (i == 10) queries = rig.fake.peak_live_queries();
    }
    EXPECT_EQ(rig.fake.peak_live_queries(), queries);
    EXPECT_LE(rig.fake.peak_live_queries(), 64u);
    EXPECT_LE(rig.fake.peak_live_syncs(), 6u);
    EXPECT_EQ(rig.row("a").verdicts[Verdict::no_free_slot], 99'997u);
    rig.fake.release_all();
    rig.timer->poll();
    EXPECT_EQ(rig.row("a").verdicts.accepted(), 3u);
    EXPECT_EQ(rig.timer->report().frames_in_flight, 0u);
  }
}

// The same with frames given up as late: their queries are not used again while pending, and still nothing
// grows.
TEST(Case21, FramesGivenUpDoNotGrowThePoolPastItsCap) {
  for (const Clock clock : {Clock::timestamp, Clock::time_elapsed, Clock::fence}) {
    FakeRig rig;
    TimerConfig config = rig.config({"a"});
    config.frames_in_flight = 3;
    config.late_after_frames = 5;
    config.max_scopes_per_frame = 8;
    rig.make(std::move(config), {.clock = clock});
    rig.fake.hold_all();
    for (int i = 0; i < 10'000; ++i) rig.frame_of("a", ms);
    EXPECT_LE(rig.fake.peak_live_queries(), 3u * 2 * 8);
    EXPECT_LE(rig.fake.peak_live_syncs(), 3u * 2 * 8);
    EXPECT_EQ(rig.fake.reused_in_flight(), 0u);
    EXPECT_EQ(rig.row("a").verdicts.accepted(), 0u);
    rig.fake.release_all();
    for (int i = 0; i < 10; ++i) rig.frame_of("a", 2 * ms);
    EXPECT_GE(rig.row("a").verdicts.accepted(), 8u);
    EXPECT_EQ(rig.row("a").marks(), 10'010u);
  }
}

// A pair of zero stamps was not written: no sample, and the average stays.
TEST(Case27, ZeroPairIsUnwritten) {
  FakeRig rig;
  rig.make({"a"});
  rig.frame_of("a", 4 * ms);
  rig.fake.push_stamps({0, 0});
  rig.frame_of("a", ms);
  EXPECT_EQ(rig.row("a").verdicts[Verdict::unwritten], 1u);
  EXPECT_EQ(rig.row("a").ema, 4.0 * ms);
  EXPECT_EQ(rig.row("a").verdicts.accepted(), 1u);
}

// A clock that gives nothing but zeros is given up for the next one, with a reason and without a sample.
TEST(Case29, AllZeroClockIsGivenUp) {
  FakeRig rig;
  rig.fake.set_zero_stamps(true);
  rig.make({"a", "b"});
  EXPECT_EQ(rig.timer->source(), Source::timestamp);
  const auto frame = [&] {
    rig.frame([&] {
      rig.pass("a", ms);
      rig.pass("b", ms);
    });
  };
  for (int i = 0; i < 45; ++i) frame();
  EXPECT_EQ(rig.timer->source(), Source::time_elapsed);
  for (int i = 45; i < 60; ++i) frame();
  EXPECT_EQ(rig.timer->source(), Source::fence);
  EXPECT_NE(std::string(rig.timer->reason()).find("zeros"), std::string::npos) << rig.timer->reason();
  EXPECT_EQ(rig.row("a").verdicts.accepted(), 0u);
  EXPECT_EQ(rig.row("a").verdicts[Verdict::unwritten], 60u);
  EXPECT_TRUE(std::isnan(rig.row("a").ema));
}

// The same with the clock given by the user: it is not exchanged, the state says so, and it keeps probing.
TEST(Case29, AllZeroClockThatWasAskedForIsDegraded) {
  for (const Clock clock : {Clock::timestamp, Clock::time_elapsed}) {
    FakeRig rig;
    rig.fake.set_zero_stamps(true);
    rig.make({"a"}, {.clock = clock});
    for (int i = 0; i < 60; ++i) rig.frame_of("a", ms);
    EXPECT_EQ(rig.timer->state(), State::degraded);
    EXPECT_NE(std::string(rig.timer->reason()), "");
    EXPECT_EQ(rig.row("a").verdicts.accepted(), 0u);
    rig.fake.set_zero_stamps(false);
    rig.frame_of("a", 7 * ms);
    EXPECT_EQ(rig.timer->state(), State::measuring);
    EXPECT_EQ(rig.row("a").last, 7.0 * ms);
  }
}

// A 36-bit counter wraps to 0 after its largest value; the same stamps of a 64-bit counter go backwards.
TEST(Case32, CounterWrapsAtItsWidth) {
  for (const int bits : {36, 64}) {
    FakeRig rig;
    rig.fake.set_counter_bits(gl_enum::timestamp, bits);
    rig.make({"a"});
    EXPECT_EQ(rig.timer->report().counter_bits, static_cast<unsigned>(bits));
    rig.fake.push_stamps({0xFFFFFFFFF, 0});
    rig.frame_of("a", ms);
    EXPECT_EQ(rig.row("a").verdicts.accepted(), bits == 36 ? 1u : 0u);
    EXPECT_EQ(rig.row("a").verdicts[Verdict::negative], bits == 36 ? 0u : 1u);
    if (bits == 36) {
      EXPECT_EQ(rig.row("a").last, 1);
    }
    // Later frames are none the worse for it.
    rig.frame_of("a", 2 * ms);
    EXPECT_EQ(rig.row("a").last, 2.0 * ms);
  }
}

// On GPUs whose timers are known to lie the table decides, and the reason says so with its source.
TEST(Case37, QuirkTableDecides) {
  struct Expectation {
    const char* renderer;
    const char* version;
    bool quirk;
  };
  for (const Expectation& given : {
           Expectation{"Adreno (TM) 640", "OpenGL ES 3.2 V@0502.0 (GIT@f2a0bcd)", true},
           Expectation{"Adreno (TM) 320", "OpenGL ES 3.0 V@84.0", true},
           Expectation{"Mali-G76", "OpenGL ES 3.2 v1.r26p0-01eac0", true},
           Expectation{"Mali-T880", "OpenGL ES 3.2 v1.r22p0", true},
           Expectation{"Mali-G52 (Panfrost)", "OpenGL ES 3.1 Mesa 25.0.7", false},
           Expectation{"ANGLE (Qualcomm, Vulkan 1.1.128 (Adreno (TM) 640))", "OpenGL ES 3.1 (ANGLE 2.1)",
                       false},
           Expectation{"NVIDIA Tegra", "OpenGL ES 3.2 NVIDIA 495.00", false},
       }) {
    FakeRig rig(Flavour::gles3);
    rig.fake.set_renderer(given.renderer);
    rig.fake.set_version(given.version);
    rig.make({"a"});
    EXPECT_EQ(rig.timer->source(), given.quirk ? Source::fence : Source::timestamp) << given.renderer;
    const std::string reason = rig.timer->reason();
    EXPECT_EQ(reason.find("github.com/google/filament") != std::string::npos, given.quirk) << reason;
    rig.make({"a"}, {.ignore_quirks = true});
    EXPECT_EQ(rig.timer->source(), Source::timestamp) << given.renderer;
    rig.make({"a"}, {.clock = Clock::time_elapsed});
    EXPECT_EQ(rig.timer->source(), Source::time_elapsed) << given.renderer;
  }
}

// A result longer than the CPU time since its begin cannot be true and never reaches the average.
TEST(Case46, UptimeIsImplausible) {
  FakeRig rig;
  rig.make({"a"}, {.clock = Clock::time_elapsed});
  rig.fake.push_elapsed({3'508'000'000'000});
  rig.frame_of("a", 5 * ms);
  EXPECT_EQ(rig.row("a").verdicts[Verdict::implausible], 1u);
  EXPECT_TRUE(std::isnan(rig.row("a").ema));
  rig.frame_of("a", 5 * ms);
  EXPECT_EQ(rig.row("a").ema, 5.0 * ms);
}

// Each pass is held against its own begin, not the frame's: 10 ms can't be true of a pass begun 5 ms ago.
TEST(Case46, EachPassHasItsOwnBound) {
  FakeRig rig;
  rig.make({"a", "b"}, {.clock = Clock::time_elapsed});
  rig.fake.push_elapsed({20'000'000, 10'000'000});
  rig.frame([&] {
    rig.pass("a", 20 * ms);
    rig.pass("b", 5 * ms);
  });
  EXPECT_EQ(rig.row("a").ema, 20.0 * ms);
  EXPECT_EQ(rig.row("b").verdicts[Verdict::implausible], 1u);
  EXPECT_TRUE(std::isnan(rig.row("b").ema));
}

// Impossible times teach the clock nothing: however often they come, none passes.
TEST(Case46, RepeatedUptimesStayOut) {
  FakeRig rig;
  rig.make({"a"}, {.clock = Clock::time_elapsed});
  for (std::uint64_t i = 0; i < 60; ++i) {
    rig.fake.push_elapsed({3'508'000'000'000 * (1 + i % 3)});
    rig.frame_of("a", 5 * ms);
  }
  EXPECT_EQ(rig.row("a").verdicts[Verdict::implausible], 60u);
  EXPECT_TRUE(std::isnan(rig.row("a").ema));
}

// Passes of 20 and 40 ms look like a clock of 20 ms. That must not make 15 ms true of a pass begun 5 ms ago.
TEST(Case46, RegularWorkDoesNotLoosenTheBound) {
  FakeRig rig;
  rig.make({"a"}, {.clock = Clock::time_elapsed});
  for (int i = 0; i < 40; ++i) rig.frame_of("a", (20 + i % 2 * 20) * ms);
  rig.fake.push_elapsed({15'000'000});
  rig.frame_of("a", 5 * ms);
  EXPECT_EQ(rig.row("a").verdicts[Verdict::implausible], 1u);
}

// An unwritten or negative first pass says nothing about the ones after it, wherever the counter stands.
TEST(Case27, ABadFirstPassLeavesItsNeighboursRight) {
  for (const std::uint64_t high : {std::uint64_t{0xF'0000'0000}, std::uint64_t{0x1'0000'0000}}) {
    FakeRig rig;
    rig.fake.set_counter_bits(gl_enum::timestamp, 36);
    rig.make({"a", "b", "c"}, {.clock = Clock::timestamp});
    for (const auto& [begin, end] :
         {std::pair<std::uint64_t, std::uint64_t>{0, 0}, {high + 5'000'000, high}}) {
      rig.fake.push_stamps({begin, end, high + 1'000, high + 1'001'000, high + 1'002'000, high + 3'002'000});
      rig.frame([&] {
        for (const char* name : {"a", "b", "c"}) rig.pass(name, 2 * ms);
      });
    }
    EXPECT_EQ(rig.row("a").verdicts[Verdict::unwritten], 1u);
    EXPECT_EQ(rig.row("a").verdicts[Verdict::negative], 1u);
    EXPECT_EQ(rig.row("b").verdicts.accepted(), 2u);
    EXPECT_EQ(rig.row("b").ema, 1.0 * ms);
    EXPECT_EQ(rig.row("c").ema, 2.0 * ms);
    EXPECT_EQ(rig.seen.back().intervals[1].begin_ns, 0.0);
  }
}

// Frames whose results are held and then released carry their own times, not those of frames skipped
// meanwhile.
TEST(Case47, HeldFramesKeepTheirOwnTimes) {
  for (const Clock clock : {Clock::timestamp, Clock::time_elapsed}) {
    FakeRig rig;
    rig.make({"a"}, {.clock = clock});
    rig.fake.hold_all();
    for (int i = 0; i < 110; ++i) rig.frame_of("a", (i + 1) * ms);
    rig.fake.release_all();
    rig.timer->poll();
    ASSERT_EQ(rig.seen.size(), 8u);
    for (const Seen& seen : rig.seen) {
      ASSERT_EQ(seen.intervals.size(), 1u);
      EXPECT_EQ(seen.intervals[0].verdict, Verdict::accepted);
      EXPECT_EQ(seen.intervals[0].inclusive_ns, static_cast<double>(seen.frame + 1) * ms);
    }
    EXPECT_EQ(rig.row("a").verdicts.accepted(), 8u);
    EXPECT_EQ(rig.row("a").verdicts[Verdict::no_free_slot], 102u);
  }
}

// An outer pass with an inner one in its middle reads the same with TIME_ELAPSED segments as with timestamps.
TEST(Case48, SegmentsGiveTheSameTreeAsStamps) {
  struct Row {
    double inclusive, exclusive, inner, twice;
    std::string inner_parent;
  };
  std::vector<Row> rows;
  for (const Clock clock : {Clock::timestamp, Clock::time_elapsed}) {
    FakeRig rig;
    rig.make({"outer", "inner", "deep", "twice"}, {.clock = clock});
    for (int i = 0; i < 20; ++i) {
      rig.frame([&] {
        auto outer = rig.timer->scope(rig.timer->pass("outer"));
        rig.fake.advance(2 * ms);
        {
          auto inner = rig.timer->scope(rig.timer->pass("inner"));
          rig.fake.advance(3 * ms);
          rig.pass("deep", 4 * ms);
          rig.pass("twice", ms);
        }
        rig.fake.advance(1 * ms);
        outer.close();
        rig.pass("twice", ms);
      });
    }
    rows.push_back({rig.row("outer").ema, rig.row("outer").exclusive_ema, rig.row("inner").ema,
                    rig.row("twice").ema, rig.row("inner").parent});
    EXPECT_EQ(rig.row("deep").parent, "inner");
  }
  EXPECT_EQ(rows[0].inclusive, 11.0 * ms);
  EXPECT_EQ(rows[0].inclusive, rows[1].inclusive);
  EXPECT_EQ(rows[0].exclusive, rows[1].exclusive);
  EXPECT_EQ(rows[0].inner, rows[1].inner);
  EXPECT_EQ(rows[0].twice, rows[1].twice);
  EXPECT_EQ(rows[0].inner_parent, rows[1].inner_parent);
}

}  // namespace
}  // namespace passmeter::gl
