// What the WebGPU timer makes of exact stamps, and what it calls for them, on the fake webgpu.h.
#include "counting_new.h"
#include "fake_rig.h"

namespace passmeter::webgpu {
namespace {

class Fake : public FakeRig {};

TEST_F(Fake, ReportsTheStampsDifferenceExactly) {
  // Accepted times are the differences of the stamps, to the nanosecond, with the frame they belong to.
  make();
  frames(10, {1000, 2000, 30'000});
  EXPECT_EQ(timer->source(), Source::timestamp);
  EXPECT_EQ(row("a").verdicts.accepted(), 10u);
  EXPECT_EQ(row("a").ema, 1000);
  EXPECT_EQ(row("b").ema, 2000);
  EXPECT_EQ(row("c").ema, 30'000);
  const Report report = timer->report();
  EXPECT_EQ(report.backend, "webgpu");
  EXPECT_EQ(report.adapter, "fake adapter");
  EXPECT_EQ(report.driver, "fake driver 1.0");
  EXPECT_EQ(report.frame.busy, 33'000);
  EXPECT_EQ(report.frame.span, 33'200);  // two gaps of 100
  EXPECT_EQ(report.frame.sum, 33'000);
}

TEST_F(Fake, PassesOfOneScopeAddUp) {
  // Three render passes in one scope are one sample, the sum of the three without the gaps between them.
  make();
  for (int i = 0; i < 5; ++i) {
    begin();
    {
      const Scope scope = timer->scope(PassId{0});
      work(scope, 1000);
      work(scope, 2000, 5000);
      work(scope, 4000, 5000);
    }
    submit();
    end();
  }
  EXPECT_EQ(row("a").verdicts.accepted(), 5u);
  EXPECT_EQ(row("a").last, 7000);
}

TEST_F(Fake, OneScopeOpenedAgainAddsUp) {
  // The same pass opened twice in a frame is one sample.
  make();
  begin();
  pass(0, 1000);
  pass(1, 10);
  pass(0, 500);
  submit();
  end();
  frame({});
  EXPECT_EQ(row("a").verdicts.accepted(), 1u);
  EXPECT_EQ(row("a").last, 1500);
}

TEST_F(Fake, ScopeWithoutPassesSpansItsChildren) {
  // A scope that has no pass of its own lasts from its children's first begin to their last end.
  make();
  begin();
  {
    const Scope parent = timer->scope(PassId{0});
    pass(1, 1000);
    gpu_ticks += 900;  // and a gap of 100: work that nobody marked
    pass(2, 3000);
  }
  submit();
  end();
  frame({});
  EXPECT_EQ(row("a").last, 5000);
  EXPECT_EQ(row("a").exclusive_ema, 1000);
  EXPECT_EQ(row("b").last, 1000);
  EXPECT_EQ(row("b").parent, "a");
  EXPECT_EQ(timer->diagnostic_count(Diagnostic::scope_without_pass), 0u);
}

TEST_F(Fake, ScopeWithPassesAddsItsChildren) {
  // A scope with a pass of its own and a child: inclusive is both, exclusive its own.
  make();
  begin();
  {
    const Scope parent = timer->scope(PassId{0});
    work(parent, 2000);
    pass(1, 1000);
  }
  submit();
  end();
  frame({});
  EXPECT_EQ(row("a").last, 3000);
  EXPECT_EQ(row("a").exclusive_ema, 2000);
}

TEST_F(Fake, ABadPairSpoilsItsScopeAndTheOnesAround) {
  // A sum with a piece missing would be wrong without looking wrong, so it is rejected, for the same reason.
  make();
  begin();
  {
    const Scope parent = timer->scope(PassId{0});
    work(parent, 2000);
    const Scope child = timer->scope(PassId{1});
    fake.pass(encoder, timer->writes(child), gpu_ticks + 500, gpu_ticks);
  }
  pass(2, 700);
  submit();
  end();
  frame({});
  EXPECT_EQ(row("a").verdicts[Verdict::negative], 1u);
  EXPECT_EQ(row("b").verdicts[Verdict::negative], 1u);
  EXPECT_EQ(row("c").last, 700);
}

TEST_F(Fake, ComputePassesAreTimedAlike) {
  // compute_writes() hands out pairs like writes().
  make();
  begin();
  {
    const Scope scope = timer->scope(PassId{0});
    fake.pass(encoder, timer->compute_writes(scope), 7000, 7800);
  }
  submit();
  end();
  frame({});
  EXPECT_EQ(row("a").last, 800);
}

TEST_F(Fake, AFrameCostsFewCalls) {
  // Per frame one resolve, one copy, one submit, one map, one look, and nothing is created.
  make();
  frames(5, {10, 20, 30});
  std::vector<std::uint64_t> before;
  for (int call = 0; call < static_cast<int>(FakeCall::count_); ++call) {
    before.push_back(fake.calls(static_cast<FakeCall>(call)));
  }
  frames(100, {10, 20, 30});
  const auto made = [&](FakeCall call) { return fake.calls(call) - before[static_cast<std::size_t>(call)]; };
  EXPECT_EQ(made(FakeCall::resolve_query_set), 100u);
  EXPECT_EQ(made(FakeCall::copy_buffer), 100u);
  EXPECT_EQ(made(FakeCall::create_encoder), 100u);
  EXPECT_EQ(made(FakeCall::submit), 100u);
  EXPECT_EQ(made(FakeCall::map_async), 100u);
  EXPECT_EQ(made(FakeCall::process_events), 100u);
  EXPECT_EQ(made(FakeCall::create_buffer), 0u);
  EXPECT_EQ(made(FakeCall::create_query_set), 0u);
  EXPECT_EQ(made(FakeCall::push_error_scope), 0u);
}

TEST_F(Fake, ResolveOnTheUsersEncoderSavesTheSubmit) {
  // With resolve() the timer makes no encoder and no submit of its own; the values are the same.
  make();
  for (int i = 0; i < 10; ++i) {
    begin();
    pass(0, 1000);
    timer->resolve(encoder);
    submit();
    end();
  }
  EXPECT_EQ(fake.calls(FakeCall::create_encoder), 0u);
  EXPECT_EQ(fake.calls(FakeCall::submit), 0u);
  EXPECT_EQ(row("a").verdicts.accepted(), 10u);
  EXPECT_EQ(row("a").ema, 1000);
}

TEST_F(Fake, PassesAfterResolveAreNotForgotten) {
  // Passes recorded after resolve() are resolved by end_frame().
  make();
  begin();
  pass(0, 1000);
  timer->resolve(encoder);
  pass(1, 2000);
  submit();
  end();
  frame({});
  EXPECT_EQ(row("a").last, 1000);
  EXPECT_EQ(row("b").last, 2000);
}

TEST_F(Fake, AFrameMayOutgrowItsSetAfterResolve) {
  // A frame that needs more pairs than there were at resolve() is resolved, whole, by end_frame().
  make({.passes = {"a"}});
  const auto ten_passes = [&] {
    for (int i = 0; i < 10; ++i) pass(0, 1000);
  };
  begin();
  ten_passes();
  timer->resolve(encoder);
  submit();
  encoder = fake.encoder(device);
  ten_passes();
  submit();
  end();
  frames(3, {700});
  EXPECT_EQ(fake.uncaptured_errors(), 0u);
  EXPECT_EQ(row("a").max, 20'000);
  EXPECT_EQ(row("a").verdicts.accepted(), 4u);
}

TEST_F(Fake, AnEncoderDroppedAfterResolveGivesNoOldValues) {
  // If the encoder given to resolve() is never submitted, the buffer holds stamps of an earlier frame: not a
  // sample.
  make({.passes = {"a"}, .frames_in_flight = 1});
  frames(3, {1000});
  begin();
  pass(0, 5000);
  timer->resolve(encoder);
  fake.drop(encoder);
  end();
  frame({1000});
  EXPECT_EQ(row("a").verdicts.accepted(), 4u);
  EXPECT_EQ(row("a").verdicts[Verdict::unwritten], 1u);
  EXPECT_EQ(row("a").max, 1000);
}

// A frame whose pass 1 is handed writes that nobody records.
class OldStamps : public FakeRig {
 public:
  void unrecorded() {
    begin();
    pass(0, 1000);
    {
      const Scope scope = timer->scope(PassId{1});
      EXPECT_NE(timer->writes(scope), nullptr);
    }
    submit();
    end();
  }
};

TEST_F(OldStamps, OfTheFrameBefore) {
  // A pair handed out but not written keeps the last frame's stamps in some implementations: not a sample.
  make();
  frames(3, {1000, 2000});
  for (int i = 0; i < 4; ++i) unrecorded();
  EXPECT_EQ(row("a").verdicts.accepted(), 7u);
  EXPECT_EQ(row("b").verdicts.accepted(), 3u);
  EXPECT_EQ(row("b").verdicts[Verdict::unwritten], 4u);
}

TEST_F(OldStamps, OfAFrameWhoseMapFailed) {
  // Nobody read that frame, yet its stamps are not the next one's.
  make({.passes = {"a", "b"}});
  frames(3, {1000, 2000});
  fake.script.fail_next_maps = 1;
  frame({1000, 777'000});
  unrecorded();
  frame({1000, 2000});
  EXPECT_EQ(row("b").verdicts.accepted(), 4u);
  EXPECT_EQ(row("b").verdicts[Verdict::driver_error], 1u);
  EXPECT_EQ(row("b").verdicts[Verdict::unwritten], 1u);
  EXPECT_EQ(row("b").max, 2000);
}

TEST_F(OldStamps, OfAFrameGivenUpAsLate) {
  // The same where the answer never came.
  make({.passes = {"a", "b"}, .late_after_frames = 2});
  frames(3, {1000, 2000});
  fake.script.drop = true;
  frame({1000, 9000});
  fake.script.drop = false;
  for (int i = 0; i < 6; ++i) unrecorded();
  EXPECT_EQ(row("b").verdicts[Verdict::late], 1u);
  EXPECT_EQ(row("b").verdicts[Verdict::unwritten], 6u);
  EXPECT_EQ(row("b").max, 2000);
}

TEST_F(OldStamps, OfAFrameThatIsAnsweredLater) {
  // The later frame's map is answered first: it has no time, the earlier one has its own.
  make({.passes = {"a", "b"}});
  frames(3, {1000, 2000});
  fake.script.map_delay = 4;
  frame({1000, 3000});
  fake.script.map_delay = 0;
  unrecorded();
  for (int i = 0; i < 6; ++i) frame({1000});
  EXPECT_EQ(row("b").verdicts.accepted(), 4u);
  EXPECT_EQ(row("b").max, 3000);
  EXPECT_EQ(row("b").verdicts[Verdict::unwritten], 1u);
}

TEST_F(OldStamps, OfAnotherPairAfterTheSetGrew) {
  // A frame outgrows the first set; from the next one on pairs lie elsewhere, where that frame's others were.
  make({.passes = {"a"}});
  begin();
  for (std::uint64_t i = 0; i < 20; ++i) pass(0, 1000 + 100 * i);
  submit();
  end();
  for (int i = 0; i < 3; ++i) {
    begin();
    {
      const Scope scope = timer->scope(PassId{0});
      EXPECT_NE(timer->writes(scope), nullptr);
    }
    submit();
    end();
  }
  frames(2, {700});
  EXPECT_EQ(row("a").verdicts.accepted(), 3u);
  EXPECT_EQ(row("a").verdicts[Verdict::unwritten], 3u);
  EXPECT_EQ(row("a").min, 700);
}

TEST_F(OldStamps, OfAPairNotUsedForSomeFrames) {
  // A query's last stamps are known however long ago it was written.
  for (const int between : {1, 2, 3, 4, 7}) {
    make({.passes = {"a", "b"}});
    fake.script.fail_next_maps = 1;
    frame({1000, 9000});
    frames(between, {1000});
    for (int i = 0; i < 3; ++i) unrecorded();
    frame({});
    EXPECT_EQ(row("b").verdicts.accepted(), 0u) << between;
    EXPECT_EQ(row("b").verdicts[Verdict::unwritten], 3u) << between;
  }
}

TEST_F(OldStamps, OfDroppedEncodersOnACoarseClock) {
  // Encoders dropped after resolve(), with several frames in flight and a first pass shorter than the clock's
  // quantum: what the buffers held before is no sample.
  make({.passes = {"a", "b"}});
  constexpr std::uint64_t quantum = 65'536;
  fake.script.quantum = quantum;
  fake.script.map_delay = 3;
  for (std::uint64_t i = 0; i < 16; ++i) {
    begin();
    gpu_ticks = (gpu_ticks / quantum + 1) * quantum;
    pass(0, 10);
    pass(1, (i + 1) * quantum);
    timer->resolve(encoder);
    submit();
    end();
  }
  const auto nothing = [&] {
    begin();
    fake.drop(encoder);
    end();
  };
  for (int i = 0; i < 6; ++i) nothing();
  const std::uint64_t accepted = row("b").verdicts.accepted();
  for (int i = 0; i < 6; ++i) {
    begin();
    pass(0, 10);
    pass(1, 50 * quantum);
    timer->resolve(encoder);
    fake.drop(encoder);
    end();
  }
  for (int i = 0; i < 6; ++i) nothing();
  EXPECT_EQ(row("b").verdicts.accepted(), accepted);
  EXPECT_EQ(row("a").verdicts.accepted(), accepted);
}

TEST_F(OldStamps, ACounterThatStartsAgainCostsFewFrames) {
  // Stamps below all that were seen: at most the frames in flight are lost, then it measures on.
  make({.passes = {"a"}});
  frames(10, {1000});
  gpu_ticks = 5000;
  frames(10, {1000});
  EXPECT_GE(row("a").verdicts.accepted(), 15u);
  EXPECT_EQ(row("a").ema, 1000);
}

TEST_F(Fake, SwitchedOffItCallsNothing) {
  // Off: writes() is null, resolve() does nothing, not one WebGPU call is made; on again, it measures.
  make();
  frames(5, {10, 20, 30});
  timer->set_enabled(false);
  const std::uint64_t before = fake.all_calls();
  for (int i = 0; i < 10; ++i) {
    timer->begin_frame();
    {
      const Scope scope = timer->scope(PassId{0});
      EXPECT_EQ(timer->writes(scope), nullptr);
      EXPECT_EQ(timer->compute_writes(scope), nullptr);
    }
    timer->resolve(nullptr);
    timer->end_frame();
  }
  EXPECT_EQ(fake.all_calls(), before);
  EXPECT_EQ(timer->state(), State::switched_off);
  timer->set_enabled(true);
  frames(5, {10, 20, 30});
  EXPECT_EQ(row("a").verdicts.accepted(), 10u);
}

TEST_F(Fake, SwitchedOffInTheMiddleOfAFrame) {
  // A frame being drawn is finished, and its result still comes once it is on again.
  make();
  begin();
  pass(0, 1000);
  submit();
  timer->set_enabled(false);
  end();
  timer->set_enabled(true);
  frame({2000});
  EXPECT_EQ(row("a").verdicts.accepted() + row("a").verdicts.rejected(), 2u);
}

TEST_F(Fake, AllocatesNothingPerFrame) {
  // After warm-up begin_frame, marks, resolve and end_frame allocate nothing.
  make({.passes = {"a", "b", "c"}});
  frames(20, {10, 20, 30});
  const std::uint64_t before = testing::thread_allocation_count();
  for (int i = 0; i < 200; ++i) {
    frame({10, 20, 30});
    begin();
    {
      const Scope parent = timer->scope(PassId{0});
      pass(1, 10);
    }
    timer->resolve(encoder);
    submit();
    end();
  }
  EXPECT_EQ(testing::thread_allocation_count() - before, 0u);
}

TEST_F(Fake, GrowsToWhatAFrameNeedsAndStaysThere) {
  // Few declared passes, many render passes: the first full frame is measured already, and afterwards nothing
  // is made.
  make({.passes = {"a"}, .max_scopes_per_frame = 10'000});
  EXPECT_EQ(fake.live(FakeKind::query_set), 1u);
  const auto big = [&](std::uint32_t passes) {
    begin();
    {
      const Scope scope = timer->scope(PassId{0});
      for (std::uint32_t i = 0; i < passes; ++i) work(scope, 10, 1);
    }
    submit();
    end();
  };
  big(1);
  for (int i = 0; i < 6; ++i) big(5000);
  EXPECT_EQ(fake.live(FakeKind::query_set), 3u);
  const std::uint64_t sets = fake.calls(FakeCall::create_query_set);
  const std::uint64_t buffers = fake.calls(FakeCall::create_buffer);
  for (int i = 0; i < 10; ++i) big(5000);
  EXPECT_EQ(fake.calls(FakeCall::create_query_set), sets);
  EXPECT_EQ(fake.calls(FakeCall::create_buffer), buffers);
  EXPECT_EQ(row("a").verdicts.accepted(), 17u);
  EXPECT_EQ(row("a").last, 50'000);
}

TEST_F(Fake, MorePassesThanTheCapAreRefused) {
  // Past max_scopes_per_frame writes() is null, the scope counts as no_free_slot, its neighbours are right.
  make({.passes = {"a", "b"}, .max_scopes_per_frame = 4});
  begin();
  pass(1, 700);
  {
    const Scope scope = timer->scope(PassId{0});
    for (int i = 0; i < 3; ++i) work(scope, 10);
    EXPECT_EQ(timer->writes(scope), nullptr);
  }
  submit();
  end();
  frame({});
  EXPECT_EQ(row("b").last, 700);
  EXPECT_EQ(row("a").verdicts[Verdict::no_free_slot], 1u);
  EXPECT_EQ(timer->diagnostic_count(Diagnostic::too_many_scopes), 1u);
}

TEST_F(Fake, MedianWaitsAndAnswersExactly) {
  // measure_median runs the work n times, pumping until each result is there; the median is that of the
  // stamps.
  make();
  fake.script.map_delay = 5;
  std::uint64_t length = 0;
  const MedianResult result = timer->measure_median(5, [&](const PassTimestampWrites* writes) {
    ASSERT_NE(writes, nullptr);
    WGPUCommandEncoder mine = fake.encoder(device);
    gpu_ticks += 1000;
    length += 100;
    fake.pass(mine, writes, gpu_ticks, gpu_ticks + length);
    fake.submit(mine);
  });
  ASSERT_TRUE(result.valid);
  EXPECT_EQ(result.runs, 5u);
  EXPECT_EQ(result.rejected, 0u);
  EXPECT_EQ(result.median_ns, 300);
  EXPECT_EQ(result.min_ns, 100);
  EXPECT_EQ(result.max_ns, 500);
  EXPECT_EQ(result.source, Source::timestamp);
}

TEST_F(Fake, MedianOfUnusedWritesIsNotValid) {
  // Work that records no pass gives no result, not an old one.
  make();
  const MedianResult result = timer->measure_median(4, [](const PassTimestampWrites*) {});
  EXPECT_FALSE(result.valid);
  EXPECT_EQ(result.rejected, 4u);
}

TEST_F(Fake, MedianWithoutTimestampsIsNotValid) {
  // No feature, no instance to pump, or inside a frame: nothing is run.
  make({.passes = {"a"}}, {}, false);
  int runs = 0;
  const auto work = [&](const PassTimestampWrites*) { ++runs; };
  EXPECT_FALSE(timer->measure_median(3, work).valid);
  make({.passes = {"a"}});
  timer->begin_frame();
  EXPECT_FALSE(timer->measure_median(3, work).valid);
  timer->end_frame();
  EXPECT_EQ(runs, 0);
}

TEST_F(Fake, DestroyedWithMapsPendingReleasesEverything) {
  // Destruction in any state: three maps pending, an open frame with an open scope; late answers harm nobody.
  make();
  fake.script.hold = true;
  frames(3, {10, 20, 30});
  begin();
  {
    const Scope scope = timer->scope(PassId{0});
    work(scope, 10);
    fake.drop(encoder);
  }
  timer.reset();
  EXPECT_EQ(fake.live_device_objects(), 0u);
  fake.script.hold = false;
  fake.pump();
  EXPECT_EQ(fake.pending_callbacks(), 0u);
}

TEST_F(Fake, AnswersComeInAnyOrder) {
  // Maps answered out of order give the same samples.
  std::vector<std::uint64_t> order;
  TimerConfig config{.passes = {"a"}};
  config.on_frame = {[](void* to, const FrameSample& sample) {
                       static_cast<std::vector<std::uint64_t>*>(to)->push_back(sample.frame);
                       EXPECT_EQ(sample.intervals[0].inclusive_ns,
                                 1000.0 + 10.0 * static_cast<double>(sample.frame));
                     },
                     &order};
  make(std::move(config));
  fake.script.hold = true;
  fake.script.reorder = true;
  for (std::uint64_t i = 0; i < 4; ++i) frame({1000 + 10 * i});
  fake.script.hold = false;
  timer->poll();
  EXPECT_EQ(order.size(), 4u);
  EXPECT_EQ(row("a").verdicts.accepted(), 4u);
}

// --- Sources
// -----------------------------------------------------------------------------------------------------

TEST_F(Fake, WithoutTheFeatureTheFrameIsEstimated) {
  // No timestamp-query: source fence, passes unknown, the frame's time from work-done, one request at a time.
  make({.passes = {"a"}}, {}, false);
  EXPECT_EQ(timer->source(), Source::fence);
  EXPECT_EQ(timer->state(), State::measuring);
  EXPECT_EQ(timer->diagnostic_count(Diagnostic::feature_missing), 1u);
  fake.script.work_delay = 2;
  for (int i = 0; i < 60; ++i) {
    begin();
    {
      const Scope scope = timer->scope(PassId{0});
      EXPECT_EQ(timer->writes(scope), nullptr);
    }
    timer->resolve(encoder);
    submit();
    end();
    EXPECT_LE(fake.pending_callbacks(), 1u);
  }
  const Report report = timer->report();
  EXPECT_EQ(report.source, Source::fence);
  EXPECT_NEAR(report.frame.busy, 3.0 * frame_ns, 1);
  EXPECT_NEAR(report.resolution_ns, frame_ns, 1);
  EXPECT_TRUE(std::isnan(report.find("a")->ema));
  EXPECT_EQ(report.find("a")->verdicts.accepted(), 0u);
  EXPECT_EQ(timer->diagnostic_count(Diagnostic::degraded), 0u);
  EXPECT_EQ(fake.calls(FakeCall::create_query_set), 0u);
}

TEST_F(Fake, TheEstimateCanBeSwitchedOff) {
  // work_done_fallback off: source none with a reason, and no call per frame.
  WebGpuOptions options;
  options.work_done_fallback = false;
  make({.passes = {"a"}}, options, false);
  EXPECT_EQ(timer->source(), Source::none);
  EXPECT_NE(std::string(timer->reason()).find("timestamp-query"), std::string::npos);
  const std::uint64_t before = fake.all_calls();
  frames(5, {10});
  EXPECT_EQ(fake.all_calls(), before);
}

TEST_F(Fake, AWorkDoneAnswerThatNeverComesIsGivenUp) {
  // The one request in flight is dropped after late_after_frames and a new one is made.
  make({.passes = {"a"}, .late_after_frames = 10}, {}, false);
  fake.script.drop = true;
  frames(30, {10});
  EXPECT_GE(fake.calls(FakeCall::work_done), 2u);
  fake.script.drop = false;
  frames(20, {10});
  EXPECT_FALSE(std::isnan(timer->report().frame.busy));
}

TEST_F(Fake, ANullDeviceIsAnswered) {
  // No device: the timer constructs, says why, and all calls are harmless.
  timer.emplace(TimerConfig{.passes = {"a"}}, nullptr);
  EXPECT_EQ(timer->source(), Source::none);
  EXPECT_EQ(timer->state(), State::unavailable);
  timer->begin_frame();
  {
    const Scope scope = timer->scope(PassId{0});
    EXPECT_EQ(timer->writes(scope), nullptr);
  }
  timer->end_frame();
  EXPECT_FALSE(timer->measure_median(1, [](const PassTimestampWrites*) {}).valid);
  device = fake.device();
  EXPECT_TRUE(timer->restore(device));
}

TEST_F(Fake, AddsTheFeatureOnlyIfTheAdapterHasIt) {
  // add_timestamp_feature: added once; not added where the adapter lacks it; null adapter harmless.
  std::vector<WGPUFeatureName> features = {WGPUFeatureName_DepthClipControl};
  EXPECT_TRUE(add_timestamp_feature(fake.adapter(), features));
  EXPECT_TRUE(add_timestamp_feature(fake.adapter(), features));
  EXPECT_EQ(features.size(), 2u);
  features.clear();
  fake.adapter_has_timestamps(false);
  EXPECT_FALSE(add_timestamp_feature(fake.adapter(), features));
  EXPECT_FALSE(add_timestamp_feature(nullptr, features));
  EXPECT_TRUE(features.empty());
}

TEST_F(Fake, ARefusedQuerySetIsSaid) {
  // Creation refused, as an invalid object or as null: source none with a reason, no error reaches the
  // application.
  for (const bool null : {false, true}) {
    fake.script.null_on_failure = null;
    fake.script.refuse_query_sets = true;
    make();
    EXPECT_EQ(timer->source(), Source::none);
    EXPECT_EQ(timer->diagnostic_count(Diagnostic::feature_refused), 1u);
    frames(3, {1, 2, 3});
    EXPECT_EQ(fake.uncaptured_errors(), 0u);
    fake.script.refuse_query_sets = false;
    EXPECT_TRUE(timer->restore(device));
    frames(3, {1, 2, 3});
    EXPECT_EQ(row("c").last, 3);
  }
}

TEST_F(Fake, AnInstanceGivenIsPumped) {
  // WebGpuOptions::instance is used as given; the device is not asked for its adapter.
  WebGpuOptions options;
  options.instance = fake.instance();
  make({.passes = {"a"}}, options);
  EXPECT_EQ(fake.calls(FakeCall::get_adapter), 0u);
  frames(3, {50});
  EXPECT_EQ(row("a").verdicts.accepted(), 3u);
}

TEST_F(Fake, ABadScaleIsReplaced) {
  // ns_per_tick that is not above 0 counts as bad_config; 1 is used.
  WebGpuOptions options;
  options.ns_per_tick = -3;
  make({.passes = {"a"}}, options);
  EXPECT_EQ(timer->diagnostic_count(Diagnostic::bad_config), 1u);
  frames(3, {50});
  EXPECT_EQ(row("a").ema, 50);
}

// --- Misuse
// ------------------------------------------------------------------------------------------------------

TEST_F(Fake, MisuseIsAnsweredAndCounted) {
  // Each wrong call gets its documented answer, is counted, and the frames around it are measured.
  make();
  WebGpuTimer other({.passes = {"x"}}, device);
  EXPECT_EQ(timer->writes(Scope{}), nullptr);

  Scope outside = timer->scope(PassId{0});
  EXPECT_EQ(timer->writes(outside), nullptr);
  EXPECT_EQ(timer->diagnostic_count(Diagnostic::scope_outside_frame), 1u);

  begin();
  other.begin_frame();
  {
    const Scope foreign = other.scope(PassId{0});
    EXPECT_EQ(timer->writes(foreign), nullptr);
    EXPECT_EQ(timer->diagnostic_count(Diagnostic::wrong_timer), 1u);
  }
  other.end_frame();
  {
    const Scope unknown_pass = timer->scope(PassId{77});
    EXPECT_EQ(timer->writes(unknown_pass), nullptr);
    EXPECT_EQ(timer->diagnostic_count(Diagnostic::unknown_pass), 1u);
  }
  {
    const Scope empty = timer->scope(PassId{1});
  }
  EXPECT_EQ(timer->diagnostic_count(Diagnostic::scope_without_pass), 1u);
  Scope closed = timer->scope(PassId{0});
  work(closed, 400);
  closed.close();
  EXPECT_EQ(timer->writes(closed), nullptr);
  submit();
  timer->resolve(nullptr);
  end();
  frame({});
  EXPECT_EQ(row("a").last, 400);
  EXPECT_EQ(row("b").verdicts[Verdict::unwritten], 1u);

  Scope leftover;
  begin();
  leftover = timer->scope(PassId{0});
  work(leftover, 300);
  submit();
  end();
  EXPECT_EQ(timer->diagnostic_count(Diagnostic::scope_left_open), 1u);
  EXPECT_EQ(timer->writes(leftover), nullptr);

  begin();
  pass(0, 200);
  submit();
  timer->begin_frame();
  EXPECT_EQ(timer->diagnostic_count(Diagnostic::frame_begun_twice), 1u);
  end();
  timer->end_frame();
  EXPECT_EQ(timer->diagnostic_count(Diagnostic::end_without_begin), 1u);
  EXPECT_EQ(row("a").last, 200);
}

TEST_F(Fake, AScopeClosedByItsPassHasNoWrites) {
  // Ended by close(), or along with the scope around it, a scope is over although its object lives on: a pass
  // recorded after that is none of its.
  make();
  begin();
  const Scope outer = timer->scope(PassId{0});
  const Scope inner = timer->scope(PassId{1});
  work(inner, 400);
  timer->close(PassId{0});
  for (const Scope* scope : {&outer, &inner}) EXPECT_EQ(timer->writes(*scope), nullptr);
  submit();
  end();
  frame({});
  EXPECT_EQ(row("a").last, 400);
  EXPECT_EQ(row("b").last, 400);
}

TEST_F(Fake, NoPassesNoCalls) {
  // A timer without passes counts frames and makes no call.
  make(TimerConfig{});
  const std::uint64_t before = fake.all_calls();
  frames(3, {});
  EXPECT_EQ(fake.all_calls(), before);
  EXPECT_EQ(timer->report().frames, 3u);
  EXPECT_EQ(timer->diagnostic_count(Diagnostic::no_passes), 1u);
}

}  // namespace
}  // namespace passmeter::webgpu
