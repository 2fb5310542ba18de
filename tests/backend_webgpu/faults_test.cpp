// Every WebGPU call made to fail, or to find the device lost, one at a time; faults at random; answers on
// another thread.
#include <atomic>
#include <random>
#include <thread>

#include "fake_rig.h"

namespace passmeter::webgpu {
namespace {

// Each frame's passes have lengths of their own, so that a sample tells which frame it really comes from.
std::uint64_t length(std::uint64_t frame, std::uint32_t pass) { return 1000 + frame * 8 + pass; }

class Faults : public FakeRig {
 public:
  TimerConfig checked_config() {
    TimerConfig config{.passes = {"a", "b", "c"}};
    config.on_frame = {
        [](void* self, const FrameSample& sample) { static_cast<Faults*>(self)->check(sample); }, this};
    return config;
  }

  void check(const FrameSample& sample) {
    for (const Interval& interval : sample.intervals) {
      if (interval.verdict != Verdict::accepted) continue;
      ++accepted;
      EXPECT_EQ(interval.inclusive_ns, static_cast<double>(length(sample.frame, interval.pass.index)))
          << "frame " << sample.frame << ", pass " << interval.pass.index;
    }
  }

  void draw() {
    const std::uint64_t number = timer->frames();
    begin();
    for (const std::uint32_t index : {0u, 1u, 2u}) pass(index, length(number, index));
    if (number % 3 == 1) timer->resolve(encoder);
    submit();
    end();
  }

  // Twenty frames with a fault armed; then everything is in order again and the next eight frames must be
  // right.
  void run_with_fault(bool lose, std::uint64_t call, bool null) {
    SCOPED_TRACE((lose ? "lost at call " : "failed call ") + std::to_string(call) +
                 (null ? ", null" : ", invalid"));
    timer.reset();
    fake.reset();
    fake.script.null_on_failure = null;
    lose ? fake.lose_at(call) : fake.fail_at(call);
    make(checked_config());
    for (int i = 0; i < 20; ++i) draw();
    disarm();
    device = fake.device();
    ASSERT_TRUE(timer->restore(device)) << timer->reason();
    expect_right_frames(8);
    EXPECT_EQ(timer->source(), Source::timestamp);
    const SeriesReport a = row("a");
    EXPECT_LE(a.marks(), 28u);  // marks made while it was lost or had no clock count nowhere
    EXPECT_EQ(a.in_flight, 0u);
    timer.reset();
    EXPECT_EQ(fake.violations(), std::vector<std::string>{});
    EXPECT_EQ(fake.live_device_objects(), 0u);
  }

  // Runs `run` with a new timer for its first, second, third... call in turn: the implementation calls the
  // application back from inside that one, which says notify_lost() there. `run` calls tell_loss_at(call)
  // where its calls begin to count, and disarm() where they end.
  template <class Run>
  void for_each_call_that_tells_of_the_loss(const TimerConfig& config, std::uint64_t least_calls, Run&& run) {
    std::uint64_t call = 1;
    do {
      SCOPED_TRACE(call);
      timer.reset();
      fake.reset();
      make(config);
      run(call++);
      EXPECT_EQ(fake.violations(), std::vector<std::string>{});
    } while (happened && !HasFatalFailure());
    EXPECT_GT(call, least_calls);  // it went through the whole run
  }

  void tell_loss_at(std::uint64_t call) {
    fake.script.called_back = [&] { timer->notify_lost(); };
    fake.call_back_at(call);
  }

  void disarm() {
    happened = fake.fault_happened();
    fake.fail_at(0);
  }

  void expect_right_frames(int frames) {
    accepted = 0;
    for (int i = 0; i < frames; ++i) draw();
    timer->poll();
    EXPECT_EQ(accepted, 3u * static_cast<std::uint64_t>(frames));
  }

  std::uint64_t accepted = 0;
  bool happened = false;
};

TEST_F(Faults, EveryCallFailsOnce) {
  // For each call of a 20-frame run: that one fails. No wrong sample, no misuse, no leak, right after
  // restore().
  for (const bool null : {false, true}) {
    std::uint64_t call = 1;
    do {
      run_with_fault(false, call++, null);
    } while (happened && !HasFatalFailure());
    EXPECT_GT(call, 150u);  // it went through the whole run
  }
}

TEST_F(Faults, EveryCallFindsTheDeviceLost) {
  // The same with the device lost at that call.
  std::uint64_t call = 1;
  do {
    run_with_fault(true, call++, false);
  } while (happened && !HasFatalFailure());
  EXPECT_GT(call, 150u);  // it went through the whole run
}

TEST_F(Faults, EveryCallTellsOfTheLoss) {
  // In each call of a run. Nothing that is gone is used, nothing leaks, and restore() works.
  for_each_call_that_tells_of_the_loss(checked_config(), 70, [&](std::uint64_t call) {
    tell_loss_at(call);
    for (int i = 0; i < 12; ++i) draw();
    disarm();
    EXPECT_EQ(timer->state(), happened ? State::lost : State::measuring);
    EXPECT_EQ(timer->diagnostic_count(Diagnostic::driver_error), 0u);
    device = fake.device();
    ASSERT_TRUE(timer->restore(device)) << timer->reason();
    expect_right_frames(8);
    EXPECT_EQ(row("a").in_flight, 0u);
    timer.reset();
    EXPECT_EQ(fake.live_device_objects(), 0u);
  });
}

TEST_F(Faults, RestoreFindsTheNextDeviceLost) {
  // In the calls that restore() makes: it answers whether it measures, and the next one works.
  for (const bool timestamps : {true, false}) {
    for_each_call_that_tells_of_the_loss(checked_config(), 5, [&](std::uint64_t call) {
      draw();
      timer->notify_lost();
      tell_loss_at(call);
      device = fake.device(timestamps);
      const bool restored = timer->restore(device);
      disarm();
      EXPECT_EQ(restored, !happened);
      EXPECT_EQ(timer->state(), happened ? State::lost : State::measuring);
      if (happened) {
        EXPECT_EQ(fake.live_device_objects(), 0u);
      }
      draw();
      device = fake.device();
      ASSERT_TRUE(timer->restore(device));
      expect_right_frames(4);
    });
  }
}

TEST_F(Faults, AGrowingFrameFindsTheDeviceLost) {
  // In the calls of a frame that needs another query set, a larger resolve buffer and a larger readback
  // buffer.
  for_each_call_that_tells_of_the_loss({.passes = {"a"}}, 10, [&](std::uint64_t call) {
    tell_loss_at(call);
    begin();
    for (int i = 0; i < 10; ++i) pass(0, 10);
    timer->resolve(encoder);
    for (int i = 0; i < 10; ++i) pass(0, 10);
    submit();
    end();
    disarm();
  });
}

TEST_F(Faults, TheMedianFindsTheDeviceLost) {
  // In any call that measure_median() makes: it ends there.
  for_each_call_that_tells_of_the_loss({.passes = {"a"}}, 10, [&](std::uint64_t call) {
    tell_loss_at(call);
    (void)timer->measure_median(3, [](const PassTimestampWrites*) {});
    disarm();
  });
}

TEST_F(Faults, OneFailureAloneIsOvercomeWithoutRestore) {
  // A single failed call in the middle costs at most that frame: the timer goes on by itself.
  for (std::uint64_t call = 1; call <= 30; ++call) {
    SCOPED_TRACE(call);
    timer.reset();
    fake.reset();
    make(checked_config());
    for (int i = 0; i < 10; ++i) draw();
    fake.fail_at(call);
    for (int i = 0; i < 10; ++i) draw();
    disarm();
    expect_right_frames(10);
    EXPECT_EQ(timer->state(), State::measuring);
  }
}

TEST_F(Faults, RandomFaultsKeepTheBooksRight) {
  // 20,000 frames of random faults, delays, losses and switches: samples are right, objects bounded, totals
  // add up.
  make(checked_config());
  std::mt19937 random(12345);
  const auto one_in = [&](unsigned n) { return random() % n == 0; };
  std::uint64_t in_flight_cap = 4;
  std::size_t most_objects = 0;
  for (int i = 0; i < 20'000; ++i) {
    fake.script.hold = one_in(5);
    fake.script.reorder = one_in(2);
    fake.script.map_delay = static_cast<unsigned>(random() % 4);
    fake.script.unwritten_is_stale = one_in(2);
    fake.script.zero_stamps = one_in(20);
    fake.script.refuse_buffers = one_in(300);
    fake.script.null_on_failure = one_in(2);
    fake.script.success_after_unmap = one_in(10);
    if (one_in(100)) fake.script.fail_next_maps = static_cast<unsigned>(random() % 3);
    if (one_in(50)) fake.fail_at(1 + random() % 20);
    if (one_in(500)) fake.lose(device);
    if (one_in(400)) timer->notify_lost();
    if (one_in(50)) timer->set_enabled(!timer->enabled());
    draw();
    if (one_in(7)) timer->poll();
    if (timer->state() == State::lost || timer->state() == State::unavailable) {
      fake.fail_at(0);
      fake.script.refuse_buffers = false;
      device = fake.device();
      ASSERT_TRUE(timer->restore(device)) << timer->reason();
    }
    ASSERT_LE(timer->report().frames_in_flight, in_flight_cap);
    most_objects = std::max(most_objects, fake.live_device_objects());
    ASSERT_LE(most_objects, 1u + 1u + 4u);  // query set, resolve buffer, ring
    ASSERT_TRUE(fake.violations().empty()) << fake.violations()[0];
  }
  const SeriesReport a = row("a");
  EXPECT_EQ(a.marks(), a.verdicts.accepted() + a.verdicts.rejected() + a.in_flight);
  EXPECT_GT(accepted, 5'000u);
}

TEST_F(Faults, AnswersOnAnotherThread) {
  // Callbacks delivered by another thread while frames are drawn (run under ThreadSanitizer): right samples,
  // no race.
  make(checked_config());
  std::atomic<bool> stop{false};
  std::thread pump([&] {
    while (!stop.load()) {
      fake.pump();
      std::this_thread::yield();
    }
  });
  for (int i = 0; i < 2000; ++i) draw();
  stop = true;
  pump.join();
  timer->poll();
  EXPECT_GT(accepted, 0u);
}

}  // namespace
}  // namespace passmeter::webgpu
