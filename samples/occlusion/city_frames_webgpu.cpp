#include "city_frames_webgpu.h"

#include <utility>

#include "passmeter/webgpu/occlusion_queries.h"
#include "passmeter/webgpu/webgpu_timer.h"

namespace city {

namespace wgpu = passmeter::webgpu;

namespace {

struct Timing {
  explicit Timing(const FramesWebGpu::Device& on)
      : timer({.passes = {passes[0], passes[1], passes[2]}}, on.device,
              {.instance = on.instance, .adapter = on.adapter}),
        gbuffer(timer.pass(passes[0])),
        bounds(timer.pass(passes[1])),
        lighting(timer.pass(passes[2])) {}
  wgpu::WebGpuTimer timer;
  passmeter::PassId gbuffer, bounds, lighting;
};

void end(WGPURenderPassEncoder pass) {
  wgpuRenderPassEncoderEnd(pass);
  wgpuRenderPassEncoderRelease(pass);
}

}  // namespace

struct FramesWebGpu::Impl {
  Impl(const City& what, const Device& with, const FrameOptions& options)
      : city(what),
        device(with),
        painter(what, with.device, with.queue, {options.size, options.pictures, with.picture_format}),
        on(with),
        off(with),
        queries(passmeter::VisibilityConfig{.objects = static_cast<std::uint32_t>(what.objects().size())},
                with.device, wgpu::HelperOptions{.instance = with.instance}, options.max_queries) {}

  void fill_gbuffer(WGPUCommandEncoder encoder, const Camera& camera, bool culling, Drawn& drawn);
  void test_bounds(WGPUCommandEncoder encoder, const Camera& camera);
  void light(WGPUCommandEncoder encoder, Timing& timing, int picture);
  void submit(WGPUCommandEncoder encoder);

  const City& city;
  Device device;
  CityWebGpu painter;
  Timing on, off;
  wgpu::OcclusionQueries queries;
  std::vector<std::uint32_t> in_view;
  WGPUTextureView target = nullptr;
};

void FramesWebGpu::Impl::fill_gbuffer(WGPUCommandEncoder encoder, const Camera& camera, bool culling,
                                      Drawn& drawn) {
  Timing& timing = culling ? on : off;
  const auto scope = timing.timer.scope(timing.gbuffer);
  const WGPURenderPassEncoder pass = painter.begin_gbuffer(encoder, timing.timer.writes(scope));
  for (const std::uint32_t id : in_view) {
    if (culling && !queries.visible(id) && !city.touches_camera(camera, id)) continue;
    painter.draw(pass, id);
    drawn.objects[id] = 1;
    ++drawn.count;
  }
  end(pass);
}

void FramesWebGpu::Impl::test_bounds(WGPUCommandEncoder encoder, const Camera& camera) {
  const auto scope = on.timer.scope(on.bounds);
  const WGPURenderPassEncoder pass =
      painter.begin_bounds(encoder, on.timer.writes(scope), queries.query_set());
  for (const std::uint32_t id : in_view) {
    if (city.touches_camera(camera, id)) continue;
    if (const auto test = queries.test(pass, id)) painter.draw_bounds(pass, id);
  }
  end(pass);
}

void FramesWebGpu::Impl::light(WGPUCommandEncoder encoder, Timing& timing, int picture) {
  const auto scope = timing.timer.scope(timing.lighting);
  painter.light(encoder, timing.timer.writes(scope), picture, std::exchange(target, nullptr));
}

void FramesWebGpu::Impl::submit(WGPUCommandEncoder encoder) {
  const WGPUCommandBuffer commands = wgpuCommandEncoderFinish(encoder, nullptr);
  wgpuQueueSubmit(device.queue, 1, &commands);
  wgpuCommandBufferRelease(commands);
  wgpuCommandEncoderRelease(encoder);
}

FramesWebGpu::FramesWebGpu(const City& city, const Device& device, const FrameOptions& options)
    : impl_(std::make_unique<Impl>(city, device, options)) {}

FramesWebGpu::~FramesWebGpu() = default;

CityWebGpu& FramesWebGpu::painter() { return impl_->painter; }
void FramesWebGpu::set_target(WGPUTextureView view) { impl_->target = view; }

void FramesWebGpu::draw(int frame, bool culling, int picture, Drawn& drawn) {
  Impl& impl = *impl_;
  const Camera camera = impl.city.camera(frame, Depth::zero_to_one);
  impl.city.find_in_view(camera, Depth::zero_to_one, impl.in_view);
  drawn.objects.assign(impl.city.objects().size(), 0);
  drawn.in_view = static_cast<std::uint32_t>(impl.in_view.size());
  drawn.count = drawn.tested = 0;

  Timing& timing = culling ? impl.on : impl.off;
  timing.timer.begin_frame();
  if (culling) impl.queries.begin_frame();
  impl.painter.set_camera(camera);
  const WGPUCommandEncoder encoder = wgpuDeviceCreateCommandEncoder(impl.device.device, nullptr);
  impl.fill_gbuffer(encoder, camera, culling, drawn);
  if (culling) {
    impl.test_bounds(encoder, camera);
    drawn.tested = impl.queries.objects().tested();
  }
  impl.light(encoder, timing, picture);
  timing.timer.resolve(encoder);
  impl.submit(encoder);
  if (culling) impl.queries.end_frame();
  timing.timer.end_frame();
}

passmeter::GpuTimer& FramesWebGpu::timer(bool culling) { return (culling ? impl_->on : impl_->off).timer; }

passmeter::Report FramesWebGpu::report(bool culling) {
  passmeter::Report report = timer(culling).report();
  if (culling) impl_->queries.append_to(report);
  return report;
}

const passmeter::Visibility& FramesWebGpu::visibility() const { return impl_->queries.objects(); }

void FramesWebGpu::notify_lost() {
  for (const bool culling : {false, true}) timer(culling).notify_lost();
  impl_->queries.notify_lost();
}

}  // namespace city
