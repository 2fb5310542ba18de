#include "dawn_device.h"
#include "particle_frames_webgpu.h"
#include "side.h"

namespace particles {
namespace {

class WebGpuSide final : public Side {
 public:
  explicit WebGpuSide(const SideOptions& options)
      : dawn_({.timestamp_query = true, .full_resolution_timestamps = true}) {
    if (!dawn_.valid()) {
      why_ = "WebGPU: " + dawn_.why();
      return;
    }
    frames_ = std::make_unique<FramesWebGpu>(
        options.rule,
        FramesWebGpu::Device{.device = dawn_.device(), .queue = dawn_.queue(), .instance = dawn_.instance()},
        options.size);
  }
  ~WebGpuSide() override { wait_until_ahead(0); }

  const std::string& why() const override { return why_; }
  Frames& frames() override { return *frames_; }

  bool draw(std::uint32_t frame, Counted& counted) override {
    const bool news = frames_->draw(frame, counted);
    count_when_done();
    wait_until_ahead(2);
    return news;
  }

  void drain() override {
    wait_until_ahead(0);
    frames_->timer().poll();
  }
  std::vector<std::uint8_t> picture() override { return frames_->painter().read_picture(dawn_.instance()); }
  int errors() override { return dawn_.error_count(); }

 private:
  void count_when_done() {
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
  std::unique_ptr<FramesWebGpu> frames_;
  int frames_ahead_ = 0;
};

}  // namespace

std::unique_ptr<Side> make_webgpu_side(const SideOptions& options) {
  return std::make_unique<WebGpuSide>(options);
}

}  // namespace particles
