#include "webgpu_bench.h"

#include <string>

#include "bare_webgpu.h"
#include "dawn_device.h"
#include "interleaved.h"
#include "passmeter/webgpu/webgpu_timer.h"
#include "timed_frames.h"

namespace passmeter::bench {
namespace {

class TimedWebGpu {
 public:
  explicit TimedWebGpu(testing::DawnDevice& device)
      : device_(device),
        timer_(config(), device.device(), {.instance = device.instance()}),
        passes_(pass_ids(timer_)) {}

  void frame() {
    timer_.begin_frame();
    WGPUCommandEncoder encoder = device_.encoder();
    for (const PassId pass : passes_) {
      auto scope = timer_.scope(pass);
      device_.compute_pass(encoder, timer_.compute_writes(scope), 0);
    }
    timer_.resolve(encoder);
    device_.submit(encoder);
    timer_.end_frame();
  }

  const GpuTimer& timer() const { return timer_; }

 private:
  testing::DawnDevice& device_;
  webgpu::WebGpuTimer timer_;
  std::array<PassId, passes_per_frame> passes_;
};

void plain_frame(testing::DawnDevice& device) {
  WGPUCommandEncoder encoder = device.encoder();
  for (std::uint32_t pass = 0; pass < passes_per_frame; ++pass) device.compute_pass(encoder, nullptr, 0);
  device.submit(encoder);
  wgpuInstanceProcessEvents(device.instance());  // as any application does once a frame
}

// Results are waited for outside the timed part, so that both sides find one frame's results in every frame.
std::function<void()> settle(testing::DawnDevice& device) {
  return [&device] { device.finish(); };
}

std::string driver_of(const GpuTimer& timer) { return timer.report().adapter; }

void against_nothing(benchmark::State& state) {
  const std::string name = "webgpu/dawn/no timing";
  testing::DawnDevice device;
  if (!device.ok()) return skip(state, name, device.why());
  TimedWebGpu ours(device);
  Row& row = run_interleaved(state, name, driver_of(ours.timer()), {[&] { ours.frame(); }, settle(device)},
                             {[&] { plain_frame(device); }, settle(device)});
  if (const std::string why = unmeasured(ours.timer()); !why.empty()) fail(state, row, why);
}

void against_bare(benchmark::State& state) {
  const std::string name = "webgpu/dawn/timestamp";
  testing::DawnDevice device;
  if (!device.ok()) return skip(state, name, device.why());
  TimedWebGpu ours(device);
  BareWebGpu bare(device);
  Row& row = run_interleaved(state, name, driver_of(ours.timer()), {[&] { ours.frame(); }, settle(device)},
                             {[&] { bare.frame(); }, settle(device)});
  if (const std::string why = unmeasured(ours.timer()); !why.empty()) fail(state, row, why);
  if (const std::string why = unmeasured(bare.frames(), bare.frames_read()); !why.empty())
    fail(state, row, why);
}

}  // namespace

void register_webgpu() {
  const auto pairs = settings().pairs;
  benchmark::RegisterBenchmark("webgpu/dawn/timestamp", against_bare)->UseManualTime()->Iterations(pairs);
  benchmark::RegisterBenchmark("webgpu/dawn/no timing", against_nothing)->UseManualTime()->Iterations(pairs);
}

}  // namespace passmeter::bench
