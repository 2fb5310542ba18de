// A GlTimer on the fake driver, with the pieces that most tests need.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fake_gl.h"
#include "passmeter/gl/gl_timer.h"

namespace passmeter::gl {

using testing::FakeGl;
using testing::Flavour;
namespace gl_enum = testing::gl_enum;

inline constexpr std::int64_t ms = 1'000'000;

/// A frame as on_frame saw it.
struct Seen {
  std::uint64_t frame = 0;
  Source source = Source::none;
  std::vector<Interval> intervals;
};

/// In the end: the timer destroyed, every object deleted, no call that a well-behaved timer would not make.
class FakeRig {
 public:
  explicit FakeRig(Flavour flavour = Flavour::desktop) : fake(flavour) {
    fake.make_current();
    fake.set_gpu_time(1'000 * ms);
  }
  ~FakeRig() {
    timer.reset();
    EXPECT_EQ(fake.violations_text(), "");
    EXPECT_EQ(fake.calls("glGetError"), 0u);
    if (!leaks_allowed) {
      EXPECT_EQ(fake.live_queries(), 0u);
      EXPECT_EQ(fake.live_syncs(), 0u);
    }
  }
  FakeRig(const FakeRig&) = delete;
  FakeRig& operator=(const FakeRig&) = delete;

  TimerConfig config(std::vector<std::string> passes) {
    TimerConfig config;
    config.passes = std::move(passes);
    config.cpu_clock = {&FakeGl::cpu_now, &fake};
    return config;
  }
  GlTimer& make(TimerConfig config, GlOptions options = {}) {
    config.on_frame = {
        [](void* self, const FrameSample& sample) {
          static_cast<FakeRig*>(self)->seen.push_back(
              {sample.frame, sample.source, {sample.intervals.begin(), sample.intervals.end()}});
        },
        this};
    timer = std::make_unique<GlTimer>(std::move(config), &FakeGl::get, options);
    return *timer;
  }
  GlTimer& make(std::vector<std::string> passes, GlOptions options = {}) {
    return make(config(std::move(passes)), options);
  }

  /// A frame in which `work` marks its passes; the swap is the fake's next frame.
  template <class Work>
  void frame(Work&& work) {
    timer->begin_frame();
    work();
    timer->end_frame();
    fake.next_frame();
  }
  /// A pass of so many nanoseconds on both clocks.
  void pass(const char* name, std::int64_t ns) {
    auto scope = timer->scope(timer->pass(name));
    fake.advance(ns);
  }
  /// A frame of one pass.
  void frame_of(const char* name, std::int64_t ns) {
    frame([&] { pass(name, ns); });
  }

  SeriesReport row(const char* name) const {
    const Report report = timer->report();
    const SeriesReport* found = report.find(name);
    EXPECT_NE(found, nullptr) << name;
    return found != nullptr ? *found : SeriesReport{};
  }

  FakeGl fake;
  std::vector<Seen> seen;
  bool leaks_allowed = false;
  std::unique_ptr<GlTimer> timer;
};

}  // namespace passmeter::gl
