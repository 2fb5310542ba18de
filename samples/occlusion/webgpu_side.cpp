#include <array>

#include "city_webgpu.h"
#include "dawn_device.h"
#include "passmeter/webgpu/occlusion_queries.h"
#include "passmeter/webgpu/webgpu_timer.h"
#include "side.h"

namespace city {
namespace {

namespace wgpu = passmeter::webgpu;

struct Timing {
  explicit Timing(const scene::DawnDevice& dawn)
      : timer({.passes = {"gbuffer", "bounds", "lighting"}}, dawn.device(), {.instance = dawn.instance()}),
        gbuffer(timer.pass("gbuffer")),
        bounds(timer.pass("bounds")),
        lighting(timer.pass("lighting")) {}
  wgpu::WebGpuTimer timer;
  passmeter::PassId gbuffer, bounds, lighting;
};

class WebGpuSide final : public Side {
 public:
  WebGpuSide(const City& city, const SideOptions& options)
      : city_(city), dawn_({.timestamp_query = true, .full_resolution_timestamps = true}) {
    if (!dawn_.valid()) {
      why_ = "WebGPU: " + dawn_.why();
      return;
    }
    painter_ =
        std::make_unique<CityWebGpu>(city, dawn_.device(), dawn_.queue(), options.size, options.pictures);
    on_ = std::make_unique<Timing>(dawn_);
    off_ = std::make_unique<Timing>(dawn_);
    queries_ = std::make_unique<wgpu::OcclusionQueries>(
        passmeter::VisibilityConfig{.objects = static_cast<std::uint32_t>(city.objects().size())},
        dawn_.device(), wgpu::HelperOptions{.instance = dawn_.instance()}, options.max_queries);
  }
  ~WebGpuSide() override { wait_until_ahead(0); }

  const std::string& why() const override { return why_; }

  void draw(int frame, bool culling, int picture, Drawn& drawn) override {
    const Camera camera = city_.camera(frame, Depth::zero_to_one);
    city_.find_in_view(camera, Depth::zero_to_one, in_view_);
    drawn.objects.assign(city_.objects().size(), 0);
    drawn.in_view = static_cast<std::uint32_t>(in_view_.size());
    drawn.count = 0;

    Timing& timing = culling ? *on_ : *off_;
    timing.timer.begin_frame();
    if (culling) queries_->begin_frame();
    painter_->set_camera(camera);
    const WGPUCommandEncoder encoder = wgpuDeviceCreateCommandEncoder(dawn_.device(), nullptr);
    {
      const auto scope = timing.timer.scope(timing.gbuffer);
      const WGPURenderPassEncoder pass = painter_->begin_gbuffer(encoder, timing.timer.writes(scope));
      for (const std::uint32_t id : in_view_) {
        if (culling && !queries_->visible(id) && !city_.touches_camera(camera, id)) continue;
        painter_->draw(pass, id);
        drawn.objects[id] = 1;
        ++drawn.count;
      }
      end(pass);
    }
    if (culling) test_bounds(encoder, camera, timing);
    {
      const auto scope = timing.timer.scope(timing.lighting);
      painter_->light(encoder, timing.timer.writes(scope), picture);
    }
    timing.timer.resolve(encoder);
    submit(encoder);
    if (culling) queries_->end_frame();
    timing.timer.end_frame();
    wait_until_ahead(2);
  }

  void drain() override {
    wait_until_ahead(0);
    for (Timing* timing : {on_.get(), off_.get()}) {
      timing->timer.poll();
      timing->timer.skip_interval();
    }
  }

  void reset_statistics() override {
    for (Timing* timing : {on_.get(), off_.get()}) timing->timer.reset_statistics();
  }

  passmeter::Report report(bool culling) override {
    passmeter::Report report = (culling ? *on_ : *off_).timer.report();
    if (culling) queries_->append_to(report);
    return report;
  }

  const passmeter::Visibility& visibility() const override { return queries_->objects(); }
  std::vector<std::uint8_t> picture(int which) override {
    return painter_->read_picture(dawn_.instance(), which);
  }
  std::vector<std::uint8_t> numbers() override { return painter_->read_numbers(dawn_.instance()); }
  int errors() override { return dawn_.error_count(); }

 private:
  void test_bounds(WGPUCommandEncoder encoder, const Camera& camera, Timing& timing) {
    const auto scope = timing.timer.scope(timing.bounds);
    const WGPURenderPassEncoder pass =
        painter_->begin_bounds(encoder, timing.timer.writes(scope), queries_->query_set());
    for (const std::uint32_t id : in_view_) {
      if (city_.touches_camera(camera, id)) continue;
      if (const auto test = queries_->test(pass, id)) painter_->draw_bounds(pass, id);
    }
    end(pass);
  }

  static void end(WGPURenderPassEncoder pass) {
    wgpuRenderPassEncoderEnd(pass);
    wgpuRenderPassEncoderRelease(pass);
  }

  void submit(WGPUCommandEncoder encoder) {
    const WGPUCommandBuffer commands = wgpuCommandEncoderFinish(encoder, nullptr);
    wgpuQueueSubmit(dawn_.queue(), 1, &commands);
    wgpuCommandBufferRelease(commands);
    wgpuCommandEncoderRelease(encoder);
    ++frames_ahead_;
    WGPUQueueWorkDoneCallbackInfo done = WGPU_QUEUE_WORK_DONE_CALLBACK_INFO_INIT;
    done.mode = WGPUCallbackMode_AllowProcessEvents;
    done.callback = [](WGPUQueueWorkDoneStatus, WGPUStringView, void* self, void*) {
      --static_cast<WebGpuSide*>(self)->frames_ahead_;
    };
    done.userdata1 = this;
    wgpuQueueOnSubmittedWorkDone(dawn_.queue(), done);
  }
  void wait_until_ahead(int most) {
    while (frames_ahead_ > most && !dawn_.lost()) dawn_.pump();
  }

  const City& city_;
  scene::DawnDevice dawn_;
  std::string why_;
  std::vector<std::uint32_t> in_view_;
  std::unique_ptr<CityWebGpu> painter_;
  std::unique_ptr<Timing> on_, off_;
  std::unique_ptr<wgpu::OcclusionQueries> queries_;
  int frames_ahead_ = 0;
};

}  // namespace

std::unique_ptr<Side> make_webgpu_side(const City& city, const SideOptions& options) {
  return std::make_unique<WebGpuSide>(city, options);
}

}  // namespace city
