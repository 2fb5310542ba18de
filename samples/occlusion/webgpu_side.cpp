#include "city_frames_webgpu.h"
#include "dawn_device.h"
#include "side.h"

namespace city {
namespace {

class WebGpuSide final : public Side {
 public:
  WebGpuSide(const City& city, const FrameOptions& options)
      : dawn_({.timestamp_query = true, .full_resolution_timestamps = true}) {
    if (!dawn_.valid()) {
      why_ = "WebGPU: " + dawn_.why();
      return;
    }
    frames_ = std::make_unique<FramesWebGpu>(
        city,
        FramesWebGpu::Device{.device = dawn_.device(), .queue = dawn_.queue(), .instance = dawn_.instance()},
        options);
  }
  ~WebGpuSide() override { wait_until_ahead(0); }

  const std::string& why() const override { return why_; }
  Frames& frames() override { return *frames_; }

  void draw(int frame, bool culling, int picture, Drawn& drawn) override {
    frames_->draw(frame, culling, picture, drawn);
    count_when_done();
    wait_until_ahead(2);
  }

  void wait_until_idle() override { wait_until_ahead(0); }
  std::vector<std::uint8_t> picture(int which) override {
    return frames_->painter().read_picture(dawn_.instance(), which);
  }
  std::vector<std::uint8_t> numbers() override { return frames_->painter().read_numbers(dawn_.instance()); }
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

std::unique_ptr<Side> make_webgpu_side(const City& city, const FrameOptions& options) {
  return std::make_unique<WebGpuSide>(city, options);
}

}  // namespace city
