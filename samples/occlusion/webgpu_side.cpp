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
  ~WebGpuSide() override { dawn_.wait_until_ahead(0); }

  const std::string& why() const override { return why_; }
  Frames& frames() override { return *frames_; }

  void draw(int frame, bool culling, int picture, Drawn& drawn) override {
    frames_->draw(frame, culling, picture, drawn);
    dawn_.frame_submitted();
    dawn_.wait_until_ahead(2);
  }

  void wait_until_idle() override { dawn_.wait_until_ahead(0); }
  std::vector<std::uint8_t> picture(int which) override {
    return frames_->painter().read_picture(dawn_.instance(), which);
  }
  std::vector<std::uint8_t> numbers() override { return frames_->painter().read_numbers(dawn_.instance()); }
  int errors() override { return dawn_.error_count(); }

 private:
  scene::DawnDevice dawn_;
  std::string why_;
  std::unique_ptr<FramesWebGpu> frames_;
};

}  // namespace

std::unique_ptr<Side> make_webgpu_side(const City& city, const FrameOptions& options) {
  return std::make_unique<WebGpuSide>(city, options);
}

}  // namespace city
