// OcclusionQueries, Readback and CounterReadback on the fake webgpu.h.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "counting_new.h"
#include "fake_webgpu.h"
#include "fake_webgpu_state.h"
#include "passmeter/webgpu/counter_readback.h"
#include "passmeter/webgpu/occlusion_queries.h"
#include "passmeter/webgpu/readback.h"

// A render pass as far as these helpers see one: a query set, and how many samples a test passes.
struct WGPURenderPassEncoderImpl {
  WGPUQuerySet set = nullptr;
  std::uint64_t samples = 0;
  bool open = false;
  int errors = 0;
};

void wgpuRenderPassEncoderBeginOcclusionQuery(WGPURenderPassEncoder pass, std::uint32_t index) {
  if (pass->open || pass->set == nullptr || index >= pass->set->values.size()) {
    ++pass->errors;
    return;
  }
  pass->open = true;
  if (pass->set->valid) {
    pass->set->values[index] = pass->samples;
    pass->set->written[index] = 1;
  }
}

void wgpuRenderPassEncoderEndOcclusionQuery(WGPURenderPassEncoder pass) {
  if (!pass->open) ++pass->errors;
  pass->open = false;
}

void wgpuCommandEncoderCopyTextureToBuffer(WGPUCommandEncoder, WGPUTexelCopyTextureInfo const*,
                                           WGPUTexelCopyBufferInfo const*, WGPUExtent3D const*) {}

namespace passmeter::webgpu {
namespace {

using testing::FakeCall;
using testing::FakeKind;
using testing::FakeWebGpu;

class HelpersFake : public ::testing::Test {
 protected:
  void SetUp() override {
    fake.reset();
    device = fake.device(false);
  }
  void TearDown() override {
    EXPECT_EQ(fake.violations(), std::vector<std::string>{});
    EXPECT_EQ(fake.live_device_objects(), 0u);
    EXPECT_EQ(fake.live(FakeKind::device), 0u);
    EXPECT_EQ(fake.live(FakeKind::queue), 0u);
    fake.reset();
  }

  // A frame that tests objects first to first + count - 1, each passing so many samples.
  static void frame(OcclusionQueries& queries, std::uint32_t first, std::uint32_t count,
                    std::uint64_t samples) {
    queries.begin_frame();
    WGPURenderPassEncoderImpl pass;
    pass.set = queries.query_set();
    pass.samples = samples;
    for (std::uint32_t id = first; id < first + count; ++id) {
      if (queries.begin(&pass, id)) queries.end();
    }
    EXPECT_EQ(pass.errors, 0);
    queries.end_frame();
  }

  FakeWebGpu& fake = FakeWebGpu::get();
  WGPUDevice device = nullptr;
};

// Shows that what is unknown or pending stays visible, that one zero does not hide, and that two do.
TEST_F(HelpersFake, Case40PendingIsNotHidden) {
  OcclusionQueries queries({.objects = 1}, device);
  ASSERT_EQ(queries.state(), State::measuring) << queries.reason();
  EXPECT_TRUE(queries.visible(0)) << "unknown";
  frame(queries, 0, 1, 1);
  frame(queries, 0, 0, 0);
  EXPECT_EQ(queries.objects().latency().accepted(), 1u);
  EXPECT_TRUE(queries.visible(0));

  fake.script.hold = true;
  while (queries.objects().in_flight() == 0) frame(queries, 0, 1, 0);
  for (int pending = 0; pending < 2; ++pending) {
    frame(queries, 0, 1, 0);
    EXPECT_TRUE(queries.visible(0)) << "pending";
  }
  fake.script.hold = false;
  frame(queries, 0, 1, 0);  // takes the first 0 and tests again at once
  EXPECT_TRUE(queries.visible(0));
  EXPECT_EQ(queries.objects().tested(), 1u);
  frame(queries, 0, 0, 0);  // takes the second
  EXPECT_FALSE(queries.visible(0));
}

// Shows that more objects than the set holds are skipped, counted and asked next, that a frame of ten
// thousand objects allocates nothing, and that buffers stay bounded.
TEST_F(HelpersFake, TenThousandObjects) {
  constexpr std::uint32_t count = 10000, cap = 3000;
  OcclusionQueries queries({.objects = count}, device, {}, cap);
  std::vector<std::uint32_t> first_tested(count, 0xFFFFFFFFu);
  std::uint64_t allocations = 0;
  for (std::uint32_t number = 0; number < 30; ++number) {
    WGPURenderPassEncoderImpl pass;
    pass.samples = 1;
    const std::uint64_t before = testing::thread_allocation_count();
    queries.begin_frame();
    pass.set = queries.query_set();
    for (std::uint32_t id = 0; id < count; ++id) {
      if (!queries.begin(&pass, id)) continue;
      queries.end();
      if (first_tested[id] == 0xFFFFFFFFu) first_tested[id] = number;
    }
    // What follows is the fake's own bookkeeping too: it copies command lists.
    allocations += testing::thread_allocation_count() - before;
    EXPECT_LE(queries.objects().tested(), cap);
    EXPECT_EQ(pass.errors, 0);
    queries.end_frame();
  }
  EXPECT_EQ(allocations, 0u);
  EXPECT_LE(fake.live(FakeKind::buffer), 5u);
  for (std::uint32_t id = 0; id < count; ++id) ASSERT_EQ(first_tested[id], id / cap) << "object " << id;
  EXPECT_GT(queries.objects().latency().verdicts()[Verdict::no_free_slot], 0u);
}

// Shows that with every readback buffer in flight a frame tests nothing and says so, and that late answers
// are given up.
TEST_F(HelpersFake, HeldAnswersAreBoundedAndGivenUp) {
  OcclusionQueries queries({.objects = 100, .late_after_frames = 10}, device);
  fake.script.hold = true;
  for (int i = 0; i < 8; ++i) frame(queries, static_cast<std::uint32_t>(i) * 10, 10, 0);
  EXPECT_EQ(queries.objects().in_flight(), 40u);
  EXPECT_EQ(queries.objects().latency().verdicts()[Verdict::no_free_slot], 40u);
  EXPECT_EQ(queries.objects().hidden(), 0u);
  for (int i = 0; i < 12; ++i) frame(queries, 0, 0, 0);
  EXPECT_EQ(queries.objects().in_flight(), 0u);
  EXPECT_EQ(queries.objects().latency().verdicts()[Verdict::late], 40u);
  fake.script.hold = false;
  for (int i = 0; i < 6; ++i) frame(queries, 0, 10, 0);
  EXPECT_FALSE(queries.visible(5));
}

// Shows the answers to misuse, first of all to a pass that was not given the query set.
TEST_F(HelpersFake, Misuse) {
  OcclusionQueries queries({.objects = 4}, device);
  WGPURenderPassEncoderImpl pass;
  EXPECT_FALSE(queries.begin(&pass, 0)) << "outside a frame";
  queries.begin_frame();
  EXPECT_FALSE(queries.begin(&pass, 0)) << "a pass without the set";
  pass.set = queries.query_set();
  EXPECT_FALSE(queries.begin(nullptr, 0));
  EXPECT_FALSE(queries.begin(&pass, 4)) << "no such object";
  EXPECT_TRUE(queries.visible(4));
  EXPECT_EQ(queries.age(1), Visibility::never);
  ASSERT_TRUE(queries.begin(&pass, 0));
  EXPECT_FALSE(queries.begin(&pass, 1)) << "inside another";
  queries.end();
  queries.end();
  queries.end_frame();
  queries.end_frame();
  const Diagnostics& diagnostics = queries.objects().diagnostics();
  EXPECT_EQ(diagnostics.count(Diagnostic::pass_without_set), 2u);
  EXPECT_EQ(diagnostics.count(Diagnostic::scope_outside_frame), 1u);
  EXPECT_EQ(diagnostics.count(Diagnostic::unknown_object), 2u);
  EXPECT_EQ(diagnostics.count(Diagnostic::query_begun_twice), 1u);
  EXPECT_EQ(diagnostics.count(Diagnostic::end_without_begin), 2u);
  EXPECT_EQ(pass.errors, 0);
}

// Shows that a lost device hides nothing, that its late answers reach nobody, and that another one takes
// over.
TEST_F(HelpersFake, LossAndRestore) {
  OcclusionQueries queries({.objects = 20, .hide_after = 1}, device);
  fake.script.hold = true;
  fake.script.keep_on_loss = true;
  frame(queries, 0, 20, 0);
  fake.lose(device);
  queries.notify_lost();
  EXPECT_EQ(queries.state(), State::lost);
  EXPECT_EQ(queries.query_set(), nullptr);
  EXPECT_EQ(queries.objects().latency().verdicts()[Verdict::lost], 20u);
  frame(queries, 0, 20, 0);
  EXPECT_EQ(queries.objects().in_flight(), 0u);

  ASSERT_TRUE(queries.restore(fake.device(false)));
  fake.script.hold = false;
  fake.pump();
  for (std::uint32_t id = 0; id < 20; ++id)
    EXPECT_TRUE(queries.visible(id)) << "the old answers reach nobody";
  frame(queries, 0, 20, 0);
  frame(queries, 0, 0, 0);
  EXPECT_FALSE(queries.visible(7));
}

// Shows that after a loss and a restore inside a frame the rest of the frame tests nothing.
TEST_F(HelpersFake, RestoreInsideAFrame) {
  OcclusionQueries queries({.objects = 4}, device);
  WGPURenderPassEncoderImpl pass;
  queries.begin_frame();
  pass.set = queries.query_set();
  ASSERT_TRUE(queries.begin(&pass, 0));
  queries.end();
  queries.notify_lost();
  ASSERT_TRUE(queries.restore(fake.device(false)));
  pass.set = queries.query_set();
  for (std::uint32_t id = 0; id < 4; ++id) EXPECT_FALSE(queries.begin(&pass, id));
  queries.end_frame();
  EXPECT_EQ(queries.objects().latency().verdicts()[Verdict::no_free_slot], 0u);
  frame(queries, 0, 4, 1);
  EXPECT_EQ(queries.objects().in_flight(), 4u);
  frame(queries, 0, 0, 0);
  EXPECT_EQ(queries.objects().latency().accepted(), 4u);
}

// Shows that a test left open, which makes its pass invalid, hides nothing: no test of the frame is believed.
TEST_F(HelpersFake, ATestLeftOpenIsNotBelieved) {
  OcclusionQueries queries({.objects = 2, .hide_after = 1}, device);
  for (int i = 0; i < 3; ++i) {
    WGPURenderPassEncoderImpl pass;
    queries.begin_frame();
    pass.set = queries.query_set();
    ASSERT_TRUE(queries.begin(&pass, 1));
    queries.end();
    ASSERT_TRUE(queries.begin(&pass, 0));
    queries.end_frame();
    EXPECT_TRUE(queries.visible(0));
    EXPECT_TRUE(queries.visible(1));
  }
  frame(queries, 0, 0, 0);
  EXPECT_EQ(queries.objects().latency().accepted(), 0u);
  EXPECT_EQ(queries.objects().latency().verdicts()[Verdict::driver_error], 6u);
  EXPECT_EQ(queries.objects().diagnostics().count(Diagnostic::scope_left_open), 3u);
  frame(queries, 0, 2, 0);
  frame(queries, 0, 0, 0);
  EXPECT_FALSE(queries.visible(0));
}

// Shows that without a device, or one that refuses the query set, everything is visible and the reason is
// given.
TEST_F(HelpersFake, Unavailable) {
  OcclusionQueries none({.objects = 3}, nullptr);
  EXPECT_EQ(none.state(), State::unavailable);
  frame(none, 0, 3, 0);
  EXPECT_TRUE(none.visible(0));
  fake.script.refuse_query_sets = true;
  OcclusionQueries refused({.objects = 3, .hide_after = 1}, device);
  for (int i = 0; i < 5; ++i) frame(refused, 0, 3, 0);
  EXPECT_EQ(refused.state(), State::unavailable);
  EXPECT_EQ(refused.objects().diagnostics().count(Diagnostic::feature_refused), 1u);
  EXPECT_TRUE(refused.visible(0));
  EXPECT_EQ(fake.uncaptured_errors(), 0u);
}

// Shows that with each call of a run failing once, or losing the device at it, nothing seen is ever hidden
// and nothing leaks.
TEST_F(HelpersFake, EveryCallFailsOnce) {
  constexpr std::uint32_t count = 6;
  for (const bool lose : {false, true}) {
    for (std::uint64_t k = 1; k < 400; ++k) {
      fake.reset();
      device = fake.device(false);
      bool happened = false;
      {
        OcclusionQueries queries({.objects = count}, device);
        if (lose) {
          fake.lose_at(k);
        } else {
          fake.fail_at(k);
        }
        for (int i = 0; i < 20; ++i) {
          frame(queries, 0, count, 5);
          for (std::uint32_t id = 0; id < count; ++id) ASSERT_TRUE(queries.visible(id)) << k;
        }
        happened = fake.fault_happened();
        if (!happened) break;
        ASSERT_TRUE(queries.restore(fake.device(false)));
        for (int i = 0; i < 6; ++i) frame(queries, 0, count, 0);
        EXPECT_EQ(queries.objects().hidden(), count) << (lose ? "lost at " : "failed at ") << k;
      }
      EXPECT_EQ(fake.live_device_objects(), 0u) << k;
    }
  }
}

// --- Readback and counters
// ----------------------------------------------------------------------------------------

struct Received {
  struct One {
    std::uint64_t frame, tag;
    std::uint32_t latency;
    Verdict verdict;
    std::vector<std::uint8_t> bytes;
  };
  std::vector<One> all;
  ReadCallback callback() {
    return {[](void* user, const ReadResult& result) {
              One one{result.frame, result.tag, result.latency_frames, result.verdict, {}};
              for (const std::byte b : result.bytes) one.bytes.push_back(static_cast<std::uint8_t>(b));
              static_cast<Received*>(user)->all.push_back(one);
            },
            this};
  }
};

WGPUBuffer make_buffer(WGPUDevice device, std::initializer_list<std::uint32_t> words) {
  WGPUBufferDescriptor descriptor = {};
  descriptor.size = words.size() * 4;
  descriptor.usage = WGPUBufferUsage_CopySrc | WGPUBufferUsage_Storage;
  const WGPUBuffer buffer = wgpuDeviceCreateBuffer(device, &descriptor);
  std::memcpy(buffer->data.data(), words.begin(), words.size() * 4);
  return buffer;
}

// Shows that the reads of a frame come together, late, in order, each with its bytes, frame and tag; that no
// more than the ring is in flight; and that misaligned reads are refused.
TEST_F(HelpersFake, ReadbackDeliversLateAndBounded) {
  Received received;
  Readback readback({.batch_bytes = 64}, device, {.frames_in_flight = 3});
  const WGPUBuffer buffer = make_buffer(device, {0x01020304, 7});
  fake.script.hold = true;
  int taken = 0;
  for (int i = 0; i < 8; ++i) {
    readback.begin_frame();
    taken += readback.read_buffer(buffer, 0, 4, received.callback(), 1) ? 1 : 0;
    taken += readback.read_buffer(buffer, 4, 4, received.callback(), 2) ? 1 : 0;
    readback.end_frame();
  }
  EXPECT_EQ(taken, 6);
  EXPECT_EQ(readback.batches_in_flight(), 3u);
  EXPECT_TRUE(received.all.empty());
  EXPECT_EQ(readback.diagnostic_count(Diagnostic::pool_full), 10u);
  fake.script.hold = false;
  readback.begin_frame();
  ASSERT_EQ(received.all.size(), 6u);
  EXPECT_EQ(received.all[0].bytes, (std::vector<std::uint8_t>{4, 3, 2, 1}));
  EXPECT_EQ(received.all[1].bytes, (std::vector<std::uint8_t>{7, 0, 0, 0}));
  EXPECT_EQ(received.all[1].tag, 2u);
  EXPECT_EQ(received.all[4].frame, 2u);
  EXPECT_EQ(received.all[4].latency, 6u);
  EXPECT_FALSE(readback.read_buffer(buffer, 2, 4, received.callback()));
  EXPECT_FALSE(readback.read_buffer(buffer, 0, 3, received.callback()));
  EXPECT_FALSE(readback.read_buffer(nullptr, 0, 4, received.callback()));
  EXPECT_EQ(readback.diagnostic_count(Diagnostic::read_out_of_range), 3u);
  readback.end_frame();
  Report report;
  readback.append_to(report);
  EXPECT_EQ(report.find("readback latency")->marks(), 6u + 10u + 3u);
  wgpuBufferRelease(buffer);
}

// Shows that on a loss the reads in flight hear of it and that a new device takes over.
TEST_F(HelpersFake, ReadbackLoss) {
  Received received;
  Readback readback({}, device);
  WGPUBuffer buffer = make_buffer(device, {5});
  fake.script.hold = true;
  readback.begin_frame();
  readback.read_buffer(buffer, 0, 4, received.callback());
  readback.end_frame();
  wgpuBufferRelease(buffer);
  fake.lose(device);
  readback.notify_lost();
  ASSERT_EQ(received.all.size(), 1u);
  EXPECT_EQ(received.all[0].verdict, Verdict::lost);
  fake.script.hold = false;
  const WGPUDevice next = fake.device(false);
  ASSERT_TRUE(readback.restore(next));
  buffer = make_buffer(next, {6});
  for (int i = 0; i < 2; ++i) {
    readback.begin_frame();
    readback.read_buffer(buffer, 0, 4, received.callback());
    readback.end_frame();
  }
  ASSERT_EQ(received.all.size(), 2u);
  EXPECT_EQ(received.all[1].verdict, Verdict::accepted);
  wgpuBufferRelease(buffer);
}

// Shows that a device which refuses buffers leaves no read without an answer: not those of the open frame
// either.
TEST_F(HelpersFake, RefusedReadsAreAnswered) {
  Received received;
  Readback readback({}, device);
  CounterReadback counters({.counters = {{"alive", 0}}}, device);
  const WGPUBuffer buffer = make_buffer(device, {5});
  fake.script.refuse_buffers = true;
  readback.begin_frame();
  counters.begin_frame();
  ASSERT_TRUE(readback.read_buffer(buffer, 0, 4, received.callback()));
  ASSERT_TRUE(counters.read(buffer));
  readback.poll();
  ASSERT_EQ(received.all.size(), 1u);
  EXPECT_EQ(received.all[0].verdict, Verdict::driver_error);
  EXPECT_FALSE(readback.read_buffer(buffer, 0, 4, received.callback()));
  readback.end_frame();
  counters.end_frame();
  counters.begin_frame();
  counters.end_frame();
  EXPECT_EQ(received.all.size(), 1u);
  EXPECT_EQ(readback.state(), State::unavailable);
  Report report;
  readback.append_to(report);
  counters.append_to(report);
  EXPECT_EQ(report.find("readback latency")->in_flight, 0u);
  EXPECT_EQ(report.find("alive")->in_flight, 0u);
  EXPECT_EQ(report.find("alive")->verdicts[Verdict::driver_error], 1u);
  wgpuBufferRelease(buffer);
}

// Shows that whichever call the application is called back from, to say notify_lost() there, the helpers use
// nothing that is gone, answer each read that they took, and start again.
TEST_F(HelpersFake, EveryCallTellsOfTheLoss) {
  bool happened = true;
  for (std::uint64_t k = 1; happened; ++k) {
    SCOPED_TRACE(k);
    fake.reset();
    device = fake.device(false);
    Received received;
    std::size_t taken = 0;
    {
      OcclusionQueries queries({.objects = 3}, device);
      Readback readback({}, device);
      CounterReadback counters({.counters = {{"alive", 0}}}, device);
      WGPUBuffer buffer = make_buffer(device, {5});
      fake.script.called_back = [&] {
        queries.notify_lost();
        readback.notify_lost();
        counters.notify_lost();
      };
      fake.call_back_at(k);
      const auto draw = [&] {
        frame(queries, 0, 3, 5);
        readback.begin_frame();
        counters.begin_frame();
        taken += readback.read_buffer(buffer, 0, 4, received.callback()) ? 1u : 0u;
        (void)counters.read(buffer);
        readback.end_frame();
        counters.end_frame();
      };
      for (int i = 0; i < 4; ++i) draw();
      happened = fake.fault_happened();
      fake.fail_at(0);
      if (happened) {
        EXPECT_EQ(queries.state(), State::lost);
        EXPECT_EQ(received.all.size(), taken);
        Report report;
        counters.append_to(report);
        EXPECT_EQ(report.find("alive")->in_flight, 0u);
      }
      wgpuBufferRelease(buffer);
      device = fake.device(false);
      ASSERT_TRUE(queries.restore(device));
      ASSERT_TRUE(readback.restore(device));
      ASSERT_TRUE(counters.restore(device));
      buffer = make_buffer(device, {5});
      received.all.clear();
      for (int i = 0; i < 3; ++i) draw();
      ASSERT_GE(received.all.size(), 2u);
      EXPECT_EQ(received.all.back().verdict, Verdict::accepted);
      wgpuBufferRelease(buffer);
    }
    EXPECT_EQ(fake.violations(), std::vector<std::string>{});
    EXPECT_EQ(fake.live_device_objects(), 0u);
  }
}

// Shows that all counters come in one copy, belong to their frame, and that one above its limit is reported.
TEST_F(HelpersFake, CountersInOneCopyAndOverflow) {
  CounterReadback counters({.counters = {{"alive", 100}, {"born", 0}}}, device);
  const WGPUBuffer buffer = make_buffer(device, {90, 3});
  for (std::uint32_t i = 0; i < 6; ++i) {
    counters.begin_frame();
    const std::uint32_t alive = 90 + i * 4;
    std::memcpy(buffer->data.data(), &alive, 4);
    EXPECT_TRUE(counters.read(buffer));
    EXPECT_FALSE(counters.read(buffer)) << "twice";
    counters.end_frame();
  }
  EXPECT_EQ(fake.calls(FakeCall::copy_buffer), 6u);
  ASSERT_TRUE(counters.counter(0).known());
  EXPECT_EQ(counters.counter(0).frame(), 4u);
  EXPECT_EQ(counters.counter(0).last(), 106u);
  EXPECT_EQ(counters.counter(1).last(), 3u);
  EXPECT_EQ(counters.find("born"), 1u);
  EXPECT_EQ(counters.overflowed_frames(0), 2u);
  EXPECT_EQ(counters.diagnostic_count(Diagnostic::overflow), 2u);
  EXPECT_FALSE(counters.counter(2).known());
  EXPECT_EQ(counters.diagnostic_count(Diagnostic::unknown_object), 1u);
  Report report;
  counters.append_to(report);
  EXPECT_EQ(report.find("alive")->verdicts.accepted(), 5u);
  wgpuBufferRelease(buffer);
}

}  // namespace
}  // namespace passmeter::webgpu
