// Failures seen in the field, scripted on the fake webgpu.h. Numbers are those of docs/cases.md.
#include <cmath>
#include <map>
#include <random>

#include "fake_rig.h"

namespace passmeter::webgpu {
namespace {

class Case03 : public FakeRig {};
class Case04 : public FakeRig {};
class Case05 : public FakeRig {};
class Case06 : public FakeRig {};
class Case18 : public FakeRig {};
class Case21 : public FakeRig {};
class Case27 : public FakeRig {};
class Case29 : public FakeRig {};
class Case30 : public FakeRig {};
class Case32 : public FakeRig {};
class Case47 : public FakeRig {};

TEST_F(Case03, NegativeAndUnwrittenPairsStayOut) {
  // Stamps out of order and missing ones, 10 ns a tick: 14,960 ns is accepted, the rest has its verdict.
  WebGpuOptions options;
  options.ns_per_tick = 10;
  make({.passes = {"first to third", "first to second", "first to fourth"}}, options);
  const std::uint64_t stamps[] = {156289731758, 156289731042, 156289733254, 0};
  for (int i = 0; i < 20; ++i) {
    begin();
    for (const std::uint32_t pass : {0u, 1u, 2u}) {
      const Scope scope = timer->scope(PassId{pass});
      const std::uint64_t later = pass == 0 ? stamps[2] : pass == 1 ? stamps[1] : stamps[3];
      // A counter that goes on from frame to frame, as real ones do.
      const std::uint64_t on = static_cast<std::uint64_t>(i) * 1'000'000;
      fake.pass(encoder, timer->writes(scope), stamps[0] + on, later == 0 ? 0 : later + on);
    }
    submit();
    end();
  }
  EXPECT_EQ(row("first to third").ema, 14'960);
  EXPECT_EQ(row("first to third").verdicts.accepted(), 20u);
  EXPECT_EQ(row("first to second").verdicts[Verdict::negative], 20u);
  EXPECT_EQ(row("first to fourth").verdicts[Verdict::unwritten], 20u);
  EXPECT_TRUE(std::isnan(row("first to second").ema));
  EXPECT_TRUE(std::isnan(row("first to fourth").ema));
}

TEST_F(Case04, APassSkippedEverySecondFrameHasNoSampleThen) {
  // Slots not written in a frame are not read, whether the driver resolves them to 0 or to old values.
  for (const bool stale : {false, true}) {
    fake.script.unwritten_is_stale = stale;
    make();
    for (int i = 0; i < 40; ++i) {
      begin();
      pass(0, 1000);
      if (i % 2 == 0) pass(1, 2000);
      pass(2, 3000);
      submit();
      end();
    }
    EXPECT_EQ(row("a").verdicts.accepted(), 40u);
    EXPECT_EQ(row("b").verdicts.accepted(), 20u);
    EXPECT_EQ(row("b").verdicts.rejected(), 0u);
    EXPECT_EQ(row("c").verdicts.accepted(), 40u);
    EXPECT_EQ(row("a").ema, 1000);
    EXPECT_EQ(row("b").ema, 2000);
    EXPECT_EQ(row("c").ema, 3000);
    EXPECT_EQ(row("c").min, 3000);
  }
}

TEST_F(Case05, ShortPassesKeepTheirMeanOnACoarseClock) {
  // 30 us at random phase on a clock of 65,536 ns: single values are 0 or one quantum, the mean is right.
  make({.passes = {"a"}});
  fake.script.quantum = 65'536;
  std::mt19937_64 random(5);
  for (int i = 0; i < 10'000; ++i) {
    begin();
    gpu_ticks += random() % 65'536;
    pass(0, 30'000);
    submit();
    end();
  }
  EXPECT_EQ(row("a").verdicts.accepted(), 10'000u);
  EXPECT_NEAR(row("a").mean, 30'000, 2000);
  EXPECT_EQ(timer->report().resolution_ns, 65'536);
  EXPECT_TRUE(row("a").below_resolution);
}

TEST_F(Case05, TwoEqualStampsAreAValidZero) {
  // 0x30000 to 0x30000: shorter than the quantum, not missing.
  make({.passes = {"a"}});
  begin();
  {
    const Scope scope = timer->scope(PassId{0});
    fake.pass(encoder, timer->writes(scope), 0x30000, 0x30000);
  }
  submit();
  end();
  frame({});
  EXPECT_EQ(row("a").verdicts.accepted(), 1u);
  EXPECT_EQ(row("a").last, 0);
}

TEST_F(Case06, AFullRingSkipsAndCounts) {
  // Ring of 3, maps held for 10 frames: 3 copies, 7 skips, no buffer touched while its map is pending, then
  // it goes on.
  make({.passes = {"a"}, .frames_in_flight = 3});
  fake.script.hold = true;
  frames(10, {1000});
  EXPECT_EQ(fake.calls(FakeCall::copy_buffer), 3u);
  EXPECT_EQ(row("a").verdicts[Verdict::no_free_slot], 7u);
  EXPECT_EQ(fake.uncaptured_errors(), 0u);
  fake.script.hold = false;
  frames(10, {1000});
  EXPECT_EQ(row("a").verdicts[Verdict::no_free_slot], 7u);
  EXPECT_EQ(row("a").verdicts.accepted(), 13u);
}

TEST_F(Case18, CallbacksThatNeverComeAfterALoss) {
  // The device is lost and the driver swallows its callbacks: state lost, restore() works.
  make();
  fake.script.hold = true;
  frames(3, {10, 20, 30});
  fake.script.keep_on_loss = true;
  fake.lose(device);
  timer->notify_lost();
  EXPECT_EQ(timer->state(), State::lost);
  EXPECT_EQ(row("a").verdicts[Verdict::lost], 3u);
  EXPECT_EQ(timer->report().frames_in_flight, 0u);
  frames(2, {10, 20, 30});
  fake.script.drop = true;
  fake.script.hold = false;
  fake.pump();
  fake.script.drop = false;
  device = fake.device();
  EXPECT_TRUE(timer->restore(device));
  frames(8, {10, 20, 30});
  EXPECT_EQ(row("a").verdicts.accepted(), 8u);
  EXPECT_EQ(row("c").ema, 30);
}

TEST_F(Case18, ALateCallbackThatSaysSuccessIsIgnored) {
  // A map of the lost device is answered with success after restore(): nothing is read, nothing is counted
  // for it.
  make();
  fake.script.hold = true;
  frames(3, {999, 999, 999});
  fake.script.keep_on_loss = true;
  fake.script.success_after_unmap = true;
  fake.lose(device);
  timer->notify_lost();
  device = fake.device();
  EXPECT_TRUE(timer->restore(device));
  frames(2, {10, 20, 30});
  fake.script.hold = false;
  frames(8, {10, 20, 30});
  EXPECT_EQ(fake.pending_callbacks(), 0u);
  EXPECT_EQ(row("a").verdicts.accepted(), 10u);
  EXPECT_EQ(row("a").max, 10);
  EXPECT_EQ(row("a").verdicts[Verdict::lost], 3u);
}

TEST_F(Case18, TheLateAnswerOfAFrameGivenUpIsNotTheNextFramesAnswer) {
  // A frame is given up as late and its buffer used again; then its map says success, before the new one is
  // done.
  make({.passes = {"a"}, .frames_in_flight = 1, .late_after_frames = 5});
  fake.script.hold = true;
  fake.script.success_after_unmap = true;
  frames(6, {999});
  EXPECT_EQ(row("a").verdicts[Verdict::late], 1u);
  fake.script.map_delay = 3;
  frame({10});
  fake.script.hold = false;
  timer->poll();
  EXPECT_EQ(fake.pending_callbacks(), 1u);  // the old answer came, the new one has not
  EXPECT_EQ(row("a").verdicts.accepted(), 0u);
  for (int i = 0; i < 4; ++i) timer->poll();
  EXPECT_EQ(row("a").verdicts.accepted(), 1u);
  EXPECT_EQ(row("a").max, 10);
}

TEST_F(Case18, AnAbortedMapMeansTheDeviceIsLost) {
  // Nobody calls notify_lost(): the aborted maps tell.
  make();
  fake.script.hold = true;
  frames(3, {10, 20, 30});
  fake.lose(device);
  fake.script.hold = false;
  frames(1, {10, 20, 30});
  EXPECT_EQ(timer->state(), State::lost);
  EXPECT_EQ(row("a").verdicts[Verdict::lost], 4u);
  EXPECT_EQ(timer->writes(timer->scope(PassId{0})), nullptr);
}

TEST_F(Case18, TheLossCallbackOfTheOptionsTells) {
  // WebGpuOptions::device_lost is asked once a frame.
  bool lost = false;
  WebGpuOptions options;
  options.device_lost = [](void* flag) { return *static_cast<bool*>(flag); };
  options.device_lost_user = &lost;
  make({.passes = {"a"}}, options);
  frames(3, {10});
  EXPECT_EQ(timer->state(), State::measuring);
  lost = true;
  frames(1, {10});
  EXPECT_EQ(timer->state(), State::lost);
  lost = false;
  device = fake.device();
  EXPECT_TRUE(timer->restore(device));
  frames(3, {10});
  EXPECT_EQ(row("a").verdicts.accepted(), 6u);
}

TEST_F(Case18, MovingToAnotherDeviceWithoutALoss) {
  // restore(device) on a timer that is not lost moves over.
  make({.passes = {"a"}});
  fake.script.hold = true;
  frames(2, {10});
  fake.script.hold = false;
  device = fake.device();
  EXPECT_TRUE(timer->restore(device));
  frames(5, {10});
  EXPECT_EQ(row("a").verdicts.accepted(), 5u);
  EXPECT_EQ(row("a").verdicts[Verdict::lost], 2u);
}

TEST_F(Case21, ResultsThatNeverComeStayBounded) {
  // 100,000 frames without a result: objects stay at the cap, the frames are given up or skipped; then it
  // goes on.
  make({.passes = {"a"}, .frames_in_flight = 3});
  fake.script.hold = true;
  frames(100, {1000});
  const std::size_t objects = fake.live_device_objects();
  for (int i = 0; i < 100'000; ++i) {
    frame({1000});
    if (i % 1000 == 0) {
      EXPECT_EQ(fake.live_device_objects(), objects);
      EXPECT_LE(timer->report().frames_in_flight, 3u);
    }
  }
  const SeriesReport held = row("a");
  EXPECT_EQ(held.verdicts.accepted(), 0u);
  EXPECT_GT(held.verdicts[Verdict::late], 300u);
  EXPECT_EQ(held.marks(), 100'100u);
  fake.script.hold = false;
  frames(10, {1000});
  EXPECT_EQ(row("a").ema, 1000);
  EXPECT_GE(row("a").verdicts.accepted(), 10u);
}

TEST_F(Case21, ThreeReadyAtOnceAreTakenByOnePoll) {
  // Three frames pending, all answered: one poll() takes all three.
  make({.passes = {"a"}, .frames_in_flight = 3});
  fake.script.hold = true;
  frames(50, {1000});
  EXPECT_EQ(row("a").verdicts.accepted(), 0u);
  fake.script.hold = false;
  timer->poll();
  EXPECT_EQ(row("a").verdicts.accepted(), 3u);
  EXPECT_EQ(timer->report().frames_in_flight, 0u);
}

TEST_F(Case27, APassOfTwoZeroStampsIsUnwritten) {
  // (0, 0), as some drivers give for a pass with no work: unwritten, and the EMA is held.
  make();
  frames(5, {1000, 2000, 3000});
  for (int i = 0; i < 5; ++i) {
    begin();
    pass(0, 1000);
    {
      const Scope scope = timer->scope(PassId{1});
      fake.pass(encoder, timer->writes(scope), 0, 0);
    }
    pass(2, 3000);
    submit();
    end();
  }
  EXPECT_EQ(row("b").verdicts[Verdict::unwritten], 5u);
  EXPECT_EQ(row("b").ema, 2000);
  EXPECT_EQ(row("a").verdicts.accepted(), 10u);
  EXPECT_EQ(row("c").ema, 3000);
}

TEST_F(Case29, AllStampsZeroDegradesTheSource) {
  // 60 frames of zeros: degraded with a reason, no sample; when stamps come again, so do samples.
  make();
  fake.script.zero_stamps = true;
  frames(60, {1000, 2000, 3000});
  EXPECT_EQ(timer->state(), State::degraded);
  EXPECT_EQ(timer->source(), Source::none);
  EXPECT_NE(std::string(timer->reason()), "");
  EXPECT_EQ(timer->diagnostic_count(Diagnostic::degraded), 1u);
  EXPECT_EQ(row("a").verdicts.accepted(), 0u);
  EXPECT_TRUE(std::isnan(row("a").ema));
  fake.script.zero_stamps = false;
  frames(5, {1000, 2000, 3000});
  EXPECT_EQ(timer->state(), State::measuring);
  EXPECT_EQ(row("a").ema, 1000);
}

TEST_F(Case30, TicksAreScaledByTheTimestampPeriod) {
  // 1000 ticks of 52.0833 ns are 52,083 ns.
  WebGpuOptions options;
  options.ns_per_tick = 52.0833;
  make({.passes = {"a"}}, options);
  frames(3, {1000});
  EXPECT_NEAR(row("a").ema, 52'083.3, 0.01);
}

TEST_F(Case32, AStepBackOf64BitsIsNegative) {
  // WebGPU's stamps are 64 bits wide: from 0xFFFFFFFFF to a small value is a step back, not a wrap.
  make({.passes = {"a"}});
  begin();
  {
    const Scope scope = timer->scope(PassId{0});
    fake.pass(encoder, timer->writes(scope), 0xFFFFFFFFF, 1);
  }
  submit();
  end();
  frame({});
  EXPECT_EQ(row("a").verdicts[Verdict::negative], 1u);
}

TEST_F(Case47, HeldResultsAreNeverMixedUp) {
  // 110 frames with results held, then released: every accepted frame has its own time, the others are
  // counted as skipped.
  std::map<std::uint64_t, double> seen;
  TimerConfig config{.passes = {"a"}};
  config.on_frame = {[](void* to, const FrameSample& sample) {
                       if (sample.intervals[0].verdict != Verdict::accepted) return;
                       (*static_cast<std::map<std::uint64_t, double>*>(to))[sample.frame] =
                           sample.intervals[0].inclusive_ns;
                     },
                     &seen};
  make(std::move(config));
  fake.script.hold = true;
  for (std::uint64_t i = 0; i < 110; ++i) frame({1000 + i});
  fake.script.hold = false;
  for (std::uint64_t i = 110; i < 120; ++i) frame({1000 + i});
  EXPECT_EQ(seen.size(), 14u);
  for (const auto& [number, ns] : seen) EXPECT_EQ(ns, 1000 + static_cast<double>(number));
  EXPECT_EQ(row("a").verdicts[Verdict::no_free_slot], 106u);
}

}  // namespace
}  // namespace passmeter::webgpu
