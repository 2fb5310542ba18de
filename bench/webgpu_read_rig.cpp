#include <vector>

#include "city_webgpu.h"
#include "dawn_device.h"
#include "passmeter/webgpu/occlusion_queries.h"
#include "read_rig.h"

namespace passmeter::bench {
namespace {

// Waiting is done as WebGPU programs do it: one buffer, mapped at once.
class WebGpuRig final : public ReadRig {
 public:
  explicit WebGpuRig(const city::City& city)
      : dawn_({.timestamp_query = false, .full_resolution_timestamps = false}) {
    if (!dawn_.valid()) return;
    painter_ = std::make_unique<city::CityWebGpu>(city, dawn_.device(), dawn_.queue(),
                                                  city::CityWebGpu::Options{.size = picture_size});
    camera_ = city.camera(0, city::Depth::zero_to_one);
    city.find_in_view(camera_, city::Depth::zero_to_one, in_view_);
    const webgpu::HelperOptions options{.instance = dawn_.instance()};
    const auto objects = static_cast<std::uint32_t>(city.objects().size());
    queries_ = std::make_unique<webgpu::OcclusionQueries>(
        VisibilityConfig{.objects = objects, .retest_hidden_every = 1, .retest_visible_every = 1},
        dawn_.device(), options);
    WGPUQuerySetDescriptor set = {};
    set.type = WGPUQueryType_Occlusion;
    set.count = tests_per_frame;
    set_ = wgpuDeviceCreateQuerySet(dawn_.device(), &set);
    resolved_ = make_buffer(WGPUBufferUsage_QueryResolve | WGPUBufferUsage_CopySrc);
    staging_ = make_buffer(WGPUBufferUsage_MapRead | WGPUBufferUsage_CopyDst);
  }
  ~WebGpuRig() override {
    drain();
    if (painter_ == nullptr) return;
    wgpuQuerySetRelease(set_);
    wgpuBufferRelease(resolved_);
    wgpuBufferRelease(staging_);
  }

  std::string why() const override { return dawn_.why(); }
  std::string driver() const override { return dawn_.adapter_name(); }

  void frame(ReadKind kind) override {
    const bool late = kind == ReadKind::late;
    if (late) {
      queries_->begin_frame();
      ++late_frames_;
    } else {
      dawn_.pump();
    }
    work_on_the_cpu();
    painter_->set_camera(camera_);
    const WGPUCommandEncoder encoder = wgpuDeviceCreateCommandEncoder(dawn_.device(), nullptr);
    const WGPURenderPassEncoder pass = painter_->begin_gbuffer(encoder, nullptr);
    for (const std::uint32_t id : in_view_) painter_->draw(pass, id);
    end(pass);
    draw_bounds(encoder, kind);
    painter_->light(encoder, nullptr, 0);
    if (kind == ReadKind::blocking) {
      wgpuCommandEncoderResolveQuerySet(encoder, set_, 0, tests_per_frame, resolved_, 0);
      wgpuCommandEncoderCopyBufferToBuffer(encoder, resolved_, 0, staging_, 0, tests_per_frame * 8);
    }
    dawn_.submit_frame(encoder);
    if (late) {
      queries_->end_frame();
    } else if (kind == ReadKind::blocking) {
      wait_for_results();
    }
    dawn_.wait_until_ahead(2);
  }

  void drain() override { dawn_.wait_until_ahead(0); }
  double answers_per_late_frame() const override {
    return static_cast<double>(queries_->objects().latency().accepted()) / static_cast<double>(late_frames_);
  }

 private:
  WGPUBuffer make_buffer(WGPUBufferUsage usage) {
    WGPUBufferDescriptor descriptor = {};
    descriptor.size = tests_per_frame * 8;
    descriptor.usage = usage;
    return wgpuDeviceCreateBuffer(dawn_.device(), &descriptor);
  }

  static void end(WGPURenderPassEncoder pass) {
    wgpuRenderPassEncoderEnd(pass);
    wgpuRenderPassEncoderRelease(pass);
  }

  void draw_bounds(WGPUCommandEncoder encoder, ReadKind kind) {
    const WGPUQuerySet set = kind == ReadKind::late       ? queries_->query_set()
                             : kind == ReadKind::blocking ? set_
                                                          : nullptr;
    const WGPURenderPassEncoder pass = painter_->begin_bounds(encoder, nullptr, set);
    for (std::uint32_t i = 0; i < tests_per_frame; ++i) {
      const std::uint32_t id = in_view_[i % in_view_.size()];
      const auto test = kind == ReadKind::late ? queries_->test(pass, id) : webgpu::OcclusionScope();
      if (kind == ReadKind::blocking) wgpuRenderPassEncoderBeginOcclusionQuery(pass, i);
      painter_->draw_bounds(pass, id);
      if (kind == ReadKind::blocking) wgpuRenderPassEncoderEndOcclusionQuery(pass);
    }
    end(pass);
  }

  void wait_for_results() {
    bool done = false;
    WGPUBufferMapCallbackInfo callback = {};
    callback.mode = WGPUCallbackMode_AllowProcessEvents;
    callback.userdata1 = &done;
    callback.callback = [](WGPUMapAsyncStatus, WGPUStringView, void* user, void*) {
      *static_cast<bool*>(user) = true;
    };
    wgpuBufferMapAsync(staging_, WGPUMapMode_Read, 0, tests_per_frame * 8, callback);
    while (!done) dawn_.pump();
    wgpuBufferUnmap(staging_);
  }

  scene::DawnDevice dawn_;
  city::Camera camera_;
  std::vector<std::uint32_t> in_view_;
  std::unique_ptr<city::CityWebGpu> painter_;
  std::unique_ptr<webgpu::OcclusionQueries> queries_;
  WGPUQuerySet set_ = nullptr;
  WGPUBuffer resolved_ = nullptr, staging_ = nullptr;
  std::uint64_t late_frames_ = 0;
};

}  // namespace

std::unique_ptr<ReadRig> make_webgpu_rig(const city::City& city) { return std::make_unique<WebGpuRig>(city); }

}  // namespace passmeter::bench
