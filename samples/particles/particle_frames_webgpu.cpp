#include "particle_frames_webgpu.h"

#include <utility>

#include "passmeter/webgpu/counter_readback.h"
#include "passmeter/webgpu/webgpu_timer.h"

namespace particles {

namespace wgpu = passmeter::webgpu;

struct FramesWebGpu::Impl {
  Impl(const Options& rule, const Device& with, int size)
      : device(with),
        painter(rule, with.device, with.queue, {size, with.picture_format}),
        timer({.passes = {"simulate", "draw"}}, with.device,
              {.instance = with.instance, .adapter = with.adapter}),
        counters({.counters = {{"particles", 0}, {"particles generated", rule.capacity}}}, with.device,
                 {.instance = with.instance}),
        simulate_pass(timer.pass("simulate")),
        draw_pass(timer.pass("draw")) {}

  bool take_count(Counted& counted);
  void encode(WGPUCommandEncoder encoder);
  void submit(WGPUCommandEncoder encoder);

  Device device;
  ParticlesWebGpu painter;
  wgpu::WebGpuTimer timer;
  wgpu::CounterReadback counters;
  passmeter::PassId simulate_pass, draw_pass;
  WGPUTextureView target = nullptr;
  std::uint64_t last_seen = 0;
  bool seen_any = false;
};

bool FramesWebGpu::Impl::take_count(Counted& counted) {
  const passmeter::LateCounter& alive = counters.counter(0);
  if (!alive.known() || (seen_any && alive.frame() == last_seen)) return false;
  seen_any = true;
  last_seen = alive.frame();
  counted = {alive.frame(), alive.age(counters.frame()), alive.last(), counters.counter(1).last(), true};
  return true;
}

void FramesWebGpu::Impl::encode(WGPUCommandEncoder encoder) {
  {
    const auto scope = timer.scope(simulate_pass);
    painter.step(encoder, timer.compute_writes(scope));
  }
  {
    const auto scope = timer.scope(draw_pass);
    painter.draw(encoder, timer.writes(scope), std::exchange(target, nullptr));
  }
  timer.resolve(encoder);
}

void FramesWebGpu::Impl::submit(WGPUCommandEncoder encoder) {
  const WGPUCommandBuffer commands = wgpuCommandEncoderFinish(encoder, nullptr);
  wgpuQueueSubmit(device.queue, 1, &commands);
  wgpuCommandBufferRelease(commands);
  wgpuCommandEncoderRelease(encoder);
}

FramesWebGpu::FramesWebGpu(const Options& options, const Device& device, int size)
    : impl_(std::make_unique<Impl>(options, device, size)) {}

FramesWebGpu::~FramesWebGpu() = default;

ParticlesWebGpu& FramesWebGpu::painter() { return impl_->painter; }
void FramesWebGpu::set_target(WGPUTextureView view) { impl_->target = view; }

std::string FramesWebGpu::how() const {
  return "compute shaders pack the living, step and draw are indirect, two counters are read back";
}

bool FramesWebGpu::draw(std::uint32_t frame, Counted& counted) {
  Impl& impl = *impl_;
  impl.timer.begin_frame();
  impl.counters.begin_frame();
  const bool news = impl.take_count(counted);
  impl.painter.set_frame(frame);
  const WGPUCommandEncoder encoder = wgpuDeviceCreateCommandEncoder(impl.device.device, nullptr);
  impl.encode(encoder);
  impl.submit(encoder);
  impl.counters.read(impl.painter.counters());
  impl.counters.end_frame();
  impl.timer.end_frame();
  return news;
}

std::uint64_t FramesWebGpu::overflowed_frames() const { return impl_->counters.overflowed_frames(1); }
passmeter::GpuTimer& FramesWebGpu::timer() { return impl_->timer; }

passmeter::Report FramesWebGpu::report() {
  passmeter::Report report = impl_->timer.report();
  impl_->counters.append_to(report);
  return report;
}

void FramesWebGpu::notify_lost() {
  impl_->timer.notify_lost();
  impl_->counters.notify_lost();
}

}  // namespace particles
