// Nesting: one tree, whatever clock measures it.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "timer_fixture.h"

namespace passmeter {
namespace {

using testing::draw_frame;
using testing::draw_nothing;
using testing::ms;
using testing::row_of;

std::string clock_name(const ::testing::TestParamInfo<Source>& clock) { return to_string(clock.param); }

class Nesting : public ::testing::TestWithParam<Source> {
 protected:
  ScriptedGpu gpu() const { return {.clock = GetParam(), .latency_frames = 1}; }
};

INSTANTIATE_TEST_SUITE_P(BothClocks, Nesting, ::testing::Values(Source::timestamp, Source::time_elapsed),
                         clock_name);

using Case12 = Nesting;
INSTANTIATE_TEST_SUITE_P(BothClocks, Case12, ::testing::Values(Source::timestamp, Source::time_elapsed),
                         clock_name);

// A 2 ms, B 3 ms inside it, A 1 ms: the same tree from stamps and from segments.
TEST_P(Case12, InnerPassSplitsItsParent) {
  ScriptedTimer timer({.passes = {"B", "A"}}, gpu());
  for (int i = 0; i < 5; ++i) {
    draw_frame(timer, [&] {
      const auto a = timer.scope(timer.pass("A"));
      timer.work_ns(2 * ms);
      {
        const auto b = timer.scope(timer.pass("B"));
        timer.work_ns(3 * ms);
      }
      timer.work_ns(1 * ms);
    });
  }
  const Report report = timer.report();
  ASSERT_EQ(report.series.size(), 2u);
  EXPECT_EQ(report.series[0].name, "A");
  EXPECT_EQ(report.series[0].ema, 6e6);
  EXPECT_EQ(report.series[0].exclusive_ema, 3e6);
  EXPECT_EQ(report.series[0].depth, 0u);
  EXPECT_EQ(report.series[1].name, "B");
  EXPECT_EQ(report.series[1].ema, 3e6);
  EXPECT_EQ(report.series[1].exclusive_ema, 3e6);
  EXPECT_EQ(report.series[1].parent, "A");
  EXPECT_EQ(report.series[1].depth, 1u);
  EXPECT_DOUBLE_EQ(report.series[0].share, 0.5);
  EXPECT_DOUBLE_EQ(report.series[1].share, 0.5);
  EXPECT_EQ(report.frame.busy, 6e6);
  EXPECT_EQ(report.frame.sum, 6e6);
  EXPECT_FALSE(report.frame.overlapping);
}

// A pass opened three times in a frame is one sample: its times add up.
TEST_P(Nesting, SamePassRepeated) {
  ScriptedTimer timer({.passes = {"draw", "blit"}}, gpu());
  for (int i = 0; i < 5; ++i) {
    draw_frame(timer, [&] {
      for (int part = 1; part <= 3; ++part) {
        const auto draw = timer.scope(timer.pass("draw"));
        timer.work_ns(part * ms);
      }
      const auto blit = timer.scope(timer.pass("blit"));
      timer.work_ns(2 * ms);
    });
  }
  EXPECT_EQ(row_of(timer, "draw").ema, 6e6);
  EXPECT_EQ(row_of(timer, "draw").verdicts.accepted(), 4u);
  EXPECT_EQ(row_of(timer, "draw").in_flight, 1u);
  EXPECT_EQ(timer.report().frame.busy, 8e6);
}

// A pass inside itself counts its time once.
TEST_P(Nesting, Recursion) {
  ScriptedTimer timer({.passes = {"node"}}, gpu());
  for (int i = 0; i < 5; ++i) {
    draw_frame(timer, [&] {
      const auto outer = timer.scope(timer.pass("node"));
      timer.work_ns(1 * ms);
      {
        const auto middle = timer.scope(timer.pass("node"));
        timer.work_ns(1 * ms);
        const auto inner = timer.scope(timer.pass("node"));
        timer.work_ns(2 * ms);
      }
      timer.work_ns(1 * ms);
    });
  }
  const SeriesReport row = row_of(timer, "node");
  EXPECT_EQ(row.ema, 5e6);
  EXPECT_EQ(row.exclusive_ema, 5e6);
  EXPECT_EQ(row.parent, "");
  EXPECT_EQ(row.share, 1);
}

// Shares of a deep tree with repeated passes add up to all of it.
TEST_P(Nesting, SharesAddUp) {
  ScriptedTimer timer({.passes = {"frame", "scene", "shadow", "opaque", "post"}}, gpu());
  const auto leaf = [&](const char* name, std::int64_t ns) {
    const auto scope = timer.scope(timer.pass(name));
    timer.work_ns(ns);
  };
  for (int i = 0; i < 10; ++i) {
    draw_frame(timer, [&] {
      const auto frame = timer.scope(timer.pass("frame"));
      timer.work_ns(100'000 + 1'000 * i);
      {
        const auto scene = timer.scope(timer.pass("scene"));
        leaf("shadow", 300'000);
        leaf("shadow", 200'000 + 500 * i);
        timer.work_ns(50'000);
        leaf("opaque", 2 * ms);
      }
      leaf("post", 700'000);
    });
  }
  double shares = 0;
  double exclusive = 0;
  const Report report = timer.report();
  for (const SeriesReport& row : report.series) {
    shares += row.share;
    exclusive += row.exclusive_ema;
  }
  EXPECT_NEAR(shares, 1, 1e-12);
  EXPECT_NEAR(exclusive, report.frame.busy, 1e-3);
  EXPECT_NEAR(report.find("frame")->ema, report.frame.busy, 1e-3);
  EXPECT_EQ(report.find("shadow")->depth, 2u);
  EXPECT_NEAR(report.find("scene")->exclusive_ema, 50'000, 1e-3);
}

// A pass without any time of its own has exclusive 0.
TEST_P(Nesting, ParentOfNothingButChildren) {
  ScriptedTimer timer({.passes = {"A", "B"}}, gpu());
  for (int i = 0; i < 3; ++i) {
    draw_frame(timer, [&] {
      const auto a = timer.scope(timer.pass("A"));
      const auto b = timer.scope(timer.pass("B"));
      timer.work_ns(ms);
    });
  }
  EXPECT_EQ(row_of(timer, "A").ema, 1e6);
  EXPECT_EQ(row_of(timer, "A").exclusive_ema, 0);
  EXPECT_EQ(row_of(timer, "A").share, 0);
}

// Nested passes on a coarse clock: parents are never shorter than their children, exclusive never negative.
TEST_P(Nesting, CoarseClock) {
  ScriptedGpu coarse = gpu();
  coarse.quantum_ticks = 65'536;
  ScriptedTimer timer({.passes = {"A", "B", "C"}}, coarse);
  for (int i = 0; i < 2000; ++i) {
    timer.begin_frame();
    {
      const auto a = timer.scope(timer.pass("A"));
      timer.work_ns(20'000 + i * 7);
      {
        const auto b = timer.scope(timer.pass("B"));
        timer.work_ns(90'000 + i * 13);
        const auto c = timer.scope(timer.pass("C"));
        timer.work_ns(40'000);
      }
      timer.work_ns(30'000);
    }
    timer.end_frame();
    timer.idle_ns(3 * ms + i * 977);
  }
  const SeriesReport a = row_of(timer, "A"), b = row_of(timer, "B"), c = row_of(timer, "C");
  EXPECT_EQ(a.verdicts.rejected(), 0u);
  EXPECT_GE(a.mean, b.mean);
  EXPECT_GE(b.mean, c.mean);
  EXPECT_GE(a.exclusive_ema, 0);
  EXPECT_NEAR(c.mean, 40'000, 3'000);
}

// On timestamps a rejected child does not take its parent along; the parent's exclusive time keeps what it
// had.
TEST(NestingOnTimestamps, RejectedChild) {
  ScriptedTimer timer({.passes = {"A", "B"}}, {.latency_frames = 0});
  for (int i = 0; i < 2; ++i) {
    draw_frame(timer, [&] {
      const auto a = timer.scope(timer.pass("A"));
      timer.work_ns(2 * ms);
      if (i == 1) timer.unwritten_next();
      const auto b = timer.scope(timer.pass("B"));
      timer.work_ns((3 + i) * ms);
    });
  }
  EXPECT_EQ(row_of(timer, "A").last, 6e6);
  EXPECT_EQ(row_of(timer, "A").verdicts.accepted(), 2u);
  EXPECT_EQ(row_of(timer, "A").exclusive_ema, 2e6);
  EXPECT_EQ(row_of(timer, "B").verdicts[Verdict::unwritten], 1u);
  EXPECT_EQ(row_of(timer, "B").ema, 3e6);
}

// On durations the child's time is part of the parent's: without it the parent would be too short.
TEST(NestingOnDurations, RejectedChildTakesItsParentAlong) {
  ScriptedTimer timer({.passes = {"A", "B"}}, {.clock = Source::time_elapsed, .latency_frames = 0});
  for (int i = 0; i < 2; ++i) {
    draw_frame(timer, [&] {
      const auto a = timer.scope(timer.pass("A"));
      timer.work_ns(2 * ms);
      if (i == 1) timer.elapse_next(3'508'000'000'000);
      const auto b = timer.scope(timer.pass("B"));
      timer.work_ns(3 * ms);
    });
  }
  EXPECT_EQ(row_of(timer, "A").verdicts.accepted(), 1u);
  EXPECT_EQ(row_of(timer, "A").verdicts[Verdict::implausible], 1u);
  EXPECT_EQ(row_of(timer, "A").ema, 5e6);
}

// One of several scopes of a pass was not written: the sum would be too small, so there is no sample.
TEST(NestingOnTimestamps, PartOfARepeatedPassIsMissing) {
  ScriptedTimer timer({.passes = {"A"}}, {.latency_frames = 0});
  draw_frame(timer, [&] {
    for (int part = 0; part < 3; ++part) {
      if (part == 1) timer.unwritten_next();
      const auto a = timer.scope(timer.pass("A"));
      timer.work_ns(ms);
    }
  });
  EXPECT_EQ(row_of(timer, "A").verdicts.accepted(), 0u);
  EXPECT_EQ(row_of(timer, "A").verdicts[Verdict::unwritten], 1u);
}

// Passes nested either way round, with the outer one rejected, still make a tree: no pass is under itself.
TEST(NestingOnTimestamps, ParentsNeverFormACycle) {
  ScriptedTimer timer({.passes = {"A", "B"}}, {.latency_frames = 0});
  const auto nest = [&](const char* outer, const char* inner) {
    draw_frame(timer, [&] {
      timer.unwritten_next();
      const auto first = timer.scope(timer.pass(outer));
      timer.work_ns(ms);
      const auto second = timer.scope(timer.pass(inner));
      timer.work_ns(ms);
      const auto third = timer.scope(timer.pass(outer));
      timer.work_ns(ms);
    });
  };
  nest("A", "B");
  nest("B", "A");
  const Report report = timer.report();
  for (const SeriesReport& row : report.series) {
    EXPECT_NE(row.parent, row.name);
    const SeriesReport* above = report.find(row.parent);
    if (above != nullptr) {
      EXPECT_NE(above->parent, row.name);
    }
  }
}

}  // namespace
}  // namespace passmeter
