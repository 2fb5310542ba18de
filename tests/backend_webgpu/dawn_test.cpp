// The WebGPU timer on Dawn, with a real driver. Any validation error fails the test (see TearDown).
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <map>
#include <memory>
#include <thread>

#include "dawn_device.h"
#include "passmeter/webgpu/webgpu_timer.h"

namespace passmeter::webgpu {
namespace {

using testing::DawnDevice;
using testing::DawnSetup;

class Dawn : public ::testing::Test {
 protected:
  // False, and the test skipped, where there is no adapter.
  bool open(const DawnSetup& setup = {}) {
    gpu = std::make_unique<DawnDevice>(setup);
    if (gpu->ok()) return true;
    skip(gpu->why());
    return false;
  }
  void skip(const std::string& why) { GTEST_SKIP() << why; }

  void TearDown() override {
    if (gpu == nullptr || !gpu->ok()) return;
    for (const std::string& error : gpu->errors()) ADD_FAILURE() << error;
  }

  // Draws a frame of compute passes: for each pass its rounds of work, in the passes' order.
  void frame(WebGpuTimer& timer, std::initializer_list<std::uint32_t> rounds) {
    timer.begin_frame();
    WGPUCommandEncoder encoder = gpu->encoder();
    std::uint32_t index = 0;
    for (const std::uint32_t work : rounds) {
      const Scope scope = timer.scope(PassId{index++});
      gpu->compute_pass(encoder, timer.compute_writes(scope), work);
    }
    gpu->submit(encoder);
    timer.end_frame();
  }

  // Collects until nothing is in flight. Bounded by frames that are given up, not by a clock.
  static void drain(WebGpuTimer& timer) {
    for (int i = 0; i < 1'000'000 && timer.report().frames_in_flight > 0; ++i) timer.poll();
  }

  std::unique_ptr<DawnDevice> gpu;
};

using Case04 = Dawn;
using Case17 = Dawn;
using Case19 = Dawn;
using Case20 = Dawn;
using Case25 = Dawn;
using Case27 = Dawn;
using Case33 = Dawn;
using Case47 = Dawn;

SeriesReport row(const WebGpuTimer& timer, const char* name) {
  const Report report = timer.report();
  const SeriesReport* found = report.find(name);
  return found != nullptr ? *found : SeriesReport{};
}

TEST_F(Dawn, TimesRenderAndComputePasses) {
  // Both kinds of pass are timed with real timestamps; the report names adapter and driver.
  if (!open()) return;
  WebGpuTimer timer({.passes = {"render", "compute"}}, gpu->device());
  ASSERT_EQ(timer.source(), Source::timestamp) << timer.reason();
  for (int i = 0; i < 20; ++i) {
    timer.begin_frame();
    WGPUCommandEncoder encoder = gpu->encoder();
    {
      const Scope scope = timer.scope(PassId{0});
      gpu->render_pass(encoder, timer.writes(scope));
    }
    {
      const Scope scope = timer.scope(PassId{1});
      gpu->compute_pass(encoder, timer.compute_writes(scope), 64);
    }
    if (i % 2 == 0) timer.resolve(encoder);
    gpu->submit(encoder);
    timer.end_frame();
    gpu->finish();
  }
  drain(timer);
  const Report report = timer.report();
  EXPECT_EQ(report.find("render")->verdicts.accepted(), 20u);
  EXPECT_EQ(report.find("compute")->verdicts.accepted(), 20u);
  EXPECT_GT(report.find("render")->p50, 0);
  EXPECT_GT(report.find("compute")->p50, 0);
  EXPECT_NE(report.adapter, "");
  EXPECT_NE(report.driver, "");
}

TEST_F(Dawn, TwiceTheWorkTakesAboutTwiceAsLong) {
  // Times follow the work, compared within one run: four times the work lies between 2 and 8 times.
  if (!open()) return;
  WebGpuTimer timer({.passes = {"one", "four"}}, gpu->device());
  for (int i = 0; i < 30; ++i) {
    frame(timer, {64, 256});
    gpu->finish();
  }
  drain(timer);
  // The fastest of 30, for other programs run too.
  EXPECT_GT(row(timer, "four").min, 2 * row(timer, "one").min);
  EXPECT_LT(row(timer, "four").min, 8 * row(timer, "one").min);
}

TEST_F(Dawn, AgreesWithTheWaitingMedian) {
  // The frame-by-frame median and measure_median() of the same work agree (wide margin: other programs run
  // too).
  if (!open()) return;
  WebGpuTimer timer({.passes = {"work"}}, gpu->device());
  for (int i = 0; i < 40; ++i) {
    frame(timer, {256});
    gpu->finish();
  }
  drain(timer);
  const MedianResult truth = timer.measure_median(40, [&](const PassTimestampWrites* writes) {
    WGPUCommandEncoder encoder = gpu->encoder();
    gpu->compute_pass(encoder, writes, 256);
    gpu->submit(encoder);
  });
  ASSERT_TRUE(truth.valid);
  EXPECT_EQ(truth.rejected, 0u);
  EXPECT_GT(row(timer, "work").min, truth.min_ns * 0.5);
  EXPECT_LT(row(timer, "work").min, truth.min_ns * 2);
}

TEST_F(Case04, APassSkippedEverySecondFrameHasNoSampleThen) {
  // Three passes, the middle one skipped every second frame: no sample for it then, the neighbours complete.
  if (!open()) return;
  WebGpuTimer timer({.passes = {"a", "b", "c"}}, gpu->device());
  double held = 0;
  for (int i = 0; i < 20; ++i) {
    timer.begin_frame();
    WGPUCommandEncoder encoder = gpu->encoder();
    for (const std::uint32_t pass : {0u, 1u, 2u}) {
      if (pass == 1 && i % 2 != 0) continue;
      const Scope scope = timer.scope(PassId{pass});
      gpu->compute_pass(encoder, timer.compute_writes(scope), pass == 1 ? 256 : 16);
    }
    gpu->submit(encoder);
    timer.end_frame();
    gpu->finish();
    drain(timer);
    if (i % 2 != 0) {
      EXPECT_EQ(row(timer, "b").ema, held);
    }
    held = row(timer, "b").ema;
  }
  EXPECT_EQ(row(timer, "a").verdicts.accepted(), 20u);
  EXPECT_EQ(row(timer, "b").verdicts.accepted(), 10u);
  EXPECT_EQ(row(timer, "b").verdicts.rejected(), 0u);
  EXPECT_EQ(row(timer, "c").verdicts.accepted(), 20u);
  EXPECT_LT(row(timer, "c").p50, row(timer, "b").p50);
}

TEST_F(Case17, TheDeviceIsDestroyedWithMapsPending) {
  // Device destroyed with 3 maps pending: nothing stays in flight, restore on a new device works, destruction
  // is clean.
  if (!open()) return;
  auto timer = std::make_unique<WebGpuTimer>(TimerConfig{.passes = {"a"}}, gpu->device());
  for (int i = 0; i < 3; ++i) frame(*timer, {512});
  gpu->destroy();
  timer->poll();
  EXPECT_EQ(timer->state(), State::lost);
  EXPECT_EQ(timer->report().frames_in_flight, 0u);
  EXPECT_EQ(row(*timer, "a").marks(), 3u);
  frame(*timer, {16});
  EXPECT_EQ(gpu->errors(), std::vector<std::string>{});

  auto second = std::make_unique<DawnDevice>();
  ASSERT_TRUE(second->ok());
  ASSERT_TRUE(timer->restore(second->device())) << timer->reason();
  std::swap(gpu, second);
  const std::uint64_t before = row(*timer, "a").verdicts.accepted();
  for (int i = 0; i < 8; ++i) {
    frame(*timer, {16});
    gpu->finish();
  }
  drain(*timer);
  EXPECT_EQ(row(*timer, "a").verdicts.accepted(), before + 8);
  timer.reset();
}

TEST_F(Case17, TheTimerIsDestroyedWithMapsPending) {
  // The timer goes first, with 3 maps pending, and the instance is pumped afterwards.
  if (!open()) return;
  {
    WebGpuTimer timer({.passes = {"a"}}, gpu->device());
    for (int i = 0; i < 3; ++i) frame(timer, {512});
  }
  gpu->finish();
}

TEST_F(Case17, TheDeviceIsDestroyedBeforeTheTimer) {
  // Device destroyed, timer destroyed, nobody pumps.
  if (!open()) return;
  WebGpuTimer timer({.passes = {"a"}}, gpu->device());
  for (int i = 0; i < 3; ++i) frame(timer, {512});
  gpu->destroy();
}

TEST_F(Case19, EndFrameAlonePumps) {
  // Nobody but end_frame() pumps the instance: samples arrive all the same.
  if (!open()) return;
  WebGpuTimer timer({.passes = {"a"}}, gpu->device());
  for (int i = 0; i < 5000 && row(timer, "a").verdicts.accepted() < 20; ++i) {
    frame(timer, {4});
    std::this_thread::sleep_for(
        std::chrono::milliseconds(2));  // else the queue grows faster than it is worked off
  }
  EXPECT_GE(row(timer, "a").verdicts.accepted(), 20u);
}

TEST_F(Case20, CallbacksOnAnotherThread) {
  // Another thread pumps the instance all the time, 1000 frames (under ThreadSanitizer: no race in
  // passmeter).
  if (!open({.synchronized_device = true})) return;
  WebGpuTimer timer({.passes = {"a"}}, gpu->device());
  std::atomic<bool> stop{false};
  std::thread pump([&] {
    while (!stop.load()) {
      wgpuInstanceProcessEvents(gpu->instance());
      std::this_thread::yield();
    }
  });
  for (int i = 0; i < 1000; ++i) frame(timer, {1});
  stop = true;
  pump.join();
  drain(timer);
  const SeriesReport a = row(timer, "a");
  EXPECT_GT(a.verdicts.accepted(), 0u);
  EXPECT_EQ(a.marks(), 1000u);
}

TEST_F(Case25, ThreeThousandPassesAFrame) {
  // 6000 queries: two sets of at most 4096, no validation error, every pass timed.
  if (!open()) return;
  TimerConfig config{.passes = {}, .max_scopes_per_frame = 3000};
  for (int i = 0; i < 3000; ++i) config.passes.push_back("pass " + std::to_string(i));
  WebGpuTimer timer(std::move(config), gpu->device());
  for (int i = 0; i < 3; ++i) {
    timer.begin_frame();
    WGPUCommandEncoder encoder = gpu->encoder();
    for (std::uint32_t pass = 0; pass < 3000; ++pass) {
      const Scope scope = timer.scope(PassId{pass});
      const ComputePassTimestampWrites* writes = timer.compute_writes(scope);
      ASSERT_NE(writes, nullptr);
      gpu->compute_pass(encoder, writes, 1);
    }
    gpu->submit(encoder);
    timer.end_frame();
    gpu->finish();
  }
  drain(timer);
  const Report report = timer.report();
  for (const SeriesReport& series : report.series) ASSERT_EQ(series.verdicts.accepted(), 3u) << series.name;
}

TEST_F(Case27, AnEmptyComputePass) {
  // A pass that dispatches nothing: accepted or unwritten, never a wild value.
  if (!open()) return;
  WebGpuTimer timer({.passes = {"empty", "full"}}, gpu->device());
  for (int i = 0; i < 20; ++i) {
    frame(timer, {0, 64});
    gpu->finish();
  }
  drain(timer);
  const SeriesReport empty = row(timer, "empty");
  EXPECT_EQ(empty.verdicts.accepted() + empty.verdicts[Verdict::unwritten], 20u);
  if (empty.verdicts.accepted() > 0) {
    EXPECT_LT(empty.p50, row(timer, "full").p50);
  }
}

TEST_F(Case33, TheDeviceDecides) {
  // With the feature: timestamp. Without it: no timestamps, and a reason. Quantization off: a finer
  // resolution.
  if (!open({.quantized = true})) return;
  double coarse = 0;
  {
    WebGpuTimer timer({.passes = {"a"}}, gpu->device());
    EXPECT_EQ(timer.source(), Source::timestamp);
    for (int i = 0; i < 40; ++i) {
      frame(timer, {64});
      gpu->finish();
    }
    drain(timer);
    coarse = timer.report().resolution_ns;
    EXPECT_EQ(coarse, 65'536);
  }
  if (!open({.quantized = false})) return;
  {
    WebGpuTimer timer({.passes = {"a"}}, gpu->device());
    for (int i = 0; i < 40; ++i) {
      frame(timer, {64});
      gpu->finish();
    }
    drain(timer);
    EXPECT_LT(timer.report().resolution_ns, coarse);
  }
  if (!open({.timestamps = false})) return;
  WebGpuTimer without({.passes = {"a"}}, gpu->device(), {.work_done_fallback = false});
  EXPECT_EQ(without.source(), Source::none);
  EXPECT_NE(std::string(without.reason()), "");
  frame(without, {64});
  EXPECT_TRUE(std::isnan(row(without, "a").ema));
  WebGpuTimer estimate({.passes = {"a"}}, gpu->device());
  EXPECT_EQ(estimate.source(), Source::fence);
  for (int i = 0; i < 20; ++i) {
    frame(estimate, {64});
    gpu->finish();
  }
  EXPECT_GT(estimate.report().frame.busy, 0);
  EXPECT_TRUE(std::isnan(row(estimate, "a").ema));
}

TEST_F(Case47, AHundredFramesWithoutCollecting) {
  // 110 frames faster than results can come: every accepted frame is right, the others are counted as
  // skipped.
  if (!open()) return;
  // Even frames have much work, odd ones little: a mix-up would show in the accepted times.
  struct Seen {
    std::vector<double> much, little;
  } seen;
  TimerConfig config{.passes = {"a"}};
  config.on_frame = {[](void* to, const FrameSample& sample) {
                       if (sample.intervals[0].verdict != Verdict::accepted) return;
                       auto& list = sample.frame % 2 == 0 ? static_cast<Seen*>(to)->much
                                                          : static_cast<Seen*>(to)->little;
                       list.push_back(sample.intervals[0].inclusive_ns);
                     },
                     &seen};
  WebGpuTimer timer(std::move(config), gpu->device());
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 110; ++i) frame(timer, {i % 2 == 0 ? 128u : 1u});
    gpu->finish();
    drain(timer);
  }
  const SeriesReport a = row(timer, "a");
  EXPECT_EQ(a.marks(), 330u);
  EXPECT_EQ(a.verdicts.accepted() + a.verdicts[Verdict::no_free_slot], 330u);
  EXPECT_EQ(a.verdicts.accepted(), seen.much.size() + seen.little.size());
  ASSERT_FALSE(seen.much.empty());
  ASSERT_FALSE(seen.little.empty());
  std::sort(seen.much.begin(), seen.much.end());
  std::sort(seen.little.begin(), seen.little.end());
  EXPECT_GT(seen.much[seen.much.size() / 2], 2 * seen.little[seen.little.size() / 2]);
}

}  // namespace
}  // namespace passmeter::webgpu
