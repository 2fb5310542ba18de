#include "dawn_device.h"
#include "particles_webgpu.h"
#include "passmeter/webgpu/counter_readback.h"
#include "passmeter/webgpu/webgpu_timer.h"
#include "side.h"

namespace particles {
namespace {

namespace wgpu = passmeter::webgpu;

class WebGpuSide final : public Side {
 public:
  explicit WebGpuSide(const SideOptions& options)
      : dawn_({.timestamp_query = true, .full_resolution_timestamps = true}) {
    if (!dawn_.valid()) {
      why_ = "WebGPU: " + dawn_.why();
      return;
    }
    painter_ = std::make_unique<ParticlesWebGpu>(options.rule, dawn_.device(), dawn_.queue(), options.size);
    timer_ = std::make_unique<wgpu::WebGpuTimer>(passmeter::TimerConfig{.passes = {"simulate", "draw"}},
                                                 dawn_.device(),
                                                 wgpu::WebGpuOptions{.instance = dawn_.instance()});
    simulate_ = timer_->pass("simulate");
    draw_ = timer_->pass("draw");
    counters_ = std::make_unique<wgpu::CounterReadback>(
        wgpu::CounterConfig{.counters = {{"particles", 0}, {"particles generated", options.rule.capacity}}},
        dawn_.device(), wgpu::HelperOptions{.instance = dawn_.instance()});
  }
  ~WebGpuSide() override { wait_until_ahead(0); }

  const std::string& why() const override { return why_; }
  std::string how() const override {
    return "compute shaders pack the living, step and draw are indirect, two counters are read back";
  }
  bool counts_alive() const override { return true; }

  bool draw(std::uint32_t frame, Counted& counted) override {
    timer_->begin_frame();
    counters_->begin_frame();
    const bool news = take_count(counted);
    painter_->set_frame(frame);
    const WGPUCommandEncoder encoder = wgpuDeviceCreateCommandEncoder(dawn_.device(), nullptr);
    {
      const auto scope = timer_->scope(simulate_);
      painter_->step(encoder, timer_->compute_writes(scope));
    }
    {
      const auto scope = timer_->scope(draw_);
      painter_->draw(encoder, timer_->writes(scope));
    }
    timer_->resolve(encoder);
    submit(encoder);
    counters_->read(painter_->counters());
    counters_->end_frame();
    timer_->end_frame();
    wait_until_ahead(2);
    return news;
  }

  std::uint32_t drawn() const override { return 0; }
  std::uint64_t overflowed_frames() const override { return counters_->overflowed_frames(1); }
  void drain() override {
    wait_until_ahead(0);
    timer_->poll();
  }
  passmeter::Report report() override {
    passmeter::Report report = timer_->report();
    counters_->append_to(report);
    return report;
  }
  std::vector<std::uint8_t> picture() override { return painter_->read_picture(dawn_.instance()); }
  int errors() override { return dawn_.error_count(); }

 private:
  bool take_count(Counted& counted) {
    const passmeter::LateCounter& alive = counters_->counter(0);
    if (!alive.known() || (seen_any_ && alive.frame() == last_seen_)) return false;
    seen_any_ = true;
    last_seen_ = alive.frame();
    counted = {alive.frame(), alive.age(counters_->frame()), alive.last(), counters_->counter(1).last(),
               true};
    return true;
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

  scene::DawnDevice dawn_;
  std::string why_;
  std::unique_ptr<ParticlesWebGpu> painter_;
  std::unique_ptr<wgpu::WebGpuTimer> timer_;
  std::unique_ptr<wgpu::CounterReadback> counters_;
  passmeter::PassId simulate_, draw_;
  std::uint64_t last_seen_ = 0;
  bool seen_any_ = false;
  int frames_ahead_ = 0;
};

}  // namespace

std::unique_ptr<Side> make_webgpu_side(const SideOptions& options) {
  return std::make_unique<WebGpuSide>(options);
}

}  // namespace particles
