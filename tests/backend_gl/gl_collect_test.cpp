// When results are collected, flushed for, and given up.
#include <cmath>

#include "fake_rig.h"

namespace passmeter::gl {
namespace {

// Where nothing gets ready without a flush, results come all the same, for at most one flush every two
// frames.
TEST(GlCollect, FlushesWhereNeeded) {
  for (const Clock clock : {Clock::timestamp, Clock::time_elapsed, Clock::fence}) {
    FakeRig rig;
    rig.fake.set_needs_flush(true);
    rig.make({"a"}, {.clock = clock});
    for (int i = 0; i < 100; ++i) rig.frame_of("a", ms);
    EXPECT_GE(rig.row("a").verdicts.accepted(), 95u);
    EXPECT_EQ(rig.row("a").verdicts.rejected(), 0u);
    EXPECT_LE(rig.fake.flushes(), 51u);
    EXPECT_EQ(rig.fake.calls("glFinish"), 0u);
  }
}

// Polling alone brings the last frames in, too.
TEST(GlCollect, PollFlushesForTheLastFrames) {
  FakeRig rig;
  rig.fake.set_needs_flush(true);
  rig.make({"a"});
  for (int i = 0; i < 3; ++i) rig.frame_of("a", ms);
  for (int i = 0; i < 10; ++i) rig.timer->poll();
  EXPECT_EQ(rig.row("a").verdicts.accepted(), 3u);
}

// Where the swap flushes, the timer does not, even when the GPU is a few frames behind.
TEST(GlCollect, DoesNotFlushWhereTheSwapDoes) {
  for (const int latency : {0, 1, 2, 3}) {
    FakeRig rig;
    rig.fake.set_latency_frames(latency);
    rig.make({"a"});
    for (int i = 0; i < 100; ++i) rig.frame_of("a", ms);
    EXPECT_EQ(rig.fake.flushes(), 0u) << latency;
    EXPECT_EQ(rig.row("a").verdicts.rejected(), 0u) << latency;
    EXPECT_DOUBLE_EQ(rig.timer->report().latency_frames, latency);
  }
}

// No flush of the timer's falls into a frame, where it would split a render pass of a tiled GPU.
TEST(GlCollect, NoFlushInsideAFrame) {
  FakeRig rig;
  rig.fake.set_needs_flush(true);
  rig.make({"a"});
  for (int i = 0; i < 3; ++i) rig.frame_of("a", ms);
  rig.timer->begin_frame();
  rig.fake.reset_counters();
  for (int i = 0; i < 20; ++i) rig.timer->poll();
  EXPECT_EQ(rig.fake.flushes(), 0u);
  rig.timer->end_frame();
}

// Frames that get ready out of order are each delivered with their own times.
TEST(GlCollect, OutOfOrderFramesKeepTheirTimes) {
  // 4.3: each query is asked; 4.5: they are read without waiting.
  for (const auto& [clock, version] : {std::pair{Clock::timestamp, "4.3 fake"},
                                       {Clock::time_elapsed, "4.3 fake"},
                                       {Clock::timestamp, "4.5 fake"},
                                       {Clock::time_elapsed, "4.5 fake"}}) {
    FakeRig rig;
    rig.fake.set_version(version);
    rig.fake.set_jitter_frames(5, 7);
    rig.make({"a", "b"}, {.clock = clock});
    for (int i = 0; i < 500; ++i) {
      rig.frame([&] {
        rig.pass("a", 1'000 + i);
        rig.pass("b", 100'000 + i);
      });
    }
    for (int i = 0; i < 10; ++i) {
      rig.fake.next_frame();
      rig.timer->poll();
    }
    bool out_of_order = false;
    std::uint64_t last = 0;
    for (const Seen& seen : rig.seen) {
      out_of_order |= seen.frame < last;
      last = seen.frame;
      ASSERT_EQ(seen.intervals.size(), 2u);
      EXPECT_EQ(seen.intervals[0].inclusive_ns, 1'000.0 + static_cast<double>(seen.frame));
      EXPECT_EQ(seen.intervals[1].inclusive_ns, 100'000.0 + static_cast<double>(seen.frame));
    }
    EXPECT_TRUE(out_of_order);
    EXPECT_EQ(rig.row("a").verdicts.accepted(), 500u - rig.row("a").verdicts[Verdict::no_free_slot]);
    EXPECT_GT(rig.row("a").verdicts.accepted(), 400u);
    EXPECT_EQ(rig.fake.waits(), 0u);
  }
}

// A result that does not come in time is given up as late, and what comes afterwards is right.
TEST(GlCollect, LateFramesAreGivenUp) {
  for (const Clock clock : {Clock::timestamp, Clock::time_elapsed, Clock::fence}) {
    FakeRig rig;
    TimerConfig config = rig.config({"a"});
    config.late_after_frames = 10;
    rig.make(std::move(config), {.clock = clock});
    rig.frame_of("a", ms);
    rig.timer->poll();
    const std::uint64_t accepted = rig.row("a").verdicts.accepted();
    rig.fake.hold_all();
    for (int i = 0; i < 12; ++i) rig.frame_of("a", ms);
    EXPECT_GE(rig.row("a").verdicts[Verdict::late], 1u);
    rig.fake.release_all();
    for (int i = 0; i < 5; ++i) rig.frame_of("a", 2 * ms);
    EXPECT_GT(rig.row("a").verdicts.accepted(), accepted);
    EXPECT_EQ(rig.fake.reused_in_flight(), 0u);
    const SeriesReport row = rig.row("a");
    EXPECT_EQ(row.marks(), 18u);
  }
}

// Fence times are estimates and look like it: the source says so, the resolution is the time between two
// looks, and a pass shorter than that is marked as below it.
TEST(GlCollect, FenceTimesAreVisiblyEstimates) {
  FakeRig rig;
  rig.make({"pass"}, {.clock = Clock::fence});
  EXPECT_EQ(rig.timer->source(), Source::fence);
  for (int i = 0; i < 50; ++i) {
    rig.frame_of("pass", 10 * ms);
    rig.fake.advance(6 * ms);
  }
  const Report report = rig.timer->report();
  EXPECT_EQ(report.source, Source::fence);
  EXPECT_EQ(report.resolution_ns, 10.0 * ms);  // nobody looked in between
  EXPECT_TRUE(report.find("pass")->below_resolution);
  EXPECT_GE(report.find("pass")->verdicts.accepted(), 49u);
}

// The more often someone looks, the finer the estimate; it stays within what the resolution promises.
TEST(GlCollect, FenceEstimatesAreAsFineAsThePolling) {
  FakeRig rig;
  rig.make({"pass"}, {.clock = Clock::fence});
  for (int i = 0; i < 50; ++i) {
    rig.frame([&] {
      auto scope = rig.timer->scope(rig.timer->pass("pass"));
      for (int k = 0; k < 100; ++k) {
        rig.fake.advance(ms);
        rig.timer->poll();
      }
    });
  }
  const Report report = rig.timer->report();
  EXPECT_EQ(report.resolution_ns, 1.0 * ms);
  EXPECT_NEAR(report.find("pass")->mean, 100.0 * ms, report.resolution_ns);
  EXPECT_EQ(rig.fake.waits(), 0u);
}

}  // namespace
}  // namespace passmeter::gl
