#include <array>
#include <cstdlib>

#include "dawn_device.h"
#include "passmeter/webgpu/webgpu_timer.h"
#include "side.h"
#include "webgpu_renderer.h"

namespace compare {
namespace {

class WebGpuSide final : public Side {
 public:
  explicit WebGpuSide(const SideOptions& options)
      : dawn_({.timestamp_query = true, .full_resolution_timestamps = true}) {
    if (!dawn_.valid()) {
      why_ = "WebGPU: " + dawn_.why();
      return;
    }
    renderer_ = std::make_unique<scene::WebGpuRenderer>(
        dawn_.device(), dawn_.queue(),
        scene::WebGpuRenderer::Options{.size = options.size, .load = options.load});
    timer_ = std::make_unique<passmeter::webgpu::WebGpuTimer>(
        passmeter::TimerConfig{.passes = {scene::pass_names.begin(), scene::pass_names.end()},
                               .enabled = options.timing},
        dawn_.device(), passmeter::webgpu::WebGpuOptions{.instance = dawn_.instance()});
    for (std::size_t pass = 0; pass < scene::pass_count; ++pass) {
      passes_[pass] = timer_->pass(scene::pass_names[pass]);
    }
  }
  ~WebGpuSide() override { dawn_.wait_until_ahead(0); }

  const std::string& why() const override { return why_; }

  void draw(int frame) override {
    timer_->begin_frame();
    const WGPUCommandEncoder encoder = wgpuDeviceCreateCommandEncoder(dawn_.device(), nullptr);
    renderer_->encode(encoder, frame, hooks());
    timer_->resolve(encoder);
    dawn_.submit_frame(encoder);
    timer_->end_frame();
    dawn_.wait_until_ahead(2);
  }

  void draw_only(scene::Pass pass) override {
    timer_->begin_frame();
    const WGPUCommandEncoder encoder = wgpuDeviceCreateCommandEncoder(dawn_.device(), nullptr);
    renderer_->encode_pass_again(encoder, pass, open(pass));
    close(pass);
    timer_->resolve(encoder);
    dawn_.submit_frame(encoder);
    timer_->end_frame();
    dawn_.wait_until_ahead(2);
  }

  void drain() override {
    dawn_.wait_until_ahead(0);
    timer_->poll();
    timer_->skip_interval();  // the other backend draws next: that is no frame of this one
  }

  void set_load(float load) override { renderer_->set_load(load); }
  void reset_statistics() override { timer_->reset_statistics(); }
  passmeter::Report report() override { return timer_->report(); }

  std::vector<std::uint8_t> picture() override {
    std::vector<std::uint8_t> pixels;
    renderer_->read_pixels(dawn_.instance(), pixels);
    return pixels;
  }

  passmeter::MedianResult measure_pass_median(unsigned n, scene::Pass pass) override {
    return timer_->measure_median(n, [&](const WGPUPassTimestampWrites* writes) {
      const WGPUCommandEncoder encoder = wgpuDeviceCreateCommandEncoder(dawn_.device(), nullptr);
      renderer_->encode_pass_again(encoder, pass, writes);
      dawn_.submit_frame(encoder);
    });
  }

  int errors() override { return dawn_.error_count(); }

 private:
  scene::WebGpuPassHooks hooks() {
    return {.user = this,
            .writes = [](void* self, int pass) { return static_cast<WebGpuSide*>(self)->open(pass); },
            .end = [](void* self, int pass) { static_cast<WebGpuSide*>(self)->close(pass); }};
  }
  const WGPUPassTimestampWrites* open(int pass) {
    passmeter::Scope& scope = scopes_[static_cast<std::size_t>(pass)];
    scope = timer_->scope(passes_[static_cast<std::size_t>(pass)]);
    return timer_->writes(scope);
  }
  void close(int pass) { scopes_[static_cast<std::size_t>(pass)].close(); }

  scene::DawnDevice dawn_;
  std::string why_;
  std::unique_ptr<scene::WebGpuRenderer> renderer_;
  std::unique_ptr<passmeter::webgpu::WebGpuTimer> timer_;
  std::array<passmeter::PassId, scene::pass_count> passes_;
  std::array<passmeter::Scope, scene::pass_count> scopes_;
};

}  // namespace

std::unique_ptr<Side> make_webgpu_side(const SideOptions& options) {
  return std::make_unique<WebGpuSide>(options);
}

}  // namespace compare
