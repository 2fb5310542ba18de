// What must hold over many frames: right means below the resolution, counts that add up, no growth.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>
#include <string>

#include "counting_new.h"
#include "passmeter/writers.h"
#include "timer_fixture.h"

namespace passmeter {
namespace {

using testing::draw_pass;
using testing::ms;
using testing::row_of;
using testing::us;

// A 30 us pass at random phases of a clock of 65,536 ns: single values are 0 or one quantum, the mean is
// right.
TEST(Case05, ShortPassesKeepTheirMean) {
  for (const Source clock : {Source::timestamp, Source::time_elapsed}) {
    std::mt19937 random(5);
    ScriptedTimer timer({.passes = {"short", "long"}},
                        {.clock = clock, .quantum_ticks = 65'536, .latency_frames = 1});
    for (int i = 0; i < 10'000; ++i) {
      timer.begin_frame();
      {
        const auto scope = timer.scope(timer.pass("short"));
        timer.work_ns(30 * us);
      }
      {
        const auto scope = timer.scope(timer.pass("long"));
        timer.work_ns(1 * ms);
      }
      timer.end_frame();
      timer.idle_ns(5 * ms + static_cast<std::int64_t>(random() % 10'000'000));
    }
    const Report report = timer.report();
    const SeriesReport& row = *report.find("short");
    EXPECT_EQ(report.resolution_ns, 65'536);
    EXPECT_EQ(row.verdicts.accepted(), 9'999u);
    EXPECT_NEAR(row.mean, 30'000, 2'000);
    EXPECT_EQ(row.min, 0);
    EXPECT_EQ(row.max, 65'536);
    EXPECT_TRUE(row.below_resolution);
    EXPECT_FALSE(report.find("long")->below_resolution);
    EXPECT_NE(to_text(report).find("<0.066"), std::string::npos) << to_text(report);
  }
}

// After warm-up no frame allocates, on no clock, whatever goes wrong.
TEST(TimerLong, AllocatesNothingPerFrame) {
  for (const Source clock : {Source::timestamp, Source::time_elapsed, Source::fence, Source::none}) {
    std::vector<std::string> names;
    for (int i = 0; i < 20; ++i) names.push_back("pass " + std::to_string(i));
    ScriptedTimer timer({.passes = names, .late_after_frames = 20}, {.clock = clock, .latency_frames = 2});
    const auto frame = [&](int i) {
      timer.begin_frame();
      {
        const auto outer = timer.scope(PassId{0});
        for (std::uint32_t pass = 1; pass < 20; ++pass) {
          const auto scope = timer.scope(PassId{pass});
          timer.work_ns(50 * us);
        }
      }
      if (i % 50 == 7) timer.interrupt_clock();
      if (i % 50 == 17) timer.drop_next_results();
      if (i % 50 == 27) timer.unwritten_next();
      if (i % 50 == 37) timer.fail_next_frame();
      if (i % 100 == 47) timer.notify_lost();
      timer.end_frame();
      if (i % 100 == 49) timer.restore();
      timer.idle_ns(15 * ms);
    };
    for (int i = 0; i < 50; ++i) frame(i);
    const std::uint64_t before = testing::thread_allocation_count();
    for (int i = 50; i < 1047; ++i) {
      if (i % 100 == 47) continue;  // restore() may name its source anew
      frame(i);
    }
    EXPECT_EQ(testing::thread_allocation_count() - before, 0u) << to_string(clock);
  }
}

// Into a report that has its memory already, all of a timer's knowledge is copied without taking more each
// time.
TEST(TimerLong, ReportsReuseTheirMemory) {
  ScriptedTimer timer({.passes = {"a pass with a name that is too long to be kept in place", "b"}});
  for (int i = 0; i < 50; ++i) draw_pass(timer, PassId{0}, ms);
  Report report;
  timer.report(report);
  const char* name = report.series[0].name.data();
  timer.report(report);
  EXPECT_EQ(report.series[0].name.data(), name);
}

struct Expectation {
  std::array<std::uint64_t, 3> marks{};
};

void expect_counts_add_up(const GpuTimer& timer, const Expectation& expected, Report& scratch) {
  timer.report(scratch);
  for (std::uint32_t pass = 0; pass < 3; ++pass) {
    const SeriesReport* row = scratch.find(timer.pass_name(PassId{pass}));
    ASSERT_NE(row, nullptr);
    ASSERT_EQ(row->marks(), expected.marks[pass]) << row->name << " after " << timer.frames() << " frames";
    if (row->verdicts.accepted() != 0) {
      ASSERT_GE(row->min, 0);
      ASSERT_LE(row->max, 7 * 2e6) << row->name << ": longer than all the work in a frame";
    }
  }
  ASSERT_LE(scratch.frames_in_flight, 4u);
}

// A million frames of random use and random faults: every mark made is accepted, rejected or in flight, no
// wild value gets through, and nothing grows.
TEST(TimerLong, CountsAddUpOverAMillionFrames) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(__EMSCRIPTEN__)
  constexpr int frames = 100'000;
#else
  constexpr int frames = 1'000'000;
#endif
  for (const Source clock : {Source::timestamp, Source::time_elapsed}) {
    std::minstd_rand engine(17);
    const auto random = [&engine] { return static_cast<std::uint32_t>(engine()); };
    const auto one_in = [&random](std::uint32_t n) { return random() % n == 0; };
    ScriptedTimer timer({.passes = {"a", "b", "c"},
                         .percentile_window = 64,
                         .max_scopes_per_frame = 6,
                         .late_after_frames = 30},
                        {.clock = clock, .counter_bits = 36, .latency_frames = 2});
    Expectation expected;
    Report report;
    for (int i = 0; i < frames; ++i) {
      if (one_in(500)) timer.set_latency(random() % 6);
      if (one_in(300)) timer.hold_results(one_in(2));
      if (one_in(200)) timer.drop_next_results();
      if (one_in(200)) timer.interrupt_clock();
      if (one_in(200)) timer.refuse_frames(one_in(2));
      if (one_in(200)) timer.refuse_scopes(2);
      if (one_in(200)) timer.fail_next_frame();
      if (one_in(2000)) timer.lose();
      if (one_in(2000)) timer.zero_stamps(one_in(2));
      if (one_in(1000)) timer.set_enabled(one_in(2));
      if (!timer.enabled() && one_in(20)) timer.set_enabled(true);
      if (timer.state() == State::lost && one_in(10)) timer.restore();

      timer.begin_frame();
      std::array<bool, 3> marked{};
      const std::uint32_t scopes = random() % 8;
      for (std::uint32_t s = 0; s < scopes; ++s) {
        const std::uint32_t pass = random() % 3;
        const bool counts = timer.state() == State::measuring || timer.state() == State::degraded;
        if (counts) marked[pass] = true;
        if (one_in(100)) timer.unwritten_next();
        if (one_in(100)) timer.stamp_next(1'000'000, 1'000'000 - random() % 1'000'000 - 1);
        if (one_in(100)) timer.stamp_next(1'000'000, 20'000'000'000 + random());
        if (one_in(100)) timer.elapse_next(3'508'000'000'000 + random());
        timer.open(PassId{pass});
        timer.work_ns(random() % 2'000'000);
        if (!one_in(4)) timer.close(PassId{random() % 3});
      }
      for (std::uint32_t pass = 0; pass < 3; ++pass) expected.marks[pass] += marked[pass];
      timer.end_frame();
      timer.idle_ns(random() % 10'000'000);

      if (i % 1000 == 0) {
        expect_counts_add_up(timer, expected, report);
        if (HasFatalFailure()) return;
      }
    }
    expect_counts_add_up(timer, expected, report);
    EXPECT_GT(row_of(timer, "a").verdicts.accepted(), static_cast<std::uint64_t>(frames / 50));
  }
}

}  // namespace
}  // namespace passmeter
