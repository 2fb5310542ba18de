// A renderer on the fake webgpu.h: it draws frames of passes with known stamps and checks what comes back.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <memory>
#include <optional>
#include <vector>

#include "fake_webgpu.h"
#include "passmeter/webgpu/webgpu_timer.h"

namespace passmeter::webgpu {

using testing::FakeCall;
using testing::FakeKind;
using testing::FakeWebGpu;

class FakeRig : public ::testing::Test {
 public:
  static constexpr std::int64_t frame_ns = 16'666'667;

  void SetUp() override { fake.reset(); }

  void TearDown() override {
    timer.reset();
    EXPECT_EQ(fake.violations(), std::vector<std::string>{});
    EXPECT_EQ(fake.live_device_objects(), 0u);
    EXPECT_EQ(fake.live(FakeKind::device), 0u);
    EXPECT_EQ(fake.live(FakeKind::queue), 0u);
    EXPECT_EQ(fake.live(FakeKind::adapter), 0u);
    EXPECT_EQ(fake.live(FakeKind::instance), 0u);
    fake.reset();
  }

  // The timer of this test, on a new device.
  WebGpuTimer& make(TimerConfig config = {.passes = {"a", "b", "c"}}, WebGpuOptions options = {},
                    bool timestamps = true) {
    config.cpu_clock = {[](void* self) { return static_cast<FakeRig*>(self)->cpu_ns; }, this};
    device = fake.device(timestamps);
    timer.emplace(std::move(config), device, options);
    return *timer;
  }

  void begin() {
    timer->begin_frame();
    encoder = fake.encoder(device);
  }

  // One pass of `ns` ticks in a scope of its own.
  void pass(std::uint32_t index, std::uint64_t ticks) {
    const Scope scope = timer->scope(PassId{index});
    work(scope, ticks);
  }
  // A pass inside a scope, gap ticks after the last one.
  void work(const Scope& scope, std::uint64_t ticks, std::uint64_t gap = 100) {
    gpu_ticks += gap;
    fake.pass(encoder, timer->writes(scope), gpu_ticks, gpu_ticks + ticks);
    gpu_ticks += ticks;
  }

  void submit() { fake.submit(encoder); }
  void end() {
    cpu_ns += frame_ns;
    gpu_ticks += frame_ns;
    timer->end_frame();
  }

  // A whole frame: pass 0, 1, ... with these ticks.
  void frame(std::initializer_list<std::uint64_t> ticks) {
    begin();
    std::uint32_t index = 0;
    for (const std::uint64_t length : ticks) pass(index++, length);
    submit();
    end();
  }
  void frames(int count, std::initializer_list<std::uint64_t> ticks) {
    for (int i = 0; i < count; ++i) frame(ticks);
  }

  SeriesReport row(const char* name) const {
    const Report report = timer->report();
    const SeriesReport* found = report.find(name);
    return found != nullptr ? *found : SeriesReport{};
  }

  FakeWebGpu& fake = FakeWebGpu::get();
  WGPUDevice device = nullptr;
  WGPUCommandEncoder encoder = nullptr;
  std::int64_t cpu_ns = 1'000'000'000;
  std::uint64_t gpu_ticks = 5'000'000'000;
  std::optional<WebGpuTimer> timer;
};

}  // namespace passmeter::webgpu
