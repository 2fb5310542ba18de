// The WebGPU canvas.
#pragma once

#include <memory>

#include "passmeter/webgpu/webgpu_timer.h"
#include "side.h"
#include "webgpu_device.h"
#include "webgpu_renderer.h"

namespace web {

class WebGpuSide final : public Side {
 public:
  /// `canvas`: a CSS selector.
  WebGpuSide(const char* canvas, int size);
  ~WebGpuSide() override;

  const std::string& why() const override { return why_; }
  bool ready() const override { return renderer_ != nullptr; }
  bool lost() const override { return gpu_->lost(); }
  void draw(int frame) override;
  bool idle() override;
  passmeter::GpuTimer* timer() override { return timer_.get(); }
  const passmeter::Choice& choice() const override { return choice_; }
  void set_load(const Load& load) override;
  void set_enabled(bool enabled) override;
  void force(Force force) override;
  void lose() override { gpu_->destroy(); }
  void restore() override;
  int errors() override { return errors_before_ + gpu_->errors(); }

 private:
  void request_device();
  void on_device();
  void on_lost();
  void let_go();
  const WGPUPassTimestampWrites* open(int pass);
  void close(int pass);

  const char* canvas_;
  int size_;
  std::unique_ptr<WebGpuDevice> gpu_;
  WGPUQueue queue_ = nullptr;
  WGPUSurface surface_ = nullptr;
  std::unique_ptr<scene::WebGpuRenderer> renderer_;
  std::unique_ptr<passmeter::webgpu::WebGpuTimer> timer_;
  std::array<passmeter::PassId, most_passes> passes_;
  std::array<passmeter::Scope, most_passes> scopes_;
  passmeter::Choice choice_;
  Load load_;
  Force force_ = Force::automatic;
  bool enabled_ = true;
  bool new_timer_ = true;  // the next device gets a timer of its own, not a restored one
  int errors_before_ = 0;
  std::string why_;
};

}  // namespace web
