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
  ~WebGpuSide() override { dawn_.wait_until_ahead(0); }

  const std::string& why() const override { return why_; }
  Frames& frames() override { return *frames_; }

  bool draw(std::uint32_t frame, Counted& counted) override {
    const bool news = frames_->draw(frame, counted);
    dawn_.frame_submitted();
    dawn_.wait_until_ahead(2);
    return news;
  }

  void drain() override {
    dawn_.wait_until_ahead(0);
    frames_->timer().poll();
  }
  std::vector<std::uint8_t> picture() override { return frames_->painter().read_picture(dawn_.instance()); }
  int errors() override { return dawn_.error_count(); }

 private:
  scene::DawnDevice dawn_;
  std::string why_;
  std::unique_ptr<FramesWebGpu> frames_;
};

}  // namespace

std::unique_ptr<Side> make_webgpu_side(const SideOptions& options) {
  return std::make_unique<WebGpuSide>(options);
}

}  // namespace particles
